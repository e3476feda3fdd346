//! Help and reference text, all made of the option table, and jobs shown as a command line.
//!
//! Belongs here: text for people. Must never appear here: facts about options that the table lacks.

use crate::switches::SWITCHES;
use crate::table::{Kind, OptionSpec, StandIn, Support, engines, find, options};
use leadline_dialect::diagnostic::nearest;
use leadline_model::plan::{Given, MediumKind, Plan};
use leadline_text::markup::cell;
use std::fmt::Write;

/// A plan's jobs as a command line of fio: `fio`, then one word for each option. A word with blanks
/// in it needs quotes in a shell.
#[must_use]
pub fn show_command(plan: &Plan) -> Vec<String> {
    let mut words = vec!["fio".to_owned()];
    words.extend(plan.given.iter().map(word));
    for (s, stage) in plan.stages.iter().enumerate() {
        for (i, w) in stage.workloads.iter().enumerate() {
            words.push(format!("--name={}", w.name));
            let own = w.given.iter().filter(|g| g.name != "name");
            words.extend(own.map(word));
            let says = |given: &[Given]| given.iter().any(|g| g.name == "stonewall");
            if s > 0 && i == 0 && !says(&w.given) && !says(&plan.given) {
                words.push("--stonewall".to_owned());
            }
        }
    }
    words
}

/// The same as one line for a shell: words that a shell would take apart are quoted.
#[must_use]
pub fn command_line(plan: &Plan) -> String {
    let words = show_command(plan);
    leadline_text::shell::line(words.iter().map(String::as_str))
}

fn word(given: &Given) -> String {
    if given.value.is_empty() {
        format!("--{}", given.name)
    } else {
        format!("--{}={}", given.name, given.value)
    }
}

/// `--help`: the switches of the command line.
#[must_use]
pub fn usage() -> String {
    let mut text = String::from("fio [switches] [options] [job files]\n\n");
    for switch in SWITCHES {
        let idle = match switch.support {
            Support::Full => "",
            Support::NoEffect(_) => " (no effect here)",
            Support::Refused(_) => continue,
        };
        let name = format!("--{}{}", switch.name, switch.takes.shown('='));
        let _ = writeln!(text, "  {name:<26} {}{idle}", switch.help);
    }
    text.push_str("\nOptions of jobs: --cmdhelp lists them, --cmdhelp=NAME explains one.\n");
    text
}

/// `--cmdhelp`: one option, or all for `None` and `all`. `Err` holds what to say of an unknown one.
///
/// # Errors
/// No option has this name.
pub fn command_help(name: Option<&str>) -> Result<String, String> {
    let Some(name) = name.filter(|n| *n != "all") else {
        return Ok(list(options().iter().copied()));
    };
    let Some(spec) = find(name) else {
        let names = options().iter().copied().flat_map(OptionSpec::names);
        let hint = nearest(name, names).map(|n| format!("; did you mean `{n}`?"));
        return Err(format!(
            "there is no option `{name}`{}",
            hint.unwrap_or_default()
        ));
    };
    Ok(explain(spec))
}

fn list<'a>(specs: impl Iterator<Item = &'a OptionSpec>) -> String {
    let mut text = String::new();
    for spec in specs {
        let _ = writeln!(text, "{:<28}: {}", spec.name, spec.help);
    }
    text
}

fn explain(spec: &OptionSpec) -> String {
    let mut text = format!("{:>20}: {}\n", spec.name, spec.help);
    let mut row = |label: &str, value: &str| {
        let _ = writeln!(text, "{label:>20}: {value}");
    };
    for alias in spec.aliases {
        row("alias", alias);
    }
    row("type", spec.kind.name());
    if let Some(default) = spec.default {
        row("default", default);
    }
    if let Some(range) = range(spec) {
        row("range", &range);
    }
    if let Some(parent) = spec.parent {
        row("refines", parent);
    }
    if !spec.engines.is_empty() {
        row("engines", &spec.engines.join(", "));
    }
    if let Kind::Choice(words) = spec.kind {
        row("values", &words.join(", "));
    }
    match spec.support {
        Support::Full if spec.support_word() == "full" => {}
        Support::Full => row("support", &spec.support_word()),
        Support::NoEffect(reason) => row("no effect", reason),
        Support::Refused(reason) => row("not supported", reason),
    }
    text
}

fn range(spec: &OptionSpec) -> Option<String> {
    spec.range.map(|(min, max)| match max {
        i64::MAX => format!("at least {min}"),
        _ => format!("{min} to {max}"),
    })
}

