//! The ring at each level of the kernel's features, and what goes into its entries.

use super::*;
use crate::backend::Handles;
use leadline_model::plan::Engine;
use std::io::Write as _;
use std::os::fd::RawFd;

/// More than a thread can register at a time: each must be taken back.
#[test]
fn a_thread_may_have_many_rings_one_after_the_other() {
    let engine = Engine::default();
    let mut memory = vec![0_u8; 4096];
    let base = memory.as_mut_ptr();
    for _ in 0..40 {
        let setup = Setup {
            handles: Handles::Nothing,
            buffers: Buffers {
                base,
                slot_stride: 4096,
                slots: 1,
                write_base: base,
                owner: None,
            },
            depth: 1,
            atomic: false,
            engine: &engine,
        };
        // SAFETY: the memory outlives the ring.
        let (ring, _) = unsafe { Uring::new(&setup) }.unwrap();
        assert_ne!(ring.handle.flags & ext::ENTER_REGISTERED_RING, 0);
    }
}

/// Two slots of 4 KiB from `base`, for up to three files of 8 KiB.
fn two_slots<'a>(fds: &'a [RawFd], base: *mut u8, engine: &'a Engine) -> Setup<'a> {
    Setup {
        handles: Handles::Files {
            fds,
            sizes: &[8192; 3][..fds.len()],
        },
        buffers: Buffers {
            base,
            slot_stride: 4096,
            slots: 2,
            write_base: base,
            owner: None,
        },
        depth: 2,
        atomic: false,
        engine,
    }
}

/// What an older kernel would get works on this one, too.
#[test]
fn every_level_reads_and_waits() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&[7; 8192]).unwrap();
    let mut memory = vec![0_u8; 3 * 4096];
    let skip = memory.as_ptr().align_offset(4096);
    let base = memory[skip..].as_mut_ptr();
    for level in Level::ALL {
        let (fds, engine) = ([file.as_raw_fd()], Engine::default());
        let setup = two_slots(&fds, base, &engine);
        // SAFETY: memory and file outlive the ring.
        let (mut ring, notes) = unsafe { Uring::from_level(&setup, level) }.unwrap();
        assert_eq!(
            notes.is_empty(),
            level <= Level::Deferred,
            "{level:?}: {notes:?}"
        );
        for turn in 0..100 {
            for slot in 0..2 {
                ring.queue(&Request {
                    slot,
                    op: Op::Read,
                    data_only: false,
                    file: 0,
                    offset: u64::from(slot) * 4096,
                    len: 4096,
                });
            }
            let mut ended = 0;
            while ended < 2 {
                let want = u32::from(turn % 2 == 0);
                ring.submit_and_wait(want, Some(Nanos::SECOND)).unwrap();
                ended += ring.reap(|_, result| assert_eq!(result, 4096, "{level:?}"));
            }
        }
    }
    assert_eq!(memory[skip..skip + 8192], [7; 8192]);
}

/// A class that no kernel knows makes the I/Os fail that carry it, and those alone.
#[test]
fn each_files_priority_is_in_its_entries() {
    let file = tempfile::tempfile().unwrap();
    file.set_len(8192).unwrap();
    let mut memory = vec![0_u8; 2 * 4096];
    let base = memory.as_mut_ptr();
    let engine = Engine {
        file_priorities: vec![(2, 7), (5, 0), (0, 0)],
        ..Engine::default()
    };
    let fds = [file.as_raw_fd(); 3];
    let setup = two_slots(&fds, base, &engine);
    // SAFETY: memory and file outlive the ring.
    let (mut ring, _) = unsafe { Uring::new(&setup) }.unwrap();
    for (file, op, expected) in [
        (0, Op::Read, 4096),
        (1, Op::Read, -libc::EINVAL),
        (1, Op::Write, -libc::EINVAL),
        (2, Op::Write, 4096),
    ] {
        ring.queue(&Request {
            slot: 1,
            op,
            data_only: false,
            file,
            offset: 0,
            len: 4096,
        });
        ring.submit_and_wait(1, None).unwrap();
        let mut came = None;
        ring.reap(|_, result| came = Some(result));
        assert_eq!(came, Some(expected), "file {file}, {op:?}");
    }
}
