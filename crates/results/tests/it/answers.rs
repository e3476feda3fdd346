//! What the sentences of a survey rest on: points of one level of the volume, and rates that were confirmed.

use leadline_model::units::Nanos;
use leadline_results::fixture::device::{Device, survey_points};
use leadline_results::study::series::depth_curves;
use leadline_results::study::{PointResult, Scope, SurveyOptions, SurveyTarget, Verdict};

/// The points of a survey of a device.
fn points(device: &Device) -> Vec<PointResult> {
    let place = SurveyTarget::Directory("demo".to_owned());
    let mut options = SurveyOptions::new(place, Scope::Quick);
    options.seed = Some(42);
    options.time = Nanos::from_secs(3);
    survey_points(device, options)
}

fn named<'a>(points: &'a mut [PointResult], name: &str) -> &'a mut PointResult {
    let is = |p: &&mut PointResult| p.name.starts_with(name);
    points.iter_mut().find(is).unwrap()
}

/// The highest of several points is high by chance: what a depth reaches is a share of what the confirming run did.
#[test]
fn a_depth_reaches_a_share_of_the_confirmed_rate() {
    let mut points = points(&Device::default());
    let best = depth_curves(&points)[0].best_point().name.clone();
    named(&mut points, &best).figures.data.iops *= 1.04;
    let confirmed = points.iter().rfind(|p| p.name.starts_with("confirm"));
    let confirmed = confirmed.unwrap().iops();
    let curve = depth_curves(&points).remove(0);
    assert_eq!(curve.best_point().name, best);
    let verdict = Verdict::of(&points, &[]);
    let range = verdict.range.unwrap();
    let used = curve
        .points
        .iter()
        .find(|p| p.in_flight == range.to_use.in_flight);
    let share = used.unwrap().iops() / confirmed;
    assert!(
        share < 0.99 && (range.to_use.share - share).abs() < 1e-9,
        "{share} {range:?}"
    );
    // More than all of it is chance.
    assert!((curve.share(curve.best_point()) - 1.0).abs() < 1e-9);
}
