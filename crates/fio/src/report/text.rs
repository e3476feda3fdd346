//! fio's normal output.

use super::dist::{BATCHES, CLASSES, LEVELS, latency_shares, shares};
use super::number::{Prefix, Style, short};
use super::record::{Record, Side, issued, of_windows, records};
use super::{Groups, Options, calendar, hosts};
use leadline_model::event::DiskUse;
use leadline_model::finding::Severity;
use leadline_model::latency::Latency;
use leadline_model::op::Op;
use leadline_model::plan::access::Sizes;
use leadline_model::plan::{OpMix, Plan, Workload};
use leadline_model::units::whole;
use leadline_results::render::once::once;
use leadline_results::run::Run;
use leadline_results::words::error_text;

/// What is printed before the start: a line for each workload, the version, how many workers start.
#[must_use]
pub fn header(plan: &Plan) -> String {
    let mut out = String::new();
    let mut workers = 0_u64;
    for workload in plan.stages.iter().flat_map(|s| &s.workloads) {
        workers += u64::from(workload.clones);
        out += &format!(
            "{}: (g={}): rw={}, bs={}, ioengine={}, iodepth={}\n",
            workload.name,
            workload.group,
            pattern(workload),
            sizes(workload),
            engine(workload, plan),
            workload.depth
        );
        if workload.clones > 1 {
            out += "...\n";
        }
    }
    let plural = if workers == 1 { "" } else { "s" };
    out + &format!(
        "{}\nStarting {workers} thread{plural}\n",
        super::FIO_VERSION
    )
}

/// The engine as it was asked for where that is another name of what runs.
fn engine<'a>(workload: &'a Workload, plan: &'a Plan) -> &'a str {
    let given = workload.given.iter().rev().chain(plan.given.iter().rev());
    let asked = given.map(|g| (g.name.as_str(), g.value.as_str()));
    let asked = asked.filter(|(name, _)| *name == "ioengine").map(|g| g.1);
    match asked.into_iter().next() {
        Some(name @ ("sync" | "vsync" | "pvsync")) => name,
        _ => workload.engine.kind.name(),
    }
}

/// fio's name of the pattern.
fn pattern(workload: &Workload) -> String {
    let random = if workload.blocks().access.order.is_random() {
        "rand"
    } else {
        ""
    };
    let kind = match workload.blocks().mix {
        OpMix::Only(op) => op.name(),
        OpMix::ReadWrite { .. } => "rw",
        OpMix::TrimWrite => "trimwrite",
    };
    format!("{random}{kind}")
}

fn sizes(workload: &Workload) -> String {
    let one = |letter: char, sizes: &Sizes| {
        let size = |n: u64| {
            let prefix = if n.is_power_of_two() {
                Prefix::Binary
            } else {
                Prefix::Thousands
            };
            format!("{}B", short(n, 4, prefix))
        };
        format!("({letter}) {}-{}", size(sizes.min()), size(sizes.max()))
    };
    let by_op = &workload.blocks().sizes.by_op;
    [
        one('R', &by_op.read),
        one('W', &by_op.write),
        one('T', &by_op.trim),
    ]
    .join(", ")
}

/// The text of a run, as `fio --output-format=normal` prints it after the run.
#[must_use]
pub fn text(run: &Run, options: &Options) -> String {
    let run = &*run.in_intervals();
    let mut out = if run.has_hosts() {
        of_hosts(run, options)
    } else {
        jobs(run, options)
    };
    let doubts = once(run, Severity::Info);
    // What is shown of a run that continues has no end yet, and was not checked.
    if run.outcome.is_some() && !doubts.is_empty() {
        out += "\nleadline says:\n";
        doubts
            .iter()
            .for_each(|d| out += &format!("  {}\n", d.line()));
    }
    out
}

fn of_hosts(run: &Run, options: &Options) -> String {
    let mut out = String::new();
    for share in hosts::shares(run) {
        out += &format!("\n<{}>", share.host);
        out += &jobs(&share.run, options);
    }
    let plan = hosts::plan_of_all(run);
    if let Some(all) = plan.as_ref().and_then(|plan| hosts::all(run, plan)) {
        let groups = Groups::of(std::slice::from_ref(&all));
        out += "\n";
        out += &job(&all, &groups, options);
    }
    out
}

