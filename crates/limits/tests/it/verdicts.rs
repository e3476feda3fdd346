//! Published runs, and which limit each was at.

use crate::ask;
use leadline_limits::{Conclusion, Limit, Metric, Scope, Standing, Verdict, limits, verdict};

/// The limits of a set-up and what they say about its figures.
fn judged(words: &str) -> (Vec<Limit>, Verdict) {
    let parsed = ask(words);
    assert!(parsed.is_right(), "{words}: {:?}", parsed.diagnostics);
    let limits = limits(&parsed.setup, &parsed.book);
    let verdict = verdict(&parsed.setup, &limits).expect("figures");
    (limits, verdict)
}

/// The scopes that each conclusion names, each scope once.
fn named(words: &str) -> Vec<(&'static str, Vec<Scope>)> {
    let (limits, verdict) = judged(words);
    let scopes = |at: &[usize]| {
        let mut scopes: Vec<Scope> = Vec::new();
        for at in at {
            if !scopes.contains(&limits[*at].scope) {
                scopes.push(limits[*at].scope);
            }
        }
        scopes
    };
    let of = |conclusion: &Conclusion| match conclusion {
        Conclusion::At(at) => ("at", scopes(at)),
        Conclusion::NotSeparated {
            limits,
            machines_decide,
        } => match machines_decide {
            true => ("two machines would decide", scopes(limits)),
            false => ("not separated", scopes(limits)),
        },
        Conclusion::Above(at) => ("above", scopes(at)),
        Conclusion::None => ("no documented limit", vec![]),
    };
    verdict.conclusions.iter().map(of).collect()
}

/// Measured by limit, with three decimals, and how it compares; of the base, or of the burst.
fn u(words: &str, scope: Scope, metric: Metric, burst: bool) -> (String, Standing) {
    let (limits, verdict) = judged(words);
    let at = limits.iter().position(|limit| {
        limit.scope == scope
            && limit.metric == metric
            && limit.burst.is_some() == burst
            && !limit.disputed
    });
    let compared = verdict
        .of(at.expect("the limit"))
        .expect("it can be compared");
    (format!("{:.3}", compared.u), compared.standing)
}

const D8DS: &str = "--vm D8ds_v4 --disk 3xP30:none,P30:ro";

#[test]
fn writes_past_the_cache_are_at_the_machines_uncached_iops() {
    let words = format!("{D8DS} --bs 8k --measured write:uncached:13052.65");
    assert_eq!(named(&words), [("at", vec![Scope::Uncached])]);
    let of = |metric, burst| u(&words, Scope::Uncached, metric, burst).0;
    assert_eq!(of(Metric::Iops, false), "1.020");
    assert_eq!(
        of(Metric::Iops, true),
        "0.816",
        "16,000 as long as credits last"
    );
    assert_eq!(of(Metric::Bytes, false), "0.557");
    let fio = format!("{D8DS} --bs 4k --measured write:uncached:13.1k");
    assert_eq!(named(&fio), [("at", vec![Scope::Uncached])]);
    assert_eq!(u(&fio, Scope::Uncached, Metric::Iops, false).0, "1.023");
}

#[test]
fn warm_reads_are_at_the_machines_cached_iops() {
    let words = format!("{D8DS} --bs 4k --measured read:cached:78521.23");
    assert_eq!(named(&words), [("at", vec![Scope::Cached])]);
    assert_eq!(u(&words, Scope::Cached, Metric::Iops, false).0, "1.020");
    let fio = format!("{D8DS} --bs 4k --measured read:cached:78.6k");
    assert_eq!(named(&fio), [("at", vec![Scope::Cached])]);
    assert_eq!(u(&fio, Scope::Cached, Metric::Iops, false).0, "1.021");
}

#[test]
fn a_class_at_its_own_rate_says_nothing_about_a_limit() {
    let words = format!("{D8DS} --bs 4k --measured read:cached:78.3k,write:uncached:12.6k@12800");
    assert_eq!(named(&words), [("at", vec![Scope::Cached])]);
    let reads = u(&words, Scope::Cached, Metric::Iops, false);
    assert_eq!(reads, ("1.017".into(), Standing::At));
    let writes = u(&words, Scope::Uncached, Metric::Iops, false);
    assert_eq!(writes, ("0.984".into(), Standing::OwnRate), "not reached");
    // Of it all is said: another limit is the next one.
    let (_, verdict) = judged(&words);
    let second = verdict.second().expect("others");
    assert_ne!(second.standing, Standing::OwnRate);
}

