//! What this machine does not have (NFS mounts, heat, hosts that differ), from files in the kernel's own format: read by
//! the same readers, judged by the same checks.

use crate::support::{Place, finish};
use leadline_engine::os::counted::Counters;
use leadline_engine::os::facts;
use leadline_limits::{Book, azure};
use leadline_model::event::DiskUse;
use leadline_model::facts::{Fact, FactKey};
use leadline_model::finding::Finding;
use leadline_model::plan::HostSpec;
use leadline_model::units::Bytes;
use leadline_results::run::Run;
use leadline_results::study::studies::answer::AnswerCell;
use leadline_results::trust;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

/// A real run of a job on a file of 1 MiB.
fn run_of(words: &[&str]) -> Run {
    let place = Place::new();
    place.file("f", 1 << 20);
    run_in(&place, words)
}

/// A few direct reads of a file of N GiB, without data.
fn few_reads_of(gib: u64) -> Run {
    let place = Place::new();
    let file = fs::File::create(place.join("f")).unwrap();
    file.set_len(gib << 30).unwrap();
    let size = format!("--size={gib}g");
    let words = ["--rw=randread", "--direct=1", "--norandommap", &size];
    run_in(&place, &[&words[..], &["--number_ios=8"]].concat())
}

/// A real run of a job on the file of this place.
fn run_in(place: &Place, words: &[&str]) -> Run {
    let filename = format!("--filename={}", place.join("f").display());
    let done = finish(&mut place.fio(&[&["--name=a", &filename, "--bs=4k"], words].concat()));
    assert_eq!(done.code, Some(0), "{done:?}");
    place.kept()
}

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn found<'a>(findings: &'a [Finding], code: &str) -> Option<&'a Finding> {
    findings.iter().find(|f| f.code == code)
}

/// What a mount has counted, as mountstats shows it.
#[derive(Clone, Copy, Default)]
pub(super) struct Nfs {
    pub(super) cached: u64,
    pub(super) direct: u64,
    pub(super) server: u64,
    pub(super) reads: u64,
    pub(super) sent: u64,
    pub(super) timeouts: u64,
    pub(super) round_trip_ms: u64,
    pub(super) whole_ms: u64,
    pub(super) connections: usize,
}

impl Nfs {
    fn text(self, point: &Path) -> String {
        let Self {
            cached,
            direct,
            server,
            reads,
            sent,
            timeouts,
            round_trip_ms,
            whole_ms,
            ..
        } = self;
        let connection = "\txprt:\ttcp 0 1 1 0 0 9 9 0 9 0 2 0 0\n".repeat(self.connections);
        format!(
            "device srv:/e mounted on {} with fstype nfs4 statvers=1.1\n\topts:\trw,vers=4.1\n\tage:\t9\n\
             \tbytes:\t{cached} 0 {direct} 0 {server} 0 0 0 \n\
             \tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n{connection}\tper-op statistics\n\
             \t        READ: {reads} {sent} {timeouts} 0 0 5 {round_trip_ms} {whole_ms} 0\n\
             \t       WRITE: 0 0 0 0 0 0 0 0 0\n",
            point.display()
        )
    }
}

/// The findings of [`run_on_nfs`].
fn on_nfs(words: &[&str], options: &str, after: Nfs, more: impl FnOnce(&Path)) -> Vec<Finding> {
    trust::findings(&run_on_nfs(words, options, after, more))
}

