//! Round trips, dead writers, strange files.

mod long;

use super::*;
use crate::fixture;
use crate::run::Run;
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::event::{Event, Outcome};
use leadline_model::failure::Failure;
use leadline_model::finding::Severity;
use leadline_model::op::Op;
use leadline_model::plan::Target;
use leadline_model::sample::{Counts, EndReason, Moments};
use leadline_model::units::Nanos;
use rusqlite::Connection;
use std::path::Path;

fn write(path: &Path, events: &[Event]) {
    let mut writer = Writer::create(path).unwrap();
    events.iter().for_each(|event| writer.event(event).unwrap());
    writer.finish().unwrap();
}

/// Five I/Os in 49 us after the last whole interval are no rate of 100,000 a second.
#[test]
fn the_series_for_people_has_no_rate_of_a_rest() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.leadline");
    let mut events = fixture::events();
    let at = events
        .iter()
        .rposition(|e| matches!(e, Event::Interval(s) if s.stage == 0))
        .unwrap();
    let Event::Interval(last) = &events[at] else {
        panic!("an interval")
    };
    let mut rest = last.clone();
    rest.interval += 1;
    (rest.start.0, rest.length) = (rest.start.0 + rest.length.0, Nanos(49_000));
    events.insert(at + 1, Event::Interval(rest));
    write(&path, &events);
    let db = Connection::open(&path).unwrap();
    let count = |what: &str| {
        let sql = format!("SELECT count(*) FROM series WHERE stage = 0 AND {what}");
        db.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!((count("iops IS NULL"), count("mib_per_s IS NULL")), (1, 1));
    assert_eq!((count("iops > 10000"), count("iops > 0")), (0, 7));
}

/// Two files of a worker, the second without I/O.
fn all_on_one_file(counts: &Counts) -> Vec<Counts> {
    let first = Counts {
        ops: counts.ops.clone(),
        ..Counts::default()
    };
    vec![first, Counts::default()]
}

/// Events that use every field: errors, ends, an added stage, a stage started twice, extreme numbers.
fn rich_events() -> Vec<Event> {
    let mut events = fixture::events();
    let last = events.len() - 1;
    let stage = fixture::plan(vec![(
        "added",
        vec![leadline_model::plan::Workload::new(
            "x",
            Target::Null { size: 1 << 40 },
        )],
    )]);
    let mut load = fixture::Load::simple(Op::Trim, 3, u64::from(u32::MAX), 1 << 43, 2);
    load.open = true;
    load.adjust = |w| {
        w.seed = u64::MAX;
        w.errors = vec![(Op::Trim, 5, 3), (Op::Sync, 28, 1)];
        w.end = EndReason::failed(ErrorCode::Io, 5, "trim of \"x\" failed");
        w.first_submit = None;
        (w.unissued, w.edge) = (1 << 63, i64::MIN);
    };
    let started = |stage, at| Event::StageStarted {
        stage,
        at,
        wall_ms: 7,
    };
    let mut more = vec![
        Event::StageAdded(Box::new(stage.stages[0].clone())),
        Event::Preparing {
            stage: 2,
            what: "laying out".into(),
            done: 1,
            total: 2,
        },
        started(2, Nanos::from_secs(20)),
        Event::Tick(Box::default()),
    ];
    more.extend(fixture::workload_events(2, 0, &load));
    for event in &mut more {
        if let Event::Interval(sample) = event {
            let reads = Moments {
                ios: 3,
                sum: u64::MAX,
                sum_squares: 0.5e38,
                min: 1,
                max: 1 << 60,
            };
            sample.moments = vec![[(Op::Read, reads)].into_iter().collect(); 2];
        }
        if let Event::WorkerEnded(totals) = event {
            totals.files = all_on_one_file(&totals.counts);
        }
    }
    more.extend((0..3).map(|interval| fixture::processors(1, 2, interval)));
    // The same stage once more, and one of a stage that never started.
    more.push(started(2, Nanos::from_secs(30)));
    more.extend(fixture::workload_events(2, 0, &load));
    more.push(fixture::processors(0, 2, 0));
    more.push(fixture::processors(0, 9, 0));
    more.extend(fixture::workload_events(9, 0, &load));
    more.push(Event::StageEnded {
        stage: 9,
        at: Nanos(1),
        disks: vec![],
        cpus: vec![],
        counted: vec![],
    });
    events.splice(last..last, more);
    if let Some(Event::RunEnded { outcome, .. }) = events.last_mut() {
        let cure = ("a \u{1F6A2}", [Knob::Size]);
        *outcome = Outcome::Failed(Failure::new(ErrorCode::NoSpace, "no \u{1F6A2}", cure));
    }
    events
}

