//! Which of several factors matter.
//!
//! Belongs here: the points of the design, and the effects in words. Must never: the design itself (`stats`).

use super::Search;
use super::answer::{Answer, AnswerCell, AnswerTable, AnswerUnit, Column};
use super::combinations::coordinates;
use super::done::Measured;
use super::group::{PointGroup, value_words};
use super::pacing::Room;
use super::spec::{Spec, StudyLoad};
use crate::stats::Interval;
use crate::stats::screen::{Effect, POINTS, effects, sign};
use crate::words::trim_to;
use leadline_model::plan::EngineKind;
use leadline_model::plan::study::{Axis, Coordinate, Factor, Role, Study};
use leadline_model::seed::{Purpose, SplitMix, derive};
use leadline_model::units::Nanos;

/// A factor that changes the rate by less than this share has no practical effect.
const PRACTICAL: f64 = 0.02;

/// What an effect and its interval say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Shown,
    /// It is shown, or all that may be, is smaller than matters.
    Small,
    NotShown,
}

impl Said {
    fn of(ratio: Interval) -> Self {
        let is_small = |ratio: f64| ratio.ln().abs() < PRACTICAL.ln_1p();
        let is_shown = ratio.low > 1.0 || ratio.high < 1.0;
        let all_small = ratio.low > 0.0 && is_small(ratio.low) && is_small(ratio.high);
        match is_shown {
            _ if all_small => Self::Small,
            true if is_small(ratio.value) => Self::Small,
            true => Self::Shown,
            false => Self::NotShown,
        }
    }

    fn words(self) -> String {
        match self {
            Self::Shown => "shown".to_owned(),
            Self::Small => format!("below {} %", trim_to(PRACTICAL * 100.0, 0)),
            Self::NotShown => "not shown".to_owned(),
        }
    }
}

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
        load.files = Some(self.study.scope.files);
        for (at, factor) in self.factors.iter().enumerate() {
            let high = usize::from(sign(number, at) > 0);
            set(&mut load, factor.axis, &factor.values[high]);
        }
        let mut at = coordinates(&load);
        let files = load.files.unwrap_or(self.study.scope.files);
        at.insert(Axis::Files, Coordinate::Number(f64::from(files)));
        at.extend((self.factors.iter().enumerate()).map(|(at, factor)| {
            let high = usize::from(sign(number, at) > 0);
            (factor.axis, factor.values[high].clone())
        }));
        at.insert(Axis::Round, Coordinate::Number((number + 1) as f64));
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
fn set(load: &mut StudyLoad, axis: Axis, value: &Coordinate) {
    let plain = value.number().unwrap_or_default();
    let number = crate::words::whole(plain);
    let small = u32::try_from(number).unwrap_or(u32::MAX);
    match axis {
        Axis::Block => load.block = number,
        Axis::Depth => load.depth = small,
        Axis::Jobs => load.jobs = small,
        Axis::Reads => load.reads = u8::try_from(number).unwrap_or(100),
        Axis::Order => load.random = value.text() == Some("random"),
        Axis::Files => load.files = Some(small),
        Axis::Direct => load.direct = Some(number > 0),
        Axis::Skew => load.skew = plain,
        Axis::Engine => load.engine = value.text().and_then(EngineKind::named),
        Axis::Dataset => load.dataset = Some(number),
        Axis::Flush => load.flush_every = small,
        Axis::Think => load.think = Nanos(number),
        _ => {}
    }
}

impl Search for ScreenSearch<'_> {
    fn next(&self, done: &[&Measured], _room: Room) -> Option<Spec> {
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

/// The measurements of the point of this number, from 1, in all repeats.
fn of_number<'a>(done: &[&'a Measured], number: usize) -> Vec<&'a Measured> {
    let is_it = |m: &&&Measured| {
        m.number(Axis::Round)
            .is_some_and(|n| (n - number as f64).abs() < 0.5)
    };
    done.iter().filter(is_it).copied().collect()
}

