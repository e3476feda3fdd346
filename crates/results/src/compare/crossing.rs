//! Two sweeps over one setting: where one becomes better than the other.
//!
//! Belongs here: which setting is swept, and the crossing of two curves. Must never: measure or fit a curve.

use super::curves::{self, FEWEST, LogRatios, curve_op, place, setting};
use super::rows::{CompareSide, MatchedRows, PropertyDifference};
use super::subject::RowName;
use super::{ComparedFigure, ComparedRow};
use crate::work::Property;
use leadline_model::condition::FigureKind;
use leadline_model::seed::{Purpose, SplitMix, derive};

/// Logarithms of rates nearer to each other than this are equal: curves that end so do not cross.
const EQUAL: f64 = 0.002;
/// Draws for an interval.
const DRAWN: usize = 1000;

/// Where the rates of two sweeps are equal.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveCrossing {
    /// What is swept.
    pub property: Property,
    /// The operation that the curves are of.
    pub op: String,
    /// What their points share: `bs 4 KiB`, `jobs 4`.
    pub work: Vec<String>,
    /// Those of it in which this curve differs from other curves over the same setting, whether they cross or not.
    pub apart: Vec<String>,
    /// The figure.
    pub kind: FigureKind,
    /// The setting at which both are equal, interpolated on a logarithmic scale; of a share of reads, in percent, on a linear
    /// one.
    pub at: f64,
    /// The settings next to it that were measured.
    pub between: (f64, f64),
    /// Its 95 % interval, of the noise alone: the curves may bend between the settings that were measured.
    pub within: (f64, f64),
    /// Whether B is higher below it, and A above.
    pub b_leads_below: bool,
    /// In which share of the draws from the intervals the curves cross at all, 0 to 1.
    pub share: f64,
    /// Whether the two were measured at different settings, and each was interpolated at those of the other.
    pub interpolated: bool,
}

/// Where sweeps over one setting cross, the other work being the same.
pub(super) fn swept(
    rows: &[(MatchedRows<'_>, ComparedRow)],
    (a, b): (&CompareSide, &CompareSide),
) -> Vec<CurveCrossing> {
    let candidates = [
        Property::Mix,
        Property::Depth,
        Property::Jobs,
        Property::BlockSize,
        Property::Size,
        Property::HostCount,
        Property::Rate,
    ];
    let mut all = Vec::new();
    for property in candidates {
        // Sweeps over the same settings are compared setting by setting; of others each curve is interpolated.
        let others = curves::between((a, b), property);
        let groups = groups(rows, property);
        let works = groups.iter().map(|group| group.work.clone());
        let works: Vec<_> = works.chain(others.iter().map(|o| o.work.clone())).collect();
        let mut found: Vec<CurveCrossing> = Vec::new();
        for group in groups {
            if others.iter().all(|other| other.work != group.work) {
                found.extend(crossing(property, &group));
            }
        }
        for other in others {
            let crossing = cross((property, other.op, other.work, other.kind), &other.ratios);
            found.extend(crossing.map(|crossing| CurveCrossing {
                interpolated: true,
                ..crossing
            }));
        }
        for one in &mut found {
            one.apart = apart(one, &works);
        }
        all.extend(found);
    }
    all
}

/// What of the work of a crossing other curves do not have; its operation is said of it anyway.
fn apart(of: &CurveCrossing, all: &[Vec<String>]) -> Vec<String> {
    let is_own = |word: &&String| **word != of.op && all.iter().any(|one| !one.contains(word));
    of.work.iter().filter(is_own).cloned().collect()
}

/// A point of two curves.
struct CurvePoint<'a> {
    /// Its place on the axis.
    x: f64,
    op: String,
    figures: &'a [ComparedFigure],
}

/// Points of two curves, by rising setting, and the work that they share.
struct CurveGroup<'a> {
    work: Vec<String>,
    points: Vec<CurvePoint<'a>>,
}

