//! Studies on simulated volumes whose law is known: what they answer, how they are taken up, what they refuse.

use crate::support::{
    Done, FileSystem, LoopDevice, Place, Running, finish, or_skip, side_by_side, sleep_ms,
};
use leadline_model::plan::Stage;
use leadline_results::study::studies::was_interrupted;
use rustix::process::Signal;
use serde_json::Value;
use std::collections::BTreeSet;

/// What a study answers, in its JSON form.
fn study(words: &[&str]) -> Value {
    study_in(&Place::new(), words)
}

fn study_in(place: &Place, words: &[&str]) -> Value {
    let usual = ["study", "--json", "--seed", "1", "--out", "s", "--force"];
    let words = [&usual[..1], words, &usual[1..]].concat();
    let done = finish(&mut place.leadline(&words));
    assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
    let run: Value = serde_json::from_str(&done.stdout).unwrap();
    run["study"].clone()
}

fn value(study: &Value, name: &str) -> f64 {
    let value = &study["values"][name]["value"];
    value.as_f64().unwrap_or_else(|| panic!("{name}: {study}"))
}

fn near(found: f64, wanted: f64, share: f64) {
    assert!(
        (found / wanted - 1.0).abs() <= share,
        "{found}, not {wanted}"
    );
}

/// Whether a value or a cell has both ends of an interval around it.
fn has_interval(cell: &Value) -> bool {
    let of = |key: &str| cell[key].as_f64();
    let ends = of("low").zip(of("high"));
    let value = of("value");
    value
        .zip(ends)
        .is_some_and(|(value, (low, high))| (low..=high).contains(&value))
}

/// The rows of a study's table of this number.
fn rows(study: &Value, table: usize) -> &Vec<Value> {
    study["tables"][table]["rows"].as_array().unwrap()
}

#[test]
fn a_depth_curve_has_latency_alone_useful_concurrency_and_a_knee() {
    let found = study(&[
        "depth",
        "sim:iops=20000,service=200us,parallel=64",
        "--depths",
        "1..64",
    ]);
    near(value(&found, "highest"), 20_000.0, 0.01);
    near(value(&found, "alone"), 200_000.0, 0.01);
    near(value(&found, "useful_concurrency"), 4.0, 0.02);
    near(value(&found, "knee_first"), 4.0, 0.0);
    near(value(&found, "knee_last"), 4.0, 0.0);
    // Seven depths, by rising depth.
    let depths = rows(&found, 1)
        .iter()
        .map(|r| r["depth"]["value"].as_f64().unwrap());
    assert!(depths.eq([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]));
}

#[test]
fn a_rate_that_still_rises_has_no_knee() {
    let found = study(&["depth", "sim:service=1ms,parallel=64", "--depths", "1..32"]);
    assert_eq!(found["values"]["knee_last"]["at_least"], true, "{found}");
}

#[test]
fn the_law_of_a_mix_is_named() {
    let found = study(&[
        "mix",
        "sim:read_iops=20000,write_iops=8000,service=20us,parallel=64",
    ]);
    assert_eq!(found["values"]["law"]["text"], "separate-caps", "{found}");
    near(value(&found, "reads_alone"), 20_000.0, 0.02);
    near(value(&found, "writes_alone"), 8000.0, 0.02);
}

/// The totals of a volume at each step of its mix, in I/Os of this many bytes; the law that is named.
fn totals_of_mix(law: &str, step: &str, block: &str) -> (Vec<f64>, String) {
    // As many I/Os of each, that the mixes drawn are near to those asked for.
    let time = match block {
        "4k" | "8k" => "1s",
        _ => "8s",
    };
    let law = format!("sim:size=64g,service=200us,parallel=512,{law}");
    let more = [
        "--step", step, "--bs", block, "--depths", "256", "--time", time,
    ];
    let found = study(&[&["mix", &law][..], &more].concat());
    // By falling share of reads.
    let totals = rows(&found, 0)
        .iter()
        .map(|row| row["total"]["value"].as_f64().unwrap());
    let law = found["values"]["law"]["text"].as_str().unwrap();
    (totals.collect(), law.to_owned())
}

/// Published: 4 KiB and 8 KiB of one resource, 64 KiB with caps on the total and on writes, 256 KiB with one on reads, too.
#[test]
fn published_mixes_are_met_and_their_laws_are_named() {
    const MIB: f64 = 1_048_576.0;
    let by_tenth: &[f64] = &[
        460_000.0, 366_871.0, 305_102.0, 261_135.0, 228_244.0, 202_712.0, 182_317.0, 165_651.0,
        151_777.0, 140_047.0, 130_000.0,
    ];
    let of =
        |rates: &[f64], times: f64| rates.iter().map(|rate| rate * times).collect::<Vec<f64>>();
    let cases = [
        (
            "iops=460000,write_cost=3.538462",
            "10",
            "4k",
            by_tenth.to_vec(),
            "one-resource",
        ),
        (
            "iops=460000,write_cost=3.538462",
            "25",
            "4k",
            vec![460_000.0, 281_412.0, 202_712.0, 158_410.0, 130_000.0],
            "one-resource",
        ),
        (
            "iops=388000,write_cost=3.233333",
            "25",
            "4k",
            vec![388_000.0, 248_984.0, 183_307.0, 145_047.0, 120_000.0],
            "one-resource",
        ),
        (
            "iops=293000,write_cost=2.639640",
            "25",
            "8k",
            vec![293_000.0, 207_815.0, 161_005.0, 131_406.0, 111_000.0],
            "one-resource",
        ),
        (
            "bytes=3600m,write_bytes=2400m",
            "25",
            "64k",
            of(&[3600.0, 3600.0, 3600.0, 3200.0, 2400.0], MIB / 65_536.0),
            "total-and-writes",
        ),
        (
            "bytes=4500m,read_bytes=3500m,write_bytes=2500m",
            "25",
            "256k",
            of(&[3500.0, 4500.0, 4500.0, 3333.3, 2500.0], MIB / 262_144.0),
            "total-and-each",
        ),
    ];
    for (law, step, block, published, named) in cases {
        let (totals, found) = totals_of_mix(law, step, block);
        assert_eq!(found, named, "{law}");
        assert_eq!(totals.len(), published.len(), "{law}");
        for (total, published) in totals.iter().zip(published) {
            near(*total, published, 0.02);
        }
    }
}

#[test]
fn each_block_size_is_at_a_term() {
    let law = "sim:iops=20000,bytes=200m,service=100us,parallel=128,per_byte=1ns";
    let found = study(&["size", law, "--bs", "4k..256k", "--time", "1s"]);
    near(value(&found, "iops"), 20_000.0, 0.02);
    near(value(&found, "bytes"), 200.0 * 1024.0 * 1024.0, 0.02);
    let said = found["sentences"][0].as_str().unwrap();
    assert!(said.contains("a bandwidth cap"), "{said}");
}

/// 32 KiB at 20,000 IOPS: a volume that counts each 32 KiB as an I/O has that throughput at all larger blocks.
#[test]
fn a_throughput_that_begins_where_the_rate_ends_may_be_a_count_of_units() {
    let law = "sim:split=32k,iops=20000,service=200us,parallel=64";
    let found = study(&["size", law, "--bs", "4k..256k", "--time", "1s"]);
    let said = found["sentences"][0].as_str().unwrap();
    let part = "a bandwidth cap, or the same limit on IOPS, which counts each 32 KiB";
    assert!(said.contains(part), "{said}");
}

/// Of a mix of 50 % in which 51 were drawn, a cap of writes allows 2 % more: that is no misfit.
#[test]
fn a_law_is_fitted_to_the_shares_that_were_drawn() {
    let law = "sim:read_iops=5000,write_iops=2000,iops=6000,service=500us,parallel=64";
    let found = study(&["mix", law]);
    let said = found["sentences"][0].as_str().unwrap();
    assert!(said.contains("the only model that fits"), "{said}");
}

/// Several workers with many in flight, whatever the law: what is waited for at the end is not in the rate.
#[test]
fn rates_after_a_warm_up_are_those_of_the_law() {
    for (law, iops) in [
        ("iops=5000,service=200us,parallel=512", 5000.0),
        ("service=1416us,parallel=32", 32.0 / 1416e-6),
        ("connection=400m,service=100us,parallel=64", 409_600.0),
        (
            "iops=20000,service=200us,parallel=512,slice=100ms",
            20_000.0,
        ),
    ] {
        let law = format!("sim:{law}");
        for time in ["1s", "5s"] {
            let words = [
                "iops", &law, "--depths", "64", "--jobs", "4", "--rw", "randread",
            ];
            let found = study(&[&words[..], &["--time", time]].concat());
            let row = &rows(&found, 0)[0];
            let of = |name: &str| row[name]["value"].as_f64().unwrap();
            // One more or less of each batch that ends together.
            near(of("iops"), iops, 0.001);
            near(of("in flight"), 256.0, 0.001);
        }
    }
    // More in flight than ends in the time.
    let law = "sim:iops=700,service=200us,parallel=64";
    let words = [
        "iops", law, "--depths", "256", "--jobs", "4", "--rw", "randread",
    ];
    let found = study(&[&words[..], &["--time", "2s", "--warmup", "2s"]].concat());
    let row = &rows(&found, 0)[0];
    near(row["in flight"]["value"].as_f64().unwrap(), 1024.0, 0.001);
    near(row["iops"]["value"].as_f64().unwrap(), 700.0, 0.001);
    let law = "sim:iops=5000,write_cost=1.5,service=200us,parallel=512";
    let words = ["mix", law, "--step", "25", "--depths", "64", "--jobs", "4"];
    let found = study(&words);
    for (name, truth) in [("reads_alone", 5000.0), ("writes_alone", 5000.0 / 1.5)] {
        let figure = &found["values"][name];
        let [low, high] = ["low", "high"].map(|end| figure[end].as_f64().unwrap());
        assert!(
            low <= truth && truth <= high && high < 1.01 * low,
            "{figure}"
        );
    }
}

/// A cap below what one after the other would reach paces those: how long an I/O takes shows with pauses alone. A queue of one
/// server does not, nor a volume whose rate rises with depth.
#[test]
fn one_alone_on_a_capped_volume_is_not_the_cap() {
    let of = |law: &str, depths: &str| study(&["depth", law, "--depths", depths, "--quick"]);
    for depths in ["1..8", "4..16"] {
        let found = of("sim:iops=2000,service=200us,parallel=8", depths);
        near(value(&found, "alone"), 200_000.0, 0.01);
        near(value(&found, "useful_concurrency"), 0.4, 0.01);
        let said = found["sentences"][0].as_str().unwrap();
        assert!(said.contains("200 us +-<0.1 % with a pause"), "{said}");
        let paced = rows(&found, 1)
            .iter()
            .filter(|row| !row["rate"]["value"].is_null());
        assert_eq!(paced.count(), 1, "{found}");
    }
    // Some of them take longer than the cap has them wait.
    let found = of("sim:iops=6000,service=exp:100us", "1..16");
    near(value(&found, "alone"), 100_000.0, 0.1);
    near(value(&found, "useful_concurrency"), 0.6, 0.1);
    let found = of("sim:service=500us,parallel=1", "1..8");
    near(value(&found, "alone"), 500_000.0, 0.01);
    let said = found["sentences"][0].as_str().unwrap();
    assert!(!said.contains("pause"), "{said}");
    let found = of("sim:service=500us,parallel=4", "1..8");
    assert!(
        rows(&found, 1).iter().all(|row| row.get("rate").is_none()),
        "{found}"
    );
}

/// Where noise hides whether the last depth brings more, none says that the rate rises.
#[test]
fn a_rate_that_may_rise_is_not_said_to_rise() {
    let found = study(&[
        "depth",
        "sim:service=exp:1ms,parallel=1",
        "--depths",
        "4..32",
        "--quick",
    ]);
    let said = found["sentences"][0].as_str().unwrap();
    assert!(!said.contains("still rises"), "{said}");
}

#[test]
fn credits_have_two_rates_a_store_and_a_refill() {
    // 4,000 a second beyond 1,000: 40,000 tokens last 10 s.
    let law = "sim:iops=1000,burst_iops=5000,burst_store=40000,service=100us,parallel=64";
    let found = study(&["burst", law, "--time", "30s", "--rest", "20s"]);
    near(value(&found, "high"), 5000.0, 0.02);
    near(value(&found, "low"), 1000.0, 0.02);
    near(value(&found, "store"), 40_000.0, 0.03);
    near(value(&found, "fell_after"), 10.0, 0.03);
    let end = |end: &str| found["values"]["fell_after"][end].as_f64().expect("an end");
    assert!(end("low") < 10.0 && 10.0 < end("high"), "{found}");
    assert!(end("high") - end("low") < 2.1, "{found}");
    assert_eq!(found["values"]["fell_after"]["settled"], true, "{found}");
    let cell = &found["tables"][0]["rows"][0]["fell after"];
    assert_eq!(*cell, found["values"]["fell_after"], "{found}");
    // 20 s bring back 20,000.
    near(value(&found, "refill"), 1000.0, 0.05);
    let end = |end: &str| found["values"]["refill"][end].as_f64().expect("an end");
    assert!(end("low") <= 1000.1 && 999.9 <= end("high"), "{found}");
    assert!(end("low") < end("high"), "{found}");
    // One alone between the rest and the next point is slower than the refill, so that more comes back meanwhile: 73 MiB/s
    // are 18,688 of 4 KiB, and one alone takes 5,000.
    let law = "sim:bytes=73m,burst_bytes=222m,burst_bytes_store=1000m,service=200us,parallel=64";
    for rest in ["3s", "10s"] {
        let found = study(&["burst", law, "--time", "30s", "--rest", rest]);
        near(value(&found, "refill"), 18_688.0, 0.02);
    }
}

