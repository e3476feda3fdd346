//! Exit codes: what scripts decide by.

use super::pair::{JOB_FILE, Job, has_fio, together};

/// fio's code, and the words.
const CASES: &[(i32, &str)] = &[
    (0, "--name=a --size=64k"),
    (0, "--version"),
    (0, "--parse-only --name=a --size=64k"),
    (0, "--parse-only --terse-version=4"),
    (0, "--showcmd --name=a --size=64k"),
    (1, "--name=a --size=64k --rw=sideways"),
    (1, "--parse-only --name=a --rw=sideways"),
    (1, "--name=a --size=64k --nonsense=3"),
    (1, "--name=a --size=64k --ioengine=nonsense"),
    (1, "--name=a"),
    (1, "--rw=read --size=64k"),
    (1, "no-such-job-file.fio"),
    (1, "--name=a --size=64k --directory=no/such/directory"),
    (1, "--name=a --size=64k --rw=write --readonly"),
    // What a job opens, not what its text says.
    (1, "--name=a --size=64k --filename=/dev/null/below"),
    // As many as there are jobs that could not be set up.
    (
        3,
        "--name=a --size=64k --filename=/dev/null/below --numjobs=3",
    ),
    (2, "--filename=/dev/null/below --size=64k --name=a --name=b"),
    // What fio finds wrong when it reads a job fails once, however many jobs it would have been.
    (1, "--name=a --size=64k --directory=no/such --numjobs=3"),
    (
        1,
        "--name=a --size=64k --directory=no/such --filename=x --numjobs=2",
    ),
    (1, "--name=a --size=64k --allow_file_create=0"),
    (0, "--parse-only --name=a --size=64k --directory=no/such"),
    (1, "--name=a --size=64k --bs=128k --numjobs=2"),
    (3, "--name=a --size=64k --cpumask=0 --numjobs=3"),
    (0, "--parse-only --name=a --size=64k --cpumask=0"),
    (2, "--name=a --size=64k --create_on_open=1 --numjobs=2"),
    (1, "--name=a --size=64k --rw=randrw --create_on_open=1"),
    (0, "--name=a --size=64k --rw=write --create_on_open=1"),
    // A file is no device to discard on.
    (1, "--name=a --size=64k --rw=trim"),
    (
        2,
        "--name=a --size=64k --rw=randtrim --ioengine=libaio --numjobs=2",
    ),
    (
        1,
        "--name=a --size=64k --rw=trimwrite --continue_on_error=all",
    ),
    (0, "--name=a --size=64k --rw=trim --ignore_error=,ENOTTY"),
    (1, "--name=a --size=64k --status-interval=0"),
    (0, "--showcmd"),
    (0, "--cmdhelp=no-such-option"),
    (1, "--name=a --size=64k --cpus_allowed=0,1000"),
    (0, "--name=a --size=64k --flow=-1"),
    (0, "--name=a --size=64k --replay_no_stall=1"),
    (0, "--name=a --size=64k --ioengine=aio"),
    (
        0,
        "--name=a --size=64k --rw=write --unlink_each_loop=1 --loops=2",
    ),
    (
        1,
        "--name=a --size=64k --rw=read --unlink_each_loop=1 --loops=2",
    ),
    (
        1,
        "--name=a --size=64k --rw=write --buffer_pattern=2147483648",
    ),
    (
        1,
        "--name=a --size=64k --rw=write --buffer_pattern='no-such-file'",
    ),
];

#[test]
fn are_those_of_fio() {
    let test = "fio_differential::codes";
    if !has_fio(test) {
        return;
    }
    for (code, text) in CASES {
        let words: Vec<&str> = text.split(' ').collect();
        let pair = together(Job::line(&words));
        assert_eq!(pair.fio.code, Some(*code), "{:?}", pair.fio);
        assert_eq!(pair.ours.code, Some(*code), "{text}: {:?}", pair.ours);
    }
}

#[test]
fn a_job_file_with_an_error_runs_nothing() {
    let test = "fio_differential::codes::file";
    if !has_fio(test) {
        return;
    }
    let file = "[good]\nsize=64k\n[bad]\nsize=64k\nrw=sideways\n";
    let pair = together(Job {
        words: &[JOB_FILE],
        file: Some(file),
    });
    assert_eq!(pair.fio.code, Some(1), "{:?}", pair.fio);
    assert_eq!(pair.ours.code, Some(1), "{:?}", pair.ours);
    let shown = &pair.ours.stderr;
    assert!(
        shown.contains("job.fio:5") && shown.contains("sideways"),
        "{shown}"
    );
    assert!(!pair.ours.stdout.contains("good"), "{:?}", pair.ours);
}
