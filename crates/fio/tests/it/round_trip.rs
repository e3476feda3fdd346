//! What is printed of a plan reads back as the same plan.

use crate::common::{FakeHost, short_diagnostics, short_plan};
use leadline_fio::print::fio_job;
use leadline_fio::{self as fio};
use leadline_model::plan::Plan;
use proptest::prelude::*;

/// Options whose plan is printed as another that does the same, each with the reason.
const PRINTED_OTHERWISE: &[(&str, &str)] = &[
    (
        "bwavgtime",
        "samples are of the run, and fio's are of its logs",
    ),
    (
        "iopsavgtime",
        "samples are of the run, and fio's are of its logs",
    ),
    (
        "sim",
        "fio has no simulated device: libaio on a file to be named stands in its place, with a remark",
    ),
];

fn parse(args: &[String], job: &str) -> Plan {
    let mut host = FakeHost::default();
    host.files.insert("job.fio".to_owned(), job.to_owned());
    let parsed = fio::parse(args, &host);
    let says = short_diagnostics(&parsed.diagnostics, &parsed.sources);
    parsed
        .plan
        .unwrap_or_else(|| panic!("{args:?}: {says}\n{job}"))
}

#[test]
fn the_case_of_each_option_is_printed_and_read_back_as_it_was() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for spec in fio::options() {
        let Some(case) = spec.case else { continue };
        let words = case.words.split(' ').map(|word| format!("--{word}"));
        let args: Vec<String> = std::iter::once("--name=w".to_owned())
            .chain(words)
            .collect();
        let plan = parse(&args, "");
        let job = fio_job(&plan);
        let again = parse(&["job.fio".to_owned()], &job);
        seen += 1;
        let (first, second) = (short_plan(&plan), short_plan(&again));
        let otherwise = PRINTED_OTHERWISE.iter().any(|(name, _)| *name == spec.name);
        if (first == second) == otherwise {
            wrong.push(format!(
                "{}: {}\n{first}--- printed\n{job}--- again\n{second}",
                spec.name, case.words
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {seen}\n{}",
        wrong.len(),
        wrong.join("\n=====\n")
    );
}

#[test]
fn a_description_that_a_job_file_would_cut_is_a_remark() {
    for (text, printed) in [("a plain one", true), ("half #2", false), ("a; b", false)] {
        let plan = parse(
            &["--name=w".to_owned(), format!("--description={text}")],
            "",
        );
        let job = fio_job(&plan);
        assert_eq!(job.contains(text), printed, "{job}");
        assert_eq!(
            job.contains("; not in fio: its description"),
            !printed,
            "{job}"
        );
        let again = parse(&["job.fio".to_owned()], &job);
        let kept = again.stages[0].workloads[0].description.as_deref();
        assert_eq!(kept, printed.then_some(text));
    }
}

/// Options that have a case, and are printed as they were.
fn printed_options() -> Vec<&'static fio::OptionSpec> {
    let otherwise =
        |spec: &&fio::OptionSpec| PRINTED_OTHERWISE.iter().any(|(name, _)| *name == spec.name);
    let all = fio::options().iter().copied();
    all.filter(|spec| spec.case.is_some() && !otherwise(spec))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn any_options_together_are_printed_and_read_back_as_they_were(
        specs in proptest::collection::vec(proptest::sample::select(printed_options()), 1..8),
    ) {
        let cases = specs.iter().filter_map(|spec| spec.case);
        let words = cases.flat_map(|case| case.words.split(' '));
        let args: Vec<String> = std::iter::once("--name=w".to_owned())
            .chain(words.map(|word| format!("--{word}")))
            .collect();
        // Options that exclude each other make no plan.
        if let Some(plan) = fio::parse(&args, &FakeHost::default()).plan {
            let job = fio_job(&plan);
            let again = parse(&["job.fio".to_owned()], &job);
            let (first, second) = (short_plan(&plan), short_plan(&again));
            prop_assert!(first == second, "{args:?}\n{first}--- printed\n{job}--- again\n{second}");
        }
    }
}
