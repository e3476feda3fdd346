//! Figures that must come out exactly: each is in a page of the provider, or follows from one.

use crate::{ask, mb, mib, numbers, of};
use leadline_limits::{
    Class, LevelSize, Limit, Metric, Rate, Scope, Sizing, limits, sizing, table,
};

#[test]
fn a_volume_is_allowed_what_its_quota_gives() {
    for (words, volume) in [
        ("--service anf-premium --quota 70.3125TiB", "4500.00"),
        ("--service anf-premium --quota 70.31TiB", "4499.84"),
        ("--service anf-premium --quota 100GiB", "6.25"),
        ("--service anf-premium --quota 2TiB", "128.00"),
        ("--service anf-premium --quota 48TiB", "3072.00"),
        ("--service anf-standard --quota 100TiB", "1600.00"),
        ("--service anf-ultra --quota 8TiB", "1024.00"),
        ("--service gcnv-premium --quota 1500GiB", "93.75"),
        ("--service gcnv-extreme --quota 4TiB", "512.00"),
    ] {
        let limits = of(words);
        assert_eq!(mib(&limits, Scope::Volume), [volume], "{words}");
        assert_eq!(
            limits[0].scope,
            Scope::Volume,
            "{words}: the least comes first"
        );
    }
}

#[test]
fn a_regular_volume_has_4500_at_most_whatever_its_level() {
    for service in ["anf-premium", "anf-ultra"] {
        let limits = of(&format!(
            "--service {service} --quota 100TiB --bs 64k --read 100"
        ));
        assert_eq!(limits[0].scope, Scope::VolumeMost, "{service}");
        assert_eq!(mib(&limits[..1], Scope::VolumeMost), ["4500.00"]);
    }
}

#[test]
fn a_large_volume_has_12800_at_most() {
    let limits = of("--service anf-ultra --quota 200TiB");
    assert_eq!(limits[0].scope, Scope::VolumeMost);
    assert_eq!(mib(&limits, Scope::VolumeMost), ["12800.00"]);
    assert_eq!(limits[0].what, "large anf volume");
    let said = of("--service anf-ultra --quota 60TiB --large yes");
    assert_eq!(mib(&said, Scope::Volume), ["7680.00"]);
    assert_eq!(mib(&said, Scope::VolumeMost), ["12800.00"]);
}

#[test]
fn connections_have_a_limit_of_their_own() {
    let limits = of("--service fsx-ontap --quota 1TiB --flows 2");
    assert_eq!(mb(&limits, Scope::Flow), ["1250"]);
    let mounted = of("--service fsx-ontap --quota 1TiB --nfs 3 --nconnect 4");
    assert_eq!(mb(&mounted, Scope::Flow), ["2500"]);
    assert_eq!(
        mb(
            &of("--service anf-ultra --quota 1TiB --flows 2"),
            Scope::Flow
        ),
        [""; 0]
    );
}

#[test]
fn a_pool_is_shared_and_a_volume_has_what_was_set() {
    let limits = of("--service anf-ultra --assigned 2000MiB/s --pool 10TiB");
    assert_eq!(mib(&limits, Scope::Pool), ["1280.00"]);
    assert_eq!(mib(&limits, Scope::Volume), ["2000.00"]);
    assert_eq!(limits[0].scope, Scope::Pool);
    let flexible = of("--service anf-flexible --pool 4TiB");
    assert_eq!(mib(&flexible, Scope::Pool), ["2560.00"]);
    let from = flexible[0].from.expect("it can be set");
    assert_eq!(format!("{:.0}", from / 1_048_576.0), "128");
}

#[test]
fn flex_has_16_iops_for_each_mib_beyond_what_is_included() {
    let default = of("--service gcnv-flex");
    assert_eq!(mib(&default, Scope::Volume), ["64.00"]);
    assert_eq!(numbers(&default, Scope::Volume, Metric::Iops), ["1024"]);
    let set = of("--service gcnv-flex --assigned 1064MiB/s");
    assert_eq!(mib(&set, Scope::Volume), ["1064.00"]);
    assert_eq!(numbers(&set, Scope::Volume, Metric::Iops), ["17024"]);
    let most = of("--service gcnv-flex --assigned 5120MiB/s");
    assert_eq!(mib(&most, Scope::Volume), ["5120.00"]);
    assert_eq!(numbers(&most, Scope::Volume, Metric::Iops), ["81920"]);
}

