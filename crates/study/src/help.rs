//! Help and reference text, all made of the two tables.
//!
//! Belongs here: text for people. Must never appear here: facts that the tables lack.

use crate::option::OptionSpec;
use crate::studies::{STUDIES, StudySpec};
use crate::table::OPTIONS;
use leadline_text::markup::cell;
use std::fmt::Write;

/// The help of all studies, or of one; `more` are lines on the caller's switches.
#[must_use]
pub fn usage(study: Option<&StudySpec>, more: &str) -> String {
    let mut text = match study {
        None => String::from(
            "leadline study NAME TARGET... [options]\nleadline study FILE.toml [options]\n\nA target is a directory, in \
             which a study creates files of its own, overwrites no others and deletes them at the end; or files and \
             block devices that --destroy names too. Lists are 1,4,16, or 1..64 (doubling), or 10..100:10 (in \
             steps).\n\nStudies\n",
        ),
        Some(study) => format!(
            "leadline study {} TARGET... [options]\n\n{}. {}\n\nOptions\n",
            study.name, study.about, study.answers
        ),
    };
    if study.is_none() {
        for study in STUDIES {
            wrapped(&mut text, study.name, study.about);
        }
        text.push_str(
            "\nOptions of all studies (`leadline study NAME --help` shows those of one)\n",
        );
    }
    let shown = |option: &&OptionSpec| match study {
        None => option.studies.is_empty(),
        Some(study) => option.is_of(study) && !study.without().0.contains(&option.name),
    };
    for option in OPTIONS.iter().filter(shown) {
        let default = match study {
            None => option.defaults(),
            Some(study) => option.default_of(study).to_owned(),
        };
        let default = match default.as_str() {
            "" => String::new(),
            default => format!(" [default: {default}]"),
        };
        wrapped(
            &mut text,
            &form(option),
            &format!("{}{default}", option.help),
        );
    }
    text.push_str(more);
    text
}

/// `all`, or all but those in which an option has no part.
fn all_but(option: &OptionSpec) -> String {
    let without = STUDIES
        .iter()
        .filter(|study| study.without().0.contains(&option.name));
    let names: Vec<&str> = without.map(|study| study.name).collect();
    match names.as_slice() {
        [] => "all".to_owned(),
        names => format!("all but {}", names.join(", ")),
    }
}

/// `--depths LIST`.
pub(crate) fn form(option: &OptionSpec) -> String {
    match option.value {
        "" => format!("--{}", option.name),
        value => format!("--{} {value}", option.name),
    }
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

/// The reference of studies and their options in Markdown.
#[must_use]
pub fn reference_markdown() -> String {
    let mut text = String::from(
        "# Studies\n\nGenerated from the tables of studies and options; do not edit.\n\n`leadline study NAME TARGET... \
         [options]`, or `leadline study FILE.toml`, a file with the same options as keys, `study` and `target`:\n\n\
         ```toml\nstudy = \"depth\"\ntarget = \"/mnt/vol\"\ndepths = \"1..64\"\njobs = [1, 4]\ndataset = \"10g\"\n```\n\n\
         `leadline schema study` prints its JSON Schema. Options on the command line are added to those of the file. \
         Lists are `1,4,16`, `1..64` (doubling, with both ends) or `10..100:10` (in steps); sizes take k, m, g, t \
         (powers of 1024), times us, ms, s, m, h. `leadline plan study ...` shows points, time and bytes first.\n",
    );
    for study in STUDIES {
        let _ = write!(
            text,
            "\n## {}\n\n{}. {}\n\n```\n{}\n```\n",
            study.name, study.about, study.answers, study.example
        );
    }
    text.push_str(
        "\n## Options\n\nOf several defaults, those after a study's name are that study's, and the one without a name is \
         that of all others.\n\n| option | value | default | studies | what it does |\n|---|---|---|---|---|\n",
    );
    for option in OPTIONS {
        let studies = match option.studies {
            [] => all_but(option),
            some => some.join(", "),
        };
        let default = option.defaults();
        let cells = [option.value, &default, studies.as_str(), option.help].map(cell);
        let _ = writeln!(text, "| `{}` | {} |", option.name, cells.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `[default: ...]` of an option in the help of a study, or of all.
    fn default(study: Option<&str>, option: &str) -> String {
        let text = usage(study.and_then(StudySpec::named), "");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, own) = words.split_once(&format!(" --{option} ")).unwrap();
        let (_, default) = own.split_once("[default: ").unwrap();
        default.split(']').next().unwrap().to_owned()
    }

    #[test]
    fn the_help_of_a_study_has_its_own_defaults_only() {
        let all = "read; latency, iops and throughput read,write; steady write; mix by --step";
        assert_eq!(default(None, "rw"), all);
        assert_eq!(default(Some("depth"), "rw"), "read");
        assert_eq!(default(Some("iops"), "rw"), "read,write");
        assert_eq!(default(Some("mix"), "rw"), "by --step");
        assert_eq!(default(Some("depth"), "depths"), "1..256");
        assert_eq!(default(Some("map"), "depths"), "64");
        assert_eq!(
            default(Some("arms"), "depths"),
            "that of the study in each arm"
        );
    }
}
