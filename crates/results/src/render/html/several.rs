//! Several runs on one page: what differs, what changed, the charts of all, the curves with the knee of each.
//!
//! Belongs here: the order and words of that page. Must never: need a script to be read, or compare anything itself.

use super::beside::{self, Charted};
use super::captions::fill_of;
use super::changes::{
    Changes, DifferenceRow, SettingRow, changes, compared, differences, said_of_several, settings,
};
use super::curves::{DrawnLatency, figure, line, mean, tail, with_points};
use super::head::about_run;
use super::requested;
use super::response;
use super::study::apart;
use super::tables::labels;
use super::view::{Detail, Figure, Section};
use crate::render::svg::{
    Axis, Chart, Mark, MarkerFill, ScaleKind, Series, Shape, Unit, WordRoom, key, short_works,
    shortened, variant_of,
};
use crate::stats::{Bracket, Interval};
use crate::study::response::{ResponseCurve, ResponsePoint};
use crate::study::several::Named;
use crate::summary::{Percentile, summarize};
use crate::trust::grade::Grades;
use crate::words::{
    in_flight_within, rate, rate_half_width, rate_within, span, span_half_width, span_within,
};
use askama::Template;

/// Most curves on one chart: with more, each work gets a chart of its own.
const MOST: usize = 9;
/// Colours there are for runs.
const COLOURS: usize = 5;
/// Letters of a name beside a line; the legend has all.
const LETTERS: usize = 30;
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
    fill: MarkerFill,
}

/// A run in the table of runs.
struct Ran {
    name: String,
    /// Its name in full, where that is too long for a head or a line; else empty.
    called: String,
    about: String,
    grade: char,
    words: String,
    /// Where each of the cache axes stood in it.
    axes: [String; 4],
}

/// A cell of a table: a figure, and its interval below it; empty = it has none.
struct FigureCell {
    value: String,
    within: String,
}

/// A curve in the legend.
struct Entry {
    key: String,
    label: String,
    /// What it did, where the name does not say it.
    work: String,
    /// Its highest rate, its knees by three definitions, and N*.
    cells: [FigureCell; 5],
    /// What its highest rate was when it was measured once more, or why nothing is concluded from it; else empty.
    note: String,
}

/// The points of a curve.
struct Points {
    label: String,
    rows: Vec<[FigureCell; 5]>,
}

#[derive(Template)]
#[template(path = "several.html")]
struct SeveralPage<'a> {
    title: String,
    heading: String,
    /// Letter of the worst grade.
    worst: char,
    /// Each letter with its runs and what it means.
    grades: Vec<(char, String)>,
    runs: Vec<Ran>,
    /// Whether there are more than two.
    several: bool,
    /// Whether the changes of each run are folded, as there are many.
    folded: bool,
    /// Whether they have longer names than those by which they stand here.
    is_called: bool,
    differences: Vec<DifferenceRow>,
    settings: Vec<SettingRow>,
    changes: Vec<Changes>,
    /// What several of these say, above them.
    changes_said: Vec<String>,
    contents: Vec<(String, String)>,
    sections: Vec<Section>,
    details: Vec<Detail>,
    details_note: String,
    /// Few workloads are shown at once.
    alone: bool,
    entries: Vec<Entry>,
    points: Vec<Points>,
    axes: [&'a str; 4],
    css: &'a str,
    js: &'a str,
}

