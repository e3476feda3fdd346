//! Options that are supported at some of their values only: the others are refused by name.

use super::Lowering;

const FLAGS: [(&str, &str); 8] = [
    ("file_append", "appending is not supported yet"),
    ("end_syncfs", "syncfs is not supported yet; use end_fsync"),
    ("fdp", "data placement directives are not supported yet"),
    (
        "verify_state_load",
        "verification of data is not supported yet",
    ),
    (
        "allow_mounted_write",
        "name the device with --destroy instead",
    ),
    ("write_barrier", "barriers are not supported; use fdatasync"),
    (
        "thinkcycles",
        "burning cycles is not supported; use thinktime_spin",
    ),
    (
        "trim_percentage",
        "verification of data is not supported yet",
    ),
];
const WORDS: [(&str, &[&str], &str); 7] = [
    (
        "verify",
        &["0"],
        "verification of data is not supported yet",
    ),
    (
        "lockfile",
        &["none"],
        "locks around each I/O are not supported yet",
    ),
    (
        "write_hint",
        &["none"],
        "lifetime hints are not supported yet",
    ),
    ("zonemode", &["none"], "zones are not supported yet"),
    (
        "dataplacement",
        &["none"],
        "data placement directives are not supported yet",
    ),
    (
        "dedupe_mode",
        &["repeat"],
        "a working set of duplicates is not supported yet",
    ),
    (
        "fadvise_hint",
        &["0", "1", "random", "sequential"],
        "this advice is not supported yet",
    ),
];
const NUMBERS: [(&str, i64, &str); 2] = [
    ("num_range", 1, "trims of several ranges are not supported"),
    (
        "hipri_percentage",
        100,
        "polling for a share of the I/Os is not supported; use hipri",
    ),
];

impl Lowering<'_> {
    /// Refuses the values that are not supported.
    pub(super) fn unsupported_values(&mut self) {
        for (name, reason) in FLAGS {
            if self.job.flag(name) || self.job.number(name) > 0 {
                let value = self.written(name);
                self.refuse(name, &value, reason);
            }
        }
        for (name, allowed, reason) in WORDS {
            let word = self.job.word(name);
            if !allowed.contains(&word) {
                self.refuse(name, word, reason);
            }
        }
        for (name, allowed, reason) in NUMBERS {
            if self.job.number(name) != allowed {
                let value = self.written(name);
                self.refuse(name, &value, reason);
            }
        }
        if !self.job.flag("stats") {
            self.refuse("stats", "0", "every job is part of the output");
        }
    }

    fn written(&self, name: &str) -> String {
        let text = self.job.list(name).map(|t| t.as_str().to_owned());
        text.filter(|t| !t.is_empty()).unwrap_or("1".into())
    }
}
