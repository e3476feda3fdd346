//! `cargo xtask bench --fleet`: what a host costs the controller, from ten to a thousand of them.
//!
//! The hosts are agents on a simulated device, all in one process, each on pipes of its own through a
//! process of its own: for the controller they are a thousand hosts. Must never: count the hosts' own cost,
//! or pass a run that lost an interval or an I/O.

use super::page;
use crate::shell;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How many hosts there are in each run.
const COUNTS: [u32; 5] = [10, 30, 100, 300, 1000];
/// I/Os a second of each host.
const RATE: u32 = 100;
/// Most of a core that the controller may take with all of them.
const MOST_CORE: f64 = 0.5;
/// Most memory, in MiB.
const MOST_MEMORY: f64 = 300.0;
/// Title of the section in the page.
const TITLE: &str = "Many hosts";

/// What a run cost the controller.
struct Cost {
    hosts: u32,
    /// Seconds of processor time, over all.
    cpu: f64,
    /// Seconds from start to end.
    wall: f64,
    /// Largest resident memory in MiB.
    memory: f64,
    /// Bytes of the run file.
    file: u64,
}

/// Runs all counts and writes the section; true when the bounds were kept.
pub(super) fn run(leadline: &Path, seconds: u32, counts: &[u32]) -> Result<bool> {
    let counts = if counts.is_empty() { &COUNTS } else { counts };
    let mut all = Vec::new();
    for &hosts in counts {
        let cost = once(leadline, hosts, seconds)?;
        println!(
            "{hosts:>5} hosts: {:.1} % of a core, {:.0} MiB, all samples there",
            cost.cpu / cost.wall * 100.0,
            cost.memory
        );
        all.push(cost);
    }
    let path = shell::root().join("docs/benchmarks.md");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let kept = page::without(&text, &[TITLE], true);
    let slow = leadline
        .components()
        .any(|part| part.as_os_str() == "debug");
    let text = section(&all, seconds, slow);
    std::fs::write(&path, format!("{}\n\n{text}", kept.trim_end()))?;
    println!("wrote {}", path.display());
    let kept = |c: &Cost| c.cpu / c.wall <= MOST_CORE && c.memory <= MOST_MEMORY;
    Ok(all.iter().all(kept))
}

fn section(all: &[Cost], seconds: u32, slow: bool) -> String {
    let build = if slow {
        " Both ends were development builds; a release build takes less."
    } else {
        ""
    };
    let mut out = format!(
        "## {TITLE}\n\nWritten by `cargo xtask bench --fleet`. Simulated hosts, each with its own line to \
         one controller, report every second for {seconds} s, {RATE} I/Os a second each with latencies \
         spread over a log-normal law; the controller keeps the run file and makes fio's JSON. Figures are \
         of the controller's process alone, from its start to its end. In each run the totals were exact \
         and no interval was missing.{build}\n\n\
         | hosts | share of a core | processor time a host and second | memory | run file |\n\
         |---|---|---|---|---|\n"
    );
    for cost in all {
        let each = cost.cpu / f64::from(cost.hosts) / f64::from(seconds) * 1e6;
        let _ = writeln!(
            out,
            "| {} | {:.1} % | {each:.0} µs | {:.0} MiB | {:.1} MiB |",
            cost.hosts,
            cost.cpu / cost.wall * 100.0,
            cost.memory,
            cost.file as f64 / f64::from(1 << 20),
        );
    }
    let _ = writeln!(
        out,
        "\nWanted: at most {:.0} % of a core and {MOST_MEMORY:.0} MiB for 1000 hosts.",
        MOST_CORE * 100.0
    );
    out
}

/// One run with this many hosts.
fn once(leadline: &Path, hosts: u32, seconds: u32) -> Result<Cost> {
    let dir = shell::target_dir()
        .join("bench")
        .join(format!("fleet-{hosts}"));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    let dir = dir.canonicalize()?;
    let pipes = (0..hosts).flat_map(|n| [format!("{n}.in"), format!("{n}.out")]);
    let mut make = Command::new("mkfifo");
    make.args(pipes.map(|name| dir.join(name)));
    shell::stdout_of(&mut make)?;
    let relay = dir.join("relay");
    let at = dir.display();
    let script = format!("#!/bin/sh\nexec 3<&0\ncat <&3 >{at}/$1.in &\nexec cat {at}/$1.out\n");
    std::fs::write(&relay, script)?;
    std::fs::set_permissions(&relay, std::fs::Permissions::from_mode(0o755))?;
    let lines: String = (0..hosts)
        .map(|n| format!("h{n} {n} launcher=\"{} {{host}}\"\n", relay.display()))
        .collect();
    std::fs::write(dir.join("hosts"), lines)?;
    let mut agents = Command::new(leadline);
    agents
        .args(["agent", "--sim", &hosts.to_string(), "--fifos"])
        .arg(&dir);
    let agents = Ended(agents.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?);
    let cost = control(leadline, &dir, hosts, seconds);
    drop(agents);
    let cost = cost?;
    let _ = std::fs::remove_dir_all(&dir);
    Ok(cost)
}

