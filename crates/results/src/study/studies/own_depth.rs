//! Rates limited by a study's own depth: all its I/Os are in flight, and none is slower than at depth 1.
//!
//! Belongs here: when that is so, and how it is said. Nothing was saturated there, so neither a law nor a knee nor a limit
//! of the volume follows. Must never: find the latency of few, which each study knows in its own way.

use super::done::Measured;
use crate::summary::Figures;
use crate::words::{about, span, thousands, trim_to};
use leadline_model::finding::{Finding, Severity};

/// A latency of at most this many times that of fewer in flight is no waiting.
const FREE: f64 = 1.2;
/// At least this share of the depth was in flight.
const FULL: f64 = 0.95;
/// What to do.
pub(super) const DEEPER: &str = "A greater depth, or more jobs, would show what the volume can do";

/// Fewer in flight are at most this share of what was in flight at the point that they are compared with.
const FEWER: f64 = 0.6;

/// Fewer in flight, or depth 1: their latency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Few {
    /// How many, on average.
    in_flight: f64,
    /// Mean latency from the submission in nanoseconds.
    pub(super) mean: f64,
}

impl Few {
    /// Of all I/Os of a point, or those of one of its loads.
    pub(super) fn of(figures: &Figures) -> Self {
        Self {
            in_flight: figures.depth_reached,
            mean: figures.data.service.mean(),
        }
    }

    /// Depth 1, with a latency that is known otherwise.
    pub(super) const fn one(mean: f64) -> Self {
        Self {
            in_flight: 1.0,
            mean,
        }
    }

    /// Whether a mean latency is no longer than this.
    pub(super) fn is_as_quick(&self, mean: f64) -> bool {
        mean > 0.0 && mean <= FREE * self.mean
    }

    fn words(&self) -> String {
        match self.in_flight <= 1.05 {
            true => "at depth 1".to_owned(),
            false => format!("with {} in flight", trim_to(self.in_flight, 0)),
        }
    }
}

/// A point of which the study's depth was the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OwnDepth {
    stage: u32,
    /// The most in flight.
    in_flight: u64,
    /// I/Os a second.
    iops: f64,
    /// Mean latency from the submission, in nanoseconds.
    mean: f64,
    few: Few,
}

impl OwnDepth {
    /// Of an unthrottled point.
    pub(super) fn of(point: &Measured, few: Few) -> Option<Self> {
        let summary = &point.summary;
        let is_full = summary.figures.depth_reached >= FULL * summary.depth_asked as f64;
        Self::without_waiting(point, few).filter(|_| is_full)
    }

    /// Of a part of a point that runs as fast as it can and had this rate there: all that may be were in flight.
    pub(super) fn at_rate(point: &Measured, iops: f64, few: Few) -> Option<Self> {
        let in_flight = point.summary.depth_asked;
        let mean = in_flight as f64 / iops.max(1e-9) * 1e9;
        let is_more = few.in_flight <= FEWER * in_flight as f64;
        (is_more && few.is_as_quick(mean)).then_some(Self {
            stage: point.summary.stage,
            in_flight,
            iops,
            mean,
            few,
        })
    }

    /// Of a point that did not do what was asked of it, while those in flight were as quick as fewer: what was missing
    /// waited for a place among them.
    pub(super) fn without_waiting(point: &Measured, few: Few) -> Option<Self> {
        let summary = &point.summary;
        let mean = summary.figures.data.service.mean();
        let is_more = few.in_flight <= FEWER * summary.figures.depth_reached;
        (is_more && few.is_as_quick(mean)).then_some(Self {
            stage: summary.stage,
            in_flight: summary.depth_asked,
            iops: point.iops(),
            mean,
            few,
        })
    }

    /// Its latency compared with that of fewer in flight, in words.
    fn than(&self) -> &'static str {
        let times = self.mean / self.few.mean;
        match times {
            times if times < 0.98 => "less than",
            times if times <= 1.02 => "the same as",
            _ => "hardly more than",
        }
    }

    /// That the depth was the limit, and why: part of a sentence.
    pub(super) fn words(&self) -> String {
        format!("mean {}", self.latency_words())
    }

    /// The same as sentences of its own, with what to do.
    pub(super) fn sentences(&self) -> String {
        format!("Mean {}. {DEEPER}.", self.latency_words())
    }

    fn latency_words(&self) -> String {
        format!(
            "latency with {} in flight was {}, {} {} ({}): the depth of this study was the limit, not the volume",
            thousands(self.in_flight),
            span(self.mean),
            self.than(),
            self.few.words(),
            span(self.few.mean),
        )
    }

    /// The finding on the point.
    pub(super) fn finding(&self) -> Finding {
        Finding {
            code: "under-deep".to_owned(),
            severity: Severity::Warn,
            stage: Some(self.stage),
            workload: None,
            text: format!(
                "With {} in flight, mean latency was {}, {} {} ({}): {} IOPS is the limit of the study's own depth, \
                 not of the volume.",
                thousands(self.in_flight),
                span(self.mean),
                self.than(),
                self.few.words(),
                span(self.few.mean),
                about(self.iops)
            ),
            cure: "Give the study a greater depth or more jobs, until latency rises.".into(),
        }
    }
}
