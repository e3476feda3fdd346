//! What differs between two outcomes of a case.
//!
//! Must never: know which tool is which, but by name in its words.

use super::jobs::{JobCase, Order, Section};
use super::trace::{Io, Job, TracedRun};
use std::collections::BTreeMap;

/// The quantity that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Exit codes.
    Code {
        fio: i32,
        ours: i32,
    },
    Names,
    /// Numbers of I/Os and bytes: the bytes of both.
    Counts {
        fio: u64,
        ours: u64,
    },
    Offsets,
    Time,
}

/// One difference.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    pub(crate) what: What,
    /// Section of the case, where it is of one.
    pub(crate) section: Option<usize>,
    /// fio's offsets went back to smaller ones in it.
    pub(crate) back: bool,
    pub(crate) text: String,
}

/// All differences; none where both did the same.
pub(crate) fn differences(case: &JobCase, fio: &TracedRun, ours: &TracedRun) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut add = |what, section: Option<usize>, text| {
        let back = section.and_then(|at| case.sections.get(at));
        let back = back.is_some_and(|section| goes_back(section, fio));
        found.push(Difference {
            what,
            section,
            back,
            text,
        });
    };
    if fio.code != ours.code {
        let what = What::Code {
            fio: fio.code,
            ours: ours.code,
        };
        let text = format!("exit code: fio {}, leadline {}", fio.code, ours.code);
        add(what, None, text);
    }
    let names = |o: &TracedRun| o.jobs.iter().map(|j| j.name.clone()).collect::<Vec<_>>();
    if names(fio) != names(ours) {
        let text = format!("names: fio {:?}, leadline {:?}", names(fio), names(ours));
        add(What::Names, None, text);
    }
    if fio.code != ours.code || names(fio) != names(ours) {
        return found;
    }
    let of_jobs = case.sections.iter().enumerate();
    let of_jobs = of_jobs.flat_map(|(at, s)| std::iter::repeat_n((at, s), s.jobs));
    for ((at, section), (a, b)) in of_jobs.zip(fio.jobs.iter().zip(&ours.jobs)) {
        if let Some(what) = counts(section, a, b) {
            let text = format!(
                "I/Os and bytes of {}: fio {:?}, leadline {:?}",
                a.name, a.counts, b.counts
            );
            add(what, Some(at), text);
        }
        // Only where all that runs is paced: a job beside one that is not has a pace of its own.
        let late = (a.millis - b.millis).abs() > 60.0 + a.millis * 0.15;
        if section.paced && case.sections.len() == 1 && late {
            let text = format!(
                "time of {}: fio {} ms, leadline {} ms",
                a.name, a.millis, b.millis
            );
            add(What::Time, Some(at), text);
        }
    }
    for (at, section) in case.sections.iter().enumerate() {
        for file in &section.files {
            let (a, b) = (data(section, fio, file), data(section, ours, file));
            if let Some(line) = offsets(section, &a, &b) {
                add(What::Offsets, Some(at), format!("{file}: {line}"));
            }
        }
    }
    found
}

/// Whether an I/O of a file of the section is before the one that came before it.
fn goes_back(section: &Section, outcome: &TracedRun) -> bool {
    let back = |file: &String| {
        let ios = data(section, outcome, file);
        ios.windows(2).any(|two| two[1].offset < two[0].offset)
    };
    section.files.iter().any(back)
}

/// The I/Os of a file without those of a layout: a job that only reads writes nothing else.
fn data(section: &Section, outcome: &TracedRun, file: &str) -> Vec<Io> {
    let mut ios = outcome.of(file);
    ios.retain(|io| !section.reads || !io.write);
    ios
}

