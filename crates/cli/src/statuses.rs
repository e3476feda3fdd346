//! With which statuses each verb can end, and what they say: one table for help and man pages.
//!
//! Belongs here: codes and their meaning. Must never: end the process.

/// A status with which a verb can end.
struct Status {
    code: u8,
    meaning: &'static str,
}

const fn status(code: u8, meaning: &'static str) -> Status {
    Status { code, meaning }
}

const FINE: Status = status(0, "fine");
const USAGE: Status = status(2, "usage, or input that is not accepted");
const WRITING: Status = status(3, "a result could not be written");
const IO_ERRORS: Status = status(1, "I/O errors");
const ENVIRONMENT: Status = status(
    3,
    "the environment: permission, space, a missing feature, a result that could not be written, a lost host \
     without --accept-lost-hosts",
);
const REFUSED: Status = status(
    4,
    "refused for safety, or because a target is not on the same storage on all hosts",
);
const INTERRUPTED: Status = status(130, "ended by the user; what was measured is reported");

/// The statuses of a verb, in order; none for a front end, which has its original's.
fn rows(verb: &str) -> Vec<Status> {
    match verb {
        "confirm" => vec![FINE, IO_ERRORS, USAGE, ENVIRONMENT, REFUSED, INTERRUPTED],
        "measure" | "study" => vec![
            FINE,
            IO_ERRORS,
            USAGE,
            ENVIRONMENT,
            REFUSED,
            status(
                99,
                "a condition to fail on is met, or could not be checked: --fail-on-grade, --assert",
            ),
            INTERRUPTED,
        ],
        "check" => vec![
            status(0, "all requirements are met"),
            IO_ERRORS,
            USAGE,
            ENVIRONMENT,
            REFUSED,
            status(99, "a requirement is missed, or undecided"),
            INTERRUPTED,
        ],
        "compare" => of_compare(),
        "plan" => vec![
            status(0, "it would run once its directories exist"),
            USAGE,
            status(3, "the environment: permission, a missing feature"),
            status(4, "it would be refused for safety"),
        ],
        "report" => vec![
            FINE,
            USAGE,
            WRITING,
            status(99, "the grade is as bad as --fail-on-grade says, or worse"),
        ],
        "plot" => vec![FINE, USAGE, WRITING],
        "list" => vec![
            FINE,
            status(2, "usage"),
            status(3, "the directory could not be read"),
        ],
        "tag" => vec![FINE, USAGE, status(3, "the tag could not be written")],
        "limits" => vec![
            FINE,
            status(
                2,
                "usage, input that is not accepted, no limit that applies, or none that could be compared",
            ),
        ],
        "show" => vec![FINE, USAGE],
        "explain" => vec![FINE, status(2, "there is no finding of that name")],
        "schema" | "help" => vec![FINE, status(2, "usage")],
        _ => Vec::new(),
    }
}

fn of_compare() -> Vec<Status> {
    vec![
        status(
            0,
            "compared, whatever the verdicts: without --fail-on a loss is no failure",
        ),
        status(1, "I/O errors (--interleave)"),
        status(
            2,
            "usage, input that is not accepted, or no figure that both results have and that could be compared",
        ),
        status(
            3,
            "a result could not be written; with --interleave also the environment, as of `measure`",
        ),
        status(4, "refused for safety (--interleave)"),
        status(
            99,
            "the whole 95 % interval of a change meets a condition of --fail-on (even with one run of each), or a \
             condition could not be checked",
        ),
        status(130, "ended by the user (--interleave)"),
    ]
}

/// Widest line of help.
const WIDTH: usize = 100;

/// The statuses of a verb, a line or more each; of all verbs where it is empty.
pub(crate) fn of(verb: &str) -> String {
    match verb {
        "" => ALL.to_owned(),
        "fio" => FIO.to_owned(),
        "diskspd" => DISKSPD.to_owned(),
        "vdbench" => VDBENCH.to_owned(),
        verb => rows(verb).iter().map(Status::lines).collect(),
    }
}

impl Status {
    fn lines(&self) -> String {
        let mut text = format!("{:<3} ", self.code);
        let mut width = text.len();
        for word in self.meaning.split(' ') {
            if width + 1 + word.len() > WIDTH {
                text.push_str("\n    ");
                width = 4;
            }
            text.push(' ');
            text.push_str(word);
            width += 1 + word.len();
        }
        text.push('\n');
        text
    }
}

const ALL: &str = "0    fine
1    I/O errors
2    usage or input that is not accepted
3    the environment: permission, space, a missing feature, a result that could not be written, a lost host
     without --accept-lost-hosts
4    refused for safety, or because a target is not on the same storage on all hosts
99   a condition to fail on is met: --fail-on-grade, --assert or --fail-on, where the command has it, or a requirement
     of `check` was missed or not decided
130  ended by the user; what was measured is reported
The page of each verb lists the codes with which it can end; fio, vdbench and diskspd have the codes of the originals.
";

const FIO: &str = "As fio's: 0; 1 if something could not be read, started or written, or a host was lost without --accept-lost-hosts;
the number of jobs that failed; 128 when interrupted; 99 where --fail-on-grade or --assert asks for it.
";

const DISKSPD: &str = "As DISKSPD's: 0; 3 if the input could not be read; 1 if the run failed, a result could not be written, or a host was
lost without --accept-lost-hosts; 99 where --fail-on-grade or --assert asks for it.
";

const VDBENCH: &str = "As Vdbench's: 0; 157 for every failure, including a lost host without --accept-lost-hosts; 130 when interrupted; 99
where --fail-on-grade or --assert asks for it.
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory;

    #[test]
    fn every_verb_has_its_statuses_in_order_from_0() {
        let command = Cli::command();
        let shown = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        for verb in shown.map(clap::Command::get_name) {
            assert!(!of(verb).is_empty(), "{verb}");
            let codes: Vec<u8> = rows(verb).iter().map(|row| row.code).collect();
            assert!(codes.is_sorted(), "{verb}: {codes:?}");
            assert!(codes.first().is_none_or(|first| *first == 0), "{verb}");
            // clap ends with 2.
            assert!(codes.is_empty() || codes.contains(&2), "{verb}: {codes:?}");
        }
    }

    /// What runs no I/O is not interrupted, and what writes no file cannot fail to.
    #[test]
    fn a_verb_has_no_status_with_which_it_cannot_end() {
        for verb in ["show", "explain", "schema", "help", "limits"] {
            let codes: Vec<u8> = rows(verb).iter().map(|row| row.code).collect();
            assert_eq!(codes, [0, 2], "{verb}");
        }
        assert!(!of("report").contains("130"));
        // It has no condition to fail on.
        assert!(!of("confirm").contains("99 ") && of("measure").contains("99 "));
    }

    #[test]
    fn long_meanings_continue_below_their_beginning() {
        let text = of("compare");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("0    compared"));
        assert!(lines.iter().any(|line| line.starts_with("     ")), "{text}");
        assert!(lines.iter().all(|line| line.trim_end().len() <= WIDTH));
    }
}
