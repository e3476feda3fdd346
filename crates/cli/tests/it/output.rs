//! What stands where: results, notes and errors on the two streams, in files, on a terminal.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests are not tests to the lints"
)]

mod ends;
mod files;
mod hostile;
mod runs;
mod streams;
