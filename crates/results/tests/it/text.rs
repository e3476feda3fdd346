//! The terminal's tables.

use leadline_model::op::{Op, PerOp};
use leadline_model::plan::{Arrival, OpMix, Pace, Rate, Stage, Target, Workload};
use leadline_model::units::Nanos;
use leadline_results::fixture::device::{Device, findings, plan, plan_run, survey_run};
use leadline_results::render::text::{Style, run as text};
use leadline_results::run::Run;
use leadline_results::study::{Scope, SurveyOptions, SurveyTarget};

fn survey() -> Run {
    let place = SurveyTarget::Directory("demo".to_owned());
    let mut options = SurveyOptions::new(place, Scope::Standard);
    options.seed = Some(42);
    let mut run = survey_run(&Device::default(), options);
    run.findings = findings();
    run
}

fn mixed() -> Run {
    let mut reader = Workload::new("reader", Target::Paths(vec!["/dev/vdb".to_owned()]));
    reader.depth = 8;
    reader.stop.runtime = Some(Nanos::from_secs(6));
    let mut writer = reader.clone();
    writer.name = "writer with a rather long name".to_owned();
    writer.blocks_mut().mix = OpMix::mixed(30);
    writer.pace = Pace::Open {
        together: None,
        schedule: Vec::new(),
        rates: PerOp {
            write: Some(Rate::Iops(1000.0)),
            ..PerOp::default()
        },
        arrival: Arrival::Constant,
    };
    let stage = Stage {
        name: "both".to_owned(),
        pause: Nanos::ZERO,
        workloads: vec![reader, writer],
        ..Stage::default()
    };
    let mut run = plan_run(&Device::default(), plan("two jobs", vec![stage]));
    let writes = run.stages[0].workers[1].counts.op_mut(Op::Write);
    writes.errors = 3;
    writes.response = Some(writes.service.clone());
    run
}

fn widest(text: &str) -> usize {
    text.lines().map(|l| l.chars().count()).max().unwrap_or(0)
}

#[test]
fn the_survey_fits_eighty_columns() {
    let text = text(&survey(), &Style::default());
    insta::assert_snapshot!(text);
    assert!(widest(&text) <= 80);
    assert!(text.is_ascii());
}

#[test]
fn jobs_of_a_stage_with_errors_and_an_open_loop() {
    let wide = Style {
        width: 110,
        unicode: true,
        ..Style::default()
    };
    let text = text(&mixed(), &wide);
    insta::assert_snapshot!(text);
    assert!(widest(&text) <= 110);
}

#[test]
fn a_narrow_terminal_loses_columns_and_not_rows() {
    let narrow = Style {
        width: 60,
        ..Style::default()
    };
    let text = text(&mixed(), &narrow);
    insta::assert_snapshot!(text);
    assert!(widest(&text) <= 60, "{text}");
}

/// The table of hosts has columns that have no room: they are in a part below.
#[test]
fn a_table_of_hosts_is_folded_in_a_narrow_terminal() {
    let run = leadline_results::fixture::hosts_run();
    let at = |width| {
        let style = Style {
            width,
            ..Style::default()
        };
        text(&run, &style)
    };
    let hosts = |text: &str| {
        let (_, rest) = text.split_once("\nhost ").unwrap();
        rest.split("\n\n").next().unwrap().to_owned()
    };
    let (wide, narrow) = (hosts(&at(120)), hosts(&at(60)));
    assert!(widest(&narrow) <= 60, "{narrow}");
    assert_eq!(wide.matches("state").count(), 1, "{wide}");
    assert_eq!(narrow.matches("state").count(), 1, "{narrow}");
    assert!(narrow.matches("host ").count() >= 1, "{narrow}");
}

#[test]
fn colour_only_where_it_is_allowed_and_never_alone() {
    let coloured = Style {
        color: true,
        ..Style::default()
    };
    let with = text(&mixed(), &coloured);
    assert!(with.contains("\u{1b}["));
    let mut plain = with;
    for code in ["1", "2", "1;31", "1;33", "0"] {
        plain = plain.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_eq!(plain, text(&mixed(), &Style::default()));
}

#[test]
fn a_run_of_nothing_is_a_text_too() {
    insta::assert_snapshot!(text(&Run::default(), &Style::default()));
}
