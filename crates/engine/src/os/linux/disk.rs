//! What the block devices under the targets did during a stage: differences of the kernel's counters.
//! Read at the start and the end of a stage, never in between.

use super::{device, mount};
use leadline_model::event::DiskUse;
use leadline_model::units::Nanos;
use std::path::PathBuf;

/// The counters of the devices under some paths, as they were at one moment.
#[derive(Clone, Debug, Default)]
pub struct DiskMeter {
    before: Vec<DiskUse>,
}

impl DiskMeter {
    /// Reads the counters of the devices under `paths`: the whole disk of a partition, and the devices
    /// a volume is stacked on as entries of their own. Paths without a device add nothing.
    #[must_use]
    pub fn start(paths: &[PathBuf]) -> Self {
        let mounts = mount::table();
        let mut names: Vec<String> = Vec::new();
        for path in paths {
            for device in device::stack(path, &mounts) {
                if !names.contains(&device.name) {
                    names.push(device.name);
                }
            }
        }
        if names.is_empty() {
            return Self::default();
        }
        let table = read();
        Self {
            before: names.iter().filter_map(|n| counters(&table, n)).collect(),
        }
    }

    /// What the devices did since the start; `span` is the time that has passed.
    #[must_use]
    pub fn finish(&self, span: Nanos) -> Vec<DiskUse> {
        if self.before.is_empty() {
            return Vec::new();
        }
        let table = read();
        self.before
            .iter()
            .filter_map(|old| {
                let new = counters(&table, &old.name)?;
                Some(difference(old, new, span.as_millis()))
            })
            .collect()
    }
}

fn read() -> String {
    std::fs::read_to_string("/proc/diskstats").unwrap_or_default()
}

/// The counters of one device from the text of /proc/diskstats.
fn counters(table: &str, name: &str) -> Option<DiskUse> {
    let line = table
        .lines()
        .find(|l| l.split_whitespace().nth(2) == Some(name))?;
    let n: Vec<u64> = line
        .split_whitespace()
        .skip(3)
        .map_while(|f| f.parse().ok())
        .collect();
    let &[r, rm, rs, rt, w, wm, ws, wt, _in_flight, busy, queue, ..] = n.as_slice() else {
        return None;
    };
    Some(DiskUse {
        host: 0,
        name: name.to_owned(),
        ios: [r, w],
        merges: [rm, wm],
        sectors: [rs, ws],
        ticks_ms: [rt, wt],
        busy_ms: busy,
        queue_ms: queue,
        span_ms: 0,
    })
}

/// Counters are of the width of the kernel's words and the times of 32 bits: they may wrap.
fn difference(old: &DiskUse, new: DiskUse, span_ms: u64) -> DiskUse {
    let pair = |a: [u64; 2], b: [u64; 2]| [b[0].wrapping_sub(a[0]), b[1].wrapping_sub(a[1])];
    let time = |a: u64, b: u64| {
        if b >= a {
            b - a
        } else {
            (b + (1 << 32)).saturating_sub(a)
        }
    };
    DiskUse {
        host: new.host,
        ios: pair(old.ios, new.ios),
        merges: pair(old.merges, new.merges),
        sectors: pair(old.sectors, new.sectors),
        ticks_ms: [
            time(old.ticks_ms[0], new.ticks_ms[0]),
            time(old.ticks_ms[1], new.ticks_ms[1]),
        ],
        busy_ms: time(old.busy_ms, new.busy_ms),
        queue_ms: time(old.queue_ms, new.queue_ms),
        span_ms,
        name: new.name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const BEFORE: &str = " 254 0 vda 10 1 80 5 20 2 160 4294967290 0 7 12 1 0 8 0\n \
                          254 1 vda1 1 1 1 1 1 1 1 1 1 1 1\n";
    const AFTER: &str = " 254 0 vda 110 1 880 55 25 3 200 4 3 57 112 1 0 8 0\n";

    #[test]
    fn differences_are_exact_and_times_may_wrap() {
        let old = counters(BEFORE, "vda").unwrap();
        let new = counters(AFTER, "vda").unwrap();
        let d = difference(&old, new, 1000);
        assert_eq!(d.ios, [100, 5]);
        assert_eq!(d.merges, [0, 1]);
        assert_eq!(d.sectors, [800, 40]);
        assert_eq!(d.ticks_ms, [50, 10]);
        assert_eq!((d.busy_ms, d.queue_ms, d.span_ms), (50, 100, 1000));
        assert!(counters(BEFORE, "sda").is_none());
        assert!(counters("1 2 x 3 4\n", "x").is_none());
    }

    #[test]
    fn writing_shows_on_the_device_below() {
        let dir = tempfile::tempdir().unwrap();
        let meter = DiskMeter::start(&[dir.path().to_path_buf()]);
        if meter.before.is_empty() {
            leadline_testkit::skip(
                "engine::os::disk_counters",
                "the temporary directory is on no block device",
            );
            return;
        }
        let mut file = std::fs::File::create(dir.path().join("f")).unwrap();
        file.write_all(&vec![1; 4 << 20]).unwrap();
        file.sync_all().unwrap();
        let used = meter.finish(Nanos::SECOND);
        assert!(used[0].sectors[1] >= 8192, "{used:?}");
        assert_eq!(used[0].span_ms, 1000);
    }
}
