//! `leadline vdbench`: parameter files run to the end, with Vdbench's console, files and exit codes.

#[cfg(debug_assertions)]
mod simulated;

use crate::support::{Done, LEADLINE, Mount, Place, finish, flushes, or_skip};
use leadline_model::error_code::ErrorCode;
use leadline_model::event::Outcome;
use leadline_model::finding::{Finding, Severity};
use std::os::unix::fs::symlink;
use std::process::Command;

/// The shape of a published script, small and short: one fill, then a curve, a mix and a rate.
const SCALED: &str = "sd=default,size=8m
sd=sd-1-1,lun=file-1-1
sd=sd-1-2,lun=file-1-2
wd=FillWrite,sd=sd*,rdpct=0,seekpct=eof,xfersize=64k
wd=RndRead,sd=sd*,rdpct=100,seekpct=100,xfersize=8k
wd=SeqMix,sd=sd*,rdpct=50,seekpct=0,xfersize=64k
* Run Definitions
rd=Initialize-LUNs-Full,wd=FillWrite,sd=(\"sd*\"),iorate=max,interval=1,forthreads=1,elapsed=259200
rd=default,curve=(50),iorate=curve,warmup=1,elapsed=2
rd=RndRead,wd=RndRead,sd=(\"sd*\"),threads=2
rd=default,iorate=max
rd=SeqMix-2,wd=SeqMix,sd=(\"sd*\"),threads=2
rd=Rate,wd=RndRead,sd=(\"sd*\"),iorate=200
";

fn vdbench(place: &Place, file: &str, args: &[&str]) -> Done {
    std::fs::write(place.join("p.vdb"), file).unwrap();
    let words = ["vdbench", "-f", "p.vdb"].iter().chain(args);
    finish(&mut place.leadline(words))
}

fn page(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.join("output").join(name)).unwrap()
}

/// The columns of the `avg_` row of a run on the console, the label first.
fn average(done: &Done, run: &str) -> Vec<String> {
    let mut lines = done.stdout.lines();
    let starts = |l: &&str| l.contains(&format!("Starting RD={run};"));
    lines.find(starts).unwrap();
    let row = lines.find(|l| l.contains("avg_")).unwrap();
    row.split_whitespace().skip(1).map(str::to_owned).collect()
}

#[test]
fn a_fill_writes_each_file_to_its_end_and_a_mix_follows() {
    let place = Place::new();
    let (fill, rest) = SCALED.split_once("rd=default,curve").unwrap();
    let mix = rest.lines().find(|l| l.starts_with("rd=SeqMix")).unwrap();
    let file = format!("{fill}rd=default,iorate=max,elapsed=2,maxdata=4m\n{mix}\n");
    let done = vdbench(&place, &file, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    for name in ["file-1-1", "file-1-2"] {
        assert_eq!(std::fs::metadata(place.join(name)).unwrap().len(), 8 << 20);
    }
    for run in ["Initialize-LUNs-Full", "SeqMix-2"] {
        let row = average(&done, run);
        assert!(row[1].parse::<f64>().unwrap() > 0.0, "{row:?}");
        assert_eq!(row[3], "65536");
    }
}

/// `openflags=fsync` flushes what was written when it is closed, and only then.
#[test]
fn storage_that_is_to_be_flushed_when_closed_is() {
    for (flags, expected) in [("", 0), (",openflags=fsync", 2)] {
        let place = Place::new();
        let file = format!(
            "sd=default,size=1m{flags}\nsd=sd1,lun=a\nsd=sd2,lun=b\nwd=w,sd=sd*,rdpct=0,seekpct=eof,xfersize=64k\n\
             rd=r,wd=w,iorate=max,interval=1,elapsed=2,threads=1\n"
        );
        let done = vdbench(&place, &file, &[]);
        assert_eq!(done.code, Some(0), "{done:?}");
        let run = place.join("output/run.leadline");
        assert_eq!(flushes(&run), expected, "{flags:?}");
    }
}

#[test]
fn a_link_of_its_name_is_vdbench_and_s_lists_the_runs() {
    let place = Place::new();
    symlink(LEADLINE, place.join("vdbench")).unwrap();
    std::fs::write(place.join("p.vdb"), SCALED).unwrap();
    let mut command = Command::new(place.join("vdbench"));
    let done = finish(
        command
            .args(["-f", "p.vdb", "-s"])
            .current_dir(place.path()),
    );
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(done.stderr, "");
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(lines.len(), 7, "{lines:?}");
    assert!(lines[6].starts_with("note[format-left-out]"), "{lines:?}");
    assert_eq!(
        lines[2],
        "Simulating RD=RndRead_(50%); I/O rate: 5000; elapsed=2 warmup=1; For loops: threads=2"
    );
    assert!(!place.join("output").exists(), "nothing is made");
    assert!(!place.join("file-1-1").exists(), "nothing is made");
}

#[test]
fn what_is_not_accepted_ends_with_157_and_makes_nothing() {
    let place = Place::new();
    for (file, word) in [
        (
            "sd=sd1,lun=f,size=1m\nwd=w1,sd=sd1,bogus=1\nrd=r1,wd=w1,iorate=max,elapsed=2\n",
            "unknown-keyword",
        ),
        (
            "fsd=fsd1,anchor=a\nfwd=fwd1,fsd=fsd1\nrd=r1,fwd=fwd1,fwdrate=max\n",
            "not-supported",
        ),
        (
            "sd=sd1,lun=f,size=1m,openflags=o_foo\nwd=w1,sd=sd1\nrd=r1,wd=w1,iorate=max,elapsed=2\n",
            "unknown-flag",
        ),
    ] {
        let done = vdbench(&place, file, &[]);
        assert_eq!(done.code, Some(157), "{done:?}");
        assert!(done.stderr.contains(word), "{done:?}");
    }
    assert!(!place.join("output").exists());
    for switch in ["-h", "--help"] {
        let help = finish(&mut place.leadline(["vdbench", switch]));
        assert_eq!(help.code, Some(0), "{help:?}");
        assert!(help.stdout.contains("-f VALUE"), "{help:?}");
    }
    let done = finish(&mut place.leadline(["vdbench", "-f", "nowhere"]));
    assert_eq!(done.code, Some(157), "{done:?}");
}

#[test]
fn a_missing_file_is_filled_before_and_only_once() {
    let place = Place::new();
    // Files are what is tested: a run is over after its first I/Os.
    let file = "sd=sd1,lun=f,size=4m\nwd=w1,sd=sd1\nrd=r1,wd=w1,iorate=500,elapsed=2,maxdata=40k\n";
    let done = vdbench(&place, file, &["-o", "output"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("Starting RD=SD_format; I/O rate: Uncontrolled MAX; elapsed=(none); For loops: threads=2 iorate=max"), "{done:?}");
    assert_eq!(std::fs::metadata(place.join("f")).unwrap().len(), 4 << 20);
    let order = [
        "Created output directory",
        "All slaves are now connected",
        "lun=f does not exist or is too small. host=localhost",
        "Starting RD=SD_format",
    ];
    let at = order.map(|words| {
        done.stdout
            .find(words)
            .unwrap_or_else(|| panic!("{done:?}"))
    });
    assert!(at.is_sorted(), "{done:?}");
    assert!(page(&place, "status.html").contains("\tSlave localhost-0 connected\n"));
    // The run that fills is a second WD, and has no page.
    assert!(place.join("output/w1.html").exists());
    assert!(!place.join("output/SD_format.html").exists());
    let again = vdbench(&place, file, &["-o", "output"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(!again.stdout.contains("SD_format"), "{again:?}");
    let none = vdbench(&place, &file.replace("lun=f", "lun=g"), &["formatsds=no"]);
    assert_eq!(
        none.code,
        Some(157),
        "a variable that is not used: {none:?}"
    );
    let without = format!("formatsds=no\n{}", file.replace("lun=f", "lun=g"));
    let none = vdbench(&place, &without, &[]);
    assert_eq!(none.code, Some(157), "{none:?}");
    assert!(!place.join("g").exists());
}

#[test]
fn commands_rounds_and_amounts_are_as_asked() {
    let place = Place::new();
    let file = "startcmd=(\"echo before $output\",log)\nendcmd=\"echo after\"\nsd=sd1,lun=f,size=4m\n\
                wd=w1,sd=sd1\nrd=r1,wd=w1,iorate=max,elapsed=60,maxdata=1m\n";
    let done = vdbench(&place, file, &["-l", "2"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(done.stdout.matches("Starting RD=r1").count(), 2, "{done:?}");
    assert_eq!(done.stdout.matches("Starting RD=SD_format").count(), 1);
    let output = place.join("output").display().to_string();
    assert!(page(&place, "logfile.html").contains(&format!("before {output}")));
    assert!(done.stdout.lines().any(|l| l == "after"), "{done:?}");
    let run = leadline_results::store::open(&place.join("output/run.leadline")).unwrap();
    let last = run.stages.last().unwrap();
    let length = last.end.unwrap().since(last.start);
    assert!(length.as_millis() < 30_000, "{length}");
    let failing = file.replace("\"echo after\"", "(\"exit 3\",abort)");
    let done = vdbench(&place, &failing, &[]);
    assert_eq!(done.code, Some(157), "{done:?}");
}

#[test]
fn plan_shows_it_as_text_and_as_json() {
    let place = Place::new();
    std::fs::write(place.join("p.vdb"), SCALED).unwrap();
    let done = finish(&mut place.leadline(["plan", "vdbench", "-f", "p.vdb"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("stage 3: RndRead_(50%)"), "{done:?}");
    let done = finish(&mut place.leadline(["plan", "--json", "vdbench", "-f", "p.vdb"]));
    let plan: leadline_model::plan::Plan = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(plan.stages.len(), 5);
    let done = finish(&mut place.leadline(["plan", "vdbench", "-f", "q.vdb"]));
    assert_eq!(done.code, Some(2), "{done:?}");
}

#[test]
fn plan_prints_a_job_that_means_the_same() {
    let place = Place::new();
    std::fs::write(place.join("p.vdb"), SCALED).unwrap();
    let workloads = |args: &[&str]| {
        let done = finish(&mut place.leadline([&["plan", "--json"][..], args].concat()));
        assert_eq!(done.code, Some(0), "{args:?}: {done:?}");
        let plan: leadline_model::plan::Plan = serde_json::from_str(&done.stdout).unwrap();
        let all = plan.stages.into_iter().flat_map(|stage| stage.workloads);
        all.collect::<Vec<_>>()
    };
    let printed = |args: &[&str], file: &str| {
        let done = finish(&mut place.leadline([&["plan", "--as"][..], args].concat()));
        assert_eq!(done.code, Some(0), "{args:?}: {done:?}");
        std::fs::write(place.join(file), &done.stdout).unwrap();
    };
    printed(&["vdbench", "vdbench", "-f", "p.vdb", "-e", "9"], "q.vdb");
    let with = ["vdbench", "-f", "p.vdb", "-e", "9"];
    assert_eq!(workloads(&with), workloads(&["vdbench", "-f", "q.vdb"]));
    let command = ["diskspd", "-c8M", "-b8K", "-r", "-w30", "x"];
    printed(&[&["diskspd"][..], &command].concat(), "p.xml");
    assert_eq!(workloads(&command), workloads(&["diskspd", "-Xp.xml"]));
    printed(&[&["fio"][..], &command].concat(), "d.fio");
    let own = workloads(&command);
    let as_fio = workloads(&["fio", "d.fio"]);
    assert_eq!(own.len(), as_fio.len());
    assert_eq!(own[0].blocks().sizes, as_fio[0].blocks().sizes);
    assert_eq!(own[0].blocks().mix, as_fio[0].blocks().mix);
    let done = finish(&mut place.leadline(["plan", "--as", "vdbench", "fio", "d.fio"]));
    assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{done:?}");
}

#[test]
fn two_hosts_of_two_volumes_each_do_it_together() {
    let place = Place::new();
    let file = "hd=default,jvms=1\nhd=vm1,system=localhost\nhd=vm2,system=localhost\nsd=default,size=8m\n\
                sd=sd-$host-1,host=$host,lun=$host-1\nsd=sd-$host-2,host=$host,lun=$host-2\n\
                wd=Fill,sd=sd*,rdpct=0,seekpct=eof,xfersize=64k\nwd=Rnd,sd=sd*,xfersize=8k\n\
                rd=Fill,wd=Fill,iorate=max,elapsed=60,forthreads=1\n\
                rd=Rnd,wd=Rnd,iorate=curve,curve=(50),warmup=1,elapsed=2,threads=2\n";
    let file = file.replace("lun=", &format!("lun={}/", place.path().display()));
    let done = vdbench(&place, &file, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    for name in ["vm1-1", "vm1-2", "vm2-1", "vm2-2"] {
        assert_eq!(std::fs::metadata(place.join(name)).unwrap().len(), 8 << 20);
        assert!(!page(&place, &format!("sd-{name}.html")).is_empty());
    }
    let rate = |run: &str| average(&done, run)[1].parse::<f64>().unwrap();
    assert!(
        rate("Fill") > 0.0 && rate("Rnd") > rate("Rnd_(50%)"),
        "{done:?}"
    );
    for host in ["vm1", "vm2"] {
        let rows = page(&place, &format!("{host}.html"));
        assert_eq!(rows.matches("avg_2-3").count(), 2, "{rows}");
    }
}

#[test]
fn failed_ios_run_a_command_or_end_everything() {
    let place = Place::new();
    let name = "vdbench::data_errors";
    let Some(mount) = or_skip(name, Mount::start(&[])) else {
        return;
    };
    let lun = mount.file("a b", 4 << 20);
    let file = |errors: &str| {
        format!(
            "data_errors={errors}\nsd=sd1,lun=\"{lun}\",size=4m,openflags=o_direct\nwd=w,sd=sd1\n\
             rd=default,elapsed=2,iorate=500\nrd=r1,wd=w\nrd=r2,wd=w\nrd=r3,wd=w\n"
        )
    };
    let script = place.join("notify.sh");
    let notes = place.join("notes");
    let lines = format!(
        "for w in \"$@\"; do echo \"$w\"; done > {}\n",
        notes.display()
    );
    std::fs::write(&script, lines).unwrap();
    mount.command("clear\nerror read EIO at 50");
    let done = vdbench(&place, &file(&format!("\"sh {}\"", script.display())), &[]);
    assert_eq!(done.code, Some(157), "{done:?}");
    assert!(!done.stdout.contains("Starting RD=r2"), "{done:?}");
    // The run file has it as data.
    let run = leadline_results::store::open(&place.join("output/run.leadline")).unwrap();
    let Some(Outcome::Failed(failure)) = &run.outcome else {
        panic!("{:?}", run.outcome);
    };
    assert_eq!(failure.code, ErrorCode::Io);
    let error = format!("error: {failure}\n  hint: {}\n", failure.cure);
    assert!(
        failure.what.ends_with("ends the run") && done.stderr.contains(&error),
        "{done:?}"
    );
    let notes = std::fs::read_to_string(notes).unwrap();
    let words: Vec<&str> = notes.lines().collect();
    let output = place.join("output").display().to_string();
    assert_eq!((words[0], words[1]), (output.as_str(), lun.as_str()));
    assert_eq!(words[2].parse::<u64>().unwrap() % 4096, 0);
    assert_eq!(words[3..], ["4096", "5"]);

    // At the limit its own run ends; below it everything ends after that run.
    mount.command("clear\nerror read EIO every 40");
    let done = vdbench(&place, &file("5"), &[]);
    assert_eq!(done.code, Some(157), "{done:?}");
    assert!(!done.stdout.contains("Starting RD=r2"), "{done:?}");
    assert!(
        done.stderr.contains("; data_errors=5 ends the run"),
        "{done:?}"
    );
    let done = vdbench(&place, &file("1000"), &[]);
    assert_eq!(done.code, Some(157), "{done:?}");
    assert!(done.stdout.contains("avg_2-2"), "{done:?}");
    assert!(!done.stdout.contains("Starting RD=r2"), "{done:?}");
    let said = " I/Os of rd=r1 failed (read: Input/output error";
    assert!(done.stderr.contains(said), "{done:?}");
    let long = file("(100000,1)").replace("elapsed=2", "elapsed=6");
    let done = vdbench(&place, &long, &[]);
    assert_eq!(done.code, Some(157), "{done:?}");
    assert!(!done.stdout.contains("Starting RD=r2"), "{done:?}");
    assert!(
        done.stderr.contains("the 1 s that data_errors= allows"),
        "{done:?}"
    );
}

#[test]
fn a_file_that_cannot_grow_is_a_failure_and_its_length_is_said() {
    let place = Place::new();
    let file = "sd=sd1,lun=f,size=8m\nwd=w,sd=sd1,rdpct=0\nrd=r1,wd=w,elapsed=2,iorate=100\n";
    std::fs::write(place.join("p.vdb"), file).unwrap();
    let mut command = Command::new("bash");
    let line = "ulimit -f 4000; exec \"$0\" vdbench -f p.vdb";
    command.args(["-c", line, LEADLINE]);
    let done = finish(command.current_dir(place.path()));
    assert_eq!(done.code, Some(157), "{done:?}");
    assert!(!done.stdout.contains("Starting RD=r1"), "{done:?}");
    let said = " I/Os of rd=SD_format failed (write: File too large";
    assert!(done.stderr.contains(said), "{done:?}");
    let length = std::fs::metadata(place.join("f")).unwrap().len();
    let said = format!("; f has {length} of 8388608 bytes");
    assert!(done.stderr.contains(&said), "{done:?}");
}

#[test]
fn far_hosts_mount_what_they_work_on_before_they_do() {
    let place = Place::new();
    // In place of OpenSSH: the command that would run there runs here.
    let ssh = "sh -c 'for last; do :; done; exec sh -c \"$last\"' ssh";
    let notes = place.join("notes");
    let mount = place.join("mount");
    let lines = format!(
        "#!/bin/sh\necho \"$1\" >> {}\necho \"it says $1\" >&2\ntest \"$1\" != bad\n",
        notes.display()
    );
    std::fs::write(&mount, lines).unwrap();
    let file = |host: &str, run: &str| {
        let (mount, place) = (mount.display(), place.path().display());
        format!(
            "hd=a,system=far,shell=ssh,mount=\"sh {mount} {host} {place}/m\"\nsd=sd1,host=a,lun={place}/m/f,size=4m\n\
             wd=w,sd=sd1\nrd=default,elapsed=2,iorate=100,maxdata=40k\n\
             rd=r1,wd=w\nrd=r2,wd=w,mount=\"sh {mount} {run} {place}/m\"\n"
        )
    };
    let run = |text: &str| {
        std::fs::write(place.join("p.vdb"), text).unwrap();
        let directory = std::path::Path::new(LEADLINE).parent().unwrap().display();
        let path = format!("{directory}:{}", std::env::var("PATH").unwrap_or_default());
        let mut command = place.leadline(["vdbench", "-f", "p.vdb"]);
        let done = finish(command.env("LEADLINE_SSH", ssh).env("PATH", path));
        let notes = std::fs::read_to_string(&notes).unwrap_or_default();
        (done, notes.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let (done, said_all) = run(&file("host", "run"));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(
        said_all,
        ["host", "run"],
        "once for all runs, and before the second"
    );
    // What it said there is said here, and kept.
    for word in ["host", "run"] {
        let (mount, at) = (mount.display(), place.join("m"));
        let said = format!(
            "a: mount=: sh {mount} {word} {}; it says {word}",
            at.display()
        );
        assert_eq!(done.stdout.matches(&said).count(), 1, "{done:?}");
        let of = |f: &&Finding| f.code == "mounted" && f.text == said;
        let kept = leadline_results::store::open(&place.join("output/run.leadline")).unwrap();
        let note = kept.findings.iter().find(of).unwrap();
        assert_eq!(note.severity, Severity::Info);
    }
    assert!(place.join("m/f").exists());
    let (done, _) = run(&file("bad", "run"));
    assert_eq!(done.code, Some(157), "{done:?}");
    assert!(done.stderr.contains("mount= failed"), "{done:?}");
}

#[test]
fn what_is_written_comes_from_a_file_and_a_mount_that_fails_ends_everything() {
    let place = Place::new();
    std::fs::write(place.join("words"), "0123456789abcdef".repeat(256)).unwrap();
    let file = "pattern=words\nsd=sd1,lun=f,size=4m\nwd=w,sd=sd1,rdpct=0,xfersize=64k,seekpct=eof\n\
                rd=r,wd=w,elapsed=9,iorate=max\n";
    let done = vdbench(&place, file, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let written = std::fs::read(place.join("f")).unwrap();
    assert_eq!(written.len(), 4 << 20);
    assert!(written.iter().all(|b| b"0123456789abcdef".contains(b)));
    for at in [0, 64 << 10, 1 << 20] {
        let block = &written[at..at + 32];
        assert_eq!(block[..16], block[16..], "the content comes over and over");
    }

    let at = place.join("made/here");
    let mount = |command: &str| {
        format!(
            "hd=localhost,mount=\"{command} {}\"\nsd=sd1,lun=g,size=4m\nwd=w,sd=sd1\n\
             rd=r,wd=w,elapsed=2,iorate=100,maxdata=40k\n",
            at.display()
        )
    };
    let done = vdbench(&place, &mount("false"), &[]);
    assert_eq!(done.code, Some(157), "{done:?}");
    assert!(done.stderr.contains("mount= failed: false"), "{done:?}");
    assert!(!place.join("g").exists());
    let done = vdbench(&place, &mount("touch mounted; echo"), &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(at.is_dir() && place.join("mounted").exists());
}

#[test]
fn a_workload_among_several_has_its_page_and_a_file_its_own_size() {
    let place = Place::new();
    std::fs::write(place.join("f"), vec![1; 4 << 20]).unwrap();
    let file = "sd=sd1,lun=f\nwd=used,sd=sd1\nwd=other,sd=sd1\n\
                rd=r,wd=used,iorate=100,elapsed=2,interval=1\n";
    let done = vdbench(&place, file, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(page(&place, "used.html").contains("avg_2-2"));
    assert!(!place.join("output/other.html").exists());
    let flat = page(&place, "flatfile.html");
    let rows: Vec<Vec<&str>> = flat
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    let head = rows.iter().find(|r| r.first() == Some(&"tod")).unwrap();
    let place = head.iter().position(|name| *name == "lunsize").unwrap();
    let row = rows.iter().find(|r| r.contains(&"avg_2-2")).unwrap();
    assert_eq!(row[place], "0.0039", "{flat}");
}
