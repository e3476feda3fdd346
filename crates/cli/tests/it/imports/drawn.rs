//! Drawn jobs: a run beside itself in the shape of each tool. What one run measured is never a change, and never another
//! work.

use crate::support::{Place, finish};
use leadline_model::seed::{Purpose, derive};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Choices of one job, from its number.
struct Choices {
    job: u64,
    made: u64,
}

impl Choices {
    fn number(&mut self, below: u64) -> u64 {
        self.made += 1;
        derive(self.job, Purpose::Choices, self.made) % below
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let at = self.number(of.len() as u64);
        of[usize::try_from(at).unwrap()]
    }

    /// Whether something that is so in this many of a hundred jobs is so here.
    fn is(&mut self, percent: u64) -> bool {
        self.number(100) < percent
    }

    fn law(&mut self) -> String {
        let service = self.one(&["200us", "500us", "1ms"]);
        let parallel = self.one(&["4", "16", "64"]);
        let cap = self.one(&["", "", ",iops=3000", ",iops=20000"]);
        format!("size=1g,service=exp:{service},parallel={parallel}{cap}")
    }

    fn job_file(&mut self) -> String {
        let mut text = "[global]\nioengine=libaio\ndirect=1\ntime_based\nruntime=10\nsize=1g\n\
                        filename=/dev/x\n"
            .to_owned();
        for name in ["a", "b", "c"]
            .into_iter()
            .take(1 + usize::from(self.is(60)) + usize::from(self.is(30)))
        {
            let rw = self.one(&["randread", "randwrite", "randrw", "read", "write", "rw"]);
            let size = self.one(&["4k", "8k", "64k", "4k,16k"]);
            let depth = self.one(&["1", "4", "16"]);
            text += &format!("[{name}]\nrw={rw}\nbs={size}\niodepth={depth}\n");
            for (line, percent) in [
                ("rwmixread=30\n", 30),
                ("stonewall\n", 40),
                ("numjobs=2\n", 40),
                ("group_reporting\n", 40),
                ("new_group\n", 20),
                ("rate_iops=300\n", 25),
                ("thinktime=500\n", 20),
            ] {
                if self.is(percent) {
                    text += line;
                }
            }
        }
        text
    }

    fn parameters(&mut self) -> String {
        let mut text =
            "sd=sd1,lun=/mnt/v1,size=1g,threads=8\nsd=sd2,lun=/mnt/v2,size=1g,threads=4\n"
                .to_owned();
        for number in 1..=1 + self.number(2) {
            let storage = self.one(&["sd1", "sd2", "sd*"]);
            let reads = self.one(&["0", "30", "70", "100"]);
            let random = self.one(&["100", "0", "50"]);
            let size = self.one(&["4k", "8k", "64k", "(4k,50,8k,50)"]);
            text += &format!(
                "wd=wd{number},sd={storage},rdpct={reads},seekpct={random},xfersize={size}\n"
            );
        }
        for number in 1..=1 + self.number(2) {
            let workloads = self.one(&["wd1", "wd*"]);
            let rate = self.one(&["max", "1000", "(500,1500)", "curve"]);
            let threads = self.one(&["", ",forthreads=(1,4,16)"]);
            let reads = self.one(&["", "", ",forrdpct=(0,50,100)"]);
            text += &format!(
                "rd=run{number},wd={workloads},iorate={rate},elapsed=10,interval=1{threads}{reads}\n"
            );
        }
        text
    }

    fn switches(&mut self) -> Vec<String> {
        let mut words = vec!["-d10", "-W0", "-L", "-c1G"];
        words.push(self.one(&["-b4K", "-b8K", "-b64K"]));
        words.push(self.one(&["-o1", "-o4", "-o16"]));
        words.push(self.one(&["-t1", "-t2", "-t4"]));
        words.push(self.one(&["-w0", "-w30", "-w100"]));
        words.push(self.one(&["-r", "-r", "-s", "-si"]));
        if self.is(40) {
            words.push("-D");
        }
        if self.is(30) {
            words.push("-g500i");
        }
        words.push("x.dat");
        if self.is(30) {
            words.push("y.dat");
        }
        words.into_iter().map(str::to_owned).collect()
    }
}

