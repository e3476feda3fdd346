//! The one option table of DISKSPD's language, as data: the parser, the help, the notes on what has no
//! effect and the generated reference all read it.
//!
//! Belongs here: forms, defaults, support and a sentence of help for each option. Must never appear
//! here: what an option does to a profile (see `options`) or to a plan (see `lower`).

/// How far leadline goes with an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Done as DISKSPD does it, by Linux's means.
    Full,
    /// Accepted, and changes nothing that is measured, for this reason.
    NoEffect(&'static str),
}

/// Where a form comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// DISKSPD 2.2 and before.
    V22,
    /// DISKSPD 2.3.
    V23,
    /// Leadline's own.
    Own,
}

impl Since {
    /// Name in the reference.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V22 => "2.2",
            Self::V23 => "2.3",
            Self::Own => "leadline",
        }
    }
}

/// A form of an option. Several forms may share a letter.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The option with what its value looks like: `-b<size>`.
    pub form: &'static str,
    /// What it is when it is not given; empty = nothing.
    pub default: &'static str,
    /// How far leadline goes with it.
    pub support: Support,
    /// Whose it is.
    pub since: Since,
    /// May stand beside `-X`.
    pub with_profile: bool,
    /// Chapter of the reference.
    pub category: &'static str,
    /// What it does, in a sentence or two.
    pub help: &'static str,
}

impl OptionSpec {
    /// The character behind the dash.
    #[must_use]
    pub fn letter(&self) -> char {
        self.form.chars().nth(1).unwrap_or('-')
    }
}

const fn opt(form: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec {
        form,
        default: "",
        support: Support::Full,
        since: Since::V22,
        with_profile: false,
        category: "",
        help,
    }
}

impl OptionSpec {
    const fn or(mut self, default: &'static str) -> Self {
        self.default = default;
        self
    }

    const fn idle(mut self, reason: &'static str) -> Self {
        self.support = Support::NoEffect(reason);
        self
    }

    const fn in_23(mut self) -> Self {
        self.since = Since::V23;
        self
    }

    const fn own(mut self) -> Self {
        self.since = Since::Own;
        self.with_profile = true;
        self
    }

    const fn with_x(mut self) -> Self {
        self.with_profile = true;
        self
    }
}

const CHAPTERS: &[(&str, &[OptionSpec])] = &[
    ("Targets and files", TARGETS),
    ("I/O pattern", PATTERN),
    ("Load", LOAD),
    ("Time", TIME),
    ("Caching and data", DATA),
    ("CPUs and memory", CPUS),
    ("Results", RESULTS),
    ("Events", EVENTS),
    ("leadline's own", OWN),
];

const TARGETS: &[OptionSpec] = &[
    opt(
        "-c<size>",
        "Creates each target again with this size, filled with the bytes 0 to 255 over and over, zeros \
         asked for by -Z excepted: those become random data, so that reads reach the device. What the \
         file held is lost. 0 creates nothing.",
    ),
    opt(
        "-B<base>[:<length>]",
        "First byte that is used, and how many.",
    )
    .or("0"),
    opt(
        "-f<size>",
        "End of what is used of each target; 0 = its own end.",
    ),
    opt(
        "-f<r|s|t>",
        "Hints: r random access and s sequential access become POSIX_FADV_RANDOM and _SEQUENTIAL; t a \
         temporary file changes nothing. They combine.",
    ),
    opt("-ft", "The hint that a file is temporary.")
        .idle("Linux has no such hint; use a file on tmpfs"),
];

const PATTERN: &[OptionSpec] = &[
    opt("-b<size>", "Bytes of an I/O.").or("64K"),
    opt(
        "-r[<align>]",
        "Random I/O, each block as often as chance has it, at multiples of the alignment (the block \
         size) from the base.",
    ),
    opt(
        "-rs<percent>",
        "So many of the I/Os are random, 1 to 100; the others go on where the one before ended.",
    ),
    opt(
        "-rd<pct|abs><io>/<part>[:...]",
        "Random I/O by parts of the target: share of the I/Os in percent / part in percent or size; a \
         share of 0 is a hole.",
    ),
    opt(
        "-s[i][<stride>]",
        "Sequential I/O at this distance (the block size). With i all threads share one position.",
    ),
    opt(
        "-T<size>",
        "Thread n of a target begins n times this size after the base.",
    ),
    opt(
        "-p",
        "Each of the -o I/Os in flight goes through the target by itself, all from the same start.",
    ),
    opt("-w<percent>", "Share of writes, 0 to 100.").or("0"),
];