/// A run on an NFS mount with these of mountinfo's options, whose counters were zero before it.
pub(super) fn run_on_nfs(
    words: &[&str],
    options: &str,
    after: Nfs,
    more: impl FnOnce(&Path),
) -> Run {
    let mut run = run_of(words);
    let root = tempfile::tempdir().unwrap();
    let point = fs::canonicalize(root.path()).unwrap().join("mnt");
    fs::create_dir(&point).unwrap();
    let line = format!(
        "1 0 0:50 / {} rw - nfs4 srv:/e rw,{options}\n",
        point.display()
    );
    put(root.path(), "proc/self/mountinfo", &line);
    let before = Nfs {
        connections: after.connections,
        ..Nfs::default()
    };
    put(root.path(), "proc/self/mountstats", &before.text(&point));
    let counters = Counters::below(root.path(), &[point.join("f")]);
    put(root.path(), "proc/self/mountstats", &after.text(&point));
    more(root.path());
    // Those of the machine that the test runs on.
    let own = ["kernel", "network", "target", "mount"];
    run.facts.retain(|f| !own.contains(&f.section.as_str()));
    run.facts.extend(facts::settings(root.path()));
    let targets = facts::targets_below(root.path(), &[point.join("f")]);
    run.facts.extend(targets);
    run.stages[0].counted = counters.until_now();
    run.stages[0].disks.clear();
    // A run that holds them already does not get them again.
    run.findings.clear();
    run
}

const DIRECT: [&str; 3] = ["--rw=randread", "--direct=1", "--iodepth=64"];

/// A mount as it should be: 256 reads of 4 KiB past the page cache, over four connections.
pub(super) const SOUND: Nfs = Nfs {
    cached: 0,
    direct: 64 << 20,
    server: 64 << 20,
    reads: 16_384,
    sent: 16_384,
    timeouts: 0,
    round_trip_ms: 900,
    whole_ms: 1000,
    connections: 4,
};

#[test]
fn a_sound_mount_has_nothing_said_of_it() {
    let all = on_nfs(&DIRECT, "rsize=262144,nconnect=4", SOUND, |_| {});
    for code in [
        "direct-not-in-force",
        "single-flow",
        "nconnect-ignored",
        "slots-short",
        "retransmits",
        "window-small",
        "cache-hits",
        "slowed-for-heat",
        "requests-split",
        "above-link",
        "single-file",
        "read-ahead-small",
    ] {
        assert_eq!(found(&all, code), None);
    }
}

#[test]
fn what_is_wrong_with_a_mount_is_found() {
    let said = |options: &str, after: Nfs, code: &str, words: &str| {
        let all = on_nfs(&DIRECT, options, after, |_| {});
        let Some(finding) = found(&all, code) else {
            panic!("{code} is silent: {all:?}");
        };
        assert!(finding.text.contains(words), "{}", finding.text);
    };
    let cached = Nfs {
        cached: 1 << 20,
        ..SOUND
    };
    said(
        "nconnect=4",
        cached,
        "direct-not-in-force",
        "64 MiB of the 65 MiB",
    );
    let one = Nfs {
        connections: 1,
        ..SOUND
    };
    said(
        "nconnect=8",
        one,
        "nconnect-ignored",
        "to have 8 connections (nconnect) but has 1",
    );
    let waiting = Nfs {
        round_trip_ms: 600,
        ..SOUND
    };
    said("nconnect=4", waiting, "slots-short", "40 %");
    let again = Nfs {
        sent: 16_404,
        ..SOUND
    };
    said("nconnect=4", again, "retransmits", "20 of 16,384 NFS calls");
    let timeouts = Nfs {
        timeouts: 2,
        ..SOUND
    };
    said(
        "nconnect=4",
        timeouts,
        "retransmits",
        "2 NFS calls timed out",
    );
    let all = on_nfs(
        &[
            "--rw=randread",
            "--direct=1",
            "--ioengine=libaio",
            "--iodepth=64",
        ],
        "rsize=262144",
        one,
        |_| {},
    );
    assert!(found(&all, "single-flow").is_some(), "{all:?}");
}

#[test]
fn reads_that_an_nfs_client_did_not_ask_its_server_for_are_hits() {
    let buffered = ["--rw=randread", "--direct=0"];
    let with = |server: u64| {
        let after = Nfs {
            cached: 64 << 20,
            direct: 0,
            server,
            ..SOUND
        };
        let all = on_nfs(&buffered, "nconnect=4", after, |_| {});
        found(&all, "cache-hits").map(|f| f.text.clone())
    };
    assert_eq!(with(64 << 20), None);
    let text = with(16 << 20).unwrap();
    assert!(text.contains("75 %"), "{text}");
}

