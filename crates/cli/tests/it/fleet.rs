//! A run over many hosts, with real parts: processes, sshd in network namespaces, Slurm. What a machine
//! lacks is skipped by name.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers of tests are not tests to the lints; a skipped test says so on stderr"
)]

mod clocks;
mod copies;
mod faults;
mod hostile;
mod kubectl;
mod net;
mod processes;
mod seed;
mod slurm;
mod ssh;
mod survey;
