//! The part of DISKSPD's text report that repeats what was asked for, in the layout of 2.2: people's
//! scripts read it.
//!
//! Belongs here: that layout. Must never appear here: results.

use crate::number::{kmgt, kmgt_column};
use crate::profile::{
    Batch, Bypass, Cache, Distribution, Flush, Profile, Target, Throughput, TimeSpan,
};
use std::fmt::Write;

/// The block of one time span below `Input parameters:`: from its number to its last line, without an
/// empty line after it. `number` counts from 1.
#[must_use]
pub fn input_parameters(span: &TimeSpan, number: usize) -> String {
    let mut text = format!("\ttimespan: {number:>3}\n\t-------------\n");
    let mut line = |words: &str| {
        let _ = writeln!(text, "\t{words}");
    };
    line(&format!("duration: {}s", span.duration));
    line(&format!("warm up time: {}s", span.warmup));
    line(&format!("cool down time: {}s", span.cooldown));
    if span.disable_affinity {
        line("affinity disabled");
    }
    if span.measure_latency {
        line("measuring latency");
    }
    if span.iops_std_dev {
        line(&format!(
            "gathering IOPS at intervals of {}ms",
            span.bucket_ms
        ));
    }
    line(&format!("random seed: {}", span.rand_seed));
    if span.thread_count > 0 {
        line(&format!("thread pool with {} threads", span.thread_count));
        line(&format!(
            "number of outstanding I/O operations per thread: {}",
            span.request_count
        ));
    }
    if let Some(ring) = span.io_ring {
        let batch = match ring.batch {
            Batch::Count(n) => n.to_string(),
            Batch::Percent(n) => format!("{n}%"),
        };
        line(&format!("using IoRing (batch size: {batch})"));
        if ring.registered {
            line("using IoRing registered buffers");
        }
    }
    let assigned = affinity(span);
    if !assigned.is_empty() {
        line(&format!(
            "advanced affinity round robin (group/core): {assigned}"
        ));
    }
    if span.random_write_data {
        line("generating random data for each write IO");
        line("  WARNING: this increases the CPU cost of issuing writes and should only");
        line("           be compared to other results using the -Zr flag");
    }
    for target in &span.targets {
        text.push_str(&target_text(span, target));
    }
    text
}

/// What `-Rptext` prints, and a text report begins with.
#[must_use]
pub fn profile_text(profile: &Profile, command_line: &str) -> String {
    let mut text = format!("\nCommand Line: {command_line}\n\nInput parameters:\n\n");
    if profile.verbose {
        text.push_str("\tusing verbose mode\n");
    }
    for (span, number) in profile.time_spans.iter().zip(1..) {
        text.push_str(&input_parameters(span, number));
        text.push('\n');
    }
    text
}

fn affinity(span: &TimeSpan) -> String {
    let all: Vec<String> = span
        .affinity
        .assignments
        .iter()
        .map(|(group, cpu)| match cpu {
            Some(cpu) => format!("{group}/{cpu}"),
            None => format!("{group}/*"),
        })
        .collect();
    all.join(", ")
}

fn target_text(span: &TimeSpan, target: &Target) -> String {
    let mut lines = Vec::new();
    lines.push(format!("think time: {}ms", target.think_ms.unwrap_or(0)));
    lines.push(format!("burst size: {}", target.burst.unwrap_or(0)));
    caching(target, &mut lines);
    content(target, &mut lines);
    pattern(target, &mut lines);
    if span.is_pool() {
        lines.push(format!(
            "relative IO weight in thread pool: {}",
            target.weight
        ));
    } else {
        lines.push(format!(
            "number of outstanding I/O operations per thread: {}",
            target.request_count
        ));
    }
    extent(target, &mut lines);
    if span.thread_count == 0 {
        lines.push(format!("threads per file: {}", target.threads_per_file));
        if target.request_count > 1 && span.io_ring.is_none() {
            lines.push(
                if span.completion_routines {
                    "using completion routines (ReadFileEx/WriteFileEx)"
                } else {
                    "using I/O Completion Ports"
                }
                .to_owned(),
            );
        }
    }
    let priority = match target.io_priority {
        1 => "very low",
        2 => "low",
        3 => "normal",
        _ => "unknown",
    };
    lines.push(format!("IO priority: {priority}"));
    match target.throughput {
        Some(Throughput::Iops(n)) => lines.push(format!("throughput rate-limited to {n} IOPS")),
        Some(Throughput::BytesPerMs(n)) => {
            lines.push(format!("throughput rate-limited to {n} B/ms"));
        }
        None => {}
    }
    if let Some(distribution) = &target.distribution {
        lines.push("IO Distribution:".to_owned());
        lines.extend(parts(distribution));
    }
    let path = match target.path.strip_prefix('*') {
        Some(number) => format!("path: template target '{number}'"),
        None => format!("path: '{}'", target.path),
    };
    lines.iter().fold(format!("\t{path}\n"), |text, line| {
        text + "\t\t" + line + "\n"
    })
}

