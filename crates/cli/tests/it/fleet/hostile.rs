//! What answers in place of an agent costs a message and nothing else.

use super::processes::{ios, job, words};
use crate::support::{Place, finish, side_by_side};
use std::time::Duration;

#[test]
fn whatever_answers_in_place_of_an_agent_is_a_lost_host() {
    let cases = [
        ("echo hello; exit 7", "ended without a greeting"),
        (
            "echo leadline-fleet 99 abc; sleep 30",
            "protocol version 99",
        ),
        (
            "echo leadline-fleet 2 abc; sleep 30",
            "a different build of leadline",
        ),
        ("cat /dev/zero", "no greeting within"),
        ("echo oops >&2; exit 3", "it said: oops"),
        ("echo leadline-fleet want; sleep 30", "no answer for"),
        (
            "echo leadline-fleet want; echo leadline-fleet want; cat >/dev/null",
            "asks for the program twice",
        ),
        ("sleep 30", "no answer for"),
    ];
    side_by_side(cases.len(), &cases, |(answer, said)| {
        let place = Place::new();
        let text = format!("good launcher=local\nbad launcher=\"sh -c '{answer}' {{host}}\"\n");
        std::fs::write(place.join("hosts"), text).unwrap();
        let job = job("--hosts=hosts", place.path(), "1");
        let done = finish(&mut place.fio(&words(&job)));
        assert!(done.stderr.contains(said), "{answer}: {done:?}");
        assert!(done.stderr.contains("bad was lost"), "{done:?}");
        // None of them is waited for to its end.
        assert!(done.wall < Duration::from_secs(29), "{done:?}");
        assert!(ios(&place.kept(), 2)[0] > 500, "the other ran");
    });
}
