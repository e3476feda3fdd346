//! A profile as one line: what differs from the defaults, by name. For `leadline plan --json`, and to
//! compare with what DISKSPD makes of the same words.
//!
//! Belongs here: names of fields. Must never appear here: meaning.

use leadline_diskspd::profile::{
    Batch, BufferSeparation, Bypass, Cache, Efficiency, Etw, Flush, Profile, ResultFormat, Target,
    Throughput, TimeSpan,
};

/// What differs from a target without options: `name=value` with `; ` between; the time spans of a
/// profile with several have ` | ` between. Of identical targets only the first is shown, so each
/// of a command line.
#[must_use]
pub(crate) fn fields(profile: &Profile) -> String {
    let mut line = Line::default();
    line.flag("Verbose", profile.verbose);
    line.flag("VerboseStats", profile.verbose_stats);
    line.number("Progress", profile.progress, 0);
    line.number("ExperimentFlags", profile.experiment_flags, 0);
    if profile.result_format == ResultFormat::Xml {
        line.add("Format", "xml");
    }
    if let Some(precreate) = profile.precreate {
        line.name(
            "PrecreateFiles",
            &leadline_diskspd::profile::Precreate::NAMES,
            precreate,
        );
    }
    if let Some(etw) = &profile.etw {
        line.etw(etw);
    }
    let mut parts: Vec<String> = Vec::new();
    for span in &profile.time_spans {
        line.time_span(span);
        parts.push(std::mem::take(&mut line.0).join("; "));
    }
    if parts.is_empty() {
        parts.push(line.0.join("; "));
    }
    parts.join(" | ")
}

#[derive(Default)]
struct Line(Vec<String>);

impl Line {
    fn add(&mut self, name: &str, value: impl std::fmt::Display) {
        self.0.push(format!("{name}={value}"));
    }

    fn flag(&mut self, name: &str, on: bool) {
        if on {
            self.add(name, true);
        }
    }

    fn number(&mut self, name: &str, value: impl Into<u64>, default: u64) {
        let value = value.into();
        if value != default {
            self.add(name, value);
        }
    }

    fn name<T: PartialEq>(&mut self, field: &str, names: &[(&str, T)], value: T) {
        if let Some((name, _)) = names.iter().find(|(_, one)| *one == value) {
            self.add(field, name);
        }
    }

    fn etw(&mut self, etw: &Etw) {
        self.add("Etw", true);
        for (name, on) in [
            ("EtwProcess", etw.process),
            ("EtwThread", etw.thread),
            ("EtwImageLoad", etw.image_load),
            ("EtwDiskIO", etw.disk_io),
            ("EtwPageFaults", etw.page_faults),
            ("EtwHardFaults", etw.hard_faults),
            ("EtwNetwork", etw.network),
            ("EtwRegistry", etw.registry),
            ("EtwPaged", etw.paged_memory),
            ("EtwPerfTimer", etw.perf_timer),
            ("EtwSystemTimer", etw.system_timer),
            ("EtwCycles", etw.cycles),
        ] {
            self.flag(name, on);
        }
    }

    fn time_span(&mut self, span: &TimeSpan) {
        self.number("Duration", span.duration, 10);
        self.number("Warmup", span.warmup, 5);
        self.number("Cooldown", span.cooldown, 0);
        self.number("RandSeed", span.rand_seed, 0);
        self.flag("RandomWriteData(-Zr)", span.random_write_data);
        self.number("ThreadCount(-F)", span.thread_count, 0);
        self.number("RequestCount(-O)", span.request_count, 0);
        self.affinity(span);
        self.flag("DisableAffinity", span.disable_affinity);
        self.flag("CompletionRoutines", span.completion_routines);
        self.flag("MeasureLatency", span.measure_latency);
        self.flag("IopsStdDev", span.iops_std_dev);
        self.number("IoBucketMs", span.bucket_ms, 1000);
        if let Some(ring) = span.io_ring {
            self.add("IoRing", true);
            self.add("UseRegBuffer", ring.registered);
            self.add(
                "IoRingBatchSize",
                match ring.batch {
                    Batch::Count(n) => n.to_string(),
                    Batch::Percent(n) => format!("{n}%"),
                },
            );
        }
        match span.buffer_separation {
            Some(BufferSeparation::SystemDefault) => self.add("BufferSeparation", "SystemDefault"),
            Some(BufferSeparation::PdeCacheLine) => self.add("BufferSeparation", "PDECacheLine"),
            None => {}
        }
        if let Some(depth) = span.completion_depth {
            self.add("CompletionDepth", depth);
        }
        let paths: Vec<&str> = span.targets.iter().map(|t| t.path.as_str()).collect();
        if !paths.is_empty() {
            self.add("Targets", paths.join(","));
        }
        let mut before: Option<&Target> = None;
        for target in &span.targets {
            let alike = before.is_some_and(|b| {
                *target
                    == Target {
                        path: target.path.clone(),
                        ..b.clone()
                    }
            });
            if !alike {
                if before.is_some() {
                    self.add("Of", &target.path);
                }
                self.target(target);
            }
            before = Some(target);
        }
    }

