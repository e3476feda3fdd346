//! A plan of a front end, with what its command line says beside the front end's own words.
//!
//! Belongs here: hosts, simulated volumes, caches and words put into a plan. Must never: read a switch.

use super::HostsRequest;
use crate::out;
use leadline_model::plan::{Plan, Stage};

impl HostsRequest {
    /// Gives a plan its hosts, and what stands in for its targets; false where that was wrong, which was said.
    pub(crate) fn settle(&self, plan: &mut Plan) -> bool {
        plan.hosts.clone_from(&self.hosts);
        self.settle_on_its_hosts(plan)
    }

    /// The same for a plan that has its hosts from its own text.
    pub(crate) fn settle_on_its_hosts(&self, plan: &mut Plan) -> bool {
        plan.source.own.clone_from(&self.own);
        plan.source.directory = match plan.hosts.is_empty() {
            true => self.directory(),
            false => String::new(),
        };
        self.settle_stages(&mut plan.stages)
    }

    /// The directory that relative paths of the command line are below, where this host does the I/O; else empty.
    pub(crate) fn directory(&self) -> String {
        let here = std::env::current_dir()
            .ok()
            .filter(|_| self.hosts.is_empty());
        here.map_or_else(String::new, |path| path.display().to_string())
    }

    /// Gives stages what stands in for their targets, and what is known of their caches; false where that was wrong, which
    /// was said.
    pub(crate) fn settle_stages(&self, stages: &mut [Stage]) -> bool {
        for stage in &mut *stages {
            stage.server_cache = self.server_cache;
        }
        let resolved = self.targets.resolve(stages);
        resolved.map_err(|wrong| out::say(&wrong)).is_ok()
    }
}