#[test]
fn a_run_file_gives_back_what_the_live_events_made() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a run.leadline");
    let events = rich_events();
    write(&path, &events);
    let run = open(&path).unwrap();
    let live = fixture::run_of(&events);
    assert_eq!(live.stages.len(), 4);
    assert_eq!(live.plan.as_ref().unwrap().stages.len(), 3);
    let counts: Vec<_> = run.stages.iter().map(|s| s.processors.len()).collect();
    assert_eq!(counts, [0, 0, 3, 1]);
    assert_eq!(run, live);
    // One single file is left.
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_run_over_hosts_is_read_back_with_host_events() {
    use leadline_model::event::{HostNews, HostState};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hosts.leadline");
    let mut events = fixture::hosts_events();
    let states = [
        HostState::Started {
            stage: 0,
            late: -250,
        },
        HostState::Lost {
            stage: Some(1),
            why: Failure::new(ErrorCode::HostLost, "no word for 10 s", "look at it"),
        },
        HostState::Lost {
            stage: None,
            why: Failure::new(ErrorCode::Permission, "Host key verification failed.", ""),
        },
    ];
    for (host, what) in (0_u32..).zip(states) {
        let at = Nanos::from_millis(7);
        events.push(Event::Host(Box::new(HostNews { host, at, what })));
    }
    write(&path, &events);
    let run = open(&path).unwrap();
    let live = fixture::run_of(&events);
    assert_eq!(live.hosts.len(), 6);
    assert_eq!(live.stages[1].points.len(), 12);
    assert_eq!(run, live);
    let rows: (i64, String) = Connection::open(&path)
        .unwrap()
        .query_row(
            "SELECT sum(ios), host_label FROM series WHERE host = 2 AND stage = 0",
            [],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )
        .unwrap();
    assert_eq!(rows, (5 * 400, "c".to_owned()));
}

/// Each query of the documentation finds something in a run on one host or on several, in each column.
#[test]
fn the_queries_of_the_documentation_work() {
    const PAGE: &str = include_str!("../../../../docs/reference/run-file.md");
    let directory = tempfile::tempdir().unwrap();
    let runs = [rich_events(), fixture::hosts_events()];
    let runs = [0, 1].map(|number: usize| {
        let path = directory.path().join(format!("{number}.leadline"));
        write(&path, &runs[number]);
        Connection::open(&path).unwrap()
    });
    let queries = PAGE.split("```sql\n").skip(1);
    let queries: Vec<&str> = queries
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(queries.len() >= 5, "{queries:?}");
    for query in queries {
        let mut filled = Vec::new();
        for db in &runs {
            let mut statement = db.prepare(query).unwrap();
            filled.resize(statement.column_count(), false);
            let mut rows = statement.query([]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                for (column, filled) in filled.iter_mut().enumerate() {
                    *filled |= row.get_ref(column).unwrap() != rusqlite::types::ValueRef::Null;
                }
            }
        }
        // One of them is about stalls, and these runs have none.
        let stalls = query.contains("HAVING sum(ios) = 0");
        assert!(stalls || filled.iter().all(|f| *f), "{query}: {filled:?}");
    }
}