/// The page of several runs: what differs between them first, then what changed from the first to each other one, then
/// the charts of all.
#[must_use]
pub fn several_page(runs: &[Named<'_>]) -> String {
    let names: Vec<&str> = runs.iter().map(|r| r.name.as_str()).collect();
    let title = title_of(&names);
    let long: Vec<String> = runs.iter().map(|r| r.name.clone()).collect();
    let runs = &short_names(runs);
    // At lines a run is called by what others had otherwise, too.
    let names = super::varied::called(runs).into_iter();
    let at_lines = runs.iter().zip(names).map(|(run, name)| Named {
        name,
        ..run.clone()
    });
    let at_lines: Vec<Named<'_>> = at_lines.collect();
    let drawn = drawn(&at_lines);
    let compared = compared(runs);
    let mut sections = match drawn.is_empty() {
        true => Vec::new(),
        false => self::sections(&drawn),
    };
    sections.extend(beside::sections(&charted(&at_lines, !drawn.is_empty())));
    let (details, details_note) = super::over_time::of_runs(runs);
    // One workload that all have is shown once.
    sections.retain(|s| details.len() > 1 || s.title != super::DISTRIBUTION);
    let mut rans: Vec<Ran> = runs.iter().map(ran).collect();
    for (ran, name) in rans.iter_mut().zip(long) {
        if ran.name != name {
            ran.called = name;
        }
    }
    let is_called = rans.iter().any(|r| !r.called.is_empty());
    let worst = rans.iter().map(|r| r.grade).max();
    let mut found: Vec<Changes> = compared.iter().map(changes).collect();
    let changes_said = said_of_several(&mut found);
    let mut page = SeveralPage {
        heading: super::breakable(&title),
        title,
        worst: worst.unwrap_or('-'),
        grades: grades(&rans),
        runs: rans,
        folded: runs.len() > MOST_UNFOLDED,
        several: runs.len() > 2,
        is_called,
        differences: requested::first(runs, differences(&compared)),
        settings: settings(runs),
        changes: found,
        changes_said,
        contents: Vec::new(),
        sections,
        alone: details.len() <= MOST_OPEN && runs.len() <= MOST_UNFOLDED,
        details,
        details_note,
        entries: drawn.iter().map(entry).collect(),
        points: drawn.iter().map(points).collect(),
        axes: crate::summary::labels::AXES,
        css: super::CSS,
        js: super::JS,
    };
    super::signs::say_once(
        &mut page.sections,
        &mut page.details,
        &mut page.details_note,
    );
    page.contents = contents(&page);
    // Rendering into memory fails only when a value's own formatting does, which none of these does.
    page.render()
        .unwrap_or_else(|error| format!("<!DOCTYPE html><title>{error}</title>"))
}

/// The names where they have room; of many runs how many there are, and of what if all are of one target: the tables have
/// their names.
fn title_of(names: &[&str]) -> String {
    /// About two lines.
    const MOST: usize = 120;
    let all = match names {
        [a, b] => format!("Comparison of {a} and {b}"),
        names => format!("Comparison of {} runs: {}", names.len(), names.join("; ")),
    };
    if names.len() < 3 || all.chars().count() <= MOST {
        return all;
    }
    let target = |name: &&str| name.split_once(" of ").map(|(_, target)| target.to_owned());
    let first = names.first().and_then(target);
    match first.filter(|first| {
        names
            .iter()
            .all(|name| target(name).as_ref() == Some(first))
    }) {
        Some(target) => format!("Comparison of {} runs of {target}", names.len()),
        None => format!("Comparison of {} runs", names.len()),
    }
}

/// No more workloads than these are unfolded over time.
const MOST_OPEN: usize = 3;
/// More runs than these have their changes folded.
const MOST_UNFOLDED: usize = 4;

/// The grade of each run; those of one grade and one reason in one line.
fn grades(runs: &[Ran]) -> Vec<(char, String)> {
    let mut all: Vec<(char, &str, Vec<&str>)> = Vec::new();
    for run in runs {
        let same = |one: &&mut (char, &str, Vec<&str>)| (one.0, one.1) == (run.grade, &*run.words);
        match all.iter_mut().find(same) {
            Some(one) => one.2.push(&run.name),
            None => all.push((run.grade, &run.words, vec![&run.name])),
        }
    }
    let each = all.into_iter();
    each.map(|(letter, words, names)| (letter, format!("{}: {words}", names.join(", "))))
        .collect()
}

/// Anchors and headings of the page's parts in their order.
fn contents(page: &SeveralPage<'_>) -> Vec<(String, String)> {
    let mut all = vec![("differs".to_owned(), "What differs".to_owned())];
    let changes = page.changes.iter().enumerate();
    if page.folded || !page.changes_said.is_empty() {
        let title = format!("Each run against {}", page.runs[0].name);
        all.push(("changes".to_owned(), title));
    }
    if !page.folded {
        all.extend(changes.map(|(n, c)| (format!("changes-{}", n + 1), c.title.clone())));
    }
    let charts = page.sections.iter();
    all.extend(charts.map(|s| (s.id.clone(), s.title.clone())));
    let over_time = match page.alone {
        true => "Over time",
        false => "Each workload over time",
    };
    let parts = [
        (!page.details.is_empty(), "over-time", over_time),
        (!page.entries.is_empty(), "legend", "Knees and N*"),
        (true, "runs", "The runs, and how far to trust each"),
        (!page.points.is_empty(), "points", "Points of the curves"),
    ];
    let there = parts.into_iter().filter(|part| part.0);
    all.extend(there.map(|(_, id, title)| (id.to_owned(), title.to_owned())));
    all
}

/// Longest name of a run beside lines and over columns.
const NAME: usize = 12;

/// The runs under names that have room: their own, or letters where one of these is too long.
fn short_names<'a>(runs: &[Named<'a>]) -> Vec<Named<'a>> {
    let short = runs.iter().all(|r| r.name.chars().count() <= NAME);
    let letter = |place: usize| match u8::try_from(place) {
        Ok(n) if n < 26 => char::from(b'A' + n).to_string(),
        _ => format!("run {}", place + 1),
    };
    let each = runs.iter().enumerate().map(|(place, run)| Named {
        name: if short {
            run.name.clone()
        } else {
            letter(place)
        },
        ..run.clone()
    });
    each.collect()
}

