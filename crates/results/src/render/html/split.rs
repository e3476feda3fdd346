//! A chart of many lines as several of few, so that those of two or three runs fit on common axes.
//!
//! Belongs here: which lines stay together. Must never: compute a figure, or leave a line out.

use super::view::{Figure, Picture, without_lacking};
use crate::render::svg::{Chart, Series};

/// Lines that stay together.
struct LineGroup {
    /// What the title says of them.
    name: String,
    /// What all their labels begin with, with the space after it; else empty.
    prefix: String,
    labels: Vec<String>,
}

/// The charts of one title, one a run, in several with no more than `room` of their lines each: for each of these the
/// chart of every run. Lines of one thing stay together (`response p50`, `response p99`) where they fit. `None` where there
/// is nothing to split, or they are not all of lines.
pub(super) fn split(figures: &[&Figure], room: usize) -> Option<Vec<Vec<Figure>>> {
    let charts: Option<Vec<(&Chart, bool)>> = figures.iter().map(|figure| lines(figure)).collect();
    let charts = charts?;
    let mut labels: Vec<&str> = Vec::new();
    for one in charts.iter().flat_map(|(chart, _)| &chart.series) {
        if !labels.contains(&one.label.as_str()) {
            labels.push(&one.label);
        }
    }
    if room < 2 || labels.len() <= room {
        return None;
    }
    let groups = by_prefix(&labels, room).unwrap_or_else(|| in_turn(&labels, room));
    let each = groups.iter().map(|group| {
        let of = charts.iter().zip(figures);
        of.map(|((chart, rising), figure)| part(chart, *rising, group, figure.said()))
            .collect()
    });
    Some(each.collect())
}

fn lines(figure: &Figure) -> Option<(&Chart, bool)> {
    match &figure.picture {
        Picture::Lines(chart, rising) => Some((chart, *rising)),
        _ => None,
    }
}

/// Lines by what they are of, where each has room for all its figures.
fn by_prefix(labels: &[&str], room: usize) -> Option<Vec<LineGroup>> {
    let mut groups: Vec<LineGroup> = Vec::new();
    for label in labels {
        let (of, _) = label.rsplit_once(' ')?;
        match groups.iter_mut().find(|group| group.name == of) {
            Some(group) => group.labels.push((*label).to_owned()),
            None => groups.push(LineGroup {
                name: of.to_owned(),
                prefix: format!("{of} "),
                labels: vec![(*label).to_owned()],
            }),
        }
    }
    let fits = groups
        .iter()
        .all(|group| (2..=room).contains(&group.labels.len()));
    fits.then_some(groups)
}

/// Lines in their order, as many on each chart as on the others.
fn in_turn(labels: &[&str], room: usize) -> Vec<LineGroup> {
    let charts = labels.len().div_ceil(room);
    let each = labels.chunks(labels.len().div_ceil(charts));
    let group = |some: &[&str]| LineGroup {
        name: some.join(", "),
        prefix: String::new(),
        labels: some.iter().map(|label| (*label).to_owned()).collect(),
    };
    each.map(group).collect()
}

/// A chart with the lines of a group.
fn part(chart: &Chart, rising: bool, group: &LineGroup, caption: String) -> Figure {
    let is_own = |one: &&Series| group.labels.contains(&one.label);
    let (own, others): (Vec<&Series>, Vec<&Series>) = chart.series.iter().partition(is_own);
    let caption = (others.into_iter()).fold(caption, |said, one| without_lacking(&said, one));
    let mut series: Vec<Series> = own.into_iter().cloned().collect();
    for one in &mut series {
        if let Some(short) = one.label.strip_prefix(&group.prefix) {
            one.label = short.to_owned();
        }
    }
    let mut part = Chart {
        title: format!("{}: {}", chart.title, group.name),
        description: described(chart, group),
        series,
        ..chart.clone()
    };
    if let Some(label) = label_of(&chart.y.label, group) {
        part.description = part.description.replacen(&chart.y.label, &label, 1);
        part.y.label = label;
    }
    Figure::of(Picture::Lines(Box::new(part), rising), caption)
}

/// What an axis of several things (`response and service time`) shows of a group that is one of them (`response time`).
fn label_of(label: &str, group: &LineGroup) -> Option<String> {
    let (things, what) = label.rsplit_once(' ')?;
    let mut each = things.split(" and ");
    let is_one = things.contains(" and ") && each.any(|thing| thing == group.name);
    is_one.then(|| format!("{} {what}", group.name))
}

