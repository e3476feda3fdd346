//! From runs to the plan: stages, and the workloads of each.
//!
//! Belongs here: what Vdbench's definitions mean in leadline's nouns. Must never appear here: text.

mod format;
mod pace;
mod region;
mod threads;
mod workload;

use super::definition::File;
use super::objects::{Host, Storage};
use super::run::{Rate, Run};
use super::runs::compressed;
use super::switches::{Command, StageCommands};
use super::table::row;
use super::value::{ErrorSpec, Seek};
use crate::number::whole;
use crate::original::{AskedRate, StageOriginal};
use leadline_dialect::diagnostic::Diagnostic;
use leadline_model::plan::{
    EngineKind, HostSet, Mount, Original, Series, ServerCache, ShareSource, Stage, StageRate, Until,
};
use leadline_model::units::Nanos;

/// What stands for the whole file.
pub(crate) struct Scene<'a> {
    pub(crate) hosts: &'a [Host],
    pub(crate) storage: &'a [Storage],
    /// Workloads name their host: there are several.
    pub(crate) spread: bool,
    pub(crate) concatenated: bool,
    /// Share of the data that compresses away, in percent.
    pub(crate) compress: f64,
    /// Ratio of reduction by duplicates; 1 = none.
    pub(crate) dedup: f64,
    /// What failed I/Os lead to.
    pub(crate) errors: ErrorSpec,
    /// The file that writes take their data from.
    pub(crate) pattern: Option<String>,
    pub(crate) format: Option<bool>,
    pub(crate) format_size: u64,
    /// By storage: the kernel does its I/O within the call alone. Known of this machine.
    inside_call: Vec<bool>,
    /// Nothing will run: what only fails when it runs is no error.
    pub(crate) simulate: bool,
    /// The file defines several workloads, used or not: each that is used has its own page, as in Vdbench.
    pub(crate) several: bool,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(
        file: &File,
        hosts: &'a [Host],
        storage: &'a [Storage],
        simulate: bool,
    ) -> Self {
        let general = &file.general;
        let ratio = general.given(&row::general::COMPRATIO).map(compressed);
        let old = general.given(&row::general::COMPRESSION);
        let old = old.filter(|n| *n > 0.0).map(|n| 100.0 - n.min(100.0));
        Self {
            hosts,
            storage,
            spread: spread(hosts),
            concatenated: general.effective(&row::general::CONCATENATESDS),
            compress: ratio.or(old).unwrap_or(0.0),
            dedup: general.effective(&row::general::DEDUPRATIO),
            errors: general.effective(&row::general::DATA_ERRORS),
            pattern: general.given(&row::general::PATTERN),
            format: general.given(&row::general::FORMATSDS),
            simulate,
            inside_call: vec![false; storage.len()],
            several: file.workloads.len() > 1,
            format_size: general.effective(&row::general::FORMATXFERSIZE),
        }
    }
}

impl Scene<'_> {
    /// With what this machine says of its storage; of that of other hosts nothing is known.
    pub(crate) fn asked_of(mut self, system: &dyn leadline_dialect::host::Host) -> Self {
        if !self.spread {
            let inside = |s: &Storage| s.luns.iter().any(|(_, lun)| system.only_inside_call(lun));
            self.inside_call = self.storage.iter().map(inside).collect();
        }
        self
    }

    /// The hosts that run what is for this one.
    fn hosts_of(&self, host: usize) -> HostSet {
        match u32::try_from(host) {
            Ok(host) if self.spread => HostSet::one(host),
            _ => HostSet::ALL,
        }
    }
}

/// Whether more than this machine alone takes part.
pub(crate) fn spread(hosts: &[Host]) -> bool {
    !matches!(hosts, [only] if only.local)
}

