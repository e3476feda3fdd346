//! Differences that are known: each holds for one quantity under one condition.
//!
//! Must never: excuse a difference that docs/reference/fio-differences.md does not give the reason of.

use super::compare::{Difference, What};
use super::jobs::{Case, Order, Section};

/// Their names: each is a row of the page with its reason.
#[cfg(test)]
pub(crate) const NAMES: [&str; 6] = [
    "trim-on-a-file",
    "names-of-clones",
    "sizes-of-their-own",
    "end-of-a-mix",
    "runs-at-random",
    "skips-from-an-offset",
];

/// The name under which a difference of a case is known.
pub(crate) fn name(case: &Case, difference: &Difference) -> Option<&'static str> {
    match (difference.what, difference.section) {
        // fio's code is the number of jobs that failed.
        (What::Code { fio: 1.., ours: 0 }, _) => {
            let trims = case.sections.iter().any(|s| s.trims);
            trims.then_some("trim-on-a-file")
        }
        (What::Names, _) => {
            let clones = case.sections.iter().any(|s| s.named && s.jobs > 1);
            clones.then_some("names-of-clones")
        }
        (What::Code { .. } | What::Time, _) | (_, None) => None,
        (_, Some(section)) => of_section(case.sections.get(section)?, difference),
    }
}

/// The larger of unlike sizes.
const LARGER: u64 = 8192;

fn of_section(section: &Section, difference: &Difference) -> Option<&'static str> {
    let fewer = |fio: u64, ours: u64| fio < ours;
    match difference.what {
        What::Counts { fio, ours } if section.random && section.unlike => {
            (fio <= ours + LARGER).then_some("sizes-of-their-own")
        }
        What::Offsets if section.random && section.unlike => Some("sizes-of-their-own"),
        What::Counts { .. } if section.mixed && !section.random => Some("end-of-a-mix"),
        What::Counts { fio, ours } if section.runs => fewer(fio, ours).then_some("runs-at-random"),
        What::Counts { .. } | What::Offsets if section.skips_from && difference.back => {
            (section.order == Order::Exact).then_some("skips-from-an-offset")
        }
        _ => None,
    }
}
