//! The tables: results by workload and operation, details, plan, environment.

use super::curves::class_of;
use super::named::{Wordings, each, step_rate};
use super::timeline::ChartDetail;
use super::view::{Cell, Detail, Group, Row, Text};
use super::{WriteRecipe, head, timeline};
use crate::render::svg::spark;
use crate::run::Run;
use crate::stats::Interval;
use crate::summary::labels::AXES;
use crate::summary::measured::Setting;
use crate::summary::{
    Basis, Percentile, StageSummary, Summary, Trust, WorkloadSummary, longest_text, mean_text,
    percentile, planned,
};
use crate::trust::grade::Grades;
use crate::words::{mb_per_s, mib_per_s, rate, rate_half_width, span_half_width, thousands};
use leadline_model::latency::Latency;
use leadline_model::plan::{Dialect, Plan};
use leadline_text::shell::word;

/// Percentiles of the table.
pub(crate) const PERCENTILES: [f64; 4] = [50.0, 99.0, 99.9, 99.99];
/// Most workloads whose time series are drawn.
const MOST_DETAILS: usize = 32;
/// The plan as data is left out above this many bytes.
const MOST_JSON: usize = 80_000;

/// Anchor of a workload's details.
fn anchor(stage: &StageSummary, workload: &WorkloadSummary) -> String {
    format!("w-{}-{}", stage.stage, workload.workload)
}

/// Every workload in the order in which they are read: steps of a study, which a search asks for in an order of its own, by
/// their rate after what has none.
fn in_order<'a>(
    run: &Run,
    summary: &'a Summary,
) -> impl Iterator<Item = (&'a StageSummary, &'a WorkloadSummary)> {
    let rate = |stage: &StageSummary| step_rate(run, stage);
    let mut stages: Vec<&StageSummary> = summary.stages.iter().collect();
    stages.sort_by(|a, b| rate(a).unwrap_or(0.0).total_cmp(&rate(b).unwrap_or(0.0)));
    stages
        .into_iter()
        .flat_map(|s| s.workloads.iter().map(move |w| (s, w)))
}

/// The rows of the table of results.
pub(crate) fn rows(run: &Run, summary: &Summary, grades: &Grades) -> Vec<Row> {
    let detailed = detailed(summary);
    let wordings = Wordings::of(run, summary);
    let mut rows = Vec::new();
    for (stage, workload) in in_order(run, summary) {
        let plan = planned(run, stage.stage)
            .and_then(|s| s.workloads.get(usize::try_from(workload.workload).ok()?));
        let own = wordings.get(stage, workload);
        let mut head = Row {
            name: own.name,
            setting: match own.code.as_str() {
                "" => plan.map(|w| Setting::of(w).words()).unwrap_or_default(),
                _ => own.code,
            },
            ..Row::default()
        };
        let grade = grades.point(stage.stage, workload.workload);
        if let Some(grade) = grade.filter(|grade| grades.are_mixed() && grade.letter != 'A') {
            head.grade = grade.letter.to_string();
            head.reason.clone_from(&grade.reason);
        }
        let id = anchor(stage, workload);
        if detailed.contains(&id) {
            head.anchor = id;
        }
        let mut own = op_rows(workload);
        head.span = own.len().max(1);
        match own.first_mut() {
            Some(first) => {
                first.span = head.span;
                first.name = head.name;
                first.anchor = head.anchor;
                first.setting = head.setting;
                first.grade = head.grade;
                first.reason = head.reason;
            }
            None => own.push(Row {
                op: "no I/O".to_owned(),
                ..head
            }),
        }
        rows.append(&mut own);
    }
    rows
}

fn op_rows(workload: &WorkloadSummary) -> Vec<Row> {
    let mut rows = Vec::new();
    let done = workload.figures.ops.iter();
    for (op, f) in done.filter(|(_, f)| f.ios + f.errors > 0) {
        let open = f.response.is_some();
        let sparks = timeline::rates(&workload.series, op, 48);
        rows.push(Row {
            op: if open {
                format!("{op}, response")
            } else {
                op.name().to_owned()
            },
            class: class_of(op).to_owned(),
            iops: rate(f.iops),
            iops_within: within(f.certainty.iops, rate_half_width),
            mib: if !op.is_data() {
                "-".into()
            } else {
                mib_per_s(f.bytes_per_s)
            },
            mb: if !op.is_data() {
                "-".into()
            } else {
                mb_per_s(f.bytes_per_s)
            },
            errors: thousands(f.errors),
            bad: f.errors > 0,
            spark: spark(&sparks, class_of(op)),
            ..latency_row(f.response(), f.response_mean(), &|p| f.response_at(p))
        });
        if open {
            rows.push(Row {
                op: format!("{op}, service"),
                class: class_of(op).to_owned(),
                ..latency_row(&f.service, f.certainty.service.mean, &|p| f.service_at(p))
            });
        }
    }
    rows
}

