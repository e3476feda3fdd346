//! Where a worker's thread runs: CPUs, priority. What cannot be had is a note, not an end: the figures
//! are right, only elsewhere than asked.
#![expect(unsafe_code, reason = "scheduling calls that have no safe wrapper")]

use leadline_model::plan::Placement;
use rustix::thread::{CpuSet, sched_setaffinity};

/// Puts the calling thread, number `worker` of its workload, where the plan wants it. Returns what could
/// not be done.
pub(super) fn apply(placement: &Placement, worker: u32) -> Vec<String> {
    let mut notes = Vec::new();
    if !placement.cpus.is_empty() {
        let mut set = CpuSet::new();
        let turn = worker as usize % placement.cpus.len();
        for (index, &cpu) in placement.cpus.iter().enumerate() {
            if (!placement.split_cpus || index == turn) && (cpu as usize) < CpuSet::MAX_CPU {
                set.set(cpu as usize);
            }
        }
        if let Err(error) = sched_setaffinity(None, &set) {
            notes.push(format!(
                "worker {worker} is not pinned to {:?}: {error}",
                placement.cpus
            ));
        }
    }
    if let Some(nice) = placement.nice {
        // SAFETY: setpriority takes numbers only; 0 is the calling thread.
        if unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice) } != 0 {
            notes.push(format!(
                "nice {nice} refused: {}",
                std::io::Error::last_os_error()
            ));
        }
    }
    if let Some((class, level)) = placement.io_priority {
        const WHO_PROCESS: i32 = 1;
        let value = (i32::from(class) << 13) | i32::from(level);
        // SAFETY: ioprio_set takes numbers only; 0 is the calling thread.
        if unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, 0, value) } != 0 {
            let error = std::io::Error::last_os_error();
            notes.push(format!("I/O priority {class}/{level} refused: {error}"));
        }
    }
    notes
}
