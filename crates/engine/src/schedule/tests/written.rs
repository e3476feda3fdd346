//! Space that files take by being written: what is certain to be is counted, and nothing else is.

use super::*;
use leadline_model::plan::{Access, Admission, EndsOthers, Narrow, Position, Refresh, Until};
use leadline_model::units::Percent;

const FREE: u64 = 64 * MIB;

/// A change of a workload, or of the stage it is in.
type Change = fn(&mut Stage);

/// A stage of one workload that writes 100 MiB to a new file in order, without claiming any of it first.
fn stage() -> Stage {
    let mut w = writer("/new", 100 * MIB);
    w.blocks_mut().prepare.fallocate = Fallocate::None;
    alone(w)
}

fn table() -> Table {
    Table {
        free: FREE,
        ..Table::with(&[("/old", file(40 * MIB)), ("/long", file(100 * MIB))])
    }
}

fn problems(stages: Vec<Stage>, table: &Table) -> Vec<String> {
    let found = ahead(&Plan { stages, ..plan() }, table);
    found
        .into_iter()
        .map(|p| format!("{} [{}]", p.text, p.cure))
        .collect()
}

fn found(change: Change) -> Vec<String> {
    let mut stage = stage();
    change(&mut stage);
    problems(vec![stage], &table())
}

fn first(stage: &mut Stage) -> &mut Workload {
    &mut stage.workloads[0]
}

fn access(stage: &mut Stage) -> &mut Access {
    &mut first(stage).blocks_mut().access
}

fn random(stage: &mut Stage) {
    let (every, identical) = (1, false);
    access(stage).order = Order::Random { every, identical };
}

fn paths(stage: &mut Stage, paths: &[&str]) {
    let paths = paths.iter().map(|p| (*p).to_owned()).collect();
    first(stage).blocks_mut().target = Target::Paths(paths);
}

#[test]
fn what_is_certain_to_be_written_has_to_fit() {
    let text = |mib: u64| {
        format!(
            "{mib} MiB more would be written to the file system of /new, which has 64 MiB free \
             [free some space, use less, or delete files after use]"
        )
    };
    let cases: [(Change, u64); 11] = [
        (|_| (), 100),
        (random, 100),
        (|s| first(s).stop.loops = 3, 100),
        (|s| first(s).blocks_mut().prepare.create_on_open = true, 100),
        (
            |s| first(s).blocks_mut().prepare.fallocate = Fallocate::Truncate,
            100,
        ),
        (|s| access(s).position = Position::EachFile, 100),
        // As far as it is certain.
        (
            |s| first(s).stop.io_bytes = Some(Amount::Bytes(80 * MIB)),
            80,
        ),
        (|s| first(s).stop.ios = Some(80 * 256), 80),
        // The ends of workloads that end together, and errors.
        (
            |s| first(s).stop.ends_others = EndsOthers::StageTogether,
            100,
        ),
        (|s| s.until.errors = Some(1), 100),
        // What others write beside it counts too, and what is written by all of them counts once.
        (|s| first(s).clones = 4, 100),
    ];
    for (number, (change, mib)) in cases.into_iter().enumerate() {
        assert_eq!(found(change), [text(mib)], "case {number}");
    }
    // Several files, and parts of one.
    let two = found(|s| paths(s, &["/new", "/other"]));
    assert_eq!(two, [text(100).replace("/new", "/other")]);
    let parts = found(|s| {
        first(s).clones = 4;
        first(s).blocks_mut().region.offset_step = Amount::Bytes(20 * MIB);
        first(s).blocks_mut().region.size = Some(Amount::Bytes(20 * MIB));
    });
    assert_eq!(parts, [text(80)]);
    let longer = found(|s| {
        paths(s, &["/old"]);
        first(s).blocks_mut().region.size = Some(Amount::Bytes(105 * MIB));
    });
    assert_eq!(longer, [text(65).replace("/new", "/old")]);
    let appended = found(|s| {
        paths(s, &["/old"]);
        first(s).blocks_mut().region.beyond_end = Some(MIB);
        first(s).blocks_mut().region.size = Some(Amount::Bytes(120 * MIB));
    });
    assert_eq!(appended, [text(80).replace("/new", "/old")]);
    // Where space is claimed that is not written, that can be left.
    let claimed = found(|s| {
        first(s).blocks_mut().prepare.fallocate = Fallocate::Native;
        first(s).stop.runtime = Some(Nanos::SECOND);
    });
    assert!(claimed[0].contains("do not preallocate"), "{claimed:?}");
}

/// None of these is refused.
fn fit(cases: &[(&str, Change)]) {
    for (what, change) in cases {
        assert_eq!(found(*change), [""; 0], "{what}");
    }
}

#[test]
fn what_may_end_well_is_not_refused_for_its_space() {
    let cases: [(&str, Change); 9] = [
        ("it fits", |s| {
            first(s).blocks_mut().region.size = Some(Amount::Bytes(FREE));
        }),
        ("the file is long enough", |s| paths(s, &["/long"])),
        ("a run time", |s| {
            first(s).stop.runtime = Some(Nanos::SECOND);
        }),
        ("fewer bytes", |s| {
            first(s).stop.io_bytes = Some(Amount::Bytes(FREE));
        }),
        ("fewer I/Os", |s| first(s).stop.ios = Some(FREE / 4096)),
        ("fewer I/Os at random", |s| {
            random(s);
            first(s).stop.ios = Some(80 * 256);
        }),
        ("blocks written again", |s| {
            random(s);
            access(s).coverage = Coverage::WithRepeats;
        }),
        ("blocks left out", |s| {
            access(s).order = Order::Sequential { skip: 4096 };
        }),
        ("blocks far apart", |s| {
            random(s);
            first(s).blocks_mut().sizes.align.write = Some(65_536);
        }),
    ];
    fit(&cases);
}

