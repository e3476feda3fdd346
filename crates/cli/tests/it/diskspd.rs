//! `leadline diskspd` as a user has it: exit codes, what stands where, events, ends from outside.

mod effects;
mod pool;
mod streams;
mod words;

#[cfg(debug_assertions)]
use crate::support::simulated;
use crate::support::{Done, LEADLINE, Place, Running, finish, sleep_ms};
use rustix::process::Signal;
use std::fs;
use std::time::Duration;

fn command(place: &Place, args: &[&str]) -> std::process::Command {
    let mut command = place.leadline(["diskspd", "--leadline-run=run.leadline"]);
    command.args(args);
    command
}

fn run(place: &Place, args: &[&str]) -> Done {
    finish(&mut command(place, args))
}

/// I/Os of the first total line: that of reads and writes together.
fn total_ios(text: &str) -> u64 {
    let line = text.lines().find(|l| l.starts_with("total:")).unwrap();
    line.split('|').nth(1).unwrap().trim().parse().unwrap()
}

#[test]
fn what_is_not_accepted_ends_with_3_and_the_reason_and_touches_nothing() {
    let place = Place::new();
    for (args, reason) in [
        (&["-c1M", "-w", "a"][..], "no write ratio passed to -w"),
        (&["-c1M", "-r", "-s", "a"], "sequential IO (-s) conflicts"),
        (&["-c1M", "-k", "a"], "invalid option: '-k'"),
        (&["-c1M"], "need to provide at least one filename"),
        (&["-Xnone.xml"], "cannot read the profile `none.xml`"),
        (&["-c1M", "\u{2013}r", "a"], "which is not a hyphen"),
        (&["--strict", "-c1M", "-d1s", "a"], "leading digits"),
    ] {
        let done = run(&place, args);
        assert_eq!(done.code, Some(3), "{done:?}");
        assert!(done.stderr.contains(reason), "{reason}: {done:?}");
        assert_eq!(done.stdout, "");
        assert!(!place.join("a").exists());
    }
    let plan = finish(&mut place.leadline(["plan", "diskspd", "-b0", "a"]));
    assert_eq!(plan.code, Some(2), "{plan:?}");
}

#[test]
fn what_is_found_of_several_workloads_alike_is_said_once() {
    let place = Place::new();
    let done = run(
        &place,
        &[
            "-F2", "-g100i", "-b4K", "-c1M", "-d1", "-W0", "-r", "a", "b",
        ],
    );
    assert_eq!(done.code, Some(0), "{done:?}");
    // Each kind by its code.
    let mut said: Vec<&str> = done
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("warning[")?.split(']').next())
        .collect();
    assert!(!said.is_empty(), "{done:?}");
    let all = said.len();
    said.sort_unstable();
    said.dedup();
    assert_eq!(said.len(), all, "{done:?}");
    assert_eq!(done.stderr, "");
}

#[cfg(debug_assertions)]
#[test]
fn a_dot_stands_for_n_ios_of_a_thread() {
    let place = Place::new();
    let dots = |every: &str| {
        let words = [
            "-g210i", "-t2", "-b4K", "-c1M", "-d2", "-W0", "-r", every, "a",
        ];
        let done = finish(&mut simulated(command(&place, &words), "service=100us"));
        assert_eq!(done.code, Some(0), "{done:?}");
        let lines = done.stderr.lines();
        let dotted = lines.filter(|line| !line.is_empty() && line.chars().all(|c| c == '.'));
        dotted.map(str::len).sum::<usize>()
    };
    // Each of two threads does 420.
    assert_eq!(dots("-P100"), 8);
    assert_eq!(dots("-P150"), 4, "each by itself");
}

