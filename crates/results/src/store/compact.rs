//! Intervals on their way into the file: rows of their own at first, so that a kill loses none that was committed, and
//! in a long run the rows of many compacted into one.
//!
//! Belongs here: which rows are compacted, and when. Must never: compact what is not in the same transaction as what
//! stands for it.

use super::compacted_series::AllCompactedSeries;
use super::rows::{OpColumns, encode_depths, encode_pairs, insert_op};
use super::schema::{self, OpTable};
use leadline_model::batch::Encoder;
use leadline_model::codec::{encode_latency, encode_moments};
use leadline_model::sample::Sample;
use rusqlite::{Connection, params};

/// This many intervals have rows of their own (2 to 3 MB); those of a run that has no more all keep them.
const MOST_ROWS: usize = 16_384;

/// Compacted earlier when what is to take their place has grown to this many bytes.
const MOST_BYTES: usize = 8 << 20;

/// A stage with more workloads (each counted on each host) is not compacted: what is known of each is in memory.
const MOST_TRACKS: usize = 4096;

/// This many intervals of each workload and host are compacted at a time, at least.
const LEAST_OF_EACH: usize = 16;

/// Writes intervals, and compacts their rows.
#[derive(Debug)]
pub(super) struct Compactor {
    /// Number of the next interval of the run.
    next: i64,
    /// How many intervals have rows that stay.
    staying: usize,
    /// [`MOST_ROWS`] and [`LEAST_OF_EACH`].
    most_rows: usize,
    least_of_each: usize,
    /// The stage that has too many workloads, whose rows stay.
    too_wide: Option<i64>,
    /// What came last and may be compacted.
    open: Option<Open>,
}

/// Intervals of one stage with rows of their own, the last in their tables, and what is to take their place.
#[derive(Debug)]
struct Open {
    stage_run: i64,
    first_interval: i64,
    /// The first row in `samples`; `None` = they have none yet.
    first_sample: Option<i64>,
    batch: Encoder,
    series: AllCompactedSeries,
}

impl Compactor {
    /// For a new file.
    pub(super) const fn new() -> Self {
        Self {
            next: 1,
            staying: 0,
            most_rows: MOST_ROWS,
            least_of_each: LEAST_OF_EACH,
            too_wide: None,
            open: None,
        }
    }

    /// Compacts as soon as there are this many intervals.
    #[cfg(test)]
    pub(super) const fn most_rows(&mut self, rows: usize) {
        self.most_rows = rows;
        self.least_of_each = 1;
    }

    /// Adds a sample.
    pub(super) fn sample(
        &mut self,
        db: &Connection,
        stage_run: i64,
        sample: &Sample,
    ) -> rusqlite::Result<()> {
        self.turn_to(db, stage_run)?;
        let interval = self.next;
        let counts = &sample.counts;
        db.prepare_cached("INSERT INTO intervals VALUES(?,?,?,?,?,?,?,?,?,?,?,?)")?
            .execute(params![
                interval,
                stage_run,
                sample.workload,
                sample.interval.cast_signed(),
                sample.start.0.cast_signed(),
                sample.length.0.cast_signed(),
                sample.warmup,
                counts.late.cast_signed(),
                counts.lag.as_ref().map(encode_latency),
                encode_depths(&counts.depths),
                encode_pairs(&sample.workers),
                sample.host,
            ])?;
        self.next += 1;
        let compacts = self.too_wide != Some(stage_run);
        let mut open = compacts.then(|| {
            let begun = || Open::at(stage_run, interval);
            self.open.get_or_insert_with(begun)
        });
        let mut statement = db.prepare_cached(schema::insert_op(OpTable::Samples))?;
        for (op, of_op) in counts.ops.iter() {
            let figures = OpColumns::of(of_op);
            insert_op(&mut statement, interval, op, of_op, &figures)?;
            if let Some(open) = &mut open {
                let first = &mut open.first_sample;
                first.get_or_insert_with(|| db.last_insert_rowid());
                open.series.add(sample, op, &figures);
            }
        }
        if !sample.moments.is_empty() {
            db.prepare_cached("INSERT INTO interval_moments VALUES(?,?)")?
                .execute(params![interval, encode_moments(&sample.moments)])?;
        }
        if let Some(open) = open {
            open.batch.push(sample);
            if open.is_due(self.most_rows, self.least_of_each) {
                return self.compact(db);
            }
        } else {
            self.staying += 1;
        }
        Ok(())
    }

    /// Whatever is open of another stage is done with: compacted, where the file has many rows already.
    fn turn_to(&mut self, db: &Connection, stage_run: i64) -> rusqlite::Result<()> {
        let Some(other) = self.open.as_ref().filter(|o| o.stage_run != stage_run) else {
            return Ok(());
        };
        let intervals = other.intervals();
        if self.staying + intervals > self.most_rows {
            return self.compact(db);
        }
        self.staying += intervals;
        self.open = None;
        Ok(())
    }

    /// All rows that are open become one.
    fn compact(&mut self, db: &Connection) -> rusqlite::Result<()> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        if open.batch.tracks() > MOST_TRACKS {
            self.staying += open.intervals();
            self.too_wide = Some(open.stage_run);
            return Ok(());
        }
        db.execute_batch("SAVEPOINT compact")?;
        let written = open.write(db);
        let end = match written {
            Ok(()) => "RELEASE compact",
            Err(_) => "ROLLBACK TO compact; RELEASE compact",
        };
        written.and(db.execute_batch(end))
    }
}

impl Open {
    fn at(stage_run: i64, first_interval: i64) -> Self {
        Self {
            stage_run,
            first_interval,
            first_sample: None,
            batch: Encoder::default(),
            series: AllCompactedSeries::default(),
        }
    }

    fn intervals(&self) -> usize {
        usize::try_from(self.batch.samples()).unwrap_or(usize::MAX)
    }

    fn is_due(&self, most_rows: usize, least_of_each: usize) -> bool {
        let each = self.batch.tracks() * least_of_each;
        self.intervals() >= most_rows.max(each)
            || self.batch.len() + self.series.bytes() > MOST_BYTES
            || self.batch.tracks() > MOST_TRACKS
    }

    fn write(self, db: &Connection) -> rusqlite::Result<()> {
        let intervals = self.batch.samples().cast_signed();
        self.series.write(db, self.stage_run)?;
        db.prepare_cached("INSERT INTO batches VALUES(?,?,?,?)")?
            .execute(params![
                self.first_interval,
                self.stage_run,
                intervals,
                self.batch.finish()
            ])?;
        db.execute(
            "DELETE FROM interval_moments WHERE interval_id >= ?",
            [self.first_interval],
        )?;
        if let Some(first) = self.first_sample {
            db.execute("DELETE FROM samples WHERE id >= ?", [first])?;
        }
        db.execute("DELETE FROM intervals WHERE id >= ?", [self.first_interval])?;
        Ok(())
    }
}
