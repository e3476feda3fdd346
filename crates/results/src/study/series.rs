//! Curves found in a set of points by their settings alone, so that any run whose stages differ only in
//! depth or in mix gets its curve, whatever wrote the plan.

pub(super) use super::alike::family_of;
use super::alike::{is_at_another_depth, is_confirmation};
use super::levels::{change_within, fell_to, is_apart};
pub use super::lone::LoneLatency;
use super::lone::{alone, is_enough, rests_show_credits};
use crate::stats::{Interval, useful_concurrency};
use crate::summary::measured::{MANY, PointResult, Setting};
use crate::words::{about, iops_within, span_within};
use leadline_model::units::Percent;

/// The first part of the name of the point that only looks for a fall of the rate.
pub const SUSTAIN: &str = "sustain";
/// The first part of the names of a survey's mix, whose ends are measured at a depth of its own and make no curve.
const MIX: &str = "mix/";
/// A step that gains less than this share is no gain.
pub const GAIN: f64 = 0.05;
/// The last doubling of a rise that nothing holds up gains at least this.
pub(super) const FREE: f64 = 1.8;

/// Whether a curve has stopped rising.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rise {
    /// More depth does not raise the rate.
    Ended,
    /// The last step brought almost nothing, and one step is not yet an end.
    Unsure,
    /// The last step gained, but not beyond the 95 % intervals of both depths.
    NotShown,
    /// The last step still gained.
    GoesOn,
}

/// Throughput against queue depth; all else equal.
#[derive(Clone, Debug)]
pub struct DepthCurve {
    /// The setting of the first point; its depth means nothing.
    pub setting: Setting,
    /// The points by rising depth, at least three.
    pub points: Vec<PointResult>,
    /// Where it stops rising: the last point that gained 5 % over the best before it.
    pub knee: usize,
    /// What one such I/O takes that waits for no other, where that was measured. Of fewer than ten I/Os it is not known: a
    /// single read that waits for the writes before it says nothing about those that follow.
    pub alone: Option<LoneLatency>,
    /// Such an I/O was measured at another level of the volume than the curve, so that `alone` is not known.
    pub alone_of_another: bool,
    /// The best point once more, where it agrees with the first time: the highest of several points is high by chance. Also
    /// where it has less because credits were spent late: then it has the rate that lasts.
    pub confirmed: Option<PointResult>,
    /// Of a curve that was measured again, the credits were spent in its deepest point or after it: `confirmed` alone has the
    /// rate that lasts.
    pub spent_late: bool,
    /// The best point once more, where it has another rate than the first time.
    pub contradicted: Option<PointResult>,
    /// The best point of an earlier curve of the same setting, where the rate changed after it and this is another.
    pub earlier: Option<PointResult>,
    /// Rounds of experiments that were made on the earlier curve; 0 without one.
    pub earlier_rounds: u32,
}

/// The first part of the names of points of a curve that is measured again.
pub const SECOND_CURVE: &str = "depth-2/";

impl DepthCurve {
    /// The highest throughput, I/Os a second.
    #[must_use]
    pub fn best(&self) -> f64 {
        self.best_point().iops()
    }

    /// The point with the highest throughput while the target was at work, the first of several. Of a curve that was
    /// measured again because the rate had changed, the deepest: at a low depth credits gather that are spent at the
    /// next.
    #[must_use]
    pub fn best_point(&self) -> &PointResult {
        if self.earlier.is_some() {
            return &self.points[self.points.len() - 1];
        }
        let rates = self.points.iter().map(PointResult::working_iops);
        let (best, _) =
            (rates.enumerate()).fold(
                (0, 0.0),
                |best, (index, rate)| {
                    if rate > best.1 { (index, rate) } else { best }
                },
            );
        &self.points[best]
    }

    /// The point at whose depth the highest rate is measured once more: the best one, but of a quota in slices not the first of
    /// the curve where the next is as fast. The least depth is at work between the slices, so that its rate follows the latency
    /// of each I/O, and that of a deeper queue the quota alone.
    #[must_use]
    pub fn to_confirm(&self) -> &PointResult {
        /// Less than this share is no difference.
        const AS_FAST: f64 = 0.99;
        let (best, next) = (self.best_point(), self.points.get(1));
        let next = next.filter(|_| best.stage == self.points[0].stage && self.is_in_slices());
        let next = next.filter(|p| p.working_iops() >= AS_FAST * best.working_iops());
        next.unwrap_or(best)
    }

