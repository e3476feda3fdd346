//! What else a host did, and what was taken from everything that ran on it.

use super::{Finding, Severity, percent};
use crate::run::{Run, StageRun};
use crate::summary::processors::{FULL, hosts, loads, whole};
use leadline_model::cure::{Cure, Knob};
use leadline_model::event::CpuTime;
use leadline_model::units::Nanos;

/// Code `host-steal` (warn): the hypervisor gave 1 % or more of a host's processor time over the measured
/// window, and 50 ms or more, to other machines.
pub(super) fn steal(run: &Run, stage: &StageRun) -> Option<Finding> {
    let of = |host: u32| stage.cpus.iter().filter(move |c| c.host == host);
    let share = |host: u32| {
        let stolen: u64 = of(host).map(|c| c.steal.0).sum();
        let all: u64 = of(host).map(whole).sum();
        (stolen, stolen as f64 / (all as f64).max(1.0))
    };
    let host = hosts(stage)
        .into_iter()
        .max_by(|&a, &b| share(a).1.total_cmp(&share(b).1))?;
    let (stolen, lost) = share(host);
    if stolen < Nanos::from_millis(50).0 || lost < 0.01 {
        return None;
    }
    let one = |cpu: &CpuTime| cpu.steal.0 as f64 / (whole(cpu) as f64).max(1.0);
    let most = of(host).max_by(|a, b| one(a).total_cmp(&one(b)))?;
    let place = place(run, host);
    Some(Finding {
        code: "host-steal".to_owned(),
        severity: Severity::Warn,
        stage: Some(stage.stage),
        workload: None,
        text: format!(
            "The hypervisor took {} of the processor time{place} in the measured window, {} in \
             total; CPU {} lost most with {}. I/Os delayed by this look as if the target had \
             been slow.",
            percent(lost),
            Nanos(stolen),
            most.cpu,
            percent(one(most)),
        ),
        cure: "Measure on a machine with dedicated processors, or repeat and compare runs with \
               little steal time."
            .into(),
    })
}

/// Code `host-busy` (fail): the processors of a host were busy for 0.85 or more of the measured window,
/// by whomever; what workers spent looking at the clock does not count.
pub(super) fn busy(run: &Run, stage: &StageRun) -> Option<Finding> {
    let fullest = loads(stage)
        .into_iter()
        .max_by(|a, b| a.busy.total_cmp(&b.busy))?;
    if fullest.busy < FULL {
        return None;
    }
    Some(Finding {
        code: "host-busy".to_owned(),
        severity: Severity::Fail,
        stage: Some(stage.stage),
        workload: None,
        text: format!(
            "The processors{} were busy for {} of the measured window: {} of their time went to \
             this run's workers, {} to other programs and to kernel threads. Waiting for a \
             processor is part of every figure.",
            place(run, fullest.host),
            percent(fullest.busy),
            percent(fullest.own),
            percent(fullest.others()),
        ),
        cure: Cure::from((
            "Stop other programs on the host and repeat. If nothing else is running, the I/O \
             itself needs all processors: use more hosts, fewer workers or larger block sizes.",
            [Knob::Workers, Knob::BlockSize],
        )),
    })
}

/// A host's name after its figures; nothing if there is only one host.
fn place(run: &Run, host: u32) -> String {
    match run.host_label(host) {
        "" => String::new(),
        label => format!(" of {label}"),
    }
}
