//! What a back end alone costs: the smallest loop over the trait, without statistics or pace.
//!
//! `backend_loop BACKEND FILE BLOCK DEPTH IOS`: random reads of BLOCK bytes of an existing file, IOS of
//! them, with DEPTH in flight. Run it under `valgrind --tool=callgrind` with two numbers of IOS: the
//! difference of the instruction counts is the cost of the I/Os between.

#![expect(
    unsafe_code,
    reason = "making a back end is unsafe: its caller owns the memory"
)]
#![expect(clippy::print_stdout, reason = "this is what the program is for")]

use leadline_engine::backend::aio::Aio;
use leadline_engine::backend::mmap::Mmap;
use leadline_engine::backend::null::Null;
use leadline_engine::backend::psync::Psync;
use leadline_engine::backend::pvsync2::Pvsync2;
use leadline_engine::backend::uring::Uring;
use leadline_engine::backend::{Backend, Buffers, Handles, Request, Setup};
use leadline_model::op::Op;
use leadline_model::plan::Engine;
use leadline_model::units::Nanos;
use std::error::Error;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt as _;

/// What to do.
struct Load {
    block: u32,
    blocks: u64,
    depth: u16,
    ios: u64,
}

/// Keeps `depth` reads in flight until `ios` have ended. Returns the number of failed ones.
#[inline(never)]
fn run<B: Backend>(backend: &mut B, load: &Load) -> std::io::Result<u64> {
    let mut free: Vec<u16> = (0..load.depth).collect();
    let mut started = 0;
    let mut ended = 0;
    let mut failed = 0;
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    while ended < load.ios {
        while started < load.ios
            && let Some(slot) = free.pop()
        {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let block = (u128::from(random) * u128::from(load.blocks)) >> 64;
            backend.queue(&Request {
                slot,
                op: Op::Read,
                data_only: false,
                file: 0,
                offset: block as u64 * u64::from(load.block),
                len: load.block,
            });
            started += 1;
        }
        backend.submit_and_wait(1, None)?;
        ended += u64::from(backend.reap(|slot, result| {
            free.push(slot);
            failed += u64::from(u32::try_from(result) != Ok(load.block));
        }));
    }
    Ok(failed)
}

/// CLOCK_MONOTONIC.
fn now() -> Nanos {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel writes one timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut t) };
    let seconds = u64::try_from(t.tv_sec).unwrap_or(0);
    Nanos(Nanos::from_secs(seconds).0 + u64::try_from(t.tv_nsec).unwrap_or(0))
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, backend, path, block, depth, ios, rest @ ..] = args.as_slice() else {
        return Err(
            "backend_loop BACKEND FILE BLOCK DEPTH IOS [direct|polled|submit_thread ...]".into(),
        );
    };
    let has = |word: &str| rest.iter().any(|r| r == word);
    let file = std::fs::File::options()
        .read(true)
        .custom_flags(if has("direct") { libc::O_DIRECT } else { 0 })
        .open(path)?;
    let size = file.metadata()?.len();
    let (block, depth): (u32, u16) = (block.parse()?, depth.parse()?);
    let load = Load {
        block,
        blocks: size / u64::from(block),
        depth,
        ios: ios.parse()?,
    };
    let stride = block.next_multiple_of(4096) as usize;
    let mut memory = vec![0_u8; stride * usize::from(depth) + 4096];
    let skip = memory.as_ptr().align_offset(4096);
    let base = memory[skip..].as_mut_ptr();
    let engine = Engine {
        poll_completions: has("polled"),
        poll_submissions: has("submit_thread"),
        ..Engine::default()
    };
    let setup = Setup {
        handles: Handles::Files {
            fds: &[file.as_raw_fd()],
            sizes: &[size],
        },
        buffers: Buffers {
            base,
            slot_stride: stride,
            slots: depth,
            write_base: base,
            owner: None,
        },
        depth: u32::from(depth),
        atomic: false,
        engine: &engine,
    };
    // SAFETY: memory and file outlive the back ends, which are made and dropped here.
    let (failed, took) = unsafe {
        match backend.as_str() {
            "null" => timed(Null::new(&setup)?, &load)?,
            "psync" => timed(Psync::new(&setup)?, &load)?,
            "libaio" => timed(Aio::new(&setup)?, &load)?,
            "mmap" => timed(Mmap::new(&setup)?, &load)?,
            "pvsync2" => timed(Pvsync2::new(&setup)?, &load)?,
            "io_uring" => timed(Uring::new(&setup)?, &load)?,
            other => return Err(format!("no back end {other}").into()),
        }
    };
    drop(memory);
    let each = took.0 as f64 / load.ios as f64;
    println!(
        "{backend} QD{depth} {block} B: {each:.1} ns an I/O, {:.3} M IOPS, {failed} failed",
        1e3 / each
    );
    Ok(())
}

/// Runs the load; failures and time taken.
fn timed<B: Backend>(made: (B, Vec<String>), load: &Load) -> Result<(u64, Nanos), Box<dyn Error>> {
    let (mut backend, notes) = made;
    for note in notes {
        println!("note: {note}");
    }
    let start = now();
    let failed = run(&mut backend, load)?;
    Ok((failed, now().since(start)))
}
