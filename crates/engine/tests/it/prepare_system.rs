//! Preparing against what only a real system has: full and read-only file systems, block devices that
//! carry data, users without rights. What the machine lacks is skipped by name.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use leadline_engine::prepare::{
    FileKind, Holds, Host, MadeFiles, OpenFile, PrepareContext, PrepareError, prepare,
};
use leadline_engine::schedule::{HostFacts, PathKind, Program, compile};
use leadline_model::cure::{Cure, Knob};
use leadline_model::event::Event;
use leadline_model::finding::Finding;
use leadline_model::op::Op;
use leadline_model::plan::{Amount, OpMix, Plan, Stage, Target, Workload};
use leadline_model::units::Nanos;
use leadline_testkit::machine::{FileSystem, LoopDevice, is_root, tool};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

const MIB: u64 = 1 << 20;

/// Says that a test did not run, and why.
fn skip(name: &str, reason: &str) {
    leadline_testkit::skip(&format!("engine::{name}"), reason);
}

fn run(program: &str, args: &[&str]) -> Result<String, String> {
    tool(&[&[program], args].concat())
}

/// Tries again for a while what fails as long as a device is held: a program that another test starts has the
/// descriptors of this process between its fork and its exec, and what was closed here stays held until then.
fn soon<T, E>(mut attempt: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    let mut tries = 1;
    loop {
        match attempt() {
            Err(_) if tries < 100 => std::thread::sleep(std::time::Duration::from_millis(50)),
            other => return other,
        }
        tries += 1;
    }
}

fn plan(destroy: &[&str]) -> Plan {
    Plan {
        interval: Nanos::SECOND,
        destroy: destroy.iter().map(|d| (*d).to_owned()).collect(),
        ..leadline_testkit::plan(vec![])
    }
}

fn on(path: &Path, size: Option<u64>, mix: OpMix) -> Workload {
    let mut w = Workload::new("w", Target::Paths(vec![path.display().to_string()]));
    w.blocks_mut().region.size = size.map(Amount::Bytes);
    w.blocks_mut().mix = mix;
    w
}

/// The host, but for how much space is left: what happens when others fill it meanwhile.
struct Roomy;

impl HostFacts for Roomy {
    fn path_kind(&self, path: &Path) -> PathKind {
        Host::default().path_kind(path)
    }
    fn free_bytes(&self, _: &Path) -> Option<u64> {
        None
    }
}

fn compiled(w: Workload, facts: &dyn HostFacts) -> Vec<Program> {
    let stage = Stage {
        name: "s".into(),
        pause: Nanos::ZERO,
        workloads: vec![w],
        ..Stage::default()
    };
    compile(&stage, &plan(&[]), facts, 1).unwrap()
}

type Opened = Result<Vec<Vec<OpenFile>>, PrepareError>;

fn ready(programs: &[Program], destroy: &[&str]) -> (Opened, Vec<Finding>) {
    ready_in(programs, destroy, &mut Holds::of_run(1))
}

/// In a run that holds what it holds already.
fn ready_in(programs: &[Program], destroy: &[&str], holds: &mut Holds) -> (Opened, Vec<Finding>) {
    let mut findings = Vec::new();
    let files = prepare(
        &programs.iter().collect::<Vec<_>>(),
        &mut PrepareContext {
            plan: &plan(destroy),
            stage: 0,
            cancel: &AtomicBool::new(false),
            made: &mut MadeFiles::default(),
            holds,
            emit: &mut |e| {
                if let Event::Finding(f) = e {
                    findings.push(f);
                }
            },
        },
    );
    (files, findings)
}

fn errno(opened: &Opened) -> Option<i32> {
    match opened {
        Err(PrepareError::Environment { errno, .. }) => *errno,
        _ => None,
    }
}

const WRITES: OpMix = OpMix::Only(Op::Write);

/// Writing there is refused in these words; the cure.
#[track_caller]
fn refused(path: &Path, named: &[&str], words: &str) -> Cure {
    let (opened, _) = ready(
        &compiled(on(path, Some(MIB), WRITES), &Host::default()),
        named,
    );
    let Err(PrepareError::Refused { text, cure, .. }) = opened else {
        panic!("{} is written: {opened:?}", path.display());
    };
    assert!(text.contains(words), "{text}");
    cure
}

