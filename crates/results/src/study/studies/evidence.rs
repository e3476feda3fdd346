//! What trials say about the highest rate that meets a latency target.
//!
//! Belongs here: verdicts on rates, each from its own trials and from all of those near the target together. Must never:
//! choose what is tried next (that is `bounds`).
//!
//! A trial counts only where its interval clears the target, as in MLRsearch (RFC 9971). Rates near the target lie on a
//! line: the inverse of the latency falls evenly with the rate where one server has a queue (M/M/1), and over a short
//! way everywhere. Where they do, all of them say together how far each is from the target.

use super::loss::Loss;
use crate::stats::Interval;

/// Half a 95 % interval, in standard errors; what has to clear the target.
const SURE: f64 = 1.96;
/// A latency within this factor of the target, as a logarithm, is near it.
pub(super) const NEAR: f64 = 0.35;
/// Where an I/O at depth 1 takes nearly as long as the target, this multiple of the way between them is near it, and
/// this at the least.
const WAYS: f64 = 3.0;
const NEAREST: f64 = 0.02;
/// Below the target, what is nearer to the latency at depth 1 than to the target is not near it: latency does not
/// distinguish rates there.
const HALF_WAY: f64 = 0.5;
/// The lowest rate that is tried: one at which all the time has this multiple of the fewest I/Os that say anything.
const LOWEST: f64 = 3.0;
/// Trials at full length that confirm the lower bound.
pub(super) const CONFIRMATIONS: usize = 2;
/// How far the slope between the nearest points may be from that at the target, as a share (one standard error).
const BENT: f64 = 0.2;
/// Squares of the variation of arrivals and of service, each that of random moments, and as much again because a trial
/// begins without a queue.
const CHANCES: f64 = 4.0;
/// The highest rate is known to this share at best.
const FULL: f64 = 0.002;
/// Of what is left free at the target this share at the least is taken for free.
const FULLER: f64 = 0.5;
/// A rate that is to pass is put farther from the target than it has to be, by this factor.
const MARGIN: f64 = 1.5;
/// A crossing this close to the end of what a line is about, as a share of that, is not one of the line.
const EDGE: f64 = 0.02;
/// A line whose misfits exceed what their errors explain by this factor is none.
const MISFIT: f64 = 2.0;

/// What is known before the first trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TrialFrame {
    /// Latency at depth 1 over the target.
    pub(super) alone: f64,
    /// The highest rate of a closed loop, I/Os a second.
    pub(super) highest: f64,
    /// I/Os in flight that it needs: that rate times the mean latency at depth 1.
    pub(super) at_once: f64,
    /// Share of I/Os that may be lost.
    pub(super) loss: f64,
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
    /// Far beyond the target, and enough I/Os were that this is sure without an interval.
    pub(super) beyond: bool,
    /// The rate was not reached.
    pub(super) missed: bool,
    /// What failed or was not issued.
    pub(super) losses: Loss,
    /// The rate was not reached, or surely more was lost than may be.
    pub(super) lost: bool,
    /// It confirms.
    pub(super) confirms: bool,
}

impl TrialFrame {
    /// How far a latency near the target is from it, as a logarithm: below it and above.
    fn near(&self) -> (f64, f64) {
        let way = -self.alone.ln();
        let within = |times: f64| (times * way).clamp(NEAREST, NEAR);
        (within(HALF_WAY), within(WAYS))
    }

    /// How far a latency over target may be off, as a logarithm, since by chance a little more or less comes and is
    /// done than the rate and the volume bring on average. Next to the highest rate that is much, and it lasts longer
    /// than a trial, so that no interval from within the trial shows it. What a queue of one server makes of it
    /// (M/M/1), as far as the latency is one of waiting.
    fn by_chance(&self, rate: f64, seconds: f64, ratio: f64, free: f64) -> f64 {
        let load = rate / self.highest.max(1e-9);
        let waiting = 1.0 - self.alone * (-ratio.max(0.0)).exp();
        let share = (CHANCES / (rate * seconds).max(1.0)).sqrt();
        waiting.max(0.0) * load / (1.0 - load).max(free).max(FULL) * share
    }

