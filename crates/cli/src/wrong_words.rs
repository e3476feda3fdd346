//! What is wrong with a command line that clap reads: all of it at once.
//!
//! Belongs here: each wrong option, by reading the rest again without it. Must never: run anything.

use crate::args::{Cli, Verb};
use crate::examples;
use crate::fleet::HostsRequest;
use crate::out;
use clap::FromArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// Wrong options that are looked for at the most.
const MOST: usize = 32;

/// Says all that is wrong with a command line, given the first error and the words it is of.
pub(crate) fn say_all(first: clap::Error, mut words: Vec<OsString>) {
    let mut errors = vec![first];
    while errors.len() < MOST {
        let Some(left) = errors.last().and_then(|error| without(error, &words)) else {
            break;
        };
        words = left;
        let read = examples::shown().try_get_matches_from(&words);
        match read.and_then(|matches| Cli::from_arg_matches(&matches)) {
            Ok(cli) => {
                say_errors(&errors);
                if let Verb::Measure(args) = cli.verb {
                    // It says itself what is wrong with hosts, volumes and limits.
                    let _ = HostsRequest::of(&args.on);
                }
                return;
            }
            Err(error) if error.use_stderr() => errors.push(error),
            Err(_) => break,
        }
    }
    say_errors(&errors);
}

/// The words without the option that an error is about; `None` where it is about none, or about one that is missing.
fn without(error: &clap::Error, words: &[OsString]) -> Option<Vec<OsString>> {
    let is_of_one = matches!(
        error.kind(),
        ErrorKind::UnknownArgument | ErrorKind::ValueValidation | ErrorKind::InvalidValue
    );
    let Some(ContextValue::String(shown)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    // As in `--time <TIME>`.
    let name = shown
        .split([' ', '='])
        .next()
        .filter(|n| n.starts_with('-'));
    let name = name.filter(|_| is_of_one)?;
    let with_value = |word: &str| {
        let rest = word.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    let at = words
        .iter()
        .position(|word| word.to_str().is_some_and(with_value))?;
    let takes_next = error.kind() != ErrorKind::UnknownArgument && words[at] == name;
    let end = (at + 1 + usize::from(takes_next)).min(words.len());
    let mut left = words.to_vec();
    left.drain(at..end);
    Some(left)
}

/// The errors one below the other, and the usage once.
fn say_errors(errors: &[clap::Error]) {
    let is_colored = out::color(out::err_is_terminal());
    let mut said: Vec<String> = Vec::new();
    let mut end = String::new();
    for error in errors {
        let shown = error.render();
        let shown = match is_colored {
            true => shown.ansi().to_string(),
            false => shown.to_string(),
        };
        let parts = shown.trim_end().split("\n\n");
        let (of_all, own): (Vec<&str>, Vec<&str>) = parts
            .partition(|part| part.contains("Usage:") || part.contains("For more information"));
        let own = own.join("\n\n");
        if !said.contains(&own) {
            said.push(own);
        }
        let of_all = of_all.join("\n\n");
        if of_all.len() > end.len() {
            end = of_all;
        }
    }
    // They repeat words of the command line, which may be file names from a shell's expansion.
    out::raw(&format!("{}\n\n{end}\n", said.join("\n\n")));
}
