//! From an XML text to a profile. Elements come in any order, each once, as DISKSPD's schema says.
//!
//! Belongs here: which element is which field. Must never appear here: checks of the whole.

use super::place;
use super::tree::{Element, Sink, text};
use crate::profile::{
    Affinity, Batch, BufferSeparation, Bypass, Cache, Distribution, Efficiency, Etw, Flush, IoRing,
    Precreate, Profile, Range, ResultFormat, Target, ThreadTarget, Throughput, TimeSpan,
    WriteBuffer,
};
use leadline_dialect::diagnostic::{Diagnostic, SourceId};
use roxmltree::{Document, Node, ParsingOptions};

/// Most attributes of an element: the parser compares each with all before it.
const MOST_ATTRIBUTES: usize = 256;

/// Most elements and texts. Results of a day with an interval a second have some 400,000.
const MOST_NODES: u32 = 2_000_000;

/// Where an element has more attributes than are read.
fn crowded(text: &str) -> Option<usize> {
    let mut rest = 0;
    while let Some(found) = text[rest..].find('<') {
        let start = rest + found;
        let (inside, end) = match text[start..].strip_prefix("<!--") {
            Some(comment) => (false, comment.find("-->").map(|at| start + 4 + at)),
            None => (true, text[start..].find('>').map(|at| start + at)),
        };
        let end = end.unwrap_or(text.len());
        if inside && text[start..end].matches('=').count() > MOST_ATTRIBUTES {
            return Some(start);
        }
        rest = end;
    }
    None
}

/// Reads a profile, or the profile within a file of results.
///
/// # Errors
/// All that is wrong with the text.
pub(super) fn profile(text: &str, source: SourceId) -> Result<Profile, Vec<Diagnostic>> {
    if let Some(at) = crowded(text) {
        let message = format!("an element has more than {MOST_ATTRIBUTES} attributes");
        let span = place(source, at..at + 1);
        return Err(vec![Diagnostic::error("too-large", message).at(span, "")]);
    }
    let options = ParsingOptions {
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| vec![ill_formed(text, source, &error)])?;
    let root = document.root_element();
    let node = match root.tag_name().name() {
        "Profile" => Some(root),
        "Results" => root
            .children()
            .find(|node| node.tag_name().name() == "Profile"),
        _ => None,
    };
    let mut sink = Sink {
        source,
        diagnostics: Vec::new(),
    };
    let Some(node) = node else {
        let message = format!("a profile does not begin with `{}`", root.tag_name().name());
        sink.error("no-profile", message, "the element `Profile`", root);
        return Err(sink.diagnostics);
    };
    let made = read(&mut sink, node);
    if sink.diagnostics.is_empty() {
        Ok(made)
    } else {
        Err(sink.diagnostics)
    }
}

/// XML that breaks XML's own rules.
fn ill_formed(text: &str, source: SourceId, error: &roxmltree::Error) -> Diagnostic {
    let pos = error.pos();
    let row = usize::try_from(pos.row).unwrap_or(1).max(1);
    let col = usize::try_from(pos.col).unwrap_or(1).max(1);
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines.by_ref().take(row - 1).map(str::len).sum();
    let line = lines.next().unwrap_or("");
    let within = line
        .char_indices()
        .nth(col - 1)
        .map_or(line.trim_end().len(), |(at, _)| at);
    let at = (before + within).min(text.len());
    Diagnostic::error(
        "ill-formed-xml",
        format!("failed to load the profile: {error}"),
    )
    .at(place(source, at..at), "")
    .expected("XML")
    .hint("DISKSPD does not escape the text it writes: `&` must be `&amp;`, `<` must be `&lt;`")
}

fn read(sink: &mut Sink, node: Node<'_, '_>) -> Profile {
    let element = sink.open(
        node,
        &[
            "TimeSpans",
            "Verbose",
            "VerboseStats",
            "Progress",
            "ExperimentFlags",
            "ResultFormat",
            "PrecreateFiles",
            "ETW",
        ],
    );
    let formats = [("text", ResultFormat::Text), ("xml", ResultFormat::Xml)];
    let mut profile = Profile {
        time_spans: Vec::new(),
        verbose: element.is(sink, "Verbose"),
        verbose_stats: element.is(sink, "VerboseStats"),
        progress: element.natural(sink, "Progress").unwrap_or(0),
        experiment_flags: element.natural(sink, "ExperimentFlags").unwrap_or(0),
        result_format: element
            .word(sink, "ResultFormat", &formats)
            .unwrap_or_default(),
        precreate: element.word(sink, "PrecreateFiles", &Precreate::NAMES),
        etw: element.get("ETW").map(|node| etw(sink, node)),
    };
    let Some(spans) = element.get("TimeSpans") else {
        sink.error(
            "element-missing",
            "`Profile` has no `TimeSpans`".to_owned(),
            "`TimeSpans` with at least one `TimeSpan`",
            node,
        );
        return profile;
    };
    for node in sink.list(spans, &["TimeSpan"]) {
        profile.time_spans.push(time_span(sink, node));
    }
    profile
}

