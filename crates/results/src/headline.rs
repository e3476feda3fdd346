//! A run in a few words and figures, for lists: kept in the run file, so that a list need not read its intervals.
//!
//! Belongs here: what is kept. Must never: compare runs.

use crate::run::Run;
use crate::study::studies::{DRAIN, NEW_OFFSETS};
use crate::study::{Replaced, fallen_to};
use crate::summary::measured::Setting;
use crate::summary::{StageSummary, Summary, planned, summarize, target_name};
use crate::trust::grade::Grades;
use crate::words::{about, mib_per_s, rate_asked};
use crate::work::{INTERVAL, PAUSE, Property, PropertyValue, RUN_TIME, WARM_UP, of_plan, rest};
use leadline_model::facts::FactKey;
use leadline_model::op::Op;
use leadline_model::plan::study::{Axis, Coordinate};
use leadline_model::plan::{FileSet, Plan, Rate, SimTarget, Stage, Target, Workload};
use leadline_model::seed::number_of;
use leadline_model::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Points that are kept of a run: those with the highest rates.
const MOST_POINTS: usize = 64;
/// The kinds of the points that stand for the volume in studies that have them: those that spend its credits, and those that no
/// cache answers.
const OF_THE_VOLUME: [&str; 2] = [DRAIN, NEW_OFFSETS];
/// Names in a list before the rest becomes a number.
const MOST_NAMES: usize = 3;

/// A run in a few words.
#[derive(Clone, Debug, PartialEq)]
pub struct Headline {
    /// The letter of its grade.
    pub grade: char,
    /// Rate, throughput and p99 of the first stage within a twentieth of the fastest, without fills, measurements that
    /// another one has replaced, those of before the rate changed and those that credits paid for; empty when nothing was
    /// measured.
    pub figures: String,
    /// The figures themselves.
    pub points: KeptPoints,
}

/// What a run measured, in short.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptPoints {
    /// What its hosts call themselves; empty = not known.
    pub hosts: String,
    /// Its points in order: stages that are measured for their figures.
    pub points: Vec<KeptPoint>,
}

/// What one stage of a run measured, all workloads together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptPoint {
    /// What the stage is called among those of its run.
    pub stage: String,
    /// What was done: `4 KiB random read, depth 32`.
    pub work: String,
    /// What it was done to.
    pub targets: String,
    /// A number for all its other settings: equal where they are.
    pub settings: u64,
    /// I/Os a second; of a rate that fell within the stage, the lower one.
    pub iops: f64,
    /// Bytes a second, likewise.
    pub bytes_per_s: f64,
    /// Median response latency; `None` = of too few samples, or the rate fell.
    pub p50_ns: Option<u64>,
    /// 99 % of the response latencies are within it; `None` = of too few samples, or the rate fell.
    pub p99_ns: Option<u64>,
}

impl Headline {
    /// Those of a run.
    #[must_use]
    pub fn of(run: &Run) -> Self {
        let summary = summarize(run);
        let replaced = Replaced::of(run, &summary);
        let points = results(run, &summary.stages, &replaced);
        let levels = Levels::of(run, &summary);
        let fastest = fastest(run, &points, (&replaced, &levels));
        let figures = fastest.map(|stage| {
            let f = &stage.figures;
            let of = |op: Op| f.op(op).map_or(0, |o| o.ios);
            let kind = match (of(Op::Read), of(Op::Write)) {
                (0, 0) => "",
                (_, 0) => "read ",
                (0, _) => "write ",
                _ => "mixed ",
            };
            let p99 = levels.latency(stage, 99.0);
            let p99 = p99.map_or_else(String::new, |p99| format!(", p99 {p99}"));
            let rate = about(levels.iops(stage));
            format!(
                "{rate} {kind}IOPS, {} MiB/s{p99}",
                mib_per_s(levels.bytes_per_s(stage))
            )
        });
        Self {
            grade: Grades::of_run(run).run.letter,
            figures: figures.unwrap_or_default(),
            points: KeptPoints {
                hosts: hosts(run),
                points: kept(run, (&summary.stages, &points), (&replaced, &levels)),
            },
        }
    }
}

