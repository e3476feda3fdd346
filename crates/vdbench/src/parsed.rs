//! From a command line to its plan.
//!
//! Belongs here: the order of the steps, and what concerns the file as a whole. Must never: read a keyword's value, or make a
//! workload.

use crate::definition;
use crate::definition::File;
use crate::lower;
use crate::objects;
use crate::original::PlanOriginal;
use crate::parse::definitions;
use crate::print;
use crate::reader::Reader;
use crate::run::{Run, RunContext};
use crate::runs;
use crate::switches;
use crate::switches::{CommandLine, Switches};
use crate::table::row;
use crate::table::{KeywordSpec, Kind};
use leadline_dialect::diagnostic::{Diagnostic, Severity, Sources};
use leadline_dialect::host::Host;
use leadline_model::plan::{Dialect, HostSpec, Original, Plan, Source};
use leadline_model::units::Nanos;
use std::collections::BTreeSet;

/// What a command line means.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// What is to be done; `None` when there is an error, or nothing to do.
    pub plan: Option<Plan>,
    /// What is asked beside the plan.
    pub run: Switches,
    /// All that is to be said, in the order of the texts.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts the diagnostics point into.
    pub sources: Sources,
    /// The parameter file as it was understood, in Vdbench's own words; empty where no plan was made.
    pub printed: String,
}

/// The files of `-t`: a small file that is read and written for five seconds.
const QUICK: &str = "sd=sd1,lun=/tmp/quick_vdbench_test,size=40m
wd=wd1,sd=sd1,xfersize=1k,rdpct=50
rd=rd1,wd=wd1,iorate=100,elapsed=5,interval=1
";

/// Reads a Vdbench command line (without the program's name) and the parameter files it names.
#[must_use]
pub fn parse(args: &[String], host: &dyn Host) -> Parsed {
    parse_on(args, host, &[])
}

/// The same for a file that defines no hosts and runs on these; empty = on this one alone.
#[must_use]
pub fn parse_on(args: &[String], host: &dyn Host, hosts: &[HostSpec]) -> Parsed {
    let mut reader = Reader::new(host);
    let mut line = switches::read(&mut reader, args);
    if line.files.is_empty() && !line.quick && !line.switches.help && reader.says.is_empty() {
        reader
            .says
            .push(Diagnostic::error("no-file", "there is no parameter file").expected("`-f FILE`"));
    }
    for path in &line.files {
        reader.file(path);
    }
    if line.quick {
        reader.text("-t", QUICK.to_owned(), false);
    }
    if !line.switches.help {
        reader.unused();
    }
    let file = definitions(&mut reader, hosts);
    switches::take_general(&mut line.switches, &file.general);
    let plan = plan(&mut reader, &mut line, &file, (args, hosts));
    settle(&mut reader.says, line.switches.strict);
    let wrong = reader.says.iter().any(|d| d.severity == Severity::Error);
    let plan = plan.filter(|_| !wrong);
    let printed = plan
        .as_ref()
        .map(|_| print::parameter_file(&file, line.overrides));
    Parsed {
        plan,
        printed: printed.unwrap_or_default(),
        run: line.switches,
        diagnostics: reader.says,
        sources: reader.sources,
    }
}

