//! Completions and man pages, from the same table as the parser.

mod completion;
mod page;

use crate::args::Cli;
use crate::examples;
use crate::exit::Exit;
use crate::out;
use crate::statuses;
use clap::CommandFactory;
use clap_complete::{Shell, generate_to};
use leadline_engine::os::host::make_folders;
use std::path::Path;

pub(crate) fn run(directory: &Path) -> Exit {
    match write(directory) {
        Ok(()) => Exit::Fine,
        Err(error) => {
            out::say(&format!("error: {}: {error}", directory.display()));
            Exit::Environment
        }
    }
}

fn write(directory: &Path) -> std::io::Result<()> {
    make_folders(directory)?;
    let command = Cli::command();
    let mut offered = offered(&command);
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let path = generate_to(shell, &mut offered, "leadline", directory)?;
        let made = std::fs::read_to_string(&path)?;
        std::fs::write(path, completion::with_front_ends(shell, &made))?;
    }
    let shown = command.clone();
    clap_mangen::generate_to(command, directory)?;
    for end in &page::FRONT_ENDS {
        let verb = shown.find_subcommand(end.verb);
        let about = verb.and_then(clap::Command::get_about);
        let text = end.page(&about.map(ToString::to_string).unwrap_or_default());
        std::fs::write(directory.join(format!("leadline-{}.1", end.verb)), text)?;
    }
    let verbs = shown.get_subcommands().filter(|verb| !verb.is_hide_set());
    for verb in verbs.map(clap::Command::get_name) {
        complete(directory, &format!("leadline-{verb}.1"), verb)?;
    }
    complete(directory, "leadline.1", "")
}

/// The command as it is offered to be completed: without the verbs that no user types, which clap offers all the same.
fn offered(command: &clap::Command) -> clap::Command {
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    clap::Command::new("leadline")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(command.get_arguments().cloned())
        .subcommands(verbs.cloned())
}

/// Adds to a page what the table of options does not say.
fn complete(directory: &Path, page: &str, verb: &str) -> std::io::Result<()> {
    let path = directory.join(page);
    let text = std::fs::read_to_string(&path)?.replace(".SH EXTRA\n", ".SH NOTES\n");
    // The version is at the end of the main page.
    let (text, version) = match text.find(".SH VERSION") {
        Some(at) => (text[..at].to_owned(), text[at..].to_owned()),
        None => (text, String::new()),
    };
    let sections = sections(verb)
        .into_iter()
        .filter(|(_, body)| !body.is_empty());
    let sections: String = sections
        .map(|(title, body)| format!(".SH {title}\n.nf\n{}.fi\n", verbatim(&body)))
        .collect();
    std::fs::write(path, text + &sections + &version)
}

/// The further sections of a page.
fn sections(verb: &str) -> Vec<(&'static str, String)> {
    vec![
        ("EXIT STATUS", statuses::of(verb)),
        ("FILES", FILES.to_owned()),
        ("ENVIRONMENT", ENVIRONMENT.to_owned()),
        ("EXAMPLES", examples::of(verb).to_owned()),
        ("SEE ALSO", SEE_ALSO.to_owned()),
    ]
}

const FILES: &str = "NAME.leadline                  A run: one SQLite file.
~/.local/state/leadline/       Runs without a path of their own. Those without a tag are removed there after 90 days,
                               and the oldest when together they exceed 1 GiB.
";

const ENVIRONMENT: &str =
    "XDG_STATE_HOME  Where the directory of kept runs is, in place of ~/.local/state.
NO_COLOR        No colours.
COLUMNS         Width of text, in place of the terminal's.
";

const SEE_ALSO: &str = "leadline(1), leadline-measure(1), leadline-confirm(1), leadline-report(1), leadline-explain(1), leadline-list(1),
leadline-fio(1), leadline-vdbench(1), leadline-diskspd(1); docs/guide and docs/reference in the source.
";

/// Text that stands as it is on a page.
fn verbatim(text: &str) -> String {
    let line = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        let guard = if line.starts_with(['.', '\'']) {
            "\\&"
        } else {
            ""
        };
        format!("{guard}{line}\n")
    };
    text.trim_matches('\n').lines().map(line).collect()
}
