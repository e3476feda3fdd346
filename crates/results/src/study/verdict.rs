//! The verdict: what a set of points means, in plain sentences.

use super::before;
use super::bottleneck;
use super::general;
use super::levels::change_within;
use super::limit::{Cause, Limit, is_experiment, limit_of};
use super::mix::{self, MixAnswer};
use super::run_states::{RunStates, curves_of_one_state};
use super::series::{DepthCurve, Rise, depth_curves, mixes};
use super::sound::{failures, usable};
use super::studies::{Answer, shortest_round_trip};
use crate::run::Run;
use crate::stats::Interval;
use crate::summary::Summary;
use crate::summary::measured::PointResult;
use crate::words::{
    bytes_within, in_flight_within, iops_within, rate_known, round_trip_words, span, span_within,
};
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::Op;
use leadline_model::plan::Dialect;
use leadline_model::units::{Nanos, Percent};
use std::collections::BTreeSet;

/// What the points mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Sentences, the most important first. Empty when nothing was measured.
    pub sentences: Vec<String>,
    /// What set the limit of the first depth curve.
    pub limit: Option<Limit>,
    /// The law of the first mix of reads and writes.
    pub mix: Option<MixAnswer>,
    /// Depth at which the first depth curve stops rising; the deepest measured while it has not.
    pub knee_depth: Option<u64>,
    /// N* = `X_max` * R0 of the first depth curve.
    pub useful_concurrency: Option<Interval>,
    /// From N* to the knee.
    pub range: Option<DepthRange>,
}

/// Rate and latency over the depths of the first depth curve, from N* to its knee.
#[derive(Clone, Debug, PartialEq)]
pub struct DepthRange {
    /// N*, I/Os in flight over all workers; fewer cannot reach the rate.
    pub least: Interval,
    /// Mean latency of one I/O that waits for no other, in seconds: that of N* at best.
    pub alone_s: Interval,
    /// The depth to use.
    pub to_use: DepthCost,
    /// The knee; the deepest while the rate still rises.
    pub knee: DepthCost,
}

/// Rate and latency at one depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthCost {
    /// I/Os in flight over all workers.
    pub in_flight: u64,
    /// I/Os a second.
    pub iops: Interval,
    /// The same between stalls, where that is another; `None` elsewhere.
    pub between_stalls: Option<Interval>,
    /// The rate between stalls as a share of the highest, 0 to 1.
    pub share: f64,
    /// Mean latency in seconds.
    pub latency_s: Interval,
}

impl DepthRange {
    fn of(curve: &DepthCurve) -> Option<Self> {
        let cost = |point: &PointResult| {
            let (iops, latency_s) = curve.lasting_within(point);
            DepthCost {
                in_flight: point.in_flight,
                iops,
                between_stalls: curve.between_stalls(point),
                share: curve.share(point),
                latency_s,
            }
        };
        Some(Self {
            least: curve.useful_within()?,
            alone_s: curve.alone?.mean_s,
            to_use: cost(curve.said(curve.to_use())),
            knee: cost(curve.said(curve.headline_point())),
        })
    }
}

/// The provider's limit that the run is nearest to, if its set-up was described.
fn published_limit(run: &Run) -> Option<String> {
    let found = run.findings.iter().find(|f| f.code == "published-limit");
    found.map(|finding| finding.text.clone())
}

/// Most curves of a kind that get a sentence.
const MOST_CURVES: usize = 4;