/// Reads at 500 and writes at 250 a second at both sizes: together they are at no one rate of I/Os or bytes.
#[test]
fn what_credits_are_charged_for_is_known_though_a_write_costs_more() {
    let law =
        "sim:iops=500,burst_iops=3000,burst_store=20000,write_cost=2,service=200us,parallel=64";
    let of = |rw: &str| study(&["burst", law, "--bs", "4k,64k", "--rw", rw, "--time", "60s"]);
    let found = of("read,write");
    assert_eq!(found["values"]["charged"]["text"], "ios", "{found}");
    near(value(&found, "write_cost"), 2.0, 0.02);
    near(value(&found, "ios_low"), 500.0, 0.02);
    let said = found["sentences"].to_string();
    for words in [
        "The lower rate of reads is 500 IOPS",
        "The lower rate of writes is 250 IOPS",
        "The charge for a write is that for a read times 2 +-",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    // Where both cost the same, once for both.
    let law = law.replace("write_cost=2,", "");
    let found = study(&[
        "burst",
        &law,
        "--bs",
        "4k,64k",
        "--rw",
        "read,write",
        "--time",
        "60s",
    ]);
    assert_eq!(found["values"]["charged"]["text"], "ios", "{found}");
    let said = found["sentences"].to_string();
    assert_eq!(said.matches("charged per I/O").count(), 1, "{said}");
    assert!(found["values"]["write_cost"].is_null(), "{found}");
}

/// Credits that end within the last seconds of the point: so little of the lower rate is seen there that it was taken for a mix
/// of both, or for no fall at all.
#[test]
fn credits_that_end_with_the_point_have_the_same_rates_and_store() {
    for store in [
        204_000_u32,
        212_000,
        216_000,
        220_000,
        228_000,
        232_000,
        238_000,
    ] {
        let law =
            format!("sim:iops=1000,burst_iops=5000,burst_store={store},service=200us,parallel=64");
        let found = study(&["burst", &law, "--rest", "60s"]);
        near(value(&found, "high"), 5000.0, 0.02);
        near(value(&found, "low"), 1000.0, 0.02);
        near(value(&found, "store"), f64::from(store), 0.01);
        near(value(&found, "refill"), 1000.0, 0.02);
    }
    // Of both kinds, each from block sizes of its own.
    let law = "sim:iops=1106,burst_iops=8607,burst_store=404628,bytes=96m,burst_bytes=154m,\
               burst_bytes_store=1545m,service=200us,parallel=64";
    let found = study(&["burst", law, "--bs", "4k,64k,256k", "--rest", "10s"]);
    assert_eq!(found["values"]["charged"]["text"], "both", "{found}");
    near(value(&found, "ios_store"), 404_628.0, 0.01);
    near(value(&found, "ios_low"), 1106.0, 0.01);
    // In the last interval alone, of which a part is at the higher rate.
    let law = "sim:iops=2338,burst_iops=7882,burst_store=330991,service=100us-900us,parallel=64";
    let found = study(&["burst", law, "--rest", "10s"]);
    near(value(&found, "low"), 2338.0, 0.02);
    near(value(&found, "store"), 330_991.0, 0.01);
    // The fall after the rest would come later than its point: neither the lower rate nor the store is known.
    let law = "sim:iops=4500,burst_iops=6000,burst_store=87000,service=200us,parallel=64";
    let found = study(&["burst", law, "--rest", "60s"]);
    let said = found["sentences"].to_string();
    assert!(
        said.contains("too short to distinguish a fall from a stall"),
        "{said}"
    );
    // A rate that stays is none.
    let found = study(&["burst", "sim:iops=5000,service=200us,parallel=64"]);
    let said = found["sentences"].to_string();
    assert!(
        said.contains("No fall of a tenth or more in 60.0 s"),
        "{said}"
    );
}

/// Credits of a second, which one I/O alone would use up if it came first, and falls of a sixth, at whatever time.
#[test]
fn small_stores_and_small_falls_are_seen() {
    for (law, block, low, store) in [
        (
            "iops=693,burst_iops=2205,burst_store=2073",
            "64k",
            693.0,
            2073.0,
        ),
        (
            "iops=1417,burst_iops=6167,burst_store=4152",
            "4k",
            1417.0,
            4152.0,
        ),
        (
            "bytes=31m,burst_bytes=37m,burst_bytes_store=322m",
            "256k",
            124.0,
            1288.0,
        ),
        (
            "bytes=33m,burst_bytes=79m,burst_bytes_store=130m,service=exp:1ms",
            "16k",
            2112.0,
            8320.0,
        ),
    ] {
        let law = format!("sim:parallel=64,{law}");
        let found = study(&["burst", &law, "--bs", block, "--rest", "5m"]);
        near(value(&found, "low"), low, 0.005);
        // The lower rate is known to a quarter of a per cent: over 54 s that is 16 I/Os of 1,288.
        near(value(&found, "store"), store, 0.08);
        assert_eq!(found["values"]["refill"]["at_least"], true, "{found}");
    }
    let law = "sim:iops=724,burst_iops=2697,burst_store=120721,service=200us,parallel=64";
    let found = study(&["burst", law, "--rest", "10s"]);
    let said = found["sentences"].to_string();
    assert!(
        said.contains("there are credits, and they lasted"),
        "{said}"
    );
    assert!(
        !said.contains(" IOPS within "),
        "both have intervals: {said}"
    );
}

/// One I/O in a hundred takes 40 ms: each total is known to a tenth, and within that it is constant.
#[test]
fn a_mix_that_is_known_to_a_tenth_excludes_no_law() {
    let law = "sim:size=1g,mix=99%:200us/1%:40ms,parallel=16";
    let found = study(&["mix", law, "--quick"]);
    let said = found["sentences"].to_string();
    assert!(!said.contains("No model of two or three caps"), "{said}");
    assert!(
        said.contains("No law follows from mixes whose rates are known to"),
        "{said}"
    );
}

/// A cache of which fewer and fewer reads of one I/O alone are hits slows no I/O, as credits that were spent do.
#[test]
fn hits_of_a_cache_are_no_credits() {
    let law = "sim:size=1g,cache=128m:20us,service=500us,parallel=16";
    let found = study(&["burst", law, "--rest", "20s", "--quick"]);
    let said = found["sentences"].to_string();
    assert!(said.contains("or a cache had fewer hits"), "{said}");
    assert!(!said.contains("there are credits"), "{said}");
}

/// Where all had come back, the refill is at least as fast as that; the rates of both levels have intervals.
#[test]
fn a_store_that_was_full_again_bounds_the_refill() {
    let law = "sim:iops=1000,burst_iops=5000,burst_store=40000,service=100us,parallel=64";
    let found = study(&["burst", law, "--time", "40s", "--rest", "60s"]);
    let refill = &found["values"]["refill"];
    assert_eq!(refill["at_least"], true, "{refill}");
    for (name, truth) in [("high", 5000.0), ("low", 1000.0), ("store", 40_000.0)] {
        let figure = &found["values"][name];
        let end = |end: &str| figure[end].as_f64().expect("an end");
        // What comes at even moments has no width.
        assert!(
            end("low") <= end("value") && end("value") <= end("high"),
            "{figure}"
        );
        // Of the store, the time of the fall is known to an I/O or two.
        assert!(
            end("low") <= truth + 2.0 && truth - 2.0 <= end("high"),
            "{figure}"
        );
    }
}

/// One in flight brings 5,000 a second of the 20,000 that the credits allow.
#[test]
fn a_burst_of_the_own_depth_is_no_rate_of_the_volume() {
    let law = "sim:iops=1000,burst_iops=20000,burst_store=40000,service=200us,parallel=64";
    let words = [
        "burst", law, "--time", "30s", "--rest", "20s", "--rw", "read", "--depths",
    ];
    let shallow = study(&[&words[..], &["4"]].concat());
    near(value(&shallow, "high"), 20_000.0, 0.02);
    let said = shallow["sentences"].to_string();
    assert!(
        said.contains("The higher rate is limited by this study"),
        "{said}"
    );
    let high = &shallow["values"]["high"];
    assert_eq!(high["at_least"], true, "{high}");
    // 20 s bring back 20,000, whoever uses some of them first.
    near(value(&shallow, "refill"), 1000.0, 0.06);
    let deep = study(&[&words[..], &["32"]].concat());
    let said = deep["sentences"].to_string();
    assert!(
        !said.contains("The higher rate is limited by this study"),
        "{said}"
    );
    near(value(&deep, "refill"), 1000.0, 0.06);
}

#[test]
fn one_block_size_does_not_tell_credits_for_ios_from_those_for_bytes() {
    let law = "sim:iops=1000,burst_iops=4000,burst_store=20000,service=100us,parallel=64";
    let drained = |block: &str| {
        let words = [
            "burst", law, "--rest", "20s", "--time", "20s", "--rw", "read", "--bs", block,
        ];
        study(&words)
    };
    let one = drained("4k");
    let said = one["sentences"].to_string();
    assert!(
        said.contains("is not known from one block size: a second one would show it: 4k,64k"),
        "{said}"
    );
    assert_eq!(one["values"]["charged"]["text"], "unknown");
    let both = drained("4k,64k");
    assert_eq!(both["values"]["charged"]["text"], "ios", "{both}");
}

/// 500 IOPS and 20 MiB/s: at 64 KiB the bytes are the lower, in whichever order the sizes are given.
#[test]
fn a_bucket_of_ios_is_distinguished_from_one_of_bytes() {
    let law = "sim:iops=500,burst_iops=3000,burst_store=20000,bytes=20m,burst_bytes=60m,burst_bytes_store=500m,\
               service=200us,parallel=64";
    for blocks in ["4k,64k,16k", "64k,16k,4k"] {
        let found = study(&["burst", law, "--bs", blocks, "--rest", "60s"]);
        assert_eq!(found["values"]["charged"]["text"], "both", "{found}");
        near(value(&found, "ios_low"), 500.0, 0.02);
        for name in ["ios_low", "bytes_low"] {
            assert!(has_interval(&found["values"][name]), "{name}: {found}");
        }
        near(value(&found, "ios_store"), 20_000.0, 0.05);
        near(value(&found, "bytes_low"), f64::from(20 << 20), 0.02);
        near(value(&found, "bytes_store"), f64::from(500 << 20), 0.05);
        // All of it was back: the refill is at least that fast.
        let rows = rows(&found, 0);
        let small = rows.iter().find(|row| row["block"]["value"] == 4096.0);
        assert_eq!(small.unwrap()["refill"]["at_least"], true, "{found}");
    }
    let kinds = study(&["burst", law, "--rw", "randread,randwrite", "--rest", "60s"]);
    let loads: Vec<&str> = rows(&kinds, 0)
        .iter()
        .map(|row| row["load"]["text"].as_str().unwrap())
        .collect();
    assert!(loads.len() == 2 && loads[0] != loads[1], "{loads:?}");
}

/// The fill empties the bucket, and a rest of 5 s brings 1,600 I/Os of 8,000 back.
#[test]
fn a_store_that_the_fill_emptied_is_a_lower_bound() {
    let law = "sim:bytes=20m,burst_bytes=60m,burst_bytes_store=500m,service=200us,parallel=64";
    let found = study(&["burst", law, "--bs", "64k", "--rest", "5s"]);
    assert_eq!(found["values"]["store"]["at_least"], true, "{found}");
    let said = found["sentences"].to_string();
    assert!(said.contains("burst credit for at least"), "{said}");
    let rested = study(&["burst", law, "--bs", "64k", "--rest", "60s"]);
    near(value(&rested, "store"), 8000.0, 0.05);
    let end = |end: &str| rested["values"]["store"][end].as_f64().expect("an end");
    assert!(end("low") < 8000.0 && 8000.0 < end("high"), "{rested}");
    assert!(end("high") - end("low") < 800.0, "{rested}");
    let said = rested["sentences"].to_string();
    assert!(
        said.contains("burst credit for about 8,0")
            && said.contains("I/Os")
            && said.contains(" +-"),
        "{said}"
    );
    assert!(rested["values"]["store"]["at_least"].is_null(), "{rested}");
}

#[test]
fn a_plain_cap_has_no_fall_and_that_is_said_with_its_time() {
    let found = study(&["burst", "sim:iops=1000", "--time", "10s"]);
    let said = found["sentences"][0].as_str().unwrap();
    assert!(
        said.starts_with("No fall of a tenth or more in 10.0 s at 1,000 IOPS"),
        "{said}"
    );
}

#[test]
fn rounds_of_a_steady_volume_pass_at_the_fifth() {
    let place = Place::new();
    let found = study_in(&place, &["steady", "sim:iops=1000", "--time", "1s"]);
    near(value(&found, "steady_round"), 5.0, 0.0);
    let page = std::fs::read_to_string(place.join("s.html")).unwrap();
    assert!(page.contains(">IOPS over rounds</"), "{page}");
}

#[test]
fn rounds_that_fall_are_never_steady_or_later() {
    // The rate falls three times, about every round.
    let law = "sim:iops=2000,at=7s:iops=1500,at=12s:iops=1000,at=17s:iops=700";
    let found = study(&[
        "steady",
        law,
        "--time",
        "5s",
        "--precondition",
        "1x",
        "--warmup",
        "0",
        "--dataset",
        "16m",
    ]);
    let round = &found["values"]["steady_round"];
    assert!(round["value"].as_f64().is_none_or(|n| n > 5.0), "{found}");
}

#[test]
fn a_screening_shows_the_factors_that_matter() {
    let law = "sim:service=1ms,parallel=64";
    let factors = "jobs=1,4;depths=1,4;bs=4k,64k";
    let found = study(&["screen", law, "--factors", factors, "--time", "1s"]);
    let effects = rows(&found, 0);
    let of = |name: &str| {
        let row = effects.iter().find(|r| r["factor"]["text"] == name);
        row.unwrap()["times"]["value"].as_f64().unwrap()
    };
    near(of("jobs"), 4.0, 0.02);
    near(of("depth"), 4.0, 0.02);
    near(of("block"), 1.0, 0.02);
    for row in rows(&found, 1) {
        assert!(has_interval(&row["iops"]), "{row}");
    }
}

/// Seven factors, of which four have an effect that the law says: twice the jobs and 1.4 times the depth in front of a volume
/// that has room for all, writes that take 1/0.6 as long as reads, blocks whose bytes take 4 ns each. Exponential service
/// times make the rate of about 400 I/Os vary by 5 %.
#[test]
fn seven_factors_come_out_under_noise() {
    let law = "sim:service=exp:1ms,write_service=exp:1667us,per_byte=4ns,parallel=64,size=64m";
    let factors = "jobs=1,2;rw=read,write;depths=5,7;bs=4k,64k;order=random,sequential;files=1,4;direct=yes,no";
    let of_bytes = |alone: f64| (alone + 0.016_384) / (alone + 0.262_144);
    let known = [
        ("jobs", 2.0),
        ("reads", 1.0 / 0.6),
        ("depth", 1.4),
        ("block", (of_bytes(1.0) * of_bytes(1.667)).sqrt()),
    ];
    let is_right = |seed: u32| {
        let seed = seed.to_string();
        let words = [
            "screen",
            law,
            "--factors",
            factors,
            "--time",
            "80ms",
            "--warmup",
            "0",
            "--dataset",
            "64m",
        ];
        let place = Place::new();
        let usual = ["--json", "--seed", &seed, "--out", "s"];
        let done = finish(&mut place.leadline([&["study"], &words[..], &usual].concat()));
        assert_eq!(done.code, Some(0), "{done:?}");
        let run: Value = serde_json::from_str(&done.stdout).unwrap();
        let effects = rows(&run["study"], 0);
        known.iter().zip(effects).all(|((name, times), row)| {
            // The high value of `rw` is a write.
            let times = if *name == "reads" {
                1.0 / times
            } else {
                *times
            };
            let found = row["times"]["value"].as_f64().unwrap();
            row["factor"]["text"] == *name && (found > 1.0) == (times > 1.0)
        })
    };
    let seeds: Vec<u32> = (1..=20).collect();
    let right: usize = std::thread::scope(|scope| {
        let halves = seeds
            .chunks(10)
            .map(|own| scope.spawn(move || own.iter().filter(|seed| is_right(**seed)).count()));
        let halves: Vec<_> = halves.collect();
        halves.into_iter().map(|half| half.join().unwrap()).sum()
    });
    assert!(right >= 19, "{right} of 20");
}

#[test]
fn eleven_factors_are_screened_and_what_is_none_is_said() {
    let factors = "bs=4k,64k;jobs=1,2;depths=2,8;rw=read,write;order=random,sequential;files=1,4;direct=yes,no;\
                   engine=io_uring,psync;theta=0,1.2;dataset=32m,64m;fsync=0,8";
    let found = study(&[
        "screen",
        "sim:service=1ms,parallel=64,size=64m",
        "--factors",
        factors,
        "--time",
        "1s",
    ]);
    assert_eq!(rows(&found, 0).len(), 11);
    let found = study(&[
        "screen",
        "sim:service=1ms",
        "--factors",
        "think=0,1ms;bs=4k,8k",
        "--depths",
        "1",
        "--time",
        "1s",
    ]);
    let think = &rows(&found, 0)[0];
    assert_eq!(think["factor"]["text"], "think");
    near(think["times"]["value"].as_f64().unwrap(), 0.5, 0.1);
    for (factors, said) in [
        (
            "nconnect=1,4;bs=4k,8k",
            "'nconnect' is not a factor; bs, jobs, depths, rw, order, files, direct, engine, theta",
        ),
        ("bs=4k,8k", "2 to 11 factors, not 1"),
        ("fsync=0,8;bs=4k,8k", "only writes are flushed"),
        ("theta=1,2;bs=4k,8k", "'1' is no exponent"),
        ("dataset=4k,1g;bs=4k,8k", "smaller than a block"),
    ] {
        let wrong = refused(&["screen", "sim:iops=1000", "--factors", factors]);
        assert!(wrong.contains(said), "{factors}: {wrong}");
    }
}

#[test]
fn hosts_share_a_volume_and_the_law_of_scaling_is_fitted() {
    let law = "sim:iops=20000,service=1ms,parallel=256";
    let found = study(&[
        "scale-out",
        law,
        "--hosts",
        "h[1-4]",
        "--launcher",
        "local",
        "--counts",
        "1,2,4",
        "--depths",
        "8",
        "--time",
        "1s",
    ]);
    let hosts = rows(&found, 0);
    let totals: Vec<f64> = hosts
        .iter()
        .map(|r| r["total"]["value"].as_f64().unwrap())
        .collect();
    near(totals[0], 8000.0, 0.02);
    near(totals[1], 16_000.0, 0.02);
    near(totals[2], 20_000.0, 0.02);
    assert!(found["values"]["peak_hosts"]["value"].is_null(), "{found}");
}

/// Each chart of a page is named by what it is of, and a law is drawn where one fits.
#[test]
fn charts_of_several_depths_and_blocks_have_titles_of_their_own() {
    let place = Place::new();
    let done = finish(&mut place.leadline([
        "study",
        "scale-out",
        "sim:iops=20000,service=exp:1ms,parallel=64",
        "--hosts",
        "h[1-4]",
        "--launcher",
        "local",
        "--counts",
        "1,2,4",
        "--depths",
        "8,32",
        "--bs",
        "4k,16k",
        "--time",
        "1s",
        "--out",
        "s",
    ]));
    assert_eq!(done.code, Some(0), "{done:?}");
    let page = std::fs::read_to_string(place.join("s.html")).unwrap();
    let titles = page.split("<h3>").skip(1);
    let titles = titles.filter_map(|rest| rest.split("</h3>").next());
    let mut titles: Vec<&str> = titles
        .filter(|title| title.contains("over hosts"))
        .collect();
    assert_eq!(titles.len(), 8, "{titles:?}");
    titles.sort_unstable();
    titles.dedup();
    assert_eq!(titles.len(), 8, "{titles:?}");
    assert!(
        titles.contains(&"p99 over hosts: 4 KiB, depth 8"),
        "{titles:?}"
    );
}

#[test]
fn near_and_far_hosts_reach_the_same_rate_at_other_depths() {
    let place = Place::new();
    let near_law = "sim:iops=20000,service=500us,parallel=256";
    let found = study_in(
        &place,
        &[
            "near-far",
            near_law,
            "--hosts",
            "a,b",
            "--launcher",
            "local",
            "--groups",
            "near=a",
            "far=b",
            "--depths",
            "1,64",
            "--time",
            "1s",
        ],
    );
    near(value(&found, "alone_near"), 500_000.0, 0.02);
    // One volume, no distance.
    assert!(value(&found, "alone_difference").abs() < 20_000.0);
    let said = found["sentences"].to_string();
    assert!(said.contains("no difference shown"), "{said}");
    assert!(!said.contains("due to"), "{said}");
    let together = rows(&found, 1)
        .iter()
        .filter(|r| r["group"]["text"].as_str().unwrap().contains("together"));
    let sum: f64 = together
        .filter(|r| r["depth"]["value"] == 64.0)
        .map(|r| r["iops"]["value"].as_f64().unwrap())
        .sum();
    near(sum, 20_000.0, 0.02);
}

#[test]
fn what_does_not_go_with_the_hosts_has_a_code_a_place_and_a_cure() {
    let hosts = ["sim:iops=9", "--hosts", "a,b", "--launcher", "local"];
    let of = |study: &str, option: &[&str]| refused(&[&[study], &hosts[..], option].concat());
    let counts = of("scale-out", &["--counts", "1,4"]);
    for part in [
        "error[counts-above-hosts]",
        "4 requested, but there are 2 hosts",
        "--> command line",
        "lower --counts",
    ] {
        assert!(counts.contains(part), "{part}: {counts}");
    }
    let groups = of("near-far", &["--groups", "near=a", "far=c"]);
    for part in [
        "error[no-such-host]",
        "c is not among the hosts",
        "--> command line",
        "expected a, b",
    ] {
        assert!(groups.contains(part), "{part}: {groups}");
    }
}

#[test]
fn a_directory_that_is_not_there_and_a_table_that_is_none_are_refused() {
    let place = Place::new();
    let missing = place.join("missing");
    let said = refused(&["iops", missing.to_str().unwrap(), "--time", "1s"]);
    assert!(said.contains("there is no such directory"), "{said}");
    assert!(!missing.exists());
    let file = place.join("x.toml");
    std::fs::write(
        &file,
        "study = \"iops\"\ntarget = \"sim:iops=9\"\n[foo]\nbar = 1\n",
    )
    .unwrap();
    let said = refused(&[file.to_str().unwrap()]);
    assert!(
        said.contains("error[no-such-table]: a study file has no table `foo`"),
        "{said}"
    );
    assert!(said.contains("x.toml:3:"), "{said}");
    // What a line that is no TOML would have been is not asked; another line is.
    let broken = "study = \"iops\"\ntarget = \"sim:iops=9\"\nother = 1\nfoo = [1\n";
    std::fs::write(&file, broken).unwrap();
    let said = refused(&[file.to_str().unwrap()]);
    assert!(said.contains("error[not-toml]"), "{said}");
    assert!(said.contains("studies have no option `other`"), "{said}");
    assert!(!said.contains("`foo`"), "{said}");
}

/// Two seconds of a burst say nothing of the time after it; a study of the burst itself looks until it ends.
#[test]
fn a_study_says_for_how_long_it_looked_at_a_rate() {
    let law = "sim:iops=5000,burst_iops=9000,burst_store=900000,service=400us,parallel=32";
    let last = |name: &[&str]| {
        let said = study(&[name, &[law, "--rw", "read", "--time", "2s"]].concat());
        let sentences = said["sentences"].as_array().unwrap();
        sentences.last().unwrap().as_str().unwrap().to_owned()
    };
    for name in ["iops", "depth", "size", "curve"] {
        let said = last(&[name]);
        assert!(
            said.starts_with("The longest point took 2.00 s: burst credits"),
            "{said}"
        );
    }
    let said = last(&["burst", "--rest", "10s"]);
    assert!(!said.contains("The longest point"), "{said}");
    // Of reads and writes together.
    let rated = ["combined", "--rated", "randwrite:1000"];
    for name in [&["map"][..], &rated] {
        let words = [&name[..1], &[law, "--time", "2s"], &name[1..]].concat();
        let said = study(&words)["sentences"].to_string();
        assert!(
            said.contains("The longest point took 2.00 s: burst"),
            "{words:?}: {said}"
        );
    }
}

/// Once, with what was meant: it is no target, and neither is its value.
#[test]
fn an_option_with_one_dash_is_refused() {
    let said = refused(&["iops", "sim:iops=9", "-o", "x.html"]);
    let first = "error[no-such-option]: studies have no option `-o`";
    assert!(said.starts_with(first), "{said}");
    assert!(said.contains("did you mean `--out`?"), "{said}");
    assert_eq!(said.matches("error").count(), 1, "{said}");
    let said = refused(&["iops", "-strange-volume"]);
    assert!(said.contains("is written ./-strange-volume"), "{said}");
}

/// A volume that would do much more: no fall, no peak and no limit of it follows from as much as the study's own depth brings.
#[test]
fn a_rate_of_the_own_depth_says_nothing_of_credits_or_of_more_hosts() {
    let idle = "sim:service=1ms,parallel=4096";
    let burst = study(&[
        "burst", idle, "--rw", "read", "--rest", "1s", "--time", "10s",
    ]);
    let said = burst["sentences"].to_string();
    assert!(
        said.contains("says nothing about credits: mean latency with 32 in flight was"),
        "{said}"
    );
    assert!(
        said.contains("the depth of this study was the limit, not the volume"),
        "{said}"
    );
    let hosts = [
        "--hosts",
        "h[1-4]",
        "--launcher",
        "local",
        "--counts",
        "1,2,4",
        "--time",
        "1s",
    ];
    let of =
        |law: &str| study(&[&["scale-out", law], &hosts[..]].concat())["sentences"].to_string();
    let said = of(idle);
    assert!(
        said.contains("Mean latency with 128 in flight was 1.00 ms, the same as at depth 1"),
        "{said}"
    );
    // A cap that all share is the volume's own.
    let said = of("sim:service=1ms,parallel=4096,iops=40000");
    assert!(!said.contains("the depth of this study"), "{said}");
}

/// As in a published test of a database: its log at a rate is on one volume, its data on another.
#[test]
fn two_classes_may_be_on_volumes_of_their_own() {
    let free = "sim:iops=78600,service=100us,parallel=128";
    let of = |rated: &[&str]| {
        let words = [
            "combined",
            free,
            "--rated",
            "randwrite:12800",
            "--depths",
            "32",
            "--time",
            "1s",
        ];
        study(&[&words[..], rated].concat())
    };
    let apart = of(&[
        "--rated-target",
        "sim:iops=20000,service=200us,parallel=128,name=log",
    ]);
    near(value(&apart, "free_alone"), 78_600.0, 0.02);
    near(value(&apart, "free_together"), 78_600.0, 0.02);
    near(value(&apart, "rated_together"), 12_800.0, 0.02);
    let said = apart["sentences"].to_string();
    assert!(said.contains("takes no measurable rate"), "{said}");
    // On one volume they share its cap.
    near(value(&of(&[]), "free_together"), 78_600.0 - 12_800.0, 0.03);
}

/// Of two repeats a percentile of a class beside the other has an interval, as one alone has.
#[test]
fn percentiles_of_classes_have_the_intervals_of_their_repeats() {
    let found = study(&[
        "combined",
        "sim:service=exp:400us,parallel=8",
        "--rated",
        "randwrite:4000",
        "--depths",
        "8",
        "--repeat",
        "2",
        "--time",
        "2s",
    ]);
    for name in ["free_p99_alone", "free_p99_together", "rated_p50_together"] {
        let of = |key: &str| found["values"][name][key].as_f64().expect(name);
        let (low, high) = (of("low"), of("high"));
        assert!(low < of("value") && of("value") < high, "{name}: {found}");
        assert!(high - low < 0.3 * of("value"), "{name}: {found}");
    }
    let together = &rows(&found, 0)[1];
    assert_eq!(together["when"]["text"], "together");
    assert_eq!(together["p99"], found["values"]["free_p99_together"]);
}

/// Two groups of hosts of one volume, the second as far away as this says.
fn of_groups(law: &str, distance: &[&str]) -> Value {
    let hosts = [
        "--hosts",
        "a,b",
        "--launcher",
        "local",
        "--groups",
        "near=a",
        "far=b",
    ];
    let points = ["--depths", "1,64", "--time", "1s"];
    study(&[&["near-far", law], &hosts[..], distance, &points].concat())
}

#[test]
fn distance_is_claimed_where_the_round_trips_say_so() {
    let law = "sim:iops=20000,service=500us,parallel=256,rtt=100us";
    let far = of_groups(law, &["--distance", "far=500us"]);
    near(value(&far, "alone_near"), 600_000.0, 0.02);
    near(value(&far, "alone_far"), 1_100_000.0, 0.02);
    near(value(&far, "distance"), 500_000.0, 1e-6);
    let said = far["sentences"].to_string();
    assert!(
        said.contains(
            "distance explains 500 us of the 500 us more that an I/O at depth 1 takes; without"
        ),
        "{said}"
    );
    assert!(
        said.contains("the longer latency needs more queue depth but costs no IOPS"),
        "{said}"
    );
    let rest = "without it, mean latency is 500 us +-<0.1 % and 500 us +-<0.1 %.";
    assert!(said.contains(rest), "{said}");
    let sentences = far["sentences"].as_array().unwrap().iter();
    let mut sentences = sentences.filter_map(Value::as_str);
    let open = sentences.find(|said| said.starts_with("In an open loop at half"));
    assert_eq!(open.map(|said| said.matches(" IOPS +-").count()), Some(2));
    let tables = far["tables"].as_array().unwrap();
    let split = tables.iter().find(|t| t["title"] == "Latency at depth 1");
    for row in split.unwrap()["rows"].as_array().unwrap() {
        let known = ["mean latency", "service"].map(|column| has_interval(&row[column]));
        assert_eq!(known, [true; 2], "{row}");
    }
    // N/(R0 + d) at a depth that the cap does not reach.
    let row = &rows(&far, 0)[0];
    assert!(has_interval(&row["expected far"]), "{row}");
    near(row["far/near"]["value"].as_f64().unwrap(), 0.6 / 1.1, 0.02);
    for (given, part) in [
        ("fare=1ms", "there is no group fare"),
        ("far", "far=500us"),
        ("far=1ms,far=2ms", "twice"),
    ] {
        let words = [
            "near-far",
            law,
            "--hosts",
            "a,b",
            "--groups",
            "near=a",
            "far=b",
            "--distance",
            given,
        ];
        assert!(refused(&words).contains(part), "{given}");
    }
}

#[test]
fn a_cache_beyond_the_host_shows_in_offsets_that_come_again() {
    let law = "sim:size=1g,service=1ms,parallel=8,cache=256m:100us";
    let found = study(&[
        "cache",
        law,
        "--time",
        "2s",
        "--dataset",
        "512m",
        "--server-cache",
        "128m",
    ]);
    assert!(value(&found, "same_over_other") > 1.1, "{found}");
    assert!(has_interval(&found["values"]["same_over_other"]), "{found}");
    let none = study(&[
        "cache",
        "sim:size=1g,service=1ms,parallel=8",
        "--time",
        "1s",
        "--dataset",
        "256m",
    ]);
    near(value(&none, "same_over_other"), 1.0, 0.05);
    // A cache that holds what was just written looks like none at all.
    let whole = |cache: &str, more: &[&str]| {
        let law = format!("sim:size=1g,service=1ms,parallel=8{cache}");
        let words = [
            "cache",
            &law,
            "--time",
            "1s",
            "--dataset",
            "128m",
            "--rw",
            "read",
        ];
        let found = study(&[&words[..], more].concat());
        let seen = found["values"]["cache_seen"]["text"].clone();
        (found["sentences"][0].as_str().unwrap().to_owned(), seen)
    };
    for cache in ["", ",cache=256m:100us"] {
        let (said, seen) = whole(cache, &[]);
        assert!(
            said.contains("To distinguish these, give the size of the server"),
            "{said}"
        );
        assert_eq!(seen, "unknown");
    }
    let elsewhere = ["--server-cache", "256m"];
    let (said, seen) = whole("", &elsewhere);
    assert!(
        said.contains("no cache beyond this host is visible"),
        "{said}"
    );
    assert_eq!(seen, "no");
    let (said, seen) = whole(",cache=256m:100us", &elsewhere);
    assert!(
        said.contains("a cache beyond this host holds both"),
        "{said}"
    );
    assert_eq!(seen, "yes");
}

#[test]
fn repeats_have_an_order_and_seeds_of_their_own() {
    let words = [
        "iops",
        "sim:service=exp:1ms,parallel=8",
        "--repeat",
        "4",
        "--rw",
        "read",
        "--time",
        "1s",
    ];
    let found = study(&words);
    let iops = &rows(&found, 0)[0]["iops"];
    let (low, high) = (
        iops["low"].as_f64().unwrap(),
        iops["high"].as_f64().unwrap(),
    );
    assert!(low < high && low < 8000.0 && high > 7000.0, "{iops}");
}

#[test]
fn an_option_in_a_file_is_that_of_the_command_line() {
    let place = Place::new();
    let text = "study = \"depth\"\ntarget = \"sim:service=1ms,parallel=4\"\ndepths = [1, 2, 4, 8]\ntime = \"1s\"\n";
    std::fs::write(place.join("s.toml"), text).unwrap();
    let of_file = study_in(&place, &["s.toml"]);
    let words = [
        "depth",
        "sim:service=1ms,parallel=4",
        "--depths",
        "1,2,4,8",
        "--time",
        "1s",
    ];
    assert_eq!(of_file, study_in(&place, &words));
}

/// What a study says that is not accepted.
#[test]
fn a_point_of_a_study_ends_when_its_figures_are_known() {
    let place = Place::new();
    let law = "sim:service=exp:1ms,parallel=1";
    let words = [
        "latency",
        law,
        "--rw",
        "randread",
        "--bs",
        "4k,64k",
        "--time",
        "20s",
        "--until-interval",
        "2%",
    ];
    study_in(&place, &words);
    let run = leadline_results::store::open(&place.join("s.leadline")).unwrap();
    let spans = run.stages.iter().skip(1).map(|stage| {
        let worker = &stage.workers[0];
        worker.window_end.since(worker.window_start).as_secs_f64()
    });
    // 9,604 exponential times are known within 2 %.
    for span in spans {
        assert!((7.5..24.0).contains(&span), "{span} s");
    }
    let said = refused(&["burst", law, "--until-interval", "2%"]);
    assert!(said.contains("the study burst has no option"), "{said}");
    let said = refused(&["latency", law, "--until-interval", "2"]);
    assert!(said.contains("'2' is not a share"), "{said}");
}

/// So does the run that confirms a highest rate: it is the figure of its point.
#[test]
fn a_confirming_run_ends_when_its_figures_are_known() {
    let place = Place::new();
    let words = [
        "iops",
        "sim:size=1g,service=exp:2ms,parallel=2",
        "--rw",
        "randread",
        "--depths",
        "2,8",
        "--time",
        "5s",
        "--until-interval",
        "2%",
    ];
    study_in(&place, &words);
    let run = leadline_results::store::open(&place.join("s.leadline")).unwrap();
    let plan = run.plan.as_ref().unwrap();
    let mut stages = plan.stages.iter().zip(&run.stages);
    let is_again = |(plan, _): &(&Stage, _)| plan.name.contains("/confirm-");
    let (plan, again) = stages.find(is_again).unwrap();
    assert!(plan.until.narrow.is_some(), "{plan:?}");
    let worker = &again.workers[0];
    let span = worker.window_end.since(worker.window_start).as_secs_f64();
    // At 1,000 a second, 9,604 exponential times are known within 2 %.
    assert!((6.0..20.0).contains(&span), "{span} s");
}

fn refused(words: &[&str]) -> String {
    let place = Place::new();
    let done = finish(&mut place.leadline([&["study"], words].concat()));
    assert_eq!(done.code, Some(2), "{words:?}: {done:?}");
    done.stderr
}

/// With several shares of reads, each step is drawn over them.
#[test]
fn caches_are_drawn_over_the_share_of_reads() {
    let law = "sim:iops=3000,service=1ms,parallel=64,cache=30m:300us";
    let place = Place::new();
    let page = |shares: &str| {
        let words = ["cache", law, "--dataset", "96m", "--rw", shares, "--quick"];
        study_in(&place, &words);
        let page = std::fs::read_to_string(place.join("s.html")).unwrap();
        let (_, chart) = page.split_once("With and without caches")?;
        Some(chart.split("</svg>").next()?.to_owned())
    };
    let chart = page("100,50").expect("a chart");
    for name in [
        "share of reads",
        "direct, same offsets",
        "direct, other offsets",
    ] {
        assert!(chart.contains(name), "{name}: {chart}");
    }
    // No page cache is before a simulated volume, and one share of reads makes no curve.
    assert!(!chart.contains("buffered"), "{chart}");
    assert_eq!(page("100"), None);
}

/// What was not read may hold the rest.
#[test]
fn a_file_that_cannot_be_read_is_one_mistake() {
    let said = refused(&["no-such.toml"]);
    assert!(
        said.contains("no-such.toml") && !said.contains("no target given"),
        "{said}"
    );
}

#[test]
fn what_is_wrong_is_said_at_once_and_nothing_runs() {
    let said = refused(&[
        "depth",
        "sim:iops=1000",
        "--dephts",
        "1",
        "--bs",
        "4q",
        "--slo",
        "p99<2",
    ]);
    for part in [
        "did you mean `depths`?",
        "'q' is not a unit",
        "the unit is missing",
        "the study depth has no option",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // What every verb has is said beside it.
    let said = refused(&[
        "iops",
        "sim:iops=9",
        "--bs",
        "4q",
        "--assert",
        "p9",
        "--map",
        "x",
    ]);
    for part in ["'q' is not a unit", "--assert", "--map"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(refused(&["limit", "sim:iops=1000"]).contains("needs --slo"));
    assert!(refused(&["dpeth", "x"]).contains("did you mean `depth`?"));
    let counts = [
        "scale-out",
        "sim:iops=9",
        "--hosts",
        "a,b",
        "--launcher",
        "local",
        "--counts",
        "1,4",
    ];
    assert!(refused(&counts).contains("there are 2 hosts"));
    assert!(refused(&TOO_MANY).contains("--yes"));
}

/// 24,001 points.
const TOO_MANY: [&str; 6] = [
    "iops",
    "sim:iops=9",
    "--depths",
    "1..300:1",
    "--jobs",
    "1..40:1",
];

/// One value with several mistakes has all of them said, and what is wrong with a target is said beside options.
#[test]
fn all_mistakes_of_a_value_and_of_a_target_are_said() {
    let factors = "bs=4k,64k;foo=1,2;jobs=1,1;depths=1";
    let said = refused(&["screen", "sim:iops=x", "--factors", factors, "--bs", "4q"]);
    for part in [
        "'foo' is not a factor",
        "the two values of jobs are the same",
        "depths needs two values, not 1",
        "'q' is not a unit",
        "sim:iops=x",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = refused(&["curve", "no-such-directory", "--points", "0,50,x"]);
    for part in ["above 0", "'x' is not a whole number", "no such directory"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let both = ["--map", "zz=sim:iops=1", "--resume", "no-such-run"];
    let said = refused(&[&["iops", "sim:service=1ms"][..], &both].concat());
    for part in ["no-such-run", "zz"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let place = Place::new();
    std::fs::write(place.join("s.toml"), "study = \"nope\"\nbs = \"4q\"\n").unwrap();
    let done = finish(&mut place.leadline(["study", "s.toml"]));
    assert_eq!(done.code, Some(2), "{done:?}");
    for part in [
        "there is no study `nope`",
        "'q' is not a unit",
        "no target given",
    ] {
        assert!(done.stderr.contains(part), "{part}: {done:?}");
    }
    let plan = finish(&mut place.leadline(["plan", "measure", ".", "--nope", "--time", "x"]));
    for part in ["--nope", "--time"] {
        assert!(plan.stderr.contains(part), "{part}: {plan:?}");
    }
    // A target of latency is no condition on IOPS.
    let said = refused(&["limit", "sim:iops=9", "--slo", "nope"]);
    assert!(!said.contains("iops>"), "{said}");
    assert!(refused(&TOO_MANY).contains("error[too-many-points]: the study has 24001 points"));
    // Enough that all of them would take minutes to list.
    let lists = "size sim:iops=9 --bs 512..1m --rw 0..100:1 --order random,sequential --depths 1..1024 --jobs 1..64";
    let said = refused(&lists.split(' ').collect::<Vec<_>>());
    assert!(
        said.contains("error[too-many-points]: the study has "),
        "{said}"
    );
}

/// What a study of caches reads beside the set needs room too: the usual set is smaller by that, and one that was asked for is
/// refused.
#[test]
fn other_data_beside_a_set_has_room() {
    let law = "sim:service=exp:300us,parallel=16,size=100m";
    let caches = ["cache", law, "--quick", "--server-cache"];
    let found = study(&[&caches[..], &["20m"]].concat());
    let said = found["sentences"].to_string();
    assert!(said.contains("After other data was read"), "{said}");
    let said = refused(&[&caches[..], &["20m", "--dataset", "100m"]].concat());
    assert!(
        said.contains("and 20 MiB beside it") && said.contains("--dataset 80m or less"),
        "{said}"
    );
    let said = refused(&[&caches[..], &["100m"]].concat());
    assert!(said.contains("100 MiB beside the data set"), "{said}");
}

/// A set that was asked for is not made smaller in silence; the usual one is as large as there is room.
#[test]
fn a_set_larger_than_its_volume_is_refused() {
    let (law, at) = ("sim:iops=500,size=100m", "has 100 MiB");
    let said = refused(&["latency", law, "--quick", "--dataset", "1g"]);
    assert!(
        said.contains("[large-dataset]: the data set of 1 GiB"),
        "{said}"
    );
    assert!(
        said.contains(at) && said.contains("--dataset 100m or less"),
        "{said}"
    );
    let said = refused(&[
        "latency",
        ".",
        "--map",
        "*=sim:size=100m",
        "--dataset",
        "101m",
    ]);
    assert!(said.contains(at), "{said}");
    let place = Place::new();
    let plan = |words: &[&str]| finish(&mut place.leadline([&["plan"], words].concat()));
    let fits = plan(&["study", "latency", law, "--dataset", "100m"]);
    assert_eq!(fits.code, Some(0), "{fits:?}");
    let usual = plan(&["study", "latency", law, "--json"]);
    let usual: Value = serde_json::from_str(&usual.stdout).unwrap();
    let fill = &usual["stages"][0]["workloads"][0]["work"]["Blocks"];
    assert_eq!(fill["region"]["size"]["Bytes"], 104_857_600, "{fill}");
    let survey = plan(&["measure", law, "--size", "60m", "--jobs", "2"]);
    assert_eq!(survey.code, Some(2), "{survey:?}");
    let said = "a set of 60 MiB for each of 2 jobs does not fit";
    assert!(survey.stderr.contains(said), "{survey:?}");
    assert_eq!(plan(&["measure", law, "--size", "100m"]).code, Some(0));
}

/// Nothing was asked, not even for help.
#[test]
fn a_study_without_a_word_is_a_mistake() {
    let place = Place::new();
    let done = finish(&mut place.leadline(["study"]));
    assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{done:?}");
    assert!(
        done.stderr.contains("leadline study NAME TARGET"),
        "{done:?}"
    );
    let help = finish(&mut place.leadline(["study", "--help"]));
    assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""), "{help:?}");
}

/// Three caps of which two show at one mix only, as steps of 25 % have them.
#[test]
fn a_model_that_all_mixes_meet_is_said_though_none_is_predicted() {
    let law = "sim:size=8g,service=200us,parallel=512,bytes=500m,read_bytes=400m,write_bytes=200m";
    let found = study(&["mix", law, "--depths", "64", "--jobs", "4"]);
    let said = found["sentences"].to_string();
    assert!(said.contains("reads at 102,"), "{said}");
    assert!(said.contains("A smaller step would confirm it"), "{said}");
}

/// Each group has an open loop, too: at a rate, a queue has not the latency of a depth.
#[test]
fn near_and_far_hosts_have_an_open_loop() {
    let law = "sim:iops=20000,service=500us,parallel=256,rtt=100us";
    let found = of_groups(law, &["--distance", "far=500us"]);
    let tables = found["tables"].as_array().unwrap();
    let open = tables
        .iter()
        .find(|t| t["title"] == "Latency over rate")
        .unwrap();
    let rows = open["rows"].as_array().unwrap();
    // Four rates of two groups, alone and together.
    assert_eq!(rows.len(), 16, "{open}");
    let at = |group: &str| {
        let is_it = |r: &&Value| r["group"]["text"] == group && r["of highest"]["value"] == 0.5;
        rows.iter().find(is_it).unwrap()
    };
    for (group, mean) in [("near", 600e3), ("far", 1_100e3)] {
        near(
            at(group)["requested"]["value"].as_f64().unwrap(),
            10_000.0,
            0.05,
        );
        near(at(group)["mean"]["value"].as_f64().unwrap(), mean, 0.1);
    }
    near(
        at("far, together")["requested"]["value"].as_f64().unwrap(),
        5000.0,
        0.1,
    );
}

#[test]
fn groups_are_words_and_their_mistakes_are_said_where_they_are() {
    let of = |more: &[&'static str]| {
        let study = ["near-far", "--hosts", "a,b,c", "--launcher", "local"];
        [&study[..], more].concat()
    };
    let said = refused(&of(&["sim:iops=9", "--groups", "near=a,b"]));
    assert!(said.contains("one group is given, near"), "{said}");
    assert!(!said.contains("needs --groups"), "{said}");
    let said = refused(&of(&["sim:iops=9", "--groups", "near=a", "far=a"]));
    assert!(said.contains("have a host in common"), "{said}");
    assert!(
        !said.contains("needs --groups") && !said.contains("one group is"),
        "{said}"
    );
    // A law, which has a `=` too, is no group; neither is a second distance a target.
    let words = of(&[
        "--distance",
        "mid=200us",
        "far=1ms",
        "--groups",
        "near=a",
        "mid=b",
        "far=c",
        "sim:iops=20000,service=500us,parallel=64,rtt=100us",
        "--depths",
        "1",
        "--time",
        "1s",
    ]);
    let found = study(&words);
    let said = found["sentences"].to_string();
    for far in ["300 us from mid", "1.10 ms from far"] {
        assert!(
            said.contains(&format!("100 us from near and {far}")),
            "{said}"
        );
    }
    // Of three groups none is "far", so that a value of that name would be of any.
    assert_eq!(found["values"], serde_json::json!({}), "{found}");
}

/// Groups that differ are what the study asks: no finding, and grade A.
#[test]
fn a_difference_between_groups_is_no_imbalance() {
    let place = Place::new();
    let law = "sim:iops=20000,service=500us,parallel=256,rtt=100us";
    let run = |groups: &[&str]| {
        let words = [
            "study",
            "near-far",
            law,
            "--hosts",
            "a,b,c",
            "--launcher",
            "local",
            "--json",
        ];
        let more = [
            "--distance",
            "far=2ms",
            "--depths",
            "1,4",
            "--time",
            "2s",
            "--seed",
            "1",
        ];
        let out = ["--out", "s", "--force", "--groups"];
        let all = [&words[..], &more, &out, groups].concat();
        let done = finish(&mut place.leadline(&all));
        assert_eq!(done.code, Some(0), "{done:?}");
        done.stdout
    };
    let apart = run(&["near=a,b", "far=c"]);
    assert!(!apart.contains("\"imbalance\""), "{apart}");
}

#[test]
fn what_a_study_has_no_use_for_is_refused() {
    let groups = [
        "near-far",
        "sim:iops=9",
        "--hosts",
        "a,b",
        "--launcher",
        "local",
    ];
    let groups = [&groups[..], &["--groups", "near=a", "far=a,b"]].concat();
    assert!(refused(&groups).contains("far and near have a host in common"));
    let open = ["near-far", "sim:iops=9", "--groups", "near=a[1-2", "far=b"];
    assert!(refused(&open).contains("without the other"));
    // What a study would pass over is refused.
    let lists = [
        "screen",
        "sim:iops=9",
        "--factors",
        "bs=4k,64k;jobs=1,8",
        "--depths",
        "1,2",
    ];
    assert!(refused(&lists).contains("--depths does not apply to the study screen"));
    let rw = ["map", "sim:iops=9", "--rw", "read"];
    assert!(refused(&rw).contains("--rw does not apply to the study map"));
    let combined = [
        "combined",
        "sim:iops=9",
        "--rw",
        "read",
        "--rated",
        "write:50m",
    ];
    let said = refused(&combined);
    assert!(
        said.contains("--rw does not apply to the study combined"),
        "{said}"
    );
    assert!(said.contains("'50m' is not a rate"), "{said}");
}

/// 40.96 MB/s of 4 KiB are 10,000 IOPS; hosts of groups may be ranges.
#[test]
fn rates_are_iops_or_bytes_and_groups_have_ranges() {
    let place = Place::new();
    let combined = [
        "study",
        "combined",
        "sim:iops=30000",
        "--rated",
        "write:40.96MB/s",
    ];
    let more = ["--bs", "4k", "--time", "1s", "--json"];
    let done = finish(&mut place.leadline([&combined[..], &more].concat()));
    assert_eq!(done.code, Some(0), "{done:?}");
    let run: Value = serde_json::from_str(&done.stdout).unwrap();
    let asked = &run["study"]["values"]["rated_asked"];
    assert_eq!(
        asked["value"].as_f64().or(asked.as_f64()),
        Some(10_000.0),
        "{asked}"
    );
    let near = [
        "plan",
        "study",
        "near-far",
        "sim:iops=9",
        "--hosts",
        "vm{1..4}",
    ];
    let groups = [
        "--launcher",
        "local",
        "--groups",
        "near=vm[1-2]",
        "far=vm{3..4}",
    ];
    let done = finish(&mut place.leadline([&near[..], &groups].concat()));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("on 2 hosts (vm3, vm4)"), "{done:?}");
}

#[test]
fn two_studies_of_depth_are_curves_on_one_page() {
    let place = Place::new();
    for (name, law) in [("a", "sim:service=1ms"), ("b", "sim:service=2ms")] {
        let study = [
            "study",
            "depth",
            law,
            "--depths=1,8,32",
            "--repeat=2",
            "--time=1s",
            "--out",
            name,
        ];
        let done = finish(&mut place.leadline(study));
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    let report = ["report", "a.leadline", "b.leadline", "-o", "ab.html"];
    let done = finish(&mut place.leadline(report));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!done.stderr.contains("no curve"), "{done:?}");
    assert!(
        std::fs::read_to_string(place.join("ab.html"))
            .unwrap()
            .contains("<svg")
    );
}

/// A file system that each state mounts and takes away again: no file in it may be open between them.
#[test]
fn arms_mount_and_unmount_what_the_target_is_in() {
    let place = Place::new();
    let image = LoopDevice::of_size(64 << 20, &["mkfs.ext4", "-q"]);
    let Some(image) = or_skip("studies::arms_that_mount", image) else {
        return;
    };
    let there = place.join("m");
    std::fs::create_dir(&there).unwrap();
    let (device, at) = (image.path.as_str(), there.display().to_string());
    let mount = |options: &str| format!("mount -o {options} {device} {at}");
    let undo = format!("umount {at}");
    let (one, two) = (mount("relatime"), mount("noatime"));
    let words = [
        "study",
        "arms",
        &at,
        "--study",
        "iops",
        "--time",
        "500ms",
        "--dataset",
        "16m",
        "--repeat",
        "2",
        "--rw",
        "read",
        "--yes",
        "--out",
        "o",
        "--arm",
        "one",
        "--prepare",
        &one,
        "--undo",
        &undo,
        "--arm",
        "two",
        "--prepare",
        &two,
        "--undo",
        &undo,
    ];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{done:?}");
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(&at), "it is still mounted");
    assert_eq!(std::fs::read_dir(&there).unwrap().count(), 0);
    // Both states worked on the same file, and it is gone.
    let inside = FileSystem::device(&image.path).unwrap();
    let left: Vec<_> = std::fs::read_dir(inside.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["lost+found"]);
}

#[test]
fn arms_are_prepared_and_undone_and_a_failure_undoes_them() {
    let place = Place::new();
    let log = place.join("log");
    let say = |word: &str| format!("echo {word} >> {}", log.display());
    let (on, off) = (say("prepare"), say("undo"));
    let target = "sim:service=1ms,parallel=4";
    let words = [
        "arms",
        target,
        "--study",
        "iops",
        "--time",
        "1s",
        "--repeat",
        "2",
        "--rw",
        "read",
        "--arm",
        "one",
        "--prepare",
        &on,
        "--undo",
        &off,
        "--arm",
        "two",
        "--prepare",
        &on,
        "--undo",
        &off,
    ];
    study_in(&place, &words);
    // A B B A: the second state stays from the first repeat to the second.
    let log_text = std::fs::read_to_string(&log).unwrap();
    let wanted = "prepare\nundo\n".repeat(3);
    assert_eq!(log_text, wanted);
    std::fs::remove_file(&log).unwrap();
    let words = [
        "study",
        "arms",
        target,
        "--study",
        "iops",
        "--arm",
        "one",
        "--prepare",
        "false",
        "--undo",
        &off,
        "--arm",
        "two",
    ];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(3), "{done:?}");
    assert!(
        done.stderr.contains("--prepare of one failed: `false`"),
        "{done:?}"
    );
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "undo\n");
}