/// The records of one host.
fn jobs(run: &Run, options: &Options) -> String {
    let records = records(run);
    let groups = Groups::of(&records);
    let mut out = String::from("\n");
    for record in &records {
        out += &job(record, &groups, options);
    }
    let mut shown = Vec::new();
    for record in &records {
        if shown.last() != Some(&record.plan.group) {
            shown.push(record.plan.group);
            out += &group_lines(record, &groups);
        }
    }
    let disks = super::disks(run, &records);
    if !disks.is_empty() {
        out += "\nDisk stats (read/write):\n";
        disks.iter().for_each(|d| out += &disk(d));
    }
    out
}

fn job(record: &Record<'_>, groups: &Groups, options: &Options) -> String {
    let mut out = format!(
        "{}: (groupid={}, jobs={}): err={:2}",
        record.name(),
        record.plan.group,
        record.jobs,
        record.error
    );
    if record.error != 0 {
        out += &format!(" ({})", error_text(record.error));
    }
    let date = calendar(record.end_ms, &options.zone);
    out += &format!(": pid={}: {date}\n", record.thread_id);
    if let Some(description) = &record.plan.description {
        out += &format!("  Description  : [{description}]\n");
    }
    for &side in record.sides() {
        out += &direction(record, side, groups);
    }
    out += &latency_classes(record);
    out += &syncs(record);
    out += &processor(record);
    out += &depths(record);
    out + &ending(record)
}

fn direction(record: &Record<'_>, side: Side, groups: &Groups) -> String {
    let runtime = record.runtime_ms(side);
    if runtime == 0 {
        return String::new();
    }
    let (report, shown) = (&record.plan.report, &record.shown);
    let style = Style::of(shown);
    let counts = record.side(side);
    let mut out = format!(
        "  {}: IOPS={}, BW={}({}/{runtime}msec){}\n",
        side.name(),
        short(whole(record.iops(side)), style.digits, Prefix::Thousands),
        style.rates(record.bytes_per_s(side)),
        style.amount(counts.bytes, style.prefixes()[0]),
        // On writes fio reports zone resets, also where there are no zones. None are made here.
        if side == Side::Only(Op::Write) {
            "; 0 zone resets"
        } else {
            ""
        },
    );
    let (service, response) = (&counts.service, counts.response.as_ref());
    let submission = counts.parts.as_ref().map(|p| &p.submission);
    let completion = counts.completion();
    let percents = &record.plan.percentiles;
    for (name, is_shown, of) in [
        ("slat", shown.slat, submission),
        ("clat", report.clat, Some(completion)),
        (" lat", report.lat, Some(service)),
        ("resp", true, response),
    ] {
        out += &of
            .filter(|_| is_shown)
            .map_or_else(String::new, |l| latency_line(name, l));
    }
    for (name, is_shown, of) in [
        ("slat", shown.slat_percentiles && shown.slat, submission),
        (
            "clat",
            shown.clat_percentiles && report.clat,
            Some(completion),
        ),
        ("lat", shown.lat_percentiles && report.lat, Some(service)),
    ] {
        out += &of
            .filter(|_| is_shown)
            .map_or_else(String::new, |l| percentiles(name, l, percents));
    }
    // fio has no such latency: its percentiles are interpolated, as in leadline's own reports.
    if let Some(latency) = response {
        let value = |percent| latency.percentile(percent);
        out += &percentile_lines("resp", latency, percents, value);
    }
    out + &intervals(record, side, groups)
}

