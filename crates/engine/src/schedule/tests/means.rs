//! What the workers of a stage need of the host together.

use super::*;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::engine::Memory;
use leadline_model::plan::part::FilePart;
use leadline_model::plan::{Engine, EngineKind, Fill, Payload, Power};

/// A host with little of everything, on which `/f` and `/g` are files.
struct Small {
    table: Table,
    /// CPUs that are online.
    cpus: u32,
    /// I/Os of native AIO.
    aio: u64,
    memory: u64,
    huge_pages: u64,
    lockable: u64,
    open_files: u64,
    threads: u64,
    /// Powers that `/g` does not have, nor files that are to be made in `/no`.
    lacks: Vec<Power>,
    /// Whether these can be mapped.
    maps: bool,
    /// Whether buffered writes to these can be asked not to wait (RWF_NOWAIT).
    nowait_writes: bool,
}

impl Default for Small {
    fn default() -> Self {
        Self {
            table: Table::with(&[("/f", file(MIB)), ("/g", file(MIB))]),
            cpus: 2,
            aio: 64,
            memory: 8 * MIB,
            huge_pages: 4 * MIB,
            lockable: 2 * MIB,
            open_files: 80,
            threads: 20,
            lacks: Vec::new(),
            maps: true,
            nowait_writes: true,
        }
    }
}

impl HostFacts for Small {
    fn path_kind(&self, path: &Path) -> PathKind {
        self.table.path_kind(path)
    }
    fn free_bytes(&self, path: &Path) -> Option<u64> {
        self.table.free_bytes(path)
    }
    fn engine_lacks(&self, engine: &Engine, depth: u32) -> Option<Bar> {
        let cpu = engine.poll_cpu.filter(|cpu| *cpu >= self.cpus)?;
        Some(Bar {
            code: ErrorCode::HostLacks,
            text: format!("no CPU {cpu} for a queue of {depth}"),
            cure: "take another".into(),
            refused: false,
        })
    }
    fn in_flight_lacks(&self, kind: EngineKind, ios: u64) -> Option<Bar> {
        let lacks = kind == EngineKind::Libaio && ios > self.aio;
        lacks.then(|| Bar {
            code: ErrorCode::Limit,
            text: format!("no room for {ios}"),
            cure: "ask for less".into(),
            refused: false,
        })
    }
    fn takes(&self, path: &Path, power: Power) -> Option<bool> {
        let few = path == Path::new("/g") || path.starts_with("/no");
        few.then(|| !self.lacks.contains(&power))
    }
    fn maps(&self, path: &Path) -> Option<bool> {
        self.takes(path, Power::Nowait).map(|_| self.maps)
    }
    fn takes_buffered_nowait_writes(&self, path: &Path) -> Option<bool> {
        self.takes(path, Power::Nowait).map(|_| self.nowait_writes)
    }
    fn memory(&self) -> Option<u64> {
        Some(self.memory)
    }
    fn lockable(&self) -> Option<u64> {
        Some(self.lockable)
    }
    fn huge_pages(&self) -> Option<u64> {
        Some(self.huge_pages)
    }
    fn open_files(&self) -> Option<u64> {
        Some(self.open_files)
    }
    fn threads(&self) -> Option<u64> {
        Some(self.threads)
    }
}

/// What is wrong with stages of these workloads, before the first of them; and what is wrong with the last alone.
fn both(host: &Small, stages: &[Vec<Workload>]) -> (Vec<Problem>, Vec<Problem>) {
    let stage = |workloads: &Vec<Workload>| Stage {
        workloads: workloads.clone(),
        ..Stage::default()
    };
    let stages: Vec<Stage> = stages.iter().map(stage).collect();
    let last = compile(stages.last().unwrap(), &plan(), host, 7);
    let all = ahead(&Plan { stages, ..plan() }, host);
    (all, last.err().unwrap_or_default())
}