impl Verdict {
    /// The verdict on a run: problems first, then what its points mean, or what each stage did where
    /// the points do not belong together; with the run's own findings. `answer` is that of a run that is a study.
    #[must_use]
    pub fn of_run(
        run: &Run,
        summary: &Summary,
        points: &[PointResult],
        answer: Option<&Answer>,
    ) -> Self {
        let mut sentences = general::troubles(run, summary);
        if let Some(answer) = answer {
            sentences.extend(answer.sentences.iter().cloned());
            sentences.extend(published_limit(run));
            return Self {
                sentences,
                ..Self::default()
            };
        }
        let mut verdict = Self::of(points, &run.findings);
        if verdict.sentences.is_empty() {
            let curves = super::response::curves(run, summary);
            let shown = curves.len().min(MOST_CURVES);
            sentences.extend(super::response::ResponseCurve::sentences(&curves[..shown]));
            let plan = run.plan.as_ref();
            let prepares = |stage: u32| {
                let planned = plan.and_then(|plan| plan.stages.get(stage as usize));
                planned.is_some_and(general::writes_first)
            };
            // What only writes the data of the others is no result beside them.
            let has_results = summary.stages.iter().any(|s| !prepares(s.stage));
            let is_said = |stage: u32| {
                let is_of_curve = curves.iter().any(|curve| curve.has(stage));
                is_of_curve || has_results && prepares(stage)
            };
            sentences.extend(general::stages(summary, &is_said));
        }
        let is_survey = run.plan.as_ref().map(|plan| plan.source.dialect) == Some(Dialect::Native);
        if !verdict.sentences.is_empty() && !is_survey {
            // A survey's tables have the points that its sentences do not say; a job that a user wrote is said.
            let said = said(points);
            let rest = general::stages(summary, &|stage| said.contains(&stage));
            verdict.sentences.extend(rest);
        }
        let after_latency = verdict.sentences.len().min(1);
        let distance = distance(run, &usable(points, &run.findings));
        let place = after_latency..after_latency;
        verdict.sentences.splice(place, distance);
        sentences.append(&mut verdict.sentences);
        sentences.extend(published_limit(run));
        verdict.sentences = sentences;
        verdict
    }

    /// The verdict over `points` with the trust checks' `findings`. Points on which a check failed are excluded: an
    /// answer that depends on such a point is withheld, others are not.
    #[must_use]
    pub fn of(points: &[PointResult], findings: &[Finding]) -> Self {
        let sound = usable(points, findings);
        let states = RunStates::of(points);
        let curve = depth_curves(points).into_iter().next();
        let curve = curve.map(|curve| states.of_one_level(points, curve));
        let curve = curve.as_ref();
        let found = curve.and_then(|curve| limit_of(points, curve));
        let found = found.map(|limit| limit.unless_unsteady(findings));
        let failed = curve.and_then(|c| failed_of(&rests_on(points, c), findings));
        let mut sentences = Vec::new();
        sentences.extend(latency(&sound));
        let limit = if let Some(failed) = &failed {
            // A failure that names the limit itself stays.
            let is_own = |l: &&Limit| matches!(l.cause(), Some(Cause::Generator | Cause::Host));
            let own = found.as_ref().filter(is_own);
            match own.zip(curve) {
                Some((limit, curve)) => {
                    sentences.extend(bottleneck::words(limit, curve, states.go_back()))
                }
                None => sentences.push(withheld("Bottleneck unknown", failed)),
            }
            own.filter(|l| l.cause() == Some(Cause::Generator)).cloned()
        } else {
            sentences.extend(curve.map(depth));
            sentences.extend(curve.and_then(useful));
            let has_changed = found.as_ref().is_some_and(|limit| limit.change.is_some());
            let again = curve.filter(|_| !has_changed);
            sentences.extend(again.and_then(DepthCurve::second_words));
            let words = found.as_ref().zip(curve);
            let of = |(limit, curve)| bottleneck::words(limit, curve, states.go_back());
            sentences.extend(words.into_iter().flat_map(of));
            found.clone()
        };
        sentences.extend(best_of(&sound, curve, findings));
        // Where the rate changed, that is said, and a second measurement may be of another state.
        if found.as_ref().is_none_or(|limit| limit.change.is_none()) {
            sentences.extend(seconds_of_others(points, findings));
        }
        sentences.extend(throughput(&sound, findings));
        let before = before::of_before(&sound, curve, limit.as_ref());
        let is_said = before.is_some() || found.as_ref().is_some_and(|l| l.change.is_some());
        sentences.extend(before);
        // What no curve shows, of writes or of mixes, is said by the finding.
        let differs = findings.iter().find(|f| f.code == "repeats-differ");
        sentences.extend(differs.filter(|_| !is_said).map(|f| f.text.clone()));
        let shown = curve.filter(|_| failed.is_none());
        // Points of two states follow no law.
        let changed = found.as_ref().is_some_and(|limit| limit.change.is_some())
            || findings.iter().any(|f| f.code == "repeats-differ");
        let spent = found.as_ref().and_then(|limit| limit.credits);
        let since = spent.map(|credits| credits.fell_at);
        let (mix, words) = mix_of(points, findings, (changed, since), &states);
        sentences.extend(words);
        Self {
            sentences,
            limit,
            mix,
            knee_depth: shown.map(|c| c.headline_point().in_flight),
            useful_concurrency: shown.and_then(DepthCurve::useful_within),
            range: shown.and_then(DepthRange::of),
        }
    }
}

