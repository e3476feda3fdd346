//! The charts of several runs on one page: on common axes where they can be, else beside each other.
//!
//! Belongs here: which charts belong together, and how the lines of all look. Must never: compute a figure, or leave a
//! chart of a run out.

use super::captions::{Own, caption, fill_of, markers};
use super::split;
use super::view::{Figure, Picture, Section};
use crate::render::svg::{
    Axis, Bar, Bars, Chart, Mark, MarkerFill, ScaleKind, Series, Shape, VARIANTS, variant_of,
};
use crate::stats::Bracket;

/// Most lines of a common chart.
const MOST: usize = 9;
/// Most of one over time: they cross, and with more of them names would cover one another.
const MOST_OVER_TIME: usize = 6;
/// Colours there are for runs.
const COLOURS: usize = 5;
/// Most runs whose points have words on a common chart.
const MOST_WORDS: usize = 2;
/// With more marks than these their words would lie on one another: the caption says which are not drawn.
const MOST_MARKS: usize = 4;

/// A run with what it is called at its lines and its charts.
pub(super) struct Charted {
    /// Its name beside a line: short.
    pub(super) name: String,
    /// Its charts.
    pub(super) sections: Vec<Section>,
}

/// The charts of all runs, those of one title together, in the order of the first run that has them.
pub(super) fn sections(runs: &[Charted]) -> Vec<Section> {
    let mut titles: Vec<&str> = Vec::new();
    for section in runs.iter().flat_map(|run| &run.sections) {
        if !titles.contains(&section.title.as_str()) {
            titles.push(&section.title);
        }
    }
    let each = titles.into_iter().enumerate();
    each.map(|(number, title)| section(number, title, runs))
        .collect()
}

fn section(number: usize, title: &str, runs: &[Charted]) -> Section {
    let mut all: Vec<Own<'_>> = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        let own = run.sections.iter().filter(|s| s.title == title);
        all.extend(own.flat_map(|s| s.figures.iter().map(move |f| (place, run.name.as_str(), f))));
    }
    Section {
        id: format!("charts-{number}"),
        title: title.to_owned(),
        lede: String::new(),
        figures: by_title(&format!("c{number}"), &all),
    }
}

/// The charts that several runs have of one thing: of each run its place, its name and its charts.
pub(super) fn figures(id: &str, runs: &[(usize, &str, Vec<Figure>)]) -> Vec<Figure> {
    let each = runs.iter();
    let all = each.flat_map(|(place, name, own)| own.iter().map(|figure| (*place, *name, figure)));
    by_title(id, &all.collect::<Vec<_>>())
}

