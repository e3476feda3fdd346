//! What report pages say, of simulated runs whose figures are known: what is repeated from a page does the same work, and
//! its sentences agree with what is drawn.

use crate::support::{Done, Place, finish, side_by_side};
use std::process::Command;

fn good(place: &Place, words: &[&str]) -> Done {
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
    done
}

/// The page of these runs, without its markup.
fn page(place: &Place, runs: &[&str]) -> String {
    let words = [&["report"][..], runs, &["--output=page.html", "--force"]].concat();
    good(place, &words);
    let text = std::fs::read_to_string(place.join("page.html")).unwrap();
    let body = text.split_once("<body").unwrap().1.replace("<wbr>", "");
    let mut out = String::new();
    let mut inside = true;
    for letter in body.chars() {
        match letter {
            '<' => inside = true,
            '>' if inside => {
                inside = false;
                out.push('\n');
            }
            other if !inside => out.push(other),
            _ => {}
        }
    }
    let plain = out.replace("&#39;", "'").replace("&quot;", "\"");
    let plain = plain.replace("&#x27;", "'").replace("&#x2F;", "/");
    plain.replace("&amp;", "&").replace('\u{a0}', " ")
}

/// The line that follows a heading.
fn after<'a>(page: &'a str, heading: &str) -> &'a str {
    let rest = page.rsplit_once(&format!("\n{heading}\n"));
    let rest = rest.unwrap_or_else(|| panic!("no {heading:?} in {page}")).1;
    rest.lines().find(|line| !line.trim().is_empty()).unwrap()
}

const LAW: &str = "--map=/dev/none=sim:service=1ms,parallel=8";

