//! What is asked of the host about a whole plan, before its first stage.

use super::*;
use leadline_model::plan::access::{Distribution, Draws};
use std::cell::RefCell;

/// A host that notes the targets it is asked about, and refuses some of them.
#[derive(Default)]
struct Host {
    table: Table,
    asked: RefCell<Vec<Intent>>,
    longest: Option<u64>,
    polls: Option<bool>,
    no_priority: Option<String>,
}

impl HostFacts for Host {
    fn path_kind(&self, path: &Path) -> PathKind {
        self.table.path_kind(path)
    }
    fn free_bytes(&self, path: &Path) -> Option<u64> {
        self.table.free_bytes(path)
    }
    fn file_system(&self, path: &Path) -> Option<u64> {
        self.table.file_system(path)
    }
    fn longest_file(&self, _: &Path) -> Option<u64> {
        self.longest
    }
    fn polls(&self, _: &Path) -> Option<bool> {
        self.polls
    }
    fn priority_refused(&self, _: &leadline_model::plan::Placement) -> Option<String> {
        self.no_priority.clone()
    }
    fn bars(&self, targets: &[Intent], _: &[String]) -> Vec<(usize, Bar)> {
        self.asked.replace(targets.to_vec());
        let bar = |(at, target): (usize, &Intent)| {
            let name = target.path.file_name()?.to_str()?;
            let refused = match name {
                "mounted" => true,
                "closed" => false,
                _ => return None,
            };
            let bar = Bar {
                code: leadline_model::error_code::ErrorCode::TargetKind,
                text: format!("{name} is barred"),
                cure: "take another".into(),
                refused,
            };
            Some((at, bar))
        };
        targets.iter().enumerate().filter_map(bar).collect()
    }
}

impl Host {
    fn with(entries: &[(&str, PathKind)]) -> Self {
        Self {
            table: Table::with(entries),
            ..Self::default()
        }
    }

    /// What is wrong with stages of these workloads.
    fn problems(&self, stages: Vec<Vec<Workload>>) -> Vec<Problem> {
        let stage = |workloads| Stage {
            workloads,
            ..Stage::default()
        };
        let stages = stages.into_iter().map(stage).collect();
        ahead(&Plan { stages, ..plan() }, self)
    }

    /// The same in words.
    fn texts(&self, stages: Vec<Vec<Workload>>) -> Vec<String> {
        let problems = self.problems(stages).into_iter();
        problems.map(|problem| problem.text).collect()
    }
}

#[test]
fn the_host_is_asked_once_about_a_target_with_the_intents_of_all_workloads() {
    let host = Host::with(&[("/old", file(MIB)), ("/ready", file(MIB))]);
    let mut reader = on(&["/old"]);
    reader.blocks_mut().open.direct = true;
    // Two that delete it are as one: it goes.
    let mut last = writer("/old", MIB);
    last.blocks_mut().prepare.unlink = true;
    let mut ready = on(&["/ready"]);
    ready.blocks_mut().prepare.create_only = true;
    let others = vec![reader, last.clone(), last, writer("/new", MIB), ready];
    // What the first stage made is no longer new, and what it deleted no longer there.
    let later = vec![writer("/new", MIB), writer("/old", MIB)];
    assert_eq!(host.texts(vec![others, later]), [""; 0]);
    let of = |path: &str, makes, goes, direct| Intent {
        path: path.into(),
        makes,
        changes: true,
        goes,
        direct,
        own: None,
    };
    let expected = [
        of("/new", true, false, false),
        of("/old", false, true, true),
    ];
    assert_eq!(host.asked.take(), expected);
}

#[test]
fn a_file_that_each_loop_was_to_delete_stays() {
    let host = Host::with(&[("/old", file(MIB))]);
    let mut w = writer("/old", MIB);
    w.blocks_mut().prepare.unlink_each_loop = true;
    assert_eq!(host.texts(vec![vec![w]]), [""; 0]);
    let goes: Vec<bool> = host.asked.take().iter().map(|t| t.goes).collect();
    assert_eq!(goes, [false]);
}

