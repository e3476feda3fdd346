//! Random reads by io_uring with nothing beside them, in the way of fio's t/io_uring: batches of 32, a registered file,
//! fixed buffers, and no statistics but the number of I/Os. The bench measures the distance to it.
//!
//! Belongs here: as little as reads need. Must never: take a time stamp for an I/O, or be part of the product.
//! Takes words of a fio command line (`--filename=`, `--bs=` in bytes or with `k`, `--iodepth=`, `--number_ios=` or
//! `--runtime=` in seconds), passes the others over, and shows the rate in the shape of fio's JSON.

#![expect(unsafe_code, reason = "entries carry raw addresses to the kernel")]
#![expect(clippy::print_stdout, reason = "a program for the bench")]

use io_uring::{IoUring, opcode, types};
use leadline_engine::clock::monotonic;
use std::error::Error;
use std::fs::File;
use std::os::fd::AsRawFd;

/// I/Os that are handed over, and waited for, together.
const BATCH: u32 = 32;
/// Batches between two looks at the clock.
const LOOK_EVERY: u64 = 1024;

/// Buffers begin on a boundary of this many bytes.
const PAGE: usize = 4096;

/// What is asked for.
struct Asked {
    file: String,
    /// Bytes of a read.
    bs: u32,
    depth: u32,
    /// I/Os, if that is what bounds it.
    ios: u64,
    /// Nanoseconds, if that is what bounds it.
    nanos: u64,
}

impl Asked {
    fn read(words: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut asked = Self {
            file: String::new(),
            bs: 4096,
            depth: BATCH,
            ios: u64::MAX,
            nanos: u64::MAX,
        };
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((&word, ""));
            match name {
                "--filename" => asked.file = value.to_owned(),
                "--bs" => {
                    let number = value.trim_end_matches('k');
                    let unit = if number == value { 1 } else { 1024 };
                    asked.bs = number.parse::<u32>()? * unit;
                }
                "--iodepth" => asked.depth = value.parse::<u32>()?.max(1),
                "--number_ios" => asked.ios = value.parse()?,
                "--runtime" => asked.nanos = value.parse::<u64>()? * 1_000_000_000,
                _ => {}
            }
        }
        if asked.ios == u64::MAX && asked.nanos == u64::MAX {
            return Err("neither --number_ios nor --runtime".into());
        }
        Ok(asked)
    }
}

/// Reads until it is enough. Returns how many, and the nanoseconds they took.
fn read(asked: &Asked) -> Result<(u64, u64), Box<dyn Error>> {
    let file = File::open(&asked.file)?;
    let blocks = file.metadata()?.len() / u64::from(asked.bs);
    if blocks == 0 {
        return Err("a file shorter than one read".into());
    }
    let mut ring: IoUring = IoUring::builder()
        .setup_cqsize(asked.depth.next_power_of_two() * 2)
        .setup_single_issuer()
        .setup_defer_taskrun()
        .build(asked.depth)?;
    ring.submitter().register_files(&[file.as_raw_fd()])?;
    let bytes = asked.bs as usize;
    let len = bytes * asked.depth as usize;
    // A copy to memory that begins within a page takes longer, and the kernel splits it in two.
    let mut memory = vec![0_u8; len + PAGE];
    let shift = memory.as_ptr().align_offset(PAGE);
    let base = memory[shift..].as_mut_ptr();
    let region = libc::iovec {
        iov_base: base.cast(),
        iov_len: len,
    };
    // SAFETY: the memory outlives the ring, which is dropped first, after all of its reads were reaped.
    unsafe { ring.submitter().register_buffers(&[region])? };
    let mut free: Vec<u32> = (0..asked.depth).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let (mut queued, mut done, mut batches) = (0_u64, 0_u64, 0_u64);
    let start = monotonic();
    while done < asked.ios {
        let (submitter, mut entries, mut ended) = ring.split();
        let room = u64::from(BATCH).min(asked.ios - queued);
        for _ in 0..room {
            let Some(slot) = free.pop() else { break };
            // xorshift64
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let block = u64::try_from((u128::from(state) * u128::from(blocks)) >> 64)?;
            // SAFETY: below the depth, so within the memory.
            let data = unsafe { base.add(slot as usize * bytes) };
            let entry = opcode::ReadFixed::new(types::Fixed(0), data, asked.bs, 0)
                .offset(block * u64::from(asked.bs))
                .build()
                .user_data(slot.into());
            // SAFETY: the buffer is the slot's own, which is in flight once, and outlives the ring.
            unsafe { entries.push(&entry)? };
            queued += 1;
        }
        entries.sync();
        let want = u64::from(BATCH).min(queued - done);
        submitter.submit_and_wait(usize::try_from(want)?)?;
        ended.sync();
        for completion in &mut ended {
            if completion.result().cast_unsigned() != asked.bs {
                return Err(format!("a read ended with {}", completion.result()).into());
            }
            free.push(u32::try_from(completion.user_data())?);
            done += 1;
        }
        batches += 1;
        if batches.is_multiple_of(LOOK_EVERY) && monotonic() - start >= asked.nanos {
            break;
        }
    }
    let took = monotonic() - start;
    // Those that are still in flight own their buffers.
    let left = usize::try_from(queued - done)?;
    if left > 0 {
        ring.submitter().submit_and_wait(left)?;
    }
    drop(ring);
    drop(memory);
    Ok((done, took))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (ios, nanos) = read(&Asked::read(std::env::args().skip(1))?)?;
    let iops = ios as f64 * 1e9 / nanos.max(1) as f64;
    println!(r#"{{"jobs": [{{"error": 0, "read": {{"iops": {iops}, "total_ios": {ios}}}}}]}}"#);
    Ok(())
}
