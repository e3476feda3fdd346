//! From where a start delay counts: the stage, or the whole run (fio).

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use leadline_engine::run::{Interrupt, Session};
use leadline_model::event::Event;
use leadline_model::plan::{Amount, EngineKind, Plan, Stage, Target, Workload};
use leadline_model::units::Nanos;

fn stage(delay_ms: u64, from_run: bool) -> Stage {
    let mut w = Workload::new("w", Target::Null { size: 1 << 20 });
    w.engine.kind = EngineKind::Null;
    w.blocks_mut().region.size = Some(Amount::Bytes(1 << 20));
    let delay = Nanos::from_millis(delay_ms);
    w.start.delay = (delay, delay);
    w.start.from_run = from_run;
    Stage {
        name: "s".into(),
        pause: Nanos::ZERO,
        workloads: vec![w],
        ..Stage::default()
    }
}

/// How long the second of two stages takes; the first waits for 600 ms.
fn second_stage(delay_ms: u64, from_run: bool) -> u64 {
    let plan = Plan {
        interval: Nanos::SECOND,
        ..leadline_testkit::plan(vec![stage(600, false), stage(delay_ms, from_run)])
    };
    let (mut from, mut to) = (Nanos::ZERO, Nanos::ZERO);
    let mut session = Session::new(Interrupt::default(), 7);
    session
        .run(&plan, &mut |event| match event {
            Event::StageStarted { stage: 1, at, .. } => from = at,
            Event::StageEnded { stage: 1, at, .. } => to = at,
            _ => {}
        })
        .unwrap();
    to.since(from).as_millis()
}

#[test]
fn a_delay_counts_from_the_stage_unless_it_counts_from_the_run() {
    let of_stage = second_stage(400, false);
    assert!(of_stage >= 400, "{of_stage} ms");
    // 600 of the 1,000 ms are over when the second stage starts.
    // A busy machine may be late, but not each time.
    let shortest = |delay_ms, most| {
        let mut rounds = (0..5).map(|_| second_stage(delay_ms, true));
        rounds.any(|took| took < most)
    };
    assert!(shortest(1000, 900));
    assert!(shortest(500, 450), "all of it is over");
}
