//! The tables of a run file.

/// `PRAGMA application_id`: the letters `LEAD`.
pub const APPLICATION_ID: i64 = 0x4c45_4144;

/// `PRAGMA user_version`: the format; a reader takes no other.
pub const MAJOR_VERSION: i64 = 1;

/// All tables and views. `stage_run` counts the stages in the order they were started; `op` is `read`,
/// `write`, `trim` or `sync`; columns named `service_..._ns` are latencies from just before the kernel
/// was asked to completion, `response_..._ns` from the intended start (NULL in a closed loop, where
/// both are the same); the blobs are the histograms in the form of `leadline_model::codec`. `host` is the
/// place in `hosts`, 0 in a run without hosts.
///
/// Of a long run, the rows of `intervals`, `samples` and `interval_moments` become a row of `batches`, with all that
/// they held as `leadline_model::batch` has it (`id` is that of the first interval), and for people rows of `compacted`:
/// one operation in intervals that follow one another. Its columns are those of the first, and `differences` a JSON
/// array with an element for each: 0 where all is as in the first, else an array of what is to be added to the columns
/// from `ios` on, `null` or missing where a latency is not known.
pub const SCHEMA: &str = "
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE plan(id INTEGER PRIMARY KEY CHECK (id = 0), json TEXT NOT NULL);
CREATE TABLE plan_text(id INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE facts(id INTEGER PRIMARY KEY, section TEXT NOT NULL, subject TEXT NOT NULL,
  name TEXT NOT NULL, value NOT NULL, unit TEXT NOT NULL, host INTEGER NOT NULL);
CREATE TABLE hosts(host INTEGER PRIMARY KEY, label TEXT NOT NULL, address TEXT NOT NULL);
CREATE TABLE host_news(id INTEGER PRIMARY KEY, host INTEGER NOT NULL, at_ns INTEGER NOT NULL,
  what TEXT NOT NULL, stage INTEGER, hostname TEXT, clock_offset_ns INTEGER, offset_bound_ns INTEGER,
  late_ns INTEGER, why TEXT);
CREATE TABLE stages(stage_run INTEGER PRIMARY KEY, stage INTEGER NOT NULL, name TEXT NOT NULL,
  start_ns INTEGER NOT NULL, end_ns INTEGER, wall_ms INTEGER NOT NULL);
CREATE TABLE workloads(stage INTEGER NOT NULL, workload INTEGER NOT NULL, name TEXT NOT NULL,
  report_group INTEGER NOT NULL, workers INTEGER NOT NULL, depth INTEGER NOT NULL,
  engine TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY(stage, workload)) WITHOUT ROWID;
CREATE TABLE intervals(id INTEGER PRIMARY KEY, stage_run INTEGER NOT NULL REFERENCES stages,
  workload INTEGER NOT NULL, interval INTEGER NOT NULL, start_ns INTEGER NOT NULL,
  length_ns INTEGER NOT NULL, warmup INTEGER NOT NULL, late INTEGER NOT NULL, lag BLOB,
  depths BLOB NOT NULL, workers BLOB NOT NULL, host INTEGER NOT NULL);
CREATE TABLE samples(id INTEGER PRIMARY KEY, interval_id INTEGER NOT NULL REFERENCES intervals(id),
  op TEXT NOT NULL, ios INTEGER NOT NULL, bytes INTEGER NOT NULL, errors INTEGER NOT NULL,
  short INTEGER NOT NULL, service_min_ns INTEGER, service_mean_ns REAL, service_p50_ns INTEGER,
  service_p99_ns INTEGER, service_max_ns INTEGER, response_min_ns INTEGER, response_mean_ns REAL,
  response_p50_ns INTEGER, response_p99_ns INTEGER, response_max_ns INTEGER,
  service BLOB NOT NULL, response BLOB, submission BLOB, completion BLOB);
CREATE TABLE batches(id INTEGER PRIMARY KEY, stage_run INTEGER NOT NULL REFERENCES stages,
  intervals INTEGER NOT NULL, bytes BLOB NOT NULL);
CREATE TABLE compacted(id INTEGER PRIMARY KEY, stage_run INTEGER NOT NULL REFERENCES stages,
  workload INTEGER NOT NULL, host INTEGER NOT NULL, warmup INTEGER NOT NULL, interval INTEGER NOT NULL,
  intervals INTEGER NOT NULL, start_ns INTEGER NOT NULL, length_ns INTEGER NOT NULL,
  op TEXT NOT NULL, ios INTEGER NOT NULL, bytes INTEGER NOT NULL, errors INTEGER NOT NULL,
  short INTEGER NOT NULL, service_min_ns INTEGER, service_mean_ns REAL, service_p50_ns INTEGER,
  service_p99_ns INTEGER, service_max_ns INTEGER, response_min_ns INTEGER, response_mean_ns REAL,
  response_p50_ns INTEGER, response_p99_ns INTEGER, response_max_ns INTEGER,
  differences TEXT NOT NULL);
CREATE TABLE workers(id INTEGER PRIMARY KEY, stage_run INTEGER NOT NULL REFERENCES stages,
  workload INTEGER NOT NULL, worker INTEGER NOT NULL, thread_id INTEGER NOT NULL,
  first_submit_ns INTEGER, window_start_ns INTEGER NOT NULL, window_end_ns INTEGER NOT NULL,
  warmup_ios INTEGER NOT NULL, unissued INTEGER NOT NULL, user_ns INTEGER NOT NULL,
  system_ns INTEGER NOT NULL, voluntary INTEGER NOT NULL, involuntary INTEGER NOT NULL,
  major_faults INTEGER NOT NULL, minor_faults INTEGER NOT NULL, seed INTEGER NOT NULL,
  errors TEXT NOT NULL, end TEXT NOT NULL, late INTEGER NOT NULL, lag BLOB, depths BLOB NOT NULL,
  host INTEGER NOT NULL, waiting_ns INTEGER NOT NULL, waits TEXT, edge_ns INTEGER NOT NULL,
  drain TEXT);
CREATE TABLE worker_ops(id INTEGER PRIMARY KEY, worker_id INTEGER NOT NULL REFERENCES workers(id),
  op TEXT NOT NULL, ios INTEGER NOT NULL, bytes INTEGER NOT NULL, errors INTEGER NOT NULL,
  short INTEGER NOT NULL, service_min_ns INTEGER, service_mean_ns REAL, service_p50_ns INTEGER,
  service_p99_ns INTEGER, service_max_ns INTEGER, response_min_ns INTEGER, response_mean_ns REAL,
  response_p50_ns INTEGER, response_p99_ns INTEGER, response_max_ns INTEGER,
  service BLOB NOT NULL, response BLOB, submission BLOB, completion BLOB);
CREATE TABLE worker_files(id INTEGER PRIMARY KEY, worker_id INTEGER NOT NULL REFERENCES workers(id),
  file INTEGER NOT NULL);
CREATE TABLE worker_file_ops(id INTEGER PRIMARY KEY,
  worker_file_id INTEGER NOT NULL REFERENCES worker_files(id),
  op TEXT NOT NULL, ios INTEGER NOT NULL, bytes INTEGER NOT NULL, errors INTEGER NOT NULL,
  short INTEGER NOT NULL, service_min_ns INTEGER, service_mean_ns REAL, service_p50_ns INTEGER,
  service_p99_ns INTEGER, service_max_ns INTEGER, response_min_ns INTEGER, response_mean_ns REAL,
  response_p50_ns INTEGER, response_p99_ns INTEGER, response_max_ns INTEGER,
  service BLOB NOT NULL, response BLOB, submission BLOB, completion BLOB);
CREATE TABLE disks(id INTEGER PRIMARY KEY, stage_run INTEGER NOT NULL REFERENCES stages,
  name TEXT NOT NULL, read_ios INTEGER NOT NULL, write_ios INTEGER NOT NULL,
  read_merges INTEGER NOT NULL, write_merges INTEGER NOT NULL, read_sectors INTEGER NOT NULL,
  write_sectors INTEGER NOT NULL, read_ms INTEGER NOT NULL, write_ms INTEGER NOT NULL,
  busy_ms INTEGER NOT NULL, queue_ms INTEGER NOT NULL, span_ms INTEGER NOT NULL,
  host INTEGER NOT NULL);
CREATE TABLE cpus(id INTEGER PRIMARY KEY, stage_run INTEGER NOT NULL REFERENCES stages,
  host INTEGER NOT NULL, cpu INTEGER NOT NULL, user_ns INTEGER NOT NULL, kernel_ns INTEGER NOT NULL,
  idle_ns INTEGER NOT NULL, wait_ns INTEGER NOT NULL, steal_ns INTEGER NOT NULL,
  span_ns INTEGER NOT NULL);
CREATE TABLE counted(id INTEGER PRIMARY KEY, stage_run INTEGER NOT NULL REFERENCES stages,
  section TEXT NOT NULL, subject TEXT NOT NULL, name TEXT NOT NULL, value NOT NULL, unit TEXT NOT NULL,
  host INTEGER NOT NULL);
CREATE TABLE interval_cpus(id INTEGER PRIMARY KEY, stage_run INTEGER NOT NULL REFERENCES stages,
  host INTEGER NOT NULL, interval INTEGER NOT NULL, cpus INTEGER NOT NULL, user_ns INTEGER NOT NULL,
  kernel_ns INTEGER NOT NULL, idle_ns INTEGER NOT NULL, wait_ns INTEGER NOT NULL,
  steal_ns INTEGER NOT NULL);
CREATE TABLE interval_moments(interval_id INTEGER PRIMARY KEY REFERENCES intervals(id),
  moments BLOB NOT NULL);
CREATE TABLE findings(id INTEGER PRIMARY KEY, code TEXT NOT NULL, severity TEXT NOT NULL,
  stage INTEGER, workload INTEGER, text TEXT NOT NULL, cure TEXT NOT NULL,
  knobs TEXT NOT NULL);
CREATE VIEW series AS
  WITH
  figures AS (
    SELECT i.stage_run, i.workload, i.host, i.warmup, i.interval, i.start_ns, i.length_ns, s.op,
      s.ios, s.bytes, s.errors, s.short, s.service_min_ns, s.service_mean_ns, s.service_p50_ns,
      s.service_p99_ns, s.service_max_ns, s.response_min_ns, s.response_mean_ns, s.response_p50_ns,
      s.response_p99_ns, s.response_max_ns
    FROM samples s JOIN intervals i ON i.id = s.interval_id
    UNION ALL
    SELECT c.stage_run, c.workload, c.host, c.warmup, c.interval + j.key,
      c.start_ns + j.key * c.length_ns, c.length_ns, c.op,
      c.ios + iif(j.type = 'integer', 0, j.value ->> 0),
      c.bytes + iif(j.type = 'integer', 0, j.value ->> 1),
      c.errors + iif(j.type = 'integer', 0, j.value ->> 2),
      c.short + iif(j.type = 'integer', 0, j.value ->> 3),
      iif(j.type = 'integer', c.service_min_ns, ifnull(c.service_min_ns, 0) + (j.value ->> 4)),
      iif(j.type = 'integer', c.service_mean_ns, ifnull(c.service_mean_ns, 0) + (j.value ->> 5)),
      iif(j.type = 'integer', c.service_p50_ns, ifnull(c.service_p50_ns, 0) + (j.value ->> 6)),
      iif(j.type = 'integer', c.service_p99_ns, ifnull(c.service_p99_ns, 0) + (j.value ->> 7)),
      iif(j.type = 'integer', c.service_max_ns, ifnull(c.service_max_ns, 0) + (j.value ->> 8)),
      iif(j.type = 'integer', c.response_min_ns, ifnull(c.response_min_ns, 0) + (j.value ->> 9)),
      iif(j.type = 'integer', c.response_mean_ns, ifnull(c.response_mean_ns, 0) + (j.value ->> 10)),
      iif(j.type = 'integer', c.response_p50_ns, ifnull(c.response_p50_ns, 0) + (j.value ->> 11)),
      iif(j.type = 'integer', c.response_p99_ns, ifnull(c.response_p99_ns, 0) + (j.value ->> 12)),
      iif(j.type = 'integer', c.response_max_ns, ifnull(c.response_max_ns, 0) + (j.value ->> 13))
    FROM compacted c, json_each(c.differences) j),
  ends AS (
    SELECT stage_run, workload, host, warmup, max(last) AS last, max(length_ns) AS longest
    FROM (SELECT stage_run, workload, host, warmup, interval AS last, length_ns FROM intervals
      UNION ALL SELECT stage_run, workload, host, warmup, interval + intervals - 1, length_ns FROM compacted)
    GROUP BY 1, 2, 3, 4)
  SELECT t.stage, t.name AS stage_name, f.workload, w.name AS workload_name, f.interval,
    f.start_ns / 1e9 AS start_s, f.length_ns / 1e9 AS length_s, f.warmup, f.op, f.ios, f.bytes,
    f.errors, f.short, iif(f.interval = e.last AND f.length_ns * 2 < e.longest, NULL,
      f.ios * 1e9 / f.length_ns) AS iops,
    iif(f.interval = e.last AND f.length_ns * 2 < e.longest, NULL,
      f.bytes * 1e9 / f.length_ns / 1048576) AS mib_per_s, f.service_min_ns, f.service_mean_ns,
    f.service_p50_ns, f.service_p99_ns, f.service_max_ns, f.response_p50_ns, f.response_p99_ns,
    f.response_max_ns, f.host, h.label AS host_label
  FROM figures f JOIN stages t USING (stage_run) JOIN ends e USING (stage_run, workload, host, warmup)
    LEFT JOIN workloads w ON w.stage = t.stage AND w.workload = f.workload
    LEFT JOIN hosts h ON h.host = f.host;
";

/// A table with a row for each operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpTable {
    /// Of intervals.
    Samples,
    /// Of workers.
    Workers,
    /// Of the files of workers.
    Files,
}

/// Adds a row to one of them.
pub(super) const fn insert_op(table: OpTable) -> &'static str {
    match table {
        OpTable::Samples => {
            "INSERT INTO samples VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
        }
        OpTable::Workers => {
            "INSERT INTO worker_ops VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
        }
        OpTable::Files => {
            "INSERT INTO worker_file_ops VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
        }
    }
}
