//! A profile as XML: the elements of DISKSPD 2.2 in its order, what came later only where it was asked
//! for, and all text escaped.
//!
//! Belongs here: the form. Every field of what is written is named here: one that is added does not compile before it
//! has an element. Must never appear here: results.

use crate::profile::{
    Affinity, Batch, BufferSeparation, Bypass, Cache, Distribution, Efficiency, Etw, Flush, IoRing,
    Precreate, Profile, Range, ResultFormat, Target, ThreadTarget, Throughput, TimeSpan,
    WriteBuffer,
};
use leadline_text::xml::{Attributes, Writer};
use std::fmt::Display;

/// The profile, indented by two blanks for each level, with a line end after it.
#[must_use]
pub fn profile_xml(profile: &Profile) -> String {
    let Profile {
        time_spans,
        verbose,
        verbose_stats,
        progress,
        experiment_flags,
        result_format,
        precreate,
        etw,
    } = profile;
    let mut xml = Xml::default();
    xml.open("Profile");
    xml.value("Progress", progress);
    if *experiment_flags != 0 {
        xml.value("ExperimentFlags", experiment_flags);
    }
    xml.value(
        "ResultFormat",
        match result_format {
            ResultFormat::Text => "text",
            ResultFormat::Xml => "xml",
        },
    );
    xml.value("Verbose", verbose);
    xml.flag("VerboseStats", *verbose_stats);
    if let Some(precreate) = *precreate {
        xml.name("PrecreateFiles", &Precreate::NAMES, precreate);
    }
    if let Some(etw) = etw {
        xml.etw(etw);
    }
    xml.open("TimeSpans");
    for span in time_spans {
        xml.time_span(span);
    }
    xml.close("TimeSpans");
    xml.close("Profile");
    xml.0.finish()
}

