//! The look before anything is made.

use super::*;
use crate::message::Question;
use leadline_model::cure::Knob;

/// A plan whose hosts write a file of this name.
fn writes(hosts: usize, path: &str) -> Plan {
    let mut plan = plan(hosts);
    plan.stages[0].workloads[0].blocks_mut().target = Target::Paths(vec![path.to_owned()]);
    plan
}

fn on(file_system: &str, mounted_at: &str) -> Script {
    Script {
        place: Place {
            block: false,
            file_system: file_system.to_owned(),
            mounted_at: mounted_at.to_owned(),
            source: "/dev/x".to_owned(),
            part: false,
        },
        ..short()
    }
}

/// What a host was asked to do, but for its end.
fn asked_of(script: &Script) -> Vec<String> {
    let mut seen = script.seen.lock().unwrap().clone();
    seen.retain(|word| word != "remove");
    seen
}

#[test]
fn all_hosts_look_at_all_stages_before_one_of_them_begins() {
    let mut plan = writes(2, "/data/f");
    let mut second = plan.stages[0].clone();
    second.name = "t".into();
    plan.stages.push(second);
    let scripts = [on("ext4", "/data"), on("ext4", "/data")];
    let mut fleet = Fleet::new(&plan, scripts.iter().map(real).collect());
    assert_eq!(fleet.look(&plan), Ok(()));
    for script in &scripts {
        assert_eq!(
            asked_of(script),
            [
                "begin t",
                "look 0 at s",
                "place of /data/f",
                "look 1 at t",
                "look 1 at  last"
            ]
        );
    }
    assert_eq!(fleet.stage(&plan), Ok(Ending::GoOn));
    assert_eq!(codes(&fleet.end()), [""; 0]);
}

#[test]
fn one_host_that_refuses_keeps_all_from_beginning_unless_that_is_accepted() {
    let plan = writes(2, "/data/f");
    let refuses = |kind| Script {
        refuses: Some(kind),
        ..on("ext4", "/data")
    };
    let scripts = [on("ext4", "/data"), refuses(FailureKind::Refused)];
    let mut fleet = Fleet::new(&plan, scripts.iter().map(real).collect());
    let why = fleet.look(&plan).unwrap_err();
    assert!(matches!(&why, NotRun::Refused { by, others: true } if by.len() == 1));
    assert_eq!(why.kind(), FailureKind::Refused);
    assert_eq!(
        why.to_string(),
        "refused before the first byte: h1: it would not"
    );
    let failure = why.failure();
    assert_eq!(failure.what, why.to_string());
    assert_eq!(failure.code, ErrorCode::InUse);
    assert_eq!(failure.cure, "ask less".into());
    let events = fleet.end();
    let begun = |e: &Event| matches!(e, Event::StageStarted { .. });
    assert!(!events.iter().any(begun));
    for script in &scripts {
        assert!(
            !asked_of(script)
                .iter()
                .any(|word| word.starts_with("start"))
        );
    }

    let makers = scripts.iter().map(real).collect();
    let mut fleet = Fleet::accepting(&plan, makers, (true, false));
    assert_eq!(fleet.look(&plan), Ok(()));
    assert_eq!(fleet.lost(), ["h1: it would not (ask less)"]);
    assert_eq!(fleet.stage(&plan), Ok(Ending::GoOn));
    let events = fleet.end();
    assert_eq!(codes(&events), ["host-lost"]);
    assert_eq!(totals(&events).len(), 1);

    let both = [refuses(FailureKind::Usage), refuses(FailureKind::Usage)];
    let mut fleet = Fleet::accepting(&plan, both.iter().map(real).collect(), (true, false));
    let why = fleet.look(&plan).unwrap_err();
    assert!(matches!(&why, NotRun::AllHostsLost(losses) if losses.len() == 2));
    assert_eq!(why.kind(), FailureKind::Usage);
}