/// A study of two simulated volumes as its states.
fn of_two(inner: &[&str], first: &str, second: &str) -> Value {
    let arms = [
        "--arm", "one", "--target", first, "--arm", "two", "--target", second,
    ];
    let words = [&["arms", "--time", "1s", "--warmup", "0"], inner, &arms];
    study(&words.concat())
}

/// The sentence that says what the second state changes.
fn against(study: &Value) -> &str {
    let said = study["sentences"][0].as_str().unwrap();
    assert!(said.starts_with("two against one: IOPS "), "{said}");
    said
}

#[test]
fn states_say_their_difference_and_whether_it_is_shown() {
    let iops = ["--study", "iops", "--rw", "read", "--repeat", "6"];
    let slow = "sim:service=exp:1ms,parallel=4";
    let twice = of_two(&iops, slow, "sim:service=exp:500us,parallel=4");
    let said = against(&twice);
    assert!(said.contains(", improved; p50 -"), "{said}");
    near(value(&twice, "rate_change"), 1.0, 0.05);
    near(value(&twice, "p99_change"), -0.5, 0.2);
    let difference = rows(&twice, 0);
    assert_eq!(difference[0]["state"]["text"], "one");
    assert_eq!(
        difference[1]["verdict"]["text"], "improved",
        "{difference:?}"
    );
    assert!(difference[0]["iops"]["low"].as_f64().unwrap() > 3_800.0);
    // Another volume of the same law.
    let alike = of_two(&iops, slow, &format!("{slow},name=b"));
    let said = against(&alike);
    assert!(said.contains("%), no difference shown; p50"), "{said}");
}