#[test]
fn a_full_file_system_is_foreseen() {
    let small = match FileSystem::of("4m") {
        Ok(m) => m,
        Err(e) => return skip("full file system foreseen", &e),
    };
    let stage = Stage {
        name: "s".into(),
        pause: Nanos::ZERO,
        workloads: vec![on(&small.path().join("f"), Some(8 * MIB), OpMix::reads())],
        ..Stage::default()
    };
    let problems = compile(&stage, &plan(&[]), &Host::default(), 1).unwrap_err();
    assert!(problems[0].text.contains("8 MiB more"), "{problems:?}");
    assert!(problems[0].text.contains("4 MiB free"), "{problems:?}");
}

#[test]
fn a_file_system_that_fills_up_ends_the_layout_and_leaves_no_file() {
    let small = match FileSystem::of("4m") {
        Ok(m) => m,
        Err(e) => return skip("file system fills up", &e),
    };
    for mix in [OpMix::reads(), WRITES] {
        let path = small.path().join("f");
        let (opened, _) = ready(&compiled(on(&path, Some(8 * MIB), mix), &Roomy), &[]);
        assert_eq!(errno(&opened), Some(libc::ENOSPC), "{opened:?}");
        let error = opened.unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("no space left") && text.contains("/f"),
            "{text}"
        );
        assert!(!error.cure().text.is_empty());
        assert!(!path.exists(), "what could not be filled is gone");
    }
    let old = small.path().join("old");
    fs::write(&old, vec![5u8; 1 << 20]).unwrap();
    let (opened, _) = ready(
        &compiled(on(&old, Some(8 * MIB), OpMix::reads()), &Roomy),
        &[],
    );
    assert_eq!(errno(&opened), Some(libc::ENOSPC));
    let now = fs::read(&old).unwrap();
    assert_eq!(now.len(), 1 << 20, "the space is given back");
    assert!(
        now[..1 << 20].iter().all(|b| *b == 5),
        "what was there stays"
    );
}

#[test]
fn a_read_only_file_system_is_named() {
    let mount = match FileSystem::of("4m") {
        Ok(m) => m,
        Err(e) => return skip("read-only file system", &e),
    };
    let there = mount.path().join("there");
    fs::write(&there, vec![1; 1 << 20]).unwrap();
    let at = mount.path().display().to_string();
    run("mount", &["-o", "remount,ro", &at]).unwrap();
    let missing = mount.path().join("missing");
    let cases = [
        (&missing, OpMix::reads(), false),
        (&missing, WRITES, false),
        (&there, WRITES, false),
        (&there, OpMix::reads(), true),
    ];
    for (path, mix, fine) in cases {
        let (opened, _) = ready(&compiled(on(path, Some(MIB), mix), &Host::default()), &[]);
        if fine {
            assert!(opened.is_ok(), "{opened:?}");
        } else {
            assert_eq!(errno(&opened), Some(libc::EROFS), "{opened:?}");
            let text = opened.unwrap_err().to_string();
            assert!(text.contains("read-only"), "{text}");
        }
    }
}

#[test]
fn a_device_that_carries_a_file_system_is_refused_and_stays_as_it_was() {
    let name = "device with a file system";
    let device = match LoopDevice::of_size(16 * MIB, &["mkfs.ext4", "-q", "-F"]) {
        Ok(d) => d,
        Err(e) => return skip(name, &e),
    };
    let image = device.image().unwrap();
    let before = fs::read(&image).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&device.path, &link).unwrap();
    for path in [Path::new(&device.path), link.as_path()] {
        for mix in [WRITES, OpMix::Only(Op::Trim), OpMix::mixed(99)] {
            let (opened, _) = ready(&compiled(on(path, None, mix), &Host::default()), &[]);
            let Err(PrepareError::Refused { text, cure, .. }) = opened else {
                panic!("{opened:?}");
            };
            assert!(text.contains("ext4 file system"), "{text}");
            assert!(
                text.contains(&device.path),
                "the end of a link is shown: {text}"
            );
            assert!(cure.text.contains(&device.path), "{cure}");
            assert_eq!(cure.knobs, [Knob::Destroy]);
        }
    }
    let (opened, _) = ready(
        &compiled(on(&link, None, WRITES), &Host::default()),
        &["/dev/nowhere"],
    );
    assert!(matches!(opened, Err(PrepareError::Refused { .. })));
    // Reading is free.
    let (opened, _) = ready(
        &compiled(
            on(Path::new(&device.path), None, OpMix::reads()),
            &Host::default(),
        ),
        &[],
    );
    let file = &opened.unwrap()[0][0];
    assert_eq!(
        (file.kind, file.size, file.logical_block),
        (FileKind::Block, 16 * MIB, 512)
    );
    assert!(
        fs::read(&image).unwrap() == before,
        "not a byte has changed"
    );
    // Named, by its own name or the link's, it may be written.
    for named in [device.path.as_str(), link.to_str().unwrap()] {
        let (opened, found) = ready(
            &compiled(on(&link, None, WRITES), &Host::default()),
            &[named],
        );
        assert!(opened.is_ok(), "{opened:?}");
        assert_eq!(found[0].code, "data-destroyed");
        assert!(found[0].text.contains("ext4"), "{found:?}");
    }
}

