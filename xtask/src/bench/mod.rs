//! `cargo xtask bench`: leadline beside Debian's fio on this machine, in alternating rounds.
//!
//! Belongs here: making the files, running both programs, and the order in which that happens. Must
//! never: give leadline an option that fio does not get, or drop a round that looks bad.

mod cases;
mod figures;
mod fleet;
mod machine;
mod page;
mod report;
pub(crate) mod spin;

use crate::args::Args;
use crate::shell;
use anyhow::{Context, Result, bail};
use cases::{CASES, Case, Contender, Method, Program};
use figures::Figure;
use report::{Measured, Rounds};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const FILE_BYTES: u64 = 512 << 20;
/// Counts hardly vary, and this shows that they do not.
const COUNTED_ROUNDS: u32 = 3;
/// Rounds of a case that is run often for each round of another.
const OFTEN: u32 = 5;
/// ext4 holds 16 TiB less one block.
const SPARSE_BYTES: u64 = (16 << 40) - 4096;

/// What the cases need on this machine.
struct Bench {
    dir: PathBuf,
    leadline: PathBuf,
    /// The example of the engine that does nothing but read.
    bare_ring: PathBuf,
    /// The real Vdbench's starter, when it is on this machine.
    vdbench: Option<PathBuf>,
    cpu: usize,
    pairs: u32,
    seconds: u32,
}

/// Runs the cases; true when every target was met.
pub(crate) fn run(words: &[String]) -> Result<bool> {
    let mut args = Args::new(words);
    let only = args.list("--only")?;
    let list = args.flag("--list");
    let many = args.flag("--fleet");
    let hosts = args.number("--hosts")?;
    let pairs = args.number("--pairs")?.unwrap_or(5);
    let asked = args.number("--seconds")?;
    let seconds = asked.unwrap_or(if many { 60 } else { 5 });
    let dir = args
        .value("--dir")?
        .map_or_else(|| shell::target_dir().join("bench"), PathBuf::from);
    let out = args.value("--out")?.map(PathBuf::from);
    let leadline = args.value("--leadline")?.map(PathBuf::from);
    let vdbench = args.value("--vdbench")?.map(PathBuf::from);
    let vdbench = vdbench.or_else(|| std::env::var_os("LEADLINE_VDBENCH").map(PathBuf::from));
    args.finish()?;
    if list {
        for case in CASES {
            println!("{:<20} {}", case.name, case.title);
        }
        return Ok(true);
    }
    if pairs == 0 || seconds == 0 {
        bail!("--pairs and --seconds must be at least 1");
    }
    if many {
        let counts: Vec<u32> = hosts.into_iter().collect();
        return fleet::run(&build(leadline)?, seconds, &counts);
    }
    let mut chosen = choose(&only)?;
    if only.is_empty() && vdbench.is_none() {
        for case in chosen.extract_if(.., |case| case.needs_vdbench()) {
            println!(
                "skipped: {} (no Vdbench: name its start script with --vdbench PATH)",
                case.name
            );
        }
    }
    let leadline = build(leadline)?;
    let mut bench = Bench::prepare(leadline, dir, pairs, seconds)?;
    bench.vdbench = vdbench;
    if chosen.iter().any(|case| case.runs(Program::BareRing)) {
        bench.bare_ring = build_bare_ring()?;
    }
    let machine = machine::describe(&bench.dir);
    let all: Vec<Measured<'_>> = chosen.into_iter().map(|case| bench.measure(case)).collect();
    let (table, good) = report::table(&all);
    println!("\n{table}");
    // A part of the cases does not replace the whole page unless a place for it is named.
    let out = out.or_else(|| {
        only.is_empty()
            .then(|| shell::root().join("docs/benchmarks.md"))
    });
    if let Some(out) = out {
        let before = std::fs::read_to_string(&out).unwrap_or_default();
        let others = page::without(&before, &report::TITLES, false);
        let page = report::page(&all, &machine, pairs, seconds) + "\n" + &others;
        std::fs::write(&out, page).with_context(|| format!("cannot write {}", out.display()))?;
        println!("wrote {}", out.display());
    }
    Ok(good)
}

