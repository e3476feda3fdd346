//! A study that is taken up: the points of a run file that broke off.
//!
//! Belongs here: whether a run is of the same study, and what of it is kept. Must never: measure.

use crate::exit::Exit;
use crate::kept;
use crate::verbs::Refusal;
use leadline_engine::run::StoredVolumes;
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
    /// Simulated volumes as they were after the last of these, as they are stored.
    pub(super) volumes: Option<(String, StoredVolumes)>,
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
    let mut volumes = None;
    if stages.iter().any(is_simulated) {
        // Only what the volumes are known after counts as done; all of it is done again where they are not.
        let known = store::volumes(&path).ok().flatten();
        let known = known
            .filter(|(last, _)| *last < ended)
            .and_then(|(last, text)| {
                let volumes = serde_json::from_str(&text).ok()?;
                Some((last + 1, (text, volumes)))
            });
        stages.truncate(known.as_ref().map_or(0, |(count, _)| *count));
        volumes = known.map(|(_, volumes)| volumes);
    }
    Ok(Earlier {
        path,
        stages,
        volumes,
    })
}

/// Where two studies differ, a line for each of their parts that does.
fn difference(old: &Study, new: &Study) -> Option<String> {
    let parts = |study: &Study| {
        [
            ("question", format!("{:?}", study.question)),
            ("scope", format!("{:?}", study.scope)),
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
