//! Simulated volumes as targets: in every verb and front end, on one host and on many.

use crate::support::{Done, Place, Running, finish};
use leadline_results::run::Run;
use leadline_results::store;
use leadline_testkit::skip;

fn run(place: &Place, words: &[&str]) -> Done {
    finish(&mut place.leadline(words))
}

fn good(place: &Place, words: &[&str]) -> Done {
    let _ = std::fs::remove_file(place.join("run.leadline"));
    let done = run(place, words);
    assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
    done
}

fn kept(place: &Place, name: &str) -> Run {
    store::open(&place.join(name)).unwrap()
}

/// I/Os a second of each stage that measured, over its hosts and workloads: each over its own measured intervals.
fn rates(run: &Run) -> Vec<f64> {
    let of = |stage: &leadline_results::run::StageRun| {
        let mut series = std::collections::BTreeMap::<_, (f64, f64)>::new();
        for sample in stage.samples.iter().filter(|s| !s.warmup) {
            let sums = series.entry((sample.host, sample.workload)).or_default();
            sums.0 += sample.counts.data_ios() as f64;
            sums.1 += sample.length.as_secs_f64();
        }
        series.values().map(|(ios, seconds)| ios / seconds).sum()
    };
    run.stages
        .iter()
        .map(of)
        .filter(|rate| *rate > 0.0)
        .collect()
}

fn near(got: f64, want: f64, percent: f64) {
    assert!((got / want - 1.0).abs() < percent / 100.0, "{got} {want}");
}

const KEEP: &str = "--leadline-run=run.leadline";

/// A parameter file of one run on this target.
fn parameters(target: &str) -> String {
    format!(
        "sd=s,lun=\"{target}\",size=1g\nwd=w,sd=s,xfersize=4k,rdpct=100,seekpct=100\n\
         rd=r,wd=w,iorate=max,elapsed=5,interval=1,threads=8\n"
    )
}

#[test]
fn every_front_end_runs_on_a_simulated_volume_by_name() {
    for law in ["sim:iops=2000", "sim:@volume"] {
        let place = Place::new();
        std::fs::write(place.join("volume"), "# a small one\niops=2000\n").unwrap();
        let filename = format!("--filename={law}");
        let fio = [
            "fio",
            KEEP,
            "--name=j",
            &filename,
            "--rw=randread",
            "--bs=4k",
            "--iodepth=8",
            "--ioengine=libaio",
            "--time_based",
            "--runtime=5",
        ];
        good(&place, &fio);
        near(rates(&kept(&place, "run.leadline"))[0], 2000.0, 0.5);
        good(
            &place,
            &[
                "diskspd", KEEP, "-d5", "-W0", "-b4K", "-o8", "-t1", "-r", law,
            ],
        );
        near(rates(&kept(&place, "run.leadline"))[0], 2000.0, 0.5);
        std::fs::write(place.join("p.vdb"), parameters(law)).unwrap();
        good(&place, &["vdbench", "-f", "p.vdb"]);
        near(rates(&kept(&place, "output/run.leadline"))[0], 2000.0, 0.5);
        good(&place, &["measure", law, "--quick", "--out", "m"]);
        let run = kept(&place, "m.leadline");
        let most = rates(&run).into_iter().fold(0.0, f64::max);
        near(most, 2000.0, 0.5);
        // The depth curve goes on until it stops rising, and no point is measured twice but the confirmed one.
        let stages = &run.plan.as_ref().unwrap().stages;
        let names: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
        assert!(names.contains(&"depth/4k-randread-qd2"), "{names:?}");
        assert!(!names.contains(&"mix/4k-randread-qd32"), "{names:?}");
        let plan = good(&place, &["plan", "measure", law, "--quick"]);
        assert!(plan.stdout.contains("simulated"), "{plan:?}");
    }
}