/// The lines about the interval rates.
fn intervals(record: &Record<'_>, side: Side, groups: &Groups) -> String {
    let spread = &record.spreads[side.index()];
    if spread.samples == 0 || !record.shown.bandwidth {
        return String::new();
    }
    let share = super::share_of_group(record, side, groups);
    let (bw, iops) = (&spread.bw, &spread.iops);
    // Above a million KiB/s fio goes over to MiB/s.
    let (unit, scale) = if bw.mean > 1024.0 * 1024.0 {
        ("MiB", 1024.0)
    } else {
        ("KiB", 1.0)
    };
    format!(
        "   bw ({unit:>5}/s): min={:5}, max={:5}, per={share:3.2}%, avg={:5.2}, stdev={:5.2}, samples={n}\n   \
         iops        : min={:5}, max={:5}, avg={:5.2}, stdev={:5.2}, samples={n}\n",
        whole(bw.min / scale),
        whole(bw.max / scale),
        bw.mean / scale,
        bw.deviation / scale,
        whole(iops.min),
        whole(iops.max),
        iops.mean,
        iops.deviation,
        n = spread.samples,
    )
}

/// The unit in which a latency is shown: its name and its length in nanoseconds. fio goes to the next
/// unit when smallest, largest and spread are all well above it.
fn unit_of(min: u64, max: u64, deviation: f64) -> (&'static str, u64) {
    if min > 2_000_000 && max > 99_999_999 && deviation > 1e6 {
        ("msec", 1_000_000)
    } else if min > 2000 && max > 99_999 && deviation > 1000.0 {
        ("usec", 1000)
    } else {
        ("nsec", 1)
    }
}

fn latency_line(name: &str, latency: &Latency) -> String {
    if latency.is_empty() {
        return String::new();
    }
    let (unit, scale) = unit_of(latency.min, latency.max, latency.stddev());
    let number = |n: u64| short(n / scale, 6, Prefix::Thousands);
    format!(
        "    {name} ({unit}): min={}, max={}, avg={:5.2}, stdev={:5.2}\n",
        number(latency.min),
        number(latency.max),
        latency.mean() / scale as f64,
        latency.stddev() / scale as f64
    )
}

fn percentiles(name: &str, latency: &Latency, percents: &[f64]) -> String {
    percentile_lines(name, latency, percents, |p| latency.fio_percentile(p))
}

fn percentile_lines(
    name: &str,
    latency: &Latency,
    percents: &[f64],
    value: impl Fn(f64) -> Option<u64>,
) -> String {
    let values: Vec<(f64, u64)> = percents
        .iter()
        .filter_map(|&p| Some((p, value(p)?)))
        .collect();
    let (Some(first), Some(last)) = (values.first(), values.last()) else {
        return String::new();
    };
    let (unit, scale) = unit_of(first.1, last.1, f64::INFINITY);
    let values: Vec<(f64, u64)> = values.iter().map(|v| (v.0, v.1 / scale)).collect();
    let longest = values.iter().map(|v| v.1.to_string().len()).max();
    let width = longest.unwrap_or(0).max(5);
    let columns = (73 / (12 + width)).max(1);
    let mut out = format!("    {name} percentiles ({unit}):\n");
    let rows = values.chunks(columns).map(|row| {
        let row: Vec<String> = row
            .iter()
            .map(|(percent, value)| {
                let bound = if latency.is_at_least(*percent) {
                    ">="
                } else {
                    ""
                };
                format!(" {percent:5.2}th={bound}[{value:width$}]")
            })
            .collect();
        format!("     |{}", row.join(","))
    });
    out += &rows.collect::<Vec<_>>().join(",\n");
    out + "\n"
}

fn latency_classes(record: &Record<'_>) -> String {
    let by_latency = latency_shares(&record.counts);
    let names: Vec<String> = CLASSES.iter().map(u64::to_string).collect();
    let mut long = names.clone();
    long.extend(["2000".to_owned(), ">=2000".to_owned()]);
    let mut out = String::new();
    for (unit, names, shares) in [
        ("nsec", &names, &by_latency.ns[..]),
        ("usec", &names, &by_latency.us[..]),
        ("msec", &long, &by_latency.ms[..]),
    ] {
        let shown: Vec<String> = names
            .iter()
            .zip(shares)
            .filter(|(_, share)| **share > 0.0)
            .map(|(name, share)| format!("{name}={share:3.2}%"))
            .collect();
        for row in shown.chunks(5) {
            out += &format!("  lat ({unit})   : {}\n", row.join(", "));
        }
    }
    out
}