#[test]
fn a_mounted_device_is_refused_whatever_is_named() {
    let device = match LoopDevice::of_size(16 * MIB, &["mkfs.ext4", "-q", "-F"]) {
        Ok(d) => d,
        Err(e) => return skip("mounted device", &e),
    };
    let mounted = match FileSystem::device(&device.path) {
        Ok(m) => m,
        Err(e) => return skip("mounted device", &e),
    };
    let path = Path::new(&device.path);
    let at = format!("is mounted on {}", mounted.path().display());
    for named in [&[][..], &[device.path.as_str()]] {
        let cure = refused(path, named, &at);
        assert!(cure.text.contains("unmount"), "{cure}");
        assert_eq!(cure.knobs, [], "no option overrides it");
    }
}

#[test]
fn swap_marks_partitions_and_empty_devices() {
    let name = "marks on devices";
    let swap = match LoopDevice::of_size(MIB, &["mkswap"]) {
        Ok(d) => d,
        Err(e) => return skip(name, &e),
    };
    let (opened, _) = ready(
        &compiled(on(Path::new(&swap.path), None, WRITES), &Host::default()),
        &[],
    );
    let text = opened.unwrap_err().to_string();
    assert!(text.contains("swap space"), "{text}");
    let empty = match LoopDevice::of_size(MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip(name, &e),
    };
    let (opened, found) = ready(
        &compiled(on(Path::new(&empty.path), None, WRITES), &Host::default()),
        &[],
    );
    assert!(opened.is_ok(), "{opened:?}");
    assert!(found.is_empty(), "{found:?}");
}

/// Writes a partition table with one partition from 1 MiB to the end.
fn partition(image: &str, size: u64) {
    let mut table = vec![0u8; 512];
    table[510] = 0x55;
    table[511] = 0xaa;
    table[450] = 0x83;
    let sectors = |n: u64| u32::try_from(n / 512).unwrap().to_le_bytes();
    table[454..458].copy_from_slice(&sectors(MIB));
    table[458..462].copy_from_slice(&sectors(size - MIB));
    let file = fs::File::options().write(true).open(image).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &table, 0).unwrap();
}

#[test]
fn a_disk_is_refused_for_what_is_on_its_partitions() {
    let name = "disk with partitions";
    let device = match LoopDevice::of_size(17 * MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip(name, &e),
    };
    partition(&device.path, 17 * MIB);
    // Not every kernel reads tables itself; partx passes it their contents.
    if let Err(e) = run("partx", &["--update", &device.path]) {
        return skip(name, &e);
    }
    let first = format!("{}p1", device.path);
    if !Path::new(&first).exists() {
        return skip(name, "partitions of loop devices do not show");
    }
    let disk = Path::new(&device.path);
    let text = |opened: Opened| opened.unwrap_err().to_string();
    let (opened, _) = ready(&compiled(on(disk, None, WRITES), &Host::default()), &[]);
    assert!(text(opened).contains("MBR partition table"));
    let (opened, _) = ready(
        &compiled(on(Path::new(&first), None, WRITES), &Host::default()),
        &[],
    );
    assert!(opened.is_ok(), "an empty partition is free: {opened:?}");
    drop(opened);
    soon(|| run("mkfs.ext4", &["-q", "-F", &first])).unwrap();
    let mounted = match FileSystem::device(&first) {
        Ok(m) => m,
        Err(e) => return skip(name, &e),
    };
    let at = format!("p1 is mounted on {}", mounted.path().display());
    for path in [disk, Path::new(&first)] {
        let (opened, _) = ready(&compiled(on(path, None, WRITES), &Host::default()), &[]);
        let text = text(opened);
        assert!(text.contains(&at), "{text}");
    }
    // Naming the disk does not name its partition, nor the other way round.
    let (opened, _) = ready(
        &compiled(on(disk, None, WRITES), &Host::default()),
        &[&first],
    );
    assert!(matches!(opened, Err(PrepareError::Refused { .. })));
}

