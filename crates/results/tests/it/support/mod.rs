//! A device on paper: what it would have measured, without any I/O, the same on every run. For tests of
//! the survey, the verdict and the renders.

use leadline_model::event::{DiskUse, Event, Outcome};
use leadline_model::facts::{Fact, FactValue};
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::Op;
use leadline_model::plan::{OpMix, Plan, Source, Stage, Workload};
use leadline_model::sample::{Counts, CpuUse, EndReason, Sample, WorkerTotals};
use leadline_model::seed::SplitMix;
use leadline_model::units::{Bytes, Nanos};
use leadline_results::run::Run;
use leadline_results::study::{PointResult, Survey, SurveyOptions};

/// What the device can do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Device {
    /// Latency of a lone read and a lone write, seconds.
    pub(crate) alone: [f64; 2],
    /// Most IOPS of reads and of writes.
    pub(crate) cap: [f64; 2],
    /// Most bytes a second.
    pub(crate) bytes_cap: f64,
    /// Processor time of the worker at 100,000 IOPS, 0 to 1.
    pub(crate) cpu: f64,
    /// Spread of the rate from interval to interval.
    pub(crate) noise: f64,
}

impl Default for Device {
    fn default() -> Self {
        Self {
            alone: [0.000_21, 0.000_34],
            cap: [48_000.0, 22_000.0],
            bytes_cap: 820e6,
            cpu: 0.55,
            noise: 0.01,
        }
    }
}

