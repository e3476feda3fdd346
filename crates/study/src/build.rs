//! From what was given to a study: what replaces the rest, and what does not go together.
//!
//! Belongs here: rules about several options. Must never appear here: the grammar of a value.

use crate::draft::Draft;
use crate::option::OptionSpec;
use crate::reading::Reading;
use crate::request::Request;
use crate::studies::{Asks, StudySpec};
use leadline_dialect::diagnostic::{Diagnostic, Span};
use leadline_model::plan::Arrival;
use leadline_model::plan::ServerCache;
use leadline_model::plan::study::{
    Arm, Axes, Axis, Class, HostGroup, Question, Study, StudyPlace, StudyScope, Timing,
};
use leadline_model::units::{Bytes, Nanos, whole};

/// The study of what was read; `None` where something essential is missing, which was said.
pub(crate) fn request(reading: &mut Reading<'_>) -> Option<Request> {
    let Some(study) = reading.draft.study else {
        if reading.diagnostics.is_empty() {
            let at = reading.end;
            reading.diagnostics.push(
                Diagnostic::error("no-study", "no study given")
                    .at(at, "")
                    .expected("the name of a study, or a file with `study = \"NAME\"`"),
            );
        }
        // A file that was not read may name one.
        let unread = |says: &Diagnostic| matches!(says.code, "no-study-file" | "not-toml");
        if !reading.diagnostics.iter().any(unread) {
            let says = without_target(&reading.draft, reading.end);
            reading.diagnostics.extend(says);
        }
        return None;
    };
    let draft = std::mem::take(&mut reading.draft);
    let mut says = Vec::new();
    not_of(study, &draft, &mut says);
    says.extend(without_target(&draft, reading.end));
    let built = build(study, &draft, reading.end, &mut says);
    if reading
        .diagnostics
        .iter()
        .any(|said| said.code == "arm-name")
    {
        // One without a name is one too.
        says.retain(|says: &Diagnostic| says.code != "too-few-arms");
    }
    reading.diagnostics.append(&mut says);
    Some(Request {
        study: built?,
        sized: draft.dataset.is_some(),
        least: largest(&draft, Axis::Dataset).unwrap_or(0),
        targets: draft.targets,
        places: draft.places,
        beside: draft.beside,
        switches: std::mem::take(&mut reading.switches),
    })
}

/// That nothing is to be measured, where that is so.
fn without_target(draft: &Draft, end: Span) -> Option<Diagnostic> {
    let own = |arm: &Arm| arm.place.is_some();
    let is_missing =
        draft.targets.is_empty() && (draft.arms.is_empty() || !draft.arms.iter().all(own));
    is_missing.then(|| {
        Diagnostic::error("no-target", "no target given")
            .at(end, "")
            .expected(
                "a directory, files or devices after the study's name, or `target` in its file",
            )
    })
}

