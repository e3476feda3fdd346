//! Preparing on a real file system.

use super::Host;
use super::*;
use crate::schedule::{self, compile};
use leadline_model::op::Op;
use leadline_model::plan::{Amount, Fallocate, FileSet, OpMix, Stage, Target, Workload};
use leadline_model::units::{Nanos, Percent};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const MIB: u64 = 1 << 20;

fn plan() -> Plan {
    Plan {
        interval: Nanos::SECOND,
        ..leadline_testkit::plan(vec![])
    }
}

fn on(path: &Path, size: Option<u64>) -> Workload {
    let mut w = Workload::new("w", Target::Paths(vec![path.display().to_string()]));
    w.blocks_mut().region.size = size.map(Amount::Bytes);
    w
}

fn compiled(workloads: Vec<Workload>) -> Vec<schedule::Program> {
    let stage = Stage {
        name: "s".into(),
        pause: Nanos::ZERO,
        workloads,
        ..Stage::default()
    };
    compile(&stage, &plan(), &Host::default(), 1).unwrap()
}

struct Ready {
    files: Result<Vec<Vec<OpenFile>>, PrepareError>,
    events: Vec<Event>,
    made: MadeFiles,
}

fn ready(programs: &[schedule::Program]) -> Ready {
    let mut events = Vec::new();
    let mut made = MadeFiles::default();
    let files = prepare(
        &programs.iter().collect::<Vec<_>>(),
        &mut PrepareContext {
            plan: &plan(),
            stage: 3,
            cancel: &AtomicBool::new(false),
            made: &mut made,
            holds: &mut Holds::of_run(1),
            emit: &mut |e| events.push(e),
        },
    );
    Ready {
        files,
        events,
        made,
    }
}

fn findings(events: &[Event]) -> Vec<&Finding> {
    events
        .iter()
        .filter_map(|e| match e {
            Event::Finding(f) => Some(f),
            _ => None,
        })
        .collect()
}

fn random_enough(data: &[u8]) -> bool {
    let mut seen = [0u32; 256];
    for byte in data {
        seen[usize::from(*byte)] += 1;
    }
    let mean = u32::try_from(data.len() / 256).unwrap();
    seen.iter().all(|n| *n > mean / 2 && *n < mean * 2)
}

#[test]
fn what_will_be_read_gets_real_data_that_is_not_alike() {
    let dir = tempfile::tempdir().unwrap();
    let mut w = Workload::new(
        "job",
        Target::Files(FileSet {
            directories: vec![dir.path().display().to_string()],
            pattern: "sub/$jobname.$jobnum.$filenum".into(),
            count: 2,
            name_may_be_device: false,
        }),
    );
    w.clones = 2;
    w.blocks_mut().region.size = Some(Amount::Bytes(4 * MIB));
    let programs = compiled(vec![w]);
    let r = ready(&programs);
    let files = r.files.unwrap();
    assert_eq!(files.len(), 2);
    let mut starts = std::collections::BTreeSet::new();
    for (worker, own) in files.iter().enumerate() {
        assert_eq!(own.len(), 2);
        for (i, f) in own.iter().enumerate() {
            assert!(f.path.ends_with(format!("sub/job.{worker}.{i}")));
            assert_eq!(
                (f.size, f.kind, f.direct),
                (2 * MIB, FileKind::Regular, false)
            );
            let data = fs::read(&f.path).unwrap();
            assert!(random_enough(&data));
            starts.insert(data[..64].to_vec());
            starts.insert(data[(1 << 20)..(1 << 20) + 64].to_vec());
            assert!(r.made.has(&f.path));
        }
    }
    assert_eq!(starts.len(), 8, "no two MiB are alike");
    assert!(findings(&r.events).is_empty(), "{:?}", r.events);
    let reported: Vec<(u64, u64)> = r
        .events
        .iter()
        .filter_map(|e| match e {
            Event::Preparing {
                stage: 3,
                done,
                total,
                ..
            } => Some((*done, *total)),
            _ => None,
        })
        .collect();
    assert_eq!(reported.first(), Some(&(0, 8 * MIB)));
    assert_eq!(reported.last(), Some(&(8 * MIB, 8 * MIB)));
    drop(files);
    let mut made = r.made;
    assert!(made.remove().is_empty());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_larger_file_is_neither_shortened_nor_overwritten_by_a_reader() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let data: Vec<u8> = (0..3 * MIB)
        .map(|i| u8::try_from(i % 251).unwrap())
        .collect();
    fs::write(&path, &data).unwrap();
    let before = fs::metadata(&path).unwrap();
    let r = ready(&compiled(vec![on(&path, Some(MIB))]));
    assert_eq!(r.files.unwrap()[0][0].size, 3 * MIB);
    assert_eq!(fs::read(&path).unwrap(), data);
    let after = fs::metadata(&path).unwrap();
    assert_eq!(
        (before.mtime_nsec(), before.ctime_nsec(), before.ino()),
        (after.mtime_nsec(), after.ctime_nsec(), after.ino())
    );
    assert!(!r.made.has(&path));
    let mut made = r.made;
    made.remove();
    assert!(path.exists(), "not ours, not deleted");
}