/// A process that ends with this.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn control(leadline: &Path, dir: &Path, hosts: u32, seconds: u32) -> Result<Cost> {
    let start = shell::now();
    let child = Command::new(leadline)
        .current_dir(dir)
        .args([
            "fio",
            "--hosts=./hosts",
            "--name=a",
            "--ioengine=sim",
            "--rw=randread",
        ])
        .args([
            "--bs=4k",
            "--sim=size=1g,service=lognormal:200us:0.5,parallel=64",
            "--iodepth=8",
        ])
        .args(["--time_based", "--bwavgtime=1000", "--iopsavgtime=1000"])
        .arg(format!("--rate_iops={RATE}"))
        .arg(format!("--runtime={seconds}"))
        .args([
            "--output-format=json",
            "--leadline-run=run.leadline",
            "--output=out.json",
        ])
        .stdin(Stdio::null())
        .spawn()?;
    let mut child = Ended(child);
    let (mut cpu, mut memory) = (0.0, 0.0);
    let status = loop {
        if let Some(status) = child.0.try_wait()? {
            break status;
        }
        if let Some(seen) = usage(child.0.id()) {
            (cpu, memory) = seen;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    if !status.success() {
        bail!("the controller of {hosts} hosts ended with {status}");
    }
    let wall = start.elapsed().as_secs_f64();
    check(dir, hosts, seconds)?;
    Ok(Cost {
        hosts,
        cpu,
        wall,
        memory,
        file: dir.join("run.leadline").metadata()?.len(),
    })
}

/// Processor time in seconds and largest memory in MiB of a process, without its children.
fn usage(pid: u32) -> Option<(f64, f64)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let words: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    // Ticks of 10 ms on every Linux this runs on.
    let ticks = words.get(11)?.parse::<f64>().ok()? + words.get(12)?.parse::<f64>().ok()?;
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: f64 = peak.split_whitespace().next()?.parse().ok()?;
    Some((ticks / 100.0, kib / 1024.0))
}

/// Every host has done all its I/Os, and every interval is there.
fn check(dir: &Path, hosts: u32, seconds: u32) -> Result<()> {
    let text = std::fs::read_to_string(dir.join("out.json"))?;
    let out: Value = serde_json::from_str(&text).context("the result is not JSON")?;
    // As fio's client reports its servers: one record each, then one of all.
    let jobs = out["client_stats"]
        .as_array()
        .context("the result has no hosts")?;
    let [jobs @ .., all] = jobs.as_slice() else {
        bail!("the result has no record of all hosts");
    };
    let wanted = u64::from(RATE) * u64::from(seconds);
    let each = jobs.iter().map(|job| job["read"]["total_ios"].as_u64());
    let exact = each.clone().filter(|ios| *ios == Some(wanted)).count();
    if exact != hosts as usize || jobs.len() != exact {
        bail!(
            "{exact} of {hosts} hosts did {wanted} I/Os: {:?}",
            each.take(5).collect::<Vec<_>>()
        );
    }
    let sum = wanted * u64::from(hosts);
    if all["read"]["total_ios"].as_u64() != Some(sum) {
        bail!(
            "all hosts together did not do {sum} I/Os: {}",
            all["read"]["total_ios"]
        );
    }
    // As any reader of the run file would see it.
    let mut count = Command::new("sqlite3");
    count
        .arg(dir.join("run.leadline"))
        .arg("SELECT count(*) + (SELECT ifnull(sum(intervals), 0) FROM batches) FROM intervals");
    let rows: u32 = shell::stdout_of(&mut count)?.trim().parse()?;
    let least = hosts * seconds;
    if rows < least {
        bail!("there are {rows} intervals, expected {least}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_replaces_itself_and_survives_the_rest() {
        let cost = Cost {
            hosts: 1000,
            cpu: 6.0,
            wall: 60.0,
            memory: 100.0,
            file: 1 << 20,
        };
        let section = section(&[cost], 60, true);
        assert!(
            section.contains("| 1000 | 10.0 % | 100 µs | 100 MiB | 1.0 MiB |"),
            "{section}"
        );
        let whole = format!("# Benchmarks\n\n## By hand\n\n{section}");
        assert_eq!(
            page::without(&whole, &[TITLE], true),
            "# Benchmarks\n\n## By hand\n\n"
        );
    }

    #[test]
    fn this_process_has_used_something() {
        let (_, memory) = usage(std::process::id()).unwrap();
        assert!(memory > 1.0);
    }
}
