//! `leadline vdbench`: parameter files run to the end, with Vdbench's console, files and exit codes.

use crate::support::{Done, LEADLINE, Mount, Place, alone, finish, or_skip};
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::Asked;
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

/// Shapes of published files: shares that the tickets of one thread each have to keep.
#[test]
fn shares_without_a_rate_are_kept_and_nobody_stops() {
    let _alone = alone();
    for shares in [&[50.0, 50.0][..], &[10.0, 35.0, 35.0, 5.0, 15.0]] {
        let place = Place::new();
        let wd = |(at, share): (usize, &f64)| format!("wd=w{at},sd=s,rdpct=100,skew={share}\n");
        let wds: String = shares.iter().enumerate().map(wd).collect();
        let file = format!(
            "sd=s,lun=f,size=8m\n{wds}rd=r,wd=w*,iorate=max,elapsed=3,interval=1,threads=1\n"
        );
        let done = vdbench(&place, &file, &[]);
        assert_eq!(done.code, Some(0), "{done:?}");
        let run = leadline_results::store::open(&place.join("output/run.leadline")).unwrap();
        let stage = run.stages.last().unwrap();
        let mut ios = vec![0.0; shares.len()];
        for sample in &stage.samples {
            let n = sample.counts.data().ios as f64;
            let is_whole = sample.length.as_secs_f64() > 0.5;
            assert!(n > 100.0 || !is_whole, "{n} in {}", sample.interval);
            ios[sample.workload as usize] += n;
        }
        let all: f64 = ios.iter().sum();
        for (n, share) in ios.iter().zip(shares) {
            assert!((100.0 * n / all - share).abs() < 1.0, "{shares:?}: {ios:?}");
        }
    }
}

