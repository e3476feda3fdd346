//! The controller and the agent with pipes between them and no process: hands that make up their figures.

mod look;

use super::*;
use crate::agent::{self, EngineApi, Identity, Switches, When};
use crate::frame;
use crate::link::{self, INBOX, Inbox};
use leadline_model::event::CpuInterval;
use leadline_model::op::Op;
use leadline_model::place::Place;
use leadline_model::plan::{EndsOthers, HostSet, HostSpec, Stage, Target, Workload};
use leadline_model::sample::{Counts, CpuUse, EndReason, Sample, WorkerTotals};
use leadline_model::seed::of_host;
use std::io::{PipeReader, PipeWriter, Write};
use std::sync::Mutex;
use std::sync::mpsc::{self, SyncSender};
use std::time::Instant;

#[expect(clippy::disallowed_methods, reason = "these tests run in real time")]
fn instant() -> Instant {
    Instant::now()
}

fn now() -> u64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = *START.get_or_init(instant);
    1_000_000_000_000 + u64::try_from(start.elapsed().as_nanos()).unwrap()
}

/// The clock of hosts: five seconds ahead.
fn theirs() -> u64 {
    now() + 5_000_000_000
}

fn wall() -> u64 {
    1_700_000_000_000
}

const OURS: Clocks = Clocks { now, wall_ms: wall };
const THEIRS: Clocks = Clocks {
    now: theirs,
    wall_ms: wall,
};

fn patience() -> Patience {
    Patience {
        silence: Nanos::from_millis(600),
        connect: Nanos::from_millis(1500),
        alive: Nanos::from_millis(100),
        look: Nanos::from_millis(900),
    }
}

/// What a host of these tests does in a stage.
#[derive(Clone, Default)]
struct Script {
    /// Intervals of 10 ms each.
    intervals: u64,
    /// Fails instead.
    fails: Option<FailureKind>,
    /// Its end is the end of everything.
    end_all: bool,
    /// Continues until it is ordered to end.
    endless: bool,
    /// Reports the processors of its first interval again and again.
    repeats: bool,
    /// Refuses when it looks.
    refuses: Option<FailureKind>,
    /// Looks for so long, in ms.
    looks_for: u64,
    /// Looks until this is over.
    looks_until: Option<Arc<Hold>>,
    /// Where its targets lie.
    place: Place,
    /// Reports as many I/Os as a number can hold: in its intervals (1), or at its end (2).
    boasts: u8,
    /// What was asked of it.
    seen: Arc<Mutex<Vec<String>>>,
}

impl Script {
    fn boast_of(&self, mut counts: Counts) -> Counts {
        if self.boasts == 1 {
            counts.op_mut(Op::Read).ios = u64::MAX;
        }
        counts
    }
}

/// What holds a host until the test lets it go.
#[derive(Default)]
struct Hold {
    over: Mutex<bool>,
    changed: std::sync::Condvar,
}

impl Hold {
    /// A test that never lets go sees its host go on after a minute, and does not hang.
    fn wait(&self) {
        let over = self.over.lock().unwrap();
        let patience = Duration::from_secs(60);
        let held = self
            .changed
            .wait_timeout_while(over, patience, |over| !*over);
        drop(held);
    }

    fn end(&self) {
        *self.over.lock().unwrap() = true;
        self.changed.notify_all();
    }
}

struct FakeHands {
    script: Script,
    switches: Switches,
}

impl FakeHands {
    fn say(&self, text: impl Into<String>) {
        self.script.seen.lock().unwrap().push(text.into());
    }
}

/// Latencies of an interval of a host: different for each.
fn counts_of(interval: u64, salt: u64) -> Counts {
    let mut counts = Counts::default();
    for n in 0..50 {
        let reads = counts.op_mut(Op::Read);
        reads.ios += 1;
        reads.bytes += 4096;
        let service = 1000 + (n * 7919 + interval * 104_729 + salt % 997 * 31) % 1_000_000;
        let lag = n * n * (interval + salt % 97);
        reads.service.record(service);
        let response = reads.response.get_or_insert_default();
        response.record(service + lag);
        counts.lag.get_or_insert_default().record(lag);
    }
    counts
}

