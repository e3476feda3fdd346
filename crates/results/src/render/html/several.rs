//! Several runs on one page: the curves of all on one chart, with a legend and the knee of each.
//!
//! Belongs here: the order and words of that page. Must never: need a script, or say which run is better.

use super::curves::{about_whole, figure, line, shown};
use super::head::about_run;
use super::tables::labels;
use super::view::{Figure, Section};
use crate::render::svg::{Axis, Chart, Mark, ScaleKind, Series, Shape, Unit, key};
use crate::study::response::{ResponseCurve, ResponsePoint};
use crate::study::several::Named;
use crate::summary::{percentile, summarize};
use crate::trust::grade::Grades;
use crate::words::{about, rate, span};
use askama::Template;

/// Most curves on one chart: with more, each work gets a chart of its own.
const MOST: usize = 9;
/// Colours there are for runs.
const COLOURS: usize = 5;
/// Letters of a name beside a line; the legend has all.
const LETTERS: usize = 16;
/// Height of the charts.
const HEIGHT: f64 = 320.0;

/// A curve as it is drawn.
struct Drawn<'a> {
    curve: &'a ResponseCurve,
    /// Its name in the legend.
    label: String,
    /// Its name beside the line.
    short: String,
    class: String,
    variant: u8,
}

/// A run in the table of runs.
struct Ran {
    name: String,
    about: String,
    grade: char,
    words: String,
    /// Where each of the cache axes stood in it.
    axes: [String; 4],
    note: String,
}

/// A curve in the legend.
struct Entry {
    key: String,
    label: String,
    /// What it did, where the name does not say it.
    work: String,
    largest: String,
    knee: String,
    twice: String,
    power: String,
    useful: String,
}

/// The points of a curve.
struct Points {
    label: String,
    rows: Vec<[String; 5]>,
}

#[derive(Template)]
#[template(path = "curves.html")]
struct CurvesPage<'a> {
    title: String,
    runs: Vec<Ran>,
    sections: Vec<Section>,
    entries: Vec<Entry>,
    points: Vec<Points>,
    axes: [&'a str; 4],
    css: &'a str,
}

