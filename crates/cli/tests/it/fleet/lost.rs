//! A lost or unreachable host under Vdbench's and DISKSPD's words: in the totals, marked, and in the exit code.

use crate::support::{Done, Place, finish};

/// Two hosts of which the second goes in this way.
fn hosts(place: &Place, way: &str) {
    std::fs::write(place.join("way"), format!("#!/bin/sh\nshift\n{way}\n")).unwrap();
    let way = place.join("way");
    let text = format!(
        "good launcher=local\nbad launcher=\"sh {} {{host}}\"\n",
        way.display()
    );
    std::fs::write(place.join("hosts"), text).unwrap();
}

/// It is never there; it is killed after 1 s, which on a busy machine may be before it could say a word, and
/// is long before the end of a run of 6 s even where the shell that kills it waits seconds for a processor.
const WAYS: [(&str, &[&str]); 2] = [
    ("exit 3", &["ended without a greeting"]),
    (
        "exec 3<&0; \"$@\" <&3 & sleep 1; kill -9 $!",
        &["the connection ended", "ended without a greeting"],
    ),
];

/// Runs it without and with the word that accepts lost hosts.
fn both_ways(place: &Place, words: &[&str], code: i32, check: &dyn Fn(&Done)) {
    for (accepted, code) in [(None, code), (Some("--accept-lost-hosts"), 0)] {
        let mut words = words.to_vec();
        words.extend(accepted);
        let mut command = place.leadline(&words);
        let done = finish(command.env("XDG_CACHE_HOME", place.join("cache")));
        assert_eq!(done.code, Some(code), "{words:?}: {done:?}");
        check(&done);
    }
}

#[test]
fn a_lost_host_is_marked_and_in_the_exit_code_of_vdbench() {
    for (way, why) in WAYS {
        let place = Place::new();
        hosts(&place, way);
        let file = "sd=sd1,lun=f,size=4m\nwd=w,sd=sd1,rdpct=100,seekpct=100,xfersize=4k\n\
                    rd=r1,wd=w,iorate=200,elapsed=6,interval=1,threads=2\n";
        std::fs::write(place.join("p.vdb"), file).unwrap();
        let words = ["vdbench", "-f", "p.vdb", "--hosts=hosts", "-o", "out"];
        both_ways(&place, &words, 157, &|done| {
            let said = format!("{}{}", done.stdout, done.stderr);
            assert!(said.contains("host bad was lost after"), "{done:?}");
            assert!(why.iter().any(|w| said.contains(w)), "{done:?}");
            assert!(said.contains(" cover 1 of 2 hosts"), "{done:?}");
            assert!(done.stdout.contains("avg_2-"), "the other ran: {done:?}");
        });
    }
}

#[test]
fn what_a_plan_writes_is_said_before_its_hosts_are_reached() {
    let place = Place::new();
    hosts(&place, "exit 3");
    let file = "sd=sd1,lun=/nowhere/f,size=693g\nwd=w,sd=sd1,rdpct=0,seekpct=eof,xfersize=64k\n\
                rd=FillWrite,wd=w,iorate=max,elapsed=259200,interval=1,forthreads=1\n";
    std::fs::write(place.join("p.vdb"), file).unwrap();
    let done = finish(&mut place.leadline(["plan", "vdbench", "-f", "p.vdb", "--hosts=hosts"]));
    assert_eq!(done.code, Some(3), "{done:?}");
    for part in ["data written: 693 GiB at most", "(11 min 33 s at 1 GiB/s)"] {
        assert!(done.stdout.contains(part), "{part}: {done:?}");
    }
    assert!(done.stderr.contains("ended without a greeting"), "{done:?}");
}

#[test]
fn a_lost_host_is_marked_and_in_the_exit_code_of_diskspd() {
    for (way, why) in WAYS {
        let place = Place::new();
        hosts(&place, way);
        let words = [
            "diskspd",
            "--hosts=hosts",
            "-c4M",
            "-d6",
            "-W0",
            "-g100i",
            "-b4K",
            "f",
        ];
        both_ways(&place, &words, 1, &|done| {
            assert!(done.stderr.contains("host bad was lost after"), "{done:?}");
            assert!(why.iter().any(|w| done.stderr.contains(w)), "{done:?}");
            assert!(done.stderr.contains(" cover 1 of 2 hosts"), "{done:?}");
            assert!(done.stdout.contains("Total IO"), "the other ran: {done:?}");
        });
    }
}
