//! What one run of leadline or fio measured, taken from its JSON and from what GNU time saw of it.
//!
//! Pure: text in, numbers out.

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// A kind of number a case can be judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Figure {
    /// I/Os a second, reads and writes of all jobs.
    Iops,
    /// User and system time of the whole process, microseconds an I/O.
    CpuPerIo,
    /// The whole process, milliseconds.
    Wall,
    /// Largest resident set of the process, MiB.
    Memory,
    /// 99.9th percentile of how late I/Os were submitted, microseconds.
    Lag,
    /// User instructions an I/O, from the slope between two run lengths.
    Instructions,
}

impl Figure {
    /// Its name in the report.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Iops => "IOPS",
            Self::CpuPerIo => "CPU an I/O",
            Self::Wall => "wall time",
            Self::Memory => "memory",
            Self::Lag => "lag p99.9",
            Self::Instructions => "instructions an I/O",
        }
    }

    /// A value with its unit, as people read it.
    pub(super) fn show(self, value: f64) -> String {
        match self {
            Self::Iops if value >= 1e6 => format!("{:.2} M", value / 1e6),
            Self::Iops if value >= 1e4 => format!("{:.1} k", value / 1e3),
            Self::Iops => format!("{value:.1}"),
            Self::CpuPerIo => format!("{value:.3} µs"),
            Self::Wall => format!("{value:.1} ms"),
            Self::Memory => format!("{value:.1} MiB"),
            Self::Lag => format!("{value:.1} µs"),
            Self::Instructions => format!("{value:.0}"),
        }
    }
}

/// What the JSON of one run says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Output {
    /// I/Os a second, summed.
    pub(super) iops: f64,
    /// I/Os done, summed.
    pub(super) ios: f64,
    /// 99.9th percentile of the lag, microseconds; the worst job's. fio does not report it.
    pub(super) lag: Option<f64>,
}

/// Reads fio-shaped JSON; notes that were printed before it are ignored.
pub(super) fn parse(stdout: &str) -> Result<Output> {
    let start = if stdout.starts_with('{') {
        0
    } else {
        stdout.find("\n{").map_or(0, |at| at + 1)
    };
    let value: Value = serde_json::from_str(&stdout[start..]).context("the output is not JSON")?;
    let jobs = value["jobs"].as_array().context("the output has no jobs")?;
    let mut output = Output::default();
    for job in jobs {
        if job["error"].as_i64().unwrap_or(0) != 0 {
            bail!("job {} failed with error {}", job["jobname"], job["error"]);
        }
        for direction in ["read", "write", "trim"] {
            output.iops += job[direction]["iops"].as_f64().unwrap_or(0.0);
            output.ios += job[direction]["total_ios"].as_f64().unwrap_or(0.0);
        }
        if let Some(lag) = job["lag_ns"]["percentile"]["99.900000"].as_f64() {
            output.lag = Some(output.lag.unwrap_or(0.0).max(lag / 1e3));
        }
    }
    if output.ios < 1.0 {
        bail!("no I/O was done");
    }
    Ok(output)
}

/// Reads the line `avg_2-N` that Vdbench ends a run with: time, name, I/Os a second.
pub(super) fn parse_vdbench(stdout: &str, seconds: f64) -> Result<Output> {
    let rate = stdout.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        words.next()?.starts_with("avg_").then(|| words.next())?
    });
    let iops: f64 = rate
        .context("the output has no line of averages")?
        .parse()
        .context("the rate is not a number")?;
    if iops < 1.0 {
        bail!("no I/O was done");
    }
    Ok(Output {
        iops,
        ios: iops * seconds,
        lag: None,
    })
}

/// What GNU time saw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Usage {
    /// User and system time, seconds.
    pub(super) cpu: f64,
    /// Largest resident set, MiB.
    pub(super) memory: f64,
}

/// Reads what `time -f '%U %S %M'` wrote.
pub(super) fn usage(text: &str) -> Result<Usage> {
    let numbers: Vec<f64> = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    match numbers.as_slice() {
        [user, system, kib] => Ok(Usage {
            cpu: user + system,
            memory: kib / 1024.0,
        }),
        _ => bail!("time wrote `{}`", text.trim()),
    }
}