/// What its worker did in this many intervals.
fn totals_of(
    (number, salt): (u32, u64),
    interval: u64,
    counts: Counts,
    end: EndReason,
) -> WorkerTotals {
    WorkerTotals {
        host: 77,
        stage: number,
        workload: 0,
        worker: 0,
        thread_id: 1,
        first_submit: Some(Nanos(1000)),
        window_start: Nanos::ZERO,
        window_end: Nanos(interval * 10_000_000),
        counts,
        warmup_ios: 0,
        unissued: 0,
        edge: 0,
        drain: None,
        cpu: CpuUse::default(),
        seed: salt,
        errors: Vec::new(),
        end,
        files: Vec::new(),
    }
}

fn sample_of(stage: u32, interval: u64, counts: Counts) -> Sample {
    Sample {
        host: 77,
        stage,
        workload: 0,
        interval,
        start: Nanos(interval * 10_000_000),
        length: Nanos(10_000_000),
        warmup: false,
        counts,
        workers: vec![(50, 50 * 4096)],
        moments: Vec::new(),
    }
}

impl EngineApi for FakeHands {
    fn switches(&self) -> Switches {
        self.switches.clone()
    }

    fn begin(&mut self, orders: Orders) {
        self.say(format!("begin {}", orders.plan.title));
    }

    fn look(
        &mut self,
        number: u32,
        stage: Stage,
        last: bool,
        _sink: &mut dyn FnMut(Event),
    ) -> Result<(), HostFailure> {
        self.say(format!(
            "look {number} at {}{}",
            stage.name,
            if last { " last" } else { "" }
        ));
        std::thread::sleep(Duration::from_millis(self.script.looks_for));
        if let Some(hold) = &self.script.looks_until {
            hold.wait();
        }
        let Some(kind) = self.script.refuses.filter(|_| last) else {
            return Ok(());
        };
        let reasons = vec![Failure::new(ErrorCode::InUse, "it would not", "ask less")];
        Err(HostFailure { kind, reasons })
    }

    fn place(&mut self, target: &str) -> Place {
        self.say(format!("place of {target}"));
        self.script.place.clone()
    }

    fn stage(
        &mut self,
        number: u32,
        stage: Stage,
        when: &mut When<'_>,
        sink: &mut dyn FnMut(Event),
    ) -> Result<Ending, HostFailure> {
        self.switches.halt.store(false, Ordering::SeqCst);
        if let Some(kind) = self.script.fails {
            let reasons = vec![Failure::new(ErrorCode::System, "it cannot", "do not")];
            return Err(HostFailure { kind, reasons });
        }
        let Some(at) = when() else {
            return Ok(Ending::Interrupted);
        };
        self.say(format!(
            "start {number} in {} us",
            at.saturating_sub(theirs()) / 1000
        ));
        let salt = stage.workloads[0].blocks().access.seed.unwrap_or(0);
        let mut totals = Counts::default();
        let mut interval = 0;
        let mut end = EndReason::Size;
        while interval < self.script.intervals || self.script.endless {
            std::thread::sleep(Duration::from_millis(10));
            if self.switches.stop.load(Ordering::SeqCst) {
                end = EndReason::Interrupted;
                break;
            }
            if self.switches.halt.load(Ordering::SeqCst) {
                end = EndReason::Other;
                break;
            }
            let counts = counts_of(interval, salt);
            totals.merge(&counts);
            let counts = self.script.boast_of(counts);
            let sample = sample_of(number, interval, counts);
            sink(Event::Processors(Box::new(CpuInterval {
                host: 77,
                stage: number,
                interval: if self.script.repeats { 0 } else { interval },
                cpus: 1,
                user: Nanos(interval + salt % 997),
                ..CpuInterval::default()
            })));
            sink(Event::Interval(Box::new(sample)));
            interval += 1;
        }
        if self.script.boasts == 2 {
            totals.op_mut(Op::Read).bytes = u64::MAX;
        }
        self.say(format!("ended by {end:?}"));
        let stopped = end == EndReason::Interrupted;
        let totals = totals_of((number, salt), interval, totals, end);
        sink(Event::WorkerEnded(Box::new(totals)));
        Ok(match (stopped, self.script.end_all) {
            (true, _) => Ending::Interrupted,
            (_, true) => Ending::EndAll,
            _ => Ending::GoOn,
        })
    }

