//! Causes of a limit, and which of them a curve shows by itself.

use super::credits::Credits;
use super::{Deciding, SUSTAINED, is_made_again, last_round};
use crate::stats::Interval;
use crate::stats::mixture::Mixture;
use crate::study::is_confirmation;
use crate::study::levels::fall_within;
use crate::study::series::{DepthCurve, FREE, Rise};
use crate::summary::measured::PointResult;
use crate::summary::processors::FULL;
use crate::words::iops_within;
use leadline_model::finding::Finding;
use leadline_model::units::Nanos;

/// A smaller share of hits is none: no kind of latency has less.
pub(super) const FEWEST_HITS: f64 = 0.02;
/// A worker that is busier than this is itself the limit.
const BUSY: f64 = 0.9;
/// Latency over that of the smallest load, above which a point is mostly waiting.
const STRETCHED: f64 = 1.5;

/// What can set the highest rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A worker's processor: the target can do more than was asked of it.
    Generator,
    /// The host's processors, by a worker or by others.
    Host,
    /// Nothing up to the largest depth: latency times concurrency.
    Concurrency,
    /// An IOPS cap: a quota, or one stage that serves I/Os serially.
    IopsCap,
    /// A bandwidth cap.
    ByteCap,
    /// The bandwidth of one connection.
    Flow,
    /// Internal parallelism: how many I/Os the target processes at once.
    Parallelism,
    /// Slots: how many I/Os may be outstanding on the path to the target.
    Slots,
    /// Some I/Os were served from a cache: the rate depends on the hit ratio.
    Cache,
    /// A limit per host: its network, its connections, a quota for each client.
    Client,
}

impl Cause {
    /// Its name in the JSON form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generator => "generator",
            Self::Host => "host",
            Self::Concurrency => "concurrency",
            Self::IopsCap => "iops-cap",
            Self::ByteCap => "byte-cap",
            Self::Flow => "flow",
            Self::Parallelism => "parallelism",
            Self::Slots => "slots",
            Self::Cache => "cache",
            Self::Client => "client",
        }
    }
}

/// How certain an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Several causes fit everything that was measured, or the experiments contradict one another.
    Unknown,
    /// The measurements point to it, and no experiment excluded the others.
    Likely,
    /// An experiment separated it from every other cause.
    Shown,
}

impl Certainty {
    /// Its name in the JSON form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Likely => "likely",
            Self::Shown => "shown",
        }
    }
}

