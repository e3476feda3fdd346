//! The rows of the flat file: one line an interval, one word a column, for spreadsheets and scripts. The
//! columns are in `columns`.

use super::row::{Cpu, Figures};
use super::said;
use super::stage::Current;
use leadline_results::study::words::trim_to;
use std::collections::BTreeMap;

/// A row.
pub(super) fn line(
    current: &Current,
    (time, stamp): (&str, &str),
    label: &str,
    f: &Figures,
    cpu: Option<Cpu>,
) -> String {
    let number = |x: f64| trim_to(x, 4);
    // An average's label has a blank more before it.
    let gap = if label.starts_with("avg") { " " } else { "" };
    let mut words = vec![
        time.to_owned(),
        stamp.to_owned(),
        one_word(current.name()),
        format!("{gap}{label}"),
        said(&current.stage.given, "reqrate")
            .unwrap_or("9999988")
            .to_owned(),
    ];
    let measured = [f.rate, f.mib, f.bytes, f.read_percent];
    let times = f.resp.iter().chain(&f.max).chain(&f.stddev);
    words.extend(measured.iter().chain(times).map(|x| number(*x)));
    for name in ["xfersize", "threads", "rdpct", "rhpct", "whpct", "seekpct"] {
        words.push(alike(current, name, "n/a"));
    }
    words.push(storage(current));
    words.push("n/a".to_owned());
    words.push(alike(current, "compratio", "1"));
    words.push(alike(current, "dedupratio", "n/a"));
    words.push(number(f.depth));
    let unknown = || "n/a".to_owned();
    let used = cpu.map(|c| [c.user + c.system, c.user, c.system]);
    words.extend(used.map_or_else(|| [unknown(), unknown(), unknown()], |c| c.map(number)));
    let rest = cpu.and_then(|c| c.rest);
    words.extend(rest.map_or_else(|| [unknown(), unknown()], |r| [r.0, r.1].map(number)));
    words.join(" ") + " \n"
}

/// A name as one column: a blank in it would move all that follow.
fn one_word(name: &str) -> String {
    name.replace(|c: char| c.is_whitespace() || c.is_control(), "_")
}

/// An option that all workloads of the run have alike; `n/a` where they differ.
fn alike(current: &Current, name: &str, missing: &str) -> String {
    let mut values = current.stage.workloads.iter().map(|w| said(&w.given, name));
    let first = values.next().flatten();
    if values.any(|v| v != first) {
        return "n/a".to_owned();
    }
    first.unwrap_or(missing).replace(' ', "")
}

/// GiB of all storage of the run.
fn storage(current: &Current) -> String {
    let mut sizes = BTreeMap::new();
    for workload in &current.stage.workloads {
        let size = said(&workload.given, "size").and_then(|s| s.parse::<f64>().ok());
        let Some(size) = size else {
            return "n/a".to_owned();
        };
        sizes.insert(leadline_results::summary::target_name(workload), size);
    }
    trim_to(sizes.values().sum::<f64>() / f64::from(1 << 30), 4)
}