/// `bs=4k,64k` gives the size of reads and that of writes: of a job that reads only the first is done.
#[test]
fn a_job_of_two_block_sizes_is_called_by_the_one_that_it_does() {
    let place = Place::new();
    let mut job =
        "[global]\nfilename=sim:iops=5000,service=500us\nsize=64m\nioengine=libaio\nrw=randread\n\
                   bs=4k,64k\ntime_based\nruntime=4\n"
            .to_owned();
    for depth in [1, 4, 16, 32] {
        job += &format!("[d{depth}]\nstonewall\niodepth={depth}\n");
    }
    std::fs::write(place.join("j.fio"), job).unwrap();
    good(&place, &["fio", KEEP, "j.fio"]);
    let stages = &leadline_results::summary::summarize(&kept(&place, "run.leadline")).stages;
    for stage in stages {
        let data = &stage.figures.data;
        near(data.bytes as f64, data.ios as f64 * 4096.0, 0.01);
    }
    let reported = run(&place, &["report", "run.leadline"]);
    assert_eq!(reported.code, Some(0), "{reported:?}");
    let page = std::fs::read_to_string(place.join("run.html")).unwrap();
    let list = run(&place, &["list", "--history"]).stdout;
    let plan = run(&place, &["plan", "fio", "j.fio"]).stdout;
    assert!(page.contains("Queue depth: 4 KiB random reads"));
    assert!(list.contains("4 KiB random read, depth"), "{list}");
    assert!(plan.contains("random reads of 4 KiB at depth 16"), "{plan}");
    for said in [page, list, plan] {
        let wrong = said.lines().find(|line| line.contains("64 KiB r"));
        assert_eq!(wrong, None);
    }
}

#[test]
fn a_path_of_a_file_that_is_not_changed_may_be_simulated() {
    let place = Place::new();
    std::fs::write(place.join("p.vdb"), parameters("/mnt/vdb1/file")).unwrap();
    for (out, map) in [
        ("a", "--map=/mnt/vdb1=sim:iops=3000"),
        ("b", "--map=*=sim:iops=3000"),
    ] {
        good(&place, &["vdbench", "-f", "p.vdb", map, "-o", out]);
        let run = kept(&place, &format!("{out}/run.leadline"));
        near(rates(&run)[1], 3000.0, 0.5);
    }
    // The longest name that matches, at its border, counts.
    let maps = ["--map=/mnt=sim:iops=100", "--map=/mnt/vdb1=sim:iops=4000"];
    good(&place, &[&["vdbench", "-f", "p.vdb"][..], &maps].concat());
    near(rates(&kept(&place, "output/run.leadline"))[1], 4000.0, 0.5);
    let job = [
        "fio",
        KEEP,
        "--name=j",
        "--directory=/mnt/vdb1",
        "--size=1g",
        "--numjobs=3",
        "--rw=randwrite",
        "--bs=4k",
        "--ioengine=psync",
        "--iodepth=32",
        "--time_based",
        "--runtime=5",
        "--map=/mnt/vdb1=sim:service=1ms",
    ];
    good(&place, &job);
    // An engine that does one I/O at a time does so here too.
    near(rates(&kept(&place, "run.leadline"))[0], 3000.0, 0.5);
    assert!(!place.join("mnt").exists());
}

/// One second of writes of `file` in a place with two files that have data; nothing is kept. `HERE` in a word is the
/// place.
fn written(file: &str, maps: &[&str]) -> (Place, Done) {
    let place = Place::new();
    std::fs::write(place.join("victim"), "data").unwrap();
    std::fs::write(place.join("a=b"), "data").unwrap();
    let here = std::fs::canonicalize(place.path()).unwrap();
    let there = |text: &str| text.replace("HERE", here.to_str().unwrap());
    let filename = format!("--filename={}", there(file));
    let maps: Vec<String> = maps.iter().map(|map| there(map)).collect();
    let maps: Vec<&str> = maps.iter().map(String::as_str).collect();
    let words = [
        "fio",
        "--leadline-run=none",
        "--name=j",
        &filename,
        "--size=4k",
        "--rw=write",
        "--bs=4k",
    ];
    let done = run(&place, &[&words[..], &maps].concat());
    (place, done)
}