/// Of what goes through a cache it is not said how much is written: what is known is at the limit all the same.
#[test]
fn a_way_that_is_at_its_limit_needs_no_share_of_the_other() {
    let setup = "--vm D8s_v3 --disk 3xP30:none,2xP30:ro --bs 4k";
    let words = format!("{setup} --measured uncached:12928,cached:9872");
    assert_eq!(named(&words), [("at", vec![Scope::Uncached])]);
    // Below it, the writes through the cache might be what is missing.
    let words = format!("{setup} --measured uncached:9000,cached:9872");
    assert_eq!(named(&words), [("no documented limit", vec![])]);
}

/// Where all disks are cached, what went past the cache is at the machine's uncached limit.
#[test]
fn what_went_past_the_cache_of_cached_disks_is_compared() {
    let setup = "--vm D8s_v3 --disk 4xP30:ro --bs 4k";
    for figures in [
        "uncached:12800,cached:9000",
        "write:uncached:12800,read:cached:9000",
    ] {
        let words = format!("{setup} --measured {figures}");
        assert_eq!(named(&words), [("at", vec![Scope::Uncached])], "{figures}");
    }
    let one = "--disk P30:ro --bs 4k --measured uncached:5000";
    assert_eq!(named(one), [("at", vec![Scope::Disk])]);
}

#[test]
fn of_two_ways_at_once_the_uncached_one_is_at_its_limit() {
    // The provider's own example: reads at 101 % of the uncached IOPS and 61 % of the cached ones, 22,800 in all.
    let setup = "--vm D8s_v3 --disk 3xP30:none,2xP30:rw --bs 4k --read 100";
    let words = format!("{setup} --measured uncached:12928,cached:9760");
    assert_eq!(named(&words), [("at", vec![Scope::Uncached])]);
    assert_eq!(u(&words, Scope::Uncached, Metric::Iops, false).0, "1.010");
    assert_eq!(u(&words, Scope::Cached, Metric::Iops, false).0, "0.610");
    let total = format!("{setup} --measured 22.8k");
    assert_eq!(
        u(&total, Scope::BothPaths, Metric::Iops, false).0,
        "0.792",
        "of 28,800"
    );
}

#[test]
fn a_disk_behind_a_small_machine() {
    let words = "--vm D2s_v3 --disk P30 --bs 4k --measured 3200";
    assert_eq!(named(words), [("at", vec![Scope::Uncached])]);
}

#[test]
fn volumes_at_their_quota_or_at_the_most_of_any() {
    let quota = "--service anf-premium --quota 70.31TiB --vm D32s_v3:12 --read 100 --bs 64k --measured 4500MiB/s";
    assert_eq!(
        named(quota),
        [("at", vec![Scope::Volume, Scope::VolumeMost])]
    );
    let most = "--service anf-ultra --quota 100TiB --vm D32s_v5:6 --read 100 --bs 64k --measured 4500MiB/s";
    assert_eq!(named(most), [("at", vec![Scope::VolumeMost])]);
    let written = "--service anf-premium --quota 70.31TiB --vm D32s_v3:12 --read 0 --bs 64k --measured 1600MiB/s";
    let egress = u(written, Scope::Egress, Metric::Bytes, false);
    assert_eq!(
        egress,
        ("0.070".into(), Standing::Below),
        "22,888 are not the limit"
    );
    let oracle = "--service anf-ultra --quota 8TiB --bs 8k --measured 1024MiB/s";
    assert_eq!(named(oracle), [("at", vec![Scope::Volume])]);
}