    /// The point of one such I/O alone in flight, among all that were measured.
    #[must_use]
    pub fn alone_point<'a>(&self, points: &'a [PointResult]) -> Option<&'a PointResult> {
        alone(points, &self.setting, self.since())
    }

    /// The stage of the first point that may be of the curve's level of the volume: where the rate changed and the curve was
    /// measured again, no earlier one is.
    pub(super) fn since(&self) -> u32 {
        let earlier = self.earlier.as_ref();
        earlier.map_or(0, |_| first_stage(&self.points))
    }

    /// Whether a point would be one of the curve's if an I/O had ended in it.
    #[must_use]
    pub fn lacks(&self, point: &PointResult) -> bool {
        point.figures.data.ios == 0 && self.is_at_another_depth(point)
    }

    /// Whether a point differs from the curve's in depth at most.
    #[must_use]
    pub fn is_at_another_depth(&self, point: &PointResult) -> bool {
        is_at_another_depth(&self.setting, &point.setting)
    }

    /// The point at the knee.
    #[must_use]
    pub fn at_knee(&self) -> &PointResult {
        &self.points[self.knee]
    }

    /// The least depth that was measured with nine tenths of the highest throughput. From there to the knee latency grows
    /// more than throughput; while the throughput still rises, the deepest.
    #[must_use]
    pub fn to_use(&self) -> &PointResult {
        /// Nine tenths.
        const ENOUGH: f64 = 0.9;
        let headline = self.headline_point();
        let enough = self.points.iter().find(|p| self.share(p) >= ENOUGH);
        enough.filter(|_| self.plateau()).unwrap_or(headline)
    }

    /// Whether the target does its I/Os in slices, quickly and then none, and is idle for longer the deeper the queue
    /// is: so a quota is given out, to a load that exceeds it. How many it does at once is no limit then, and what stalls by itself is idle as
    /// long at all depths.
    #[must_use]
    pub fn is_in_slices(&self) -> bool {
        /// The deepest point is idle for more of the time by this share at the least: than the first of the plateau, or, by
        /// latencies, than the first of the curve, which may stay below the quota.
        const MORE: f64 = 0.08;
        /// At least this share of the time: less are occasional stalls.
        const MOSTLY: f64 = 0.1;
        let Some(deepest) = self.points.last() else {
            return false;
        };
        let is_more = |idle: f64, least: f64| idle >= MOSTLY && idle - least >= MORE;
        let (of_first, of_use) = (self.points[0].held.share, self.to_use().held.share);
        // Intervals as long as the time between two slices are never empty; latencies show that time then.
        (deepest.idle_times() >= MANY && is_more(deepest.idle_share(), self.to_use().idle_share()))
            || (deepest.held.times >= MANY as f64
                && is_more(deepest.held.share, of_first.min(of_use)))
    }

    /// What a point brings for good, I/Os a second, and its mean latency in seconds. A rate that was paid with what credits
    /// came back is cut to the one that stays; the latency at that follows from Little's law.
    #[must_use]
    pub fn lasting(&self, point: &PointResult) -> (f64, f64) {
        let best = self.lasting_point().working_iops();
        match self.is_paid_with_credits(point) {
            true => (best, point.in_flight as f64 / best),
            false => (point.iops(), point.mean_latency_s()),
        }
    }

    /// Whether a point of a curve that was measured again is faster than what stays: with credits that came back.
    #[must_use]
    pub fn is_paid_with_credits(&self, point: &PointResult) -> bool {
        let best = self.lasting_point().working_iops();
        self.earlier.is_some() && point.working_iops() > best * (1.0 + GAIN)
    }

    /// The point whose rate stays.
    fn lasting_point(&self) -> &PointResult {
        let late = self.confirmed.as_ref().filter(|_| self.spent_late);
        late.unwrap_or(self.best_point())
    }

    /// The highest rate while the target was at work, I/Os a second: that of the run that confirms it where there is one, since
    /// the highest of several points is high by chance.
    #[must_use]
    pub fn reached(&self) -> f64 {
        self.confirmed_best().working_iops()
    }

    /// The point whose rate that is.
    #[must_use]
    pub fn confirmed_best(&self) -> &PointResult {
        self.confirmed.as_ref().unwrap_or(self.best_point())
    }

    /// A point as it is said: where the best one was confirmed at its depth, that run.
    #[must_use]
    pub fn said<'a>(&'a self, point: &'a PointResult) -> &'a PointResult {
        let confirmed = self.confirmed.as_ref();
        let at_it = confirmed.filter(|again| again.setting.depth == point.setting.depth);
        at_it.unwrap_or(point)
    }

    /// Whether the rates of a point and of the curve are compared without the stalls of one of them.
    #[must_use]
    pub fn is_between_stalls(&self, point: &PointResult) -> bool {
        [point, self.confirmed_best()]
            .iter()
            .any(|p| p.iops_between().is_some())
    }

    /// The share that a point reaches of the highest rate, 0 to 1: more than all of it is chance, or credits. Where one of them is
    /// the rate between stalls, so is the other, also of a point whose stalls are too frequent for that elsewhere.
    #[must_use]
    pub fn share(&self, point: &PointResult) -> f64 {
        let rate = |p: &PointResult| self.beside_stalls(p, point);
        (rate(point) / rate(self.confirmed_best()).max(1e-9)).min(1.0)
    }

    /// I/Os a second of one of two that are compared, the best point and `point`.
    fn beside_stalls(&self, one: &PointResult, point: &PointResult) -> f64 {
        let stalls = one
            .stalls
            .as_ref()
            .filter(|_| self.is_between_stalls(point));
        stalls.map_or_else(|| one.working_iops(), |stalls| stalls.iops)
    }

    /// I/Os a second of a point between its stalls with their interval, where [`DepthCurve::share`] is of that and it is another
    /// rate than the mean.
    #[must_use]
    pub fn between_stalls(&self, point: &PointResult) -> Option<Interval> {
        let (mean, rate) = (point.iops(), self.beside_stalls(point, point));
        let is_other = rate > mean && about(rate) != about(mean);
        let known = point.figures.data.iops_known();
        is_other.then(|| known.scaled(rate / known.value.max(1e-9)))
    }

    /// Whether the throughput has stopped rising: two deeper points gained less than 5 %, or the deepest lost
    /// as much.
    #[must_use]
    pub fn plateau(&self) -> bool {
        let deepest = self.points.last().map_or(0.0, PointResult::working_iops);
        let best = self.best_point().working_iops();
        self.points.len() >= self.knee + 3 || deepest < best * (1.0 - GAIN)
    }

    /// Whether the rise has ended. All that is said of it follows from this.
    #[must_use]
    pub fn rise(&self) -> Rise {
        if self.plateau() {
            Rise::Ended
        } else if self.knee + 1 < self.points.len() {
            Rise::Unsure
        } else if self.is_last_step_shown() {
            Rise::GoesOn
        } else {
            Rise::NotShown
        }
    }

    /// Whether the intervals of the last two rates do not overlap; also where one has none.
    fn is_last_step_shown(&self) -> bool {
        let mut last = self.points.iter().rev();
        let mut interval = || last.next().and_then(|p| p.figures.data.certainty.iops);
        match (interval(), interval()) {
            (Some(deepest), Some(before)) => deepest.low > before.high,
            _ => true,
        }
    }

    /// What the last step of depth brought: `gained nothing`, `gained 11 %`.
    #[must_use]
    pub fn last_step(&self) -> String {
        let at = |back: usize| {
            self.points
                .iter()
                .rev()
                .nth(back)
                .map_or(0.0, PointResult::working_iops)
        };
        match (at(0) / at(1).max(1e-9) - 1.0) * 100.0 {
            gain if gain < 0.5 => "gained nothing".to_owned(),
            gain => format!("gained {gain:.0} %"),
        }
    }

    /// The point that headlines show: the knee, or, while the throughput still rises, the deepest there is.
    #[must_use]
    pub fn headline_point(&self) -> &PointResult {
        match self.points.last() {
            Some(deepest) if !self.plateau() => deepest,
            _ => self.at_knee(),
        }
    }

    /// Useful concurrency N* = `X_max` * R0 (Little's law), R0 the mean latency of one I/O alone; `None`
    /// when that was not measured. It is a lower bound, so no more than a depth at which that rate was reached.
    #[must_use]
    pub fn useful_concurrency(&self) -> Option<f64> {
        self.useful_within().map(|n| n.value)
    }

    /// The rate `X_max` of it, I/Os a second: with the stalls that the latency of one alone includes as well, or without the few
    /// that this leaves out.
    #[must_use]
    pub fn useful_rate(&self) -> Option<Interval> {
        let (best, alone) = (self.confirmed_best(), self.alone?);
        let known = best.figures.data.iops_known();
        Some(match alone.between_stalls && known.value > 0.0 {
            true => known.scaled(best.iops_between_stalls() / known.value),
            false => known,
        })
    }

    /// The same with its interval, which has both errors; the value alone where one of them is not known. Where one I/O at a time
    /// reached the rate and may have waited for a limit, fewer may be needed, down to none.
    #[must_use]
    pub fn useful_within(&self) -> Option<Interval> {
        /// Practically all of it.
        const ALL: f64 = 0.99;
        let (rate, alone) = (self.useful_rate()?, self.alone?.mean_s);
        let within = useful_concurrency(&rate, &alone);
        let mut reached = self.points.iter();
        let reached = reached.find(|p| p.working_iops() >= ALL * self.reached());
        let most = reached.map_or(f64::INFINITY, |p| p.in_flight as f64);
        let low = match self.alone_may_wait() {
            true => 0.0,
            false => within.low,
        };
        (within.value > 0.0).then(|| Interval { low, ..within }.at_most(most))
    }

    /// Whether the latency of one alone may be that of a limit ([`LoneLatency::may_wait_for`]). Where deeper points were paid with
    /// credits, so was the one before them, and no limit below their rate made it wait.
    pub(super) fn alone_may_wait(&self) -> bool {
        let paid = self.points.iter().filter(|p| self.is_paid_with_credits(p));
        let highest = paid.map(PointResult::iops);
        let highest = highest.fold(self.confirmed_best().iops(), f64::max);
        self.alone.is_some_and(|alone| alone.may_wait_for(highest))
    }

    /// I/Os a second of a point with their interval, and its latencies, each by its name: of a rate that was paid with
    /// credits what stays of it.
    #[must_use]
    pub fn words(&self, point: &PointResult) -> (String, String) {
        let (iops, latency_s) = self.lasting_within(point);
        match iops.value < point.iops() {
            true => {
                let mean = span_within(&latency_s.scaled(1e9));
                (iops_within(&iops), format!("mean {mean} by Little's law"))
            }
            false => (point.iops_words(), point.latency_words()),
        }
    }

    /// The same as [`DepthCurve::lasting`] with intervals.
    #[must_use]
    pub fn lasting_within(&self, point: &PointResult) -> (Interval, Interval) {
        let (iops, latency_s) = self.lasting(point);
        match iops < point.iops() {
            // What is in flight is exact: the latency is as far off as the rate.
            true => {
                let rate = self.lasting_point().working_known();
                let latency = rate.scaled(latency_s / rate.value.max(1e-9));
                (rate, latency)
            }
            false => {
                let data = &point.figures.data;
                (data.iops_known(), data.mean_known().scaled(1e-9))
            }
        }
    }
}