/// The parts of a description that are of lines of the group, or of none.
fn described(chart: &Chart, group: &LineGroup) -> String {
    let is_of = |part: &str, label: &str| {
        let rest = part.strip_prefix(label);
        !label.is_empty() && rest.is_some_and(|rest| rest.starts_with(' '))
    };
    let said = chart.description.split_once(". ");
    let (first, each) = said.unwrap_or(("", chart.description.as_str()));
    let kept = each.split("; ").filter(|part| {
        let other = |one: &str| !group.labels.iter().any(|label| label == one) && is_of(part, one);
        !chart.series.iter().any(|one| other(&one.label))
    });
    let kept: Vec<&str> = kept.collect();
    match first {
        "" => kept.join("; "),
        first => format!("{first}. {}", kept.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::html::curves::{figure, line};
    use crate::render::svg::{Axis, ScaleKind, Shape, Unit};

    fn of(labels: &[&str]) -> Figure {
        let each = labels.iter().zip(1_u32..);
        let lines = each.map(|(label, n)| {
            let points = vec![(1.0, 1.0), (2.0, f64::from(n))];
            line(label, "read", 0, Shape::Marked, points)
        });
        let said: Vec<String> = labels.iter().map(|label| format!("{label} 1: 1")).collect();
        let chart = Chart {
            id: "same".to_owned(),
            title: "Latency".to_owned(),
            description: format!("time by IOPS. {}", said.join("; ")),
            x: Axis::new("IOPS", ScaleKind::Linear, Unit::Count),
            y: Axis::new("time", ScaleKind::Linear, Unit::Nanos),
            series: lines.collect(),
            marks: Vec::new(),
            height: 200.0,
        };
        figure(&chart, String::new(), true)
    }

    /// A chart says of its own lines alone that points have no value.
    #[test]
    fn what_points_of_other_lines_lack_is_not_said() {
        let mut whole = of(&["a", "b", "c", "d"]);
        if let Picture::Lines(chart, _) = &mut whole.picture {
            chart.y.scale = ScaleKind::Log10;
            for one in &mut chart.series {
                one.points.push((3.0, f64::NAN));
            }
            whole = figure(chart, "Own.".to_owned(), true);
        }
        let found = split(&[&whole], 2).unwrap();
        let captions: Vec<&str> = found.iter().map(|part| part[0].caption.as_str()).collect();
        let said = |a: &str, b: &str| {
            let each = [a, b].map(|name| format!("{name}: 1 point has too few samples, or none."));
            format!("Own. {}", each.join(" "))
        };
        assert_eq!(captions, [said("a", "b"), said("c", "d")]);
    }

    fn parts(labels: &[&str], room: usize) -> Vec<(String, Vec<String>, String)> {
        let figure = of(labels);
        let found = split(&[&figure], room).unwrap_or_default();
        let each = found.iter().map(|of_runs| {
            let (chart, _) = lines(&of_runs[0]).unwrap();
            let labels = chart.series.iter().map(|s| s.label.clone());
            (
                chart.title.clone(),
                labels.collect(),
                chart.description.clone(),
            )
        });
        each.collect()
    }

    #[test]
    fn figures_of_one_time_stay_together_under_its_name() {
        let all = [
            "response p50",
            "response p99",
            "service p99",
            "service mean",
        ];
        let [response, service] = &parts(&all, 3)[..] else {
            panic!("two charts")
        };
        assert_eq!(response.0, "Latency: response");
        assert_eq!(response.1, ["p50", "p99"]);
        assert_eq!(
            response.2,
            "time by IOPS. response p50 1: 1; response p99 1: 1"
        );
        assert_eq!(service.0, "Latency: service");
    }

    /// An axis of both times is of one of them where the lines are; what lines of other things show is what it was.
    #[test]
    fn the_axis_of_a_part_says_what_its_lines_show() {
        let labels = |label: &str, lines: [&str; 4]| {
            let mut whole = of(&lines);
            if let Picture::Lines(chart, _) = &mut whole.picture {
                chart.y.label = label.to_owned();
                chart.description = chart.description.replacen("time", label, 1);
            }
            let found = split(&[&whole], 2).unwrap();
            let each = found.iter().map(|part| {
                let (chart, _) = lines_of(&part[0]);
                assert!(
                    chart
                        .description
                        .starts_with(&format!("{} by", chart.y.label))
                );
                chart.y.label.clone()
            });
            each.collect::<Vec<_>>()
        };
        let times = [
            "response p50",
            "response p99",
            "service p99",
            "service mean",
        ];
        assert_eq!(
            labels("response and service time", times),
            ["response time", "service time"]
        );
        assert_eq!(labels("latency", times), ["latency", "latency"]);
        let hosts = ["near p50", "near p99", "far p50", "far p99"];
        let both = "response and service time";
        assert_eq!(labels(both, hosts), [both, both]);
    }

    fn lines_of(figure: &Figure) -> (&Chart, bool) {
        lines(figure).unwrap()
    }

    #[test]
    fn other_lines_are_split_evenly_in_their_order_and_few_are_not() {
        let found = parts(&["a", "b", "c", "d", "e"], 4);
        let titles: Vec<&str> = found.iter().map(|part| part.0.as_str()).collect();
        assert_eq!(titles, ["Latency: a, b, c", "Latency: d, e"]);
        assert_eq!(found[1].1, ["d", "e"]);
        assert!(parts(&["a", "b"], 2).is_empty());
        assert!(parts(&["a", "b", "c"], 1).is_empty());
    }
}