/// The same problem of the host is reported ahead of the first stage, and by the stage itself.
fn reported(host: &Small, stages: &[Vec<Workload>]) -> Vec<String> {
    let (all, last) = both(host, stages);
    assert_eq!(all, last);
    assert!(all.iter().all(|p| p.host && !p.refused), "{all:?}");
    all.into_iter().map(|p| p.text).collect()
}

fn reader(path: &str, kind: EngineKind) -> Workload {
    let mut w = on(&[path]);
    w.engine.kind = kind;
    w
}

#[test]
fn an_engine_that_the_host_lacks_is_reported() {
    let host = Small::default();
    let mut w = reader("/f", EngineKind::IoUring);
    w.engine.poll_submissions = true;
    w.depth = 8;
    for (cpu, expected) in [
        (1, &[][..]),
        (2, &["no CPU 2 for a queue of 8"]),
        (99, &["no CPU 99 for a queue of 8"]),
    ] {
        w.engine.poll_cpu = Some(cpu);
        let first = vec![reader("/g", EngineKind::Psync)];
        assert_eq!(reported(&host, &[first, vec![w.clone()]]), expected);
    }
    // No descriptor is needed where files are only made.
    w.blocks_mut().prepare.create_only = true;
    assert_eq!(reported(&host, &[vec![w.clone()]]), [""; 0]);
    let beside = reader("/g", EngineKind::Psync);
    assert_eq!(reported(&host, &[vec![w, beside]]).len(), 1);
}

/// A host without engines.
struct Bare(Table);

impl HostFacts for Bare {
    fn path_kind(&self, path: &Path) -> PathKind {
        self.0.path_kind(path)
    }
    fn free_bytes(&self, path: &Path) -> Option<u64> {
        self.0.free_bytes(path)
    }
    fn engine_lacks(&self, _: &Engine, depth: u32) -> Option<Bar> {
        Some(Bar {
            code: ErrorCode::HostLacks,
            text: format!("no engine for {depth}"),
            cure: "take another host".into(),
            refused: false,
        })
    }
}

#[test]
fn an_engine_is_asked_for_as_many_ios_as_it_has_in_flight() {
    let host = Bare(Table::with(&[("/f", file(MIB))]));
    let asked = |kind, depth| {
        let mut w = reader("/f", kind);
        w.depth = depth;
        let wrong = compile(&alone(w), &plan(), &host, 7).unwrap_err();
        let texts: Vec<String> = wrong.into_iter().map(|p| p.text).collect();
        texts.join(" ")
    };
    for depth in [1, 16, MAX_DEPTH] {
        let found = asked(EngineKind::IoUring, depth);
        assert_eq!(found, format!("no engine for {depth}"));
        // One I/O after the other, whatever the depth.
        assert_eq!(asked(EngineKind::Psync, depth), "no engine for 1");
    }
    // A depth that no engine has is wrong by itself.
    assert!(!asked(EngineKind::IoUring, 0).contains("no engine"));
}

/// A reader with buffers of this many bytes.
fn large(path: &str, depth: u32, block: u64, clones: u32) -> Workload {
    let mut w = reader(path, EngineKind::Libaio);
    w.blocks_mut().sizes = BlockSizes::fixed(block);
    (w.depth, w.clones) = (depth, clones);
    w
}

