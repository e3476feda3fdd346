//! Long runs: what was compacted comes back, to leadline and to SQL; how fast the file grows.

use super::*;
use crate::held;
use leadline_model::sample::Sample;
use rusqlite::types::Value;

/// Written with the rows of this number of intervals compacted at a time.
fn write_compacted(path: &Path, events: &[Event], intervals: usize) {
    let mut writer = Writer::create(path).unwrap();
    writer.compact_at(intervals);
    events.iter().for_each(|event| writer.event(event).unwrap());
    writer.finish().unwrap();
}

fn count(path: &Path, sql: &str) -> i64 {
    let db = Connection::open(path).unwrap();
    db.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// All rows of the view for people, means in whole nanoseconds.
fn series(path: &Path) -> Vec<Vec<Value>> {
    let db = Connection::open(path).unwrap();
    let sql = "SELECT * FROM series ORDER BY stage, start_s, workload, host, op, ios, bytes, service_p50_ns";
    let mut statement = db.prepare(sql).unwrap();
    let columns = statement.column_count();
    let means: Vec<bool> = (0..columns)
        .map(|n| statement.column_name(n).unwrap().contains("mean"))
        .collect();
    let rows = statement.query_map([], |row| {
        let value = |n: usize| match row.get(n)? {
            Value::Real(mean) if means[n] => Ok(Value::Real(mean.round())),
            other => Ok(other),
        };
        (0..columns).map(value).collect()
    });
    rows.unwrap().map(Result::unwrap).collect()
}

#[test]
fn compacted_intervals_are_read_back() {
    let dir = tempfile::tempdir().unwrap();
    for (name, events) in [("rich", rich_events()), ("hosts", fixture::hosts_events())] {
        let live = fixture::run_of(&events);
        let plain = dir.path().join(format!("{name}.leadline"));
        write(&plain, &events);
        let rows = count(&plain, "SELECT count(*) FROM intervals");
        assert_eq!(count(&plain, "SELECT count(*) FROM batches"), 0);
        for intervals in [1, 2, 3, 7, 12] {
            let path = dir.path().join(format!("{name}-{intervals}.leadline"));
            write_compacted(&path, &events, intervals);
            assert_eq!(open(&path).unwrap(), live, "{name} {intervals}");
            let left = count(&path, "SELECT count(*) FROM intervals");
            let compacted = count(&path, "SELECT sum(intervals) FROM batches");
            assert_eq!(left + compacted, rows);
            assert!(compacted > 0);
            let orphans =
                "SELECT count(*) FROM samples WHERE interval_id NOT IN (SELECT id FROM intervals)";
            assert_eq!(count(&path, orphans), 0);
        }
    }
}

#[test]
fn sql_sees_compacted_intervals_as_before() {
    let dir = tempfile::tempdir().unwrap();
    for (name, events) in [("rich", rich_events()), ("hosts", fixture::hosts_events())] {
        let plain = dir.path().join(format!("{name}.leadline"));
        let compacted = dir.path().join(format!("{name}-compacted.leadline"));
        write(&plain, &events);
        write_compacted(&compacted, &events, 12);
        assert!(
            count(
                &compacted,
                "SELECT count(*) FROM compacted WHERE intervals > 2"
            ) > 0
        );
        let (before, now) = (series(&plain), series(&compacted));
        assert_eq!(before.len(), now.len());
        for (before, now) in before.iter().zip(&now) {
            for (before, now) in before.iter().zip(now) {
                let same = match (before, now) {
                    // A mean of whole nanoseconds after another's fraction.
                    (Value::Real(a), Value::Real(b)) => (a - b).abs() <= 1.0,
                    (a, b) => a == b,
                };
                assert!(same, "{before:?} {now:?}");
            }
        }
    }
}

#[test]
fn a_writer_that_dies_after_compaction_leaves_each_interval_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("live.leadline");
    let events = fixture::events();
    let whole = fixture::run();
    let mut writer = Writer::create(&path).unwrap();
    writer.compact_at(3);
    for (number, event) in events.iter().enumerate() {
        writer.event(event).unwrap();
        // What a kill leaves: the file and its log as they are at this moment.
        let dead = dir.path().join(format!("dead-{number}.leadline"));
        std::fs::copy(&path, &dead).unwrap();
        let log = |p: &Path| p.with_extension("leadline-wal");
        std::fs::copy(log(&path), log(&dead)).unwrap();
        let run = open(&dead).unwrap();
        for (stage, of_whole) in run.stages.iter().zip(&whole.stages) {
            let samples = &stage.samples;
            assert_eq!(*samples, of_whole.samples[..samples.len()]);
        }
        // All but the second that is under way.
        if let Event::Interval(sample) = event
            && sample.workload == 0
        {
            let stage = &run.stages[sample.stage as usize];
            assert!(stage.samples.len() as u64 >= sample.interval, "{number}");
        }
    }
}

