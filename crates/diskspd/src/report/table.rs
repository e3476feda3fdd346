//! The tables of the text report.

use super::notes::thin;
use super::number::{deviation, ms, rate, size, size_column};
use super::span::{Bucket, Kind, Side, Span};
use super::topology::{Cpu, Topology};
use leadline_model::event::CpuTime;
use leadline_model::sample::Counts;
use std::fmt::Write;

/// The rows of the percentile table but for the extremes.
const PERCENTILES: [(&str, f64); 13] = [
    ("25th", 25.0),
    ("50th", 50.0),
    ("75th", 75.0),
    ("90th", 90.0),
    ("95th", 95.0),
    ("99th", 99.0),
    ("3-nines", 99.9),
    ("4-nines", 99.99),
    ("5-nines", 99.999),
    ("6-nines", 99.9999),
    ("7-nines", 99.99999),
    ("8-nines", 99.999_999),
    ("9-nines", 99.999_999_9),
];

/// Shares of a processor's time in percent: usage, user, kernel, idle. Waiting for I/O is idle, and what
/// a hypervisor took is no part of it.
pub(super) fn shares(cpu: &CpuTime) -> [f64; 4] {
    let (user, kernel) = (cpu.user.0 as f64, cpu.kernel.0 as f64);
    let idle = cpu.idle.0 as f64 + cpu.wait.0 as f64;
    let all = user + kernel + idle;
    if all <= 0.0 {
        return [0.0, 0.0, 0.0, 100.0];
    }
    [user + kernel, user, kernel, idle].map(|part| part * 100.0 / all)
}

/// The mean over all processors.
pub(super) fn mean_shares(cpus: &[CpuTime]) -> [f64; 4] {
    let mut mean = [0.0; 4];
    for cpu in cpus {
        for (sum, share) in mean.iter_mut().zip(shares(cpu)) {
            *sum += share / cpus.len() as f64;
        }
    }
    mean
}

/// What a column of the CPU table shows of a processor.
type Column = (&'static str, fn(&Cpu) -> String);

/// Columns ahead of the processor's number, where there are several sockets, nodes, groups, processors of a
/// core, kinds of core.
fn columns(all: &Topology) -> Vec<Column> {
    let known: [(bool, Column); 5] = [
        (
            all.each(|c| c.socket).len() > 1,
            ("Socket | ", |c| format!("{:>7}| ", c.socket)),
        ),
        (
            all.each(|c| c.node).len() > 1,
            ("Node | ", |c| format!("{:>5}| ", c.node)),
        ),
        (
            all.each(Cpu::group).len() > 1,
            ("Group | ", |c| format!("{:>6}| ", c.group())),
        ),
        (
            all.is_threaded(),
            ("Core | ", |c| format!("{:>5}| ", c.core)),
        ),
        (
            all.is_mixed(),
            ("Class | ", |c| {
                format!("{:>5}{}| ", c.class, if c.class > 0 { 'P' } else { ' ' })
            }),
        ),
    ];
    known
        .into_iter()
        .filter_map(|(shown, column)| shown.then_some(column))
        .collect()
}

/// CPU table, with an empty line ahead; nothing when it was not measured.
pub(super) fn cpu(out: &mut String, cpus: &[CpuTime], topology: &Topology) {
    if cpus.is_empty() {
        return;
    }
    let columns = columns(topology);
    let ahead: String = columns.iter().map(|c| c.0).collect();
    let dashes = "-".repeat(40 + ahead.len());
    let line = |name: &str, [usage, user, kernel, idle]: [f64; 4]| {
        format!("{name}| {usage:>6.2}%| {user:>6.2}%| {kernel:>6.2}%| {idle:>6.2}%\n")
    };
    *out += &format!("\n{ahead}CPU |  Usage |  User  | Kernel |  Idle\n{dashes}\n");
    for cpu in cpus {
        let place = topology.cpu(cpu.cpu);
        columns
            .iter()
            .for_each(|column| *out += &(column.1)(&place));
        *out += &line(&format!("{:>4}", place.in_group()), shares(cpu));
    }
    let space = " ".repeat(ahead.len());
    *out += &format!("{dashes}\n{space}{}", line("avg.", mean_shares(cpus)));
}

/// A range of a target: percent of the I/Os, from, to.
type TargetRange = (f64, u64, u64);
/// A target and the threads that used it.
type Users<'a> = (&'a str, Vec<u32>);