/// How far a latency that is shown may be off, where that is known.
fn span_within(interval: Option<Interval>) -> String {
    within(interval, span_half_width)
}

/// The same of a percentile; of one without an upper end, the lower one.
fn percentile_within(percentile: &Percentile) -> String {
    match percentile.least() {
        Some(least) => format!("\u{2265} {least}"),
        None => span_within(percentile.interval()),
    }
}

/// How far a figure may be off, where that is known.
fn within(interval: Option<Interval>, half_width: fn(&Interval) -> String) -> String {
    interval.map_or_else(String::new, |i| format!("\u{b1} {}", half_width(&i)))
}

fn latency_row(
    latency: &Latency,
    mean: Option<Interval>,
    at: &dyn Fn(f64) -> Option<Percentile>,
) -> Row {
    let empty = latency.is_empty();
    Row {
        mean: if empty {
            "-".to_owned()
        } else {
            mean_text(latency)
        },
        mean_within: if empty {
            String::new()
        } else {
            span_within(mean)
        },
        max: if empty {
            "-".to_owned()
        } else {
            longest_text(latency)
        },
        tail: PERCENTILES.iter().map(|p| cell(at(*p))).collect(),
        ..Row::default()
    }
}

/// The interval of a percentile in words; empty where it has none.
fn between(percentile: &Percentile) -> String {
    match (percentile.low, percentile.high) {
        (Some(low), Some(high)) => format!("; 95 % interval {low} to {high}"),
        (Some(low), None) => format!("; 95 % interval from {low}, no upper end"),
        (None, _) => String::new(),
    }
}

fn cell(percentile: Option<Percentile>) -> Cell {
    let dash = |why: String| Cell {
        text: "-".to_owned(),
        within: String::new(),
        class: "none".to_owned(),
        why,
    };
    match percentile {
        None => dash("no samples".to_owned()),
        Some(p) => match p.trust {
            Trust::TooFew => dash(format!("only {:.0} samples above it: not shown", p.beyond)),
            Trust::Doubtful => Cell {
                text: p.text(),
                within: percentile_within(&p),
                class: "thin".to_owned(),
                why: format!(
                    "only {:.0} samples above it: uncertain{}",
                    p.beyond,
                    between(&p)
                ),
            },
            Trust::Sure => Cell {
                text: p.text(),
                within: percentile_within(&p),
                why: between(&p).trim_start_matches("; ").to_owned(),
                ..Cell::default()
            },
        },
    }
}

/// Anchors of the workloads whose time series are drawn: the busiest ones.
fn detailed(summary: &Summary) -> Vec<String> {
    let mut all: Vec<(u64, String)> = each(summary)
        .filter(|(_, w)| !w.series.is_empty())
        .map(|(s, w)| (w.figures.data.ios, anchor(s, w)))
        .collect();
    all.sort_by_key(|(ios, _)| std::cmp::Reverse(*ios));
    all.truncate(MOST_DETAILS);
    all.into_iter().map(|(_, id)| id).collect()
}

/// Folded details of the busiest workloads, in order; and a sentence when some are left out.
pub(crate) fn details(run: &Run, summary: &Summary) -> (Vec<Detail>, String) {
    let chosen = detailed(summary);
    let detail = ChartDetail::of(timeline::MOST_POINTS, chosen.len());
    let wordings = Wordings::of(run, summary);
    let mut details = Vec::new();
    for (stage, workload) in in_order(run, summary) {
        let id = anchor(stage, workload);
        let Some(part) = run.stages.iter().find(|s| s.stage == stage.stage) else {
            continue;
        };
        if chosen.contains(&id) {
            details.push(Detail {
                name: wordings.line(stage, workload),
                short: short(workload),
                figures: timeline::figures(&id, part, workload, detail),
                facts: facts(workload, part),
                is_result: !super::prepares(run, stage.stage),
                id,
            });
        }
    }
    let all = each(summary).count();
    let note = if all > details.len() && all > MOST_DETAILS {
        format!(
            "The charts show the {} busiest of {all} workloads; the table and the run file have \
             all of them.",
            details.len()
        )
    } else {
        String::new()
    };
    (details, note)
}

