//! A run as one HTML file: no network, static pictures, and a script that adds zoom and hover.
//!
//! Belongs here: the page's order and words. The pictures are [`super::svg`]'s. Verdict first, then
//! charts, tables, the plan, the environment.

mod beside;
mod captions;
mod changes;
mod curves;
mod elements;
mod head;
mod named;
mod over_time;
mod overview;
mod pairs;
mod plot;
mod requested;
mod response;
mod several;
mod signs;
mod split;
mod study;
mod subject;
mod tabled;
mod tables;
mod timeline;
mod varied;
mod view;

use crate::render::spread::{self, Spread};
use crate::run::Run;
use crate::study::general::writes_first;
use crate::study::studies::Answer;
use crate::study::{Verdict, usable};
use crate::summary::measured::PointResult;
use crate::summary::{Summary, summarize};
use crate::trust::grade::{Grade, Grades};
use crate::words::legend;
use askama::Template;
pub(crate) use head::{place, sorted};
use leadline_model::finding::Finding;
use leadline_model::plan::Plan;
use leadline_model::plan::study::Role;
pub use several::several_page;
use view::{AnswerView, Detail, Figure, FindingGroup, Group, Row, Section, Text, Tile};

/// Our style sheet.
const CSS: &str = include_str!("../../../assets/report.css");
/// Our script.
const JS: &str = include_str!("../../../assets/report.js");

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: String,
    /// The title as markup, with the places where a long word may break.
    heading: String,
    about: Vec<String>,
    measured_on: Vec<(String, String)>,
    contents: Vec<(String, String)>,
    grade: Grade,
    /// What the grade means, and its reason.
    band: String,
    lead: String,
    sentences: Vec<String>,
    /// More of them, folded.
    more: Vec<String>,
    tiles: Vec<Tile>,
    findings: Vec<FindingGroup>,
    notes: Vec<FindingGroup>,
    sections: Vec<Section>,
    answers: Vec<AnswerView>,
    /// What a mark in those tables means, or empty.
    answers_foot: &'static str,
    rows: Vec<Row>,
    percentiles: Vec<String>,
    has_errors: bool,
    spreads: Vec<Spread>,
    /// What all tables of hosts, or of targets, say; else empty.
    spread_said: String,
    spread_title: &'a str,
    details: Vec<Detail>,
    details_note: String,
    alone: bool,
    labels: Vec<(String, [String; 4])>,
    axes: [&'a str; 4],
    plan: Vec<Text>,
    stages: Vec<(String, String, String, String)>,
    environment: Vec<Group>,
    css: &'a str,
    js: &'a str,
}

impl Page<'_> {
    /// Whether any stage has devices whose time was counted.
    fn has_devices(&self) -> bool {
        self.stages.iter().any(|(.., devices)| !devices.is_empty())
    }
}

/// A plan as text that repeats it with another program.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// What the text is.
    pub title: &'static str,
    /// How it is run.
    pub note: &'static str,
    /// The text.
    pub body: String,
}

/// Writes a plan for readers who want to run it elsewhere. The caller gives it: no front end's language is known here.
pub type WriteRecipe = fn(&Plan) -> Recipe;

/// The run as a page. Works for any run: one without I/O, one cut short, one still continuing.
#[must_use]
pub fn page(run: &Run, recipe: WriteRecipe) -> String {
    let summary = summarize(run);
    let points = summary.points(run);
    let answer = crate::states::answer_of(run, &summary);
    let verdict = Verdict::of_run(run, &summary, &points, answer.as_ref());
    let points = results(run, points);
    let grades = Grades::of_run(run);
    let alone = is_alone(run, &summary);
    let (details, details_note) = tables::details(run, &summary);
    let mut sentences = verdict.sentences.iter().map(|s| head::unbroken(s));
    let lead = sentences
        .next()
        .unwrap_or_else(|| "Nothing was measured.".to_owned());
    let mut spreads = spread::tables(run, &summary);
    let spread_said = spread::said_of_all(&mut spreads);
    spreads.extend(spread::devices(run, &summary));
    let (findings, notes) = head::findings(run);
    let mut page = Page {
        heading: breakable(&subject::title(run)),
        title: subject::title(run),
        measured_on: subject::measured_on(run),
        contents: Vec::new(),
        notes,
        about: head::about_run(run),
        rows: tables::rows(run, &summary, &grades),
        band: grades.run.sentence_of(run),
        grade: grades.run,
        lead,
        sentences: sentences
            .chain(legend(&verdict.sentences).map(|l| l.replace("+-", "\u{b1}")))
            .collect(),
        more: Vec::new(),
        tiles: head::tiles(&usable(&points, &run.findings), &summary, &verdict),
        findings,
        answers: answer.as_ref().map(study::tables).unwrap_or_default(),
        answers_foot: answer
            .as_ref()
            .and_then(|answer| crate::render::answer::foot(&answer.tables))
            .unwrap_or_default(),
        sections: match &answer {
            Some(answer) => of_study(answer, &points, &run.findings),
            None => sections(run, &summary, &points, alone),
        },
        alone,
        has_errors: summary.stages.iter().any(|s| s.figures.errors() > 0),
        spread_title: spread_title(&summary),
        spreads,
        spread_said,
        percentiles: tables::PERCENTILES.map(|p| format!("p{p}")).to_vec(),
        details,
        details_note,
        labels: tables::labels(run, &summary),
        axes: crate::summary::labels::AXES,
        plan: run
            .plan
            .as_ref()
            .map(|plan| tables::plan(plan, recipe))
            .unwrap_or_default(),
        stages: tables::stages(run),
        environment: tables::environment(run),
        css: CSS,
        js: JS,
    };
    complete(&mut page, legend(&verdict.sentences).is_some());
    // Rendering into memory fails only when a value's own formatting does, which none of these does.
    page.render()
        .unwrap_or_else(|error| format!("<!DOCTYPE html><title>{error}</title>"))
}

