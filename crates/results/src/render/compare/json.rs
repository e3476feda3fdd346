//! A comparison for scripts; `docs/reference/compare.schema.json` describes every key.
//!
//! Belongs here: names and order of the keys. Must never: round, or leave a figure out.

use super::answer::sentences;
use crate::compare::{
    Asserted, ChangeVerdict, ComparedFigure, ComparedRow, ComparedSide, Comparison, ConditionCheck,
    ConditionState, CurveCrossing, PropertyDifference, RowName,
};
use leadline_model::op::Op;
use serde_json::{Value, json};

/// The schema of the form.
pub const SCHEMA: &str = include_str!("../../../../../docs/reference/compare.schema.json");

/// A comparison with its conditions, as one object with a line's end.
#[must_use]
pub fn comparison(of: &Comparison, checks: &[ConditionCheck]) -> String {
    let [a, b] = &of.sides;
    let value = json!({
        "form": 1,
        "sentences": sentences(of),
        "a": side(a),
        "b": side(b),
        "differences": differences(&of.notes),
        "rule": of.rule.name(),
        "headlines": of.headlines,
        "rows": of.rows.iter().map(row).collect::<Vec<_>>(),
        "only_in_a": of.only[0].iter().map(|row| name(&row.name)).collect::<Vec<_>>(),
        "only_in_b": of.only[1].iter().map(|row| name(&row.name)).collect::<Vec<_>>(),
        "crossings": of.crossings.iter().map(crossing).collect::<Vec<_>>(),
        "conditions": checks.iter().map(check).collect::<Vec<_>>(),
    });
    // The version first: by it a file is known to be leadline's.
    let text = format!("{value:#}\n");
    let version = env!("CARGO_PKG_VERSION");
    format!("{{\n  \"leadline\": \"{version}\",{}", &text[1..])
}

fn side(of: &ComparedSide) -> Value {
    json!({
        "name": of.name,
        "sources": of.sources,
        "doubts": of.doubts,
        "without_histogram": of.without_histogram,
    })
}

fn differences(all: &[PropertyDifference]) -> Vec<Value> {
    let texts = |values: &[crate::compare::PropertyValue]| {
        values.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let of = |d: &PropertyDifference| {
        let mut one = json!({ "property": d.property.name(), "a": texts(&d.a), "b": texts(&d.b) });
        if !d.rows.is_empty() {
            one["rows"] = json!(d.rows);
        }
        one
    };
    all.iter().map(of).collect()
}

fn name(of: &RowName) -> Value {
    json!({ "stage": of.stage, "workload": of.workload, "op": of.op.map_or("all", Op::name) })
}

fn row(of: &ComparedRow) -> Value {
    json!({
        "stage": of.name.stage,
        "workload": of.name.workload,
        "op": of.name.op.map_or("all", Op::name),
        "other": of.other.as_ref().map(name),
        "repeats_a": of.repeats.0,
        "repeats_b": of.repeats.1,
        "unlike": differences(&of.unlike),
        "across": differences(&of.across),
        "overlap_a_ns": of.overlap[0].map(|span| span.0),
        "overlap_b_ns": of.overlap[1].map(|span| span.0),
        "figures": of.figures.iter().map(figure).collect::<Vec<_>>(),
    })
}

fn figure(of: &ComparedFigure) -> Value {
    let why = match &of.verdict {
        ChangeVerdict::NotComparable(why) => Some(why),
        _ => None,
    };
    let within = of.change.and_then(|change| change.within);
    json!({
        "figure": of.kind.to_string(),
        "unit": match of.kind {
            leadline_model::condition::FigureKind::Iops => "ios_per_s",
            leadline_model::condition::FigureKind::BytesPerS => "bytes_per_s",
            _ => "ns",
        },
        "a": of.a,
        "b": of.b,
        "change_percent": of.change.map(|change| change.percent),
        "low_percent": within.map(|(low, _)| low),
        "high_percent": within.map(|(_, high)| high),
        "exact": of.change.is_some_and(|change| change.exact),
        "basis": of.basis.name(),
        "headline": of.headline,
        "p": of.p,
        "verdict": of.verdict.words(),
        "why": why,
        "detectable_percent": of.detectable,
        "enough_repeats": of.enough,
    })
}

fn crossing(of: &CurveCrossing) -> Value {
    json!({
        "property": of.property.name(),
        "op": of.op,
        "work": of.work,
        "figure": of.kind.to_string(),
        "at": of.at,
        "from": of.between.0,
        "to": of.between.1,
        "low": of.within.0,
        "high": of.within.1,
        "higher_below": if of.b_leads_below { "b" } else { "a" },
        "share": of.share,
        "interpolated": of.interpolated,
    })
}

fn check(of: &ConditionCheck) -> Value {
    let why = match &of.state {
        ConditionState::Unchecked(why) => Some(why),
        _ => None,
    };
    json!({
        "condition": of.text,
        "row": of.row,
        "state": of.state.name(),
        "why": why,
        "change_percent": of.change.map(|c| c.0),
        "low_percent": of.change.map(|c| c.1),
        "high_percent": of.change.map(|c| c.2),
        "enough_repeats": of.enough,
    })
}

/// Limits that were asserted, for a place in the JSON of a result.
#[must_use]
pub fn asserted(all: &[Asserted]) -> Value {
    let of = |one: &Asserted| {
        json!({
            "limit": one.condition.text,
            "row": one.row,
            "figure": one.condition.figure.to_string(),
            "value": one.figure.map(|f| f.value),
            "low": one.figure.and_then(|f| f.low),
            "high": one.figure.and_then(|f| f.high),
            "state": one.state.name(),
        })
    };
    all.iter().map(of).collect()
}