fn caching(target: &Target, lines: &mut Vec<String>) {
    lines.push(
        match target.cache {
            Cache::Cached => "using software cache",
            Cache::DisableLocal => "local software cache disabled, remote cache enabled",
            Cache::DisableOs => "software cache disabled",
        }
        .to_owned(),
    );
    lines.push(
        match (target.write_through, target.cache) {
            (true, Cache::DisableOs) => "hardware write cache disabled, writethrough on",
            (true, _) => "hardware and software write caches disabled, writethrough on",
            (false, _) => "using hardware write cache, writethrough off",
        }
        .to_owned(),
    );
    if target.memory_mapped {
        let flush = match target.flush {
            None => "",
            Some(Flush::ViewOfFile) => ", flush mode: FlushViewOfFile",
            Some(Flush::NonVolatile) => ", flush mode: FlushNonVolatileMemory",
            Some(Flush::NonVolatileNoDrain) => ", flush mode: FlushNonVolatileMemory with no drain",
        };
        lines.push(format!("memory mapped I/O enabled{flush}"));
    }
    match target.bypass {
        Some(Bypass::Partial) => lines.push("using BypassIO (allow partial)".to_owned()),
        Some(Bypass::Full) => lines.push("using BypassIO (full bypass)".to_owned()),
        None => {}
    }
}

fn content(target: &Target, lines: &mut Vec<String>) {
    if target.zero {
        lines.push("zeroing write buffers".to_owned());
    }
    if let Some(buffer) = &target.write_buffer {
        lines.push(format!("write buffer size: {}", kmgt(buffer.size)));
        lines.push(match &buffer.path {
            Some(path) => format!("write buffer source: '{path}'"),
            None => "write buffer source: random fill".to_owned(),
        });
    }
    if target.parallel {
        lines.push("using parallel async I/O".to_owned());
    }
}

fn pattern(target: &Target, lines: &mut Vec<String>) {
    lines.push(match target.write_percent {
        0 => "performing read test".to_owned(),
        100 => "performing write test".to_owned(),
        writes => format!(
            "performing mix test (read/write ratio: {}/{writes})",
            100_u32.saturating_sub(writes)
        ),
    });
    lines.push(format!("block size: {}", kmgt(target.block_size.into())));
    let step = kmgt(target.step());
    lines.push(match (target.random_percent, target.interlocked) {
        (100.., _) => format!("using random I/O (alignment: {step})"),
        (percent @ 1.., _) => format!(
            "using mixed random/sequential I/O ({percent}% random) (alignment/stride: {step})"
        ),
        (0, true) => format!("using interlocked sequential I/O (stride: {step})"),
        (0, false) => format!("using sequential I/O (stride: {step})"),
    });
}

fn extent(target: &Target, lines: &mut Vec<String>) {
    for (name, bytes) in [
        ("base file offset", target.base),
        ("max file size", target.max),
        ("thread stride size", target.thread_stride),
    ] {
        if bytes > 0 {
            lines.push(format!("{name}: {}", kmgt(bytes)));
        }
    }
    for (on, hint) in [
        (target.sequential_scan, "FILE_FLAG_SEQUENTIAL_SCAN"),
        (target.random_access, "FILE_FLAG_RANDOM_ACCESS"),
        (target.temporary, "FILE_ATTRIBUTE_TEMPORARY"),
    ] {
        if on {
            lines.push(format!("using {hint} hint"));
        }
    }
}

fn parts(distribution: &Distribution) -> Vec<String> {
    let part = |(_, at, range): (u32, u64, crate::profile::Range)| {
        let io = range.io;
        let end = at.saturating_add(range.span);
        if distribution.percent {
            format!("   {io:>3}% of IO => [{at:>2}% - {end:>3}%) of target")
        } else if range.span == 0 {
            format!("   {io:>3}% of IO => [{} -       end)", kmgt_column(at))
        } else {
            format!(
                "   {io:>3}% of IO => [{} - {})",
                kmgt_column(at),
                kmgt_column(end)
            )
        }
    };
    distribution.placed().map(part).collect()
}