/// The heading of the tables of hosts, targets and devices.
fn spread_title(summary: &Summary) -> &'static str {
    match summary.stages.iter().any(|s| !s.hosts.is_empty()) {
        true => "Hosts, targets and devices",
        false => "Targets and devices",
    }
}

/// Says once what several parts of a page have, and lists its parts.
fn complete(page: &mut Page<'_>, has_legend: bool) {
    say_once(page, has_legend);
    signs::say_once(
        &mut page.sections,
        &mut page.details,
        &mut page.details_note,
    );
    page.contents = contents(page);
}

/// Whether it is a run of one workload, which shows its time series at once; what writes the data before is none.
fn is_alone(run: &Run, summary: &Summary) -> bool {
    let measured = summary.stages.iter().filter(|s| !prepares(run, s.stage));
    measured.map(|s| s.workloads.len()).sum::<usize>() == 1
}

/// Whether a stage only writes data for others, or brings the target into a state: what it did is no result, and no chart of
/// it is shown first.
fn prepares(run: &Run, stage: u32) -> bool {
    let planned = crate::summary::planned(run, stage);
    planned.is_some_and(|plan| {
        let role = plan.point.as_ref().map(|point| point.role);
        role.is_some_and(Role::prepares) || writes_first(plan)
    })
}

/// A verdict of more sentences than this is folded after the first of them, so that charts are not far below.
const MOST_SAID: usize = 12;
const SAID: usize = 8;

/// Folds what a long verdict says after its first sentences; what explains its signs stays.
fn fold(page: &mut Page<'_>, has_legend: bool) {
    let end = page.sentences.len() - usize::from(has_legend);
    if end > MOST_SAID {
        page.more = page.sentences.drain(SAID..end).collect();
    }
}

/// What the verdict has said is not repeated at the charts; a long one is folded.
fn say_once(page: &mut Page<'_>, has_legend: bool) {
    let said: Vec<&String> = std::iter::once(&page.lead).chain(&page.sentences).collect();
    for section in &mut page.sections {
        let whole = head::unbroken(&section.lede);
        let rest = said
            .iter()
            .fold(whole, |rest, sentence| rest.replace(*sentence, ""));
        if rest.trim().is_empty() {
            section.lede.clear();
        }
    }
    fold(page, has_legend);
}

/// Shorter pages need no list of what is on them.
const FEWEST_CONTENTS: usize = 7;

/// Anchors and headings of the page's sections in their order; empty on a short page.
fn contents(page: &Page<'_>) -> Vec<(String, String)> {
    let mut all: Vec<(&str, &str)> = vec![("verdict", "Verdict")];
    all.extend(
        page.sections
            .iter()
            .map(|s| (s.id.as_str(), s.title.as_str())),
    );
    let over_time = match page.alone {
        true => "Over time",
        false => "Each workload over time",
    };
    let parts = [
        (!page.answers.is_empty(), "answer", "Figures of the study"),
        (
            page.alone && !page.details.is_empty(),
            "over-time",
            over_time,
        ),
        (true, "findings", "How far to trust it"),
        (true, "results", "Results"),
        (!page.spreads.is_empty(), "spread", page.spread_title),
        (
            !page.alone && !page.details.is_empty(),
            "over-time",
            over_time,
        ),
        (true, "plan", "The plan"),
        (true, "environment", "The environment"),
    ];
    let there = parts.into_iter().filter(|part| part.0);
    all.extend(there.map(|(_, id, title)| (id, title)));
    if all.len() < FEWEST_CONTENTS {
        return Vec::new();
    }
    let owned = all.into_iter();
    owned
        .map(|(id, title)| (id.to_owned(), title.to_owned()))
        .collect()
}

/// The section of what a run of one workload has beside that of another one.
const DISTRIBUTION: &str = "Distribution of latency";

/// The charts of a run: of its study, over its points, of its workloads side by side; where there is one, its percentiles.
fn charts(run: &Run) -> Vec<Section> {
    let summary = summarize(run);
    let points = results(run, summary.points(run));
    if let Some(answer) = crate::states::answer_of(run, &summary) {
        return of_study(&answer, &points, &run.findings);
    }
    let alone = is_alone(run, &summary);
    let found = sections(run, &summary, &points, alone);
    if !alone {
        return found;
    }
    let (details, _) = tables::details(run, &summary);
    let measured = details.into_iter().filter(|detail| detail.is_result);
    let is_distribution = |one: &Figure| !one.is_over_time() && !one.is_heat();
    let distribution = measured.map(|detail| Section {
        id: detail.id,
        title: DISTRIBUTION.to_owned(),
        lede: String::new(),
        figures: detail.figures.into_iter().filter(is_distribution).collect(),
    });
    found.into_iter().chain(distribution).collect()
}

