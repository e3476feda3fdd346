//! The HTML report: well formed, complete in itself, right for any run.

use leadline_model::error_code::ErrorCode;
use leadline_model::event::{Event, Outcome};
use leadline_model::failure::Failure;
use leadline_model::op::Op;
use leadline_model::plan::access::Sizes;
use leadline_model::plan::study::{Axis, Coordinate, Role};
use leadline_model::plan::{Dialect, OpMix, Order, Stage, StudyPoint, Target, Workload};
use leadline_model::units::Nanos;
use leadline_results::fixture::device::{Device, findings, plan, plan_run, survey_run};
use leadline_results::fixture::{self, Load, no_recipe};
use leadline_results::render::html::{Recipe, page};
use leadline_results::run::Run;
use leadline_results::study::{Scope, SurveyOptions, SurveyTarget};

fn html(run: &Run) -> String {
    page(run, |plan| Recipe {
        body: format!("a job of {}", plan.title),
        ..no_recipe(plan)
    })
}

fn survey() -> Run {
    let place = SurveyTarget::Directory("demo".to_owned());
    let mut options = SurveyOptions::new(place, Scope::Standard);
    options.seed = Some(42);
    let mut run = survey_run(&Device::default(), options);
    run.findings = findings();
    run
}

fn workload(name: &str, op: Op, seconds: u64) -> Workload {
    let mut w = Workload::new(name, Target::Paths(vec!["/dev/vdb".to_owned()]));
    w.blocks_mut().mix = OpMix::Only(op);
    w.blocks_mut().access.order = Order::Random {
        every: 1,
        identical: false,
    };
    w.stop.runtime = Some(Nanos::from_secs(seconds));
    w.stop.time_based = true;
    w
}

fn stage(name: &str, workloads: Vec<Workload>) -> Stage {
    Stage {
        name: name.to_owned(),
        pause: Nanos::ZERO,
        workloads,
        ..Stage::default()
    }
}

/// Elements that must not be closed.
const VOID: [&str; 4] = ["meta", "br", "wbr", "link"];

/// The names of the tags between `<` and `>` in order; text of scripts and styles left out.
fn tags(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if tag.starts_with("!DOCTYPE") {
            continue;
        }
        let name: String = tag
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '/')
            .collect();
        assert!(
            !name.is_empty(),
            "a stray < before {:?}",
            &tag[..tag.len().min(40)]
        );
        let own_end = tag.ends_with('/');
        if name == "script" || name == "style" {
            let close = format!("</{name}>");
            let at = rest.find(&close).expect("a script ends");
            rest = &rest[at + close.len()..];
            continue;
        }
        if !own_end && !VOID.contains(&name.as_str()) {
            found.push(name);
        }
    }
    found
}