#[test]
fn what_may_end_early_or_shrink_is_not_refused_for_its_space() {
    let cases: [(&str, Change); 14] = [
        ("data that compress", |s| {
            first(s).blocks_mut().payload.compress_percent = Percent::whole(50);
        }),
        ("equal blocks", |s| {
            first(s).blocks_mut().payload.refresh = Refresh::Never;
        }),
        ("a share of equal blocks", |s| {
            first(s).blocks_mut().payload.dedupe_percent = Percent::whole(50);
        }),
        ("zeros", |s| first(s).blocks_mut().payload.fill = Fill::Zero),
        ("full disks are no error", |s| {
            first(s).on_error.ignore.write = vec![28];
        }),
        ("an error ends it", |s| first(s).on_error.removes = Some(1)),
        ("a slow I/O ends it", |s| {
            first(s).on_error.max_latency.write = Some(Nanos::SECOND);
        }),
        ("until bytes are moved", |s| s.until.moved = Some(MIB)),
        ("until bytes are read", |s| s.until.read = Some(MIB)),
        ("until its figures are known", |s| {
            s.until.narrow = Some(Narrow {
                half_ppm: 10_000,
                least: Nanos::SECOND,
            });
        }),
        ("until so much is written", |s| {
            s.until = Until {
                written: Some(MIB),
                ..Until::default()
            };
        }),
        ("another ends it", |s| {
            let mut other = null(1 << 20);
            other.stop.ends_others = EndsOthers::Stage;
            s.workloads.push(other);
        }),
        ("others may have its turn", |s| {
            let (group, borrowable) = (1, None);
            first(s).admission = Admission::Shares { group, borrowable };
        }),
        ("it is only made", |s| {
            first(s).blocks_mut().prepare.create_only = true;
        }),
    ];
    fit(&cases);
}

/// As [`Table`], and more is known of its file systems.
struct Known {
    table: Table,
    allocated: u64,
    keeps_all: bool,
}

impl HostFacts for Known {
    fn path_kind(&self, path: &Path) -> PathKind {
        self.table.path_kind(path)
    }
    fn free_bytes(&self, path: &Path) -> Option<u64> {
        self.table.free_bytes(path)
    }
    fn allocated(&self, _: &Path) -> Option<u64> {
        Some(self.allocated)
    }
    fn keeps_all(&self, _: &Path) -> bool {
        self.keeps_all
    }
}

#[test]
fn what_the_file_system_says_of_its_space_counts() {
    let found = |name: &str, allocated: u64, keeps_all: bool, change: Change| {
        let table = table();
        let known = Known {
            table,
            allocated,
            keeps_all,
        };
        let mut stage = stage();
        paths(&mut stage, &[name]);
        change(&mut stage);
        compile(&stage, &plan(), &known, 1)
            .err()
            .map(|found| found[0].text.clone())
    };
    let zeros: Change = |s| first(s).blocks_mut().payload.fill = Fill::Zero;
    assert_eq!(found("/new", 0, false, zeros), None);
    assert!(found("/new", 0, true, zeros).is_some());
    // Beyond its end a file may have been given space before.
    let grown: Change = |s| first(s).blocks_mut().region.size = Some(Amount::Bytes(110 * MIB));
    assert!(
        found("/old", 40 * MIB, false, grown).is_some_and(|text| text.starts_with("70 MiB more"))
    );
    assert_eq!(found("/old", 46 * MIB, false, grown), None);
    let claims: Change = |s| {
        first(s).blocks_mut().region.size = Some(Amount::Bytes(110 * MIB));
        first(s).blocks_mut().prepare.fallocate = Fallocate::Native;
    };
    assert!(found("/old", 0, false, claims).is_some());
    assert_eq!(found("/old", 46 * MIB, false, claims), None);
}

#[test]
fn what_stages_write_is_summed_up_and_is_free_again_with_its_file() {
    let of = |name: &str, size: u64, change: Change| {
        let mut stage = stage();
        paths(&mut stage, &[name]);
        first(&mut stage).blocks_mut().region.size = Some(Amount::Bytes(size));
        change(&mut stage);
        stage
    };
    let half = 40 * MIB;
    let deleted: Change = |s| first(s).blocks_mut().prepare.unlink = true;
    let on_open: Change = |s| first(s).blocks_mut().prepare.create_on_open = true;
    let both: Change = |s| {
        first(s).blocks_mut().prepare.unlink = true;
        first(s).blocks_mut().prepare.create_on_open = true;
    };
    let ends_all: Change = |s| first(s).stop.ends_others = EndsOthers::All;
    let fits = [
        [of("/a", half, |_| ()), of("/a", half, |_| ())],
        [of("/a", half, deleted), of("/b", half, |_| ())],
        // How long these become is not known before; what they take at most is.
        [of("/a", half, on_open), of("/a", half, on_open)],
        [of("/a", half, both), of("/b", half, both)],
        // The first ends the run before the second begins.
        [of("/a", half, ends_all), of("/b", half, |_| ())],
    ];
    for (number, stages) in fits.into_iter().enumerate() {
        assert_eq!(
            problems(stages.to_vec(), &table()),
            [""; 0],
            "case {number}"
        );
    }
    let full = [
        [of("/a", half, |_| ()), of("/b", half, |_| ())],
        [of("/a", half, on_open), of("/b", half, |_| ())],
    ];
    for (number, stages) in full.into_iter().enumerate() {
        let found = problems(stages.to_vec(), &table());
        assert!(
            found[0].starts_with("80 MiB more would be written"),
            "case {number}: {found:?}"
        );
    }
}
