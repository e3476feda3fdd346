//! What parameter files do on the simulated device in virtual time: shares, rates, curves, faults. All is known,
//! so all is asserted closely, and a minute of a run takes no time.

use super::{SCALED, average, page};
use crate::support::{Done, Place, finish, simulated};
use leadline_model::plan::StageRate;

/// As [`super::vdbench`], each target a device of this law.
fn vdbench(place: &Place, law: &str, file: &str) -> Done {
    std::fs::write(place.join("p.vdb"), file).unwrap();
    let command = place.leadline(["vdbench", "-f", "p.vdb"]);
    finish(&mut simulated(command, law))
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

/// Whether it equals that within the given percentage.
fn near(value: f64, truth: f64, percent: f64) -> bool {
    (value - truth).abs() <= truth * percent / 100.0
}

/// Shapes of published files: shares that the tickets of one thread each have to keep.
#[test]
fn shares_without_a_rate_are_kept_and_the_largest_sets_the_speed() {
    for shares in [&[50.0, 50.0][..], &[10.0, 35.0, 35.0, 5.0, 15.0]] {
        let place = Place::new();
        let wd = |(at, share): (usize, &f64)| format!("wd=w{at},sd=s,rdpct=100,skew={share}\n");
        let wds: String = shares.iter().enumerate().map(wd).collect();
        let file = format!(
            "sd=s,lun=f,size=8m\n{wds}rd=r,wd=w*,iorate=max,elapsed=60,interval=1,threads=1\n"
        );
        let done = vdbench(&place, "service=1ms", &file);
        assert_eq!(done.code, Some(0), "{done:?}");
        let run = leadline_results::store::open(&place.join("output/run.leadline")).unwrap();
        let stage = run.stages.last().unwrap();
        let mut ios = vec![0.0; shares.len()];
        // One thread with the largest share does 1,000 I/Os a second.
        let largest = shares.iter().fold(0.0_f64, |a, b| a.max(*b));
        for sample in &stage.samples {
            let n = sample.counts.data_ios() as f64;
            let share = shares[sample.workload as usize];
            let wanted = 1000.0 * share / largest * sample.length.as_secs_f64();
            assert!(
                (n - wanted).abs() <= wanted * 0.02 + 3.0,
                "{n} of {wanted} in {}",
                sample.interval
            );
            ios[sample.workload as usize] += n;
        }
        let all: f64 = ios.iter().sum();
        for (n, share) in ios.iter().zip(shares) {
            let is = 100.0 * n / all;
            assert!((is - share).abs() < 0.1, "{shares:?}: {ios:?}");
        }
    }
}

#[test]
fn a_fill_a_curve_a_mix_and_a_rate_run_to_the_end() {
    let place = Place::new();
    // A long time, so that what chance does averages out.
    let file = SCALED.replace("elapsed=2\n", "elapsed=100\n");
    let done = vdbench(&place, "service=1ms,parallel=8", &file);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("[format-left-out]"), "{done:?}");
    assert!(!done.stdout.contains("RD=SD_format"));
    // Two files of 128 blocks each, by one thread each.
    let fill = average(&done, "Initialize-LUNs-Full");
    assert_eq!(
        (fill[1].as_str(), fill[3].as_str()),
        ("2000.0", "65536"),
        "{fill:?}"
    );
    let curve = average(&done, "RndRead");
    let point = average(&done, "RndRead_(50%)");
    assert_eq!(
        (curve[0].as_str(), point[0].as_str()),
        ("avg_2-101", "avg_2-101")
    );
    // Two threads, and more where a rate is asked for: 2,000 for each of two files.
    assert!(near(number(&curve[1]), 4000.0, 0.2), "{curve:?}");
    let start = "Starting RD=RndRead_(50%); I/O rate: ";
    let asked = done.stdout.split_once(start).unwrap().1;
    let asked = asked.split(';').next().unwrap();
    // Half of the highest, rounded up to a hundred.
    assert!(["2000", "2100"].contains(&asked), "{asked}");
    assert!(
        near(number(&point[1]), number(asked), 1.0),
        "{asked} {point:?}"
    );
    let mix = average(&done, "SeqMix-2");
    assert!(near(number(&mix[4]), 50.0, 1.0), "{mix:?}");
    let rate = average(&done, "Rate");
    assert!(near(number(&rate[1]), 200.0, 3.0), "{rate:?}");
    let end = "Vdbench execution completed successfully. Output directory: ";
    assert!(done.stdout.contains(end));
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
    let asked: Vec<StageRate> = run.plan.unwrap().stages.iter().map(|s| s.asked).collect();
    assert_eq!(asked[1], StageRate::MaxForCurve);
}