#[test]
fn a_file_that_is_recreated_loses_its_contents_and_gets_the_requested_size() {
    let dir = tempfile::tempdir().unwrap();
    for old in [None, Some(MIB / 2), Some(4 * MIB)] {
        let path = dir.path().join("f");
        if let Some(size) = old {
            fs::write(&path, vec![7; usize::try_from(size).unwrap()]).unwrap();
        }
        let mut w = on(&path, Some(MIB));
        w.blocks_mut().mix = OpMix::Only(Op::Write);
        w.blocks_mut().prepare.recreate = Some(2 * MIB);
        w.blocks_mut().payload.fill = leadline_model::plan::Fill::Pattern((0..=255).collect());
        let r = ready(&compiled(vec![w]));
        r.files.unwrap();
        let data = fs::read(&path).unwrap();
        assert_eq!(data.len() as u64, 2 * MIB);
        assert!(data.iter().zip((0..=255u8).cycle()).all(|(a, b)| *a == b));
        assert_eq!(r.made.has(&path), old.is_none());
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn what_lies_past_the_requested_end_is_not_used_and_no_file_grows_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, vec![7; 1 << 20]).unwrap();
    for (end, used) in [(MIB / 2, MIB / 2), (8 * MIB, MIB)] {
        let mut w = on(&path, None);
        w.blocks_mut().region.end = Some(end);
        let programs = compiled(vec![w]);
        assert_eq!(programs[0].extents[0].len, used);
        assert_eq!(programs[0].files[0].make_size, None);
    }
}

#[test]
fn a_smaller_file_grows_from_its_old_end() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, vec![9u8; 100_001]).unwrap();
    let r = ready(&compiled(vec![on(&path, Some(2 * MIB))]));
    assert!(r.files.is_ok());
    let now = fs::read(&path).unwrap();
    assert_eq!(now.len(), 2 << 20);
    assert!(now[..100_001].iter().all(|b| *b == 9));
    assert!(random_enough(&now[100_001..]));
}

#[test]
fn what_is_only_written_is_claimed_in_the_asked_way() {
    let dir = tempfile::tempdir().unwrap();
    let cases = [
        (Fallocate::Native, MIB, true),
        (Fallocate::Posix, MIB, true),
        (Fallocate::Keep, 0, true),
        (Fallocate::Truncate, MIB, false),
        (Fallocate::None, 0, false),
    ];
    for (mode, size, blocks) in cases {
        let path = dir.path().join(format!("{mode:?}"));
        let mut w = on(&path, Some(MIB));
        w.blocks_mut().mix = OpMix::Only(Op::Write);
        w.blocks_mut().prepare.fallocate = mode;
        let r = ready(&compiled(vec![w]));
        assert!(r.files.is_ok(), "{mode:?}");
        let meta = fs::metadata(&path).unwrap();
        assert_eq!(meta.len(), size, "{mode:?}");
        assert_eq!(meta.blocks() * 512 >= MIB, blocks, "{mode:?}");
    }
}

