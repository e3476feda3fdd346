//! The command line of leadline's own verbs. Help, completions and man pages derive from it.

use crate::out;
use crate::switches::Given;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use leadline_model::plan::{EngineKind, ServerCache};
use leadline_model::units::Nanos;
use leadline_study::{bytes, server_cache, share_ppm, time};
use std::ffi::OsString;
use std::path::PathBuf;

mod results;

pub(crate) use results::{Compare, Plot};

/// Measure what a storage volume or disk can really do, and how far the figures can be trusted.
#[derive(Debug, Parser)]
#[command(name = "leadline", version, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Survey a directory, file or device: latency, IOPS, throughput, mix, depth; with a verdict and a report
    Measure(Measure),
    /// Continue a survey: run the experiment that separates the remaining causes
    Confirm(Confirm),
    /// One study: latency, IOPS, throughput, mix, depth, size, curve, limit and more; `leadline study --help` lists them
    #[command(disable_help_flag = true)]
    Study {
        /// The study's name or file, targets and options
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    /// Run fio job files and command lines unchanged
    #[command(disable_help_flag = true)]
    Fio {
        /// fio's arguments; `leadline fio --help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    /// Run DISKSPD command lines and profiles unchanged
    #[command(disable_help_flag = true)]
    Diskspd {
        /// DISKSPD's arguments; `leadline diskspd -?` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    /// Run Vdbench parameter files unchanged
    #[command(disable_help_flag = true)]
    Vdbench {
        /// Vdbench's arguments; `leadline vdbench --help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    /// Show what would run, for how long, and how much it would write, without running it; the exit status says
    /// whether the input is accepted
    Plan(Plan),
    /// Turn a run file into a report
    Report(Report),
    /// Compare two results, or folders of repeats: what changed, by how much, and how certain that is
    Compare(Compare),
    /// Draw any figure of runs over any axis, as SVG or PNG
    Plot(Plot),
    /// Print the JSON Schema of an output: each key with its meaning and unit
    Schema {
        /// The output
        #[arg(value_enum)]
        name: SchemaName,
    },
    /// Show a run file in the terminal, or a result of fio, DISKSPD or Vdbench
    Show {
        /// Run file, or `last` for the latest; fio's JSON or text, DISKSPD's XML or text, Vdbench's output folder
        run: PathBuf,
    },
    /// Give a run a tag that `list` shows (for example baseline); a tagged run is never removed
    Tag {
        /// Run file, or `last` for the latest
        run: PathBuf,
        /// The tag; without it the run's tag is removed
        tag: Option<String>,
    },
    /// Explain a finding: what it saw, why it matters, what to do, and what it means for the figures
    Explain {
        /// Code of the finding, such as host-busy; without it all codes are listed
        code: Option<String>,
    },
    /// Show the help of a verb
    Help {
        /// The verb
        verb: Option<String>,
    },
    /// What a provider's limits allow for a set-up, what a demand needs, and which limit a figure is at
    Limits(LimitsArgs),
    /// Check storage against an application's published requirement: pass, fail or undecided
    Check(Check),
    /// List run files with grade (A to F) and figures, grouped by target, and where the figures changed
    List(List),
    /// The agent of a run on many hosts, on standard input and output
    #[command(hide = true)]
    Agent(Agent),
    /// Write completions and man pages
    #[command(hide = true)]
    GenerateAssets {
        /// Directory to write them to
        directory: PathBuf,
    },
}

/// Arguments of `measure`.
#[derive(Args, Debug)]
#[command(
    after_help = "In a directory the survey creates its own files, overwrites no others, and \
                  deletes them at the end. An existing file or device is refused unless \
                  --destroy names it: it is overwritten."
)]
pub(crate) struct Measure {
    /// Directory, file or block device to survey
    #[arg(required = true)]
    pub(crate) target: Vec<PathBuf>,
    /// Bytes of each worker's file [default: 1g (256m with --quick)]
    #[arg(long, value_parser = bytes)]
    pub(crate) size: Option<u64>,
    /// Measured time of each point [default: 5s (2s with --quick, 30s with --full)]
    #[arg(long, value_parser = time)]
    pub(crate) time: Option<Nanos>,
    /// End each point when the 95 % intervals of its IOPS and mean latency are within this share of them, such as
    /// 2%: after a quarter of its time at the earliest and four times its time at the latest, within the total
    /// time
    #[arg(long, value_name = "SHARE", value_parser = share_ppm)]
    pub(crate) until_interval: Option<u32>,
    /// Block size of the latency, IOPS, mix and depth points [default: 4k]
    #[arg(long, value_parser = bytes)]
    pub(crate) bs: Option<u64>,
    /// Queue depth of the IOPS, throughput and mix points [default: 32]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=32768))]
    pub(crate) depth: Option<u32>,
    /// Workers of each point except the latency points [default: 1]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) jobs: Option<u32>,
    /// Use the client's page cache instead of O_DIRECT
    #[arg(long)]
    pub(crate) buffered: bool,
    /// Name of the report and the run file, without extension [default: leadline-DATE-TIME]; NAME-2, NAME-3 and so
    /// on if it exists
    #[arg(long, value_name = "NAME")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the report and the run file of that name
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
    /// Seed of all random choices [default: fresh for each run]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Fewer and shorter points: about half a minute
    #[arg(long, conflicts_with = "full")]
    pub(crate) quick: bool,
    /// More block sizes, mixes and depths, 30 s each: about 20 minutes
    #[arg(long)]
    pub(crate) full: bool,
    /// Back end
    #[arg(long, value_parser = engine(), default_value = EngineKind::default().name())]
    pub(crate) engine: EngineKind,
    /// What is known about the server's cache, for the labels of the result
    #[arg(long, value_name = "SIZE|none|ro|warmed", value_parser = server_cache)]
    pub(crate) server_cache: Option<ServerCache>,
    /// Keep the survey's files for the next run instead of deleting them
    #[arg(long)]
    pub(crate) keep: bool,
    /// The result as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Exit with 99 if the grade is this one or worse; results are still written
    #[arg(long, value_name = "GRADE", ignore_case = true)]
    pub(crate) fail_on_grade: Option<GradeLimit>,
    /// Allow overwriting this file or block device (repeatable)
    #[arg(long, value_name = "PATH")]
    pub(crate) destroy: Vec<String>,
    /// Where it runs
    #[command(flatten)]
    pub(crate) on: Given,
}

/// A grade that makes the command fail, and the worse ones with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GradeLimit {
    /// With exceptions, or worse
    #[value(name = "B")]
    B,
    /// Good for comparisons only, or worse
    #[value(name = "C")]
    C,
    /// Not to be used
    #[value(name = "F")]
    F,
}