/// The plan of a file; what is wrong with it is said.
fn plan(
    reader: &mut Reader<'_>,
    line: &mut CommandLine,
    file: &File,
    (args, hosts): (&[String], &[HostSpec]),
) -> Option<Plan> {
    if file.file_systems || line.switches.help {
        return None;
    }
    let system = reader.host;
    let says = &mut reader.says;
    let hosts = objects::hosts(file, hosts, says);
    let storage = objects::storage(file, &hosts, says);
    let workloads = objects::workloads(file, &hosts, &storage, says);
    general(file, &storage, says);
    let scope = RunContext {
        file,
        storage: &storage,
        workloads: &workloads,
        overrides: line.overrides,
        simulate: line.switches.simulate,
    };
    let mut runs = runs::runs(&scope, says);
    flags(&scope, &runs, says);
    threads(&scope, says);
    mounts(file, says);
    far_commands(file, &hosts, says);
    restart(line, file, &mut runs, says);
    if file.runs.is_empty() && !says.iter().any(|d| d.severity == Severity::Error) {
        says.push(Diagnostic::error("no-runs", "no run is defined").expected("`rd=`"));
    }
    if runs.is_empty() {
        return None;
    }
    let scene = lower::Scene::new(file, &hosts, &storage, scope.simulate).asked_of(system);
    let (stages, commands) = lower::stages(&scene, &runs, says);
    line.switches.commands = commands;
    line.switches.mounts = hosts
        .iter()
        .filter(|h| h.local)
        .filter_map(|h| h.mount.clone())
        .collect();
    line.switches.mounts.dedup();
    let texts = reader.sources.iter().skip(1);
    Some(Plan {
        title: title(file),
        source: Source {
            dialect: Dialect::Vdbench,
            args: args.to_vec(),
            own: Vec::new(),
            directory: String::new(),
            environment: Vec::new(),
            files: texts.map(|(n, t)| (n.to_owned(), t.to_owned())).collect(),
        },
        given: Vec::new(),
        original: Original::of(&shown_general(file)),
        interval: interval(&runs),
        stages,
        read_only: false,
        slices: 1,
        partial_totals_every: None,
        study: None,
        destroy: line.switches.destroy.clone(),
        hosts: if scene.spread {
            hosts.iter().map(|h| h.spec.clone()).collect()
        } else {
            Vec::new()
        },
    })
}

/// General parameters that reports show.
fn shown_general(file: &File) -> PlanOriginal {
    let bounds = file.general.given(&row::general::HISTOGRAM);
    let (histogram_us, histogram_suppress) = bounds.unwrap_or_default();
    let pages = file.general.given(&row::general::REPORT);
    PlanOriginal {
        histogram_us,
        histogram_suppress,
        pages: pages
            .unwrap_or_default()
            .into_iter()
            .map(Into::into)
            .collect(),
    }
}

fn title(file: &File) -> String {
    match file.runs.as_slice() {
        [] => String::new(),
        [only] => only.name.clone(),
        [first, rest @ ..] => format!("{} and {} more", first.name, rest.len()),
    }
}

/// The longest interval of which each run's is a multiple.
fn interval(runs: &[Run]) -> Nanos {
    let gcd = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let seconds = runs.iter().fold(0, |all, run| gcd(all, run.times.interval));
    Nanos::from_secs(seconds.max(1))
}

/// What is written comes from a file, or is made as it is asked for: not both.
fn pattern(file: &File, says: &mut Vec<Diagnostic>) {
    if file.general.get(&row::general::PATTERN).is_none() {
        return;
    }
    let made: [&KeywordSpec; 6] = [
        &row::general::COMPRATIO,
        &row::general::COMPRESSION,
        &row::general::DEDUPRATIO,
        &row::sd::DEDUPRATIO,
        &row::rd::COMPRATIO,
        &row::rd::COMPRESSION,
    ];
    let places = std::iter::once(&file.general)
        .chain(&file.storage)
        .chain(&file.runs);
    let asked = places.flat_map(|d| made.map(|keyword| (d, keyword)));
    for (definition, keyword) in asked.filter(|(d, keyword)| d.get(keyword).is_some()) {
        says.push(
            Diagnostic::error(
                "pattern-and-ratio",
                format!("`{}` and `pattern` cannot be combined", keyword.setting),
            )
            .at(definition.span(keyword), "")
            .expected("data from a file, or data generated with a ratio"),
        );
    }
}

/// Notes that each storage and each run would give rise to: the first stands for all of a file.
const OF_MANY: [&str; 3] = [
    "threads-shared-out",
    "sequential-on-one-host",
    "removable-on-one-host",
];