#[test]
fn what_no_documented_limit_holds() {
    let volume = "--service anf-ultra --quota 100TiB --vm D32s_v5:6";
    for (read, bs, measured) in [
        (100, "64k", "3600MiB/s"),
        (0, "64k", "2400MiB/s"),
        (100, "256k", "3500MiB/s"),
        (0, "256k", "2500MiB/s"),
        (100, "4k", "460000"),
        (0, "4k", "130000"),
        (100, "4k", "388000"),
        (0, "4k", "120000"),
        (100, "8k", "293000"),
        (0, "8k", "111000"),
    ] {
        let words = format!("{volume} --read {read} --bs {bs} --measured {measured}");
        assert_eq!(named(&words), [("no documented limit", vec![])], "{words}");
    }
    let oracle = "--service anf-ultra --quota 16TiB --bs 8k --measured 200000";
    assert_eq!(named(oracle), [("no documented limit", vec![])]);
    assert_eq!(u(oracle, Scope::Volume, Metric::Bytes, false).0, "0.763");
}

#[test]
fn reads_are_not_metered_on_their_way_in() {
    let words =
        "--service anf-ultra --quota 100TiB --vm D32s_v3 --read 100 --bs 64k --measured 3500MiB/s";
    assert_eq!(named(words), [("no documented limit", vec![])]);
    let (limits, verdict) = judged(words);
    for (at, _) in limits
        .iter()
        .enumerate()
        .filter(|(_, limit)| limit.scope == Scope::Egress)
    {
        assert_eq!(verdict.of(at), None);
    }
}

#[test]
fn one_machine_does_not_separate_volume_and_egress() {
    let words =
        "--service anf-ultra --quota 100TiB --vm D32s_v3 --read 0 --bs 64k --measured 1500MiB/s";
    let said = named(words);
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].0, "two machines would decide");
    assert!(said[0].1.contains(&Scope::Egress) && said[0].1.contains(&Scope::VolumeMost));
    let (limits, verdict) = judged(words);
    let of = |scope: Scope, disputed: bool, measured: bool| {
        let at = limits.iter().position(|limit| {
            limit.scope == scope && limit.disputed == disputed && limit.measured == measured
        });
        format!("{:.2}", verdict.of(at.expect("it")).expect("compared").u)
    };
    assert_eq!(
        of(Scope::VolumeMost, false, true),
        "0.94",
        "1,600 by the article"
    );
    assert_eq!(
        of(Scope::Egress, false, false),
        "0.79",
        "1,907 by the table of sizes"
    );
    assert_eq!(
        of(Scope::Egress, true, false),
        "1.00",
        "1,500 by the article, disputed"
    );
}

#[test]
fn one_io_at_a_time_is_held_by_its_latency() {
    let sample = "--inflight 1 --latency 495.96us --bs 4k --read 0 --measured 1999";
    assert_eq!(named(sample), [("at", vec![Scope::Concurrency])]);
    assert_eq!(
        u(sample, Scope::Concurrency, Metric::Iops, false).0,
        "0.991"
    );
    let page = "--service gcnv-extreme --quota 4TiB --bs 128k --latency 0.5ms --inflight 1 --measured 250MiB/s";
    assert_eq!(named(page), [("at", vec![Scope::Concurrency])]);
    assert_eq!(u(page, Scope::Volume, Metric::Bytes, false).0, "0.488");
}

#[test]
fn above_a_limit_is_said_unless_a_burst_covers_it() {
    assert_eq!(
        named("--disk P30 --measured 9000"),
        [("above", vec![Scope::Disk])]
    );
    assert_eq!(
        named("--disk P10 --measured 3500"),
        [("at", vec![Scope::Disk])]
    );
    let between = named("--disk P10 --measured 2000");
    assert_eq!(between, [("no documented limit", vec![])]);
    let base = u(
        "--disk P10 --measured 2000",
        Scope::Disk,
        Metric::Iops,
        false,
    );
    assert_eq!(base, ("4.000".into(), Standing::Passed));
}

#[test]
fn the_second_nearest_is_always_there() {
    let words = format!("{D8DS} --bs 8k --measured write:uncached:13052.65");
    let (limits, verdict) = judged(&words);
    let second = verdict.second().expect("one");
    assert_eq!(limits[second.limit].what, "3 x P30");
    assert_eq!(format!("{:.2}", second.u), "0.87");
}