/// What set the highest rate of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The causes that nothing measured has contradicted, in order of their names' definition.
    pub possible: Vec<Cause>,
    /// Every cause was contradicted by something that was measured: one of the experiments shows something else, and all
    /// causes remain.
    pub contradictory: bool,
    /// Of several possible causes, the one that the experiments point to: with another of them it would give nearly the
    /// same outcomes, within the error of each experiment. `None` where there is one, or none is ahead.
    pub leading: Option<Cause>,
    /// How certain the answer is.
    pub certainty: Certainty,
    /// Of a named cause, the other that is hardest to exclude: what fewest experiments contradict, and of these the one
    /// whose prediction of the other block size is nearest; of a cap that may be one stage, that.
    pub second: Option<Cause>,
    /// The bandwidth cap at larger blocks, where the limit at the curve's block size is another.
    pub beyond: Option<Beyond>,
    /// The experiment that would decide, where several causes remain or the cause is not shown, and the volume has room for
    /// it.
    pub decides: Option<Deciding>,
    /// A larger set would decide, and the target has no room for one.
    pub lacks_room: bool,
    /// Bursts passed one after another, as they pass a cap and one stage that takes as long for each.
    pub one_by_one: bool,
    /// Bursts are neither those of a cap of this rate alone nor those of a number at once alone: both are, within a few
    /// percent.
    pub close: bool,
    /// The other block size that was done at the rate, or the throughput, that the cause gives it; `None` where none was.
    pub other_block: Option<u64>,
    /// Reads were faster than the writes of the same data, as hits of a cache are.
    pub reads_outrun_writes: bool,
    /// The rate, I/Os a second: that of the confirming run where there is one.
    pub iops: f64,
    /// Its 95 % interval; `None` where the time series is too short.
    pub interval: Option<Interval>,
    /// How long the rate was observed without a break; zero if no run confirmed it.
    pub held: Nanos,
    /// The stage of the run that confirmed it; `None` where none did.
    pub held_in: Option<u32>,
    /// A finding says that the rate changed its level, or fell or rose steadily, in that stage: its code.
    pub unsteady: Option<String>,
    /// Names of the stages that show it.
    pub evidence: Vec<String>,
    /// The last round of experiments that a survey makes: later ones are of `leadline confirm`.
    pub last_round: u32,
    /// The rate during the survey and at its end, where they differ.
    pub change: Option<Change>,
    /// The bucket of credits that were spent, where a rate fell within a point and a pause brought it back.
    pub credits: Option<Credits>,
    /// Hits and misses, where a cache took part.
    pub mixture: Option<Mixture>,
    /// At which depth these latencies were measured, and at which the share of hits was.
    pub mixture_at: (String, String),
    /// The share of hits in it is that of one I/O at a time: with more in flight hits wait as long as misses do.
    pub hits_wait: bool,
    /// The target stalled at times during a point that shows it.
    pub held_up: bool,
    /// A stall fell into the point that the rate is of, so that the rate includes it.
    pub with_stalls: bool,
    /// One host alone with as many in flight as all had, where there are several and that was measured.
    pub one_host: Option<OneHost>,
    /// The same reads of what was neither written nor read before, I/Os a second; `None` where that was not measured.
    pub cold: Option<Interval>,
    /// All workers of a host share the connections to the target, as on a network mount.
    pub shared_connections: bool,
}

/// A bandwidth cap that applies from a larger block size on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beyond {
    /// The smallest block size at which it was seen, in bytes.
    pub block: u64,
    /// Bytes a second there.
    pub bytes_per_s: Interval,
}

/// One host alone, of several that reached a rate together.
#[derive(Clone, Debug, PartialEq)]
pub struct OneHost {
    /// How many reached it together.
    pub hosts: u64,
    /// What one reaches alone with as many in flight, I/Os a second.
    pub iops: Interval,
    /// That is less than they reach together.
    pub is_less: bool,
    /// It is not known well: a longer measurement may exclude a cause.
    pub is_wide: bool,
    /// What a limit of each host may be: the causes that the other experiments leave.
    pub of_each: Vec<Cause>,
}

/// A rate that did not last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// I/Os a second before.
    pub before: Interval,
    /// I/Os a second after.
    pub after: Interval,
    /// I/Os in flight at the two points that these are the rates of; `None` where they are levels over several points.
    pub in_flight: Option<(u64, u64)>,
    /// After a pause the higher rate was there again: burst credits. `None` where that was not tried.
    pub returned: Option<bool>,
}

impl Change {
    /// From the rate of one point to that of a later one; of a point within which it fell, the level on its side of the other.
    pub(super) fn between(
        before: &PointResult,
        after: &PointResult,
        returned: Option<bool>,
    ) -> Self {
        let [high, low] = [before, after].map(fall_within);
        Self {
            before: high.map_or_else(|| before.figures.data.iops_known(), |[before, _]| before),
            after: low.map_or_else(|| after.figures.data.iops_known(), |[_, after]| after),
            in_flight: Some((before.in_flight, after.in_flight)),
            returned,
        }
    }

    /// Whether the rates differ by more than their 95 % intervals together; not by a pause that brought a higher rate back, which
    /// a rate that is as uneven does by chance.
    pub(super) fn is_seen(&self) -> bool {
        let half = |of: &Interval| (of.high - of.low) / 2.0;
        let distance = (self.before.value - self.after.value).abs();
        distance > half(&self.before).hypot(half(&self.after))
    }
}

