//! Two sweeps that were measured at different settings: how far one is from the other, by interpolation.
//!
//! Belongs here: the rows of a side as a curve, and two curves on the settings of both. Must never: extrapolate; say where
//! curves cross (that is `crossing`).

use super::change::slices;
use super::rows::CompareSide;
use super::subject::{RowName, SubjectFigure, SubjectRow};
use crate::stats::ratio;
use crate::work::{Properties, Property, PropertyValue};
use leadline_model::condition::FigureKind;
use leadline_model::op::Op;

/// Fewer points are no curve.
pub(super) const FEWEST: usize = 3;

/// Two curves as one: the place of the setting, the logarithm of B over A, and its standard error.
pub(super) type LogRatios = Vec<(f64, f64, f64)>;

/// The rates of one side over a setting, other work being the same.
struct SweepCurve {
    /// That other work, with the operation.
    work: Vec<String>,
    op: String,
    kind: FigureKind,
    /// The place of the setting, the logarithm of the rate, and its standard error; by rising setting.
    points: Vec<(f64, f64, f64)>,
}

/// Two curves at the settings of both, as far as both reach.
pub(super) struct TwoCurves {
    pub(super) work: Vec<String>,
    pub(super) op: String,
    pub(super) kind: FigureKind,
    pub(super) ratios: LogRatios,
}

/// Each pair of curves with the same work and figure that were measured at different settings. Curves of fewer than three
/// points, or that have no three settings in their common range, are left out.
pub(super) fn between((a, b): (&CompareSide, &CompareSide), property: Property) -> Vec<TwoCurves> {
    let (of_a, of_b) = (curves(a, property), curves(b, property));
    let mut all = Vec::new();
    for a in &of_a {
        let same = |b: &&SweepCurve| b.work == a.work && b.kind == a.kind;
        let Some(b) = of_b
            .iter()
            .find(same)
            .filter(|b| !are_of_the_same_settings(a, b))
        else {
            continue;
        };
        all.extend(ratios(a, b).map(|ratios| TwoCurves {
            work: a.work.clone(),
            op: a.op.clone(),
            kind: a.kind,
            ratios,
        }));
    }
    all
}

fn are_of_the_same_settings(a: &SweepCurve, b: &SweepCurve) -> bool {
    let pairs = || a.points.iter().zip(&b.points);
    a.points.len() == b.points.len() && pairs().all(|(a, b)| (a.0 - b.0).abs() < 1e-9)
}

/// What the points of a curve share: the operation, and all work but what is swept. Where hosts or jobs are, the set is
/// split among them: what each has of it follows from their number.
pub(super) fn work(properties: &Properties, property: Property, op: &str) -> Vec<String> {
    let splits = matches!(property, Property::Jobs | Property::HostCount);
    let is_swept = |key: Property| key == property || (splits && key == Property::Size);
    let others = properties
        .iter()
        .filter(|(key, _)| key.must_be_equal() && !is_swept(**key));
    let words = others.map(|(key, value)| format!("{} {value}", key.name()));
    words.chain([op.to_owned()]).collect()
}

/// The values of each setting, with their error where that is known.
type Values = Vec<(f64, Vec<(f64, Option<f64>)>)>;

fn curves(side: &CompareSide, property: Property) -> Vec<SweepCurve> {
    let mut found: Vec<(Vec<String>, String, FigureKind, Values)> = Vec::new();
    let rows = side.by_name();
    for name in &rows.order {
        let Some(op) = curve_op(property, name, &rows.order) else {
            continue;
        };
        for known in rows.of(name) {
            let Some(x) = known.properties.get(&property).and_then(place) else {
                continue;
            };
            let kinds = [FigureKind::Iops, FigureKind::BytesPerS];
            let figure = kinds.iter().find_map(|kind| known.row.figure(*kind));
            let Some(figure) = figure.filter(|figure| figure.value > 0.0) else {
                continue;
            };
            let work = work(&known.properties, property, op);
            let error = error(known.row, figure);
            let at = found.iter().position(|f| f.0 == work && f.2 == figure.kind);
            let at = at.unwrap_or_else(|| {
                found.push((work, op.to_owned(), figure.kind, Vec::new()));
                found.len() - 1
            });
            insert(&mut found[at].3, x, (figure.value.ln(), error));
        }
    }
    let curves = found.into_iter().map(|(work, op, kind, values)| {
        let mut points: Vec<(f64, f64, f64)> = values.iter().filter_map(point).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        SweepCurve {
            work,
            op,
            kind,
            points,
        }
    });
    curves
        .filter(|curve| curve.points.len() >= FEWEST)
        .collect()
}