/// Runs a drawn job in a place; its text, for who looks at a failure.
fn run(place: &Place, choices: &mut Choices) -> String {
    let map = format!("--map=*=sim:{}", choices.law());
    let kept = "--leadline-run=run.leadline";
    let (mut command, text): (Command, String) = match choices.number(3) {
        0 => {
            let text = choices.job_file();
            std::fs::write(place.join("job"), &text).unwrap();
            let words = [
                "fio",
                &map,
                kept,
                "--output-format=json",
                "--output=own.json",
                "job",
            ];
            (place.leadline(words), text)
        }
        1 => {
            let text = choices.parameters();
            std::fs::write(place.join("parm"), &text).unwrap();
            let words = [
                "vdbench",
                "-f",
                "parm",
                "-o",
                "own",
                "--map",
                &map["--map=".len()..],
                kept,
            ];
            (place.leadline(words), text)
        }
        _ => {
            let words = choices.switches();
            let mut command = place.leadline(["diskspd", &map, kept, "-Rxml"]);
            command.args(&words);
            (command, words.join(" "))
        }
    };
    let done = finish(&mut command);
    let text = format!("{map} {text}");
    assert_eq!(done.code, Some(0), "{text}: {done:?}");
    if done.stdout.starts_with("<Results>") {
        std::fs::write(place.join("own.xml"), &done.stdout).unwrap();
    }
    text
}

/// What is wrong where no row has a partner.
const NOTHING: &str = "no row in common";

/// What is wrong with the comparison of a run with a result that shows the same.
fn wrong(place: &Place, b: &Path) -> Option<String> {
    let words = [
        "compare".as_ref(),
        "run.leadline".as_ref(),
        b.as_os_str(),
        "--json".as_ref(),
    ];
    let done = finish(&mut place.leadline(words));
    let Ok(all) = serde_json::from_str::<Value>(&done.stdout) else {
        return Some(format!("{:?} {}", done.code, done.stderr));
    };
    let rows = all["rows"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    if rows.is_empty() {
        return Some(NOTHING.to_owned());
    }
    let each = rows.iter().flat_map(|row| {
        let figures = row["figures"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        figures.iter().map(move |figure| (row, figure))
    });
    each.filter_map(|(row, figure)| {
        let verdict = figure["verdict"].as_str().unwrap_or_default();
        // Tools count latencies from other moments, and of a run that cannot keep its rate only ours are unfinished.
        let other_latency = figure["why"].as_str().is_some_and(|why| {
            why.starts_with("latencies of A") || why.ends_with("that had not ended")
        });
        let is_right = matches!(verdict, "no difference shown" | "undecided") || other_latency;
        (!is_right).then(|| format!("{} {}: {figure}", row["stage"], row["workload"]))
    })
    .next()
}

/// Twelve jobs from the number in `LEADLINE_DRAWN`, each in its tool's own shape and in those of the others, which may lack
/// the names that distinguish its points.
#[test]
fn a_run_is_no_change_to_itself_in_any_shape() {
    let first: u64 = std::env::var("LEADLINE_DRAWN").map_or(0, |first| first.parse().unwrap());
    let jobs: Vec<u64> = (first..first + 12).collect();
    let shapes = ["fio", "fio-json-plus", "diskspd", "diskspd-xml", "vdbench"];
    crate::support::side_by_side(2, &jobs, |&job| {
        let place = Place::new();
        let mut choices = Choices { job, made: 0 };
        let text = run(&place, &mut choices);
        for shape in shapes {
            let out = format!("--output={shape}.out");
            let words = ["report", "run.leadline", "--as", shape, &out];
            let done = finish(&mut place.leadline(words));
            assert_eq!(done.code, Some(0), "job {job} as {shape}: {done:?}");
        }
        let own = ["own.json", "own.xml", "vdbench.out"].map(|name| place.join(name));
        let is_own = |path: &Path| {
            let of_vdbench = path.ends_with("vdbench.out") == text.contains("sd=sd1");
            path.exists() && of_vdbench
        };
        let others = shapes.map(|shape| place.join(&format!("{shape}.out")));
        let own = own.iter().filter(|path| is_own(path));
        for path in own.clone().chain(&others) {
            let found = wrong(&place, path);
            let nothing = found.as_deref() == Some(NOTHING);
            let found = found.filter(|_| !nothing || own.clone().any(|own| own == path));
            if let Some(why) = found {
                panic!("job {job} ({text}), {}: {why}", path.display());
            }
        }
    });
}
