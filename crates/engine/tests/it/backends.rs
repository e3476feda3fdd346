//! Every back end against one table of cases, on real files.

#![expect(
    unsafe_code,
    reason = "making a back end is unsafe: its caller owns the memory"
)]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use leadline_engine::backend::aio::Aio;
use leadline_engine::backend::mmap::Mmap;
use leadline_engine::backend::null::Null;
use leadline_engine::backend::psync::Psync;
use leadline_engine::backend::pvsync2::Pvsync2;
use leadline_engine::backend::threads::Threads;
use leadline_engine::backend::uring::Uring;
use leadline_engine::backend::{Backend, Buffers, Handles, Request, Setup, SetupError};
use leadline_model::cure::Knob;
use leadline_model::op::Op;
use leadline_model::plan::Engine;
use leadline_model::units::Nanos;
use leadline_testkit::machine::LoopDevice;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::sync::Arc;

const SLOT: usize = 4096;

/// Memory for the slots of one back end.
struct Region(*mut u8, usize);

// SAFETY: plain memory; the tests use it on one thread.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    fn new(slots: u16) -> Self {
        let len = usize::from(slots) * SLOT;
        // SAFETY: a new private mapping.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(base, libc::MAP_FAILED);
        Self(base.cast(), len)
    }

    #[expect(clippy::mut_from_ref, reason = "as the kernel, which writes to it too")]
    fn slot(&self, slot: u16) -> &mut [u8] {
        // SAFETY: within the mapping; the tests hold one slot at a time, with no I/O on it.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(usize::from(slot) * SLOT), SLOT) }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: made by `new`; it is no longer used.
        unsafe { libc::munmap(self.0.cast(), self.1) };
    }
}

/// Says that a case was left out, and why.
fn skipped(case: &str, reason: &str) {
    leadline_testkit::skip(&format!("engine::backends::{case}"), reason);
}

/// Whether this host forbids the back end altogether; then the case is left out by name.
fn lacking<B: Made>(case: &str) -> bool {
    let refused = Rig::<B>::try_new(&Want::default()).err();
    let code = refused
        .as_ref()
        .and_then(|e| e.source.as_ref()?.raw_os_error());
    let forbidden = matches!(code, Some(libc::EPERM | libc::EACCES | libc::ENOSYS));
    if let (true, Some(error)) = (forbidden, refused) {
        skipped(case, &format!("{error}; {}", error.cure));
    }
    forbidden
}

/// A back end the table can make.
trait Made: Backend + Sized {
    const NAME: &'static str;
    /// How often the case of drops makes and drops it.
    const DROPS: u64;
    /// # Safety
    /// As [`Setup`] says.
    unsafe fn made(setup: &Setup<'_>) -> Result<(Self, Vec<String>), SetupError>;
}

macro_rules! made {
    ($($kind:ident $name:literal $drops:literal),*) => {$(
        impl Made for $kind {
            const NAME: &'static str = $name;
            const DROPS: u64 = $drops;
            unsafe fn made(setup: &Setup<'_>) -> Result<(Self, Vec<String>), SetupError> {
                // SAFETY: the caller's promise.
                unsafe { Self::new(setup) }
            }
        }
    )*};
}
// Giving back an AIO context takes the kernel tens of milliseconds.
made!(Aio "libaio" 50, Mmap "mmap" 1000, Psync "psync" 1000, Pvsync2 "pvsync2" 1000,
    Threads "threads" 1000, Uring "io_uring" 1000);

/// A file, memory and a back end on them.
struct Rig<B> {
    backend: B,
    notes: Vec<String>,
    region: Arc<Region>,
    file: File,
    #[expect(dead_code, reason = "keeps the directory alive")]
    dir: tempfile::TempDir,
}

/// What a rig is made of.
#[derive(Clone)]
struct Want {
    depth: u16,
    size: usize,
    direct: bool,
    read_only: bool,
    engine: Engine,
}

impl Default for Want {
    fn default() -> Self {
        Self {
            depth: 8,
            size: 64 * SLOT,
            direct: false,
            read_only: false,
            engine: Engine::default(),
        }
    }
}

fn byte_at(offset: usize) -> u8 {
    u8::try_from((offset / SLOT * 7 + offset) % 251).unwrap()
}

impl<B: Made> Rig<B> {
    fn new(want: &Want) -> Self {
        Self::try_new(want).unwrap_or_else(|e| panic!("{}: {e}; {}", B::NAME, e.cure))
    }