/// What differs in the numbers of I/Os and bytes.
fn counts(section: &Section, fio: &Job, ours: &Job) -> Option<What> {
    let sum = |job: &Job| {
        let add = |s: (u64, u64), c: &(u64, u64)| (s.0 + c.0, s.1 + c.1);
        job.counts.iter().fold((0, 0), add)
    };
    let (a, b) = (sum(fio), sum(ours));
    let same = if section.several && section.cut {
        // Large sizes may reach the end of the region before.
        a.0.abs_diff(b.0) * 4 <= a.0.max(b.0) + 40
    } else if section.several {
        // The number follows the draws; the bytes are those of the pass, or at most one I/O more.
        let rest = if section.random && !section.repeats {
            0
        } else {
            65_536
        };
        a.0.abs_diff(b.0) * 4 <= a.0.max(b.0) + 40 && a.1.abs_diff(b.1) <= rest
    } else if section.mixed {
        a == b
    } else {
        fio.counts == ours.counts
    };
    (!same).then_some(What::Counts {
        fio: a.1,
        ours: b.1,
    })
}

/// What differs in the I/Os of a file.
fn offsets(section: &Section, fio: &[Io], ours: &[Io]) -> Option<String> {
    match section.order {
        Order::Free => None,
        Order::Exact => exactly(fio, ours),
        Order::Chain => {
            let breaks = |ios: &[Io]| ios.windows(2).filter(|w| w[0].end() != w[1].offset).count();
            let first = |ios: &[Io]| ios.first().map(|io| io.offset);
            let (a, b) = ((first(fio), breaks(fio)), (first(ours), breaks(ours)));
            (a != b).then(|| format!("start and breaks: fio {a:?}, leadline {b:?}"))
        }
        Order::EachKind => [false, true].into_iter().find_map(|write| {
            let of = |ios: &[Io]| {
                ios.iter()
                    .copied()
                    .filter(|io| io.write == write)
                    .collect::<Vec<_>>()
            };
            let (a, b) = (of(fio), of(ours));
            let both = a.len().min(b.len());
            exactly(&a[..both], &b[..both])
        }),
        Order::Set => {
            let (a, b) = (times(fio), times(ours));
            let cut = fio.len() < 2 || a.len() != b.len() || most(&a) != most(&b);
            // A whole pass has the same places in both; a part of one as many.
            let whole = a.keys().ne(b.keys()) && most(&a) > 1 && a.values().all(|n| *n == most(&a));
            ((cut && a != b) || whole).then(|| difference("places", &a, &b))
        }
        Order::Coverage => {
            let (a, b) = (blocks(fio), blocks(ours));
            let near = a.len().abs_diff(b.len()) * 4 <= a.len().max(b.len());
            let same = if section.cut {
                most(&a) == most(&b) && near
            } else {
                a == b
            };
            (!same).then(|| difference("4 KiB blocks", &a, &b))
        }
    }
}

/// The first I/O that differs.
fn exactly(fio: &[Io], ours: &[Io]) -> Option<String> {
    let at = fio.iter().zip(ours).position(|(a, b)| a != b);
    let at = at.or((fio.len() != ours.len()).then_some(fio.len().min(ours.len())))?;
    Some(format!(
        "I/O {at}: fio {:?}, leadline {:?}",
        fio.get(at),
        ours.get(at)
    ))
}

/// How often the place was met that was met most.
fn most(times: &BTreeMap<u64, u32>) -> u32 {
    times.values().copied().max().unwrap_or(0)
}

fn difference(what: &str, fio: &BTreeMap<u64, u32>, ours: &BTreeMap<u64, u32>) -> String {
    format!(
        "{what}: fio {} at most {} times, leadline {} at most {} times",
        fio.len(),
        most(fio),
        ours.len(),
        most(ours)
    )
}

/// How often each offset was met.
fn times(ios: &[Io]) -> BTreeMap<u64, u32> {
    let mut times = BTreeMap::new();
    for io in ios {
        *times.entry(io.offset).or_default() += 1;
    }
    times
}