/// The rates of stages: of one whose rate fell within it, as credits that are spent make it, the lower one, since the mean over
/// both is a rate that the volume never had. Its latencies are those of both, so that it has none here.
struct Levels {
    /// The lower rate of each such stage, I/Os a second.
    lower: BTreeMap<u32, f64>,
}

impl Levels {
    fn of(run: &Run, summary: &Summary) -> Self {
        let points = summary.points(run);
        let each = points.iter().filter_map(|p| Some((p.stage, fallen_to(p)?)));
        Self {
            lower: each.collect(),
        }
    }

    fn iops(&self, stage: &StageSummary) -> f64 {
        let mean = stage.figures.data.iops;
        self.lower.get(&stage.stage).copied().unwrap_or(mean)
    }

    fn bytes_per_s(&self, stage: &StageSummary) -> f64 {
        let data = &stage.figures.data;
        match data.iops > 0.0 {
            true => data.bytes_per_s * self.iops(stage) / data.iops,
            false => data.bytes_per_s,
        }
    }

    fn latency(&self, stage: &StageSummary, percent: f64) -> Option<Nanos> {
        let fell = self.lower.contains_key(&stage.stage);
        let found = stage.figures.data.response_at(percent).filter(|_| !fell);
        found.and_then(|p| p.shown())
    }
}

/// Whether a stage stands for the volume among those of a study that spends credits or warms caches.
fn is_of_the_volume(stage: Option<&Stage>) -> bool {
    let point = stage.and_then(|stage| stage.point.as_ref());
    let kind = point.and_then(|point| point.at.get(&Axis::Kind));
    let is_it = |kind: &Coordinate| matches!(kind, Coordinate::Text(kind) if OF_THE_VOLUME.contains(&kind.as_str()));
    kind.is_some_and(is_it)
}

/// What the hosts of a run call themselves, by the plan's list where it has one.
fn hosts(run: &Run) -> String {
    let planned = run.plan.as_ref().map_or(&[][..], |plan| &plan.hosts);
    if !planned.is_empty() {
        return several(planned.iter().map(|host| host.label.clone()));
    }
    let name = run.facts.iter().find(|f| f.key() == FactKey::HOST_NAME);
    let name = name.and_then(|fact| fact.value.text());
    name.unwrap_or_default().to_owned()
}

/// The stages that are measured for their figures and did I/O, each point once; where there are none, all that did.
fn results<'s>(
    run: &Run,
    stages: &'s [StageSummary],
    replaced: &Replaced,
) -> Vec<&'s StageSummary> {
    let did = || stages.iter().filter(|s| s.figures.data.ios > 0);
    let measured = did().filter(|s| replaced.is_figure(s.stage, planned(run, s.stage)));
    let mut measured: Vec<&StageSummary> = measured.collect();
    // A second measurement stands where the first one did.
    measured.sort_by_key(|s| replaced.first_of(s.stage).unwrap_or(s.stage));
    match measured.is_empty() {
        true => did().collect(),
        false => measured,
    }
}

/// The first stage within a twentieth of the fastest: of several at one limit it is the same in each run. Where highest rates
/// were measured once more the fastest is one of these, as another above them may be so by chance; and what was measured
/// before the rate of the volume changed, or while it did, or paid with credits that came back, counts where there is nothing
/// else. Of a study of credits the points
/// that spend them count, and of one of caches those that none answers.
fn fastest<'s>(
    run: &Run,
    points: &[&'s StageSummary],
    (replaced, levels): (&Replaced, &Levels),
) -> Option<&'s StageSummary> {
    let is_of_two = |stage: &StageSummary| {
        let mut own = run.findings.iter().filter(|f| f.stage == Some(stage.stage));
        own.any(|found| found.code == "level-shift")
    };
    let rate = |stage: &&StageSummary| levels.iops(stage);
    let since = points
        .iter()
        .filter(|s| replaced.is_since(s.stage) && !is_of_two(s));
    let mut since: Vec<&StageSummary> = since.copied().collect();
    if since.is_empty() {
        since = points.to_vec();
    }
    let own = points.iter().copied();
    let own = own.filter(|s| is_of_the_volume(planned(run, s.stage)));
    let own: Vec<&StageSummary> = own.collect();
    if !own.is_empty() {
        since = own;
    }
    let again = since
        .iter()
        .filter(|s| replaced.first_of(s.stage).is_some());
    let again = again.map(rate).reduce(f64::max);
    let most = again.unwrap_or_else(|| since.iter().map(rate).fold(0.0, f64::max));
    let near = 0.95 * most..=most / 0.95;
    since.into_iter().find(|stage| near.contains(&rate(stage)))
}

