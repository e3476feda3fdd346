//! A run over many hosts, with real parts: processes, sshd in network namespaces, Slurm. What a machine
//! lacks is skipped by name.

mod clocks;
mod copies;
mod faults;
mod hostile;
mod kubectl;
mod look;
mod lost;
mod net;
pub(crate) mod processes;
mod seed;
mod slurm;
mod ssh;
mod survey;
