//! The search for the highest rate at which a latency keeps to its target: what trials say, and which one is next.
//!
//! Belongs here: verdicts on rates and the plan of the next trial, as a function of the trials so far, so that a search
//! can be taken up. Must never: what a trial is made of, or words about it.
//!
//! The manner is that of MLRsearch (RFC 9971): short trials first, a trial counts only where its interval clears the
//! target, else the rate is tried for longer; the lower bound is confirmed twice. Where to try next follows from the
//! inverse of the latency, which falls in a straight line with the rate where one server has a queue (M/M/1).

/// Half a 95 % interval, in standard errors.
const SURE: f64 = 1.96;
/// The same of a one-sided 95 % bound: what has to clear the target.
const CLEAR: f64 = 1.645;
/// A latency within this factor of the target, as a logarithm, is near it.
const NEAR: f64 = 0.35;
/// A bound is put this many standard errors of the time that is left for it from where the target is crossed.
const CLEARS: f64 = 2.6;
/// And this many of the crossing's own standard errors.
const SPARE: f64 = 0.3;
/// A rate is tried on where it would be this many standard errors clear in the end.
const GOES_ON: f64 = 2.2;
/// A short trial is the budget over this.
const SHORT: f64 = 32.0;
/// So many short trials near the target show where it is crossed.
const FOUND: f64 = 2.9;
/// Share of the time for a bound that its first trial takes.
const FIRST: f64 = 0.33;
/// Less than this share of the budget is little.
const LATE: f64 = 0.15;
/// Share of the time for the upper bound.
const UPPER: f64 = 0.42;
/// They are never closer to it than this share of the rate.
const CLOSEST: f64 = 0.015;
/// Trials at full length that confirm the lower bound.
const CONFIRMATIONS: usize = 2;
/// Most trials of a search, whatever its budget.
const MOST: usize = 40;

/// What is known before the first trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TrialFrame {
    /// Latency of one alone over the target.
    pub(super) alone: f64,
    /// The highest rate of a closed loop, I/Os a second.
    pub(super) highest: f64,
    /// Seconds of all trials with their warm-ups.
    pub(super) budget: f64,
    /// Warm-up of a trial in seconds.
    pub(super) warmup: f64,
    /// The shortest time at the highest rate in which enough I/Os are above the target to say anything, in seconds.
    pub(super) shortest: f64,
}

/// A trial that was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trial {
    /// I/Os a second that were asked for.
    pub(super) rate: f64,
    /// Measured seconds.
    pub(super) seconds: f64,
    /// Logarithm of latency over target.
    pub(super) ratio: f64,
    /// Half its 95 % interval; infinite where it has none.
    pub(super) half: f64,
    /// The rate was not reached, or more I/Os failed than may.
    pub(super) lost: bool,
    /// It confirms.
    pub(super) confirms: bool,
}

impl Trial {
    fn is_near(&self) -> bool {
        !self.lost && self.ratio.abs() <= NEAR
    }
}

/// A trial to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    /// I/Os a second.
    pub(super) rate: f64,
    /// Measured seconds.
    pub(super) seconds: f64,
    /// It confirms the lower bound.
    pub(super) confirms: bool,
}

/// What all trials at one rate say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrialVerdict {
    Passed,
    Failed,
    Open,
}

/// All trials at one rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Evidence {
    pub(super) rate: f64,
    pub(super) seconds: f64,
    /// Logarithm of latency over target, weighted by time.
    ratio: f64,
    /// Its standard error.
    error: f64,
    lost: bool,
    pub(super) trials: usize,
    pub(super) confirmations: usize,
}

impl Evidence {
    fn all(trials: &[Trial]) -> Vec<Self> {
        let mut rates: Vec<f64> = trials.iter().map(|t| t.rate).collect();
        rates.sort_by(f64::total_cmp);
        rates.dedup_by(|a, b| is_same(*a, *b));
        let of = |rate: f64| Self::of(rate, trials.iter().filter(|t| is_same(t.rate, rate)));
        rates.into_iter().map(of).collect()
    }