#[test]
fn overwriting_gets_data_first() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let mut w = on(&path, Some(MIB));
    w.blocks_mut().mix = OpMix::Only(Op::Write);
    w.blocks_mut().prepare.overwrite = true;
    ready(&compiled(vec![w])).files.unwrap();
    assert!(random_enough(&fs::read(&path).unwrap()));
}

#[test]
fn a_sparse_file_of_16_tib_starts_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let size = (16 << 40) - 4096 * 2;
    let mut w = on(&path, Some(size));
    w.blocks_mut().mix = OpMix::Only(Op::Write);
    w.blocks_mut().prepare.fallocate = Fallocate::Truncate;
    // Written to the end it would not fit.
    w.stop.runtime = Some(Nanos::SECOND);
    let r = ready(&compiled(vec![w]));
    match &r.files {
        Err(PrepareError::Environment {
            errno: Some(libc::EFBIG),
            ..
        }) => {
            leadline_testkit::skip(
                "engine::prepare::sparse_16_TiB",
                "this file system's files are smaller",
            );
            return;
        }
        other => assert!(other.is_ok(), "{other:?}"),
    }
    assert_eq!(fs::metadata(&path).unwrap().len(), size);
    assert_eq!(fs::metadata(&path).unwrap().blocks(), 0);
    // And the one that reads it gets a finding that it measures nothing.
    let r = ready(&compiled(vec![on(&path, None)]));
    assert!(r.files.is_ok());
    let found = findings(&r.events);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, "holes");
    assert!(found[0].text.starts_with("100.0 %"), "{}", found[0].text);
}

#[test]
fn unwritten_extents_are_found_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let file = fs::File::create(&path).unwrap();
    let flags = rustix::fs::FallocateFlags::empty();
    if rustix::fs::fallocate(&file, flags, 0, 4 * MIB).is_err() {
        leadline_testkit::skip(
            "engine::prepare::unwritten_extents",
            "fallocate is not supported here",
        );
        return;
    }
    std::os::unix::fs::FileExt::write_all_at(&file, &vec![1; 1 << 20], 0).unwrap();
    let r = ready(&compiled(vec![on(&path, None)]));
    assert!(r.files.is_ok());
    let found = findings(&r.events);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].stage, found[0].workload), (Some(3), Some(0)));
    assert!(found[0].text.starts_with("75.0 %"), "{}", found[0].text);
    assert!(["unwritten-extents", "holes"].contains(&found[0].code.as_str()));
    let mut writer = on(&path, None);
    writer.blocks_mut().mix = OpMix::Only(Op::Write);
    let r = ready(&compiled(vec![writer]));
    assert!(findings(&r.events).is_empty(), "only reading is in doubt");
}

#[test]
fn workers_that_share_a_file_have_descriptors_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let mut w = on(&path, Some(MIB));
    w.clones = 3;
    w.blocks_mut().region.offset_step = Amount::Bytes(MIB);
    let r = ready(&compiled(vec![w]));
    let files = r.files.unwrap();
    assert_eq!(files.iter().flatten().count(), 3);
    assert_eq!(fs::metadata(&path).unwrap().len(), 3 * MIB);
    assert!(random_enough(&fs::read(&path).unwrap()));
}

