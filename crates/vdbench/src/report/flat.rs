//! The rows of the flat file: one line an interval, one word a column, for spreadsheets and scripts. The
//! columns are in `columns`.

use super::row::{Cpu, Figures};
use super::stage::Current;
use crate::number::shown;
use crate::original::WorkloadOriginal;
use leadline_results::words::trim_to;
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
        current.original.requested(&current.stage),
    ];
    let measured = [f.rate, f.mib, f.bytes, f.read_percent];
    let times = f.resp.iter().chain(&f.max).chain(&f.stddev);
    words.extend(measured.iter().chain(times).map(|x| number(*x)));
    let columns: [fn(&WorkloadOriginal) -> String; 6] = [
        WorkloadOriginal::transfer,
        |w| w.threads.to_string(),
        |w| shown(w.read_percent),
        |w| shown(w.read_hit_percent),
        |w| shown(w.write_hit_percent),
        |w| shown(w.seek_percent),
    ];
    words.extend(columns.map(|column| alike(current, |w| Some(column(w)), "n/a")));
    words.push(storage(current));
    words.push("n/a".to_owned());
    words.push(alike(current, |w| Some(shown(w.compression_ratio)), "1"));
    words.push(alike(current, |w| w.deduplication_ratio.map(shown), "n/a"));
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

/// A value that all workloads of the run have alike; `n/a` where they differ.
fn alike(
    current: &Current,
    column: impl Fn(&WorkloadOriginal) -> Option<String>,
    missing: &str,
) -> String {
    let mut values = current
        .workloads
        .iter()
        .map(|w| w.as_ref().and_then(&column));
    let first = values.next().flatten();
    if values.any(|v| v != first) {
        return "n/a".to_owned();
    }
    first.unwrap_or_else(|| missing.to_owned())
}

/// GiB of all storage of the run.
fn storage(current: &Current) -> String {
    let mut sizes = BTreeMap::new();
    for (workload, original) in current.stage.workloads.iter().zip(&current.workloads) {
        let Some(size) = original.as_ref().and_then(|w| w.size) else {
            return "n/a".to_owned();
        };
        sizes.insert(
            leadline_results::summary::target_name(workload),
            size as f64,
        );
    }
    trim_to(sizes.values().sum::<f64>() / f64::from(1 << 30), 4)
}