impl Limit {
    /// The limit with the credits that were spent before it was reached; a fall that no pause undid is a change alone.
    pub(super) fn after_fall(mut self, fall: Option<Credits>, returned: Option<bool>) -> Self {
        let Some(fall) = fall.filter(Credits::is_seen) else {
            return self;
        };
        if returned.is_some() {
            self.change = Some(Change {
                before: match returned {
                    Some(true) => fall.high,
                    _ => fall.before,
                },
                after: fall.low,
                in_flight: None,
                returned,
            });
        }
        self.credits = Some(fall).filter(|_| returned == Some(true));
        self
    }

    /// One that a curve's best point shows.
    pub(super) fn new(possible: Vec<Cause>, certainty: Certainty, curve: &DepthCurve) -> Self {
        Self {
            possible,
            contradictory: false,
            leading: None,
            certainty,
            second: None,
            beyond: None,
            decides: None,
            lacks_room: false,
            one_by_one: false,
            close: false,
            other_block: None,
            reads_outrun_writes: false,
            iops: curve.best(),
            interval: interval_of(curve.best_point()),
            held: Nanos::ZERO,
            held_in: None,
            unsteady: None,
            evidence: curve.points.iter().map(|p| p.name.clone()).collect(),
            last_round: last_round(curve),
            change: None,
            credits: None,
            mixture: None,
            mixture_at: Default::default(),
            hits_wait: false,
            held_up: false,
            with_stalls: false,
            one_host: None,
            cold: None,
            shared_connections: curve.best_point().shares_connections,
        }
    }

