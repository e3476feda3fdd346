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

#[test]
fn an_image_that_is_mounted_stays_as_it_is_through_an_overlay_too() {
    let place = Place::new();
    let Some(image) = or_skip("honesty::overlay", disk_image(&place)) else {
        return;
    };
    // In memory: an overlay may not lie on an overlay, as the folder of this test may.
    let Some(base) = or_skip("honesty::overlay", FileSystem::of("96m")) else {
        return;
    };
    let folders = ["lower", "upper", "work"].map(|name| base.path().join(name));
    folders.iter().for_each(|f| std::fs::create_dir(f).unwrap());
    for (folder, name) in [
        (&folders[0], "low"),
        (&folders[0], "both"),
        (&folders[1], "up"),
    ] {
        std::fs::copy(&image, folder.join(name)).unwrap();
    }
    let merged = FileSystem::overlay(folders.each_ref().map(|f| f.as_path()));
    let Some(merged) = or_skip("honesty::overlay", merged) else {
        return;
    };
    // Written through the overlay, it goes to the upper folder.
    let both = std::fs::File::options()
        .append(true)
        .open(merged.path().join("both"));
    std::io::Write::write_all(&mut both.unwrap(), &[0; 512]).unwrap();
    for (device, target) in [
        (folders[1].join("up"), merged.path().join("up")),
        (folders[1].join("both"), merged.path().join("both")),
        (merged.path().join("up"), folders[1].join("up")),
        (folders[0].join("low"), merged.path().join("low")),
    ] {
        let disk = LoopDevice::over(&device).unwrap();
        let shown = target.display().to_string();
        let filename = format!("--filename={shown}");
        let args = ["--name=a", &filename, "--rw=write", "--bs=4k", "--size=1m"];
        {
            let _mounted = FileSystem::device(&disk.path).unwrap();
            let before = sum(&target);
            let done = finish(&mut place.fio(&args));
            assert_eq!(done.code, Some(1), "{shown}: {done:?}");
            assert!(done.stderr.contains("is mounted on"), "{shown}: {done:?}");
            assert_eq!(sum(&target), before, "{shown}");
        }
        // Another file of the overlay is not in use.
        let other = format!("--filename={}", merged.path().join("other").display());
        let done = finish(&mut place.fio(&[args[0], &other, args[2], args[3], args[4]]));
        assert_eq!(done.code, Some(0), "{done:?}");
    }
}

#[test]
fn an_image_that_is_mounted_is_not_deleted() {
    let place = Place::new();
    let Some(image) = or_skip("honesty::unlink", disk_image(&place)) else {
        return;
    };
    let disk = LoopDevice::over(&image);
    let Some(disk) = or_skip("honesty::unlink", disk) else {
        return;
    };
    let Some(mount) = or_skip("honesty::unlink", FileSystem::device(&disk.path)) else {
        return;
    };
    let filename = format!("--filename={}", image.display());
    let args = ["--name=a", &filename, "--rw=read", "--bs=4k", "--size=4k"];
    let args = [&args[..], &["--unlink=1"]].concat();
    let done = finish(&mut place.fio(&args));
    assert_eq!(done.code, Some(1), "{done:?}");
    let said = "would be deleted, but";
    assert!(done.stderr.contains(said), "{done:?}");
    let done = finish(&mut place.leadline([&["plan", "fio"], &args[..]].concat()));
    assert_eq!(done.code, Some(4), "{done:?}");
    assert!(image.exists(), "{done:?}");
    drop((mount, disk));
    let done = finish(&mut place.fio(&args));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!image.exists(), "it is not in use: {done:?}");
}