/// A later version may count operations that this one does not know: all else is read as it was.
#[test]
fn operations_of_a_later_version_are_skipped() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("later.leadline");
    write(&path, &rich_events());
    let db = Connection::open(&path).unwrap();
    for (table, op) in [("worker_ops", "write"), ("worker_file_ops", "trim")] {
        let change = format!("UPDATE {table} SET op = 'rename' WHERE op = '{op}'");
        assert!(db.execute(&change, []).unwrap() > 0, "{table}");
    }
    let errors = r#"UPDATE workers SET errors = '[["rename",5,2],["read",5,1]]'"#;
    db.execute(errors, []).unwrap();
    drop(db);
    let (whole, read) = (fixture::run_of(&rich_events()), open(&path).unwrap());
    let workers = |run: &Run| -> Vec<_> {
        let all = run.stages.iter().flat_map(|s| &s.workers);
        all.cloned().collect()
    };
    for (before, after) in workers(&whole).iter().zip(workers(&read)) {
        assert_eq!(after.counts.op(Op::Write), None);
        assert_eq!(after.counts.op(Op::Read), before.counts.op(Op::Read));
        assert_eq!(after.files.len(), before.files.len());
        assert!(after.files.iter().all(|f| f.op(Op::Trim).is_none()));
        assert_eq!(after.errors, [(Op::Read, 5, 1)]);
    }
}

#[test]
fn anything_in_place_of_a_table_is_refused() {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
    for (change, part) in [
        (
            format!(
                "DROP TABLE meta; CREATE VIEW meta AS {endless} SELECT i AS key, i AS value FROM n"
            ),
            "its table \"meta\" does not match",
        ),
        (
            "DROP TABLE facts; CREATE TABLE facts(id INTEGER PRIMARY KEY, section, subject, name,
             value AS (zeroblob(1000000000)), host)"
                .to_owned(),
            "its table \"facts\" does not match",
        ),
        (
            format!("DROP VIEW series; CREATE VIEW series AS {endless} SELECT i FROM n"),
            "its view \"series\" does not match",
        ),
        (
            "DROP TABLE plan; CREATE TEMP TABLE plan(id, json)".to_owned(),
            "its table \"plan\" is missing",
        ),
        (
            "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM samples; END".to_owned(),
            "it has a trigger, \"t\"",
        ),
        (
            "ALTER TABLE workers DROP COLUMN waits".to_owned(),
            "its table \"workers\" does not match",
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v.leadline");
        write(&path, &fixture::events());
        let db = Connection::open(&path).unwrap();
        db.execute_batch(&change).unwrap();
        drop(db);
        let error = open(&path).unwrap_err();
        assert!(matches!(error, StoreError::NotARun { .. }), "{error}");
        assert!(error.to_string().contains(part), "{change}: {error}");
        assert!(list(dir.path()).unwrap()[0].problem.is_some(), "{change}");
    }
}

/// What users add to look at their figures stays theirs.
#[test]
fn tables_and_views_of_a_user_are_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("v.leadline");
    write(&path, &fixture::events());
    let db = Connection::open(&path).unwrap();
    db.execute_batch(
        "CREATE VIEW mine AS SELECT max(iops) FROM series; CREATE TABLE note(text);
         CREATE INDEX by_op ON samples(op)",
    )
    .unwrap();
    drop(db);
    assert_eq!(open(&path).unwrap(), fixture::run());
}

#[test]
fn an_empty_run_is_read_back_empty() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("e.leadline");
    write(&path, &[]);
    assert_eq!(open(&path).unwrap(), Run::default());
}

#[test]
fn a_file_is_never_overwritten_and_the_next_name_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.v1.leadline");
    write(&path, &fixture::events());
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(Writer::create(&path), Err(StoreError::Exists(_))));
    let second = Writer::create_beside(&path).unwrap();
    assert_eq!(second.path(), dir.path().join("r.v1-2.leadline"));
    let third = Writer::create_beside(&path).unwrap();
    assert_eq!(third.path(), dir.path().join("r.v1-3.leadline"));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn others_read_while_it_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.leadline");
    let mut writer = Writer::create(&path).unwrap();
    let events = fixture::events();
    events[..8]
        .iter()
        .for_each(|event| writer.event(event).unwrap());
    let seen = open(&path).unwrap();
    assert!(seen.outcome.is_none() && seen.plan.is_some());
    // Committed once a second of the run's time: all but the second that is under way.
    assert!(
        seen.stages[0].samples.len() >= 4,
        "{}",
        seen.stages[0].samples.len()
    );
    let other = Connection::open(&path).unwrap();
    let count: i64 = other
        .query_row("SELECT count(*) FROM series", [], |r| r.get(0))
        .unwrap();
    assert!(count >= 4);
    drop(other);
    events[8..]
        .iter()
        .for_each(|event| writer.event(event).unwrap());
    writer.finish().unwrap();
    assert_eq!(open(&path).unwrap(), fixture::run());
}

