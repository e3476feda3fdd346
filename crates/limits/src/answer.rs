//! All that comes out for a set-up, as one value.
//!
//! Belongs here: the parts put together. Must never appear here: how they are shown.

use crate::apply;
use crate::book::Book;
use crate::disks;
use crate::here::Here;
use crate::limit::Limit;
use crate::setup::Setup;
use crate::sizing::{self, Sizing, Table};
use crate::verdict::{self, Verdict};

/// What comes out.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was asked about.
    pub setup: Setup,
    /// The limits, least first.
    pub limits: Vec<Limit>,
    /// What measured figures say about them; `None` without figures.
    pub verdict: Option<Verdict>,
    /// What a demand needs; `None` without a demand.
    pub sizing: Option<Sizing>,
    /// Quota by level; `None` where it was not asked for.
    pub table: Option<Table>,
    /// What is known of this machine; `None` where it was not asked.
    pub here: Option<Here>,
    /// What is said beside it: about this machine, about a run.
    pub remarks: Vec<String>,
}

impl Answer {
    /// The answer for a set-up, with the table of quota by level if `table`.
    #[must_use]
    pub fn of(setup: Setup, book: &Book, table: bool) -> Self {
        let limits = apply::limits(&setup, book);
        Self {
            verdict: verdict::verdict(&setup, &limits),
            sizing: sizing::sizing(&setup, book),
            table: table.then(|| sizing::table(&setup, book)),
            remarks: [
                unused(&setup, book),
                unset(&setup, book),
                disks::left_out(&setup, book),
            ]
            .into_iter()
            .flatten()
            .collect(),
            limits,
            setup,
            here: None,
        }
    }

    /// What is wanted of a limit, or else what was measured of it, in its measure; `None` where neither is known.
    pub(crate) fn used(&self, at: usize) -> Option<f64> {
        let limit = &self.limits[at];
        let wanted = self.setup.demand;
        let wanted = wanted.and_then(|demand| limit.of_rate(demand, &self.setup));
        let compared = || self.verdict.as_ref()?.of(at).map(|one| one.measured);
        wanted.or_else(compared)
    }
}

/// That the throughput of a volume is set, and what was set is not said.
fn unset(setup: &Setup, book: &Book) -> Option<String> {
    let service = setup.service.as_ref()?;
    let mut rows = book.named("level", service);
    let is_set = rows.any(|row| row.number("pool_mib_per_tib").is_some());
    (is_set && setup.assigned.is_none() && setup.pool.is_none()).then(|| {
        format!(
            "{service}: throughput is set for the pool, whatever the quota: give --pool 10TiB for what can be set, \
             --assigned 2000MiB/s for what was"
        )
    })
}

/// That no row is about the connections that were given.
fn unused(setup: &Setup, book: &Book) -> Option<String> {
    let flows = setup.flows?;
    let of = match setup.network(book) {
        None if !setup.disks.is_empty() => {
            "disks are not reached over TCP; give the machine or service that is with --vm or --service".to_owned()
        }
        None => "give the provider with --vm or --service".to_owned(),
        Some(own) if book.named("flow", own).next().is_some() => return None,
        Some(own) => format!("there is no row for the limit of a connection at {own}"),
    };
    Some(format!("--flows {flows} is not considered: {of}"))
}