/// Runs the line of a page in a shell, where `leadline` is the one that is tested.
fn again(place: &Place, line: &str) -> std::process::Output {
    let words = line.strip_prefix("leadline ").unwrap();
    let script = format!("exec \"$0\" {words}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, crate::support::LEADLINE]);
    shell
        .current_dir(place.path())
        .env("XDG_STATE_HOME", place.join("state"));
    shell.output().unwrap()
}

#[test]
fn a_command_that_is_copied_from_a_page_runs_on_the_simulated_volume_again() {
    let place = Place::new();
    let fill = "sd=s,lun=/dev/none,size=64m\nwd=w,sd=s,xfersize=4k,rdpct=0,seekpct=100\n\
                rd=r,wd=w,iorate=max,elapsed=2,interval=1,threads=4\n";
    std::fs::write(place.join("p.vdb"), fill).unwrap();
    let fio = [
        "fio",
        LAW,
        "--name=a",
        "--filename=/dev/none",
        "--rw=randwrite",
        "--bs=4k",
        "--size=64m",
        "--time_based",
        "--runtime=2",
        "--leadline-run=run.leadline",
    ];
    let diskspd = [
        "diskspd",
        "-d1",
        "-W0",
        "-w100",
        "-b4K",
        "-r",
        "--map",
        &LAW[6..],
        "--hosts=h1,h2",
        "--launcher=local",
        "--leadline-run=of-diskspd.leadline",
        "/dev/none",
    ];
    for (words, kept) in [
        (&fio[..], "run.leadline"),
        (&["vdbench", "-f", "p.vdb", LAW], "output/run.leadline"),
        (&diskspd[..], "of-diskspd.leadline"),
    ] {
        good(&place, words);
        let given = page(&place, &[kept]);
        let line = after(&given, "As given");
        std::fs::remove_file(place.join(kept)).unwrap();
        let done = again(&place, line);
        assert!(done.status.success(), "{line}: {done:?}");
        let again = leadline_results::store::open(&place.join(kept)).unwrap();
        let hosts = if words[0] == "diskspd" { 2 } else { 0 };
        assert_eq!(again.plan.unwrap().hosts.len(), hosts, "{line}");
    }
    // DISKSPD's own report has DISKSPD's words alone.
    let own = good(&place, &["report", "of-diskspd.leadline", "--as=diskspd"]);
    let command = own.stdout.lines().find(|l| l.starts_with("Command Line: "));
    let command = command.unwrap();
    assert!(command.ends_with(" /dev/none"), "{command}");
    assert!(
        !command.contains("--map") && !command.contains("--hosts"),
        "{command}"
    );
}

/// A job file that names variables of the environment, and one from standard input.
#[test]
fn a_job_with_variables_and_one_from_standard_input_run_again_as_given() {
    let place = Place::new();
    let job =
        "[a]\nfilename=/dev/none/${VOL}\nrw=randread\nbs=${BS}\nsize=64m\ntime_based\nruntime=2\n";
    std::fs::write(place.join("a.fio"), job).unwrap();
    let law = "--map=/dev/none=sim:service=1ms,parallel=8";
    let shell = |script: &str| {
        let mut shell = Command::new("sh");
        let home = ("XDG_STATE_HOME", place.join("state"));
        shell.args(["-c", script, crate::support::LEADLINE]);
        shell.current_dir(place.path()).env(home.0, home.1);
        let done = shell.output().unwrap();
        assert!(done.status.success(), "{script}: {done:?}");
    };
    shell(&format!(
        "VOL='my vol' BS=8k \"$0\" fio a.fio {law} --leadline-run=a.leadline"
    ));
    let given = page(&place, &["a.leadline"]);
    let line = after(&given, "As given");
    assert!(
        line.starts_with("VOL='my vol' BS=8k leadline fio "),
        "{line}"
    );
    std::fs::remove_file(place.join("a.leadline")).unwrap();
    shell(&line.replace("leadline fio", "\"$0\" fio"));
    let again = leadline_results::store::open(&place.join("a.leadline")).unwrap();
    let plan = again.plan.unwrap();
    let given = &plan.stages[0].workloads[0].given;
    let value = |name: &str| {
        let mut all = given.iter();
        all.find(|one| one.name == name)
            .map(|one| one.value.clone())
    };
    assert_eq!(value("filename").as_deref(), Some("/dev/none/my vol"));
    assert_eq!(value("bs").as_deref(), Some("8k"));
    shell(&format!(
        "VOL=v BS=4k \"$0\" fio - {law} --leadline-run=b.leadline < a.fio"
    ));
    let given = page(&place, &["b.leadline"]);
    assert!(given.contains("- is standard input: give it the text below"));
    let text = after(&given, "From standard input");
    assert_eq!(text, "[a]");
}

#[test]
fn a_job_for_fio_of_a_simulated_volume_says_what_to_put_in_its_place() {
    let place = Place::new();
    let words = [
        "fio",
        "--name=a",
        "--filename=sim:service=1ms",
        "--rw=randread",
        "--bs=4k",
        "--size=64m",
        "--time_based",
        "--runtime=2",
        "--leadline-run=run.leadline",
    ];
    good(&place, &words);
    let text = page(&place, &["run.leadline"]);
    let job = text
        .split_once("The same workload as a fio job file")
        .unwrap()
        .1;
    let job = job.split_once("The plan with every default").unwrap().0;
    assert!(!job.contains("ioengine=null"), "{job}");
    assert!(job.contains("fio cannot run a simulated volume"), "{job}");
    assert!(
        job.contains("\nfilename=TARGET\n") && job.contains("\nsize=67108864\n"),
        "{job}"
    );
}

/// Two surveys of volumes that have 8 and 16 places: their curves are vertical at 8,000 and 16,000 IOPS.
#[test]
fn the_page_of_two_surveys_says_what_its_charts_show() {
    let place = Place::new();
    for (name, law) in [
        ("a", "sim:service=1ms,parallel=8"),
        ("b", "sim:service=1ms,parallel=16"),
    ] {
        good(&place, &["measure", law, "--quick", "--out", name]);
    }
    let text = page(&place, &["a.leadline", "b.leadline"]);
    assert!(!text.contains("No sharp rise"), "{text}");
    assert!(
        text.contains("At the highest rate only latency rises on every curve"),
        "{text}"
    );
    let answer = text
        .lines()
        .find(|l| l.contains("B is likely better in"))
        .unwrap();
    assert!(
        answer.contains("figures that decide (IOPS and p99), most of all"),
        "{answer}"
    );
    assert!(!text.contains("A has no line for"), "{text}");
    let band = "A, B: use the figures: the checks report notes only (";
    assert!(text.contains(band), "{text}");
}

/// Two searches for a limit over rates of their own: what is said of the axis is true of the chart of both.
#[test]
fn the_page_of_two_limits_says_once_how_the_axis_of_both_is_cut() {
    let place = Place::new();
    let law = "sim:service=exp:1ms,parallel=8";
    for (name, seed) in [("a", "1"), ("b", "2")] {
        let words = ["study", "limit", law, "--slo=p99<20ms", "--quick"];
        let own = ["--seed", seed, "--out", name];
        good(&place, &[&words[..], &own].concat());
    }
    let runs = ["a.leadline", "b.leadline"];
    good(
        &place,
        &[&["report"][..], &runs, &["--output=page.html"]].concat(),
    );
    let text = std::fs::read_to_string(place.join("page.html")).unwrap();
    let (_, figure) = text.split_once("<h3>Trials").unwrap();
    let figure = figure.split("</figure>").next().unwrap();
    let said: Vec<&str> = figure
        .split(" does not begin at zero: it shows ")
        .skip(1)
        .map(|said| said.split('.').next().unwrap())
        .collect();
    // The scale that the script reads.
    let (_, ends) = figure.split_once("\"r\":[").unwrap();
    let mut ends = ends.split(',');
    let [low, high] = [ends.next().unwrap(), ends.next().unwrap()];
    assert_eq!(said.len(), 1, "{figure}");
    assert_eq!(said[0].replace(',', ""), format!("{low} to {high}"));
}

#[test]
fn the_page_of_two_studies_has_words_for_their_points_and_names_what_was_confirmed() {
    let place = Place::new();
    for (name, law) in [
        ("a", "sim:service=1ms,parallel=64"),
        ("b", "sim:service=1ms,parallel=32"),
    ] {
        let words = ["study", "throughput", law, "--depths", "16,32", "--quick"];
        good(&place, &[&words[..], &["--out", name]].concat());
    }
    let text = page(&place, &["a.leadline", "b.leadline"]);
    let over_time = text.rsplit_once("\nEach workload over time\n").unwrap().1;
    let over_time = over_time
        .split_once("The runs, and how far to trust each")
        .unwrap()
        .0;
    assert!(!over_time.contains("throughput/"), "{over_time}");
    assert!(
        over_time.contains("64 KiB sequential read, depth 32: confirmation"),
        "{over_time}"
    );
    // What fills is a part of the run too.
    assert!(over_time.contains("writes the data set"), "{over_time}");
    let said = text.lines().find(|l| l.contains("once more to confirm"));
    let said = said.unwrap_or_else(|| panic!("{text}"));
    assert!(
        said.contains(
            "In both: 64 KiB sequential write, depth 32; 64 KiB sequential read, depth 32."
        ),
        "{said}"
    );
}

#[test]
fn what_two_of_three_unlike_runs_have_is_not_said_to_be_in_one_alone() {
    let place = Place::new();
    let law = "sim:service=1ms,parallel=64";
    good(&place, &["measure", law, "--out", "a"]);
    good(&place, &["study", "depth", law, "--quick", "--out", "b"]);
    good(
        &place,
        &["study", "throughput", law, "--quick", "--out", "c"],
    );
    let text = page(&place, &["a.leadline", "b.leadline", "c.leadline"]);
    let only = |name: &str| -> Vec<Vec<String>> {
        let start = format!("Only in {name}: ");
        let lists = text.lines().filter_map(|l| l.trim().strip_prefix(&start));
        let rows = |list: &str| {
            list.trim_end_matches('.')
                .split("; ")
                .map(str::to_owned)
                .collect()
        };
        lists.map(rows).collect()
    };
    let (a, b) = (only("A"), only("B"));
    assert!(!a.is_empty(), "{text}");
    // The first list of A is against B.
    for row in b.iter().flatten() {
        assert!(!a[0].contains(row), "{row}: {a:?} {b:?}");
    }
}

#[test]
fn rounds_that_are_steady_do_not_exclude_credits() {
    let place = Place::new();
    let law = "sim:service=100us,parallel=16,iops=3000,burst_iops=20000,burst_store=100m";
    let done = good(&place, &["study", "steady", law, "--quick", "--out", "a"]);
    let said = done.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("Steady at round 5, at 20,000 IOPS"), "{said}");
    assert!(
        said.contains("A rate that burst credits sustain for longer counts as steady too"),
        "{said}"
    );
    assert!(said.contains("`leadline study burst`"), "{said}");
}