    /// As `new`; `None`, and a line that says why, where the file system refuses direct I/O.
    fn direct(case: &str) -> Option<Self> {
        let want = Want {
            direct: true,
            ..Want::default()
        };
        let probe = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let opened = File::options()
            .read(true)
            .custom_flags(libc::O_DIRECT)
            .open(probe.path());
        match opened {
            Ok(_) => Some(Self::new(&want)),
            Err(error) => {
                let case = format!("{}::{case}", B::NAME);
                skipped(
                    &case,
                    &format!("O_DIRECT of {}: {error}", probe.path().display()),
                );
                None
            }
        }
    }

    fn try_new(want: &Want) -> Result<Self, SetupError> {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let path = dir.path().join("file");
        let content: Vec<u8> = (0..want.size).map(byte_at).collect();
        let mut file = File::create(&path).unwrap();
        file.write_all(&content).unwrap();
        file.sync_all().unwrap();
        let file = File::options()
            .read(true)
            .write(!want.read_only)
            .custom_flags(if want.direct { libc::O_DIRECT } else { 0 })
            .open(&path)
            .unwrap();
        let region = Arc::new(Region::new(want.depth));
        let (backend, notes) = on_fd::<B>(&file, &region, want)?;
        Ok(Self {
            backend,
            notes,
            region,
            file,
            dir,
        })
    }

    /// One request, waited for.
    fn one(&mut self, op: Op, slot: u16, offset: u64, len: u32) -> i32 {
        self.backend.queue(&request(op, slot, offset, len));
        let mut results = self.finish(1);
        assert_eq!(results.len(), 1, "{}", B::NAME);
        let (of, result) = results.remove(0);
        assert_eq!(of, slot);
        result
    }

    /// Waits for `count` results.
    fn finish(&mut self, count: usize) -> Vec<(u16, i32)> {
        let mut results = Vec::new();
        for _ in 0..1000 {
            self.backend.submit_and_wait(1, None).unwrap();
            let result = self
                .backend
                .reap(|slot, result| results.push((slot, result)));
            let _ = result;
            if results.len() >= count {
                break;
            }
        }
        results
    }
}

fn on_fd<B: Made>(
    fd: &impl AsRawFd,
    region: &Arc<Region>,
    want: &Want,
) -> Result<(B, Vec<String>), SetupError> {
    let fds: [RawFd; 1] = [fd.as_raw_fd()];
    let setup = Setup {
        handles: Handles::Files {
            fds: &fds,
            sizes: &[want.size as u64],
        },
        buffers: Buffers {
            base: region.0,
            slot_stride: SLOT,
            slots: want.depth,
            write_base: region.0,
            owner: Some(region.clone()),
        },
        depth: u32::from(want.depth),
        atomic: false,
        engine: &want.engine,
    };
    // SAFETY: the region is kept alive by the owner, the file by the rig, and one thread uses it.
    unsafe { B::made(&setup) }
}

fn request(op: Op, slot: u16, offset: u64, len: u32) -> Request {
    Request {
        slot,
        op,
        data_only: false,
        file: 0,
        offset,
        len,
    }
}

fn expected(offset: usize, len: usize) -> Vec<u8> {
    (offset..offset + len).map(byte_at).collect()
}

/// The cases every back end on files must pass.
mod cases {
    use super::*;

    pub(super) fn reads_what_is_there<B: Made>() {
        let mut rig = Rig::<B>::new(&Want::default());
        assert_eq!(rig.one(Op::Read, 3, 5 * SLOT as u64, 4096), 4096);
        assert_eq!(rig.region.slot(3), expected(5 * SLOT, SLOT));
    }

    pub(super) fn writes_then_reads_back<B: Made>() {
        let mut rig = Rig::<B>::new(&Want::default());
        rig.region.slot(1).fill(0xa5);
        assert_eq!(rig.one(Op::Write, 1, 2 * SLOT as u64, 4096), 4096);
        assert_eq!(rig.one(Op::Read, 0, 2 * SLOT as u64, 4096), 4096);
        assert!(rig.region.slot(0).iter().all(|&b| b == 0xa5));
        assert_eq!(rig.one(Op::Read, 0, 3 * SLOT as u64, 4096), 4096);
        assert_eq!(
            rig.region.slot(0),
            expected(3 * SLOT, SLOT),
            "the block after it is untouched"
        );
    }