#[test]
fn a_file_whose_writer_died_opens_as_not_finished() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("live.leadline");
    let mut writer = Writer::create(&path).unwrap();
    let events = fixture::events();
    events[..11]
        .iter()
        .for_each(|event| writer.event(event).unwrap());
    // What a kill leaves: the file and its log as they are at this moment.
    let dead = dir.path().join("dead.leadline");
    std::fs::copy(&path, &dead).unwrap();
    let log = |p: &Path| p.with_extension("leadline-wal");
    std::fs::copy(log(&path), log(&dead)).unwrap();
    let run = open(&dead).unwrap();
    assert_eq!(run.outcome, None);
    assert!(run.stages[0].samples.len() >= 6);
    assert_eq!(
        run.stages[0].samples,
        fixture::run().stages[0].samples[..run.stages[0].samples.len()]
    );
    // The log is in the file.
    assert!(!log(&dead).exists());
    assert_eq!(open(&dead).unwrap(), run);
}

#[test]
fn sql_users_find_plain_figures() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.leadline");
    write(&path, &fixture::events());
    let db = Connection::open(&path).unwrap();
    let total: i64 = db
        .query_row(
            "SELECT sum(ios) FROM series WHERE stage_name = 'mixed' AND op = 'write' AND NOT warmup",
            [],
            |r| r.get(0),
        )
        .unwrap();
    assert_eq!(total, 5 * 1000 + 5 * 1200);
    let (p99, max): (i64, i64) = db
        .query_row(
            "SELECT max(service_p99_ns), max(service_max_ns) FROM samples WHERE op = 'read'",
            [],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )
        .unwrap();
    assert!(p99 > 400_000 && max >= p99);
    let rw: String = db
        .query_row(
            "SELECT json_extract(json, '$.stages[1].workloads[0].name') FROM plan",
            [],
            |r| r.get(0),
        )
        .unwrap();
    assert_eq!(rw, "paced");
    let idle: (i64, Option<i64>) = db
        .query_row(
            "SELECT ios, service_p50_ns FROM series WHERE stage = 0 AND interval = 5",
            [],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )
        .unwrap();
    assert_eq!(idle, (0, None));
}

#[test]
fn strange_files_are_refused_kindly() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let said = |name: &str| open(&path(name)).unwrap_err().to_string();
    std::fs::write(
        path("text"),
        "hello, this is no run file at all\n".repeat(200),
    )
    .unwrap();
    std::fs::write(path("empty"), "").unwrap();
    Connection::open(path("other"))
        .unwrap()
        .execute_batch("CREATE TABLE t(a)")
        .unwrap();
    write(&path("newer"), &fixture::events());
    Connection::open(path("newer"))
        .unwrap()
        .execute_batch("PRAGMA user_version = 3")
        .unwrap();
    assert!(
        said("text").contains("not an SQLite file"),
        "{}",
        said("text")
    );
    assert!(said("empty").contains("it is empty"));
    assert!(said("other").contains("another program"));
    assert!(
        said("newer").contains("format 3, written by leadline 0.1.0"),
        "{}",
        said("newer")
    );
    assert!(matches!(open(dir.path()), Err(StoreError::NotARun { .. })));
    assert!(matches!(open(&path("missing")), Err(StoreError::Io { .. })));
}

