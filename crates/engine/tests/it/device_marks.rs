//! What lies on devices, made by the programs that make it, and judged beside `wipefs`. Images are plain
//! files, so nothing here needs root or touches a device. Programs that make no image on this machine are skipped by name.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use leadline_engine::os::signature;
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};

const MIB: u64 = 1 << 20;

/// How a program makes an image, and what is found there.
struct Made {
    /// Length of the file it is given.
    size: u64,
    /// The program with its words; `IMAGE` stands for the file, `FOLDER` for one with a file in it, `DATA` for
    /// a file of random data.
    line: &'static str,
    /// What it reads.
    input: &'static str,
    /// Our name for it.
    name: &'static str,
}

const fn made(size: u64, line: &'static str, name: &'static str) -> Made {
    let input = "";
    Made {
        size,
        line,
        input,
        name,
    }
}

const fn label(input: &'static str, name: &'static str) -> Made {
    let line = "sfdisk -q IMAGE";
    Made {
        size: 16 * MIB,
        line,
        input,
        name,
    }
}

const LUKS1: &str =
    "cryptsetup luksFormat --type luks1 --batch-mode --pbkdf-force-iterations 1000 IMAGE -";
const LUKS2: &str = "cryptsetup luksFormat --type luks2 --batch-mode --pbkdf pbkdf2 \
                     --pbkdf-force-iterations 1000 IMAGE -";

const PROGRAMS: &[Made] = &[
    made(
        16 * MIB,
        "mkfs.ext4 -q -F IMAGE",
        "an ext2, ext3 or ext4 file system",
    ),
    made(320 * MIB, "mkfs.xfs -q IMAGE", "an xfs file system"),
    made(128 * MIB, "mkfs.btrfs -q IMAGE", "a btrfs file system"),
    made(64 * MIB, "mkfs.f2fs -q IMAGE", "an f2fs file system"),
    made(
        160 * MIB,
        "mkfs.ocfs2 -q -F -x -M local IMAGE",
        "an OCFS2 file system",
    ),
    made(
        64 * MIB,
        "mkfs.gfs2 -O -p lock_nolock IMAGE",
        "a gfs or gfs2 file system",
    ),
    made(160 * MIB, "mkfs.nilfs2 -q IMAGE", "a nilfs2 file system"),
    made(
        64 * MIB,
        "mkreiserfs -q -f -f IMAGE",
        "a reiserfs file system",
    ),
    made(32 * MIB, "jfs_mkfs -q IMAGE", "a jfs file system"),
    made(4 * MIB, "mkfs.minix -1 IMAGE", "a minix file system"),
    made(4 * MIB, "mkfs.minix -2 IMAGE", "a minix file system"),
    made(4 * MIB, "mkfs.minix -3 IMAGE", "a minix file system"),
    made(4 * MIB, "mkfs.bfs IMAGE", "a bfs file system"),
    made(0, "mkfs.cramfs FOLDER IMAGE", "a cramfs file system"),
    made(0, "mkfs.erofs IMAGE FOLDER", "an erofs file system"),
    made(0, "genromfs -f IMAGE -d FOLDER", "a romfs file system"),
    made(
        0,
        "mksquashfs FOLDER IMAGE -noappend",
        "a squashfs file system",
    ),
    made(0, "makefs -t ffs -s 4m IMAGE FOLDER", "a UFS file system"),
    made(
        0,
        "makefs -t ffs -o version=2 -s 4m IMAGE FOLDER",
        "a UFS file system",
    ),
    made(
        0,
        "makefs -t cd9660 IMAGE FOLDER",
        "an ISO 9660 file system",
    ),
    made(16 * MIB, "mkudffs IMAGE", "a UDF file system"),
    made(4 * MIB, "mkfs.vfat -F 12 IMAGE", "a FAT file system"),
    made(64 * MIB, "mkfs.vfat -F 32 IMAGE", "a FAT file system"),
    made(16 * MIB, "mkfs.exfat IMAGE", "an exFAT file system"),
    made(16 * MIB, "mkfs.ntfs -F -Q -q IMAGE", "an NTFS file system"),
    made(8 * MIB, "hformat IMAGE", "an HFS file system"),
    made(4 * MIB, "mkswap IMAGE", "swap space"),
    Made {
        size: 32 * MIB,
        line: LUKS1,
        input: "a pass phrase",
        name: "LUKS encryption",
    },
    Made {
        size: 32 * MIB,
        line: LUKS2,
        input: "a pass phrase",
        name: "LUKS encryption",
    },
    made(
        4 * MIB,
        "veritysetup format DATA IMAGE",
        "a dm-verity hash tree",
    ),
    made(
        32 * MIB,
        "drbdmeta --force 0 v08 IMAGE internal create-md",
        "a DRBD device",
    ),
    made(
        32 * MIB,
        "drbdmeta --force 0 v09 IMAGE internal create-md 1",
        "a DRBD device",
    ),
    made(16 * MIB, "make-bcache -B IMAGE", "a bcache device"),
    label("label: gpt", "a GPT partition table"),
    label("label: dos", "an empty MBR partition table"),
    label("label: dos\n2048,2048", "an MBR partition table"),
    label("label: sun", "a Sun disk label"),
    label("label: sgi", "an SGI disk label"),
    made(
        16 * MIB,
        "parted -s IMAGE mklabel mac",
        "a Mac partition table",
    ),
    made(16 * MIB, "parted -s IMAGE mklabel bsd", "a BSD disk label"),
    made(
        16 * MIB,
        "parted -s IMAGE mklabel amiga",
        "an Amiga partition table",
    ),
];

