//! What the runs of a folder were asked for, by its parameter file: what the flat file does not say of them.
//!
//! Belongs here: the parameter file as the front end reads it. Must never: look at figures.

use leadline_dialect::host::OneText;
use leadline_results::compare::{Properties, Property, PropertyValue, Subject};
use leadline_results::work::{in_common, of_plan};
use std::collections::{BTreeMap, BTreeSet};

/// The parameter file in a run's folder.
pub const PARAMETER_FILE: &str = "parmfile.html";

/// The summary in a run's folder.
pub const SUMMARY_FILE: &str = "summary.html";

/// The words with which Vdbench ends a summary when all of its runs came to their end.
const END: &str = "Vdbench execution completed successfully";

/// Adds that Vdbench did not come to its end, by the summary of its folder: one that ended between two runs has nothing in
/// its flat file that shows it.
pub fn add_end(subject: &mut Subject, summary: &str) {
    if !subject.is_unfinished && !summary.contains(END) {
        let doubt = format!("{SUMMARY_FILE} does not end with `{END}`: runs may be missing");
        subject.doubts.push(doubt);
        subject.is_unfinished = true;
    }
}

/// What the flat file has no column for, or `n/a` where workloads differ.
const UNSAID: [Property; 6] = [
    Property::Mix,
    Property::BlockSize,
    Property::Order,
    Property::Size,
    Property::Direct,
    Property::Sync,
];

/// Adds to each run what its parameter file says of it and the flat file does not. Where a run goes through a loop, only
/// what all of its points have in common; nothing where the front end does not read the file.
pub fn add_parameters(subject: &mut Subject, parameters: &str) {
    let lines = parameters.lines().filter(|line| !line.contains("<pre>"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let args = ["-f".to_owned(), PARAMETER_FILE.to_owned()];
    let plan = crate::parsed::parse(&args, &OneText(&text)).plan;
    let mut runs: BTreeMap<String, Vec<Properties>> = BTreeMap::new();
    for stage in plan.iter().flat_map(|plan| &plan.stages) {
        let works = stage.workloads.iter().map(of_plan);
        let run = run_of(&stage.name).to_owned();
        runs.entry(run).or_default().extend(works);
    }
    let runs: BTreeMap<String, Properties> = runs
        .into_iter()
        .map(|(run, works)| (run, in_common(works)))
        .collect();
    for row in &mut subject.rows {
        let Some(known) = runs.get(run_of(&row.stage)) else {
            continue;
        };
        for property in UNSAID {
            if let Some(value) = known.get(&property) {
                let own = row.properties.get(&property);
                if own.is_none_or(PropertyValue::is_vague) {
                    row.properties.insert(property, value.clone());
                }
            }
        }
    }
}

/// The name of a run without the point of its curve: `run1` of `run1_(50%)`.
fn run_of(stage: &str) -> &str {
    let point = stage
        .rsplit_once("_(")
        .filter(|(_, rest)| rest.ends_with("%)"));
    point.map_or(stage, |(run, _)| run)
}

/// Adds how many hosts a run was on, by the names of the files in its folder: each host has one, `h1.html`, and so has each
/// of its processes, `h1-0.html`. The flat file has the threads of all hosts together.
pub fn add_hosts(subject: &mut Subject, files: &[String]) {
    let has_own = |host: &&str| files.contains(&format!("{host}.html"));
    let hosts = files.iter().filter_map(|file| host_of(file));
    let hosts: BTreeSet<&str> = hosts.filter(has_own).collect();
    let hosts = hosts.len() as u64;
    if hosts < 2 {
        return;
    }
    for row in &mut subject.rows {
        let own = &mut row.properties;
        own.insert(Property::HostCount, PropertyValue::Count(hosts));
        let threads = match own.remove(&Property::Depth) {
            Some(PropertyValue::Count(threads)) if threads % hosts == 0 => threads / hosts,
            _ => continue,
        };
        own.insert(Property::Depth, PropertyValue::Count(threads));
    }
}

/// The host of a process, by the name of its file.
fn host_of(file: &str) -> Option<&str> {
    let (host, number) = file.strip_suffix(".html")?.rsplit_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (is_number && !host.is_empty()).then_some(host)
}
