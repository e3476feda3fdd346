//! The table of switches of every verb that runs I/O: on which hosts it runs, and on which simulated volumes; and of
//! those of front ends alone.
//!
//! Belongs here: name, value, meaning and effect of each. The arguments of `measure`, what is taken out of the words of
//! a front end, its help, man pages and completions are made of the rows. Must never appear here: what a host or a
//! volume is.

mod whole_paths;

use crate::fold::fold;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use leadline_dialect::manual::Entry;
use leadline_study::CallerSwitch;
use std::fmt::Write as _;
use whole_paths::with_whole_paths;

/// What a command line says with these switches.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Given {
    /// `--hosts`: a list or a file.
    pub(crate) hosts: Option<String>,
    /// `--launcher`.
    pub(crate) launcher: Option<String>,
    /// What is accepted of hosts.
    pub(crate) accept: Accept,
    /// The values of `--map`, in their order.
    pub(crate) maps: Vec<String>,
    /// `--fresh-device`.
    pub(crate) fresh: bool,
    /// `--server-cache` of a front end.
    pub(crate) server_cache: Option<String>,
    /// `--fail-on-grade` of a front end.
    pub(crate) fail_on_grade: Option<String>,
    /// What is checked at the end.
    pub(crate) limits: LimitSwitches,
}

/// Limits that a result has to keep, and where that is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LimitSwitches {
    /// The values of `--assert`, in their order.
    pub(crate) asserts: Vec<String>,
    /// `--assert-strict`.
    pub(crate) strict: bool,
    /// `--setup`: options of `leadline limits`.
    pub(crate) setup: Option<String>,
    /// `--junit`.
    pub(crate) junit: Option<String>,
    /// `--markdown`.
    pub(crate) markdown: Option<String>,
}

/// What is accepted of hosts beforehand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accept {
    /// A lost host makes the run no failure, and the others continue without one that refuses the plan.
    pub(crate) lost: bool,
    /// Targets that do not lie alike on all hosts.
    pub(crate) unlike: bool,
}

/// Accepts that a host is lost.
pub(crate) const ACCEPT_LOST: &str = "accept-lost-hosts";
/// Accepts that a target is not the same storage on all hosts.
pub(crate) const ACCEPT_UNLIKE: &str = "accept-unlike-hosts";
const HOSTS: &str = "hosts";
const LAUNCHER: &str = "launcher";

/// What a switch is for: the chapters of help and man pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chapter {
    Hosts,
    Volumes,
    Labels,
    Limits,
    Grades,
}

impl Chapter {
    const ALL: [Self; 5] = [
        Self::Hosts,
        Self::Volumes,
        Self::Labels,
        Self::Limits,
        Self::Grades,
    ];

    const fn title(self) -> &'static str {
        match self {
            Self::Hosts => "Many hosts",
            Self::Volumes => "Simulated volumes",
            Self::Labels => "Labels",
            Self::Limits => "Limits",
            Self::Grades => "Grades",
        }
    }

    /// What it is for, as a text after "for".
    const fn about(self) -> &'static str {
        match self {
            Self::Hosts => "many hosts",
            Self::Volumes => "simulated volumes (a target may also be sim:LAW or sim:@FILE itself)",
            Self::Labels => "the labels of the result",
            Self::Limits => "limits on the result",
            Self::Grades => "scripts",
        }
    }

    /// Its heading in the help of a front end, beside that one's own options.
    fn heading_of_front_end(self) -> String {
        format!("leadline's own, for {}", self.about())
    }

    /// Its heading where all options are leadline's own.
    fn heading(self) -> String {
        let about = self.about();
        about[..1].to_uppercase() + &about[1..]
    }
}

/// How often a switch may be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    Once,
    Any,
}

/// A switch.
struct Row {
    /// Without its dashes.
    name: &'static str,
    /// What its value looks like; `None` = it has no value.
    value: Option<&'static str>,
    times: Times,
    chapter: Chapter,
    /// A sentence without its full stop.
    help: &'static str,
    /// What it means; without a value it gets an empty text.
    take: fn(&mut Given, &str),
}