#[test]
fn a_device_opened_exclusively_is_busy() {
    let device = match LoopDevice::of_size(MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip("device opened exclusively", &e),
    };
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::EXCL;
    let held = rustix::fs::open(&device.path, flags, rustix::fs::Mode::empty()).unwrap();
    let (opened, _) = ready(
        &compiled(on(Path::new(&device.path), None, WRITES), &Host::default()),
        &[],
    );
    let text = opened.unwrap_err().to_string();
    assert!(text.contains("exclusively"), "{text}");
    refused(Path::new(&device.path), &[&device.path], "exclusively");
    drop(held);
}

#[test]
fn direct_io_on_a_device_has_its_alignment() {
    let device = match LoopDevice::of_size(MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip("direct I/O on a device", &e),
    };
    let mut w = on(Path::new(&device.path), None, OpMix::reads());
    w.blocks_mut().open.direct = true;
    let (opened, _) = ready(&compiled(w.clone(), &Host::default()), &[]);
    let file = &opened.unwrap()[0][0];
    assert!(file.direct && file.size == MIB);
    w.blocks_mut().sizes = leadline_model::plan::BlockSizes::fixed(1000);
    let stage = Stage {
        name: "s".into(),
        pause: Nanos::ZERO,
        workloads: vec![w],
        ..Stage::default()
    };
    let problems = compile(&stage, &plan(&[]), &Host::default(), 1).unwrap_err();
    assert!(
        problems[0].text.contains("logical block size of 512"),
        "{problems:?}"
    );
}

#[test]
fn a_missing_write_permission_is_reported() {
    if !is_root() {
        return skip("no permission", "changing the user needs root");
    }
    let dir = tempfile::tempdir().unwrap();
    let secret = dir.path().join("secret");
    fs::write(&secret, vec![1; 1 << 20]).unwrap();
    fs::set_permissions(&secret, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let open_dir: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(dir.path(), open_dir).unwrap();
    let new = dir.path().join("new");
    // The user of a thread is its own with the plain system call; the process keeps root.
    std::thread::spawn(move || {
        let nobody = rustix::process::Uid::from_raw(65534);
        rustix::thread::set_thread_uid(nobody).unwrap();
        for (path, mix) in [
            (&secret, OpMix::reads()),
            (&secret, WRITES),
            (&new, OpMix::reads()),
        ] {
            let (opened, _) = ready(&compiled(on(path, Some(MIB), mix), &Host::default()), &[]);
            assert_eq!(errno(&opened), Some(libc::EACCES), "{opened:?}");
            let error = opened.unwrap_err();
            assert!(error.to_string().contains("permission denied"), "{error}");
            assert!(
                error.cure().text.contains("permissions"),
                "{}",
                error.cure()
            );
        }
    })
    .join()
    .unwrap();
}

#[test]
fn a_readers_access_time_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, vec![1; 1 << 20]).unwrap();
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1000);
    let times = fs::FileTimes::new().set_accessed(old);
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_times(times)
        .unwrap();
    let (opened, _) = ready(
        &compiled(on(&path, None, OpMix::reads()), &Host::default()),
        &[],
    );
    let mut buffer = [0u8; 4096];
    rustix::io::pread(&opened.unwrap()[0][0].handle, &mut buffer[..], 0).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().atime(), 1000);
}

/// Makes a file system on a device and mounts it, as a user would who does not know of the run; what was
/// said against it.
fn intruder(device: &str) -> (Option<String>, Option<String>) {
    let made = run("mkfs.ext4", &["-q", "-F", device]).err();
    (made, FileSystem::device(device).err())
}

