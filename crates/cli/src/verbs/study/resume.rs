//! A study that is taken up: the points of a run file that broke off.
//!
//! Belongs here: whether a run is of the same study, and what of it is kept. Must never: measure.

use crate::exit::Exit;
use crate::kept;
use crate::verbs::Refusal;
use leadline_model::plan::study::Study;
use leadline_model::plan::{Stage, Target};
use leadline_results::store;
use std::path::{Path, PathBuf};

/// An earlier run of a study.
pub(super) struct Earlier {
    /// Its file.
    pub(super) path: PathBuf,
    /// Its stages that have ended, from the first on.
    pub(super) stages: Vec<Stage>,
}

/// The earlier run of this study, which gets its seed.
pub(super) fn earlier(path: &str, study: &mut Study) -> Result<Earlier, Refusal> {
    let path = kept::named(Path::new(path));
    let run =
        store::open(&path).map_err(|error| (format!("error: {error}"), Exit::from(&error)))?;
    let refused = |why: &str| {
        let text = format!("error: --resume {}: {why}", path.display());
        (text, Exit::Usage)
    };
    let plan = run.plan.as_ref().ok_or_else(|| refused("it has no plan"))?;
    let old = plan
        .study
        .as_deref()
        .ok_or_else(|| refused("it is no study"))?;
    study.seed = old.seed;
    if let Some(differs) = difference(old, study) {
        return Err(refused(&format!("it is of another study:\n{differs}")));
    }
    let ended = run
        .stages
        .iter()
        .take_while(|stage| stage.end.is_some())
        .count();
    let mut stages = plan.stages.clone();
    stages.truncate(ended);
    let is_simulated = |stage: &Stage| {
        let targets = stage.workloads.iter().map(|w| &w.blocks().target);
        targets
            .into_iter()
            .any(|t| matches!(t, Target::Simulated(_)))
    };
    if stages.iter().any(is_simulated) {
        // A simulated volume is brought back to where it was by what was done to it, in no time.
        stages.clear();
    }
    Ok(Earlier { path, stages })
}

/// Where two studies differ, a line for each of their parts that does.
fn difference(old: &Study, new: &Study) -> Option<String> {
    let parts = |study: &Study| {
        [
            ("question", format!("{:?}", study.question)),
            ("ground", format!("{:?}", study.ground)),
            ("varied", format!("{:?}", study.axes)),
            ("times", format!("{:?}", study.timing)),
            ("repeats", study.repeats.to_string()),
            ("arms", format!("{:?}", study.arms)),
        ]
    };
    let pairs = parts(old).into_iter().zip(parts(new));
    let differ = pairs.filter(|(old, new)| old != new);
    let lines: Vec<String> = differ
        .map(|((name, old), (_, new))| format!("  {name}: {old}\n    now: {new}"))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