/// All of them.
const ROWS: [Row; 13] = [
    Row {
        name: HOSTS,
        value: Some("LIST|FILE"),
        times: Times::Once,
        chapter: Chapter::Hosts,
        help: "Run on these hosts at once: a list a,b,c or a file with one host per line",
        take: |given, value| given.hosts = Some(value.to_owned()),
    },
    Row {
        name: LAUNCHER,
        value: Some("LAUNCHER"),
        times: Times::Once,
        chapter: Chapter::Hosts,
        help: "What starts a process on a host: local, ssh, slurm, or a command that contains {host} [default: ssh]",
        take: |given, value| given.launcher = Some(value.to_owned()),
    },
    Row {
        name: ACCEPT_LOST,
        value: None,
        times: Times::Once,
        chapter: Chapter::Hosts,
        help: "Do not fail if a host is lost while the others finish, and start without hosts that refuse the plan",
        take: |given, _| given.accept.lost = true,
    },
    Row {
        name: ACCEPT_UNLIKE,
        value: None,
        times: Times::Once,
        chapter: Chapter::Hosts,
        help: "Start although a target is on different file systems, mounts or servers on different hosts",
        take: |given, _| given.accept.unlike = true,
    },
    Row {
        name: "map",
        value: Some("PATH=sim:LAW"),
        times: Times::Any,
        chapter: Chapter::Volumes,
        help: "Replace PATH and everything below it with a simulated volume in virtual time; sim:@FILE reads the \
               law from a file, and * as PATH stands for every path without a --map of its own. A --map that \
               matches no target is an error",
        take: |given, value| given.maps.push(value.to_owned()),
    },
    Row {
        name: "fresh-device",
        value: None,
        times: Times::Once,
        chapter: Chapter::Volumes,
        help: "Reset simulated volumes at each stage instead of keeping their credits and caches for the whole run",
        take: |given, _| given.fresh = true,
    },
    Row {
        name: "server-cache",
        value: Some("SIZE|none|ro|warmed"),
        times: Times::Once,
        chapter: Chapter::Labels,
        help: "What is known about the server's cache: its size, that there is none, that it caches reads only, or \
               that it already holds what will be read",
        take: |given, value| given.server_cache = Some(value.to_owned()),
    },
    Row {
        name: "assert",
        value: Some("LIST"),
        times: Times::Any,
        chapter: Chapter::Limits,
        help: "Exit with 99 if the result breaks one of these limits: randread.p99<2ms,iops>100k. ROW.FIGURE of \
               iops, bw, mean, max or a percentile; ROW is a stage, workload or operation; without one, all: rates \
               of all operations together, latencies of each. The 95 % interval decides: undecided if the limit \
               lies within the interval",
        take: |given, value| given.limits.asserts.push(value.to_owned()),
    },
    Row {
        name: "assert-strict",
        value: None,
        times: Times::Once,
        chapter: Chapter::Limits,
        help: "Also exit with 99 for undecided limits",
        take: |given, _| given.limits.strict = true,
    },
    Row {
        name: "setup",
        value: Some("OPTIONS"),
        times: Times::Once,
        chapter: Chapter::Limits,
        help: "The set-up, as options of `leadline limits`; the verdict then names the published limit that the run \
               is nearest to: --setup '--vm D8s_v3 --disk 3xP30'",
        take: |given, value| given.limits.setup = Some(value.to_owned()),
    },
    Row {
        name: "junit",
        value: Some("FILE"),
        times: Times::Once,
        chapter: Chapter::Limits,
        help: "Results of the limits, or of the comparison, as JUnit XML",
        take: |given, value| given.limits.junit = Some(value.to_owned()),
    },
    Row {
        name: "markdown",
        value: Some("FILE"),
        times: Times::Once,
        chapter: Chapter::Limits,
        help: "The same as Markdown, for the summary of a CI job",
        take: |given, value| given.limits.markdown = Some(value.to_owned()),
    },
    Row {
        name: "fail-on-grade",
        value: Some("B|C|F"),
        times: Times::Once,
        chapter: Chapter::Grades,
        help: "Exit with 99 if all went well but the grade of the run is this one or worse; results are still \
               written",
        take: |given, value| given.fail_on_grade = Some(value.to_owned()),
    },
];

impl Row {
    /// As it is written, with its value.
    fn form(&self) -> String {
        match self.value {
            Some(value) => format!("--{}={value}", self.name),
            None => format!("--{}", self.name),
        }
    }

    /// Whether leadline's own verbs have it too, from here; they have grades and labels as options of their own.
    fn is_of_all(&self) -> bool {
        !matches!(self.chapter, Chapter::Grades | Chapter::Labels)
    }

    /// Whether a comparison of finished results has it: the others are of the run of `compare --interleave`.
    const fn is_of_results(&self) -> bool {
        matches!(self.chapter, Chapter::Limits)
    }

    /// Whether a comparison can do nothing with it: it is a limit of one run.
    fn is_of_one_run(&self) -> bool {
        matches!(self.name, "assert" | "assert-strict" | "setup")
    }

    /// As an argument of leadline's own verbs, where hosts have no other source than `--hosts`.
    fn arg(&self) -> Arg {
        let arg = Arg::new(self.name).long(self.name).help(self.help);
        let arg = match self.chapter {
            Chapter::Hosts if self.name != HOSTS => arg.requires(HOSTS),
            _ => arg,
        };
        // What it is given are options themselves.
        let arg = arg.allow_hyphen_values(self.name == "setup");
        match (self.value, self.times) {
            (None, _) => arg.action(ArgAction::SetTrue),
            (Some(value), Times::Once) => arg.value_name(value).action(ArgAction::Set),
            (Some(value), Times::Any) => arg.value_name(value).action(ArgAction::Append),
        }
    }
}