/// Each tag that opens closes, in order.
fn assert_well_formed(page: &str) {
    let mut open: Vec<String> = Vec::new();
    for tag in tags(page) {
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop().as_deref(), Some(name), "closes out of turn"),
            None => open.push(tag),
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

/// What every page must hold.
fn check(page: &str) {
    assert_well_formed(page);
    for from_outside in ["src=", "@import", "url(http", "href=\"http", "//cdn"] {
        assert!(!page.contains(from_outside), "{from_outside}");
    }
    let markup = page.split("<script>").next().expect("a part");
    for broken in ["NaN", "inf ", ">inf<"] {
        assert!(!markup.contains(broken), "{broken}");
    }
    let ids: Vec<&str> = markup
        .split(" id=\"")
        .skip(1)
        .map(|t| t.split('"').next().expect("a part"))
        .collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(ids.len(), unique.len(), "an id is used twice");
}

fn charts(page: &str) -> usize {
    page.matches("<svg class=\"chart\"").count()
}

#[test]
fn the_survey_is_one_small_page_with_all_its_charts() {
    let page = html(&survey());
    check(&page);
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
    // Depth 2, mix 2, ends 2, and 4 for each of 21 points.
    assert_eq!(charts(&page), 6 + 21 * 4);
    assert_eq!(page.matches("<figure>").count(), charts(&page));
    for words in [
        "stop rising at depth 16 with",
        "N* (useful concurrency)",
        "820 MB/s",
        "window-short",
        "What to do: Measure for 60 s",
        "a job of survey of demo",
        "AMD EPYC 7763",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn percentiles_with_too_few_samples_are_left_out_or_marked() {
    let page = html(&survey());
    assert!(page.contains("samples above it: not shown\">-</td>"));
    assert!(page.contains("samples above it: uncertain\">~"));
}

#[test]
fn several_jobs_in_one_stage_have_their_rows_and_time_series() {
    let mut writer = workload("writer", Op::Write, 4);
    writer.stop.warmup = Nanos::from_secs(1);
    let jobs = vec![workload("reader", Op::Read, 5), writer];
    let run = plan_run(&Device::default(), plan("mixed", vec![stage("both", jobs)]));
    let page = html(&run);
    check(&page);
    assert!(page.contains("#w-0-0\">reader<") && page.contains("#w-0-1\">writer<"));
    assert!(page.contains("warm-up"));
    assert!(page.contains("Workloads side by side"));
    assert_eq!(charts(&page), 3 + 8);
}

/// What writes the data is neither in the title nor among the charts that are open.
#[test]
fn a_page_shows_what_was_measured_and_not_the_stage_that_writes_the_data() {
    let mut writer = workload("SD_format", Op::Write, 2);
    writer.blocks_mut().sizes.by_op.write = Sizes::Fixed(131_072);
    writer.blocks_mut().access.order = Order::Sequential { skip: 0 };
    let stages = vec![
        stage("SD_format", vec![writer]),
        stage("run1", vec![workload("wd1", Op::Read, 5)]),
    ];
    let mut all = plan("", stages);
    all.source.dialect = Dialect::Vdbench;
    let page = html(&plan_run(&Device::default(), all));
    check(&page);
    let title = page.split("</title>").next().expect("a title");
    let title = title.split("<title>").nth(1).expect("a title");
    assert!(title.starts_with("4 KiB random read"), "{title}");
    assert!(!page.contains("Sequential throughput"));
    assert!(!page.contains("Comparison: SD_format"));
    let is_open = |id: &str| {
        let tag = page.split(&format!("id=\"{id}\"")).nth(1);
        tag.expect(id).starts_with(" open>")
    };
    assert!(is_open("w-1-0") && !is_open("w-0-0"));
}

#[test]
fn words_of_the_user_cannot_change_the_page() {
    let evil = "</script><script>alert(1)</script><b a=\"'>&";
    let mut w = workload(evil, Op::Read, 2);
    w.blocks_mut().target = Target::Paths(vec![evil.to_owned()]);
    let mut run = plan_run(&Device::default(), plan(evil, vec![stage(evil, vec![w])]));
    run.findings = findings();
    run.findings[0].text = evil.to_owned();
    let page = html(&run);
    check(&page);
    assert!(!page.contains("<script>alert"));
}

#[test]
fn a_run_without_io_says_so() {
    let mut w = workload("nothing", Op::Read, 0);
    w.stop.runtime = Some(Nanos::ZERO);
    let run = plan_run(
        &Device::default(),
        plan("empty", vec![stage("nothing", vec![w])]),
    );
    let page = html(&run);
    check(&page);
    assert!(page.contains("No I/O completed in the measured window."));
}

#[test]
fn a_run_of_nothing_at_all_is_a_page_too() {
    let page = html(&Run::default());
    check(&page);
    assert!(page.contains("The run has no recorded end"));
    assert!(page.contains("No workload was started."));
}

#[test]
fn a_run_cut_short_shows_what_was_measured_until_then() {
    let mut run = survey();
    run.stages.truncate(4);
    let last = run.stages.last_mut().unwrap();
    last.end = None;
    last.workers.clear();
    last.samples.truncate(3);
    run.outcome = Some(Outcome::CutShort);
    let page = html(&run);
    check(&page);
    assert!(page.contains("The run was interrupted"));
    assert!(page.contains("iops/4k-randread-qd32"));
}

#[test]
fn errors_have_a_column_and_a_sentence() {
    let mut run = plan_run(
        &Device::default(),
        plan(
            "bad",
            vec![stage("bad", vec![workload("bad", Op::Read, 3)])],
        ),
    );
    let worker = &mut run.stages[0].workers[0];
    worker.counts.op_mut(Op::Read).errors = 17;
    worker.errors = vec![(Op::Read, 5, 17)];
    run.apply(&Event::RunEnded {
        at: Nanos::from_secs(3),
        outcome: Outcome::Failed(Failure::new(ErrorCode::Io, "EIO on /dev/vdb", "")),
    });
    let page = html(&run);
    check(&page);
    assert!(page.contains("The run failed: EIO on /dev/vdb."));
    assert!(page.contains("17 of ") && page.contains("<td class=\"n bad\">17</td>"));
}

#[test]
fn two_hundred_workloads_make_one_table_and_a_bounded_page() {
    let slow = Device {
        alone: [0.01, 0.01],
        ..Device::default()
    };
    let jobs = (0..200)
        .map(|i| workload(&format!("job{i}"), Op::Read, 3))
        .collect();
    let run = plan_run(&slow, plan("many", vec![stage("many", jobs)]));
    let page = html(&run);
    check(&page);
    assert_eq!(page.matches("scope=\"rowgroup\"").count(), 200);
    assert!(page.contains("32 busiest of 200 workloads"));
    assert!(page.len() < 4_000_000, "{} bytes", page.len());
}

#[test]
fn a_long_run_is_merged_to_a_bounded_number_of_points() {
    let slow = Device {
        alone: [0.1, 0.1],
        ..Device::default()
    };
    let long = stage("long", vec![workload("long", Op::Read, 7200)]);
    let page = html(&plan_run(&slow, plan("long", vec![long])));
    check(&page);
    assert!(page.contains("Each point is 15 intervals merged."));
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
}

#[test]
fn what_scrolls_can_be_reached_by_keyboard_and_says_what_it_is() {
    let page = html(&survey());
    let each = page.match_indices("class=\"scroll\"");
    let rests: Vec<&str> = each.map(|(at, _)| &page[at..at + 90]).collect();
    assert!(rests.len() > 3);
    for rest in rests {
        let named = "class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"";
        assert!(rest.starts_with(named), "{rest}");
    }
}

#[test]
fn percentiles_stand_before_the_mean_and_no_name_is_twice_in_a_chart() {
    let page = html(&survey());
    let heads = &page[page.find("Table of results").unwrap()..];
    let at = |what: &str| heads.find(&format!(">{what}</th>")).unwrap();
    assert!(at("p50") < at("p99") && at("p99") < at("mean"));
    for chart in page.split("<svg class=\"chart\"").skip(1) {
        let chart = chart.split("</svg>").next().unwrap();
        let names = chart.split("class=\"name ").skip(1);
        let mut names: Vec<&str> = names.map(|n| n.split("</text>").next().unwrap()).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{names:?}");
    }
}

#[test]
fn steps_of_a_study_stand_by_their_rate_and_are_named_by_it() {
    let rates = [300.0, 100.0, 200.0];
    let names = ["limit/t1", "limit/t2", "limit/t3"];
    let step = || fixture::workload("w", OpMix::reads(), 4096, 8, 4);
    let mut plan = fixture::plan(names.map(|name| (name, vec![step()])).to_vec());
    for (stage, rate) in plan.stages.iter_mut().zip(rates) {
        stage.point = Some(StudyPoint {
            role: Role::Trial,
            at: [(Axis::Rate, Coordinate::Number(rate))].into(),
        });
    }
    let loads = [300, 100, 200].map(|ios| vec![Load::simple(Op::Read, ios, 4096, 1_000_000, 4)]);
    let page = html(&fixture::run_of(&fixture::events_of(plan, &loads)));
    check(&page);
    let (_, rows) = page.split_once("Table of results").unwrap();
    let places = ["100", "200", "300"].map(|rate| {
        let name = format!(", {rate} IOPS requested</a>");
        rows.find(&name).unwrap_or_else(|| panic!("{name}: {rows}"))
    });
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn a_long_plan_is_named_and_not_repeated_as_data() {
    let stages = (0..60).map(|n| stage(&format!("s{n}"), vec![workload("w", Op::Read, 1)]));
    let long = plan("long", stages.collect());
    let page = html(&plan_run(&Device::default(), long));
    check(&page);
    let (_, data) = page
        .split_once("The plan with every default, as data")
        .unwrap();
    let data = data.split("</pre>").next().unwrap();
    assert!(
        data.contains("leadline report RUN.leadline --json"),
        "{}",
        data.len()
    );
}

#[test]
fn on_paper_the_words_on_knees_stay_with_their_table() {
    let css = include_str!("../../assets/report.css");
    let (_, paper) = css.split_once("@media print{").unwrap();
    let kept = paper
        .lines()
        .find(|line| line.contains("break-inside:avoid") && line.contains("#legend"));
    assert!(kept.is_some_and(|line| line.contains(".lede")), "{paper}");
}

#[test]
fn tables_that_scroll_have_a_shadow_where_they_go_on_and_tiles_keep_their_letters() {
    let css = include_str!("../../assets/report.css");
    let rule = |name: &str| css.lines().find(|line| line.starts_with(name));
    let scroll = rule(".scroll{").unwrap();
    // What moves with the table covers the shadows at its ends.
    assert_eq!(scroll.matches("no-repeat local").count(), 2, "{scroll}");
    assert_eq!(scroll.matches("no-repeat scroll").count(), 2, "{scroll}");
    // Words of a map were measured in letters of this size, also on a phone, where other words are larger.
    let (_, phone) = css.split_once("@media (max-width:640px){").unwrap();
    let tiles = "svg .tick.dark,svg .tick.light{font-size:11px}";
    assert!(phone.contains(tiles), "{phone}");
}