    /// The highest rate that a trial of this many seconds lets pass whatever comes by chance, where its latency is so
    /// far below the target, as a logarithm.
    pub(super) fn passes_by(&self, clear: f64, seconds: f64) -> f64 {
        let share = (CHANCES / (self.highest * seconds).max(1.0)).sqrt();
        let load = clear / (MARGIN * SURE * share);
        self.highest * load / (1.0 + load)
    }

    /// The share of the highest rate that is surely free where a queue of as many servers as are useful is at the target.
    fn free(&self) -> f64 {
        FULLER * self.alone / (self.at_once.max(1.0) * (1.0 - self.alone).max(1e-3))
    }

    /// The lowest rate that is tried, I/Os a second.
    pub(super) fn lowest(&self) -> f64 {
        let lowest = LOWEST * self.highest * self.shortest / self.budget.max(1.0);
        lowest.min(self.highest / 10.0).max(1e-3)
    }

    pub(super) fn is_near(&self, trial: &Trial) -> bool {
        !trial.lost && is_between(trial.ratio, self.near())
    }
}

impl Trial {
    /// Half its interval, or what is sure without one.
    fn known_half(&self) -> f64 {
        match self.beyond && !self.half.is_finite() {
            true => self.ratio / 2.0,
            false => self.half,
        }
    }

    /// Latency over target with its interval, where it has one.
    pub(super) fn of_target(&self) -> Interval {
        let at = |more: f64| (self.ratio + more).exp();
        match self.half.is_finite() {
            false => Interval::only(at(0.0)),
            true => Interval {
                value: at(0.0),
                low: at(-self.half),
                high: at(self.half),
                settled: true,
            },
        }
    }
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
    /// I/Os a second.
    pub(super) rate: f64,
    pub(super) seconds: f64,
    /// Logarithm of latency over target, weighted by time.
    pub(super) ratio: f64,
    /// Its standard error.
    pub(super) error: f64,
    /// The same where it is too long: that of a rate at which the target would be met.
    above: f64,
    /// The same as all rates near the target have it, where they lie on a line.
    fitted: Option<(f64, f64)>,
    /// The rate was not reached in a trial.
    pub(super) missed: bool,
    /// What failed or was not issued in all trials.
    pub(super) losses: Loss,
    /// More was lost than may be, perhaps by chance.
    over: bool,
    /// The rate was not reached, or surely more was lost than may be.
    pub(super) lost: bool,
    pub(super) trials: usize,
    pub(super) confirmations: usize,
    /// How far a latency near the target is from it, as a logarithm: below it and above.
    near: (f64, f64),
}

impl Evidence {
    pub(super) fn all(frame: &TrialFrame, trials: &[Trial]) -> Vec<Self> {
        let mut rates: Vec<f64> = trials.iter().map(|t| t.rate).collect();
        rates.sort_by(f64::total_cmp);
        rates.dedup_by(|a, b| is_same(*a, *b));
        let at = |rate: f64| trials.iter().filter(move |t| is_same(t.rate, rate));
        let of = |rate: f64| Self::of(rate, frame, at(rate));
        let mut all: Vec<Self> = rates.into_iter().map(of).collect();
        let line =
            SpeedLine::of(frame, &all).filter(|line| line.rates > 1 && line.misfit <= MISFIT);
        if let Some(line) = line {
            for one in all.iter_mut().filter(|e| line.has(e)) {
                one.fitted = Some(line.at(one.rate));
            }
        }
        all
    }