/// The number of instructions in a callgrind output file: the sum of its `totals:` lines.
pub(super) fn instructions(callgrind: &str) -> Result<f64> {
    let totals: Vec<f64> = callgrind
        .lines()
        .filter_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok())
        .collect();
    if totals.is_empty() {
        bail!("callgrind wrote no totals");
    }
    Ok(totals.iter().sum())
}

/// Whether a file of callgrind is about a thread that a program started: `profile-02`, not `profile-01` or `profile`.
pub(super) fn is_of_worker(name: &str) -> bool {
    let thread = name
        .rsplit_once('-')
        .and_then(|(_, number)| number.parse().ok());
    thread.is_some_and(|number: u32| number > 1)
}

/// The middle value; the mean of the two in the middle for an even count; `None` of nothing.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(sorted[middle - 1], upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn the_rate_of_vdbench_is_that_of_its_averages() {
        let text =
            "14:30:53.346   1   143718.0   561.40\n14:30:56.354   avg_2-4   110615.7   432.09\n";
        let output = parse_vdbench(text, 3.0).unwrap();
        assert!(near(output.iops, 110_615.7));
        assert!(near(output.ios, 331_847.1));
        assert!(parse_vdbench("14:30:53.346   1   143718.0   561.40\n", 3.0).is_err());
        assert!(parse_vdbench("14:30:56.354   avg_2-4   0.0   0.0\n", 3.0).is_err());
    }

    #[test]
    fn json_of_several_jobs_is_summed() {
        let text = r#"note: both iodepth >= 1 and synchronous I/O engine are selected
{ "jobs": [
  { "jobname": "a", "error": 0, "lag_ns": {"percentile": {"99.900000": 5000}},
    "read": {"iops": 100.5, "total_ios": 201}, "write": {"iops": 50, "total_ios": 100} },
  { "jobname": "b", "error": 0, "lag_ns": {"percentile": {"99.900000": 7000}},
    "read": {"iops": 1, "total_ios": 2}, "write": {"iops": 0, "total_ios": 0} } ] }"#;
        let output = parse(text).unwrap();
        assert!(
            near(output.iops, 151.5) && near(output.ios, 303.0),
            "{output:?}"
        );
        assert!(near(output.lag.unwrap(), 7.0), "{output:?}");
    }

    #[test]
    fn a_run_that_failed_or_did_nothing_is_no_figure() {
        assert!(parse("fio: no such file").is_err());
        assert!(parse(r#"{"jobs": [{"error": 5, "read": {"iops": 1, "total_ios": 1}}]}"#).is_err());
        assert!(parse(r#"{"jobs": [{"error": 0, "read": {"iops": 0, "total_ios": 0}}]}"#).is_err());
    }

    #[test]
    fn medians_are_of_the_sorted_values() {
        assert!(near(median(&[3.0, 1.0, 2.0]).unwrap(), 2.0));
        assert!(near(median(&[4.0, 1.0, 2.0, 3.0]).unwrap(), 2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn what_other_programs_write_is_read() {
        let seen = usage("1.50 0.25 2048\n").unwrap();
        assert!(near(seen.cpu, 1.75) && near(seen.memory, 2.0), "{seen:?}");
        assert!(usage("Command exited with non-zero status 1\n").is_err());
        let two_threads = "events: Ir\nfn=(1)\n\ntotals: 100\nsummary: 7\ntotals: 20\n";
        assert!(near(instructions(two_threads).unwrap(), 120.0));
        assert!(instructions("events: Ir\n").is_err());
        let workers = ["profile", "profile-01", "profile-02", "profile-17"];
        assert_eq!(workers.map(is_of_worker), [false, false, true, true]);
    }

    #[test]
    fn values_carry_their_unit() {
        assert_eq!(Figure::Iops.show(1_234_567.0), "1.23 M");
        assert_eq!(Figure::Iops.show(99_950.0), "100.0 k");
        assert_eq!(Figure::Iops.show(999.9), "999.9");
        assert_eq!(Figure::Memory.show(12.34), "12.3 MiB");
    }
}