    fn remove_made(&mut self, _sink: &mut dyn FnMut(Event)) {
        self.say("remove");
    }
}

/// Pipes of one host: what the controller holds and what the agent holds.
fn pipes() -> (PipeWriter, PipeReader, PipeReader, PipeWriter) {
    let (agent_in, to_agent) = std::io::pipe().unwrap();
    let (from_agent, agent_out) = std::io::pipe().unwrap();
    (to_agent, from_agent, agent_in, agent_out)
}

/// The controller's side of a host, with its own end of the pipes.
fn attach(host: u32, inbox: &SyncSender<Incoming>, to: PipeWriter, mut from: PipeReader) -> Link {
    let cut = Arc::new(AtomicBool::new(false));
    let own = Arc::clone(&cut);
    let (link, messages) = Link::new(Arc::new(move || own.store(true, Ordering::SeqCst)));
    let inbox = Inbox {
        host,
        to: inbox.clone(),
        now,
    };
    let mut to = Some(to);
    std::thread::spawn(move || {
        // A line that is cut writes no more: the pipe ends, as a killed process would end it.
        while let Ok(message) = messages.recv_timeout(Duration::from_secs(20)) {
            if cut.load(Ordering::SeqCst) {
                break;
            }
            let (one, rest) = mpsc::channel();
            one.send(message).unwrap();
            drop(one);
            if let Some(to) = &mut to {
                link::talk(to, &rest, now);
            }
        }
        drop(to);
    });
    std::thread::spawn(move || {
        let why = match frame::read_opening(&mut from) {
            Ok(_) => link::listen(&mut from, &inbox),
            Err(error) => error.to_string(),
        };
        inbox.send(Arrival::Gone(why));
    });
    link
}

/// An agent in a thread; how it ended comes back.
fn agent(
    script: Script,
    input: PipeReader,
    output: PipeWriter,
) -> std::thread::JoinHandle<agent::End> {
    std::thread::spawn(move || {
        let identity = Identity {
            build: "b".into(),
            hostname: "there".into(),
            last_resort: || (),
        };
        let mut hands = FakeHands {
            script,
            switches: Switches {
                stop: Arc::default(),
                halt: Arc::default(),
            },
        };
        agent::serve(&identity, input, output, &mut hands, THEIRS, patience())
    })
}

fn plan(hosts: usize) -> Plan {
    let mut workload = Workload::new("w", Target::Null { size: 1 << 20 });
    workload.blocks_mut().access.seed = Some(3);
    Plan {
        title: "t".into(),
        interval: Nanos::from_millis(10),
        hosts: (0..hosts)
            .map(|n| HostSpec::local(&format!("h{n}")))
            .collect(),
        ..leadline_testkit::plan(vec![Stage {
            name: "s".into(),
            workloads: vec![workload],
            ..Stage::default()
        }])
    }
}

/// A controller over these hosts, each made by its own function.
struct Fleet {
    controller: Controller,
    interrupt: Arc<AtomicBool>,
    events: Vec<Event>,
}

type Maker<'a> = Box<dyn FnOnce(PipeReader, PipeWriter) + 'a>;

impl Fleet {
    fn new(plan: &Plan, makers: Vec<Maker<'_>>) -> Self {
        Self::accepting(plan, makers, (false, false))
    }

    /// One that accepts lost hosts, and unlike ones.
    fn accepting(plan: &Plan, makers: Vec<Maker<'_>>, (lost, unlike): (bool, bool)) -> Self {
        let (inbox, arrivals) = mpsc::sync_channel(INBOX);
        let mut links = Vec::new();
        for (host, make) in (0..).zip(makers) {
            let (to, from, input, output) = pipes();
            links.push(attach(host, &inbox, to, from));
            make(input, output);
        }
        let interrupt = Arc::new(AtomicBool::new(false));
        let terms = ControllerConfig {
            run: 1,
            seed: 1,
            keep_if_orphaned: false,
            interrupt: Arc::clone(&interrupt),
            patience: patience(),
            accept_lost: lost,
            accept_unlike: unlike,
        };
        let mut fleet = Self {
            controller: Controller::new(&plan.hosts, links, arrivals, OURS, terms),
            interrupt,
            events: Vec::new(),
        };
        let events = &mut fleet.events;
        fleet
            .controller
            .begin(plan, &mut |event| events.push(event));
        fleet
    }