    fn of<'t>(rate: f64, trials: impl Iterator<Item = &'t Trial> + Clone) -> Self {
        let seconds: f64 = trials.clone().map(|t| t.seconds).sum();
        let weighted = trials.clone().map(|t| t.seconds * t.ratio);
        let squares = trials.clone().map(|t| (t.seconds * t.half / SURE).powi(2));
        let error = squares.sum::<f64>().sqrt() / seconds;
        Self {
            rate,
            seconds,
            ratio: weighted.sum::<f64>() / seconds,
            error,
            lost: trials.clone().any(|t| t.lost),
            trials: trials.clone().filter(|t| !t.confirms).count(),
            confirmations: trials.filter(|t| t.confirms).count(),
        }
    }

    pub(super) fn verdict(&self) -> TrialVerdict {
        if self.lost || self.ratio - CLEAR * self.error > 0.0 {
            TrialVerdict::Failed
        } else if self.ratio + CLEAR * self.error < 0.0 {
            TrialVerdict::Passed
        } else {
            TrialVerdict::Open
        }
    }

    /// Whether it passed, with all its confirmations.
    pub(super) fn is_confirmed(&self) -> bool {
        self.verdict() == TrialVerdict::Passed && self.confirmations >= CONFIRMATIONS
    }

    /// Target over latency; 0 where the rate was not reached.
    fn speed(&self) -> f64 {
        if self.lost { 0.0 } else { (-self.ratio).exp() }
    }

    fn is_near(&self) -> bool {
        !self.lost && self.ratio.abs() <= NEAR
    }
}

/// The bounds that the trials leave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    /// The highest rate that passed, below all that failed.
    pub(super) passed: Option<Evidence>,
    /// The lowest that failed.
    pub(super) failed: Option<Evidence>,
}

impl Bounds {
    pub(super) fn of(trials: &[Trial]) -> Self {
        let all = Evidence::all(trials);
        let failed = all
            .iter()
            .find(|e| e.verdict() == TrialVerdict::Failed)
            .copied();
        let below = |e: &&Evidence| failed.is_none_or(|f| e.rate < f.rate);
        let passes = |e: &&Evidence| e.verdict() == TrialVerdict::Passed;
        let passed = all.iter().rev().filter(below).find(passes).copied();
        Self { passed, failed }
    }

    /// How far they are apart, as a share of their middle.
    pub(super) fn share(&self) -> Option<f64> {
        let (low, high) = (self.passed?.rate, self.failed?.rate);
        Some((high - low) / f64::midpoint(low, high))
    }
}

/// Where the target seems to be crossed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crossing {
    /// I/Os a second.
    rate: f64,
    /// Its standard error, as a share.
    error: f64,
    /// Standard error of a rate from one second of trial, as a share.
    unit: f64,
    /// What a share of the rate adds to the logarithm of the latency.
    steep: f64,
    /// Whether a trial was near it.
    is_near: bool,
}

impl Crossing {
    fn of(frame: &TrialFrame, all: &[Evidence]) -> Self {
        let (below, above) = anchors(frame, all);
        let slope = ((below.1 - above.1) / (above.0 - below.0)).max(1e-12);
        let fits = |e: &&Evidence| e.is_near() && e.rate > below.0 && e.rate < above.0;
        let between: Vec<&Evidence> = all.iter().filter(fits).collect();
        if between.is_empty() {
            return Self {
                rate: (below.0 + (below.1 - 1.0) / slope).clamp(below.0, above.0),
                error: 0.0,
                unit: 0.0,
                steep: slope,
                is_near: false,
            };
        }
        // What each rate makes of the crossing, weighted by how exactly it does.
        let error = |e: &Evidence| e.error.clamp(1e-4, 1.0) * e.speed() / slope;
        let weights: f64 = between.iter().map(|e| error(e).powi(-2)).sum();
        let each = between
            .iter()
            .map(|e| error(e).powi(-2) * (e.rate + (e.speed() - 1.0) / slope));
        let rate = (each.sum::<f64>() / weights).clamp(below.0, above.0);
        let time: f64 = between.iter().map(|e| e.seconds).sum();
        let squares = between
            .iter()
            .map(|e| (e.seconds * e.error.clamp(1e-4, 1.0)).powi(2) / (slope * rate).powi(2));
        Self {
            rate,
            error: weights.powf(-0.5) / rate,
            unit: (squares.sum::<f64>() / time).sqrt(),
            steep: slope * rate,
            is_near: true,
        }
    }

