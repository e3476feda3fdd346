//! What stands where: results, notes and errors on the two streams, in files, on a terminal.

mod completion;
mod ends;
mod files;
mod hostile;
mod runs;
mod streams;