/// The text of a finding about a run on a mount, with more files of the kernel.
fn on_mount(words: &[&str], code: &str, after: Nfs, files: &[(&str, &str)]) -> Option<String> {
    let all = on_nfs(words, "rsize=262144,nconnect=4", after, |root| {
        files.iter().for_each(|(path, text)| put(root, path, text));
    });
    found(&all, code).map(|f| f.text.clone())
}

/// 256 I/Os of 4 KiB, in as many calls or in twice as many.
#[test]
fn ios_that_an_nfs_client_cuts_are_said() {
    let with = |calls: u64| {
        let after = Nfs {
            direct: 1 << 20,
            server: 1 << 20,
            reads: calls,
            sent: calls,
            ..SOUND
        };
        on_mount(&DIRECT, "requests-split", after, &[])
    };
    assert_eq!(with(256), None);
    let text = with(512).unwrap();
    assert!(text.contains("2.00 READ calls"), "{text}");
}

/// The run read 1 MiB, and the mount counted this.
#[test]
fn other_users_of_a_mount_are_found_and_an_idle_one_has_none() {
    let with = |direct: u64| {
        let after = Nfs {
            direct,
            server: direct,
            ..SOUND
        };
        on_mount(&DIRECT, "neighbours", after, &[])
    };
    assert_eq!(with(1 << 20), None);
    let text = with(4 << 20).unwrap();
    assert!(
        text.contains("3 MiB (75 %) were not for leadline"),
        "{text}"
    );
}

/// Of a session of NFS 4.1 by its slots, before by those of all connections.
#[test]
fn more_in_flight_than_a_mount_has_slots_is_said() {
    let with = |options: &str, depth: &str| {
        let words = ["--rw=randread", "--direct=1", "--ioengine=libaio", depth];
        let all = on_nfs(&words, options, SOUND, |root| {
            put(root, "sys/module/nfs/parameters/max_session_slots", "64\n");
            put(root, "proc/sys/sunrpc/tcp_max_slot_table_entries", "20\n");
        });
        found(&all, "slots-short").map(|f| f.text.clone())
    };
    let text = with("vers=4.1,nconnect=4", "--iodepth=65").unwrap();
    assert!(
        text.contains("65 I/Os") && text.contains("64 slots"),
        "{text}"
    );
    assert_eq!(with("vers=4.1,nconnect=4", "--iodepth=64"), None);
    let text = with("vers=3,nconnect=4", "--iodepth=81").unwrap();
    assert!(
        text.contains("81 I/Os") && text.contains("80 slots"),
        "{text}"
    );
    assert_eq!(with("vers=3,nconnect=4", "--iodepth=80"), None);
    assert_eq!(with("nconnect=4", "--iodepth=81"), None);
}

#[test]
fn a_rate_above_that_of_the_network_is_said() {
    let with = |speed: &str| {
        let files = [
            ("sys/class/net/eth0/device/vendor", "0x1\n"),
            ("sys/class/net/eth0/speed", speed),
        ];
        on_mount(&DIRECT, "above-link", SOUND, &files)
    };
    let text = with("1\n").unwrap();
    assert!(text.contains("carry 0.1"), "{text}");
    assert_eq!(with("400000000\n"), None);
    // Of a virtual interface it is not known.
    assert_eq!(with("-1\n"), None);
}

/// Reads of what the page cache holds, of a file that is said to be on a server, and of the same where it is.
#[test]
fn what_is_faster_than_a_network_is_said_of_one() {
    let words = ["--rw=randread", "--direct=0", "--invalidate=0"];
    let text = on_mount(&words, "impossible-latency", SOUND, &[]).unwrap();
    assert!(text.contains("on nfs4"), "{text}");
    let local = run_of(&words);
    assert_eq!(found(&local.findings, "impossible-latency"), None);
}