/// As the survey does when it looks what more connections bring.
#[test]
fn workers_may_share_a_file_of_leadlines_own_that_an_earlier_stage_made() {
    let dir = tempfile::tempdir().unwrap();
    let own = |pattern: &str, op, workers| {
        let files = FileSet {
            directories: vec![dir.path().display().to_string()],
            pattern: pattern.into(),
            count: 1,
            name_may_be_device: false,
        };
        let mut w = Workload::new("w", Target::Files(files));
        w.clones = workers;
        w.blocks_mut().mix = OpMix::Only(op);
        w.blocks_mut().region.size = Some(Amount::Bytes(MIB));
        w.blocks_mut().prepare.own = Some("leadline-survey".into());
        compiled(vec![w])
    };
    let (mut made, mut holds) = (MadeFiles::default(), Holds::of_run(1));
    let mut stage = |programs: &[schedule::Program]| {
        let plan = plan();
        let mut context = PrepareContext {
            plan: &plan,
            stage: 0,
            cancel: &AtomicBool::new(false),
            made: &mut made,
            holds: &mut holds,
            emit: &mut |_| {},
        };
        prepare(&programs.iter().collect::<Vec<_>>(), &mut context)
    };
    let fill = own("leadline-survey.$jobnum.$filenum", Op::Write, 1);
    let filled = stage(&fill).unwrap();
    let path = filled[0][0].path.clone();
    fs::write(&path, vec![1; 1 << 20]).unwrap();
    drop(filled);
    // Compiled when the file is there, as each stage is.
    let shared = own("leadline-survey.0.$filenum", Op::Read, 2);
    let files = stage(&shared).unwrap();
    let paths: Vec<_> = files.iter().flatten().map(|f| (&f.path, f.size)).collect();
    assert_eq!(paths, [(&path, MIB), (&path, MIB)]);
    assert_eq!(
        fs::read(&path).unwrap(),
        vec![1; 1 << 20],
        "nothing is filled again"
    );
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn unlink_deletes_afterwards_and_nothing_else_does() {
    let dir = tempfile::tempdir().unwrap();
    let (gone, kept) = (dir.path().join("gone"), dir.path().join("kept"));
    let mut a = on(&gone, Some(MIB));
    a.blocks_mut().prepare.unlink = true;
    let mut b = on(&kept, Some(MIB));
    b.blocks_mut().prepare.unlink_each_loop = true;
    let programs = compiled(vec![a, b]);
    let of_all: Vec<_> = programs.iter().collect();
    let goes: Vec<bool> = job::merge(&of_all).iter().map(|job| job.goes).collect();
    assert_eq!(goes, [true, false]);
    let mut r = ready(&programs);
    assert!(cleanup(&of_all, &mut r.made).is_empty());
    assert!(!gone.exists() && kept.exists());
    assert!(!r.made.has(&gone) && r.made.has(&kept));
}

#[test]
fn many_files_at_once_are_laid_out_as_well_as_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    let mut w = Workload::new(
        "job",
        Target::Files(FileSet {
            directories: vec![dir.path().display().to_string()],
            pattern: "f.$filenum".into(),
            count: 40,
            name_may_be_device: false,
        }),
    );
    w.blocks_mut().region.size = Some(Amount::Bytes(40 * 65536));
    w.blocks_mut().prepare.one_by_one = false;
    w.blocks_mut().prepare.open_files = Some(3);
    let r = ready(&compiled(vec![w]));
    assert_eq!(findings(&r.events)[0].code, "all-files-open");
    let mut starts = std::collections::BTreeSet::new();
    for file in &r.files.unwrap()[0] {
        let data = fs::read(&file.path).unwrap();
        assert_eq!(data.len(), 65536);
        starts.insert(data[..32].to_vec());
    }
    assert_eq!(starts.len(), 40, "no two files are alike");
}

#[test]
fn a_pattern_the_user_asked_for_is_what_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let mut w = on(&path, Some(MIB));
    w.blocks_mut().payload.fill = leadline_model::plan::Fill::Pattern(vec![0xde, 0xad]);
    ready(&compiled(vec![w])).files.unwrap();
    let data = fs::read(&path).unwrap();
    assert!(data.chunks(2).all(|c| c == [0xde, 0xad]));
}

#[test]
fn what_is_laid_out_is_what_the_workload_would_write() {
    let dir = tempfile::tempdir().unwrap();
    let laid_out = |name: &str, change: &dyn Fn(&mut Workload)| {
        let path = dir.path().join(name);
        let mut w = on(&path, Some(MIB));
        change(&mut w);
        ready(&compiled(vec![w])).files.unwrap();
        fs::read(&path).unwrap()
    };
    let zeros = |data: &[u8]| data.iter().filter(|b| **b == 0).count() * 100 / data.len();
    let half = laid_out("half", &|w| {
        w.blocks_mut().payload.compress_percent = Percent::whole(50)
    });
    assert!((49..=52).contains(&zeros(&half)), "{}", zeros(&half));
    let alike = laid_out("alike", &|w| {
        w.blocks_mut().payload.dedupe_percent = Percent::whole(75)
    });
    let blocks: std::collections::BTreeSet<&[u8]> = alike.chunks(4096).collect();
    assert!((40..90).contains(&blocks.len()), "{} of 256", blocks.len());
    let fills: [&dyn Fn(&mut Workload); 2] = [
        &|w| w.blocks_mut().payload.fill = leadline_model::plan::Fill::Zero,
        &|w| w.blocks_mut().payload.compress_percent = Percent::whole(100),
    ];
    for (i, change) in fills.iter().enumerate() {
        let data = laid_out(&format!("zero{i}"), change);
        assert!(random_enough(&data), "zeros are never laid out");
    }
}