/// The charts of each run. Curves of latency over IOPS are left out where the page has those of all.
fn charted(runs: &[Named<'_>], with_curves: bool) -> Vec<Charted> {
    let each = runs.iter().map(|run| {
        let mut sections = super::charts(run.run);
        sections.retain(|s| !(with_curves && s.id == "response"));
        Charted {
            name: run.name.clone(),
            sections,
        }
    });
    each.collect()
}

/// All curves: a run has a colour and what is inside its markers, a work a dash and a marker; where each run has one work
/// alone, the dash distinguishes the runs as well.
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
                variant: variant_of(look),
                fill: fill_of(number, single, runs.len()),
            });
        }
    }
    shorten(&mut drawn);
    drawn
}

/// Names that have room beside the lines; where one has to be cut all have their number before them, so
/// that the legend shows which is which. What all works have in common goes first, then letters in the middle.
fn shorten(drawn: &mut [Drawn<'_>]) {
    let works: Vec<String> = drawn.iter().map(work_in).collect();
    let short = short_works(&works);
    let long = |d: &Drawn<'_>| d.label.chars().count() > LETTERS;
    let numbered = drawn.iter().any(long);
    for (number, one) in drawn.iter_mut().enumerate() {
        if numbered {
            one.label = format!("{} {}", number + 1, one.label);
        }
        one.short.clone_from(&one.label);
        if long(one) {
            let work = &works[number];
            let own = one.label.strip_suffix(work.as_str()).unwrap_or_default();
            let name = format!("{own}{}", short[number]);
            let name = if work.is_empty() { &one.label } else { &name };
            one.short = shortened(name, WordRoom::Letters(LETTERS));
        }
    }
}

/// The work in a curve's name; empty where it has none.
fn work_in(one: &Drawn<'_>) -> String {
    let work = one.curve.label();
    match one.label.ends_with(&work) {
        true => work,
        false => String::new(),
    }
}

/// Which line is which, where a name at one is cut.
fn cut_names(drawn: &[&Drawn<'_>]) -> String {
    if drawn.iter().all(|one| !one.short.contains('\u{2026}')) {
        return String::new();
    }
    let each: Vec<&str> = drawn.iter().map(|one| one.label.as_str()).collect();
    format!("Lines: {}.", each.join("; "))
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
    let (tail_id, mean_id) = (format!("{id}-tail"), format!("{id}-mean"));
    // What both show is said below the first.
    let tails = chart(
        drawn,
        (&tail_id, "Latency p99 against IOPS"),
        format!("{} {}", cut_names(drawn), said(drawn))
            .trim()
            .to_owned(),
        &|p| tail(&p.figures.data, 99.0),
    );
    let means = (mean_id.as_str(), "Mean latency against IOPS");
    let means = chart(drawn, means, String::new(), &|p| mean(&p.figures.data));
    Section {
        id: id.to_owned(),
        title: title.to_owned(),
        lede: String::new(),
        figures: vec![tails, means],
    }
}

/// What rings and marks on the charts of curves are.
fn said(drawn: &[&Drawn<'_>]) -> String {
    let ringed: Vec<(String, response::RiseMark)> = drawn
        .iter()
        .map(|d| (d.label.clone(), response::RiseMark::of(d.curve)))
        .collect();
    let at_rates = drawn.iter().any(|d| response::at_rates(d.curve));
    let mut all = drawn.iter().flat_map(|d| &d.curve.points);
    let missed = all.any(ResponsePoint::saturated);
    response::caption(&ringed, at_rates, missed)
}

fn chart(
    drawn: &[&Drawn<'_>],
    (id, title): (&str, &str),
    caption: String,
    value: &dyn Fn(&ResponsePoint) -> DrawnLatency,
) -> Figure {
    let mut marks = Vec::new();
    let mut series: Vec<Series> = Vec::new();
    for one in drawn {
        let points = one.curve.points.iter().map(|p| (p.iops(), value(p)));
        let it = line(
            &one.short,
            &one.class,
            one.variant,
            Shape::Marked,
            Vec::new(),
        );
        let mut it = with_points(it, points);
        it.fill = one.fill;
        let missed = |p: &ResponsePoint| if p.saturated() { "!" } else { "" }.to_owned();
        it.tags = one.curve.points.iter().map(missed).collect();
        series.push(it);
        let knee = one.curve.knee().and_then(|k| one.curve.points.get(k));
        if let Some(point) = knee.filter(|p| value(p).0.is_finite()) {
            marks.push(Mark::Ring(point.iops(), value(point).0, String::new()));
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
    figure(&chart, caption, false)
}

fn ran(named: &Named<'_>) -> Ran {
    let summary = summarize(named.run);
    let grade = Grades::of_run(named.run).run;
    let labels = labels(named.run, &summary);
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
        called: String::new(),
        about: about.join(", "),
        grade: grade.letter,
        words: grade.sentence_of(named.run),
        axes: [0, 1, 2, 3].map(axis),
    }
}

fn entry(drawn: &Drawn<'_>) -> Entry {
    let curve = drawn.curve;
    let none = || FigureCell::new("-");
    let at = |place: Option<usize>| {
        let point = place.and_then(|p| curve.points.get(p));
        point.map_or_else(none, FigureCell::of_point)
    };
    let largest = curve.largest_point().filter(|_| curve.withheld.is_none());
    let work = curve.label();
    Entry {
        key: key(&drawn.class, (drawn.variant, drawn.fill)),
        label: drawn.label.clone(),
        work: if drawn.label.ends_with(&work) {
            String::new()
        } else {
            work
        },
        cells: [
            largest.map_or_else(none, |p| {
                FigureCell::new(&rate_within(&p.figures.data.iops_known()))
            }),
            at(curve.knee()),
            at(curve.within_twice()),
            at(curve.power()),
            curve
                .useful_within()
                .map_or_else(none, |n| FigureCell::new(&in_flight_within(&n))),
        ],
        note: (curve.withheld.as_ref().or(curve.against.as_ref()))
            .map_or_else(String::new, |note| super::head::unbroken(note)),
    }
}

impl FigureCell {
    /// A figure with its interval as sentences have it, which stands below it here.
    fn new(text: &str) -> Self {
        let (value, within) = apart(text);
        Self { value, within }
    }

    /// `16,056 at 1.20 ms`: rate and mean latency of a point, with the intervals of both.
    fn of_point(point: &ResponsePoint) -> Self {
        let iops = Self::new(&rate_within(&point.figures.data.iops_known()));
        let mean = Self::new(&span_within(&mean_known(point)));
        let within = match (iops.within.as_str(), mean.within.as_str()) {
            ("", "") => String::new(),
            (iops, "") => format!("IOPS {iops}"),
            ("", mean) => format!("mean {mean}"),
            (iops, mean) => format!("{iops}, {mean}"),
        };
        Self {
            value: format!("{} at {}", iops.value, mean.value),
            within,
        }
    }
}

/// The mean latency of a point, without an interval where it is a lower bound.
fn mean_known(point: &ResponsePoint) -> Interval {
    match point.figures.data.mean_bracket() {
        Bracket::AtLeast => Interval::only(point.mean()),
        _ => point.mean_within(),
    }
}

fn points(drawn: &Drawn<'_>) -> Points {
    let row = |p: &ResponsePoint| {
        let data = &p.figures.data;
        let (iops, mean) = (data.iops_known(), mean_known(p));
        let of = |value: String, known: Option<Interval>, half_width: fn(&Interval) -> String| {
            let known = known.filter(Interval::is_known);
            FigureCell {
                value,
                within: known.map_or_else(String::new, |i| format!("\u{b1} {}", half_width(&i))),
            }
        };
        let tail = data.response_at(99.0);
        let tail_known = tail.as_ref().filter(|p| p.shown().is_some());
        let tail_known = tail_known.and_then(Percentile::interval);
        let tail = tail.map_or_else(|| "-".to_owned(), |p| p.text());
        [
            FigureCell::new(&p.asked.map_or_else(|| "-".to_owned(), rate)),
            of(rate(p.iops()), Some(iops), rate_half_width),
            of(tail, tail_known, span_half_width),
            of(span(p.mean()), Some(mean), span_half_width),
            FigureCell::new(match (p.asked, p.saturated()) {
                (None, _) => "as fast as possible",
                (_, true) => "not reached",
                (_, false) => "reached",
            }),
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
    use crate::study::response::tests::{curve_run, depth_study};
    use crate::study::several::named;

    fn page_of(count: usize) -> String {
        let run = curve_run();
        let runs: Vec<_> = (0..count)
            .map(|n| (Some(format!("run<{n}>")), String::new(), &run))
            .collect();
        several_page(&named(&runs))
    }

    #[test]
    fn the_curves_of_all_runs_share_a_chart_with_their_knees_and_a_legend() {
        let page = page_of(2);
        // Of means: a curve of few samples has no p99.
        let chart = page.split("<svg class=\"chart\"").nth(2).unwrap();
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
        assert!(!page.contains("run<0>"));
    }

    /// Text of the table of knees of a study whose best point did this when it was measured once more, and of the notes below it.
    fn knees_of(again: u64) -> String {
        let run = depth_study(again);
        let runs = ["a", "b"].map(|name| (Some(name.to_owned()), String::new(), &run));
        let page = several_page(&named(&runs));
        let table = page.split("id=\"legend\"").nth(1).unwrap();
        let table = table.split("<tbody>").nth(1).unwrap();
        table
            .split("</section>")
            .next()
            .unwrap()
            .replace('\u{a0}', " ")
    }

    #[test]
    fn the_highest_rate_is_that_of_the_second_measurement_and_what_that_says_is_below() {
        let highest = |text: &str| {
            let cell = text.split("<td class=\"n\">").nth(1).unwrap();
            cell.split(['<', ' ']).next().unwrap().to_owned()
        };
        let agrees = knees_of(398);
        assert_eq!(highest(&agrees), "398", "{agrees}");
        assert!(!agrees.contains("Measured once more"), "{agrees}");
        let other = knees_of(340);
        assert_eq!(highest(&other), "340", "{other}");
        let said = "a: Measured once more, depth 4 had 340 IOPS";
        assert!(other.contains(said), "{other}");
        assert!(other.contains("the highest rate did not repeat"), "{other}");
    }

    #[test]
    fn the_figures_of_curves_have_their_intervals() {
        let run = depth_study(398);
        let runs = ["a", "b"].map(|name| (Some(name.to_owned()), String::new(), &run));
        let mut runs = named(&runs);
        for point in &mut runs[0].curves[0].points {
            let data = &mut point.figures.data;
            data.certainty.iops = Some(Interval {
                value: data.iops,
                low: data.iops * 0.98,
                high: data.iops * 1.02,
                settled: true,
            });
        }
        let page = several_page(&runs);
        let after = |id: &str| page.split(id).nth(1).unwrap();
        let (highest, point) = (
            ">398<small>\u{b1} 2.0 %</small>",
            ">200<small>\u{b1} 2.0 %</small>",
        );
        assert!(after("id=\"legend\"").contains(highest), "{page}");
        assert!(after("id=\"points\"").contains(point), "{page}");
    }

    #[test]
    fn a_study_without_an_answer_has_no_highest_rate_here_either() {
        let fell = knees_of(100);
        assert!(fell.contains("a: No answer: the rate fell"), "{fell}");
        let row = fell.split("</tr>").next().unwrap();
        assert_eq!(row.matches(">-<").count(), 5, "{row}");
    }

    #[test]
    fn what_differs_comes_first_then_what_changed_then_the_charts() {
        let (a, mut b) = (curve_run(), curve_run());
        b.wall_ms += 1;
        for stage in b.plan.iter_mut().flat_map(|plan| &mut plan.stages) {
            for workload in &mut stage.workloads {
                workload.blocks_mut().open.direct = !workload.blocks().open.direct;
            }
        }
        let runs = [("before", &a), ("after", &b)];
        let runs = runs.map(|(name, run)| (Some(name.to_owned()), String::new(), run));
        let page = several_page(&named(&runs));
        let place = |what: &str| page.find(what).unwrap_or_else(|| panic!("no {what}"));
        let order = [
            "aria-label=\"Grades\"",
            "aria-label=\"Contents\"",
            "<h2>What differs</h2>",
            "past the page cache (O_DIRECT)</b>",
            "Runs and their settings",
            "<h2>after against before</h2>",
            "rate: change [95 % interval]",
            "<svg class=\"chart\"",
            "id=\"runs\"",
        ];
        let places = order.map(place);
        assert!(places.is_sorted(), "{places:?}");
        assert!(page.contains("the work: figures are not comparable"));
        // Where two are not comparable they go by their names too.
        assert!(
            page.contains(" in after") && !page.contains(" in A, "),
            "{page}"
        );
    }

    #[test]
    fn long_names_become_letters_that_are_explained() {
        let run = curve_run();
        let name = |n: u32| (Some(format!("a very long name {n}")), String::new(), &run);
        let page = several_page(&named(&[name(1), name(2)]));
        for found in [
            ">A: c</text>",
            ">B: l</text>",
            "<td>a very long name 1</td>",
            "<h2>B against A</h2>",
        ] {
            assert!(page.contains(found), "{found}");
        }
    }

    #[test]
    fn too_many_curves_get_a_chart_for_each_work() {
        let page = page_of(5);
        assert!(page.matches("<svg class=\"chart\"").count() >= 4);
        assert!(page.contains("id=\"curves-1\""));
        assert!(page.contains("id=\"changes-4\""), "each has its changes");
    }

    #[test]
    fn many_runs_are_folded_against_the_first_which_is_said() {
        let page = page_of(6);
        assert!(page.contains(" was named first: each change is against it."));
        assert_eq!(page.matches("<h2>Each run against ").count(), 1);
        assert!(!page.contains("<section id=\"changes-1\">"), "folded");
        // A row a run: more columns than these do not fit on the page or on paper.
        assert!(page.contains(" of all: "), "{page}");
        // All have one grade and one reason: that is one line.
        assert_eq!(
            page.matches("<b class=\"g").count(),
            1 + 6,
            "and one a run in the table"
        );
        // What rests on one run of each is said once above them.
        assert_eq!(page.matches("One run of each").count(), 1, "{page}");
        let open = page_of(4);
        assert_eq!(open.matches("One run of each").count(), 1, "{open}");
        assert_eq!(open.matches("<h2>Each run against ").count(), 1);
        assert!(open.contains("<section id=\"changes-1\">"), "{open}");
        let few = page_of(2);
        assert_eq!(few.matches("One run of each").count(), 1, "{few}");
        assert_eq!(few.matches("<h2>Each run against ").count(), 0);
        assert!(few.contains("<section id=\"changes-1\">") && !few.contains(" of all: "));
    }

    #[test]
    fn a_title_names_the_target_of_many_runs_once() {
        let of = |names: &[String]| title_of(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let all = |count: usize| -> Vec<String> {
            (0..count)
                .map(|n| format!("study {n} of sim:iops=5000,service=500us"))
                .collect()
        };
        assert_eq!(
            of(&all(14)),
            "Comparison of 14 runs of sim:iops=5000,service=500us"
        );
        let mut others = all(14);
        others[13] = "survey of /mnt/a".to_owned();
        assert_eq!(of(&others), "Comparison of 14 runs");
        let few = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(of(&few), "Comparison of 3 runs: a; b; c");
        assert_eq!(
            of(&all(2)),
            format!("Comparison of {} and {}", all(2)[0], all(2)[1])
        );
    }

    #[test]
    fn what_both_charts_of_curves_have_to_say_is_said_once() {
        let page = page_of(2);
        let said = "A ring marks";
        let charts = page.split("<section id=\"curves\"").nth(1).unwrap();
        let charts = charts.split("</section>").next().unwrap();
        assert_eq!(charts.matches(said).count(), 1, "{charts}");
    }

    #[test]
    fn runs_without_anything_make_a_page_as_well() {
        let empty = crate::run::Run::default();
        let none = (None, "a".to_owned(), &empty);
        let page = several_page(&named(&[none.clone(), none.clone()]));
        assert!(page.contains("have no row in common") && !page.contains("id=\"legend\""));
        let run = curve_run();
        let page = several_page(&named(&[none, (None, "b".to_owned(), &run)]));
        assert!(page.contains("id=\"legend\""));
    }
}