#[test]
fn workers_that_share_a_file_of_a_server_are_said() {
    let with = |jobs: &str| {
        let words = ["--rw=randread", "--direct=1", "--group_reporting", jobs];
        on_mount(&words, "single-file", SOUND, &[])
    };
    let text = with("--numjobs=8").unwrap();
    assert!(text.contains("8 workers share one file on nfs4"), "{text}");
    assert_eq!(with("--numjobs=1"), None);
}

#[test]
fn a_mount_that_reads_little_ahead_is_said() {
    let with = |ahead: &str| {
        let files = [("sys/class/bdi/0:50/read_ahead_kb", ahead)];
        let words = ["--rw=read", "--direct=0"];
        on_mount(&words, "read-ahead-small", SOUND, &files)
    };
    let text = with("128\n").unwrap();
    assert!(text.contains("reads 128 KiB ahead"), "{text}");
    assert_eq!(with("15360\n"), None);
}

/// A connection to this machine's own loopback over which a byte went and came: both its ends.
fn connection(listener: &TcpListener) -> [TcpStream; 2] {
    let mut here = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut there, _) = listener.accept().unwrap();
    let mut byte = [0];
    here.write_all(&[1]).unwrap();
    there.read_exact(&mut byte).unwrap();
    there.write_all(&byte).unwrap();
    here.read_exact(&mut byte).unwrap();
    [here, there]
}

/// A connection to this machine's own loopback has a round trip; what it brought fills its buffer, or does not.
#[test]
fn a_rate_limited_by_the_tcp_window_is_found_by_buffer_and_round_trip() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let _held = connection(&listener);
    let options = format!("addr=127.0.0.1,port={port}");
    let with = |buffer: &str| {
        let much = Nfs {
            server: 1 << 50,
            connections: 1,
            ..SOUND
        };
        let text = format!("4096\t131072\t{buffer}\n");
        let all = on_nfs(&DIRECT, &options, much, |root| {
            put(root, "proc/sys/net/ipv4/tcp_rmem", &text);
        });
        found(&all, "window-small").map(|f| f.text.clone())
    };
    let Some(text) = with("6291456") else {
        return leadline_testkit::skip("honesty::window", "the kernel has no sock_diag");
    };
    assert!(text.contains("net.ipv4.tcp_rmem"), "{text}");
    assert_eq!(with("9000000000000000000"), None);
}

/// An SMB mount with one connection, and with two, of a server that this machine is itself.
#[test]
fn one_connection_to_an_smb_server_for_many_ios_is_said() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let with = |depth: &str| {
        let mut run = run_of(&["--rw=randread", "--direct=1", "--ioengine=libaio", depth]);
        let root = tempfile::tempdir().unwrap();
        let point = fs::canonicalize(root.path()).unwrap().join("mnt");
        fs::create_dir(&point).unwrap();
        let line = format!(
            "1 0 0:50 / {} rw - cifs //srv/e rw,vers=3.1.1,addr=127.0.0.1,port={port}\n",
            point.display()
        );
        put(root.path(), "proc/self/mountinfo", &line);
        let counters = Counters::below(root.path(), &[point.join("f")]);
        run.stages[0].counted = counters.until_now();
        run.findings.clear();
        let all = trust::findings(&run);
        found(&all, "single-flow").map(|f| format!("{} {}", f.text, f.cure.text))
    };
    assert_eq!(with("--iodepth=64"), None, "nothing is connected");
    let _first = connection(&listener);
    let Some(text) = with("--iodepth=64") else {
        return leadline_testkit::skip("honesty::smb", "the kernel has no sock_diag");
    };
    assert!(
        text.contains("one TCP connection") && text.contains("multichannel"),
        "{text}"
    );
    assert_eq!(with("--iodepth=8"), None);
    let _second = connection(&listener);
    assert_eq!(with("--iodepth=64"), None);
}

