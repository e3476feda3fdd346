//! Slices of an interval as the interval that they are, for whoever shows intervals: a run, or its events one by one.
//!
//! Belongs here: which slices are one interval, and when it is over. Must never: join what two intervals are, or the warm-up
//! with the window; change anything but samples.

use crate::coarse::{absorb, absorb_point};
use crate::run::Run;
use leadline_model::event::Event;
use leadline_model::plan::Plan;
use leadline_model::sample::{Sample, WorkerTotals};
use leadline_model::units::Nanos;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

impl Run {
    /// The run with a sample for each interval of its plan, where it has one for each slice.
    #[must_use]
    pub fn in_intervals(&self) -> Cow<'_, Self> {
        let cuts = self.cuts();
        if cuts == 1 {
            return Cow::Borrowed(self);
        }
        let mut run = self.clone();
        run.plan.iter_mut().for_each(|plan| plan.slices = 1);
        for stage in &mut run.stages {
            let of_sample = |s: &Sample| (s.workload, s.warmup, s.interval / cuts);
            stage.samples = joined(std::mem::take(&mut stage.samples), of_sample, absorb);
            stage.samples.iter_mut().for_each(|s| s.interval /= cuts);
            let of_point =
                |p: &crate::run::HostPoint| (p.host, p.workload, p.warmup, p.interval / cuts);
            stage.points = joined(std::mem::take(&mut stage.points), of_point, absorb_point);
            stage.points.iter_mut().for_each(|p| p.interval /= cuts);
            stage.merged.clear();
            stage.level = stage.level.saturating_sub(1);
        }
        Cow::Owned(run)
    }
}

impl Run {
    /// Drops what is known of intervals of its stage under way that are not over `at` so long after the stage's start, where
    /// an interval comes in slices.
    pub fn forget_unfinished(&mut self, at: Nanos) {
        let (cuts, interval) = match &self.plan {
            Some(plan) if plan.cuts() > 1 => (plan.cuts(), plan.interval.0),
            _ => return,
        };
        let over = at.0 / interval.max(1);
        for stage in self.stages.iter_mut().filter(|stage| stage.end.is_none()) {
            stage.samples.retain(|s| s.interval / cuts < over);
            stage.points.retain(|p| p.interval / cuts < over);
            stage.merged.clear();
        }
    }
}

/// Those with the same key as one, at the place of the first.
fn joined<T, K: Eq + Hash>(
    parts: Vec<T>,
    key: impl Fn(&T) -> K,
    join: impl Fn(&mut T, &T),
) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    let mut places = HashMap::new();
    for part in parts {
        let place = *places.entry(key(&part)).or_insert(all.len());
        match all.get_mut(place) {
            Some(first) => join(first, &part),
            None => all.push(part),
        }
    }
    all
}

/// Passes events on with a sample for each interval, where they come with one for each slice. Everything else is passed on
/// as it comes, and an interval when its last slice has come, or the end of its workload.
#[derive(Debug, Default)]
pub struct Intervals {
    /// By host and workload: the interval that is not over.
    open: BTreeMap<(u32, u32), Sample>,
    /// And the workers that have ended.
    ended: BTreeMap<(u32, u32), u32>,
}

impl Intervals {
    /// Takes an event of a run of `plan`, and passes on what is over with it.
    pub fn pass(&mut self, plan: Option<&Plan>, event: &Event, on: &mut dyn FnMut(&Event)) {
        let Some(plan) = plan.filter(|plan| plan.cuts() > 1) else {
            return on(event);
        };
        match event {
            Event::Interval(sample) => return self.sample(plan, sample, on),
            Event::WorkerEnded(totals) => self.worker(plan, totals, on),
            Event::StageStarted { .. } | Event::StageEnded { .. } | Event::RunEnded { .. } => {
                for sample in std::mem::take(&mut self.open).into_values() {
                    close(plan, sample, on);
                }
                self.ended.clear();
            }
            _ => {}
        }
        on(event);
    }

    fn sample(&mut self, plan: &Plan, sample: &Sample, on: &mut dyn FnMut(&Event)) {
        let (place, cuts) = ((sample.host, sample.workload), plan.cuts());
        let part_of = |s: &Sample| (s.interval / cuts, s.warmup);
        let whole = match self.open.remove(&place) {
            Some(mut open) if part_of(&open) == part_of(sample) => {
                absorb(&mut open, sample);
                open
            }
            before => {
                before.into_iter().for_each(|open| close(plan, open, on));
                sample.clone()
            }
        };
        if (sample.interval + 1).is_multiple_of(cuts) {
            close(plan, whole, on);
        } else {
            self.open.insert(place, whole);
        }
    }

    /// With the last worker of a workload its last interval is over.
    fn worker(&mut self, plan: &Plan, totals: &WorkerTotals, on: &mut dyn FnMut(&Event)) {
        let place = (totals.host, totals.workload);
        let ended = self.ended.entry(place).or_default();
        *ended += 1;
        let stage = plan.stages.get(totals.stage as usize);
        let workload = stage.and_then(|stage| stage.workloads.get(totals.workload as usize));
        if workload.is_none_or(|workload| *ended >= workload.clones) {
            let last = self.open.remove(&place);
            last.into_iter().for_each(|open| close(plan, open, on));
        }
    }
}

