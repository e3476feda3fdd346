//! faultfs mounted for real: a program sees the fault that was set, no more, no less.
//!
//! Skipped by name where mounting is not allowed.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests are not tests to the lints"
)]

mod common;

use common::{FaultMount, skip, start};
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Some tests measure time; none runs beside another.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs `test` on a mount with these commands, or skips it by `name`.
fn with(name: &str, commands: &[&str], test: impl FnOnce(&mut FaultMount)) {
    let _alone = ALONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    match start(commands) {
        Ok(mut mount) => test(&mut mount),
        Err(reason) => skip(name, &reason),
    }
}

#[expect(clippy::disallowed_methods, reason = "these tests measure real time")]
fn now() -> Instant {
    Instant::now()
}

fn direct(mount: &FaultMount, name: &str) -> File {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_DIRECT);
    options.open(mount.path(name)).unwrap()
}

/// A buffer of 4 KiB that starts at a multiple of 4 KiB, as direct I/O wants it.
struct Aligned {
    bytes: Vec<u8>,
    start: usize,
}

impl Aligned {
    fn new(fill: u8) -> Self {
        let bytes = vec![fill; 8192];
        let start = bytes.as_ptr().align_offset(4096);
        Self { bytes, start }
    }

    fn get(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + 4096]
    }
}

/// The middle one of `count` direct reads one after the other.
fn median_read(file: &File, count: u64) -> Duration {
    let mut buffer = Aligned::new(0);
    let mut times: Vec<Duration> = (0..count)
        .map(|block| {
            let start = now();
            file.read_exact_at(buffer.get(), block % 16 * 4096).unwrap();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

#[test]
fn without_faults_it_is_an_ordinary_file_system() {
    with("faultfs::ordinary", &[], |mount| {
        let data: Vec<u8> = (0..300_000_u32)
            .map(|i| u8::try_from(i % 253).unwrap())
            .collect();
        std::fs::create_dir(mount.path("d")).unwrap();
        std::fs::write(mount.path("d/a"), &data).unwrap();
        assert_eq!(std::fs::read(mount.path("d/a")).unwrap(), data);
        std::fs::rename(mount.path("d/a"), mount.path("b")).unwrap();
        assert_eq!(std::fs::metadata(mount.path("b")).unwrap().len(), 300_000);
        let names = std::fs::read_dir(mount.path("")).unwrap().count();
        assert_eq!(names, 2, "the control file is not listed");
        std::fs::remove_dir(mount.path("d")).unwrap();
        std::fs::remove_file(mount.path("b")).unwrap();
        assert_eq!(std::fs::read_dir(mount.path("")).unwrap().count(), 0);
        assert!(mount.end(), "it ends well");
        assert!(!mount.path(".faultfs").exists(), "it unmounts");
    });
}

#[test]
fn a_delay_of_ten_milliseconds_is_at_least_ten() {
    with("faultfs::delay", &["delay read 10ms"], |mount| {
        std::fs::write(mount.path("a"), vec![1; 16 * 4096]).unwrap();
        let asked = Duration::from_millis(10);
        // A loaded machine may be late; it is never early.
        let median = median_read(&direct(mount, "a"), 20);
        assert!(median >= asked, "{median:?}");
    });
}

#[test]
fn sixteen_at_once_wait_beside_each_other() {
    with("faultfs::depth", &["delay read 10ms"], |mount| {
        std::fs::write(mount.path("a"), vec![1; 16 * 4096]).unwrap();
        let start = now();
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| median_read(&direct(mount, "a"), 50));
            }
        });
        let wall = start.elapsed();
        assert!(wall >= Duration::from_millis(500), "{wall:?}");
        assert_eq!(mount.counter("reads"), 800);
    });
    // One after the other, the second would begin when the first is done.
    with("faultfs::beside", &["delay read 3600s"], |mount| {
        std::fs::write(mount.path("a"), vec![1; 16 * 4096]).unwrap();
        let files = (0..16).map(|_| direct(mount, "a"));
        let read = |file: File| move || file.read_at(Aligned::new(0).get(), 0);
        let readers: Vec<_> = files.map(|file| std::thread::spawn(read(file))).collect();
        let limit = now() + Duration::from_secs(60);
        while mount.counter("reads") < 16 {
            assert!(now() < limit, "{} reads began", mount.counter("reads"));
            std::thread::sleep(Duration::from_millis(5));
        }
        mount.end();
        for reader in readers {
            assert!(reader.join().unwrap().is_err(), "it was held");
        }
    });
}