    /// How far a bound that this many seconds of trial are left for should be, as a share.
    fn apart(&self, seconds: f64) -> f64 {
        let clears = CLEARS * self.unit / seconds.max(1.0).sqrt();
        (clears + SPARE * self.error).max(CLOSEST)
    }
}

/// Rate and speed of the nearest points on both sides that are not near the target.
fn anchors(frame: &TrialFrame, all: &[Evidence]) -> ((f64, f64), (f64, f64)) {
    let slow = all
        .iter()
        .find(|e| !e.is_near() && e.speed() < 1.0 && e.rate > 0.0);
    let fast = |e: &&Evidence| !e.is_near() && e.speed() > 1.0;
    let fast = all
        .iter()
        .rev()
        .filter(fast)
        .find(|e| slow.is_none_or(|s| e.rate < s.rate));
    let below = fast.map_or((0.0, (1.0 / frame.alone).max(1.001)), |e| {
        (e.rate, e.speed())
    });
    let above = match slow {
        Some(e) => (e.rate, e.speed()),
        None if frame.highest > 1.001 * below.0 => (frame.highest, 0.0),
        None => (1.25 * below.0, 0.0),
    };
    (below, above)
}

/// The next trial; `None` at the end.
pub(super) fn next(frame: &TrialFrame, trials: &[Trial]) -> Option<Plan> {
    let spent: f64 = trials.iter().map(|t| t.seconds + frame.warmup).sum();
    let left = frame.budget - spent - frame.warmup;
    let short = (frame.budget / SHORT).max(frame.shortest);
    if frame.alone >= 1.0 || trials.len() >= MOST || left < 0.7 * short {
        return None;
    }
    let crossing = Crossing::of(frame, &Evidence::all(trials));
    let is_enclosed = Bounds::of(trials)
        .share()
        .is_some_and(|s| s <= 2.0 * CLOSEST);
    let near = trials.iter().filter(|t| t.is_near()).map(|t| t.seconds);
    let plan = if near.sum::<f64>() >= FOUND * short || is_enclosed {
        Bounding {
            crossing,
            trials,
            short,
            left,
            is_late: left < LATE * frame.budget,
        }
        .next()?
    } else {
        probe(&crossing, frame, trials, short)
    };
    Some(Plan {
        seconds: plan.seconds.clamp(0.7 * short, left),
        ..plan
    })
}

/// A short trial where the target seems to be crossed; half way between what is known on both sides where that has led
/// to the same side twice.
fn probe(crossing: &Crossing, frame: &TrialFrame, trials: &[Trial], short: f64) -> Plan {
    let (below, above) = anchors(frame, &Evidence::all(trials));
    let sides = trials.iter().rev().take(2).map(|t| t.lost || t.ratio > 0.0);
    let sides: Vec<bool> = sides.collect();
    let is_stuck = !crossing.is_near && sides.len() == 2 && sides[0] == sides[1];
    Plan {
        rate: match is_stuck {
            true => f64::midpoint(below.0, above.0),
            false => crossing.rate,
        },
        seconds: match crossing.is_near {
            true => 2.0 * short,
            false => short,
        },
        confirms: false,
    }
}