/// The cases named by `--only`, or all.
fn choose(only: &[String]) -> Result<Vec<&'static Case>> {
    if let Some(unknown) = only
        .iter()
        .find(|name| CASES.iter().all(|case| case.name != *name))
    {
        bail!("no case `{unknown}`; `cargo xtask bench --list` names them");
    }
    let wanted = |case: &&Case| only.is_empty() || only.iter().any(|name| name == case.name);
    Ok(CASES.iter().filter(wanted).collect())
}

impl Bench {
    /// Checks the tools and makes the files.
    fn prepare(leadline: PathBuf, dir: PathBuf, pairs: u32, seconds: u32) -> Result<Self> {
        for (program, package) in [
            ("fio", "fio"),
            ("time", "time"),
            ("valgrind", "valgrind"),
            ("taskset", "util-linux"),
            ("chrt", "util-linux"),
        ] {
            if shell::find_program(program).is_none() {
                bail!("{program} is needed: apt-get install {package}");
            }
        }
        std::fs::create_dir_all(&dir)
            .with_context(|| format!("cannot create {}", dir.display()))?;
        let dir = dir.canonicalize()?;
        make_file(&dir.join("file"), FILE_BYTES)?;
        make_file(&dir.join("small"), 4096)?;
        for (threads, skew, name) in [
            (1, ",skew=50", "skew1"),
            (1, "", "apart1"),
            (8, ",skew=50", "skew8"),
            (8, "", "apart8"),
        ] {
            std::fs::write(dir.join(name), two_workloads(&dir, threads, skew, seconds))?;
        }
        let sparse = dir.join("sparse");
        File::create(&sparse)
            .and_then(|file| file.set_len(SPARSE_BYTES))
            .with_context(|| format!("cannot make a file of 16 TiB at {}", sparse.display()))?;
        // The last core: interrupts and other work tend to the first.
        let cpu = std::thread::available_parallelism().map_or(1, usize::from) - 1;
        Ok(Self {
            dir,
            leadline,
            bare_ring: PathBuf::from("bare_ring"),
            vdbench: None,
            cpu,
            pairs,
            seconds,
        })
    }