/// What is kept of the points: a second measurement under the name of the first, and nothing of before the rate changed or of
/// what credits paid for where there is something else.
fn kept(
    run: &Run,
    (all, points): (&[StageSummary], &[&StageSummary]),
    (replaced, levels): (&Replaced, &Levels),
) -> Vec<KeptPoint> {
    let label = |stage: &StageSummary| {
        let first = replaced.first_of(stage.stage);
        let first = first.and_then(|first| all.iter().find(|s| s.stage == first));
        first.unwrap_or(stage).label.clone()
    };
    let is_since = |stage: &&StageSummary| replaced.is_since(stage.stage);
    let all_are_before = !points.iter().any(is_since);
    let each = points.iter().filter(|s| all_are_before || is_since(s));
    let each = each.map(|stage| KeptPoint {
        stage: label(stage),
        ..point(run, stage, levels)
    });
    let mut points: Vec<KeptPoint> = each.collect();
    points.retain(|p| p.iops.is_finite() && p.bytes_per_s.is_finite());
    if points.len() > MOST_POINTS {
        let mut rates: Vec<f64> = points.iter().map(|p| p.iops).collect();
        rates.sort_by(|a, b| b.total_cmp(a));
        points.retain(|p| p.iops >= rates[MOST_POINTS - 1]);
        points.truncate(MOST_POINTS);
    }
    points
}

fn point(run: &Run, stage: &StageSummary, levels: &Levels) -> KeptPoint {
    let plan = planned(run, stage.stage);
    let workloads = plan.map_or(&[][..], |plan| &plan.workloads);
    let at = |percent| levels.latency(stage, percent);
    let settings = workloads.iter().map(work);
    let asked = asked(stage);
    KeptPoint {
        stage: stage.label.clone(),
        work: format!("{}{asked}", several(settings)),
        targets: several(workloads.iter().flat_map(targets)),
        settings: run.plan.as_ref().zip(plan).map_or(0, settings_of),
        iops: levels.iops(stage),
        bytes_per_s: levels.bytes_per_s(stage),
        p50_ns: at(50.0).map(|Nanos(ns)| ns),
        p99_ns: at(99.0).map(|Nanos(ns)| ns),
    }
}

/// The rates that a stage was asked for, those of all workloads together: `, at 1,000 IOPS`, or nothing.
fn asked(stage: &StageSummary) -> String {
    let (mut iops, mut bytes) = (0.0, 0.0);
    for rate in stage.workloads.iter().flat_map(|w| &w.rates) {
        match rate.asked {
            Rate::Iops(n) => iops += n,
            Rate::Bytes(n) => bytes += n as f64,
        }
    }
    // Of a rate that changes the mean depends on the time that it was measured for: its last digits mark no other work.
    let words = |rate: f64| match (rate * 1000.0).fract() == 0.0 {
        true => rate_asked(rate),
        false => about(rate),
    };
    let ios = (iops > 0.0).then(|| format!("{} IOPS", words(iops)));
    let mib = (bytes > 0.0).then(|| format!("{} MiB/s", words(bytes / Bytes::MIB as f64)));
    let each: Vec<String> = ios.into_iter().chain(mib).collect();
    match each.is_empty() {
        true => String::new(),
        false => format!(", at {}", each.join(" and ")),
    }
}

/// A number for every setting of a stage but its times: runs that differ in any of them do not share a history.
fn settings_of((whole, stage): (&Plan, &Stage)) -> u64 {
    const TIMES: [&str; 4] = [RUN_TIME, WARM_UP, INTERVAL, PAUSE];
    let mut text = String::new();
    for workload in &stage.workloads {
        text += workload.engine.kind.name();
        for (name, value) in rest(whole, stage, workload) {
            if !TIMES.contains(&name.as_str()) {
                text += &format!("\n{name}={value}");
            }
        }
        text.push('\n');
    }
    number_of(text.as_bytes())
}