#[test]
fn a_small_b_is_bits_and_a_large_one_bytes() {
    let demanded = |rate: &str| ask(&format!("--demand {rate}")).setup.demand;
    for (bits, bytes) in [
        ("5Gb/s", "625MB/s"),
        ("800Mbps", "100MB/s"),
        ("5Gbit/s", "625MB/s"),
    ] {
        assert!(demanded(bits).is_some(), "{bits}");
        assert_eq!(demanded(bits), demanded(bytes), "{bits}");
    }
    assert_eq!(
        demanded("192mb/s"),
        demanded("192MB/s"),
        "bytes, as written before"
    );
}

#[test]
fn one_thread_of_128_kib_at_half_a_millisecond_reads_250_mib() {
    let limits = of("--service gcnv-extreme --quota 4TiB --bs 128k --latency 0.5ms --inflight 1");
    assert_eq!(limits[0].scope, Scope::Concurrency, "the least");
    assert_eq!(numbers(&limits, Scope::Concurrency, Metric::Iops), ["2000"]);
    let bytes = limits[0].value * 131_072.0 / 1_048_576.0;
    assert_eq!(format!("{bytes:.2}"), "250.00");
}

#[test]
fn egress_is_of_all_machines_and_counts_writes_only() {
    let twelve = of("--vm D32s_v3:12 --service anf-premium --quota 70.31TiB --read 0");
    let egress = mib(&twelve, Scope::Egress);
    assert_eq!(
        egress,
        ["18000.00", "22888.18"],
        "the article's, and that of the sizes"
    );
    let six = of("--vm D32s_v5:6 --service anf-ultra --quota 100TiB --read 0");
    assert_eq!(mib(&six, Scope::Egress), ["11444.09"]);
    let each: Vec<f64> = six.iter().filter_map(|limit| limit.each).collect();
    assert_eq!(format!("{:.2}", each[0] / 1_048_576.0), "1907.35");
    let reads = of("--vm D32s_v3 --service anf-ultra --read 100 --bs 64k");
    let setup = ask("--read 100 --bs 64k").setup;
    let egress = reads
        .iter()
        .find(|limit| limit.scope == Scope::Egress)
        .expect("egress");
    assert_eq!(egress.in_iops(&setup), None);
    let behind = reads
        .iter()
        .skip_while(|limit| limit.in_iops(&setup).is_some());
    assert!(
        behind.count() > 1 && reads[0].in_iops(&setup).is_some(),
        "what counts none is last"
    );
}

#[test]
fn slots_of_nfs() {
    for (words, least, all) in [
        ("--nfs 3", "128", 1),
        ("--nfs 3 --nconnect 8", "1024", 1),
        ("--nfs 4.1", "64", 2),
        ("--nfs 4.1 --nconnect 8", "64", 2),
    ] {
        let limits = of(words);
        let slots = numbers(&limits, Scope::Slots, Metric::InFlight);
        assert_eq!(slots[0], least, "{words}");
        assert_eq!(slots.len(), all, "{words}");
    }
    // min(64, 180, 128 x connections): the server's 180 are the second row.
    let two = numbers(
        &of("--nfs 4.1 --nconnect 2"),
        Scope::Slots,
        Metric::InFlight,
    );
    assert_eq!(two, ["64", "180"]);
    let one = numbers(&of("--nfs 4.1"), Scope::Slots, Metric::InFlight);
    assert_eq!(one, ["64", "128"]);
}

#[test]
fn a_machine_does_cached_and_uncached_io_at_once() {
    let limits = of("--vm D8s_v3 --disk 3xP30:none,2xP30:rw --bs 4k");
    assert_eq!(numbers(&limits, Scope::BothPaths, Metric::Iops), ["28800"]);
    assert_eq!(numbers(&limits, Scope::Uncached, Metric::Iops), ["12800"]);
    assert_eq!(numbers(&limits, Scope::Cached, Metric::Iops), ["16000"]);
    let two = of("--vm D8s_v3 --disk 2xP30:none,2xP30:rw --bs 4k");
    assert_eq!(
        numbers(&two, Scope::BothPaths, Metric::Iops),
        ["26000"],
        "10,000 of two disks"
    );
    // What is written through a cache for reads counts on both ways, so it adds nothing to 16,000 and 5,000 of a disk.
    let through = of("--vm D8s_v3 --disk P30:none,3xP30:ro --bs 4k");
    assert_eq!(numbers(&through, Scope::BothPaths, Metric::Iops), ["21000"]);
}