/// The points that are results: not those that write data for others, or bring the target into a state.
fn results(run: &Run, points: Vec<PointResult>) -> Vec<PointResult> {
    let each = points.into_iter();
    each.filter(|point| !prepares(run, point.stage)).collect()
}

/// The charts of a study; where it draws none of its own, those that its points make as well.
fn of_study(answer: &Answer, points: &[PointResult], findings: &[Finding]) -> Vec<Section> {
    let own = study::section(answer).into_iter();
    match answer.charts.is_empty() {
        true => own.chain(curves::sections(points, findings)).collect(),
        false => own.collect(),
    }
}

/// Most stages that get an overview of their own.
const MOST_OVERVIEWS: usize = 4;

/// The curves over rates and over several points; of stages that are in none, the workloads side by side.
fn sections(run: &Run, summary: &Summary, points: &[PointResult], alone: bool) -> Vec<Section> {
    let curves = crate::study::response::curves(run, summary);
    let mut sections: Vec<Section> = response::section(&curves).into_iter().collect();
    let of_points = curves::sections(points, &run.findings);
    let is_drawn = alone || !of_points.is_empty();
    sections.extend(of_points);
    if is_drawn {
        return sections;
    }
    let others = summary.stages.iter();
    let others = others.filter(|s| !curves.iter().any(|curve| curve.has(s.stage)));
    let others = others.filter(|s| !prepares(run, s.stage));
    let overviews = others.filter_map(|s| {
        let stage = run.stages.iter().find(|r| r.stage == s.stage)?;
        overview::overview(stage, s)
    });
    sections.extend(overviews.take(MOST_OVERVIEWS));
    sections
}

/// Markup of a text that may break after commas and slashes: a law of a volume and a path are one word to a browser.
fn breakable(text: &str) -> String {
    let mut markup = leadline_text::markup::content(text);
    for mark in [",", "/"] {
        markup = markup.replace(mark, &format!("{mark}<wbr>"));
    }
    markup
}

/// Markup of a sentence: what is between two backticks is code.
fn prose(text: &str) -> String {
    let markup = leadline_text::markup::content(text);
    let parts: Vec<&str> = markup.split('`').collect();
    // One backtick alone is no pair.
    if parts.len().is_multiple_of(2) {
        return markup;
    }
    let each = parts.iter().enumerate().map(|(at, part)| match at % 2 {
        0 => (*part).to_owned(),
        _ => format!("<code>{part}</code>"),
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::{CSS, prose};

    #[test]
    fn what_is_between_backticks_is_code() {
        let words = "`leadline confirm` runs <it>; `a&b` too.";
        let markup = "<code>leadline confirm</code> runs &lt;it>; <code>a&amp;b</code> too.";
        assert_eq!(prose(words).replace("&gt;", ">"), markup);
        assert_eq!(prose("a ` alone"), "a ` alone");
    }

    /// Sizes of text in a part of the style sheet.
    fn sizes(css: &str) -> Vec<(f64, bool)> {
        let each = css.split("font-size:").skip(1);
        let size = |rest: &str| {
            let end = rest.find([';', '}', '!'])?;
            let (number, is_pixels) = match rest[..end].strip_suffix("rem") {
                Some(number) => (number.parse::<f64>().ok()? * 16.0, false),
                None => (rest[..end].strip_suffix("px")?.parse().ok()?, true),
            };
            Some((number, is_pixels))
        };
        each.filter_map(size).collect()
    }

    /// A picture is 440 units wide, and 384 pixels on a phone of 390: it takes the margins of the page but for 3 pixels.
    #[test]
    fn no_text_of_a_page_is_smaller_than_11_pixels_on_a_phone() {
        let (screen, print) = CSS.split_once("@media print").unwrap();
        assert!(!print.is_empty());
        let (all, phone) = screen.split_once("@media (max-width:640px)").unwrap();
        let words = sizes(all).into_iter().chain(sizes(phone));
        for (size, _) in words.filter(|one| !one.1) {
            assert!(size >= 11.0, "{size}");
        }
        assert!(phone.contains("width:calc(100% + 26px)"), "{phone}");
        let share = (390.0 - 2.0 * 16.0 + 26.0) / 440.0;
        let (narrow, wide) = phone.split_once(".map svg text").unwrap();
        for (size, _) in sizes(narrow).into_iter().filter(|one| one.1) {
            assert!(size * share >= 11.0, "{size}");
        }
        // A map keeps its size and moves in its box.
        for (size, _) in sizes(wide).into_iter().filter(|one| one.1) {
            assert!(size >= 11.0, "{size}");
        }
        assert!(phone.contains(".map svg.chart{min-width:440px}.wide svg.chart{min-width:760px}"));
    }
}
