//! From a job's options to a workload: what each option means, in leadline's nouns.
//!
//! Belongs here: meaning, fio's defaults, and notes where leadline's way differs.
//! Must never appear here: any grammar of files or words; facts of the host.
//!
//! Decided: a job is one workload and `numjobs` its clones; `sync`, `psync`, `vsync` and `pvsync` are
//! the back ends psync and pvsync2; an engine that works one I/O at a time has depth 1; a stage ends
//! where a job waits for all before it.

mod data;
mod end;
mod engine;
mod pattern;
mod show;
mod stages;
mod target;
mod values;

pub(crate) use stages::stages;
pub use target::directories;

use super::job::Job;
use crate::table::{OptionSpec, key};
use leadline_dialect::diagnostic::Diagnostic;
use leadline_dialect::host::Host;
use leadline_model::plan::{Admission, MediumKind, ShareWeight, Target, Workload};

/// One job on its way to a workload.
pub(crate) struct Lowering<'a> {
    pub(crate) job: &'a Job,
    pub(crate) host: &'a dyn Host,
    pub(crate) sink: &'a mut Vec<Diagnostic>,
}

impl Lowering<'_> {
    fn note(&mut self, code: &'static str, message: impl Into<String>, option: &OptionSpec) {
        let span = self.job.span_of(option);
        self.sink.push(Diagnostic::note(code, message).at(span, ""));
    }

    fn error(&mut self, code: &'static str, message: impl Into<String>, option: &OptionSpec) {
        let span = self.job.span_of(option);
        self.sink
            .push(Diagnostic::error(code, message).at(span, ""));
    }

    /// Says that a value of an option is known and not supported.
    fn refuse(&mut self, option: &OptionSpec, value: &str, reason: &str) {
        let message = format!("`{}={value}` is not supported: {reason}", option.name);
        self.error("not-supported", message, option);
    }
}

/// A workload made of a job's options. What cannot be done is reported; the workload is then not run.
pub(crate) fn workload(job: &Job, host: &dyn Host, sink: &mut Vec<Diagnostic>) -> Workload {
    let mut l = Lowering { job, host, sink };
    l.unsupported_values();
    let kind = l.engine_kind();
    l.engine_options();
    let size = l.target_size();
    let mut w = Workload::new(l.name(), Target::Null { size });
    w.blocks_mut().target = l.target(kind, size);
    w.description = job.text(&key::DESCRIPTION).map(str::to_owned);
    w.given.clone_from(&job.given);
    w.clones = job.natural::<u32>(&key::NUMJOBS).max(1);
    w.merge_group = job.flag(&key::GROUP_REPORTING);
    w.blocks_mut().region = l.region();
    w.blocks_mut().prepare = l.prepare();
    w.blocks_mut().open = l.open_mode();
    w.blocks_mut().mix = l.mix();
    w.blocks_mut().sizes = l.sizes();
    w.blocks_mut().access = l.access(&w.blocks().sizes);
    w.pace = l.pace(&w.blocks().sizes);
    w.think = l.think();
    w.depth = l.depth(kind);
    w.blocks_mut().sync = l.sync();
    w.blocks_mut().payload = l.payload();
    w.stop = l.stop(w.blocks().mix);
    w.start = l.start();
    w.on_error = l.on_error();
    w.engine = l.engine(kind, w.depth);
    w.placement = l.placement();
    w.percentiles = l.percentiles();
    w.report = l.report(kind);
    l.shown().keep(&mut w);
    // A negative share couples nothing: where another job is in its flow it is refused (`stages`).
    let flow = job.natural::<u32>(&key::FLOW);
    if flow > 0 {
        // Each clone has the share.
        let clones = f64::from(job.natural::<u32>(&key::NUMJOBS).max(1));
        w.share = ShareWeight::new(f64::from(flow) * clones);
        w.admission = Admission::Shares {
            group: job.natural(&key::FLOW_ID),
            borrowable: None,
        };
    }
    if kind.powers().medium != MediumKind::Files {
        w.blocks_mut().prepare.drop_cache = false;
    }
    w
}