#[test]
fn a_fill_a_curve_a_mix_and_a_rate_run_to_the_end() {
    let _alone = alone();
    let place = Place::new();
    let done = vdbench(&place, SCALED, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    for name in ["file-1-1", "file-1-2"] {
        assert_eq!(std::fs::metadata(place.join(name)).unwrap().len(), 8 << 20);
    }
    assert!(done.stdout.contains("[format-left-out]"), "{done:?}");
    assert!(!done.stdout.contains("RD=SD_format"));
    let fill = average(&done, "Initialize-LUNs-Full");
    assert!(fill[1].parse::<f64>().unwrap() > 0.0, "{fill:?}");
    assert_eq!(fill[3], "65536");
    let curve = average(&done, "RndRead");
    let point = average(&done, "RndRead_(50%)");
    assert_eq!(
        (curve[0].as_str(), point[0].as_str()),
        ("avg_2-3", "avg_2-3")
    );
    let most: f64 = curve[1].parse().unwrap();
    let start = done
        .stdout
        .lines()
        .find(|l| l.contains("RD=RndRead_(50%)"))
        .unwrap();
    let asked: f64 = start
        .split("I/O rate: ")
        .nth(1)
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    // The row counts whole intervals, the rate the exact window.
    assert!(
        (asked - most / 2.0).abs() <= 100.0 + most / 50.0,
        "{asked} of {most}"
    );
    let mix: f64 = average(&done, "SeqMix-2")[4].parse().unwrap();
    assert!((45.0..55.0).contains(&mix), "{mix}");
    let rate: f64 = average(&done, "Rate")[1].parse().unwrap();
    assert!((150.0..250.0).contains(&rate), "{rate}");
    assert!(
        done.stdout
            .contains("Vdbench execution completed successfully. Output directory: ")
    );
    let names = [
        "summary",
        "totals",
        "flatfile",
        "histogram",
        "skew",
        "status",
        "errorlog",
        "logfile",
        "parmscan",
        "parmfile",
        "localhost",
        "sd-1-1",
        "sd-1-2",
        "RndRead",
        "report",
    ];
    for name in names {
        assert!(!page(&place, &format!("{name}.html")).is_empty(), "{name}");
    }
    let run = leadline_results::store::open(&place.join("output/run.leadline")).unwrap();
    let asked: Vec<Asked> = run.plan.unwrap().stages.iter().map(|s| s.asked).collect();
    assert_eq!(asked[1], Asked::Curve);
}

#[test]
fn the_curves_of_several_runs_stand_on_one_chart() {
    let _alone = alone();
    let place = Place::new();
    let file = "sd=sd1,lun=f,size=2m\nwd=w,sd=sd1,xfersize=4k\nrd=default,elapsed=2,iorate=(100,200)\n\
                rd=r,wd=w\n";
    let done = vdbench(&place, file, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    std::fs::rename(place.join("output"), place.join("near")).unwrap();
    std::fs::create_dir(place.join("far")).unwrap();
    let [near, far] = ["near/run.leadline", "far/run.leadline"];
    std::fs::copy(place.join(near), place.join(far)).unwrap();
    for page in ["curves.html", "curves-2.html"] {
        let done = finish(&mut place.leadline(["report", near, far]));
        assert_eq!(done.code, Some(0), "{done:?}");
        let page = std::fs::read_to_string(place.join(page)).unwrap();
        assert!(page.contains(">near</text>") && page.contains(">far</text>"));
    }
    let words = [
        "report", near, far, "--text", "--label", "a", "--label", "b",
    ];
    let text = finish(&mut place.leadline(words)).stdout;
    let starts: Vec<&str> = text.lines().map(|l| &l[..9]).collect();
    assert_eq!(starts, ["a: up to ", "b: up to "], "{text}");
    let refused = finish(&mut place.leadline(["report", near, far, "--json"]));
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

#[test]
fn a_link_of_its_name_is_vdbench_and_s_lists_the_runs() {
    let _alone = alone();
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
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(
        lines[2],
        "Simulating RD=RndRead_(50%); I/O rate: 5000; elapsed=2 warmup=1; For loops: threads=2"
    );
    assert!(!place.join("output").exists(), "nothing is made");
    assert!(!place.join("file-1-1").exists(), "nothing is made");
}

#[test]
fn what_is_not_accepted_ends_with_157_and_makes_nothing() {
    let _alone = alone();
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
    let _alone = alone();
    let place = Place::new();
    let file = "sd=sd1,lun=f,size=4m\nwd=w1,sd=sd1\nrd=r1,wd=w1,iorate=500,elapsed=2\n";
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
    assert_eq!(none.code, Some(157), "a variable nobody asks for: {none:?}");
    let without = format!("formatsds=no\n{}", file.replace("lun=f", "lun=g"));
    let none = vdbench(&place, &without, &[]);
    assert_eq!(none.code, Some(157), "{none:?}");
    assert!(!place.join("g").exists());
}

#[test]
fn commands_rounds_and_amounts_are_as_asked() {
    let _alone = alone();
    let place = Place::new();
    let file = "startcmd=(\"echo before $output\",log)\nendcmd=\"echo behind\"\nsd=sd1,lun=f,size=4m\n\
                wd=w1,sd=sd1\nrd=r1,wd=w1,iorate=max,elapsed=2,maxdata=1m\n";
    let done = vdbench(&place, file, &["-l", "2"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(done.stdout.matches("Starting RD=r1").count(), 2, "{done:?}");
    assert_eq!(done.stdout.matches("Starting RD=SD_format").count(), 1);
    let output = place.join("output").display().to_string();
    assert!(page(&place, "logfile.html").contains(&format!("before {output}")));
    assert!(done.stdout.lines().any(|l| l == "behind"), "{done:?}");
    let run = leadline_results::store::open(&place.join("output/run.leadline")).unwrap();
    let last = run.stages.last().unwrap();
    let length = last.end.unwrap().since(last.start);
    assert!(length.as_millis() < 3500, "{length}");
    let failing = file.replace("\"echo behind\"", "(\"exit 3\",abort)");
    let done = vdbench(&place, &failing, &[]);
    assert_eq!(done.code, Some(157), "{done:?}");
}

#[test]
fn a_word_in_the_monitored_file_ends_a_run_or_all() {
    let _alone = alone();
    let place = Place::new();
    std::fs::write(place.join("m"), "end_rd").unwrap();
    let file = "monitor=m\nsd=sd1,lun=f,size=4m\nwd=w1,sd=sd1\nrd=r1,wd=w1,iorate=max,elapsed=12\nrd=r2,wd=w1,iorate=max,elapsed=12\n";
    let done = vdbench(&place, file, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("Starting RD=r2"), "{done:?}");
    std::fs::write(place.join("m"), "end_vdbench").unwrap();
    let done = vdbench(&place, file, &[]);
    assert_eq!(done.code, Some(130), "{done:?}");
    assert!(!done.stdout.contains("Starting RD=r2"), "{done:?}");
}

#[test]
fn plan_shows_it_as_text_and_as_json() {
    let _alone = alone();
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
fn two_hosts_of_two_volumes_each_do_it_together() {
    let _alone = alone();
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
fn failed_ios_run_a_command_or_end_everything_and_so_do_shares_that_were_not_kept() {
    let _alone = alone();
    let place = Place::new();
    let skewed = |limit| {
        format!(
            "abort_failed_skew={limit}\nsd=sd1,lun=f,size=4m\nwd=a,sd=sd1,skew=33.3\nwd=b,sd=sd1\n\
             rd=default,elapsed=2,iorate=200\nrd=r1,wd=*\nrd=r2,wd=*\n"
        )
    };
    let done = vdbench(&place, &skewed("0.001"), &[]);
    assert_eq!(done.code, Some(157), "{done:?}");
    assert!(done.stderr.contains("abort_failed_skew=0.001"), "{done:?}");
    assert!(!done.stdout.contains("Starting RD=r2"), "{done:?}");
    let done = vdbench(&place, &skewed("45"), &[]);
    assert_eq!(done.code, Some(0), "{done:?}");

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
    let script = place.join("tell.sh");
    let told = place.join("told");
    let lines = format!(
        "for w in \"$@\"; do echo \"$w\"; done > {}\n",
        told.display()
    );
    std::fs::write(&script, lines).unwrap();
    mount.command("clear\nerror read EIO at 50");
    let done = vdbench(&place, &file(&format!("\"sh {}\"", script.display())), &[]);
    assert_eq!(done.code, Some(157), "{done:?}");
    assert!(!done.stdout.contains("Starting RD=r2"), "{done:?}");
    let told = std::fs::read_to_string(told).unwrap();
    let words: Vec<&str> = told.lines().collect();
    let output = place.join("output").display().to_string();
    assert_eq!((words[0], words[1]), (output.as_str(), lun.as_str()));
    assert_eq!(words[2].parse::<u64>().unwrap() % 4096, 0);
    assert_eq!(words[3..], ["4096", "5"]);

    // Counted over all runs; or so long behind the first.
    mount.command("clear\nerror read EIO every 40");
    let done = vdbench(&place, &file("30"), &[]);
    assert_eq!(done.code, Some(157), "{done:?}");
    assert!(done.stdout.contains("Starting RD=r2"), "{done:?}");
    assert!(!done.stdout.contains("Starting RD=r3"), "{done:?}");
    assert!(
        done.stderr.contains("; data_errors=30 ends the run"),
        "{done:?}"
    );
    let done = vdbench(&place, &file("(100000,1)"), &[]);
    assert_eq!(done.code, Some(157), "{done:?}");
    assert!(!done.stdout.contains("Starting RD=r3"), "{done:?}");
    assert!(
        done.stderr.contains("the 1 s that data_errors= allows"),
        "{done:?}"
    );
}

#[test]
fn storage_that_fails_is_left_out_and_the_others_go_on() {
    let _alone = alone();
    let name = "vdbench::data_errors_remove";
    let Some(mount) = or_skip(name, Mount::start(&[])) else {
        return;
    };
    let place = Place::new();
    let bad = mount.file("bad", 4 << 20);
    let file = format!(
        "data_errors=remove\nsd=sd1,lun={bad},size=4m,openflags=o_direct\nsd=sd2,lun=f,size=4m\n\
         wd=a,sd=sd*\nwd=b,sd=sd1,xfersize=8k\n\
         rd=default,elapsed=3,iorate=900\nrd=r1,wd=*\nrd=r2,wd=a\n"
    );
    mount.command("clear\nerror read EIO at 50");
    let done = vdbench(&place, &file, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let told = "sd=sd1: an I/O failed; no more I/O goes to it (data_errors=remove)";
    assert_eq!(done.stdout.matches(told).count(), 1, "{done:?}");
    assert!(page(&place, "errorlog.html").contains(told));
    let report = page(&place, "report.html");
    assert!(report.contains("With the first one sd1 was left out of the run."));
    // One failed, and neither of its workloads did any more; the other went on at its rate in both runs.
    let errors = page(&place, "errorlog.html");
    assert_eq!(errors.matches("times").count(), 1, "{errors}");
    let rates: Vec<f64> = ["sd1.html", "sd2.html"]
        .iter()
        .map(|name| {
            let text = page(&place, name);
            // Behind that of the filling.
            let rows = text.lines().filter(|l| l.contains("avg_")).rev().take(2);
            let rates = rows.map(|r| r.split_whitespace().nth(2).unwrap().parse::<f64>().unwrap());
            rates.sum()
        })
        .collect();
    assert!(rates[0] < 100.0, "{rates:?}");
    assert!((rates[1] - 225.0 - 450.0).abs() < 120.0, "{rates:?}");

    // Nothing is left.
    mount.command("clear\nerror read EIO at 50");
    let file = format!(
        "data_errors=remove_device\nsd=sd1,lun={bad},size=4m,openflags=o_direct\nwd=a,sd=sd1\n\
         rd=r1,wd=a,elapsed=3,iorate=500\n"
    );
    let done = vdbench(&place, &file, &[]);
    assert_eq!(done.code, Some(157), "{done:?}");
    let why = "rd=r1 has no storage left; data_errors=remove left out sd1";
    assert!(done.stderr.contains(why), "{done:?}");
}

#[test]
fn far_hosts_mount_what_they_work_on_before_they_do() {
    let _alone = alone();
    let place = Place::new();
    // In place of OpenSSH: the command that would run there runs here.
    let ssh = "sh -c 'for last; do :; done; exec sh -c \"$last\"' ssh";
    let told = place.join("told");
    let mount = place.join("mount");
    let lines = format!(
        "#!/bin/sh\necho \"$1\" >> {}\necho \"it says $1\" >&2\ntest \"$1\" != bad\n",
        told.display()
    );
    std::fs::write(&mount, lines).unwrap();
    let file = |host: &str, run: &str| {
        let (mount, place) = (mount.display(), place.path().display());
        format!(
            "hd=a,system=far,shell=ssh,mount=\"sh {mount} {host} {place}/m\"\nsd=sd1,host=a,lun={place}/m/f,size=4m\n\
             wd=w,sd=sd1\nrd=default,elapsed=2,iorate=100\n\
             rd=r1,wd=w\nrd=r2,wd=w,mount=\"sh {mount} {run} {place}/m\"\n"
        )
    };
    let run = |text: &str| {
        std::fs::write(place.join("p.vdb"), text).unwrap();
        let directory = std::path::Path::new(LEADLINE).parent().unwrap().display();
        let path = format!("{directory}:{}", std::env::var("PATH").unwrap_or_default());
        let mut command = place.leadline(["vdbench", "-f", "p.vdb"]);
        let done = finish(command.env("LEADLINE_SSH", ssh).env("PATH", path));
        let told = std::fs::read_to_string(&told).unwrap_or_default();
        (done, told.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let (done, told_all) = run(&file("host", "run"));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(
        told_all,
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
fn pages_and_bounds_are_those_asked_for() {
    let _alone = alone();
    let place = Place::new();
    let file = "histogram=(50,1m,suppress)\nreport=(host_detail,slave_d,no_sd_detail)\n\
                sd=sd1,lun=f,size=4m\nsd=sd2,lun=g,size=4m\nwd=w,sd=*\n\
                rd=r,wd=w,elapsed=2,iorate=300\n";
    let done = vdbench(&place, file, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let rate = |text: &str| -> f64 {
        let row = text.lines().rfind(|l| l.contains("avg_")).unwrap();
        row.split_whitespace().nth(2).unwrap().parse().unwrap()
    };
    for name in ["localhost", "localhost-0"] {
        assert!((200.0..400.0).contains(&rate(&page(&place, &format!("{name}.html")))));
        for sd in ["sd1", "sd2"] {
            let text = page(&place, &format!("{name}.{sd}.html"));
            assert!((100.0..200.0).contains(&rate(&text)), "{text}");
            assert!(
                place
                    .join("output")
                    .join(format!("{name}.{sd}.histogram.html"))
                    .exists()
            );
        }
    }
    assert!(page(&place, "localhost.html").contains("<A HREF=\"localhost-0.html\">"));
    assert!(!place.join("output/sd1.html").exists());
    assert!(page(&place, "skew.html").contains("SD:"));
    let text = page(&place, "histogram.html");
    let rows = text
        .lines()
        .filter(|l| l.contains(" < ") && !l.contains("ms"));
    let ends: Vec<&str> = rows.map(|l| l.split_whitespace().nth(2).unwrap()).collect();
    assert!(!ends.is_empty());
    assert!(
        ends.iter().all(|e| ["0.050", "1.000", "max"].contains(e)),
        "{ends:?}"
    );
}

#[test]
fn what_is_written_comes_from_a_file_and_a_mount_that_fails_ends_everything() {
    let _alone = alone();
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
             rd=r,wd=w,elapsed=2,iorate=100\n",
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