    fn affinity(&mut self, span: &TimeSpan) {
        let assignments: Vec<String> = span
            .affinity
            .assignments
            .iter()
            .map(|(group, cpu)| match cpu {
                Some(cpu) => format!("{group}/{cpu}"),
                None => format!("{group}/*"),
            })
            .collect();
        if !assignments.is_empty() {
            self.add("Affinity(group/cpu)", assignments.join(","));
        }
        if span.affinity.core_aware {
            self.add("AffinityTraversal", "CoreAware");
        }
        if span.affinity.span {
            self.add("AffinityGroupSpan", "Span");
        }
        if let Some(efficiency) = span.affinity.efficiency {
            self.name("Efficiency", &Efficiency::NAMES, efficiency);
        }
    }

    fn target(&mut self, t: &Target) {
        self.number(
            "BlockSize",
            t.block_size,
            leadline_diskspd::profile::DEFAULT_BLOCK.into(),
        );
        self.number("RequestCount(-o)", t.request_count, 2);
        if let Some(alignment) = t.alignment {
            self.add("Alignment", alignment);
        }
        self.number("WriteRatio", t.write_percent, 0);
        self.number("RandomRatio", t.random_percent, 0);
        self.flag("Interlocked", t.interlocked);
        self.number("BaseOffset", t.base, 0);
        self.number("MaxFileSize", t.max, 0);
        self.number("ThreadStride", t.thread_stride, 0);
        self.number("ThreadsPerFile", t.threads_per_file, 1);
        match t.cache {
            Cache::Cached => {}
            Cache::DisableLocal => self.add("Cache", "DisableLocalCache"),
            Cache::DisableOs => self.add("Cache", "DisableOSCache"),
        }
        self.switch("WriteThrough", t.write_through);
        self.switch("MemoryMapped", t.memory_mapped);
        if let Some(flush) = t.flush {
            self.name("Flush", &Flush::NAMES, flush);
        }
        if let Some(bypass) = t.bypass {
            self.name("BypassIO", &Bypass::NAMES, bypass);
        }
        if let Some(size) = t.file_size {
            self.add("CreateFile", true);
            self.add("FileSize", size);
        }
        self.flag("ParallelAsync", t.parallel);
        self.flag("SeqHint", t.sequential_scan);
        self.flag("RandHint", t.random_access);
        self.flag("TempHint", t.temporary);
        self.flag("LargePages", t.large_pages);
        self.load(t);
    }

    fn load(&mut self, t: &Target) {
        if let Some(burst) = t.burst {
            self.add("UseBurst", true);
            self.add("BurstSize", burst);
        }
        if let Some(think) = t.think_ms {
            self.add("UseThink", true);
            self.add("ThinkTime", think);
        }
        match t.throughput {
            Some(Throughput::BytesPerMs(n)) => self.add("ThroughputBpms", n),
            Some(Throughput::Iops(n)) => self.add("ThroughputIOPS", n),
            None => {}
        }
        // Counted from 0 there, and normal is not shown.
        if t.io_priority != 3 {
            self.add("IOPriority", t.io_priority.saturating_sub(1));
        }
        self.flag("ZeroWriteBuffers", t.zero);
        if let Some(buffer) = &t.write_buffer {
            self.add("WriteBuffer", buffer.size);
            if let Some(path) = &buffer.path {
                self.add("WriteBufferFile", path);
            }
        }
        if let Some(distribution) = &t.distribution {
            let kind = if distribution.percent {
                "Percent"
            } else {
                "Absolute"
            };
            self.add("Dist", kind);
            let ranges: Vec<String> = distribution
                .placed()
                .map(|(io, at, r)| format!("[io {io}+{} -> tgt {at}+{}]", r.io, r.span))
                .collect();
            self.add("Ranges", ranges.join(" "));
        }
        self.number("Weight", t.weight, 1);
        let threads: Vec<String> = t
            .thread_targets
            .iter()
            .map(|t| format!("{}:{}", t.thread, t.weight))
            .collect();
        if !threads.is_empty() {
            self.add("ThreadTargets", threads.join(","));
        }
    }

    fn switch(&mut self, name: &str, on: bool) {
        if on {
            self.add(name, "On");
        }
    }
}
