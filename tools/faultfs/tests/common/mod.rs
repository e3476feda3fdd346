//! What tests with a real mount share: the program under test, and skipping by name.

use std::path::Path;

pub(crate) use leadline_testkit::fault::FaultMount;
pub(crate) use leadline_testkit::skip;

/// Mounts with the given options and commands; `Err` says what this machine lacks.
pub(crate) fn start(commands: &[&str]) -> Result<FaultMount, String> {
    FaultMount::start(Path::new(env!("CARGO_BIN_EXE_faultfs")), commands)
}