    fn stage(&mut self, plan: &Plan) -> Result<Ending, NotRun> {
        let events = &mut self.events;
        self.controller
            .stage(plan, 0, &mut |event| events.push(event))
    }

    fn look(&mut self, plan: &Plan) -> Result<(), NotRun> {
        let events = &mut self.events;
        self.controller
            .look(plan, &plan.stages, false, &mut |event| events.push(event))
    }

    fn end(mut self) -> Vec<Event> {
        let mut events = std::mem::take(&mut self.events);
        self.controller
            .dismiss(true, &mut |event| events.push(event));
        self.controller
            .finish(Outcome::Complete, &mut |event| events.push(event));
        events
    }

    fn lost(&self) -> Vec<String> {
        let losses = self.controller.losses();
        losses
            .iter()
            .map(|l| format!("{}: {}", l.label, l.why.line()))
            .collect()
    }
}

fn real(script: &Script) -> Maker<'static> {
    let script = script.clone();
    Box::new(move |input, output| drop(agent(script, input, output)))
}

fn short() -> Script {
    Script {
        intervals: 20,
        ..Script::default()
    }
}

fn samples(events: &[Event]) -> Vec<&Sample> {
    let each = events.iter().filter_map(|e| match e {
        Event::Interval(s) => Some(&**s),
        _ => None,
    });
    each.collect()
}

fn totals(events: &[Event]) -> Vec<&WorkerTotals> {
    let each = events.iter().filter_map(|e| match e {
        Event::WorkerEnded(t) => Some(&**t),
        _ => None,
    });
    each.collect()
}

fn codes(events: &[Event]) -> Vec<&str> {
    let each = events.iter().filter_map(|e| match e {
        Event::Finding(f) => Some(f.code.as_str()),
        _ => None,
    });
    each.collect()
}

