//! Reading back the intervals whose rows were compacted.
//!
//! Belongs here: the rows of `batches`. Must never: hold more of them than one.

use super::fault::Fault;
use super::values::Reading;
use crate::run::Run;
use leadline_model::batch::{Decoder, Known};
use leadline_model::event::Event;
use rusqlite::Connection;

/// A row of `batches`, without what it holds.
pub(super) struct Batch {
    /// Number of its first interval.
    pub(super) first: i64,
    intervals: u64,
}

/// Those of a stage, in the order of their intervals.
pub(super) fn batches(db: &Connection, stage_run: i64) -> rusqlite::Result<Vec<Batch>> {
    let mut statement =
        db.prepare("SELECT id, intervals FROM batches WHERE stage_run = ? ORDER BY id")?;
    let rows = statement.query_map([stage_run], |row| {
        Ok(Batch {
            first: row.get(0)?,
            intervals: row.get::<_, i64>(1)?.cast_unsigned(),
        })
    })?;
    rows.collect()
}

impl Batch {
    /// Gives its intervals to the run. They are of workloads and hosts that the plan has.
    pub(super) fn read(
        &self,
        db: &Connection,
        stage: u32,
        to: &mut Reading<'_>,
    ) -> Result<(), Fault> {
        let sql = "SELECT bytes FROM batches WHERE id = ?";
        let bytes: Vec<u8> = db.query_row(sql, [self.first], |row| row.get(0))?;
        let known = known(&to.run, stage);
        for sample in Decoder::new(&bytes, self.intervals, known) {
            to.apply(&Event::Interval(Box::new(sample?)));
        }
        Ok(())
    }
}

fn known(run: &Run, stage: u32) -> Known {
    let plan = run.plan.as_ref();
    let planned = plan.and_then(|plan| plan.stages.get(stage as usize));
    let number = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
    Known {
        stage,
        workloads: planned.map_or(0, |stage| number(stage.workloads.len())),
        hosts: plan.map_or(0, |plan| number(plan.hosts.len().max(1))),
    }
}