#[test]
fn a_device_cannot_be_mounted_or_formatted_while_it_is_held() {
    let device = match LoopDevice::of_size(16 * MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip("device that is held", &e),
    };
    let path = Path::new(&device.path);
    let mut holds = Holds::of_run(1);
    let (opened, _) = ready_in(
        &compiled(on(path, None, WRITES), &Host::default()),
        &[],
        &mut holds,
    );
    let files = opened.unwrap();
    let (made, mounted) = intruder(&device.path);
    assert!(made.is_some(), "a file system was made on it");
    assert!(mounted.is_some(), "it was mounted");
    // The workers' descriptors hold nothing; the run does, between its stages too.
    drop(files);
    assert!(intruder(&device.path).0.is_some());
    let (opened, _) = ready_in(
        &compiled(on(path, None, WRITES), &Host::default()),
        &[],
        &mut holds,
    );
    assert!(opened.is_ok(), "the next stage of the run: {opened:?}");
    drop(opened);
    drop(holds);
    let free = soon(|| match intruder(&device.path) {
        (None, None) => Ok(()),
        refused => Err(refused),
    });
    assert_eq!(free, Ok(()), "it is free again");
}

#[test]
fn a_device_is_held_while_files_are_laid_out() {
    let device = match LoopDevice::of_size(16 * MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip("device held during layout", &e),
    };
    let dir = tempfile::tempdir().unwrap();
    let path = PathBuf::from(&device.path);
    let stage = Stage {
        name: "s".into(),
        workloads: vec![
            on(&dir.path().join("f"), Some(256 * MIB), OpMix::reads()),
            on(&path, Some(MIB), WRITES),
        ],
        ..Stage::default()
    };
    let programs = compile(&stage, &plan(&[]), &Host::default(), 1).unwrap();
    let mut said = None;
    let opened = prepare(
        &programs.iter().collect::<Vec<_>>(),
        &mut PrepareContext {
            plan: &plan(&[]),
            stage: 0,
            cancel: &AtomicBool::new(false),
            made: &mut MadeFiles::default(),
            holds: &mut Holds::of_run(1),
            emit: &mut |e| {
                if matches!(e, Event::Preparing { .. }) && said.is_none() {
                    said = Some(intruder(&device.path));
                }
            },
        },
    );
    assert!(opened.is_ok(), "{opened:?}");
    match said {
        Some((made, mounted)) => {
            assert!(made.is_some(), "a file system was made on it");
            assert!(mounted.is_some(), "it was mounted");
        }
        None => skip("device held during layout", "the layout was over at once"),
    }
}

#[test]
fn a_process_that_ignores_the_hold_is_noticed_after_the_layout() {
    let device = match LoopDevice::of_size(16 * MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip("device changed during layout", &e),
    };
    let dir = tempfile::tempdir().unwrap();
    let path = PathBuf::from(&device.path);
    let stage = Stage {
        name: "s".into(),
        workloads: vec![
            on(&dir.path().join("f"), Some(256 * MIB), OpMix::reads()),
            on(&path, Some(MIB), WRITES),
        ],
        ..Stage::default()
    };
    let programs = compile(&stage, &plan(&[]), &Host::default(), 1).unwrap();
    let mut written = false;
    let opened = prepare(
        &programs.iter().collect::<Vec<_>>(),
        &mut PrepareContext {
            plan: &plan(&[]),
            stage: 0,
            cancel: &AtomicBool::new(false),
            made: &mut MadeFiles::default(),
            holds: &mut Holds::of_run(1),
            emit: &mut |e| {
                if matches!(e, Event::Preparing { .. }) && !written {
                    fs::write(&path, b"XFSB").unwrap();
                    written = true;
                }
            },
        },
    );
    if !written {
        return skip(
            "device changed during layout",
            "the layout was over at once",
        );
    }
    let text = opened.unwrap_err().to_string();
    assert!(text.contains("an xfs file system"), "{text}");
}

