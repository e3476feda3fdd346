//! Surveys of real targets whose limit is known: caps of a control group on a loop device.
//!
//! A machine that is busy is itself the limit. There, a survey may say nothing of the target and must say nothing wrong; the
//! figure is asserted where the machine was quiet, and is skipped by name elsewhere. Must never: let a wrong answer pass.

use crate::support::{
    Cap, CappedGroup, Done, LoopDevice, Place, Running, finish, or_skip, sleep_ms,
};
use leadline_results::run::Run;
use leadline_testkit::skip;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MIB: usize = 1 << 20;

/// Of these tests one at a time: two would be each other's busy machine.
static ONE: Mutex<()> = Mutex::new(());

/// Where less of the processors' time was idle than this, the machine was busy, whatever leadline says of it.
const IDLE: f64 = 0.3;

/// A survey of points of five seconds ends well within this.
const SURVEY: Duration = Duration::from_secs(600);

/// A loop device past the page cache, in a group with caps.
struct Capped {
    // In this order: a group goes before its device.
    group: CappedGroup,
    disk: LoopDevice,
    place: Place,
    _only: MutexGuard<'static, ()>,
}

impl Capped {
    fn new(caps: &[(Cap, u64)]) -> Result<Self, String> {
        let only = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let place = Place::new();
        let disk = LoopDevice::over(&place.file("disk", 64 * MIB))?;
        if !disk.is_direct() {
            return Err("no loop devices past the page cache here".to_owned());
        }
        let group = CappedGroup::new(&disk.numbers(), caps)?;
        Ok(Self {
            group,
            disk,
            place,
            _only: only,
        })
    }

    /// What a survey of it answers.
    fn survey(&self, options: &[&str]) -> Answer {
        let path = self.disk.path.as_str();
        let always = [
            "measure",
            path,
            "--destroy",
            path,
            "--json",
            "--force",
            "--out=m",
        ];
        let mut command = self.place.leadline_by(self.group.runner(), &always);
        let idle = Idle::now();
        let done = Running::start(command.args(options)).finish_within(SURVEY);
        assert_eq!(done.code, Some(0), "{done:?}");
        Answer::of(&done, idle.share())
    }
}

/// What the processors have counted so far: idle, and all.
struct Idle(u64, u64);

impl Idle {
    fn now() -> Self {
        let text = std::fs::read_to_string("/proc/stat").unwrap();
        let numbers = text.lines().next().unwrap().split_whitespace().skip(1);
        // Those of guests are among the others.
        let all: Vec<u64> = numbers.take(8).map(|n| n.parse().unwrap()).collect();
        Self(all[3] + all[4], all.iter().sum())
    }

    /// The share of all time since then that was idle.
    fn share(&self) -> f64 {
        let Self(idle, all) = Self::now();
        (idle - self.0) as f64 / (all - self.1).max(1) as f64
    }
}

/// What a survey answered, and how quiet the machine was.
struct Answer {
    run: Value,
    idle: f64,
}

impl Answer {
    fn of(done: &Done, idle: f64) -> Self {
        Self {
            run: done.json(),
            idle,
        }
    }

    fn limit(&self) -> &Value {
        &self.run["verdict"]["limit"]
    }

    fn grade(&self) -> &str {
        self.run["verdict"]["grade"].as_str().unwrap()
    }

    /// Whether it names a cause.
    fn is_sure(&self) -> bool {
        matches!(self.limit()["certainty"].as_str(), Some("likely" | "shown"))
    }

    /// Why the machine was too busy for the figure of a target; `None` where it was quiet.
    fn busy(&self) -> Option<String> {
        let findings = self.run["findings"].as_array().unwrap().iter();
        let mut codes = findings.map(|finding| finding["code"].as_str().unwrap());
        let said = codes.find(|code| {
            [
                "host-busy",
                "host-steal",
                "preempted",
                "generator-cpu",
                "stood-still",
            ]
            .contains(code)
        });
        match said {
            Some(code) => Some(format!("the machine is busy ({code})")),
            None if self.grade() == "F" => Some(format!("the grade is F: {}", self.run["verdict"])),
            None if self.idle < IDLE => Some(format!("only {:.2} of its time was idle", self.idle)),
            None => None,
        }
    }

