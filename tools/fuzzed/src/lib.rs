//! What the fuzz targets do with bytes: each decoder and parser that reads what others wrote, with what must
//! hold of its answer.
//!
//! Belongs here: one function a target. The targets themselves are in `fuzz/`, a workspace of its own, for they
//! link libFuzzer; the tests here replay their seeds without it. Must never: be used by product code.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a target says by a panic that something does not hold"
)]

mod frames;
mod imports;
mod limits;
mod plan;
mod run_file;
mod texts;

/// A target: its name, which is that of its seeds' directory in `fuzz/seeds`, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: &[Target] = &[
    ("conditions", texts::conditions),
    ("diskspd_command_line", texts::diskspd_command_line),
    ("diskspd_profile", texts::diskspd_profile),
    ("diskspd_result", imports::diskspd),
    ("fio_command_line", texts::fio_command_line),
    ("fio_job_file", texts::fio_job_file),
    ("fio_logs", imports::fio_logs),
    ("fio_result", imports::fio),
    ("fleet_frames", frames::any),
    ("hosts_file", texts::hosts_file),
    ("limits_file", limits::any),
    ("plan_json", plan::json),
    ("profiles_file", limits::profiles_file),
    ("run_file", run_file::any),
    ("study_file", texts::study_file),
    ("vdbench_file", texts::vdbench_file),
    ("vdbench_result", imports::vdbench),
];

/// Gives bytes to the target of this name.
///
/// # Panics
/// When there is none, and when something does not hold.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.0 == name);
    match target {
        Some((_, run)) => run(bytes),
        None => panic!("no target is called {name}"),
    }
}
