//! A parameter file that is printed as it was understood reads back as the same plan.
#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use crate::common::{FakeHost, row_file, short_diagnostics};
use leadline_model::plan::Plan;
use leadline_vdbench::{self as vdbench, KeywordSpec, Object, Parsed};
use proptest::prelude::*;

fn read(file: &str, switches: &[&str]) -> Parsed {
    let mut host = FakeHost::default();
    host.files.insert("p.vdb".into(), file.to_owned());
    host.files.insert("more.vdb".into(), "compratio=4\n".into());
    let args = ["-f", "p.vdb"].iter().chain(switches);
    vdbench::parse(&args.map(|s| (*s).to_owned()).collect::<Vec<_>>(), &host)
}

/// A plan without the text that it was made of.
fn meaning(plan: &Plan) -> serde_json::Value {
    let mut plan = serde_json::to_value(plan).unwrap();
    plan.as_object_mut().unwrap().remove("source");
    plan
}

/// Reads what was printed, which must mean the same and be printed the same.
fn reads_back(file: &str, switches: &[&str]) {
    let first = read(file, switches);
    let says = short_diagnostics(&first.diagnostics, &first.sources);
    let plan = first.plan.unwrap_or_else(|| panic!("{file}\n{says}"));
    let second = read(&first.printed, &[]);
    let says = short_diagnostics(&second.diagnostics, &second.sources);
    let again = second
        .plan
        .unwrap_or_else(|| panic!("{file}---\n{}\n{says}", first.printed));
    assert_eq!(
        meaning(&plan),
        meaning(&again),
        "{file}---\n{}",
        first.printed
    );
    assert_eq!(first.printed, second.printed);
    let commands = |run: &vdbench::Switches| format!("{:?} {:?}", run.commands, run.mounts);
    assert_eq!(commands(&first.run), commands(&second.run));
}

#[test]
fn defaults_variables_ranges_and_quotes_are_resolved() {
    let file = "\
data_errors=3
hd=default,user=joe,shell=ssh
hd=h,system=box1
sd=default,size=1g,threads=4
sd=sd1,lun=\"/tmp/a b\"
sd=sd-2,lun=/tmp/c-d,offset=4k
wd=default,xfersize=(4k,50,8k,50)
wd=w1,sd=(sd1,\"sd-2\"),rdp=70,seekpct=ran
rd=default,el=5
rd=r1,wd=w*,iorate=(100,200),iorate=curve,forth=(1-3,1)
";
    reads_back(file, &["-e", "8", "-i", "2"]);
    let printed = read(file, &["-e", "8", "-i", "2"]).printed;
    let expected = "\
data_errors=3
hd=h,user=joe,shell=ssh,system=box1
sd=sd1,lun=/tmp/a\" \"b,size=1g,threads=4
sd=sd-2,lun=/tmp/c-d,size=1g,threads=4,offset=4k
wd=w1,xfersize=(4k,50,8k,50),sd=(sd1,sd\"-\"2),rdpct=70,seekpct=ran
rd=r1,wd=w*,iorate=(100,200),iorate=curve,forthreads=(1-3,1),elapsed=8,interval=2
";
    assert_eq!(printed, expected);
}

/// The words of a keyword's case, each with its object before it.
fn words_of(spec: &KeywordSpec) -> Vec<String> {
    let words = spec.case.iter().flat_map(|case| case.words.split(' '));
    let whole = |word: &str| {
        let key = word.split('=').next().unwrap_or_default();
        match key.contains('.') {
            true => word.to_owned(),
            false => format!("{}.{word}", spec.object.word()),
        }
    };
    words.map(whole).collect()
}

#[test]
fn the_case_of_each_keyword_reads_back() {
    let mut seen = 0;
    for spec in vdbench::keywords() {
        let words = words_of(spec);
        if words.is_empty() {
            continue;
        }
        let file = row_file(Object::Rd, words.iter().map(String::as_str));
        if read(&file, &[]).plan.is_some() {
            reads_back(&file, &[]);
            seen += 1;
        }
    }
    assert!(seen >= 80, "only {seen} cases make a plan");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_keywords_together_read_back(
        specs in proptest::collection::vec(proptest::sample::select(vdbench::keywords().to_vec()), 1..8),
    ) {
        let words: Vec<String> = specs.iter().flat_map(|spec| words_of(spec)).collect();
        let file = row_file(Object::Rd, words.iter().map(String::as_str));
        // Keywords that exclude each other make no plan, and print nothing.
        let parsed = read(&file, &[]);
        prop_assert_eq!(parsed.plan.is_some(), !parsed.printed.is_empty());
        if parsed.plan.is_some() {
            reads_back(&file, &[]);
        }
    }
}