    /// Runs one case to its end; trouble becomes a row of the report.
    fn measure(&self, case: &'static Case) -> Measured<'static> {
        println!("\n== {}: {}", case.name, case.title);
        let commands = case
            .contenders
            .iter()
            .map(|contender| self.shown(&self.words(case, contender)))
            .collect();
        let rounds = self.ready_for(case).and_then(|()| match case.method {
            Method::Timed => self.timed(case, self.pairs),
            Method::Often(_) => self.timed(case, self.pairs * OFTEN),
            Method::Awake(_) => {
                let _awake = spin::Awake::keep(self.cpu)?;
                self.timed(case, self.pairs * OFTEN)
            }
            Method::Counted(few, many) => self.counted(case, few, many),
        });
        let rounds = rounds.map_err(|error| format!("{error:#}"));
        if let Err(reason) = &rounds {
            println!("not measured: {reason}");
        }
        Measured {
            case,
            rounds,
            commands,
        }
    }

    /// A case of the page cache finds its file there, whatever the case before it did to the cache.
    fn ready_for(&self, case: &Case) -> Result<()> {
        if case.needs_vdbench() && self.vdbench.is_none() {
            bail!(
                "Vdbench was not found: name its start script with --vdbench PATH or \
                 LEADLINE_VDBENCH"
            );
        }
        if case.needs_vdbench() || case.common.contains("--invalidate=0") {
            warm(&self.dir.join("file"))?;
        }
        Ok(())
    }

    /// Alternating rounds; every second round goes through the contenders backwards, so that none
    /// always follows the same other.
    fn timed(&self, case: &Case, count: u32) -> Result<Vec<Rounds>> {
        let mut rounds: Vec<Rounds> = case.contenders.iter().map(|_| Vec::new()).collect();
        for round in 0..count {
            let mut order: Vec<usize> = (0..case.contenders.len()).collect();
            if round % 2 == 1 {
                order.reverse();
            }
            for index in order {
                let contender = &case.contenders[index];
                let figures = self.once(contender.program, &self.words(case, contender))?;
                for (figure, value) in figures {
                    if case.criteria.iter().any(|(wanted, _)| *wanted == figure) {
                        println!(
                            "{:<24} {:<12} {}",
                            contender.name,
                            figure.name(),
                            figure.show(value)
                        );
                        push(&mut rounds[index], figure, value);
                    }
                }
            }
        }
        Ok(rounds)
    }

    /// One run under GNU time.
    fn once(&self, program: Program, words: &[String]) -> Result<Vec<(Figure, f64)>> {
        let speaks_json = !matches!(program, Program::LeadlineVdbench | Program::Vdbench);
        let seen = self.dir.join("time");
        let mut command = Command::new("time");
        command.args(["-q", "-f", "%U %S %M", "-o"]).arg(&seen);
        command.args(words).current_dir(&self.dir);
        if speaks_json {
            command.arg("--output-format=json");
        }
        let start = shell::now();
        let outcome = shell::capture(&mut command)?;
        let wall = start.elapsed().as_secs_f64();
        if !outcome.success {
            bail!(
                "`{}` failed: {}",
                self.shown(words),
                last_line(&outcome.stderr)
            );
        }
        let output = if speaks_json {
            figures::parse(&outcome.stdout)?
        } else {
            figures::parse_vdbench(&outcome.stdout, f64::from(self.seconds))?
        };
        let usage = figures::usage(&std::fs::read_to_string(&seen)?)?;
        let mut figures = vec![
            (Figure::Iops, output.iops),
            (Figure::CpuPerIo, usage.cpu * 1e6 / output.ios),
            (Figure::Wall, wall * 1e3),
            (Figure::Memory, usage.memory),
        ];
        figures.extend(output.lag.map(|lag| (Figure::Lag, lag)));
        Ok(figures)
    }

    /// Instructions under callgrind at two run lengths; what is not per I/O falls out of the slope.
    fn counted(&self, case: &Case, few: u32, many: u32) -> Result<Vec<Rounds>> {
        let mut rounds: Vec<Rounds> = case.contenders.iter().map(|_| Vec::new()).collect();
        for _ in 0..COUNTED_ROUNDS {
            for (contender, rounds) in case.contenders.iter().zip(&mut rounds) {
                let words = self.words(case, contender);
                let (many, few) = (
                    self.instructions(&words, many)?,
                    self.instructions(&words, few)?,
                );
                let slope = (many.0 - few.0) / (many.1 - few.1);
                println!(
                    "{:<24} {}",
                    contender.name,
                    Figure::Instructions.show(slope)
                );
                push(rounds, Figure::Instructions, slope);
            }
        }
        Ok(rounds)
    }

    /// User instructions of a run of `ios` I/Os a job, and how many I/Os all jobs did.
    fn instructions(&self, words: &[String], ios: u32) -> Result<(f64, f64)> {
        let folder = self.dir.join("callgrind");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).context("no room for callgrind's files")?;
        let profile = folder.join("profile");
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "-q"]);
        // The first thread merges and computes by the time on the wall, which callgrind stretches: no part of an I/O.
        let workers_alone = words.first() == Some(&self.leadline.display().to_string());
        if workers_alone {
            command.arg("--separate-threads=yes");
        }
        command.arg(format!("--callgrind-out-file={}", profile.display()));
        // In front of all other options: so it is for each job.
        let options = words.iter().position(|w| w.starts_with("--"));
        let (program, options) = words.split_at(options.unwrap_or(words.len()));
        command
            .args(program)
            .arg(format!("--number_ios={ios}"))
            .args(options)
            .arg("--output-format=json");
        let outcome = shell::capture(command.current_dir(&self.dir))?;
        if !outcome.success {
            bail!(
                "`{}` failed: {}",
                shell::shown(&command),
                last_line(&outcome.stderr)
            );
        }
        let done = figures::parse(&outcome.stdout)?.ios;
        let asked = f64::from(ios) * jobs(words);
        if (done - asked).abs() > 0.5 {
            bail!("{asked} I/Os requested, {done} done");
        }
        if !workers_alone {
            let text = std::fs::read_to_string(&profile).context("callgrind wrote no file")?;
            return Ok((figures::instructions(&text)?, done));
        }
        let mut counted = 0.0;
        for thread in std::fs::read_dir(&folder)? {
            let path = thread?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if figures::is_of_worker(&name) {
                counted += figures::instructions(&std::fs::read_to_string(&path)?)?;
            }
        }
        Ok((counted, done))
    }

    /// The command line of a contender.
    fn words(&self, case: &Case, contender: &Contender) -> Vec<String> {
        let mut words = match contender.program {
            Program::Leadline => vec![self.leadline.display().to_string(), "fio".to_owned()],
            Program::Fio => vec!["fio".to_owned()],
            // Counted without anything before it: callgrind does not follow to another program.
            Program::BareRing if matches!(case.method, Method::Counted(..)) => {
                vec![self.bare_ring.display().to_string()]
            }
            Program::BareRing => {
                let ring = self.bare_ring.display().to_string();
                vec!["taskset".into(), "-c".into(), self.cpu.to_string(), ring]
            }
            Program::LeadlineVdbench => {
                vec![self.leadline.display().to_string(), "vdbench".to_owned()]
            }
            Program::Vdbench => {
                let path = self.vdbench.as_deref().unwrap_or(Path::new("vdbench"));
                vec![path.display().to_string()]
            }
            Program::Spin => {
                let cpu = self.cpu.to_string();
                vec![
                    "taskset".into(),
                    "-c".into(),
                    cpu,
                    own_path(),
                    "spin".into(),
                ]
            }
        };
        let given = case
            .common
            .split_whitespace()
            .chain(contender.extra.iter().copied());
        let seconds = match case.method {
            Method::Often(seconds) | Method::Awake(seconds) => seconds,
            Method::Timed | Method::Counted(..) => self.seconds,
        };
        words.extend(given.map(|word| self.fill(word, seconds)));
        words
    }

    fn fill(&self, word: &str, seconds: u32) -> String {
        let path = |name: &str| self.dir.join(name).display().to_string();
        word.replace("{file}", &path("file"))
            .replace("{small}", &path("small"))
            .replace("{sparse}", &path("sparse"))
            .replace("{skew1}", &path("skew1"))
            .replace("{apart1}", &path("apart1"))
            .replace("{skew8}", &path("skew8"))
            .replace("{apart8}", &path("apart8"))
            .replace("{out}", &path("pages"))
            .replace("{cpu}", &self.cpu.to_string())
            .replace("{seconds}", &seconds.to_string())
    }

    /// A command line without this machine's directories, for the report.
    fn shown(&self, words: &[String]) -> String {
        words
            .join(" ")
            .replace(&self.leadline.display().to_string(), "leadline")
            .replace(&self.bare_ring.display().to_string(), "bare_ring")
            .replace(&own_path(), "xtask")
            .replace(&shown_vdbench(self.vdbench.as_deref()), "vdbench")
            .replace(&format!("{}/", self.dir.display()), "")
    }
}