/// The page of the curves of several runs; `None` when none of them has one.
#[must_use]
pub fn curves_page(runs: &[Named<'_>]) -> Option<String> {
    let drawn = drawn(runs);
    if drawn.is_empty() {
        return None;
    }
    let names: Vec<&str> = runs.iter().map(|r| r.name.as_str()).collect();
    let page = CurvesPage {
        title: format!("Response curves: {}", names.join(", ")),
        runs: runs.iter().map(ran).collect(),
        sections: sections(&drawn),
        entries: drawn.iter().map(entry).collect(),
        points: drawn.iter().map(points).collect(),
        axes: crate::summary::labels::AXES,
        css: super::CSS,
    };
    // Rendering into memory fails only when a value's own formatting does, which none of these does.
    page.render().ok()
}

/// All curves: a run has a colour, a work a dash and a marker; where each run has one work alone, the
/// dash distinguishes the runs as well.
fn drawn<'a>(runs: &'a [Named<'_>]) -> Vec<Drawn<'a>> {
    let mut works: Vec<String> = Vec::new();
    let mut drawn = Vec::new();
    let single = runs.iter().all(|r| r.curves.len() <= 1);
    for (number, run) in runs.iter().enumerate() {
        for curve in &run.curves {
            let work = curve.label();
            let place = works.iter().position(|w| *w == work).unwrap_or_else(|| {
                works.push(work);
                works.len() - 1
            });
            let look = if single { number } else { place };
            drawn.push(Drawn {
                curve,
                label: run.label(curve),
                short: String::new(),
                class: format!("k{}", number % COLOURS),
                variant: u8::try_from(look % 3).unwrap_or(0),
            });
        }
    }
    shorten(&mut drawn);
    drawn
}

/// Names that have room beside the lines; where one has to be cut all have their number before them, so
/// that the legend shows which is which.
fn shorten(drawn: &mut [Drawn<'_>]) {
    let long = |d: &Drawn<'_>| d.label.chars().count() > LETTERS;
    let numbered = drawn.iter().any(long);
    for (number, one) in drawn.iter_mut().enumerate() {
        if numbered {
            one.label = format!("{} {}", number + 1, one.label);
        }
        one.short.clone_from(&one.label);
        if long(one) {
            let cut: String = one.label.chars().take(LETTERS - 1).collect();
            one.short = format!("{}\u{2026}", cut.trim_end());
        }
    }
}

/// One section with all curves, or one for each work where they would be too many.
fn sections(drawn: &[Drawn<'_>]) -> Vec<Section> {
    let all: Vec<&Drawn<'_>> = drawn.iter().collect();
    if all.len() <= MOST {
        return vec![section("curves", "Latency against IOPS", &all)];
    }
    let mut works: Vec<String> = Vec::new();
    for one in drawn {
        let work = one.curve.label();
        if !works.contains(&work) {
            works.push(work);
        }
    }
    let each = works.iter().enumerate();
    each.map(|(n, work)| {
        let of: Vec<_> = drawn.iter().filter(|d| d.curve.label() == *work).collect();
        section(&format!("curves-{n}"), work, &of)
    })
    .collect()
}

fn section(id: &str, title: &str, drawn: &[&Drawn<'_>]) -> Section {
    let tail = |p: &ResponsePoint| shown(p.figures.data.response(), 99.0);
    Section {
        id: id.to_owned(),
        title: title.to_owned(),
        lede: String::new(),
        figures: vec![
            chart(
                drawn,
                &format!("{id}-mean"),
                "Mean latency against IOPS",
                &ResponsePoint::mean,
            ),
            chart(
                drawn,
                &format!("{id}-tail"),
                "Latency p99 against IOPS",
                &tail,
            ),
        ],
    }
}

fn chart(
    drawn: &[&Drawn<'_>],
    id: &str,
    title: &str,
    value: &dyn Fn(&ResponsePoint) -> f64,
) -> Figure {
    let mut marks = Vec::new();
    let mut series: Vec<Series> = Vec::new();
    for one in drawn {
        let points = one.curve.points.iter().map(|p| (p.iops(), value(p)));
        let mut it = line(
            &one.short,
            &one.class,
            one.variant,
            Shape::Marked,
            points.collect(),
        );
        let missed = |p: &ResponsePoint| if p.saturated() { "!" } else { "" }.to_owned();
        it.tags = one.curve.points.iter().map(missed).collect();
        series.push(it);
        let knee = one.curve.knee().and_then(|k| one.curve.points.get(k));
        if let Some(point) = knee.filter(|p| value(p).is_finite()) {
            marks.push(Mark::Ring(point.iops(), value(point), String::new()));
        }
    }
    let words = drawn.iter().map(|d| d.curve.sentence_as(&d.label));
    let chart = Chart {
        id: id.to_owned(),
        title: title.to_owned(),
        description: words.collect::<Vec<_>>().join(" "),
        x: Axis::new("IOPS", ScaleKind::Linear, Unit::Count),
        y: Axis::new("latency", ScaleKind::Log10, Unit::Nanos),
        series,
        marks,
        height: HEIGHT,
    };
    let caption = "Measured from the intended start of each I/O, so queueing before submission \
                   counts. A ring marks the knee of each curve, ! a rate that was not reached.";
    figure(&chart, caption.to_owned(), None)
}

fn ran(named: &Named<'_>) -> Ran {
    let summary = summarize(named.run);
    let grade = Grades::of_run(named.run).run;
    let labels = labels(&summary);
    let axis = |place: usize| {
        let mut said: Vec<&str> = labels.iter().map(|l| l.1[place].as_str()).collect();
        said.sort_unstable();
        said.dedup();
        said.join("; ")
    };
    let title = named.run.plan.as_ref().map_or("", |p| p.title.trim());
    let mut about: Vec<String> = vec![title.to_owned()];
    about.extend(about_run(named.run));
    about.retain(|w| !w.is_empty());
    Ran {
        name: named.name.clone(),
        about: about.join(", "),
        grade: grade.letter,
        words: grade.sentence(),
        axes: [0, 1, 2, 3].map(axis),
        note: if named.curves.is_empty() {
            "no curve: it needs the same workload at two or more rates or depths".to_owned()
        } else {
            String::new()
        },
    }
}

fn entry(drawn: &Drawn<'_>) -> Entry {
    let curve = drawn.curve;
    let at = |place: Option<usize>| {
        let point = place.and_then(|p| curve.points.get(p));
        point.map_or_else(
            || "-".to_owned(),
            |p| format!("{} at {}", about(p.iops()), span(p.mean())),
        )
    };
    let useful = curve.useful_concurrency();
    let work = curve.label();
    Entry {
        key: key(&drawn.class, drawn.variant),
        label: drawn.label.clone(),
        work: if drawn.label.ends_with(&work) {
            String::new()
        } else {
            work
        },
        largest: about(curve.largest()),
        knee: at(curve.knee()),
        twice: at(curve.within_twice()),
        power: at(curve.power()),
        useful: useful.map_or_else(|| "-".to_owned(), about_whole),
    }
}

fn points(drawn: &Drawn<'_>) -> Points {
    let row = |p: &ResponsePoint| {
        let latency = p.figures.data.response();
        [
            p.asked.map_or_else(|| "-".to_owned(), rate),
            rate(p.iops()),
            span(p.mean()),
            percentile(latency, 99.0).map_or_else(|| "-".to_owned(), |p| p.text()),
            if p.saturated() { "not reached" } else { "" }.to_owned(),
        ]
    };
    Points {
        label: drawn.label.clone(),
        rows: drawn.curve.points.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::response::tests::curve_run;
    use crate::study::several::named;

    fn page_of(count: usize) -> String {
        let run = curve_run();
        let runs: Vec<_> = (0..count)
            .map(|n| (Some(format!("run<{n}>")), String::new(), &run))
            .collect();
        curves_page(&named(&runs)).unwrap()
    }

    #[test]
    fn the_curves_of_all_runs_share_a_chart_with_their_knees_and_a_legend() {
        let page = page_of(2);
        assert_eq!(page.matches("<svg class=\"chart\"").count(), 2);
        let chart = &page[page.find("<svg class=\"chart\"").unwrap()..];
        let chart = &chart[..chart.find("</svg>").unwrap()];
        for label in [
            "run&lt;0&gt;: c",
            "run&lt;0&gt;: l",
            "run&lt;1&gt;: c",
            "run&lt;1&gt;: l",
        ] {
            assert!(chart.contains(&format!(">{label}</text>")), "{label}");
        }
        // Both runs are alike: a knee each, and what the two rates of `l` have.
        assert!(chart.matches("class=\"ring\"").count() >= 2);
        assert_eq!(page.matches("<svg class=\"key\"").count(), 4);
        assert!(page.contains("line v0 k0") && page.contains("line v1 k1"));
        assert!(page.contains("not reached"));
        for axis in crate::summary::labels::AXES {
            assert!(page.contains(&format!(">{axis}</th>")), "{axis}");
        }
        assert!(!page.contains("<script"), "it shows without a script");
        assert!(!page.contains("run<0>"));
    }

    #[test]
    fn names_that_are_cut_have_a_number() {
        let run = curve_run();
        let name = |n: u32| (Some(format!("a very long name {n}")), String::new(), &run);
        let page = curves_page(&named(&[name(1), name(2)])).unwrap();
        for (beside, legend) in [
            (">1 a very long n\u{2026}</text>", "1 a very long name 1: c"),
            (">4 a very long n\u{2026}</text>", "4 a very long name 2: l"),
        ] {
            assert!(page.contains(beside) && page.contains(legend), "{beside}");
        }
    }

    #[test]
    fn too_many_curves_get_a_chart_for_each_work() {
        let page = page_of(5);
        assert_eq!(page.matches("<svg class=\"chart\"").count(), 4);
        assert!(page.contains("id=\"curves-1\""));
    }

    #[test]
    fn runs_without_curves_make_no_page_and_are_named_beside_others() {
        let empty = crate::run::Run::default();
        let none = (None, "a".to_owned(), &empty);
        assert!(curves_page(&named(&[none.clone(), none.clone()])).is_none());
        let run = curve_run();
        let page = curves_page(&named(&[none, (None, "b".to_owned(), &run)])).unwrap();
        assert!(page.contains("no curve:"));
    }
}