#[test]
fn at_64_kib_a_d8ds_v4_does_192_and_485_mb() {
    let limits = of("--vm D8ds_v4 --disk 3xP30:none,P30:ro --bs 64k --read 50");
    assert_eq!(mb(&limits, Scope::Uncached), ["192"]);
    assert_eq!(mb(&limits, Scope::Cached), ["485"]);
    assert_eq!(mb(&limits, Scope::BothPaths), ["677"]);
}

#[test]
fn a_small_machine_holds_a_fast_disk_back() {
    let limits = of("--vm D2s_v3 --disk P30 --bs 4k");
    assert_eq!(limits[0].scope, Scope::Uncached);
    assert_eq!(format!("{:.0}", limits[0].value), "3200");
}

/// The I/O of a volume is spread over its disks, one by one or as a number of them.
#[test]
fn disks_on_one_way_are_one_limit() {
    let iops = |words: &str| numbers(&of(words), Scope::Disk, Metric::Iops);
    assert_eq!(iops("--disk P30,P30 --disk P30"), iops("--disk 3xP30"));
    assert_eq!(iops("--disk P30,P40"), ["12500"]);
    // 500 and a burst of 3,500 beside 5,000 without one.
    assert_eq!(iops("--disk P10,P30"), ["5500"]);
    let credits = burst("--disk P10,P30").burst.expect("credits");
    assert_eq!((credits.base, credits.bucket), (5500.0, 5_400_000.0));
    // Of 3,000 beyond the base the credits are spent in half an hour.
    assert_eq!(burst("--disk P10,P30").empty_after(8500.0), Some(1800.0));
    assert_eq!(iops("--disk P30:none,P30:ro"), ["5000", "5000"], "two ways");
    let two = of("--disk P30,P40 --vm D8s_v3:2");
    let disks = two
        .iter()
        .find(|limit| limit.scope == Scope::Disk && limit.metric == Metric::Iops);
    let disks = disks.expect("disks");
    assert_eq!((disks.value, disks.each), (25_000.0, Some(12_500.0)));
    assert!(disks.note.contains("5,000 IOPS of P30") || disks.note.contains("10,000 IOPS of P30"));
}

/// Two rows about one disk are two limits, one of them disputed, and no sum.
#[test]
fn rows_about_one_disk_are_not_added_up() {
    let text = r#"
[[disk]]
name = "X"
provider = "azure"
iops = 6000
source = "https://example.com"
date = "2026"
[[disk]]
name = "X"
provider = "azure"
iops = 7000
disputed = true
source = "https://example.com"
date = "2026"
"#;
    let asked = [("disk", "2xX,P30".to_owned())];
    let parsed = leadline_limits::parse(&asked, &[("own.toml", text)]);
    assert!(parsed.is_right(), "{:?}", parsed.diagnostics);
    let limits = limits(&parsed.setup, &parsed.book);
    let iops = limits.iter().filter(|limit| limit.metric == Metric::Iops);
    let shown: Vec<(f64, bool)> = iops.map(|limit| (limit.value, limit.disputed)).collect();
    assert_eq!(shown, [(17_000.0, false), (19_000.0, true)]);
}

/// pd-standard counts reads and writes apart, pd-ssd together: 750 + 9,000 reads, 1,500 + 9,000 writes.
#[test]
fn disks_that_count_otherwise_are_added_by_class() {
    let limits = of("--disk pd-standard:1000GiB,pd-ssd:100GiB --bs 4k --read 50");
    let iops: Vec<(f64, Class)> = limits
        .iter()
        .filter(|limit| limit.metric == Metric::Iops)
        .map(|limit| (limit.value, limit.counts[0].1))
        .collect();
    assert_eq!(iops, [(9750.0, Class::Reads), (10_500.0, Class::Writes)]);
    // No row says the IOPS of st1: what it and a gp3 do together is not known, and their bytes are.
    let limits = of("--disk st1:1TiB,gp3:100GiB");
    assert!(
        limits.iter().all(|limit| limit.metric == Metric::Bytes),
        "{limits:?}"
    );
    assert_eq!(mib(&limits[..1], Scope::Disk), ["165.00"]);
    // At 4 KiB the 40 MiB/s of st1 are 10,240 IOPS beside 3,000.
    let limits = of("--disk st1:1TiB,gp3:100GiB --bs 4k");
    let iops = limits
        .iter()
        .find(|limit| limit.metric == Metric::Iops && limit.burst.is_none());
    assert!(
        iops.is_some_and(|limit| (limit.value - 13_240.0).abs() < 1e-6),
        "{limits:?}"
    );
}