/// All stages, with the commands around each.
pub(crate) fn stages(
    scene: &Scene<'_>,
    runs: &[Run],
    says: &mut Vec<Diagnostic>,
) -> (Vec<Stage>, Vec<StageCommands>) {
    let mut stages = Vec::new();
    let mut commands = Vec::new();
    if let Some(stage) = format::stage(scene, runs, says) {
        stages.push(stage);
        commands.push(StageCommands::default());
    }
    if scene.errors.remove && scene.concatenated {
        let message = "concatenated storage cannot be removed one by one";
        says.push(
            Diagnostic::error("not-supported", message)
                .expected("`data_errors=remove` or `concatenatesds=yes`, not both"),
        );
    }
    let mut total = 0;
    for (at, run) in runs.iter().enumerate() {
        let stage = stage(scene, run, at, says);
        total += stage.workloads.len();
        stages.push(stage);
        commands.push(StageCommands {
            mount: run
                .mount
                .clone()
                .filter(|_| scene.hosts.iter().any(|h| h.local)),
            start: run.start.clone().map(Command::of),
            end: run.end.clone().map(Command::of),
        });
        if total > MOST_WORKLOADS {
            let message = format!("more than {MOST_WORKLOADS} workloads in all runs");
            says.push(
                Diagnostic::error("too-many-runs", message)
                    .at(run.at, "")
                    .hint("use fewer runs, or less storage in each"),
            );
            break;
        }
    }
    say_by_threads(scene, &stages, says);
    (stages, commands)
}

/// Which back end does I/O to memory, and why.
fn say_by_threads(scene: &Scene<'_>, stages: &[Stage], says: &mut Vec<Diagnostic>) {
    let mut all = stages.iter().flat_map(|stage| &stage.workloads);
    if !all.any(|w| w.engine.kind == EngineKind::PLAIN_CALLS) {
        return;
    }
    let names = scene.storage.iter().zip(&scene.inside_call);
    let names: Vec<&str> = names
        .filter(|(_, i)| **i)
        .map(|(s, _)| s.name.as_str())
        .collect();
    let message = format!(
        "{} is in memory (tmpfs), where io_uring passes each I/O to a kernel thread: runs use \
         the engine `{}`, plain system calls in a pool of threads",
        listed(&names),
        EngineKind::PLAIN_CALLS.name()
    );
    says.push(Diagnostic::note("in-memory", message));
}

/// Names as people list them, the first of many.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("`{one}`"),
        [first, rest @ ..] => format!("`{first}` (and {} more)", rest.len()),
    }
}

/// What hosts other than this machine mount before a run: their own, and that of the run.
fn mounts(scene: &Scene<'_>, run: Option<&str>) -> Vec<Mount> {
    let far = (0..).zip(scene.hosts).filter(|(_, h)| !h.local);
    far.flat_map(|(number, host)| {
        let one = move |line: &str, once| Mount {
            hosts: HostSet::one(number),
            line: line.to_owned(),
            once,
        };
        let own = host.mount.as_deref().map(|line| one(line, true));
        own.into_iter().chain(run.map(|line| one(line, false)))
    })
    .collect()
}

/// Most workloads of a plan, over all stages.
const MOST_WORKLOADS: usize = 200_000;

fn stage(scene: &Scene<'_>, run: &Run, at: usize, says: &mut Vec<Diagnostic>) -> Stage {
    let shares = pace::shares(run);
    let generators = threads::generators(scene, run, says);
    let mut workloads = Vec::with_capacity(generators.len());
    let mut alike = vec![0; run.workloads.len()];
    for one in &generators {
        alike[one.workload] += 1;
    }
    for one in &generators {
        let place = workload::WorkloadContext {
            scene,
            run,
            one,
            share: shares.get(one.workload).copied().unwrap_or(0.0),
            alike: alike[one.workload],
        };
        workloads.extend(workload::build(&place, says));
    }
    Stage {
        name: run.name.clone(),
        pause: Nanos::from_secs(if at == 0 { 0 } else { run.times.pause }),
        workloads,
        original: Original::of(&stage_original(run, scene.several)),
        rate: match run.rate {
            Rate::Fixed(rate) => Some(rate),
            _ => None,
        },
        series: Some(series(run)),
        shares: share_source(run),
        asked: match run.rate {
            Rate::Max | Rate::Fixed(_) | Rate::Variable(_) => StageRate::PerWorkload,
            Rate::Curve => StageRate::MaxForCurve,
            Rate::Percent(percent) => StageRate::PercentOfPrevious(percent),
            Rate::Point(percent) => StageRate::PercentOfMax {
                percent,
                stop_at: (run.stop_curve.as_ref()).map(|(ms, _)| Nanos(whole(ms * 1e6).max(1))),
            },
        },
        until: until(scene, run, says),
        mounts: mounts(scene, run.mount.as_deref()),
        point: None,
        server_cache: ServerCache::Unknown,
    }
}