#[test]
fn the_host_is_asked_about_files_that_are_only_read_to_write_from() {
    let host = Host::with(&[("/f", file(MIB)), ("/data", file(MIB))]);
    let mut w = writer("/f", MIB);
    w.blocks_mut().payload.fill = leadline_model::plan::Fill::Source {
        size: MIB,
        file: Some("/data".into()),
    };
    assert_eq!(host.texts(vec![vec![w]]), [""; 0]);
    let asked = host.asked.take();
    let changes: Vec<_> = asked.iter().map(|t| (t.path.to_str(), t.changes)).collect();
    assert_eq!(changes, [(Some("/data"), false), (Some("/f"), true)]);
}

#[test]
fn a_target_that_the_plan_may_not_use_is_no_fault_of_the_host() {
    let host = Host::with(&[("/mounted", block(MIB)), ("/closed", file(MIB))]);
    let found = host.problems(vec![vec![writer("/mounted", MIB), writer("/closed", MIB)]]);
    let found: Vec<_> = found
        .iter()
        .map(|p| (p.text.as_str(), p.host, p.refused))
        .collect();
    let expected = [
        ("closed is barred", true, false),
        ("mounted is barred", false, true),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_device_is_a_device_in_later_stages_too() {
    // As a file it would grow, and there is no space for that.
    let mut host = Host::with(&[("/device", block(MIB))]);
    host.table.free = 0;
    let stages = vec![
        vec![writer("/device", MIB)],
        vec![writer("/device", 2 * MIB)],
    ];
    assert_eq!(host.texts(stages), [""; 0]);
}

#[test]
fn folders_that_an_earlier_stage_makes_are_there() {
    let host = Host::with(&[("/d", directory())]);
    let first = writer("/d/a/b/f", MIB);
    for folder in ["/d/a", "/d/a/b"] {
        let then = host.texts(vec![vec![first.clone()], vec![writer(folder, MIB)]]);
        assert_eq!(then, [format!("{folder} is a directory")]);
    }
    let then = host.texts(vec![vec![first], vec![writer("/d/a/c", MIB)]]);
    assert_eq!(then, [""; 0]);
}

/// What follows from sizes that only the run decides is not reported before it.
#[test]
fn sizes_that_are_not_known_yet_are_not_reported() {
    let beyond = |paths: &[&str]| {
        let mut w = on(paths);
        w.blocks_mut().prepare.create = false;
        w.blocks_mut().region.offset = Amount::Bytes(1 << 30);
        w
    };
    let host = Host::with(&[]);
    let sure = writer("/f", MIB);
    let then = host.texts(vec![vec![sure.clone()], vec![beyond(&["/f"])]]);
    assert!(then[0].contains("at or beyond its end"), "{then:?}");
    // As far as its writer comes, one file or two.
    let mut as_written = sure.clone();
    as_written.blocks_mut().prepare.fallocate = Fallocate::None;
    let mut both = as_written.clone();
    both.blocks_mut().target = on(&["/f", "/g"]).blocks().target.clone();
    assert_eq!(
        host.texts(vec![vec![as_written], vec![beyond(&["/f"])]]),
        [""; 0]
    );
    assert_eq!(
        host.texts(vec![vec![both], vec![beyond(&["/f", "/g"])]]),
        [""; 0]
    );
    let mut until_full = sure.clone();
    until_full.blocks_mut().prepare.fallocate = Fallocate::Native;
    until_full.blocks_mut().region.until_full = true;
    assert_eq!(
        host.texts(vec![vec![until_full], vec![beyond(&["/f"])]]),
        [""; 0]
    );
    // Drawn when the run begins.
    let mut drawn = sure;
    drawn.blocks_mut().region.size = None;
    drawn.blocks_mut().region.file_size = Some((MIB, 2 * MIB));
    drawn.blocks_mut().access.seed = None;
    assert_eq!(
        host.texts(vec![vec![drawn.clone()], vec![beyond(&["/f"])]]),
        [""; 0]
    );
    drawn.blocks_mut().region.file_size = Some((MIB, MIB));
    let then = host.texts(vec![vec![drawn], vec![beyond(&["/f"])]]);
    assert!(then[0].contains("at or beyond its end"), "{then:?}");
}

#[test]
fn a_file_longer_than_the_file_system_allows_is_reported() {
    let mut host = Host::with(&[("/long", file(8 * MIB))]);
    host.table.free = 1 << 40;
    host.longest = Some(4 * MIB);
    let found = host.texts(vec![vec![writer("/new", 6 * MIB)]]);
    let text = "/new would be 6 MiB long, but a file there can be at most 4 MiB";
    assert_eq!(found, [text]);
    assert_eq!(host.texts(vec![vec![writer("/new", 4 * MIB)]]), [""; 0]);
    // One that is longer already shows that it can be.
    let mut again = writer("/long", 6 * MIB);
    again.blocks_mut().prepare.recreate = Some(6 * MIB);
    assert_eq!(host.texts(vec![vec![again]]), [""; 0]);
}

#[test]
fn a_priority_that_is_refused_is_reported_before_the_run_and_before_its_stage() {
    let mut host = Host::with(&[("/f", file(MIB))]);
    assert_eq!(host.texts(vec![vec![on(&["/f"])]]), [""; 0]);
    let text = "it may not have nice -5";
    host.no_priority = Some(text.to_owned());
    assert_eq!(host.texts(vec![vec![on(&["/f"])]]), [text]);
    let wrong = compile(&alone(on(&["/f"])), &plan(), &host, 7).unwrap_err();
    assert_eq!(wrong.len(), 1);
    assert_eq!(wrong[0].text, text);
}

#[test]
fn a_priority_is_reported_before_the_run_where_nothing_else_is_known() {
    let text = "it may not have nice -5";
    let stages = vec![alone(on(&["/f"]))];
    let found = ahead(&Plan { stages, ..plan() }, &Unknown(text));
    let found: Vec<_> = found.iter().map(|p| p.text.as_str()).collect();
    assert_eq!(found, [text]);
}

/// A host of which only this is known: what it refuses.
struct Unknown(&'static str);

impl HostFacts for Unknown {
    fn path_kind(&self, _: &Path) -> PathKind {
        PathKind::Missing
    }
    fn free_bytes(&self, _: &Path) -> Option<u64> {
        None
    }
    fn is_known(&self) -> bool {
        false
    }
    fn priority_refused(&self, _: &leadline_model::plan::Placement) -> Option<String> {
        Some(self.0.to_owned())
    }
}

#[test]
fn what_is_written_until_the_file_system_is_full_is_never_too_long() {
    let mut host = Host::with(&[]);
    host.longest = Some(4 * MIB);
    let mut full = writer("/new", 6 * MIB);
    full.blocks_mut().prepare.fallocate = Fallocate::Truncate;
    assert_eq!(host.texts(vec![vec![full.clone()]]).len(), 1);
    full.blocks_mut().region.until_full = true;
    assert_eq!(host.texts(vec![vec![full]]), [""; 0]);
}

/// A mapping has its size from the start, whatever is said of space for it and of who makes the file.
#[test]
fn a_mapped_file_that_is_too_long_is_reported() {
    let mut host = Host::with(&[]);
    host.table.free = 1 << 40;
    host.longest = Some(4 * MIB);
    let mut mapped = writer("/new", 6 * MIB);
    mapped.engine.kind = leadline_model::plan::EngineKind::Mmap;
    mapped.blocks_mut().prepare.fallocate = Fallocate::None;
    let text = "/new would be 6 MiB long, but a file there can be at most 4 MiB";
    for on_open in [false, true] {
        mapped.blocks_mut().prepare.create_on_open = on_open;
        assert_eq!(host.texts(vec![vec![mapped.clone()]]), [text]);
    }
}

#[test]
fn a_device_without_poll_queues_is_reported() {
    let mut w = writer("/device", MIB);
    w.engine.kind = leadline_model::plan::EngineKind::IoUring;
    w.engine.poll_completions = true;
    w.blocks_mut().open.direct = true;
    for (polls, expected) in [(None, false), (Some(true), false), (Some(false), true)] {
        let mut host = Host::with(&[("/device", block(MIB))]);
        host.polls = polls;
        let found = host.texts(vec![vec![w.clone()]]);
        let has = found
            .iter()
            .any(|text| text.contains("no device with poll queues"));
        assert_eq!(has, expected, "{polls:?} {found:?}");
    }
}

#[test]
fn on_a_host_of_which_nothing_is_known_a_device_may_be_there() {
    let stages = vec![alone(on(&["/dev/sdz"]))];
    let found = ahead(&Plan { stages, ..plan() }, &AnyHost);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_target_of_no_files_is_refused() {
    let found = texts(run(vec![on(&[])], &Table::default()));
    assert!(
        found.iter().any(|t| t.contains("names no file")),
        "{found:?}"
    );
}

#[test]
fn the_part_that_is_used_ends_where_it_is_said() {
    let of = |offset, end| {
        let mut w = on(&["/f"]);
        w.blocks_mut().region.offset = Amount::Bytes(offset);
        w.blocks_mut().region.end = Some(end);
        run(vec![w], &Table::with(&[("/f", file(MIB))]))
    };
    assert_eq!(extents(&of(4096, 16_384).unwrap()), [[(4096, 12_288)]]);
    assert_eq!(extents(&of(0, 2 * MIB).unwrap()), [[(0, MIB)]]);
    for end in [4096, 1024] {
        let found = texts(of(4096, end));
        assert!(found[0].contains("end of the used range"), "{found:?}");
    }
}

#[test]
fn a_hot_band_in_percent_ends_after_its_start() {
    let found = |low, high| {
        let mut w = on(&["/f"]);
        w.blocks_mut().region.size = Some(Amount::Bytes(MIB));
        w.blocks_mut().access.order = Order::Random {
            every: 1,
            identical: false,
        };
        w.blocks_mut().access.distribution = PerOp::splat(Distribution::HotBand { low, high });
        run(vec![w], &Table::with(&[("/f", file(MIB))])).is_err()
    };
    let percent = Amount::Percent;
    assert!(!found(percent(10), percent(20)));
    assert!(found(percent(20), percent(20)));
    assert!(found(percent(20), percent(10)));
    assert!(!found(Amount::Bytes(4096), Amount::Bytes(8192)));
    assert!(found(Amount::Bytes(8192), Amount::Bytes(4096)));
}

#[test]
fn numbers_of_diskspd_are_for_one_block_size() {
    let refused = |write: Sizes| {
        let mut w = writer("/f", MIB);
        w.blocks_mut().mix = OpMix::mixed(50);
        w.blocks_mut().access.draws = Draws::Diskspd;
        w.blocks_mut().access.coverage = Coverage::WithRepeats;
        w.blocks_mut().sizes.by_op.read = Sizes::Fixed(8192);
        w.blocks_mut().sizes.by_op.write = write;
        let found = run(vec![w], &Table::with(&[])).err().unwrap_or_default();
        found
            .iter()
            .any(|p| p.text.contains("pattern has one block size only"))
    };
    let range = |min, max| Sizes::Range {
        min,
        max,
        unaligned: false,
    };
    for (sizes, expected) in [
        (Sizes::Fixed(8192), false),
        (Sizes::Fixed(4096), true),
        (range(8192, 8192), false),
        (range(4096, 8192), true),
        (range(8192, 16_384), true),
    ] {
        assert_eq!(refused(sizes.clone()), expected, "{sizes:?}");
    }
}