/// Google's persistent disks reach 1,200 MiB/s and 100,000 IOPS on a machine, and 400 MiB/s of writes to pd-standard.
#[test]
fn more_disks_of_google_do_not_raise_what_a_machine_reaches() {
    let ssd = of("--disk 3xpd-ssd:10TiB");
    assert_eq!(numbers(&ssd, Scope::Disk, Metric::Iops), ["100000"]);
    assert_eq!(mib(&ssd, Scope::Disk), ["1200.00"]);
    let two = of("--disk pd-ssd:10TiB,pd-ssd:20TiB --vm n2-standard-32:2");
    assert_eq!(mib(&two, Scope::Disk), ["2400.00"], "of two machines");
    let standard = of("--disk pd-standard:10TiB --bs 64k --read 0");
    assert_eq!(mib(&standard[..1], Scope::Disk), ["400.00"]);
    let reads = of("--disk 3xpd-standard:10TiB --bs 4k --read 100");
    assert_eq!(numbers(&reads[..1], Scope::Disk, Metric::Iops), ["7500"]);
    let writes = of("--disk 3xpd-standard:10TiB --bs 4k --read 0");
    assert_eq!(numbers(&writes[..1], Scope::Disk, Metric::Iops), ["15000"]);
    let names = |words: &str| -> Vec<String> {
        let sets = sized(words).sets.disks;
        sets.into_iter().map(|set| set.name).collect()
    };
    let of_google = names("--vm n2-standard-32 --demand 4500MiB/s --bs 1m");
    assert!(
        of_google.iter().all(|name| !name.starts_with("pd-s")),
        "{of_google:?}"
    );
    let google = sized("--vm n2-standard-32 --demand 200000 --bs 4k").sets;
    assert!(
        google.machine.is_none() && google.no_machine.is_none(),
        "no row of Google's has disks"
    );
    let less = names("--vm n2-standard-32 --demand 1000MiB/s --bs 1m");
    assert!(less.iter().any(|name| name == "pd-ssd"), "{less:?}");
}

/// The burst row of IOPS.
fn burst(words: &str) -> Limit {
    let mut limits = of(words).into_iter();
    let burst = limits.find(|limit| limit.burst.is_some() && limit.metric == Metric::Iops);
    burst.expect("a burst")
}

#[test]
fn burst_credits_and_when_they_are_spent() {
    let bucket = |name: &str| {
        let burst = burst(&format!("--disk {name}"));
        format!("{:.0}", burst.burst.expect("credits").bucket)
    };
    assert_eq!(bucket("P10"), "5400000");
    assert_eq!(bucket("P20"), "2160000");
    assert_eq!(bucket("gp2:100GiB"), "5400000");
    let empty = |words: &str, demand: f64| {
        let after = burst(words).empty_after(demand);
        format!("{:.0}", after.expect("it spends"))
    };
    assert_eq!(empty("--disk P10", 2_000.0), "3600");
    assert_eq!(empty("--disk gp2:100GiB", 3_000.0), "2000");
    assert_eq!(empty("--disk gp2:500GiB", 3_000.0), "3600");
    assert_eq!(burst("--disk P10").empty_after(500.0), None);
}

