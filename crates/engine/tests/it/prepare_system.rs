//! Preparing against what only a real system has: full and read-only file systems, block devices that
//! carry data, users without rights. What the machine lacks is skipped by name.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers of tests; skips are told on stderr"
)]

use leadline_engine::prepare::{Context, FileKind, Made, OpenFile, PrepareError, prepare};
use leadline_engine::schedule::{HostFacts, PathKind, Program, compile};
use leadline_engine::sys::host::Host;
use leadline_model::event::Event;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{Amount, OpMix, Plan, Source, Stage, Target, Workload};
use leadline_model::units::{Nanos, Op};
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
    let out = Command::new(program)
        .args(args)
        .output()
        .map_err(|e| format!("{program}: {e}"))?;
    if out.status.success() {
        Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
    } else {
        let text = String::from_utf8_lossy(&out.stderr).trim().to_owned();
        Err(format!("{program} {}: {text}", args.join(" ")))
    }
}

fn root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A file system of its own, gone at the end.
struct Mounted {
    dir: tempfile::TempDir,
}

impl Mounted {
    fn tmpfs(options: &str) -> Result<Self, String> {
        if !root() {
            return Err("mounting needs root".into());
        }
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let at = dir.path().display().to_string();
        run("mount", &["-t", "tmpfs", "-o", options, "tmpfs", &at])?;
        Ok(Self { dir })
    }

    fn device(device: &str) -> Result<Self, String> {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let at = dir.path().display().to_string();
        run("mount", &[device, &at])?;
        Ok(Self { dir })
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = run("umount", &["-l", &self.dir.path().display().to_string()]);
    }
}

/// A loop device over a file, gone at the end.
struct Loop {
    device: String,
    image: PathBuf,
    _dir: tempfile::TempDir,
}

impl Loop {
    fn new(size: u64, make: &[&str]) -> Result<Self, String> {
        if !root() {
            return Err("loop devices need root".into());
        }
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let image = dir.path().join("image");
        let file = fs::File::create(&image).map_err(|e| e.to_string())?;
        file.set_len(size).map_err(|e| e.to_string())?;
        let shown = image.display().to_string();
        if let Some((program, args)) = make.split_first() {
            let mut args = args.to_vec();
            args.push(&shown);
            run(program, &args)?;
        }
        let device = run("losetup", &["--find", "--show", "--partscan", &shown])?;
        Ok(Self {
            device,
            image,
            _dir: dir,
        })
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = run("losetup", &["--detach", &self.device]);
    }
}

fn plan(destroy: &[&str]) -> Plan {
    Plan {
        so_far_every: None,
        hosts: Vec::new(),
        title: "t".into(),
        source: Source::default(),
        given: vec![],
        interval: Nanos::SECOND,
        stages: vec![],
        read_only: false,
        destroy: destroy.iter().map(|d| (*d).to_owned()).collect(),
    }
}

fn on(path: &Path, size: Option<u64>, mix: OpMix) -> Workload {
    let mut w = Workload::new("w", Target::Paths(vec![path.display().to_string()]));
    w.region.size = size.map(Amount::Bytes);
    w.mix = mix;
    w
}

/// The host, but for how much space is left: what happens when others fill it meanwhile.
struct Roomy;