/// The search for both bounds, once it is known about where they are.
struct Bounding<'t> {
    crossing: Crossing,
    trials: &'t [Trial],
    /// Seconds of a short trial.
    short: f64,
    /// Seconds that are left for the next trial and all after it.
    left: f64,
    /// Little time is left: a bound that is not there yet is put further away.
    is_late: bool,
}

impl Bounding<'_> {
    fn next(&self) -> Option<Plan> {
        let bounds = Bounds::of(self.trials);
        let is_wide = |e: &Evidence, left: f64| {
            let apart = (e.rate / self.crossing.rate - 1.0).abs();
            apart > 1.6 * self.crossing.apart(left)
        };
        let failed = bounds.failed.filter(|e| !is_wide(e, UPPER * self.left));
        let passed = bounds
            .passed
            .filter(|e| !is_wide(e, (1.0 - UPPER) * self.left));
        match (failed, passed) {
            (None, None) => Some(self.towards(1.0, UPPER * self.left)),
            (None, Some(_)) => Some(self.towards(1.0, 0.8 * self.left)),
            (Some(_), Some(passed)) if passed.is_confirmed() => None,
            (Some(_), Some(passed)) => Some(Plan {
                rate: passed.rate,
                seconds: self.full(&passed),
                confirms: true,
            }),
            (Some(_), None) => Some(self.towards(-1.0, self.left)),
        }
    }

    /// Seconds of a confirmation: as long as the rate's first trials, at the most half of what is left.
    fn full(&self, passed: &Evidence) -> f64 {
        let each = passed.seconds / (passed.trials + passed.confirmations).max(1) as f64;
        each.min(0.5 * self.left)
    }

    /// A trial for the bound above (1) or below (-1) the crossing, for which this many seconds are left.
    fn towards(&self, side: f64, seconds: f64) -> Plan {
        let crossing = &self.crossing;
        let all = Evidence::all(self.trials);
        let apart = |e: &Evidence| side * (e.rate / crossing.rate - 1.0);
        // How clear a rate would be if the time that is left were spent on it, as far as the crossing is right.
        let clears = |e: &Evidence| {
            let expected = apart(e) * crossing.steep;
            let whole = e.seconds + seconds;
            let pooled = (side * e.ratio * e.seconds + expected * seconds) / whole;
            pooled * whole.sqrt() / (crossing.unit * crossing.steep)
        };
        let fits = |e: &&Evidence| {
            let is_open = e.verdict() == TrialVerdict::Open && apart(e) > 0.0;
            is_open
                && !self.is_late
                && clears(e) >= GOES_ON
                && apart(e) < 1.6 * crossing.apart(seconds)
        };
        let times = if self.is_late { 2.0 } else { 1.0 };
        let open = all
            .iter()
            .filter(fits)
            .max_by(|a, b| apart(b).total_cmp(&apart(a)));
        match open {
            Some(e) => Plan {
                rate: e.rate,
                seconds: e.seconds.min(seconds),
                confirms: false,
            },
            None => Plan {
                rate: crossing.rate * (1.0 + side * times * crossing.apart(seconds)),
                seconds: match FIRST * seconds > 2.0 * self.short {
                    true => FIRST * seconds,
                    false => seconds,
                },
                confirms: false,
            },
        }
    }
}

