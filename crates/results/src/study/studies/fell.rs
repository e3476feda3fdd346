//! A volume that changed during a study: its points belong to several states, as when credits run out.
//!
//! Belongs here: where rates show it, the answer that is then withheld, and highest rates that did not repeat. Must never: call
//! it credits (`burst` does).

use super::cache::{FIRST_OFFSETS, NEW_OFFSETS};
use super::confirming::place_words;
use super::done::Measured;
use super::open;
use super::slower::{self, LatencyChange};
use super::two_states::{ChangeWithin, FELL, are_far, is_of_two};
use super::warming;
use crate::stats::{Interval, OF_MANY, median_high, over_all};
use crate::study::second::are_apart;
use crate::summary::measured::PointResult;
use crate::words::{bytes_within, counted, iops_within, level_within};
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::Op;
use leadline_model::plan::Pace;
use leadline_model::plan::study::{Axis, Question, Role, Study};

/// A rate up to this share of the highest is reached by what has not changed: nothing waits for long there.
const BELOW: f64 = 0.9;
/// Less than this share of it is not reached.
const MISSED: f64 = 0.95;

/// Two rates of what should be one: a fall, or where one point was measured twice a rise as well.
#[derive(Clone, Debug, PartialEq)]
struct RateChange {
    before: Interval,
    after: Interval,
    /// Where the second one was seen.
    at: String,
    how: &'static str,
}

impl RateChange {
    /// Within a point: a fall, and a rise where nothing else makes one. `points` are those of the run.
    fn within(m: &Measured, points: &[PointResult], may_rise: bool) -> Option<Self> {
        let found = ChangeWithin::of(m, points)?;
        let [before, after] = found.levels;
        (found.is_fall() || may_rise).then(|| Self {
            before,
            after,
            at: m.name.clone(),
            how: "within one point",
        })
    }

    /// Between the best point and its repetition, up or down, beyond what is known of both.
    fn repeated(done: &[Measured], is_changed: &dyn Fn(&Measured) -> bool) -> Option<Self> {
        let again = done.iter().filter(|m| m.is_once_more());
        again.into_iter().find_map(|again| {
            let first = done.iter().find(|m| m.is_same_as(again))?;
            (are_far(first.iops(), again.iops()) && is_beyond_chance(first, again, is_changed))
                .then(|| Self {
                    before: first.iops_within(),
                    after: again.iops_within(),
                    at: again.name.clone(),
                    how: "when the best point was measured again",
                })
        })
    }

    /// Between what was done of a rate, or as fast as it went, and a lower rate that was not reached later, of the same load
    /// in the same state of the system.
    fn missed(done: &[Measured]) -> Option<Self> {
        let load = |m: &Measured| m.at_without(&slower::OF_A_RATE);
        let fall = |earlier: &Measured, later: &Measured| {
            let rate = asked(later)?;
            let (before, after) = (earlier.iops(), typical(later));
            let (is_missed, how) = match asked(earlier) {
                Some(earlier) => (
                    rate < earlier && after < FELL * rate && after < FELL * before,
                    "where a higher rate had been reached before",
                ),
                None => {
                    let (share, how) = match rate <= BELOW * before {
                        true => (MISSED, "at a rate below the highest"),
                        false => (FELL, "at a rate close to the highest"),
                    };
                    let is_missed = after < share * rate.min(before);
                    (is_missed && is_highest(earlier), how)
                }
            };
            (is_missed && !is_by_chance(later, rate) && load(later) == load(earlier)).then(|| {
                Self {
                    before: earlier.iops_within(),
                    after: typical_within(later),
                    at: later.name.clone(),
                    how,
                }
            })
        };
        done.iter().enumerate().find_map(|(place, later)| {
            let mut earlier = done.iter().take(place);
            earlier.find_map(|earlier| fall(earlier, later))
        })
    }