/// Where the I/Os went by `-rd`, targets and threads with the same parts together.
pub(super) fn distributions(out: &mut String, span: &Span<'_>) {
    let mut known: Vec<(Vec<TargetRange>, Vec<Users<'_>>)> = Vec::new();
    for row in &span.rows {
        let parts = span.parts_of(row);
        if parts.is_empty() {
            continue;
        }
        let at = known.iter().position(|(p, _)| *p == parts);
        let at = at.unwrap_or_else(|| {
            known.push((parts, Vec::new()));
            known.len() - 1
        });
        let targets = &mut known[at].1;
        match targets.iter_mut().find(|(path, _)| *path == row.path) {
            Some((_, threads)) => threads.push(row.thread),
            None => targets.push((&row.path, vec![row.thread])),
        }
    }
    if !known.is_empty() {
        let title = "Effective IO Distributions";
        let _ = write!(out, "\n{title}\n{}\n", "-".repeat(title.len()));
    }
    for (parts, targets) in known {
        for (path, threads) in targets {
            let threads: Vec<String> = threads.iter().map(u32::to_string).collect();
            let _ = writeln!(out, "target: {path} [thread: {}]", threads.join(" "));
        }
        for (percent, from, to) in parts {
            let (from, to) = (size_column(from), size_column(to));
            let _ = writeln!(out, "   {percent:>3.0}% of IO => [{from} - {to})");
        }
    }
}

/// The table of one kind of I/O by thread and target.
pub(super) fn section(out: &mut String, span: &Span<'_>, kind: Kind) {
    let title = match kind {
        Kind::Total => "Total IO",
        Kind::Read => "Read IO",
        Kind::Write => "Write IO",
    };
    let mut head =
        String::from("thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s ");
    let mut width = 78;
    if span.latency {
        head += "|  AvgLat  ";
        width += 11;
    }
    if span.deviations {
        head += "| IopsStdDev ";
        width += 13;
    }
    if span.latency {
        head += "| LatStdDev ";
        width += 12;
    }
    let dashes = "-".repeat(width);
    let _ = write!(out, "\n{title}\n{head}|  file\n{dashes}\n");
    for row in &span.rows {
        let _ = write!(out, "{:>6} | ", row.thread);
        figures(out, span, kind, &row.counts, row.series.as_deref());
        let bytes = row.size.map_or("unknown size".to_owned(), size);
        let _ = writeln!(out, " | {} ({bytes})", row.path);
    }
    let _ = write!(out, "{dashes}\ntotal:   ");
    figures(out, span, kind, &span.total, Some(&span.series));
    out.push('\n');
}

fn figures(
    out: &mut String,
    span: &Span<'_>,
    kind: Kind,
    counts: &Counts,
    series: Option<&[Bucket]>,
) {
    let side = Side::of(counts, kind);
    let mib = rate(side.bytes as f64, span.seconds) / 1_048_576.0;
    let iops = rate(side.ios as f64, span.seconds);
    let _ = write!(
        out,
        "{:>15} | {:>12} | {mib:>10.2} | {iops:>10.2}",
        side.bytes, side.ios
    );
    let (mean, spread) = side.spread();
    if span.latency {
        let _ = write!(out, " | {:>8}", ms(mean));
    }
    if span.deviations {
        match series {
            Some(series) => {
                let _ = write!(out, " | {:>10.2}", span.deviation(series, kind));
            }
            None => out.push_str(" |        N/A"),
        }
    }
    if span.latency {
        if side.latency.is_empty() {
            out.push_str(" |       N/A");
        } else {
            let _ = write!(out, " |  {:>8}", ms(spread));
        }
    }
}

/// A percentile table with its title, and below it which of its figures rest on too few samples.
pub(super) fn percentiles(out: &mut String, title: &str, counts: &Counts) {
    let sides = [Kind::Read, Kind::Write, Kind::Total].map(|kind| Side::of(counts, kind).latency);
    let _ = write!(
        out,
        "\n{title}\n  %-ile |  Read (ms) | Write (ms) | Total (ms)\n{}\n",
        "-".repeat(46)
    );
    let mut line = |name: &str, values: [Option<u64>; 3]| {
        let [read, write, total] = values.map(|v| v.map_or("N/A".to_owned(), |ns| ms(ns as f64)));
        let _ = writeln!(out, "{name:>7} | {read:>10} | {write:>10} | {total:>10}");
    };
    let of = |pick: &dyn Fn(&leadline_model::latency::Latency) -> Option<u64>| {
        [pick(&sides[0]), pick(&sides[1]), pick(&sides[2])]
    };
    line("min", of(&|l| (!l.is_empty()).then_some(l.min)));
    for (name, percent) in PERCENTILES {
        line(name, of(&|l| l.percentile(percent)));
    }
    line("max", of(&|l| (!l.is_empty()).then_some(l.max)));
    let from: Vec<String> = ["read", "write", "total"]
        .iter()
        .zip(&sides)
        .filter_map(|(kind, latency)| {
            let first = PERCENTILES.iter().find(|(_, p)| thin(latency, *p))?;
            Some(format!("{kind} from {} on", first.0))
        })
        .collect();
    if !from.is_empty() {
        let _ = writeln!(
            out,
            "\nfewer than 10 samples above: {}; not reliable",
            from.join(", ")
        );
    }
}

/// The sums over several time spans.
pub(super) fn totals(out: &mut String, spans: &[Span<'_>]) {
    let measured = || spans.iter().filter(|s| s.seconds > 0.0);
    let seconds: f64 = measured().map(|s| s.seconds).sum();
    let sum = |kind| {
        let sides = measured().map(|s| Side::of(&s.total, kind));
        sides.fold((0, 0), |(b, n), s| (b + s.bytes, n + s.ios))
    };
    let line = |name: &str, kind| {
        let (bytes, ios) = sum(kind);
        let mib = rate(bytes as f64, seconds) / 1_048_576.0;
        let iops = rate(ios as f64, seconds);
        format!("{name:<6} | {bytes:>15} | {ios:>12} | {mib:>10.2} | {iops:>10.2}\n")
    };
    let (stars, dashes) = ("*".repeat(79), "-".repeat(79));
    *out += &format!(
        "\n\nTotals:\n{stars}\n\ntype   |       bytes     |     I/Os     |    MiB/s   |  I/O per s\n\
         {dashes}\n{}{}{dashes}\n{}\ntotal test time:\t{seconds:.2}s\n",
        line("write", Kind::Write),
        line("read", Kind::Read),
        line("total", Kind::Total),
    );
}

/// Mean and deviation of a bucket's latency in nanoseconds.
pub(super) fn spread(moments: &leadline_model::sample::Moments) -> (f64, f64) {
    let (n, sum) = (moments.ios as f64, moments.sum as f64);
    (rate(sum, n), deviation(n, sum, moments.sum_squares))
}