    fn of<'t>(
        rate: f64,
        frame: &TrialFrame,
        trials: impl Iterator<Item = &'t Trial> + Clone,
    ) -> Self {
        let loss = frame.loss;
        let missed = trials.clone().any(|t| t.missed);
        let losses = trials.clone().map(|t| t.losses);
        let losses = losses.fold(Loss::default(), Loss::and);
        let seconds: f64 = trials.clone().map(|t| t.seconds).sum();
        let weighted = trials.clone().map(|t| t.seconds * t.ratio);
        let squares = trials
            .clone()
            .map(|t| (t.seconds * t.known_half() / SURE).powi(2));
        let error = squares.sum::<f64>().sqrt() / seconds;
        let ratio = weighted.sum::<f64>() / seconds;
        Self {
            rate,
            seconds,
            ratio,
            error: error.hypot(frame.by_chance(rate, seconds, ratio, 0.0)),
            above: error.hypot(frame.by_chance(rate, seconds, ratio, frame.free())),
            fitted: None,
            missed,
            losses,
            over: losses.is_over(loss),
            lost: missed || losses.is_surely_over(loss),
            trials: trials.clone().filter(|t| !t.confirms).count(),
            confirmations: trials.filter(|t| t.confirms).count(),
            near: frame.near(),
        }
    }

    /// What the rate's own trials say has to agree with what all say together.
    pub(super) fn verdict(&self) -> TrialVerdict {
        let (ratio, error) = self.fitted.unwrap_or((self.ratio, self.error));
        let above = self.fitted.map_or(self.above, |fitted| fitted.1);
        if self.lost || (self.ratio > 0.0 && ratio - SURE * above > 0.0) {
            TrialVerdict::Failed
        } else if !self.over && self.ratio < 0.0 && ratio + SURE * error < 0.0 {
            TrialVerdict::Passed
        } else {
            TrialVerdict::Open
        }
    }

    /// Whether its own trials let it pass, without those of other rates.
    pub(super) fn passes_alone(&self) -> bool {
        !self.over && self.ratio + SURE * self.error < 0.0
    }

    /// Whether it passed, and all its confirmations were made.
    pub(super) fn is_confirmed(&self) -> bool {
        self.verdict() == TrialVerdict::Passed && self.confirmations >= CONFIRMATIONS
    }

    /// Target over latency; 0 where the rate was not reached.
    pub(super) fn speed(&self) -> f64 {
        if self.lost { 0.0 } else { (-self.ratio).exp() }
    }

    pub(super) fn is_near(&self) -> bool {
        !self.lost && is_between(self.ratio, self.near) && self.error.is_finite()
    }
}

/// The bounds that the trials leave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bounds {
    /// The highest rate that passed, below all that failed; a confirmed one, if there is any.
    pub(super) passed: Option<Evidence>,
    /// The lowest that failed.
    pub(super) failed: Option<Evidence>,
}

impl Bounds {
    pub(super) fn of(frame: &TrialFrame, trials: &[Trial]) -> Self {
        Self::among(&Evidence::all(frame, trials))
    }

    pub(super) fn among(all: &[Evidence]) -> Self {
        let failed = all
            .iter()
            .find(|e| e.verdict() == TrialVerdict::Failed)
            .copied();
        let below = |e: &&Evidence| failed.is_none_or(|f| e.rate < f.rate);
        let passes = |e: &&Evidence| e.verdict() == TrialVerdict::Passed;
        let passed = || all.iter().rev().filter(below).filter(passes);
        let confirmed = passed().find(|e| e.is_confirmed());
        Self {
            passed: confirmed.or_else(|| passed().next()).copied(),
            failed,
        }
    }

    /// How far they are apart, as a share of their middle.
    pub(super) fn share(&self) -> Option<f64> {
        let (low, high) = (self.passed?.rate, self.failed?.rate);
        Some((high - low) / f64::midpoint(low, high))
    }
}