#[test]
fn three_hosts_are_one_stream_and_their_histograms_one_histogram() {
    let plan = plan(3);
    let scripts = [short(), short(), short()];
    let mut fleet = Fleet::new(&plan, scripts.iter().map(real).collect());
    assert_eq!(fleet.stage(&plan), Ok(Ending::GoOn));
    assert_eq!(fleet.lost(), Vec::<String>::new());
    let events = fleet.end();
    assert!(matches!(events[0], Event::RunStarted { .. }));
    assert!(matches!(events.last(), Some(Event::RunEnded { .. })));
    let clocks: Vec<(i64, u64)> = events
        .iter()
        .filter_map(|e| match e {
            Event::Host(news) => match &news.what {
                HostState::Connected {
                    clock_offset,
                    offset_bound,
                    hostname,
                } => {
                    assert_eq!(hostname, "there");
                    Some((*clock_offset, *offset_bound))
                }
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert_eq!(clocks.len(), 3);
    for (offset, bound) in clocks {
        assert!(offset.abs_diff(5_000_000_000) <= bound, "{offset} {bound}");
    }
    let mut merged = Counts::default();
    for host in 0..3 {
        let of_host: Vec<u64> = samples(&events)
            .iter()
            .filter(|s| s.host == host)
            .map(|s| s.interval)
            .collect();
        assert_eq!(of_host, (0..20).collect::<Vec<_>>(), "no interval is lost");
    }
    samples(&events)
        .iter()
        .for_each(|s| merged.merge(&s.counts));
    let mut here = Counts::default();
    for host in 0..3 {
        let salt = of_host(3, host);
        (0..20).for_each(|i| here.merge(&counts_of(i, salt)));
    }
    assert_eq!(merged, here, "bucket for bucket");
    let mut ended = Counts::default();
    let all = totals(&events);
    all.iter().for_each(|t| ended.merge(&t.counts));
    assert_eq!(ended, here, "totals are those of the intervals");
    assert_eq!(ended.data().ios, 3 * 20 * 50);
    let started = events
        .iter()
        .position(|e| matches!(e, Event::StageStarted { .. }))
        .unwrap();
    let stopped = events
        .iter()
        .position(|e| matches!(e, Event::StageEnded { .. }))
        .unwrap();
    let lates = events[started..stopped].iter().filter(
        |e| matches!(e, Event::Host(n) if matches!(n.what, HostState::Started { late: 1000, .. })),
    );
    assert_eq!(lates.count(), 3);
    scripts.iter().for_each(saw_a_run);
}

#[test]
fn each_host_reports_its_processors_before_the_samples_of_the_interval() {
    let plan = plan(3);
    let babbler = Script {
        repeats: true,
        ..short()
    };
    let scripts = [short(), short(), babbler];
    let mut fleet = Fleet::new(&plan, scripts.iter().map(real).collect());
    assert_eq!(fleet.stage(&plan), Ok(Ending::GoOn));
    let lost = fleet.lost();
    let why = "h2: it sent an invalid message: processor time of interval 0";
    assert!(lost.len() == 1 && lost[0].starts_with(why), "{lost:?}");
    let events = fleet.end();
    for host in 0..2 {
        let mut known = 0;
        for event in &events {
            match event {
                Event::Processors(own) if own.host == host => {
                    assert_eq!((own.stage, own.interval), (0, known));
                    let salt = of_host(3, host) % 997;
                    assert_eq!(own.user, Nanos(known + salt));
                    known += 1;
                }
                Event::Interval(s) if s.host == host => assert_eq!(s.interval + 1, known),
                _ => {}
            }
        }
        assert_eq!(known, 20);
    }
}

fn saw_a_run(script: &Script) {
    {
        let seen = script.seen.lock().unwrap().clone();
        assert_eq!(seen[0], "begin t");
        let lead: u64 = seen[1].split(' ').nth(3).unwrap().parse().unwrap();
        assert!(lead > 1000 && lead < 2_000_000, "{seen:?}");
        assert_eq!(seen.last().unwrap(), "remove");
    }
}

#[test]
fn a_host_that_dies_is_named_and_the_rest_finishes() {
    let plan = plan(2);
    let script = short();
    // It says a few intervals and is gone without a word.
    let dies: Maker<'_> = Box::new(|mut input, mut output| {
        std::thread::spawn(move || {
            output.write_all(frame::greeting("b").as_bytes()).unwrap();
            let say = |output: &mut PipeWriter, message: &FromAgent| {
                frame::write(output, message, frame::AGENT_LIMIT).unwrap();
            };
            say(
                &mut output,
                &FromAgent::Hello {
                    hostname: "x".into(),
                },
            );
            while let Ok(Some(message)) = frame::read(&mut input, frame::CONTROLLER_LIMIT) {
                match message {
                    ToAgent::Ping { sent } => {
                        say(&mut output, &FromAgent::Pong { sent, at: theirs() })
                    }
                    ToAgent::Stage { number, .. } => say(&mut output, &FromAgent::Ready { number }),
                    ToAgent::Start { .. } => {
                        let mut batch = crate::message::Batch::default();
                        for interval in 0..5 {
                            let sample = sample_of(0, interval, counts_of(interval, 0));
                            batch.push(&Event::Interval(Box::new(sample))).unwrap();
                        }
                        say(&mut output, &FromAgent::Events(batch));
                        return;
                    }
                    _ => {}
                }
            }
        });
    });
    let mut fleet = Fleet::new(&plan, vec![real(&script), dies]);
    assert_eq!(fleet.stage(&plan), Ok(Ending::GoOn));
    assert_eq!(fleet.lost().len(), 1, "{:?}", fleet.lost());
    assert!(
        fleet.lost()[0].starts_with("h1: the connection ended"),
        "{:?}",
        fleet.lost()
    );
    let events = fleet.end();
    assert_eq!(codes(&events), ["host-lost"]);
    let says = |event: &Event| match event {
        // A sentence that begins with a name would give the name a capital.
        Event::Finding(found) => found.text.starts_with("host h1 was lost after "),
        _ => false,
    };
    assert!(events.iter().any(says), "{events:?}");
    let ended = totals(&events);
    let lost = ended.iter().find(|t| t.host == 1).unwrap();
    assert_eq!(lost.counts.data_ios(), 250, "what it said stands");
    assert_eq!(lost.counts.data().service.count(), 250);
    assert_eq!(lost.window_end, Nanos(50_000_000));
    assert!(matches!(&lost.end, EndReason::Error { what, .. } if what.contains("lost")));
    assert_eq!(
        ended
            .iter()
            .find(|t| t.host == 0)
            .unwrap()
            .counts
            .data()
            .ios,
        1000
    );
}

#[test]
fn hostile_and_broken_agents_cost_a_message_and_nothing_else() {
    let write = |bytes: Vec<u8>, hold: bool| -> Maker<'static> {
        Box::new(move |input, mut output| {
            std::thread::spawn(move || {
                // A pipe that is closed early is the controller's right.
                let _ = output.write_all(&bytes);
                if hold {
                    std::thread::sleep(Duration::from_secs(5));
                }
                drop(input);
            });
        })
    };
    let greeted = |rest: &[u8]| [frame::greeting("b").as_bytes(), rest].concat();
    let hello = frame::encode(
        &FromAgent::Hello {
            hostname: "x".into(),
        },
        1 << 20,
    )
    .unwrap();
    let early = frame::encode(&FromAgent::Ready { number: 0 }, 1 << 20).unwrap();
    let plan = plan(7);
    let script = short();
    let makers = vec![
        real(&script),
        write(b"Welcome to the machine\nnot an agent".to_vec(), false),
        write(vec![b'x'; 100_000], true),
        write(greeted(&[0xff, 0xff, 0xff, 0x7f, 1, 2, 3]), true),
        write(greeted(&[3, 0, 0, 0, 0xff, 0xff, 0xff]), true),
        // Endless: it announces more than it ever says.
        write(greeted(&[&hello[..], &[0, 0, 16, 0, 1]].concat()), true),
        write(greeted(&[&hello[..], &early].concat()), true),
    ];
    let mut fleet = Fleet::new(&plan, makers);
    assert_eq!(fleet.stage(&plan), Ok(Ending::GoOn));
    let lost = fleet.lost();
    for (line, part) in lost.iter().zip([
        "h1: it ended without a greeting; it said: not an agent",
        "h2: no greeting within 65536 bytes; it said: xxx",
        "h3: a frame of 2147483647 bytes was announced, 4194304 are allowed",
        "h4: a frame contains no valid message",
        "h5: no message from it for 600 ms",
        "h6: it sent an invalid message: a ready message while its clock offset is being measured",
    ]) {
        assert!(line.starts_with(part), "{line}\n{part}");
    }
    assert_eq!(lost.len(), 6);
    let events = fleet.end();
    assert_eq!(totals(&events).len(), 1);
}