/// What a workload does.
fn work(workload: &Workload) -> String {
    let setting = Setting::of(workload);
    let rest = rest_of_work(workload, setting.unlike_targets > 0);
    setting.words() + &rest
}

/// What the setting does not say of the work, each after a comma: runs that differ in it do not share a history. Of targets
/// that are unlike only what is the workload's own.
fn rest_of_work(workload: &Workload, are_unlike: bool) -> String {
    let mut all = of_plan(workload);
    if are_unlike {
        all.retain(|key, _| !matches!(key, Property::Order | Property::Size | Property::Direct));
    }
    let known = |key: Property| all.get(&key).map(ToString::to_string);
    let order = known(Property::Order).and_then(|order| {
        let (_, more) = order.split_once(", ")?;
        Some(more.to_owned())
    });
    let buffered = (all.get(&Property::Direct) == Some(&PropertyValue::Flag(false)))
        .then(|| "through the page cache".to_owned());
    let words = [
        order,
        known(Property::Size),
        buffered,
        known(Property::Sync),
        known(Property::Think).map(|pause| format!("pauses of {pause}")),
        known(Property::Arrivals).filter(|of| of != "at equal intervals"),
    ];
    let each = words.into_iter().flatten();
    each.map(|word| format!(", {word}")).collect()
}

/// What a workload does I/O to, as a user names it.
fn targets(workload: &Workload) -> Vec<String> {
    if workload.target_name.is_some() {
        return vec![target_name(workload)];
    }
    match &workload.blocks().target {
        Target::Paths(paths) if !paths.is_empty() => paths.clone(),
        Target::Files(set) => of_files(set),
        Target::Simulated(target) => of_simulated(target),
        Target::Paths(_) | Target::Null { size: _ } => vec![target_name(workload)],
    }
}

/// The directories of files, or the pattern of their names where these are in the current one.
fn of_files(set: &FileSet) -> Vec<String> {
    let FileSet {
        directories,
        pattern,
        // How the work is laid out, not where.
        count: _,
        name_may_be_device: _,
    } = set;
    match directories.is_empty() {
        true => vec![pattern.clone()],
        false => directories.clone(),
    }
}

/// A simulated volume by its name, by the files that it stands in for, or by its law.
fn of_simulated(target: &SimTarget) -> Vec<String> {
    let SimTarget {
        volume,
        files,
        law,
        // `work` has the size; whose the files are does not change what they are called.
        size: _,
        own_files: _,
    } = target;
    if !volume.name.is_empty() {
        return vec![format!("sim:name={}", volume.name)];
    }
    // A file that a simulated volume stands in for, whatever its law: a run of another law is one of the same volume.
    if is_in_place(files) {
        let each = files.iter();
        return each.map(|file| format!("simulated {file}")).collect();
    }
    vec![format!("sim:{law}")]
}

/// Whether these are paths for which a simulated volume stands in.
fn is_in_place(files: &[String]) -> bool {
    !files.is_empty() && files.iter().all(|file| file.starts_with('/'))
}