/// The stage of the first of some points; 0 without any.
fn first_stage(points: &[PointResult]) -> u32 {
    points.iter().map(|p| p.stage).min().unwrap_or(0)
}

/// Whether one I/O alone was measured at the level of the volume that the other depths of a curve have: its own rate did
/// not change its level, and none of those that were measured later is slower than it, or faster than Little's law allows,
/// which a deeper queue alone makes none.
fn is_of_one_level(alone: &PointResult, curve: &[PointResult]) -> bool {
    /// Less of the rate of one alone is another level.
    const SLOWER: f64 = 0.8;
    /// So much more than each I/O in flight brings at the latency of one alone is another level too.
    const FASTER: f64 = 1.5;
    let one = alone.working_iops();
    let known = alone.working_known().high;
    let most_known = |p: &PointResult| known * p.in_flight as f64 / alone.in_flight.max(1) as f64;
    let is_of_another = |p: &&PointResult| {
        let most = one * p.in_flight as f64 / alone.in_flight.max(1) as f64;
        let rate = p.working_iops();
        p.in_flight > alone.in_flight
            && (rate < SLOWER * one && is_apart(p, alone)
                || rate > FASTER * most && p.working_known().low > most_known(p))
    };
    let mut later = curve.iter().filter(|p| p.stage > alone.stage);
    change_within(alone).is_none() && later.find(is_of_another).is_none()
}