/// A data set above the memory and within the cache of a cloud's host, above both, and within the memory: the memory as the
/// kernel says it, the machine and its disks as Azure's metadata service does.
#[test]
fn what_a_hosts_cache_can_hold_is_said() {
    let root = tempfile::tempdir().unwrap();
    let with = |disks: &[&str], memory_gib: u64, set_gib: u64| {
        let kib = memory_gib << 20;
        put(
            root.path(),
            "proc/meminfo",
            &format!("MemTotal:       {kib} kB\n"),
        );
        let disks: Vec<String> = disks.iter().map(|caching| of_azure(caching)).collect();
        let document = format!(
            r#"{{"compute": {{"vmSize": "Standard_D8ds_v4", "storageProfile": {{"dataDisks": [{}]}}}}}}"#,
            disks.join(", ")
        );
        let book = Book::built_in();
        let cloud = azure(&document, &book).unwrap();
        let cache = book.host_cache(&cloud.size).unwrap();
        assert_eq!(cache, Bytes(200 << 30));
        let mut more = facts::machine(root.path());
        more.push(Fact::new(FactKey::CLOUD_DISKS, "", cloud.disks.join(", ")));
        more.push(Fact::new(FactKey::HOST_CACHE, "", cache));
        let disk = drive(root.path(), "vdb", 1024, [2, 0]);
        let all = of_run_on_drive(few_reads_of(set_gib), &disk, &more);
        found(&all, "host-cache").map(|f| f.text.clone())
    };
    let held = with(&["None", "ReadOnly"], 32, 100).unwrap();
    assert!(held.contains("fits in the cache"), "{held}");
    let above = with(&["ReadOnly"], 32, 201).unwrap();
    assert!(above.contains("a mixture"), "{above}");
    assert_eq!(with(&["ReadOnly"], 128, 100), None);
    assert_eq!(with(&["None"], 32, 100), None);
}

/// A disk of 1 TiB in the words of Azure's metadata service.
fn of_azure(caching: &str) -> String {
    format!(
        r#"{{"caching": "{caching}", "diskSizeGB": "1024", "managedDisk": {{"storageAccountType": "Premium_LRS"}}}}"#
    )
}

#[test]
fn heat_and_sleep_of_processors_are_said() {
    let mut run = run_of(&["--rw=randread", "--direct=0", "--invalidate=0"]);
    run.findings.clear();
    let root = tempfile::tempdir().unwrap();
    let count = "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count";
    put(root.path(), count, "7\n");
    let counters = Counters::below(root.path(), &[]);
    run.stages[0].counted = counters.until_now();
    run.facts.retain(|f| f.section != "cpu");
    let calm = trust::findings(&run);
    assert_eq!(found(&calm, "slowed-for-heat"), None);
    assert_eq!(found(&calm, "power-saving"), None);
    put(root.path(), count, "9\n");
    run.stages[0].counted = counters.until_now();
    let idle = "sys/devices/system/cpu/cpu0/cpuidle/state3";
    put(root.path(), &format!("{idle}/latency"), "133\n");
    put(root.path(), &format!("{idle}/disable"), "0\n");
    run.facts.extend(facts::settings(root.path()));
    let hot = trust::findings(&run);
    let text = &found(&hot, "slowed-for-heat").unwrap().text;
    assert!(text.contains("slowed down for heat 2 times"), "{text}");
    let text = &found(&hot, "power-saving").unwrap().text;
    assert!(text.contains("waking from these takes 133 us"), "{text}");
}

#[test]
fn hosts_that_are_set_in_another_way_are_named() {
    let mut run = run_of(&["--rw=randread", "--direct=1"]);
    run.facts.clear();
    run.findings.clear();
    let hosts = ["a", "b", "c"].map(HostSpec::local);
    run.plan.as_mut().unwrap().hosts = hosts.into();
    for (host, ratio) in [(0, "20\n"), (1, "20\n"), (2, "40\n")] {
        let root = tempfile::tempdir().unwrap();
        put(root.path(), "proc/sys/vm/dirty_ratio", ratio);
        put(root.path(), "proc/sys/vm/swappiness", "60\n");
        for mut fact in facts::settings(root.path()) {
            fact.host = host;
            run.facts.push(fact);
        }
    }
    let all = trust::findings(&run);
    let text = &found(&all, "clients-unlike").unwrap().text;
    let differ = "vm.dirty_ratio 20.0 % on a and b, 40.0 % on c.";
    assert!(text.ends_with(differ), "{text}");
    run.facts.retain(|f| f.name != "vm.dirty_ratio");
    assert_eq!(found(&trust::findings(&run), "clients-unlike"), None);
}

