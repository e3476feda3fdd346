//! What a host forbids is refused by name, with the cure, or done in another way, with a note.
//!
//! In a process of its own, since limits belong to processes; each case on a thread of its own, since
//! filters and capabilities belong to threads.

#![expect(
    unsafe_code,
    reason = "system call filters; making a back end is unsafe"
)]

use leadline_engine::backend::aio::Aio;
use leadline_engine::backend::uring::Uring;
use leadline_engine::backend::{Backend as _, Buffers, Handles, Request, Setup};
use leadline_model::cure::Knob;
use leadline_model::op::Op;
use leadline_model::plan::{Engine, EngineKind};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use std::io::Write as _;
use std::os::fd::AsRawFd as _;

/// Makes one system call fail with `error` for this thread, for good.
fn forbid(call: libc::c_long, error: i32) {
    let number = u32::try_from(call).unwrap_or_else(|_| panic!("no call {call}"));
    let code = |code: u32| u16::try_from(code).unwrap_or_else(|_| panic!("no code {code}"));
    let step = |op, jt, jf, k| libc::sock_filter {
        code: code(op),
        jt,
        jf,
        k,
    };
    let mut program = [
        // The number of the call is the first word.
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, number),
        step(
            libc::BPF_RET | libc::BPF_K,
            0,
            0,
            libc::SECCOMP_RET_ERRNO | error.cast_unsigned(),
        ),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let filter = libc::sock_fprog {
        len: 4,
        filter: program.as_mut_ptr(),
    };
    // SAFETY: no memory is touched.
    let unprivileged = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    assert_eq!(unprivileged, 0);
    // SAFETY: the kernel reads the program, which lives until the call returns.
    let filtered = unsafe {
        libc::prctl(
            libc::PR_SET_SECCOMP,
            libc::SECCOMP_MODE_FILTER,
            &raw const filter,
        )
    };
    assert_eq!(filtered, 0, "{}", std::io::Error::last_os_error());
}

/// Runs `case` on a thread of its own.
fn apart(case: impl FnOnce() + Send + 'static) {
    std::thread::spawn(case)
        .join()
        .unwrap_or_else(|e| std::panic::resume_unwind(e));
}

/// A set-up without files.
fn setup<'a>(memory: &mut [u8], engine: &'a Engine) -> Setup<'a> {
    let base = memory.as_mut_ptr();
    Setup {
        handles: Handles::Files {
            fds: &[],
            sizes: &[],
        },
        buffers: Buffers {
            base,
            slot_stride: memory.len(),
            slots: 1,
            write_base: base,
            owner: None,
        },
        depth: 1,
        atomic: false,
        engine,
    }
}

#[test]
fn filtered_io_uring_is_refused_with_the_cure() {
    for (error, hint) in [(libc::EPERM, "seccomp"), (libc::ENOSYS, "CONFIG_IO_URING")] {
        apart(move || {
            forbid(libc::SYS_io_uring_setup, error);
            let (mut memory, engine) = (vec![0; 4096], Engine::default());
            // SAFETY: the memory outlives a ring, of which there is none.
            let refused = unsafe { Uring::new(&setup(&mut memory, &engine)) }.err();
            let refused = refused.expect("the call is forbidden");
            assert!(refused.missing.contains("io_uring"), "{refused}");
            assert!(refused.cure.text.contains(hint), "{}", refused.cure);
            let other = Knob::Engine(EngineKind::Libaio);
            assert!(refused.cure.knobs.contains(&other), "{:?}", refused.cure);
        });
    }
}

#[test]
fn filtered_libaio_is_refused_with_the_cure() {
    apart(|| {
        forbid(libc::SYS_io_setup, libc::ENOSYS);
        let (mut memory, engine) = (vec![0; 4096], Engine::default());
        // SAFETY: the memory outlives a context, of which there is none.
        let refused = unsafe { Aio::new(&setup(&mut memory, &engine)) }.err();
        let refused = refused.expect("the call is forbidden");
        assert!(refused.missing.contains("native AIO"), "{refused}");
        let other = Knob::Engine(EngineKind::IoUring);
        assert!(refused.cure.knobs.contains(&other), "{:?}", refused.cure);
    });
}

#[test]
fn a_low_limit_of_locked_memory_is_a_note_and_reads_work() {
    apart(|| {
        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(&[5; 8192]).expect("room for 8 KiB");
        let mut mine = capabilities(None).expect("my capabilities");
        mine.effective.remove(CapabilitySet::IPC_LOCK);
        set_capabilities(None, mine).expect("fewer capabilities");
        let before = getrlimit(Resource::Memlock);
        let low = Rlimit {
            current: Some(256 << 10),
            maximum: before.maximum,
        };
        setrlimit(Resource::Memlock, low).expect("a lower limit");
        let (mut memory, engine) = (vec![0; 4 << 20], Engine::default());
        let fds = [file.as_raw_fd()];
        let setup = Setup {
            handles: Handles::Files {
                fds: &fds,
                sizes: &[8192],
            },
            ..setup(&mut memory, &engine)
        };
        // SAFETY: memory and file outlive the ring.
        let (mut ring, notes) = unsafe { Uring::new(&setup) }.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].contains("ulimit -l"), "{notes:?}");
        ring.queue(&Request {
            slot: 0,
            op: Op::Read,
            data_only: false,
            file: 0,
            offset: 0,
            len: 8192,
        });
        ring.submit_and_wait(1, None).expect("a ring that works");
        assert_eq!(ring.reap(|_, result| assert_eq!(result, 8192)), 1);
        drop(ring);
        assert_eq!(memory[..8192], [5; 8192]);
    });
}