#[test]
fn a_mapped_path_is_not_touched_however_it_is_spelled() {
    for (file, map) in [
        ("./victim", "victim"),
        ("victim", "./victim"),
        (".//./victim", "victim/"),
        ("HERE/victim", "victim"),
        ("victim", "HERE/"),
        ("x/../victim", "HERE/./victim"),
        ("a=b", "a=b"),
    ] {
        let map = format!("--map={map}=sim:iops=1000");
        let (place, done) = written(file, &[&map]);
        assert_eq!(done.code, Some(0), "{file} {map}: {done:?}");
        for name in ["victim", "a=b"] {
            let kept = std::fs::read_to_string(place.join(name)).unwrap();
            assert_eq!(kept, "data", "{file} {map}");
        }
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 2);
    }
    let place = Place::new();
    let drive = [
        "diskspd",
        "-d1",
        "-c1M",
        "D:\\x.dat",
        "--map=d:=sim:iops=1000",
    ];
    let done = run(&place, &drive);
    assert_eq!(done.code, Some(0), "{done:?}");
    let entries = std::fs::read_dir(place.path()).unwrap();
    let names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(!names.iter().any(|n| n.contains("x.dat")), "{names:?}");
    let survey = [
        "measure",
        "./sv",
        "--map=sv=sim:iops=100",
        "--quick",
        "--out=m",
    ];
    assert_eq!(run(&place, &survey).code, Some(0));
    assert!(!place.join("sv").exists());
}

