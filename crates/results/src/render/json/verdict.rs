//! The verdict in the JSON form: what set the limit, how sure that is, and what the figures may be used for.

use crate::render::html::grade::Grade;
use crate::run::Run;
use crate::study::series::depth_curves;
use crate::study::{Limit, PointResult, Verdict};
use leadline_model::finding::Finding;
use serde::Serialize;

/// What a run means.
#[derive(Serialize)]
pub(super) struct VerdictView {
    grade: char,
    grade_words: &'static str,
    limit: Option<LimitView>,
    knee_depth: Option<u64>,
    useful_concurrency: Option<f64>,
    sentences: Vec<String>,
}

/// What set the highest rate of the depth curve.
#[derive(Serialize)]
struct LimitView {
    kind: &'static str,
    certainty: &'static str,
    possible: &'static [&'static str],
    iops: f64,
    bytes_per_s: f64,
    /// Names of the stages that show it.
    evidence: Vec<String>,
}

/// The verdict of a run with all of its findings.
pub(super) fn of(run: &Run, findings: &[Finding]) -> VerdictView {
    let points = PointResult::all(run);
    let verdict = Verdict::of(&points, findings);
    let samples = run.stages.iter().flat_map(|stage| &stage.samples);
    let measured = samples
        .into_iter()
        .any(|s| !s.warmup && s.counts.data().ios > 0);
    let grade = Grade::of_measured(findings, measured);
    let curves = depth_curves(&points);
    let limit = curves.first().zip(verdict.limit).map(|(curve, limit)| {
        let best = curve.best();
        LimitView {
            kind: kind(limit),
            certainty: certainty(limit),
            possible: possible(limit),
            iops: best,
            bytes_per_s: best * curve.setting.block as f64,
            evidence: curve.points.iter().map(|p| p.name.clone()).collect(),
        }
    });
    VerdictView {
        grade: grade.letter,
        grade_words: grade.words,
        limit,
        knee_depth: verdict.knee_depth,
        useful_concurrency: verdict.useful_concurrency,
        sentences: verdict.sentences,
    }
}

const fn kind(limit: Limit) -> &'static str {
    match limit {
        Limit::Generator => "generator",
        Limit::Host => "host",
        Limit::Concurrency => "concurrency",
        Limit::Even => "plateau",
        Limit::Target => "target",
    }
}

/// A depth curve alone separates no two causes.
const fn certainty(limit: Limit) -> &'static str {
    match limit {
        Limit::Generator | Limit::Concurrency | Limit::Target => "likely",
        Limit::Host | Limit::Even => "unknown",
    }
}

/// What may have set it.
const fn possible(limit: Limit) -> &'static [&'static str] {
    match limit {
        Limit::Generator | Limit::Host => &["generator"],
        Limit::Concurrency => &["concurrency"],
        Limit::Even => &["iops-cap", "byte-cap", "flow", "slots", "parallelism"],
        Limit::Target => &["parallelism", "path"],
    }
}