/// The rate of the point of this number, over all repeats.
fn mean_of(done: &[&Measured], number: usize) -> Option<f64> {
    let own = of_number(done, number).into_iter();
    let rates: Vec<f64> = own.map(Measured::iops).collect();
    (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
}

impl ScreenSearch<'_> {
    fn said(&self, effects: &[Effect], answer: &mut Answer) {
        let are = |said: Said| effects.iter().filter(move |e| Said::of(e.ratio) == said);
        let words = |e: &Effect| {
            let factor = &self.factors[e.factor];
            let [low, high] = &factor.values;
            format!(
                "{} from {} to {}: {} times the IOPS (95 %: {} to {})",
                factor.axis.name(),
                value_words(factor.axis, low),
                value_words(factor.axis, high),
                trim_to(e.ratio.value, 2),
                trim_to(e.ratio.low, 2),
                trim_to(e.ratio.high, 2)
            )
        };
        let names = |said: Said| -> String {
            let names = are(said).map(|e| self.factors[e.factor].axis.name());
            names.collect::<Vec<_>>().join(", ")
        };
        let shown: Vec<String> = are(Said::Shown).map(words).collect();
        let (small, rest) = (names(Said::Small), names(Said::NotShown));
        match (shown.is_empty(), small.is_empty()) {
            (false, _) => answer.say(format!("{}.", shown.join("; "))),
            (true, true) => answer.say("No factor has an effect above the noise."),
            (true, false) => {}
        }
        if !small.is_empty() {
            let below = trim_to(PRACTICAL * 100.0, 0);
            answer.say(format!(
                "No effect of practical size (below {below} %): {small}."
            ));
        }
        let any = !shown.is_empty() || !small.is_empty();
        if !rest.is_empty() && any {
            answer.say(format!("No effect shown: {rest}."));
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
                AnswerCell::text(Said::of(e.ratio).words()),
            ]
        };
        answer.tables.push(AnswerTable {
            title: "Effects: IOPS at the high value over IOPS at the low one".to_owned(),
            columns: vec![
                Column::new("factor", AnswerUnit::Text),
                Column::new("low", AnswerUnit::Text),
                Column::new("high", AnswerUnit::Text),
                Column::concluded("times", AnswerUnit::Number),
                Column::concluded("from", AnswerUnit::Number),
                Column::concluded("to", AnswerUnit::Number),
                Column::concluded("effect", AnswerUnit::Text),
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
            let points = of_number(done, number + 1);
            if points.is_empty() {
                return None;
            }
            let mut row = vec![AnswerCell::Number((number + 1) as f64)];
            row.extend(self.factors.iter().enumerate().map(|(at, factor)| {
                let high = usize::from(sign(number, at) > 0);
                AnswerCell::text(value_words(factor.axis, &factor.values[high]))
            }));
            row.push(AnswerCell::Within(PointGroup { points }.iops()));
            Some(row)
        };
        let table = AnswerTable {
            title: "Points".to_owned(),
            columns,
            rows: (0..POINTS).filter_map(row).collect(),
        };
        let points = (1..=POINTS).map(|number| of_number(done, number));
        let points: Vec<Vec<&Measured>> = points.filter(|own| !own.is_empty()).collect();
        super::missing::marked(table, &points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_below_practical_size_is_none() {
        let ratio = |value: f64, low: f64, high: f64| Interval {
            value,
            low,
            high,
            settled: true,
        };
        assert_eq!(Said::of(ratio(1.0004, 1.0001, 1.0007)), Said::Small);
        assert_eq!(Said::of(ratio(1.001, 0.995, 1.007)), Said::Small);
        assert_eq!(Said::of(ratio(0.985, 0.98, 0.99)), Said::Small);
        assert_eq!(Said::of(ratio(1.05, 1.04, 1.06)), Said::Shown);
        assert_eq!(Said::of(ratio(0.5, 0.4, 0.6)), Said::Shown);
        assert_eq!(Said::of(ratio(1.1, 0.9, 1.3)), Said::NotShown);
    }
}