fn short(workload: &WorkloadSummary) -> String {
    let data = workload.figures.ops.iter().filter(|(op, _)| op.is_data());
    let each = data.filter(|(_, f)| f.ios > 0).map(|(op, f)| {
        let tails = [50.0, 99.0].into_iter().filter_map(|percent| {
            let percentile = f.response_at(percent)?;
            let shown = percentile.shown().map(|_| percentile.text());
            shown.map(|text| format!("p{percent:.0} {text}"))
        });
        let tails: Vec<String> = tails.collect();
        let latency = match tails.is_empty() {
            true => format!("mean {}", mean_text(f.response())),
            false => tails.join(", "),
        };
        format!("{} {op} IOPS, {latency}", rate(f.iops))
    });
    let words: Vec<String> = each.collect();
    if words.is_empty() {
        "no I/O".to_owned()
    } else {
        words.join("; ")
    }
}

fn facts(workload: &WorkloadSummary, stage: &crate::run::StageRun) -> Vec<(String, String)> {
    let f = &workload.figures;
    let mut rows = vec![
        (
            "in flight".to_owned(),
            format!(
                "{:.1} on average, {} requested",
                f.depth_reached, workload.depth_asked
            ),
        ),
        (
            "measured".to_owned(),
            match f.basis {
                Basis::Window => f.span.to_string(),
                Basis::Common => format!("{}, while all workers ran", f.span),
                Basis::Union => format!("{}, first start to last end", f.span),
                Basis::Intervals => {
                    format!("intervals of {} in total; the run was interrupted", f.span)
                }
            },
        ),
    ];
    // In a simulation the processor of this machine says nothing about the volume.
    if f.cpu.busiest > 0.0 {
        rows.push((
            "busiest worker".to_owned(),
            format!("{:.0} % of a processor", f.cpu.busiest * 100.0),
        ));
    }
    if let Some(cpu) = f.cpu.per_io {
        rows.push(("processor time".to_owned(), format!("{cpu} an I/O")));
    }
    if f.workers > 1 {
        let skew = format!("start {}, end {}", f.window.start_skew, f.window.stop_skew);
        rows.push(("start and end skew of the workers".to_owned(), skew));
    }
    for rate in &workload.rates {
        let text = format!("{:.1} % of the requested rate", rate.share() * 100.0);
        rows.push((format!("{} rate reached", rate.what()), text));
    }
    if let Some(lag) = f.lag.as_ref().filter(|l| !l.is_empty()) {
        let p = percentile(lag, 99.9).map_or("-".to_owned(), |p| p.text());
        rows.push(("schedule lag, 99.9 %".to_owned(), p));
        rows.push((
            "submitted more than 1 ms late".to_owned(),
            thousands(f.late),
        ));
        rows.push(("never submitted".to_owned(), thousands(f.unissued)));
    }
    let labels = workload.labels.texts();
    rows.extend(AXES.iter().map(|a| (*a).to_owned()).zip(labels));
    let mut seeds: Vec<u64> = stage
        .workers
        .iter()
        .filter(|w| w.workload == workload.workload)
        .map(|w| w.seed)
        .collect();
    seeds.dedup();
    if let [first, rest @ ..] = seeds.as_slice() {
        let more = if rest.is_empty() {
            String::new()
        } else {
            format!(" and {} more", rest.len())
        };
        rows.push(("seed".to_owned(), format!("{first}{more}")));
    }
    rows
}

/// Cache labels, with the workloads that carry them.
pub(crate) fn labels(run: &Run, summary: &Summary) -> Vec<(String, [String; 4])> {
    let mut groups: Vec<(Vec<String>, [String; 4])> = Vec::new();
    let wordings = Wordings::of(run, summary);
    for (stage, workload) in each(summary) {
        let texts = workload.labels.texts();
        let name = wordings.get(stage, workload).brief;
        match groups.iter_mut().find(|g| g.1 == texts) {
            Some(group) if group.0.contains(&name) => {}
            Some(group) => group.0.push(name),
            None => groups.push((vec![name], texts)),
        }
    }
    let one = groups.len() == 1;
    groups
        .into_iter()
        .map(|(mut names, texts)| {
            let all = names.len();
            names.truncate(6);
            let mut who = names.join("; ");
            if all > 6 {
                who = format!("{who} and {} more", all - 6);
            }
            (if one { "all".to_owned() } else { who }, texts)
        })
        .collect()
}

/// What front ends call standard input among the files of a plan.
const INPUT: [&str; 2] = ["-", "standard input"];

