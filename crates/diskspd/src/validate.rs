//! What must hold of a whole profile, wherever it came from: which options exclude or need each other.
//!
//! Belongs here: DISKSPD's checks, and what its users fall for. Must never appear here: grammar; facts
//! of files.

use crate::distribution;
use crate::profile::{Cache, Profile, Target, Throughput, TimeSpan};
use leadline_dialect::diagnostic::{Diagnostic, Span};
use leadline_dialect::host::Host;
use std::collections::BTreeMap;

/// Checks a profile.
pub(super) struct Validator<'a> {
    pub(super) host: &'a dyn Host,
    /// Where each option was said last; empty for an XML profile.
    pub(super) places: &'a BTreeMap<char, Span>,
    /// All targets are alike: one is checked.
    pub(super) single: bool,
    /// Nothing runs, so the host does not matter.
    pub(super) profile_only: bool,
    pub(super) sink: &'a mut Vec<Diagnostic>,
}

impl Validator<'_> {
    /// Says all that is wrong.
    pub(super) fn check(&mut self, profile: &Profile) {
        if profile.time_spans.is_empty() {
            self.error("no-time-spans", "no timespans specified", "X");
        }
        for span in &profile.time_spans {
            self.time_span(span);
            for target in &span.targets {
                self.threads(span, target);
                self.pool(span, target);
                if target.random_percent > 0 {
                    self.random(target);
                } else {
                    self.sequential(span, target);
                }
                self.content(target);
                self.mapped(span, target);
                self.bypass(target);
                self.place(target);
                if self.single {
                    break;
                }
            }
        }
    }

    fn add(&mut self, diagnostic: Diagnostic, letters: &str) {
        let mut places: Vec<Span> = letters
            .chars()
            .filter_map(|letter| self.places.get(&letter).copied())
            .collect();
        // The option that came last is the one that does not fit.
        places.sort_by_key(|span| std::cmp::Reverse(span.start));
        let diagnostic = places
            .into_iter()
            .fold(diagnostic, |d, span| d.at(span, ""));
        self.sink.push(diagnostic);
    }

    fn error(&mut self, code: &'static str, message: impl Into<String>, letters: &str) {
        self.add(Diagnostic::error(code, message), letters);
    }

    fn conflict(&mut self, wrong: bool, message: &str, letters: &str) {
        if wrong {
            self.error("conflict", message, letters);
        }
    }

    fn warn(&mut self, code: &'static str, message: &str, hint: &str, letters: &str) {
        self.add(Diagnostic::warning(code, message).hint(hint), letters);
    }

    fn time_span(&mut self, span: &TimeSpan) {
        self.conflict(
            span.disable_affinity && span.affinity.is_given(),
            "-n and -a parameters cannot be used together",
            "na",
        );
        self.conflict(
            span.io_ring.is_some() && span.completion_routines,
            "IoRing (-u) can't be used with completion routines (-x)",
            "ux",
        );
        self.conflict(
            span.completion_depth.is_some() && span.completion_routines,
            "completion depth (-oc) cannot be used with completion routines (-x)",
            "ox",
        );
        self.conflict(
            span.completion_depth.is_some()
                && !span.targets.is_empty()
                && span.targets.iter().all(|t| t.memory_mapped),
            "completion depth (-oc) cannot be used when all targets use memory mapped I/O (-Sm)",
            "oS",
        );
        if span.request_count > 0 && span.thread_count == 0 {
            self.warn(
                "o-without-f",
                "-O applies only with -F, and has no effect here",
                "use -o for the I/Os per thread and target, or add -F",
                "O",
            );
        }
        if !self.profile_only {
            self.cpus(span);
        }
    }

    /// The CPUs that were named are there.
    fn cpus(&mut self, span: &TimeSpan) {
        let cpus = self.host.cpu_list();
        for (group, cpu) in &span.affinity.assignments {
            let first = u32::from(*group) * 64;
            let (there, what) = match cpu {
                Some(cpu) => (
                    cpus.contains(&(first + u32::from(*cpu))),
                    format!("group {group} core {cpu}"),
                ),
                None => (
                    cpus.iter().any(|n| (first..first + 64).contains(n)),
                    format!("group {group}"),
                ),
            };
            if !there {
                let message = format!("affinity assignment to {what} not possible");
                let numbers: Vec<String> = cpus.iter().map(u32::to_string).collect();
                self.add(
                    Diagnostic::error("no-such-cpu", message).expected(format!(
                        "this process may use the CPUs {}",
                        numbers.join(",")
                    )),
                    "a",
                );
            }
        }
    }

    fn threads(&mut self, span: &TimeSpan, target: &Target) {
        self.conflict(
            span.thread_count > 0 && target.threads_per_file > 1,
            "-F and -t parameters cannot be used together",
            "Ft",
        );
        self.conflict(
            target.throughput.is_some() && span.completion_routines,
            "-g throughput control cannot be used with -x completion routines",
            "gx",
        );
        let (think, burst) = (target.think_ms.unwrap_or(0), target.burst.unwrap_or(0));
        self.conflict(
            (think == 0) != (burst == 0),
            "need to specify -j<think time> with -i<burst size>",
            "ij",
        );
        if burst > 0 && target.throughput.is_some() {
            self.warn(
                "think-ignored",
                "with -g, DISKSPD does not pause between bursts: -i and -j have no effect",
                "use -g, or -i and -j",
                "gij",
            );
        }
        self.wrapped_rate(target);
    }

    /// DISKSPD computes the rate of `-g<n>i` in 32 bits.
    fn wrapped_rate(&mut self, target: &Target) {
        let Some(Throughput::Iops(iops)) = target.throughput else {
            return;
        };
        let exact = u64::from(iops) * u64::from(target.block_size);
        let theirs = u64::from(iops.wrapping_mul(target.block_size)) / 1000;
        if theirs * 1000 < exact / 100 * 99 {
            let theirs = if theirs == 0 {
                "no limit at all".to_owned()
            } else {
                format!("{theirs} bytes a millisecond")
            };
            let message = format!(
                "DISKSPD computes in 32 bits and gets {theirs}; here it is {iops} I/Os a second"
            );
            self.add(Diagnostic::note("rate-in-64-bits", message), "g");
        }
    }

    fn pool(&mut self, span: &TimeSpan, target: &Target) {
        if !span.is_pool() {
            if !target.thread_targets.is_empty() {
                self.error(
                    "conflict",
                    "ThreadTargets can only be specified when the timespan ThreadCount and \
                     RequestCount are specified",
                    "",
                );
            }
            return;
        }
        self.conflict(
            target.throughput.is_some(),
            "-g throughput control cannot be used with -O outstanding requests per thread",
            "gO",
        );
        self.conflict(
            target.think_ms.unwrap_or(0) > 0,
            "-j think time cannot be used with -O outstanding requests per thread",
            "jO",
        );
        self.conflict(
            target.parallel,
            "-p parallel IO cannot be used with -O outstanding requests per thread",
            "pO",
        );
        self.conflict(
            target.weight == 0,
            "a non-zero target Weight must be specified",
            "",
        );
        let beyond = |t: &crate::profile::ThreadTarget| t.thread >= span.thread_count;
        self.conflict(
            target.thread_targets.iter().any(beyond),
            "illegal thread specified for ThreadTarget",
            "",
        );
    }

    fn random(&mut self, target: &Target) {
        self.conflict(target.thread_stride > 0, "-T conflicts with -r", "Tr");
        self.conflict(target.interlocked, "-si conflicts with -r", "sr");
        self.conflict(target.parallel, "-p conflicts with -r", "pr");
        self.distribution(target);
    }

    fn distribution(&mut self, target: &Target) {
        if let Some(distribution) = &target.distribution {
            for fault in distribution::faults(distribution, target.block_size) {
                self.error("bad-distribution", fault, "r");
            }
        }
    }

    fn sequential(&mut self, span: &TimeSpan, target: &Target) {
        self.conflict(
            target.distribution.is_some(),
            "random distribution ranges (-rd) do not apply to sequential-only IO patterns",
            "r",
        );
        self.distribution(target);
        if target.parallel && target.request_count == 1 {
            self.warn(
                "parallel-of-one",
                "-p does not have effect unless outstanding I/O count (-o) is > 1",
                "raise -o",
                "po",
            );
        }
        let several = span.thread_count > 1 || target.threads_per_file > 1;
        if target.interlocked {
            let stride = target.thread_stride > 0;
            self.conflict(stride, "-si conflicts with -T", "sT");
            self.conflict(target.parallel, "-si conflicts with -p", "sp");
            if !several {
                self.warn(
                    "interlocked-alone",
                    "single-threaded test, -si ignored",
                    "omit the i, or raise -t or -F",
                    "s",
                );
            }
        } else if several && target.thread_stride == 0 {
            self.warn(
                "overlapping-threads",
                "target access pattern will not be sequential, consider -si",
                "all threads access the same blocks in the same order, so caches serve most \
                 I/Os: -si shares one position, -T separates the threads",
                "tF",
            );
        }
        self.conflict(
            !target.interlocked && !several && target.thread_stride > 0,
            "-T has no effect unless multiple threads per target are used",
            "T",
        );
    }

    fn content(&mut self, target: &Target) {
        if let Some(buffer) = &target.write_buffer
            && buffer.size < u64::from(target.block_size)
        {
            let message = format!(
                "custom write buffer (-Z) is smaller than the block size. Write buffer size: {} block \
                 size: {}",
                buffer.size, target.block_size
            );
            self.error("bad-size", message, "Zb");
        }
    }

    fn mapped(&mut self, span: &TimeSpan, target: &Target) {
        if !target.memory_mapped {
            return self.conflict(
                target.flush.is_some(),
                "memory mapped flush mode (-N) can only be specified with memory mapped IO (-Sm)",
                "N",
            );
        }
        self.conflict(
            span.completion_routines,
            "completion routines (-x) can't be used with memory mapped IO (-Sm)",
            "xS",
        );
        self.conflict(
            span.io_ring.is_some(),
            "IoRing (-u) can't be used with memory mapped IO (-Sm)",
            "uS",
        );
        self.conflict(
            target.cache == Cache::DisableOs,
            "unbuffered IO (-Su or -Sh) can't be used with memory mapped IO (-Sm)",
            "Sh",
        );
    }

    fn bypass(&mut self, target: &Target) {
        if target.bypass.is_none() {
            return;
        }
        self.conflict(
            target.cache != Cache::DisableOs,
            "BypassIO (-SY or -Sy) requires unbuffered IO (-Su)",
            "S",
        );
        self.conflict(
            target.write_percent > 0,
            "BypassIO (-SY or -Sy) can't be used with write operations (-w)",
            "Sw",
        );
        self.conflict(
            target.memory_mapped,
            "BypassIO (-SY or -Sy) can't be used with memory mapped IO (-Sm)",
            "S",
        );
    }

    fn place(&mut self, target: &Target) {
        if !self.profile_only && target.path.starts_with('*') {
            let message = format!(
                "template target '{}' was not substituted - all template targets must be substituted to \
                 run a profile",
                target.path
            );
            self.error("template-left", message, "X");
        }
        if target.max > 0 && target.max <= target.base {
            self.error(
                "conflict",
                "maximum (-f) target offset must be greater than base (-B)",
                "fB",
            );
        }
    }
}