/// I/Os of a batch: a profile has no percentages. `None` where the queues of threads differ, and with them their batches:
/// without the element each is the share that is meant.
fn batch_size(span: &TimeSpan, batch: Batch) -> Option<u32> {
    if let Batch::Count(n) = batch {
        return Some(n);
    }
    let each_thread_all = span.targets.iter().all(|t| t.thread_targets.is_empty());
    let queues: Vec<u32> = match span.thread_count {
        0 => span.targets.iter().map(|t| span.queue_of([t])).collect(),
        _ if span.is_pool() || each_thread_all => vec![span.queue_of(&span.targets)],
        _ => Vec::new(),
    };
    let (first, rest) = queues.split_first()?;
    (batch != Batch::UNNAMED || rest.iter().all(|n| n == first)).then(|| batch.of(*first))
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

    fn etw(&mut self, etw: &Etw) {
        let Etw {
            process,
            thread,
            image_load,
            disk_io,
            page_faults,
            hard_faults,
            network,
            registry,
            paged_memory,
            perf_timer,
            system_timer,
            cycles,
        } = etw;
        self.open("ETW");
        for (name, on) in [
            ("Process", process),
            ("Thread", thread),
            ("ImageLoad", image_load),
            ("DiskIO", disk_io),
            ("MemoryPageFaults", page_faults),
            ("MemoryHardFaults", hard_faults),
            ("Network", network),
            ("Registry", registry),
            ("UsePagedMemory", paged_memory),
            ("UsePerfTimer", perf_timer),
            ("UseSystemTimer", system_timer),
            ("UseCyclesCounter", cycles),
        ] {
            self.value(name, on);
        }
        self.close("ETW");
    }

    fn time_span(&mut self, span: &TimeSpan) {
        let TimeSpan {
            duration,
            warmup,
            cooldown,
            rand_seed,
            random_write_data,
            thread_count,
            request_count,
            affinity,
            disable_affinity,
            completion_routines,
            measure_latency,
            iops_std_dev,
            bucket_ms,
            io_ring,
            buffer_separation,
            completion_depth,
            targets,
        } = span;
        self.open("TimeSpan");
        self.value("CompletionRoutines", completion_routines);
        self.value("MeasureLatency", measure_latency);
        self.value("CalculateIopsStdDev", iops_std_dev);
        self.value("DisableAffinity", disable_affinity);
        self.value("Duration", duration);
        self.value("Warmup", warmup);
        self.value("Cooldown", cooldown);
        self.value("ThreadCount", thread_count);
        self.value("RequestCount", request_count);
        self.value("IoBucketDuration", bucket_ms);
        self.value("RandSeed", rand_seed);
        // DISKSPD 2.2 reads this and forgets to write it.
        self.flag("RandomWriteData", *random_write_data);
        if let Some(IoRing { registered, batch }) = io_ring {
            self.open("IoRing");
            self.some("IoRingBatchSize", batch_size(span, *batch));
            self.value("UseRegBuffer", registered);
            self.close("IoRing");
        }
        self.affinity(affinity);
        match buffer_separation {
            Some(BufferSeparation::SystemDefault) => {
                self.value("BufferSeparation", "SystemDefault");
            }
            Some(BufferSeparation::PdeCacheLine) => self.value("BufferSeparation", "PDECacheLine"),
            None => {}
        }
        self.some("CompletionDepth", *completion_depth);
        self.open("Targets");
        for target in targets {
            self.target(target);
        }
        self.close("Targets");
        self.close("TimeSpan");
    }

    fn affinity(&mut self, affinity: &Affinity) {
        let Affinity {
            assignments,
            core_aware,
            span,
            efficiency,
        } = affinity;
        if *core_aware || *span || efficiency.is_some() {
            let group = if *span { "Span" } else { "Fill" };
            let orders = Efficiency::NAMES.iter();
            let order = orders
                .filter(|(_, one)| Some(*one) == *efficiency)
                .map(|(name, _)| *name)
                .next();
            let walk = if *core_aware { "CoreAware" } else { "Cpu" };
            let element = "AffinityTraversal";
            match &order {
                Some(order) => {
                    let attributes: Attributes<'_> = &[("Group", &group), ("Efficiency", order)];
                    self.0.value_with(element, attributes, walk);
                }
                None => self.0.value_with(element, &[("Group", &group)], walk),
            }
        }
        if assignments.is_empty() {
            return;
        }
        self.open("Affinity");
        for (group, cpu) in assignments {
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
        let Target {
            path,
            block_size,
            base,
            max,
            sequential_scan,
            random_access,
            temporary,
            large_pages,
            request_count,
            burst,
            think_ms,
            threads_per_file,
            file_size,
            write_percent,
            parallel,
            thread_stride,
            io_priority,
            weight,
            // Written by `caches`.
            cache: _,
            write_through: _,
            memory_mapped: _,
            flush: _,
            bypass: _,
            // By `content`.
            zero: _,
            write_buffer: _,
            // By `order`.
            alignment: _,
            random_percent: _,
            interlocked: _,
            distribution: _,
            throughput,
            thread_targets,
        } = t;
        self.open("Target");
        self.value("Path", path);
        self.value("BlockSize", block_size);
        self.value("BaseFileOffset", base);
        self.value("SequentialScan", sequential_scan);
        self.value("RandomAccess", random_access);
        self.value("TemporaryFile", temporary);
        self.value("UseLargePages", large_pages);
        self.caches(t);
        self.content(t);
        self.value("ParallelAsyncIO", parallel);
        self.some("BurstSize", *burst);
        self.some("ThinkTime", *think_ms);
        self.some("FileSize", *file_size);
        self.order(t);
        self.value("ThreadStride", thread_stride);
        self.value("MaxFileSize", max);
        self.value("RequestCount", request_count);
        self.value("WriteRatio", write_percent);
        self.throughput(*throughput);
        self.value("ThreadsPerFile", threads_per_file);
        self.value("IOPriority", io_priority);
        self.value("Weight", weight);
        self.threads(thread_targets);
        self.close("Target");
    }

    fn caches(&mut self, t: &Target) {
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
    }

    fn order(&mut self, t: &Target) {
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
    }

    fn throughput(&mut self, limit: Option<Throughput>) {
        match limit {
            Some(Throughput::Iops(n)) => {
                self.0.value_with("Throughput", &[("unit", &"IOPS")], n);
            }
            Some(Throughput::BytesPerMs(n)) => self.value("Throughput", n),
            None => self.value("Throughput", 0),
        }
    }

    fn content(&mut self, t: &Target) {
        self.open("WriteBufferContent");
        match &t.write_buffer {
            // A buffer of its own is what is written, with `-Z` too.
            None if t.zero => self.value("Pattern", "zero"),
            None => self.value("Pattern", "sequential"),
            Some(WriteBuffer { size, path }) => {
                self.value("Pattern", "random");
                self.open("RandomDataSource");
                self.value("SizeInBytes", size);
                self.some("FilePath", path.as_ref());
                self.close("RandomDataSource");
            }
        }
        self.close("WriteBufferContent");
    }

    fn distribution(&mut self, distribution: &Distribution) {
        let Distribution { percent, ranges } = distribution;
        let kind = if *percent { "Percent" } else { "Absolute" };
        self.open("Distribution");
        self.open(kind);
        for Range { io, span } in ranges {
            self.0.value_with("Range", &[("IO", io)], span);
        }
        self.close(kind);
        self.close("Distribution");
    }

    fn threads(&mut self, targets: &[ThreadTarget]) {
        if targets.is_empty() {
            return;
        }
        self.open("ThreadTargets");
        for ThreadTarget { thread, weight } in targets {
            self.open("ThreadTarget");
            self.value("Thread", thread);
            if *weight != 0 {
                self.value("Weight", weight);
            }
            self.close("ThreadTarget");
        }
        self.close("ThreadTargets");
    }
}
