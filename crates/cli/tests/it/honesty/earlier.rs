//! Blocks that an earlier run has read in the same order are said with that run's name.

use crate::support::{Place, finish};

/// What is found about the offsets of a job of random reads, kept as a run of this name.
fn found(place: &Place, name: &str, job: &str) -> Option<String> {
    let kept = format!("--leadline-run={name}.leadline");
    let words = ["fio", &kept, "--name=a", "--rw=randread", "--bs=4k"];
    let words = words.into_iter().chain(job.split_whitespace());
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{done:?}");
    let run = leadline_results::store::open(&place.join(&format!("{name}.leadline"))).unwrap();
    let mut of = run.findings.iter().filter(|f| f.code == "repeated-offsets");
    let text = of.next().map(|f| f.text.clone());
    assert_eq!(of.next(), None, "once is enough");
    text
}

#[test]
fn an_earlier_run_of_the_same_offsets_is_named() {
    let place = Place::new();
    let (one, other) = (place.file("one", 1 << 20), place.file("other", 1 << 20));
    let one = format!("--filename={}", one.display());
    let of_the_plan = |text: Option<String>| {
        let text = text.unwrap();
        assert!(text.starts_with("The plan fixes the seed"), "{text}");
    };
    of_the_plan(found(&place, "first", &one));
    let text = found(&place, "second", &one).unwrap();
    let named = "The run first.leadline read the same blocks of";
    assert!(text.starts_with(named), "{text}");
    // Another target, another seed, other blocks: no earlier run has read these.
    of_the_plan(found(
        &place,
        "third",
        &format!("--filename={}", other.display()),
    ));
    of_the_plan(found(&place, "fourth", &format!("{one} --randseed=7")));
    of_the_plan(found(&place, "fifth", &format!("{one} --size=512k")));
    assert_eq!(
        found(&place, "sixth", &format!("{one} --randrepeat=0")),
        None
    );
}