/// How often each block of 4 KiB, counted from the first offset, was covered.
fn blocks(ios: &[Io]) -> BTreeMap<u64, u32> {
    let rest = ios.first().map_or(0, |io| io.offset % 4096);
    let mut times = BTreeMap::new();
    for io in ios {
        let first = (io.offset - rest.min(io.offset)) / 4096;
        for block in first..first + io.len.div_ceil(4096) {
            *times.entry(block).or_default() += 1;
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differential::jobs;

    /// A case of one section that reads in order, and what both tools did of it: four I/Os.
    fn reads() -> (JobCase, TracedRun) {
        let cases = (0..1000).map(|number| jobs::case(1, number));
        let fits = |case: &JobCase| {
            let [one] = &case.sections[..] else {
                return false;
            };
            one.order == Order::Exact && one.jobs == 1 && one.files.len() == 1 && one.reads
        };
        let case = { cases }.find(fits).unwrap();
        let io = |at: u64| Io {
            write: false,
            offset: at * 4096,
            len: 4096,
        };
        let job = Job {
            name: "a".to_owned(),
            counts: [(4, 16_384), (0, 0), (0, 0)],
            millis: 1000.0,
        };
        let file = case.sections[0].files[0].clone();
        let outcome = TracedRun {
            code: 0,
            jobs: vec![job],
            ios: BTreeMap::from([(file, vec![(0..4).map(io).collect()])]),
        };
        (case, outcome)
    }

    fn whats(case: &JobCase, fio: &TracedRun, ours: &TracedRun) -> Vec<What> {
        let found = differences(case, fio, ours);
        found.into_iter().map(|found| found.what).collect()
    }

    #[test]
    fn the_same_does_not_differ() {
        let (case, fio) = reads();
        let (_, ours) = reads();
        assert_eq!(whats(&case, &fio, &ours), []);
    }

    #[test]
    fn each_quantity_that_differs_is_found() {
        let (mut case, fio) = reads();
        let (_, mut ours) = reads();
        ours.code = 1;
        assert_eq!(whats(&case, &fio, &ours), [What::Code { fio: 0, ours: 1 }]);
        (_, ours) = reads();
        ours.jobs[0].name.push('x');
        assert_eq!(whats(&case, &fio, &ours), [What::Names]);
        (_, ours) = reads();
        ours.jobs[0].counts[0] = (3, 12_288);
        let counts = What::Counts {
            fio: 16_384,
            ours: 12_288,
        };
        assert_eq!(whats(&case, &fio, &ours), [counts]);
        (_, ours) = reads();
        ours.ios
            .values_mut()
            .for_each(|threads| threads[0].swap(1, 2));
        assert_eq!(whats(&case, &fio, &ours), [What::Offsets]);
        (_, ours) = reads();
        ours.jobs[0].millis = 2000.0;
        assert_eq!(whats(&case, &fio, &ours), []);
        case.sections[0].paced = true;
        assert_eq!(whats(&case, &fio, &ours), [What::Time]);
    }

    /// Jobs that failed did I/Os before, and those that failed are counted.
    #[test]
    fn counts_are_compared_where_both_fail_alike() {
        let (case, mut fio) = reads();
        let (_, mut ours) = reads();
        (fio.code, ours.code) = (1, 1);
        ours.jobs[0].counts[2] = (1, 0);
        assert_eq!(whats(&case, &fio, &ours).len(), 1);
    }

    #[test]
    fn a_set_may_come_in_any_order_and_only_whole() {
        let (mut case, fio) = reads();
        let (_, mut ours) = reads();
        case.sections[0].order = Order::Set;
        ours.ios
            .values_mut()
            .for_each(|threads| threads[0].reverse());
        assert_eq!(whats(&case, &fio, &ours), []);
        ours.ios
            .values_mut()
            .for_each(|threads| threads[0][0].offset = 0);
        assert_eq!(whats(&case, &fio, &ours), [What::Offsets]);
    }

    #[test]
    fn going_back_is_seen_in_what_fio_did() {
        let (case, mut fio) = reads();
        let (_, ours) = reads();
        fio.ios
            .values_mut()
            .for_each(|threads| threads[0].swap(1, 2));
        assert!(differences(&case, &fio, &ours)[0].back);
        assert!(!differences(&case, &ours, &fio)[0].back);
    }
}