/// Rows that differ in this property alone.
fn groups<'a>(
    rows: &'a [(MatchedRows<'a>, ComparedRow)],
    property: Property,
) -> Vec<CurveGroup<'a>> {
    let mut groups: Vec<CurveGroup<'a>> = Vec::new();
    let names: Vec<RowName> = rows
        .iter()
        .map(|(matched, _)| matched.name.clone())
        .collect();
    for (matched, compared) in rows {
        let Some(first) = matched.a.first() else {
            continue;
        };
        let Some(x) = first.properties.get(&property).and_then(place) else {
            continue;
        };
        let is_swept = |differs: &PropertyDifference| differs.property == property;
        if !compared.unlike.is_empty() || compared.across.iter().any(is_swept) {
            // The two of it are no point of both curves.
            continue;
        }
        let Some(op) = curve_op(property, &matched.name, &names) else {
            continue;
        };
        let work = curves::work(&first.properties, property, op);
        let point = CurvePoint {
            x,
            op: op.to_owned(),
            figures: &compared.figures,
        };
        match groups.iter_mut().find(|group| group.work == work) {
            Some(group) => group.points.push(point),
            None => groups.push(CurveGroup {
                work,
                points: vec![point],
            }),
        }
    }
    for group in &mut groups {
        group.points.sort_by(|a, b| a.x.total_cmp(&b.x));
        group.points.dedup_by(|a, b| a.x.total_cmp(&b.x).is_eq());
    }
    groups.retain(|group| group.points.len() >= FEWEST);
    groups
}

/// The crossing of the rates of one group; `None` where they do not cross.
fn crossing(property: Property, group: &CurveGroup<'_>) -> Option<CurveCrossing> {
    let points = &group.points;
    let kind = points
        .first()?
        .figures
        .iter()
        .find(|f| f.kind.is_rate())?
        .kind;
    let curve: LogRatios = points
        .iter()
        .filter_map(|point| {
            // IOPS or bytes: of one block size their ratio is the same.
            let figure = point.figures.iter().find(|f| f.kind.is_rate())?;
            let change = figure.change?;
            let log = |percent: f64| (1.0 + percent / 100.0).max(1e-9).ln();
            // Of single values without a spread it is not known whether they differ.
            let (low, high) = change.within?;
            let error = (log(high) - log(low)) / (2.0 * 1.959_964);
            Some((point.x, log(change.percent), error))
        })
        .collect();
    if curve.len() < FEWEST {
        return None;
    }
    let op = points.first()?.op.clone();
    cross((property, op, group.work.clone(), kind), &curve)
}

/// Where the logarithms change their sign, with the interval of the noise.
fn cross(
    (property, op, work, kind): (Property, String, Vec<String>, FigureKind),
    curve: &LogRatios,
) -> Option<CurveCrossing> {
    let values: Vec<f64> = curve.iter().map(|p| p.1).collect();
    let (at, after) = zero(curve, &values)?;
    let b_leads_below = values.first().is_some_and(|first| *first > 0.0);
    let of = |place: f64| setting(property, place);
    let between = (of(curve.get(after)?.0), of(curve.get(after + 1)?.0));
    let mut source = SplitMix::new(derive(0, Purpose::Resampling, property as u64));
    let mut drawn = Vec::new();
    for _ in 0..DRAWN {
        let values: Vec<f64> = curve
            .iter()
            .map(|(_, value, error)| value + error * normal(&mut source))
            .collect();
        drawn.extend(zero(curve, &values).map(|found| found.0));
    }
    drawn.sort_by(f64::total_cmp);
    let beyond = drawn.len() / 40;
    let low = drawn.get(beyond).copied().unwrap_or(at);
    let high = drawn.iter().rev().nth(beyond).copied().unwrap_or(at);
    Some(CurveCrossing {
        property,
        op,
        work,
        apart: Vec::new(),
        kind,
        at: of(at),
        between,
        within: (of(low.min(at)), of(high.max(at))),
        b_leads_below,
        share: drawn.len() as f64 / DRAWN as f64,
        interpolated: false,
    })
}

/// Where the values change their sign between the two ends, if these have different ones, and after which point: of
/// several places the middle one.
fn zero(curve: &[(f64, f64, f64)], values: &[f64]) -> Option<(f64, usize)> {
    let (first, last) = (values.first()?, values.last()?);
    if first.signum() == last.signum() || first.abs().min(last.abs()) < EQUAL {
        return None;
    }
    let mut places = Vec::new();
    let pairs = curve.windows(2).zip(values.windows(2));
    for (place, (points, pair)) in pairs.enumerate() {
        if pair[0].signum() != pair[1].signum() {
            let share = pair[0] / (pair[0] - pair[1]);
            places.push((points[0].0 + share * (points[1].0 - points[0].0), place));
        }
    }
    places.get(places.len() / 2).copied()
}

/// Normal by the sum of twelve.
fn normal(source: &mut SplitMix) -> f64 {
    let one = |_| source.unit();
    (0..12).map(one).sum::<f64>() - 6.0
}
