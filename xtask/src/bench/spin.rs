//! What a core gives to a thread that does nothing but look at the clock: the lag no tool can be below.
//!
//! A host takes its core away now and then, and I/Os that were due meanwhile are late, whatever the
//! tool. `cargo xtask spin --rate_iops=N --runtime=S` shows how late they are with nothing to do at
//! all, in the shape of fio's JSON, so that the bench can run it beside the others. Must never: sleep.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::process::{Child, Command};

/// A process that keeps a core from halting and gives way to everything else, for as long as this lives.
pub(super) struct Awake(Child);

impl Awake {
    /// Starts it.
    pub(super) fn keep(cpu: usize) -> Result<Self> {
        let mut command = Command::new("taskset");
        command.args(["-c", &cpu.to_string(), "chrt", "--idle", "0"]);
        command.args(["sh", "-c", "while :; do :; done"]);
        let child = command
            .spawn()
            .context("taskset and chrt are needed: apt-get install util-linux")?;
        Ok(Self(child))
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        // One that has ended by itself needs no killing.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Spins; other words of a fio command line are ignored.
pub(crate) fn run(words: &[String]) -> Result<bool> {
    let number = |name: &str| {
        let value = words.iter().find_map(|word| word.strip_prefix(name));
        value.and_then(|text| text.parse::<u32>().ok())
    };
    let (Some(rate), Some(seconds)) = (number("--rate_iops="), number("--runtime=")) else {
        bail!("spin needs --rate_iops=N and --runtime=SECONDS");
    };
    let count = u64::from(rate) * u64::from(seconds);
    let lags = lags(count, 1e9 / f64::from(rate));
    println!(
        "{}",
        serde_json::json!({"jobs": [{
            "error": 0,
            "read": {"iops": f64::from(rate), "total_ios": count},
            "lag_ns": {"percentile": {"99.900000": percentile(lags, 0.999)}},
        }]})
    );
    Ok(true)
}

/// How late each of `count` points in time, `step` nanoseconds apart, is noticed, in nanoseconds.
fn lags(count: u64, step: f64) -> Vec<f64> {
    let start = shell::now();
    let mut lags = Vec::new();
    let mut due = 0.0;
    for _ in 0..count {
        let mut now = start.elapsed().as_secs_f64() * 1e9;
        while now < due {
            std::hint::spin_loop();
            now = start.elapsed().as_secs_f64() * 1e9;
        }
        lags.push(now - due);
        due += step;
    }
    lags
}

/// The nearest rank; 0 of nothing.
fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let below = values
        .iter()
        .zip(1_u32..)
        .find(|(_, rank)| f64::from(*rank) >= share * count);
    below.map_or(0.0, |(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_percentile_is_the_nearest_rank() {
        let values: Vec<f64> = (1..=1000).rev().map(f64::from).collect();
        assert!((percentile(values, 0.999) - 999.0).abs() < 1e-9);
        assert!(percentile(Vec::new(), 0.999).abs() < 1e-9);
    }

    #[test]
    fn every_point_in_time_is_noticed_and_none_before_it_comes() {
        let lags = lags(50, 10_000.0);
        assert_eq!(lags.len(), 50);
        assert!(lags.iter().all(|lag| *lag >= 0.0));
    }
}
