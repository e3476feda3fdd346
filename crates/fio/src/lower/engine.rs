//! By which means: back end, depth, batches, placement.

use super::Lowering;
use crate::help::engine_names;
use crate::table::{OptionSpec, StandIn, Support, engines, key};
use crate::value::Value;
use leadline_dialect::diagnostic::{Diagnostic, Span, nearest};
use leadline_model::plan::engine::Memory;
use leadline_model::plan::{Engine, EngineKind, MapFlush, Placement};
use std::collections::BTreeSet;

/// Most CPUs a machine of Linux has.
const MAX_CPU: u32 = 8191;

/// Names of leadline's own engines.
fn own_names() -> String {
    format!(
        "one of {}",
        EngineKind::ALL.map(EngineKind::name).join(", ")
    )
}

/// Whether an engine of fio's runs here, by itself or by another.
fn runs(name: &str) -> bool {
    engines().any(|e| e.name == name && !e.is_refused())
}

impl Lowering<'_> {
    /// The back end that stands for the job's engine.
    pub(super) fn engine_kind(&mut self) -> EngineKind {
        let name = self.engine_name();
        if name.contains('/') || name.contains(".so") || name.starts_with("external:") {
            let reason = "engines in shared objects need fio's own binary interface; use io_uring";
            self.refuse(&key::IOENGINE, &name, reason);
            return EngineKind::PLAIN_CALL;
        }
        let Some(spec) = engines().find(|e| e.name == name) else {
            let hint = nearest(&name, engine_names());
            let message = format!("there is no engine `{name}`");
            self.sink.push(
                Diagnostic::error("unknown-engine", message)
                    .at(self.job.span_of(&key::IOENGINE), "")
                    .expected(own_names())
                    .maybe_hint(hint.map(|near| format!("did you mean `{near}`?"))),
            );
            return EngineKind::PLAIN_CALL;
        };
        match spec.stand_in {
            StandIn::Same(kind) => kind,
            StandIn::Instead(kind, reason) => {
                let message = format!("`{name}` runs as {}: {reason}", kind.name());
                self.note("engine-stands-in", message, &key::IOENGINE);
                kind
            }
            StandIn::Refused(reason) => {
                self.refuse(&key::IOENGINE, &name, reason);
                EngineKind::PLAIN_CALL
            }
        }
    }

    fn engine_name(&self) -> String {
        match self.job.text(&key::IOENGINE).unwrap_or("psync") {
            // fio's own second names of it.
            "aio" | "linuxaio" => "libaio".to_owned(),
            name => name.to_owned(),
        }
    }

    /// Whether an option belongs to the job's engine.
    fn has(&self, option: &OptionSpec) -> bool {
        let engine = self.engine_name();
        let spec = self.job.get(option).map(|s| s.spec);
        spec.is_some_and(|s| s.engines.contains(&engine.as_str()))
    }

    /// Options of another engine are unknown to fio in this job.
    pub(super) fn engine_options(&mut self) {
        let engine = self.engine_name();
        if !runs(&engine) {
            return;
        }
        for setting in self.job.settings() {
            let spec = setting.spec;
            let refused = matches!(spec.support, Support::Refused(_));
            if spec.engines.is_empty() || refused || spec.engines.contains(&engine.as_str()) {
                continue;
            }
            let engines: Vec<&str> = spec.engines.iter().copied().filter(|e| runs(e)).collect();
            let message = format!("`{}` is not an option of the engine {engine}", spec.name);
            let diagnostic = if setting.inherited {
                Diagnostic::warning(
                    "option-of-other-engine",
                    format!("{message}; it has no effect here"),
                )
            } else {
                Diagnostic::error("option-of-other-engine", message)
            };
            self.sink.push(
                diagnostic
                    .at(setting.span, "")
                    .expected(format!("ioengine={}", engines.join(" or "))),
            );
        }
    }

    /// `iodepth`, whatever the engine makes of it.
    pub(super) fn depth_asked(&self) -> u32 {
        self.job.natural::<u32>(&key::IODEPTH).max(1)
    }

    pub(super) fn depth(&mut self, kind: EngineKind) -> u32 {
        let depth = self.depth_asked();
        // Of an engine that is refused nothing is known.
        if depth > 1 && !kind.is_async() && runs(&self.engine_name()) {
            let message = format!(
                "the engine {} does one I/O at a time: the queue depth is 1, not {depth}",
                self.engine_name()
            );
            self.note("depth-of-sync-engine", message, &key::IODEPTH);
            return 1;
        }
        depth
    }

    /// The engine with its batches, of no more I/Os than `depth`, the depth in effect.
    pub(super) fn engine(&mut self, kind: EngineKind, depth: u32) -> Engine {
        let job = self.job;
        let batch = |n: u32| if n == 0 { depth } else { n.min(depth) };
        let complete = job.given_number::<u32>(&key::IODEPTH_BATCH_COMPLETE_MIN);
        if complete == Some(0) {
            let message = "a minimum of 0 completions does not poll here: leadline waits for \
                           one; use hipri to poll";
            self.note("no-effect", message, &key::IODEPTH_BATCH_COMPLETE_MIN);
        }
        let low = job.natural::<u32>(&key::IODEPTH_LOW);
        let sq_cpu = job
            .given_number::<u32>(&key::SQTHREAD_POLL_CPU)
            .filter(|_| self.has(&key::SQTHREAD_POLL_CPU));
        Engine {
            kind,
            poll_completions: self.has(&key::HIPRI) && job.flag(&key::HIPRI),
            poll_submissions: self.has(&key::SQTHREAD_POLL) && job.flag(&key::SQTHREAD_POLL)
                || sq_cpu.is_some(),
            poll_cpu: sq_cpu,
            batch_submit: job.given_number::<u32>(&key::IODEPTH_BATCH).map(batch),
            batch_wait: complete.filter(|n| *n > 0).map(|n| n.min(depth)),
            low_depth: (low > 0).then(|| low.min(depth)),
            serialize_overlap: job.flag(&key::SERIALIZE_OVERLAP),
            nowait: self.has(&key::NOWAIT) && job.flag(&key::NOWAIT),
            uncached: self.has(&key::UNCACHED) && job.natural::<u32>(&key::UNCACHED) > 0,
            force_async: if self.has(&key::FORCE_ASYNC) {
                job.natural(&key::FORCE_ASYNC)
            } else {
                0
            },
            map_flush: MapFlush::Nothing,
            file_priorities: Vec::new(),
        }
    }

    pub(super) fn placement(&mut self) -> Placement {
        let job = self.job;
        let class = job.given_number::<u8>(&key::PRIOCLASS);
        let level = job.given_number::<u8>(&key::PRIO);
        let memory = match job.word(&key::MEM) {
            "shm" | "mmapshared" => Memory::Shared,
            "shmhuge" | "mmaphuge" => Memory::Huge,
            _ => Memory::Anonymous,
        };
        if job.suffix(&key::MEM).is_some() {
            self.refuse(
                &key::MEM,
                "...:FILE",
                "buffers in a file are not supported yet",
            );
        }
        Placement {
            cpus: self.cpus(),
            no_cpu: self.no_cpu(),
            split_cpus: job.word(&key::CPUS_ALLOWED_POLICY) == "split",
            nice: job.given_number::<i32>(&key::NICE).filter(|n| *n != 0),
            // Without a class, fio's level means best effort.
            io_priority: match (class, level) {
                (None, None) => None,
                (class, level) => Some((class.unwrap_or(2), level.unwrap_or(0))),
            },
            memory,
            buffer_align: job.natural(&key::IOMEM_ALIGN),
            lock_memory: job.natural(&key::LOCKMEM),
        }
    }

    /// Figures of a job that runs elsewhere than it says would be another machine's.
    fn no_such_cpu(&mut self, cpu: u32, there: u32, span: Span) {
        let message = format!(
            "this machine has no CPU {cpu}: the highest is {}",
            there - 1
        );
        self.sink.push(
            Diagnostic::error("no-such-cpu", message)
                .at(span, "")
                .expected(format!("numbers from 0 to {}", there - 1)),
        );
    }

    /// A mask without a bit: fio starts the job, and the kernel refuses it to run.
    fn no_cpu(&self) -> bool {
        let mask = self.job.get(&key::CPUS_ALLOWED).map(|s| &s.value);
        matches!(mask, Some(Value::Number(0)))
    }

    fn cpus(&mut self) -> Vec<u32> {
        let mut cpus = BTreeSet::new();
        let there = self.host.all_cpus();
        if let Some(Value::Number(mask)) = self.job.get(&key::CPUS_ALLOWED).map(|s| s.value.clone())
        {
            cpus.extend((0..63_u32).filter(|bit| mask >> bit & 1 == 1));
            if let Some(beyond) = cpus.last().filter(|&&cpu| cpu >= there) {
                self.no_such_cpu(*beyond, there, self.job.span_of(&key::CPUMASK));
            }
            return cpus.into_iter().collect();
        }
        let Some(text) = self.job.list(&key::CPUS_ALLOWED).cloned() else {
            return cpus.into_iter().collect();
        };
        let mut start = 0;
        for part in text.as_str().split(',') {
            let at = (start, start + part.len());
            start = at.1 + 1;
            let (low, high) = part.split_once('-').unwrap_or((part, part));
            let range = low
                .trim()
                .parse::<u32>()
                .ok()
                .zip(high.trim().parse::<u32>().ok());
            match range.filter(|(low, high)| low <= high && *high <= MAX_CPU) {
                Some((_, high)) if high >= there => {
                    self.no_such_cpu(high, there, text.span(at.0, at.1));
                }
                Some((low, high)) => cpus.extend(low..=high),
                None => {
                    self.sink.push(
                        Diagnostic::error("bad-cpu-list", format!("`{part}` is not a CPU"))
                            .at(text.span(at.0, at.1), "")
                            .expected("numbers and ranges of CPUs, as in `0,2-3`"),
                    );
                }
            }
        }
        cpus.into_iter().collect()
    }
}