/// One server of 1 ms and one of 500 us: twice the limit, and more of what the queue leaves.
#[test]
fn states_of_a_limit_are_compared_by_their_bounds() {
    let inner = [
        "--study", "limit", "--slo", "p99<10ms", "--rw", "read", "--budget", "8m",
    ];
    let law = |service: &str| format!("sim:size=1g,service=exp:{service},parallel=1");
    let found = of_two(&inner, &law("1ms"), &law("500us"));
    let said = found["sentences"][0].as_str().unwrap();
    assert!(
        said.starts_with("two against one, 4 KiB random read: the limit is between "),
        "{said}"
    );
    assert!(said.contains(" IOPS: higher (+"), "{said}");
    // 539.5 and 1,539.5.
    let change = &found["values"]["limit_change"];
    let end = |name: &str| change[name].as_f64().unwrap();
    assert!(end("low") <= 1.85 && 1.85 <= end("high"), "{change}");
    let title = found["tables"][0]["title"].as_str().unwrap();
    assert_eq!(title, "Highest rate that meets the target, in each state");
    assert_eq!(rows(&found, 0).len(), 2, "{found}");
    let same = of_two(&inner, &law("1ms"), &law("1ms"));
    let said = same["sentences"][0].as_str().unwrap();
    assert!(
        said.contains("no difference shown: the bounds overlap"),
        "{said}"
    );
}

#[test]
fn states_of_a_depth_curve_are_drawn_together() {
    let place = Place::new();
    let words = [
        "arms",
        "--study",
        "depth",
        "--depths",
        "1,4,16",
        "--time",
        "1s",
        "--arm",
        "one",
        "--target",
        "sim:service=1ms,parallel=4",
        "--arm",
        "two",
        "--target",
        "sim:service=1ms,parallel=8",
    ];
    let found = study_in(&place, &words);
    let said = against(&found);
    assert!(
        said.contains("no difference shown at 2 of 3 points"),
        "{said}"
    );
    assert_eq!(
        found["sentences"][1],
        "After one round, a difference is called likely at most; 6 repeats can show one."
    );
    let page = std::fs::read_to_string(place.join("s.html")).unwrap();
    assert!(page.contains("IOPS over depth, all states"), "{said}");
}

#[test]
fn an_interrupt_while_a_state_is_made_undoes_it() {
    let place = Place::new();
    let (begun, undone) = (place.join("begun"), place.join("undone"));
    let prepare = format!("echo x > {}; sleep 60", begun.display());
    let undo = format!("touch {}", undone.display());
    let words = [
        "study",
        "arms",
        "sim:iops=1000",
        "--arm",
        "a",
        "--prepare",
        &prepare,
        "--undo",
        &undo,
        "--arm",
        "b",
    ];
    let running = Running::start(&mut place.leadline(words));
    running.wait_for(&begun);
    running.signal(Signal::INT);
    let done = running.finish();
    assert_eq!(done.code, Some(130), "{done:?}");
    assert!(undone.exists(), "{done:?}");
}

/// A state whose making ignores requests to end, until it is killed; what undoes it takes this many seconds.
fn deaf_state(place: &Place, undo_takes: u32) -> Running {
    let begun = place.join("begun");
    let prepare = format!(
        "trap '' TERM INT; echo x > {}; while :; do sleep 1; done",
        begun.display()
    );
    let undo = format!(
        "echo x > undoing; sleep {undo_takes}; touch {}",
        place.join("undone").display()
    );
    let words = ["study", "arms", "sim:iops=1000", "--arm", "a", "--prepare"];
    let more = [&prepare, "--undo", &undo, "--arm", "b", "--out", "r"];
    let running = Running::start(&mut place.leadline([&words[..], &more].concat()));
    running.wait_for(&begun);
    running.signal(Signal::INT);
    sleep_ms(300);
    running.signal(Signal::INT);
    running
}

#[test]
fn a_second_interrupt_still_undoes_a_state_whose_making_does_not_listen() {
    let place = Place::new();
    let done = deaf_state(&place, 0).finish();
    assert_eq!(done.code, Some(130), "{done:?}");
    assert!(place.join("undone").exists(), "{done:?}");
    let said = "interrupted twice: the state a is still being undone";
    assert!(done.stderr.contains(said), "{done:?}");
}

#[test]
fn a_third_interrupt_ends_and_says_what_it_leaves() {
    let place = Place::new();
    let running = deaf_state(&place, 60);
    running.wait_for(&place.join("undoing"));
    running.signal(Signal::INT);
    let done = running.finish();
    assert_eq!(done.code, Some(130), "{done:?}");
    let said = "the state a is left as it is\n  hint: undo it by hand: echo x > undoing";
    assert!(done.stderr.contains(said), "{done:?}");
}

/// Killed while its first state is made, a study has its plan already: taken up, that state is undone before it is made again.
#[test]
fn a_study_killed_in_its_first_prepare_is_undone_when_it_is_taken_up() {
    let place = Place::new();
    let target = place.join("d").display().to_string();
    std::fs::create_dir(&target).unwrap();
    let log = place.join("log").display().to_string();
    let prepare = format!("echo make >> {log}; test -e {log}.again || sleep 60");
    let undo = format!("echo undo >> {log}");
    let words = |out: &'static str, more: &[&'static str]| {
        let study = ["study", "arms", &target, "--study", "iops", "--depths", "1"];
        let times = ["--time", "1s", "--warmup", "0", "--dataset", "8m"];
        let arm = ["--arm", "a", "--prepare", &prepare, "--undo", &undo];
        let last = ["--arm", "b", "--rw", "read", "--out", out];
        let all = [&study[..], &times, &arm, &last, more].concat();
        all.into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    let running = Running::start(&mut place.leadline(words("a", &[])));
    running.wait_for(&place.join("log"));
    running.signal(Signal::KILL);
    running.finish();
    std::fs::write(place.join("log.again"), "").unwrap();
    let done = finish(&mut place.leadline(words("b", &["--resume", "a.leadline"])));
    assert_eq!(done.code, Some(0), "{done:?}");
    let said = std::fs::read_to_string(place.join("log")).unwrap();
    assert!(said.starts_with("make\nundo\nmake\n"), "{said}");
}

/// What is taken up is the only copy of what was measured: no --force writes over it, by whatever name.
#[test]
fn a_run_that_is_taken_up_is_not_written_over() {
    let place = Place::new();
    let words = |more: &[&'static str]| {
        let study = ["study", "iops", "sim:iops=1000", "--depths", "1,2"];
        [&study[..], &["--time", "1s", "--seed", "1"], more].concat()
    };
    let done = finish(&mut place.leadline(words(&["--out", "a"])));
    assert_eq!(done.code, Some(0), "{done:?}");
    std::os::unix::fs::symlink("a.leadline", place.join("b.leadline")).unwrap();
    let before = std::fs::read(place.join("a.leadline")).unwrap();
    for (run, out) in [
        ("a.leadline", "a"),
        ("a.leadline", "./a"),
        ("b.leadline", "a"),
    ] {
        let done = finish(&mut place.leadline(words(&["--resume", run, "--out", out, "--force"])));
        assert_eq!(done.code, Some(2), "{done:?}");
        let said = "the resumed run is not overwritten\n  hint: use another name";
        assert!(done.stderr.contains(said), "{done:?}");
        assert!(before == std::fs::read(place.join("a.leadline")).unwrap());
    }
    let done = finish(&mut place.leadline(words(&["--resume", "a.leadline", "--out", "a"])));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(place.join("a-2.leadline").exists(), "{done:?}");
}