/// A stage of a hundred workloads, in virtual time.
struct Long {
    interval: Nanos,
    /// What a workload reports of an interval, one after the other.
    counts: Vec<Counts>,
}

impl Long {
    /// One I/O at a time, 50 ms each.
    fn quiet(interval: Nanos) -> Self {
        let ios = interval.0 / 50_000_000;
        let counts = vec![reads(ios, || 50_000_000)];
        Self { interval, counts }
    }

    /// One at a time, evenly from 0.5 to 1.5 ms, one in 1000 twenty times as long.
    fn noisy(interval: Nanos) -> Self {
        let mut rng = fixture::Rng::new(1);
        let mut service = || {
            let long = if rng.range(0, 1000) == 0 { 20 } else { 1 };
            rng.range(500_000, 1_500_000) * long
        };
        let ios = interval.0 / 1_000_000;
        let counts = (0..97).map(|n| reads(ios - n % 10, &mut service)).collect();
        Self { interval, counts }
    }

    fn begin() -> [Event; 2] {
        let reads = leadline_model::plan::OpMix::reads();
        let one = fixture::workload("w", reads, 4096, 1, 60);
        let plan = Box::new(fixture::plan(vec![("s", vec![one; 100])]));
        let (stage, at, wall_ms) = (0, Nanos::ZERO, 0);
        [
            Event::RunStarted { plan, wall_ms },
            Event::StageStarted { stage, at, wall_ms },
        ]
    }

    fn sample(&self, workload: u32, interval: u64) -> Event {
        let turn = interval * 7 + u64::from(workload);
        let counts = &self.counts[usize::try_from(turn).unwrap() % self.counts.len()];
        let data = counts.op(Op::Read).unwrap();
        Event::Interval(Box::new(Sample {
            host: 0,
            stage: 0,
            workload,
            interval,
            start: Nanos(interval * self.interval.0),
            length: self.interval,
            warmup: false,
            counts: counts.clone(),
            workers: vec![(data.ios, data.bytes)],
            moments: Vec::new(),
        }))
    }

    /// Gives all events of this number of seconds to both, as a run does.
    fn write(&self, path: &Path, seconds: u64) -> Run {
        let mut writer = Writer::create(path).unwrap();
        let mut run = Run::default();
        let mut take = |event: &Event| {
            run.apply(event);
            writer.event(event).unwrap();
        };
        Self::begin().iter().for_each(&mut take);
        for interval in 0..seconds * Nanos::SECOND.0 / self.interval.0 {
            (0..100).for_each(|workload| take(&self.sample(workload, interval)));
        }
        writer.finish().unwrap();
        run
    }
}

fn reads(ios: u64, mut service: impl FnMut() -> u64) -> Counts {
    let mut counts = Counts::default();
    let op = counts.op_mut(Op::Read);
    (op.ios, op.bytes) = (ios, ios * 4096);
    (0..ios).for_each(|_| op.service.record(service()));
    counts.depths.level[0] = ios;
    counts.depths.submit[1] = ios;
    counts.depths.complete[1] = ios;
    counts.pack();
    counts
}

