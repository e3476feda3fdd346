//! `leadline plan DIALECT ARGS`: what would run, without running. Exit 0 when it is accepted, 2 when
//! not, 3 when this host is in the way.

use crate::args::{self, DialectName, JobOf, Plan as Args};
use crate::exit::Exit;
use crate::fleet::HostsRequest;
use crate::host::ThisHost;
use crate::out;
use crate::simulated::SimulatedTargets;
use crate::switches::Accept;
use crate::verbs::shown::{self, Form};
use crate::verbs::vdbench::commands as vdbench_commands;
use leadline_dialect::diagnostic::{Diagnostic, Sources};
use leadline_diskspd as diskspd;
use leadline_fio as fio;
use leadline_model::plan::Plan;
use leadline_vdbench as vdbench;

pub(crate) fn run(args: &Args) -> Exit {
    let Some(words) = args::words(&args.args) else {
        return Exit::Usage;
    };
    let own: Option<fn(&[String], Form) -> Exit> = match args.dialect {
        DialectName::Measure => Some(super::measure::plan_of),
        DialectName::Study => Some(super::study::plan_of),
        DialectName::Fio | DialectName::Vdbench | DialectName::Diskspd => None,
    };
    if let Some(plan_of) = own {
        // These verbs have a `--json` of their own; with `plan` before them it means the plan, wherever it stands.
        let json = args.json || words.iter().any(|word| word == "--json");
        return form(args, json, None).map_or(Exit::Usage, |form| plan_of(&words, form));
    }
    let (Some(asked), words) = HostsRequest::take_from(&words) else {
        return Exit::Usage;
    };
    let checks = asked.checks.clone();
    let Some(planned) = read(args.dialect, &words, asked) else {
        return Exit::Usage;
    };
    if !super::say_diagnostics(&planned.diagnostics, &planned.sources) {
        return Exit::Usage;
    }
    let Some(form) = form(args, args.json, planned.own) else {
        return Exit::Usage;
    };
    match planned.plan {
        Some(plan) if !super::says_whole_names(&plan) => Exit::Usage,
        Some(plan) if !checks.name_what_is_in(&plan.stages, false) => Exit::Usage,
        Some(plan) => shown::show(&plan, planned.sure, planned.accept, form),
        None => Exit::Fine,
    }
}

/// What the plan is shown as; `None` = it cannot be, which was said. `own` is the plan in the tool's own words.
fn form(args: &Args, json: bool, own: Option<String>) -> Option<Form> {
    let is_own = matches!(
        (args.job, args.dialect),
        (Some(JobOf::Vdbench), DialectName::Vdbench) | (Some(JobOf::Diskspd), DialectName::Diskspd)
    );
    match (args.job, own) {
        (None, _) if json => Some(Form::Json),
        (None, _) => Some(Form::Words),
        (Some(JobOf::Fio), _) => Some(Form::FioJob),
        (Some(_), Some(own)) if is_own => Some(Form::Text(own)),
        _ => {
            out::say(
                "error: a plan can be printed for Vdbench or DISKSPD only if it was read from \
                 their language; --as fio prints any plan",
            );
            None
        }
    }
}

/// What was read of a front end's words.
pub(super) struct Planned {
    pub(super) plan: Option<Plan>,
    /// The plan in the tool's own words, where these are no fio job.
    own: Option<String>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) sources: Sources,
    /// Stages before the user's own commands.
    sure: usize,
    accept: Accept,
}

/// Reads a front end's words; `None` = its hosts cannot be read, which was said.
pub(super) fn read(dialect: DialectName, words: &[String], asked: HostsRequest) -> Option<Planned> {
    let (mut hosts, accept, targets) = (asked.hosts, asked.accept, asked.targets);
    let this = ThisHost::with(Some(&targets));
    let mut own = None;
    let (mut plan, diagnostics, sources) = match dialect {
        DialectName::Vdbench => {
            let parsed = vdbench::parse_on(words, &this, &hosts);
            let sure = match parsed.run.mounts.is_empty() {
                true => vdbench_commands::first_sure(&parsed.run.commands),
                false => 0,
            };
            let mut plan = parsed.plan;
            resolve(&targets, plan.as_mut())?;
            return Some(Planned {
                plan,
                own: Some(parsed.printed),
                diagnostics: parsed.diagnostics,
                sources: parsed.sources,
                sure,
                accept,
            });
        }
        DialectName::Diskspd => {
            let parsed = diskspd::parse(words, &this);
            own = parsed.profile.as_ref().map(diskspd::profile_xml);
            (parsed.plan, parsed.diagnostics, parsed.sources)
        }
        DialectName::Fio | DialectName::Measure | DialectName::Study => {
            let parsed = if hosts.is_empty() {
                fio::parse(words, &this)
            } else {
                fio::parse(words, &fio::Far(&this))
            };
            if hosts.is_empty() && !parsed.run.clients.is_empty() {
                hosts =
                    HostsRequest::read(Some(&parsed.run.clients.join(",")), None, accept)?.hosts;
            }
            (parsed.plan, parsed.diagnostics, parsed.sources)
        }
    };
    if let Some(plan) = &mut plan {
        plan.hosts = hosts;
    }
    resolve(&targets, plan.as_mut())?;
    Some(Planned {
        sure: plan.as_ref().map_or(0, |plan| plan.stages.len()),
        plan,
        own,
        diagnostics,
        sources,
        accept,
    })
}

/// Gives a plan what stands in for its targets; `None` where that is wrong, which was said.
fn resolve(targets: &SimulatedTargets, plan: Option<&mut Plan>) -> Option<()> {
    // Without a plan something else is wrong, and is said.
    let resolved = plan.map_or(Ok(()), |plan| targets.resolve(&mut plan.stages));
    resolved.map_err(|wrong| out::say(&wrong)).ok()
}
