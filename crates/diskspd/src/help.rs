//! Help and reference text, all made of the option table.
//!
//! Belongs here: text for people. Must never appear here: facts about options that the table lacks.

use crate::table::{OptionSpec, Since, Support, options};
use leadline_text::markup::cell;
use std::fmt::Write;

/// `-?`: the options.
#[must_use]
pub fn usage() -> String {
    let mut text = String::from(
        "diskspd [options] target1 [target2 ...]\n\nA target is a file or a block device. Values \
         follow their option directly: -b4K. Sizes take K, M, G, T (powers of 1024) or b \
         (blocks); `/` can be used instead of `-`.\n",
    );
    let mut category = "";
    for spec in options() {
        if spec.category != category {
            category = spec.category;
            let _ = write!(text, "\n{category}\n");
        }
        let idle = match spec.support {
            Support::Full => "",
            Support::NoEffect(_) => " (no effect here)",
            Support::Refused(_) => " (not supported)",
        };
        let default = if spec.default.is_empty() {
            String::new()
        } else {
            format!(" [{}]", spec.default)
        };
        wrapped(
            &mut text,
            spec.form,
            &format!("{}{default}{idle}", spec.help),
        );
    }
    text
}

/// A form, and what it does beside it in lines of at most 100 characters.
fn wrapped(text: &mut String, form: &str, help: &str) {
    const LEFT: usize = 34;
    const WIDTH: usize = 100;
    let mut line = format!("  {form:<30}");
    if line.len() > LEFT - 1 {
        let _ = writeln!(text, "{}", line.trim_end());
        line = " ".repeat(LEFT - 2);
    }
    for word in help.split(' ') {
        if line.len() + 1 + word.len() > WIDTH {
            let _ = writeln!(text, "{}", line.trim_end());
            line = " ".repeat(LEFT - 2);
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(text, "{}", line.trim_end());
}

/// The reference of all options in Markdown.
#[must_use]
pub fn reference_markdown() -> String {
    let mut text = String::from(
        "# DISKSPD options\n\nGenerated from the option table; do not edit. `full`: as in \
         DISKSPD, by the means of Linux. `no effect`: accepted but changes nothing that is \
         measured, for the reason given. Values follow their option directly. Sizes are bytes, \
         or are followed by K, M, G, T (powers of 1024) or b (blocks of `-b`). Plain numbers are \
         read as in DISKSPD: the leading digits count, the rest is ignored with a warning.\n\nA \
         word that begins with `/` is an option too, unless something is at that path or the \
         word has a second `/` in it. `leadline plan --json diskspd ...` shows what a command \
         line means.\n",
    );
    let mut category = "";
    for spec in options() {
        if spec.category != category {
            category = spec.category;
            let _ = write!(
                text,
                "\n## {category}\n\n| option | default | since | support | what it does |\n\
                 |---|---|---|---|---|\n"
            );
        }
        let _ = writeln!(text, "{}", row(&spec));
    }
    text.push_str("\n## With a profile\n\nWith `-X` only targets and these options are allowed: ");
    let beside: Vec<String> = options()
        .filter(|spec| spec.with_profile())
        .map(|spec| format!("`{}`", spec.form))
        .collect();
    text.push_str(&beside.join(", "));
    text.push_str(".\n");
    text
}

fn row(spec: &OptionSpec) -> String {
    let default = if spec.default.is_empty() {
        String::new()
    } else {
        format!("`{}`", spec.default)
    };
    let support = match spec.support {
        Support::Full => "full".to_owned(),
        Support::NoEffect(reason) => format!("no effect: {}", cell(reason)),
        Support::Refused(reason) => format!("refused: {}", cell(reason)),
    };
    let since = match spec.since {
        Since::V22 => "",
        other => other.name(),
    };
    format!(
        "| `{}` | {default} | {since} | {support} | {} |",
        cell(spec.form),
        cell(spec.help)
    )
}
