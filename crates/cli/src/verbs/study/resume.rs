//! A study that is taken up: the points of a run file that broke off.
//!
//! Belongs here: whether a run is of the same study, and what of it is kept. Must never: measure.

use super::difference::difference;
use crate::exit::Exit;
use crate::kept;
use crate::out;
use crate::verbs::Refusal;
use leadline_engine::run::StoredVolumes;
use leadline_model::plan::study::{Axis, Study};
use leadline_model::plan::{HostSpec, SimTarget, Stage, Target};
use leadline_results::run::Run;
use leadline_results::store;
use leadline_results::study::studies;
use std::path::{Path, PathBuf};

/// An earlier run of a study.
pub(super) struct Earlier {
    /// Its file.
    pub(super) path: PathBuf,
    /// Its stages that have ended, from the first on.
    pub(super) stages: Vec<Stage>,
    /// The state of the system that it was in when it was killed; `None` where it ended, and undid its own.
    pub(super) killed_in: Option<String>,
    /// Simulated volumes as they were after the last of these, as they are stored.
    pub(super) volumes: Option<(String, StoredVolumes)>,
    /// The hosts that took part.
    hosts: Vec<HostSpec>,
    /// What stood in for targets, those too on which nothing was measured yet.
    maps: Vec<String>,
    /// Its command line, without the program's name.
    words: String,
}

impl Earlier {
    /// Refuses other hosts, or other volumes behind the same targets, than those it was measured on: `coming` are the
    /// stages of this study with their targets. What it holds and what follows would be points of different systems.
    pub(super) fn is_of_these(
        &self,
        hosts: &[HostSpec],
        maps: &[String],
        coming: &[Stage],
    ) -> Result<(), Refusal> {
        let mut lines: Vec<String> = Vec::new();
        let [were, are] = [self.hosts.as_slice(), hosts].map(hosts_in_words);
        if were != are {
            lines.push(format!("  --hosts: {were} there, {are} now"));
        }
        if self.maps != maps {
            // A target on which nothing was measured yet would be measured, and written, in another place.
            let [were, are] = [self.maps.as_slice(), maps].map(|maps| match maps {
                [] => "none".to_owned(),
                maps => maps.join(", "),
            });
            lines.push(format!("  --map: {were} there, {are} now"));
        } else if let Some((were, are)) = other_targets(&self.stages, coming) {
            lines.push(format!("  what is measured: {were} there, {are} now"));
        }
        if lines.is_empty() {
            return Ok(());
        }
        let (path, words) = (self.path.display(), &self.words);
        let differs = lines.join("\n");
        let text = format!(
            "error: --resume {path}: it was measured on other hosts or targets:\n{differs}\n  it was: leadline {words}\n  hint: give the \
             same --hosts, --map and other options of targets, or start a new run"
        );
        Err((text, Exit::Usage))
    }
}

/// Hosts with where they are, and where their paths lead.
fn hosts_in_words(hosts: &[HostSpec]) -> String {
    let one = |host: &HostSpec| {
        let HostSpec {
            label,
            address,
            user,
            paths,
            // How it is reached, and not what is measured.
            launcher: _,
        } = host;
        let at = Some(address).filter(|at| !at.is_empty() && *at != label);
        let at = at.map_or_else(String::new, |at| format!(" at {at}"));
        let user = user.as_ref();
        let user = user.map_or_else(String::new, |user| format!(" as {user}"));
        let paths = paths
            .iter()
            .map(|(from, to)| format!(" with {from} at {to}"));
        format!("{label}{at}{user}{}", paths.collect::<String>())
    };
    match hosts {
        [] => "this host alone".to_owned(),
        all => all.iter().map(one).collect::<Vec<_>>().join(", "),
    }
}

/// What earlier stages went to and the same stages go to now, in words, where that differs. Stages that a search chose
/// are not among those that come, and are on volumes that one of these is on.
fn other_targets(earlier: &[Stage], coming: &[Stage]) -> Option<(String, String)> {
    let of = |stage: &Stage| -> Vec<Target> {
        let workloads = stage.workloads.iter();
        workloads.map(|w| w.blocks().target.clone()).collect()
    };
    let volume = |target: &Target| match target {
        Target::Simulated(target) => Some(target.volume.clone()),
        _ => None,
    };
    let all: Vec<Target> = coming.iter().flat_map(of).collect();
    let is_known = |target: &Target| all.iter().any(|own| volume(own) == volume(target));
    let differs = |stage: &Stage| -> Option<(Target, Target)> {
        let were = of(stage);
        let same = coming.iter().find(|own| own.name == stage.name);
        if let Some(are) = same.map(of) {
            let mut pairs = were.into_iter().zip(are);
            return pairs.find(|(was, is)| volume(was) != volume(is));
        }
        let unknown = were.into_iter().find(|target| !is_known(target))?;
        Some((unknown, all.first()?.clone()))
    };
    let (was, is) = earlier.iter().find_map(differs)?;
    Some((in_words_of(&was), in_words_of(&is)))
}