fn syncs(record: &Record<'_>) -> String {
    let Some(counts) = record.counts.op(Op::Sync).filter(|c| c.ios > 0) else {
        return String::new();
    };
    let mut out = String::from("  fsync/fdatasync/sync_file_range/syncfs:\n");
    out += &latency_line("sync", &counts.service);
    out + &percentiles("sync", &counts.service, &record.plan.percentiles)
}

fn processor(record: &Record<'_>) -> String {
    let cpu = &record.cpu;
    format!(
        "  cpu          : usr={:3.2}%, sys={:3.2}%, ctx={}, majf={}, minf={}\n",
        of_windows(record, cpu.user),
        of_windows(record, cpu.system),
        cpu.voluntary + cpu.involuntary,
        cpu.major_faults,
        cpu.minor_faults
    )
}

fn depths(record: &Record<'_>) -> String {
    let depths = &record.counts.depths;
    let line = |title: &str, names: [&str; 7], classes| {
        let shares = names.iter().zip(shares(classes));
        let shares: Vec<String> = shares.map(|(n, s)| format!("{n}={s:3.1}%")).collect();
        format!("{title}: {}\n", shares.join(", "))
    };
    line("  IO depths    ", LEVELS, depths.level)
        + &line("     submit    ", BATCHES, depths.submit)
        + &line("     complete  ", BATCHES, depths.complete)
}

fn ending(record: &Record<'_>) -> String {
    let of = |op, pick: fn(&leadline_model::sample::OpCounts) -> u64| {
        record.counts.op(op).map_or(0, pick)
    };
    let three = |pick| Op::BLOCK.map(|op| of(op, pick).to_string()).join(",");
    let mut out = format!(
        "     issued rwts: total={},{} short={},0 dropped=0,0,0,0\n",
        three(issued),
        of(Op::Sync, |c| c.ios),
        three(|c| c.short),
    );
    if super::goes_on(record.plan) {
        let (total, first) = record.passed_over;
        let text = if first == 0 {
            "Success".to_owned()
        } else {
            error_text(first)
        };
        out += &format!("     errors    : total={total}, first_error={first}/<{text}>\n");
    }
    out += &format!(
        "     latency   : target=0.00ns, window=0.00ns, percentile=100.00%, depth={}\n",
        record.plan.depth
    );
    if let Some(lag) = &record.counts.lag {
        out += &format!(
            "     pace      : late={}, unissued={}, lag max={}ns\n",
            record.counts.late, record.unissued, lag.max
        );
    }
    out
}

/// The sums of a group; `first` is its first record.
fn group_lines(first: &Record<'_>, groups: &Groups) -> String {
    let group = first.plan.group;
    let mut out = format!("\nRun status group {group} (all jobs):\n");
    let style = Style::of(&first.shown);
    for &side in first.sides() {
        let sum = groups.get(group, side);
        if sum.longest_ms == 0 {
            continue;
        }
        let range = |prefix| {
            let [from, to] = [sum.slowest, sum.fastest].map(|rate| style.rate(rate, prefix));
            format!("{from}-{to}")
        };
        let [ranges, amounts] = [
            style.prefixes().map(range),
            style
                .prefixes()
                .map(|prefix| style.amount(sum.bytes, prefix)),
        ];
        out += &format!(
            "{:>7}: bw={}, {} ({}), io={} ({}), run={}-{}msec\n",
            side.name().to_uppercase(),
            style.rates(sum.bytes_per_s),
            ranges[0],
            ranges[1],
            amounts[0],
            amounts[1],
            sum.shortest_ms,
            sum.longest_ms
        );
    }
    out
}

fn disk(disk: &DiskUse) -> String {
    format!(
        "  {}: ios={}/{}, sectors={}/{}, merge={}/{}, ticks={}/{}, in_queue={}, util={:3.2}%\n",
        disk.name,
        disk.ios[0],
        disk.ios[1],
        disk.sectors[0],
        disk.sectors[1],
        disk.merges[0],
        disk.merges[1],
        disk.ticks_ms[0],
        disk.ticks_ms[1],
        disk.queue_ms,
        super::utilisation(disk)
    )
}
