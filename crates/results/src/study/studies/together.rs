//! The answers of several states of the system as one.
//!
//! Belongs here: charts of several states in one. Must never: what differs between states, or whether that is shown.

use super::answer::{Answer, AnswerChart, AnswerSeries};

/// The answers of all states with their names: first the charts in which all of them are drawn, then what each says. A
/// chart of one line in each state has no copy for each.
pub(super) fn joined(each: Vec<(&str, Answer)>) -> Answer {
    let all = charts(&each);
    let is_drawn = |chart: &AnswerChart| {
        let is_it = |one: &AnswerChart| one.title == title(&chart.title);
        chart.series.len() == 1 && all.iter().any(is_it)
    };
    let mut whole = Answer::default();
    for (state, mut answer) in each {
        answer.charts.retain(|chart| !is_drawn(chart));
        whole.join(state, answer);
    }
    whole.charts.splice(0..0, all);
    whole
}

fn title(of: &str) -> String {
    format!("{of}, all states")
}

/// The charts of the first state with the lines of all.
fn charts(each: &[(&str, Answer)]) -> Vec<AnswerChart> {
    let Some(((_, first), [_, ..])) = each.split_first() else {
        return Vec::new();
    };
    let of = |chart: &AnswerChart| {
        let is_it =
            |own: &&AnswerChart| own.title == chart.title && own.x == chart.x && own.y == chart.y;
        let states = each.iter().map(|(state, answer)| {
            let own = answer.charts.iter().find(is_it)?;
            Some(own.series.iter().map(|series| named(state, series)))
        });
        let series: Option<Vec<_>> = states.collect();
        Some(AnswerChart {
            title: title(&chart.title),
            series: series?.into_iter().flatten().collect(),
            marks: marks(each, chart),
            ..chart.clone()
        })
    };
    first.charts.iter().filter_map(of).collect()
}

/// What is marked along x in each state, by its name.
fn marks(each: &[(&str, Answer)], chart: &AnswerChart) -> Vec<(f64, String)> {
    let own = each.iter().filter_map(|(state, answer)| {
        let own = answer.charts.iter().find(|own| own.title == chart.title)?;
        let named = own.marks.iter();
        Some(named.map(move |(x, name)| (*x, format!("{state}: {name}"))))
    });
    own.flatten().collect()
}

/// A line with the name of its state.
fn named(state: &str, series: &AnswerSeries) -> AnswerSeries {
    AnswerSeries {
        label: match series.label.as_str() {
            "" => state.to_owned(),
            label => format!("{state}: {label}"),
        },
        ..series.clone()
    }
}
