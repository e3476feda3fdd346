//! Counting: what cargo test reports, what tests report as skipped, and the one line at the end.
//!
//! Pure: text in, numbers out.

use std::collections::BTreeMap;

/// Counts of one or more steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Tests and steps that ran and were fine.
    pub(super) passed: usize,
    /// Tests and steps that ran and were not.
    pub(super) failed: usize,
    /// What did not run, by name, with the reason.
    pub(super) skipped: BTreeMap<String, String>,
    /// The names of what failed, for the end of the report.
    pub(super) failures: Vec<String>,
}

impl Tally {
    /// Adds another tally to this one.
    pub(super) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped.extend(other.skipped);
        self.failures.extend(other.failures);
    }

    /// One step that either passed or failed.
    pub(super) fn step(name: &str, passed: bool) -> Self {
        let mut tally = Self::default();
        if passed {
            tally.passed = 1;
        } else {
            tally.failed = 1;
            tally.failures.push(name.to_owned());
        }
        tally
    }

    /// One step that did not run.
    pub(super) fn skipped_step(name: &str, reason: String) -> Self {
        Self {
            skipped: BTreeMap::from([(name.to_owned(), reason)]),
            ..Self::default()
        }
    }

    /// The last line of the report.
    pub(super) fn summary(&self) -> String {
        format!(
            "{} passed, {} failed, {} skipped",
            self.passed,
            self.failed,
            self.skipped.len()
        )
    }
}

/// Reads the stdout of `cargo test` and the skip log its tests wrote.
///
/// A test that skips itself returns early and cargo counts it as passed, so each is moved from
/// `passed` to `skipped` here. `succeeded` is cargo's exit status: a crate that does not compile and a
/// test program that crashes leave no count and must not pass for that.
pub(super) fn of_cargo_test(stdout: &str, skip_log: &str, succeeded: bool) -> Tally {
    let mut tally = Tally::default();
    for line in stdout.lines() {
        if let Some(counts) = line.trim().strip_prefix("test result: ") {
            tally.passed += count(counts, "passed");
            tally.failed += count(counts, "failed");
        } else if let Some(test) = line.trim().strip_prefix("test ") {
            verdict(test, &mut tally);
        }
    }
    let own = skips(skip_log);
    tally.passed = tally.passed.saturating_sub(own.len());
    tally.skipped.extend(own);
    if !succeeded && tally.failed == 0 {
        tally.add(Tally::step(
            "cargo test (did not build, or a test program crashed or hung)",
            false,
        ));
    }
    tally
}

/// Takes the name of a failed or ignored test from `NAME ... VERDICT`.
fn verdict(test: &str, tally: &mut Tally) {
    let Some((name, verdict)) = test.rsplit_once(" ... ") else {
        return;
    };
    if verdict == "FAILED" {
        tally.failures.push(name.to_owned());
    } else if let Some(reason) = verdict.strip_prefix("ignored") {
        let reason = reason.trim_start_matches([',', ' ']);
        let reason = if reason.is_empty() {
            "ignored without a reason"
        } else {
            reason
        };
        tally.skipped.insert(name.to_owned(), reason.to_owned());
    }
}

/// The number before `word` in `ok. 5 passed; 0 failed; ...`.
fn count(counts: &str, word: &str) -> usize {
    counts
        .split([';', '.'])
        .find_map(|part| part.trim().strip_suffix(word)?.trim().parse().ok())
        .unwrap_or(0)
}

/// Reads `NAME: REASON` lines; with or without the `skipped: ` that tests print. A test with several reasons is one
/// skip and keeps them all.
fn skips(log: &str) -> BTreeMap<String, String> {
    let mut reasons = BTreeMap::<String, Vec<&str>>::new();
    for line in log.lines() {
        let line = line.strip_prefix("skipped: ").unwrap_or(line);
        if let Some((name, reason)) = line.split_once(": ") {
            let reasons = reasons.entry(name.trim().to_owned()).or_default();
            if !reasons.contains(&reason.trim()) {
                reasons.push(reason.trim());
            }
        }
    }
    let all = reasons.into_iter();
    all.map(|(name, reasons)| (name, reasons.join("; ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_PROGRAMS: &str = "\
running 3 tests
test a::fine ... ok
test a::later ... ignored, needs a moon
test a::broken ... FAILED

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

running 2 tests
test b::fine ... ok
test b::mounts ... ok

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s
";

    #[test]
    fn results_of_several_programs_are_summed() {
        let tally = of_cargo_test(TWO_PROGRAMS, "", false);
        assert_eq!(tally.summary(), "3 passed, 1 failed, 1 skipped");
        assert_eq!(tally.failures, ["a::broken"]);
        assert_eq!(tally.skipped["a::later"], "needs a moon");
    }

    #[test]
    fn a_test_that_skipped_itself_is_not_counted_as_passed() {
        let log = "skipped: b::mounts: no /dev/fuse: denied\nb::mounts: no /dev/fuse: denied\n";
        let tally = of_cargo_test(TWO_PROGRAMS, log, false);
        assert_eq!(tally.summary(), "2 passed, 1 failed, 2 skipped");
        assert_eq!(tally.skipped["b::mounts"], "no /dev/fuse: denied");
    }

    #[test]
    fn a_test_with_several_reasons_is_one_skip_with_all_of_them() {
        let log = "b::mounts: no mkfs.xfs; no mkfs.f2fs\nb::mounts: no root\nb::mounts: no root\n";
        let tally = of_cargo_test(TWO_PROGRAMS, log, false);
        assert_eq!(tally.summary(), "2 passed, 1 failed, 2 skipped");
        let reasons = "no mkfs.xfs; no mkfs.f2fs; no root";
        assert_eq!(tally.skipped["b::mounts"], reasons);
    }

    #[test]
    fn a_failure_without_a_count_is_still_a_failure() {
        let tally = of_cargo_test("", "", false);
        assert_eq!(tally.summary(), "0 passed, 1 failed, 0 skipped");
    }

    #[test]
    fn steps_add_up() {
        let mut tally = Tally::step("fmt", true);
        tally.add(Tally::step("clippy", false));
        tally.add(Tally::skipped_step(
            "cargo-deny",
            "not installed".to_owned(),
        ));
        assert_eq!(tally.summary(), "1 passed, 1 failed, 1 skipped");
        assert_eq!(tally.failures, ["clippy"]);
    }
}