/// The stages that sentences about points speak of.
fn said(points: &[PointResult]) -> BTreeSet<u32> {
    let curve = depth_curves(points).into_iter().next();
    let mix = mixes(points).into_iter().next();
    let lone = [Op::Read, Op::Write].map(|op| points.iter().find(|p| alone_of(p) == Some(op)));
    let parts = ["iops", "throughput"];
    let of_part = |p: &&PointResult| {
        let of_curve = curve.as_ref().is_some_and(|c| c.lacks(p));
        of_curve || parts.iter().any(|part| p.name.starts_with(part))
    };
    let drawn = curve.iter().flat_map(|c| &c.points);
    let mixed = mix.iter().flat_map(|m| &m.points);
    let own = lone
        .into_iter()
        .flatten()
        .chain(points.iter().filter(of_part));
    drawn.chain(mixed).chain(own).map(|p| p.stage).collect()
}

/// How many points an answer rests on, on how many of them a check failed, and which checks.
struct Failed<'a> {
    points: usize,
    failed: usize,
    codes: BTreeSet<&'a str>,
}

/// What failed of the points that an answer rests on; `None` where nothing did.
fn failed_of<'a>(points: &[&PointResult], findings: &'a [Finding]) -> Option<Failed<'a>> {
    let is_failed = |p: &&&PointResult| failures(p, findings).next().is_some();
    let codes = points.iter().flat_map(|p| failures(p, findings)).collect();
    let failed = points.iter().filter(is_failed).count();
    (failed > 0).then_some(Failed {
        points: points.len(),
        failed,
        codes,
    })
}

/// The points that the answer on a curve's limit rests on: its own, also those that would be and brought nothing, and the
/// experiments.
fn rests_on<'a>(points: &'a [PointResult], curve: &DepthCurve) -> Vec<&'a PointResult> {
    let alone = curve.alone_point(points).map(|p| p.stage);
    let is_own = |p: &&PointResult| {
        let in_curve = curve.points.iter().any(|own| own.stage == p.stage) || curve.lacks(p);
        in_curve || Some(p.stage) == alone || is_experiment(&p.name)
    };
    points.iter().filter(is_own).collect()
}

/// A sentence that an answer is withheld, and why.
fn withheld(what: &str, failed: &Failed<'_>) -> String {
    let codes: Vec<&str> = failed.codes.iter().copied().collect();
    let some = match (failed.failed, failed.points) {
        (1, 1) => "the one point".to_owned(),
        (some, all) if some == all => format!("all {all} points"),
        (some, all) => format!("{some} of the {all} points"),
    };
    format!(
        "{what}: a check failed on {some} that the answer depends on ({}).",
        codes.join(", ")
    )
}

