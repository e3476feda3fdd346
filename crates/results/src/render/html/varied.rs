//! In what the studies of several runs were unlike: the lists of what they varied.
//!
//! Belongs here: words for them. Must never: draw, or say what does not differ.

use crate::run::Run;
use crate::study::several::Named;
use leadline_model::plan::study::Axes;
use leadline_model::units::Bytes;

/// A list of a study: its name, and its values in words, which say what they are where one stands alone.
struct Varied {
    name: &'static str,
    values: fn(&Axes) -> Vec<String>,
    alone: fn(&str) -> String,
}

/// What a study varies.
const ALL: [Varied; 5] = [
    Varied {
        name: "block sizes",
        values: |axes| axes.blocks.iter().map(|n| Bytes(*n).to_string()).collect(),
        alone: str::to_owned,
    },
    Varied {
        name: "reads, %",
        values: |axes| axes.reads.iter().map(ToString::to_string).collect(),
        alone: |n| format!("{n} % reads"),
    },
    Varied {
        name: "order",
        values: |axes| {
            let word = |is_random: &bool| match is_random {
                true => "random".to_owned(),
                false => "sequential".to_owned(),
            };
            axes.random.iter().map(word).collect()
        },
        alone: str::to_owned,
    },
    Varied {
        name: "depths",
        values: |axes| axes.depths.iter().map(ToString::to_string).collect(),
        alone: |n| format!("depth {n}"),
    },
    Varied {
        name: "jobs",
        values: |axes| axes.jobs.iter().map(ToString::to_string).collect(),
        alone: |n| match n {
            "1" => "1 job".to_owned(),
            n => format!("{n} jobs"),
        },
    },
];

/// The values of each run, where each has a study; `None` where one has none.
fn values(one: &Varied, runs: &[Named<'_>]) -> Option<Vec<Vec<String>>> {
    runs.iter().map(|named| values_of(one, named.run)).collect()
}

/// Those of one run, if it has a study.
fn values_of(one: &Varied, run: &Run) -> Option<Vec<String>> {
    let axes = &run.plan.as_ref()?.study.as_deref()?.axes;
    // One that is added does not compile before it has a row in [`ALL`].
    let Axes {
        blocks: _,
        reads: _,
        random: _,
        depths: _,
        jobs: _,
    } = axes;
    Some((one.values)(axes))
}

/// The lists that are not the same in two runs: name, and values of each.
pub(super) fn unlike_of(a: &Run, b: &Run) -> Vec<(&'static str, [String; 2])> {
    let each = ALL.iter().filter_map(|one| {
        let (a, b) = (values_of(one, a)?, values_of(one, b)?);
        (a != b).then(|| (one.name, [a.join(", "), b.join(", ")]))
    });
    each.collect()
}

/// What each run is called at its lines: where others had another value of something that its study did not vary, with that,
/// as its lines do not say it.
pub(super) fn called(runs: &[Named<'_>]) -> Vec<String> {
    let mut names: Vec<String> = runs.iter().map(|named| named.name.clone()).collect();
    for one in &ALL {
        let Some(values) = values(one, runs) else {
            continue;
        };
        if values.iter().all(|own| *own == values[0]) {
            continue;
        }
        for (name, own) in names.iter_mut().zip(&values) {
            if let [only] = own.as_slice() {
                *name = format!("{name}, {}", (one.alone)(only));
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::response::tests::curve_run;
    use crate::study::several::named;
    use leadline_model::plan::study::{Question, Study, StudyPlace, StudyScope, Timing};
    use leadline_model::plan::{EngineKind, ServerCache};
    use leadline_model::units::Nanos;

    fn run(jobs: &[u32]) -> Run {
        let mut run = curve_run();
        let study = Study {
            question: Question::Depth,
            scope: StudyScope {
                place: StudyPlace::Directory("d".to_owned()),
                dataset: 1 << 20,
                files: 1,
                direct: true,
                engine: EngineKind::Psync,
                hosts: 1,
                server_cache: ServerCache::Unknown,
                maps: Vec::new(),
            },
            axes: Axes {
                blocks: vec![4096],
                reads: vec![100],
                random: vec![true],
                depths: vec![1, 8],
                jobs: jobs.to_vec(),
            },
            timing: Timing {
                time: Nanos(1),
                warmup: Nanos(0),
                budget: None,
                narrow: None,
            },
            repeats: 1,
            arms: Vec::new(),
            seed: 1,
            seeded: false,
        };
        run.plan.as_mut().unwrap().study = Some(Box::new(study));
        run
    }

    #[test]
    fn a_run_is_called_by_what_others_had_otherwise() {
        let said = |lists: &[&[u32]]| {
            let runs: Vec<Run> = lists.iter().map(|jobs| run(jobs)).collect();
            let known: Vec<_> = runs
                .iter()
                .zip(["a", "b"])
                .map(|(run, name)| (Some(name.to_owned()), String::new(), run))
                .collect();
            let runs = named(&known);
            (called(&runs), unlike_of(runs[0].run, runs[1].run))
        };
        let list = |of: &str| of.to_owned();
        assert_eq!(
            said(&[&[4], &[8]]),
            (
                vec![list("a, 4 jobs"), list("b, 8 jobs")],
                vec![("jobs", [list("4"), list("8")])]
            )
        );
        // Lines of several say which they are.
        assert_eq!(
            said(&[&[1, 4], &[1]]),
            (
                vec![list("a"), list("b, 1 job")],
                vec![("jobs", [list("1, 4"), list("1")])]
            )
        );
        assert_eq!(
            said(&[&[4], &[4]]),
            (vec![list("a"), list("b")], Vec::new())
        );
    }
}