impl GradeLimit {
    /// That of a letter.
    pub(crate) const fn of(letter: char) -> Option<Self> {
        match letter {
            'B' => Some(Self::B),
            'C' => Some(Self::C),
            'F' => Some(Self::F),
            _ => None,
        }
    }

    /// What a word of a front end's switch means.
    pub(crate) fn read(word: &str) -> Result<Self, String> {
        let mut letters = word.chars().map(|letter| letter.to_ascii_uppercase());
        let one = letters.next().filter(|_| letters.next().is_none());
        let wrong = || format!("error: --fail-on-grade={word}: expected B, C or F");
        one.and_then(Self::of).ok_or_else(wrong)
    }

    /// Its letter.
    pub(crate) const fn letter(self) -> char {
        match self {
            Self::B => 'B',
            Self::C => 'C',
            Self::F => 'F',
        }
    }
}

/// Arguments of `confirm`.
#[derive(Args, Debug)]
#[command(
    after_help = "The experiment uses the survey's target and settings, with points four times as long. The new run \
                  file also holds the survey, and its verdict covers both. A simulated volume is reset."
)]
pub(crate) struct Confirm {
    /// Run file of a survey, or `last` for the latest
    pub(crate) run: PathBuf,
    /// Name of the report and the run file, without extension [default: that of RUN with -confirmed]; NAME-2, NAME-3
    /// and so on if it exists
    #[arg(long, value_name = "NAME")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the report and the run file of that name
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
    /// Keep the survey's files for the next run instead of deleting them
    #[arg(long)]
    pub(crate) keep: bool,
    /// The result as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Allow overwriting this file or block device (repeatable): it is overwritten, as in the survey
    #[arg(long, value_name = "PATH")]
    pub(crate) destroy: Vec<String>,
}