impl DepthCurve {
    /// With the last point that measures its best one once more.
    fn measured_again(mut self, points: &[PointResult]) -> Self {
        let is_one = |p: &&PointResult| {
            is_confirmation(&p.name) && self.is_at_another_depth(p) && p.stage >= self.since()
        };
        let last = points.iter().rfind(is_one);
        let Some(last) = last.filter(|last| last.figures.data.ios > 0) else {
            return self;
        };
        if self.is_spent_by(points, last) {
            (self.spent_late, self.confirmed) = (true, Some(last.clone()));
            return self;
        }
        match last.agrees_with(self.best_point()) {
            true => self.confirmed = Some(last.clone()),
            false => self.contradicted = Some(last.clone()),
        }
        self
    }

    /// With the knee of the rates that stay, where credits that came back paid for points.
    fn without_credits(mut self) -> Self {
        if self.points.iter().any(|p| self.is_paid_with_credits(p)) {
            let left = self.lasting_point().working_iops();
            let rates = self.points.iter().map(|p| p.working_iops().min(left));
            self.knee = knee_of(&rates.collect::<Vec<_>>());
        }
        self
    }

    /// Whether credits that a rest brought back paid for the deepest point of a curve that was measured again, in whole or in
    /// part, and were spent by the run that measures it once more.
    fn is_spent_by(&self, points: &[PointResult], again: &PointResult) -> bool {
        let (deepest, left) = (self.best_point(), again.working_iops());
        let is_above = |p: &PointResult| p.working_iops() > left * (1.0 + GAIN);
        self.earlier.as_ref().is_some_and(is_above)
            && is_above(deepest)
            && (is_apart(deepest, again) || fell_to(deepest, again))
            && rests_show_credits(points, &self.setting, left)
    }
}