/// A drive and what it has done since the host started, in the files of sysfs.
fn drive(root: &Path, name: &str, gib: u64, [read, written]: [u64; 2]) -> Vec<Fact> {
    let sectors = |gib: u64| gib << 21;
    let at = format!("sys/block/{name}");
    put(root, &format!("{at}/size"), &format!("{}\n", sectors(gib)));
    put(root, &format!("{at}/queue/rotational"), "0\n");
    let stat = format!("9 0 {} 9 9 0 {} 9 0 9 9\n", sectors(read), sectors(written));
    put(root, &format!("{at}/stat"), &stat);
    facts::device(name, &root.join(at))
}

/// A run on this drive, of this host's kind.
fn on_drive(words: &[&str], drive: &[Fact], more: &[Fact]) -> Vec<Finding> {
    of_run_on_drive(run_of(words), drive, more)
}

fn of_run_on_drive(mut run: Run, drive: &[Fact], more: &[Fact]) -> Vec<Finding> {
    run.findings.clear();
    run.facts.retain(|f| {
        !["device", "host", "target", "cpu", "memory", "cloud"].contains(&f.section.as_str())
    });
    run.facts.extend_from_slice(drive);
    run.facts.extend_from_slice(more);
    let name = drive.first().map(|f| f.subject.clone()).unwrap_or_default();
    run.stages[0].disks = vec![DiskUse {
        name,
        span_ms: 1000,
        ..DiskUse::default()
    }];
    trust::findings(&run)
}

#[test]
fn a_fresh_drive_is_distinguished_from_one_filled_twice() {
    let root = tempfile::tempdir().unwrap();
    let words = ["--rw=randwrite", "--direct=1"];
    let code = "not-preconditioned";
    let fresh = drive(root.path(), "nvme0n1", 100, [9, 150]);
    let text = found(&on_drive(&words, &fresh, &[]), code)
        .unwrap()
        .text
        .clone();
    assert!(
        text.contains("nvme0n1 of 100 GiB has taken 150.00 GiB"),
        "{text}"
    );
    let worn = drive(root.path(), "nvme0n1", 100, [9, 201]);
    assert_eq!(found(&on_drive(&words, &worn, &[]), code), None);
    // In a virtual machine a drive may be anything.
    let virtual_machine = [Fact::new(FactKey::VIRTUAL, "", "yes")];
    assert_eq!(
        found(&on_drive(&words, &fresh, &virtual_machine), code),
        None
    );
    let reads = ["--rw=randread", "--direct=1"];
    assert_eq!(found(&on_drive(&reads, &fresh, &[]), code), None);
}

/// Two processors, each at a memory node of its own.
fn two_nodes(root: &Path) -> Vec<Fact> {
    put(root, "sys/devices/system/cpu/online", "0-1\n");
    put(root, "sys/devices/system/node/online", "0-1\n");
    for node in ["0", "1"] {
        let list = format!("sys/devices/system/node/node{node}/cpulist");
        put(root, &list, &format!("{node}\n"));
    }
    facts::machine(root)
}

/// Only that of an interface that is up matters.
#[test]
fn a_network_interface_at_another_memory_node_than_the_workers_is_said() {
    let with = |node: &str| {
        let root = tempfile::tempdir().unwrap();
        let words = ["--rw=randread", "--direct=1", "--cpus_allowed=0"];
        let mut run = run_on_nfs(&words, "vers=4.1", SOUND, |root| {
            put(root, "sys/class/net/eth0/device/numa_node", node);
            put(root, "sys/class/net/eth0/speed", "100000\n");
            put(root, "sys/class/net/eth1/device/numa_node", "0\n");
        });
        run.facts.retain(|f| f.section != "cpu");
        run.facts.extend(two_nodes(root.path()));
        let all = trust::findings(&run);
        found(&all, "far-processors").map(|f| f.text.clone())
    };
    let text = with("1\n").unwrap();
    assert!(text.contains("eth0 is at memory node 1, and 100"), "{text}");
    assert_eq!(with("0\n"), None);
    assert_eq!(with("-1\n"), None);
}