/// What the path that is replaced lies on does not matter: in memory, where only plain calls work, or a file that is there.
#[test]
fn what_a_map_replaces_is_not_looked_at() {
    let place = Place::new();
    let memory = std::path::Path::new("/dev/shm");
    if !memory.is_dir() {
        skip("simulated::what_a_map_replaces", "there is no /dev/shm");
        return;
    }
    let file = format!(
        "sd=s,lun={}/leadline-none,size=1m,threads=8\nwd=w,sd=s\nrd=r,wd=w,iorate=max,elapsed=2,interval=1\n",
        memory.display()
    );
    std::fs::write(place.join("p"), file).unwrap();
    let words = ["vdbench", "-f", "p"];
    let real = run(&place, &[&["plan"][..], &words].concat());
    let real = [real.stdout, real.stderr].concat();
    assert!(real.contains("is in memory (tmpfs)"), "{real}");
    let map = "--map=*=sim:iops=1000";
    let done = run(&place, &[&words[..], &[map]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    let said = [done.stdout, done.stderr].concat();
    assert!(!said.contains("in memory"), "{said}");
}

#[test]
fn a_map_that_matches_nothing_is_an_error_before_anything_is_touched() {
    let law = |from: &str| format!("--map={from}=sim:iops=1000");
    for (maps, part) in [
        (vec![law("victin")], "the targets are victim"),
        (vec![law("victim"), law("other")], "no target is other"),
        (vec![law("/victim")], "no target is /victim or below it"),
        (
            vec![law("victim"), law("./victim")],
            "this path already has --map",
        ),
        (vec![law("*"), law("*")], "this path already has --map"),
    ] {
        let maps: Vec<&str> = maps.iter().map(String::as_str).collect();
        let (place, done) = written("victim", &maps);
        assert!(matches!(done.code, Some(1 | 2)), "{maps:?}: {done:?}");
        assert!(done.stderr.contains(part), "{maps:?}: {done:?}");
        let kept = std::fs::read_to_string(place.join("victim")).unwrap();
        assert_eq!(kept, "data", "{maps:?}");
    }
    // What is a simulated volume by its own words has no other in its place.
    let (_, done) = written("sim:iops=10", &["--map=*=sim:iops=1000"]);
    assert!(done.stderr.contains("matches no target"), "{done:?}");
    let place = Place::new();
    let survey = [
        "measure",
        "sv",
        "--map=vs=sim:iops=100",
        "--quick",
        "--out=m",
    ];
    let done = run(&place, &survey);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn what_is_wrong_with_a_law_is_said_before_anything_runs() {
    let place = Place::new();
    for (words, code, part) in [
        (
            &["diskspd", "-d1", "sim:iop=5"][..],
            3,
            "did you mean `iops`?",
        ),
        (&["diskspd", "-d1", "sim:@absent"], 3, "cannot read absent"),
        (
            &["diskspd", "-d1", "f", "--map=f=/mnt"],
            3,
            "expected PATH=sim:LAW",
        ),
        (
            &["measure", "sim:rtt=1", "--out", "m"],
            2,
            "a time such as `100us`",
        ),
        (
            &["plan", "diskspd", "-d1", "sim:iops=0"],
            2,
            "a rate above 0",
        ),
        (
            &[
                "fio",
                "--name=a",
                "--size=1g",
                "--filename=x:y",
                "--map=x=sim:iops=5",
            ],
            1,
            "must be on the same simulated volume",
        ),
    ] {
        let done = run(&place, words);
        assert_eq!(done.code, Some(code), "{words:?}: {done:?}");
        assert!(done.stderr.contains(part), "{words:?}: {done:?}");
    }
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

/// Two runs of ten seconds on a volume with credits for ten seconds of 5,000, at 1,000 sustained.
fn two_runs(between: &str) -> String {
    format!(
        "sd=s,lun=/mnt/a,size=1m\nwd=w,sd=s,xfersize=4k,rdpct=100,seekpct=100\n\
         rd=default,wd=w,iorate=max,elapsed=10,interval=1,threads=8\nrd=r1\nrd=r2{between}\n"
    )
}

#[test]
fn a_volume_lives_for_the_whole_run_and_pauses_pass_in_virtual_time() {
    let law = "--map=/mnt/a=sim:iops=1000,burst_iops=5000,burst_store=40000";
    let fresh = "--fresh-device";
    let of = |between: &str, more: &[&str]| {
        let place = Place::new();
        std::fs::write(place.join("p.vdb"), two_runs(between)).unwrap();
        good(
            &place,
            &[&["vdbench", "-f", "p.vdb", law][..], more].concat(),
        );
        let all = rates(&kept(&place, "output/run.leadline"));
        [all[all.len() - 2], all[all.len() - 1]]
    };
    let [first, second] = of("", &[]);
    near(first, 5000.0, 0.5);
    near(second, 1000.0, 0.5);
    // 20 s of rest give 20,000 credits back: five seconds at 5,000, of which Vdbench leaves out the first.
    let [first, second] = of(",pause=20", &[]);
    near(first, 5000.0, 0.5);
    near(second, (4.0 * 5000.0 + 5.0 * 1000.0) / 9.0, 0.5);
    let [first, second] = of("", &[fresh]);
    near(first, 5000.0, 0.5);
    near(second, 5000.0, 0.5);
}

#[test]
fn hosts_share_a_volume_without_an_agent() {
    let place = Place::new();
    // None of them exists.
    std::fs::write(place.join("hosts"), "vm1\nvm2\nvm3\n").unwrap();
    for (local, all) in [("", 3000.0), (",local=yes", 9000.0)] {
        let target = format!("sim:iops=3000{local}");
        let words = [
            "diskspd",
            KEEP,
            "--hosts=hosts",
            "-d10",
            "-W0",
            "-b4K",
            "-o8",
            "-t1",
            "-r",
            &target,
        ];
        good(&place, &words);
        let run = kept(&place, "run.leadline");
        near(rates(&run)[0], all, 0.5);
        for host in 0..3 {
            let mine = run.stages[0].workers.iter().filter(|w| w.host == host);
            let ios: u64 = mine.map(|w| w.counts.data_ios()).sum();
            near(ios as f64, 10.0 * all / 3.0, 0.5);
        }
        assert!(
            run.findings.iter().all(|f| f.code != "host-lost"),
            "{:?}",
            run.findings
        );
    }
}

#[test]
fn the_links_of_a_host_are_its_own() {
    let place = Place::new();
    std::fs::write(place.join("hosts"), "vm1\nvm2\n").unwrap();
    // 100 MiB/s a host are 1,600 blocks of 64 KiB a second; 64 slots a host over 10 ms are 6,400.
    for (law, all) in [
        ("host_bytes=100m", 3200.0),
        ("slots=64,rtt=9900us,parallel=4096", 12_800.0),
        ("connections=1,connection=50m", 1600.0),
    ] {
        let target = format!("sim:{law}");
        let words = [
            "diskspd",
            KEEP,
            "--hosts=hosts",
            "-d10",
            "-W1",
            "-b64K",
            "-o256",
            "-t4",
            "-r",
            &target,
        ];
        good(&place, &words);
        near(rates(&kept(&place, "run.leadline"))[0], all, 0.5);
    }
}

#[test]
fn a_simulated_survey_repeats_bit_for_bit() {
    let place = Place::new();
    let law = "sim:service=exp:300us,parallel=16,cache=64m:20us,neighbour=500,every=2s:50ms";
    let mut texts = Vec::new();
    for out in ["a", "b"] {
        good(
            &place,
            &["measure", law, "--seed=7", "--quick", "--out", out],
        );
        let csv = good(&place, &["report", "--csv", &format!("{out}.leadline")]);
        texts.push(csv.stdout);
    }
    assert!(texts[0].lines().count() > 50, "{}", texts[0]);
    assert_eq!(texts[0], texts[1]);
    // One row for each point in place of one for each interval.
    let totals = good(&place, &["report", "--csv-totals", "a.leadline"]).stdout;
    assert!(totals.starts_with("stage,stage_name,workload,"), "{totals}");
    let rows = (20..texts[0].lines().count()).contains(&totals.lines().count());
    assert!(rows && totals.contains(",all,"), "{totals}");
}

#[test]
fn a_plan_shows_the_law_and_the_size_of_the_volume() {
    let place = Place::new();
    std::fs::write(place.join("law"), "\u{feff}size=64m # small\niops=100\n").unwrap();
    for target in ["--filename=sim:size=64m,iops=100", "--filename=sim:@law"] {
        let job = [
            "plan",
            "fio",
            "--name=j",
            target,
            "--size=1g",
            "--rw=randread",
        ];
        let done = good(&place, &job);
        let part = "a simulated volume of 64 MiB (size=64m,iops=100)";
        assert!(done.stdout.contains(part), "{done:?}");
    }
    // A law without quotes ends at its first comma.
    let text = parameters("sim:iops=2000,service=500us").replace('"', "");
    std::fs::write(place.join("p.vdb"), text).unwrap();
    let done = run(&place, &["plan", "vdbench", "-f", "p.vdb"]);
    assert!(done.stderr.contains("has its commas in quotes"), "{done:?}");
}

/// The same volume with and without a standstill, of whose grade each front end fails a script or does not.
#[test]
fn every_front_end_fails_on_a_grade_that_is_as_bad_as_asked() {
    let parameters = "sd=sd1,lun=/x/a,size=1g,openflags=o_direct\nwd=w,sd=sd1,rdpct=100,seekpct=100,xfersize=4k\n\
                      rd=r,wd=w,iorate=max,elapsed=70,interval=1,threads=8\n";
    let code = |law: &str, front_end: usize, limit: &str| {
        let place = Place::new();
        std::fs::write(place.join("parameters"), parameters).unwrap();
        let map = format!("--map=*=sim:service=1ms,parallel=8{law}");
        let limit = format!("--fail-on-grade={limit}");
        let fio = "fio --name=a --rw=randread --randrepeat=0 --bs=4k --size=1g --time_based --runtime=70 --iodepth=8 \
                   --filename=/x/a --direct=1 --ioengine=libaio";
        let words = [
            fio,
            "vdbench -f parameters -o out",
            "diskspd -d70 -W0 -b4K -o8 -t1 -r -Sh -z -c1G /x/a",
        ];
        let words = words[front_end].split(' ').chain([&map[..], &limit]);
        run(&place, &words.collect::<Vec<_>>()).code
    };
    for front_end in 0..3 {
        assert_eq!(code("", front_end, "b"), Some(0), "{front_end}");
        assert_eq!(
            code(",every=20s:3s", front_end, "B"),
            Some(99),
            "{front_end}"
        );
        assert_eq!(
            code(",every=20s:3s", front_end, "F"),
            Some(0),
            "{front_end}"
        );
        assert_ne!(code("", front_end, "E"), Some(0), "{front_end}");
    }
}

#[test]
fn a_cap_of_writes_holds_up_no_read_of_another_job() {
    let place = Place::new();
    let law = "read_iops=10000,write_iops=100,iops=20000,parallel=1000";
    let job = format!(
        "[global]\nfilename=sim:{law}\nioengine=libaio\ntime_based\nruntime=5\nbs=4k\niodepth=32\n\
         [r]\nrw=randread\n[w]\nrw=randwrite\n"
    );
    std::fs::write(place.join("j.fio"), job).unwrap();
    good(&place, &["fio", KEEP, "j.fio"]);
    let run = kept(&place, "run.leadline");
    for (workload, want) in [(0, 10_000.0), (1, 100.0)] {
        let workers = run.stages[0].workers.iter();
        let mine = workers.filter(|w| w.workload == workload);
        let ios: u64 = mine.map(|w| w.counts.data_ios()).sum();
        // 32 are in flight at the end.
        assert!((ios as f64 / 5.0 - want).abs() < 10.0, "{ios}");
    }
}

#[test]
fn a_run_on_a_volume_that_does_not_answer_ends_when_the_user_wants_it() {
    let place = Place::new();
    // It does nothing for a day, in which others ask a million times a second.
    let law = "sim:stall=1440m@1s,neighbour=1m:4k";
    let words = [
        "diskspd", KEEP, "-d86400", "-W0", "-b4K", "-o8", "-r", "-c1G", law,
    ];
    let running = Running::start(&mut place.leadline(words));
    running.wait_for(&place.join("run.leadline"));
    running.signal(rustix::process::Signal::TERM);
    let done = running.finish();
    assert!(done.wall.as_secs() < 30, "{done:?}");
    let run = kept(&place, "run.leadline");
    assert!(run.outcome.is_some(), "the run has an end");
}

/// The label of the server's cache of each stage of a run.
fn server_labels(run: &Run) -> Vec<String> {
    let summary = leadline_results::summary::summarize(run);
    let stages = summary.stages.iter();
    let own = stages.map(|s| s.workloads[0].labels.texts()[1].clone());
    own.collect()
}

#[test]
fn every_verb_takes_the_servers_cache() {
    let place = Place::new();
    let law = "sim:iops=2000,size=1g";
    let said = "--server-cache=ro";
    let filename = format!("--filename={law}");
    let fio = [
        "fio",
        KEEP,
        said,
        "--name=j",
        &filename,
        "--rw=randread",
        "--time_based",
        "--runtime=1",
    ];
    good(&place, &fio);
    assert_eq!(server_labels(&kept(&place, "run.leadline")), ["read only"]);
    good(&place, &["diskspd", KEEP, said, "-d1", "-W0", "-r", law]);
    assert_eq!(server_labels(&kept(&place, "run.leadline")), ["read only"]);
    std::fs::write(place.join("p.vdb"), parameters(law)).unwrap();
    good(&place, &["vdbench", "-f", "p.vdb", "--server-cache", "2g"]);
    let labels = server_labels(&kept(&place, "output/run.leadline"));
    assert_eq!(labels.last().unwrap(), "of 2 GiB");
    good(
        &place,
        &[
            "measure",
            law,
            "--quick",
            "--out",
            "m",
            "--server-cache",
            "none",
        ],
    );
    let labels = server_labels(&kept(&place, "m.leadline"));
    assert!(labels.iter().all(|label| label == "none"), "{labels:?}");
    // What a study makes of a cache is known better than what it was.
    let cache = [
        "study",
        "cache",
        law,
        "--time",
        "1s",
        "--dataset",
        "64m",
        "--server-cache",
        "16m",
        "--out",
        "c",
    ];
    good(&place, &cache);
    let labels = server_labels(&kept(&place, "c.leadline"));
    assert_eq!(labels[1..4], ["of 16 MiB", "warmed", "of 16 MiB"]);
    assert_eq!(labels[6], "displaced", "{labels:?}");
    // Each in its own code for wrong words.
    let verbs: [(&[&str], i32); 3] = [
        (&fio[..2], 1),
        (&["measure", law], 2),
        (&["study", "latency", law], 2),
    ];
    for (verb, code) in verbs {
        let words = [verb, &["--server-cache", "some"]].concat();
        let done = run(&place, &words);
        assert_eq!(done.code, Some(code), "{words:?}: {done:?}");
        assert!(done.stderr.contains("'some' is neither a size"), "{done:?}");
    }
}

/// What each front end says of ten seconds on a volume with this law, and the run that it kept.
fn ten_seconds(law: &str) -> Vec<(&'static str, Run, String)> {
    let place = Place::new();
    let target = format!("sim:{law},size=1g");
    let filename = format!("--filename={target}");
    let output = |words: &[&str]| {
        let said = good(&place, words).stdout;
        (kept(&place, "run.leadline"), said)
    };
    let (fio, fio_says) = output(&[
        "fio",
        KEEP,
        "--output-format=json",
        "--name=j",
        &filename,
        "--rw=randread",
        "--bs=4k",
        "--iodepth=32",
        "--ioengine=libaio",
        "--time_based",
        "--runtime=10",
    ]);
    let parameters = format!(
        "sd=s,lun=\"{target}\",size=1g\nwd=w,sd=s,xfersize=4k,rdpct=100,seekpct=100\n\
         rd=r,wd=w,iorate=max,elapsed=10,interval=1,threads=32\n"
    );
    std::fs::write(place.join("v.parm"), parameters).unwrap();
    let (vdbench, vdbench_says) = output(&["vdbench", KEEP, "-f", "v.parm", "-o", "folder"]);
    let (diskspd, diskspd_says) = output(&[
        "diskspd", KEEP, "-d10", "-W0", "-b4K", "-o32", "-t1", "-r", "-D", "-Rxml", &target,
    ]);
    vec![
        ("fio", fio, fio_says),
        ("vdbench", vdbench, vdbench_says),
        ("diskspd", diskspd, diskspd_says),
    ]
}

#[test]
fn statistics_have_their_slices_and_front_ends_print_their_intervals() {
    let quota = "service=200us,parallel=64,iops=5000,slice=100ms";
    for (name, run, said) in ten_seconds(quota) {
        let stage = run.stages.last().unwrap();
        let measured = stage.samples.iter().filter(|s| !s.warmup).count();
        assert!(measured >= 64, "{name}: {measured} slices");
        let each = match name {
            "fio" => "\"iops_samples\" : 20,",
            "diskspd" => "<Bucket ",
            _ => " 4096 100.00 ",
        };
        // Vdbench's mean is a line as well.
        let lines = match name {
            "fio" => 1,
            // Of all targets, and of the one.
            "diskspd" => 20,
            _ => 11,
        };
        assert_eq!(said.matches(each).count(), lines, "{name}: {said}");
        // What is given out in slices is no cache.
        let codes: Vec<&str> = run.findings.iter().map(|f| f.code.as_str()).collect();
        assert!(!codes.contains(&"mixture"), "{name}: {codes:?}");
    }
}

#[test]
fn intervals_over_the_rate_of_short_runs_hold_the_truth() {
    // Four servers of a millisecond each: 4,000 a second.
    let place = Place::new();
    let mut held = 0;
    for seed in 1..=20 {
        let seed = format!("--randseed={seed}");
        good(
            &place,
            &[
                "fio",
                KEEP,
                &seed,
                "--name=j",
                "--filename=sim:service=exp:1ms,parallel=4,size=1g",
                "--rw=randread",
                "--bs=4k",
                "--iodepth=16",
                "--ioengine=libaio",
                "--time_based",
                "--runtime=5",
            ],
        );
        let run = kept(&place, "run.leadline");
        let summary = leadline_results::summary::summarize(&run);
        let known = summary.stages[0].figures.data.iops_known();
        held += u32::from(known.low <= 4000.0 && 4000.0 <= known.high);
    }
    assert!((17..=20).contains(&held), "{held} of 20");
}