    /// Between a pair of rates of a map that was not reached, and what pairs before it did.
    fn missed_pair(done: &[Measured]) -> Option<Self> {
        let of_rates = [&slower::OF_A_RATE[..], &[Axis::ReadRate, Axis::WriteRate]].concat();
        let load = |m: &Measured| m.at_without(&of_rates);
        done.iter().enumerate().find_map(|(place, later)| {
            let own = pair_of(later, typical(later))?;
            let rate = open::asked(later)?;
            let is_missed = total(&own) < MISSED * rate && !is_by_chance(later, rate);
            let alike = done.iter().take(place);
            let alike = alike.filter(|m| is_missed && load(m) == load(later));
            let earlier = alike.filter_map(|m| Some((m, pair_of(m, m.iops())?)));
            let (earlier, pairs): (Vec<&Measured>, Vec<RatePair>) = earlier.unzip();
            Some(Self {
                before: earlier.get(reached_before(&own, &pairs)?)?.iops_within(),
                after: typical_within(later),
                at: later.name.clone(),
                how: "where pairs of rates before it reached more",
            })
        })
    }

    /// Between points of a screening with the same value of each factor, up or down. These are many pairs, of which some
    /// differ by chance: a volume that changed has more than one setting whose rate changed the same way.
    fn unequal(done: &[Measured]) -> Option<Self> {
        let setting = |m: &Measured| m.at_without(&[Axis::Round, Axis::Repeat]);
        let known = |m: &&Measured| m.iops_within().is_known() && !m.role().prepares();
        let own: Vec<&Measured> = done.iter().filter(known).collect();
        let mut changed: Vec<(&Measured, &Measured)> = Vec::new();
        for (place, later) in own.iter().enumerate() {
            let differs = |m: &&&Measured| {
                let is_far = m.iops().min(later.iops()) < FELL * m.iops().max(later.iops());
                is_far && is_far_apart(m, later) && setting(m) == setting(later)
            };
            changed.extend(own.iter().take(place).find(differs).map(|m| (*m, *later)));
        }
        let (earlier, later) = *changed.first()?;
        let is_down = |pair: &(&Measured, &Measured)| pair.1.iops() < pair.0.iops();
        let is_another = |pair: &&(&Measured, &Measured)| {
            setting(pair.1) != setting(later) && is_down(pair) == is_down(&(earlier, later))
        };
        changed.iter().any(|pair| is_another(&pair)).then(|| Self {
            before: earlier.iops_within(),
            after: later.iops_within(),
            at: later.name.clone(),
            how: "at the same value of each factor; what an earlier point left in a cache can do this too",
        })
    }

    /// Between points of a group of hosts as fast as they can: more in flight gave less later.
    fn deeper(done: &[Measured]) -> Option<Self> {
        let is_closed = |m: &&Measured| m.role() == Role::Point && m.workload.pace == Pace::Closed;
        let load = |m: &Measured| m.at_without(&[Axis::Depth, Axis::Try]);
        done.iter().enumerate().find_map(|(place, later)| {
            let depth = Some(later).filter(is_closed)?.number(Axis::Depth)?;
            let after = typical(later);
            let is_fall = |m: &&Measured| {
                let is_lower = m.number(Axis::Depth).is_some_and(|lower| lower < depth);
                let is_far = after < FELL * m.iops() && is_far_apart(m, later);
                is_closed(m) && is_lower && is_far && load(m) == load(later)
            };
            let earlier = done.iter().take(place).find(is_fall)?;
            // What came back later is what more in flight cost.
            let mut again = done.iter().skip(place).filter(|m| m.is_once_more());
            let came_back =
                again.any(|m| m.is_same_as(earlier) && m.iops() >= FELL * earlier.iops());
            (!came_back).then(|| Self {
                before: earlier.iops_within(),
                after: typical_within(later),
                at: later.name.clone(),
                how: "where fewer I/Os in flight had reached more before",
            })
        })
    }

    /// Between points that read what no cache has seen, and the last of a warm-up. Writes fall where a cache of them is full.
    fn uncached(done: &[Measured]) -> Option<Self> {
        const IN_ORDER: [&str; 3] = [FIRST_OFFSETS, NEW_OFFSETS, warming::WARMED_UP];
        let load = |m: &Measured| m.at_without(&[Axis::Round, Axis::Kind]);
        let place = |m: &Measured| {
            IN_ORDER
                .iter()
                .position(|kind| m.text(Axis::Kind) == Some(kind))
        };
        done.iter().enumerate().find_map(|(at, later)| {
            let own = place(later).filter(|_| is_of_reads(later))?;
            let is_fall = |m: &&Measured| {
                let is_before = place(m).is_some_and(|earlier| earlier < own);
                let is_far = later.iops() < FELL * m.iops() && is_far_apart(m, later);
                is_before && is_far && load(m) == load(later)
            };
            let earlier = done.iter().take(at).find(is_fall)?;
            Some(Self {
                before: earlier.iops_within(),
                after: later.iops_within(),
                at: later.name.clone(),
                how: "where other offsets that were not read before had reached more",
            })
        })
    }