#[test]
fn dropping_and_reading_ahead_change_what_is_cached() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, vec![1; 1 << 20]).unwrap();
    let mut w = on(&path, None);
    w.blocks_mut().prepare.drop_cache = false;
    w.blocks_mut().prepare.pre_read = true;
    ready(&compiled(vec![w.clone()])).files.unwrap();
    let Some(warm) = cached_share(&path) else {
        return leadline_testkit::skip(
            "engine::prepare::cache",
            "the cache cannot be looked at here",
        );
    };
    assert!(warm > 0.99, "{warm}");
    w.blocks_mut().prepare.drop_cache = true;
    w.blocks_mut().prepare.pre_read = false;
    ready(&compiled(vec![w])).files.unwrap();
    let cold = cached_share(&path).unwrap();
    if cold > 0.01 {
        leadline_testkit::skip("engine::prepare::cache", "this file system keeps its cache");
    }
}

/// Share of a file's pages in the cache, by reads that may not wait.
fn cached_share(path: &Path) -> Option<f64> {
    let file = fs::File::open(path).ok()?;
    let mut buffer = vec![0u8; 4096];
    let mut hits = 0;
    for page in 0..256u64 {
        let slices = &mut [std::io::IoSliceMut::new(&mut buffer)];
        match rustix::io::preadv2(
            &file,
            slices,
            page * 4096,
            rustix::io::ReadWriteFlags::NOWAIT,
        ) {
            Ok(_) => hits += 1,
            Err(rustix::io::Errno::AGAIN) => {}
            Err(_) => return None,
        }
    }
    Some(f64::from(hits) / 256.0)
}

#[test]
fn cancel_ends_the_layout() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let programs = compiled(vec![on(&path, Some(64 * MIB))]);
    let mut made = MadeFiles::default();
    let result = prepare(
        &programs.iter().collect::<Vec<_>>(),
        &mut PrepareContext {
            plan: &plan(),
            stage: 0,
            cancel: &AtomicBool::new(true),
            made: &mut made,
            holds: &mut Holds::of_run(1),
            emit: &mut |_| {},
        },
    );
    assert!(matches!(result, Err(PrepareError::Interrupted)));
    assert!(fs::metadata(&path).unwrap().len() < 64 * MIB, "not whole");
}

#[test]
fn a_lack_of_permission_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("a-file");
    fs::write(&missing, "").unwrap();
    let programs = compiled(vec![on(&dir.path().join("f"), Some(MIB))]);
    let mut broken = programs;
    broken[0].files[0].path = missing.join("below");
    let error = ready(&broken).files.unwrap_err();
    assert!(
        error.to_string().contains("is no longer accessible"),
        "{error}"
    );
    assert!(!error.cure().text.is_empty());
}

#[test]
fn descriptors_beyond_the_limit_are_refused_before_anything_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let limit = crate::os::limits::raise_open_files();
    let Some(limit) = limit.filter(|l| *l < 1 << 21) else {
        leadline_testkit::skip(
            "engine::prepare::too_many_descriptors",
            "there is no limit here",
        );
        return;
    };
    let mut w = on(&dir.path().join("f"), Some(MIB));
    w.clones = 1;
    let mut programs = compiled(vec![w]);
    let file = programs[0].files[0].clone();
    programs[0].files = vec![file; usize::try_from(limit).unwrap()];
    let error = ready(&programs).files.unwrap_err();
    assert!(error.cure().text.contains("ulimit"), "{error}");
    assert!(!dir.path().join("f").exists());
}