fn etw(sink: &mut Sink, node: Node<'_, '_>) -> Etw {
    let element = sink.open(
        node,
        &[
            "Process",
            "Thread",
            "ImageLoad",
            "DiskIO",
            "MemoryPageFaults",
            "MemoryHardFaults",
            "Network",
            "Registry",
            "UsePagedMemory",
            "UsePerfTimer",
            "UseSystemTimer",
            "UseCyclesCounter",
        ],
    );
    Etw {
        process: element.is(sink, "Process"),
        thread: element.is(sink, "Thread"),
        image_load: element.is(sink, "ImageLoad"),
        disk_io: element.is(sink, "DiskIO"),
        page_faults: element.is(sink, "MemoryPageFaults"),
        hard_faults: element.is(sink, "MemoryHardFaults"),
        network: element.is(sink, "Network"),
        registry: element.is(sink, "Registry"),
        paged_memory: element.is(sink, "UsePagedMemory"),
        perf_timer: element.is(sink, "UsePerfTimer"),
        system_timer: element.is(sink, "UseSystemTimer"),
        cycles: element.is(sink, "UseCyclesCounter"),
    }
}

const TIME_SPAN: &[&str] = &[
    "Targets",
    "Duration",
    "Warmup",
    "Cooldown",
    "RandSeed",
    "RandomWriteData",
    "ThreadCount",
    "RequestCount",
    "GroupAffinity",
    "Affinity",
    "AffinityTraversal",
    "DisableAffinity",
    "CompletionRoutines",
    "MeasureLatency",
    "CalculateIopsStdDev",
    "IoBucketDuration",
    "IoRing",
    "BufferSeparation",
    "CompletionDepth",
];

fn time_span(sink: &mut Sink, node: Node<'_, '_>) -> TimeSpan {
    let e = sink.open(node, TIME_SPAN);
    let d = TimeSpan::default();
    let separations = [
        ("SystemDefault", BufferSeparation::SystemDefault),
        ("PDECacheLine", BufferSeparation::PdeCacheLine),
    ];
    let bucket = e.natural(sink, "IoBucketDuration").filter(|ms| *ms > 0);
    let mut span = TimeSpan {
        duration: e.natural(sink, "Duration").unwrap_or(d.duration),
        warmup: e.natural(sink, "Warmup").unwrap_or(d.warmup),
        cooldown: e.natural(sink, "Cooldown").unwrap_or(d.cooldown),
        rand_seed: e.natural(sink, "RandSeed").unwrap_or(d.rand_seed),
        random_write_data: e.is(sink, "RandomWriteData"),
        thread_count: e.natural(sink, "ThreadCount").unwrap_or(0),
        request_count: e.natural(sink, "RequestCount").unwrap_or(0),
        affinity: affinity(sink, &e),
        disable_affinity: e.is(sink, "DisableAffinity"),
        completion_routines: e.is(sink, "CompletionRoutines"),
        measure_latency: e.is(sink, "MeasureLatency"),
        iops_std_dev: e.is(sink, "CalculateIopsStdDev"),
        bucket_ms: bucket.unwrap_or(d.bucket_ms),
        io_ring: e.get("IoRing").map(|node| ring(sink, node)),
        buffer_separation: e.word(sink, "BufferSeparation", &separations),
        completion_depth: depth(sink, &e),
        targets: Vec::new(),
    };
    if let Some(targets) = e.get("Targets") {
        for node in sink.list(targets, &["Target"]) {
            span.targets.push(target(sink, node));
        }
    }
    if span.targets.is_empty() {
        sink.error(
            "element-missing",
            "a `TimeSpan` has no `Targets`".to_owned(),
            "`Targets` with at least one `Target`",
            node,
        );
    }
    span
}