/// How many jobs a command line of fio has.
fn jobs(words: &[String]) -> f64 {
    words.iter().filter(|w| w.starts_with("--name=")).count() as f64
}

/// The path of Vdbench as it is in a command line.
fn shown_vdbench(path: Option<&Path>) -> String {
    path.map_or_else(|| "vdbench".to_owned(), |path| path.display().to_string())
}

/// A parameter file of two random readers of one file. Vdbench leaves the first interval out of its averages.
fn two_workloads(dir: &Path, threads: u32, skew: &str, seconds: u32) -> String {
    format!(
        "sd=sd1,lun={},size={FILE_BYTES},threads={threads}\n\
         wd=default,sd=sd1,xfersize=4k,rdpct=100,seekpct=100{skew}\n\
         wd=a\nwd=b\n\
         rd=both,wd=(a,b),iorate=max,elapsed={},interval=1\n",
        dir.join("file").display(),
        seconds + 1,
    )
}

/// Where this program is.
fn own_path() -> String {
    let own = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("xtask"));
    own.display().to_string()
}

/// A release build of the example that does nothing but read.
fn build_bare_ring() -> Result<PathBuf> {
    let words = [
        "build",
        "--release",
        "-p",
        "leadline-engine",
        "--example",
        "bare_ring",
    ];
    if !shell::passes(&mut shell::cargo(&words))? {
        bail!("the example bare_ring does not build");
    }
    Ok(shell::target_dir().join("release/examples/bare_ring"))
}

