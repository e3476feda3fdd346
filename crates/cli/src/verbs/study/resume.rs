//! A study that is taken up: the points of a run file that broke off.
//!
//! Belongs here: whether a run is of the same study, and what of it is kept. Must never: measure.

use crate::exit::Exit;
use crate::kept;
use crate::verbs::Refusal;
use leadline_engine::run::StoredVolumes;
use leadline_model::plan::study::{Axis, Study};
use leadline_model::plan::{HostSpec, Stage, Target};
use leadline_model::units::{Bytes, Nanos};
use leadline_results::run::Run;
use leadline_results::store;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
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
            "error: --resume {path}: it was measured on something else:\n{differs}\n  it was: leadline {words}\n  hint: give the \
             same --hosts, --map and other options of targets, or begin anew"
        );
        Err((text, Exit::Usage))
    }
}

/// Hosts with where they are, and where their paths lead.
fn hosts_in_words(hosts: &[HostSpec]) -> String {
    let one = |host: &HostSpec| {
        let at = Some(&host.address).filter(|at| !at.is_empty() && **at != host.label);
        let at = at.map_or_else(String::new, |at| format!(" at {at}"));
        let user = host.user.as_ref();
        let user = user.map_or_else(String::new, |user| format!(" as {user}"));
        let paths = host
            .paths
            .iter()
            .map(|(from, to)| format!(" with {from} at {to}"));
        format!("{}{at}{user}{}", host.label, paths.collect::<String>())
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
    let mut words = match target.law.as_str() {
        "" => "a simulated volume".to_owned(),
        law => format!("sim:{}", law.trim_start_matches("sim:")),
    };
    let volume = &target.volume;
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

/// The earlier run of this study, which gets its seed.
pub(super) fn earlier(path: &str, study: &mut Study) -> Result<Earlier, Refusal> {
    let (path, run) = opened(path)?;
    let refused = |why: &str| {
        let text = format!("error: --resume {}: {why}", path.display());
        (text, Exit::Usage)
    };
    let plan = run.plan.as_ref().ok_or_else(|| refused("it has no plan"))?;
    let old = plan
        .study
        .as_deref()
        .ok_or_else(|| refused("it is no study"))?;
    let other_seed = (study.seeded && study.seed != old.seed).then(|| {
        format!(
            "it was made with the seed {}, not {}\n  hint: leave --seed out, its own is used",
            old.seed, study.seed
        )
    });
    study.seed = old.seed;
    // Whether it was given decides the offsets too.
    study.seeded = old.seeded;
    let other_study = difference(old, study).map(|differs| {
        let words = plan.source.args.join(" ");
        format!("it is of another study:\n{differs}\n  it was: leadline {words}")
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
        killed_in,
        volumes,
        hosts: plan.hosts.clone(),
        maps: old.scope.maps.clone(),
        words: plan.source.args.join(" "),
    })
}

/// The place of the study's name.
const QUESTION: &str = "question";

/// That of the names of its arms, and the beginning of those of their commands.
const ARMS: &str = "arms";

/// The places of settings that are options of many studies.
const LISTS: &str = "lists";
const TIMES: &str = "times";

/// Settings that differ beyond these are counted.
const MOST_DIFFERENCES: usize = 8;

/// Where two studies differ: a line for each setting that does.
fn difference(old: &Study, new: &Study) -> Option<String> {
    let (old, new) = (settings(old), settings(new));
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let same_arms = old.get(ARMS) == new.get(ARMS);
    let mut differ: Vec<&String> = keys
        .into_iter()
        .filter(|key| old.get(*key) != new.get(*key))
        // Of an arm that only one has, the name says enough.
        .filter(|key| same_arms || *key == ARMS || !key.starts_with(ARMS))
        .collect();
    // Another study has other settings because it is another.
    differ.sort_by_key(|key| *key != QUESTION);
    let mut lines: Vec<String> = differ
        .into_iter()
        .map(|key| {
            let [was, is] = [&old, &new].map(|all| shown(key, all.get(key)));
            format!("  {}: {was} there, {is} now", in_words(key))
        })
        .collect();
    let more = lines.len().saturating_sub(MOST_DIFFERENCES);
    lines.truncate(MOST_DIFFERENCES);
    if more > 0 {
        lines.push(format!("  and {more} more"));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The place of a setting as its option is called.
fn in_words(place: &str) -> String {
    let parts: Vec<&str> = place.split(", ").collect();
    match parts.as_slice() {
        ["scope", "place", ..] => "target".to_owned(),
        [QUESTION] => "study".to_owned(),
        ["repeats"] => "--repeat".to_owned(),
        [ARMS] => "--arm".to_owned(),
        [ARMS, name, "place", ..] => format!("--target of {name}"),
        [ARMS, name, command] => format!("--{command} of {name}"),
        ["scope", "direct"] => "--buffered".to_owned(),
        ["scope", "server_cache", ..] => "--server-cache".to_owned(),
        [LISTS, "blocks"] => "--bs".to_owned(),
        [LISTS, "reads"] => "--rw, in percent of reads".to_owned(),
        [LISTS, "random"] => "--order".to_owned(),
        [TIMES, "narrow"] => "--until-interval, in parts per million".to_owned(),
        [LISTS | TIMES, own] => format!("--{own}"),
        ["scope", own @ ("dataset" | "files" | "engine")] => format!("--{own}"),
        // Of a question its kind is known, of lists and times not what they are of.
        [QUESTION, _, own @ ..] | ["scope", own @ ..] if !own.is_empty() => own.join(", "),
        _ => place.to_owned(),
    }
    .replace('_', "-")
}

/// A value as an option has it, as far as that is one of numbers or times.
fn shown(place: &str, value: Option<&Value>) -> String {
    let is = |end: &str| place.ends_with(end);
    let one = |value: &Value| match value {
        Value::Bool(random) if is("random") => {
            ["sequential", "random"][usize::from(*random)].into()
        }
        // The option says the opposite of what is stored.
        Value::Bool(direct) if is("direct") => ["given", "not given"][usize::from(*direct)].into(),
        Value::String(text) if is("server_cache") => match text.as_str() {
            "unknown" => "not given".to_owned(),
            "absent" => "none".to_owned(),
            "read-only" => "ro".to_owned(),
            other => other.to_owned(),
        },
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(n) if place.starts_with(TIMES) && !is("narrow") => n
            .as_u64()
            .map_or_else(|| n.to_string(), |n| Nanos(n).to_string()),
        Value::Number(n) if is("blocks") || is("dataset") || place.contains("server_cache") => n
            .as_u64()
            .map_or_else(|| n.to_string(), |n| Bytes(n).to_string()),
        other => other.to_string(),
    };
    match value {
        None => "none".to_owned(),
        Some(Value::Array(all)) if all.is_empty() => "none".to_owned(),
        Some(Value::Array(all)) => all.iter().map(one).collect::<Vec<_>>().join(","),
        Some(value) => one(value),
    }
}

/// All settings of a study by their place in it, as they are stored.
fn settings(study: &Study) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    let parts = [
        (QUESTION, serde_json::to_value(&study.question)),
        ("scope", serde_json::to_value(&study.scope)),
        (LISTS, serde_json::to_value(&study.axes)),
        (TIMES, serde_json::to_value(study.timing)),
        ("repeats", serde_json::to_value(study.repeats)),
    ];
    for (name, part) in parts {
        flatten(name, part.unwrap_or_default(), &mut all);
    }
    // With hosts, these are what it is measured on.
    all.remove("scope, maps");
    let names = study.arms.iter().map(|arm| arm.name.clone());
    all.insert(ARMS.to_owned(), names.collect());
    for arm in &study.arms {
        let place = format!("{ARMS}, {}", arm.name);
        flatten(
            &place,
            serde_json::to_value(arm).unwrap_or_default(),
            &mut all,
        );
    }
    all
}

fn flatten(place: &str, value: Value, all: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(parts) => {
            for (key, part) in parts {
                flatten(&format!("{place}, {key}"), part, all);
            }
        }
        other => {
            all.insert(place.to_owned(), other);
        }
    }
}