fn depth(sink: &mut Sink, e: &Element<'_, '_>) -> Option<u32> {
    let depth = e.natural(sink, "CompletionDepth")?;
    if !(1..=16).contains(&depth) {
        let message = "completion depth must be between 1 and 16".to_owned();
        sink.error("bad-element", message, "", e.get("CompletionDepth")?);
    }
    Some(depth)
}

fn ring(sink: &mut Sink, node: Node<'_, '_>) -> IoRing {
    let e = sink.open(node, &["IoRingBatchSize", "UseRegBuffer"]);
    let batch = e.natural(sink, "IoRingBatchSize").filter(|n| *n > 0);
    IoRing {
        registered: e.flag(sink, "UseRegBuffer").unwrap_or(true),
        batch: batch.map_or(Batch::UNNAMED, Batch::Count),
    }
}

fn affinity(sink: &mut Sink, e: &Element<'_, '_>) -> Affinity {
    let mut affinity = Affinity::default();
    if let Some(node) = e.get("AffinityTraversal") {
        let orders = [("CoreAware", true), ("Cpu", false)];
        let spans = [("Span", true), ("Fill", false)];
        affinity.core_aware = sink.word(node, &text(node), &orders).unwrap_or(false);
        if let Some(group) = node.attribute("Group") {
            affinity.span = sink.word(node, group, &spans).unwrap_or(false);
        }
        if let Some(order) = node.attribute("Efficiency") {
            affinity.efficiency = sink.word(node, order, &Efficiency::NAMES);
        }
    }
    let Some(list) = e.get("Affinity") else {
        return affinity;
    };
    let kinds = ["AffinityAssignment", "AffinityGroupAssignment", "Group"];
    for node in sink.list(list, &kinds) {
        let assignments = match node.tag_name().name() {
            "AffinityAssignment" => {
                let cpu = sink.number(node, &text(node), u8::MAX.into());
                vec![cpu.map(|cpu| (0, cpu))]
            }
            "AffinityGroupAssignment" => {
                let group = sink.attribute(node, "Group", u16::MAX.into());
                let cpu = sink.attribute(node, "Processor", u8::MAX.into());
                vec![group.zip(cpu)]
            }
            _ => {
                affinity.assignments.extend(mask(sink, node));
                continue;
            }
        };
        for (group, cpu) in assignments.into_iter().flatten() {
            let group = u16::try_from(group).unwrap_or(0);
            affinity.assignments.push((group, u8::try_from(cpu).ok()));
        }
    }
    affinity
}

/// The CPUs of a mask; no mask is all of them.
fn mask(sink: &mut Sink, node: Node<'_, '_>) -> Vec<(u16, Option<u8>)> {
    let group = sink.attribute(node, "Group", u16::MAX.into());
    let group = group.and_then(|g| u16::try_from(g).ok()).unwrap_or(0);
    let given = node.attribute("Mask").unwrap_or("0");
    let hex = given.strip_prefix("0x").unwrap_or(given);
    let Ok(mask) = u64::from_str_radix(hex, 16) else {
        let message = format!("`{given}` is not a CPU mask");
        sink.error(
            "bad-element",
            message,
            "a hexadecimal number, such as 0xf",
            node,
        );
        return Vec::new();
    };
    if mask == 0 {
        return vec![(group, None)];
    }
    let cpus = (0..64_u8).filter(|cpu| mask >> cpu & 1 == 1);
    cpus.map(|cpu| (group, Some(cpu))).collect()
}

const TARGET: &[&str] = &[
    "Path",
    "BlockSize",
    "StrideSize",
    "Random",
    "RandomRatio",
    "InterlockedSequential",
    "BaseFileOffset",
    "MaxFileSize",
    "SequentialScan",
    "RandomAccess",
    "TemporaryFile",
    "UseLargePages",
    "RequestCount",
    "DisableAllCache",
    "DisableOSCache",
    "DisableLocalCache",
    "WriteThrough",
    "MemoryMappedIo",
    "FlushType",
    "BypassIO",
    "WriteBufferContent",
    "BurstSize",
    "ThinkTime",
    "Throughput",
    "ThreadsPerFile",
    "FileSize",
    "WriteRatio",
    "ParallelAsyncIO",
    "ThreadStride",
    "IOPriority",
    "Weight",
    "ThreadTargets",
    "Distribution",
];