#[test]
fn targets_that_lie_otherwise_on_one_host_keep_all_from_beginning_unless_that_is_accepted() {
    let plan = writes(3, "/data/f");
    let scripts = [on("xfs", "/data"), on("ext4", "/"), on("xfs", "/data")];
    let mut fleet = Fleet::new(&plan, scripts.iter().map(real).collect());
    let why = fleet.look(&plan).unwrap_err();
    let said = "/data is the root file system (ext4) on h1, and xfs mounted at /data on h0 and h2";
    assert!(why.to_string().contains(said), "{why}");
    let failure = why.failure();
    assert_eq!(failure.cure.knobs, [Knob::UnlikeHosts], "{why}");
    assert_eq!(failure.code, ErrorCode::HostsUnlike);
    assert_eq!(why.kind(), FailureKind::Refused);
    assert_eq!(fleet.lost(), [""; 0]);
    // What is accepted of lost hosts says nothing of these.
    let makers = scripts.iter().map(real).collect();
    let mut fleet = Fleet::accepting(&plan, makers, (true, false));
    assert_eq!(fleet.look(&plan), Err(why));

    let makers = scripts.iter().map(real).collect();
    let mut fleet = Fleet::accepting(&plan, makers, (false, true));
    assert_eq!(fleet.look(&plan), Ok(()));
    assert_eq!(fleet.stage(&plan), Ok(Ending::GoOn));
    let events = fleet.end();
    assert_eq!(codes(&events), ["hosts-unlike"]);
    assert_eq!(totals(&events).len(), 3);
}

#[test]
fn a_host_that_never_answers_the_check_is_lost_by_name_and_the_rest_continue() {
    let plan = writes(2, "/data/f");
    let hold = Arc::new(Hold::default());
    let hangs = Script {
        looks_until: Some(Arc::clone(&hold)),
        ..on("ext4", "/")
    };
    let scripts = [on("xfs", "/data"), hangs];
    let mut fleet = Fleet::new(&plan, scripts.iter().map(real).collect());
    let began = instant();
    assert_eq!(fleet.look(&plan), Ok(()));
    // The host still looks: only patience can have ended this.
    let took = began.elapsed();
    assert!(took > Duration::from_millis(850), "{took:?}");
    assert!(
        asked_of(&scripts[1])
            .iter()
            .all(|word| !word.starts_with("place"))
    );
    let lost = fleet.lost();
    let why = "h1: it did not report within 900 ms whether it can run the plan";
    assert!(lost.len() == 1 && lost[0].starts_with(why), "{lost:?}");
    assert_eq!(fleet.stage(&plan), Ok(Ending::GoOn));
    assert_eq!(totals(&fleet.end()).len(), 1);
    hold.end();
}

#[test]
fn a_host_that_disconnects_before_the_check_is_lost_and_the_rest_continue() {
    let plan = writes(2, "/data/f");
    let script = on("xfs", "/data");
    let mut fleet = Fleet::new(&plan, vec![real(&script), answers(|_| None)]);
    assert_eq!(fleet.look(&plan), Ok(()));
    let lost = fleet.lost();
    assert!(
        lost.len() == 1 && lost[0].starts_with("h1: the connection ended"),
        "{lost:?}"
    );
    assert_eq!(fleet.stage(&plan), Ok(Ending::GoOn));
}

/// A host that answers questions so, and ends when it has nothing to say.
fn answers(answer: fn(&Question) -> Option<FromAgent>) -> Maker<'static> {
    Box::new(move |mut input, mut output| {
        std::thread::spawn(move || {
            let say = |output: &mut PipeWriter, message: &FromAgent| {
                // A line that is cut is the controller's right.
                let _ = frame::write(output, message, frame::AGENT_LIMIT);
            };
            output.write_all(frame::greeting("b").as_bytes()).unwrap();
            let hostname = "x".into();
            say(&mut output, &FromAgent::Hello { hostname });
            while let Ok(Some(message)) = frame::read(&mut input, frame::CONTROLLER_LIMIT) {
                match message {
                    ToAgent::Ping { sent } => {
                        say(&mut output, &FromAgent::Pong { sent, at: theirs() });
                    }
                    ToAgent::Look(question) => match answer(&question) {
                        Some(message) => say(&mut output, &message),
                        None => return,
                    },
                    _ => {}
                }
            }
        });
    })
}