    /// Between the first round of a warm-up and its last point: no reads become slower by what a cache holds.
    fn cooled(done: &[Measured], is_changed: &dyn Fn(&Measured) -> bool) -> Option<Self> {
        let load = |m: &Measured| m.at_without(&[Axis::Round, Axis::Kind]);
        let is_round = |m: &&Measured| warming::is_of_warm_up(m) && is_of_reads(m);
        let rounds: Vec<&Measured> = done.iter().filter(is_round).collect();
        rounds.iter().enumerate().find_map(|(place, first)| {
            let is_like = |m: &&&Measured| load(m) == load(first);
            let last = *rounds.iter().rfind(is_like)?;
            let is_first = !rounds.iter().take(place).any(|m| is_like(&m));
            let after = typical(last);
            let is_fall = after < FELL * first.iops() && is_beyond_chance(first, last, is_changed);
            (is_first && is_fall).then(|| Self {
                before: first.iops_within(),
                after: typical_within(last),
                at: last.name.clone(),
                how: "from the first round of the warm-up to its end",
            })
        })
    }

    /// What no other check sees: a rate that was reached once and not later.
    fn unseen(study: &Study, done: &[Measured], points: &[PointResult]) -> Option<Self> {
        let is_changed = |m: &Measured| is_of_two(m, points, study);
        let question = &study.question;
        match question {
            Question::Map { .. } => Self::missed_pair(done),
            Question::NearFar { .. } => Self::deeper(done),
            Question::Cache { .. } => {
                Self::uncached(done).or_else(|| Self::cooled(done, &is_changed))
            }
            Question::Screen { .. } => Self::unequal(done),
            _ => is_of_one_state(question)
                .then(|| Self::missed(done))
                .flatten(),
        }
    }

    fn of(study: &Study, done: &[Measured], points: &[PointResult]) -> Option<Self> {
        // One point twice is of one state, whatever else is asked.
        let is_changed = |m: &Measured| is_of_two(m, points, study);
        let repeated = Self::repeated(done, &is_changed);
        let within = || {
            let is_result =
                |m: &&Measured| is_of_one_state(&study.question) && !m.role().prepares();
            let results: Vec<&Measured> = done.iter().filter(is_result).collect();
            results.iter().enumerate().find_map(|(place, m)| {
                let before = results.get(..place).unwrap_or_default();
                let may_rise = is_awake(m, before) && is_changed(m);
                Self::within(m, points, may_rise)
            })
        };
        let seen = repeated.or_else(within);
        seen.or_else(|| Self::unseen(study, done, points))
    }

    /// Both rates in words.
    fn levels(&self) -> [String; 2] {
        [self.before, self.after].map(|level| level_within(&level, iops_within))
    }

    /// Why that leaves a study without an answer.
    fn words(&self) -> String {
        let [before, after] = self.levels();
        let Self { at, how, .. } = self;
        match self.after.value < self.before.value {
            true => format!(
                "No answer: the rate fell during the study, from {before} to {after} in {at} ({how}). Credits may \
                 have run out, or the volume changed, so the points belong to different states. The tables have what \
                 was measured; `leadline study burst` shows whether a pause brings the rate back."
            ),
            false => format!(
                "No answer: the rate rose during the study, from {before} to {after} in {at} ({how}). The volume \
                 changed, so the points belong to different states. The tables have what was measured; find out what \
                 changed, and run the study again."
            ),
        }
    }
}

/// Whether something was measured before in the same state of the system: a volume that wakes up does so in the first point.
fn is_awake(m: &Measured, before: &[&Measured]) -> bool {
    let arm = m.text(Axis::Arm);
    before.iter().any(|other| other.text(Axis::Arm) == arm)
}

/// Reads and writes a second that were done.
type RatePair = (f64, f64);

const fn total(pair: &RatePair) -> f64 {
    pair.0 + pair.1
}

