//! Studies whose points are every combination of what is varied: latency, IOPS, throughput, mix, depth, size.
//!
//! Belongs here: the combinations, their order, and which are measured again. Must never: what they mean.

use super::answer::Answer;
use super::combinations::{coordinates, first_open, loads, point, shuffle};
use super::done::Measured;
use super::own_depth::OwnDepth;
use super::pacing::Room;
use super::spec::Spec;
use super::{Search, alone, depth, flat, mix, size};
use leadline_model::plan::study::{Coordinates, Question, Study};
use leadline_model::seed::{Purpose, SplitMix, derive};

/// The combinations of one repeat.
pub(super) struct Grid<'a> {
    study: &'a Study,
    repeat: u32,
}

impl<'a> Grid<'a> {
    pub(super) const fn new(study: &'a Study, repeat: u32) -> Self {
        Self { study, repeat }
    }

    /// All combinations: in their order, or, where everything is measured several times, shuffled again in each repeat
    /// (randomised complete blocks). Where the answer needs one I/O alone, that is measured as well.
    fn all(&self) -> Vec<Spec> {
        let alone = match self.study.question {
            Question::Mix => mix::alone(self.study),
            Question::Size | Question::Depth => {
                alone::beside(self.study, loads(self.study).into_iter())
            }
            _ => Vec::new(),
        };
        let combinations = loads(self.study).into_iter();
        let points = combinations.map(|load| point(load, self.study));
        let mut all: Vec<Spec> = alone.into_iter().chain(points).collect();
        if self.study.repeats > 1 {
            let seed = derive(self.study.seed, Purpose::StudyOrder, u64::from(self.repeat));
            shuffle(&mut all, &mut SplitMix::new(seed));
        }
        all
    }
}

impl Grid<'_> {
    /// Points in the order in which they were asked for, whatever the order in which they were measured; those that
    /// were not requested are last.
    fn as_asked<'m>(&self, done: &[&'m Measured]) -> Vec<&'m Measured> {
        let asked: Vec<Coordinates> = loads(self.study).iter().map(coordinates).collect();
        let place = |m: &&Measured| {
            let is_it = |at: &Coordinates| {
                at.iter()
                    .all(|(axis, own)| m.point.at.get(axis) == Some(own))
            };
            asked.iter().position(is_it).unwrap_or(asked.len())
        };
        let mut ordered = done.to_vec();
        if self.study.repeats > 1 {
            ordered.sort_by_cached_key(place);
        }
        ordered
    }
}

impl Search for Grid<'_> {
    fn next(&self, done: &[&Measured], room: Room) -> Option<Spec> {
        first_open(self.all(), done).or_else(|| match self.study.question {
            Question::Depth => {
                let paused = depth::paused(self.study, done);
                let more = paused.or_else(|| depth::again(self.study, done));
                more.filter(|spec| room.holds(spec))
            }
            _ => None,
        })
    }

    fn outlook(&self) -> Vec<Spec> {
        self.all()
    }

    fn most(&self) -> Option<usize> {
        let more = match self.study.question {
            Question::Depth => depth::most_added(self.study),
            _ => 0,
        };
        Some(self.all().len() + more)
    }

    fn answer(&self, done: &[&Measured]) -> Answer {
        let done = &*self.as_asked(done);
        match self.study.question {
            Question::Mix => mix::answer(self.study, done),
            Question::Depth => depth::answer(self.study, done),
            Question::Size => size::answer(self.study, done),
            Question::Throughput => flat::throughput(done),
            Question::Iops => flat::iops(done),
            _ => flat::latency(done),
        }
    }

    fn own_depths(&self, done: &[&Measured]) -> Vec<OwnDepth> {
        match self.study.question {
            Question::Mix => mix::own_depths(self.study, done),
            Question::Size => size::own_depths(done),
            _ => Vec::new(),
        }
    }
}
