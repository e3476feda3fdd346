//! Polling for completions, on the only device that is known to have poll queues: an NVMe disk that QEMU
//! emulates, in a guest with a kernel of its own.
//!
//! The kernel and its modules come from this machine (`/boot`, `/lib/modules`), or from the directory that
//! LEADLINE_GUEST names and that has the same two (an unpacked linux-image package).

use crate::support::{LEADLINE, Place, or_skip};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the driver needs, in this order; those that a kernel has built in are not there.
const MODULES: [&str; 9] = [
    "crct10dif_common",
    "crct10dif_generic",
    "crc-t10dif",
    "crc64",
    "crc64_rocksoft_generic",
    "crc64-rocksoft",
    "t10-pi",
    "nvme-core",
    "nvme",
];

/// What the guest does: two runs, and the interrupts of the disk's queues around each.
const INIT: &str = r#"#!/bin/sh
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
for f in MODULES; do o=; [ $f = nvme ] && o=poll_queues=1; [ -e /m/$f.ko ] && insmod /m/$f.ko $o; done
for n in 1 2 3 4 5 6 7 8 9 10; do [ -e /dev/nvme0n1 ] && break; sleep 1; done
irqs() { s=0; for n in $(grep 'nvme0q[1-9]' /proc/interrupts | awk '{print $2 + $3}'); do s=$((s+n)); done; echo $s; }
for o in --hipri --hipri=0; do
 a=$(irqs)
 /leadline fio --name=a --filename=/dev/nvme0n1 --rw=randread --bs=4k --direct=1 --iodepth=4 --runtime=2 --time_based --ioengine=io_uring $o --leadline-run=none --output-format=json --output=/tmp/o
 c=$?
 b=$(irqs)
 echo "guest: $o exit=$c ios=$(grep -m1 total_ios /tmp/o | tr -dc 0-9) irqs=$((b-a)) queues=$(grep -c nvme0q /proc/interrupts) polls=$(cat /sys/block/nvme0n1/queue/io_poll)"
done
poweroff -f
"#;

/// Runs a tool; `Err` says what came of it.
fn tool(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("there is no {name}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{name}: {}", said.trim()))
}

/// A kernel and the directory of its modules.
fn kernel() -> Result<(PathBuf, PathBuf), String> {
    let root = std::env::var_os("LEADLINE_GUEST").map_or_else(|| "/".into(), PathBuf::from);
    let boot = root.join("boot");
    let entries = std::fs::read_dir(&boot).map_err(|e| format!("{}: {e}", boot.display()))?;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(version) = name.strip_prefix("vmlinuz-") {
            let modules = root.join("lib/modules").join(version);
            if modules.is_dir() {
                return Ok((entry.path(), modules));
            }
        }
    }
    Err(format!(
        "there is no kernel with its modules below {} (LEADLINE_GUEST names another place)",
        root.display()
    ))
}