/// A TiB of st1: 250 MiB/s until the TiB of credits is spent, which 40 MiB/s fill: 1,048,576 / 210 s.
#[test]
fn disks_of_large_blocks_burst_in_bytes() {
    for (disk, burst, base, seconds) in [
        ("st1:1TiB", 250.0, 40.0, "4993"),
        ("st1:4TiB", 500.0, 160.0, "12336"),
        ("sc1:1TiB", 80.0, 12.0, "15420"),
        ("sc1:4TiB", 250.0, 48.0, "20764"),
    ] {
        let limits = of(&format!("--disk {disk} --bs 1m"));
        let [one, more] = &limits[..] else {
            panic!("{limits:?}");
        };
        let mib = |value: f64| format!("{:.2}", value / 1_048_576.0);
        assert_eq!(mib(one.value), format!("{base:.2}"), "{disk}");
        assert_eq!(mib(more.value), format!("{burst:.2}"), "{disk}");
        let after = more.empty_after(more.value).expect("it spends");
        assert_eq!(format!("{after:.0}"), seconds, "{disk}");
    }
    // From 12.5 TiB on the base is the most.
    assert_eq!(of("--disk st1:13TiB").len(), 1);
}

#[test]
fn the_base_of_gp2_is_its_size_times_three_with_two_ends() {
    for (disk, iops) in [
        ("gp2:10GiB", "100"),
        ("gp2:100GiB", "300"),
        ("gp2:10TiB", "16000"),
        ("gp3:100GiB", "3000"),
        ("gp3:100GiB:6000iops", "6000"),
        ("gp3:10GiB:5000iops", "5000"),
        ("PremiumV2:1TiB:80000iops", "80000"),
    ] {
        let limits = of(&format!("--disk {disk}"));
        assert_eq!(
            numbers(&limits, Scope::Disk, Metric::Iops),
            [iops],
            "{disk}"
        );
    }
    assert_eq!(
        mb(&of("--disk PremiumV2:1TiB:4000iops:1000MB/s"), Scope::Disk),
        ["1000"]
    );
    assert_eq!(mib(&of("--disk gp3:100GiB"), Scope::Disk), ["125.00"]);
}

#[test]
fn an_io_of_512_kib_counts_as_two() {
    let parsed = ask("--disk P30 --bs 512k");
    let limits = of("--disk P30 --bs 512k");
    let iops = limits
        .iter()
        .find(|limit| limit.metric == Metric::Iops)
        .expect("IOPS");
    assert_eq!(format!("{:.0}", iops.ios_of(524_288.0)), "2");
    assert_eq!(format!("{:.0}", iops.ios_of(262_144.0)), "1");
    assert_eq!(
        iops.in_iops(&parsed.setup).map(|n| format!("{n:.0}")),
        Some("2500".into())
    );
}

fn sized(words: &str) -> Sizing {
    let parsed = ask(words);
    assert!(parsed.is_right(), "{:?}", parsed.diagnostics);
    sizing(&parsed.setup, &parsed.book).expect("a demand")
}

fn level<'a>(sizing: &'a Sizing, name: &str, of: &str) -> &'a LevelSize {
    let found = sizing
        .levels
        .iter()
        .find(|size| size.level == name && size.of == of);
    found.expect("the level")
}

#[test]
fn the_smallest_quota_of_each_level_for_4500() {
    let sizing = sized("--demand 4500MiB/s");
    let quota = |name: &str| {
        let size = level(&sizing, name, "regular volume");
        let tib = size.quota.expect("a quota") / 1_048_576.0 / 1_048_576.0;
        (format!("{tib:.3}"), size.unreachable.clone())
    };
    assert_eq!(quota("anf-ultra"), ("35.156".into(), None));
    assert_eq!(quota("anf-premium"), ("70.312".into(), None));
    assert_eq!(
        quota("anf-standard"),
        ("281.250".into(), Some("100 TiB at most".into()))
    );
    let flexible = level(&sizing, "anf-flexible", "pool, regular volume")
        .quota
        .expect("a pool");
    assert_eq!(
        format!("{:.3}", flexible / 1_048_576.0 / 1_048_576.0),
        "7.031"
    );
    let beyond = sized("--demand 20000MiB/s");
    let ultra = level(&beyond, "anf-ultra", "large volume");
    assert_eq!(ultra.unreachable.as_deref(), Some("12,800 MiB/s at most"));
}