/// The law of the first mix of reads and writes, and what is said of it: where the rate changed, no law; where credits were
/// spent, those of the mixes that were measured after that, if any was; and where it changed and went back, those of one level.
fn mix_of(
    points: &[PointResult],
    findings: &[Finding],
    (changed, since): (bool, Option<Nanos>),
    states: &RunStates,
) -> (Option<MixAnswer>, Vec<String>) {
    let mut mixes = mixes(points);
    let Some(series) = mixes.first_mut() else {
        return (None, Vec::new());
    };
    let began = |p: &PointResult| p.intervals.iter().find(|p| !p.warmup).map(|p| p.start);
    let end = |p: &PointResult| p.intervals.last().map(|p| Nanos(p.start.0 + p.length.0));
    let is_after = |p: &PointResult| since.is_none_or(|since| began(p) >= Some(since));
    let is_before = |p: &PointResult| since.is_none_or(|since| end(p) <= Some(since));
    let is_mixed =
        |p: &PointResult| !matches!(p.setting.read_percent, Some(Percent::NONE | Percent::ALL));
    let any =
        |is: &dyn Fn(&PointResult) -> bool| series.points.iter().any(|p| is_mixed(p) && is(p));
    let are_before = since.is_some() && !any(&is_after) && any(&is_before);
    if any(&is_after) {
        series.points.retain(is_after);
    } else if any(&is_before) {
        series.points.retain(is_before);
    }
    let all: Vec<&PointResult> = series.points.iter().collect();
    if let Some(failed) = failed_of(&all, findings) {
        return (
            None,
            vec![withheld("Mix of reads and writes unknown", &failed)],
        );
    }
    if states.go_back() && since.is_none() {
        let mixed = series.points.iter().filter(|p| is_mixed(p));
        let mixed: BTreeSet<u32> = mixed.map(|p| p.stage).collect();
        let Some(state) = states.of_all(&mixed) else {
            let text = "Mix of reads and writes unknown: its points were measured while the volume had different \
                        rates.";
            return (None, vec![text.to_owned()]);
        };
        series.points.retain(|p| state.stages.contains(&p.stage));
        let words = mix::sentences(series, None).into_iter();
        let at = |words: String| {
            format!(
                "While the rate was {} IOPS: {words}",
                rate_known(&state.level)
            )
        };
        return (None, words.map(at).collect());
    }
    let answer = (!changed).then(|| mix::answer(series)).flatten();
    let words = mix::sentences(series, answer.as_ref()).into_iter();
    let of_state = |words: String| match are_before {
        true => format!("Before the credits were spent: {words}"),
        false => words,
    };
    (answer, words.map(of_state).collect())
}

/// `At queue depth 1, a 4 KiB random read takes p50 0.21 ms, p99 0.4 ms, mean 0.22 ms; a write p50 0.34 ms ...`
fn latency(points: &[PointResult]) -> Option<String> {
    let one = |op: Op| {
        points.iter().find_map(|p| {
            let counts = p.op(op).filter(|_| alone_of(p) == Some(op))?;
            Some((p, counts.latency_words()))
        })
    };
    let (read, write) = (one(Op::Read), one(Op::Write));
    let first = read.as_ref().or(write.as_ref())?.0;
    let at = match first.in_flight {
        1 => "At queue depth 1".to_owned(),
        all => format!("At queue depth 1 on each host ({all} in flight in all)"),
    };
    let one = |op: Op| first.setting.one_io(op);
    Some(match (read, write) {
        (Some((_, read)), Some((_, write))) => {
            format!("{at}, {} takes {read}; a write {write}.", one(Op::Read))
        }
        (Some((_, text)), None) => format!("{at}, {} takes {text}.", one(Op::Read)),
        (_, of_writes) => {
            let text = of_writes.map_or_else(String::new, |(_, text)| text);
            format!("{at}, {} takes {text}.", one(Op::Write))
        }
    })
}

/// How much of the latency at depth 1 is the round trip to the volume, if the run knows it.
fn distance(run: &Run, points: &[PointResult]) -> Option<String> {
    let trip = shortest_round_trip(run)?;
    let (op, point) = points.iter().find_map(|p| Some((alone_of(p)?, p)))?;
    let what = format!("that {}", op.name());
    round_trip_words(trip, point.mean_latency_s() * 1e9, &what)
}

