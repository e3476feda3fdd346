//! A profile as XML: the elements of DISKSPD 2.2 in its order, what came later only where it was asked
//! for, and all text escaped.
//!
//! Belongs here: the form. Must never appear here: results.

use crate::profile::{
    BufferSeparation, Bypass, Cache, Distribution, Efficiency, Flush, Precreate, Profile,
    ResultFormat, Target, Throughput, TimeSpan,
};
use leadline_text::xml::{Attributes, Writer};
use std::fmt::Display;

/// The profile, indented by two blanks for each level, with a line end after it.
#[must_use]
pub fn profile_xml(profile: &Profile) -> String {
    let mut xml = Xml::default();
    xml.open("Profile");
    xml.value("Progress", profile.progress);
    if profile.experiment_flags != 0 {
        xml.value("ExperimentFlags", profile.experiment_flags);
    }
    xml.value(
        "ResultFormat",
        match profile.result_format {
            ResultFormat::Text => "text",
            ResultFormat::Xml => "xml",
        },
    );
    xml.value("Verbose", profile.verbose);
    xml.flag("VerboseStats", profile.verbose_stats);
    if let Some(precreate) = profile.precreate {
        xml.name("PrecreateFiles", &Precreate::NAMES, precreate);
    }
    if let Some(etw) = &profile.etw {
        xml.open("ETW");
        for (name, on) in [
            ("Process", etw.process),
            ("Thread", etw.thread),
            ("ImageLoad", etw.image_load),
            ("DiskIO", etw.disk_io),
            ("MemoryPageFaults", etw.page_faults),
            ("MemoryHardFaults", etw.hard_faults),
            ("Network", etw.network),
            ("Registry", etw.registry),
            ("UsePagedMemory", etw.paged_memory),
            ("UsePerfTimer", etw.perf_timer),
            ("UseSystemTimer", etw.system_timer),
            ("UseCyclesCounter", etw.cycles),
        ] {
            xml.value(name, on);
        }
        xml.close("ETW");
    }
    xml.open("TimeSpans");
    for span in &profile.time_spans {
        xml.time_span(span);
    }
    xml.close("TimeSpans");
    xml.close("Profile");
    xml.0.finish()
}

/// The document, and the forms that elements of a profile have.
#[derive(Default)]
struct Xml(Writer);

impl Xml {
    fn open(&mut self, name: &str) {
        self.0.open(name);
    }

    fn close(&mut self, name: &str) {
        self.0.close(name);
    }

    fn value(&mut self, name: &str, value: impl Display) {
        self.0.value(name, value);
    }

    /// Only where it is on: older versions do not know it.
    fn flag(&mut self, name: &str, on: bool) {
        if on {
            self.value(name, true);
        }
    }