#[test]
fn a_device_at_another_memory_node_than_the_workers_is_said() {
    let root = tempfile::tempdir().unwrap();
    let processors = two_nodes(root.path());
    let with = |node: &str| {
        put(root.path(), "sys/block/nvme0n1/device/numa_node", node);
        let device = drive(root.path(), "nvme0n1", 100, [9, 201]);
        let words = ["--rw=randread", "--direct=1", "--cpus_allowed=0"];
        let all = on_drive(&words, &device, &processors);
        found(&all, "far-processors").map(|f| f.text.clone())
    };
    let text = with("1\n").unwrap();
    assert!(
        text.contains("nvme0n1 is at memory node 1, and 100"),
        "{text}"
    );
    assert_eq!(with("0\n"), None);
    // A machine with one node says so.
    assert_eq!(with("-1\n"), None);
}

#[test]
fn what_does_not_fit_a_drives_blocks_is_said() {
    let root = tempfile::tempdir().unwrap();
    let with = |bytes: &str, words: &[&str]| {
        let sizes = "sys/block/nvme0n1/queue/physical_block_size";
        put(root.path(), sizes, bytes);
        let device = drive(root.path(), "nvme0n1", 100, [9, 201]);
        let all = on_drive(&[&["--direct=1"], words].concat(), &device, &[]);
        found(&all, "unaligned").map(|f| f.text.clone())
    };
    let random = ["--rw=randread"];
    assert!(with("8192\n", &random).unwrap().contains("blocks of 8 KiB"));
    assert_eq!(with("4096\n", &random), None);
    // Of all sizes and offsets: those of a list, of further workers, and after what is skipped.
    for (words, fits) in [
        (&["--rw=read", "--bs=8k"][..], true),
        (
            &[
                "--rw=read",
                "--bs=8k",
                "--numjobs=2",
                "--offset_increment=12k",
            ],
            false,
        ),
        (
            &[
                "--rw=read",
                "--bs=8k",
                "--numjobs=2",
                "--offset_increment=16k",
            ],
            true,
        ),
        (&["--rw=read:4k", "--bs=8k"], false),
        (&["--rw=read:8k", "--bs=8k"], true),
        (
            &[
                "--rw=randread",
                "--bssplit=8k/50:20k/50",
                "--bs_unaligned=1",
            ],
            false,
        ),
        (&["--rw=randread", "--bssplit=8k/50:16k/50"], true),
    ] {
        let said = with("8192\n", words);
        assert_eq!(said.is_none(), fits, "{words:?}: {said:?}");
    }
}

/// A virtual machine, by the flags of its processor, and what a drive has read since it started, by the kernel's files.
#[test]
fn a_cache_that_was_never_filled_is_said_to_be_cold() {
    let root = tempfile::tempdir().unwrap();
    let set = tempfile::NamedTempFile::new().unwrap();
    set.as_file().set_len(30 << 30).unwrap();
    let with = |flags: &str, read: u64| {
        let cpu = format!("processor\t: 0\nflags\t\t: {flags}\n");
        put(root.path(), "proc/cpuinfo", &cpu);
        let mut more = facts::machine(root.path());
        let of_set = facts::targets_below(root.path(), &[set.path().to_owned()]);
        more.extend(
            of_set
                .into_iter()
                .filter(|f| f.key() == FactKey::TARGET_SIZE),
        );
        let disk = drive(root.path(), "vdb", 100, [read, 0]);
        let all = on_drive(&["--rw=randread", "--direct=1"], &disk, &more);
        found(&all, "cache-not-warmed").map(|f| f.text.clone())
    };
    let text = with("fpu sse2 hypervisor", 2).unwrap();
    assert!(text.contains("vdb has read 2 GiB of the 30 GiB"), "{text}");
    assert_eq!(with("fpu sse2 hypervisor", 31), None);
    assert_eq!(with("fpu sse2", 2), None);
}