/// The one operation of a point that has one random I/O in flight, unthrottled.
fn alone_of(point: &PointResult) -> Option<Op> {
    let setting = &point.setting;
    let alone = setting.in_flight == 1 && setting.random && !setting.paced;
    single(point).filter(|_| alone)
}

/// The one operation of a point that has only one.
fn single(point: &PointResult) -> Option<Op> {
    match point.setting.read_percent {
        _ if point.setting.unlike_targets > 0 => None,
        Some(Percent::ALL) => Some(Op::Read),
        Some(Percent::NONE) => Some(Op::Write),
        _ => None,
    }
}

/// Where the rate stops rising, and what more depth costs.
fn depth(curve: &DepthCurve) -> String {
    let knee = curve.said(curve.at_knee());
    let ios = curve.setting.ios_words();
    let (iops, each) = curve.words(knee);
    let at = knee.depth_words();
    let last = curve.said(curve.points.last().unwrap_or(knee));
    if !curve.plateau() {
        let deepest = last.depth_words();
        let step = curve.last_step();
        let rise = match curve.rise() {
            Rise::GoesOn => format!(" and were still rising: the last step {step}"),
            Rise::NotShown => format!(
                "; the last step {step}, but the 95 % intervals of both depths overlap: whether they still rise is \
                 not shown"
            ),
            Rise::Unsure | Rise::Ended => format!(
                "; the last step {step}, and one step does not prove that they have levelled off"
            ),
        };
        return format!(
            "{ios} reach {} at {deepest} ({}){rise}.",
            last.iops_words(),
            last.latency_words(),
        );
    }
    let cost = format!(
        "at {} it is {} with {}",
        last.depth_words(),
        last.latency_words(),
        last.iops_words(),
    );
    format!(
        "{ios} stop rising at {at} with {iops} ({each}); more \
         depth {}: {cost}.",
        curve.beyond_knee_before(&last.depth_words())
    )
}

/// N* in words: fewer cannot reach the rate.
fn least(curve: &DepthCurve) -> Option<String> {
    let n = curve.useful_concurrency()?;
    let alone = curve.alone?;
    let highest = match alone.between_stalls {
        true => format!("{} between the stalls", iops_within(&curve.useful_rate()?)),
        false => curve.confirmed_best().iops_words(),
    };
    let within = curve.useful_within().unwrap_or(Interval::only(n));
    // What a rate limit leaves idle between two I/Os is no number in flight.
    let least = match n {
        _ if curve.alone_may_wait() => format!(
            "{} {highest}; fewer on average may suffice, since latency without waiting for a limit was not measured",
            match alone.in_flight {
                1 => "One I/O in flight reaches".to_owned(),
                all => format!("{all} I/Os in flight, one on each host, reach"),
            }
        ),
        n if n >= 1.05 => format!(
            "At least {} in flight are needed for {highest}",
            in_flight_within(&Interval { value: n, ..within })
        ),
        n if n >= 0.95 => format!("At least one I/O in flight on average is needed for {highest}"),
        _ => format!(
            "The minimum number of I/Os in flight for {highest} is less than one on average"
        ),
    };
    Some(format!(
        "{least} (mean latency {} {}; Little's law)",
        span_within(&alone.mean_s.scaled(1e9)),
        alone.words(),
    ))
}

/// N* in words: the depth needed at least, the depth to use, and what the knee costs beyond that.
fn useful(curve: &DepthCurve) -> Option<String> {
    let needed = match least(curve) {
        Some(needed) => needed,
        None if curve.alone_of_another => format!(
            "How many I/Os must be in flight for {} is not known: one I/O at a time was measured while the volume had \
             another rate",
            curve.confirmed_best().iops_words()
        ),
        None => return None,
    };
    let knee = curve.said(curve.at_knee());
    if !curve.plateau() {
        return Some(format!("{needed}."));
    }
    let used = curve.said(curve.to_use());
    let is_knee = used.setting.depth == knee.setting.depth;
    let reaches = |p: &PointResult| {
        // What is printed as the same rate is all of it.
        let share = (curve.share(p) * 100.0 + 0.05).floor();
        // The latencies of the knee are said before.
        let is_said = p.setting.depth == knee.setting.depth;
        let each = (!is_said).then(|| format!(" ({})", curve.words(p).1));
        let between = match curve.is_between_stalls(p) {
            true => " between stalls",
            false => "",
        };
        format!(
            "{share:.0} % of that rate{between}{}",
            each.unwrap_or_default()
        )
    };
    let more = match is_knee {
        false => format!(", and {} reaches {}", knee.depth_words(), reaches(knee)),
        true => String::new(),
    };
    Some(format!(
        "{needed}. Use {}: it reaches {}{more}.",
        used.depth_words(),
        reaches(used),
    ))
}

