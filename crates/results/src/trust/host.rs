//! What was taken from everything that ran on a host.

use super::{Finding, Severity, percent};
use crate::run::{Run, StageRun};
use leadline_model::event::CpuTime;
use leadline_model::units::Nanos;

/// Code `host-steal` (warn): the hypervisor gave 1 % or more of a host's processor time over the measured
/// window, and 50 ms or more, to other machines.
pub(super) fn steal(run: &Run, stage: &StageRun) -> Option<Finding> {
    let mut hosts: Vec<u32> = stage.cpus.iter().map(|c| c.host).collect();
    hosts.dedup();
    let of = |host: u32| stage.cpus.iter().filter(move |c| c.host == host);
    let share = |host: u32| {
        let stolen: u64 = of(host).map(|c| c.steal.0).sum();
        let all: u64 = of(host).map(whole).sum();
        (stolen, stolen as f64 / (all as f64).max(1.0))
    };
    let host = hosts
        .into_iter()
        .max_by(|&a, &b| share(a).1.total_cmp(&share(b).1))?;
    let (stolen, lost) = share(host);
    if stolen < Nanos::from_millis(50).0 || lost < 0.01 {
        return None;
    }
    let one = |cpu: &CpuTime| cpu.steal.0 as f64 / (whole(cpu) as f64).max(1.0);
    let most = of(host).max_by(|a, b| one(a).total_cmp(&one(b)))?;
    let place = match run.host_label(host) {
        "" => String::new(),
        label => format!(" of {label}"),
    };
    Some(Finding {
        code: "host-steal".to_owned(),
        severity: Severity::Warn,
        stage: Some(stage.stage),
        workload: None,
        text: format!(
            "The hypervisor took {} of the processors' time{place} over the measured window, {} in \
             all; CPU {} lost most with {}. I/Os that fell into it look as slow as if the target had \
             been.",
            percent(lost),
            Nanos(stolen),
            most.cpu,
            percent(one(most)),
        ),
        cure: "Measure on a machine that shares its processors with nobody, or repeat and compare \
               runs with little of it."
            .to_owned(),
    })
}

/// All time of a processor.
fn whole(cpu: &CpuTime) -> u64 {
    cpu.user.0 + cpu.kernel.0 + cpu.idle.0 + cpu.wait.0 + cpu.steal.0
}