/// A study of two states, each measured on a mount with these options and connections, as the study answers it.
fn of_two_states(
    prepare: [&str; 2],
    mounts: [(&str, usize); 2],
) -> (Vec<String>, Vec<Vec<String>>) {
    let place = Place::new();
    let words = [
        "study",
        "arms",
        "sim:service=1ms",
        "--study",
        "latency",
        "--rw",
        "randread",
        "--time",
        "1s",
        "--out",
        "s",
        "--arm",
        "one",
        "--prepare",
        prepare[0],
        "--arm",
        "many",
        "--prepare",
        prepare[1],
    ];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{done:?}");
    let mut run = leadline_results::store::open(&place.join("s.leadline")).unwrap();
    let names: Vec<String> = {
        let stages = &run.plan.as_ref().unwrap().stages;
        stages.iter().map(|s| s.name.clone()).collect()
    };
    let root = tempfile::tempdir().unwrap();
    let point = fs::canonicalize(root.path()).unwrap().join("mnt");
    fs::create_dir(&point).unwrap();
    for (stage, name) in run.stages.iter_mut().zip(names) {
        let (options, connections) = mounts[usize::from(name.contains("many"))];
        let root = tempfile::tempdir().unwrap();
        let line = format!(
            "1 0 0:50 / {} rw - nfs4 srv:/e rw,vers=4.1,{options},addr=192.0.2.1\n",
            point.display()
        );
        put(root.path(), "proc/self/mountinfo", &line);
        let nfs = Nfs {
            connections,
            ..SOUND
        };
        put(root.path(), "proc/self/mountstats", &nfs.text(&point));
        stage.counted = Counters::below(root.path(), &[point.join("f")]).until_now();
    }
    let summary = leadline_results::summary::summarize(&run);
    let answer = leadline_results::states::answer_of(&run, &summary).unwrap();
    let tables = answer
        .tables
        .iter()
        .filter(|t| t.title == "Mounts in force");
    let shown = |cell: &AnswerCell| match cell {
        AnswerCell::Text(text) => text.replace(&point.display().to_string(), "/mnt"),
        AnswerCell::Number(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    let rows = tables
        .flat_map(|t| &t.rows)
        .map(|row| row.iter().map(shown).collect());
    let said = answer.sentences.iter();
    let said = said.map(|s| s.replace(&point.display().to_string(), "/mnt"));
    (said.collect(), rows.collect())
}

#[test]
fn what_is_in_force_in_each_state_is_beside_what_its_command_asks_for() {
    let prepare = [": nconnect=1", ": nconnect=8"];
    let (sentences, rows) = of_two_states(prepare, [("nconnect=1", 1), ("nconnect=8", 8)]);
    assert_eq!(
        rows,
        [
            ["one", "/mnt", "nfs4", "1", "nconnect=1"],
            ["many", "/mnt", "nfs4", "8", "nconnect=8"]
        ]
    );
    assert!(
        sentences.iter().all(|s| !s.contains("connections")),
        "{sentences:?}"
    );
    // The first mount of the server decided for both.
    let (sentences, rows) = of_two_states(prepare, [("nconnect=1", 1), ("nconnect=1", 1)]);
    assert_eq!(rows[1], ["many", "/mnt", "nfs4", "1", "none"]);
    assert!(
        sentences[0].starts_with("many: its command requests 8 connections but /mnt has 1"),
        "{sentences:?}"
    );
    assert!(
        sentences[1].starts_with("The mounts of all states have the same options"),
        "{sentences:?}"
    );
    let (sentences, _) = of_two_states([":", ":"], [("noac", 4), ("ac", 4)]);
    assert!(
        !sentences.iter().any(|s| s.contains("same options")),
        "{sentences:?}"
    );
}
