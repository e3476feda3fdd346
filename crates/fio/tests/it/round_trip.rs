//! What is printed of a plan reads back as the same plan.

use crate::common::{FakeHost, short_diagnostics, short_plan};
use leadline_fio::print::fio_job;
use leadline_fio::{self as fio};
use leadline_model::plan::Plan;

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
        "fio has no simulated device: null stands in its place, with a remark",
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