#[test]
fn a_study_that_was_killed_is_taken_up_and_another_is_not() {
    let place = Place::new();
    std::fs::create_dir(place.join("d")).unwrap();
    let target = place.join("d").display().to_string();
    let common = [
        "--rw",
        "read",
        "--time",
        "200ms",
        "--warmup",
        "0",
        "--dataset",
        "8m",
        "--depths",
    ];
    let words = |depths: &'static str, more: &[&'static str]| {
        let study = ["study", "iops", target.as_str()];
        [&study[..], &common[..], &[depths], more].concat()
    };
    let running = Running::start(&mut place.leadline(words("1,2,4,8,16,32", &["--out", "a"])));
    running.wait_for(&place.join("a.leadline"));
    sleep_ms(700);
    running.signal(Signal::KILL);
    running.finish();
    let done = finish(&mut place.leadline(words(
        "1,2,4,8,16,32",
        &["--resume", "a.leadline", "--out", "b", "--json"],
    )));
    let run: Value = serde_json::from_str(&done.stdout).unwrap();
    let depths = rows(&run["study"], 0)
        .iter()
        .map(|r| r["depth"]["value"].as_f64().unwrap());
    assert!(depths.eq([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]), "{done:?}");
    let names = run["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["name"].as_str().unwrap());
    let fills = names.filter(|name| name.ends_with("fill")).count();
    assert_eq!(fills, 1, "what was measured is kept");
    let other =
        finish(&mut place.leadline(words("1,2", &["--resume", "a.leadline", "--out", "c"])));
    assert_eq!(other.code, Some(2), "{other:?}");
    assert!(other.stderr.contains("another study"), "{other:?}");
    let differs = "  --depths: 1,2,4,8,16,32 there, 1,2 now\n  it was: leadline study iops ";
    assert!(other.stderr.contains(differs), "{other:?}");
    // What is only planned is refused alike, and a plan of the same study has what is left of it.
    let plan = |words: Vec<&str>| finish(&mut place.leadline([&["plan"][..], &words].concat()));
    let other = plan(words("1,2", &["--resume", "a.leadline"]));
    assert_eq!(other.code, Some(2), "{other:?}");
    let left = plan(words("1,2,4,8,16,32", &["--resume", "b.leadline"]));
    assert!(left.stdout.contains("total: 0 stages"), "{left:?}");
    let seed = words(
        "1,2,4,8,16,32",
        &["--resume", "b.leadline", "--out", "d", "--seed", "7"],
    );
    let seed = finish(&mut place.leadline(seed));
    assert_eq!(seed.code, Some(2), "{seed:?}");
    assert!(seed.stderr.contains("hint: omit --seed"), "{seed:?}");
}

/// Half of a point is no point: what Ctrl-C ended is measured again.
#[test]
fn a_point_that_was_interrupted_is_measured_again() {
    let place = Place::new();
    std::fs::create_dir(place.join("d")).unwrap();
    let target = place.join("d").display().to_string();
    let words = |more: &[&'static str]| {
        let study = ["study", "iops", target.as_str(), "--rw", "read"];
        let length = ["--time", "1s", "--warmup", "0", "--dataset", "8m"];
        [&study[..], &length, &["--depths", "1,2"], more].concat()
    };
    let running = Running::start(&mut place.leadline(words(&["--out", "a"])));
    running.wait_for(&place.join("a.leadline"));
    sleep_ms(1500);
    running.signal(Signal::INT);
    running.finish();
    let done = finish(&mut place.leadline(words(&["--resume", "a.leadline", "--out", "b"])));
    assert_eq!(done.code, Some(0), "{done:?}");
    let run = leadline_results::store::open(&place.join("b.leadline")).unwrap();
    assert!(!run.stages.iter().any(was_interrupted), "{done:?}");
    let names = run.plan.iter().flat_map(|plan| &plan.stages);
    let names: Vec<&str> = names.map(|stage| stage.name.as_str()).collect();
    let once: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(once.len(), names.len(), "{names:?}");
}

/// Points of two systems would be one curve.
#[test]
fn a_study_of_other_volumes_or_hosts_is_not_taken_up() {
    let place = Place::new();
    std::fs::create_dir(place.join("m")).unwrap();
    let law = place.join("law");
    std::fs::write(&law, "iops=2000,service=500us\n").unwrap();
    let at_law = format!("sim:@{}", law.display());
    let hosts = ["--launcher", "local", "--hosts"];
    let first = ["--map", "m=sim:iops=2000,service=500us"];
    let other = ["--map", "m=sim:iops=9000,service=50us"];
    let fresh = [&first[..], &["--fresh-device"]].concat();
    let [two, three] = ["a,b", "x,y"].map(|names| [&hosts[..], &[names]].concat());
    let begun: [(&str, &[&str]); 3] = [("m", &first), (&at_law, &[]), ("sim:service=1ms", &two)];
    for (at, (target, more)) in begun.iter().enumerate() {
        let name = format!("r{at}");
        let words = ["study", "iops", target, "--quick", "--out", &name];
        let done = finish(&mut place.leadline([&words[..], more].concat()));
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    std::fs::write(&law, "iops=9000,service=50us\n").unwrap();
    let cases: [(usize, &[&str], &str); 5] = [
        (
            0,
            &other,
            "--map: m=sim:iops=2000,service=500us there, m=sim:iops=9000,service=50us now",
        ),
        (
            0,
            &fresh,
            "sim:iops=2000,service=500us, new for each stage now",
        ),
        (
            0,
            &[],
            "--map: m=sim:iops=2000,service=500us there, none now",
        ),
        (1, &[], "what is measured: "),
        (2, &three, "--hosts: a, b there, x, y now"),
    ];
    for (run, more, said) in cases {
        let file = format!("r{run}.leadline");
        for verb in [&["study"][..], &["plan", "study"]] {
            let words = ["iops", begun[run].0, "--quick", "--resume", &file];
            let done = finish(&mut place.leadline([verb, &words[..], more].concat()));
            assert_eq!(done.code, Some(2), "{done:?}");
            assert!(done.stderr.contains(said), "{said}: {done:?}");
        }
    }
    for (at, (target, more)) in begun.iter().enumerate().filter(|(at, _)| *at != 1) {
        let file = format!("r{at}.leadline");
        let words = ["study", "iops", target, "--quick", "--resume", &file];
        let done = finish(&mut place.leadline([&words[..], more].concat()));
        assert_eq!(done.code, Some(0), "{done:?}");
    }
}

/// Killed before it had a plan, a study has measured nothing: taken up, it starts from the beginning.
#[test]
fn a_study_killed_before_its_first_point_starts_again() {
    let place = Place::new();
    std::fs::write(place.join("e.leadline"), "").unwrap();
    let words = ["study", "iops", "sim:service=1ms", "--quick", "--out", "r"];
    let resume = ["--resume", "e.leadline"];
    let done = finish(&mut place.leadline([&words[..], &resume].concat()));
    assert_eq!(done.code, Some(0), "{done:?}");
    let said = "note: --resume e.leadline: it was killed before its first point";
    assert!(done.stderr.contains(said), "{done:?}");
    // What is wrong with the file is said also where something else is wrong.
    let wrong = ["--resume", "nosuch.leadline", "--map", "x"];
    let done = finish(&mut place.leadline([&words[..], &wrong].concat()));
    assert_eq!(done.code, Some(2), "{done:?}");
    for said in ["--map x: expected", "nosuch.leadline"] {
        assert!(done.stderr.contains(said), "{said}: {done:?}");
    }
}

/// A state that was not measured yet is on what the command says now: a directory instead of a volume would be written.
#[test]
fn what_stands_in_for_a_state_to_come_stays_when_it_is_taken_up() {
    let place = Place::new();
    for directory in ["m", "n"] {
        std::fs::create_dir(place.join(directory)).unwrap();
    }
    let log = place.join("log").display().to_string();
    let prepare = format!("echo make >> {log}; test -e {log}.again || sleep 60");
    let words = |out: &'static str, more: &[&'static str]| {
        let study = ["study", "arms", "--study", "iops", "--quick"];
        let arms = [
            "--arm",
            "a",
            "--target",
            "m",
            "--prepare",
            &prepare,
            "--undo",
            "true",
            "--arm",
            "b",
            "--target",
            "n",
        ];
        let all = [&study[..], &arms, &["--out", out], more].concat();
        all.into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    let maps = ["--map", "m=sim:service=1ms", "--map", "n=sim:service=2ms"];
    let running = Running::start(&mut place.leadline(words("a", &maps)));
    running.wait_for(&place.join("log"));
    running.signal(Signal::KILL);
    running.finish();
    std::fs::write(place.join("log.again"), "").unwrap();
    let taken_up = |more: &[&'static str]| {
        let more = [&["--resume", "a.leadline"], more].concat();
        finish(&mut place.leadline(words("b", &more)))
    };
    let dropped = taken_up(&maps[..2]);
    assert_eq!(dropped.code, Some(2), "{dropped:?}");
    let said = "--map: m=sim:service=1ms, n=sim:service=2ms there, m=sim:service=1ms now";
    assert!(dropped.stderr.contains(said), "{dropped:?}");
    let left = std::fs::read_dir(place.join("n")).unwrap();
    assert_eq!(left.count(), 0, "nothing was written");
    let same = taken_up(&maps);
    assert_eq!(same.code, Some(0), "{same:?}");
}

/// A stage whose name another has counts as done, and what it was to measure would be left out.
#[test]
fn no_two_stages_of_a_study_have_one_name() {
    let place = Place::new();
    let order = ["--order", "random,sequential"];
    let lists = [
        &order[..],
        &["--rw", "read,write", "--bs", "4k,64k", "--jobs", "1,4"],
    ]
    .concat();
    let groups = [
        "--hosts",
        "a,b",
        "--launcher",
        "local",
        "--groups",
        "near=a",
        "far=b",
    ];
    let cases: [(&str, &[&str], &[&str]); 5] = [
        ("near-far", &groups, &lists),
        (
            "map",
            &["--grid", "3"],
            &[&order[..], &["--bs", "4k,64k", "--jobs", "1,4"]].concat(),
        ),
        ("iops", &[], &lists),
        ("curve", &["--points", "50,100"], &lists),
        (
            "combined",
            &["--free", "randread", "--rated", "randwrite:100"],
            &["--bs", "4k,64k"],
        ),
    ];
    for (name, own, lists) in cases {
        let words = [
            &[
                "plan",
                "study",
                name,
                "sim:service=1ms,parallel=64",
                "--json",
            ],
            own,
            lists,
        ];
        let planned = finish(&mut place.leadline(words.concat()));
        let plan: Value = serde_json::from_str(&planned.stdout).unwrap_or_default();
        let stages = plan["stages"]
            .as_array()
            .unwrap_or_else(|| panic!("{planned:?}"));
        let mut names: Vec<&str> = stages.iter().map(|s| s["name"].as_str().unwrap()).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert!(
            all > 4 && names.len() == all,
            "{name}: {} of {all}",
            names.len()
        );
    }
}

/// Two groups and lists of what is done: each kind of work has its own answer, and far is compared with near of the same.
#[test]
fn groups_are_compared_in_each_kind_of_work() {
    let law = "sim:iops=100000,service=500us,write_service=2ms,parallel=256";
    let words = [
        "near-far",
        law,
        "--hosts",
        "a,b",
        "--launcher",
        "local",
        "--groups",
        "near=a",
        "far=b",
        "--distance",
        "far=500us",
        "--depths",
        "1,4",
        "--jobs",
        "1,4",
        "--rw",
        "read,write",
        "--time",
        "500ms",
    ];
    let found = study(&words);
    let tables = found["tables"].as_array().unwrap();
    let of = |title: &str| {
        let table = tables.iter().find(|t| t["title"] == title);
        table.unwrap_or_else(|| panic!("{title}: {found}"))["rows"].to_string()
    };
    let near = |reads: bool, rows: &str| {
        let alone = if reads {
            ["2000", "1000"]
        } else {
            ["500", "400"]
        };
        for rate in alone {
            assert!(rows.contains(rate), "{rate}: {rows}");
        }
    };
    near(true, &of("4 KiB random read, 1 job: At equal depth"));
    near(false, &of("4 KiB random write, 1 job: At equal depth"));
    let four = of("4 KiB random read, 4 jobs: At equal depth");
    assert!(four.contains("8000") && four.contains("4000"), "{four}");
    let said = found["sentences"].to_string();
    assert!(said.contains("4 KiB random write, 4 jobs: "), "{said}");
}

/// A study of two depths of a volume, with more words.
fn of_two_depths(place: &Place, name: &str, more: &[&str]) -> Done {
    let law = "sim:service=1ms";
    let common = ["study", name, law, "--time", "1s", "--depths", "1,2"];
    finish(&mut place.leadline([&common[..], more].concat()))
}

#[test]
fn what_differs_from_the_earlier_study_is_said_in_options() {
    let place = Place::new();
    let study = |name: &str, more: &[&str]| of_two_depths(&place, name, more);
    assert_eq!(study("depth", &["--out", "a"]).code, Some(0));
    let words = ["--buffered", "--order", "sequential", "--repeat", "2"];
    let more = ["--server-cache", "none", "--resume", "a.leadline"];
    let other = study("depth", &[&words[..], &more].concat());
    assert_eq!(other.code, Some(2), "{other:?}");
    for line in [
        "  --buffered: not given there, given now",
        "  --order: random there, sequential now",
        "  --repeat: 1 there, 2 now",
        "  --server-cache: not given there, none now",
    ] {
        assert!(other.stderr.contains(line), "{line}: {other:?}");
    }
    // Another seed hides nothing else that differs.
    let other = study(
        "depth",
        &[
            "--order",
            "sequential",
            "--seed",
            "7",
            "--resume",
            "a.leadline",
        ],
    );
    for line in [
        "  --order: random there, sequential now",
        "it was made with seed",
    ] {
        assert!(other.stderr.contains(line), "{line}: {other:?}");
    }
    // What is not a study at all.
    let job = "fio --name=w --rw=randread --bs=4k --size=1m --filename=/sim/a --map=*=sim:service=1ms \
               --leadline-run=job.leadline";
    assert_eq!(
        finish(&mut place.leadline(job.split(' ').collect::<Vec<_>>())).code,
        Some(0)
    );
    let other = study("depth", &["--resume", "job.leadline"]);
    assert_eq!(other.code, Some(2), "{other:?}");
    let said = "that run is not a study\n  hint: give a run of `leadline study`";
    assert!(other.stderr.contains(said), "{other:?}");
    let other = study("iops", &["--resume", "a.leadline"]);
    let first = "it belongs to another study:\n  study: depth there, iops now";
    assert!(other.stderr.contains(first), "{other:?}");
}

#[test]
fn what_differs_from_the_earlier_states_is_said_by_state() {
    let place = Place::new();
    let study = |name: &str, more: &[&str]| of_two_depths(&place, name, more);
    assert_eq!(study("depth", &["--out", "a"]).code, Some(0));
    let arms = |undo: &'static str, more: &[&str]| {
        let one = [
            "--study",
            "depth",
            "--arm",
            "x",
            "--prepare",
            "true",
            "--undo",
            undo,
        ];
        let both = [&one[..], &["--arm", "y", "--prepare", "true"], more].concat();
        study("arms", &both)
    };
    assert_eq!(arms("true", &["--out", "c"]).code, Some(0));
    let other = arms("true # 2", &["--resume", "c.leadline"]);
    let line = "another study:\n  --undo of x: true there, true # 2 now\n  it was";
    assert!(other.stderr.contains(line), "{other:?}");
    let arms = [
        "--arm",
        "x",
        "--prepare",
        "true",
        "--arm",
        "y",
        "--prepare",
        "true",
    ];
    let arms = [&["--study", "depth", "--resume", "a.leadline"][..], &arms].concat();
    let other = study("arms", &arms);
    assert!(
        other.stderr.contains("  --arm: none there, x,y now"),
        "{other:?}"
    );
}

#[test]
fn the_state_in_which_a_study_was_killed_is_undone_before_it_goes_on() {
    let place = Place::new();
    let target = place.join("d").display().to_string();
    std::fs::create_dir(&target).unwrap();
    let log = place.join("log");
    let say = |what: &str| format!("echo {what} >> {}", log.display());
    let (make_a, undo_a) = (say("make-a"), say("undo-a"));
    let (make_b, undo_b) = (say("make-b"), say("undo-b"));
    let study = ["study", "arms", &target, "--study", "iops", "--rw", "read"];
    let times = ["--time", "1s", "--warmup", "0", "--dataset", "8m"];
    let a = ["--arm", "a", "--prepare", &make_a, "--undo", &undo_a];
    let b = ["--arm", "b", "--prepare", &make_b, "--undo", &undo_b];
    let words = |more: &[&'static str]| {
        [&study[..], &times, &["--depths", "1"], &a, &b]
            .concat()
            .into_iter()
            .chain(more.iter().copied())
            .collect::<Vec<&str>>()
    };
    let running = Running::start(&mut place.leadline(words(&["--out", "first"])));
    let said = || std::fs::read_to_string(&log).unwrap_or_default();
    while !running.has_ended() && !said().contains("make-b") {
        sleep_ms(5);
    }
    running.signal(Signal::KILL);
    running.finish();
    let before = said();
    assert!(before.ends_with("make-b\n"), "{before}");
    let done = finish(&mut place.leadline(words(&["--resume", "first.leadline", "--out", "b"])));
    assert_eq!(done.code, Some(0), "{done:?}");
    let after = said();
    let after = after.strip_prefix(&before).unwrap();
    // Which of the two it was in, and which came next: both may be there, and both are undone before one is made.
    let (cleared, _) = after.split_once("make-").unwrap();
    assert!(cleared.contains("undo-b"), "{after}");
    assert!(
        after.ends_with("undo-b\n") || after.ends_with("undo-a\n"),
        "{after}"
    );
}