    /// A named cause is one of these and its rate is near; the machine's own is right on one that is busy.
    fn is_not_wrong(&self, kinds: &[&str], iops: f64) {
        let kind = self.limit()["kind"].as_str().unwrap_or("unknown");
        let is_own = ["generator", "host"].contains(&kind) && self.busy().is_some();
        if !self.is_sure() || is_own {
            return;
        }
        let rate = self.limit()["iops"].as_f64().unwrap();
        let is_near = (rate / iops - 1.0).abs() < 0.05;
        assert!(
            kinds.contains(&kind) && is_near,
            "wrong: {} of {iops}",
            self.limit()
        );
    }
}

/// A survey names the cap and its rate within 2 %; on a busy machine nothing wrong.
#[expect(clippy::print_stderr, reason = "a tool prints its figures")]
fn is_found(test: &str, caps: &[(Cap, u64)], kind: &str, iops: f64, options: &[&str]) {
    let Some(capped) = or_skip(test, Capped::new(caps)) else {
        return;
    };
    let answer = capped.survey(options);
    answer.is_not_wrong(&[kind], iops);
    if let Some(why) = answer.busy() {
        return skip(test, &why);
    }
    let (limit, rate) = (answer.limit(), answer.limit()["iops"].as_f64().unwrap());
    eprintln!(
        "{test}: {rate:.1} of {iops}, {}, {}",
        limit["kind"], limit["certainty"]
    );
    assert!(answer.is_sure() && limit["kind"] == kind, "{limit}");
    assert!((rate / iops - 1.0).abs() < 0.02, "{rate}: {limit}");
}

/// The same cap for reads and for writes.
const fn both(iops: u64) -> [(Cap, u64); 2] {
    [(Cap::ReadIops, iops), (Cap::WriteIops, iops)]
}

#[test]
#[ignore = "a tool: takes minutes and a quiet machine"]
fn real_caps_of_ios_are_named_as_such() {
    for iops in [500, 2000, 20_000] {
        let test = format!("honesty::caps::ios_{iops}");
        is_found(&test, &both(iops), "iops-cap", iops as f64, &["--size=64m"]);
    }
}

#[test]
#[ignore = "a tool: takes minutes and a quiet machine"]
fn a_real_cap_of_bytes_is_named_as_such() {
    let caps = [(Cap::ReadBytes, 20_000_000), (Cap::WriteBytes, 20_000_000)];
    let iops = 20_000_000.0 / 4096.0;
    is_found(
        "honesty::caps::bytes",
        &caps,
        "byte-cap",
        iops,
        &["--size=64m"],
    );
}

/// Reads of 2,000 a second and writes of 1,000: no cause that both share, and each rate.
#[test]
#[ignore = "a tool: takes minutes and a quiet machine"]
fn real_caps_of_reads_and_of_writes_are_found_apart() {
    let test = "honesty::caps::separate";
    let caps = [(Cap::ReadIops, 2000), (Cap::WriteIops, 1000)];
    let Some(capped) = or_skip(test, Capped::new(&caps)) else {
        return;
    };
    let answer = capped.survey(&["--size=64m"]);
    answer.is_not_wrong(&["iops-cap"], 2000.0);
    let mix = &answer.run["verdict"]["mix"];
    let law = mix["law"].as_str().unwrap_or("unknown");
    let is_named = law != "unknown";
    let rates = [("read_iops", 2000.0), ("write_iops", 1000.0)];
    let off = |(name, iops): &(&str, f64)| {
        let rate = mix["fits"][0][name].as_f64();
        rate.map_or(1.0, |rate| (rate / iops - 1.0).abs())
    };
    if is_named {
        assert_eq!(law, "separate-caps", "wrong: {mix}");
        assert!(rates.iter().all(|rate| off(rate) < 0.05), "wrong: {mix}");
    }
    if let Some(why) = answer.busy() {
        return skip(test, &why);
    }
    eprintln!("{test}: {mix}");
    assert!(
        is_named && rates.iter().all(|rate| off(rate) < 0.02),
        "{mix}"
    );
}

/// Seconds since 1970.
#[expect(
    clippy::disallowed_methods,
    reason = "the time of a change beside that of a stage"
)]
fn wall() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs_f64()
}

