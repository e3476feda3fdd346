//! Help and reference, made of the tables.
//!
//! Belongs here: text for people. Must never appear here: facts about keywords that the table lacks.

use crate::switches::SWITCHES;
use crate::table::{KeywordSpec, Object, Support, keywords};
use leadline_text::markup::cell;
use std::fmt::Write;

/// `--help`: the switches of the command line.
#[must_use]
pub fn usage() -> String {
    let mut text = String::from("vdbench -f FILE... [switches] [name=value...]\n\n");
    for switch in SWITCHES {
        let idle = match switch.support {
            Support::Full => "",
            Support::NoEffect(_) => " (no effect here)",
            Support::Refused(_) => continue,
        };
        let name = format!("{}{}", switch.name, switch.takes.shown(' '));
        let _ = writeln!(text, "  {name:<22} {}{idle}", switch.help);
    }
    text.push_str("\nThe keywords of parameter files: man leadline-vdbench, or docs/reference/vdbench.md in the source\n");
    text
}

/// Where leadline accepts more than Vdbench, or says what Vdbench does not: (what, the diagnostic's
/// name).
const KINDER: &[(&str, &str)] = &[
    (
        "An included file is searched for in the directory of the including file, then in the \
         current directory, then in the parent directory. Vdbench searches the parent and the \
         current directory.",
        "`include-with-others`",
    ),
    (
        "Host names are resolved when the run starts. Vdbench resolves them while parsing, with \
         `-s` too.",
        "",
    ),
    (
        "Points of a curve are computed in 64 bits; Vdbench overflows above 21 million I/Os a \
         second.",
        "",
    ),
    (
        "An unclosed quote takes the rest of the line, as in Vdbench, which does not report it.",
        "`quote-not-closed`",
    ),
    ("A percentage over 100 counts as 100.", "`percent-over-100`"),
    (
        "The output folder has no output of Java programs (`<host>-0.stdout.html`), no messages of the system \
         (`<host>.var_adm_msgs.html`) and no data for Swat (`swat_mon.txt`, `swat_mon_total.txt`); it has `report.html` \
         and leadline's own run file besides. jvms= gives no page for each Java program: one program does the I/O of a host.",
        "",
    ),
    (
        "A workload's rdpct= and writepct= keep their fractions: rdpct=83.14 runs as 83.14. \
         Vdbench truncates these two to whole percents, here 83, but keeps the fractions of \
         forrdpct=, rhpct=, whpct= and seekpct=.",
        "",
    ),
    (
        "Skews that leave nothing for a workload without one: listed by `-s`, refused by a run. \
         Vdbench runs them with different shares.",
        "`skew-over-100`",
    ),
    (
        "An open flag that Linux does not have: listed by `-s`, refused by a run. In Vdbench, \
         the slave refuses it after the start.",
        "`unknown-flag`",
    ),
    (
        "Text after a blank is ignored; if it looks like a parameter, a message says so.",
        "`text-after-blank`",
    ),
    (
        "A size that is not a multiple of 1m is filled to its end; Vdbench fills whole writes of \
         128k.",
        "`size-not-whole`",
    ),
    (
        "A workload with a single I/O size that is not a multiple of 512 runs.",
        "`size-not-of-512`",
    ),
    (
        "The format run is skipped when the first run itself writes all of the storage once; \
         Vdbench writes it twice.",
        "`format-left-out`",
    ),
    (
        "A run with seekpct=eof is counted completely; Vdbench excludes its first interval, and \
         shows NaN when there is no second.",
        "",
    ),
    (
        "A lost host ends only its own part; the run then completes on the others and fails, \
         unless `--accept-lost-hosts` is given. The rows that follow are marked.",
        "",
    ),
    (
        "Hosts are refused before anything is created when the directory of their files is on a \
         different file system, mount or server on one of them; `--accept-unlike-hosts` accepts \
         it.",
        "",
    ),
    (
        "The user for a host may be omitted; OpenSSH's configuration then applies.",
        "`shell-is-ssh`",
    ),
    (
        "Priorities may have gaps: only their order counts. Vdbench requires 1, 2, 3 ... without \
         a gap.",
        "`priority-gap`",
    ),
    (
        "A keyword that Vdbench has on Solaris only or no longer has (psrset=, swat=) is ignored.",
        "`no-effect`",
    ),
    (
        "forcompression= takes several values; Vdbench fails at 0.",
        "",
    ),
    (
        "A device may be used without o_direct.",
        "`device-not-direct`",
    ),
];