#[test]
fn a_host_that_reports_impossible_counts_is_lost_and_spoils_no_sum() {
    let plan = plan(3);
    let boasts = |boasts| Script { boasts, ..short() };
    let scripts = [short(), boasts(1), boasts(2)];
    let mut fleet = Fleet::new(&plan, scripts.iter().map(real).collect());
    assert_eq!(fleet.stage(&plan), Ok(Ending::GoOn));
    let lost = fleet.lost();
    assert_eq!(lost.len(), 2, "{lost:?}");
    let said = "it sent an invalid message: numbers of";
    assert!(lost.iter().all(|why| why.contains(said)), "{lost:?}");
    let mut all = Counts::default();
    let events = fleet.end();
    totals(&events).iter().for_each(|t| all.merge(&t.counts));
    assert!(all.data().ios <= 2 * 20 * 50, "{}", all.data().ios);
    assert!(all.data().bytes <= 2 * 20 * 50 * 4096);
}

#[test]
fn rules_over_all_hosts_end_the_stage_on_all() {
    let mut together = plan(2);
    together.stages[0].workloads[0].stop.ends_others = EndsOthers::StageTogether;
    let mut other = Workload::new("other", Target::Null { size: 1 });
    other.hosts = HostSet::one(1);
    together.stages[0].workloads[0].hosts = HostSet::one(0);
    together.stages[0].workloads.push(other);
    let endless = Script {
        endless: true,
        ..Script::default()
    };
    let script = short();
    let mut fleet = Fleet::new(&together, vec![real(&script), real(&endless)]);
    assert_eq!(fleet.stage(&together), Ok(Ending::GoOn));
    let events = fleet.end();
    let ended = totals(&events);
    let of = |host: u32| ended.iter().find(|t| t.host == host).unwrap();
    assert_eq!((of(0).workload, &of(0).end), (0, &EndReason::Size));
    assert_eq!((of(1).workload, &of(1).end), (1, &EndReason::Other));

    let mut until = plan(2);
    until.stages[0].until.read = Some(4096 * 50 * 30);
    let mut fleet = Fleet::new(&until, vec![real(&endless), real(&endless)]);
    assert_eq!(fleet.stage(&until), Ok(Ending::GoOn));
    let events = fleet.end();
    let bytes: u64 = totals(&events).iter().map(|t| t.counts.data_bytes()).sum();
    assert!((4096 * 50 * 30..4096 * 50 * 90).contains(&bytes), "{bytes}");
}