/// Names in order, each once, the rest as a number.
fn several(names: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    let more = all.len().saturating_sub(MOST_NAMES);
    all.truncate(MOST_NAMES);
    let named = all.join("; ");
    match more {
        0 => named,
        n => format!("{named} and {n} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::words::whole;
    use leadline_model::finding::{Finding, Severity};
    use leadline_model::op::PerOp;
    use leadline_model::plan::study::{Coordinates, Role};
    use leadline_model::plan::{Amount, Arrival, OpMix, Pace, StudyPoint};

    #[test]
    fn a_run_in_a_few_words() {
        let run = fixture::run();
        let headline = Headline::of(&run);
        assert!(
            headline.figures.contains("IOPS, ") && headline.figures.contains(" MiB/s"),
            "{headline:?}"
        );
        assert!("ABCF".contains(headline.grade), "{headline:?}");
        let none = Headline::of(&Run::default());
        assert_eq!((none.grade, none.figures.as_str()), ('-', ""));
        assert_eq!(none.points, KeptPoints::default());
    }

    /// Of points at one limit the first is named, in whichever of them the run that confirms it is; and one above that run may
    /// be so by chance.
    #[test]
    fn the_figure_of_a_study_is_that_of_its_second_measurement() {
        let of = |rates: [u64; 4], best: u32| {
            let depths = [1, 8, 16, best];
            let each = depths.map(|d| fixture::workload("w", OpMix::reads(), 4096, d, 10));
            let mut plan = fixture::plan(each.map(|w| ("p", vec![w])).into());
            for ((stage, depth), number) in plan.stages.iter_mut().zip(depths).zip(0..) {
                stage.name = format!("p{number}");
                let mut at =
                    Coordinates::from([(Axis::Depth, Coordinate::Number(f64::from(depth)))]);
                let mut role = Role::Point;
                if number == 3 {
                    at.insert(Axis::Try, Coordinate::Number(2.0));
                    role = Role::Confirmation;
                }
                stage.point = Some(StudyPoint { role, at });
            }
            let loads =
                rates.map(|ios| vec![fixture::Load::simple(Op::Read, ios, 4096, 100_000, 10)]);
            let run = fixture::run_of(&fixture::events_of(plan, &loads));
            Headline::of(&run)
        };
        let rates = |of: &Headline| -> Vec<(String, u64)> {
            let each = of.points.points.iter();
            each.map(|p| (p.stage.clone(), whole(p.iops))).collect()
        };
        // The best is the second, or the third; another has more by chance.
        let second = of([1000, 5000, 5010, 4990], 8);
        let named =
            |all: [(&str, u64); 3]| all.map(|(name, iops)| (name.to_owned(), iops)).to_vec();
        assert_eq!(
            rates(&second),
            named([("p0", 1000), ("p1", 4990), ("p2", 5010)])
        );
        assert!(second.figures.starts_with("4,990 read IOPS"), "{second:?}");
        let third = of([1000, 5000, 5010, 4990], 16);
        assert!(third.figures.starts_with("5,000 read IOPS"), "{third:?}");
        // The best did not repeat: no other that was measured once is named instead.
        let fell = of([1000, 5000, 5010, 4000], 16);
        assert!(fell.figures.starts_with("4,000 read IOPS"), "{fell:?}");
    }

    /// The mean over two levels is a rate that the volume never had.
    #[test]
    fn a_stage_of_two_levels_is_no_figure_where_there_is_another() {
        let mut run = fixture::run();
        let stages = |run: &Run| {
            let each = Headline::of(run).points.points.into_iter();
            each.map(|p| (p.stage, p.iops)).collect::<Vec<_>>()
        };
        let known = stages(&run);
        let (fastest, _) = known
            .iter()
            .enumerate()
            .fold(
                (0, 0.0),
                |best, (at, (_, iops))| {
                    if *iops > best.1 { (at, *iops) } else { best }
                },
            );
        let before = Headline::of(&run).figures;
        run.findings.push(Finding {
            code: "level-shift".to_owned(),
            severity: Severity::Warn,
            stage: u32::try_from(fastest).ok(),
            workload: None,
            text: String::new(),
            cure: leadline_model::cure::Cure::none(),
        });
        let after = Headline::of(&run).figures;
        assert_ne!(after, before);
        assert!(!after.is_empty());
        // All points are still kept.
        assert_eq!(stages(&run), known);
    }

    /// 3,000 a second for half of the time, then 2,000: 2,500 on average.
    #[test]
    fn a_stage_whose_rate_fell_has_the_lower_one() {
        let own = fixture::workload("w", OpMix::reads(), 4096, 8, 60);
        let mut plan = fixture::plan(vec![("s", vec![own])]);
        plan.stages[0].point = Some(StudyPoint {
            role: Role::Point,
            at: Coordinates::from([(Axis::Kind, Coordinate::Text(DRAIN.to_owned()))]),
        });
        let load = fixture::Load::simple(Op::Read, 3000, 4096, 200_000, 60);
        let mut run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
        for sample in run.stages[0].samples.iter_mut().skip(30) {
            sample.counts.op_mut(Op::Read).ios = 2000;
        }
        let found = Headline::of(&run);
        assert!(
            found.figures.starts_with("2,000 read IOPS, 7.8"),
            "{found:?}"
        );
        assert!(!found.figures.contains("p99"), "{found:?}");
        let point = &found.points.points[0];
        assert_eq!(whole(point.iops), 2000);
        assert_eq!((point.p50_ns, point.p99_ns), (None, None));
    }

    #[test]
    fn a_study_of_caches_has_the_rate_of_what_none_answers() {
        let own = fixture::workload("w", OpMix::reads(), 4096, 8, 10);
        let names = [
            "direct, same offsets",
            NEW_OFFSETS,
            "direct, after other data",
        ];
        let mut plan = fixture::plan(names.map(|name| (name, vec![own.clone()])).to_vec());
        for (stage, name) in plan.stages.iter_mut().zip(names) {
            stage.point = Some(StudyPoint {
                role: Role::Point,
                at: Coordinates::from([(Axis::Kind, Coordinate::Text(name.to_owned()))]),
            });
        }
        let loads = [90_000, 3000, 2000]
            .map(|iops| vec![fixture::Load::simple(Op::Read, iops, 4096, 200_000, 10)]);
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        let found = Headline::of(&run).figures;
        assert!(found.starts_with("3,000 read IOPS"), "{found}");
    }

    /// A fill that is faster than all that was measured is no figure of the run, and of stages at one limit the first is.
    #[test]
    fn a_fill_is_no_figure_and_of_equals_the_first_is() {
        let mut run = fixture::run();
        let before = Headline::of(&run).points.points;
        let names: Vec<String> = before.iter().map(|point| point.stage.clone()).collect();
        let fastest = before
            .iter()
            .max_by(|a, b| a.iops.total_cmp(&b.iops))
            .expect("a point");
        let at = names.iter().position(|name| *name == fastest.stage);
        let plan = run.plan.as_mut().expect("a plan");
        plan.stages[at.expect("it")].point = Some(StudyPoint {
            role: Role::Fill,
            at: Coordinates::default(),
        });
        let after = Headline::of(&run);
        assert_eq!(after.points.points.len(), names.len() - 1);
        let rate = about(fastest.iops);
        assert!(!after.figures.starts_with(&rate), "{after:?}");
    }

    #[test]
    fn what_is_measured_depends_on_every_setting_but_times_and_seeds() {
        let before = Headline::of(&fixture::run()).points.points;
        let after = |change: &dyn Fn(&mut Workload)| {
            let mut run = fixture::run();
            let stages = &mut run.plan.as_mut().expect("a plan").stages;
            stages
                .iter_mut()
                .flat_map(|s| &mut s.workloads)
                .for_each(change);
            Headline::of(&run).points.points
        };
        let is_same = |change: &dyn Fn(&mut Workload)| {
            let after = after(change);
            let mut pairs = before.iter().zip(&after);
            pairs.all(|(a, b)| a.settings == b.settings && a.work == b.work)
        };
        assert!(is_same(&|w| w.blocks_mut().access.seed = Some(99)));
        assert!(is_same(&|w| w.stop.warmup = Nanos::from_secs(9)));
        assert!(!is_same(&|w| w.engine.batch_wait = Some(8)));
        assert!(!is_same(
            &|w| w.engine.kind = leadline_model::plan::EngineKind::Mmap
        ));
        assert!(!is_same(
            &|w| w.blocks_mut().payload.compress_percent = leadline_model::units::Percent::ALL
        ));
    }

    /// Each point has what the summary says of its stage.
    #[test]
    fn a_point_has_the_figures_of_its_stage() {
        let run = fixture::run();
        let (points, summary) = (Headline::of(&run).points, summarize(&run));
        assert_eq!(points.hosts, "pelican");
        let stages = summary.stages.iter().filter(|s| s.figures.data.ios > 0);
        for (point, stage) in points.points.iter().zip(stages) {
            assert_eq!(point.stage, stage.label);
            assert_eq!(whole(point.iops), whole(stage.figures.data.iops));
            assert!(point.p50_ns <= point.p99_ns, "{point:?}");
            assert!(
                !point.work.is_empty() && !point.targets.is_empty(),
                "{point:?}"
            );
        }
        let first = &points.points[0];
        assert!(first.work.contains(" KiB "), "{first:?}");
    }

    /// A rate has its unit, and those of one unit are added up.
    #[test]
    fn a_rate_that_was_asked_for_has_its_unit() {
        let of = |read: Option<Rate>, write: Option<Rate>| {
            let mut run = fixture::run();
            let stage = &mut run.plan.as_mut().expect("a plan").stages[0];
            let workload = &mut stage.workloads[0];
            workload.blocks_mut().mix = OpMix::mixed(50);
            if read.or(write).is_some() {
                let trim = None;
                workload.pace = Pace::Open {
                    rates: PerOp { read, write, trim },
                    arrival: Arrival::default(),
                    together: None,
                    schedule: Vec::new(),
                };
            }
            asked(&summarize(&run).stages[0])
        };
        let iops = |n: f64| Some(Rate::Iops(n));
        let bytes = Some(Rate::Bytes(8 << 20));
        assert_eq!(of(None, None), "");
        assert_eq!(of(iops(600.0), iops(400.0)), ", at 1,000 IOPS");
        assert_eq!(of(bytes, None), ", at 8 MiB/s");
        assert_eq!(of(bytes, iops(600.0)), ", at 600 IOPS and 8 MiB/s");
    }

    /// What `compare` calls other work is another history.
    #[test]
    fn what_a_setting_does_not_say_is_in_the_work() {
        let work = |change: &dyn Fn(&mut Workload)| {
            let mut workload = fixture::workload("w", OpMix::mixed(50), 4096, 8, 5);
            change(&mut workload);
            rest_of_work(&workload, false)
        };
        let plain = work(&|_| {});
        let flushed = work(&|w| w.blocks_mut().sync.fsync_every = 1);
        assert_eq!(flushed, format!("{plain}, fsync after each write"));
        let sized = work(&|w| w.blocks_mut().region.size = Some(Amount::Bytes(1 << 20)));
        assert!(sized != plain && sized.contains(", 1 MiB"), "{sized}");
        let buffered = |direct| work(&move |w| w.blocks_mut().open.direct = direct);
        assert!(buffered(false).contains(", through the page cache"));
        assert!(!buffered(true).contains("cache"));
        // Targets that are unlike may differ in it.
        let mut unlike = fixture::workload("w", OpMix::mixed(50), 4096, 8, 5);
        unlike.blocks_mut().open.direct = false;
        unlike.blocks_mut().region.size = Some(Amount::Bytes(1 << 20));
        assert_eq!(rest_of_work(&unlike, true), "");
    }

    /// `--map /mnt/volume=sim:...` of two laws is one volume at two times.
    #[test]
    fn a_path_with_a_simulated_volume_in_its_place_is_called_by_its_path() {
        let of = |files: &[&str], law: &str| {
            let mut workload = fixture::workload("w", OpMix::reads(), 4096, 1, 1);
            let target = SimTarget {
                files: files.iter().map(ToString::to_string).collect(),
                law: law.to_owned(),
                ..SimTarget::default()
            };
            workload.blocks_mut().target = Target::Simulated(Box::new(target));
            targets(&workload)
        };
        let volume = ["simulated /mnt/volume/f"];
        assert_eq!(of(&["/mnt/volume/f"], "service=1ms"), volume);
        assert_eq!(of(&["/mnt/volume/f"], "service=2ms"), volume);
        assert_eq!(of(&[], "service=1ms"), ["sim:service=1ms"]);
        assert_eq!(of(&["f.0"], "service=1ms"), ["sim:service=1ms"]);
    }

    #[test]
    fn names_are_there_once_and_too_many_are_a_number() {
        let of = |names: &[&str]| several(names.iter().map(ToString::to_string));
        assert_eq!(of(&["a", "b", "a"]), "a; b");
        assert_eq!(of(&["a", "b", "c", "d", "e", "a"]), "a; b; c and 2 more");
    }
}