#[test]
fn a_stall_holds_everything_that_long() {
    with("faultfs::stall", &[], |mount| {
        std::fs::write(mount.path("a"), vec![1; 16 * 4096]).unwrap();
        let file = direct(mount, "a");
        mount.command("stall 1s\n");
        let start = now();
        file.read_exact_at(Aligned::new(0).get(), 0).unwrap();
        let waited = start.elapsed();
        assert!(waited > Duration::from_millis(700), "{waited:?}");
        assert_eq!(mount.counter("stalled"), 1);
        // The stall is over.
        file.read_exact_at(Aligned::new(0).get(), 0).unwrap();
        assert_eq!(mount.counter("stalled"), 1);
    });
}

#[test]
fn errors_strike_the_ios_they_are_set_for() {
    with("faultfs::errors", &[], |mount| {
        std::fs::write(mount.path("a"), vec![1; 16 * 4096]).unwrap();
        let file = direct(mount, "a");
        mount.command("error read EIO every 3\nerror fsync ENOSPC at 2\n");
        let failed: Vec<u32> = (1..=9)
            .filter(|_| match file.read_exact_at(Aligned::new(0).get(), 0) {
                Ok(()) => false,
                Err(error) => error.raw_os_error() == Some(libc::EIO),
            })
            .collect();
        assert_eq!(failed, [3, 6, 9]);
        file.sync_all().unwrap();
        assert_eq!(file.sync_all().unwrap_err().kind(), ErrorKind::StorageFull);
        assert_eq!(mount.counter("errors"), 4);
        mount.command("clear\nerror read EIO range 8k-12k");
        assert!(file.read_exact_at(Aligned::new(0).get(), 4096).is_ok());
        assert!(file.read_exact_at(Aligned::new(0).get(), 8192).is_err());
    });
}

#[test]
fn short_transfers_are_short() {
    with("faultfs::short", &["--serial"], |mount| {
        std::fs::write(mount.path("a"), vec![1; 16 * 4096]).unwrap();
        let file = direct(mount, "a");
        mount.command("short all 512 always");
        assert_eq!(file.read_at(Aligned::new(0).get(), 0).unwrap(), 512);
        assert_eq!(file.write_at(Aligned::new(2).get(), 0).unwrap(), 512);
        mount.command("clear");
        let mut buffer = Aligned::new(0);
        file.read_exact_at(buffer.get(), 0).unwrap();
        assert_eq!((buffer.get()[511], buffer.get()[512]), (2, 1));
    });
}

#[test]
fn a_full_file_system_is_full() {
    with("faultfs::space", &["space 64k"], |mount| {
        std::fs::write(mount.path("a"), vec![1; 48 << 10]).unwrap();
        let error = std::fs::write(mount.path("b"), vec![1; 48 << 10]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageFull);
        std::fs::remove_file(mount.path("a")).unwrap();
        // The kernel says later that it is no longer open; then its space is free.
        let limit = now() + Duration::from_secs(20);
        while let Err(error) = std::fs::write(mount.path("b"), vec![1; 48 << 10]) {
            assert_eq!(error.kind(), ErrorKind::StorageFull);
            assert!(now() < limit, "its room never came back");
            std::thread::sleep(Duration::from_millis(5));
        }
    });
}

#[test]
fn one_byte_comes_back_wrong_until_cleared() {
    with("faultfs::corrupt", &["corrupt 5000 xor 0x01"], |mount| {
        std::fs::write(mount.path("a"), vec![1; 16 * 4096]).unwrap();
        let file = direct(mount, "a");
        let mut buffer = Aligned::new(0);
        file.read_exact_at(buffer.get(), 4096).unwrap();
        assert_eq!(buffer.get()[5000 - 4096], 0);
        assert_eq!(buffer.get().iter().filter(|byte| **byte != 1).count(), 1);
        mount.command("clear");
        file.read_exact_at(buffer.get(), 4096).unwrap();
        assert!(buffer.get().iter().all(|byte| *byte == 1));
    });
}

#[test]
fn a_wrong_command_is_refused_and_changes_nothing() {
    with("faultfs::refused", &[], |mount| {
        std::fs::write(mount.path("a"), vec![1; 4096]).unwrap();
        let error = mount
            .try_command("error read EIO always\nerror read EFOO always")
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        let report = std::fs::read_to_string(mount.path(".faultfs")).unwrap();
        assert!(report.contains("EFOO"), "{report}");
        direct(mount, "a")
            .read_exact_at(Aligned::new(0).get(), 0)
            .unwrap();
    });
}

#[test]
fn it_ends_while_a_stall_holds_an_answer() {
    with("faultfs::end", &[], |mount| {
        std::fs::write(mount.path("a"), vec![1; 4096]).unwrap();
        let file = direct(mount, "a");
        mount.command("stall 3600s");
        let reader = std::thread::spawn(move || file.read_at(Aligned::new(0).get(), 0));
        std::thread::sleep(Duration::from_millis(100));
        mount.end();
        assert!(
            reader.join().unwrap().is_err(),
            "the read fails instead of hanging"
        );
    });
}
