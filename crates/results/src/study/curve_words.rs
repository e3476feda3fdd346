//! What response curves say, in words.
//!
//! Belongs here: sentences. Must never: compute a figure of a curve.

use super::response::ResponseCurve;
use crate::words::{about, in_flight_within, iops_within};
use std::collections::BTreeSet;

/// What N* is called where it was said what that is, and where it was not.
const ALONE: &str = "N*";
const INTRODUCED: &str = "N* (useful concurrency)";

impl ResponseCurve {
    /// What each of several curves says; the first that has N* says what else it is called.
    #[must_use]
    pub fn sentences(curves: &[Self]) -> Vec<String> {
        let mut is_said = false;
        let each = curves.iter().map(|curve| {
            let name = if is_said { ALONE } else { INTRODUCED };
            is_said |= curve.useful_concurrency().is_some();
            curve.words(&curve.label(), name)
        });
        each.collect()
    }

    /// N* in words under this name, with its interval where both of its factors have one.
    fn useful_words(&self, name: &str) -> Option<String> {
        let n = self.useful_within()?;
        Some(format!("{name} = {}", in_flight_within(&n)))
    }

    /// What the curve says, in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        self.sentence_as(&self.label())
    }

    /// What the curve says, in a sentence that calls it by this name.
    #[must_use]
    pub fn sentence_as(&self, name: &str) -> String {
        self.words(name, ALONE)
    }

    fn words(&self, name: &str, useful: &str) -> String {
        if let Some(why) = &self.withheld {
            return format!("{name}: {why}");
        }
        // A point that is named twice has its latencies once.
        let mut named = BTreeSet::new();
        let mut at = |place: usize| {
            let data = &self.points[place].figures.data;
            match named.insert(place) {
                true => format!(
                    "{} ({})",
                    iops_within(&data.iops_known()),
                    data.latency_words()
                ),
                false => format!("{} IOPS", about(data.iops)),
            }
        };
        let largest = self.largest_point();
        let largest = largest.map(|p| iops_within(&p.figures.data.iops_known()));
        let mut parts = vec![format!("{name}: up to {}", largest.unwrap_or_default())];
        parts.extend(
            self.knee()
                .map(|k| format!("mean latency rises sharply from {}", at(k))),
        );
        parts.extend(
            self.within_twice()
                .map(|k| format!("at most twice the lowest mean latency up to {}", at(k))),
        );
        parts.extend(
            self.power()
                .map(|k| format!("best ratio of rate to mean latency at {}", at(k))),
        );
        parts.extend(self.useful_words(useful));
        if self.failed > 0 {
            let all = self.points.iter().chain(&self.most).count();
            parts.push(format!(
                "a check failed on {} of these {all} points, so nothing is concluded from them",
                self.failed
            ));
        }
        let said = format!("{}.", parts.join("; "));
        match &self.against {
            Some(against) => format!("{said} {against}"),
            None => said,
        }
    }
}