impl Args for Given {
    fn augment_args(command: Command) -> Command {
        let rows = ROWS.iter().filter(|row| row.is_of_all());
        rows.fold(command, |command, row| command.arg(row.arg()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Self::default();
        given.update_from_arg_matches(matches)?;
        Ok(given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for row in ROWS.iter().filter(|row| row.is_of_all()) {
            if row.value.is_some() {
                let values = matches.get_many::<String>(row.name);
                values
                    .into_iter()
                    .flatten()
                    .for_each(|value| (row.take)(self, value));
            } else if matches.get_flag(row.name) {
                (row.take)(self, "");
            }
        }
        Ok(())
    }
}

/// The same as `compare` has them: what is of a run is of that of `--interleave`, and limits of one run are not in its
/// help, since it refuses them with what is meant instead.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GivenToCompare(pub(crate) Given);

impl Args for GivenToCompare {
    fn augment_args(command: Command) -> Command {
        let rows = ROWS.iter().filter(|row| row.is_of_all());
        rows.fold(command, |command, row| {
            let arg = row.arg().hide(row.is_of_one_run());
            command.arg(match row.is_of_results() {
                true => arg,
                false => arg.help(format!("With --interleave: {}", row.help)),
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for GivenToCompare {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Given::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// The words of a front end, whose language does not know the switches.
pub(crate) struct SwitchesAndRest {
    /// What the switches say; an error if some have no value or are given twice: all of them.
    pub(crate) given: Result<Given, String>,
    /// The switches as they were written, in their order, with whole paths.
    pub(crate) own: Vec<String>,
    /// The other words, in their order.
    pub(crate) left: Vec<String>,
}

/// Takes the switches out of the words of a front end.
pub(crate) fn take_from(words: &[String]) -> SwitchesAndRest {
    let (mut given, mut left, mut seen) = (Given::default(), Vec::new(), Vec::new());
    let mut own = Vec::new();
    let mut wrong: Vec<String> = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let named = word
            .strip_prefix("--")
            .map(|word| match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word, None),
            });
        let row = named.and_then(|(name, value)| {
            let fits = |row: &&Row| row.name == name && (row.value.is_some() || value.is_none());
            Some((ROWS.iter().find(fits)?, value))
        });
        let Some((row, value)) = row else {
            left.push(word.clone());
            continue;
        };
        if row.times == Times::Once && seen.contains(&row.name) {
            wrong.push(format!("error: --{} is given twice", row.name));
        }
        seen.push(row.name);
        own.push(word.clone());
        match (row.value, value) {
            (None, _) => (row.take)(&mut given, ""),
            (Some(form), None) => match words.next() {
                Some(next) => {
                    own.push(next.clone());
                    (row.take)(&mut given, next);
                }
                None => wrong.push(format!("error: --{} needs a value: {form}", row.name)),
            },
            (Some(_), Some(value)) => (row.take)(&mut given, value),
        }
    }
    let given = match wrong.is_empty() {
        true => Ok(given),
        false => Err(wrong.join("\n")),
    };
    SwitchesAndRest {
        given,
        own: with_whole_paths(&own),
        left,
    }
}

/// The switches as studies pass them on.
pub(crate) fn of_studies() -> Vec<CallerSwitch> {
    let of = |row: &Row| CallerSwitch {
        name: row.name,
        takes_value: row.value.is_some(),
        help: row.help,
    };
    ROWS.iter().filter(|row| row.is_of_all()).map(of).collect()
}

/// Columns of the names in a front end's help.
const NAMES: usize = 26;

/// Columns of the help where its width is not known, as those of the front ends.
const WIDTH: usize = 120;

/// The end of every front end's help.
pub(crate) fn help() -> String {
    help_of(&Chapter::ALL, Chapter::heading_of_front_end)
}

/// The end of the help of studies, which have the grades among their own options.
pub(crate) fn help_of_studies() -> String {
    let chapters = [Chapter::Hosts, Chapter::Volumes, Chapter::Limits];
    help_of(&chapters, Chapter::heading)
}

fn help_of(chapters: &[Chapter], heading: fn(Chapter) -> String) -> String {
    let mut text = String::new();
    for chapter in chapters {
        let _ = write!(text, "\n{}:\n\n", heading(*chapter));
        for row in ROWS.iter().filter(|row| row.chapter == *chapter) {
            let form = row.form();
            let _ = match form.len() < NAMES {
                true => writeln!(text, "  {form:<NAMES$} {}.", row.help),
                // Its own line, the text below the others'.
                false => writeln!(text, "  {form}\n  {:NAMES$} {}.", "", row.help),
            };
        }
    }
    fold(&text, WIDTH)
}

/// What the manual of every front end ends with.
pub(crate) fn manual() -> impl Iterator<Item = Entry> {
    ROWS.iter().map(|row| Entry {
        chapter: row.chapter.title().to_owned(),
        form: row.form(),
        text: format!("{}.", row.help),
        words: vec![match row.value {
            Some(_) => format!("--{}=", row.name),
            None => format!("--{}", row.name),
        }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Verb};
    use clap::Parser;

    /// Each switch once, with a value that says whose it is.
    fn all() -> Vec<String> {
        let value = |row: &Row| row.value.map(|_| format!("={}-value", row.name));
        let word = |row: &Row| format!("--{}{}", row.name, value(row).unwrap_or_default());
        ROWS.iter()
            .filter(|row| row.is_of_all())
            .map(word)
            .collect()
    }

    #[test]
    fn a_front_end_and_the_survey_read_every_switch_alike() {
        let words = all();
        let taken = take_from(&words);
        let of_survey = ["leadline", "measure", "t"].map(str::to_owned);
        let cli = Cli::try_parse_from(of_survey.into_iter().chain(words.clone())).unwrap();
        let Verb::Measure(measure) = cli.verb else {
            panic!("{:?}", cli.verb)
        };
        let read = taken.given.unwrap();
        assert_eq!(read, measure.on);
        assert_eq!(taken.own, words);
        assert_eq!(taken.left, Vec::<String>::new());
        let expected = Given {
            hosts: Some("hosts-value".into()),
            launcher: Some("launcher-value".into()),
            accept: Accept {
                lost: true,
                unlike: true,
            },
            maps: vec!["map-value".into()],
            fresh: true,
            server_cache: None,
            fail_on_grade: None,
            limits: LimitSwitches {
                asserts: vec!["assert-value".into()],
                strict: true,
                setup: Some("setup-value".into()),
                junit: Some("junit-value".into()),
                markdown: Some("markdown-value".into()),
            },
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn a_value_may_be_a_word_of_its_own_and_other_words_stay() {
        let words = [
            "--name=a",
            "--map",
            "a=sim:x",
            "job",
            "--map=*=sim:y",
            "--fresh-device=1",
            "-h",
        ];
        let taken = take_from(&words.map(str::to_owned));
        assert_eq!(taken.given.unwrap().maps, ["a=sim:x", "*=sim:y"]);
        assert_eq!(taken.own, ["--map", "a=sim:x", "--map=*=sim:y"]);
        assert_eq!(taken.left, ["--name=a", "job", "--fresh-device=1", "-h"]);
    }

    #[test]
    fn a_switch_without_its_value_or_given_twice_is_refused() {
        for (words, wrong) in [
            (vec!["--hosts"], "error: --hosts needs a value: LIST|FILE"),
            (
                vec!["--hosts=a", "--hosts", "b"],
                "error: --hosts is given twice",
            ),
            (
                vec!["--launcher"],
                "error: --launcher needs a value: LAUNCHER",
            ),
        ] {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            assert_eq!(take_from(&words).given, Err(wrong.to_owned()), "{words:?}");
        }
    }

    #[test]
    fn help_and_manual_have_every_switch() {
        let help = help();
        for row in &ROWS {
            assert!(help.contains(&format!("\n  {}", row.form())), "{help}");
        }
        let words: Vec<String> = manual().flat_map(|entry| entry.words).collect();
        assert_eq!(words.len(), ROWS.len());
        assert!(help.lines().all(|line| line.len() <= WIDTH), "{help}");
        // Every line of a text begins in the column of the texts.
        let (column, blanks) = (NAMES + 3, " ".repeat(NAMES + 3));
        for line in help.lines().filter(|line| line.starts_with("  ")) {
            let is_name = line.starts_with("  --") && !line[2..].contains(' ');
            let is_below = line.starts_with(&blanks) && !line[column..].starts_with(' ');
            let is_row = line.starts_with("  --") && line[..column].ends_with("  ");
            assert!(is_name || is_below || is_row, "{line}");
        }
    }

    #[test]
    fn what_is_leadlines_own_is_said_where_others_have_options_too() {
        let (of_front_end, of_studies) = (help(), help_of_studies());
        for (own, plain) in [
            ("leadline's own, for many hosts:\n", "\nMany hosts:\n"),
            (
                "leadline's own, for simulated volumes (",
                "\nSimulated volumes (",
            ),
            (
                "leadline's own, for limits on the result:\n",
                "\nLimits on the result:\n",
            ),
        ] {
            assert!(of_front_end.contains(own), "{of_front_end}");
            assert!(of_studies.contains(plain), "{of_studies}");
        }
        assert!(!of_studies.contains("leadline's own"), "{of_studies}");
    }
}
