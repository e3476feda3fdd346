//! Asks an installed fio the same questions: does it accept the line, and which block sizes does it
//! read? Skipped by name where fio is not installed.
#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use crate::common::{FakeHost, short_diagnostics, split_words};
use leadline_fio as fio;
use leadline_model::plan::access::Sizes;
use std::process::Command;

/// Command lines that fio and leadline must judge alike.
const VERDICTS: [&str; 57] = [
    "--name=a --size=1m",
    "-name=a -size 1m -rw randread -direct 1",
    "--name=a --size=1m --iodepth=0",
    "--name=a --size=1m --direct=2",
    "--name=a --size=1m --direct=yes",
    "--name=a --size=1m --direct=1abc",
    "--name=a --size=1m --iodepth=50%",
    "--name=a --size=1m --bssplit=4k/60:8k/60",
    "--name=a --size=1m --bssplit=4k/60:8k/:16k/60:32k/",
    "--name=a --size=1m --bssplit=,64k/10:32k/90",
    "--name=a --size=1m --bs=4k:16k:32k",
    "--name=a --size=1m --bs=4k,8k,16k,32k",
    "--name=a --size=1m --bs=4k-",
    "--name=a --size=1m --bs=",
    "--name=a --size=1m --bs=abc",
    "--name=a --size=1m --bs=0",
    "--name=a --size=abc",
    "--name=a --size=1m --runtime=abc",
    "--name=a --size=1m --runtime=10x",
    "--name=a --size=1m --runtime=",
    "--name=a --size=1m --rw=randrw:abc",
    "--name=a --size=1m --rw=rand",
    "--name=a --size=1m --rw=READ",
    "--name=a --size=1m --rwmixread=101",
    "--name=a --size=1m --rwmixread=70%",
    "--name=a --size=1m --ioengine=bogus",
    "--name=a --size=1m --ioengine=null --hipri",
    "--name=a --size=1m --ioengine=io_uring --hipri",
    "--name=a --size=1m --fallocate=foo",
    "--name=a --size=1m --percentile_list=101",
    "--name=a --size=1m --percentile_list=50:99.9",
    "--name=a --size=1m --runt=3",
    "--name=a --size=1m --r=3",
    "--name=a --size=1m --invalidate",
    "--name=a --size=1m --nonsense=3",
    "--name=a --size=1m --zero_buffers=yes",
    "--name=a --size=1m --zero_buffers=0",
    "--name=a --size=1m --zero_buffers",
    "--name=a --size=1m --random_distribution=zipf:1",
    "--name=a --size=1m --random_distribution=zipf:1.2",
    "--name=a --size=1m --random_distribution=zipf",
    "--name=a --size=1m --random_distribution=pareto:0.9",
    "--name=a --size=1m --random_distribution=pareto:1",
    "--name=a --size=1m --random_distribution=normal:101",
    "--name=a --size=1m --random_distribution=zoned:60/20:30/80",
    "--name=a --size=1m --random_distribution=zoned:60/20:40/",
    "--name=a --size=1m --nice=-30",
    "--name=a --size=1m --nice=-10",
    "--name=a --size=1m --verify=0 --do_verify=0",
    "--name=a --size=1m --sync=2",
    "--name=a --size=1m --buffer_pattern=0xdead",
    "--name=a --size=1m --terse-version=9",
    "--terse-version=4",
    "--name=a --size=1m --eta=bogus",
    "--name=a --size=1m --output-format=bogus",
    "--size=1m",
    "--readonly --name=a --size=1m --rw=write",
];

/// Job files that fio and leadline must judge alike.
const FILES: [&str; 14] = [
    "[a]\nsize=1m\n",
    "[a]\nsize=1m\nfoo\n",
    "[a]\nsize=1m\nthread\n",
    "[a]\nsize=1m\nthread=\n",
    "[a]\nsize=1m\nthread=1\n",
    "size=1m\n[a]\n",
    "[a\nsize=1m\n",
    "[a]\nsize=1m\nbs=4K ; x\n",
    "[a]\nsize=1m\niodepth=$ncpus*2\n",
    "[a]\nsize=1m\nbs=$pagesize\n",
    "[a]\nsize=1m\nioengin=libaio\n",
    "[a]\nsize=1m\nhipri\nioengine=io_uring\n",
    "[globalx]\nsize=1m\n[a]\n",
    "; only a comment\n",
];

/// Options whose block sizes fio prints at the start of a run.
const SIZES: [&str; 20] = [
    "--bs=4k",
    "--bs=4k-16k",
    "--bs=4k:16k",
    "--bs=8k,32k",
    "--bs=8k,",
    "--bs=,8k",
    "--bs=,8k,",
    "--bs=4.5k",
    "--bs=4q",
    "--bs=4KiB",
    "--bs=4ki",
    "--bs=0x1000",
    "--bs=8*1024",
    "--bs=4k --kb_base=1000",
    "--kb_base=1000 --bs=4k",
    "--kb_base=1000 --bs=4KiB",
    "--bsrange=4k-16k",
    "--bsrange=16k-4k,8k:32k",
    "--bs=8k --bsrange=1k-2k",
    "--bs=4kb",
];

