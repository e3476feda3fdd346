//! What set the highest rate of a depth curve: the causes that the experiments made leave possible.
//!
//! Belongs here: which experiment comes next, and what each cause predicts for it. Must never: words (those are
//! in `super::bottleneck`).
//!
//! A curve alone separates no two causes: a cap, a number of I/Os processed at once and the rate of one connection all
//! give a plateau. Each experiment here separates some of them, because they predict different outcomes; what no
//! experiment made has contradicted remains possible.

mod bursts;
mod cached;
mod causes;
mod credits;
mod deciding;
mod decision;
mod fall;
mod hosts;
mod plateau;
mod rates;
mod rest;
mod round;
mod write_cost;

pub(crate) use cached::SAME_RATE;
pub(super) use cached::larger_part;
pub use causes::{Beyond, Cause, Certainty, Change, Limit, OneHost};
pub(super) use causes::{is_of_each, stretch};
pub use credits::Credits;
pub use deciding::{LONGER, confirming, next_round};
pub use decision::Deciding;

use super::series::{DepthCurve, family_of};
use crate::summary::measured::PointResult;
use leadline_model::units::Nanos;
use round::rounds;
pub use write_cost::KindCost;

/// Rounds of experiments at most: a second one where the rate changed during the first.
const ROUNDS: u32 = 2;

/// An experiment on the cause of a limit. All are at the setting of the curve's best point but for what they name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// The best point again: its rate is the figure, and the experiments between two of them count only where
    /// these agree.
    Confirm {
        /// How many times as long as the other points.
        times: u32,
    },
    /// Bursts of I/Os at regular times: how many of a burst are processed without waiting.
    Burst {
        /// I/Os at once, at least 1.
        size: u32,
        /// From one burst to the next.
        every: Nanos,
        /// How many times as long as the other points.
        times: u32,
        /// The one host that makes them; `None` = each.
        host: Option<u32>,
    },
    /// One host alone with as many I/Os in flight as all had: a shared limit, or one per host.
    OneHost {
        /// Which.
        host: u32,
        /// Its depth.
        depth: u32,
    },
    /// Another block size, in bytes.
    Block(u64),
    /// Another block size, one I/O at a time.
    BlockAlone(u64),
    /// Twice the workers, each with its own connection where a target has one for each.
    Connections,
    /// Blocks that the survey has neither written nor read: no cache holds them.
    Cold,
    /// A set several times as large: a cache that held the survey's holds a part of it.
    Larger,
    /// A sixteenth of the set: a cache that held a part of the set holds all of it.
    Smaller,
    /// After a pause, in which spent credits come back, at the depth that spent them.
    Rest {
        /// The pause.
        pause: Nanos,
        /// I/Os in flight of each worker.
        depth: u32,
    },
    /// The whole curve again: the rate changed while it was measured.
    Curve,
}

impl Experiment {
    /// The first part of its points' names.
    #[must_use]
    pub const fn family(&self) -> &'static str {
        match self {
            Self::Confirm { .. } => "confirm",
            Self::Burst { .. } => "burst",
            Self::OneHost { .. } => "hosts",
            Self::Block(_) | Self::BlockAlone(_) => "size",
            Self::Connections => "connections",
            Self::Cold => cached::COLD,
            Self::Larger => cached::LARGER,
            Self::Smaller => cached::SMALLER,
            Self::Rest { .. } => "rest",
            Self::Curve => "depth",
        }
    }
}

/// The first parts of the names of experiments.
pub const EXPERIMENTS: [&str; 9] = [
    "confirm",
    "hosts",
    "burst",
    "size",
    "connections",
    cached::COLD,
    cached::LARGER,
    cached::SMALLER,
    "rest",
];

/// Whether a point of this name is an experiment.
pub(crate) fn is_experiment(name: &str) -> bool {
    EXPERIMENTS.contains(&family_of(name).0)
}

/// Whether a point of this name is an experiment of a later round than the last that a survey makes, and so of
/// `leadline confirm`.
fn is_made_again(name: &str, last_round: u32) -> bool {
    let (family, number) = family_of(name);
    family != "confirm" && EXPERIMENTS.contains(&family) && number > last_round
}

/// Most points that the experiments on one curve add, where nothing changes while they run, no part is read cold, and there
/// is one host.
pub const MOST_EXPERIMENTS: u64 = 9;

/// A rate must be observed this long to be called sustained.
pub const SUSTAINED: Nanos = Nanos::from_secs(60);

/// What the targets of a survey allow beside the points that every survey has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Means {
    /// There is a part that the survey does not fill, at least as large as the one it does.
    pub cold: bool,
    /// How many hosts take part, where these are named; 0 = this one alone.
    pub hosts: u32,
}