    /// The one cause there is; of a limit on I/Os at once, whoever holds it, parallelism; of I/Os that pass one after
    /// another ([`Limit::may_be_one_stage`]) a cap; of what each host has for itself, whatever it is, the client; of several
    /// that are close to each other the one that leads. `None` when several others are possible or none is.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        if self.leading.is_some() {
            return self.leading;
        }
        match self.possible.as_slice() {
            [one] => Some(*one),
            [Cause::Parallelism, Cause::Slots] => Some(Cause::Parallelism),
            [of_each @ .., Cause::Client] if of_each.iter().all(|c| is_of_each(*c)) => {
                Some(Cause::Client)
            }
            _ if self.may_be_one_stage() => Some(Cause::IopsCap),
            _ => None,
        }
    }

    /// Whether I/Os pass one after another, as a quota lets them and as one stage does that takes as long for each: the two
    /// are one law to any experiment of a host, so that a cap is likely at most.
    #[must_use]
    pub fn may_be_one_stage(&self) -> bool {
        self.one_by_one && self.possible == [Cause::IopsCap, Cause::Parallelism]
    }

    /// Whether a limit of bytes is that of the target or of the connections to it, which all workers share, so that more workers
    /// do not show which.
    #[must_use]
    pub fn may_be_of_the_connections(&self) -> bool {
        self.shared_connections && self.possible == [Cause::ByteCap, Cause::Flow]
    }

    /// No more than likely beside others that would give what was measured as nearly as its cause does.
    pub(super) fn beside_others(mut self, others: &[Cause]) -> Self {
        let cause = self.cause().filter(|_| self.certainty == Certainty::Shown);
        let (Some(cause), false) = (cause, others.is_empty()) else {
            return self;
        };
        self.certainty = Certainty::Likely;
        self.leading = Some(cause);
        self.possible.extend(others);
        self.possible.sort();
        self.possible.dedup();
        self.second = others.first().copied();
        self
    }

    /// No more than likely where a point that shows it was stalled, since an experiment that a stall falls into shows the
    /// stall; and where the rate is uneven, which none of the causes makes it.
    pub(super) fn unless_uneven(mut self, points: &[PointResult]) -> Self {
        /// Width of the interval of an even rate, at most, as a share of it.
        const EVEN: f64 = 0.2;
        let shows = |point: &&PointResult| self.evidence.contains(&point.name);
        self.held_up = points.iter().filter(shows).any(PointResult::is_held_up);
        let confirms = |point: &&PointResult| self.held_in == Some(point.stage);
        let confirms = points.iter().find(confirms);
        self.with_stalls = confirms.is_some_and(PointResult::is_held_up);
        let width = self.interval.map_or(0.0, |i| i.high - i.low);
        if self.held_up || width > EVEN * self.iops {
            self.certainty = self.certainty.min(Certainty::Likely);
        }
        self
    }

    /// With what the checks found about the run that confirmed it: a rate that did not stay on one level was not held.
    pub(in crate::study) fn unless_unsteady(mut self, findings: &[Finding]) -> Self {
        const CHANGES: [&str; 3] = ["level-shift", "drift", "warm-up"];
        let of_it = |f: &&Finding| self.held_in.is_some() && f.stage == self.held_in;
        let found = findings.iter().filter(of_it);
        let code = found
            .map(|f| &f.code)
            .find(|code| CHANGES.contains(&code.as_str()));
        self.unsteady = code.cloned();
        self
    }

    /// Its rate with its interval; the value alone where the time series is too short for one.
    #[must_use]
    pub fn known(&self) -> Interval {
        self.interval.unwrap_or(Interval::only(self.iops))
    }

    /// The same for a sentence.
    #[must_use]
    pub fn iops_words(&self) -> String {
        iops_within(&self.known())
    }

    /// Whether `leadline confirm` made an experiment that shows it, for longer than a survey does.
    #[must_use]
    pub fn was_looked_at_again(&self) -> bool {
        self.evidence
            .iter()
            .any(|name| is_made_again(name, self.last_round))
    }

    /// Whether the rate was observed without a break for as long as the word sustained needs.
    #[must_use]
    pub fn is_sustained(&self) -> bool {
        self.held >= SUSTAINED && self.unsteady.is_none()
    }

    /// Whether the bucket of its credits holds bytes; `None` where a cap of either remains possible and the two have other stores.
    #[must_use]
    pub fn has_bucket_of_bytes(&self) -> Option<bool> {
        let differs = || self.credits.as_ref().is_some_and(Credits::differs_in_bytes);
        match self.cause() {
            Some(cause) => Some(cause == Cause::ByteCap),
            None if self.possible.contains(&Cause::ByteCap) && differs() => None,
            None => Some(false),
        }
    }

    /// Whether the rate may be paid with burst credits that last longer than it was observed: of a target, unless credits
    /// were spent before it.
    #[must_use]
    pub fn may_be_of_credits(&self) -> bool {
        let is_spent = self.change.is_some_and(|change| {
            change.returned == Some(true) && change.after.value < change.before.value
        });
        let is_own = matches!(self.cause(), Some(Cause::Generator | Cause::Host));
        !is_own && !is_spent && self.credits.is_none()
    }

    /// With the figure of the run that confirms it.
    pub(super) fn confirmed_by(mut self, point: Option<&PointResult>) -> Self {
        if let Some(point) = point {
            if let Some(found) = &mut self.mixture {
                // The share of hits is another at each point.
                match share_of_hits(point, found) {
                    Some(share) => {
                        found.low_share = share;
                        self.mixture_at.1 = point.depth_words();
                    }
                    None => self.hits_wait = true,
                }
            }
            self.iops = point.iops();
            self.interval = interval_of(point);
            self.held = point.figures.span;
            self.held_in = Some(point.stage);
            self.evidence.push(point.name.clone());
        }
        self
    }
}

/// The share of the faster of two kinds of I/O at a point, 0 to 1; `None` where all wait, so that the latencies do not
/// distinguish the two kinds.
pub(super) fn share_of_hits(point: &PointResult, found: &Mixture) -> Option<f64> {
    /// A mean latency above that of the slower kind by this factor is of waiting.
    const WAITS: f64 = 1.25;
    let share = found.share_of_low(&point.figures.data.service.histogram);
    let waits = point.figures.data.service.mean() > WAITS * found.high;
    (share >= FEWEST_HITS || !waits).then_some(share)
}