/// Arguments of `limits`.
#[derive(Args, Debug)]
#[command(
    after_help = "A rate is 2000MiB/s, 192MB/s or a number of IOPS (78.3k). A file for --limits has the same form \
                  as the built-in one: tables [[level]], [[volume]], [[disk]], [[machine]], [[slots]] and [[flow]], \
                  each with a source."
)]
pub(crate) struct LimitsArgs {
    /// Service level: anf-standard, anf-premium, anf-ultra, anf-flexible, gcnv-standard, gcnv-premium, gcnv-extreme,
    /// gcnv-flex and others
    #[arg(long, value_name = "S")]
    pub(crate) service: Option<String>,
    /// Quota of the volume
    #[arg(long, value_name = "SIZE")]
    pub(crate) quota: Option<String>,
    /// Treat as a large volume, even if its quota fits a regular one
    #[arg(long)]
    pub(crate) large: bool,
    /// Throughput set for the volume, or for its pool where that is set
    #[arg(long, value_name = "RATE")]
    pub(crate) assigned: Option<String>,
    /// Size of the pool that the volume is in
    #[arg(long, value_name = "SIZE")]
    pub(crate) pool: Option<String>,
    /// Disks of each machine: how many, of which kind, and the host's cache (none, ro, rw); a size, IOPS or
    /// throughput where the kind has them: 3xP30:none,P30:ro or gp3:500GiB:6000iops
    #[arg(long, value_name = "LIST")]
    pub(crate) disk: Vec<String>,
    /// Size of the machines, and how many
    #[arg(long, value_name = "V:N")]
    pub(crate) vm: Option<String>,
    /// Version of NFS: 3 or 4.1
    #[arg(long, value_name = "VERSION")]
    pub(crate) nfs: Option<String>,
    /// TCP connections of a mount (nconnect)
    #[arg(long, value_name = "K")]
    pub(crate) nconnect: Option<String>,
    /// Bytes of an I/O
    #[arg(long, value_name = "SIZE")]
    pub(crate) bs: Option<String>,
    /// Share of reads in percent
    #[arg(long, value_name = "PERCENT")]
    pub(crate) read: Option<String>,
    /// Latency at queue depth 1
    #[arg(long, value_name = "TIME")]
    pub(crate) latency: Option<String>,
    /// I/Os in flight in total
    #[arg(long, value_name = "N")]
    pub(crate) inflight: Option<String>,
    /// TCP connections in total
    #[arg(long, value_name = "K")]
    pub(crate) flows: Option<String>,
    /// Required rate: adds the headroom, and the smallest quota of each level and disk set that meets it
    #[arg(long, value_name = "RATE")]
    pub(crate) demand: Option<String>,
    /// Measured rate, to find which limit it is at. Operations and disk paths separately, and after @ the IOPS
    /// that the generator was limited to: read:cached:78.3k,write:uncached:12.6k@12800
    #[arg(long, value_name = "LIST")]
    pub(crate) measured: Vec<String>,
    /// A result, to find which limit each of its stages is at: a run file, `last` for the latest, or output of
    /// fio, Vdbench or DISKSPD
    #[arg(long, value_name = "RESULT", conflicts_with = "measured")]
    pub(crate) run: Option<PathBuf>,
    /// Table of what each service level gives for each quota
    #[arg(long)]
    pub(crate) table: bool,
    /// Describe this machine: its system, and size, region and disks from the cloud's metadata service
    #[arg(long)]
    pub(crate) here: bool,
    /// More rows, replacing built-in or earlier rows with the same key (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) limits: Vec<PathBuf>,
    /// The result as JSON on standard output; `leadline schema limits` describes every key
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `agent`.
#[derive(Args, Debug)]
pub(crate) struct Agent {
    /// Print the name of this build and exit
    #[arg(long)]
    pub(crate) build: bool,
    /// Number of simulated hosts, each with its own named pipes
    #[arg(long, value_name = "N", requires = "fifos")]
    pub(crate) sim: Option<u32>,
    /// Directory of the pipes: 0.in, 0.out and so on
    #[arg(long, value_name = "DIR", requires = "sim")]
    pub(crate) fifos: Option<PathBuf>,
}

/// Takes the name of a back end that asks storage for each block, and shows what each is.
fn engine() -> impl TypedValueParser<Value = EngineKind> {
    let rows = EngineKind::ALL.into_iter().map(EngineKind::powers);
    let named = rows
        .filter(|powers| powers.asks_storage())
        .map(|powers| PossibleValue::new(powers.name).help(powers.about));
    PossibleValuesParser::new(named).map(|name| EngineKind::named(&name).unwrap_or_default())
}

/// Arguments of `plan`.
#[derive(Args, Debug)]
pub(crate) struct Plan {
    /// The plan as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The plan as a job of this tool: fio for any plan, the others only for plans read from their own language
    #[arg(long = "as", value_enum, conflicts_with = "json")]
    pub(crate) job: Option<JobOf>,
    /// Whose arguments follow: measure, or a front end
    #[arg(value_enum)]
    pub(crate) dialect: DialectName,
    /// Its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) args: Vec<OsString>,
}

/// Whose job a plan is printed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JobOf {
    /// A job file; comments say what fio cannot do
    Fio,
    /// The parameter file as leadline read it
    Vdbench,
    /// The XML profile
    Diskspd,
}

