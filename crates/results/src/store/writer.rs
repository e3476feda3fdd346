//! Writing events into a run file as they come.

use super::compact::Compactor;
use super::facts;
use super::rows::{NewsRow, OpColumns, encode_depths, insert_op};
use super::schema::{self, APPLICATION_ID, MAJOR_VERSION, OpTable, SCHEMA};
use super::values::json;
use super::{EXTENSION, StoreError};
use crate::headline::Headline;
use leadline_model::codec::encode_latency;
use leadline_model::event::{CpuInterval, CpuTime, DiskUse, Event, HostNews, Outcome};
use leadline_model::facts::Fact;
use leadline_model::finding::Finding;
use leadline_model::plan::{Plan, Stage};
use leadline_model::sample::{Counts, Sample, WorkerTotals};
use leadline_model::units::Nanos;
use rusqlite::{Connection, params};
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

/// The log is copied into the file when it has grown to this many pages of 4 KiB: 16 MiB.
const CHECKPOINT_PAGES: i64 = 4096;

/// Writes one run file. What was committed outlives the process; see the module's promises.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    db: Connection,
    plan: Option<Plan>,
    plan_changed: bool,
    /// Number in the plan of each stage started.
    stages: Vec<u32>,
    /// Start of the last stage, from the start of the run.
    stage_start: Nanos,
    /// Time of the run that was committed up to.
    committed: Nanos,
    /// Time of the run that was heard of last.
    now: Nanos,
    /// Whether the file is synced when the log is copied into the file.
    synced: bool,
    /// Its intervals.
    compactor: Compactor,
}

/// Removes a run file that holds nothing, and what SQLite keeps beside it.
fn remove(path: &Path) {
    for ending in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        let _ = std::fs::remove_file(name);
    }
}