#[test]
fn a_file_that_is_to_grow_keeps_its_contents_and_is_written_after_them() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, vec![7; usize::try_from(3 * MIB / 2).unwrap()]).unwrap();
    let mut w = on(&path, Some(4 * MIB));
    w.blocks_mut().mix = OpMix::Only(Op::Write);
    w.blocks_mut().sizes = leadline_model::plan::BlockSizes::fixed(128 << 10);
    w.blocks_mut().region.beyond_end = Some(MIB);
    w.engine.kind = leadline_model::plan::EngineKind::Psync;
    let stage = Stage {
        name: "format".into(),
        workloads: vec![w],
        ..Stage::default()
    };
    let whole = leadline_model::plan::Plan {
        stages: vec![stage.clone(), stage],
        ..plan()
    };
    let mut ios = Vec::new();
    let interrupt = crate::run::Interrupt::default();
    crate::run::Session::new(interrupt, 1)
        .run(&whole, &mut |event| {
            if let Event::WorkerEnded(totals) = event {
                ios.push((totals.counts.data_ios(), totals.end));
            }
        })
        .unwrap();
    // From the whole MiB below its end; the second time there is nothing left to do.
    let size = leadline_model::sample::EndReason::Size;
    assert_eq!(ios, [(24, size.clone()), (0, size)]);
    let data = fs::read(&path).unwrap();
    assert_eq!(data.len() as u64, 4 * MIB);
    assert!(data[..1 << 20].iter().all(|&byte| byte == 7));
    assert!(data[1 << 20..].iter().any(|&byte| byte != 7));
}

/// What is looked at is what a worker wrote, byte for byte.
#[test]
fn first_writes_are_those_that_the_target_got() {
    use leadline_model::plan::{EngineKind, Fill, Payload, Refresh};
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("source");
    fs::write(&source, "one of several lines of text\n".repeat(1000)).unwrap();
    let from_file = Fill::Source {
        size: 1 << 16,
        file: Some(source.display().to_string()),
    };
    let cases = [
        (Fill::Random, Refresh::Stamp, 0, 0),
        (Fill::Random, Refresh::Each, 50, 0),
        (Fill::Random, Refresh::Each, 0, 50),
        (Fill::Random, Refresh::Never, 0, 0),
        (Fill::Zero, Refresh::Stamp, 0, 0),
        (Fill::Pattern(b"leadline".to_vec()), Refresh::Never, 0, 0),
        (from_file, Refresh::Each, 0, 0),
    ];
    for (number, (fill, refresh, compress, dedupe)) in cases.into_iter().enumerate() {
        let path = dir.path().join(number.to_string());
        let mut w = on(&path, Some(64 * 4096));
        w.engine.kind = EngineKind::Psync;
        w.blocks_mut().mix = OpMix::Only(Op::Write);
        w.blocks_mut().payload = Payload {
            fill,
            refresh,
            compress_percent: Percent::whole(compress),
            dedupe_percent: Percent::whole(dedupe),
            ..Payload::default()
        };
        let stage = Stage {
            name: "s".into(),
            workloads: vec![w.clone()],
            ..Stage::default()
        };
        let whole = leadline_model::plan::Plan {
            stages: vec![stage],
            ..plan()
        };
        let mut facts = Vec::new();
        let mut session = crate::run::Session::new(crate::run::Interrupt::default(), 1);
        let mut take = |event| {
            if let Event::Facts(found) = event {
                facts.extend(found);
            }
        };
        session.run(&whole, &mut take).unwrap();
        let mut made = Vec::new();
        let programs = compile(
            &whole.stages[0],
            &whole,
            &Host::default(),
            leadline_model::seed::of_stage(1, 0),
        );
        let programs = programs.unwrap();
        let each = &mut |write: &[u8]| made.extend_from_slice(write);
        written::first_writes(&programs[0], u64::MAX, each).unwrap();
        assert!(made == fs::read(&path).unwrap(), "{:?}", w.blocks().payload);
        let sampled = facts.iter().find(|f| f.key() == FactKey::WRITES_SAMPLED);
        assert!(sampled.unwrap().value.count().unwrap() > 0);
    }
}