#[test]
fn two_runs_on_one_device_notice_each_other() {
    let device = match LoopDevice::of_size(MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip("two runs on one device", &e),
    };
    let path = Path::new(&device.path);
    let writing = compiled(on(path, None, WRITES), &Host::default());
    let mut holds = Holds::of_run(2);
    let (opened, _) = ready_in(&writing, &[], &mut holds);
    assert!(opened.is_ok(), "{opened:?}");
    for named in [&[][..], &[device.path.as_str()]] {
        refused(path, named, "another run of leadline is using it");
    }
    // A run that only reads hinders no other, and holds nothing.
    let mut reader = Holds::of_run(3);
    let (read, _) = ready_in(
        &compiled(on(path, None, OpMix::reads()), &Host::default()),
        &[],
        &mut reader,
    );
    assert!(read.is_ok(), "{read:?}");
    drop(holds);
    // A program that another test starts at this moment has the descriptor until it begins.
    let opened = (0..100).find_map(|_| {
        let opened = ready(&writing, &[]).0.ok();
        if opened.is_none() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        opened
    });
    assert!(opened.is_some());
}

#[test]
fn agents_of_one_run_share_a_device_until_the_last_is_gone() {
    let device = match LoopDevice::of_size(MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip("agents of one run", &e),
    };
    let path = Path::new(&device.path);
    let writing = compiled(on(path, None, WRITES), &Host::default());
    let mut first = Holds::of_run(2);
    let mut second = Holds::of_run(2);
    let mut third = Holds::of_run(2);
    for holds in [&mut first, &mut second] {
        let (opened, _) = ready_in(&writing, &[], holds);
        assert!(opened.is_ok(), "{opened:?}");
    }
    // Whoever took it first is gone; it stays held, and who comes late finds it.
    drop(first);
    refused(path, &[], "another run of leadline");
    assert!(intruder(&device.path).0.is_some());
    let (opened, _) = ready_in(&writing, &[], &mut third);
    assert!(opened.is_ok(), "{opened:?}");
    drop(second);
    refused(path, &[], "another run of leadline");
    drop(third);
    let opened = soon(|| ready(&writing, &[]).0);
    assert!(opened.is_ok(), "{opened:?}");
}

#[test]
fn a_disk_and_its_partition_are_held_by_one_run() {
    let device = match LoopDevice::of_size(17 * MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip("disk and partition", &e),
    };
    partition(&device.path, 17 * MIB);
    if let Err(e) = run("partx", &["--update", &device.path]) {
        return skip("disk and partition", &e);
    }
    let first = format!("{}p1", device.path);
    if !Path::new(&first).exists() {
        return skip(
            "disk and partition",
            "partitions of loop devices do not show",
        );
    }
    let (disk, part) = (Path::new(&device.path), Path::new(&first));
    let named = [device.path.as_str()];
    let write = |path: &Path| on(path, Some(MIB), WRITES);
    // In one stage, the partition first, and one after the other.
    for together in [true, false] {
        let mut holds = Holds::of_run(2);
        let stages = if together {
            vec![vec![write(part), write(disk)]]
        } else {
            vec![vec![write(part)], vec![write(disk)]]
        };
        for workloads in stages {
            let stage = Stage {
                name: "s".into(),
                workloads,
                ..Stage::default()
            };
            let programs = compile(&stage, &plan(&[]), &Host::default(), 1).unwrap();
            let (opened, _) = ready_in(&programs, &named, &mut holds);
            assert!(opened.is_ok(), "{opened:?}");
        }
        for path in [disk, part] {
            let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::EXCL;
            let other = rustix::fs::open(path, flags, rustix::fs::Mode::empty());
            assert!(other.is_err(), "{} is not held", path.display());
        }
    }
}