/// Where Vdbench accepts what leadline refuses, or is finer, apart from what is not supported.
const STRICTER: &[(&str, &str)] = &[
    (
        "A range whose end is not above its start, negative times, sizes and numbers of threads.",
        "`value-not-understood`",
    ),
    (
        "A list without its closing parenthesis; Vdbench accepts it as it is.",
        "`list-not-closed`",
    ),
    (
        "A part of a storage that is smaller than one I/O: listed by `-s` with a warning, refused by a run.",
        "`storage-too-small`",
    ),
    (
        "Storage with threads=0: listed by `-s` with a warning; Vdbench fails when the run \
         starts.",
        "`no-threads`",
    ),
];

/// The reference of all keywords and switches in Markdown.
#[must_use]
pub fn reference_markdown() -> String {
    let mut text = String::from(
        "# Vdbench parameter files\n\nGenerated from the keyword table; do not edit. `full`: as \
         in Vdbench 5.04.07. `no effect`: accepted but changes nothing, for the reason given. \
         `refused`: an error that gives the reason.\n\nA file is a stream of `keyword=value`, \
         separated by commas or new lines, in the order general parameters, hd, sd, wd, rd. Text \
         after a blank, and lines that begin with `*`, `#` or `/`, are comments. Keywords may be \
         shortened to two characters or more and then mean the first match in these tables, \
         except those marked `whole`. `name=default` sets the defaults of later definitions of \
         the same kind. `$name` and `!name` are replaced by the value of `name=value` on the \
         command line; a line with `$host`, `#host` or `#hosts` is repeated for each host.\n",
    );
    let objects = [
        Object::General,
        Object::Hd,
        Object::Sd,
        Object::Wd,
        Object::Rd,
        Object::Fsd,
        Object::Fwd,
    ];
    for object in objects {
        let name = object.name();
        let title = name[..1].to_uppercase() + &name[1..];
        let _ = write!(
            text,
            "\n## {title}\n\n| keyword | value | default | support | what it does |\n|---|---|---|---|---|\n"
        );
        for spec in keywords().iter().filter(|s| s.object == object) {
            let _ = writeln!(text, "{}", row(spec));
        }
    }
    text.push_str("\n## Command line\n\n| switch | support | what it does |\n|---|---|---|\n");
    for switch in SWITCHES {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} |",
            switch.name,
            support(switch.support),
            cell(switch.help)
        );
    }
    for (title, rows) in [
        ("Where leadline is more tolerant", KINDER),
        ("Where leadline is stricter", STRICTER),
    ] {
        let _ = write!(text, "\n## {title}\n\n| what | said as |\n|---|---|\n");
        for (what, code) in rows {
            let _ = writeln!(text, "| {} | {code} |", cell(what));
        }
    }
    text
}

fn row(spec: &KeywordSpec) -> String {
    let mut names = format!("`{}`", spec.name);
    for alias in spec.aliases {
        let _ = write!(names, ", `{alias}`");
    }
    if spec.exact {
        names.push_str(" (whole)");
    }
    let default = spec.default.map(|d| format!("`{d}`")).unwrap_or_default();
    format!(
        "| {names} | {} | {default} | {} | {} |",
        cell(spec.kind.name()),
        cell(&spec.support_word()),
        cell(spec.help)
    )
}

fn support(support: Support) -> String {
    match support {
        Support::Full => "full".to_owned(),
        Support::NoEffect(reason) => format!("no effect: {}", cell(reason)),
        Support::Refused(reason) => format!("refused: {}", cell(reason)),
    }
}