    pub(super) fn writes_may_have_memory_of_their_own<B: Made>() {
        let rig = Rig::<B>::new(&Want::default());
        let memory = Arc::new(Region::new(8));
        let want = Want {
            depth: 4,
            ..Want::default()
        };
        let setup = Setup {
            handles: Handles::Files {
                fds: &[rig.file.as_raw_fd()],
                sizes: &[want.size as u64],
            },
            buffers: Buffers {
                base: memory.0,
                slot_stride: SLOT,
                slots: 4,
                // The second half of the memory.
                write_base: memory.slot(4).as_mut_ptr(),
                owner: Some(memory.clone()),
            },
            depth: 4,
            atomic: false,
            engine: &want.engine,
        };
        // SAFETY: the memory is kept alive by the owner, the file by the rig.
        let (backend, notes) = unsafe { B::made(&setup) }.unwrap();
        let mut rig = Rig {
            backend,
            notes,
            ..rig
        };
        memory.slot(4 + 2).fill(0x77);
        assert_eq!(rig.one(Op::Write, 2, 0, 4096), 4096);
        assert_eq!(rig.one(Op::Read, 2, 4096, 4096), 4096);
        assert_eq!(memory.slot(2), expected(SLOT, SLOT));
        assert!(
            memory.slot(4 + 2).iter().all(|&b| b == 0x77),
            "reads leave it alone"
        );
        assert_eq!(rig.one(Op::Read, 0, 0, 4096), 4096);
        assert!(memory.slot(0).iter().all(|&b| b == 0x77));
    }

    pub(super) fn fills_the_whole_depth<B: Made>() {
        let mut rig = Rig::<B>::new(&Want::default());
        for turn in 0..100_u64 {
            for slot in 0..8 {
                let block = (turn * 8 + u64::from(slot)) % 64;
                rig.backend
                    .queue(&request(Op::Read, slot, block * SLOT as u64, 4096));
            }
            let mut results = rig.finish(8);
            results.sort_unstable();
            let all: Vec<_> = (0..8).map(|slot| (slot, 4096)).collect();
            assert_eq!(results, all);
        }
        let block = 99 * 8 % 64;
        for slot in 0..8_u16 {
            let at = (block + usize::from(slot)) % 64 * SLOT;
            assert_eq!(rig.region.slot(slot), expected(at, SLOT));
        }
    }

    pub(super) fn counts_what_it_hands_over<B: Made>() {
        let mut rig = Rig::<B>::new(&Want::default());
        for slot in 0..5 {
            rig.backend.queue(&request(Op::Read, slot, 0, 512));
        }
        rig.backend.submit_and_wait(5, None).unwrap();
        assert_eq!(rig.backend.last_submitted(), 5);
        assert_eq!(rig.backend.reap(|_, result| assert_eq!(result, 512)), 5);
        rig.backend.submit_and_wait(0, None).unwrap();
        assert_eq!(rig.backend.last_submitted(), 0);
        assert_eq!(rig.backend.reap(|_, _| panic!("reaped twice")), 0);
    }

    pub(super) fn hands_over_apart_from_the_wait<B: Made>() {
        let mut rig = Rig::<B>::new(&Want::default());
        for turn in 0..50_u64 {
            for slot in 0..6 {
                let block = (turn * 6 + u64::from(slot)) % 64;
                let request = request(Op::Read, slot, block * SLOT as u64, 4096);
                rig.backend.queue(&request);
            }
            rig.backend.submit_and_wait(0, None).unwrap();
            assert_eq!(rig.backend.last_submitted(), 6);
            let mut ended = 0;
            while ended < 6 {
                rig.backend.wait(6 - ended, None).unwrap();
                ended += rig.backend.reap(|_, result| assert_eq!(result, 4096));
            }
        }
        assert_eq!(rig.backend.reap(|_, _| panic!("reaped twice")), 0);
    }

    pub(super) fn short_read_at_the_end<B: Made>() {
        let mut rig = Rig::<B>::new(&Want {
            size: 3 * SLOT + 1000,
            ..Want::default()
        });
        assert_eq!(rig.one(Op::Read, 0, 3 * SLOT as u64, 4096), 1000);
        assert_eq!(rig.region.slot(0)[..1000], expected(3 * SLOT, 1000));
        assert_eq!(rig.one(Op::Read, 0, 8 * SLOT as u64, 4096), 0);
    }

