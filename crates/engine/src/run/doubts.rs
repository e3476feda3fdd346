//! What this host is known not to do although it takes the order: said once a stage, before its figures.
//!
//! Belongs here: findings that follow from the plan and the kernel's version alone. Must never: do I/O.

use leadline_model::cure::{Cure, Knob};
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{EngineKind, Polling, Stage};

/// The first kernel that takes RWF_HIPRI of preadv2 and pwritev2 and waits for an interrupt all the same:
/// it polls for the I/O of rings only.
const NO_POLLED_CALLS: (u32, u32) = (5, 19);

/// What is to be said of a stage on a kernel of this release (`6.1.0-47-amd64`).
pub(super) fn of(number: u32, stage: &Stage, release: &str) -> Vec<Finding> {
    if version(release).is_none_or(|v| v < NO_POLLED_CALLS) {
        return Vec::new();
    }
    let polled = (0..)
        .zip(&stage.workloads)
        .filter(|(_, w)| w.engine.poll_completions)
        .filter(|(_, w)| w.engine.kind.powers().polling == Some(Polling::Call));
    let ignored = polled.map(|(index, workload)| Finding {
        code: "polling-ignored".to_owned(),
        severity: Severity::Warn,
        stage: Some(number),
        workload: Some(index),
        text: format!(
            "'{}' asks {} to poll for completions, which kernels since 5.19 accept but ignore: \
             this one is {release}, so its latencies are those of interrupts",
            workload.name,
            workload.engine.kind.name()
        ),
        cure: Cure::from((
            "do not poll for completions, or use io_uring, which polls where the device has poll queues",
            [Knob::NoPolling, Knob::Engine(EngineKind::IoUring)],
        )),
    });
    ignored.collect()
}

/// Major and minor version; `None` = not to be read.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::plan::{Target, Workload};

    fn codes(release: &str, kind: EngineKind, polled: bool, direct: bool) -> Vec<(String, u32)> {
        let mut workload = Workload::new("w", Target::Paths(Vec::new()));
        (workload.engine.kind, workload.engine.poll_completions) = (kind, polled);
        workload.blocks_mut().open.direct = direct;
        let other = Workload::new("o", Target::Paths(Vec::new()));
        let stage = Stage {
            workloads: vec![other, workload],
            ..Stage::default()
        };
        let found = of(3, &stage, release).into_iter();
        found.map(|f| (f.code, f.workload.unwrap())).collect()
    }

    fn names_what_to_turn(release: &str) {
        let mut workload = Workload::new("w", Target::Paths(Vec::new()));
        workload.engine.kind = EngineKind::Pvsync2;
        workload.engine.poll_completions = true;
        let stage = Stage {
            workloads: vec![workload],
            ..Stage::default()
        };
        let knobs = &of(0, &stage, release)[0].cure.knobs;
        assert_eq!(
            knobs,
            &[Knob::NoPolling, Knob::Engine(EngineKind::IoUring)],
            "{release}"
        );
    }

    #[test]
    fn polling_that_the_kernel_ignores_is_said() {
        let pvsync2 = EngineKind::Pvsync2;
        for release in ["5.19.0", "5.19", "6.1.0-47-amd64", "10.2.3+"] {
            let found = codes(release, pvsync2, true, true);
            assert_eq!(found, [("polling-ignored".to_owned(), 1)], "{release}");
            names_what_to_turn(release);
        }
        for release in ["5.18.19", "4.20.1", "strange", ""] {
            assert!(codes(release, pvsync2, true, true).is_empty(), "{release}");
        }
        assert!(codes("6.1.0", pvsync2, false, true).is_empty());
        assert_eq!(
            codes("6.1.0", pvsync2, true, false).len(),
            1,
            "buffered I/O too"
        );
        assert!(codes("6.1.0", EngineKind::IoUring, true, true).is_empty());
    }
}