#[test]
fn shares_that_were_not_kept_end_everything() {
    let place = Place::new();
    let skewed = |limit| {
        format!(
            "abort_failed_skew={limit}\nsd=sd1,lun=f,size=4m\nwd=a,sd=sd1,skew=33.3\nwd=b,sd=sd1\n\
             rd=default,elapsed=100,iorate=200\nrd=r1,wd=*\nrd=r2,wd=*\n"
        )
    };
    let done = vdbench(&place, "service=100us", &skewed("0.0001"));
    assert_eq!(done.code, Some(157), "{done:?}");
    let said = "abort_failed_skew=0.0001";
    assert!(done.stderr.contains(said), "{done:?}");
    assert!(!done.stdout.contains("Starting RD=r2"), "{done:?}");
    // Of 20,000 I/Os by chance, a third within this much.
    let done = vdbench(&place, "service=100us", &skewed("2"));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("Starting RD=r2"), "{done:?}");
}

#[test]
fn a_curve_that_is_slow_enough_says_where_it_stopped() {
    let place = Place::new();
    let file = "sd=sd1,lun=f,size=2m\nwd=w,sd=sd1\n\
                rd=r,wd=w,iorate=curve,curve=(5,10,15),stopcurve=0.9,elapsed=2,threads=1\n\
                rd=s,wd=w,iorate=50,elapsed=2\n";
    let done = vdbench(&place, "service=1ms", file);
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
    let said = " stopcurve=0.9: the mean response time of RD=r_(5%) was ";
    let line = done.stdout.lines().find(|l| l.contains(said)).unwrap();
    assert!(page(&place, "logfile.html").contains(line), "{line}");
    // Stamped as all lines are, and the figure is that of the row.
    assert!(
        line.find(said) == Some(12) && line.as_bytes()[8] == b'.',
        "{line}"
    );
    let shown = line[12 + said.len()..].split(' ').next().unwrap();
    assert!(near(number(shown), 1.0, 2.0), "{line}");
    assert_eq!(shown, average(&done, "r_(5%)")[5], "{done:?}");
    let started = |run: &str| done.stdout.contains(&format!("Starting RD={run};"));
    let later = ["r_(10%)", "r_(15%)", "s"];
    assert!(!later.into_iter().any(started), "{done:?}");
}

#[test]
fn the_curves_of_several_runs_stand_on_one_chart() {
    let place = Place::new();
    let file = "sd=sd1,lun=f,size=2m\nwd=w,sd=sd1,xfersize=4k\nrd=default,elapsed=2,iorate=(100,200)\n\
                rd=r,wd=w\n";
    let done = vdbench(&place, "service=1ms", file);
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
fn a_word_in_the_monitored_file_ends_a_run_or_all() {
    let place = Place::new();
    std::fs::write(place.join("m"), "end_rd").unwrap();
    let file = "monitor=m\nsd=sd1,lun=f,size=4m\nwd=w1,sd=sd1\nrd=r1,wd=w1,iorate=max,elapsed=12\n\
                rd=r2,wd=w1,iorate=max,elapsed=12\n";
    let law = "service=1ms";
    let done = vdbench(&place, law, file);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("Starting RD=r2"), "{done:?}");
    let run = leadline_results::store::open(&place.join("output/run.leadline")).unwrap();
    for stage in run.stages.iter().rev().take(2) {
        // Each ended after its first interval.
        let ends = stage.workers.iter().map(|w| w.window_end.as_millis());
        assert!(ends.max().unwrap() < 1500, "{:?}", stage.workers);
    }
    std::fs::write(place.join("m"), "end_vdbench").unwrap();
    let done = vdbench(&place, law, file);
    assert_eq!(done.code, Some(130), "{done:?}");
    assert!(!done.stdout.contains("Starting RD=r2"), "{done:?}");
}