/// The study whose options count: what is measured in each arm, where there are arms.
fn inner(study: &'static StudySpec, draft: &Draft) -> &'static StudySpec {
    match study.asks {
        Asks::Arms => draft
            .inner
            .or_else(|| StudySpec::named("depth"))
            .unwrap_or(study),
        _ => study,
    }
}

/// Options that other studies have.
fn not_of(study: &'static StudySpec, draft: &Draft, says: &mut Vec<Diagnostic>) {
    let own = inner(study, draft);
    for (name, at) in &draft.places {
        let Some(option) = OptionSpec::named(name) else {
            continue;
        };
        // Of the options of arms, those of certain studies are of these alone.
        let is_of_outer =
            option.is_of(study) && (own.name == study.name || option.studies.len() <= 1);
        if !is_of_outer && !option.is_of(own) {
            let message = format!("the study {} has no option `{name}`", own.name);
            says.push(
                Diagnostic::error("not-of-this-study", message)
                    .at(*at, "")
                    .hint(format!("it belongs to {}", option.studies.join(", "))),
            );
        }
    }
}

fn build(
    outer: &'static StudySpec,
    draft: &Draft,
    end: Span,
    says: &mut Vec<Diagnostic>,
) -> Option<Study> {
    let spec = inner(outer, draft);
    let needed = match (outer.asks, draft.arms.is_empty()) {
        (Asks::Arms, _) | (_, false) => 2,
        (_, true) => 0,
    };
    if draft.arms.len() < needed {
        let given = match draft.arms.len() {
            1 => "one arm is".to_owned(),
            n => format!("{n} arms are"),
        };
        let message = format!("{given} given, but two are needed");
        let at = draft.place("arm").unwrap_or(end);
        says.push(Diagnostic::error("too-few-arms", message).at(at, "").hint(
            "--arm NAME --prepare COMMAND --undo COMMAND, or --arm NAME --target TARGET, for each",
        ));
    }
    beside_arms(draft, says);
    unused(spec, draft, says);
    let axes = axes(spec, draft, says);
    idle_factors(&axes, draft, says);
    let question = question(spec, draft, end, says)?;
    let quick = draft.quick;
    let time = match (draft.time, quick) {
        (Some(time), _) => time,
        (None, quick) => usual_time(spec, quick),
    };
    let warmup = match (draft.warmup, quick) {
        (Some(warmup), _) => warmup,
        (None, true) => Nanos::from_millis(200),
        (None, false) => Nanos::from_secs(1),
    };
    let usual = if quick { 256 * Bytes::MIB } else { Bytes::GIB };
    let dataset = draft.dataset.unwrap_or(usual);
    // A factor may be larger than what is usual.
    let dataset = match draft.dataset {
        Some(given) => given,
        None => largest(draft, Axis::Dataset).map_or(dataset, |most| most.max(dataset)),
    };
    fits(draft, &axes, dataset, end, says);
    Some(Study {
        question,
        scope: StudyScope {
            place: StudyPlace::Directory(draft.targets.first().cloned().unwrap_or_default()),
            dataset,
            files: draft.files.unwrap_or(1),
            direct: !draft.buffered,
            engine: draft.engine.unwrap_or_default(),
            hosts: 1,
            server_cache: draft.server_cache.unwrap_or_default(),
            // Those are the caller's switches.
            maps: Vec::new(),
        },
        axes,
        timing: Timing {
            time,
            warmup,
            budget: draft.budget,
            narrow: draft.narrow,
        },
        repeats: draft.repeats.unwrap_or(1),
        arms: draft.arms.clone(),
        seed: draft.seed.unwrap_or(0),
        seeded: draft.seed.is_some(),
    })
}

/// A target that nothing would measure: each state has its own.
fn beside_arms(draft: &Draft, says: &mut Vec<Diagnostic>) {
    let all_have_own = !draft.arms.is_empty() && draft.arms.iter().all(|arm| arm.place.is_some());
    if let (true, Some(target)) = (all_have_own, draft.targets.first()) {
        let message = format!("{target} is not measured in any arm: each has its own target");
        let wrong = Diagnostic::error("target-unused", message);
        says.push(
            wrong
                .at(draft.place("arm").unwrap_or_default(), "")
                .hint("omit it, or one --target"),
        );
    }
}

/// The largest value of a factor; `None` = it is none.
fn largest(draft: &Draft, axis: Axis) -> Option<u64> {
    ends(draft, axis).map(|ends| ends[0].max(ends[1]))
}

/// Both values of a factor that is a number; `None` = it is none.
fn ends(draft: &Draft, axis: Axis) -> Option<[u64; 2]> {
    let factor = draft.factors.iter().flatten().find(|f| f.axis == axis)?;
    let [low, high] = &factor.values;
    Some([whole(low.number()?), whole(high.number()?)])
}

/// Whether the set, at its smallest, has a block for each job.
fn fits(draft: &Draft, axes: &Axes, dataset: u64, end: Span, says: &mut Vec<Diagnostic>) {
    let at = draft.place("dataset").or_else(|| draft.place("factors"));
    let at = at.unwrap_or(end);
    let of_lists = axes.blocks.iter().copied().max().unwrap_or(1);
    let block = largest(draft, Axis::Block).unwrap_or(of_lists);
    let of_lists = axes.jobs.iter().copied().max().unwrap_or(1);
    let workers = largest(draft, Axis::Jobs).unwrap_or(u64::from(of_lists));
    let sets = ends(draft, Axis::Dataset);
    let least = sets.map_or(dataset, |ends| ends[0].min(ends[1]));
    if block.saturating_mul(workers) > least {
        let message = format!(
            "the data set of {} is smaller than a block of {} for each of {workers} jobs",
            Bytes(least),
            Bytes(block)
        );
        says.push(Diagnostic::error("small-dataset", message).at(at, ""));
    }
    if let Some(most) = largest(draft, Axis::Dataset).filter(|most| *most > dataset) {
        let message = format!(
            "a factor uses {} of a data set of {}",
            Bytes(most),
            Bytes(dataset)
        );
        says.push(Diagnostic::error("small-dataset", message).at(at, ""));
    }
}

/// Options that a factor replaces.
const VARIED: [(&str, Axis); 8] = [
    ("buffered", Axis::Direct),
    ("engine", Axis::Engine),
    ("files", Axis::Files),
    ("bs", Axis::Block),
    ("rw", Axis::Reads),
    ("order", Axis::Order),
    ("depths", Axis::Depth),
    ("jobs", Axis::Jobs),
];

/// Factors that could change nothing.
fn idle_factors(axes: &Axes, draft: &Draft, says: &mut Vec<Diagnostic>) {
    let has = |axis: Axis| draft.factors.iter().flatten().any(|f| f.axis == axis);
    let is_random = has(Axis::Order) || axes.random.contains(&true);
    let writes = has(Axis::Reads) || axes.reads.iter().any(|reads| *reads < 100);
    let idle = [
        (
            Axis::Skew,
            is_random,
            "only random offsets have a skew",
            "--order random, or order as a factor",
        ),
        (
            Axis::Flush,
            writes,
            "only writes are flushed",
            "--rw write, or rw as a factor",
        ),
    ];
    let at = draft.place("factors").unwrap_or_default();
    for (axis, is_used, why, cure) in idle {
        if has(axis) && !is_used {
            let message = format!("the factor {} has no effect: {why}", axis.name());
            says.push(
                Diagnostic::error("factor-unused", message)
                    .at(at, "")
                    .hint(cure),
            );
        }
    }
    for (option, axis) in VARIED {
        if let (Some(at), true) = (draft.place(option), has(axis)) {
            let message = format!("--{option} does not apply: --factors varies it");
            says.push(Diagnostic::error("option-unused", message).at(at, ""));
        }
    }
}

/// Options that the study would pass over.
fn unused(spec: &StudySpec, draft: &Draft, says: &mut Vec<Diagnostic>) {
    let more_than_one = |option: &&str| match *option {
        "bs" => draft.blocks.as_ref().is_some_and(|list| list.len() > 1),
        "rw" => draft.reads.as_ref().is_some_and(|list| list.len() > 1),
        "order" => draft.random.as_ref().is_some_and(|list| list.len() > 1),
        "depths" => draft.depths.as_ref().is_some_and(|list| list.len() > 1),
        _ => draft.jobs.as_ref().is_some_and(|list| list.len() > 1),
    };
    let is_varied = |option: &str| {
        let of = |varied: &&(&str, Axis)| varied.0 == option;
        let axis = VARIED.iter().find(of).map(|varied| varied.1);
        let mut factors = draft.factors.iter().flatten();
        factors.any(|factor| Some(factor.axis) == axis)
    };
    let given = |option: &&&str| draft.place(option).is_some();
    let (without, because) = spec.without();
    let (options, why): (Vec<&str>, &str) = match spec.asks {
        _ if !without.is_empty() => (without.iter().filter(given).copied().collect(), because),
        Asks::Screen => (
            ["bs", "rw", "order", "depths", "jobs"]
                .into_iter()
                .filter(more_than_one)
                .filter(|option| !is_varied(option))
                .collect(),
            "only factors in --factors vary: give one value",
        ),
        _ => return,
    };
    for option in options {
        let message = format!(
            "--{option} does not apply to the study {}: {why}",
            spec.name
        );
        let at = draft.place(option).unwrap_or_default();
        says.push(Diagnostic::error("option-unused", message).at(at, ""));
    }
}

/// Measured time of a point where none is given.
const fn usual_time(spec: &StudySpec, quick: bool) -> Nanos {
    match (spec.asks, quick) {
        (Asks::Burst, false) => Nanos::from_secs(60),
        (Asks::Burst, true) => Nanos::from_secs(10),
        (Asks::Steady, false) => Nanos::from_secs(10),
        (_, false) => Nanos::from_secs(5),
        (_, true) => Nanos::from_secs(1),
    }
}

/// What is varied.
fn axes(spec: &StudySpec, draft: &Draft, says: &mut Vec<Diagnostic>) -> Axes {
    let usual = &spec.usual;
    let reads = match (spec.asks, &draft.reads) {
        (Asks::Mix, None) => shares(draft.step.unwrap_or(25)),
        (Asks::Mix, Some(reads)) => {
            if let Some(at) = draft.place("step") {
                says.push(
                    Diagnostic::error("step-and-rw", "`step` and `rw` both give the mixes")
                        .at(at, ""),
                );
            }
            reads.clone()
        }
        (_, Some(reads)) => reads.clone(),
        (_, None) => usual.reads.to_vec(),
    };
    let random = match (&draft.random, draft.kind_order) {
        (Some(random), _) => random.clone(),
        (None, Some(random)) => vec![random],
        (None, None) => vec![usual.random],
    };
    Axes {
        blocks: draft
            .blocks
            .clone()
            .unwrap_or_else(|| usual.blocks.to_vec()),
        reads,
        random,
        depths: match (&draft.depths, draft.quick) {
            (Some(depths), _) => depths.clone(),
            (None, true) => fewer(usual.depths),
            (None, false) => usual.depths.to_vec(),
        },
        jobs: draft.jobs.clone().unwrap_or_else(|| usual.jobs.to_vec()),
    }
}

/// Of more than four depths every other one, and the last.
fn fewer(depths: &[u32]) -> Vec<u32> {
    match depths.len() {
        0..=4 => depths.to_vec(),
        n => (depths.iter().enumerate())
            .filter(|(at, _)| at % 2 == 0 || at + 1 == n)
            .map(|(_, depth)| *depth)
            .collect(),
    }
}

/// 100, 75, 50, 25, 0.
fn shares(step: u8) -> Vec<u8> {
    let mut shares: Vec<u8> = (0..=100_u8)
        .rev()
        .step_by(usize::from(step.max(1)))
        .collect();
    if shares.last() != Some(&0) {
        shares.push(0);
    }
    shares
}

/// The question of a study; `None` where a value that it needs is missing or wrong, which was said.
fn question(
    spec: &StudySpec,
    draft: &Draft,
    end: Span,
    says: &mut Vec<Diagnostic>,
) -> Option<Question> {
    if let Some(lacks) = missing(spec.asks, draft) {
        says.extend(lacking(spec, lacks, draft, end));
        return None;
    }
    let arrival = draft.arrival.unwrap_or(Arrival::Poisson);
    let usual_points = || vec![10, 50, 70, 80, 90, 100];
    Some(match spec.asks {
        Asks::Curve => Question::Curve {
            percents: draft.points.clone().unwrap_or_else(usual_points),
            arrival,
        },
        Asks::Limit => Question::Limit {
            target: draft.slo?,
            loss: draft.loss.unwrap_or(0.0),
            arrival,
        },
        Asks::Burst => Question::Burst {
            rest: draft.rest.unwrap_or(Nanos::from_secs(60)),
        },
        Asks::Cache => Question::Cache {
            displace: match draft.server_cache {
                Some(ServerCache::Size(size)) => Some(size.0),
                _ => None,
            },
        },
        Asks::ScaleOut => Question::ScaleOut {
            counts: draft.counts.clone().unwrap_or_default(),
        },
        Asks::NearFar => Question::NearFar {
            groups: distant(draft, says),
        },
        Asks::Combined => Question::Combined {
            free: draft.free.clone().unwrap_or(Class {
                reads: 100,
                random: true,
                rate: None,
                place: None,
            }),
            rated: Class {
                place: draft
                    .rated_target
                    .clone()
                    .map(|t| StudyPlace::Paths(vec![t])),
                ..draft.rated.clone()?
            },
        },
        Asks::Map => Question::Map {
            grid: draft.grid.unwrap_or(6),
            refine: draft.refine.unwrap_or(12),
        },
        Asks::Steady => Question::Steady {
            metric: draft.metric.unwrap_or_default(),
            precondition: draft.precondition.unwrap_or(2.0),
        },
        Asks::Screen => Question::Screen {
            factors: draft.factors.clone()?,
        },
        plain => plain.plain()?,
    })
}

/// That an option is missing; `None` where what was given is wrong, which was said at its place.
fn lacking(
    spec: &StudySpec,
    (option, example): (&str, &str),
    draft: &Draft,
    end: Span,
) -> Option<Diagnostic> {
    if draft.wrong.contains(&option) {
        return None;
    }
    if let ("groups", [only]) = (option, draft.groups.as_slice()) {
        let name = &only.name;
        let message = format!("groups: only one group is given, {name}; two are compared");
        return Some(
            Diagnostic::error("too-few-groups", message)
                .at(draft.place(option).unwrap_or(end), "")
                .hint("name another, for example --groups near=a,b far=c,d"),
        );
    }
    let message = format!("the study {} needs --{option}", spec.name);
    let lacks = Diagnostic::error("option-missing", message).at(end, "");
    let lacks = lacks.hint(format!("for example --{option} {example}"));
    draft.place(option).is_none().then_some(lacks)
}

/// The groups with their distances.
fn distant(draft: &Draft, says: &mut Vec<Diagnostic>) -> Vec<HostGroup> {
    let mut groups = draft.groups.clone();
    for (name, distance) in &draft.distances {
        match groups.iter_mut().find(|group| group.name == *name) {
            Some(group) => group.distance = *distance,
            None => {
                let names: Vec<&str> = draft.groups.iter().map(|g| g.name.as_str()).collect();
                says.push(
                    Diagnostic::error(
                        "no-such-group",
                        format!("distance: there is no group {name}"),
                    )
                    .at(draft.place("distance").unwrap_or_default(), "")
                    .expected(names.join(", ")),
                );
            }
        }
    }
    groups
}

/// An option that a study cannot do without and that was not given, with an example.
fn missing(asks: Asks, draft: &Draft) -> Option<(&'static str, &'static str)> {
    match asks {
        Asks::Limit if draft.slo.is_none() => Some(("slo", "'p99<2ms'")),
        Asks::NearFar if draft.groups.len() < 2 => Some(("groups", "near=a,b far=c,d")),
        Asks::Combined if draft.rated.is_none() => Some(("rated", "randwrite:12800")),
        Asks::Screen if draft.factors.is_none() => Some(("factors", "'bs=4k,64k;jobs=1,8'")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::STUDIES;
    use crate::table::OPTIONS;

    /// The study of a name with what it cannot do without, and these words.
    fn study(spec: &StudySpec, more: &[&str]) -> Study {
        let arms = "--arm a --target sim: --arm b --target sim:";
        let needed = match spec.asks {
            Asks::Limit => "--slo p99<2ms",
            Asks::NearFar => "--groups near=a far=b",
            Asks::Combined => "--rated write:100",
            Asks::Screen => "--factors theta=0,1.2;think=0,1ms",
            Asks::Arms => arms,
            _ => "",
        };
        let target = (spec.asks != Asks::Arms).then_some("dir");
        let words = std::iter::once(spec.name).chain(target);
        let words = words.chain(needed.split_whitespace());
        let words = words.chain(more.iter().copied()).map(str::to_owned);
        let words: Vec<String> = words.collect();
        let parsed = crate::parse(&words, &[], &|path| Err(path.to_owned()));
        let request = parsed.request;
        request
            .unwrap_or_else(|| panic!("{words:?}: {:?}", parsed.diagnostics))
            .study
    }

    /// Defaults that say how a value comes to be.
    const IN_WORDS: [&str; 7] = [
        "",
        "by --step",
        "none",
        "1, 2, 4 and on, and all",
        "120 times --time for the trials",
        "fresh for each run",
        "leadline-DATE-TIME",
    ];

    /// Each default is what a study has without the option, with `--quick` and without: those in words were looked at.
    #[test]
    fn what_is_said_to_hold_without_an_option_does() {
        let mut compared = 0;
        for spec in STUDIES {
            let own = |option: &&OptionSpec| {
                option.is_of(spec) && !spec.without().0.contains(&option.name)
            };
            // In each arm it is another study, whose options are refused where it has none.
            let of = inner(spec, &Draft::default());
            let known = |option: &&OptionSpec| option.name == "study" || option.is_of(of);
            for option in OPTIONS.iter().filter(own).filter(known) {
                let name = format!("--{}", option.name);
                let default = match spec.asks {
                    Asks::Arms if option.name != "study" => option.default_of(of),
                    _ => option.default_of(spec),
                };
                if IN_WORDS.contains(&default) {
                    continue;
                }
                let (plain, quick) = default.split_once(" (").unwrap_or((default, ""));
                let with = |words: &[&str]| study(spec, words);
                assert_eq!(with(&[&name, plain]), with(&[]), "{} {name}", spec.name);
                if let Some(quick) = quick.strip_suffix(" with --quick)") {
                    let given = with(&[&name, quick, "--quick"]);
                    assert_eq!(given, with(&["--quick"]), "{} {name}", spec.name);
                }
                compared += 1;
            }
        }
        assert!(compared > 150, "{compared}");
        assert_eq!(
            shares(25),
            study(StudySpec::named("mix").unwrap(), &[]).axes.reads
        );
    }
}