impl Writer {
    /// Makes the run file `path`.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when there is a file of that name, [`StoreError::Io`] when none can be
    /// made there, [`StoreError::Write`] when it cannot be written.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        options.open(path).map_err(|source| match source.kind() {
            std::io::ErrorKind::AlreadyExists => StoreError::Exists(path.to_owned()),
            _ => StoreError::Io {
                path: path.to_owned(),
                source,
            },
        })?;
        Self::begin(path).map_err(|source| {
            // It was made here, and there is no run in it.
            remove(path);
            StoreError::Write {
                path: path.to_owned(),
                source,
            }
        })
    }

    /// Makes the run file `path`, or `NAME-2.leadline`, `NAME-3.leadline` ... when there is one of that
    /// name. [`Writer::path`] says which.
    ///
    /// # Errors
    /// As [`Writer::create`]; [`StoreError::Exists`] only after 9999 names.
    pub fn create_beside(path: &Path) -> Result<Self, StoreError> {
        // Only `.leadline` is an ending: other dots belong to the name.
        let ends = path.extension().is_some_and(|e| e == EXTENSION);
        let stem = if ends {
            path.file_stem()
        } else {
            path.file_name()
        };
        let stem = stem.unwrap_or_default();
        let mut found = Self::create(path);
        for number in 2..=9999 {
            if !matches!(found, Err(StoreError::Exists(_))) {
                break;
            }
            let mut name = stem.to_owned();
            name.push(format!("-{number}"));
            if ends {
                name.push(format!(".{EXTENSION}"));
            }
            found = Self::create(&path.with_file_name(name));
        }
        found
    }

    /// Compacts the rows of this many intervals at a time, for tests.
    #[cfg(test)]
    pub(crate) fn compact_at(&mut self, intervals: usize) {
        self.compactor.most_rows(intervals);
    }

    /// The file that is written.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes in one event. Ticks of the live view only give the time.
    ///
    /// # Errors
    /// [`StoreError::Write`]; what was committed before stands, and later events may be tried.
    pub fn event(&mut self, event: &Event) -> Result<(), StoreError> {
        self.take(event).map_err(|e| self.failed(e))
    }

    /// Keeps a run in a few words, for lists.
    ///
    /// # Errors
    /// [`StoreError::Write`]; what was committed before stands.
    pub fn headline(&mut self, headline: &Headline) -> Result<(), StoreError> {
        self.meta("grade", headline.grade.to_string())
            .and_then(|()| self.meta("figures", &headline.figures))
            .and_then(|()| self.meta("points", json(&headline.points)?))
            .map_err(|error| self.failed(error))
    }

    /// Commits, copies the log into the file and closes it.
    ///
    /// # Errors
    /// [`StoreError::Write`]; what was committed before stands.
    pub fn finish(mut self) -> Result<PathBuf, StoreError> {
        let path = self.path.clone();
        self.close().map_err(|source| StoreError::Write {
            path: path.clone(),
            source,
        })?;
        Ok(path)
    }

    pub(super) fn failed(&self, source: rusqlite::Error) -> StoreError {
        StoreError::Write {
            path: self.path.clone(),
            source,
        }
    }

    fn begin(path: &Path) -> rusqlite::Result<Self> {
        let db = Connection::open(path)?;
        db.busy_timeout(std::time::Duration::from_millis(500))?;
        db.set_prepared_statement_cache_capacity(32);
        db.execute_batch(&format!(
            "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES};
             PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {MAJOR_VERSION};"
        ))?;
        // Refused where the file system has no shared memory: the rollback journal does, too.
        let _ = db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        db.execute_batch("BEGIN")?;
        db.execute_batch(SCHEMA)?;
        let mut writer = Self {
            path: path.to_owned(),
            db,
            plan: None,
            plan_changed: false,
            stages: Vec::new(),
            stage_start: Nanos::ZERO,
            committed: Nanos::ZERO,
            now: Nanos::ZERO,
            synced: false,
            compactor: Compactor::new(),
        };
        writer.meta("leadline version", env!("CARGO_PKG_VERSION"))?;
        writer.commit()?;
        Ok(writer)
    }

    fn take(&mut self, event: &Event) -> rusqlite::Result<()> {
        match event {
            Event::RunStarted { plan, wall_ms } => self.run_started(plan, *wall_ms),
            Event::Facts(facts) => facts.iter().try_for_each(|fact| self.fact(fact)),
            Event::StageAdded(stage) => self.stage_added(stage),
            Event::Preparing { .. } | Event::PartialTotals(_) => Ok(()),
            Event::Host(news) => self.host_news(news),
            Event::Tick(tick) => self.heard(Nanos(self.stage_start.0 + tick.at.0)),
            Event::StageStarted { stage, at, wall_ms } => self.stage_started(*stage, *at, *wall_ms),
            Event::Interval(sample) => self.sample(sample),
            Event::Processors(own) => self.processors(own),
            Event::WorkerEnded(totals) => self.worker(totals),
            Event::StageEnded {
                stage,
                at,
                disks,
                cpus,
                counted,
            } => self.stage_ended((*stage, *at), disks, cpus, counted),
            Event::Finding(finding) => self.finding(finding),
            Event::RunEnded { at, outcome } => self.run_ended(*at, outcome),
        }
    }

    /// Commits when a second has passed since the last time.
    fn heard(&mut self, at: Nanos) -> rusqlite::Result<()> {
        self.now = self.now.max(at);
        if self.now.since(self.committed) < Nanos::SECOND {
            return Ok(());
        }
        self.commit()
    }

    pub(super) fn commit(&mut self) -> rusqlite::Result<()> {
        self.write_plan()?;
        self.committed = self.now;
        if !self.db.is_autocommit() {
            self.db.execute_batch("COMMIT")?;
        }
        if !self.synced && self.now >= Nanos::SECOND {
            // From here on the run is worth a sync: see the promises.
            self.db.execute_batch("PRAGMA synchronous = NORMAL")?;
            self.synced = true;
        }
        self.db.execute_batch("BEGIN")
    }

    fn close(&mut self) -> rusqlite::Result<()> {
        self.write_plan()?;
        if !self.db.is_autocommit() {
            self.db.execute_batch("COMMIT")?;
        }
        self.db.flush_prepared_statement_cache();
        // A reader in another process may hold the log: then it stays, and the file is whole with it.
        let copied = self
            .db
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
                row.get::<_, i64>(0)
            });
        if copied == Ok(0) {
            let _ = self
                .db
                .query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()));
        }
        copied.map(|_| ())
    }

    pub(super) fn meta(&self, key: &str, value: impl rusqlite::ToSql) -> rusqlite::Result<()> {
        self.db
            .prepare_cached("INSERT OR REPLACE INTO meta VALUES(?,?)")?
            .execute(params![key, value])?;
        Ok(())
    }

    fn run_started(&mut self, plan: &Plan, wall_ms: u64) -> rusqlite::Result<()> {
        self.meta("wall ms", wall_ms.cast_signed())?;
        self.meta("title", &plan.title)?;
        let mut texts = vec![(
            "command line",
            plan.source.words().collect::<Vec<_>>().join(" "),
        )];
        let files = plan.source.files.iter();
        texts.extend(files.map(|(name, text)| (name.as_str(), text.clone())));
        for (name, text) in texts {
            self.db
                .prepare_cached("INSERT INTO plan_text VALUES(NULL,?,?)")?
                .execute(params![name, text])?;
        }
        for (host, number) in plan.hosts.iter().zip(0_u32..) {
            self.db
                .prepare_cached("INSERT OR REPLACE INTO hosts VALUES(?,?,?)")?
                .execute(params![number, host.label, host.address()])?;
        }
        for (stage, number) in plan.stages.iter().zip(0_u32..) {
            self.workloads(stage, number)?;
        }
        self.plan = Some(plan.clone());
        self.plan_changed = true;
        // What comes before the first I/O, commands of the user's and fills, may be killed too.
        self.commit()
    }

    fn workloads(&self, stage: &Stage, number: u32) -> rusqlite::Result<()> {
        for (workload, index) in stage.workloads.iter().zip(0_u32..) {
            self.db
                .prepare_cached("INSERT INTO workloads VALUES(?,?,?,?,?,?,?,?)")?
                .execute(params![
                    number,
                    index,
                    workload.name,
                    workload.group,
                    workload.clones,
                    workload.depth,
                    workload.engine.kind.name(),
                    json(workload)?,
                ])?;
        }
        Ok(())
    }

    fn write_plan(&mut self) -> rusqlite::Result<()> {
        let Some(plan) = self.plan.as_ref().filter(|_| self.plan_changed) else {
            return Ok(());
        };
        self.db
            .prepare_cached("INSERT OR REPLACE INTO plan VALUES(0,?)")?
            .execute([json(plan)?])?;
        self.plan_changed = false;
        Ok(())
    }

    fn fact(&self, fact: &Fact) -> rusqlite::Result<()> {
        self.db
            .prepare_cached("INSERT INTO facts VALUES(NULL,?,?,?,?,?,?)")?
            .execute(params![
                fact.section,
                fact.subject,
                fact.name,
                facts::stored(&fact.value),
                fact.value.unit(),
                fact.host
            ])?;
        Ok(())
    }

    fn counted(&self, stage_run: i64, fact: &Fact) -> rusqlite::Result<()> {
        self.db
            .prepare_cached("INSERT INTO counted VALUES(NULL,?,?,?,?,?,?,?)")?
            .execute(params![
                stage_run,
                fact.section,
                fact.subject,
                fact.name,
                facts::stored(&fact.value),
                fact.value.unit(),
                fact.host
            ])?;
        Ok(())
    }

    fn host_news(&self, news: &HostNews) -> rusqlite::Result<()> {
        let row = NewsRow::of(&news.what)?;
        self.db
            .prepare_cached("INSERT INTO host_news VALUES(NULL,?,?,?,?,?,?,?,?,?)")?
            .execute(params![
                news.host,
                news.at.0.cast_signed(),
                row.what,
                row.stage,
                row.hostname,
                row.clock_offset,
                row.offset_bound,
                row.late,
                row.why,
            ])?;
        Ok(())
    }

    fn stage_added(&mut self, stage: &Stage) -> rusqlite::Result<()> {
        let Some(plan) = &mut self.plan else {
            return Ok(());
        };
        let number = u32::try_from(plan.stages.len()).unwrap_or(u32::MAX);
        plan.stages.push(stage.clone());
        self.plan_changed = true;
        self.workloads(stage, number)?;
        self.commit()
    }

    fn stage_started(&mut self, stage: u32, at: Nanos, wall_ms: u64) -> rusqlite::Result<()> {
        let planned = self
            .plan
            .as_ref()
            .and_then(|p| p.stages.get(stage as usize));
        let name = planned.map_or("", |p| p.name.as_str());
        self.db
            .prepare_cached("INSERT INTO stages VALUES(?,?,?,?,NULL,?)")?
            .execute(params![
                self.stages.len().cast_signed(),
                stage,
                name,
                at.0.cast_signed(),
                wall_ms.cast_signed()
            ])?;
        self.stages.push(stage);
        self.stage_start = at;
        self.now = self.now.max(at);
        self.commit()
    }

    /// The last start of a stage of this number, as `Run::apply` finds it.
    fn stage_run(&self, stage: u32) -> Option<i64> {
        let position = self.stages.iter().rposition(|&s| s == stage)?;
        i64::try_from(position).ok()
    }

    fn sample(&mut self, sample: &Sample) -> rusqlite::Result<()> {
        let Some(stage_run) = self.stage_run(sample.stage) else {
            return Ok(());
        };
        self.compactor.sample(&self.db, stage_run, sample)?;
        self.heard(Nanos(self.stage_start.0 + sample.start.0 + sample.length.0))
    }

    /// Adds the counters of the worker or file that was inserted last.
    fn ops(&self, table: OpTable, counts: &Counts) -> rusqlite::Result<()> {
        let owner = self.db.last_insert_rowid();
        let mut statement = self.db.prepare_cached(schema::insert_op(table))?;
        for (op, counts) in counts.ops.iter() {
            insert_op(&mut statement, owner, op, counts, &OpColumns::of(counts))?;
        }
        Ok(())
    }

    fn worker(&self, totals: &WorkerTotals) -> rusqlite::Result<()> {
        let Some(stage_run) = self.stage_run(totals.stage) else {
            return Ok(());
        };
        let cpu = &totals.cpu;
        self.db
            .prepare_cached(
                "INSERT INTO workers VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            )?
            .execute(params![
                stage_run,
                totals.workload,
                totals.worker,
                totals.thread_id,
                totals.first_submit.map(|t| t.0.cast_signed()),
                totals.window_start.0.cast_signed(),
                totals.window_end.0.cast_signed(),
                totals.warmup_ios.cast_signed(),
                totals.unissued.cast_signed(),
                cpu.user.0.cast_signed(),
                cpu.system.0.cast_signed(),
                cpu.voluntary.cast_signed(),
                cpu.involuntary.cast_signed(),
                cpu.major_faults.cast_signed(),
                cpu.minor_faults.cast_signed(),
                totals.seed.cast_signed(),
                json(&totals.errors)?,
                json(&totals.end)?,
                totals.counts.late.cast_signed(),
                totals.counts.lag.as_ref().map(encode_latency),
                encode_depths(&totals.counts.depths),
                totals.host,
                cpu.waiting.0.cast_signed(),
                json(&cpu.waits)?,
                totals.edge,
                totals.drain.as_ref().map(json).transpose()?,
            ])?;
        let worker = self.db.last_insert_rowid();
        self.ops(OpTable::Workers, &totals.counts)?;
        for (file, counts) in (0_u32..).zip(&totals.files) {
            self.db
                .prepare_cached("INSERT INTO worker_files VALUES(NULL,?,?)")?
                .execute(params![worker, file])?;
            self.ops(OpTable::Files, counts)?;
        }
        Ok(())
    }

    fn stage_ended(
        &mut self,
        (stage, at): (u32, Nanos),
        disks: &[DiskUse],
        cpus: &[CpuTime],
        counted: &[Fact],
    ) -> rusqlite::Result<()> {
        let Some(stage_run) = self.stage_run(stage) else {
            return Ok(());
        };
        self.db
            .prepare_cached("UPDATE stages SET end_ns = ? WHERE stage_run = ?")?
            .execute([at.0.cast_signed(), stage_run])?;
        for clear in [
            "DELETE FROM disks WHERE stage_run = ?",
            "DELETE FROM cpus WHERE stage_run = ?",
            "DELETE FROM counted WHERE stage_run = ?",
        ] {
            self.db.prepare_cached(clear)?.execute([stage_run])?;
        }
        for disk in disks {
            self.disk(stage_run, disk)?;
        }
        for cpu in cpus {
            self.cpu(stage_run, cpu)?;
        }
        for fact in counted {
            self.counted(stage_run, fact)?;
        }
        self.now = self.now.max(at);
        self.commit()
    }

    fn disk(&self, stage_run: i64, disk: &DiskUse) -> rusqlite::Result<()> {
        self.db
            .prepare_cached("INSERT INTO disks VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")?
            .execute(params![
                stage_run,
                disk.name,
                disk.ios[0].cast_signed(),
                disk.ios[1].cast_signed(),
                disk.merges[0].cast_signed(),
                disk.merges[1].cast_signed(),
                disk.sectors[0].cast_signed(),
                disk.sectors[1].cast_signed(),
                disk.ticks_ms[0].cast_signed(),
                disk.ticks_ms[1].cast_signed(),
                disk.busy_ms.cast_signed(),
                disk.queue_ms.cast_signed(),
                disk.span_ms.cast_signed(),
                disk.host,
            ])?;
        Ok(())
    }

    fn cpu(&self, stage_run: i64, cpu: &CpuTime) -> rusqlite::Result<()> {
        self.db
            .prepare_cached("INSERT INTO cpus VALUES(NULL,?,?,?,?,?,?,?,?,?)")?
            .execute(params![
                stage_run,
                cpu.host,
                cpu.cpu,
                cpu.user.0.cast_signed(),
                cpu.kernel.0.cast_signed(),
                cpu.idle.0.cast_signed(),
                cpu.wait.0.cast_signed(),
                cpu.steal.0.cast_signed(),
                cpu.span.0.cast_signed(),
            ])?;
        Ok(())
    }

    fn processors(&self, own: &CpuInterval) -> rusqlite::Result<()> {
        let Some(stage_run) = self.stage_run(own.stage) else {
            return Ok(());
        };
        self.db
            .prepare_cached("INSERT INTO interval_cpus VALUES(NULL,?,?,?,?,?,?,?,?,?)")?
            .execute(params![
                stage_run,
                own.host,
                own.interval.cast_signed(),
                own.cpus,
                own.user.0.cast_signed(),
                own.kernel.0.cast_signed(),
                own.idle.0.cast_signed(),
                own.wait.0.cast_signed(),
                own.steal.0.cast_signed(),
            ])?;
        Ok(())
    }

    fn finding(&self, finding: &Finding) -> rusqlite::Result<()> {
        let severity = json(&finding.severity)?;
        self.db
            .prepare_cached("INSERT INTO findings VALUES(NULL,?,?,?,?,?,?,?)")?
            .execute(params![
                finding.code,
                severity.trim_matches('"'),
                finding.stage,
                finding.workload,
                finding.text,
                finding.cure.text,
                json(&finding.cure.knobs)?,
            ])?;
        Ok(())
    }

    fn run_ended(&mut self, at: Nanos, outcome: &Outcome) -> rusqlite::Result<()> {
        let words = match outcome {
            Outcome::Complete => "complete",
            Outcome::CutShort => "cut short",
            Outcome::Failed(_) => "failed",
        };
        self.meta("outcome", words)?;
        self.meta("outcome json", json(outcome)?)?;
        self.meta("length ns", at.0.cast_signed())
    }
}

impl Drop for Writer {
    /// A writer that was not finished leaves what it has, without an outcome if none was said.
    fn drop(&mut self) {
        if !self.db.is_autocommit() {
            let _ = self.db.execute_batch("COMMIT");
        }
    }
}