#[test]
fn a_verdict_names_every_job_and_the_page_draws_what_is_sequential() {
    let place = Place::new();
    let job = "[global]\nfilename=sim:service=1ms,parallel=32\nruntime=3\ntime_based\nsize=1g\nstonewall\n\
               [one]\nrw=randread\nbs=8k\niodepth=1\n\
               [two]\nrw=randrw\nbs=8k\niodepth=4\nioengine=libaio\n\
               [three]\nrw=read\nbs=64k\niodepth=8\nioengine=libaio\n";
    std::fs::write(place.join("j.fio"), job).unwrap();
    good(&place, &["fio", "j.fio", "--leadline-run=run.leadline"]);
    let shown = good(&place, &["show", "run.leadline"]).stdout;
    let verdict = shown.split_once("grade").unwrap().0;
    let said = verdict.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("At queue depth 1, an 8 KiB random read takes"),
        "{said}"
    );
    assert!(
        said.contains("two: 2,0") && said.contains("three: 8,000 read IOPS"),
        "{said}"
    );
    assert!(!said.contains("one: "), "said twice: {said}");
    let text = page(&place, &["run.leadline"]);
    assert!(text.contains("\nSequential throughput\n"), "{text}");
    assert!(!text.contains("of a processor"), "of a simulation: {text}");
}