/// The number of the last round of experiments that was begun before a stage; 0 without any.
fn rounds_before(points: &[PointResult], stage: u32) -> u32 {
    let before = points.iter().filter(|p| p.stage < stage);
    let begun = before.filter(|p| is_confirmation(&p.name));
    begun.map(|p| family_of(&p.name).1).max().unwrap_or(0)
}

/// Throughput against the share of reads; all else equal.
#[derive(Clone, Debug)]
pub struct MixSeries {
    /// The setting of the first point; its share of reads means nothing.
    pub setting: Setting,
    /// The points from reads only to writes only, at least three.
    pub points: Vec<PointResult>,
}

/// Index of the last point that gained [`GAIN`] over the best before it.
#[must_use]
pub fn knee_of(rates: &[f64]) -> usize {
    let mut best = 0.0;
    let mut knee = 0;
    for (i, &rate) in rates.iter().enumerate() {
        if i > 0 && rate >= best * (1.0 + GAIN) {
            knee = i;
        }
        best = f64::max(best, rate);
    }
    knee
}

/// The depth curves among `points`: groups that differ in depth only, of three depths or more. Those of reads come first: an
/// answer of one curve is of reads, as it is where only these have one.
#[must_use]
pub fn depth_curves(points: &[PointResult]) -> Vec<DepthCurve> {
    let mut curves: Vec<DepthCurve> = groups(points, is_at_another_depth)
        .into_iter()
        .filter_map(|mut group| {
            let (again, first): (Vec<_>, Vec<_>) = group
                .into_iter()
                .filter(|p| !p.name.starts_with(SUSTAIN) && !p.name.starts_with(MIX))
                .partition(|p| p.name.starts_with(SECOND_CURVE));
            let earlier = first
                .iter()
                .filter(|_| !again.is_empty())
                .max_by(|a, b| a.working_iops().total_cmp(&b.working_iops()))
                .cloned();
            group = if again.is_empty() { first } else { again };
            group.sort_by_key(|p| p.setting.depth);
            group.dedup_by_key(|p| p.setting.depth);
            let rates: Vec<f64> = group.iter().map(PointResult::working_iops).collect();
            let setting = &group.first()?.setting;
            let since = earlier.as_ref().map_or(0, |_| first_stage(&group));
            let lone = alone(points, setting, since).filter(is_enough);
            let alone_of_another = lone.is_some_and(|lone| !is_of_one_level(lone, &group));
            let alone = LoneLatency::of(points, setting, since).filter(|_| !alone_of_another);
            let alone = match &earlier {
                Some(_) => alone.map(|alone| alone.unless_paced(points, &group)),
                None => alone,
            };
            (group.len() >= 3 && group[0].setting.engine.is_async()).then(|| DepthCurve {
                setting: group[0].setting.clone(),
                knee: knee_of(&rates),
                alone,
                alone_of_another,
                confirmed: None,
                spent_late: false,
                contradicted: None,
                points: group,
                earlier_rounds: earlier.as_ref().map_or(0, |_| rounds_before(points, since)),
                earlier,
            })
        })
        .map(|curve| curve.measured_again(points).without_credits())
        .collect();
    curves.sort_by_key(|curve| curve.setting.read_percent != Some(Percent::ALL));
    curves
}