#[test]
fn storage_that_fails_is_left_out_and_the_others_continue_to_the_end_of_the_run() {
    let place = Place::new();
    let file = "data_errors=remove\nsd=sd1,lun=bad,size=4m,openflags=o_direct\nsd=sd2,lun=f,size=4m\n\
                wd=a,sd=sd*\nwd=b,sd=sd1,xfersize=8k\n\
                rd=default,elapsed=100,iorate=900\nrd=r1,wd=*\nrd=r2,wd=a\n";
    std::fs::write(place.join("p.vdb"), file).unwrap();
    // The fill has no fault: the volume of each run counts its own I/Os.
    let maps = [
        "--map=bad=sim:error=EIO@50",
        "--map=*=sim:name=f",
        "--fresh-device",
    ];
    let mut command = place.leadline(["vdbench", "-f", "p.vdb"]);
    let done = finish(command.args(maps));
    assert_eq!(done.code, Some(157), "{done:?}");
    let why = " 1 I/O of rd=r1 failed (read: Input/output error (os error 5), 1 time): the \
               runs after it are skipped; data_errors=remove excluded sd1";
    assert!(done.stderr.contains(why), "{done:?}");
    assert!(!done.stdout.contains("Starting RD=r2"), "{done:?}");
    let message = "sd=sd1: an I/O failed; the run sends it no more I/O (data_errors=remove)";
    assert_eq!(done.stdout.matches(message).count(), 1, "{done:?}");
    assert!(page(&place, "errorlog.html").contains(message));
    let report = page(&place, "report.html");
    assert!(report.contains("After the first one, sd1 was excluded from the run."));
    // One failed, and neither of its workloads did any more; the other went on at its rate to the end of the run:
    // a half of a half.
    let errors = page(&place, "errorlog.html");
    assert_eq!(errors.matches("times").count(), 1, "{errors}");
    let rates = |sd: &str| -> Vec<f64> {
        let text = page(&place, &format!("{sd}.html"));
        // After that of the fill.
        let rows = text.lines().filter(|l| l.contains("avg_")).skip(1);
        rows.map(|r| number(r.split_whitespace().nth(2).unwrap()))
            .collect()
    };
    let rates = [rates("sd1"), rates("sd2")];
    assert_eq!(rates[0], [0.0]);
    assert!(near(rates[1][0], 225.0, 4.0), "{rates:?}");
    assert_eq!(rates[1].len(), 1);

    // Nothing is left.
    let file = "data_errors=remove_device\nsd=sd1,lun=bad,size=4m,openflags=o_direct\nwd=a,sd=sd1\n\
                rd=r1,wd=a,elapsed=3,iorate=500\n";
    let done = vdbench(&place, "service=100us,error=EIO@50", file);
    assert_eq!(done.code, Some(157), "{done:?}");
    let why = "; data_errors=remove excluded sd1";
    assert!(done.stderr.contains(why), "{done:?}");
}

#[test]
fn pages_and_bounds_are_those_asked_for() {
    let place = Place::new();
    let file = "histogram=(50,1m,suppress)\nreport=(host_detail,slave_d,no_sd_detail)\n\
                sd=sd1,lun=f,size=4m\nsd=sd2,lun=g,size=4m\nwd=w,sd=*\n\
                rd=r,wd=w,elapsed=100,iorate=300\n";
    let done = vdbench(&place, "service=exp:200us", file);
    assert_eq!(done.code, Some(0), "{done:?}");
    let rate = |text: &str| -> f64 {
        let row = text.lines().rfind(|l| l.contains("avg_")).unwrap();
        number(row.split_whitespace().nth(2).unwrap())
    };
    for name in ["localhost", "localhost-0"] {
        let whole = rate(&page(&place, &format!("{name}.html")));
        assert!(near(whole, 300.0, 3.0), "{whole}");
        for sd in ["sd1", "sd2"] {
            let own = rate(&page(&place, &format!("{name}.{sd}.html")));
            assert!(near(own, 150.0, 4.0), "{own}");
            let histogram = format!("output/{name}.{sd}.histogram.html");
            assert!(place.join(&histogram).exists());
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