/// The charts of each title, in the order in which these are first met.
fn by_title(id: &str, all: &[Own<'_>]) -> Vec<Figure> {
    let mut names: Vec<&str> = Vec::new();
    for (_, _, figure) in all {
        if !names.contains(&figure.title.as_str()) {
            names.push(&figure.title);
        }
    }
    let figures = names.into_iter().enumerate().flat_map(|(at, name)| {
        let of = all.iter().filter(|own| own.2.title == name);
        let of: Vec<Own<'_>> = of.copied().collect();
        together(&format!("{id}-{at}"), &of)
    });
    figures.collect()
}

/// How many lines a common chart of these may have.
fn most_of(all: &[Own<'_>]) -> usize {
    match all.iter().any(|own| own.2.is_over_time()) {
        true => MOST_OVER_TIME,
        false => MOST,
    }
}

/// The charts of one title: a common one; of two or three runs several, each with some of the lines of all; several of
/// which each has the first run and some others; or one each.
fn together(id: &str, all: &[Own<'_>]) -> Vec<Figure> {
    let one_each = all.windows(2).all(|two| two[0].0 != two[1].0);
    if one_each && all.len() > 1 {
        let found = common(id, all).map(|own| vec![of_all(all, own)]);
        let found = found.or_else(|| by_lines(id, all));
        if let Some(figures) = found.or_else(|| by_parts(id, all)) {
            return figures;
        }
    }
    // A text that several have is said once.
    let mut said: Vec<String> = Vec::new();
    let each = all.iter().zip(0_usize..).map(|((_, name, figure), at)| {
        let words = figure.said();
        let is_said = said.contains(&words);
        said.push(words);
        let mut own = alone(&format!("{id}-{at}"), name, figure);
        // What its bands and whiskers are is of each: others may have none.
        if is_said {
            own.caption = own.beside_said();
        }
        own
    });
    each.collect()
}

fn of_all(all: &[Own<'_>], (chart, rising): (Chart, bool)) -> Figure {
    let markers = markers(all, &chart);
    let caption = [caption(all, &chart), markers.clone()].join(" ");
    Figure {
        markers,
        ..Figure::of(Picture::Lines(Box::new(chart), rising), caption)
    }
}

/// Where the lines of two or three runs are too many for a chart: charts of all, each with some of the lines. `None` where
/// axes differ.
fn by_lines(id: &str, all: &[Own<'_>]) -> Option<Vec<Figure>> {
    if all.len() > MOST / 3 {
        return None;
    }
    let figures: Vec<&Figure> = all.iter().map(|own| own.2).collect();
    let groups = split::split(&figures, most_of(all) / all.len())?;
    let each = groups.iter().enumerate().map(|(at, of_runs)| {
        let own = all.iter().zip(of_runs);
        let own = own.map(|((place, name, _), figure)| (*place, *name, figure));
        let own: Vec<Own<'_>> = own.collect();
        Some(of_all(&own, common(&format!("{id}-{at}"), &own)?))
    });
    each.collect()
}

/// Where the lines of all are too many for a chart: charts of the first run and some others, each run with a colour of its
/// own. `None` where a chart has room for one run only, or axes differ.
fn by_parts(id: &str, all: &[Own<'_>]) -> Option<Vec<Figure>> {
    let count = |own: &Own<'_>| lines(own.2, false).map(|(chart, _)| chart.series.len());
    let each: Option<Vec<usize>> = all.iter().map(count).collect();
    let most = each?.into_iter().max().unwrap_or(0).max(1);
    let others = (most_of(all) / most).min(COLOURS).checked_sub(1)?;
    let (first, rest) = all.split_first()?;
    if others == 0 {
        return None;
    }
    let parts = rest.chunks(others).enumerate().map(|(at, some)| {
        let part = std::iter::once(first).chain(some).enumerate();
        let part: Vec<Own<'_>> = part.map(|(place, own)| (place, own.1, own.2)).collect();
        let (mut chart, rising) = common(&format!("{id}-{at}"), &part)?;
        let names: Vec<&str> = part.iter().map(|own| own.1).collect();
        chart.title = format!("{}: {}", chart.title, names.join(", "));
        Some(of_all(&part, (chart, rising)))
    });
    parts.collect()
}

/// The chart of one run under its name.
fn alone(id: &str, name: &str, figure: &Figure) -> Figure {
    let mut picture = figure.picture.clone();
    let (own, title) = match &mut picture {
        Picture::None => return figure.clone(),
        Picture::Lines(chart, _) => (&mut chart.id, &mut chart.title),
        Picture::Bars(bars) => (&mut bars.id, &mut bars.title),
        Picture::Heat(heat) => (&mut heat.id, &mut heat.title),
        Picture::Tiles(tiles) => (&mut tiles.id, &mut tiles.title),
    };
    id.clone_into(own);
    *title = format!("{name}: {title}");
    Figure::of(picture, figure.unnumbered())
}

/// The chart of all on common axes, where these are the same and the lines not too many.
fn common(id: &str, all: &[Own<'_>]) -> Option<(Chart, bool)> {
    let few = all.len() <= MOST / 3;
    let charts: Option<Vec<(Chart, bool)>> = all.iter().map(|own| lines(own.2, few)).collect();
    let charts = charts?;
    let (first, _) = charts.first()?;
    let is_like = |a: &Axis, b: &Axis| {
        (&a.label, a.scale, a.unit, &a.names) == (&b.label, b.scale, b.unit, &b.names)
    };
    let alike = charts
        .iter()
        .all(|(c, _)| is_like(&c.x, &first.x) && is_like(&c.y, &first.y));
    let count: usize = charts.iter().map(|(c, _)| c.series.len()).sum();
    if !alike || count > most_of(all) {
        return None;
    }
    let has_words = all.len() <= MOST_WORDS;
    let marks = charts.iter().flat_map(|(chart, _)| &chart.marks);
    let names_marks = has_words && marks.count() <= MOST_MARKS;
    let mut series = lines_of_all(all, &charts, has_words);
    if !first.x.names.is_empty() {
        apart(&mut series);
    }
    let said = all.iter().zip(&charts);
    let said = said.map(|((_, name, _), (chart, _))| format!("{name}: {}", chart.description));
    let named = all.iter().zip(&charts);
    let marks = named.flat_map(|((_, name, _), (chart, _))| {
        // The first of a run is the one that matters most.
        let marks = chart.marks.iter().enumerate();
        marks.filter_map(move |(at, mark)| marked(mark, name, names_marks || has_words && at == 0))
    });
    let marks = marks.chain(warm_up(&charts));
    let rising = charts.iter().all(|(_, rising)| *rising);
    let chart = Chart {
        id: id.to_owned(),
        description: said.collect::<Vec<_>>().join(". "),
        marks: marks.collect(),
        series,
        ..first.clone()
    };
    Some((chart, rising))
}

/// The band of the warm-ups of all, which end in each chart where its first band does.
fn warm_up(charts: &[(Chart, bool)]) -> Option<Mark> {
    let end = |(chart, _): &(Chart, bool)| {
        let ends = chart.marks.iter().filter_map(|mark| match mark {
            Mark::Band(_, to, _) => Some(*to),
            _ => None,
        });
        ends.fold(0.0, f64::max)
    };
    let ends = || charts.iter().map(end);
    Mark::warm_up((ends().fold(f64::MAX, f64::min), ends().fold(0.0, f64::max)))
}

/// The lines of all runs, each with the look that its run and its name have on a chart of several.
fn lines_of_all(all: &[Own<'_>], charts: &[(Chart, bool)], has_words: bool) -> Vec<Series> {
    let single = charts.iter().all(|(chart, _)| chart.series.len() == 1);
    let every = || charts.iter().flat_map(|(chart, _)| &chart.series);
    let unmarked = every().all(|one| one.shape == Shape::Line);
    let mut series = Vec::new();
    let mut labels: Vec<String> = Vec::new();
    for ((place, name, _), (chart, _)) in all.iter().zip(charts) {
        for one in &chart.series {
            let at = labels
                .iter()
                .position(|l| *l == one.label)
                .unwrap_or_else(|| {
                    labels.push(one.label.clone());
                    labels.len() - 1
                });
            // A percentile has its dash on each chart. Where the shape of a marker says which line of a run it is, what is
            // inside says which run; lines without markers, such as models, have a dash of their own.
            let variant = match one.shape {
                _ if single => variant_of(*place),
                Shape::Line if unmarked => u8::try_from(series.len() % VARIANTS).unwrap_or(0),
                Shape::Line => {
                    u8::try_from((usize::from(one.variant) + 3 * place) % VARIANTS).unwrap_or(0)
                }
                _ if has_dashes(chart) => variant_of(usize::from(one.variant)),
                _ => variant_of(at),
            };
            series.push(Series {
                label: label(name, one, chart.series.len()),
                class: format!("k{}", place % COLOURS),
                variant,
                fill: fill_of(*place, single, all.len()),
                // Words at points and at rings stay where there is room for those of each run.
                tags: if has_words {
                    one.tags.clone()
                } else {
                    Vec::new()
                },
                ..one.clone()
            });
        }
    }
    series
}

/// Whether the lines of a chart have a dash each.
fn has_dashes(chart: &Chart) -> bool {
    let mut all: Vec<u8> = chart.series.iter().map(|one| one.variant).collect();
    all.sort_unstable();
    all.windows(2).all(|two| two[0] != two[1])
}

/// A mark of a run on a chart of several: what is published is not of one run, and the warm-ups of all are one band.
fn marked(mark: &Mark, run: &str, has_words: bool) -> Option<Mark> {
    let called = |words: &str| match words.is_empty() || !has_words {
        true => String::new(),
        false => format!("{run}: {words}"),
    };
    match mark {
        Mark::Ring(x, y, words) => Some(Mark::Ring(*x, *y, called(words))),
        Mark::At(x, words) if has_words => Some(Mark::At(*x, called(words))),
        Mark::At(..) | Mark::Band(..) | Mark::Level(..) => None,
    }
}

fn label(run: &str, series: &Series, count: usize) -> String {
    match count {
        1 => run.to_owned(),
        _ => format!("{run} {}", series.label),
    }
}

/// Dots of several series at one name are side by side.
fn apart(series: &mut [Series]) {
    let count = series.len() as f64;
    for (one, n) in series.iter_mut().zip(0_u32..) {
        let shift = (f64::from(n) - (count - 1.0) / 2.0) * 0.56 / count;
        one.points.iter_mut().for_each(|point| point.0 += shift);
    }
}

/// A picture as lines; bars become dots of the totals, and of each part where there is room: names along x have nothing
/// between them that a line could show.
fn lines(figure: &Figure, parts: bool) -> Option<(Chart, bool)> {
    match &figure.picture {
        Picture::Lines(chart, rising) => Some((Chart::clone(chart), *rising)),
        Picture::Bars(bars) => Some((of_bars(bars, parts), false)),
        Picture::Heat(_) | Picture::Tiles(_) | Picture::None => None,
    }
}

fn of_bars(bars: &Bars, parts: bool) -> Chart {
    let places = || (0_u32..).map(f64::from);
    let line = |label: &str, points: Vec<(f64, f64)>| Series {
        label: label.to_owned(),
        class: "all".to_owned(),
        variant: 0,
        fill: MarkerFill::Full,
        shape: Shape::Dots,
        points,
        tags: Vec::new(),
        thin_from: None,
        brackets: Vec::new(),
    };
    let total = |bar: &Bar| bar.parts.iter().map(|p| p.value).sum();
    let totals = places().zip(bars.bars.iter().map(total)).collect();
    let bracket = |within: Option<(f64, f64)>| {
        within.map_or(Bracket::Unknown, |(low, high)| Bracket::Within(low, high))
    };
    let mut series = vec![Series {
        brackets: bars.bars.iter().map(|bar| bracket(bar.within)).collect(),
        ..line("total", totals)
    }];
    let mut names: Vec<&str> = Vec::new();
    for part in bars.bars.iter().flat_map(|bar| &bar.parts) {
        if !names.contains(&part.name.as_str()) {
            names.push(&part.name);
        }
    }
    for name in names
        .into_iter()
        .filter(|_| parts && bars.bars.iter().any(|b| b.parts.len() > 1))
    {
        let part = |bar: &Bar| {
            let found = bar.parts.iter().find(|part| part.name == name);
            found.map_or((f64::NAN, None), |part| (part.value, part.within))
        };
        let (values, within): (Vec<f64>, Vec<_>) = bars.bars.iter().map(part).unzip();
        series.push(Series {
            brackets: within.into_iter().map(bracket).collect(),
            ..line(name, places().zip(values).collect())
        });
    }
    let labels = bars.bars.iter().map(|bar| bar.label.clone());
    Chart {
        id: bars.id.clone(),
        title: bars.title.clone(),
        description: bars.description.clone(),
        x: Axis::of_names(&bars.below, labels.collect()),
        y: Axis::new(&bars.label, ScaleKind::Linear, bars.unit),
        series,
        marks: Vec::new(),
        height: bars.height,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::html::curves::{figure, line};
    use crate::render::svg::BarPart;
    use crate::render::svg::Unit;

    fn chart(labels: &[&str], end: f64) -> Chart {
        let lines = labels.iter().map(|label| {
            let points = vec![(1.0, 1.0), (end, 2.0)];
            line(label, "read", 0, Shape::Marked, points)
        });
        Chart {
            id: "same".to_owned(),
            title: "IOPS by depth".to_owned(),
            description: String::new(),
            x: Axis::new("depth", ScaleKind::Log2, Unit::Whole),
            y: Axis::new("IOPS", ScaleKind::Linear, Unit::Count),
            series: lines.collect(),
            marks: Vec::new(),
            height: 200.0,
        }
    }

    fn run(name: &str, figures: Vec<Figure>) -> Charted {
        let section = Section {
            id: "s".to_owned(),
            title: "Depth".to_owned(),
            lede: String::new(),
            figures,
        };
        Charted {
            name: name.to_owned(),
            sections: vec![section],
        }
    }

    #[test]
    fn charts_of_one_title_share_their_axes() {
        let of = |end| vec![figure(&chart(&["p50", "p99"], end), String::new(), true)];
        let found = sections(&[run("a", of(4.0)), run("b", of(64.0))]);
        let [section] = found.as_slice() else {
            panic!("{found:?}")
        };
        let [one] = section.figures.as_slice() else {
            panic!("{section:?}")
        };
        for name in ["a p50", "a p99", "b p50", "b p99"] {
            assert!(one.svg.contains(&format!(">{name}</text>")), "{name}");
        }
        // A run has a colour and what is inside its markers, a figure a dash.
        assert!(one.svg.contains("line v1 k0") && one.svg.contains("line v0 k1"));
        assert!(one.svg.contains("\"dot k0\"") && one.svg.contains("\"dot hollow k1\""));
        assert!(!one.svg.contains("\"dot k1\""), "{}", one.svg);
        assert!(!one.plot.is_empty());
    }

    #[test]
    fn a_model_stays_dashed_and_a_run_without_it_is_named() {
        let of = |with_law: bool| {
            let mut one = chart(&["total", "read"], 4.0);
            if with_law {
                let mut law = line("law", "all", 1, Shape::Line, vec![(1.0, 1.0), (4.0, 2.0)]);
                law.tags.clear();
                one.series.push(law);
            }
            vec![figure(&one, String::new(), true)]
        };
        let found = sections(&[run("a", of(true)), run("b", of(false))]);
        let one = &found[0].figures[0];
        let markers = "Markers of a are full, of b hollow.";
        assert_eq!(one.caption, format!("b has no line for law. {markers}"));
        let (before, _) = one.svg.split_once(">a law</text>").unwrap();
        assert_eq!(
            before.matches("class=\"line v1 k0\"").count(),
            2,
            "{}",
            one.svg
        );
    }

    #[test]
    fn two_runs_keep_the_words_at_their_points_and_what_each_is_marked_with() {
        let of = |n: f64| {
            let mut chart = chart(&["p50"], 4.0);
            chart.series[0].tags = vec!["1".to_owned(), "16".to_owned()];
            chart.marks = vec![
                Mark::At(n, format!("N* = {n}")),
                Mark::Ring(4.0, 2.0, "stops rising: 4".to_owned()),
            ];
            vec![figure(&chart, String::new(), true)]
        };
        let found = sections(&[run("a", of(2.0)), run("b", of(3.0))]);
        let svg = &found[0].figures[0].svg;
        for words in ["16", "a: N* = 2", "b: N* = 3", "b: stops rising: 4"] {
            assert!(svg.contains(&format!(">{words}</text>")), "{words}: {svg}");
        }
    }

    #[test]
    fn marks_without_room_are_said_below() {
        let of = |n: f64| {
            let mut chart = chart(&["p50"], 64.0);
            let at = |x: f64, words: String| Mark::At(x, words);
            chart.marks = vec![
                at(n, format!("N* = {n}")),
                at(2.0 * n, "knee".to_owned()),
                at(4.0 * n, "sharp rise".to_owned()),
            ];
            vec![figure(&chart, String::new(), true)]
        };
        let two = sections(&[run("a", of(2.0)), run("b", of(3.0))]);
        let one = &two[0].figures[0];
        assert!(one.svg.contains(">a: N* = 2<") && !one.svg.contains("knee"));
        let said = "Not marked, for lack of room: a: knee at 4, a: sharp rise at 8, b: knee at 6 and 1 more.";
        assert!(one.caption.contains(said), "{}", one.caption);
        let three = sections(&[run("a", of(2.0)), run("b", of(3.0)), run("c", of(4.0))]);
        let caption = &three[0].figures[0].caption;
        assert!(caption.contains("a: N* = 2, a: knee at 4"), "{caption}");
        // The page of one run marks all.
        assert!(!of(2.0)[0].caption.contains("Not marked"));
    }

    #[test]
    fn too_many_lines_stand_beside_each_other_under_names_and_anchors_of_their_own() {
        let many: Vec<String> = (0..6).map(|n| n.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let of = |label: &str| {
            let mut own = chart(&many, 4.0);
            own.y = Axis::new(label, ScaleKind::Linear, Unit::Count);
            vec![figure(&own, String::new(), false)]
        };
        let found = sections(&[run("a", of("IOPS")), run("b", of("IOPS"))]);
        let titles: Vec<&str> = found[0].figures.iter().map(|f| f.title.as_str()).collect();
        assert_eq!(titles, ["IOPS by depth: 0, 1, 2", "IOPS by depth: 3, 4, 5"]);
        for name in ["a 0", "b 0", "a 2", "b 2"] {
            let svg = &found[0].figures[0].svg;
            assert!(svg.contains(&format!(">{name}</text>")), "{name}: {svg}");
        }
        // With other axes each has its own.
        let found = sections(&[run("a", of("IOPS")), run("b", of("other"))]);
        let titles: Vec<&str> = found[0].figures.iter().map(|f| f.title.as_str()).collect();
        assert_eq!(titles, ["a: IOPS by depth", "b: IOPS by depth"]);
        assert!(found[0].figures[0].svg.contains("id=\"c0-0-0-t\""));
        assert!(found[0].figures[1].svg.contains("id=\"c0-0-1-t\""));
    }

    #[test]
    fn lines_of_many_runs_stand_on_several_charts_that_each_have_the_first_run() {
        let of = || vec![figure(&chart(&["p50", "p99"], 4.0), String::new(), true)];
        let runs: Vec<Charted> = (0..6).map(|n| run(&format!("r{n}"), of())).collect();
        let found = sections(&runs);
        let titles: Vec<&str> = found[0].figures.iter().map(|f| f.title.as_str()).collect();
        assert_eq!(
            titles,
            ["IOPS by depth: r0, r1, r2, r3", "IOPS by depth: r0, r4, r5"]
        );
    }

    #[test]
    fn bars_become_dots_of_the_totals_and_parts_with_their_intervals() {
        let bars = |more: f64| {
            let parts = |read: f64, write: f64| {
                [("read", read), ("write", write)]
                    .map(|(name, value)| BarPart {
                        name: name.to_owned(),
                        class: name.to_owned(),
                        value,
                        within: Some(((value - 1.0).max(0.0), value + 1.0)),
                    })
                    .to_vec()
            };
            let bar = |label: &str, parts| Bar {
                label: label.to_owned(),
                parts,
                within: Some((3.0, 11.0)),
            };
            let bars = Bars {
                id: "b".to_owned(),
                title: "Throughput by mix".to_owned(),
                description: format!("{more} more"),
                label: "IOPS".to_owned(),
                below: "reads : writes".to_owned(),
                unit: Unit::Count,
                bars: vec![
                    bar("100:0", parts(9.0 + more, 0.0)),
                    bar("0:100", parts(0.0, 5.0)),
                ],
                height: 200.0,
            };
            vec![Figure::of(Picture::Bars(bars), "The height".to_owned())]
        };
        let found = sections(&[run("a", bars(0.0)), run("b", bars(1.0))]);
        let svg = &found[0].figures[0].svg;
        for name in ["a total", "a read", "b write", "100:0"] {
            assert!(svg.contains(&format!(">{name}</text>")), "{name}: {svg}");
        }
        assert_eq!(found[0].figures.len(), 1);
        assert!(
            !svg.contains("class=\"line "),
            "names are not joined: {svg}"
        );
        // Of two runs at two names: the total and its parts, three lines each.
        assert_eq!(
            svg.matches("class=\"whisker").count(),
            2 * 2 * 3 * 3,
            "{svg}"
        );
        // Three markers of each at two names; a shape says which operation, what is inside which run.
        assert_eq!(svg.matches("\"dot k0\"").count(), 6, "{svg}");
        assert_eq!(svg.matches("\"dot hollow k1\"").count(), 6, "{svg}");
        let caption = &found[0].figures[0].caption;
        assert_eq!(
            caption,
            "a: 0 more. b: 1 more. Markers of a are full, of b hollow. Whiskers are 95 % intervals."
        );
    }

    #[test]
    fn what_is_said_of_charts_beside_each_other_is_said_once() {
        let of = |label: &str, known: bool| {
            let mut own = chart(&["x"], 4.0);
            own.y = Axis::new(label, ScaleKind::Linear, Unit::Count);
            for series in own.series.iter_mut().filter(|_| known) {
                let each = series.points.iter();
                let within = each.map(|p| Bracket::Within(p.1 * 0.5, p.1 * 1.5));
                series.brackets = within.collect();
            }
            vec![figure(&own, "Further up is more.".to_owned(), false)]
        };
        let captions = |known| {
            let found = sections(&[run("a", of("IOPS", known)), run("b", of("other", known))]);
            let all = found[0].figures.iter().map(|f| f.caption.clone());
            all.collect::<Vec<_>>()
        };
        assert_eq!(captions(false), ["Further up is more.", ""]);
        // What is drawn in the second is named there as well.
        let bands = "Bands are 95 % intervals.";
        assert_eq!(
            captions(true),
            [format!("Further up is more. {bands}"), bands.to_owned()]
        );
    }

    /// Rates of a search for a limit, which are close together.
    fn trials(from: f64, label: &str) -> Vec<Figure> {
        let mut own = chart(&["held"], 1.0);
        own.x = Axis::new(label, ScaleKind::Near, Unit::Count);
        own.series[0].points = vec![(from, 1.0), (from + 100.0, 2.0)];
        vec![figure(&own, String::new(), false)]
    }

    /// The sentences on axes below a chart, and those that are true of what is drawn.
    fn cut_of(figure: &Figure) -> (Vec<String>, Vec<String>) {
        let sentences = |text: &str| -> Vec<String> {
            let each = text.split("The horizontal axis (").skip(1);
            let end = |words: &str| words.split_once('.').unwrap().0.to_owned();
            each.map(end).collect()
        };
        let drawn = Figure::of(figure.picture.clone(), String::new());
        (sentences(&figure.caption), sentences(&drawn.caption))
    }

    #[test]
    fn an_axis_is_said_to_be_cut_once_and_as_it_is_drawn() {
        let rates = [7900.0, 7600.0, 7650.0, 7700.0, 7750.0, 7800.0];
        let names = ["a", "b", "c", "d", "e", "f"];
        for count in [2, 3, 6] {
            let each = names.iter().zip(rates).take(count);
            let runs: Vec<Charted> = each
                .map(|(name, from)| run(name, trials(from, "rate")))
                .collect();
            for one in sections(&runs).iter().flat_map(|section| &section.figures) {
                let (said, drawn) = cut_of(one);
                assert_eq!(said.len(), 1, "{}", one.caption);
                assert_eq!(said, drawn);
            }
        }
        // Beside each other each has its own.
        let runs = [
            run("a", trials(7900.0, "rate")),
            run("b", trials(7600.0, "reads")),
        ];
        let found = sections(&runs);
        assert_eq!(found[0].figures.len(), 2);
        for one in &found[0].figures {
            let (said, drawn) = cut_of(one);
            assert_eq!(said, drawn, "{}", one.caption);
        }
    }

    #[test]
    fn no_chart_of_a_run_is_left_out() {
        let other = Chart {
            title: "another".to_owned(),
            ..chart(&["x"], 4.0)
        };
        let a = run("a", vec![figure(&chart(&["x"], 4.0), String::new(), false)]);
        let b = run("b", vec![figure(&other, String::new(), false)]);
        let found = sections(&[a, b]);
        let titles: Vec<&str> = found[0].figures.iter().map(|f| f.title.as_str()).collect();
        assert_eq!(titles, ["a: IOPS by depth", "b: another"]);
    }
}