#[test]
fn the_smallest_disks_and_machine() {
    let sizing = sized("--demand 12800 --bs 8k");
    let first = &sizing.sets.disks[0];
    let gib = format!("{:.0}", first.gib);
    assert_eq!(
        (first.name.as_str(), first.count, gib.as_str()),
        ("P30", 3, "3072")
    );
    let machine = sizing.sets.machine.as_ref().expect("one");
    assert_eq!(
        (machine.name.as_str(), machine.disks),
        ("D8s_v3", Some(16.0))
    );
    assert!(
        sizing.sets.disks.iter().all(|set| set.count <= 16),
        "no more than it takes"
    );
    let of = |name: &str| {
        let set = sizing.sets.disks.iter().find(|set| set.name == name);
        let set = set.expect(name);
        let rate = set.rate.map(|rate| format!("{:.0}", rate / 1e5));
        (set.count, set.gib, set.iops, rate)
    };
    // 104.86 MB/s of 8 KiB are below what is included.
    assert_eq!(
        of("PremiumV2"),
        (1, 26.0, Some(12_800.0), Some("1250".into()))
    );
    assert_eq!(of("gp3"), (1, 26.0, Some(12_800.0), Some("1311".into())));
    assert_eq!(of("gp2"), (1, 4267.0, None, None), "3 for each GiB");
    assert_eq!(of("io2"), (1, 13.0, Some(12_800.0), None));
    assert_eq!(of("hyperdisk-extreme"), (1, 64.0, Some(12_800.0), None));
    let beyond = sized("--demand 90000 --bs 4k");
    assert_eq!(
        (beyond.sets.machine, beyond.sets.no_machine),
        (None, Some(Rate::Iops(80_000.0)))
    );
    let beyond = sized("--demand 4500MiB/s --bs 64k");
    assert_eq!(
        beyond.sets.no_machine,
        Some(Rate::Bytes(2_600e6)),
        "without the burst"
    );
}

/// A gp2 volume of up to 170 GiB has 128 MiB/s, a larger one 250, as long as credits last; without them its IOPS, 3 for
/// each GiB and 100 at the least, of 256 KiB.
#[test]
fn the_throughput_of_gp2_follows_its_size() {
    for (gib, wanted) in [
        (1, vec![25.0, 128.0]),
        (100, vec![75.0, 128.0]),
        (170, vec![127.5, 128.0]),
        (171, vec![128.25, 250.0]),
        (333, vec![249.75, 250.0]),
        (334, vec![250.0]),
        (16_384, vec![250.0]),
    ] {
        let limits = of(&format!("--disk gp2:{gib}GiB"));
        let bytes = limits.iter().filter(|limit| limit.metric == Metric::Bytes);
        let mib: Vec<f64> = bytes.map(|limit| limit.value / 1_048_576.0).collect();
        let off = mib.iter().zip(&wanted).any(|(a, b)| (a - b).abs() > 1e-6);
        assert!(mib.len() == wanted.len() && !off, "{gib} GiB: {mib:?}");
    }
}

#[test]
fn without_a_block_size_it_is_said_what_is_left_out() {
    let iops = sized("--demand 12800").missing.expect("no block size");
    assert_eq!(iops.unchecked, Metric::Bytes);
    assert!(iops.levels.iter().any(|level| level == "anf-ultra"));
    assert!(!iops.levels.iter().any(|level| level == "gcnv-flex"));
    let bytes = sized("--demand 100MiB/s").missing.expect("no block size");
    assert_eq!(bytes.unchecked, Metric::Iops);
    assert_eq!(bytes.levels, ["fsx-ontap"]);
    assert_eq!(sized("--demand 12800 --bs 8k").missing, None);
    assert_eq!(
        sized("--demand 12800 --bs 8k --service fsx-ontap").missing,
        None
    );
}

/// Two P20 would do for 4,000 IOPS, and a D4s_v3; prices turn both choices around.
#[test]
fn with_prices_the_cheapest_is_chosen_and_not_the_smallest() {
    let text = r#"
price = [
  { name = "P30", month = 100, source = "https://example.com", date = "2026" },
  { name = "P20", month = 60, source = "https://example.com", date = "2026" },
  { name = "PremiumV2", gib_month = 0.1, iops_month = 0.005, mib_month = 0.04, source = "https://example.com", date = "2026" },
  { name = "D4s_v3", month = 200, source = "https://example.com", date = "2026" },
  { name = "D8s_v3", month = 150, source = "https://example.com", date = "2026" },
]
"#;
    let asked = [("demand", "4000".to_owned()), ("bs", "4k".to_owned())];
    let parsed = leadline_limits::parse(&asked, &[("prices.toml", text)]);
    assert!(parsed.is_right(), "{:?}", parsed.diagnostics);
    let sizing = sizing(&parsed.setup, &parsed.book).expect("a demand");
    let machine = sizing.sets.machine.expect("one");
    assert_eq!(
        (machine.name.as_str(), machine.month),
        ("D8s_v3", Some(150.0))
    );
    let shown: Vec<(&str, u64, String)> = sizing
        .sets
        .disks
        .iter()
        .take(3)
        .map(|set| {
            let month = set
                .month
                .map_or(String::new(), |month| format!("{month:.2}"));
            (set.name.as_str(), set.count, month)
        })
        .collect();
    // One would take 8 GiB and pay for 1,000 IOPS; two of 1 GiB have 6,000 in them.
    let v2 = 2.0 * 0.1;
    assert_eq!(
        shown,
        [
            ("PremiumV2", 2, format!("{v2:.2}")),
            ("P30", 1, "100.00".into()),
            ("P20", 2, "120.00".into()),
        ]
    );
}

