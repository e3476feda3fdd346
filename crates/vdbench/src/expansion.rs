//! The lines that `-s` prints: the runs in order, and their time.
//!
//! Belongs here: text that users' scripts read. Must never appear here: how runs come about.

use crate::number::whole;
use crate::original::StageOriginal;
use crate::run::SUPPOSED;
use leadline_model::plan::{Plan, Stage, StageRate};

/// The runs as `-s` lists them, and a line with their number and time. The format run is not listed.
#[must_use]
pub fn expansion_lines(plan: &Plan) -> Vec<String> {
    let runs = plan.stages.iter().filter(|s| s.name != "SD_format");
    let mut lines = Vec::new();
    let mut seconds: u64 = 0;
    for stage in runs {
        let original = StageOriginal::of(stage);
        let (elapsed, warmup) = (original.elapsed.unwrap_or(0), original.warmup);
        seconds = seconds.saturating_add(elapsed).saturating_add(warmup);
        let warm = if warmup > 0 {
            format!(" warmup={warmup}")
        } else {
            String::new()
        };
        lines.push(format!(
            "Simulating RD={}; I/O rate: {}; elapsed={elapsed}{warm}; For loops: {}",
            stage.name,
            rate(stage, &original),
            original.loops()
        ));
    }
    lines.push(format!(
        "Total amount of Run Definitions: {}; total elapsed time {seconds} seconds, or {:.4} hours, plus a format if requested.",
        lines.len(),
        seconds as f64 / 3600.0
    ));
    lines
}

/// The rate as it is listed: a list shows its first rate for each of its steps.
fn rate(stage: &Stage, original: &StageOriginal) -> String {
    let part = |percent: u32| whole(SUPPOSED * f64::from(percent) / 100.0).to_string();
    if let Some(listed) = &original.listed {
        return listed.clone();
    }
    match stage.asked {
        StageRate::PercentOfMax { percent, .. } | StageRate::PercentOfPrevious(percent) => {
            part(percent)
        }
        StageRate::PerWorkload | StageRate::MaxForCurve => original.rate_line(stage),
    }
}