/// The mixes among `points`: groups that differ in the share of reads only, of three shares or more.
#[must_use]
pub fn mixes(points: &[PointResult]) -> Vec<MixSeries> {
    let same = |a: &Setting, b: &Setting| {
        let read_percent = a.read_percent;
        *a == Setting {
            read_percent,
            ..b.clone()
        }
    };
    groups(points, same)
        .into_iter()
        .filter_map(|mut group| {
            group.retain(|p| p.setting.read_percent.is_some());
            group.sort_by_key(|p| std::cmp::Reverse(p.setting.read_percent));
            group.dedup_by_key(|p| p.setting.read_percent);
            (group.len() >= 3).then(|| MixSeries {
                setting: group[0].setting.clone(),
                points: group,
            })
        })
        .collect()
}

fn groups(
    points: &[PointResult],
    same: impl Fn(&Setting, &Setting) -> bool,
) -> Vec<Vec<PointResult>> {
    let mut groups: Vec<Vec<PointResult>> = Vec::new();
    for point in points
        .iter()
        .filter(|p| !p.setting.paced && p.setting.think.is_none() && p.figures.data.ios > 0)
    {
        match groups
            .iter_mut()
            .find(|g| same(&g[0].setting, &point.setting))
        {
            Some(group) => group.push(point.clone()),
            None => groups.push(vec![point.clone()]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use leadline_model::op::Op;
    use leadline_model::plan::OpMix;

    /// The curve of stages, each with its depth and I/Os a second.
    fn curve_of(stages: &[(&str, u32, u64)]) -> DepthCurve {
        let planned = stages.iter().map(|(name, depth, _)| {
            let own = fixture::workload("w", OpMix::reads(), 4096, *depth, 10);
            (*name, vec![own])
        });
        let plan = fixture::plan(planned.collect());
        let loads = stages.iter().map(|(_, depth, ios)| {
            let taken = u64::from(*depth) * 1_000_000_000 / ios;
            vec![Load::simple(Op::Read, *ios, 4096, taken, 10)]
        });
        let loads: Vec<Vec<Load>> = loads.collect();
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        let mut curves = depth_curves(&crate::summary::summarize(&run).points(&run));
        curves.swap_remove(0)
    }

    #[test]
    fn the_knee_is_the_last_step_that_gained() {
        assert_eq!(knee_of(&[]), 0);
        assert_eq!(knee_of(&[100.0]), 0);
        assert_eq!(knee_of(&[100.0, 200.0, 380.0, 390.0, 391.0]), 2);
        assert_eq!(knee_of(&[100.0, 90.0, 80.0]), 0);
        // A dip that recovers to the old best is no gain.
        assert_eq!(knee_of(&[100.0, 50.0, 100.0, 104.0]), 0);
    }

    /// Of 3,000, 6,000, 12,000, 6,000, 6,000 a second the third was paid with credits: what stays needs no more than depth 2, whether
    /// the run after them agrees with the deepest, is another or is not there.
    #[test]
    fn the_knee_of_a_curve_that_credits_paid_for_in_part_is_of_the_rate_that_stays() {
        for confirmed in [None, Some(6000), Some(5000)] {
            let mut all = vec![
                ("iops/a", 32, 12_000),
                ("depth/a", 1, 3000),
                ("depth/b", 2, 6000),
                ("confirm/a", 32, 6000),
                ("depth-2/a", 1, 3000),
                ("depth-2/b", 2, 6000),
                ("depth-2/c", 4, 12_000),
                ("depth-2/d", 8, 6000),
                ("depth-2/e", 32, 6000),
            ];
            all.extend(confirmed.map(|ios| ("confirm-2/e", 32, ios)));
            assert_eq!(curve_of(&all).at_knee().setting.depth, 2, "{confirmed:?}");
        }
    }

    #[test]
    fn the_depth_of_what_more_depth_adds_is_said_once() {
        let stages = [
            ("a", 1, 2000),
            ("b", 2, 3800),
            ("c", 4, 3850),
            ("d", 8, 3900),
        ];
        let curve = curve_of(&stages);
        let added = "adds latency, and at most 2.6 % to the rate";
        assert_eq!(curve.beyond_knee(), format!("{added}, at depth 8"));
        assert_eq!(curve.beyond_knee_before("depth 8"), added);
        assert_eq!(
            curve.beyond_knee_before("depth 16"),
            format!("{added}, at depth 8")
        );
    }
}