/// Numbers that look random, the same everywhere.
pub(crate) struct Random(SplitMix);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix::new(seed))
    }

    pub(crate) fn next(&mut self) -> f64 {
        (self.0.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// About normal: the sum of twelve.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

fn whole(x: f64) -> u64 {
    format!("{:.0}", x.max(0.0)).parse().expect("digits")
}

impl Device {
    /// (read IOPS, write IOPS) and the latency of each in seconds.
    fn serves(&self, workload: &Workload) -> ([f64; 2], [f64; 2]) {
        let share = match workload.blocks().mix {
            OpMix::Only(Op::Read) => 1.0,
            OpMix::ReadWrite { read_percent } => read_percent.of_one(),
            _ => 0.0,
        };
        let flight = f64::from(workload.depth) * f64::from(workload.clones);
        let block = workload.blocks().sizes.max() as f64;
        let alone = share * self.alone[0] + (1.0 - share) * self.alone[1] + block / 2.5e9;
        let cap = 1.0 / (share / self.cap[0] + (1.0 - share) / self.cap[1]);
        let cap = cap.min(self.bytes_cap / block);
        // A soft knee: closed queueing in short.
        let ideal = flight / alone;
        let x = (ideal.powi(-8) + cap.powi(-8)).powf(-0.125);
        let mean = flight / x;
        let skew = [self.alone[0] / alone, self.alone[1] / alone];
        (
            [x * share, x * (1.0 - share)],
            [mean * skew[0], mean * skew[1]],
        )
    }

    /// Events of a stage that starts at `at`; returns the time it ends.
    pub(crate) fn run(&self, number: u32, stage: &Stage, at: Nanos, out: &mut Vec<Event>) -> Nanos {
        out.push(Event::StageStarted {
            stage: number,
            at,
            wall_ms: 1_790_000_000_000 + at.as_millis(),
        });
        let mut length = Nanos::ZERO;
        for (index, workload) in (0..).zip(&stage.workloads) {
            length = length.max(self.run_workload(number, index, workload, out));
        }
        let end = Nanos(at.0 + length.0);
        out.push(Event::StageEnded {
            stage: number,
            at: end,
            cpus: Vec::new(),
            disks: vec![DiskUse {
                name: "vda".to_owned(),
                ios: [1000, 200],
                sectors: [8000, 1600],
                busy_ms: length.as_millis() * 9 / 10,
                span_ms: length.as_millis(),
                ..DiskUse::default()
            }],
        });
        end
    }

    fn run_workload(&self, stage: u32, index: u32, w: &Workload, out: &mut Vec<Event>) -> Nanos {
        let mut random = Random::new(u64::from(stage) * 1000 + u64::from(index));
        let (rates, latencies) = self.serves(w);
        let block = w.blocks().sizes.max();
        let runtime = w.stop.runtime.unwrap_or_else(|| {
            let bytes = w.blocks().region.size.map_or(1 << 28, |s| s.of(0)) * u64::from(w.clones);
            Nanos(whole(
                bytes as f64 / ((rates[0] + rates[1]) * block as f64) * 1e9,
            ))
        });
        let (warm, length) = (w.stop.warmup, Nanos(w.stop.warmup.0 + runtime.0));
        let mut total = Counts::default();
        let mut start = Nanos::ZERO;
        let mut number = 0;
        while start < length {
            let edge = if start < warm { warm } else { length };
            let span = Nanos(edge.since(start).0.min(1_000_000_000));
            let level = 1.0 + self.noise * random.normal();
            let mut counts = Counts::default();
            for (op, (rate, latency)) in [Op::Read, Op::Write]
                .into_iter()
                .zip(rates.iter().zip(latencies))
            {
                let ios = whole(rate * level * span.as_secs_f64());
                if ios == 0 {
                    continue;
                }
                let part = counts.op_mut(op);
                part.ios = ios;
                part.bytes = ios * block;
                for _ in 0..ios {
                    let tail = if random.next() < 0.002 { 4.0 } else { 1.0 };
                    let value = latency / level * tail * (0.18 * random.normal()).exp();
                    part.service.record(whole(value * 1e9));
                }
            }
            if start >= warm {
                total.merge(&counts);
            }
            out.push(Event::Interval(Box::new(Sample {
                moments: Vec::new(),
                host: 0,
                stage,
                workload: index,
                interval: number,
                start,
                length: span,
                warmup: start < warm,
                workers: vec![(counts.data().ios, counts.data().bytes)],
                counts,
            })));
            number += 1;
            start = Nanos(start.0 + span.0);
        }
        out.push(Event::WorkerEnded(Box::new(self.totals(
            stage,
            index,
            (warm, length),
            total,
        ))));
        length
    }

    fn totals(
        &self,
        stage: u32,
        workload: u32,
        window: (Nanos, Nanos),
        counts: Counts,
    ) -> WorkerTotals {
        let span = window.1.since(window.0);
        let busy = counts.data().ios as f64 / 100_000.0 * self.cpu;
        WorkerTotals {
            host: 0,
            stage,
            workload,
            worker: 0,
            thread_id: 4711,
            first_submit: Some(Nanos(10_000)),
            window_start: window.0,
            window_end: window.1,
            warmup_ios: 0,
            unissued: 0,
            edge: 0,
            cpu: CpuUse {
                user: Nanos(whole(busy.min(span.as_secs_f64() * 0.99) * 4e8)),
                system: Nanos(whole(busy.min(span.as_secs_f64() * 0.99) * 6e8)),
                voluntary: counts.data().ios / 4,
                ..CpuUse::default()
            },
            seed: 42,
            errors: Vec::new(),
            end: EndReason::Time,
            files: Vec::new(),
            counts,
        }
    }
}

/// A plan of these stages.
pub(crate) fn plan(title: &str, stages: Vec<Stage>) -> Plan {
    Plan {
        so_far_every: None,
        hosts: Vec::new(),
        title: title.to_owned(),
        source: Source::default(),
        given: Vec::new(),
        interval: Nanos::SECOND,
        stages,
        read_only: false,
        destroy: Vec::new(),
    }
}

/// Runs a survey to its end on the device: the points in order.
pub(crate) fn survey_points(device: &Device, options: SurveyOptions) -> Vec<PointResult> {
    let run = survey_run(device, options);
    PointResult::all(&run)
}

/// Runs a survey to its end on the device.
pub(crate) fn survey_run(device: &Device, options: SurveyOptions) -> Run {
    let mut run = Run::default();
    let mut survey = Survey::new(options);
    run.apply(&Event::RunStarted {
        plan: Box::new(plan("survey of demo", Vec::new())),
        wall_ms: 1_790_000_000_000,
    });
    run.apply(&Event::Facts(facts()));
    let mut at = Nanos::ZERO;
    let mut number = 0;
    while let Some(stage) = survey.next(&PointResult::all(&run)) {
        let mut events = vec![Event::StageAdded(Box::new(stage.clone()))];
        at = device.run(number, &stage, at, &mut events);
        events.iter().for_each(|e| run.apply(e));
        number += 1;
        assert!(number < 200, "the survey does not end");
    }
    run.apply(&Event::RunEnded {
        at,
        outcome: Outcome::Complete,
    });
    run
}

/// Runs a plan on the device.
pub(crate) fn plan_run(device: &Device, plan: Plan) -> Run {
    let mut run = Run::default();
    let stages = plan.stages.clone();
    run.apply(&Event::RunStarted {
        plan: Box::new(plan),
        wall_ms: 1_790_000_000_000,
    });
    run.apply(&Event::Facts(facts()));
    let mut at = Nanos::ZERO;
    for (number, stage) in (0..).zip(&stages) {
        let mut events = Vec::new();
        at = device.run(number, stage, at, &mut events);
        events.iter().for_each(|e| run.apply(e));
    }
    run.apply(&Event::RunEnded {
        at,
        outcome: Outcome::Complete,
    });
    run
}

/// What a host might say of itself.
pub(crate) fn facts() -> Vec<Fact> {
    let memory = FactValue::Bytes(Bytes(25_125_558_681)); // shown as 23.40 GiB
    [
        ("host", "", "name", "bench-1".into()),
        ("kernel", "", "release", "6.18.0".into()),
        ("cpu", "", "model", "AMD EPYC 7763".into()),
        ("cpu", "", "online", "2".into()),
        ("memory", "", "total", memory),
        (
            "target",
            "demo/leadline-survey.0.0",
            "file system",
            "ext4".into(),
        ),
        ("mount", "/", "options", "rw,relatime".into()),
        ("device", "vda", "model", "virtio disk".into()),
        ("device", "vda", "scheduler", "none".into()),
        ("floor", "", "null IOPS", FactValue::Count(9_800_000)),
        ("leadline", "", "version", "0.1.0".into()),
    ]
    .into_iter()
    .map(|(section, subject, name, value)| Fact::new((section, name), subject, value))
    .collect()
}

/// Two findings of different weight.
pub(crate) fn findings() -> Vec<Finding> {
    vec![
        Finding {
            code: "window-short".to_owned(),
            severity: Severity::Warn,
            stage: None,
            workload: None,
            text: "the measured windows are 5 s long: bursts and credits cannot be told apart"
                .to_owned(),
            cure: "measure for 60 s or longer (--time 60s)".to_owned(),
        },
        Finding {
            code: "host-virtual".to_owned(),
            severity: Severity::Info,
            stage: Some(1),
            workload: Some(0),
            text: "this host is a virtual machine".to_owned(),
            cure: String::new(),
        },
    ]
}

pub(crate) use leadline_testkit::skip as skipped;