/// What a pair of rates of a map did, where both together did this many I/Os a second.
fn pair_of(m: &Measured, iops: f64) -> Option<RatePair> {
    m.number(Axis::ReadRate)?;
    let [reads, writes] = m.summary.workloads.as_slice() else {
        return None;
    };
    let times = iops / m.iops().max(1e-9);
    let [reads, writes] = [reads, writes].map(|w| times * w.figures.data.iops);
    Some((reads, writes))
}

/// What was done before a pair that the volume would do in the same state, as the place of that: one pair far above it in reads
/// and in writes; or two far above it in their sum, with no more of its share of reads and with no less, between which the sum is no
/// lower, whether reads and writes share a limit, have limits of their own, or have unlike costs.
fn reached_before(own: &RatePair, before: &[RatePair]) -> Option<usize> {
    let is_above = |pair: &&RatePair| own.0 < FELL * pair.0 && own.1 < FELL * pair.1;
    let above = before.iter().position(|pair| is_above(&pair));
    let share = |pair: &RatePair| pair.0 / total(pair).max(1e-9);
    let most = |is: fn(&f64, &f64) -> bool| {
        let alike = before.iter().enumerate();
        let alike = alike.filter(|(_, pair)| is(&share(pair), &share(own)));
        let sums = alike.map(|(place, pair)| (place, total(pair)));
        sums.max_by(|one, other| one.1.total_cmp(&other.1))
    };
    let between = || {
        let ends = [most(f64::le)?, most(f64::ge)?].into_iter();
        let (place, least) = ends.min_by(|one, other| one.1.total_cmp(&other.1))?;
        (total(own) < FELL * least).then_some(place)
    };
    above.or_else(between)
}

/// The most highest rates that did not repeat which are named one by one.
const NAMED: usize = 3;

/// Sentences that highest rates were others when they were measured once more, though they are of one state.
pub(super) fn not_repeated(study: &Study, done: &[Measured]) -> Vec<String> {
    let is_of_bytes = study.question == Question::Throughput;
    let each = done.iter().enumerate().filter(|(_, m)| m.is_once_more());
    let each = each.filter_map(|(place, again)| {
        let before = done.iter().take(place);
        let before = before.filter(|m| m.is_same_as(again) && !m.is_once_more());
        second_words(is_of_bytes, &before.collect::<Vec<_>>(), again)
    });
    let mut said: Vec<String> = each.collect();
    let more = said.len().saturating_sub(NAMED);
    said.truncate(NAMED);
    said.extend((more > 0).then(|| {
        let rates = counted(&more.to_string(), "more highest rate");
        format!("And {rates} did not repeat.")
    }));
    said
}

/// How the rate of a best point once more differs from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SecondRate {
    /// It is another.
    Another,
    /// It is near, and the 95 % intervals do not overlap.
    Apart,
}

impl SecondRate {
    /// `None` where the 95 % intervals overlap, or the difference does not matter.
    fn of(first: &Interval, second: &Interval) -> Option<Self> {
        /// From this share on it is another rate, also where an interval may be too narrow.
        const ANOTHER: f64 = 0.05;
        let differs = (second.value / first.value - 1.0).abs();
        let is_apart = second.high < first.low || second.low > first.high;
        match is_apart && differs >= ANOTHER {
            true => Some(Self::Another),
            false => are_apart(first, second).then_some(Self::Apart),
        }
    }
}

/// A sentence that the rate of a best point was another when it was measured once more than in these runs `before` that.
fn second_words(is_of_bytes: bool, before: &[&Measured], again: &Measured) -> Option<String> {
    let rate = |m: &Measured| match is_of_bytes {
        true => m.bytes_within(),
        false => m.iops_within(),
    };
    let words = |rate: &Interval| match is_of_bytes {
        true => bytes_within(rate),
        false => iops_within(rate),
    };
    let each: Vec<Interval> = before.iter().map(|m| rate(m)).collect();
    let (first, second) = (over_all(&each), rate(again));
    let (place, found) = (place_words(again), SecondRate::of(&first, &second)?);
    let (first, second) = (words(&first), words(&second));
    Some(match found {
        SecondRate::Another => format!(
            "{place}: measured once more, the rate was {second} and not {first}: the highest rate did not repeat."
        ),
        SecondRate::Apart => format!(
            "{place}: measured once more, the highest rate was {second}, and {first} the first time; the 95 % intervals \
             do not overlap."
        ),
    })
}