/// What second measurements say against the highest rates of the curves that the page draws beside the first, or that there were
/// none; nothing of a curve on whose points a check failed.
fn seconds_of_others(points: &[PointResult], findings: &[Finding]) -> Vec<String> {
    let is_sound = |curve: &&DepthCurve| {
        let own: Vec<&PointResult> = curve.points.iter().collect();
        failed_of(&own, findings).is_none()
    };
    let curves = curves_of_one_state(points);
    let others = curves.iter().take(MOST_CURVES).skip(1).filter(is_sound);
    others.filter_map(DepthCurve::second_words_named).collect()
}

/// Random IOPS at depth, except points that the depth curve already showed.
fn best_of(
    points: &[PointResult],
    curve: Option<&DepthCurve>,
    findings: &[Finding],
) -> Option<String> {
    let in_curve = |p: &PointResult| {
        curve.is_some_and(|c| c.points.iter().any(|other| other.setting == p.setting))
    };
    let shown: Vec<String> = points
        .iter()
        .filter(|p| p.name.starts_with("iops") && !in_curve(p) && p.iops() > 0.0)
        .filter_map(|p| {
            let (op, block) = (single(p)?, p.setting.block_words());
            let (iops, depth) = (p.iops_words(), p.depth_words());
            if let Some(change) = change_within(p) {
                let [before, after] = change.words(1.0, iops_within);
                return Some(format!(
                    "{block} random {op}s at {depth} reach {before} until {} into the run and {after} after that",
                    span(change.at.0 as f64),
                ));
            }
            let each = p.latency_words();
            let bare = bare(p, findings);
            Some(format!(
                "{block} random {op}s reach {iops}{bare} at {depth} ({each})"
            ))
        })
        .collect();
    (!shown.is_empty()).then(|| format!("{}.", shown.join("; ")))
}

/// What to add to a rate that has no interval, where warnings are about it: their codes.
fn bare(point: &PointResult, findings: &[Finding]) -> String {
    let own = findings.iter().filter(|f| f.stage == Some(point.stage));
    let warned = own.filter(|f| f.severity == Severity::Warn);
    let codes: BTreeSet<&str> = warned.map(|f| f.code.as_str()).collect();
    let codes: Vec<&str> = codes.into_iter().collect();
    match point.figures.data.certainty.iops {
        None if !codes.is_empty() => format!(" (no interval: {})", codes.join(", ")),
        _ => String::new(),
    }
}

/// Sequential rates in both units.
fn throughput(points: &[PointResult], findings: &[Finding]) -> Option<String> {
    let shown: Vec<String> = points
        .iter()
        .filter(|p| p.name.starts_with("throughput") && p.bytes_per_s() > 0.0)
        .filter_map(|p| {
            let op = single(p)?;
            let block = p.setting.block_words();
            if let Some(change) = change_within(p) {
                let [before, after] = change.words(p.setting.mean_block, bytes_within);
                return Some(format!(
                    "{block} {op}s {before} until {} into the run and {after} after that",
                    span(change.at.0 as f64),
                ));
            }
            let bare = bare(p, findings);
            Some(format!("{block} {op}s {}{bare}", p.bytes_words()))
        })
        .collect();
    (!shown.is_empty()).then(|| format!("Sequential throughput: {}.", shown.join(", ")))
}
