//! The program at the far end: copied to where it is missing, started where there is nothing else, and gone
//! when it is no longer used.

use super::net::has;
use super::processes::{ios, job, sampled, words};
use crate::support::{LEADLINE, Place, finish, or_skip};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

/// Copies a program that is to be run. A process of its own does it: a file that this process has open for writing is
/// open in what other tests start too, between their fork and their exec, and cannot be run until then.
fn copy_program(from: &Path, to: &Path) -> Result<(), String> {
    let done = Command::new("cp").arg(from).arg(to).status();
    let done = done.map_err(|error| format!("cp: {error}"))?;
    done.success()
        .then_some(())
        .ok_or_else(|| format!("cp {from:?} {to:?}: {done}"))
}

/// A script that may be run, written in the same way.
pub(super) fn script(path: &Path, text: &str) {
    let mut writer = Command::new("sh")
        .args(["-c", r#"cat > "$0" && chmod 755 "$0""#])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = writer.stdin.take().unwrap();
    input.write_all(text.as_bytes()).unwrap();
    drop(input);
    assert!(writer.wait().unwrap().success());
}

/// The static build beside the one under test, which `cargo xtask dist` makes.
fn static_build() -> Result<PathBuf, String> {
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let target = Path::new(LEADLINE).parent().and_then(Path::parent);
    let path = target.unwrap().join(triple).join("release/leadline");
    if path.exists() {
        Ok(path)
    } else {
        Err("there is no static build (cargo xtask dist makes it)".to_owned())
    }
}

/// A root directory with a shell and its tools, all in one static program: no libc, no loader, no /proc.
fn bare_root(place: &Place) -> Result<PathBuf, String> {
    let busybox = has("busybox")?;
    if !rustix::process::geteuid().is_root() {
        return Err("another root directory needs root".to_owned());
    }
    let root = place.join("root");
    for directory in ["bin", "dev", "tmp", "data"] {
        std::fs::create_dir_all(root.join(directory)).unwrap();
    }
    let own = root.join("bin/busybox");
    copy_program(Path::new(&busybox), &own)?;
    let run = |program: &str, args: &[&str]| {
        let status = Command::new(program).args(args).arg(&root).status();
        status.is_ok_and(|s| s.success())
    };
    let made = "/bin/busybox --install -s /bin && /bin/busybox mknod -m 666 /dev/null c 1 3";
    let status = Command::new("chroot")
        .arg(&root)
        .args(["/bin/busybox", "sh", "-c", made])
        .status();
    if !status.is_ok_and(|s| s.success()) || !run("test", &["-d"]) {
        return Err("a bare root directory cannot be made (is busybox static?)".to_owned());
    }
    Ok(root)
}

#[test]
fn a_static_build_runs_on_a_host_with_nothing_but_a_shell() {
    let place = Place::new();
    let name = "fleet::static_build";
    let Some(program) = or_skip(name, static_build()) else {
        return;
    };
    let Some(root) = or_skip(name, bare_root(&place)) else {
        return;
    };
    let data = place.join("d");
    std::fs::create_dir(&data).unwrap();
    let hosts = format!(
        "here x launcher=local\nbare x launcher=\"chroot {}\" path={}:/data\n",
        root.display(),
        data.display()
    );
    std::fs::write(place.join("hosts"), hosts).unwrap();
    let job = job("--hosts=./hosts", &data, "2");
    let mut args = vec!["fio", "--output-format=json", "--leadline-run=run.leadline"];
    args.extend(words(&job));
    for copied in [1, 0] {
        let _ = std::fs::remove_file(place.run_file());
        let mut command = Command::new(&program);
        // No home of this machine's: there is none in the bare one.
        command
            .args(&args)
            .current_dir(place.path())
            .env_remove("XDG_CACHE_HOME")
            .env("HOME", "/root")
            .env("XDG_STATE_HOME", place.join("state"));
        let done = finish(&mut command);
        assert_eq!(done.code, Some(0), "{done:?}");
        let said = done.stdout.matches("bare: copies itself there").count();
        assert_eq!(said, copied, "once, kept by its content: {done:?}");
        assert!(!done.stdout.contains("linked dynamically"), "{done:?}");
        let run = place.kept();
        let each = ios(&run, 2);
        assert!(each.iter().all(|&n| (1000..=4100).contains(&n)), "{each:?}");
        assert_eq!(each, sampled(&run, 2));
    }
    assert!(
        root.join("data/bare.a.0.0").exists(),
        "its file is in its own root"
    );
    let kept = std::fs::read_dir(root.join("root/.cache/leadline")).unwrap();
    assert_eq!(kept.count(), 1);
}

#[test]
fn a_run_clears_copies_not_used_for_a_month() {
    let place = Place::new();
    let cache = place.join("cache/leadline");
    std::fs::create_dir_all(&cache).unwrap();
    // The script takes no directory of others, or open to them.
    let old = |number: u32, days: u32| {
        let path = cache.join(format!("{number:032x}"));
        let file = std::fs::File::create(&path).unwrap();
        #[expect(clippy::disallowed_methods, reason = "ages are counted from today")]
        let now = SystemTime::now();
        file.set_modified(now - Duration::from_secs(86_400) * days)
            .unwrap();
        path
    };
    let (month, week) = (old(1, 31), old(2, 7));
    let running = cache.join(format!("{:032x}", 3));
    copy_program(Path::new("/bin/sleep"), &running).unwrap();
    let mut sleeper = Command::new(&running).arg("60").spawn().unwrap();
    let aged = Command::new("touch")
        .args(["-d", "100 days ago"])
        .arg(&running)
        .status();
    assert!(aged.unwrap().success());
    let launcher = place.join("launcher");
    script(&launcher, "#!/bin/sh\nshift\nexec \"$@\"\n");
    let hosts = format!("a x launcher=\"{} {{host}}\"\n", launcher.display());
    std::fs::write(place.join("hosts"), hosts).unwrap();
    let job = job("--hosts=./hosts", place.path(), "1");
    let mut command = place.fio(&words(&job));
    let done = finish(command.env("XDG_CACHE_HOME", place.join("cache")));
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("leadline is copied there"), "{done:?}");
    assert!(!month.exists(), "unused for a month");
    assert!(week.exists() && running.exists(), "used, or in use");
    assert_eq!(std::fs::read_dir(&cache).unwrap().count(), 3);
}