#[test]
fn buffers_of_all_workers_together_are_no_larger_than_memory() {
    let host = Small::default();
    let text = |all: &str| {
        format!("the buffers of all workers take {all} of memory, and 8 MiB is available")
    };
    // The workers of two workloads, one after the other and side by side.
    let half = large("/f", 2, MIB, 2);
    let (one, two) = (vec![half.clone()], vec![half.clone(), half.clone()]);
    assert_eq!(reported(&host, &[one.clone(), one]), [""; 0]);
    assert_eq!(reported(&host, &[two]), [""; 0]);
    let mut more = half.clone();
    more.name = "more".into();
    more.depth = 4;
    let found = both(&host, &[vec![half.clone(), more]]).0;
    assert_eq!(
        (found[0].text.as_str(), found.len()),
        (text("12 MiB").as_str(), 1)
    );
    assert_eq!(
        (found[0].workload.as_str(), found[0].code),
        ("more", ErrorCode::NoMemory)
    );
    // A worker that reads and writes has buffers for either.
    let mut mixed = large("/f", 8, MIB, 1);
    assert_eq!(reported(&host, &[vec![mixed.clone()]]), [""; 0]);
    mixed.blocks_mut().mix = OpMix::mixed(50);
    assert_eq!(reported(&host, &[vec![mixed.clone()]]), [text("16 MiB")]);
    // Those who only make files have none.
    mixed.blocks_mut().prepare.create_only = true;
    assert_eq!(reported(&host, &[vec![mixed]]), [""; 0]);
    let beyond = large("/f", 32_768, 1 << 50, 1);
    let found = both(&host, &[vec![beyond]]).0;
    let found: Vec<_> = found.iter().map(|p| p.text.as_str()).collect();
    let text = "32768 buffers of 1125899906842624 bytes exceed the address space";
    assert!(found.contains(&text), "{found:?}");
}

/// The workers of a workload share one buffer that writes are taken from, or one for each file.
#[test]
fn write_source_buffers_count_as_memory() {
    let host = Small::default();
    let mut w = on(&["/f", "/g"]);
    w.blocks_mut().mix = OpMix::Only(Op::Write);
    w.blocks_mut().sizes = BlockSizes::fixed(4096);
    w.clones = 4;
    let source = |size| Payload {
        fill: Fill::Source { size, file: None },
        ..Payload::default()
    };
    for (size, problems) in [(7 * MIB, 0), (8 * MIB, 1)] {
        w.blocks_mut().payload = source(size);
        assert_eq!(
            reported(&host, &[vec![w.clone()]]).len(),
            problems,
            "{size}"
        );
    }
    let blocks = w.blocks().clone();
    let part = FilePart {
        region: blocks.region,
        prepare: blocks.prepare,
        open: blocks.open,
        mix: blocks.mix,
        sizes: blocks.sizes,
        access: blocks.access,
        slots: 1,
        payload: None,
    };
    let other = FilePart {
        payload: Some(source(4 * MIB)),
        ..part.clone()
    };
    for (size, problems) in [(3 * MIB, 0), (4 * MIB, 1)] {
        w.blocks_mut().payload = source(size);
        w.blocks_mut().parts = vec![part.clone(), other.clone()];
        assert_eq!(
            reported(&host, &[vec![w.clone()]]).len(),
            problems,
            "{size}"
        );
    }
}

#[test]
fn memory_that_workers_lock_is_counted_together() {
    let host = Small::default();
    let mut w = large("/f", 1, 4096, 2);
    w.placement.lock_memory = MIB;
    assert_eq!(reported(&host, &[vec![w.clone()]]), [""; 0]);
    w.clones = 3;
    let text = "all workers are to lock 3 MiB of memory, and this process may lock 2 MiB";
    assert_eq!(reported(&host, &[vec![w]]), [text]);
}

#[test]
fn missing_huge_pages_are_reported() {
    let host = Small::default();
    // One page for each worker at least.
    let mut w = large("/f", 1, 4096, 2);
    w.placement.memory = Memory::Huge;
    assert_eq!(reported(&host, &[vec![w.clone()]]), [""; 0]);
    w.clones = 3;
    let text = "the buffers of all workers take 6 MiB of huge pages, and 4 MiB is free";
    assert_eq!(reported(&host, &[vec![w.clone()]]), [text]);
    let found = both(&host, &[vec![w]]).0;
    assert!(
        found[0].cure.text.contains("vm.nr_hugepages=3"),
        "{found:?}"
    );
}

#[test]
fn ios_in_flight_of_all_workers_of_an_engine_are_counted_together() {
    let host = Small {
        open_files: 1000,
        ..Small::default()
    };
    let w = large("/f", 16, 4096, 2);
    let mut other = w.clone();
    other.engine.kind = EngineKind::IoUring;
    let stages = [vec![w.clone(), w.clone(), other.clone()], vec![w.clone()]];
    assert_eq!(reported(&host, &stages), [""; 0]);
    let three = vec![w.clone(), other, w.clone(), w];
    assert_eq!(reported(&host, &[three]), ["no room for 96"]);
}

