//! A whole stage with what the checks on it use: those of facts about hosts, devices and networks.

use super::{Finding, Severity, is_real};
use crate::run::{Run, StageRun};
use crate::summary::StageSummary;
use crate::summary::kernel::{self, HostIo};
use leadline_model::cure::Cure;
use leadline_model::facts::{Fact, FactKey};
use leadline_model::plan::Stage;

/// A stage with all that a check on it may use.
pub(super) struct Whole<'a> {
    pub(super) run: &'a Run,
    pub(super) stage: &'a StageRun,
    pub(super) plan: &'a Stage,
    pub(super) summary: &'a StageSummary,
    /// Both views of each of its hosts.
    hosts: Vec<HostIo>,
}

impl<'a> Whole<'a> {
    pub(super) fn new(
        run: &'a Run,
        stage: &'a StageRun,
        plan: &'a Stage,
        summary: &'a StageSummary,
    ) -> Self {
        Self {
            run,
            stage,
            plan,
            summary,
            hosts: kernel::hosts(run, stage),
        }
    }

    /// A finding about this stage: about its workload, where it has one only.
    pub(super) fn finding(
        &self,
        code: &str,
        severity: Severity,
        text: String,
        cure: impl Into<Cure>,
    ) -> Finding {
        Finding {
            code: code.to_owned(),
            severity,
            stage: Some(self.stage.stage),
            workload: (self.plan.workloads.len() == 1).then_some(0),
            text,
            cure: cure.into(),
        }
    }

    /// The first host of which `of` knows something, with what it knows.
    pub(super) fn first<T>(&self, of: impl Fn(&HostIo) -> Option<T>) -> Option<(u32, T)> {
        let mut each = self.hosts.iter();
        each.find_map(|host| Some((host.host, of(host)?)))
    }

    /// ` on HOST` where the plan names hosts.
    pub(super) fn on(&self, host: u32) -> String {
        match self.run.host_label(host) {
            "" => String::new(),
            label => format!(" on {label}"),
        }
    }

    /// Whether the run already says this of the stage.
    pub(super) fn has(&self, code: &str) -> bool {
        let mut findings = self.run.findings.iter();
        findings.any(|f| f.code == code && f.stage == Some(self.stage.stage))
    }

    /// Whether all workloads on files and devices ask for O_DIRECT, and end without I/Os that do not count.
    pub(super) fn all_direct(&self) -> bool {
        let mut real = self.plan.workloads.iter().filter(|w| is_real(w)).peekable();
        real.peek().is_some() && real.all(|w| kernel::is_direct(w) && w.stop.cooldown.0 == 0)
    }

    /// A fact of a host itself.
    pub(super) fn host_fact(&self, host: u32, key: FactKey<'_>) -> Option<&'a Fact> {
        let mut facts = self.run.facts.iter();
        facts.find(|f| f.host == host && f.key() == key)
    }

    /// A fact of a device of a host.
    pub(super) fn device_fact(&self, host: u32, name: &str, key: FactKey<'_>) -> Option<&'a Fact> {
        let mut facts = self.run.facts.iter();
        facts.find(|f| f.host == host && f.subject == name && f.key() == key)
    }
}
