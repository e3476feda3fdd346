//! A device that carries data is not written to, in whatever language one asks.

use crate::support::{FileSystem, LoopDevice, Place, finish, or_skip};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file that looks like a disk with a file system.
fn disk_image(place: &Place) -> Result<PathBuf, String> {
    let path = place.file("disk", 16 << 20);
    let output = Command::new("mkfs.ext4")
        .args(["-q", "-F"])
        .arg(&path)
        .output()
        .map_err(|error| format!("mkfs.ext4: {error}"))?;
    assert!(output.status.success(), "{output:?}");
    Ok(path)
}

/// The name of what the bytes of a file are.
fn sum(path: &Path) -> String {
    let output = Command::new("sha256sum").arg(path).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Writing to a device in these ways is refused, with the reason and the way to do it all the same.
fn all_refused(place: &Place, device: &str, reason: &str) {
    let filename = format!("--filename={device}");
    for rw in ["write", "randwrite", "randrw", "trim"] {
        let rw = format!("--rw={rw}");
        for engine in ["--ioengine=io_uring", "--ioengine=psync"] {
            let args = ["--name=a", &filename, &rw, engine, "--bs=4k", "--size=1m"];
            let done = finish(&mut place.fio(&args));
            assert_eq!(done.code, Some(1), "{rw} {engine}: {done:?}");
            assert!(done.stderr.contains(reason), "no '{reason}': {done:?}");
            assert!(done.stderr.contains(device), "{done:?}");
        }
    }
}

#[test]
fn a_device_with_a_file_system_stays_as_it_is() {
    let place = Place::new();
    let Some(image) = or_skip("honesty::signature", disk_image(&place)) else {
        return;
    };
    let before = sum(&image);
    let disk = LoopDevice::over(&image);
    let Some(disk) = or_skip("honesty::signature", disk) else {
        return;
    };
    all_refused(&place, &disk.path, "ext4");
    // By another name it is the same device.
    std::os::unix::fs::symlink(&disk.path, place.join("alias")).unwrap();
    let done = finish(&mut place.fio(&["--name=a", "--filename=alias", "--rw=write", "--size=1m"]));
    assert_eq!(done.code, Some(1), "{done:?}");
    let filename = format!("--filename={}", disk.path);
    let reads = ["--name=a", &filename, "--rw=read", "--bs=64k", "--size=1m"];
    let done = finish(&mut place.fio(&reads));
    assert_eq!(done.code, Some(0), "reading is allowed: {done:?}");
    drop(disk);
    assert_eq!(sum(&image), before, "not a byte has changed");
}

#[test]
fn a_mounted_device_stays_as_it_is() {
    let place = Place::new();
    let Some(image) = or_skip("honesty::mounted", disk_image(&place)) else {
        return;
    };
    let before = sum(&image);
    let disk = LoopDevice::over(&image);
    let Some(disk) = or_skip("honesty::mounted", disk) else {
        return;
    };
    // Read only, so that the file system itself changes nothing.
    let Some(_mount) = or_skip("honesty::mounted", FileSystem::device(&disk.path)) else {
        return;
    };
    all_refused(&place, &disk.path, "mounted");
    assert_eq!(sum(&image), before, "not a byte has changed");
}

#[test]
fn a_device_given_up_by_name_is_written() {
    let place = Place::new();
    let Some(image) = or_skip("honesty::destroy", disk_image(&place)) else {
        return;
    };
    let before = sum(&image);
    let disk = LoopDevice::over(&image);
    let Some(disk) = or_skip("honesty::destroy", disk) else {
        return;
    };
    let (filename, destroy) = (
        format!("--filename={}", disk.path),
        format!("--destroy={}", disk.path),
    );
    let args = ["--name=a", &filename, "--rw=write", "--bs=4k", "--size=1m"];
    let done = finish(&mut place.fio(&[&args[..], &[&destroy, "--end_fsync=1"]].concat()));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(done.job()["write"]["total_ios"], 256);
    drop(disk);
    assert_ne!(sum(&image), before, "it was really written");
}