fn target(sink: &mut Sink, node: Node<'_, '_>) -> Target {
    let e = sink.open(node, TARGET);
    let path = e.text("Path").unwrap_or_default();
    if path.is_empty() {
        let message = "a `Target` has no `Path`".to_owned();
        sink.error("element-missing", message, "", node);
    }
    let d = Target::new(&path);
    let max = u64::MAX;
    let mut target = Target {
        block_size: block_size(sink, &e).unwrap_or(d.block_size),
        interlocked: e.is(sink, "InterlockedSequential"),
        base: e.number(sink, "BaseFileOffset", max).unwrap_or(0),
        max: e.number(sink, "MaxFileSize", max).unwrap_or(0),
        sequential_scan: e.is(sink, "SequentialScan"),
        random_access: e.is(sink, "RandomAccess"),
        temporary: e.is(sink, "TemporaryFile"),
        large_pages: e.is(sink, "UseLargePages"),
        request_count: e.natural(sink, "RequestCount").unwrap_or(d.request_count),
        memory_mapped: e.is(sink, "MemoryMappedIo"),
        flush: e.word(sink, "FlushType", &Flush::NAMES),
        bypass: e.word(sink, "BypassIO", &Bypass::NAMES),
        burst: e.natural(sink, "BurstSize"),
        think_ms: e.natural(sink, "ThinkTime"),
        throughput: throughput(sink, &e),
        threads_per_file: e
            .natural(sink, "ThreadsPerFile")
            .unwrap_or(d.threads_per_file),
        file_size: e.number(sink, "FileSize", max),
        write_percent: e.natural(sink, "WriteRatio").unwrap_or(0),
        parallel: e.is(sink, "ParallelAsyncIO"),
        thread_stride: e.number(sink, "ThreadStride", max).unwrap_or(0),
        weight: e.natural(sink, "Weight").unwrap_or(d.weight),
        ..d
    };
    order(sink, &e, &mut target);
    cache(sink, &e, &mut target);
    content(sink, &e, &mut target);
    pool(sink, &e, &mut target);
    ranges(sink, &e, &mut target);
    target
}

fn block_size(sink: &mut Sink, e: &Element<'_, '_>) -> Option<u32> {
    let size = e.natural(sink, "BlockSize")?;
    if size == 0 || size == u32::MAX {
        let message = "invalid block size".to_owned();
        sink.error(
            "bad-element",
            message,
            "1 to 4294967294",
            e.get("BlockSize")?,
        );
        return None;
    }
    Some(size)
}

fn bad(sink: &mut Sink, e: &Element<'_, '_>, name: &str, message: &str) {
    sink.error(
        "bad-element",
        message.to_owned(),
        "",
        e.get(name).unwrap_or(e.node),
    );
}

fn order(sink: &mut Sink, e: &Element<'_, '_>, target: &mut Target) {
    let random = e.number(sink, "Random", u64::MAX);
    let stride = e.number(sink, "StrideSize", u64::MAX);
    let ratio = e.natural(sink, "RandomRatio");
    if let Some(percent @ 0..=3) = e.natural(sink, "IOPriority") {
        target.io_priority = if percent == 0 { 3 } else { percent };
    } else if e.get("IOPriority").is_some() {
        bad(sink, e, "IOPriority", "must be 1, 2 or 3");
    }
    if target.write_percent > 100 {
        bad(sink, e, "WriteRatio", "must be 0 to 100");
    }
    for (name, value) in [
        ("RequestCount", target.request_count),
        ("ThreadsPerFile", target.threads_per_file),
    ] {
        if value == 0 {
            bad(sink, e, name, "must be at least 1");
        }
    }
    match (random, stride, ratio) {
        (Some(_), Some(_), _) => {
            bad(
                sink,
                e,
                "StrideSize",
                "sequential IO (StrideSize) conflicts with random IO (Random)",
            );
        }
        (Some(0), _, _) => bad(sink, e, "Random", "must be at least 1"),
        (Some(align), None, None) => {
            target.random_percent = 100;
            target.alignment = Some(align);
        }
        (Some(align), None, Some(percent @ 1..=100)) => {
            target.random_percent = percent;
            target.alignment = Some(align);
        }
        (_, _, Some(0 | 101..)) => bad(sink, e, "RandomRatio", "must be 1 to 99"),
        (None, _, Some(_)) => {
            bad(
                sink,
                e,
                "RandomRatio",
                "RandomRatio needs Random, which sets the alignment",
            );
        }
        (None, stride, None) => target.alignment = stride,
    }
}