    fn some(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.value(name, value);
        }
    }

    fn name<T: PartialEq>(&mut self, element: &str, names: &[(&str, T)], value: T) {
        if let Some((name, _)) = names.iter().find(|(_, one)| *one == value) {
            self.value(element, name);
        }
    }

    fn time_span(&mut self, span: &TimeSpan) {
        self.open("TimeSpan");
        self.value("CompletionRoutines", span.completion_routines);
        self.value("MeasureLatency", span.measure_latency);
        self.value("CalculateIopsStdDev", span.iops_std_dev);
        self.value("DisableAffinity", span.disable_affinity);
        self.value("Duration", span.duration);
        self.value("Warmup", span.warmup);
        self.value("Cooldown", span.cooldown);
        self.value("ThreadCount", span.thread_count);
        self.value("RequestCount", span.request_count);
        self.value("IoBucketDuration", span.bucket_ms);
        self.value("RandSeed", span.rand_seed);
        // DISKSPD 2.2 reads this and forgets to write it.
        self.flag("RandomWriteData", span.random_write_data);
        if let Some(ring) = span.io_ring {
            let depth = span.targets.first().map_or(1, |t| t.request_count);
            self.open("IoRing");
            self.value("IoRingBatchSize", ring.batch.of(depth));
            self.value("UseRegBuffer", ring.registered);
            self.close("IoRing");
        }
        self.affinity(span);
        match span.buffer_separation {
            Some(BufferSeparation::SystemDefault) => {
                self.value("BufferSeparation", "SystemDefault");
            }
            Some(BufferSeparation::PdeCacheLine) => self.value("BufferSeparation", "PDECacheLine"),
            None => {}
        }
        self.some("CompletionDepth", span.completion_depth);
        self.open("Targets");
        for target in &span.targets {
            self.target(target);
        }
        self.close("Targets");
        self.close("TimeSpan");
    }

    fn affinity(&mut self, span: &TimeSpan) {
        let affinity = &span.affinity;
        if affinity.core_aware || affinity.span || affinity.efficiency.is_some() {
            let group = if affinity.span { "Span" } else { "Fill" };
            let orders = Efficiency::NAMES.iter();
            let order = orders
                .filter(|(_, one)| Some(*one) == affinity.efficiency)
                .map(|(name, _)| *name)
                .next();
            let walk = if affinity.core_aware {
                "CoreAware"
            } else {
                "Cpu"
            };
            let element = "AffinityTraversal";
            match &order {
                Some(order) => {
                    let attributes: Attributes<'_> = &[("Group", &group), ("Efficiency", order)];
                    self.0.value_with(element, attributes, walk);
                }
                None => self.0.value_with(element, &[("Group", &group)], walk),
            }
        }
        if affinity.assignments.is_empty() {
            return;
        }
        self.open("Affinity");
        for (group, cpu) in &affinity.assignments {
            match cpu {
                Some(cpu) => {
                    let attributes: Attributes<'_> = &[("Group", group), ("Processor", cpu)];
                    self.0.empty("AffinityGroupAssignment", attributes);
                }
                None => self.0.empty("Group", &[("Group", group), ("Mask", &"0x0")]),
            }
        }
        self.close("Affinity");
    }

    fn target(&mut self, t: &Target) {
        self.open("Target");
        self.value("Path", &t.path);
        self.value("BlockSize", t.block_size);
        self.value("BaseFileOffset", t.base);
        self.value("SequentialScan", t.sequential_scan);
        self.value("RandomAccess", t.random_access);
        self.value("TemporaryFile", t.temporary);
        self.value("UseLargePages", t.large_pages);
        match t.cache {
            Cache::Cached => {}
            Cache::DisableLocal => self.value("DisableLocalCache", true),
            Cache::DisableOs => self.value("DisableOSCache", true),
        }
        self.flag("WriteThrough", t.write_through);
        self.flag("MemoryMappedIo", t.memory_mapped);
        if let Some(flush) = t.flush {
            self.name("FlushType", &Flush::NAMES, flush);
        }
        if let Some(bypass) = t.bypass {
            self.name("BypassIO", &Bypass::NAMES, bypass);
        }
        self.content(t);
        self.value("ParallelAsyncIO", t.parallel);
        self.some("BurstSize", t.burst);
        self.some("ThinkTime", t.think_ms);
        self.some("FileSize", t.file_size);
        if t.random_percent > 0 {
            self.value("Random", t.step());
            if t.random_percent != 100 {
                self.value("RandomRatio", t.random_percent);
            }
        } else {
            self.value("StrideSize", t.step());
            self.value("InterlockedSequential", t.interlocked);
        }
        if let Some(distribution) = &t.distribution {
            self.distribution(distribution);
        }
        self.value("ThreadStride", t.thread_stride);
        self.value("MaxFileSize", t.max);
        self.value("RequestCount", t.request_count);
        self.value("WriteRatio", t.write_percent);
        match t.throughput {
            Some(Throughput::Iops(n)) => {
                self.0.value_with("Throughput", &[("unit", &"IOPS")], n);
            }
            Some(Throughput::BytesPerMs(n)) => self.value("Throughput", n),
            None => self.value("Throughput", 0),
        }
        self.value("ThreadsPerFile", t.threads_per_file);
        self.value("IOPriority", t.io_priority);
        self.value("Weight", t.weight);
        self.threads(t);
        self.close("Target");
    }

    fn content(&mut self, t: &Target) {
        self.open("WriteBufferContent");
        match &t.write_buffer {
            _ if t.zero => self.value("Pattern", "zero"),
            None => self.value("Pattern", "sequential"),
            Some(buffer) => {
                self.value("Pattern", "random");
                self.open("RandomDataSource");
                self.value("SizeInBytes", buffer.size);
                self.some("FilePath", buffer.path.as_ref());
                self.close("RandomDataSource");
            }
        }
        self.close("WriteBufferContent");
    }

    fn distribution(&mut self, distribution: &Distribution) {
        let kind = if distribution.percent {
            "Percent"
        } else {
            "Absolute"
        };
        self.open("Distribution");
        self.open(kind);
        for range in &distribution.ranges {
            self.0.value_with("Range", &[("IO", &range.io)], range.span);
        }
        self.close(kind);
        self.close("Distribution");
    }

    fn threads(&mut self, t: &Target) {
        if t.thread_targets.is_empty() {
            return;
        }
        self.open("ThreadTargets");
        for thread in &t.thread_targets {
            self.open("ThreadTarget");
            self.value("Thread", thread.thread);
            if thread.weight != 0 {
                self.value("Weight", thread.weight);
            }
            self.close("ThreadTarget");
        }
        self.close("ThreadTargets");
    }
}