#[test]
fn a_page_says_why_its_grade_is_a_and_where_a_relative_target_lies() {
    let place = Place::new();
    std::fs::create_dir(place.join("d")).unwrap();
    let words = [
        "fio",
        "--name=a",
        "--directory=./d",
        "--rw=read",
        "--bs=4k",
        "--size=1m",
        "--unlink=1",
        "--leadline-run=run.leadline",
    ];
    good(&place, &words);
    let text = page(&place, &["run.leadline"]);
    let real = place.path().canonicalize().unwrap();
    let target = after(&text, "target");
    assert_eq!(target.trim(), format!("./d ({}/d)", real.display()));
    good(
        &place,
        &[
            "measure",
            "sim:service=1ms,parallel=4",
            "--quick",
            "--out",
            "m",
        ],
    );
    let band = page(&place, &["m.leadline"]);
    let band = after(&band, "Grade A");
    let reason = "use the figures: the checks report notes only (";
    assert!(band.trim().starts_with(reason), "{band}");
}

/// The titles of the charts of a page; pieces of text that stand under a title of their own are none.
fn charts(place: &Place, runs: &[&str], to: &str) -> Vec<String> {
    let output = format!("--output={to}.html");
    good(
        place,
        &[&["report"][..], runs, &[&output, "--force"]].concat(),
    );
    let text = std::fs::read_to_string(place.join(&format!("{to}.html"))).unwrap();
    assert!(text.len() < 2_000_000, "{to}: {} bytes", text.len());
    let figures = text.split("<figure").skip(1);
    let title = |figure: &str| {
        let title = figure.split_once("<h3>").unwrap().1;
        title.split_once("</h3>").unwrap().0.to_owned()
    };
    figures.map(title).collect()
}

/// The page of two runs has each chart of the page of one: on common axes, those of both in parts, or one of each beside the
/// other.
fn assert_all_charts_are_on_the_page_of_two(study: &[&str]) {
    let place = Place::new();
    let usual = ["--quick", "--seed", "1", "--out", "a"];
    good(&place, &[study, &usual].concat());
    std::fs::copy(place.join("a.leadline"), place.join("b.leadline")).unwrap();
    let own = charts(&place, &["a.leadline"], "one");
    let both = charts(&place, &["a.leadline", "b.leadline"], "two");
    assert!(!own.is_empty(), "{study:?}");
    for title in &own {
        let of_all = |known: &&String| *known == title || known.starts_with(&format!("{title}: "));
        let of_each = |known: &&String| known.ends_with(&format!(": {title}"));
        let is_there = both.iter().any(|known| of_all(&known));
        let is_twice = both.iter().filter(of_each).count() >= 2;
        assert!(is_there || is_twice, "{study:?}: no {title:?} in {both:?}");
    }
}

const VOLUME: &str = "sim:iops=8000,service=exp:300us,parallel=16";

#[test]
fn the_page_of_two_studies_has_every_chart_of_the_page_of_each() {
    let names = [
        "latency",
        "iops",
        "throughput",
        "mix",
        "depth",
        "size",
        "burst",
        "steady",
    ];
    side_by_side(2, &names, |name| {
        assert_all_charts_are_on_the_page_of_two(&["study", name, VOLUME]);
    });
}

#[test]
fn the_page_of_two_studies_over_rates_caches_or_hosts_has_every_chart_of_the_page_of_each() {
    let hosts = ["--hosts=h[1-4]", "--launcher=local"];
    let groups = ["--groups", "near=h[1-2] far=h[3-4]", "--distance=far=500us"];
    let cases = [
        vec!["measure", VOLUME],
        vec!["study", "curve", VOLUME],
        vec!["study", "cache", VOLUME],
        vec!["study", "combined", VOLUME, "--rated=randwrite:3200"],
        vec!["study", "map", VOLUME],
        [&["study", "scale-out", VOLUME][..], &hosts].concat(),
        [&["study", "near-far", VOLUME][..], &hosts, &groups].concat(),
    ];
    side_by_side(2, &cases, |words| {
        assert_all_charts_are_on_the_page_of_two(words);
    });
}
