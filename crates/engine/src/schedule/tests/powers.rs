//! What a back end lacks is known from the plan: each refusal comes with the schedule, none later.

use super::{Table, alone, file, on, plan, seen_ahead};
use crate::schedule::PathKind;
use crate::schedule::compile;
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::op::Op;
use leadline_model::plan::{
    BlockSizes, EngineKind, FilePart, Fill, MapFlush, OpMix, SyncMode, Workload,
};

/// What is asked for, and the back ends whose interface to the kernel has it (io_uring_enter(2), io_submit(2),
/// preadv2(2), pread(2), mmap(2)).
type Ask = (&'static str, fn(&mut Workload), &'static [&'static str]);

const ASKED: [Ask; 8] = [
    (
        "polled completions",
        |w| w.engine.poll_completions = true,
        &["io_uring", "pvsync2"],
    ),
    (
        "submission thread",
        |w| w.engine.poll_submissions = true,
        &["io_uring"],
    ),
    ("force_async", |w| w.engine.force_async = 2, &["io_uring"]),
    (
        "nowait",
        |w| w.engine.nowait = true,
        &["io_uring", "libaio", "pvsync2"],
    ),
    (
        "uncached I/O",
        |w| w.engine.uncached = true,
        &["io_uring", "libaio", "pvsync2"],
    ),
    (
        "atomic writes",
        |w| w.blocks_mut().open.atomic = true,
        &["io_uring", "libaio", "pvsync2"],
    ),
    (
        "flushes of mapped writes",
        |w| w.engine.map_flush = MapFlush::Sync,
        &["mmap"],
    ),
    (
        "I/O priorities for each file",
        |w| w.engine.file_priorities = vec![(2, 7)],
        &["io_uring"],
    ),
];

fn table() -> Table {
    Table::with(&[("/f", file(1 << 20)), ("/g", file(1 << 20))])
}

/// A writer that any back end can do.
fn writer(engine: &str) -> Workload {
    let mut w = on(&["/f"]);
    w.engine.kind = EngineKind::named(engine).unwrap();
    w.blocks_mut().mix = OpMix::Only(Op::Write);
    w.blocks_mut().open.direct = engine != "mmap";
    w
}

#[test]
fn each_feature_is_refused_exactly_where_the_back_end_lacks_it() {
    for engine in ["io_uring", "libaio", "psync", "threads", "pvsync2", "mmap"] {
        assert!(
            seen_ahead(&table(), vec![writer(engine)]).is_empty(),
            "{engine}"
        );
        for (power, ask, owners) in ASKED {
            let mut w = writer(engine);
            ask(&mut w);
            let found = seen_ahead(&table(), vec![w]);
            let refusal = format!("{engine} has no {power}");
            assert_eq!(
                found.contains(&refusal),
                !owners.contains(&engine),
                "{refusal}: {found:?}"
            );
        }
    }
}

#[test]
fn all_missing_features_are_reported_at_once_with_how_to_do_without_and_the_engines_that_have_them()
{
    let mut w = writer("psync");
    w.engine.poll_completions = true;
    w.engine.poll_submissions = true;
    w.engine.nowait = true;
    w.engine.uncached = true;
    w.blocks_mut().open.atomic = true;
    let found = super::run(vec![w], &table()).unwrap_err();
    let said: Vec<_> = found
        .iter()
        .map(|p| (p.text.as_str(), p.cure.text.as_str(), p.cure.knobs.clone()))
        .collect();
    let knobs = |off: Option<Knob>, names: &[&str]| -> Vec<Knob> {
        let kinds = names.iter().filter_map(|name| EngineKind::named(name));
        off.into_iter().chain(kinds.map(Knob::Engine)).collect()
    };
    let with_flags = ["io_uring", "libaio", "pvsync2"];
    let expected = [
        (
            "psync has no polled completions",
            Some(Knob::NoPolling),
            &["io_uring", "pvsync2"][..],
        ),
        ("psync has no submission thread", None, &["io_uring"]),
        ("psync has no nowait", Some(Knob::MayWait), &with_flags),
        (
            "psync has no uncached I/O",
            Some(Knob::KeepCached),
            &with_flags,
        ),
        (
            "psync has no atomic writes",
            Some(Knob::NotAtomic),
            &with_flags,
        ),
    ];
    let expected = expected.map(|(what, off, names)| (what, "turn it off", knobs(off, names)));
    assert_eq!(said, expected);
    assert!(found.iter().all(|p| p.code == ErrorCode::EngineLacks));
}

#[test]
fn what_does_no_io_takes_every_order() {
    for kind in [EngineKind::NULL, EngineKind::SIMULATED] {
        for (power, ask, _) in ASKED {
            let mut w = super::pretended(kind);
            ask(&mut w);
            w.blocks_mut().open.direct = true;
            assert!(seen_ahead(&table(), vec![w]).is_empty(), "{power}");
        }
    }
}

#[test]
fn what_needs_direct_io_is_refused_without_it() {
    let mut polled = writer("io_uring");
    polled.engine.poll_completions = true;
    let mut atomic = writer("libaio");
    atomic.blocks_mut().open.atomic = true;
    for (mut w, words) in [
        (polled, "io_uring polls for completions of direct I/O only"),
        (atomic, "only direct writes can be atomic"),
    ] {
        assert!(seen_ahead(&table(), vec![w.clone()]).is_empty());
        w.blocks_mut().open.direct = false;
        assert_eq!(seen_ahead(&table(), vec![w]), [words]);
    }
}

#[test]
fn a_mapping_has_its_bounds_from_the_plan() {
    type Change = (fn(&mut Workload), &'static str);
    let changes: [Change; 4] = [
        (
            |w| w.blocks_mut().open.direct = true,
            "mmap cannot do direct or synchronous I/O",
        ),
        (
            |w| w.blocks_mut().open.sync = SyncMode::Dsync,
            "mmap cannot do direct or synchronous I/O",
        ),
        (
            |w| w.blocks_mut().region.until_full = true,
            "needs its size before the start",
        ),
        (
            |w| w.blocks_mut().sizes = BlockSizes::fixed((32 << 20) + 4096),
            "one I/O of mmap transfers at most 32 MiB",
        ),
    ];
    for (change, words) in changes {
        let mut w = writer("mmap");
        change(&mut w);
        let found = seen_ahead(&Table::with(&[("/f", file(1 << 30))]), vec![w]);
        assert!(
            found.iter().any(|text| text.contains(words)),
            "{words}: {found:?}"
        );
    }
    let mut longest = writer("mmap");
    longest.blocks_mut().sizes = BlockSizes::fixed(32 << 20);
    assert!(seen_ahead(&Table::with(&[("/f", file(1 << 30))]), vec![longest]).is_empty());
}

#[test]
fn a_part_of_a_workload_asks_as_the_whole_does() {
    let mut w = on(&["/f", "/g"]);
    w.engine.kind = EngineKind::named("mmap").unwrap();
    let all = w.blocks().clone();
    let part = |direct| FilePart {
        region: all.region.clone(),
        prepare: all.prepare.clone(),
        open: leadline_model::plan::OpenMode { direct, ..all.open },
        mix: all.mix,
        sizes: all.sizes.clone(),
        access: all.access.clone(),
        slots: 1,
        payload: None,
    };
    w.blocks_mut().parts = vec![part(false), part(true)];
    let found = seen_ahead(&table(), vec![w]);
    assert!(
        found.iter().any(|text| text.contains("cannot do direct")),
        "{found:?}"
    );
}

#[test]
fn what_writes_are_taken_from_is_looked_for_before_anything_is_made() {
    let host = Table::with(&[("/f", file(1 << 20)), ("/empty", file(0)), ("/d", file(9))]);
    let from = |path: &str| {
        let mut w = writer("psync");
        w.blocks_mut().payload.fill = Fill::Source {
            size: 1 << 20,
            file: Some(path.to_owned()),
        };
        w
    };
    assert!(seen_ahead(&host, vec![from("/d")]).is_empty());
    assert_eq!(
        seen_ahead(&host, vec![from("/none")]),
        ["the data source /none does not exist"]
    );
    assert_eq!(
        seen_ahead(&host, vec![from("/empty")]),
        ["/empty is empty: it has no data to write"]
    );
    let folder = Table::with(&[
        ("/f", file(1 << 20)),
        ("/folder", PathKind::Other("a directory".into())),
        ("/closed", PathKind::Unreachable("permission denied".into())),
        ("/dev/zero", PathKind::Other("a character device".into())),
    ]);
    for (path, expected) in [
        (
            "/folder",
            &["/folder is a directory: it has no data to write"][..],
        ),
        ("/closed", &["/closed cannot be reached: permission denied"]),
        ("/dev/zero", &[]),
    ] {
        assert_eq!(seen_ahead(&folder, vec![from(path)]), expected);
    }
    let mut reader = from("/none");
    reader.blocks_mut().mix = OpMix::Only(Op::Read);
    assert!(seen_ahead(&host, vec![reader]).is_empty());
}

#[test]
fn a_stage_with_two_clocks_is_refused_by_its_schedule() {
    let stage = leadline_model::plan::Stage {
        workloads: vec![writer("psync"), super::pretended(EngineKind::SIMULATED)],
        ..alone(writer("psync"))
    };
    let found = compile(&stage, &plan(), &table(), 1).unwrap_err();
    assert!(found[0].text.contains("have no common clock"), "{found:?}");
}