/// What a plan is made of.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DialectName {
    /// The arguments of `leadline measure`
    Measure,
    /// Those of `leadline study`
    Study,
    /// Those of fio
    Fio,
    /// Those of DISKSPD
    Diskspd,
    /// Those of Vdbench
    Vdbench,
}

/// Outputs that have a schema.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SchemaName {
    /// `leadline report RUN --json` and `leadline measure --json`
    Run,
    /// `leadline plan --json`
    Plan,
    /// `leadline compare --json`
    Compare,
    /// A study file, as a table of TOML
    Study,
    /// `leadline limits --json`
    Limits,
    /// `leadline list --json`
    List,
    /// `leadline check --json`
    Check,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
#[command(
    after_help = "A test passes if its figure's whole 95 % interval meets the limit, fails if none of it does, and \
                  is undecided otherwise. Existing files are never overwritten; the check's own files are removed at its end."
)]
pub(crate) struct Check {
    /// The profile; without it, all are listed with limits and sources
    pub(crate) profile: Option<String>,
    /// The directory, or sim:LAW for a simulated volume
    #[arg(value_name = "DIRECTORY")]
    pub(crate) target: Option<String>,
    /// Your own profiles instead of the built-in ones (TOML)
    #[arg(long, value_name = "FILE")]
    pub(crate) profiles: Option<PathBuf>,
    /// The verdict, or the list, as JSON; `leadline schema check` describes every key
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `list`.
#[derive(Args, Debug)]
#[command(
    after_help = "On a terminal, runs of the same target and workload are grouped, with the points where IOPS, p50 \
                  or p99 changed for good: E-divisive with Student's test, as in Apache Otava (p < 0.001, at least \
                  2 %); a change seen in one run only is not reported. Elsewhere each run is a line.\n\n\
                  Runs without a path of their own are kept in $XDG_STATE_HOME/leadline, or \
                  ~/.local/state/leadline. Runs there without a tag are removed after 90 days, or oldest first when \
                  together they exceed 1 GiB; runs elsewhere are never removed."
)]
pub(crate) struct List {
    /// Where to look [default: the current directory, then leadline's own]
    pub(crate) directory: Option<PathBuf>,
    /// Runs grouped by target, with changes, also if standard output is not a terminal
    #[arg(long, group = "list_form")]
    pub(crate) history: bool,
    /// A line for each run, also on a terminal
    #[arg(long, group = "list_form")]
    pub(crate) lines: bool,
    /// The history as JSON; `leadline schema list` describes every key
    #[arg(long, group = "list_form")]
    pub(crate) json: bool,
}

