//! Stages that start when others say so.

use leadline_engine::clock;
use leadline_engine::run::{Interrupt, Session, StageEnd};
use leadline_model::event::Event;
use leadline_model::plan::{Engine, EngineKind, Plan, Stage, Target, Workload};
use leadline_model::sample::{EndReason, WorkerTotals};
use leadline_model::units::Nanos;

fn plan(kind: EngineKind) -> Plan {
    let target = match kind {
        EngineKind::Sim => leadline_model::plan::SimDevice::default().into(),
        _ => Target::Null { size: 1 << 30 },
    };
    let mut workload = Workload::new("w", target);
    workload.engine = Engine {
        kind,
        ..Engine::default()
    };
    workload.clones = 2;
    workload.stop.runtime = Some(Nanos::from_secs(5));
    workload.stop.time_based = true;
    Plan {
        interval: Nanos::from_millis(50),
        ..leadline_testkit::plan(vec![Stage {
            workloads: vec![workload],
            ..Stage::default()
        }])
    }
}

fn totals(events: &[Event]) -> Vec<&WorkerTotals> {
    let each = events.iter().filter_map(|e| match e {
        Event::WorkerEnded(totals) => Some(&**totals),
        _ => None,
    });
    each.collect()
}

#[test]
fn workers_start_at_the_agreed_instant_and_end_when_the_stage_is_halted() {
    let mut session = Session::new(Interrupt::default(), 1);
    let halt = Interrupt::default();
    session.halted_by(halt.clone());
    let mut events = Vec::new();
    let mut agreed = 0;
    let mut when = || {
        agreed = clock::monotonic() + 150_000_000;
        let halt = halt.clone();
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(400));
            halt.raise();
        });
        Some(agreed)
    };
    let before = clock::monotonic();
    let end = session.stage_when(&plan(EngineKind::Null), 0, &mut when, &mut |e| {
        events.push(e)
    });
    let after = clock::monotonic();
    assert_eq!(end.unwrap(), StageEnd::GoOn);
    assert!(agreed > before && after > agreed + 150_000_000);
    let ended = totals(&events);
    assert_eq!(ended.len(), 2);
    for worker in ended {
        let first = worker.first_submit.unwrap();
        assert!(first < Nanos::SECOND, "{first} after the agreed start");
        assert_eq!(worker.end, EndReason::Other);
        assert!(worker.window_end.0 <= after - agreed);
    }
    // The next stage is not halted by what halted the last.
    assert!(halt.is_raised());
    let mut never = || None;
    let end = session.stage_when(&plan(EngineKind::Null), 0, &mut never, &mut |_| ());
    assert_eq!(end.unwrap(), StageEnd::Interrupted);
    assert!(!halt.is_raised());
}

#[test]
fn a_start_that_has_passed_is_made_up_for_and_a_simulated_stage_waits_too() {
    let mut session = Session::new(Interrupt::default(), 1);
    let halt = Interrupt::default();
    session.halted_by(halt.clone());
    let mut events = Vec::new();
    let mut when = || {
        let halt = halt.clone();
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(100));
            halt.raise();
        });
        Some(clock::monotonic() - 200_000_000)
    };
    let end = session.stage_when(&plan(EngineKind::Null), 0, &mut when, &mut |e| {
        events.push(e)
    });
    assert_eq!(end.unwrap(), StageEnd::GoOn);
    for worker in totals(&events) {
        assert!(worker.first_submit.unwrap() >= Nanos::from_millis(200));
    }
    let mut asked = 0;
    let mut when = || {
        asked += 1;
        Some(clock::monotonic())
    };
    events.clear();
    let end = session.stage_when(&plan(EngineKind::Sim), 0, &mut when, &mut |e| {
        events.push(e)
    });
    assert_eq!((end.unwrap(), asked), (StageEnd::GoOn, 1));
    assert_eq!(totals(&events).len(), 2);
}
