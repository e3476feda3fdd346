//! `leadline report RUN --as diskspd|diskspd-xml|vdbench`, on runs of DISKSPD's own arguments that were
//! really done: text, dialect, engine, run file, report.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests are not tests to the lints"
)]

use leadline_dialect::host::NoHost;
use leadline_diskspd as diskspd;
use leadline_engine::run::{Interrupt, Session};
use leadline_results::store::Writer;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Does what `args` ask for; the run file.
fn measured(directory: &Path, args: &[&str]) -> PathBuf {
    let args: Vec<String> = args.iter().map(|a| (*a).to_owned()).collect();
    let parsed = diskspd::parse(&args, &NoHost);
    let plan = parsed
        .plan
        .unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    let path = directory.join("run.leadline");
    let mut writer = Writer::create(&path).unwrap();
    let mut session = Session::new(Interrupt::default(), 7);
    let end = session.run(&plan, &mut |event| writer.event(&event).unwrap());
    end.unwrap();
    writer.finish().unwrap()
}

fn report(run: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_leadline"));
    let done = command.arg("report").arg(run).args(more).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (done.status.code(), text(done.stdout), text(done.stderr))
}

fn line<'a>(text: &'a str, start: &str) -> &'a str {
    let found = text.lines().find(|l| l.starts_with(start));
    found.unwrap_or_else(|| panic!("no line starts with {start:?} in\n{text}"))
}

/// The cells of a row as numbers; what is none is left out.
fn numbers(line: &str) -> Vec<f64> {
    let cells = line.trim_start_matches("total:").split('|');
    cells.filter_map(|c| c.trim().parse().ok()).collect()
}

#[test]
fn a_command_line_of_diskspd_ends_in_diskspds_report() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a & b.dat");
    let file = file.to_str().unwrap();
    let run = measured(
        directory.path(),
        &[
            "-c8M", "-b4K", "-t2", "-r", "-o4", "-w30", "-L", "-D200", "-d1", "-W1", "-C0", file,
        ],
    );
    let (code, text, complaints) = report(&run, &["--as", "diskspd"]);
    assert_eq!(code, Some(0), "{complaints}");
    for part in [
        "\nCommand Line: diskspd -c8M -b4K -t2 -r -o4 -w30 -L -D200 -d1 -W1 -C0 /",
        "\n\ttimespan:   1\n\t-------------\n\tduration: 1s\n\twarm up time: 1s\n",
        "\tgathering IOPS at intervals of 200ms\n",
        "\nactual test time:\t1.0",
        "\nthread count:\t\t2\n",
        "\nCPU |  Usage |  User  | Kernel |  Idle\n",
        "\navg.|",
        "\nTotal latency distribution:\n",
        "\nAverage queue depth",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let rows: Vec<&str> = text
        .lines()
        .filter(|l| l.ends_with("a & b.dat (8MiB)"))
        .collect();
    assert_eq!(rows.len(), 6);
    let total = numbers(line(&text, "total:"));
    let sum: f64 = rows[..2].iter().map(|row| numbers(row)[2]).sum();
    assert!((sum - total[1]).abs() < 0.5 && total[1] > 100.0, "{text}");
    assert!((total[0] - total[1] * 4096.0).abs() < 0.5);
    // Deviations are there by thread: none is N/A.
    assert!(!rows.iter().any(|row| row.contains("N/A")), "{text}");
    let (code, xml, complaints) = report(&run, &["--as", "diskspd-xml"]);
    assert_eq!(code, Some(0), "{complaints}");
    assert!(xml.starts_with("<Results>\n  <System>\n"));
    assert!(xml.ends_with("  </Leadline>\n</Results>\n"));
    assert!(xml.contains("    <MeasureLatency>true</MeasureLatency>\n"));
    assert!(xml.contains("a &amp; b.dat</Path>\n        <BytesCount>"));
    // Of the whole and of each thread: five buckets of 200 ms.
    assert_eq!(xml.matches("<Bucket SampleMillisecond=\"1000\"").count(), 3);
    assert_eq!(xml.matches("<Bucket SampleMillisecond=").count(), 15);
}

#[test]
fn two_targets_and_a_pool_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let files = ["one.dat", "two.dat"].map(|n| directory.path().join(n));
    let [one, two] = files.each_ref().map(|f| f.to_str().unwrap());
    let run = measured(
        directory.path(),
        &[
            "-c4M",
            "-b4K",
            "-F2",
            "-o2",
            "-r",
            "-rdpct90/10",
            "-L",
            "-d1",
            "-W0",
            one,
            two,
        ],
    );
    let (code, text, complaints) = report(&run, &["--as", "diskspd"]);
    assert_eq!(code, Some(0), "{complaints}");
    assert!(text.contains("\nthread count:\t\t2\n"), "{text}");
    assert_eq!(text.matches("\nLatency distribution: ").count(), 2);
    let parts =
        "    90% of IO => [     0    -    408KiB)\n    10% of IO => [   408KiB -      4MiB)\n";
    assert!(text.contains(parts), "{text}");
    assert_eq!(text.matches("one.dat (4MiB)").count(), 6);
    assert_eq!(text.matches("     1 | ").count(), 6);
}

#[test]
fn vdbenchs_output_is_a_directory_and_nothing_is_written_over() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("t.dat");
    let run = measured(
        directory.path(),
        &["-c1M", "-d1", "-W0", file.to_str().unwrap()],
    );
    let output = directory.path().join("out");
    let output = output.to_str().unwrap();
    let (code, _, complaints) = report(&run, &["--as", "vdbench", "--output", output]);
    assert_eq!(code, Some(0), "{complaints}");
    let summary = std::fs::read_to_string(Path::new(output).join("summary.html")).unwrap();
    assert!(!summary.is_empty());
    let (code, _, complaints) = report(&run, &["--as", "vdbench", "--output", output]);
    assert_eq!(code, Some(3), "{complaints}");
    assert!(complaints.contains("hint: name a new or an empty directory"));
    let again = std::fs::read_to_string(Path::new(output).join("summary.html")).unwrap();
    assert_eq!(again, summary);
}