fn close(plan: &Plan, mut whole: Sample, on: &mut dyn FnMut(&Event)) {
    whole.interval /= plan.cuts();
    on(&Event::Interval(Box::new(whole)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, run_of};

    /// The fixture's events, its seconds being slices: four are an interval.
    fn in_slices(mut events: Vec<Event>) -> Vec<Event> {
        for event in &mut events {
            if let Event::RunStarted { plan, .. } = event {
                (plan.interval, plan.slices) = (Nanos::from_secs(4), 4);
            }
        }
        events
    }

    /// What is passed on of these events.
    fn passed(events: &[Event]) -> Vec<Event> {
        let (mut intervals, mut run, mut all) = (Intervals::default(), Run::default(), Vec::new());
        for event in events {
            run.apply(event);
            intervals.pass(run.plan.as_ref(), event, &mut |event| {
                all.push(event.clone())
            });
        }
        all
    }

    type Part = (u32, u32, u64, bool, u64, u64);

    fn parts(samples: &[Sample]) -> Vec<Part> {
        let of = |s: &Sample| {
            let data = s.counts.data();
            let by_worker = s.workers.iter().map(|w| w.0).sum::<u64>();
            assert!(s.workers.is_empty() || by_worker == data.ios);
            (
                s.workload,
                s.host,
                s.interval,
                s.warmup,
                s.start.0 / 1_000_000_000,
                s.length.0 / 1_000_000_000,
            )
        };
        samples.iter().map(of).collect()
    }

    #[test]
    fn slices_of_an_interval_are_one_and_the_warm_up_stays_apart() {
        let events = in_slices(fixture::events());
        let run = run_of(&events);
        let shown = run.in_intervals();
        let stage = &shown.stages[0];
        // One workload, eight seconds, the first of which is warm-up.
        assert_eq!(
            parts(&stage.samples),
            [
                (0, 0, 0, true, 0, 1),
                (0, 0, 0, false, 1, 3),
                (0, 0, 1, false, 4, 4)
            ]
        );
        let ios = |run: &Run| -> u64 {
            let samples = run.stages.iter().flat_map(|s| &s.samples);
            samples.map(|s| s.counts.data_ios()).sum()
        };
        assert_eq!(ios(&shown), ios(&run));
        assert_eq!(
            shown.plan.as_ref().map(Plan::slice),
            Some(Nanos::from_secs(4))
        );
        // The last one is short, and all else is as it was.
        let last = shown.stages[1].samples.last().unwrap();
        assert_eq!((last.interval, last.length), (1, Nanos::SECOND));
        assert_eq!(shown.stages[0].workers, run.stages[0].workers);
        assert_eq!(shown.findings, run.findings);
    }

    #[test]
    fn a_run_of_whole_intervals_is_the_same() {
        let run = fixture::run();
        assert!(matches!(run.in_intervals(), Cow::Borrowed(_)));
        let events = fixture::events();
        assert_eq!(passed(&events), events);
    }

    #[test]
    fn what_is_shown_of_a_stage_under_way_ends_with_a_whole_interval() {
        let events = in_slices(fixture::events());
        let before_end = events
            .iter()
            .take_while(|e| !matches!(e, Event::StageEnded { .. }));
        let mut run = run_of(&before_end.cloned().collect::<Vec<_>>());
        run.forget_unfinished(Nanos::from_secs(7));
        assert!(run.stages[0].samples.iter().all(|s| s.interval < 4));
        assert_eq!(run.in_intervals().stages[0].samples.len(), 2);
    }

    #[test]
    fn events_and_the_run_are_joined_alike() {
        for events in [fixture::events(), fixture::hosts_events()] {
            let events = in_slices(events);
            let all = passed(&events);
            let count = |events: &[Event]| {
                let is = |e: &&Event| !matches!(e, Event::Interval(_));
                events.iter().filter(is).count()
            };
            assert_eq!(count(&all), count(&events));
            let (live, kept) = (run_of(&all), run_of(&events));
            let kept = kept.in_intervals();
            for (live, kept) in live.stages.iter().zip(&kept.stages) {
                let sorted = |samples: &[Sample]| {
                    let mut all = parts(samples);
                    all.sort_unstable();
                    all
                };
                assert_eq!(sorted(&live.samples), sorted(&kept.samples));
                assert_eq!(live.points.len(), kept.points.len());
            }
        }
    }

    #[test]
    fn the_last_interval_precedes_the_end_of_its_last_worker() {
        let all = passed(&in_slices(fixture::events()));
        let workload = |e: &Event| match e {
            Event::Interval(s) => Some((s.stage, s.workload, false)),
            Event::WorkerEnded(w) => Some((w.stage, w.workload, true)),
            _ => None,
        };
        let order: Vec<_> = all.iter().filter_map(workload).collect();
        for (at, &(stage, number, _)) in order.iter().enumerate().filter(|(_, o)| !o.2) {
            let ends = order.iter().rposition(|o| *o == (stage, number, true));
            assert!(ends.is_none_or(|end| at < end), "{order:?}");
        }
    }
}