#[test]
fn files_and_threads_beyond_the_limits_are_reported() {
    let host = Small::default();
    // 64 descriptors for all else, and two for each worker.
    let mut w = on(&["/f", "/g"]);
    w.clones = 4;
    assert_eq!(reported(&host, &[vec![w.clone()]]), [""; 0]);
    w.clones = 5;
    let text = "10 files would be open at once (84 descriptors in all); this process may open 80";
    assert_eq!(reported(&host, &[vec![w]]), [text]);
    // Found before any of them is looked at, of which there may be millions.
    let many = of_files("$jobname.$filenum", &["/no"], u32::MAX);
    let text = "4294967295 files would be open at once (4294967361 descriptors in all); this process may open 80";
    assert_eq!(reported(&host, &[vec![many]]), [text]);
    let mut null = null(MIB);
    null.clones = 16;
    assert_eq!(reported(&host, &[vec![null.clone()]]), [""; 0]);
    null.clones = 17;
    let text = "21 threads are needed at once, and this process may start 20";
    assert_eq!(reported(&host, &[vec![null]]), [text]);
}

#[test]
fn what_a_target_does_not_take_is_reported() {
    let host = Small {
        lacks: vec![Power::Nowait, Power::Uncached, Power::AtomicWrites],
        maps: false,
        ..Small::default()
    };
    type Ask = (fn(&mut Workload), &'static str);
    let asked: [Ask; 4] = [
        (|w| w.engine.nowait = true, "RWF_NOWAIT"),
        (|w| w.engine.uncached = true, "RWF_DONTCACHE"),
        (|w| w.blocks_mut().open.atomic = true, "RWF_ATOMIC"),
        (|w| w.engine.kind = EngineKind::MAPPED, "cannot map files"),
    ];
    for (ask, word) in asked {
        for (path, problems) in [("/f", 0), ("/g", 1), ("/no/file", 1)] {
            let mut w = reader(path, EngineKind::Pvsync2);
            w.blocks_mut().region.size = Some(Amount::Bytes(MIB));
            assert_eq!(reported(&host, &[vec![w.clone()]]), [""; 0], "{path}");
            ask(&mut w);
            let found = reported(
                &host,
                &[vec![reader("/f", EngineKind::Psync)], vec![w.clone()]],
            );
            assert_eq!(found.len(), problems, "{path} {word}: {found:?}");
            let named = |text: &String| text.starts_with(path) && text.contains(word);
            assert!(found.iter().all(named), "{found:?}");
            let (all, _) = both(&host, &[vec![w]]);
            assert!(all.iter().all(|p| p.cure.knobs.len() == 1), "{all:?}");
        }
    }
    // A file system may take it of reads and of direct writes alone.
    let host = Small {
        nowait_writes: false,
        ..Small::default()
    };
    let said = "/g: this file system or kernel does not support RWF_NOWAIT for writes through the \
                page cache";
    for (mix, direct, said) in [
        (OpMix::reads(), false, ""),
        (OpMix::Only(Op::Write), true, ""),
        (OpMix::Only(Op::Write), false, said),
        (OpMix::mixed(50), false, said),
    ] {
        for kind in [EngineKind::Pvsync2, EngineKind::IoUring] {
            let mut w = reader("/g", kind);
            w.engine.nowait = true;
            (w.blocks_mut().mix, w.blocks_mut().open.direct) = (mix, direct);
            let found = reported(&host, &[vec![w]]);
            assert_eq!(found.concat(), said, "{mix:?} {direct}");
        }
    }
    // With all of them there is no problem.
    let host = Small::default();
    let mut w = reader("/g", EngineKind::Pvsync2);
    (w.engine.nowait, w.engine.uncached) = (true, true);
    assert_eq!(reported(&host, &[vec![w]]), [""; 0]);
}