#[test]
fn the_user_and_a_plan_can_end_everything() {
    let plan = plan(2);
    let endless = Script {
        endless: true,
        ..Script::default()
    };
    let mut fleet = Fleet::new(&plan, vec![real(&endless), real(&endless)]);
    let interrupt = Arc::clone(&fleet.interrupt);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        interrupt.store(true, Ordering::SeqCst);
    });
    assert_eq!(fleet.stage(&plan), Ok(Ending::Interrupted));
    let events = fleet.end();
    let ended = totals(&events);
    assert!(ended.len() == 2 && ended.iter().all(|t| t.end == EndReason::Interrupted));
    assert!(ended.iter().all(|t| t.counts.data_ios() > 0));

    let last = Script {
        end_all: true,
        ..short()
    };
    let mut fleet = Fleet::new(&plan, vec![real(&last), real(&endless)]);
    assert_eq!(fleet.stage(&plan), Ok(Ending::EndAll));
    assert_eq!(totals(&fleet.end()).len(), 2);
}

#[test]
fn a_caller_ends_a_stage_on_all_hosts_and_the_next_follows() {
    let plan = plan(2);
    let endless = Script {
        endless: true,
        ..Script::default()
    };
    let mut fleet = Fleet::new(&plan, vec![real(&endless), real(&endless)]);
    let halt = Arc::new(AtomicBool::new(false));
    fleet.controller.halted_by(Arc::clone(&halt));
    // It is taken back when a stage begins, and raised again after the first interval of each.
    for _ in 0..2 {
        let (events, seen) = (&mut fleet.events, Arc::clone(&halt));
        let ending = fleet.controller.stage(&plan, 0, &mut |event| {
            if matches!(event, Event::Tick(_)) {
                seen.store(true, Ordering::SeqCst);
            }
            events.push(event);
        });
        assert_eq!(ending, Ok(Ending::GoOn));
    }
    let events = fleet.end();
    let ended = totals(&events);
    assert_eq!(ended.len(), 4);
    assert!(
        ended
            .iter()
            .all(|t| t.end == EndReason::Other && t.counts.data_ios() > 0)
    );
}