/// `--enghelp`: options of an engine, or all engines for `None`. `engine,option` explains one option.
///
/// # Errors
/// No engine has this name.
pub fn engine_help(name: Option<&str>) -> Result<String, String> {
    let Some(name) = name else {
        let mut text = String::from("Engines:\n");
        for engine in engines() {
            let what = match engine.stand_in {
                StandIn::Same(_) => String::new(),
                StandIn::Instead(kind, _) => format!(" (runs as {})", kind.name()),
                StandIn::Refused(_) => continue,
            };
            let _ = writeln!(text, "\t{}{what}", engine.name);
        }
        return Ok(text);
    };
    let (engine, option) = match name.split_once(',') {
        Some((engine, option)) => (engine, Some(option)),
        None => (name, None),
    };
    let Some(spec) = engines().find(|e| e.name == engine) else {
        let near = nearest(engine, engine_names());
        let hint = near.map(|n| format!("; did you mean `{n}`?"));
        return Err(format!(
            "there is no engine `{engine}`{}",
            hint.unwrap_or_default()
        ));
    };
    if let StandIn::Refused(reason) = spec.stand_in {
        return Err(format!("the engine `{engine}` is not supported: {reason}"));
    }
    if let Some(option) = option {
        return command_help(Some(option));
    }
    let own = list(
        options()
            .iter()
            .copied()
            .filter(|s| s.engines.contains(&engine)),
    );
    Ok(what_it_is(spec.stand_in) + &own)
}

/// A line on the back end that does the I/O: what it is, and which of the powers it has that not all have.
fn what_it_is(stand_in: StandIn) -> String {
    let (StandIn::Same(kind) | StandIn::Instead(kind, _)) = stand_in else {
        return String::new();
    };
    let powers = kind.powers();
    let queue = match powers.is_async {
        true => "a queue of I/Os",
        false => "one I/O at a time",
    };
    let mut text = format!("{}: {}; {queue}", powers.name, powers.about);
    if powers.medium == MediumKind::Files {
        for power in powers.can {
            let _ = write!(text, ", {power}");
        }
    }
    text + "\n"
}

/// Names of all engines, those that are refused too.
pub fn engine_names() -> impl Iterator<Item = &'static str> {
    engines().map(|e| e.name)
}

/// The reference of all options, switches and engines in Markdown.
#[must_use]
pub fn reference_markdown() -> String {
    let mut text = String::from(
        "# fio options\n\nGenerated from the option table; do not edit. `full`: as in fio, for \
         all values. `only`: for the values listed; others are an error that gives the reason. \
         `no effect`: accepted but changes nothing, for the reason given. `refused`: an error \
         that gives the reason.\n",
    );
    let mut category = "";
    for spec in options() {
        if spec.category != category {
            category = spec.category;
            let _ = write!(
                text,
                "\n## {category}\n\n| option | value | default | support | what it does |\n\
                 |---|---|---|---|---|\n"
            );
        }
        let _ = writeln!(text, "{}", table_row(spec));
    }
    text.push_str("\n## Command line\n\n| switch | support | what it does |\n|---|---|---|\n");
    for switch in SWITCHES {
        let _ = writeln!(
            text,
            "| `--{}` | {} | {} |",
            switch.name,
            support(switch.support),
            cell(switch.help)
        );
    }
    text.push_str("\n## ioengine\n\n| engine | runs as |\n|---|---|\n");
    for engine in engines() {
        let what = match engine.stand_in {
            StandIn::Same(kind) => kind.name().to_owned(),
            StandIn::Instead(kind, reason) => format!("{}: {}", kind.name(), cell(reason)),
            StandIn::Refused(reason) => format!("refused: {}", cell(reason)),
        };
        let _ = writeln!(text, "| `{}` | {what} |", engine.name);
    }
    text
}

fn table_row(spec: &OptionSpec) -> String {
    let mut names = format!("`{}`", spec.name);
    for alias in spec.aliases {
        let _ = write!(names, ", `{alias}`");
    }
    let mut kind = match spec.kind {
        Kind::Choice(words) => words.join(", "),
        other => other.name().to_owned(),
    };
    if let Some(range) = range(spec) {
        let _ = write!(kind, ", {range}");
    }
    let mut help = cell(spec.help);
    if !spec.engines.is_empty() {
        let _ = write!(help, " Engines: {}.", spec.engines.join(", "));
    }
    let default = spec.default.map(|d| format!("`{d}`")).unwrap_or_default();
    format!(
        "| {names} | {} | {default} | {} | {help} |",
        cell(&kind),
        cell(&spec.support_word())
    )
}

fn support(support: Support) -> String {
    match support {
        Support::Full => "full".to_owned(),
        Support::NoEffect(reason) => format!("no effect: {}", cell(reason)),
        Support::Refused(reason) => format!("refused: {}", cell(reason)),
    }
}