/// What is wrong with options, hosts, laws, directories and the run that is taken up is said at once, and nothing else.
#[test]
fn all_that_is_wrong_with_a_study_is_said_at_once() {
    let place = Place::new();
    let each: [(&str, &[&str]); 9] = [
        (
            "depth sim:servce=1ms --frob 3",
            &["no option `frob`", "`servce=1ms` is not understood"],
        ),
        (
            "arms sim:iops=1 --arm a --target sim:foo=1 --arm b --target sim:bar=2",
            &[
                "sim:iops=1 is not measured in any arm",
                "`foo=1` is not",
                "`bar=2` is not",
            ],
        ),
        (
            "scale-out sim:service=1ms --hosts a,b,c --counts 0,2,9,12 --dataset 1q",
            &[
                "counts: must be above 0",
                "dataset: 'q'",
                "counts: 9, 12 requested, but there are 3 hosts",
            ],
        ),
        (
            "near-far sim:service=1ms --hosts a,b --groups near=a far=c --distance mid=1ms",
            &["no group mid", "c is not among the hosts"],
        ),
        (
            "iops sim:service=1ms --resume nosuch.leadline --depths x",
            &["depths: 'x'", "error: nosuch.leadline: No such file"],
        ),
        (
            "combined no/such --rated randwrite:100 --rated-target neither",
            &["no/such: there is no such", "neither: there is no such"],
        ),
        (
            "depth sim:service=1ms no/such",
            &["no/such: there is no such", "on the same simulated volume"],
        ),
        (
            "screen sim:service=1ms --factors bs=4k,64k;jobs=1,8 --bs 8k --jobs 1,3",
            &["--bs does not apply", "--jobs does not apply"],
        ),
        (
            "iops sim:service=1ms --arm x",
            &["one arm is given, but two are needed"],
        ),
    ];
    for (words, said) in each {
        let all = [&["study"], &words.split(' ').collect::<Vec<_>>()[..]].concat();
        let done = finish(&mut place.leadline(all));
        assert_eq!(done.code, Some(2), "{words}: {done:?}");
        for one in said {
            assert!(done.stderr.contains(one), "{words}: no {one}: {done:?}");
        }
        let errors = done.stderr.lines().filter(|line| line.starts_with("error"));
        assert_eq!(errors.count(), said.len(), "{words}: {done:?}");
    }
    // A host that nothing runs on is no error, and said.
    let words =
        "study near-far sim:service=1ms --hosts a,b,c --groups near=a far=b --depths 1 --quick";
    let done = finish(&mut place.leadline(words.split(' ')));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(
        done.stderr.contains("groups: c is not in any group"),
        "{done:?}"
    );
}

/// A volume that remembers: credits, a cache that writes back, others, and service times drawn one after the other.
const REMEMBERS: &str = "sim:size=64m,service=exp:500us,parallel=4,iops=3000,burst_iops=6000,burst_store=20000,\
                         cache=8m:50us:writes=back,neighbour=50:8k";

/// Kills a study of a simulated volume when this many of its points have ended, takes it up, and gives the result of the
/// whole and how many stages were kept of the first part.
fn killed_and_taken_up(words: &[&str], ended: usize) -> (Value, usize) {
    let place = Place::new();
    let first = place.join("a.leadline");
    // With each point that ends the state of the volume is stored. The whole file would be read for seconds.
    let count = || {
        let volumes = leadline_results::store::volumes(&first).ok()?;
        volumes.map(|(last, _)| last + 1)
    };
    let running = Running::start(&mut place.leadline([words, &["--out", "a"]].concat()));
    running.wait_for(&first);
    while !running.has_ended() && count().is_none_or(|n| n < ended) {
        sleep_ms(1);
    }
    running.signal(Signal::KILL);
    running.finish();
    let volumes = leadline_results::store::volumes(&first).unwrap();
    let kept = volumes.map_or(0, |(last, _)| last + 1);
    let more = ["--resume", "a.leadline", "--out", "b", "--json"];
    // Its seed is in it: it need not be given again.
    let (seed, others) = (words.len() - 2, ended % 2);
    let words = if others == 0 { words } else { &words[..seed] };
    let done = finish(&mut place.leadline([words, &more].concat()));
    assert_eq!(done.code, Some(0), "{done:?}");
    (serde_json::from_str(&done.stdout).unwrap(), kept)
}

#[test]
fn a_study_of_a_simulated_volume_that_was_killed_has_the_same_result() {
    let words = [
        "study",
        "depth",
        REMEMBERS,
        "--rw",
        "read,write",
        "--depths",
        "1..32",
        "--time",
        "4s",
        "--seed",
        "7",
    ];
    let place = Place::new();
    let whole = finish(&mut place.leadline([&words[..], &["--out", "w", "--json"]].concat()));
    assert_eq!(whole.code, Some(0), "{whole:?}");
    let whole: Value = serde_json::from_str(&whole.stdout).unwrap();
    let points = whole["stages"].as_array().unwrap().len();
    let taken_up = std::sync::Mutex::new(0);
    let kills: Vec<usize> = (0..20).map(|n| n * (points - 1) / 19).collect();
    crate::support::side_by_side(2, &kills, |ended| {
        let (result, kept) = killed_and_taken_up(&words, *ended);
        assert_eq!(result["study"], whole["study"], "after {kept} of {points}");
        let stages = |of: &Value| {
            let mut stages = of["stages"].clone();
            for stage in stages.as_array_mut().unwrap() {
                // The time of day at which that run began.
                stage.as_object_mut().unwrap().remove("wall_ms");
            }
            stages
        };
        assert_eq!(stages(&result), stages(&whole), "after {kept} of {points}");
        *taken_up.lock().unwrap() += usize::from(kept > 0 && kept < points);
    });
    // One that was quicker than its end is no proof; most are not.
    assert!(taken_up.into_inner().unwrap() > 5);
}

/// A tool: every study at `--quick` on 1 GiB of a real file, with the seconds that each takes. Together they are to take
/// less than ten minutes; the limit of each wait is longer here than elsewhere.
#[test]
#[ignore = "a tool: takes eight minutes and a disk"]
fn each_study_on_a_gibibyte() {
    let hosts = ["--hosts", "a,b", "--launcher", "local"];
    let groups = [&hosts[..], &["--groups", "near=a", "far=b"]].concat();
    let counts = [&hosts[..], &["--counts", "1,2"]].concat();
    let arms = [
        "--study",
        "latency",
        "--arm",
        "one",
        "--prepare",
        "true",
        "--undo",
        "true",
        "--arm",
        "two",
        "--prepare",
        "true",
        "--undo",
        "true",
    ];
    let all: [(&str, &[&str]); 17] = [
        ("latency", &[]),
        ("iops", &[]),
        ("throughput", &[]),
        ("mix", &[]),
        ("depth", &[]),
        ("size", &[]),
        ("curve", &[]),
        ("limit", &["--slo", "p99<20ms"]),
        ("burst", &[]),
        ("cache", &["--server-cache", "none"]),
        ("combined", &["--rated", "randwrite:200"]),
        ("map", &["--grid", "3", "--refine", "1"]),
        ("steady", &[]),
        ("screen", &["--factors", "bs=4k,64k;jobs=1,4"]),
        ("scale-out", &counts),
        ("near-far", &groups),
        ("arms", &arms),
    ];
    let place = Place::new();
    let begin = crate::support::now();
    let mut took = Vec::new();
    for (name, more) in all {
        let start = crate::support::now();
        let always = [
            "study",
            name,
            "d",
            "--dataset",
            "1g",
            "--quick",
            "--out",
            name,
        ];
        let status = place.leadline([&always[..], more].concat()).status();
        assert!(status.unwrap().success(), "{name}");
        took.push((name, start.elapsed().as_secs()));
    }
    let whole = begin.elapsed().as_secs();
    assert!(whole < 600, "{whole} s: {took:?}");
}

/// Three hosts in turn one, two and three: the first has to hold all of the set, the second half of it, the third a third.
#[test]
fn hosts_of_a_scale_out_hold_no_more_than_they_read() {
    let place = Place::new();
    std::fs::create_dir(place.join("d")).unwrap();
    let target = place.join("d").display().to_string();
    let study = ["study", "scale-out", target.as_str(), "--hosts", "a,b,c"];
    let more = [
        "--launcher",
        "local",
        "--counts",
        "1,2,3",
        "--dataset",
        "12m",
    ];
    let words = [&study[..], &more].concat();
    let plan = finish(&mut place.leadline([&["plan"][..], &words].concat()));
    assert_eq!(plan.code, Some(0), "{plan:?}");
    let writes = "data written: 22 MiB at most";
    assert!(plan.stdout.contains(writes), "{plan:?}");
    assert!(plan.stdout.contains(", on 2 hosts (a, b), "), "{plan:?}");
    let times = ["--time", "100ms", "--warmup", "0", "--keep", "--out", "x"];
    let done = finish(&mut place.leadline([&words[..], &times].concat()));
    assert_eq!(done.code, Some(0), "{done:?}");
    let files = std::fs::read_dir(&target).unwrap().map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, entry.metadata().unwrap().len() >> 20)
    });
    let mut files: Vec<(String, u64)> = files.collect();
    files.sort();
    let wanted = [("a", 12), ("b", 6), ("c", 4)];
    let wanted = wanted.map(|(host, mib)| (format!("{host}.leadline-study.0"), mib));
    assert_eq!(files, wanted);
}

/// 16 at once of 300 us and 3 ns a byte: the rate falls by 3 % up to 4 KiB, and 16 are at work at every size.
/// Slots of a fixed service with the transfer outside of them have a constant rate, too.
#[test]
fn a_constant_rate_that_slots_explain_is_no_cap() {
    for link in ["connection=100m,connections=1", "host_bytes=100m"] {
        let law = format!("sim:service=200us,parallel=8,{link}");
        let found = study(&["size", &law, "--bs", "512..64k", "--time", "2s"]);
        let said = found["sentences"][0].as_str().unwrap();
        assert!(said.contains("explain equally well"), "{link}: {said}");
        assert!(!said.contains(": an IOPS cap"), "{link}: {said}");
    }
    // 5.4 at once are no number of slots.
    let capped = study(&[
        "size",
        "sim:iops=10000,service=537us,parallel=64,connection=100m,connections=4",
        "--bs",
        "512..16k",
    ]);
    let said = capped["sentences"][0].as_str().unwrap();
    assert!(!said.contains("explain equally well"), "{said}");
}

/// Where a cap of bytes begins within 5 % of one of I/Os, one I/O at a time waits for either: X R0 is 1 at all sizes, and no
/// concurrency is limited that the caps do not explain.
#[test]
fn two_caps_that_meet_are_no_limit_on_concurrency() {
    for law in [
        "sim:iops=5000,bytes=300m,service=200us",
        "sim:iops=5000,bytes=164m,service=200us",
    ] {
        let found = study(&["size", law, "--bs", "2k..512k", "--time", "1s"]);
        let words = found["sentences"].to_string();
        assert!(!words.contains("concurrency is limited"), "{law}: {words}");
        assert!(
            words.contains("the rate stays at 5,000 IOPS"),
            "{law}: {words}"
        );
        assert!(words.contains(": a bandwidth cap"), "{law}: {words}");
    }
}

/// Lists name each of their answers.
#[test]
fn answers_of_lists_say_what_each_is_of() {
    for name in ["iops", "throughput", "latency"] {
        let lists = [
            "--rw", "randread", "--jobs", "1,2", "--depths", "1,8", "--time", "1s",
        ];
        let found = study(
            &[
                &[name, "sim:iops=20000,service=200us,parallel=64"],
                &lists[..],
            ]
            .concat(),
        );
        let said = found["sentences"].to_string();
        for each in [
            "depth 1, 1 job",
            "depth 8, 1 job",
            "depth 1, 2 jobs",
            "depth 8, 2 jobs",
        ] {
            assert_eq!(said.matches(&format!("{each}: ")).count(), 1, "{said}");
        }
    }
}

/// Four files of a set of 64 MiB have 16 MiB each, whoever reads which part.
#[test]
fn files_of_a_set_hold_no_more_than_their_part() {
    let place = Place::new();
    std::fs::create_dir(place.join("d")).unwrap();
    let target = place.join("d").display().to_string();
    let words = [
        "iops", &target, "--rw", "read", "--depths", "1", "--jobs", "4",
    ];
    let more = [
        "--dataset",
        "64m",
        "--files",
        "4",
        "--time",
        "200ms",
        "--warmup",
        "0",
        "--keep",
    ];
    study_in(&place, &[&words[..], &more].concat());
    let files = std::fs::read_dir(place.join("d")).unwrap();
    let sizes: Vec<u64> = files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .collect();
    assert_eq!(sizes, [16 << 20; 4]);
}

#[test]
fn one_of_a_thing_is_one_and_a_map_says_its_border() {
    let law = "sim:iops=9000,service=1ms,parallel=64";
    let times = ["--jobs", "1", "--time", "1s"];
    let one = ["combined", law, "--rated", "randwrite:10", "--depth", "4"];
    let found = study(&[&one[..], &times].concat());
    let said = found["sentences"].to_string();
    assert!(said.contains("1 job at depth 4"), "{said}");
    let map = ["map", law, "--grid", "3", "--refine", "0", "--depths", "32"];
    let found = study(&[&map[..], &times].concat());
    let said = found["sentences"].to_string();
    assert!(said.contains("border: "), "{said}");
}

#[test]
fn a_rate_that_falls_slowly_with_the_block_size_is_no_cap() {
    let law = "sim:service=300us,parallel=16,per_byte=3ns";
    let found = study(&["size", law, "--bs", "512..64k", "--time", "2s"]);
    near(value(&found, "slots"), 16.0, 0.01);
    let said = found["sentences"][0].as_str().unwrap();
    assert!(said.contains("concurrency is limited"), "{said}");
    assert!(!said.contains("the rate stays"), "{said}");
    let at: Vec<&Value> = rows(&found, 0)
        .iter()
        .map(|row| &row["limit"]["text"])
        .collect();
    assert!(
        at.len() == 8 && at[..4].iter().all(|at| *at == "I/Os at once"),
        "{at:?}"
    );
}

/// 2,000 a second of 200 us need less than one in flight: at 16 the rate had stopped rising long before.
#[test]
fn a_rate_that_never_rose_has_its_knee_at_or_below_the_first_depth() {
    let law = "sim:iops=2000,service=200us,parallel=64";
    let found = study(&["depth", law, "--depths", "16,32,64", "--time", "2s"]);
    for name in ["knee_first", "knee_last"] {
        near(value(&found, name), 16.0, 0.0);
        assert_eq!(found["values"][name]["at_most"], true, "{found}");
    }
    let said = found["sentences"][0].as_str().unwrap();
    assert!(said.contains("at or below 16 in flight"), "{said}");
    let one = study(&["depth", law, "--depths", "32", "--time", "2s"]);
    let said = one["sentences"][0].as_str().unwrap();
    assert!(said.contains("one depth shows no knee"), "{said}");
    assert!(one["values"]["knee_first"]["value"].is_null(), "{one}");
}

/// 16,384 in flight of 2,000 a second take 8.2 s each, longer than the window; 2,048 of 20,000 a second take 0.1 s.
#[test]
fn a_queue_that_does_not_fit_its_window_is_no_part_of_an_answer() {
    let law = "sim:iops=2000,service=200us";
    let words = ["depth", law, "--depths", "1,16,1024", "--jobs", "16"];
    let found = study(&words);
    near(value(&found, "highest"), 2000.0, 0.01);
    let said = found["sentences"].to_string();
    // Three depths, the highest once more, and one I/O alone, without pauses and with them.
    assert!(said.contains("Excluded: 1 of 6 points"), "{said}");
    let law = "sim:iops=20000,service=200us";
    let found = study(&["depth", law, "--depths", "512", "--jobs", "4"]);
    let rate = &rows(&found, 1).last().unwrap()["iops"];
    let [low, high] = ["low", "high"].map(|end| rate[end].as_f64().unwrap());
    assert!(low <= 20_000.0 && 20_000.0 <= high, "{rate}");
}

#[test]
fn a_factor_without_a_practical_effect_is_no_headline() {
    let law = "sim:iops=2000,service=100us,parallel=64";
    let factors = "jobs=1,8;bs=4k,64k";
    let found = study(&["screen", law, "--factors", factors, "--depths", "16"]);
    let said = found["sentences"].to_string();
    assert!(said.contains("No effect of practical size"), "{said}");
    assert!(!said.contains("times the IOPS"), "{said}");
}

/// Offsets that come again end where they are through: what is beyond them is new. One of 128 MiB finds nothing of 256 MiB
/// that were read in the same order, so no more is read than the half of it.
#[test]
fn offsets_that_come_again_are_all_hits() {
    let law = "sim:size=8g,service=1ms,parallel=8,cache=512m:100us";
    let words = [
        "cache",
        law,
        "--dataset",
        "2g",
        "--depths",
        "4",
        "--time",
        "2s",
    ];
    let found = study(&words);
    near(value(&found, "hit_share"), 1.0, 0.01);
    // The table has the share that the sentence has.
    let again = rows(&found, 0)
        .iter()
        .find(|row| row["read"]["text"] == "direct, same offsets");
    near(
        again.unwrap()["fast I/Os"]["value"]
            .as_f64()
            .unwrap_or(-1.0),
        1.0,
        0.01,
    );
    assert!(value(&found, "same_over_other") > 5.0, "{found}");
    let named = study(&[
        "cache",
        "sim:size=16g,service=exp:1ms,parallel=8,cache=128m:100us",
        "--dataset",
        "512m",
        "--server-cache",
        "128m",
        "--time",
        "10s",
    ]);
    assert_eq!(named["values"]["cache_seen"]["text"], "yes", "{named}");
    near(value(&named, "hit_share"), 1.0, 0.01);
    // A draw finds a quarter of the set in the cache: 8,000 misses a second are three quarters of all.
    let rows = rows(&named, 0);
    let warmed = rows
        .iter()
        .find(|r| r["read"]["text"] == "direct, warmed up");
    near(
        warmed.unwrap()["iops"]["value"].as_f64().unwrap(),
        10_667.0,
        0.03,
    );
    // No point of it fails a check of points that end with their time.
    let usual = study(&[
        "cache",
        "sim:size=8g,service=1ms,parallel=8,cache=512m:20us",
    ]);
    let said = usual["sentences"].to_string();
    assert!(!said.contains("No answer"), "{said}");
}

/// What a cache study says of a volume with this cache, after other data of this amount was read.
fn said_of_cache(cache: &str, other: &str) -> String {
    let law = format!("sim:size=4g,service=1ms,parallel=8,cache={cache}:100us");
    let words = ["cache", &law, "--server-cache", other, "--dataset", "512m"];
    study(&[&words[..], &["--time", "2s"]].concat())["sentences"].to_string()
}

/// Hits of a moment: the rate has no interval, and why is said.
#[test]
fn a_rate_of_a_cache_without_an_interval_says_why() {
    let law = "sim:cache=256m:50us:writes=through,iops=2000,service=1ms,parallel=32";
    let said = study(&["cache", law, "--server-cache", "256m"]);
    let said = said["sentences"].to_string();
    let why = "Too short for an interval of the rate: direct, same offsets (";
    assert!(said.contains(why), "{said}");
    assert!(!said.contains(&format!("{why}0 ns")), "{said}");
    let said = study(&["cache", "sim:iops=2000,service=1ms,parallel=32"]);
    let said = said["sentences"].to_string();
    assert!(!said.contains("Too short for an interval"), "{said}");
}