#[test]
fn a_damaged_file_is_an_error_and_never_a_panic() {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("w.leadline");
    write(&whole, &fixture::events());
    let bytes = std::fs::read(&whole).unwrap();
    let path = dir.path().join("d.leadline");
    let mut rng = fixture::Rng::new(1);
    let mut errors = 0;
    for round in 0..60 {
        let mut bytes = bytes.clone();
        if round % 2 == 0 {
            bytes.truncate(usize::try_from(rng.range(1, bytes.len() as u64)).unwrap());
        } else {
            for _ in 0..40 {
                let at = usize::try_from(rng.range(100, bytes.len() as u64)).unwrap();
                bytes[at] = rng.bits().to_le_bytes()[0];
            }
        }
        std::fs::write(&path, &bytes).unwrap();
        errors += usize::from(open(&path).is_err());
    }
    assert!(errors > 30, "{errors}");
}

#[test]
fn a_directory_is_listed_with_what_cannot_be_read() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("b.leadline"), &fixture::events());
    write(&dir.path().join("a.leadline"), &rich_events());
    std::fs::write(dir.path().join("c.leadline"), "no").unwrap();
    std::fs::write(dir.path().join("notes.txt"), "no").unwrap();
    let heads = list(dir.path()).unwrap();
    let names: Vec<_> = heads
        .iter()
        .map(|h| h.path.file_stem().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(names, ["c", "a", "b"]);
    assert!(
        heads[0]
            .problem
            .as_ref()
            .unwrap()
            .contains("not a leadline run file")
    );
    assert_eq!((heads[1].stages, heads[2].stages), (4, 2));
    assert_eq!(heads[2].outcome, Some(Outcome::Complete));
    assert_eq!(
        (heads[2].title.as_str(), heads[2].wall_ms),
        ("fixture", fixture::WALL_MS)
    );
    assert!(matches!(heads[1].outcome, Some(Outcome::Failed(_))));
    assert!(list(&dir.path().join("nowhere")).is_err());
    assert_eq!(
        open(&heads[2].path).unwrap().findings[0].severity,
        Severity::Warn
    );
}

#[test]
fn the_reference_page_names_every_table_and_its_queries_run() {
    let page = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/run-file.md"
    );
    let page = std::fs::read_to_string(page).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.leadline");
    write(&path, &fixture::events());
    let db = Connection::open(&path).unwrap();
    let mut tables = db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .unwrap();
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
    for table in tables.map(Result::unwrap) {
        assert!(
            page.contains(&format!("| {table} |")),
            "{table} is not on the page"
        );
    }
    let queries: Vec<_> = page
        .split("```sql\n")
        .skip(1)
        .map(|q| q.split("```").next().unwrap())
        .collect();
    assert_eq!(queries.len(), 5);
    for query in queries {
        let mut statement = db.prepare(query).unwrap();
        let rows = statement.query_map([], |_| Ok(())).unwrap().count();
        assert!(rows > 0, "{query}");
    }
}

/// Names the file that [`the_writer_that_is_killed`] writes.
const CHILD: &str = "LEADLINE_TEST_RUN_FILE";

#[test]
#[ignore = "the child of a_killed_writer_leaves_what_it_committed"]
fn the_writer_that_is_killed() {
    let path = std::env::var_os(CHILD).unwrap();
    let mut writer = Writer::create(Path::new(&path)).unwrap();
    let events = fixture::events();
    events[..9]
        .iter()
        .for_each(|event| writer.event(event).unwrap());
    std::process::abort();
}

#[test]
fn a_killed_writer_leaves_what_it_committed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("k.leadline");
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "--ignored",
            "store::tests::the_writer_that_is_killed",
        ])
        .env(CHILD, &path)
        .output()
        .unwrap();
    assert!(!child.status.success());
    let run = open(&path).unwrap();
    assert_eq!(run.outcome, None);
    // Nine events: the run, its facts, the stage's start, six intervals of a second.
    assert!(
        run.stages[0].samples.len() >= 5,
        "{}",
        run.stages[0].samples.len()
    );
    assert_eq!(list(dir.path()).unwrap()[0].problem, None);
    let names = std::fs::read_dir(dir.path()).unwrap();
    let names: Vec<_> = names.map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["k.leadline"]);
}