/// What the guest begins with: a shell, the modules, and the command with the libraries it needs.
fn guest(place: &Place) -> Result<PathBuf, String> {
    let (kernel, modules) = kernel()?;
    for program in ["qemu-system-x86_64", "busybox", "cpio", "timeout"] {
        tool(Command::new("sh").args(["-c", "command -v \"$0\"", program]))
            .map_err(|_| format!("there is no {program}"))?;
    }
    let busybox = tool(Command::new("sh").args(["-c", "command -v busybox"]))?;
    let found = tool(
        Command::new("find")
            .arg(&modules)
            .args(["-name", "*.ko"])
            .env("LC_ALL", "C"),
    )?;
    let root = place.join("root");
    for directory in ["bin", "dev", "m", "proc", "sys", "tmp"] {
        std::fs::create_dir_all(root.join(directory)).map_err(|e| e.to_string())?;
    }
    let mut last = false;
    for module in MODULES {
        let file = format!("{module}.ko");
        let is_it = |path: &&str| path.rsplit('/').next() == Some(file.as_str());
        last = false;
        if let Some(path) = found.lines().find(is_it) {
            std::fs::copy(path, root.join("m").join(&file)).map_err(|e| e.to_string())?;
            last = true;
        }
    }
    if !last {
        return Err("the kernel has no nvme.ko that is not compressed".to_owned());
    }
    std::fs::copy(busybox.trim(), root.join("bin/busybox")).map_err(|e| e.to_string())?;
    for name in [
        "sh", "mount", "insmod", "sleep", "grep", "awk", "tr", "cat", "poweroff",
    ] {
        std::os::unix::fs::symlink("busybox", root.join("bin").join(name)).unwrap();
    }
    tool(
        Command::new("strip")
            .arg("-o")
            .arg(root.join("leadline"))
            .arg(LEADLINE),
    )?;
    let libraries = tool(Command::new("ldd").arg(LEADLINE)).unwrap_or_default();
    for path in libraries
        .split_whitespace()
        .filter(|word| word.starts_with('/'))
    {
        let to = root.join(path.trim_start_matches('/'));
        std::fs::create_dir_all(to.parent().unwrap()).map_err(|e| e.to_string())?;
        std::fs::copy(path, to).map_err(|e| e.to_string())?;
    }
    let init = root.join("init");
    std::fs::write(&init, INIT.replace("MODULES", &MODULES.join(" "))).unwrap();
    tool(Command::new("chmod").arg("755").arg(&init))?;
    let pack = "cd \"$0\" && find . | cpio -o -H newc --quiet > ../initrd";
    tool(Command::new("sh").args(["-c", pack]).arg(&root))?;
    Ok(kernel)
}

/// What the guest said on its console.
fn boot(place: &Place, kernel: &Path) -> Result<String, String> {
    let disk = place.join("disk");
    std::fs::File::create(&disk)
        .unwrap()
        .set_len(64 << 20)
        .unwrap();
    let drive = format!("file={},if=none,id=d,format=raw", disk.display());
    let mut qemu = Command::new("timeout");
    qemu.args(["-k", "1", "58", "qemu-system-x86_64"]);
    // KVM is there on some machines and works on fewer; software is quick enough.
    qemu.args(["-accel", "tcg,thread=multi"]);
    qemu.args([
        "-M",
        "q35",
        "-cpu",
        "max",
        "-smp",
        "2",
        "-m",
        "1024",
        "-nodefaults",
    ]);
    qemu.args([
        "-display",
        "none",
        "-serial",
        "stdio",
        "-no-reboot",
        "-kernel",
    ]);
    qemu.arg(kernel).arg("-initrd").arg(place.join("initrd"));
    qemu.args(["-append", "console=ttyS0 quiet panic=-1", "-drive", &drive]);
    qemu.args(["-device", "nvme,serial=1,drive=d"]);
    let output = qemu.stdin(Stdio::null()).output();
    let output = output.map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    // One that cannot start is the machine's fault; one that starts has to finish.
    if said.is_empty() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(format!("the guest does not start: {}", why.trim()));
    }
    Ok(said)
}

/// The number after a word in a line.
fn number(line: &str, word: &str) -> u64 {
    let rest = line.split_once(&format!(" {word}=")).unwrap().1;
    let text = rest.split_whitespace().next().unwrap_or_default();
    text.parse().unwrap_or_else(|_| panic!("{word}: {line}"))
}

#[test]
fn a_polled_run_waits_for_no_interrupt_of_the_disk() {
    let place = Place::new();
    let said = guest(&place).and_then(|kernel| boot(&place, &kernel));
    let Some(said) = or_skip("honesty::polled", said) else {
        return;
    };
    let lines: Vec<&str> = said.lines().filter(|l| l.contains("guest: ")).collect();
    assert_eq!(lines.len(), 2, "{said}");
    for line in &lines {
        assert_eq!(
            (number(line, "exit"), number(line, "polls")),
            (0, 1),
            "{said}"
        );
        assert!(number(line, "ios") > 100, "{said}");
    }
    assert_eq!(number(lines[0], "irqs"), 0, "polled: {said}");
    // So that the count is known to count.
    assert!(number(lines[1], "irqs") > 100, "by interrupts: {said}");
}
