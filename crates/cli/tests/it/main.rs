//! Everything that runs the command as its users do, in one program.
//!
//! One program links once and runs its tests side by side. A file of tests here is a module; must never
//! hold a test itself.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests are not tests to the lints"
)]

mod answers;
mod articles;
mod check;
mod checks;
mod compare;
mod confirm;
mod diskspd;
mod fio_differential;
mod fleet;
mod guides;
mod honesty;
mod imports;
mod limits;
mod output;
mod pages;
mod pipeline;
mod plot;
mod report_shapes;
mod simulated;
mod studies;
mod studies_open;
mod studies_states;
mod support;
mod vdbench;