/// Whether fio is there; the test is skipped by name where it is not.
fn installed(test: &str) -> bool {
    // fio has bc do what there is to compute in a job.
    let tools = ["fio", "bc"];
    let missing = tools
        .iter()
        .find(|tool| Command::new(tool).arg("--version").output().is_err());
    if let Some(tool) = missing {
        leadline_testkit::skip(
            &format!("dialect::{test}"),
            &format!("{tool} is not installed"),
        );
    }
    missing.is_none()
}

/// What is wrong with the cases, four at a time: fio takes a third of a second for each, and waits.
fn side_by_side(cases: &[&str], wrong: impl Fn(&str) -> Option<String> + Sync) -> Vec<String> {
    let part =
        &|cases: &[&str]| -> Vec<String> { cases.iter().filter_map(|case| wrong(case)).collect() };
    std::thread::scope(|scope| {
        let parts = cases.chunks(cases.len().div_ceil(4));
        let parts: Vec<_> = parts
            .map(|cases| scope.spawn(move || part(cases)))
            .collect();
        let all = parts.into_iter().map(|part| part.join().unwrap());
        all.collect::<Vec<Vec<String>>>().concat()
    })
}

fn accepts(args: &[String]) -> bool {
    let folder = std::env::temp_dir();
    let status = Command::new("fio")
        .arg("--parse-only")
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap()
        .status;
    status.success()
}

#[test]
fn verdicts_are_those_of_fio() {
    if !installed("verdicts_are_those_of_fio") {
        return;
    }
    let mut wrong = side_by_side(&VERDICTS, |line| {
        let args = split_words(line);
        let mut ours = vec!["--parse-only".to_owned()];
        ours.extend(args.clone());
        let parsed = fio::parse(&ours, &FakeHost::default());
        let says = short_diagnostics(&parsed.diagnostics, &parsed.sources);
        (accepts(&args) == says.contains("error[")).then(|| format!("{line}\n{says}"))
    });
    let folder = tempfile();
    for (i, text) in FILES.iter().enumerate() {
        let path = format!("{folder}/{i}.fio");
        std::fs::write(&path, text).unwrap();
        let mut host = FakeHost::default();
        host.files.insert(path.clone(), (*text).to_owned());
        let parsed = fio::parse(&["--parse-only".to_owned(), path.clone()], &host);
        let says = short_diagnostics(&parsed.diagnostics, &parsed.sources);
        if accepts(&[path]) == says.contains("error[") {
            wrong.push(format!("{text}\n{says}"));
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn tempfile() -> String {
    let folder = std::env::temp_dir().join(format!("leadline-dialect-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder.to_string_lossy().into_owned()
}

/// The sizes of a run as fio's first line shows them.
fn header(sizes: &leadline_model::plan::BlockSizes) -> String {
    let one = |sizes: &Sizes| format!("{}B-{}B", sizes.min(), sizes.max());
    format!(
        "bs=(R) {}, (W) {}, (T) {}",
        one(&sizes.by_op.read),
        one(&sizes.by_op.write),
        one(&sizes.by_op.trim)
    )
}

/// `64.0KiB` as fio writes it, in bytes.
fn in_bytes(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive(['-', ' ', ',']) {
        let end = word.trim_end_matches(['-', ' ', ',']).len();
        let (number, rest) = word.split_at(end);
        let scaled = [("KiB", 1024.0), ("kB", 1000.0), ("B", 1.0)]
            .into_iter()
            .find_map(|(unit, factor)| {
                Some((number.strip_suffix(unit)?.parse::<f64>().ok()?, factor))
            });
        match scaled {
            Some((n, factor)) => out.push_str(&format!("{:.0}B", n * factor)),
            None => out.push_str(number),
        }
        out.push_str(rest);
    }
    out
}

#[test]
fn block_sizes_are_those_of_fio() {
    if !installed("block_sizes_are_those_of_fio") {
        return;
    }
    let wrong = side_by_side(&SIZES, |options| {
        let line = format!("--name=a --ioengine=null --number_ios=1 --size=1m {options}");
        let args = split_words(&line);
        let output = Command::new("fio").args(&args).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let first = text.lines().find(|l| l.contains("bs=(R)")).unwrap_or("");
        let theirs = first
            .find("bs=(R)")
            .map_or("", |at| &first[at..])
            .split(", ioengine")
            .next()
            .unwrap();
        let plan = fio::parse(&args, &FakeHost::default()).plan.unwrap();
        let ours = header(&plan.stages[0].workloads[0].blocks().sizes);
        let differs = in_bytes(theirs) != ours;
        differs.then(|| format!("{options}: fio {theirs}, leadline {ours}"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