#[test]
fn what_is_said_of_a_cache_does_not_contradict_itself() {
    // It holds the set as a whole, old offsets and new, until something else is read.
    let large = said_of_cache("1g", "1g");
    assert!(!large.contains("no cache beyond"), "{large}");
    assert!(large.contains("holds both"), "{large}");
    assert!(
        large.contains("they were evicted from the cache"),
        "{large}"
    );
    // A cold cache fills at the rate of misses.
    assert!(large.contains("at the lowest of these rates"), "{large}");
    // No page cache is before a simulated volume.
    assert!(!large.contains("page cache"), "{large}");
    // One that is much smaller than the set shows too: no more is read again than it holds.
    let small = said_of_cache("16m", "16m");
    assert!(
        small.contains("a cache beyond this host holds what was read"),
        "{small}"
    );
}

/// A quick study of caches, with 64 MiB of a server's: its sentences, and whether one was seen.
fn quick_cache(law: &str, more: &[&str]) -> (String, String) {
    let words = ["cache", law, "--server-cache", "64m", "--quick"];
    let found = study(&[&words[..], more].concat());
    let seen = found["values"]["cache_seen"]["text"].to_string();
    (found["sentences"].to_string(), seen)
}

/// Tails of 40 ms: rates known to a third differ by chance.
#[test]
fn rates_that_are_known_too_little_show_no_cache() {
    let law = "sim:size=1g,mix=99%:200us/1%:40ms,parallel=16";
    let (said, seen) = quick_cache(law, &[]);
    assert!(!said.contains("a cache beyond this host holds"), "{said}");
    assert!(!said.contains(": they were evicted"), "{said}");
    assert_ne!(seen, "\"yes\"", "{said}");
}

/// Four times the rate from a moment on, and no cache.
#[test]
fn a_rate_that_rose_during_the_warm_up_leaves_a_cache_open() {
    let law = "sim:size=1g,service=exp:300us,iops=5000,at=6170ms:iops=20000";
    let (said, seen) = quick_cache(law, &[]);
    assert!(!said.contains("no cache beyond this host"), "{said}");
    assert!(said.contains(": stable at the end."), "{said}");
    assert_eq!(seen, "\"unknown\"", "{said}");
}

/// What a study of writes says is of writes.
#[test]
fn a_cache_of_writes_is_said_to_be_written_to() {
    let law = "sim:size=1g,cache=64m:20us:writes=back,service=exp:300us,parallel=16";
    let (said, seen) = quick_cache(law, &["--rw", "write"]);
    assert!(
        said.contains("Writing the same offsets again reaches")
            && said.contains("holds what was written before")
            && said.contains("of the set is written once in")
            && said.contains("random writes have touched"),
        "{said}"
    );
    assert!(!said.contains("there is no such cache"), "{said}");
    assert_eq!(seen, "\"yes\"", "{said}");
}

/// 8,192 blocks of 4 KiB at 1 ms each, 4 at once: a cache of the whole set fills with what random offsets touch.
#[test]
fn a_warm_up_ends_when_the_rate_stands() {
    let cached = |cache: &str, more: &[&str]| {
        let law = format!("sim:service=1ms,parallel=4,size=128m{cache}");
        let words = [
            "cache",
            &law,
            "--dataset",
            "32m",
            "--depths",
            "4",
            "--time",
            "500ms",
            "--rw",
            "read",
        ];
        study(&[&words[..], more].concat())
    };
    // What was read elsewhere has displaced what the fill left there.
    let warmed = cached(",cache=32m:100us", &["--server-cache", "64m"]);
    let said = warmed["sentences"].to_string();
    assert!(
        said.contains(": stable") && said.contains(". Warmed up, random offsets reach"),
        "{said}"
    );
    assert!(value(&warmed, "warm_up_touched") >= 0.5, "{warmed}");
    let after = rows(&warmed, 0)
        .iter()
        .find(|r| r["read"]["text"] == "direct, warmed up");
    // Hits take 100 us: 40,000 a second.
    assert!(
        after.unwrap()["iops"]["value"].as_f64().unwrap() > 30_000.0,
        "{warmed}"
    );
    // None is there: it stands after four rounds of 500 ms: half of the set was touched after 1.4 s.
    let without = cached("", &[]);
    near(value(&without, "warm_up"), 2.0, 0.05);
    assert_eq!(without["values"]["warm_up_stands"]["text"], "yes");
    // No time for half of the set.
    let short = cached(",iops=500", &["--budget", "10s"]);
    let said = short["sentences"].to_string();
    assert!(said.contains("Warm-up, not finished: "), "{said}");
    assert!(
        !said.contains(" IOPS at the start"),
        "it has an interval: {said}"
    );
    assert!(said.contains("a longer budget allows that"), "{said}");
    // 60 rounds of 500 ms are over before half of the set was touched, which takes 57 s: a budget makes them longer.
    let slow = cached(",iops=100", &["--budget", "150s"]);
    assert_eq!(slow["values"]["warm_up_stands"]["text"], "yes", "{slow}");
}

/// Ten points of 1 s with a warm-up of 1 s each take 20 s.
#[test]
fn a_budget_that_cannot_be_kept_is_said_and_plans_keep_to_one() {
    let place = Place::new();
    let planned = |budget: &'static str| {
        let words = [
            "plan",
            "study",
            "iops",
            "sim:service=1ms",
            "--depths",
            "1..10:1",
            "--rw",
            "read",
        ];
        finish(&mut place.leadline([&words[..], &["--budget", budget]].concat()))
    };
    let short = planned("10s");
    // The best point is measured once more.
    let said = "error: --budget 10.0 s is too short: the points take at least 22.0 s";
    assert!(short.stderr.contains(said), "{short:?}");
    assert_eq!(short.code, Some(2), "{short:?}");
    let enough = planned("44s");
    assert_eq!(enough.code, Some(0), "{enough:?}");
    assert!(
        enough.stderr.contains("note: adaptive points"),
        "{enough:?}"
    );
    let total = enough.stdout.lines().last().unwrap_or_default();
    assert!(
        total.contains("time: 44.0 s at most, the budget"),
        "{total}"
    );
}

/// On a volume whose set is written in a second, and with noise, which searches answer by more points.
#[test]
fn every_study_ends_within_its_budget() {
    let law = "sim:size=1g,service=exp:500us,parallel=8,write_bytes=1g";
    let hosts = ["--hosts", "h[1-2]", "--launcher", "local"];
    let near = [&hosts[..], &["--groups", "near=h1", "far=h2"]].concat();
    let studies: &[(&[&str], &str)] = &[
        (&["latency"], "30s"),
        (&["iops"], "20s"),
        (
            &["iops", "--depths", "2,8", "--until-interval", "1%"],
            "40s",
        ),
        (&["throughput"], "20s"),
        (&["mix"], "40s"),
        (&["depth", "--depths", "1..64", "--jobs", "1,2"], "60s"),
        (&["depth", "--depths", "1..64", "--repeat", "2"], "60s"),
        (&["size"], "60s"),
        (&["curve"], "40s"),
        (&["curve", "--repeat", "2"], "80s"),
        (
            &["curve", "--depths", "8,32", "--until-interval", "1%"],
            "80s",
        ),
        (&["limit", "--slo", "p99<10ms"], "60s"),
        (&["limit", "--slo", "p99<10ms", "--depths", "16,32"], "90s"),
        (&["burst", "--rest", "5s", "--time", "10s"], "60s"),
        (&["cache"], "60s"),
        (
            &[
                "cache",
                "--depths",
                "8,16",
                "--server-cache",
                "256m",
                "--dataset",
                "512m",
            ],
            "90s",
        ),
        (&[&["scale-out"], &hosts[..]].concat(), "20s"),
        (&[&["near-far"], &near[..]].concat(), "90s"),
        (&["combined", "--rated", "randwrite:2000"], "20s"),
        (&["map", "--grid", "3"], "60s"),
        (&["steady"], "60s"),
        (&["steady", "--metric", "latency", "--repeat", "2"], "90s"),
        (&["screen", "--factors", "bs=4k,64k;jobs=1,8"], "90s"),
    ];
    side_by_side(2, studies, |(words, budget)| {
        let place = Place::new();
        let words = [&["study"], &words[..1], &[law], &words[1..]].concat();
        let more = ["--budget", budget, "--json", "--out", "s", "--seed", "3"];
        let done = finish(&mut place.leadline([&words[..], &more].concat()));
        assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
        let run: Value = serde_json::from_str(&done.stdout).unwrap();
        let end = run["stages"].as_array().unwrap().last().unwrap()["end_ns"].as_f64();
        let budget: f64 = budget.trim_end_matches('s').parse().unwrap();
        let took = end.unwrap() / 1e9;
        assert!(took <= 1.03 * budget, "{words:?} took {took} s of {budget}");
        let said = run["study"]["sentences"].to_string();
        assert!(!said.contains("ended before all"), "{words:?}: {said}");
    });
}

/// Points that are shortened, by a budget or for many hosts, have as many slices as statistics need.
#[test]
fn shortened_points_have_slices_enough() {
    let law = "sim:size=1g,service=exp:500us,parallel=8";
    let cases: [&[&str]; 2] = [
        &["study", "iops", law, "--depths", "1,8", "--budget", "24s"],
        &[
            "measure",
            law,
            "--quick",
            "--hosts",
            "a,b",
            "--launcher",
            "local",
        ],
    ];
    for words in cases {
        let place = Place::new();
        let more = ["--out", "run", "--seed", "3"];
        let done = finish(&mut place.leadline([words, &more].concat()));
        assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
        let run = place.kept();
        let stages = run
            .plan
            .iter()
            .flat_map(|plan| &plan.stages)
            .zip(&run.stages);
        for (plan, stage) in stages.filter(|(plan, _)| !plan.name.contains("fill")) {
            let first = stage
                .samples
                .iter()
                .filter(|s| !s.warmup && s.workload == 0);
            let slices = first.count();
            assert!(slices >= 64, "{words:?}: {} has {slices}", plan.name);
        }
    }
}

/// What is written first is not known before it was: the study ends with its budget, and says so.
#[test]
fn a_budget_that_the_set_uses_up_is_kept_and_said() {
    let of = |budget: &str| {
        let words = [
            "study",
            "iops",
            "sim:size=1g,service=1ms,write_bytes=100m",
            "--rw",
            "read,write",
        ];
        let place = Place::new();
        let more = ["--budget", budget, "--json", "--out", "s"];
        let done = finish(&mut place.leadline([&words[..], &more].concat()));
        let run: Value = serde_json::from_str(&done.stdout).unwrap();
        let end = run["stages"].as_array().unwrap().last().unwrap()["end_ns"].as_f64();
        (run["study"]["sentences"].to_string(), end.unwrap() / 1e9)
    };
    // 1 GiB takes 10 s; two points of 2 s follow.
    let (said, took) = of("13s");
    assert!(
        said.contains("The budget of 13.0 s ended before all points"),
        "{said}"
    );
    assert!(said.contains("end at 14."), "{said}");
    assert!(took <= 13.2, "{took}");
    let (said, took) = of("8s");
    assert!(said.contains("ended before all points"), "{said}");
    assert!(took <= 8.3, "{took}");
    let (said, took) = of("20s");
    assert!(!said.contains("ended before"), "{said}");
    assert!(took <= 20.3, "{took}");
}

/// The second host is killed while it works; taken up with it there again, its points are measured again.
#[test]
fn points_from_the_loss_of_a_host_on_are_measured_again() {
    let place = Place::new();
    let target = place.join("d").display().to_string();
    let way = |line: &str| {
        std::fs::write(place.join("way"), format!("#!/bin/sh\nshift\n{line}\n")).unwrap();
    };
    let hosts = format!(
        "a launcher=local\nb launcher=\"sh {} {{host}}\"\n",
        place.join("way").display()
    );
    std::fs::write(place.join("hosts"), hosts).unwrap();
    let study = [
        "study",
        "scale-out",
        &target,
        "--hosts",
        "hosts",
        "--counts",
        "1,2",
    ];
    let times = ["--time", "3s", "--warmup", "0", "--dataset", "8m", "--json"];
    let words = |more: &[&'static str]| {
        let all = study.iter().chain(&times).chain(more);
        all.copied().map(str::to_owned).collect::<Vec<String>>()
    };
    way("exec 3<&0; \"$@\" <&3 & sleep 2; kill -9 $!");
    let first = finish(&mut place.leadline(words(&["--out", "a"])));
    assert!(first.stderr.contains("b was lost after"), "{first:?}");
    // What was measured of all hosts it was meant for is kept, and the point that is not is marked.
    let run: Value = serde_json::from_str(&first.stdout).unwrap();
    let marks = rows(&run["study"], 0)
        .iter()
        .map(|row| &row["without host"]["text"]);
    let marks: Vec<Option<&str>> = marks.map(Value::as_str).collect();
    assert_eq!(marks, [None, Some("b")], "{first:?}");
    let said = run["study"]["sentences"].to_string();
    assert!(said.contains("Lost: b "), "{said}");
    assert!(said.contains(" points have all of their hosts"), "{said}");
    let shown = finish(&mut place.leadline(["show", "a.leadline"]));
    assert!(shown.stdout.contains("without host"), "{shown:?}");
    let page = std::fs::read_to_string(place.join("a.html")).unwrap();
    assert!(page.contains("without host"), "the page has no mark");
    way("exec \"$@\"");
    let again = finish(&mut place.leadline(words(&["--resume", "a.leadline", "--out", "b"])));
    assert_eq!(again.code, Some(0), "{again:?}");
    let run: Value = serde_json::from_str(&again.stdout).unwrap();
    assert!(!again.stdout.contains("host-lost"), "{again:?}");
    assert_eq!(rows(&run["study"], 0).len(), 2, "{again:?}");
}

/// A study on eight hosts that share the volume.
fn on_hosts(words: &[&str]) -> Value {
    let hosts = ["--hosts", "h[1-8]", "--launcher", "local", "--time", "1s"];
    study(&[words, &hosts].concat())
}

/// One alone is one I/O in flight in all, however many hosts and jobs a study has: eight hosts with one each wait for one
/// another.
#[test]
fn one_alone_is_one_of_all_hosts_and_jobs() {
    // 500 us alone; a cap of 1,000 a second makes 8 ms of it with one in flight of each host.
    let law = "sim:iops=1000,service=500us,parallel=64";
    let limit = on_hosts(&["limit", law, "--slo", "p99<5ms", "--budget", "1m"]);
    assert!(value(&limit, "passed") > 100.0, "{limit}");
    // 2 at once of 800 us, and no depth of one of one host among the points.
    let law = "sim:parallel=2,service=800us";
    for more in [&["--depths", "256"][..], &["--jobs", "4"]] {
        let found = study(&[&["size", law, "--bs", "4k,64k", "--time", "1s"], more].concat());
        near(value(&found, "slots"), 2.0, 0.02);
    }
    let found = on_hosts(&["size", law, "--bs", "4k,64k"]);
    near(value(&found, "slots"), 2.0, 0.02);
    let found = on_hosts(&["depth", law, "--depths", "1..4"]);
    near(value(&found, "alone"), 800_000.0, 0.02);
    near(value(&found, "useful_concurrency"), 2.0, 0.02);
    for more in [&["--depths", "4,8"][..], &["--jobs", "4"]] {
        let found = study(&[&["depth", law, "--time", "1s"], more].concat());
        near(value(&found, "useful_concurrency"), 2.0, 0.02);
        // No point of its curve.
        assert!(value(&found, "knee_first") >= 4.0, "{found}");
    }
    // 500 us from near, 500 us more from far.
    let law = "sim:service=500us,parallel=2";
    let groups = ["--groups", "near=h[1-4]", "far=h[5-8]", "--depths", "1,16"];
    let more = ["near-far", law, "--distance", "far=500us"];
    let found = on_hosts(&[&more[..], &groups].concat());
    near(value(&found, "alone_near"), 500_000.0, 0.02);
    near(value(&found, "alone_far"), 1_000_000.0, 0.02);
    let said = found["sentences"].to_string();
    assert!(said.contains("distance explains 500 us of the"), "{said}");
    // The depth of the study, whose 128 in flight a volume of 256 takes at once.
    let law = "sim:service=500us,parallel=256,write_service=2ms";
    let found = on_hosts(&["mix", law, "--depths", "16"]);
    let said = found["sentences"].to_string();
    assert!(said.contains("No law: "), "{said}");
}

/// Hosts that are each at a limit of their own (a link, a volume of each) wait as long together as one does: neither their
/// depth nor what they share is the limit.
#[test]
fn hosts_at_limits_of_their_own_are_no_depth_of_the_study() {
    for law in [
        "sim:service=200us,rtt=100us,host_bytes=60m,parallel=512",
        "sim:service=200us,parallel=4,local=yes",
    ] {
        let said = on_hosts(&["scale-out", law])["sentences"].to_string();
        assert!(
            said.contains("each host is at a limit of its own"),
            "{said}"
        );
        assert!(!said.contains("depth of this study"), "{said}");
    }
    let said = on_hosts(&["scale-out", "sim:service=200us,parallel=512"])["sentences"].to_string();
    assert!(said.contains("depth of this study was the limit"), "{said}");
    assert!(!said.contains("limit of its own"), "{said}");
    // What they share.
    let said = on_hosts(&["scale-out", "sim:service=200us,parallel=8"])["sentences"].to_string();
    let is_own = said.contains("limit of its own") || said.contains("depth of this study");
    assert!(!is_own && said.contains("a shared limit"), "{said}");
}

/// One flow carries 1,520 of 3,500 MiB/s: eight carry 2.3 times as much, and the volume is the next limit.
#[test]
fn connections_tell_the_flow_from_the_volume() {
    let law = |connections: u32, flow: u32| {
        format!(
            "sim:connections={connections},connection={flow}m,read_bytes=3500m,service=200us,parallel=512,rtt=200us"
        )
    };
    let of = |few: &str, many: &str| {
        let arms = [
            "--arm", "one", "--target", few, "--arm", "eight", "--target", many,
        ];
        let load = [
            "arms",
            "--study",
            "throughput",
            "--jobs",
            "16",
            "--depths",
            "32",
            "--rw",
            "read",
        ];
        study(&[&load[..], &["--time", "1s"], &arms].concat())
    };
    let found = of(&law(1, 1520), &law(8, 1520));
    assert_eq!(
        found["values"]["connections_show"]["text"],
        "flow, then volume"
    );
    let said = found["sentences"].to_string();
    assert!(
        said.contains(": x2.3. The first limit is the flow"),
        "{said}"
    );
    let flow = of(&law(1, 100), &law(8, 100));
    assert_eq!(flow["values"]["connections_show"]["text"], "flow");
    let volume = of(&law(1, 9000), &law(8, 9000));
    assert_eq!(volume["values"]["connections_show"]["text"], "not the flow");
    let same = of(&law(8, 9000), &law(8, 9000));
    assert!(same["values"].get("connections_show").is_none(), "{same}");
}

/// A set is as large however many hosts share it: each has a part of its own of a volume that all use, so that a cache holds
/// as much of it.
#[test]
fn a_set_that_hosts_share_is_as_large_as_that_of_one() {
    let law = "sim:service=1ms,parallel=32,cache=256m:50us";
    let of = |hosts: &str| {
        let words = [
            "iops",
            law,
            "--rw",
            "read",
            "--dataset",
            "1g",
            "--time",
            "10s",
        ];
        let found = study(&[&words[..], &["--hosts", hosts, "--launcher", "local"]].concat());
        rows(&found, 0)[0]["iops"]["value"].as_f64().unwrap()
    };
    near(of("h[1-4]"), of("h1"), 0.1);
}