#[test]
fn help_profile_and_system_are_shown_without_a_run() {
    let place = Place::new();
    let help = run(&place, &["-?"]);
    assert_eq!(help.code, Some(0));
    assert!(help.stdout.contains("-rd<pct|abs>"), "{help:?}");
    let bare = finish(&mut place.leadline(["diskspd"]));
    assert_eq!((bare.code, &bare.stdout), (Some(3), &help.stdout));
    let xml = run(&place, &["-Rpxml", "-b4K", "-r", "a&b"]);
    assert_eq!(xml.code, Some(0), "{xml:?}");
    assert!(
        xml.stdout
            .starts_with("<Profile>\n  <Progress>0</Progress>\n")
    );
    assert!(xml.stdout.contains("<Path>a&amp;b</Path>"));
    fs::write(place.join("p.xml"), &xml.stdout).unwrap();
    let text = run(&place, &["-Rptext", "-Xp.xml"]);
    assert!(text.stdout.contains("\tpath: 'a&b'\n"), "{text:?}");
    let system = run(&place, &["-Rsxml"]);
    assert_eq!(system.code, Some(0));
    assert!(
        system.stdout.starts_with("<Results>\n  <System>\n"),
        "{system:?}"
    );
    place.file("a", 1 << 20);
    let json =
        finish(&mut place.leadline(["plan", "--json", "diskspd", "-b4K", "-t3", "a"])).json();
    assert_eq!(json["original"]["kind"], "diskspd.plan");
    let target = &json["original"]["value"]["profile"]["time_spans"][0]["targets"][0];
    assert_eq!(target["path"], "a");
    assert_eq!(target["block_size"], 4096);
    assert_eq!(target["threads_per_file"], 3);
    assert_eq!(json["stages"][0]["workloads"][0]["clones"], 3);
}

#[test]
fn a_run_gives_text_xml_and_a_run_file_at_once() {
    let place = Place::new();
    let link = place.join("diskspd");
    std::os::unix::fs::symlink(LEADLINE, &link).unwrap();
    let mut command = std::process::Command::new(&link);
    command.current_dir(place.path()).args([
        "--leadline-run=run.leadline",
        "--xml=r.xml",
        "-c4M",
        "-b4K",
        "-t2",
        "-r",
        "-w30",
        "-L",
        "-D100",
        "-d1",
        "-W0",
        "a",
    ]);
    let done = finish(&mut command);
    assert_eq!(done.code, Some(0), "{done:?}");
    let ios = total_ios(&done.stdout);
    assert!(ios > 100, "{done:?}");
    assert!(done.stdout.starts_with("\nCommand Line: "));
    for part in [
        "\n\ttimespan:   1\n\t-------------\n\tduration: 1s\n",
        "  %-ile |  Read (ms) | Write (ms) | Total (ms)\n",
        "\nRead IO\nthread |",
        "\nWrite IO\nthread |",
    ] {
        assert!(done.stdout.contains(part), "{part}: {done:?}");
    }
    let xml = fs::read_to_string(place.join("r.xml")).unwrap();
    assert!(xml.starts_with("<Results>\n"));
    assert!(xml.contains("<MeasureLatency>true</MeasureLatency>"));
    let run = place.kept();
    let kept: u64 = run.stages[0].workers.len() as u64;
    assert_eq!(kept, 2);
    let report = ["report", "run.leadline", "--as", "diskspd"];
    let again = finish(&mut place.leadline(report));
    assert_eq!(total_ios(&again.stdout), ios, "{again:?}");
    assert_eq!(fs::metadata(place.join("a")).unwrap().len(), 4 << 20);
}

/// I/Os by thread and target of the first table.
fn rows(text: &str) -> Vec<(u64, u64, String)> {
    let table = text.split("\nRead IO\n").next().unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let thread = cells.first()?.parse().ok()?;
        let name = cells.last()?.split(' ').next()?.to_owned();
        Some((thread, cells.get(2)?.parse().ok()?, name))
    };
    table.lines().filter_map(row).collect()
}