/// What the lines of a run show.
fn stage_original(run: &Run, several: bool) -> StageOriginal {
    let controlled = pace::controlled(run);
    let stop_curve = run.stop_curve.as_ref().map(|(_, text)| text.clone());
    StageOriginal {
        run: shown_name(run),
        rate: match &run.rate {
            Rate::Max => AskedRate::Max { controlled },
            Rate::Curve => AskedRate::Curve { controlled },
            Rate::Fixed(_) | Rate::Percent(_) | Rate::Point(_) => AskedRate::OfStage,
            Rate::Variable(pairs) => AskedRate::Variable {
                first: pairs.first().map_or(0.0, |p| p.0),
            },
        },
        stop_curve: stop_curve.filter(|_| matches!(run.rate, Rate::Point(_))),
        listed: run.listed.clone(),
        elapsed: Some(run.times.elapsed),
        warmup: run.times.warmup,
        loops: run.loops.clone(),
        several_definitions: several,
    }
}

/// The name of a run in lines.
fn shown_name(run: &Run) -> String {
    match run.first_share {
        Some(percent) => format!("{}_({percent}%)", run.name),
        None => run.name.clone(),
    }
}

/// The list of rates that a run is a point of: the rate itself is not part of its name.
fn series(run: &Run) -> Series {
    let words = run.loops.split(' ');
    let words: Vec<&str> = words
        .filter(|w| !w.starts_with("iorate=") && *w != "None")
        .collect();
    Series {
        name: shown_name(run),
        varied: words.join(" "),
    }
}

/// Where the shares of a run's workloads come from.
fn share_source(run: &Run) -> ShareSource {
    if run.workloads.len() < 2 {
        return ShareSource::None;
    }
    let skewed = run.workloads.iter().any(|w| w.skew.is_some());
    match (skewed, pace::controlled(run)) {
        (true, _) => ShareSource::Given,
        (false, true) => ShareSource::Equal,
        (false, false) => ShareSource::Observed,
    }
}

/// What ends a run early. A number below 100 stands for this many times all storage.
fn until(scene: &Scene<'_>, run: &Run, says: &mut Vec<Diagnostic>) -> Until {
    let mut used: Vec<usize> = run
        .workloads
        .iter()
        .filter_map(|w| w.storage.clone())
        .flatten()
        .collect();
    used.sort_unstable();
    used.dedup();
    let sizes: Option<Vec<u64>> = used.iter().map(|i| scene.storage[*i].size).collect();
    let mut bytes = |n: Option<u64>| -> Option<u64> {
        let n = n?;
        if n >= 100 {
            return Some(n);
        }
        match &sizes {
            Some(sizes) => Some(sizes.iter().sum::<u64>().saturating_mul(n)),
            None => {
                let message = "a multiple of all storage needs size= for all storage";
                says.push(
                    Diagnostic::error("size-missing", message)
                        .at(run.at, "")
                        .expected("`size=` for each storage, or a number of bytes"),
                );
                None
            }
        }
    };
    Until {
        moved: bytes(run.until.moved),
        read: bytes(run.until.read),
        written: bytes(run.until.written),
        errors: (!scene.errors.remove).then_some(scene.errors.limit),
        narrow: None,
    }
}

/// Whether a run ends where its storage ends.
fn to_the_end(run: &Run) -> bool {
    run.workloads.iter().any(|w| w.seek == Seek::ToEnd)
}