/// A cap of 5,000 that becomes one of 1,000 while a job runs is two levels, and the second begins in the second in which it
/// was changed.
#[test]
fn a_cap_that_falls_in_mid_run_is_found_at_its_second() {
    let test = "honesty::caps::falls";
    let Some(capped) = or_skip(test, Capped::new(&both(5000))) else {
        return;
    };
    let filename = format!("--filename={}", capped.disk.path);
    let words = [
        "--name=a",
        &filename,
        "--rw=randread",
        "--bs=4k",
        "--direct=1",
        "--ioengine=libaio",
        "--iodepth=32",
        "--norandommap",
        "--runtime=16",
        "--time_based",
    ];
    let idle = Idle::now();
    let running = Running::start(&mut capped.place.fio_by(capped.group.runner(), &words));
    running.wait_for_intervals(&capped.place.run_file(), 1);
    sleep_ms(7_000);
    capped.group.set(Cap::ReadIops, 1000).unwrap();
    let changed = wall();
    let done = running.finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    let (run, share) = (capped.place.kept(), idle.share());
    let at = changed - run.stages[0].wall_ms as f64 / 1e3;
    let found = falls_at(&run, at);
    let busy = run.findings.iter().find(|f| f.code.starts_with("host-"));
    let busy = busy.map(|f| f.code.clone());
    match (
        found,
        busy.or((share < IDLE).then(|| format!("{share:.2} idle"))),
    ) {
        (Ok(text), _) => eprintln!("{test}: changed {at:.2} s into the stage: {text}"),
        (Err(why), Some(busy)) => skip(test, &format!("the machine is busy ({busy}): {why}")),
        (Err(why), None) => panic!("changed {at:.2} s into the stage: {why}"),
    }
}

/// The same of a simulated quota that is given out in slices of 100 ms, as that of a control group is: an interval holds two
/// of them or three, and the levels are those of none.
#[test]
fn the_levels_of_a_quota_in_slices_are_its_own() {
    let place = Place::new();
    let law = "--sim=service=90us,parallel=8,iops=5000,slice=100ms,at=12s:iops=1000";
    let words = [
        "--name=a",
        "--ioengine=sim",
        law,
        "--rw=randread",
        "--bs=4k",
        "--size=64m",
        "--norandommap",
        "--iodepth=32",
        "--runtime=24",
        "--time_based",
    ];
    let done = finish(&mut place.fio(&words));
    assert_eq!(done.code, Some(0), "{done:?}");
    let found = falls_at(&place.kept(), 12.0);
    assert!(found.is_ok(), "{found:?}");
}

/// The text of the finding that the rate fell from 5,000 to 1,000 at this second; else what was found.
fn falls_at(run: &Run, second: f64) -> Result<String, String> {
    let shift = run.findings.iter().find(|f| f.code == "level-shift");
    let text = &shift.ok_or(format!("{:?}", run.findings))?.text;
    let words: Vec<&str> = text.split_whitespace().collect();
    let after = |word: &str| {
        let at = words.iter().rposition(|w| *w == word)?;
        words.get(at + 1)?.replace(',', "").parse::<f64>().ok()
    };
    let near = |value: Option<f64>, wanted: f64, within: f64| {
        value.is_some_and(|value| (value - wanted).abs() <= within)
    };
    let is_right = near(after("level"), second, 1.0)
        && near(after("from"), 5000.0, 250.0)
        && near(after("to"), 1000.0, 50.0);
    is_right.then(|| text.clone()).ok_or(text.clone())
}

/// Keeps every processor busy twice over until it is dropped.
pub(super) fn beside_hogs<T>(each: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    let hogs = 2 * std::thread::available_parallelism().unwrap().get();
    std::thread::scope(|scope| {
        for _ in 0..hogs {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        // Also where a test of its own fails.
        let stopped = StopAtEnd(&stop);
        let result = each();
        drop(stopped);
        result
    })
}

/// Sets a flag when it is dropped.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Where two programs for each processor compute beside it, a survey has no answer, and grade F.
#[test]
fn beside_programs_that_compute_there_is_no_answer() {
    let test = "honesty::caps::hogs";
    let Some(capped) = or_skip(test, Capped::new(&both(2000))) else {
        return;
    };
    let options = ["--quick", "--time=300ms", "--size=16m"];
    let answer = beside_hogs(|| capped.survey(&options));
    assert_eq!(answer.grade(), "F", "{}", answer.run["verdict"]);
    assert!(!answer.is_sure(), "{}", answer.limit());
    assert!(answer.busy().is_some());
}