/// Credits for bytes of which the study's own fill took more than the rest brings back: what it finds is the least there is.
#[test]
fn a_store_that_the_rest_did_not_fill_is_a_lower_bound() {
    let law = "sim:bytes=10m,burst_bytes=40m,burst_bytes_store=900m,service=300us,parallel=16";
    let found = study(&[
        "burst", law, "--bs", "8k,128k", "--rest", "60s", "--time", "3m",
    ]);
    let said = found["sentences"].to_string();
    assert!(!said.contains("This assumes a full bucket"), "{said}");
    assert!(said.contains("at least"), "{said}");
    // Ten minutes bring back all of it.
    let found = study(&[
        "burst", law, "--bs", "8k,128k", "--rest", "5m", "--time", "3m",
    ]);
    near(value(&found, "bytes_store"), 900.0 * 1_048_576.0, 0.05);
    // At 4 KiB the bucket of I/Os is empty first, while that of bytes still has credits.
    let law = "sim:service=100us,parallel=4,iops=3000,burst_iops=9000,burst_store=180000,bytes=10m,burst_bytes=40m,\
               burst_bytes_store=900m";
    let found = study(&[
        "burst", law, "--bs", "4k,64k", "--rest", "5m", "--time", "1m",
    ]);
    assert_eq!(found["values"]["charged"]["text"], "both", "{found}");
}

/// Two at once after a round trip, which takes none of them.
#[test]
fn a_round_trip_takes_none_of_the_ios_at_once() {
    for (law, at_once) in [
        ("sim:parallel=2,service=100us,rtt=300us,per_byte=0.5ns", 2.0),
        (
            "sim:parallel=16,service=400us,rtt=300us,per_byte=0.5ns",
            16.0,
        ),
    ] {
        let found = study(&[
            "size", law, "--bs", "4k..1m", "--depths", "1,256", "--time", "1s",
        ]);
        near(value(&found, "slots"), at_once, 0.03);
        let said = found["sentences"].to_string();
        assert!(said.contains("concurrency is limited"), "{said}");
        assert!(said.contains("less the network round trip"), "{said}");
    }
}

/// An undo that fails after the last point is in the result, not on the terminal alone.
#[test]
fn an_undo_that_fails_at_the_end_is_in_the_result() {
    let place = Place::new();
    let words = [
        "study",
        "arms",
        "sim:iops=1000",
        "--study",
        "iops",
        "--time",
        "1s",
        "--arm",
        "a",
        "--prepare",
        "true",
        "--arm",
        "b",
        "--prepare",
        "true",
        "--undo",
        "false",
        "--json",
        "--out",
        "s",
    ];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(3), "{done:?}");
    let run: Value = serde_json::from_str(&done.stdout).unwrap();
    let mut found = run["findings"].as_array().unwrap().iter();
    assert!(
        found.any(|f| f["code"] == "not-undone"),
        "{}",
        run["findings"]
    );
}

/// Both a --prepare and its --undo may fail: the first is the cause, and is said as well.
#[test]
fn a_prepare_that_fails_is_said_where_its_undo_fails_too() {
    let place = Place::new();
    let arm = |name: &'static str, prepare: &'static str, undo: &'static str| {
        ["--arm", name, "--prepare", prepare, "--undo", undo]
    };
    let study = [
        "study",
        "arms",
        "sim:iops=1000",
        "--study",
        "iops",
        "--time",
        "1s",
        "--out",
        "s",
    ];
    let broken = arm("a", "echo no-volume >&2; false", "exit 7");
    let done =
        finish(&mut place.leadline([&study[..], &broken, &arm("b", "true", "true")].concat()));
    assert_eq!(done.code, Some(3), "{done:?}");
    for part in ["--prepare of a failed", "no-volume", "--undo of a failed"] {
        assert!(done.stderr.contains(part), "{part}: {done:?}");
    }
}

/// What a study in each state has no use for is refused as in the study alone; counts of hosts may go on.
#[test]
fn arms_take_the_options_of_their_study_and_counts_may_have_an_open_end() {
    let arms = [
        "--arm",
        "a",
        "--target",
        "sim:iops=9",
        "--arm",
        "b",
        "--target",
        "sim:iops=99",
    ];
    let of = |inner: &[&str]| refused(&[&["arms", "--study"], inner, &arms].concat());
    let said = of(&["iops", "--step", "10"]);
    assert!(
        said.contains("the study iops has no option `step`"),
        "{said}"
    );
    let said = of(&["arms"]);
    assert!(said.contains("arms cannot be nested"), "{said}");
    let hosts = [
        "--hosts",
        "h[1-6]",
        "--launcher",
        "local",
        "--time",
        "100ms",
    ];
    let of = |counts| {
        let words = [
            "scale-out",
            "sim:iops=9000,host_bytes=4m",
            "--counts",
            counts,
        ];
        rows(&study(&[&words[..], &hosts].concat()), 0).len()
    };
    assert_eq!((of("1,2,4.."), of("1,2,4")), (4, 3));
    let said = refused(&["scale-out", "sim:iops=9", "--counts", "3,6.."]);
    assert!(said.contains("an open list doubles from 1"), "{said}");
}

/// One I/O alone takes 200 us on the volume and 300 us to it and back.
#[test]
fn the_round_trip_is_said_as_a_share_of_the_latency() {
    let law = "sim:service=200us,rtt=300us";
    let found = study(&["latency", law, "--rw", "randread", "--time", "1s"]);
    let said = found["sentences"].to_string();
    let part = "The shortest round trip to the volume is 300 us, 60 % of the mean latency of 4 KiB random read; the \
                remaining 200 us";
    assert!(said.contains(part), "{said}");
    near(value(&found, "round_trip"), 300_000.0, 1e-6);
    let found = study(&["latency", "sim:service=200us", "--time", "1s"]);
    assert!(
        !found["sentences"].to_string().contains("round trip"),
        "{found}"
    );
}

#[test]
fn help_of_a_study_leaves_out_what_it_refuses() {
    let place = Place::new();
    let help = |study: &str| finish(&mut place.leadline(["study", study, "--help"])).stdout;
    let has = |study: &str, option: &str| {
        let text = help(study);
        assert!(text.contains("--depths"), "{text}");
        text.lines()
            .any(|line| line.trim_start().starts_with(&format!("--{option} ")))
    };
    assert!(has("depth", "rw") && has("depth", "order"));
    assert!(!has("map", "rw") && has("map", "order"));
    assert!(!has("combined", "rw") && !has("combined", "order"));
}

#[test]
fn shares_are_numbers_or_percent() {
    let limit = |loss: &str| {
        let words = [
            "limit",
            "sim:service=1ms",
            "--slo",
            "p99<9ms",
            "--time",
            "1s",
        ];
        let more = ["--budget", "60s", "--rw", "randread", "--loss", loss];
        study(&[&words[..], &more].concat())["values"].clone()
    };
    assert_eq!(limit("5%"), limit("0.05"));
    let until = |share: &str| {
        let words = ["iops", "sim:service=exp:1ms", "--until-interval", share];
        study(&words)["tables"].clone()
    };
    assert_eq!(until("2%"), until("0.02"));
    let said = refused(&["limit", "sim:", "--slo", "p99<2ms,p50<1ms", "--loss", "5"]);
    for part in [
        "more than one target",
        "'5' is not a share from 0 to below 1",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = refused(&["burst", "sim:service=1ms", "--rest", "5m", "--budget", "1m"]);
    assert!(said.contains("a shorter --rest"), "{said}");
}

/// Two near hosts and one far: equal N is depth 8 of the two and depth 16 of the one.
#[test]
fn groups_of_another_size_are_compared_with_as_many_in_flight() {
    let study = |depths: &str| {
        study(&[
            "near-far",
            "sim:iops=20000,service=500us,parallel=256,rtt=100us",
            "--hosts",
            "h[1-3]",
            "--launcher",
            "local",
            "--groups",
            "near=h[1-2] far=h3",
            "--distance",
            "far=500us",
            "--depths",
            depths,
            "--time",
            "1s",
        ])
    };
    let found = study("1,8,16");
    let tables = found["tables"].as_array().unwrap();
    let equal = tables.iter().find(|t| t["title"] == "At equal depth");
    let rows = equal.unwrap()["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    let of = |column: &str| rows[0][column]["value"].as_f64().unwrap();
    for (column, count) in [
        ("depth, near", 8.0),
        ("depth, far", 16.0),
        ("in flight", 16.0),
    ] {
        assert!(rows[0][column]["value"] == count, "{column}: {rows:?}");
    }
    // 16 in 600 us, and in 1.1 ms.
    near(of("far"), 16.0 / 0.0011, 0.02);
    near(of("expected far"), 16.0 / 0.0011, 0.02);
    near(of("far/near"), (16.0 / 0.0011) / 20_000.0, 0.02);
    let found = study("1,3");
    let said = found["sentences"].to_string();
    assert!(said.contains("give depths such as 1 and 2."), "{said}");
}

#[test]
fn each_further_group_is_compared_at_equal_depth() {
    let words = [
        "near-far",
        "sim:service=200us,parallel=16",
        "--rw",
        "randread",
        "--depths",
        "1,4",
        "--time",
        "300ms",
    ];
    let groups = [
        "--hosts",
        "a,b,c",
        "--launcher",
        "local",
        "--groups",
        "near=a",
        "mid=b",
        "far=c",
        "--distance",
        "mid=1ms,far=2ms",
    ];
    let place = Place::new();
    let set = ["--dataset", "96m"];
    let found = study_in(&place, &[&words[..], &groups, &set].concat());
    let tables = found["tables"].as_array().unwrap();
    let titles = tables.iter().filter_map(|table| table["title"].as_str());
    let titles: Vec<&str> = titles
        .filter(|title| title.starts_with("At equal"))
        .collect();
    assert_eq!(
        titles,
        [
            "At equal depth: near and mid",
            "At equal depth: near and far"
        ]
    );
    let said = found["sentences"].to_string();
    assert!(
        said.contains("mean 200 us +-<0.1 % from near and p50 ~2.20 ms"),
        "{said}"
    );
    let row = &tables.iter().find(|t| t["title"] == titles[1]).unwrap()["rows"][0];
    near(row["far/near"]["value"].as_f64().unwrap(), 0.2 / 2.2, 0.02);
    let page = std::fs::read_to_string(place.join("s.html")).unwrap();
    // A comma is where a line may end.
    for part in ["96 MiB in all", "shared by 3 hosts"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

/// A latency that jumps over its target at the cap: trials are not spent on distinguishing 16,168 from 16,169.
#[test]
fn a_limit_at_a_cap_has_both_bounds_near_it() {
    let law = "sim:service=500us,write_service=3ms,parallel=8";
    for seed in ["1", "2", "3"] {
        let place = Place::new();
        let words = [
            "study", "limit", law, "--slo", "p99<50ms", "--quick", "--time", "300ms", "--rw",
            "randread",
        ];
        let done = finish(
            &mut place.leadline([&words[..], &["--json", "--seed", seed, "--out", "s"]].concat()),
        );
        let run: Value = serde_json::from_str(&done.stdout).unwrap();
        let found = &run["study"];
        let (low, high) = (value(found, "passed"), value(found, "failed"));
        assert!(
            (13_000.0..16_400.0).contains(&low),
            "{seed}: {low} to {high}"
        );
        assert!(
            (15_500.0..17_500.0).contains(&high),
            "{seed}: {low} to {high}"
        );
    }
}

#[test]
fn a_cache_that_was_said_not_to_be_there_is_noticed() {
    let said = |more: &[&str]| {
        let words = [
            "cache",
            "sim:service=1ms,cache=64m:50us,size=256m",
            "--quick",
            "--time",
            "500ms",
        ];
        study(&[&words[..], more].concat())["sentences"].to_string()
    };
    let part = "These figures show a cache beyond this host, although none was stated";
    assert!(said(&["--server-cache", "none"]).contains(part));
    assert!(!said(&[]).contains(part));
}

#[test]
fn the_first_sentence_of_a_study_names_percentiles_before_means() {
    let law = "sim:iops=20000,service=exp:300us,parallel=64";
    let hosts = ["--hosts", "h[1-2]", "--launcher", "local"];
    let groups = ["--groups", "near=h1", "far=h2", "--distance", "far=500us"];
    let few = ["--depths", "1,16", "--quick"];
    let cases = [
        vec!["latency", law, "--quick"],
        vec!["iops", law, "--quick"],
        vec!["curve", law, "--quick"],
        [&["depth", law][..], &few].concat(),
        [&["near-far", law][..], &few, &hosts, &groups].concat(),
    ];
    side_by_side(2, &cases, |words| {
        let found = study(words);
        let first = found["sentences"][0].as_str().unwrap();
        let place = |name: &str| {
            first
                .find(name)
                .unwrap_or_else(|| panic!("{name}: {first}"))
        };
        let places = ["p50 ", "p99 ", "mean "].map(place);
        assert!(places.is_sorted(), "{first}");
        let (_, tails) = first.split_once("p50 ").unwrap();
        assert!(tails.contains(" +-"), "{first}");
    });
}

/// The points that lines of progress name: the number of each, and the last number of how many there are.
fn points_said(progress: &str) -> Vec<(usize, usize)> {
    let lines = progress
        .lines()
        .filter_map(|line| line.split_once("point "));
    let numbers = |rest: &str| {
        let (number, rest) = rest.split_once(" of ").unwrap();
        let words = rest.split(' ').map_while(|word| match word {
            "about" | "at" | "least" | "up" | "to" => Some(None),
            number => number.parse().ok().map(Some),
        });
        let all: usize = words.flatten().last().unwrap();
        (number.parse().unwrap(), all)
    };
    lines.map(|(_, rest)| numbers(rest)).collect()
}

#[test]
fn no_point_is_beyond_those_that_progress_says_there_are() {
    let law = "sim:iops=20000,service=exp:300us,parallel=64";
    let unsure = "sim:service=exp:1ms,parallel=4,iops=3000";
    let cases = [
        vec!["iops", law],
        vec!["depth", unsure, "--depths", "4,6,8"],
        vec!["curve", law],
        vec!["steady", law],
        vec!["cache", law],
        vec!["limit", law, "--slo", "p99<5ms"],
    ];
    side_by_side(2, &cases, |words| {
        let place = Place::new();
        let usual = ["--quick", "--seed", "1", "--out", "s"];
        let done = finish(&mut place.leadline([&["study"][..], words, &usual].concat()));
        assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
        let said = points_said(&done.stderr);
        assert!(said.len() > 1, "{words:?}: {}", done.stderr);
        assert!(said.iter().all(|(number, all)| number <= all), "{said:?}");
        // What a search may add has a bound from the first point on, but for one over rates.
        let last = said.last().unwrap().0;
        let is_bound = said.iter().all(|(_, all)| *all >= last);
        assert!(is_bound || words[0] == "limit", "{words:?}: {said:?}");
    });
}

/// Each highest rate that an answer names is that of a run of its own: of every curve, kind of I/O and line of hosts. All are
/// among the points that are counted before the first.
#[test]
fn every_maximum_that_is_named_is_confirmed() {
    let law = "sim:size=1g,service=exp:500us,parallel=8,iops=12000,bytes=200m";
    let hosts = ["--hosts", "h[1-3]", "--launcher", "local"];
    let both = ["--rw", "read,write"];
    let depths = ["--depths", "1,8,32", "--jobs", "1,4"];
    // With the number that is measured once more, and with that of all stages.
    let groups = ["--groups", "near=h[1-2]", "far=h3", "--depths", "1,8"];
    let cases: [(&str, Vec<&str>, usize, &str); 9] = [
        ("depth", [&depths[..], &both].concat(), 4, "17 to"),
        // The most I/Os and the most bytes of each kind.
        (
            "size",
            [&["--bs", "4k,64k,1m"], &both[..]].concat(),
            4,
            "about 17",
        ),
        ("mix", vec!["--bs", "4k,64k"], 2, "about 17"),
        (
            "curve",
            [&["--points", "50,80"], &both[..]].concat(),
            2,
            "9 to",
        ),
        (
            "scale-out",
            [&["--depths", "1,8"], &hosts[..]].concat(),
            2,
            "about 9",
        ),
        (
            "iops",
            [&["--depths", "1,8"], &both[..]].concat(),
            2,
            "about 7",
        ),
        // The highest rate of each group alone.
        (
            "near-far",
            [&groups[..], &hosts[..]].concat(),
            2,
            "about 22",
        ),
        // Reads alone and writes alone, beside the fill, both of them and four pairs.
        ("map", vec!["--grid", "2", "--refine", "0"], 2, "about 9"),
        // One point of each kind is the highest of no others.
        ("iops", both.to_vec(), 0, "about 3"),
    ];
    for (name, words, count, known) in cases {
        let usual = [
            "study", name, law, "--seed", "3", "--time", "2s", "--out", "run",
        ];
        let words = [&usual, &words[..]].concat();
        let place = Place::new();
        let done = finish(&mut place.leadline(&words));
        assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
        let run = place.kept();
        let names = run.plan.iter().flat_map(|plan| &plan.stages);
        let names = names.map(|stage| stage.name.as_str());
        let again: BTreeSet<&str> = names.filter(|n| n.contains("/confirm-")).collect();
        assert_eq!(again.len(), count, "{words:?}: {again:?}");
        let counted = format!(" of {known} ");
        assert!(done.stderr.contains(&counted), "{counted}: {done:?}");
    }
}

/// A budget that shortens the points keeps time for the best of them once more.
#[test]
fn maxima_are_confirmed_within_a_budget() {
    let law = "sim:size=256m,service=exp:2ms,parallel=2";
    let depths = ["--depths", "1,2,4,8,16"];
    let four = ["--jobs", "1,2", "--rw", "read,write"];
    let two = ["--depths", "1,4", "--rw", "read,write"];
    let cases: [(&str, Vec<&str>, &str, usize); 6] = [
        ("depth", depths.to_vec(), "13s", 1),
        ("depth", depths.to_vec(), "15s", 1),
        ("depth", [&depths[..], &four].concat(), "50s", 4),
        ("depth", [&depths[..], &four].concat(), "60s", 4),
        ("size", vec!["--time", "5s"], "60s", 2),
        ("iops", [&two[..], &["--time", "5s"]].concat(), "30s", 2),
    ];
    for (name, words, budget, count) in cases {
        let usual = [
            "study", name, law, "--seed", "1", "--out", "run", "--budget", budget,
        ];
        let time = ["--time", "2s"];
        let time = if words.contains(&"--time") {
            &[][..]
        } else {
            &time
        };
        let place = Place::new();
        let done = finish(&mut place.leadline([&usual, &words[..], time].concat()));
        assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
        let run = place.kept();
        let stages = run.plan.iter().flat_map(|plan| &plan.stages);
        let again = stages.filter(|stage| stage.name.contains("/confirm-"));
        assert_eq!(again.count(), count, "{name} {words:?} {budget}: {done:?}");
    }
}