    pub(super) fn failures_are_results<B: Made>() {
        let mut rig = Rig::<B>::new(&Want {
            read_only: true,
            ..Want::default()
        });
        assert_eq!(rig.one(Op::Write, 0, 0, 4096), -libc::EBADF);
        assert_eq!(
            rig.one(Op::Read, 0, 0, 4096),
            4096,
            "usable after a failure"
        );
    }

    pub(super) fn syncs<B: Made>() {
        let mut rig = Rig::<B>::new(&Want::default());
        assert_eq!(rig.one(Op::Write, 0, 0, 4096), 4096);
        assert_eq!(rig.one(Op::Sync, 0, 0, 0), 0);
        rig.backend.queue(&Request {
            data_only: true,
            ..request(Op::Sync, 2, 0, 0)
        });
        assert_eq!(rig.finish(1), [(2, 0)]);
    }

    /// A file is no device to discard on: the data stay, and the failure is that of the call.
    pub(super) fn trims_of_a_file_fail<B: Made>() {
        let mut rig = Rig::<B>::new(&Want::default());
        assert_eq!(rig.one(Op::Trim, 0, 4 * SLOT as u64, 8192), -libc::ENOTTY);
        assert_eq!(rig.one(Op::Read, 1, 5 * SLOT as u64, 4096), 4096);
        assert_eq!(rig.region.slot(1), expected(5 * SLOT, SLOT));
    }

    pub(super) fn nothing_to_wait_for_does_not_hang<B: Made>() {
        let mut rig = Rig::<B>::new(&Want::default());
        rig.backend.submit_and_wait(1, None).unwrap();
        rig.backend.submit_and_wait(1, Some(Nanos::SECOND)).unwrap();
        assert_eq!(rig.backend.reap(|_, _| {}), 0);
        assert!(rig.notes.len() < 10);
    }

    pub(super) fn direct_reads_and_writes<B: Made>() {
        let Some(mut rig) = Rig::<B>::direct("direct_reads_and_writes") else {
            return;
        };
        rig.region.slot(2).fill(0x3c);
        assert_eq!(rig.one(Op::Write, 2, 9 * SLOT as u64, 4096), 4096);
        for slot in 0..8 {
            rig.backend
                .queue(&request(Op::Read, slot, (8 + u64::from(slot)) * 4096, 4096));
        }
        assert_eq!(rig.finish(8).len(), 8);
        assert!(rig.region.slot(1).iter().all(|&b| b == 0x3c));
        assert_eq!(rig.region.slot(2), expected(10 * SLOT, SLOT));
    }