/// Megabytes that an hour adds to the file.
fn growth(long: &Long) -> f64 {
    let dir = tempfile::tempdir().unwrap();
    let size = |seconds| {
        let path = dir.path().join(format!("{seconds}.leadline"));
        long.write(&path, seconds);
        std::fs::metadata(&path).unwrap().len() as f64
    };
    // Rows of both were compacted: 60,000 intervals lie between them.
    let seconds = |intervals| intervals * long.interval.0 / Nanos::SECOND.0;
    let (few, many) = (seconds(200), seconds(800));
    (size(many) - size(few)) / 1e6 * 3600.0 / (many - few) as f64
}

#[test]
fn the_file_of_a_hundred_workloads_grows_by_less_than_30_mb_an_hour() {
    let second = growth(&Long::quiet(Nanos::SECOND));
    let half = growth(&Long::quiet(Nanos::from_millis(500)));
    let noisy = growth(&Long::noisy(Nanos::SECOND));
    println!("MB an hour by the second {second:.1}, by half a second {half:.1}; noisy {noisy:.1}");
    assert!(second < 10.0, "{second}");
    assert!(half < 20.0, "{half}");
    assert!(noisy < 200.0, "{noisy}");
}

/// Reading a long run takes no more memory than the run did: old samples are joined as they come.
#[test]
fn a_long_run_is_as_coarse_when_it_is_read_as_when_it_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("long.leadline");
    let run = Long::quiet(Nanos::SECOND).write(&path, 1600);
    assert!(count(&path, "SELECT count(*) FROM batches") >= 4);
    let held: usize = run.stages[0].samples.iter().map(held::bytes_of).sum();
    assert!(held <= 128 << 20 && run.stages[0].samples.len() < 160_000);
    assert_eq!(open(&path).unwrap(), run);
    assert_eq!(open_whole(&path).unwrap().stages[0].samples.len(), 160_000);
}

/// A day of a hundred workloads, each with one sample a second: prints what docs/reference/run-file.md says of it.
/// `HOURS` and `NOISY` in the environment change it.
#[test]
#[ignore = "takes minutes; prints figures for the documentation"]
fn a_day_of_a_hundred_workloads() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("day.leadline");
    let given = |name| std::env::var(name).ok();
    let hours = given("HOURS").map_or(24, |text| text.parse().unwrap());
    let (kind, long) = match given("NOISY") {
        Some(_) => ("noisy", Long::noisy(Nanos::SECOND)),
        None => ("quiet", Long::quiet(Nanos::SECOND)),
    };
    let most = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM"));
        line.unwrap_or_default().to_owned()
    };
    let run = long.write(&path, hours * 3600);
    let bytes = std::fs::metadata(&path).unwrap().len() as f64;
    println!(
        "{kind}, {hours} h: {:.1} MB an hour",
        bytes / 1e6 / hours as f64
    );
    println!("written: {}", most());
    let samples = run.stages[0].samples.len();
    drop(run);
    let read = open(&path).unwrap();
    assert_eq!(read.stages[0].samples.len(), samples);
    println!("and read: {}, {samples} samples", most());
    let json = crate::render::json::json(&read).unwrap().len();
    let page = crate::render::html::page(&read, crate::fixture::no_recipe).len();
    println!("and reported: {}, {json} and {page} bytes", most());
}

/// Renews a seed of the fuzz target `run_file`: `cargo test -p leadline-results -- --ignored seed`.
#[test]
#[ignore = "writes fuzz/seeds/run_file/long"]
fn the_seed_of_a_long_run() {
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/run_file/long");
    let _ = std::fs::remove_file(&seed);
    let mut events = rich_events();
    // The fixture's load of some thousand buckets is left out.
    events.retain(|event| !matches!(event, Event::WorkerEnded(totals) if totals.stage == 1));
    write_compacted(&seed, &events, 10);
    assert!(count(&seed, "SELECT count(*) FROM batches") > 0);
    let size = std::fs::metadata(&seed).unwrap().len();
    assert!(size < 200 << 10, "{size}");
}