#[test]
fn answers_to_other_questions_cost_the_host_and_nothing_else() {
    let plan = writes(4, "/data/f");
    let looked = |number, places| FromAgent::Looked {
        number,
        refusal: None,
        places: vec![Place::default(); places],
    };
    let script = on("xfs", "/data");
    let makers = vec![
        real(&script),
        answers(|_| {
            Some(FromAgent::Looked {
                number: 7,
                refusal: None,
                places: vec![Place::default()],
            })
        }),
        answers(|q| {
            let places = vec![Place::default(); 100_000];
            Some(FromAgent::Looked {
                number: q.number,
                refusal: None,
                places,
            })
        }),
        answers(|q| Some(FromAgent::Ready { number: q.number })),
    ];
    let mut fleet = Fleet::new(&plan, makers);
    assert_eq!(fleet.look(&plan), Ok(()));
    let mut lost = fleet.lost();
    lost.sort();
    assert_eq!(lost.len(), 3, "{lost:?}");
    for (line, part) in lost.iter().zip([
        "h1: it sent an invalid message: an answer to another question",
        "h2: it sent an invalid message: an answer to another question",
        "h3: it sent an invalid message: a ready message while it is checking the plan",
    ]) {
        assert!(line.starts_with(part), "{line}");
    }
    // One that was not asked for.
    let early = frame::encode(&looked(0, 1), 1 << 20).unwrap();
    let again: Maker<'static> = Box::new(move |input, mut output| {
        std::thread::spawn(move || {
            let _ = output.write_all(frame::greeting("b").as_bytes());
            let _ = output.write_all(&early);
            std::thread::sleep(Duration::from_secs(2));
            drop(input);
        });
    });
    let fleet = Fleet::new(&plan, vec![real(&script), again]);
    let lost = fleet.lost();
    assert!(
        lost[0].contains("a check result while it is being connected"),
        "{lost:?}"
    );
}

#[test]
fn many_stages_and_targets_are_asked_for_each_once_and_in_order() {
    let mut plan = writes(1, "");
    let first = plan.stages[0].clone();
    let stage = |number: usize| {
        let mut stage = first.clone();
        stage.name = format!("s{number}");
        let paths = (0..2500).map(|n| format!("/data/{}", n + number % 2));
        stage.workloads[0].blocks_mut().target = Target::Paths(paths.collect());
        stage
    };
    plan.stages = (0..30).map(stage).collect();
    let script = on("xfs", "/data");
    let mut fleet = Fleet::new(&plan, vec![real(&script)]);
    assert_eq!(fleet.look(&plan), Ok(()));
    let seen = asked_of(&script);
    let looks: Vec<&String> = seen.iter().filter(|w| w.starts_with("look ")).collect();
    let stages: Vec<&&String> = looks
        .iter()
        .filter(|w| !w.ends_with("at ") && !w.ends_with("at  last"))
        .collect();
    assert_eq!(stages.len(), 30, "{looks:?}");
    for (number, word) in stages.iter().enumerate() {
        assert!(
            word.starts_with(&format!("look {number} at s{number}")),
            "{word}"
        );
    }
    let mut places: Vec<&String> = seen.iter().filter(|w| w.starts_with("place ")).collect();
    assert_eq!(places.len(), 2501);
    places.sort();
    places.dedup();
    assert_eq!(places.len(), 2501);
}

#[test]
fn where_commands_change_the_hosts_each_stage_is_looked_at_when_it_comes() {
    let plan = writes(2, "/data/f");
    let scripts = [on("xfs", "/data"), on("ext4", "/")];
    let mut fleet = Fleet::new(&plan, scripts.iter().map(real).collect());
    let looked = fleet
        .controller
        .look(&plan, &plan.stages, true, &mut |_| ());
    assert_eq!(looked, Ok(()));
    let looks = |word: &String| word.starts_with("look");
    assert!(!asked_of(&scripts[1]).iter().any(looks));
    let why = fleet.stage(&plan).unwrap_err();
    assert!(matches!(why, NotRun::Unlike(_)), "{why}");
    assert!(
        !asked_of(&scripts[0])
            .iter()
            .any(|word| word.starts_with("start"))
    );
}

#[test]
fn a_check_that_the_user_ends_loses_no_host() {
    let plan = writes(2, "/data/f");
    let slow = Script {
        looks_for: 500,
        ..on("xfs", "/data")
    };
    let mut fleet = Fleet::new(&plan, vec![real(&slow), real(&slow)]);
    let interrupt = Arc::clone(&fleet.interrupt);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        interrupt.store(true, Ordering::SeqCst);
    });
    assert_eq!(fleet.look(&plan), Ok(()));
    assert_eq!(fleet.stage(&plan), Ok(Ending::Interrupted));
    assert_eq!(codes(&fleet.end()), [""; 0]);
}