fn say_once(says: &mut Vec<Diagnostic>) {
    for code in OF_MANY {
        let count = says.iter().filter(|d| d.code == code).count();
        if let Some(first) = says.iter_mut().find(|d| d.code == code)
            && count > 1
        {
            let others = count - 1;
            first.message += &format!(" (and {others} more)");
        }
        let mut first = true;
        says.retain(|d| d.code != code || std::mem::take(&mut first));
    }
}

/// Ratios that Vdbench has a limit for, and a size of duplicates that was not asked for.
fn ratios(general: &definition::Definition, says: &mut Vec<Diagnostic>) {
    let ratio = general.given(&row::general::COMPRATIO);
    let percentage = general.given(&row::general::COMPRESSION);
    let wrong: [(&KeywordSpec, bool, _); 2] = [
        (
            &row::general::COMPRATIO,
            ratio.is_some_and(|n| n < 1.0),
            "at least 1",
        ),
        (
            &row::general::COMPRESSION,
            percentage.is_some_and(|n| n > 100.0),
            "at most 100",
        ),
    ];
    for (keyword, _, expected) in wrong.iter().filter(|w| w.1) {
        let message = format!("`{}` is {expected}", keyword.name);
        let error = Diagnostic::error("value-not-understood", message);
        says.push(error.at(general.span(keyword), ""));
    }
    let given = |keyword: &KeywordSpec| general.get(keyword).is_some();
    if given(&row::general::DEDUPUNIT) && !given(&row::general::DEDUPRATIO) {
        let message = "a dedup unit needs a dedup ratio";
        says.push(
            Diagnostic::error("dedupratio-missing", message)
                .at(general.span(&row::general::DEDUPUNIT), "")
                .expected("`dedupratio=`"),
        );
    }
}

/// Storage without threads does nothing: Vdbench lists its runs, and fails when it begins.
fn threads(scope: &RunContext<'_>, says: &mut Vec<Diagnostic>) {
    for idle in scope.storage.iter().filter(|s| s.threads == 0) {
        let message = format!("`{}` has no threads: it gets no I/O", idle.name);
        let diagnostic = if scope.simulate {
            Diagnostic::warning("no-threads", message)
        } else {
            Diagnostic::error("no-threads", message)
        };
        says.push(
            diagnostic
                .at(idle.at, "")
                .expected("`threads=` of at least 1"),
        );
    }
}

/// What must hold of the file as a whole.
fn general(file: &File, storage: &[objects::Storage], says: &mut Vec<Diagnostic>) {
    pattern(file, says);
    ratios(&file.general, says);
    let of_all = file.general.get(&row::general::DEDUPRATIO);
    let mut of_storage = file.storage.iter();
    let asks = of_all.or_else(|| of_storage.find_map(|d| d.get(&row::sd::DEDUPRATIO)));
    let unit = file.general.get(&row::general::DEDUPUNIT);
    if let Some(asks) = asks.filter(|_| unit.is_none()) {
        says.push(
            Diagnostic::error("dedupunit-missing", "a dedup ratio needs a dedup unit")
                .at(asks.value.span, "")
                .expected("`dedupunit=` as a general parameter"),
        );
    }
    for raw in storage.iter().filter(|s| s.raw()) {
        let direct = raw.flags.as_ref().is_some_and(|f| f.direct);
        if !direct {
            let message = format!("the device of `{}` is used without o_direct", raw.name);
            says.push(
                Diagnostic::warning("device-not-direct", message)
                    .at(raw.at, "")
                    .hint(
                        "Vdbench refuses this on Linux; use openflags=o_direct, or you measure \
                         the page cache",
                    ),
            );
        }
    }
}

