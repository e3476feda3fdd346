//! Which of several factors matter.
//!
//! Belongs here: the points of the design, and the effects in words. Must never: the design itself (`stats`).

use super::Search;
use super::answer::{Answer, AnswerCell, AnswerTable, AnswerUnit, Column};
use super::combinations::coordinates;
use super::done::Measured;
use super::group::value_words;
use super::spec::{Spec, StudyLoad};
use crate::stats::screen::{Effect, POINTS, effects, sign};
use crate::words::trim_to;
use leadline_model::plan::study::{Axis, Coordinate, Factor, Role, Study};
use leadline_model::seed::{Purpose, SplitMix, derive};

/// The design in one repeat.
pub(super) struct ScreenSearch<'a> {
    pub(super) study: &'a Study,
    pub(super) factors: &'a [Factor],
    pub(super) repeat: u32,
}

impl ScreenSearch<'_> {
    /// The point of this number, from 0.
    fn point(&self, number: usize) -> Spec {
        let mut load = super::combinations::loads(self.study)
            .into_iter()
            .next()
            .unwrap_or_else(|| StudyLoad::on(&self.study.scope));
        let mut files = self.study.scope.files;
        for (at, factor) in self.factors.iter().enumerate() {
            let high = usize::from(sign(number, at) > 0);
            set(&mut load, &mut files, factor.axis, &factor.values[high]);
        }
        let mut at = coordinates(&load);
        at.insert(Axis::Files, Coordinate::Number(f64::from(files)));
        at.insert(Axis::Round, Coordinate::Number((number + 1) as f64));
        load.files = Some(files);
        Spec::of(Role::Point, at, load, self.study)
    }

    /// All points in the order in which they are measured.
    fn all(&self) -> Vec<Spec> {
        let mut all: Vec<Spec> = (0..POINTS).map(|number| self.point(number)).collect();
        let seed = derive(self.study.seed, Purpose::StudyOrder, u64::from(self.repeat));
        super::combinations::shuffle(&mut all, &mut SplitMix::new(seed));
        all
    }
}

/// Gives a load the value of a factor.
fn set(load: &mut StudyLoad, files: &mut u32, axis: Axis, value: &Coordinate) {
    let number = crate::words::whole(value.number().unwrap_or_default());
    let small = u32::try_from(number).unwrap_or(u32::MAX);
    match axis {
        Axis::Block => load.block = number,
        Axis::Depth => load.depth = small,
        Axis::Jobs => load.jobs = small,
        Axis::Reads => load.reads = u8::try_from(number).unwrap_or(100),
        Axis::Order => load.random = value.text() == Some("random"),
        Axis::Files => *files = small,
        _ => {}
    }
}

impl Search for ScreenSearch<'_> {
    fn next(&self, done: &[&Measured]) -> Option<Spec> {
        let round = |spec: &Spec| spec.at.get(&Axis::Round).and_then(Coordinate::number);
        let is_done = |spec: &Spec| done.iter().any(|m| m.number(Axis::Round) == round(spec));
        self.all().into_iter().find(|spec| !is_done(spec))
    }

    fn outlook(&self) -> Vec<Spec> {
        self.all()
    }

    fn answer(&self, done: &[&Measured]) -> Answer {
        let mut answer = Answer::default();
        let results: Vec<f64> = (1..=POINTS).filter_map(|n| mean_of(done, n)).collect();
        let found = effects(&results, self.factors.len());
        match &found {
            Some(effects) => self.said(effects, &mut answer),
            None => answer.say(format!(
                "{} of {POINTS} points were measured: too few for effects.",
                results.len()
            )),
        }
        answer.tables.push(self.points(done));
        answer
    }
}

/// The rate of the point of this number, over all repeats.
fn mean_of(done: &[&Measured], number: usize) -> Option<f64> {
    let is_it = |m: &&&Measured| {
        m.number(Axis::Round)
            .is_some_and(|n| (n - number as f64).abs() < 0.5)
    };
    let rates: Vec<f64> = done.iter().filter(is_it).map(|m| m.iops()).collect();
    (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
}

impl ScreenSearch<'_> {
    fn said(&self, effects: &[Effect], answer: &mut Answer) {
        let is_shown = |e: &&Effect| e.ratio.low > 1.0 || e.ratio.high < 1.0;
        let shown: Vec<&Effect> = effects.iter().filter(is_shown).collect();
        let words = |e: &&Effect| {
            let factor = &self.factors[e.factor];
            let [low, high] = &factor.values;
            format!(
                "{} from {} to {}: {} times the IOPS",
                factor.axis.name(),
                value_words(factor.axis, low),
                value_words(factor.axis, high),
                trim_to(e.ratio.value, 2)
            )
        };
        answer.say(match shown.as_slice() {
            [] => "No factor has an effect above the noise.".to_owned(),
            some => format!("{}.", some.iter().map(words).collect::<Vec<_>>().join("; ")),
        });
        let rest: Vec<&str> = effects
            .iter()
            .filter(|e| !is_shown(e))
            .map(|e| self.factors[e.factor].axis.name())
            .collect();
        if !rest.is_empty() && !shown.is_empty() {
            answer.say(format!("No effect shown: {}.", rest.join(", ")));
        }
        let row = |e: &Effect| {
            let factor = &self.factors[e.factor];
            vec![
                AnswerCell::text(factor.axis.name()),
                AnswerCell::text(value_words(factor.axis, &factor.values[0])),
                AnswerCell::text(value_words(factor.axis, &factor.values[1])),
                AnswerCell::Number(e.ratio.value),
                AnswerCell::Number(e.ratio.low),
                AnswerCell::Number(e.ratio.high),
                AnswerCell::text(if is_shown(&e) { "shown" } else { "not shown" }),
            ]
        };
        answer.tables.push(AnswerTable {
            title: "Effects: IOPS at the high value over IOPS at the low one".to_owned(),
            columns: vec![
                Column::new("factor", AnswerUnit::Text),
                Column::new("low", AnswerUnit::Text),
                Column::new("high", AnswerUnit::Text),
                Column::new("times", AnswerUnit::Number),
                Column::new("from", AnswerUnit::Number),
                Column::new("to", AnswerUnit::Number),
                Column::new("effect", AnswerUnit::Text),
            ],
            rows: effects.iter().map(row).collect(),
        });
    }

    fn points(&self, done: &[&Measured]) -> AnswerTable {
        let mut columns: Vec<Column> = self
            .factors
            .iter()
            .map(|f| Column::new(f.axis.name(), AnswerUnit::Text))
            .collect();
        columns.insert(0, Column::new("point", AnswerUnit::Count));
        columns.push(Column::new("iops", AnswerUnit::Iops));
        let row = |number: usize| {
            let rate = mean_of(done, number + 1)?;
            let mut row = vec![AnswerCell::Number((number + 1) as f64)];
            row.extend(self.factors.iter().enumerate().map(|(at, factor)| {
                let high = usize::from(sign(number, at) > 0);
                AnswerCell::text(value_words(factor.axis, &factor.values[high]))
            }));
            row.push(AnswerCell::Number(rate));
            Some(row)
        };
        AnswerTable {
            title: "Points".to_owned(),
            columns,
            rows: (0..POINTS).filter_map(row).collect(),
        }
    }
}