/// Five gp3 of 1 GiB have 15,000 IOPS in them; one with 12,800 set pays for 9,800 of these.
#[test]
fn more_disks_may_be_cheaper_than_what_is_set_for_one() {
    let text = r#"
machine = [
  { name = "m5", provider = "aws", path = "uncached", iops = 30000, mib = 1000, source = "https://example.com", date = "2026" },
  { name = "m5", provider = "aws", path = "disks", disks_most = 16, source = "https://example.com", date = "2026" },
  { name = "m4", provider = "aws", path = "uncached", iops = 30000, mib = 1000, source = "https://example.com", date = "2026" },
  { name = "m4", provider = "aws", path = "disks", disks_most = 2, source = "https://example.com", date = "2026" },
]
price = [
  { name = "gp3", gib_month = 0.08, iops_month = 0.005, mib_month = 0.04, source = "https://example.com", date = "2026" },
  { name = "m5", month = 100, source = "https://example.com", date = "2026" },
  { name = "m4", month = 90, source = "https://example.com", date = "2026" },
]
"#;
    let asked = [
        ("demand", "12800".to_owned()),
        ("bs", "8k".to_owned()),
        ("vm", "m5".to_owned()),
    ];
    let parsed = leadline_limits::parse(&asked, &[("prices.toml", text)]);
    assert!(parsed.is_right(), "{:?}", parsed.diagnostics);
    let sets = sizing(&parsed.setup, &parsed.book).expect("a demand").sets;
    let machine = sets.machine.expect("one");
    assert_eq!((machine.name.as_str(), machine.month), ("m5", Some(100.0)));
    let gp3: Vec<_> = sets.disks.iter().filter(|set| set.name == "gp3").collect();
    assert_eq!((gp3.len(), gp3[0].count), (1, 5));
    assert!(
        (gp3[0].month.expect("a price") - 0.4).abs() < 1e-9,
        "{gp3:?}"
    );
}

/// 5,500 IOPS: three P20 cost 219.66, a P30 and a P10 154.88.
#[test]
fn several_kinds_of_disks_may_be_the_cheapest() {
    let text = r#"
price = [
  { name = "P10", month = 19.71, source = "https://example.com", date = "2026" },
  { name = "P20", month = 73.22, source = "https://example.com", date = "2026" },
  { name = "P30", month = 135.17, source = "https://example.com", date = "2026" },
  { name = "P40", month = 259.05, source = "https://example.com", date = "2026" },
  { name = "D4s_v3", month = 140, source = "https://example.com", date = "2026" },
]
"#;
    let asked = [("demand", "5500".to_owned()), ("bs", "4k".to_owned())];
    let parsed = leadline_limits::parse(&asked, &[("prices.toml", text)]);
    assert!(parsed.is_right(), "{:?}", parsed.diagnostics);
    let sets = sizing(&parsed.setup, &parsed.book).expect("a demand").sets;
    let mixed = sets.mixed.expect("two kinds");
    assert_eq!(mixed.disks, [(1, "P10".to_owned()), (1, "P30".to_owned())]);
    assert!((mixed.month - 154.88).abs() < 1e-9 && (mixed.gib - 1152.0).abs() < 1e-9);
    // Of one kind the three P20 stay the cheapest.
    assert_eq!(
        (sets.disks[0].name.as_str(), sets.disks[0].count),
        ("P20", 3)
    );
    let wrong = text.replace("P40", "P3O");
    let parsed = leadline_limits::parse(&asked, &[("prices.toml", &wrong)]);
    let said = &parsed.diagnostics[0];
    assert_eq!(said.message, "unknown disk or machine `P3O`");
    assert!(
        said.hint
            .as_ref()
            .is_some_and(|hint| hint.contains("`P30`")),
        "{said:?}"
    );
}

