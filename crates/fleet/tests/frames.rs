//! Frames and messages: what goes in comes out, what is nonsense is an error, and neither costs more memory
//! than its bound.

use leadline_fleet::frame::{self, AGENT_LIMIT, FrameError, Opening};
use leadline_fleet::message::{
    Batch, FailureKind, FromAgent, HostFailure, MOST_TARGETS, Question, ToAgent,
};
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::event::Event;
use leadline_model::failure::Failure;
use leadline_model::latency::Latency;
use leadline_model::op::Op;
use leadline_model::place::Place;
use leadline_model::plan::{Stage, Target, Workload};
use leadline_model::sample::{Counts, Sample};
use leadline_model::units::Nanos;
use proptest::prelude::*;

fn sample(host: u32, interval: u64, latencies: &[u64], open: bool) -> Sample {
    let mut counts = Counts::default();
    let reads = counts.op_mut(Op::Read);
    for &ns in latencies {
        reads.ios += 1;
        reads.bytes += 512;
        reads.service.record(ns);
        if open {
            reads.response.get_or_insert_default().record(ns + 5);
        }
    }
    if open {
        counts.lag.get_or_insert_default().record(1);
    }
    Sample {
        host,
        stage: 0,
        workload: 0,
        interval,
        start: Nanos(interval),
        length: Nanos::SECOND,
        warmup: false,
        counts,
        workers: vec![(1, 2)],
        moments: Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_are_messages_or_errors(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = frame::decode::<FromAgent>(&bytes);
        let _ = frame::decode::<ToAgent>(&bytes);
        let _ = frame::read_opening(&mut bytes.as_slice());
        let mut stream = bytes.as_slice();
        while let Ok(Some(_)) = frame::read::<FromAgent>(&mut stream, AGENT_LIMIT) {}
        // A batch of any bytes: some of its events may even be some.
        if let Ok(framed) = frame::encode(&bytes, AGENT_LIMIT)
            && let Ok(batch) = frame::decode::<Batch>(&framed[4..])
        {
            prop_assert!(batch.events().count() <= bytes.len());
        }
    }

    #[test]
    fn a_message_with_a_changed_byte_is_a_message_or_an_error(
        at in any::<prop::sample::Index>(), to in any::<u8>()
    ) {
        let mut batch = Batch::default();
        batch.push(&Event::Interval(Box::new(sample(1, 2, &[3, 500, 70_000], true)))).unwrap();
        let mut bytes = frame::encode(&FromAgent::Events(batch), AGENT_LIMIT).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = to;
        if let Ok(Some(FromAgent::Events(batch))) = frame::read(&mut bytes.as_slice(), AGENT_LIMIT) {
            batch.events().for_each(drop);
        }
    }

    #[test]
    fn samples_of_many_hosts_merge_as_if_counted_on_one(
        ios in prop::collection::vec(an_io(), 0..300),
        open in prop::array::uniform5(any::<bool>()),
    ) {
        let mut merged = Counts::default();
        for host in 0..5 {
            let own: Vec<AnIo> = ios.iter().filter(|io| io.host == host).copied().collect();
            let mut batch = Batch::default();
            // An interval without I/O too, between others and alone.
            for (interval, part) in (0..).zip([&own[..own.len() / 2], &[]].into_iter().chain(own[own.len() / 2..].chunks(7))) {
                let mut sample = sample(u32::try_from(host).unwrap(), interval, &[], false);
                sample.counts = counted(part, open);
                sample.counts.pack();
                batch.push(&Event::Interval(Box::new(sample))).unwrap();
            }
            let bytes = frame::encode(&FromAgent::Events(batch), AGENT_LIMIT).unwrap();
            let FromAgent::Events(batch) = frame::decode(&bytes[4..]).unwrap() else {
                panic!("another message");
            };
            for event in batch.events() {
                match event.unwrap() {
                    Event::Interval(sample) => merged.merge(&sample.counts),
                    other => panic!("{other:?}"),
                }
            }
        }
        let one = counted(&ios, open);
        for op in Op::ALL {
            let (Some(a), Some(b)) = (merged.op(op), one.op(op)) else {
                prop_assert_eq!(merged.op(op), one.op(op));
                continue;
            };
            prop_assert_eq!((a.ios, a.bytes), (b.ios, b.bytes));
            same(&a.service, &b.service)?;
            // Where some are at a pace and others are not, those are their own response.
            prop_assert_eq!(a.response.is_some(), b.response.is_some());
            same(a.response(), b.response())?;
        }
        prop_assert_eq!(merged.late, one.late);
        match (&merged.lag, &one.lag) {
            (Some(a), Some(b)) => same(a, b)?,
            (a, b) => prop_assert_eq!(a, b),
        }
    }
}

/// An I/O of a host.
#[derive(Clone, Copy, Debug)]
struct AnIo {
    host: usize,
    op: Op,
    service: u64,
    lag: u64,
}

/// Times of all magnitudes, up to beyond what buckets there are.
fn a_time() -> impl Strategy<Value = u64> {
    (0..45_u32, any::<u64>()).prop_map(|(bits, value)| value & ((2 << bits) - 1))
}

fn an_io() -> impl Strategy<Value = AnIo> {
    let op = prop::sample::select(&Op::ALL[..]);
    (0..5_usize, op, a_time(), a_time()).prop_map(|(host, op, service, lag)| AnIo {
        host,
        op,
        service,
        lag,
    })
}

/// What is counted of I/Os; those of a host that is `open` are at a pace.
fn counted(ios: &[AnIo], open: [bool; 5]) -> Counts {
    let mut counts = Counts::default();
    for op in Op::ALL {
        let own = || ios.iter().filter(move |io| io.op == op);
        let paced = own().any(|io| open[io.host]);
        for io in own() {
            let at_pace = open[io.host];
            let of_op = counts.op_mut(op);
            of_op.ios += 1;
            of_op.bytes += 512 + io.lag % 7;
            of_op.service.record(io.service);
            if paced {
                let response = io.service + if at_pace { io.lag } else { 0 };
                of_op.response.get_or_insert_default().record(response);
            }
            if at_pace {
                counts.lag.get_or_insert_default().record(io.lag);
                counts.late += u64::from(io.lag > 1_000_000);
            }
        }
    }
    counts
}

/// Bucket for bucket, and what is kept beside the buckets; of the squares as far as the order of a sum allows.
fn same(a: &Latency, b: &Latency) -> Result<(), TestCaseError> {
    prop_assert_eq!(&a.histogram, &b.histogram);
    prop_assert_eq!((a.sum, a.min, a.max), (b.sum, b.min, b.max));
    prop_assert!((a.sum_squares - b.sum_squares).abs() <= 1e-12 * b.sum_squares);
    Ok(())
}

#[test]
fn a_stage_survives_the_way() {
    let stage = Stage {
        name: "s".into(),
        workloads: vec![Workload::new("w", Target::Paths(vec!["/x".into()]))],
        ..Stage::default()
    };
    let message = ToAgent::Stage {
        number: 3,
        stage: Box::new(stage),
    };
    let bytes = frame::encode(&message, frame::CONTROLLER_LIMIT).unwrap();
    let mut stream = [bytes.clone(), bytes].concat();
    stream.extend_from_slice(&[9, 0]);
    let mut stream = stream.as_slice();
    for _ in 0..2 {
        let back: Option<ToAgent> = frame::read(&mut stream, frame::CONTROLLER_LIMIT).unwrap();
        assert_eq!(back.as_ref(), Some(&message));
    }
    let cut = frame::read::<ToAgent>(&mut stream, frame::CONTROLLER_LIMIT);
    assert!(matches!(cut, Err(FrameError::Cut { have: 2, want: 4 })));
}

fn question() -> ToAgent {
    ToAgent::Look(Box::new(Question {
        number: 3,
        stage: Stage {
            name: "s".into(),
            workloads: vec![Workload::new("w", Target::Paths(vec!["/x/f".into()]))],
            ..Stage::default()
        },
        last: true,
        targets: vec!["/x/f".into()],
    }))
}

fn answer() -> FromAgent {
    FromAgent::Looked {
        number: 3,
        refusal: Some(HostFailure::environment(
            ErrorCode::NoSpace,
            "no space",
            "free some",
        )),
        places: vec![Place {
            block: false,
            file_system: "nfs4".into(),
            mounted_at: "/x".into(),
            source: "s:/e".into(),
            part: false,
        }],
    }
}

#[test]
fn a_question_and_its_answer_survive_the_way() {
    let bytes = frame::encode(&question(), frame::CONTROLLER_LIMIT).unwrap();
    let back: ToAgent = frame::decode(&bytes[4..]).unwrap();
    assert_eq!(back, question());
    let bytes = frame::encode(&answer(), AGENT_LIMIT).unwrap();
    let back: FromAgent = frame::decode(&bytes[4..]).unwrap();
    assert_eq!(back, answer());
    // The longest answer there can be is a frame: as many places as are asked for, each as long as it may be.
    let cure = ("y".repeat(9000), [Knob::QueueDepth; 5000]);
    let reason = Failure::new(ErrorCode::PlanValue, "x".repeat(9000), cure);
    let refusal = HostFailure {
        kind: FailureKind::Usage,
        reasons: vec![reason; 5000],
    };
    let long = || "z".repeat(1000);
    let place = Place {
        block: false,
        file_system: long(),
        mounted_at: long(),
        source: long(),
        part: true,
    };
    let longest = FromAgent::Looked {
        number: u32::MAX,
        refusal: Some(refusal.short()),
        places: vec![place; MOST_TARGETS],
    };
    assert!(frame::encode(&longest, AGENT_LIMIT).is_ok());
}

#[test]
fn bounds_are_kept_both_ways() {
    let long = FromAgent::Hello {
        hostname: "x".repeat(100),
    };
    assert!(matches!(
        frame::encode(&long, 50),
        Err(FrameError::TooLong { limit: 50, .. })
    ));
    let bytes = [0xff, 0xff, 0xff, 0xff, 1, 2];
    let read = frame::read::<FromAgent>(&mut bytes.as_slice(), AGENT_LIMIT);
    assert!(matches!(read, Err(FrameError::TooLong { .. })));
    // A length that is allowed and never comes takes no more memory than what came.
    let bytes = [0, 0, 64, 0, 1, 2];
    let read = frame::read::<FromAgent>(&mut bytes.as_slice(), AGENT_LIMIT);
    assert!(matches!(read, Err(FrameError::Cut { have: 2, .. })));
}

#[test]
fn chatter_before_the_greeting_is_passed_over() {
    let text = format!("Last login: yesterday\r\n\n{}rest", frame::greeting("abc"));
    let mut stream = text.as_bytes();
    let opening = frame::read_opening(&mut stream).unwrap();
    let agent = Opening::Agent {
        protocol: frame::PROTOCOL,
        build: "abc".into(),
    };
    assert_eq!(opening, agent);
    assert_eq!(stream, b"rest");
    let mut want = frame::request();
    assert_eq!(
        frame::read_opening(&mut want.as_bytes()).unwrap(),
        Opening::Want
    );
    want.pop();
    assert!(frame::read_opening(&mut want.as_bytes()).is_err());
}