const LOAD: &[OptionSpec] = &[
    opt("-t<count>", "Threads of each target.").or("1"),
    opt(
        "-o<count>",
        "I/Os in flight of each thread on each target.",
    )
    .or("2"),
    opt(
        "-F<count>",
        "Threads in all; each drives all targets, with -o I/Os in flight on each. Where targets have a rate or pauses, \
         or differ in the data written, -Sm, -l or -I, a worker stands for each thread and target."),
    opt(
        "-O<count>",
        "With -F: I/Os in flight of each thread over all targets, a target is chosen at random for each I/O.",
    ),
    opt(
        "-g<count>[i]",
        "Bytes a millisecond, or with i I/Os a second, for each thread and target. I/Os start at even \
         distances; response times count from when each was due.",
    ),
    opt(
        "-i<count>",
        "With -j: I/Os of a burst, over all threads of a target.",
    ),
    opt("-j<ms>", "With -i: milliseconds between bursts."),
    opt("-x", "Completion routines rather than completion ports.")
        .idle("a completion is taken by the thread that submitted it anyway (io_uring)"),
    opt(
        "-u[n][<batch>[p]]",
        "I/O by a ring, as it always is here (io_uring): waits for N completions at once, or for N \
         percent of the queue.",
    )
    .or("25p")
    .in_23(),
    opt("-un", "A ring without registered buffers.")
        .idle("buffers are registered whenever the kernel lets them be")
        .in_23(),
    opt(
        "-oc<count>",
        "Completions taken from the port at once, 1 to 16.",
    )
    .idle("a ring hands over all that have completed")
    .in_23(),
    opt("-:<mask>", "Experiments.")
        .idle("they change how DISKSPD waits, and nothing here waits so")
        .with_x(),
    opt(
        "-I<1|2|3>",
        "I/O priority: 1 becomes the idle class, 2 the lowest best-effort level, 3 the default. Some \
         schedulers of Linux pass over it.",
    )
    .or("3"),
];

const TIME: &[OptionSpec] = &[
    opt("-d<seconds>", "Measured time.").or("10").with_x(),
    opt("-W<seconds>", "Warm-up: I/O runs and is not counted.")
        .or("5")
        .with_x(),
    opt(
        "-C<seconds>",
        "Cool-down: I/O goes on after the measured time and is not counted.",
    )
    .or("0")
    .with_x(),
];

const DATA: &[OptionSpec] = &[
    opt(
        "-S[b|u|h|w|m|r]",
        "Caching: u past the page cache (O_DIRECT), w written through (O_DSYNC), h both, b neither, m \
         memory mapped. Letters combine; bare -S is -Su.",
    )
    .or("b"),
    opt("-h", "-Sh."),
    opt("-Sr", "No local cache of a remote file system.")
        .idle("it is a switch of the SMB client of Windows; use -Su to pass by the page cache"),
    opt("-Sy, -SY", "BypassIO, partial or full; needs -Su and reads only.")
        .idle("O_DIRECT has no filters to bypass")
        .in_23(),
    opt(
        "-N<v|n|i>",
        "With -Sm: what brings a mapped write down: v msync, n the cache lines written back, i those \
         without waiting.",
    ),
    opt(
        "-Z",
        "Zeros are written rather than the bytes 0 to 255 over and over.",
    ),
    opt("-Zr", "Each write has new random data."),
    opt(
        "-Z<size>[,<file>]",
        "Each write takes a random part of a buffer of this size, filled with random data or from the \
         file.",
    ),
    opt(
        "-z[<seed>]",
        "Seed of the random choices; thread n adds n. Without a number: a new one.",
    )
    .or("0")
    .with_x(),
];

const CPUS: &[OptionSpec] = &[
    opt(
        "-a[g<n>,]<cpu>[,...]",
        "Threads run on these CPUs in turn; ranges as 0-3 too. Group g counts CPUs from 64 times g.",
    )
    .or("each thread one CPU, in order"),
    opt("-ag<n>", "Threads run on the CPUs of the group in turn.").in_23(),
    opt("-ac", "One CPU of each core first.")
        .idle("threads take the CPUs in the kernel's order; name them with -a")
        .in_23(),
    opt("-as", "Groups in turn.")
        .idle("Linux has no processor groups")
        .in_23(),
    opt("-ap, -aP, -ae, -aE, -aup", "Fast or slow cores first.")
        .idle("threads take the CPUs in the kernel's order; name them with -a")
        .in_23(),
    opt("-n", "Threads run on any CPU."),
    opt("-l", "Large pages for the buffers (hugetlbfs)."),
    opt("-bs<n|p>", "Distance of the threads' buffers.")
        .or("p")
        .idle("each worker has a mapping of its own")
        .in_23(),
];