#[test]
fn with_no_host_left_all_reasons_are_reported_and_their_kind() {
    let plan = plan(2);
    let fails = |kind| Script {
        fails: Some(kind),
        ..Script::default()
    };
    let same = fails(FailureKind::Refused);
    let mut fleet = Fleet::new(&plan, vec![real(&same), real(&same)]);
    let nobody = fleet.stage(&plan).unwrap_err();
    assert_eq!(nobody.kind(), FailureKind::Refused);
    assert_eq!(
        nobody.to_string(),
        "no host can run it: h0: it cannot; h1: it cannot"
    );
    assert_eq!(
        nobody.failure(),
        Failure::new(ErrorCode::System, nobody.to_string(), "do not")
    );
    let events = fleet.end();
    assert!(
        !events
            .iter()
            .any(|e| matches!(e, Event::StageStarted { .. }))
    );
    assert_eq!(codes(&events), ["host-lost", "host-lost"]);
    let said = events.iter().filter_map(|event| match event {
        Event::Finding(finding) => Some(finding.text.as_str()),
        _ => None,
    });
    let said: Vec<&str> = said.collect();
    assert!(
        said[0].contains("the totals of ") && said[0].ends_with(" cover 1 of 2 hosts"),
        "{said:?}"
    );
    assert!(
        said[1].ends_with("from then on, there are no totals: no host is left"),
        "{said:?}"
    );
    // What they had begun to make does not stay there.
    let removed = || {
        let seen = same.seen.lock().unwrap();
        seen.iter().filter(|word| *word == "remove").count()
    };
    let limit = instant() + Duration::from_secs(5);
    while removed() < 2 {
        assert!(instant() < limit, "{:?}", same.seen);
        std::thread::sleep(Duration::from_millis(5));
    }
    let other = fails(FailureKind::Usage);
    let mut fleet = Fleet::new(&plan, vec![real(&same), real(&other)]);
    assert_eq!(
        fleet.stage(&plan).unwrap_err().kind(),
        FailureKind::Environment
    );
}

#[test]
fn a_pause_lies_between_ready_and_start() {
    let mut plan = plan(2);
    plan.stages[0].pause = Nanos::from_millis(900);
    let refuses = Script {
        fails: Some(FailureKind::Environment),
        ..Script::default()
    };
    let script = short();
    let mut fleet = Fleet::new(&plan, vec![real(&script), real(&refuses)]);
    assert_eq!(fleet.stage(&plan), Ok(Ending::GoOn));
    let events = fleet.end();
    let lost = events.iter().find_map(|e| match e {
        Event::Host(news) if matches!(news.what, HostState::Lost { .. }) => Some(news.at),
        _ => None,
    });
    let started = events.iter().find_map(|e| match e {
        Event::StageStarted { at, .. } => Some(*at),
        _ => None,
    });
    let (lost, started) = (lost.unwrap(), started.unwrap());
    assert!(
        started.since(lost) >= Nanos::from_millis(800),
        "what cannot be made ready is known before the pause: {lost} {started}"
    );
    let seen = script.seen.lock().unwrap().clone();
    let lead: u64 = seen[1].split(' ').nth(3).unwrap().parse().unwrap();
    assert!(
        lead < 800_000,
        "the start is agreed upon after it: {seen:?}"
    );
}

#[test]
fn an_agent_whose_controller_is_gone_stops_and_cleans_up() {
    let script = Script {
        endless: true,
        ..Script::default()
    };
    for stream_stays_open in [false, true] {
        script.seen.lock().unwrap().clear();
        let (mut to, mut from, input, output) = pipes();
        let life = agent(script.clone(), input, output);
        let reader = std::thread::spawn(move || {
            frame::read_opening(&mut from).unwrap();
            while let Ok(Some(_)) = frame::read::<FromAgent>(&mut from, frame::AGENT_LIMIT) {}
        });
        let orders = Orders {
            run: 1,
            plan: plan(1),
            seed: 1,
            keep_if_orphaned: false,
        };
        let stage = Box::new(plan(1).stages[0].clone());
        for message in [
            ToAgent::Plan(Box::new(orders)),
            ToAgent::Stage { number: 0, stage },
            ToAgent::Start {
                number: 0,
                at: Some(theirs()),
            },
        ] {
            frame::write(&mut to, &message, frame::CONTROLLER_LIMIT).unwrap();
        }
        std::thread::sleep(Duration::from_millis(200));
        let gone = instant();
        let held = stream_stays_open.then_some(to);
        assert_eq!(life.join().unwrap(), agent::End::Orphaned);
        assert!(
            gone.elapsed() < Duration::from_secs(20),
            "{:?}",
            gone.elapsed()
        );
        let seen = script.seen.lock().unwrap().clone();
        assert_eq!(seen[seen.len() - 2..], ["ended by Interrupted", "remove"]);
        drop(held);
        reader.join().unwrap();
    }
}