/// Whether two rates are the same one.
fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::seed::SplitMix;

    /// A queue of one server of 1 ms (M/M/1) whose p99 is to be within 10 ms: crossed at 539.5 a second.
    fn queue(budget: f64) -> TrialFrame {
        TrialFrame {
            alone: 0.4605,
            highest: 1000.0,
            budget,
            warmup: 1.0,
            shortest: 3.0,
        }
    }

    /// A trial of it: its p99 with an error like that of real ones, 0.3 over the root of the seconds.
    fn tried(plan: &Plan, random: &mut SplitMix) -> Trial {
        let truth = (4.605 / (1000.0 - plan.rate.min(999.0)) / 0.010).ln();
        let sigma = 0.3 / plan.seconds.sqrt();
        let uniform = |random: &mut SplitMix| (random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        let normal = (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0;
        Trial {
            rate: plan.rate,
            seconds: plan.seconds,
            ratio: truth + normal * sigma,
            half: 1.96 * sigma,
            lost: plan.rate > 1000.0,
            confirms: plan.confirms,
        }
    }

    fn searched(frame: &TrialFrame, seed: u64) -> Vec<Trial> {
        let mut random = SplitMix::new(seed);
        let mut trials = Vec::new();
        while let Some(plan) = next(frame, &trials) {
            trials.push(tried(&plan, &mut random));
        }
        trials
    }

    #[test]
    fn bounds_hold_the_truth_and_keep_to_the_budget() {
        for (budget, wide, most) in [(588.0, 0.14, 9), (5400.0, 0.05, 9)] {
            let frame = queue(budget);
            let (mut held, mut widths, mut counts) = (0, Vec::new(), Vec::new());
            for seed in 0..200 {
                let trials = searched(&frame, seed);
                let spent: f64 = trials.iter().map(|t| t.seconds + 1.0).sum();
                assert!(spent <= budget + 1.0, "{spent}");
                let found = Bounds::of(&trials);
                if let (Some(low), Some(high)) = (found.passed, found.failed) {
                    held += u32::from(low.rate <= 539.5 && 539.5 <= high.rate);
                    widths.push(found.share().unwrap());
                }
                counts.push(trials.iter().filter(|t| !t.confirms).count());
            }
            widths.sort_by(f64::total_cmp);
            counts.sort_unstable();
            assert!(held >= 188, "{held} of 200 in {budget} s");
            assert!(
                widths[widths.len() / 2] <= wide,
                "{}",
                widths[widths.len() / 2]
            );
            assert!(counts[100] <= most, "{}", counts[100]);
        }
    }

    #[test]
    fn a_search_taken_up_goes_on_as_it_would_have() {
        let frame = queue(588.0);
        let trials = searched(&frame, 7);
        for known in 0..trials.len() {
            let plan = next(&frame, &trials[..known]).unwrap();
            let made = trials[known];
            assert!(is_same(plan.rate, made.rate) && plan.confirms == made.confirms);
        }
    }

    #[test]
    fn a_rate_fails_where_it_was_not_reached_and_is_open_where_nothing_is_sure() {
        let trial = |ratio, half, lost| Trial {
            rate: 100.0,
            seconds: 10.0,
            ratio,
            half,
            lost,
            confirms: false,
        };
        let verdict = |trials: &[Trial]| Evidence::all(trials)[0].verdict();
        assert_eq!(verdict(&[trial(-1.0, 0.1, true)]), TrialVerdict::Failed);
        assert_eq!(verdict(&[trial(-0.2, 0.1, false)]), TrialVerdict::Passed);
        assert_eq!(verdict(&[trial(0.2, 0.1, false)]), TrialVerdict::Failed);
        assert_eq!(verdict(&[trial(-0.2, 0.3, false)]), TrialVerdict::Open);
        assert_eq!(
            verdict(&[trial(-9.0, f64::INFINITY, false)]),
            TrialVerdict::Open
        );
        // Four times the time, half the error.
        assert_eq!(verdict(&[trial(-0.2, 0.3, false); 4]), TrialVerdict::Passed);
        // A confirmation that fails takes the pass back.
        assert_eq!(
            verdict(&[trial(-0.2, 0.1, false), trial(0.3, 0.1, false)]),
            TrialVerdict::Open
        );
    }

    #[test]
    fn where_one_alone_takes_too_long_there_is_no_trial() {
        let frame = TrialFrame {
            alone: 1.2,
            ..queue(588.0)
        };
        assert_eq!(next(&frame, &[]), None);
    }
}