/// The line of speed (target over latency) over the rate, through all rates near the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SpeedLine {
    /// How many rates.
    rates: usize,
    /// The rates that it is about are between these.
    between: (f64, f64),
    /// The lowest and the highest of them.
    ends: (f64, f64),
    /// Middle of the rates, the speed there, and its standard error.
    centre: f64,
    level: f64,
    error: f64,
    /// What the speed loses with each I/O a second more, and its standard error.
    pub(super) slope: f64,
    bent: f64,
    /// How far the rates are from it, over what their errors explain; at least 1.
    misfit: f64,
}

impl SpeedLine {
    pub(super) fn of(frame: &TrialFrame, all: &[Evidence]) -> Option<Self> {
        let (below, above) = anchors(frame, all);
        let between = (below.0, above.0);
        let own: Vec<&Evidence> = all
            .iter()
            .filter(|e| e.is_near() && between.0 < e.rate && e.rate < between.1)
            .collect();
        let weight = |e: &Evidence| (e.error.clamp(1e-4, 1.0) * e.speed()).powi(-2);
        let sum =
            |of: &dyn Fn(&Evidence) -> f64| own.iter().map(|e| weight(e) * of(e)).sum::<f64>();
        let weights = sum(&|_| 1.0);
        if own.is_empty() {
            return None;
        }
        let (centre, level) = (sum(&|e| e.rate) / weights, sum(&|e| e.speed()) / weights);
        // The slope between the nearest points outside, as far as those near do not say another.
        let outside = ((below.1 - above.1) / (above.0 - below.0)).max(1e-12);
        let known = (BENT * outside).powi(-2);
        let whole = sum(&|e| (e.rate - centre).powi(2)) + known;
        let slope = (known * outside - sum(&|e| (e.rate - centre) * e.speed())) / whole;
        let slope = slope.max(0.2 * outside);
        let off = sum(&|e| (e.speed() - level + slope * (e.rate - centre)).powi(2));
        let misfit = ((off + 3.0) / (own.len() as f64 + 2.0)).sqrt().max(1.0);
        Some(Self {
            rates: own.len(),
            between,
            ends: (own[0].rate, own[own.len() - 1].rate),
            centre,
            level,
            error: misfit * weights.powf(-0.5),
            slope,
            bent: misfit * whole.powf(-0.5),
            misfit,
        })
    }

    pub(super) fn has(&self, e: &Evidence) -> bool {
        e.is_near() && self.between.0 < e.rate && e.rate < self.between.1
    }

    /// Standard error of the speed at a rate.
    pub(super) fn error_at(&self, rate: f64) -> f64 {
        self.error.hypot(self.bent * (rate - self.centre))
    }

    /// Logarithm of latency over target at a rate, and its standard error.
    fn at(&self, rate: f64) -> (f64, f64) {
        let speed = (self.level - self.slope * (rate - self.centre)).max(1e-9);
        (-speed.ln(), self.error_at(rate) / speed)
    }

    /// Where the speed is 1. Where that is beyond the nearest rates on both sides, or next to them, the speed falls
    /// otherwise than along a line: half way from the rates that were near to there.
    pub(super) fn crossing(&self) -> f64 {
        let rate = self.centre + (self.level - 1.0) / self.slope;
        let (below, above) = self.between;
        let margin = EDGE * (above - below);
        if rate > above - margin {
            f64::midpoint(self.ends.1, above)
        } else if rate < below + margin {
            f64::midpoint(below, self.ends.0)
        } else {
            rate
        }
    }
}

/// Rate and speed of the nearest points on both sides that are not near the target.
pub(super) fn anchors(frame: &TrialFrame, all: &[Evidence]) -> ((f64, f64), (f64, f64)) {
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

/// Whether a logarithm of latency over target is not further from 0 than this below and above.
fn is_between(ratio: f64, (below, above): (f64, f64)) -> bool {
    -below <= ratio && ratio <= above
}

/// Whether two rates are the same one.
pub(super) fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs())
}
