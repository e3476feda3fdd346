//! Rows of jobs that ran at once as one row.
//!
//! Belongs here: sums of figures that have one. Must never: sum up what ran one after the other, or average percentiles.

use super::subject::{LatencyFrom, SubjectFigure, SubjectRow};
use crate::work::in_common;
use leadline_model::condition::FigureKind;
use leadline_model::histogram::Histogram;

/// Rows of one operation that were measured at once, as one; `None` of none. Rates are added up, the mean is weighted by
/// the rates, percentiles come from the histograms and are missing where a row has none.
#[must_use]
pub fn summed(rows: Vec<SubjectRow>) -> Option<SubjectRow> {
    let first = rows.first()?;
    if rows.len() == 1 {
        return rows.into_iter().next();
    }
    let from = |kind| {
        let first = first.counts_from(kind);
        match rows.iter().all(|row| row.counts_from(kind) == first) {
            true => first,
            false => LatencyFrom::Unknown,
        }
    };
    let works = rows.iter().map(|row| row.properties.clone()).collect();
    Some(SubjectRow {
        properties: in_common(works),
        latency_from: from(FigureKind::percentile(50.0)),
        mean_from: Some(from(FigureKind::Mean)),
        figures: figures(&rows),
        series: Vec::new(),
        histogram: merged(&rows),
        overlap: None,
        apart: None,
        errors: rows.iter().map(|row| row.errors).sum(),
        is_confirmation: false,
        ..first.clone()
    })
}

fn figures(rows: &[SubjectRow]) -> Vec<SubjectFigure> {
    let of = |kind| -> Option<Vec<f64>> {
        let each = rows.iter().map(|row| row.figure(kind).map(|f| f.value));
        each.collect()
    };
    let mut all = Vec::new();
    let mut add = |kind, value: Option<f64>| {
        all.extend(value.map(|value| SubjectFigure::plain(kind, value)));
    };
    for kind in [FigureKind::Iops, FigureKind::BytesPerS] {
        add(kind, of(kind).map(|values| values.iter().sum()));
    }
    if let (Some(rates), Some(means)) = (of(FigureKind::Iops), of(FigureKind::Mean)) {
        let sum: f64 = rates.iter().sum();
        let product: f64 = rates
            .iter()
            .zip(&means)
            .map(|(rate, mean)| rate * mean)
            .sum();
        add(FigureKind::Mean, (sum > 0.0).then(|| product / sum));
    }
    let largest = of(FigureKind::Max).and_then(|all| all.into_iter().max_by(f64::total_cmp));
    add(FigureKind::Max, largest);
    all
}

fn merged(rows: &[SubjectRow]) -> Option<Histogram> {
    let mut all = Histogram::new();
    for row in rows {
        all.merge(row.histogram.as_ref()?);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::{Property, PropertyValue};

    fn row(iops: f64, mean: f64, latencies: &[u64]) -> SubjectRow {
        let mut histogram = Histogram::new();
        latencies.iter().for_each(|ns| histogram.record(*ns));
        SubjectRow {
            properties: [
                (Property::Jobs, PropertyValue::Count(1)),
                (Property::Rate, PropertyValue::Iops(iops)),
                (Property::Depth, PropertyValue::Count(4)),
            ]
            .into(),
            figures: vec![
                SubjectFigure::plain(FigureKind::Iops, iops),
                SubjectFigure::plain(FigureKind::BytesPerS, iops * 4096.0),
                SubjectFigure::plain(FigureKind::Mean, mean),
                SubjectFigure::plain(FigureKind::percentile(99.0), mean * 2.0),
                SubjectFigure::plain(FigureKind::Max, mean * 3.0),
            ],
            histogram: Some(histogram),
            errors: 1,
            ..SubjectRow::default()
        }
    }

    #[test]
    fn rates_are_added_means_weighted_and_percentiles_come_from_the_histogram() {
        let parts = vec![
            row(100.0, 1e6, &[1_000_000; 30]),
            row(300.0, 2e6, &[2_000_000; 90]),
        ];
        let all = summed(parts.clone()).expect("a row");
        let of = |kind| all.figure_of(kind).map(|f| f.value);
        assert_eq!(of(FigureKind::Iops), Some(400.0));
        assert_eq!(of(FigureKind::BytesPerS), Some(400.0 * 4096.0));
        assert_eq!(of(FigureKind::Mean), Some(1.75e6));
        assert_eq!(of(FigureKind::Max), Some(6e6));
        assert_eq!(all.figure(FigureKind::percentile(99.0)), None);
        let middle = of(FigureKind::percentile(50.0)).expect("of the histogram");
        assert!((middle / 2e6 - 1.0).abs() < 0.01, "{middle}");
        assert_eq!(all.errors, 2);
        let work = |key| all.properties.get(&key).map(ToString::to_string);
        assert_eq!(work(Property::Jobs).as_deref(), Some("2"));
        assert_eq!(work(Property::Rate).as_deref(), Some("400 IOPS"));
        assert_eq!(work(Property::Depth).as_deref(), Some("4"));
        let mut bare = parts;
        bare[1].histogram = None;
        let all = summed(bare).expect("a row");
        assert_eq!(all.figure_of(FigureKind::percentile(50.0)), None);
        assert_eq!(summed(Vec::new()), None);
    }
}