/// The rate that a point of a curve or a search was to have, in I/Os a second.
fn asked(m: &Measured) -> Option<f64> {
    let of_highest = m.number(Axis::Percent).and_then(|_| open::asked(m));
    m.number(Axis::Rate).or(of_highest)
}

/// Whether a rate that was not reached is chance: of few I/Os that come at random there are fewer at times, and of uneven ones too.
fn is_by_chance(m: &Measured, rate: f64) -> bool {
    /// Standard errors of a number of independent I/Os.
    const ERRORS: f64 = 4.0;
    let due = rate * m.summary.figures.span.as_secs_f64();
    let missing = due * (1.0 - m.iops() / rate);
    let known = m.iops_within();
    missing <= ERRORS * due.sqrt() || known.settled && known.high >= MISSED * rate
}

/// Whether two rates differ by more than their intervals together; one of too short a series may be too narrow. That of a point
/// with a change within it is as wide as the change, and is no chance.
fn is_beyond_chance(
    one: &Measured,
    other: &Measured,
    is_changed: &dyn Fn(&Measured) -> bool,
) -> bool {
    // Where both changed, they may have done it alike.
    let [first, second] = [one, other].map(is_changed);
    let half = |m: &Measured, is_of_two: bool| match is_of_two && first != second {
        true => 0.0,
        false => half_of(m),
    };
    (one.iops() - other.iops()).abs() > half(one, first).hypot(half(other, second))
}

/// The same of one of many pairs, some of which differ by more than their intervals by chance: by 3.5 standard errors.
fn is_far_apart(one: &Measured, other: &Measured) -> bool {
    (one.iops() - other.iops()).abs() > OF_MANY * half_of(one).hypot(half_of(other))
}

/// Half of the interval of a rate, as wide as it may be.
fn half_of(m: &Measured) -> f64 {
    /// How many times as wide one of too short a series may be.
    const WIDER: f64 = 4.0;
    let known = m.iops_within();
    let times = if known.settled { 1.0 } else { WIDER };
    times * (known.high - known.low) / 2.0
}

fn is_of_reads(m: &Measured) -> bool {
    m.iops_of(Op::Write).value <= 0.0
}

/// Whether a point is as fast as it went, which other rates are parts of.
fn is_highest(m: &Measured) -> bool {
    m.role() == Role::Maximum || m.is_once_more()
}

/// What a point did while it did anything, in I/Os a second: one stall within it is no other state.
fn typical(m: &Measured) -> f64 {
    let measured = m.summary.series.iter().filter(|p| !p.warmup);
    let active = measured.map(|p| p.data.iops).filter(|rate| *rate > 0.0);
    median_high(active).unwrap_or_default().max(m.iops())
}

/// That with the interval of what it did in all.
fn typical_within(m: &Measured) -> Interval {
    m.iops_within().scaled(typical(m) / m.iops().max(1e-9))
}

/// Whether an answer takes all points for those of one volume: others look for what changes.
const fn is_of_one_state(question: &Question) -> bool {
    !matches!(
        question,
        Question::Burst { .. }
            | Question::Cache { .. }
            | Question::Steady { .. }
            | Question::Screen { .. }
    )
}

/// Why there is no answer; `None` if the volume was of one state. `points` are those of the run.
pub(super) fn withheld(study: &Study, done: &[Measured], points: &[PointResult]) -> Option<String> {
    let Some(change) = RateChange::of(study, done, points) else {
        let words = latency_change(study, done)?.words();
        return Some(format!(
            "No answer: the latency of the volume changed during the study: {words}. The points belong to different \
             states; the tables have what was measured."
        ));
    };
    Some(change.words())
}

/// A change of the latency, of a question that takes all points for those of one volume.
fn latency_change(study: &Study, done: &[Measured]) -> Option<LatencyChange> {
    // The median of near and far hosts together is of either at times.
    let has_one = !matches!(study.question, Question::NearFar { .. });
    (has_one && is_of_one_state(&study.question))
        .then(|| LatencyChange::of(done))
        .flatten()
}