/// The interval of a point's rate.
pub(super) fn interval_of(point: &PointResult) -> Option<Interval> {
    point.figures.data.certainty.iops
}

/// The limit of this host, where its processors were full at the knee or at the maximum.
pub(super) fn of_the_host(curve: &DepthCurve) -> Option<Option<Limit>> {
    let best = curve.best_point();
    let knee = Some(curve.at_knee()).filter(|_| curve.plateau());
    let any = |is: fn(&PointResult) -> bool| is(best) || knee.is_some_and(is);
    if any(|p| p.figures.cpu.busiest >= BUSY) {
        let causes = vec![Cause::Generator];
        return Some(Some(Limit::new(causes, Certainty::Likely, curve)));
    }
    if any(|p| p.load.is_some_and(|load| load.busy >= FULL)) {
        let causes = vec![Cause::Host];
        return Some(Some(Limit::new(causes, Certainty::Unknown, curve)));
    }
    None
}

/// Whether the processors of a host were full at a point.
pub(super) fn is_of_the_host(point: &PointResult) -> bool {
    point.figures.cpu.busiest >= BUSY || point.load.is_some_and(|load| load.busy >= FULL)
}

/// The limit of a curve that had not ended its rise; the inner `None` where one step more would have to show it.
pub(super) fn of_a_rise(curve: &DepthCurve) -> Option<Option<Limit>> {
    if curve.plateau() {
        return None;
    }
    // Still rising, but on what? With latency as at no load, on concurrency; else on waiting.
    let (waits, rates) = (stretch(curve) > STRETCHED, &curve.points);
    let last: Vec<f64> = rates.iter().rev().take(2).map(PointResult::iops).collect();
    Some(match curve.rise() {
        _ if waits => Some(Limit::new(capacity(), Certainty::Unknown, curve)),
        Rise::GoesOn => {
            let free = matches!(last[..], [deepest, before] if deepest >= before * FREE);
            let certainty = match free {
                true => Certainty::Shown,
                false => Certainty::Likely,
            };
            Some(Limit::new(vec![Cause::Concurrency], certainty, curve))
        }
        Rise::Unsure | Rise::NotShown | Rise::Ended => None,
    })
}

/// The causes that give a plateau.
pub(super) fn capacity() -> Vec<Cause> {
    vec![
        Cause::IopsCap,
        Cause::ByteCap,
        Cause::Flow,
        Cause::Parallelism,
        Cause::Slots,
    ]
}

/// What each host has for itself.
pub(in crate::study) const fn is_of_each(cause: Cause) -> bool {
    matches!(cause, Cause::Flow | Cause::Slots | Cause::Client)
}

/// A number of I/Os, wherever it is.
pub(super) const fn is_at_once(cause: Cause) -> bool {
    matches!(cause, Cause::Parallelism | Cause::Slots)
}

/// Mean latency of the deepest point over that of the first at the level of the volume that the others have.
pub(in crate::study) fn stretch(curve: &DepthCurve) -> f64 {
    let at = |p: Option<&PointResult>| p.map_or(0.0, PointResult::mean_latency_s);
    let alone = usize::from(curve.alone_of_another);
    let first = at(curve.points.get(alone));
    if first > 0.0 {
        at(curve.points.last()) / first
    } else {
        1.0
    }
}

/// The last point that confirms a curve's figure.
pub(super) fn last_confirmed<'a>(
    points: &'a [PointResult],
    curve: &DepthCurve,
) -> Option<&'a PointResult> {
    let of = |p: &&PointResult| {
        is_confirmation(&p.name)
            && p.setting.read_percent == curve.setting.read_percent
            && p.stage >= curve.since()
            && p.figures.data.ios > 0
    };
    points.iter().rfind(of)
}