impl Means {
    /// Experiments that they add to [`MOST_EXPERIMENTS`].
    pub(super) const fn more_experiments(self) -> u64 {
        self.cold as u64 + (self.hosts > 1) as u64
    }
}

/// The experiment that separates most of what is still possible, and its round; `None` when there is none left.
#[must_use]
pub fn next_experiment(
    points: &[PointResult],
    curve: &DepthCurve,
    means: Means,
) -> Option<(Experiment, u32)> {
    for step in rounds(points, curve).take_while(|step| step.number <= last_round(curve)) {
        let (number, round) = (step.number, &step.round);
        let Some(confirmed) = round.confirmed else {
            return Some((Experiment::Confirm { times: 1 }, number));
        };
        let same = rates::is_one_rate(step.before, confirmed);
        if cached::asks_for_a_smaller_set(points, curve) {
            return Some((Experiment::Smaller, number));
        }
        if number == first_round(curve) && same && !is_worth_asking(points, curve) {
            let cold = cached::next(points, curve, &[Cause::Concurrency], means);
            return cold
                .filter(|_| of_itself(points, curve).is_some_and(is_concurrency))
                .map(|cold| (cold, number));
        }
        if let Some(experiment) = round.next(points, step.before, means) {
            return Some((experiment, number));
        }
        let Some(after) = step.after else {
            let times = rates::times(confirmed);
            return Some((Experiment::Confirm { times }, number + 1));
        };
        if rates::stays(confirmed, after) {
            return None;
        }
    }
    None
}

/// The experiments that every plateau of this block size gets, and their rounds; the depth of the burst is found only
/// when it is made.
#[must_use]
pub fn expected(block: u64, means: Means) -> Vec<(Experiment, u32)> {
    let every = Nanos::from_millis(1);
    let mut all = vec![(Experiment::Confirm { times: 1 }, 1)];
    let several = means.hosts > 1;
    let one = Experiment::OneHost { host: 0, depth: 1 };
    all.extend(several.then_some((one, 1)));
    let burst = Experiment::Burst {
        size: 1,
        every,
        times: 1,
        host: several.then_some(0),
    };
    all.extend([
        (burst, 1),
        (Experiment::Block(rates::first_block(block)), 1),
    ]);
    all.extend(means.cold.then_some((Experiment::Cold, 1)));
    all.push((Experiment::Confirm { times: 1 }, 2));
    all
}

/// The round that the experiments on a curve begin with.
const fn first_round(curve: &DepthCurve) -> u32 {
    curve.earlier_rounds + 1
}

/// The last round of experiments on a curve that a survey makes.
const fn last_round(curve: &DepthCurve) -> u32 {
    let first = first_round(curve);
    if first > ROUNDS { first } else { ROUNDS }
}

/// What limits a curve as far as its points show; `None` when it did nothing, or one step more would have to show it.
#[must_use]
pub fn limit_of(points: &[PointResult], curve: &DepthCurve) -> Option<Limit> {
    let best = curve.best_point();
    if best.iops() <= 0.0 {
        return None;
    }
    of_itself(points, curve)
        .unwrap_or_else(|| Some(plateau::of_a_plateau(points, curve)))
        .map(|limit| limit.confirmed_by(causes::last_confirmed(points, curve)))
        .map(|limit| cached::beside(limit, points, curve))
        .map(|limit| limit.unless_uneven(points))
        .map(|limit| {
            let decides = deciding::deciding(&limit, points, curve);
            let lacks_room =
                decides == Some(Deciding::LargerSet) && !cached::has_room_for_more(curve);
            Limit {
                decides: decides.filter(|_| !lacks_room),
                lacks_room,
                ..limit
            }
        })
}

/// The limit that a curve shows without an experiment; the inner `None` where one step more would have to show it.
fn of_itself(points: &[PointResult], curve: &DepthCurve) -> Option<Option<Limit>> {
    causes::of_the_host(curve)
        .or_else(|| cached::of_a_cache(points, curve))
        .or_else(|| causes::of_a_rise(curve))
}

fn is_concurrency(limit: Option<Limit>) -> bool {
    limit.is_some_and(|limit| limit.possible == [Cause::Concurrency])
}

/// Whether experiments can separate anything: not where this host was the limit, the rate still rose, or a part of
/// the I/Os was served by a cache.
fn is_worth_asking(points: &[PointResult], curve: &DepthCurve) -> bool {
    curve.plateau()
        && causes::of_the_host(curve).is_none()
        && cached::of_a_cache(points, curve).is_none()
}