    pub(super) fn dropped_with_io_in_flight<B: Made>() {
        let Some(rig) = Rig::<B>::direct("dropped_with_io_in_flight") else {
            return;
        };
        let want = Want {
            size: 64 * SLOT,
            ..Want::default()
        };
        for turn in 0..B::DROPS {
            let region = Arc::new(Region::new(8));
            let (mut backend, _) = on_fd::<B>(&rig.file, &region, &want).unwrap();
            for slot in 0..8 {
                let block = (turn + u64::from(slot)) % 64;
                backend.queue(&request(Op::Read, slot, block * 4096, 4096));
            }
            backend
                .submit_and_wait(u32::from(turn % 2 == 0), None)
                .unwrap();
            drop(backend);
            assert_eq!(Arc::strong_count(&region), 1, "drained, not leaked");
        }
    }
}

macro_rules! table {
    ($module:ident, $backend:ty) => {
        mod $module {
            use super::*;
            table!(@ $backend: reads_what_is_there writes_then_reads_back writes_may_have_memory_of_their_own fills_the_whole_depth
                counts_what_it_hands_over hands_over_apart_from_the_wait short_read_at_the_end failures_are_results syncs
                trims_of_a_file_fail nothing_to_wait_for_does_not_hang direct_reads_and_writes
                dropped_with_io_in_flight);
        }
    };
    (@ $backend:ty: $($case:ident)*) => {$(
        #[test]
        fn $case() {
            if !lacking::<$backend>(stringify!($case)) {
                cases::$case::<$backend>();
            }
        }
    )*};
}
table!(libaio, Aio);
table!(mmap, Mmap);
table!(psync, Psync);
table!(pvsync2, Pvsync2);
table!(threads, Threads);
table!(io_uring, Uring);

#[test]
fn mmap_reports_pages_that_are_gone_and_continues() {
    let mut rig = Rig::<Mmap>::new(&Want::default());
    assert_eq!(rig.one(Op::Read, 0, 40 * SLOT as u64, 4096), 4096);
    rig.file.set_len(32 * SLOT as u64).unwrap();
    assert_eq!(rig.one(Op::Read, 0, 40 * SLOT as u64, 4096), -libc::EIO);
    assert_eq!(rig.one(Op::Write, 1, 41 * SLOT as u64, 4096), -libc::EIO);
    assert_eq!(rig.one(Op::Read, 2, 31 * SLOT as u64, 4096), 4096);
    assert_eq!(rig.region.slot(2), expected(31 * SLOT, SLOT));
    rig.file.set_len(64 * SLOT as u64).unwrap();
    assert_eq!(rig.one(Op::Write, 2, 40 * SLOT as u64, 4096), 4096);
    let mut there = vec![0; SLOT];
    rig.file
        .read_exact_at(&mut there, 40 * SLOT as u64)
        .unwrap();
    assert_eq!(
        there,
        expected(31 * SLOT, SLOT),
        "the file, not the page put in place"
    );
}

#[test]
fn mmap_moves_its_window_in_huge_files() {
    let mut rig = Rig::<Mmap>::new(&Want::default());
    let far = (40_u64 << 30) + 100;
    rig.file.set_len(1 << 42).unwrap();
    let want = Want {
        size: 1 << 42,
        ..Want::default()
    };
    (rig.backend, _) = on_fd::<Mmap>(&rig.file, &rig.region, &want).unwrap();
    rig.region.slot(1).fill(9);
    assert_eq!(rig.one(Op::Write, 1, far, 4096), 4096);
    assert_eq!(rig.one(Op::Read, 2, 5 * SLOT as u64, 4096), 4096);
    assert_eq!(rig.region.slot(2), expected(5 * SLOT, SLOT));
    assert_eq!(rig.one(Op::Read, 3, far, 4096), 4096);
    assert!(rig.region.slot(3).iter().all(|&b| b == 9));
    assert_eq!(rig.one(Op::Read, 3, (1 << 42) - 10, 4096), 10);
}

/// Random reads on a full queue with these powers must all come back whole.
fn reads_with<B: Made>(mut rig: Rig<B>) {
    for turn in 0..50_u64 {
        for slot in 0..8_u16 {
            let block = (turn * 13 + u64::from(slot) * 5) % 64;
            rig.backend
                .queue(&request(Op::Read, slot, block * SLOT as u64, 4096));
        }
        let results = rig.finish(8);
        assert_eq!(results.len(), 8);
        assert!(
            results.iter().all(|&(_, result)| result == 4096),
            "{results:?}"
        );
    }
    assert_eq!(
        rig.region.slot(7),
        expected((49 * 13 + 35) % 64 * SLOT, SLOT)
    );
    assert_eq!(rig.one(Op::Sync, 0, 0, 0), 0);
    assert_eq!(rig.one(Op::Trim, 0, 0, 4096), -libc::ENOTTY);
}

#[test]
fn io_uring_with_a_submission_thread() {
    if lacking::<Uring>("io_uring_with_a_submission_thread") {
        return;
    }
    let mut want = Want::default();
    want.engine.poll_submissions = true;
    let mut rig = Rig::<Uring>::new(&want);
    rig.backend.queue(&request(Op::Read, 0, 0, 4096));
    rig.backend.submit_and_wait(1, Some(Nanos::SECOND)).unwrap();
    assert_eq!(rig.backend.last_submitted(), 1);
    assert_eq!(rig.backend.reap(|_, result| assert_eq!(result, 4096)), 1);
    reads_with(rig);
}

#[test]
fn io_uring_with_kernel_workers_forced() {
    if lacking::<Uring>("io_uring_with_kernel_workers_forced") {
        return;
    }
    let mut want = Want::default();
    want.engine.force_async = 3;
    reads_with(Rig::<Uring>::new(&want));
}

#[test]
fn io_uring_polls_or_says_why_not() {
    if lacking::<Uring>("io_uring_polls_or_says_why_not") {
        return;
    }
    let mut want = Want {
        direct: true,
        ..Want::default()
    };
    want.engine.poll_completions = true;
    match Rig::<Uring>::try_new(&want) {
        Ok(rig) => reads_with(rig),
        Err(error) => {
            assert!(error.missing.contains("cannot poll"), "{error}");
            assert!(error.cure.text.contains("poll queues"), "{}", error.cure);
            skipped("io_uring_polls_or_says_why_not", &error.to_string());
        }
    }
    want.direct = false;
    let error = Rig::<Uring>::try_new(&want).err().unwrap();
    assert!(error.cure.knobs.contains(&Knob::Direct), "{:?}", error.cure);
}

/// Back ends with flags on each I/O: uncached reads work or are refused by name.
fn flags_work_or_are_refused<B: Made>() {
    let mut want = Want::default();
    want.engine.uncached = true;
    match Rig::<B>::try_new(&want) {
        Ok(rig) => reads_with(rig),
        Err(error) => {
            assert!(error.missing.contains("RWF_DONTCACHE"), "{error}");
            skipped(B::NAME, &error.to_string());
        }
    }
    want.engine.uncached = false;
    want.engine.nowait = true;
    let mut rig = Rig::<B>::new(&want);
    // In the page cache after the file was written, so there is nothing to wait for.
    assert_eq!(rig.one(Op::Read, 0, 0, 4096), 4096);
}

#[test]
fn flags_of_single_ios() {
    if !lacking::<Uring>("flags_of_single_ios") {
        flags_work_or_are_refused::<Uring>();
    }
    if !lacking::<Aio>("flags_of_single_ios") {
        flags_work_or_are_refused::<Aio>();
    }
    flags_work_or_are_refused::<Pvsync2>();
}

/// Kernels of today take no mark on files in memory.
#[test]
fn a_mark_that_a_file_does_not_take_is_refused_with_its_own_cure() {
    let file = rustix::fs::memfd_create("f", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
    let region = Arc::new(Region::new(1));
    for (nowait, name) in [(true, "RWF_NOWAIT"), (false, "RWF_DONTCACHE")] {
        let mut want = Want::default();
        (want.engine.nowait, want.engine.uncached) = (nowait, !nowait);
        let Err(refused) = on_fd::<Pvsync2>(&file, &region, &want) else {
            skipped("a_mark_that_a_file_does_not_take", "this kernel takes it");
            continue;
        };
        assert!(refused.missing.contains(name), "{refused}");
        assert_eq!(
            refused.cure.text.contains("6.14"),
            !nowait,
            "{}",
            refused.cure
        );
    }
}

#[test]
fn a_depth_beyond_the_host_is_refused_with_the_cure() {
    let limit = std::fs::read_to_string("/proc/sys/fs/aio-max-nr").unwrap();
    let limit: u32 = limit.trim().parse().unwrap();
    let region = Arc::new(Region::new(1));
    let engine = Engine::default();
    let setup = |depth| Setup {
        handles: Handles::Files {
            fds: &[],
            sizes: &[],
        },
        buffers: Buffers {
            base: region.0,
            slot_stride: SLOT,
            slots: 1,
            write_base: region.0,
            owner: None,
        },
        depth,
        atomic: false,
        engine: &engine,
    };
    if lacking::<Aio>("a_depth_beyond_the_host_is_refused_with_the_cure") {
        return;
    }
    // SAFETY: nothing is made, so nothing is held to the promises.
    let aio = unsafe { Aio::new(&setup(limit + 1)) }.err().unwrap();
    assert!(
        aio.cure.text.contains("sysctl -w fs.aio-max-nr"),
        "{}",
        aio.cure
    );
    // SAFETY: as above.
    let ring = unsafe { Uring::new(&setup(32_769)) }.err().unwrap();
    assert!(ring.missing.contains("32769"), "{ring}");
}

/// A trim of a device discards there.
fn discards_on<B: Made>(device: &str) {
    let file = File::options().read(true).write(true).open(device).unwrap();
    let region = Arc::new(Region::new(2));
    let engine = Engine::default();
    let setup = Setup {
        handles: Handles::Files {
            fds: &[file.as_raw_fd()],
            sizes: &[1 << 20],
        },
        buffers: Buffers {
            base: region.0,
            slot_stride: SLOT,
            slots: 2,
            write_base: region.0,
            owner: Some(region.clone()),
        },
        depth: 2,
        atomic: false,
        engine: &engine,
    };
    // SAFETY: memory and file outlive the back end.
    let (mut backend, _) = unsafe { B::made(&setup) }.unwrap();
    let mut one = |request: Request| {
        backend.queue(&request);
        backend.submit_and_wait(1, None).unwrap();
        let mut result = None;
        backend.reap(|_, r| result = Some(r));
        result.unwrap()
    };
    region.slot(0).fill(0xee);
    assert_eq!(one(request(Op::Write, 0, 8192, 4096)), 4096);
    assert_eq!(one(request(Op::Sync, 0, 0, 0)), 0);
    assert_eq!(one(request(Op::Trim, 0, 8192, 4096)), 0, "{}", B::NAME);
    assert_eq!(one(request(Op::Read, 1, 8192, 4096)), 4096);
    assert!(region.slot(1).iter().all(|&b| b == 0), "{}", B::NAME);
}

#[test]
fn devices_are_discarded() {
    let file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.as_file().set_len(1 << 20).unwrap();
    match LoopDevice::buffered(file.path()) {
        Ok(device) => {
            if !lacking::<Uring>("devices_are_discarded") {
                discards_on::<Uring>(&device.path);
            }
            if !lacking::<Aio>("devices_are_discarded") {
                discards_on::<Aio>(&device.path);
            }
            discards_on::<Psync>(&device.path);
            discards_on::<Mmap>(&device.path);
        }
        Err(reason) => skipped("devices_are_discarded", &reason),
    }
}

/// A pipe with nothing in it: a read that does not end by itself.
fn empty_pipe() -> (std::io::PipeReader, std::io::PipeWriter) {
    std::io::pipe().unwrap()
}

/// Writes into a pipe unless it is called off: a wait that nothing else ends is then ended by data, which the test
/// sees, and the test does not hang.
struct LateWriter {
    call_off: std::sync::mpsc::Sender<()>,
    thread: std::thread::JoinHandle<std::io::PipeWriter>,
}

impl LateWriter {
    fn start(mut writer: std::io::PipeWriter) -> Self {
        let (call_off, called_off) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let patience = std::time::Duration::from_secs(60);
            if called_off.recv_timeout(patience).is_err() {
                writer.write_all(b"too late").unwrap();
            }
            writer
        });
        Self { call_off, thread }
    }