fn throughput(sink: &mut Sink, e: &Element<'_, '_>) -> Option<Throughput> {
    let count = e.natural(sink, "Throughput").filter(|n| *n > 0)?;
    let node = e.get("Throughput")?;
    let units = [("BPMS", false), ("IOPS", true)];
    let iops = match node.attribute("unit") {
        Some(unit) => sink.word(node, unit, &units)?,
        None => false,
    };
    Some(if iops {
        Throughput::Iops(count)
    } else {
        Throughput::BytesPerMs(count)
    })
}

fn cache(sink: &mut Sink, e: &Element<'_, '_>, target: &mut Target) {
    let all = e.is(sink, "DisableAllCache");
    let os = e.is(sink, "DisableOSCache");
    let local = e.is(sink, "DisableLocalCache");
    target.write_through = e.is(sink, "WriteThrough") || all;
    if local && (os || all) {
        bad(
            sink,
            e,
            "DisableLocalCache",
            "DisableLocalCache conflicts with DisableOSCache and DisableAllCache",
        );
    }
    target.cache = match (os || all, local) {
        (true, _) => Cache::DisableOs,
        (false, true) => Cache::DisableLocal,
        (false, false) => Cache::Cached,
    };
}

fn content(sink: &mut Sink, e: &Element<'_, '_>, target: &mut Target) {
    let Some(node) = e.get("WriteBufferContent") else {
        return;
    };
    let e = sink.open(node, &["Pattern", "RandomDataSource"]);
    let patterns = [("sequential", 0_u8), ("zero", 1), ("random", 2)];
    let pattern = e.word(sink, "Pattern", &patterns);
    target.zero = pattern == Some(1);
    let source = e.get("RandomDataSource");
    let Some(source) = source.filter(|_| pattern == Some(2)) else {
        if pattern == Some(2) {
            bad(
                sink,
                &e,
                "Pattern",
                "the pattern `random` needs a RandomDataSource with its size",
            );
        }
        return;
    };
    let e = sink.open(source, &["SizeInBytes", "FilePath"]);
    match e.number(sink, "SizeInBytes", u64::MAX) {
        Some(size @ 1..) => {
            let path = e.text("FilePath").filter(|path| !path.is_empty());
            target.write_buffer = Some(WriteBuffer { size, path });
        }
        Some(0) => bad(sink, &e, "SizeInBytes", "must be above 0"),
        None if e.get("SizeInBytes").is_some() => {}
        None => bad(
            sink,
            &e,
            "SizeInBytes",
            "`RandomDataSource` has no `SizeInBytes`",
        ),
    }
}

fn pool(sink: &mut Sink, e: &Element<'_, '_>, target: &mut Target) {
    let Some(list) = e.get("ThreadTargets") else {
        return;
    };
    for node in sink.list(list, &["ThreadTarget"]) {
        let e = sink.open(node, &["Thread", "Weight"]);
        let weight = e.natural(sink, "Weight").unwrap_or(0);
        match e.natural(sink, "Thread") {
            Some(thread) => target.thread_targets.push(ThreadTarget { thread, weight }),
            None if e.get("Thread").is_some() => {}
            None => bad(sink, &e, "Thread", "a `ThreadTarget` has no `Thread`"),
        }
    }
}

fn ranges(sink: &mut Sink, e: &Element<'_, '_>, target: &mut Target) {
    let Some(node) = e.get("Distribution") else {
        return;
    };
    let e = sink.open(node, &["Percent", "Absolute"]);
    let percent = e.get("Percent").is_some();
    let Some(list) = e.get("Percent").or(e.get("Absolute")) else {
        return bad(sink, &e, "", "`Distribution` needs `Percent` or `Absolute`");
    };
    if percent && e.get("Absolute").is_some() {
        bad(
            sink,
            &e,
            "Absolute",
            "a distribution must be in percent or absolute, not both",
        );
    }
    let most = if percent { 100 } else { u64::MAX };
    let mut all = Vec::new();
    for node in sink.list(list, &["Range"]) {
        let io = sink.attribute(node, "IO", 100);
        let span = sink.number(node, &text(node), most);
        if let (Some(io), Some(span)) = (io, span) {
            let io = u32::try_from(io).unwrap_or(100);
            all.push(Range { io, span });
        }
    }
    if all.is_empty() {
        bad(sink, &e, "", "a distribution without a `Range`");
    } else {
        target.distribution = Some(Distribution::filled(percent, all));
    }
}