/// The variables of the environment that a command line needs before it, with a space after them.
fn assigned(environment: &[(String, String)]) -> String {
    let is_name = |name: &str| {
        let start = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        start && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    // What a shell takes for no name is set by `env`.
    let by_env = environment.iter().any(|(name, _)| !is_name(name));
    let each = environment.iter().map(|(name, value)| match by_env {
        true => format!("{} ", word(&format!("{name}={value}"))),
        false => format!("{name}={} ", word(value)),
    });
    let before = if by_env { "env " } else { "" };
    each.fold(before.to_owned(), |line, one| line + &one)
}

/// The command line that repeats a run, with the variables of the environment that its files name; `None` where none is
/// known.
pub(super) fn as_given(plan: &Plan) -> Option<String> {
    let source = &plan.source;
    let verb = match source.dialect {
        Dialect::Native => "leadline",
        Dialect::Fio => "leadline fio",
        Dialect::Vdbench => "leadline vdbench",
        Dialect::Diskspd => "leadline diskspd",
    };
    let words = || leadline_text::shell::line(source.words());
    let assigned = assigned(&source.environment);
    (!source.args.is_empty()).then(|| format!("{assigned}{verb} {}", words()))
}

/// The plan: as given, as a recipe for another program, as data.
pub(crate) fn plan(plan: &Plan, recipe: WriteRecipe) -> Vec<Text> {
    let mut texts = Vec::new();
    let mut files = plan.source.files.iter();
    let has_input = files.any(|(name, _)| INPUT.contains(&name.as_str()));
    if let Some(body) = as_given(plan) {
        let note = match has_input {
            true => "Of it, - is standard input: give it the text below.",
            false => "",
        };
        texts.push(Text {
            title: "As given".to_owned(),
            note: note.to_owned(),
            body,
            folded: false,
        });
    }
    for (name, body) in &plan.source.files {
        texts.push(Text {
            title: match name.as_str() {
                name if INPUT.contains(&name) => "From standard input".to_owned(),
                name => format!("File {name}"),
            },
            note: String::new(),
            body: body.clone(),
            folded: body.lines().count() > 40,
        });
    }
    let recipe = recipe(plan);
    texts.push(Text {
        title: recipe.title.to_owned(),
        note: recipe.note.to_owned(),
        folded: recipe.body.lines().count() > 60,
        body: recipe.body,
    });
    if let Ok(json) = serde_json::to_string_pretty(plan) {
        let (note, body) = match json.len() {
            0..=MOST_JSON => ("Times in nanoseconds, sizes in bytes.", json),
            _ => (
                "Too long for this page. The run file has it:",
                "leadline report RUN.leadline --json".to_owned(),
            ),
        };
        texts.push(Text {
            title: "The plan with every default, as data".to_owned(),
            note: note.to_owned(),
            body,
            folded: true,
        });
    }
    texts
}

/// The facts of the environment by section and subject.
pub(crate) fn environment(run: &Run) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for fact in &run.facts {
        let title = match fact.subject.as_str() {
            "" => fact.section.clone(),
            subject => format!("{} {subject}", fact.section),
        };
        let row = (fact.name.clone(), fact.value.to_string());
        match groups.iter_mut().find(|g| g.title == title) {
            // What was seen before each stage is said once.
            Some(group) if group.rows.contains(&row) => {}
            Some(group) => group.rows.push(row),
            None => groups.push(Group {
                title,
                rows: vec![row],
            }),
        }
    }
    groups
}

/// What was run when: the stages with start, length and the devices' share.
pub(crate) fn stages(run: &Run) -> Vec<(String, String, String, String)> {
    run.stages
        .iter()
        .map(|s| {
            let name = planned(run, s.stage)
                .map(|p| p.name.clone())
                .unwrap_or_default();
            let length = s.end.map_or("not finished".to_owned(), |e| {
                head::minutes(e.since(s.start).as_secs_f64())
            });
            let disks = s.disks.iter().filter(|d| d.span_ms > 0).map(|d| {
                let busy = d.busy_ms as f64 / d.span_ms as f64 * 100.0;
                format!("{} {:.0} %", d.name, busy.min(100.0))
            });
            (
                name,
                head::minutes(s.start.as_secs_f64()),
                length,
                disks.collect::<Vec<_>>().join(", "),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::summary::summarize;

    #[test]
    fn a_workload_is_named_by_the_rate_that_was_asked_of_it() {
        let run = fixture::run();
        let found = rows(&run, &summarize(&run), &Grades::of_run(&run));
        let named = found.iter().filter(|row| row.name.contains("requested"));
        let named: Vec<&str> = named.map(|row| row.name.as_str()).collect();
        assert!(
            matches!(named.as_slice(), [one] if one.contains(" IOPS requested")),
            "{named:?}"
        );
    }
}