impl HostFacts for Roomy {
    fn path_kind(&self, path: &Path) -> PathKind {
        Host.path_kind(path)
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
    let mut findings = Vec::new();
    let files = prepare(
        programs,
        &mut Context {
            plan: &plan(destroy),
            stage: 0,
            cancel: &AtomicBool::new(false),
            made: &mut Made::default(),
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

#[test]
fn a_full_file_system_is_foreseen() {
    let small = match Mounted::tmpfs("size=4m") {
        Ok(m) => m,
        Err(e) => return skip("full file system foreseen", &e),
    };
    let stage = Stage {
        name: "s".into(),
        pause: Nanos::ZERO,
        workloads: vec![on(&small.path().join("f"), Some(8 * MIB), OpMix::reads())],
        ..Stage::default()
    };
    let problems = compile(&stage, &plan(&[]), &Host, 1).unwrap_err();
    assert!(problems[0].text.contains("8 MiB more"), "{problems:?}");
    assert!(problems[0].text.contains("4 MiB free"), "{problems:?}");
}

#[test]
fn a_file_system_that_fills_up_ends_the_layout_and_leaves_nothing_behind() {
    let small = match Mounted::tmpfs("size=4m") {
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
        assert!(!error.cure().is_empty());
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
    let mount = match Mounted::tmpfs("size=4m") {
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
        let (opened, _) = ready(&compiled(on(path, Some(MIB), mix), &Host), &[]);
        if fine {
            assert!(opened.is_ok(), "{opened:?}");
        } else {
            assert_eq!(errno(&opened), Some(libc::EROFS), "{opened:?}");
            let text = opened.unwrap_err().to_string();
            assert!(text.contains("read only"), "{text}");
        }
    }
}

#[test]
fn a_device_that_carries_a_file_system_is_refused_and_stays_as_it_was() {
    let name = "device with a file system";
    let device = match Loop::new(16 * MIB, &["mkfs.ext4", "-q", "-F"]) {
        Ok(d) => d,
        Err(e) => return skip(name, &e),
    };
    let before = fs::read(&device.image).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&device.device, &link).unwrap();
    for path in [Path::new(&device.device), link.as_path()] {
        for mix in [
            WRITES,
            OpMix::Only(Op::Trim),
            OpMix::ReadWrite { read_percent: 99 },
        ] {
            let (opened, _) = ready(&compiled(on(path, None, mix), &Host), &[]);
            let Err(PrepareError::Refused { text, cure }) = opened else {
                panic!("{opened:?}");
            };
            assert!(text.contains("ext4 file system"), "{text}");
            assert!(
                text.contains(&device.device),
                "the end of a link is shown: {text}"
            );
            assert!(
                cure.contains(&format!("--destroy {}", device.device)),
                "{cure}"
            );
        }
    }
    let (opened, _) = ready(&compiled(on(&link, None, WRITES), &Host), &["/dev/nowhere"]);
    assert!(matches!(opened, Err(PrepareError::Refused { .. })));
    // Reading is free.
    let (opened, _) = ready(
        &compiled(on(Path::new(&device.device), None, OpMix::reads()), &Host),
        &[],
    );
    let file = &opened.unwrap()[0][0];
    assert_eq!(
        (file.kind, file.size, file.logical_block),
        (FileKind::Block, 16 * MIB, 512)
    );
    assert!(
        fs::read(&device.image).unwrap() == before,
        "not a byte has changed"
    );
    // Named, by its own name or the link's, it may be written.
    for named in [device.device.as_str(), link.to_str().unwrap()] {
        let (opened, found) = ready(&compiled(on(&link, None, WRITES), &Host), &[named]);
        assert!(opened.is_ok(), "{opened:?}");
        assert_eq!(found[0].code, "data-destroyed");
        assert!(found[0].text.contains("ext4"), "{found:?}");
    }
}

#[test]
fn a_mounted_device_is_refused_and_written_only_loudly() {
    let device = match Loop::new(16 * MIB, &["mkfs.ext4", "-q", "-F"]) {
        Ok(d) => d,
        Err(e) => return skip("mounted device", &e),
    };
    let mounted = match Mounted::device(&device.device) {
        Ok(m) => m,
        Err(e) => return skip("mounted device", &e),
    };
    let path = Path::new(&device.device);
    let (opened, _) = ready(&compiled(on(path, None, WRITES), &Host), &[]);
    let Err(PrepareError::Refused { text, cure }) = opened else {
        panic!("{opened:?}");
    };
    let at = format!("is mounted on {}", mounted.path().display());
    assert!(text.contains(&at), "{text}");
    assert!(cure.contains("unmount"), "{cure}");
    let (opened, found) = ready(&compiled(on(path, None, WRITES), &Host), &[&device.device]);
    // Kernels may be built to refuse it themselves.
    if opened.is_ok() {
        assert_eq!(found[0].code, "device-in-use");
        assert_eq!(found[0].severity, Severity::Fail);
    } else {
        assert!(
            matches!(opened, Err(PrepareError::Environment { .. })),
            "{opened:?}"
        );
    }
}

#[test]
fn swap_marks_partitions_and_empty_devices() {
    let name = "marks on devices";
    let swap = match Loop::new(MIB, &["mkswap"]) {
        Ok(d) => d,
        Err(e) => return skip(name, &e),
    };
    let (opened, _) = ready(
        &compiled(on(Path::new(&swap.device), None, WRITES), &Host),
        &[],
    );
    let text = opened.unwrap_err().to_string();
    assert!(text.contains("swap space"), "{text}");
    let empty = match Loop::new(MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip(name, &e),
    };
    let (opened, found) = ready(
        &compiled(on(Path::new(&empty.device), None, WRITES), &Host),
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
    let device = match Loop::new(17 * MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip(name, &e),
    };
    partition(&device.device, 17 * MIB);
    // Not every kernel reads tables itself; partx tells it what they say.
    if let Err(e) = run("partx", &["--update", &device.device]) {
        return skip(name, &e);
    }
    let first = format!("{}p1", device.device);
    if !Path::new(&first).exists() {
        return skip(name, "partitions of loop devices do not show");
    }
    let disk = Path::new(&device.device);
    let text = |opened: Opened| opened.unwrap_err().to_string();
    let (opened, _) = ready(&compiled(on(disk, None, WRITES), &Host), &[]);
    assert!(text(opened).contains("MBR partition table"));
    let (opened, _) = ready(&compiled(on(Path::new(&first), None, WRITES), &Host), &[]);
    assert!(opened.is_ok(), "an empty partition is free: {opened:?}");
    drop(opened);
    run("mkfs.ext4", &["-q", "-F", &first]).unwrap();
    let mounted = match Mounted::device(&first) {
        Ok(m) => m,
        Err(e) => return skip(name, &e),
    };
    let at = format!("p1 is mounted on {}", mounted.path().display());
    for path in [disk, Path::new(&first)] {
        let (opened, _) = ready(&compiled(on(path, None, WRITES), &Host), &[]);
        let text = text(opened);
        assert!(text.contains(&at), "{text}");
    }
    // Naming the disk does not name its partition, nor the other way round.
    let (opened, _) = ready(&compiled(on(disk, None, WRITES), &Host), &[&first]);
    assert!(matches!(opened, Err(PrepareError::Refused { .. })));
}

#[test]
fn a_device_opened_exclusively_is_busy() {
    let device = match Loop::new(MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip("device opened exclusively", &e),
    };
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::EXCL;
    let held = rustix::fs::open(&device.device, flags, rustix::fs::Mode::empty()).unwrap();
    let (opened, _) = ready(
        &compiled(on(Path::new(&device.device), None, WRITES), &Host),
        &[],
    );
    let text = opened.unwrap_err().to_string();
    assert!(text.contains("exclusively"), "{text}");
    drop(held);
}

#[test]
fn direct_io_on_a_device_has_its_alignment() {
    let device = match Loop::new(MIB, &[]) {
        Ok(d) => d,
        Err(e) => return skip("direct I/O on a device", &e),
    };
    let mut w = on(Path::new(&device.device), None, OpMix::reads());
    w.open.direct = true;
    let (opened, _) = ready(&compiled(w.clone(), &Host), &[]);
    let file = &opened.unwrap()[0][0];
    assert!(file.direct && file.size == MIB);
    w.sizes = leadline_model::plan::BlockSizes::fixed(1000);
    let stage = Stage {
        name: "s".into(),
        pause: Nanos::ZERO,
        workloads: vec![w],
        ..Stage::default()
    };
    let problems = compile(&stage, &plan(&[]), &Host, 1).unwrap_err();
    assert!(
        problems[0].text.contains("logical block of 512"),
        "{problems:?}"
    );
}

#[test]
fn who_may_not_write_is_told_so() {
    if !root() {
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
            let (opened, _) = ready(&compiled(on(path, Some(MIB), mix), &Host), &[]);
            assert_eq!(errno(&opened), Some(libc::EACCES), "{opened:?}");
            let error = opened.unwrap_err();
            assert!(error.to_string().contains("permission denied"), "{error}");
            assert!(error.cure().contains("permissions"), "{}", error.cure());
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
    let (opened, _) = ready(&compiled(on(&path, None, OpMix::reads()), &Host), &[]);
    let mut buffer = [0u8; 4096];
    rustix::io::pread(&opened.unwrap()[0][0].fd, &mut buffer[..], 0).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().atime(), 1000);
}