/// A target by what is behind it.
fn in_words_of(target: &Target) -> String {
    let Target::Simulated(target) = target else {
        return "no simulated volume".to_owned();
    };
    let SimTarget {
        volume,
        law,
        // Volumes are compared, and not what of them is used.
        files: _,
        own_files: _,
        size: _,
    } = target.as_ref();
    let mut words = match law.as_str() {
        "" => "a simulated volume".to_owned(),
        law => format!("sim:{}", law.trim_start_matches("sim:")),
    };
    let beside = [
        (volume.fresh, "new for each stage"),
        (volume.local, "one for each host"),
        (!volume.distances.is_empty(), "some hosts farther away"),
    ];
    for (_, what) in beside.iter().filter(|(is_so, _)| *is_so) {
        words.push_str(", ");
        words.push_str(what);
    }
    words
}

/// Reads the run file that is to be taken up, whatever is in it.
pub(super) fn opened(path: &str) -> Result<(PathBuf, Run), Refusal> {
    let path = kept::named(Path::new(path));
    match store::open(&path) {
        Ok(run) => Ok((path, run)),
        Err(error) => Err((format!("error: {error}"), Exit::from(&error))),
    }
}

/// Simulated volumes as they were after the last of these stages; what they are not known after counts as not done, and is
/// taken off.
fn kept_volumes(path: &Path, stages: &mut Vec<Stage>) -> Option<(String, StoredVolumes)> {
    let is_simulated = |stage: &Stage| {
        let mut targets = stage.workloads.iter().map(|w| &w.blocks().target);
        targets.any(|t| matches!(t, Target::Simulated(_)))
    };
    if !stages.iter().any(is_simulated) {
        return None;
    }
    let known = store::volumes(path).ok().flatten();
    let known = known
        .filter(|(last, _)| *last < stages.len())
        .and_then(|(last, text)| {
            let volumes = serde_json::from_str(&text).ok()?;
            Some((last + 1, (text, volumes)))
        });
    stages.truncate(known.as_ref().map_or(0, |(count, _)| *count));
    known.map(|(_, volumes)| volumes)
}

/// Whether a file is all that a run left that was killed before its first point: nothing is in it.
fn is_unbegun(path: &str) -> bool {
    let about = std::fs::metadata(kept::named(Path::new(path)));
    about.is_ok_and(|about| about.is_file() && about.len() == 0)
}

/// The earlier run; `None` where it was killed before it had a plan, so that the study starts from the beginning, which is said.
fn begun(path: &str) -> Result<Option<(PathBuf, Run)>, Refusal> {
    let run = match is_unbegun(path) {
        true => None,
        false => Some(opened(path)?),
    };
    let has_begun =
        |run: &Run| run.plan.is_some() || !run.stages.is_empty() || run.outcome.is_some();
    let run = run.filter(|(_, run)| has_begun(run));
    if run.is_none() {
        out::say(&format!(
            "note: --resume {path}: it was killed before its first point, so the study starts from the beginning"
        ));
    }
    Ok(run)
}

/// The earlier run of this study, which gets its seed; `None` where it had not begun.
pub(super) fn earlier(path: &str, study: &mut Study) -> Result<Option<Earlier>, Refusal> {
    let Some((path, run)) = begun(path)? else {
        return Ok(None);
    };
    let refused = |why: &str| {
        let text = format!("error: --resume {}: {why}", path.display());
        (text, Exit::Usage)
    };
    let plan = run.plan.as_ref().ok_or_else(|| refused("it has no plan"))?;
    let old = plan.study.as_deref().ok_or_else(|| {
        refused("that run is not a study\n  hint: give a run of `leadline study`")
    })?;
    let other_seed = (study.seeded && study.seed != old.seed).then(|| {
        format!(
            "it was made with seed {}, not {}\n  hint: omit --seed: the run's own seed is used",
            old.seed, study.seed
        )
    });
    study.seed = old.seed;
    // Whether it was given decides the offsets too.
    study.seeded = old.seeded;
    let other_study = difference(old, study).map(|differs| {
        let words = plan.source.args.join(" ");
        format!("it belongs to another study:\n{differs}\n  it was: leadline {words}")
    });
    let wrong: Vec<String> = other_study.into_iter().chain(other_seed).collect();
    if !wrong.is_empty() {
        return Err(refused(&wrong.join("\n")));
    }
    // From the loss of a host on, what was measured is not what was asked for.
    let losses = run.hosts.iter().filter_map(|news| run.lost_from(news.host));
    let lost = losses.min().unwrap_or(u32::MAX);
    let ended = run
        .stages
        .iter()
        .take_while(|stage| stage.end.is_some() && stage.stage < lost)
        // Half of a point is no point.
        .take_while(|stage| !studies::was_interrupted(stage))
        .count();
    let killed_in = match run.outcome {
        Some(_) => None,
        None => plan.stages.last().and_then(|last| {
            let point = last.point.as_ref()?;
            point.at.get(&Axis::Arm)?.text().map(str::to_owned)
        }),
    };
    let mut stages = plan.stages.clone();
    stages.truncate(ended);
    let volumes = kept_volumes(&path, &mut stages);
    Ok(Some(Earlier {
        path,
        stages,
        killed_in,
        volumes,
        hosts: plan.hosts.clone(),
        maps: old.scope.maps.clone(),
        words: plan.source.args.join(" "),
    }))
}
