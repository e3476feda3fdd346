//! Differences that are known: each holds for one quantity under one condition.
//!
//! Must never: excuse a difference that docs/reference/fio-differences.md does not give the reason of.

use super::compare::{Difference, What};
use super::jobs::{JobCase, Order, Section};

/// Their names: each is a row of the page with its reason.
#[cfg(test)]
pub(crate) const NAMES: [&str; 3] = [
    "sizes-of-their-own",
    "runs-at-random",
    "skips-from-an-offset",
];

/// The name under which a difference of a case is known.
pub(crate) fn name(case: &JobCase, difference: &Difference) -> Option<&'static str> {
    of_section(case.sections.get(difference.section?)?, difference)
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
        What::Counts { fio, ours } if section.runs => fewer(fio, ours).then_some("runs-at-random"),
        What::Counts { .. } | What::Offsets if section.skips_from && difference.back => {
            (section.order == Order::Exact).then_some("skips-from-an-offset")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differential::jobs;

    /// A section with nothing to excuse, of the random cases themselves.
    fn plain() -> Section {
        let cases = (0..1000).map(|number| jobs::case(1, number));
        let sections = cases.flat_map(|case| case.sections);
        let mut plain = sections.filter(|s| s.order == Order::Exact && !s.cut && !s.skips_from);
        plain.next().unwrap()
    }

    fn excuse(section: Section, what: What, back: bool) -> Option<&'static str> {
        let case = JobCase {
            text: String::new(),
            files: Vec::new(),
            sections: vec![section],
        };
        let difference = Difference {
            what,
            section: Some(0),
            back,
            text: String::new(),
        };
        name(&case, &difference)
    }

    /// All that may differ, in both directions.
    const ALL: [What; 8] = [
        What::Code { fio: 1, ours: 0 },
        What::Code { fio: 0, ours: 1 },
        What::Names,
        What::Counts { fio: 0, ours: 1 },
        What::Counts { fio: 1, ours: 0 },
        What::Counts {
            fio: 1 << 20,
            ours: 0,
        },
        What::Offsets,
        What::Time,
    ];

    fn excused(section: &Section, back: bool) -> Vec<usize> {
        let whats = ALL.iter().enumerate();
        let known = whats.filter(|(_, what)| excuse(section.clone(), **what, back).is_some());
        known.map(|(at, _)| at).collect()
    }

    #[test]
    fn nothing_is_excused_of_a_section_without_a_peculiarity() {
        for back in [false, true] {
            assert!(excused(&plain(), back).is_empty());
            let mixed = Section {
                mixed: true,
                order: Order::EachKind,
                ..plain()
            };
            assert!(excused(&mixed, back).is_empty());
            let clones = Section { jobs: 2, ..plain() };
            assert!(excused(&clones, back).is_empty());
        }
    }

    #[test]
    fn unlike_sizes_excuse_offsets_and_what_fio_leaves_out_where_order_is_random() {
        let unlike = Section {
            unlike: true,
            several: true,
            ..plain()
        };
        assert!(excused(&unlike, false).is_empty());
        let random = Section {
            random: true,
            ..unlike
        };
        assert_eq!(excused(&random, false), [3, 4, 6]);
    }

    #[test]
    fn runs_at_random_excuse_that_fio_does_less_and_nothing_else() {
        let runs = Section {
            runs: true,
            random: true,
            ..plain()
        };
        assert_eq!(excused(&runs, true), [3]);
    }

    #[test]
    fn skips_from_an_offset_are_excused_where_fio_goes_back_only() {
        let skips = Section {
            skips_from: true,
            ..plain()
        };
        assert!(excused(&skips, false).is_empty());
        assert_eq!(excused(&skips, true), [3, 4, 5, 6]);
        let chain = Section {
            order: Order::Chain,
            ..skips
        };
        assert!(excused(&chain, true).is_empty());
    }

    #[test]
    fn what_is_of_no_section_is_never_excused() {
        let case = jobs::case(1, 1);
        for what in ALL {
            let difference = Difference {
                what,
                section: None,
                back: true,
                text: String::new(),
            };
            assert_eq!(name(&case, &difference), None);
        }
    }
}
