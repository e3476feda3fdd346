//! How much a job does before it is done: the same bytes and I/Os, where these do not depend on chance.

use super::pair::{Job, Pair, at, count, has_fio, jobs, together};
use crate::support::side_by_side;
use std::sync::Mutex;

/// Beside `--name=a --size=1m --bs=4k --ioengine=psync`, of which a later option takes the place.
const CASES: &[&str] = &[
    "--rw=write --size=777777",
    "--rw=randread --size=777777",
    "--rw=randwrite --size=100k --bs=64k",
    "--rw=read --size=100k --bs=64k",
    "--rw=read --io_size=300k --bs=3000",
    "--rw=write --size=256k --io_size=2m",
    "--rw=randread --size=64k --io_size=300k",
    "--rw=randwrite --io_limit=128k",
    "--rw=read --number_ios=10",
    "--rw=randwrite --number_ios=1000 --size=64k",
    "--rw=write --loops=3 --size=100k",
    "--rw=randread --loops=2 --number_ios=10",
    "--rw=randwrite --numjobs=3 --nrfiles=7 --size=777777",
    "--rw=read --nrfiles=3 --filesize=100k",
    "--rw=randread --nrfiles=2 --filesize=64k --size=100k",
    "--rw=write --filename=x:y --file_service_type=sequential --size=100k",
    "--rw=randread --filename=x:y --file_service_type=random --ioengine=libaio --iodepth=8",
    "--rw=write --offset=100k --size=777777",
    "--rw=randread --offset=64k --size=256k",
    "--rw=read --offset_increment=64k --numjobs=3 --size=256k",
    "--rw=read --ioengine=null --offset=1m",
    "--rw=randwrite --ioengine=null --offset=100k --bs=512",
    "--rw=read --ioengine=null --offset_increment=1m --numjobs=2",
    "--rw=write --fsync=5",
    // fio leaves out a flush that is due after the very last write; here it is done.
    "--rw=write --fsync=3 --bs=64k",
    "--rw=randread --fsync=1 --end_fsync=1",
    "--rw=randread --norandommap --ioengine=io_uring --iodepth=32",
    "--rw=randwrite --percentage_random=30 --norandommap",
    "--rw=read --blockalign=8k",
    "--rw=write --bssplit=4k/50:",
    // Skips: round again, past the last that fits, exactly at the end.
    "--rw=read:4k",
    "--rw=read:4",
    "--rw=read:4k --size=100k",
    "--rw=write:8 --bs=64k --offset=4k",
    "--rw=write:8 --bs=64k --size=4m --loops=2",
    "--rw=read:4 --filename=x:y",
    "--rw=read:4k --ioengine=null --bs=3000 --size=4m --offset=100k",
];

/// Reads and writes by turns of chance: the sum alone is certain.
const MIXED: &[&str] = &[
    "--rw=rw --size=777777",
    "--rw=rw --size=100k --bs=8k --numjobs=2",
    "--rw=randrw --rwmixread=75",
    "--rw=rw --rwmixread=10 --ioengine=null --bs=512 --size=777777",
];

/// Bytes, I/Os and flushes of each job; together for jobs that mix.
fn amounts(pair: &Pair, mixed: bool) -> [Vec<Vec<u64>>; 2] {
    pair.values().map(|value| {
        let of = |job| {
            let sides = ["read", "write"].map(|side| {
                [
                    count(at(job, &[side]), &["io_bytes"]),
                    count(at(job, &[side]), &["total_ios"]),
                ]
            });
            if mixed {
                vec![sides[0][0] + sides[1][0], sides[0][1] + sides[1][1]]
            } else {
                let flushes = count(at(job, &["sync"]), &["total_ios"]);
                [sides.concat(), vec![flushes]].concat()
            }
        };
        jobs(&value).iter().map(of).collect()
    })
}

/// Trims of a file, which fail as the call does: beside `--name=a --size=64k --bs=4k`.
const TRIMS: &[&str] = &[
    "--rw=trim --ioengine=psync",
    "--rw=randtrim --ioengine=pvsync2 --numjobs=2",
    // fio does a trim while it queues it, whatever the depth, and so stops at the first.
    "--rw=trim --ioengine=libaio",
    "--rw=randtrim --ioengine=io_uring",
    "--rw=trim --ioengine=mmap",
    "--rw=trim --ioengine=null",
    "--rw=trimwrite --ioengine=psync --continue_on_error=all",
    "--rw=trim --ioengine=psync --ignore_error=,ENOTTY",
    "--rw=randtrimwrite --ioengine=psync --ignore_error=,ENOTTY",
];

/// The exit code, and for each job the I/Os and bytes of writes and trims, those that failed among the I/Os, and the
/// error that ended it.
#[test]
fn of_trims_on_a_file_are_those_of_fio() {
    let test = "fio_differential::amounts::trims";
    if !has_fio(test) {
        return;
    }
    for case in TRIMS {
        let mut words = vec!["--name=a", "--size=64k", "--bs=4k"];
        words.extend(case.split(' '));
        words.push("--output-format=json");
        let pair = together(Job::line(&words));
        assert_eq!(pair.fio.code, pair.ours.code, "{case}: {:?}", pair.ours);
        let ended = pair.ours.code != Some(0);
        let [fio, ours] = pair.values().map(|value| {
            let of = |job| {
                let side =
                    |side| ["total_ios", "io_bytes"].map(|key| count(at(job, &[side]), &[key]));
                // fio shows an error that was passed over as that of the job, too.
                let error = if ended { count(job, &["error"]) } else { 0 };
                (side("write"), side("trim"), error)
            };
            jobs(&value).iter().map(of).collect::<Vec<_>>()
        });
        assert_eq!(fio, ours, "{case}");
    }
}

#[test]
fn are_those_of_fio() {
    let test = "fio_differential::amounts";
    if !has_fio(test) {
        return;
    }
    let all = [(CASES, false), (MIXED, true)];
    let all = all.map(|(cases, mixed)| cases.iter().map(move |case| (*case, mixed)));
    let all: Vec<(&str, bool)> = all.into_iter().flatten().collect();
    let unlike = Mutex::new(Vec::new());
    side_by_side(4, &all, |(case, mixed)| {
        let mut words = vec!["--name=a", "--size=1m", "--bs=4k", "--ioengine=psync"];
        words.extend(case.split(' '));
        words.push("--output-format=json");
        let Some(pair) = together(Job::line(&words)).fine(test) else {
            return;
        };
        let [fio, ours] = amounts(&pair, *mixed);
        if fio != ours {
            let text = format!("{case}: fio {fio:?}, leadline {ours:?}");
            unlike.lock().unwrap().push(text);
        }
    });
    let unlike = unlike.into_inner().unwrap();
    assert!(unlike.is_empty(), "{}", unlike.join("\n"));
}