/// The standard error of the logarithm of a rate, from its interval, or else from its time series; `None` where
/// neither is known.
fn error(row: &SubjectRow, figure: &SubjectFigure) -> Option<f64> {
    let within = match (figure.low, figure.high) {
        (Some(low), Some(high)) => Some((low, high)),
        _ => {
            let found = ratio(&slices(&row.series, figure.kind)?);
            found.map(|found| (found.low, found.high))
        }
    };
    let (low, high) = within.filter(|(low, _)| *low > 0.0)?;
    Some((high / low).ln() / (2.0 * 1.959_964))
}

/// Puts a value with the others of its setting.
fn insert(values: &mut Values, x: f64, value: (f64, Option<f64>)) {
    match values.iter_mut().find(|(at, _)| at.total_cmp(&x).is_eq()) {
        Some((_, all)) => all.push(value),
        None => values.push((x, vec![value])),
    }
}

/// Where a setting is on its axis: the logarithm of a number above 0, or a share in percent; `None` where it is neither.
pub(super) fn place(value: &PropertyValue) -> Option<f64> {
    let number = match value {
        PropertyValue::Percent(share) => return Some(share.of_100()),
        PropertyValue::PercentAbout(share, _) => return Some(share.round()),
        PropertyValue::Count(n) => *n as f64,
        PropertyValue::Bytes(bytes) => bytes.0 as f64,
        PropertyValue::Iops(x) | PropertyValue::BytesPerS(x) => *x,
        _ => return None,
    };
    (number > 0.0).then(|| number.ln())
}

/// The setting at a place.
pub(super) fn setting(property: Property, place: f64) -> f64 {
    match property {
        Property::Mix => place,
        _ => place.exp(),
    }
}

/// The operation whose rows are a curve over a property: over a share of reads all together, which has a row of its own
/// only where there are reads and writes.
pub(super) fn curve_op(
    property: Property,
    name: &RowName,
    others: &[RowName],
) -> Option<&'static str> {
    if property != Property::Mix {
        return Some(name.op.map_or("all", Op::name));
    }
    let whole = |other: &RowName| {
        other.op.is_none() && (&other.stage, &other.workload) == (&name.stage, &name.workload)
    };
    (name.op.is_none() || !others.iter().any(whole)).then_some("all")
}

/// The mean of the repeats of a setting, with its standard error; `None` of a single value without one.
fn point((x, values): &(f64, Vec<(f64, Option<f64>)>)) -> Option<(f64, f64, f64)> {
    let count = values.len() as f64;
    let mean = values.iter().map(|v| v.0).sum::<f64>() / count;
    let errors: Option<Vec<f64>> = values.iter().map(|v| v.1).collect();
    let within = errors.map(|errors| errors.iter().map(|e| e * e).sum::<f64>() / (count * count));
    let squares: f64 = values.iter().map(|v| (v.0 - mean).powi(2)).sum();
    let between = (values.len() > 1).then(|| squares / (count * (count - 1.0)));
    let error = match (within, between) {
        (Some(within), Some(between)) => within.max(between),
        (one, other) => one.or(other)?,
    };
    Some((*x, mean, error.sqrt()))
}

/// B over A at the settings of both, in the range of both.
fn ratios(a: &SweepCurve, b: &SweepCurve) -> Option<LogRatios> {
    let ends = |curve: &SweepCurve| Some((curve.points.first()?.0, curve.points.last()?.0));
    let ((low_a, high_a), (low_b, high_b)) = (ends(a)?, ends(b)?);
    let (low, high) = (low_a.max(low_b), high_a.min(high_b));
    let each = a.points.iter().chain(&b.points).map(|point| point.0);
    let mut places: Vec<f64> = each.filter(|x| (low..=high).contains(x)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup_by(|one, other| one.total_cmp(other).is_eq());
    let ratio = |x: &f64| {
        let (of_a, of_b) = (interpolated(a, *x)?, interpolated(b, *x)?);
        Some((*x, of_b.0 - of_a.0, of_a.1.hypot(of_b.1)))
    };
    let ratios: Option<LogRatios> = places.iter().map(ratio).collect();
    ratios.filter(|ratios| ratios.len() >= FEWEST)
}

/// The logarithm of a rate at a setting between two that were measured, with its standard error.
fn interpolated(curve: &SweepCurve, x: f64) -> Option<(f64, f64)> {
    let after = curve.points.iter().position(|point| point.0 >= x)?;
    let right = curve.points.get(after)?;
    let left = curve.points.get(after.saturating_sub(1))?;
    let share = match right.0 > left.0 {
        true => (x - left.0) / (right.0 - left.0),
        false => 1.0,
    };
    let value = left.1 + share * (right.1 - left.1);
    Some((value, ((1.0 - share) * left.2).hypot(share * right.2)))
}