/// A command of the slaves runs here where this machine is the only one.
fn far_commands(file: &File, hosts: &[objects::Host], says: &mut Vec<Diagnostic>) {
    let all = std::iter::once(&file.general).chain(&file.runs);
    let commands = [
        &row::general::STARTCMD,
        &row::general::ENDCMD,
        &row::rd::STARTCMD,
        &row::rd::ENDCMD,
    ];
    let asked = all.flat_map(|d| commands.map(|keyword| (d, keyword)));
    let far = asked.filter(|(d, keyword)| d.given(keyword).is_some_and(|c| c.far));
    for (definition, keyword) in far.filter(|_| lower::spread(hosts)) {
        let message = "commands on remote hosts are not supported; `master` runs on this host";
        says.push(Diagnostic::error("not-supported", message).at(definition.span(keyword), ""));
    }
}

/// A run's own mount= changes that of a host.
fn mounts(file: &File, says: &mut Vec<Diagnostic>) {
    let of_hosts = file.hosts.iter().any(|h| h.get(&row::hd::MOUNT).is_some());
    for run in file
        .runs
        .iter()
        .filter(|r| !of_hosts && r.get(&row::rd::MOUNT).is_some())
    {
        let message = format!("`{}` has `mount=`, but no host has", run.name);
        says.push(
            Diagnostic::error("mount-without-host", message)
                .at(run.span(&row::rd::MOUNT), "")
                .expected("`mount=` of a host as well"),
        );
    }
}

/// Flags that Linux does not know stop a run, and only a run.
fn flags(scope: &RunContext<'_>, runs: &[Run], says: &mut Vec<Diagnostic>) {
    let of_storage = scope.storage.iter().map(|s| (s.at, &s.flags));
    let of_workloads = scope.workloads.iter().map(|w| (w.at, &w.flags));
    let of_runs = runs.iter().map(|r| (r.at, &r.flags));
    for (at, flags) in of_storage.chain(of_workloads).chain(of_runs) {
        for word in flags.iter().flat_map(|f| &f.unknown) {
            let message = format!("`{word}` is not an open flag of Linux");
            let diagnostic = if scope.simulate {
                Diagnostic::warning("unknown-flag", message)
            } else {
                Diagnostic::error("unknown-flag", message)
            };
            says.push(diagnostic.at(at, "").expected(Kind::Flags.name()));
        }
    }
}

/// `-r`: leaves out the runs before the one named.
fn restart(line: &CommandLine, file: &File, runs: &mut Vec<Run>, says: &mut Vec<Diagnostic>) {
    let Some(from) = &line.from else { return };
    let Some(definition) = file.runs.iter().find(|d| d.name == from.as_str()) else {
        let near = leadline_dialect::diagnostic::nearest(
            from.as_str(),
            file.runs.iter().map(|d| d.name.as_str()),
        );
        let message = format!("there is no run `{}`", from.as_str());
        says.push(
            Diagnostic::error("unknown-name", message)
                .at(from.whole(), "")
                .maybe_hint(near.map(|n| format!("did you mean `{n}`?"))),
        );
        return;
    };
    let first = runs.iter().position(|r| r.at == definition.at);
    runs.drain(..first.unwrap_or(0));
}

/// In the order of the texts, each once; warnings become errors when they are to.
fn settle(says: &mut Vec<Diagnostic>, strict: bool) {
    says.sort_by_key(|d| {
        let place = d.labels.first().map(|label| label.span);
        (place.is_none(), place.map(|span| (span.source, span.start)))
    });
    let mut seen = BTreeSet::new();
    says.retain(|d| {
        let place = d.labels.first().map(|label| label.span);
        // A note is about a keyword or an object, wherever it stands.
        let place = place.filter(|_| d.severity != Severity::Note);
        seen.insert((d.code, d.message.clone(), place))
    });
    say_once(says);
    if strict {
        for diagnostic in says.iter_mut().filter(|d| d.severity == Severity::Warning) {
            diagnostic.severity = Severity::Error;
        }
    }
}
