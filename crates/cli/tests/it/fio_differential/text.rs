//! The normal text: the same kinds of lines in the same order, and what people's expressions look for.

use super::pair::{JOB_FILE, Job, has_fio, together};

/// Two threads that mix through io_uring, shown as one.
const MIX: &str = "[mix]\nrw=randrw\nioengine=io_uring\niodepth=8\nnumjobs=2\ngroup_reporting\n\
                   size=4m\nruntime=1\ntime_based\nthread\n";

/// Writes with syncs, then reads.
const STAGES: &str = "[global]\nsize=4m\nbs=16k\nruntime=1\ntime_based\nthread\nioengine=psync\n\
                      [w]\nrw=write\nfsync=8\n[r]\nstonewall\nrw=randread\ndescription=reads\n";

/// A line with every number, its unit and its padding as `#`, and units of time and rate in brackets as
/// `(unit)`: what must be equal whatever the figures are.
fn skeleton(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_ascii_digit() || out.ends_with(|c: char| c.is_ascii_alphanumeric()) {
            out.push(c);
            continue;
        }
        let is_part = |c: &char| c.is_ascii_alphanumeric() || "./%".contains(*c);
        while chars.next_if(is_part).is_some() {}
        let start = out.trim_end_matches(' ');
        if start.ends_with('=') {
            out.truncate(start.len());
        }
        out.push('#');
    }
    for unit in ["(nsec)", "(usec)", "(msec)", "(  KiB/s)", "(  MiB/s)"] {
        out = out.replace(unit, "(unit)");
    }
    out
}

/// The kind of a line; `None` for one that only one of the two has, by design.
fn kind(line: &str) -> Option<String> {
    // fio's: the files it lays out. Ours: latency from the intended start, and how the pace was kept.
    let own = ["    resp ", "     pace      :"];
    if own.iter().any(|start| line.starts_with(start)) || line.contains(": Laying out IO file") {
        return None;
    }
    // As many lines as there are values.
    for start in ["     |", "  lat ("] {
        if line.starts_with(start) {
            return Some(start.to_owned());
        }
    }
    if line.starts_with("fio-") {
        return Some("version".to_owned());
    }
    if line.contains(": (g=") {
        return Some(line.to_owned());
    }
    // Later versions name one more call.
    if let Some((start, _)) = line.split_once("sync_file_range") {
        return Some(start.to_owned());
    }
    // The process and the date.
    if let Some((start, end)) = line.split_once(": pid=") {
        let words = end.split_whitespace().count();
        return Some(format!("{} with {words} words", skeleton(start)));
    }
    // Later versions have one more figure of each disk.
    Some(skeleton(line).replace(" sectors=#,", ""))
}

/// Kinds of lines; of several alike one after the other, the first. leadline's own lines follow all
/// that fio prints.
fn kinds(text: &str) -> Vec<String> {
    let text = text.split("\nleadline says:\n").next().unwrap();
    let mut kinds: Vec<String> = text.lines().filter_map(kind).collect();
    kinds.dedup();
    kinds
}

/// Names of percentiles, in order.
fn percentiles(text: &str) -> Vec<&str> {
    let mut shown = true;
    let mut out = Vec::new();
    for line in text.lines() {
        if line.contains(" percentiles (") {
            shown = !line.starts_with("    resp");
        } else if let Some(row) = line.strip_prefix("     |").filter(|_| shown) {
            let cells = row.split(',').filter_map(|cell| cell.split_once("th=["));
            out.extend(cells.map(|(name, _)| name.trim()));
        }
    }
    out
}

/// A number as fio shortens it: `20.5k` and the like.
fn number(text: &str) -> f64 {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match &text[digits.len()..] {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        other => panic!("unit {other} of {text}"),
    };
    digits.parse::<f64>().unwrap() * scale
}