#[test]
fn in_flight_is_latency_times_rate() {
    let needs = |words: &str| sized(words).needs;
    let four = needs("--demand 3500 --latency 1.14ms");
    assert_eq!(format!("{:.2}", four.in_flight.expect("known")), "3.99");
    assert_eq!(four.threads(), Some(4.0));
    let many = needs("--demand 300000 --latency 1.14ms --inflight 3600");
    assert_eq!(format!("{:.1}", many.in_flight.expect("known")), "342.0");
    assert_eq!(many.threads(), Some(342.0));
    assert_eq!(format!("{:.6}", many.response.expect("known")), "0.012000");
    let page = needs("--demand 18000 --latency 20.7ms");
    assert_eq!(format!("{:.1}", page.in_flight.expect("known")), "372.6");
}

#[test]
fn the_tcp_window_holds_what_is_on_the_way() {
    let window = sized("--demand 4500MiB/s --latency 1.14ms").needs.window;
    assert_eq!(format!("{:.0}", window.expect("known")), "5379195");
}

#[test]
fn quota_by_level() {
    let parsed = ask("--service anf-ultra");
    let leadline_limits::Table { levels, rows, .. } = table(&parsed.setup, &parsed.book);
    assert_eq!(levels, ["anf-standard", "anf-premium", "anf-ultra"]);
    let of = |tib: f64| {
        let row = rows.iter().find(|(quota, _)| (quota - tib).abs() < 1e-9);
        let values = &row.expect("the quota").1;
        let mib = values
            .iter()
            .map(|v| v.map_or("-".to_owned(), |v| format!("{:.2}", v / 1_048_576.0)));
        mib.collect::<Vec<String>>()
    };
    assert_eq!(of(1.0), ["16.00", "64.00", "128.00"]);
    assert_eq!(of(70.3125), ["1125.00", "4500.00", "4500.00"]);
    assert_eq!(of(100.0), ["1600.00", "4500.00", "4500.00"]);
    assert_eq!(of(200.0), ["3200.00", "12800.00", "12800.00"]);
}

#[test]
fn headroom_is_what_a_demand_leaves() {
    let parsed = ask("--service anf-premium --quota 100TiB --demand 3600MiB/s");
    let limits = of("--service anf-premium --quota 100TiB --demand 3600MiB/s");
    let demand = parsed.setup.demand.expect("a demand");
    let headroom = limits[0].headroom(demand, &parsed.setup).expect("known");
    assert_eq!(format!("{headroom:.3}"), "0.250");
    assert_eq!(
        limits[0].headroom(Rate::Iops(1000.0), &parsed.setup),
        None,
        "no block size"
    );
}

/// What is mounted goes through the network and never to the machine's disks.
#[test]
fn a_mount_has_no_limit_of_the_machine_s_disks() {
    let limits = of("--nfs 3 --nconnect 8 --vm D32s_v3 --bs 64k");
    let has = |scope: Scope| limits.iter().any(|limit| limit.scope == scope);
    assert!(has(Scope::Egress) && has(Scope::Slots));
    for scope in [Scope::Uncached, Scope::Cached, Scope::BothPaths] {
        assert!(!has(scope), "{scope:?}");
    }
}

#[test]
fn what_cannot_be_bought_is_not_offered() {
    let sizing = sized("--demand 4500MiB/s");
    let set = |name: &str| sizing.sets.disks.iter().find(|set| set.name == name);
    // Without a block size it is unknown what has to be set.
    assert!(set("io2").is_none() && set("io1").is_none());
    // 2,250 MiB/s take 9,000 IOPS, and these 18 GiB.
    let two = set("hyperdisk-balanced").expect("two of them");
    assert_eq!((two.count, two.gib, two.iops), (2, 36.0, Some(9000.0)));
    assert!(
        sizing
            .unbounded
            .iter()
            .any(|level| level == "gcnv-standard")
    );
    let refused = ask("--disk hyperdisk-extreme:1GiB:300000iops");
    assert!(!refused.is_right());
}