#[test]
fn threads_over_several_targets_have_a_row_for_each_of_them() {
    for queue in ["-o2", "-O6"] {
        let place = Place::new();
        let load = [
            "-c4M", "-b4K", "-r", "-w30", "-F2", "-d1", "-W0", "-L", "-D250",
        ];
        let rest = [queue, "--xml", "x.xml", "one.dat", "two.dat"];
        // On real files: totals by target are not kept of a simulated volume.
        let done = run(&place, &[&load[..], &rest].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
        let rows = rows(&done.stdout);
        let names: Vec<(u64, &str)> = rows.iter().map(|r| (r.0, r.2.as_str())).collect();
        let expected = [
            (0, "one.dat"),
            (0, "two.dat"),
            (1, "one.dat"),
            (1, "two.dat"),
        ];
        assert_eq!(names, expected, "{done:?}");
        assert_eq!(
            rows.iter().map(|r| r.1).sum::<u64>(),
            total_ios(&done.stdout)
        );
        for pair in rows.chunks(2) {
            // Both targets are alike, and so are their shares, but for the order of completions.
            let share = pair[0].1 as f64 / (pair[0].1 + pair[1].1) as f64;
            assert!((share - 0.5).abs() < 0.2, "{queue:?}: {rows:?}");
        }
        assert!(done.stdout.contains("thread count:\t\t2\n"), "{done:?}");
        assert!(done.stdout.contains("\nLatency distribution: one.dat\n"));
        // As many threads as asked for, and the same again from the run file.
        assert_eq!(place.kept().stages[0].workers.len(), 2);
        let again = finish(&mut place.leadline(["report", "run.leadline", "--as", "diskspd"]));
        assert_eq!(again.stdout, done.stdout);
        let xml = fs::read_to_string(place.join("x.xml")).unwrap();
        let threads: Vec<&str> = xml.split("<Thread>").skip(1).collect();
        assert_eq!(threads.len(), 2);
        for (thread, rows) in threads.iter().zip(rows.chunks(2)) {
            let counts: Vec<&str> = thread.split("<IOCount>").skip(1).collect();
            let counts: Vec<u64> = counts
                .iter()
                .map(|c| c.split('<').next().unwrap().parse().unwrap())
                .collect();
            assert_eq!(counts, [rows[0].1, rows[1].1]);
            assert_eq!(thread.matches("<Iops>").count(), 2);
        }
    }
}

#[cfg(debug_assertions)]
#[test]
fn a_measurement_of_no_length_has_tables_of_zeros() {
    let place = Place::new();
    let command = command(&place, &["-c1M", "-W1", "-d0", "-L", "a"]);
    let done = finish(&mut simulated(command, "service=1ms"));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(total_ios(&done.stdout), 0, "{done:?}");
    assert_eq!(rows(&done.stdout), [(0, 0, "a".to_owned())]);
}

#[cfg(debug_assertions)]
#[test]
fn buckets_begin_with_the_measured_time() {
    let place = Place::new();
    let load = ["-c1M", "-b4K", "-o1", "-g200i", "-W1", "-d3", "-D300"];
    let command = command(&place, &[&load[..], &["--xml", "x.xml", "a"]].concat());
    let done = finish(&mut simulated(command, "service=100us"));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(total_ios(&done.stdout), 600);
    let xml = fs::read_to_string(place.join("x.xml")).unwrap();
    let all = xml.split("<Iops>").nth(1).unwrap();
    let all = all.split("</Iops>").next().unwrap();
    let of = |line: &str| {
        let text = line.split(" Total=\"").nth(1)?;
        text.split('"').next()?.parse().ok()
    };
    let counts: Vec<u64> = all.lines().filter_map(of).collect();
    // 200 I/Os a second are 60 in each bucket of 300 ms.
    assert_eq!(counts, [60; 10], "{xml}");
}

/// On the wall: when a line is said is what is tested.
#[test]
fn verbose_runs_say_what_they_are_at() {
    let place = Place::new();
    place.file("a", 1 << 20);
    let args = ["-v", "-W1", "-d1", "-C1", "-g100i", "a"];
    let done = run(&place, &args);
    assert_eq!(done.code, Some(0), "{done:?}");
    // Seconds of the minute, and what.
    let said = |line: &str| {
        let (time, what) = line.split_once(" UTC timespan 1: ")?;
        let second: f64 = time.rsplit(':').next()?.parse().ok()?;
        Some((second, what.to_owned()))
    };
    let lines: Vec<(f64, String)> = done.stderr.lines().filter_map(said).collect();
    let what: Vec<&str> = lines.iter().map(|l| l.1.as_str()).collect();
    assert_eq!(
        what,
        [
            "starting warm up (1.00 s)",
            "starting measurements (1.00 s)",
            "starting cool down (1.00 s)",
            "finished",
        ],
        "{done:?}"
    );
    for (pair, length) in lines.windows(2).zip([1.0; 3]) {
        let took = (pair[1].0 - pair[0].0).rem_euclid(60.0);
        // Never early; late by what a busy machine takes.
        assert!((length - 0.05..length + 5.0).contains(&took), "{lines:?}");
    }
    let quiet = run(&place, &["-W0", "-d0", "-g100i", "a"]);
    assert!(!quiet.stderr.contains("starting"), "{quiet:?}");
}

#[test]
fn a_created_file_is_made_again_and_reuse_keeps_it() {
    let place = Place::new();
    let path = place.file("a", 3 << 20);
    let before = fs::read(&path).unwrap();
    // What becomes of the file is done before the first I/O: no time is measured.
    let args = ["--reuse", "-c2M", "-d0", "-W0", "-o1", "-g100i", "a"];
    let kept = run(&place, &args);
    assert_eq!(kept.code, Some(0), "{kept:?}");
    assert_eq!(fs::read(&path).unwrap(), before);
    let again = run(&place, &["-c2M", "-d0", "-W0", "-o1", "-g100i", "a"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(
        again.stdout.contains("its present content is lost"),
        "{again:?}"
    );
    let data = fs::read(&path).unwrap();
    assert_eq!(data.len(), 2 << 20);
    assert!(data.iter().zip((0..=255_u8).cycle()).all(|(a, b)| *a == b));
}

#[test]
fn a_run_that_cannot_begin_ends_with_1_and_says_why() {
    let place = Place::new();
    let done = run(&place, &["-d1", "missing"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(
        done.stderr.contains("error: missing does not exist"),
        "{done:?}"
    );
    assert!(done.stderr.contains("give a size (-c<size>)"), "{done:?}");
    assert!(!done.stderr.contains("fio:"), "{done:?}");
    assert!(
        done.stderr.ends_with("Error generating I/O requests\n"),
        "{done:?}"
    );
    assert!(!place.join("missing").exists());
}

#[test]
fn a_long_warm_up_can_be_ended_and_a_run_keeps_what_it_measured() {
    let place = Place::new();
    place.file("a", 1 << 20);
    let warming = Running::start(&mut command(&place, &["-W7200", "-d30", "-g200i", "a"]));
    warming.wait_for_intervals(&place.run_file(), 1);
    warming.signal(Signal::INT);
    let done = warming.finish();
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.wall < Duration::from_secs(60), "{done:?}");
    assert!(
        done.stderr
            .contains("The test was interrupted before the measurements began."),
        "{done:?}"
    );
    let line =
        "The test was interrupted before the measurements began. No results are displayed.\n";
    assert!(done.stdout.contains(line), "{done:?}");
    assert!(!done.stdout.contains("Total IO"), "{done:?}");
    fs::remove_file(place.run_file()).unwrap();
    let measuring = Running::start(&mut command(&place, &["-W0", "-d60", "-g200i", "a"]));
    measuring.wait_for_intervals(&place.run_file(), 1);
    measuring.signal(Signal::INT);
    let done = measuring.finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(total_ios(&done.stdout) > 50, "{done:?}");
    assert!(place.findings().contains(&"cut-short".to_owned()));
}

#[test]
fn events_are_files_and_named_pipes() {
    let place = Place::new();
    place.file("a", 1 << 20);
    let pipe = place.join("go");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
    let args = ["-yrgo", "-ysbegun", "-yfover", "-W1", "-d1", "-g100i", "a"];
    let running = Running::start(&mut command(&place, &args));
    sleep_ms(500);
    assert!(!place.run_file().exists(), "it waits for the event");
    let set = finish(&mut place.leadline(["diskspd", "-yego"]));
    assert_eq!(set.code, Some(1), "as DISKSPD: {set:?}");
    assert_eq!(set.stdout, "Successfully set event: 'go'\nNow exiting...\n");
    running.wait_for(&place.run_file());
    assert!(!place.join("begun").exists(), "the warm-up goes on");
    let done = running.finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(place.join("begun").exists() && place.join("over").exists());
    fs::remove_file(place.run_file()).unwrap();
    let args = ["-ypend", "-W0", "-d60", "-g200i", "a"];
    let stopped = Running::start(&mut command(&place, &args));
    stopped.wait_for_intervals(&place.run_file(), 1);
    fs::write(place.join("end"), "").unwrap();
    let done = stopped.finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(total_ios(&done.stdout) > 50, "{done:?}");
}