/// The finding on a rate that was reached once and missed later, or on latencies that contradict each other, which no other check
/// sees.
pub(super) fn of_states(
    study: &Study,
    done: &[Measured],
    points: &[PointResult],
) -> Option<Finding> {
    let Some(fall) = RateChange::unseen(study, done, points) else {
        let words = latency_change(study, done)?.words();
        return Some(of_two_states(format!(
            "The latency changed: {words}. The volume was in two states; which of them the other points belong to is \
             not known."
        )));
    };
    let [before, after] = fall.levels();
    Some(of_two_states(format!(
        "{before} were reached before, but {} reached {after} although {}: the volume was in two states; which of them \
         the points in between belong to is not known.",
        fall.at,
        although(&study.question)
    )))
}

/// Why a later rate was to be no lower.
const fn although(question: &Question) -> &'static str {
    match question {
        Question::NearFar { .. } => "more I/Os were in flight",
        Question::Cache { .. } => "no cache makes reads slower",
        Question::Screen { .. } => "each factor had the same value",
        _ => "more was requested",
    }
}

/// The finding `repeats-differ` with this text.
pub(crate) fn of_two_states(text: String) -> Finding {
    Finding {
        code: "repeats-differ".to_owned(),
        severity: Severity::Warn,
        stage: None,
        workload: None,
        text,
        cure: "Find out what changed (burst credits, a quota, other users, a cache), and repeat the run when it no \
               longer changes."
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::summary::summarize;
    use leadline_model::plan::StudyPoint;
    use leadline_model::plan::access::OpMix;
    use leadline_model::plan::study::{Coordinate, Coordinates};

    /// Two trials of reads: 9,000 a second were asked for and done, then 5,000 asked and 1,000 done. What they differ in
    /// beside that is said by `first` and `later`.
    fn of_two(first: (Axis, Coordinate), later: (Axis, Coordinate)) -> Option<RateChange> {
        let workload = fixture::workload("w", OpMix::reads(), 4096, 8, 10);
        let mut plan = fixture::plan(vec![
            ("first", vec![workload.clone()]),
            ("later", vec![workload]),
        ]);
        let asked = [(9000.0, first), (5000.0, later)];
        for (stage, (rate, beside)) in plan.stages.iter_mut().zip(asked) {
            let rate = (Axis::Rate, Coordinate::Number(rate));
            stage.point = Some(StudyPoint {
                role: Role::Trial,
                at: Coordinates::from([rate, beside]),
            });
        }
        let loads = [9000, 1000].map(|ios| vec![Load::simple(Op::Read, ios, 4096, 100_000, 10)]);
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        RateChange::missed(&Measured::all(&run, &summarize(&run)))
    }

    #[test]
    fn a_rate_that_another_state_or_load_does_not_reach_is_no_fall() {
        let state = |name: &str| (Axis::Arm, Coordinate::Text(name.to_owned()));
        let depth = |depth: f64| (Axis::Depth, Coordinate::Number(depth));
        let found = of_two(state("one"), state("one"));
        assert_eq!(found.map(|fall| fall.at), Some("later".to_owned()));
        assert_eq!(of_two(state("one"), state("two")), None);
        assert!(of_two(depth(32.0), depth(32.0)).is_some());
        assert_eq!(of_two(depth(32.0), depth(1.0)), None);
    }

    /// Points of a group of hosts at depth 8 and then 32 with these rates.
    fn of_depths(first: u64, later: u64) -> Option<RateChange> {
        let workload = fixture::workload("w", OpMix::reads(), 4096, 8, 10);
        let mut plan = fixture::plan(vec![
            ("first", vec![workload.clone()]),
            ("later", vec![workload]),
        ]);
        for (stage, depth) in plan.stages.iter_mut().zip([8.0, 32.0]) {
            let group = (Axis::Group, Coordinate::Text("near".to_owned()));
            stage.point = Some(StudyPoint {
                role: Role::Point,
                at: Coordinates::from([group, (Axis::Depth, Coordinate::Number(depth))]),
            });
        }
        let loads = [first, later].map(|ios| vec![Load::simple(Op::Read, ios, 4096, 100_000, 10)]);
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        RateChange::deeper(&Measured::all(&run, &summarize(&run)))
    }

    #[test]
    fn a_group_of_hosts_does_no_less_with_more_in_flight() {
        let fell = of_depths(3000, 2000).map(|fall| (fall.at, fall.how));
        let how = "where fewer I/Os in flight had reached more before";
        assert_eq!(fell, Some(("later".to_owned(), how)));
        assert_eq!(of_depths(3000, 2700), None);
        assert_eq!(of_depths(2000, 3000), None);
    }

    /// Rounds of a warm-up with these rates of reads, and the point after them.
    fn of_rounds(each: [u64; 3]) -> Option<RateChange> {
        of_rounds_of(Op::Read, each)
    }

    fn of_rounds_of(op: Op, each: [u64; 3]) -> Option<RateChange> {
        let workload = fixture::workload("w", OpMix::reads(), 4096, 8, 10);
        let names = ["one", "two", "warm"];
        let stages = names.map(|name| (name, vec![workload.clone()]));
        let mut plan = fixture::plan(stages.into());
        for (number, stage) in (1..).zip(&mut plan.stages) {
            let round = (Axis::Round, Coordinate::Number(f64::from(number)));
            let kind = |name: &str| (Axis::Kind, Coordinate::Text(name.to_owned()));
            let (role, at) = match number {
                3 => (Role::Point, Coordinates::from([kind(warming::WARMED_UP)])),
                _ => (
                    Role::Condition,
                    Coordinates::from([kind(warming::WARM_UP), round]),
                ),
            };
            stage.point = Some(StudyPoint { role, at });
        }
        let loads = each.map(|ios| vec![Load::simple(op, ios, 4096, 100_000, 10)]);
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        RateChange::cooled(&Measured::all(&run, &summarize(&run)), &|_| false)
    }

    #[test]
    fn a_rate_that_falls_while_a_cache_warms_up_is_of_two_states() {
        let fell = of_rounds([4000, 2000, 1000]);
        let fell = fell.map(|fall| (fall.at, fall.after.value < fall.before.value));
        assert_eq!(fell, Some(("warm".to_owned(), true)));
        assert_eq!(of_rounds([1000, 4000, 4000]), None);
        assert_eq!(of_rounds([4000, 3900, 3800]), None);
        // A cache of writes is full at some time.
        assert_eq!(of_rounds_of(Op::Write, [4000, 2000, 1000]), None);
    }

    /// Points of a screening with these blocks and rates.
    fn of_screen(each: [(f64, u64); 4]) -> Option<RateChange> {
        let workload = fixture::workload("w", OpMix::reads(), 4096, 8, 10);
        let names = ["one", "two", "three", "four"];
        let stages = names.map(|name| (name, vec![workload.clone()]));
        let mut plan = fixture::plan(stages.to_vec());
        for (number, (stage, (block, _))) in (1..).zip(plan.stages.iter_mut().zip(each)) {
            let number = (Axis::Round, Coordinate::Number(f64::from(number)));
            stage.point = Some(StudyPoint {
                role: Role::Point,
                at: Coordinates::from([number, (Axis::Block, Coordinate::Number(block))]),
            });
        }
        let loads = each.map(|(_, ios)| vec![Load::simple(Op::Read, ios, 4096, 100_000, 10)]);
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        RateChange::unequal(&Measured::all(&run, &summarize(&run)))
    }

    #[test]
    fn points_of_a_screening_with_the_same_factors_have_one_rate() {
        let (small, large) = (4096.0, 65536.0);
        let of = |first, later| {
            of_screen([
                (small, first),
                (large, first),
                (small, later),
                (large, later),
            ])
        };
        let fell = of(4000, 1000);
        assert_eq!(fell.map(|fall| fall.at), Some("three".to_owned()));
        assert!(of(1000, 4000).is_some());
        assert_eq!(of(4000, 3600), None);
        let unlike = [(small, 4000), (large, 1000), (small, 4000), (large, 1000)];
        assert_eq!(of_screen(unlike), None);
        // One setting alone may be chance, and so may two that moved in two ways.
        let one = [(small, 4000), (large, 1000), (small, 1000), (large, 1000)];
        assert_eq!(of_screen(one), None);
        let two = [(small, 4000), (large, 1000), (small, 1000), (large, 4000)];
        assert_eq!(of_screen(two), None);
    }

    /// One point with this rate, measured once more with the other.
    fn measured_twice(first: u64, again: u64) -> Vec<Measured> {
        let workload = fixture::workload("w", OpMix::reads(), 4096, 8, 10);
        let mut plan = fixture::plan(vec![
            ("first", vec![workload.clone()]),
            ("again", vec![workload]),
        ]);
        let depth = (Axis::Depth, Coordinate::Number(8.0));
        let number = (Axis::Try, Coordinate::Number(2.0));
        plan.stages[0].point = Some(StudyPoint {
            role: Role::Point,
            at: Coordinates::from([depth.clone()]),
        });
        plan.stages[1].point = Some(StudyPoint {
            role: Role::Confirmation,
            at: Coordinates::from([depth, number]),
        });
        let loads = [first, again].map(|ios| vec![Load::simple(Op::Read, ios, 4096, 100_000, 10)]);
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        Measured::all(&run, &summarize(&run))
    }

    fn twice(first: u64, again: u64) -> Option<RateChange> {
        RateChange::repeated(&measured_twice(first, again), &|_| false)
    }

    /// Caps of 3,000 reads and of 1,000 writes, one of 3,000 of both, and writes that cost as much as three reads.
    #[test]
    fn a_pair_is_below_what_others_did_only_where_the_volume_changed() {
        let own = (500.0, 500.0);
        assert_eq!(reached_before(&own, &[(1300.0, 1400.0)]), Some(0));
        // Neither does more of both; in sum both do.
        let both = [(400.0, 2600.0), (2000.0, 400.0)];
        assert_eq!(reached_before(&own, &both), Some(1));
        assert_eq!(reached_before(&own, &both[..1]), None);
        assert_eq!(reached_before(&own, &[]), None);
        let apart = [(500.0, 1000.0), (3000.0, 500.0), (1500.0, 1000.0)];
        assert_eq!(reached_before(&(3000.0, 1000.0), &apart), None);
        assert_eq!(reached_before(&(200.0, 1000.0), &apart), None);
        let shared = [(1000.0, 2000.0), (2500.0, 500.0)];
        assert_eq!(reached_before(&(1500.0, 1500.0), &shared), None);
        let of_cost = [(300.0, 900.0), (2700.0, 100.0)];
        assert_eq!(reached_before(&(1500.0, 500.0), &of_cost), None);
    }

    #[test]
    fn a_highest_rate_that_did_not_repeat_is_said_with_both_rates() {
        let said = |first, again| {
            let done = measured_twice(first, again);
            second_words(false, &[&done[0]], &done[1])
        };
        let fell = said(1000, 900).unwrap_or_default();
        assert!(
            fell.starts_with("depth 8: measured once more, the rate was 900 IOPS")
                && fell.contains("and not 1,000 IOPS")
                && fell.ends_with("the highest rate did not repeat."),
            "{fell}"
        );
        assert_eq!(said(1000, 1000), None);
        let of = |value: f64, half: f64, settled| Interval {
            value,
            low: value - half,
            high: value + half,
            settled,
        };
        let found = |first, second| SecondRate::of(&first, &second);
        assert_eq!(
            found(of(20_001.0, 4.0, true), of(19_501.0, 3.0, true)),
            Some(SecondRate::Apart)
        );
        assert_eq!(
            found(of(20_001.0, 300.0, true), of(19_501.0, 300.0, true)),
            None
        );
        assert_eq!(
            found(of(20_001.0, 4.0, true), of(19_999.0, 0.5, true)),
            None
        );
        // An interval that may be too narrow shows no small difference.
        assert_eq!(
            found(of(20_001.0, 4.0, false), of(19_501.0, 3.0, true)),
            None
        );
    }

    #[test]
    fn a_best_point_with_another_rate_leaves_no_answer_whether_it_is_lower_or_higher() {
        let fell = twice(1000, 500).map(|change| change.words());
        let said = "the rate fell during the study, from 1,000 IOPS +-<0.1 % to 500 IOPS +-<0.1 % in again";
        assert!(
            fell.as_ref().is_some_and(|words| words.contains(said)),
            "{fell:?}"
        );
        let rose = twice(500, 1000)
            .map(|change| change.words())
            .unwrap_or_default();
        assert!(
            rose.contains(
                "rose during the study, from 500 IOPS +-<0.1 % to 1,000 IOPS +-<0.1 % in"
            ),
            "{rose}"
        );
        assert!(!rose.contains("Credits"), "{rose}");
        assert_eq!(twice(1000, 950), None);
        assert_eq!(twice(950, 1000), None);
    }
}