#[test]
fn what_backs_a_loop_device_in_use_is_refused() {
    let device = match LoopDevice::of_size(32 * MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip("backing files", &e),
    };
    let lower = PathBuf::from(&device.path);
    let upper = match LoopDevice::from_offset(&lower, MIB) {
        Ok(d) => d,
        Err(e) => return skip("backing files", &e),
    };
    let image = device.image().unwrap();
    let beside = match LoopDevice::from_offset(&image, 2 * MIB) {
        Ok(d) => d,
        Err(e) => return skip("backing files", &e),
    };
    // Nothing uses it yet.
    for path in [&lower, &image] {
        let (opened, _) = ready(
            &compiled(on(path, Some(MIB), WRITES), &Host::default()),
            &[],
        );
        assert!(opened.is_ok(), "{opened:?}");
    }
    soon(|| run("mkfs.ext4", &["-q", "-F", &upper.path])).unwrap();
    let before = fs::read(&image).unwrap();
    let mounted = match FileSystem::device(&upper.path) {
        Ok(m) => m,
        Err(e) => return skip("backing files", &e),
    };
    let at = format!("is mounted on {}", mounted.path().display());
    let linked = image.with_file_name("another name");
    fs::hard_link(&image, &linked).unwrap();
    for path in [&lower, &image, &linked, &PathBuf::from(&beside.path)] {
        for named in [&[][..], &[&device.path, &beside.path].map(String::as_str)] {
            refused(path, named, &at);
        }
    }
    // What would only be laid out is as little written over.
    let grows = compiled(on(&image, Some(64 * MIB), OpMix::reads()), &Host::default());
    let (opened, _) = ready(&grows, &[]);
    assert!(
        matches!(opened, Err(PrepareError::Refused { .. })),
        "{opened:?}"
    );
    drop(mounted);
    assert_eq!(before.len(), fs::read(&image).unwrap().len());
    // A mount that cannot be seen from here still has the device to itself.
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::EXCL;
    let held = rustix::fs::open(&upper.path, flags, rustix::fs::Mode::empty()).unwrap();
    for path in [&lower, &image] {
        refused(path, &[&device.path], "shares its storage");
    }
    drop(held);
}

#[test]
fn a_file_that_is_swapped_on_is_refused() {
    let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let path = dir.path().join("swap");
    fs::write(&path, vec![0; 4 << 20]).unwrap();
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let name = path.display().to_string();
    if let Err(e) = run("mkswap", &[&name]).and_then(|_| run("swapon", &[&name])) {
        return skip("swap file", &e);
    }
    let (opened, _) = ready(
        &compiled(on(&path, Some(MIB), WRITES), &Host::default()),
        &[],
    );
    run("swapoff", &[&name]).unwrap();
    let text = opened.unwrap_err().to_string();
    assert!(text.contains("it is in use as swap"), "{text}");
}

/// Another process with a lock of this kind on a file, until it is dropped.
struct Locker(std::process::Child);

impl Locker {
    /// Runs `script` for the file; it says something once the lock is there.
    fn new(program: &str, args: &[&str]) -> Result<Self, String> {
        let mut child = Command::new(program)
            .args(args)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .map_err(|e| format!("{program}: {e}"))?;
        let mut said = [0u8; 1];
        let out = child.stdout.as_mut().unwrap();
        let got = std::io::Read::read(out, &mut said).unwrap_or(0);
        let locker = Self(child);
        (got > 0)
            .then_some(locker)
            .ok_or_else(|| format!("{program} took no lock"))
    }
}

impl Drop for Locker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_file_or_device_with_a_lock_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("guest.img");
    fs::write(&file, vec![0; 1 << 20]).unwrap();
    let device = LoopDevice::of_size(MIB, &[]);
    let mut targets = vec![file];
    match &device {
        Ok(device) => targets.push(PathBuf::from(&device.path)),
        Err(e) => skip("locked device", e),
    }
    let python = "import fcntl, sys, struct, os\n\
         f = os.open(sys.argv[2], os.O_RDWR)\n\
         if sys.argv[1] == 'posix': fcntl.lockf(f, fcntl.LOCK_EX)\n\
         if sys.argv[1] == 'flock': fcntl.flock(f, fcntl.LOCK_EX)\n\
         if sys.argv[1] == 'ofd':\n\
         \x20fcntl.fcntl(f, 37, struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 100, 1, 0))\n\
         print('locked', flush=True)\n\
         sys.stdin.read()";
    for target in &targets {
        let name = target.display().to_string();
        for kind in ["posix", "flock", "ofd"] {
            let locker = match Locker::new("python3", &["-c", python, kind, &name]) {
                Ok(locker) => locker,
                Err(e) => {
                    skip("locked file", &e);
                    continue;
                }
            };
            let cure = refused(target, &[&name], "has locked it");
            assert_eq!(cure.knobs, [], "no option overrides it");
            // Reading is free.
            let (opened, _) = ready(
                &compiled(on(target, None, OpMix::reads()), &Host::default()),
                &[],
            );
            assert!(opened.is_ok(), "{opened:?}");
            drop(locker);
        }
        let (opened, _) = ready(
            &compiled(on(target, Some(MIB), WRITES), &Host::default()),
            &[],
        );
        assert!(opened.is_ok(), "{opened:?}");
    }
}