/// The program to measure: one that was named, or a release build of this tree.
fn build(named: Option<PathBuf>) -> Result<PathBuf> {
    if let Some(path) = named {
        return path
            .canonicalize()
            .with_context(|| format!("there is no {}", path.display()));
    }
    if !shell::passes(&mut shell::cargo(&[
        "build",
        "--release",
        "--package",
        "leadline",
    ]))? {
        bail!("leadline does not build");
    }
    Ok(shell::target_dir().join("release/leadline"))
}

fn push(rounds: &mut Rounds, figure: Figure, value: f64) {
    match rounds.iter_mut().find(|(known, _)| *known == figure) {
        Some((_, values)) => values.push(value),
        None => rounds.push((figure, vec![value])),
    }
}

fn last_line(text: &str) -> &str {
    text.trim_end().lines().last().unwrap_or("without a word")
}

/// Makes a file of data that does not repeat; keeps one that is there with the right length.
fn make_file(path: &Path, bytes: u64) -> Result<()> {
    if path.metadata().is_ok_and(|data| data.len() == bytes) {
        return Ok(());
    }
    let named = || format!("cannot make {}", path.display());
    let mut file = File::create(path).with_context(named)?;
    let mut random = leadline_model::seed::SplitMix::new(1);
    let mut block = vec![0_u8; 4096];
    for _ in 0..bytes / 4096 {
        for word in block.chunks_exact_mut(8) {
            word.copy_from_slice(&random.bits().to_le_bytes());
        }
        file.write_all(&block).with_context(named)?;
    }
    file.sync_all().with_context(named)
}

/// Reads a file once, so that it is in the page cache.
fn warm(path: &Path) -> Result<()> {
    let mut file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    std::io::copy(&mut file, &mut std::io::sink())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench() -> Bench {
        Bench {
            dir: PathBuf::from("/data"),
            leadline: PathBuf::from("/bin/leadline"),
            bare_ring: PathBuf::from("/bin/bare_ring"),
            vdbench: None,
            cpu: 3,
            pairs: 5,
            seconds: 7,
        }
    }

    #[test]
    fn every_word_in_braces_is_filled_in() {
        let bench = bench();
        for case in CASES {
            for contender in case.contenders {
                let line = bench.words(case, contender).join(" ");
                assert!(!line.contains(['{', '}']), "{line}");
            }
        }
    }

    #[test]
    fn both_sides_get_the_same_words() {
        let bench = bench();
        let case = choose(&["cached-4k".to_owned()]).unwrap()[0];
        let ours = bench.words(case, &case.contenders[0]);
        let theirs = bench.words(case, &case.contenders[1]);
        assert_eq!(ours[..2], ["/bin/leadline", "fio"]);
        assert_eq!(ours[2..], theirs[1..]);
        assert!(
            bench
                .shown(&ours)
                .starts_with("leadline fio --name=b --filename=file --rw")
        );
    }

    #[test]
    fn an_unknown_case_is_refused() {
        assert!(choose(&["fast".to_owned()]).is_err());
        assert_eq!(choose(&[]).unwrap().len(), CASES.len());
    }

    #[test]
    fn files_hold_data_that_does_not_repeat() {
        let path = std::env::temp_dir().join(format!("xtask-bench-{}", std::process::id()));
        make_file(&path, 8192).unwrap();
        let data = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(data.len(), 8192);
        assert_ne!(data[..4096], data[4096..]);
        assert!(
            data.chunks(8)
                .all(|word| word.iter().any(|byte| *byte != 0))
        );
    }
}