/// What stands between two texts on the first line that has the first one.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let found = text.lines().find_map(|line| line.split_once(from));
    let (_, rest) = found.unwrap_or_else(|| panic!("no {from}:\n{text}"));
    rest.split(to).next().unwrap().trim()
}

/// What programs look for in the text, with the figures that must be there.
fn expressions(text: &str, side: &str) {
    let iops = number(between(text, &format!("  {side}: IOPS="), ","));
    assert!(iops > 0.0);
    let lat = text.lines().find(|line| line.starts_with("     lat ("));
    assert!(number(between(lat.unwrap(), "avg=", ",")) > 0.0);
    let mean = number(
        between(text, "   iops        : min=", "\n")
            .split("avg=")
            .nth(1)
            .unwrap()
            .split(',')
            .next()
            .unwrap(),
    );
    assert!(mean > 0.0);
    for part in [
        "   bw (",
        "  cpu          : usr=",
        "  IO depths    : 1=",
        "     issued rwts: total=",
        "Run status group 0 (all jobs):",
    ] {
        assert!(text.contains(part), "no {part}:\n{text}");
    }
    let upper = side.to_uppercase();
    assert!(text.contains(&format!("{upper}: bw=")), "{text}");
}

fn compare(test: &str, file: &str, sides: &[&str]) {
    if !has_fio(test) {
        return;
    }
    let job = Job {
        words: &[JOB_FILE],
        file: Some(file),
    };
    let Some(pair) = together(job).fine(test) else {
        return;
    };
    let [fio, ours] = [&pair.fio.stdout, &pair.ours.stdout];
    assert_eq!(kinds(fio), kinds(ours), "\n{fio}\n{ours}");
    assert_eq!(percentiles(fio), percentiles(ours));
    assert!(!percentiles(ours).is_empty());
    for text in [fio, ours] {
        sides.iter().for_each(|side| expressions(text, side));
    }
}

#[test]
fn of_a_mix() {
    compare("fio_differential::text::mix", MIX, &["read", "write"]);
}

#[test]
fn of_stages_with_syncs() {
    compare("fio_differential::text::stages", STAGES, &["write"]);
}

#[test]
fn of_the_formats_asked_for_together() {
    let test = "fio_differential::text::formats";
    if !has_fio(test) {
        return;
    }
    let words = [
        "--output-format=normal,json",
        "--name=a",
        "--size=1m",
        "--thread",
    ];
    let Some(pair) = together(Job::line(&words)).fine(test) else {
        return;
    };
    for done in [&pair.fio, &pair.ours] {
        let text = &done.stdout;
        let lines = |start: &str| text.lines().filter(|l| l.starts_with(start)).count();
        assert_eq!(
            (lines("a: (g=0)"), lines("a: (groupid=0")),
            (1, 1),
            "{text}"
        );
        assert_eq!((lines("{"), lines("}")), (1, 1), "{text}");
    }
}

#[test]
fn the_comparison_finds_a_line_that_is_missing_moved_or_of_another_form() {
    let one = "  read: IOPS=20.5k, BW=80.2MiB/s (84.1MB/s)(7968KiB/97msec)\n     |  1.00th=[  38]\n     |  \
               5.00th=[  61]\n   bw (  KiB/s): min= 8000, max= 8000\n";
    let expected = [
        "  read: IOPS=#, BW=# (#)(#)",
        "     |",
        "   bw (unit): min=#, max=#",
    ];
    assert_eq!(kinds(one), expected);
    assert_eq!(percentiles(one), ["1.00", "5.00"]);
    let other = one.replace("MiB/s (84.1MB/s)", "MiB/s(84.1MB/s)");
    assert_ne!(kinds(&other), expected);
    assert_ne!(kinds(&one.replace("min= 8000, ", "")), expected);
    assert_ne!(kinds(one.split_once('\n').unwrap().1), expected);
    // Names that end in a digit stay names.
    assert_eq!(skeleton("sda1: ios=1/2, x= 3%"), "sda1: ios=#, x=#");
}