    fn call_off(self) -> std::io::PipeWriter {
        // It may have written already; then the test has seen it.
        let _ = self.call_off.send(());
        self.thread.join().unwrap()
    }
}

fn milliseconds_of(act: impl FnOnce()) -> i64 {
    let now = || rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let start = now();
    act();
    let end = now();
    (end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1_000_000
}

#[test]
fn io_uring_waits_no_longer_than_asked() {
    if lacking::<Uring>("io_uring_waits_no_longer_than_asked") {
        return;
    }
    let (reader, writer) = empty_pipe();
    let region = Arc::new(Region::new(2));
    let want = Want {
        depth: 2,
        ..Want::default()
    };
    let (mut ring, _) = on_fd::<Uring>(&reader, &region, &want).unwrap();
    let late = LateWriter::start(writer);
    ring.queue(&request(Op::Read, 1, 0, 100));
    let took = milliseconds_of(|| {
        ring.submit_and_wait(1, Some(Nanos::from_millis(50)))
            .unwrap();
    });
    assert!(took >= 50, "waited {took} ms for 50");
    assert_eq!(ring.reap(|_, _| {}), 0, "it waited for the read");
    let took = milliseconds_of(|| {
        ring.submit_and_wait(1, Some(Nanos::from_millis(50)))
            .unwrap();
    });
    assert!(took >= 50, "waited {took} ms for 50 again");
    assert_eq!(ring.reap(|_, _| {}), 0, "it waited for the read");
    ring.submit_and_wait(0, None).unwrap();
    assert_eq!(ring.reap(|_, _| {}), 0, "it waited for the read");
    late.call_off().write_all(b"hello").unwrap();
    ring.submit_and_wait(1, None).unwrap();
    assert_eq!(
        ring.reap(|slot, result| assert_eq!((slot, result), (1, 5))),
        1
    );
    assert_eq!(&region.slot(1)[..5], b"hello");
}

#[test]
fn io_uring_gives_up_reads_that_never_end_when_dropped() {
    if lacking::<Uring>("io_uring_gives_up_reads_that_never_end_when_dropped") {
        return;
    }
    let (reader, _writer) = empty_pipe();
    let region = Arc::new(Region::new(1));
    let want = Want {
        depth: 1,
        ..Want::default()
    };
    let (mut ring, _) = on_fd::<Uring>(&reader, &region, &want).unwrap();
    ring.queue(&request(Op::Read, 0, 0, 100));
    ring.submit_and_wait(0, None).unwrap();
    let took = milliseconds_of(|| drop(ring));
    assert!(took < 9_000, "took {took} ms");
    assert_eq!(Arc::strong_count(&region), 1, "cancelled, not leaked");
}

#[test]
fn null_completes_in_order_and_keeps_what_was_not_submitted() {
    let region = Arc::new(Region::new(4));
    let engine = Engine::default();
    let setup = Setup {
        handles: Handles::Files {
            fds: &[],
            sizes: &[],
        },
        buffers: Buffers {
            base: region.0,
            slot_stride: SLOT,
            slots: 4,
            write_base: region.0,
            owner: None,
        },
        depth: 4,
        atomic: false,
        engine: &engine,
    };
    let (mut null, _) = Null::new(&setup).unwrap();
    null.queue(&request(Op::Read, 2, 0, 100));
    null.queue(&request(Op::Trim, 0, 0, 100));
    null.submit_and_wait(2, None).unwrap();
    assert_eq!(null.last_submitted(), 2);
    null.queue(&request(Op::Write, 3, 0, 7));
    let mut seen = Vec::new();
    assert_eq!(null.reap(|slot, result| seen.push((slot, result))), 2);
    assert_eq!(seen, [(2, 100), (0, 0)]);
    null.submit_and_wait(1, None).unwrap();
    assert_eq!(
        null.reap(|slot, result| assert_eq!((slot, result), (3, 7))),
        1
    );
    assert_eq!(null.last_submitted(), 1);
}

/// Dirty pages of a file in the page cache; `None` = this kernel does not report them.
fn dirty_pages(file: &File) -> Option<u64> {
    const CACHESTAT: libc::c_long = 451;
    // (offset, length), 0 = to the end; (in cache, dirty, in writeback, evicted, recently evicted).
    let (range, mut counts) = ([0_u64; 2], [0_u64; 5]);
    // SAFETY: both are of the size that the kernel reads and writes.
    let answer = unsafe {
        libc::syscall(
            CACHESTAT,
            file.as_raw_fd(),
            range.as_ptr(),
            counts.as_mut_ptr(),
            0,
        )
    };
    (answer == 0).then_some(counts[1] + counts[2])
}

#[test]
fn mmap_brings_each_write_down_as_asked() {
    use leadline_model::plan::MapFlush;
    for flush in [
        MapFlush::Nothing,
        MapFlush::Sync,
        MapFlush::Lines,
        MapFlush::LinesNoDrain,
    ] {
        let mut want = Want::default();
        want.engine.map_flush = flush;
        let mut rig = Rig::<Mmap>::new(&want);
        rig.file.sync_all().unwrap();
        rig.region.slot(1).fill(9);
        // Across a line and a page.
        assert_eq!(rig.one(Op::Write, 1, 5 * SLOT as u64 + 100, 4096), 4096);
        let dirty = dirty_pages(&rig.file);
        assert_eq!(rig.one(Op::Read, 2, 5 * SLOT as u64 + 100, 4096), 4096);
        assert!(rig.region.slot(2).iter().all(|&byte| byte == 9));
        let lines = matches!(flush, MapFlush::Lines | MapFlush::LinesNoDrain);
        let said = rig.notes.iter().any(|note| note.contains("cache lines"));
        assert_eq!(said, lines, "{:?}", rig.notes);
        match (flush, dirty) {
            (_, None) => skipped(
                "mmap_brings_each_write_down_as_asked",
                "the kernel does not count a file's dirty pages (cachestat)",
            ),
            (MapFlush::Nothing, Some(0)) => {
                skipped(
                    "mmap_brings_each_write_down_as_asked",
                    "the file system of the temporary directory keeps no dirty pages",
                );
                return;
            }
            (MapFlush::Sync, Some(pages)) => assert_eq!(pages, 0),
            (_, Some(_)) => {}
        }
    }
}