fn run(line: &str, input: &str, names: &[(&str, &Path)]) -> Result<(), String> {
    let mut words = line.split_whitespace();
    let program = words.next().unwrap();
    let mut command = Command::new(program);
    for word in words {
        let name = names.iter().find(|(name, _)| *name == word);
        match name {
            Some((_, path)) => command.arg(path),
            None => command.arg(word),
        };
    }
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{path}:/usr/sbin:/sbin"));
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| match e.kind() {
        ErrorKind::NotFound => format!("no {program}"),
        _ => format!("{program}: {e}"),
    })?;
    let mut pipe = child.stdin.take().unwrap();
    // A program that reads nothing may have ended already.
    let _ = pipe.write_all(input.as_bytes());
    drop(pipe);
    let out = child.wait_with_output().map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&out.stderr);
    let last = said.lines().next_back().unwrap_or("no word");
    out.status
        .success()
        .then_some(())
        .ok_or_else(|| format!("{program}: {last}"))
}

fn found_on(image: &Path) -> Vec<&'static str> {
    let file = fs::File::open(image).unwrap();
    let size = file.metadata().unwrap().len();
    signature::find(size, |at, buffer| file.read_exact_at(buffer, at)).unwrap()
}

/// What `wipefs` finds there; `None` where there is no `wipefs`.
fn found_by_wipefs(image: &Path) -> Option<String> {
    let mut command = Command::new("wipefs");
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{path}:/usr/sbin:/sbin"));
    let out = command
        .args(["-n", "--noheadings", "-O", "TYPE"])
        .arg(image)
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

#[test]
fn what_other_programs_make_is_recognised_and_nothing_wipefs_knows_is_missed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("folder");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("file"), b"hello").unwrap();
    let data = dir.path().join("data");
    fs::write(&data, vec![7; 1 << 20]).unwrap();
    let image = dir.path().join("image");
    let mut made = 0;
    let (mut lacking, mut missed) = (Vec::new(), Vec::new());
    for case in PROGRAMS {
        let _ = fs::remove_file(&image);
        if case.size > 0 {
            fs::File::create(&image)
                .unwrap()
                .set_len(case.size)
                .unwrap();
        }
        let names = [("IMAGE", &*image), ("FOLDER", &*folder), ("DATA", &*data)];
        if let Err(why) = run(case.line, case.input, &names) {
            lacking.push(why);
            continue;
        }
        made += 1;
        let found = found_on(&image);
        if !found.contains(&case.name) {
            missed.push(format!("{} ({}): {found:?}", case.line, case.input));
        }
        if let Some(theirs) = found_by_wipefs(&image)
            && found.is_empty()
            && !theirs.is_empty()
        {
            missed.push(format!("{}: wipefs names {theirs}", case.line));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    if !lacking.is_empty() {
        lacking.dedup();
        leadline_testkit::skip("engine::device_marks", &lacking.join("; "));
    }
    assert!(
        made > 0 || cfg!(not(target_os = "linux")),
        "no program at all was there"
    );
}

#[test]
fn data_of_a_benchmark_is_no_file_system_here_nor_for_wipefs() {
    let dir = tempfile::tempdir().unwrap();
    let image = dir.path().join("image");
    let mut state = 99u64;
    let mut data = vec![0u8; 8 << 20];
    for word in data.chunks_exact_mut(8) {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        word.copy_from_slice(&(state ^ (state >> 29)).to_le_bytes());
    }
    fs::write(&image, &data).unwrap();
    assert!(found_on(&image).is_empty());
    assert_eq!(found_by_wipefs(&image).unwrap_or_default(), "");
}