/// Arguments of `report`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Report {
    /// Run file, or `last` for the latest; several are shown on one page, with what differs and what changed
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<PathBuf>,
    /// Label of a run, once for each of several, in order [default: what distinguishes them: names, hosts,
    /// machines or files]
    #[arg(long, value_name = "NAME")]
    pub(crate) label: Vec<String>,
    /// One self-contained HTML page (default)
    #[arg(long, group = "form")]
    pub(crate) html: bool,
    /// leadline's own JSON; `leadline schema run` describes every key
    #[arg(long, group = "form")]
    pub(crate) json: bool,
    /// The interval series as CSV
    #[arg(long, group = "form")]
    pub(crate) csv: bool,
    /// Hosts and targets as CSV
    #[arg(long, group = "form")]
    pub(crate) csv_parts: bool,
    /// Totals of each workload, operation and stage as CSV
    #[arg(long, group = "form")]
    pub(crate) csv_totals: bool,
    /// The histograms of all intervals as an HdrHistogram interval log
    #[arg(long, group = "form")]
    pub(crate) hdr: bool,
    /// Tables for a terminal
    #[arg(long, group = "form")]
    pub(crate) text: bool,
    /// In the output format of another tool
    #[arg(long = "as", group = "form", value_enum)]
    pub(crate) shape: Option<Shape>,
    /// Write to this file instead of standard output [default for HTML: RUN.html, for several runs
    /// the first unused of curves.html, curves-2.html, ...; for vdbench a directory: RUN.output]
    #[arg(long, short, visible_alias = "out")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a file that is not a leadline report
    #[arg(long)]
    pub(crate) force: bool,
    /// Exit with 99 if the grade of a run is this one or worse; the report is still written
    #[arg(long, value_name = "GRADE", ignore_case = true)]
    pub(crate) fail_on_grade: Option<GradeLimit>,
}

/// Shapes of other tools' outputs.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Shape {
    /// fio's normal text
    Fio,
    /// fio's JSON
    FioJson,
    /// fio's JSON with histogram bins
    FioJsonPlus,
    /// DISKSPD's text (-Rtext)
    Diskspd,
    /// DISKSPD's XML (-Rxml)
    DiskspdXml,
    /// Vdbench's output directory, named by --output
    Vdbench,
}

/// Arguments as text. What is not UTF-8 is refused with a message: read in another way it would name another file.
pub(crate) fn words(args: &[OsString]) -> Option<Vec<String>> {
    let mut words = Vec::with_capacity(args.len());
    for arg in args {
        let Some(word) = arg.to_str() else {
            out::say(&format!("error: {arg:?} is not UTF-8"));
            out::say("  hint: rename the file, or use a link with a UTF-8 name");
            return None;
        };
        words.push(word.to_owned());
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    /// Each word of the help of `plot` and of the pages about it.
    #[test]
    fn every_axis_of_a_plot_is_named_where_they_are_listed() {
        let mut command = Cli::command();
        let plot = command.find_subcommand_mut("plot").unwrap();
        let help = plot.render_long_help().to_string();
        let help = help.split_once("AXIS is ").unwrap().1;
        let help: Vec<&str> = help.split([',', ' ', ';', '\n']).collect();
        let guide = include_str!("../../../docs/guide/plot.md");
        let reference = include_str!("../../../docs/reference/outputs.md");
        for axis in leadline_results::render::plot::PlotAxis::all() {
            let name = axis.name();
            assert!(help.contains(&name), "plot --help: {name}");
            for page in [guide, reference] {
                assert!(page.contains(&format!("`{name}`")), "{name}");
            }
        }
    }

    #[test]
    fn sizes_and_times_are_read_with_units_and_refused_in_words() {
        assert_eq!(bytes("4k"), Ok(4096));
        assert_eq!(bytes("1GiB"), Ok(1 << 30));
        assert_eq!(
            bytes("1.5g"),
            Err("'1.5' is not a whole number of bytes, such as 4k or 1g".into())
        );
        assert!(bytes("4q").is_err_and(|e| e.contains("not a unit")));
        assert!(bytes("0").is_err());
        assert!(bytes("99999999999t").is_err());
        assert_eq!(time("500ms"), Ok(Nanos::from_millis(500)));
        assert_eq!(time("2"), Ok(Nanos::from_secs(2)));
        assert!(time("1ms").is_err());
        assert!(time("5parsecs").is_err());
    }
}