const RESULTS: &[OptionSpec] = &[
    opt(
        "-L",
        "Latencies in the text and XML. They are measured in any case.",
    ),
    opt(
        "-D[<ms>]",
        "IOPS of intervals: their standard deviation in the text, all of them in the XML.",
    )
    .or("1000"),
    opt(
        "-R[p|s]<text|xml>",
        "Form of the results. p: shows the profile and runs nothing; s: shows the system only.",
    )
    .or("text")
    .with_x(),
    opt(
        "-X<file>",
        "Reads an XML profile. The targets of the command line stand for *1, *2 and so on in it.",
    )
    .with_x(),
    opt("-v[s]", "Reports the phases of a run on standard error, with the time: warm-up, measurement, cool-down, end. s: wait statistics: calls that waited for completions, for an I/O to be due (-g, -j), and \
         polls without waiting (lookasides), which occur only shortly before an I/O is due.").with_x(),
    opt(
        "-P[<count>]",
        "A dot on standard error for every N I/Os of a thread, in place of the progress line; dots are printed \
         at the end of each interval.",
    )
    .or("65536"),
    opt(
        "-e<q|c|s|p>, -e<NAME>",
        "Counters of the NT kernel logger: PROCESS, THREAD, IMAGE_LOAD, DISK_IO, MEMORY_PAGE_FAULTS, \
         MEMORY_HARD_FAULTS, NETWORK, REGISTRY.",
    )
    .idle("there is no such logger on Linux; the disks' own counters are kept with each run"),
    opt("-?, --help", "Shows this help."),
];

const EVENTS: &[OptionSpec] = &[
    opt(
        "-ys<event>",
        "Sets the event when the measured time begins. An event is a path: a named pipe that is there \
         gets a byte, else a file is created.",
    ),
    opt(
        "-yf<event>",
        "Sets the event when the measured time is over.",
    ),
    opt(
        "-yr<event>",
        "Waits for the event before anything starts: for a byte from the named pipe, or for the file.",
    ),
    opt(
        "-yp<event>",
        "Ends the run when the event is set; what was measured is kept.",
    ),
    opt(
        "-ye<event>",
        "Sets the event and exits with 1, as DISKSPD does.",
    ),
];

const OWN: &[OptionSpec] = &[
    opt(
        "--reuse",
        "With -c: a file that is large enough stays as it is; a smaller one grows.",
    )
    .own(),
    opt(
        "--destroy=<device>",
        "This block device may be written although it carries data; repeatable.",
    )
    .own(),
    opt("--strict", "Warnings are errors.").own(),
    opt("--xml=<file>", "Writes the XML results there as well.").own(),
    opt("--text=<file>", "Writes the text results there as well.").own(),
    opt(
        "--leadline-run=<file>|none",
        "Where the run is kept, or that it is not.",
    )
    .own(),
    opt(
        "--leadline-force",
        "--xml and --text write over files that are no results of DISKSPD or leadline.",
    )
    .own(),
];

/// All forms, chapter by chapter.
pub fn options() -> impl Iterator<Item = OptionSpec> {
    CHAPTERS.iter().flat_map(|(category, specs)| {
        specs
            .iter()
            .map(move |spec| OptionSpec { category, ..*spec })
    })
}

/// The reason why a form has no effect; empty when it has one.
pub(super) fn idle_reason(form: &str) -> &'static str {
    let spec = options().find(|spec| spec.form.split(", ").any(|one| one == form));
    match spec.map(|spec| spec.support) {
        Some(Support::NoEffect(reason)) => reason,
        _ => "",
    }
}

/// Whether any form has this letter.
pub(super) fn is_letter(letter: char) -> bool {
    options().any(|spec| spec.since != Since::Own && spec.letter() == letter)
}

/// Whether an option of this letter may stand beside `-X`.
pub(super) fn composes(letter: char) -> bool {
    options().any(|spec| spec.letter() == letter && spec.with_profile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn forms_are_unique_and_described() {
        let mut seen = BTreeSet::new();
        for spec in options() {
            assert!(seen.insert(spec.form), "{} is there twice", spec.form);
            assert!(spec.form.starts_with('-') && spec.help.len() > 3 && !spec.category.is_empty());
            if let Support::NoEffect(reason) = spec.support {
                assert!(reason.len() > 15, "{} lacks a reason", spec.form);
            }
        }
    }

    #[test]
    fn every_letter_of_diskspd_is_known_and_no_other() {
        let known: String = ('!'..='~').filter(|c| is_letter(*c)).collect();
        assert_eq!(known, ":?BCDFILNOPRSTWXZabcdefghijlnoprstuvwxyz");
        let beside: String = ('!'..='~').filter(|c| composes(*c)).collect();
        assert_eq!(beside, "-:CRWXdvz");
    }
}
