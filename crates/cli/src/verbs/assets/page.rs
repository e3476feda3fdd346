//! The man page of a front end: how it is called, then every switch, option and keyword of its language.
//!
//! Belongs here: the order and form of such a page. Must never appear here: what an option does (its table
//! says that).

use super::verbatim;
use crate::switches;
use leadline_dialect::manual::Entry;

/// A front end, as its page and its completions see it.
pub(super) struct FrontEnd {
    /// Its verb.
    pub(super) verb: &'static str,
    synopsis: &'static str,
    description: &'static str,
    /// What its tables hold.
    tables: fn() -> Vec<Entry>,
}

/// All front ends.
pub(super) const FRONT_ENDS: [FrontEnd; 4] = [
    FrontEnd {
        verb: "fio",
        synopsis: "[switches] [options] [job files]",
        description: "Runs fio's job files and command lines unchanged and prints the results in fio's shapes. A \
                      value that fio silently misreads gives a warning; what is not supported is refused by name, \
                      before anything is written. A run file is kept as well: leadline-report(1) makes a report of \
                      it. `leadline plan fio ...` shows what would run. On a command line, options of jobs are \
                      written as --name=value.",
        tables: || leadline_fio::manual().collect(),
    },
    FrontEnd {
        verb: "vdbench",
        synopsis: "-f FILE... [switches] [name=value...]",
        description: "Runs Vdbench's parameter files unchanged and writes Vdbench's output folder. What is not \
                      supported is refused by name, before anything is written. A run file is kept as well: \
                      leadline-report(1) makes a report of it. `leadline plan vdbench ...` shows what would run. \
                      In a parameter file, keywords may be shortened to two characters or more.",
        tables: || leadline_vdbench::manual().collect(),
    },
    FrontEnd {
        verb: "diskspd",
        synopsis: "[options] TARGET...",
        description: "Runs DISKSPD's command lines and profiles unchanged and prints the results \
                      as DISKSPD does. A target is a file or a block device. Values follow their \
                      option directly: -b4K. Sizes take K, M, G, T (powers of 1024) or b \
                      (blocks); `/` can be used instead of `-`. A run file is kept as well: \
                      leadline-report(1) makes a report of it. `leadline plan diskspd ...` shows \
                      what would run.",
        tables: || leadline_diskspd::manual().collect(),
    },
    FrontEnd {
        verb: "study",
        synopsis: "NAME TARGET... [options]",
        description: "Answers one question about a volume. The study chooses the points to measure and interprets them. \
                      NAME is a study, or the path of a TOML file with the same options as keys, `study` \
                      and `target`; `leadline schema study` describes it. A target is a directory, in which the study \
                      makes files of its own, or files and block devices that --destroy names too. Lists are 1,4,16, or \
                      1..64 (doubling), or 10..100:10 (in steps). `leadline plan study ...` shows points, time and \
                      bytes first.",
        tables: || leadline_study::manual().collect(),
    },
];

impl FrontEnd {
    /// All that its words may be: its own language, and the switches of every verb that runs I/O which it does not have
    /// itself.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        let own = (self.tables)();
        let words: Vec<String> = own.iter().flat_map(|entry| entry.words.clone()).collect();
        let has = move |word: &String| words.iter().any(|own| own == word.trim_end_matches('='));
        let others = switches::manual().filter(move |entry| !entry.words.iter().any(&has));
        own.into_iter().chain(others)
    }

    /// The page up to its entries' end; `about` is the verb's line of help.
    pub(super) fn page(&self, about: &str) -> String {
        let verb = self.verb;
        let version = env!("CARGO_PKG_VERSION");
        let mut text = format!(
            ".TH leadline\\-{verb} 1 \"\" \"leadline {version}\"\n.SH NAME\nleadline\\-{verb} \\- {}\n\
             .SH SYNOPSIS\n\\fBleadline {verb}\\fR {}\n.SH DESCRIPTION\n{}\n.SH OPTIONS\n",
            escaped(about),
            escaped(self.synopsis),
            escaped(self.description)
        );
        let mut chapter = String::new();
        for entry in self.entries() {
            if entry.chapter != chapter {
                text += &format!(".SS {}\n", escaped(&entry.chapter));
                chapter = entry.chapter;
            }
            text += &format!(
                ".TP\n\\fB{}\\fR\n{}\n",
                escaped(&entry.form),
                escaped(&entry.text)
            );
        }
        text
    }
}

/// A line of text on a page.
fn escaped(text: &str) -> String {
    verbatim(text).trim_end().to_owned()
}
