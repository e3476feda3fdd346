//! Table: the keywords of Vdbench's language, by object and in the order in which an abbreviation is
//! matched. Parser, nearest-name hints and the generated reference all read it.
//!
//! Belongs here: names, kinds, defaults, support and a sentence of help for each keyword. Must never
//! appear here: what a keyword does to a plan (see `lower`).

pub use leadline_dialect::spec::Support;

/// The objects of a parameter file, in the order in which they must come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    /// Before the first object.
    General,
    /// Host definition.
    Hd,
    /// Storage definition.
    Sd,
    /// File system definition.
    Fsd,
    /// Workload definition.
    Wd,
    /// File system workload definition.
    Fwd,
    /// Run definition.
    Rd,
}

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The name of the object that begins here, or `default`.
    Name,
    /// Names: a list, a range such as `(sd1-sd4)`, one trailing `*`.
    Names,
    /// Any text.
    Text,
    /// Any number of values, not looked at.
    Free,
    /// A whole number.
    Count,
    /// A number of bytes, or `(bytes,n)`: the n-th part of them.
    Bytes,
    /// A number of bytes that is a multiple of 512.
    Blocks,
    /// 0 to 100.
    Percent,
    /// A number above 0, fractions allowed.
    Ratio,
    /// Seconds; `m` and `h` are minutes and hours.
    Time,
    /// `yes` or `no`.
    YesNo,
    /// One of these words, or the beginning of one.
    Choice(&'static [&'static str]),
    /// A size, `(size,percent,...)` or `(smallest,largest,step)`.
    Transfer,
    /// How random: 0 to 100, `random`, `sequential`, `seqnz`, `eof`, `(poisson,n)`.
    Seek,
    /// A rate, a list or range of rates, `max`, `curve`, `n%`.
    Rate,
    /// Numbers: a list, `(1-10,1)` in steps, `(1-64,d)` doubling.
    Numbers,
    /// Sizes of I/Os in bytes, as numbers are.
    Sizes,
    /// Sizes of areas in bytes, as numbers are.
    Areas,
    /// A number of streams, or `(number,size)`.
    Streams,
    /// A number, 0 or above.
    Limit,
    /// `(from,to)`: percent up to 200, else bytes.
    Extent,
    /// `(smallest,largest)` in bytes.
    Pair,
    /// `(first,how many)`.
    Series,
    /// Flags for opening a file.
    Flags,
    /// How I/Os spread in time.
    Distribution,
    /// How many errors end the run.
    Errors,
    /// Bounds of a histogram in microseconds; `u`, `m` and `s` are understood.
    Bounds,
    /// `(command,[cons|sum|log],[master|slave],[abort])`.
    Command,
    /// Which pages are written.
    Pages,
    /// A number of rounds, or a time with `s`, `m` or `h`.
    Repeat,
}

/// A keyword.
#[derive(Clone, Copy, Debug)]
pub struct KeywordSpec {
    /// Where it stands.
    pub object: Object,
    /// Its full name.
    pub name: &'static str,
    /// Other full names, matched at the same place.
    pub aliases: &'static [&'static str],
    /// It may not be abbreviated.
    pub exact: bool,
    /// What a value looks like.
    pub kind: Kind,
    /// Default, as text in the keyword's own grammar; `None` when there is none.
    pub default: Option<&'static str>,
    /// How far leadline goes with it.
    pub support: Support,
    /// What it does, in one sentence.
    pub help: &'static str,
}

use Kind::*;
use Object::*;

const fn key(
    object: Object,
    name: &'static str,
    kind: Kind,
    default: &'static str,
    help: &'static str,
) -> KeywordSpec {
    KeywordSpec {
        object,
        name,
        aliases: &[],
        exact: false,
        kind,
        default: if default.is_empty() {
            None
        } else {
            Some(default)
        },
        support: Support::Full,
        help,
    }
}

impl KeywordSpec {
    const fn also(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    const fn whole(mut self) -> Self {
        self.exact = true;
        self
    }

    const fn idle(mut self, reason: &'static str) -> Self {
        self.support = Support::NoEffect(reason);
        self
    }

    const fn no(mut self, reason: &'static str) -> Self {
        self.support = Support::Refused(reason);
        self
    }
}

const FILES: &str = "file system workloads (FSD, FWD) are not supported yet; raw workloads are";
const VALIDATE: &str = "data validation and journals are not supported yet";
const REPLAY: &str = "replaying a trace is not supported yet";
const JAVA: &str = "there is no Java machine here: one process does the work of a host";
const SOLARIS: &str = "it belongs to Solaris";
const DEDUP: &str =
    "only dedupratio and dedupunit shape the data; how duplicates are spread is not settable";

/// All keywords. Within an object, the first of which the text is a beginning is meant.
pub const KEYWORDS: &[KeywordSpec] = &[
    // General.
    key(General, "compratio", Ratio, "1", "Written data compresses n:1, at most 25:1."),
    key(General, "compression", Percent, "", "Written data compresses to N percent."),
    key(General, "include", Text, "", "Reads another file in place of this line.").whole(),
    key(General, "dedupratio", Ratio, "1", "Written data can be reduced n:1 by finding duplicates."),
    key(General, "dedupunit", Blocks, "", "Size of the blocks that are compared for duplicates."),
    key(General, "dedupsets", Text, "5%", "How many different duplicates there are.").idle(DEDUP),
    key(General, "deduphotsets", Free, "", "Duplicates that come more often.").idle(DEDUP),
    key(General, "dedupflipflop", YesNo, "no", "Changes duplicates to and fro.").idle(DEDUP),
    key(General, "compressionseed", Text, "", "Seed of the data written.")
        .idle("written data is generated again for each run"),
    key(General, "port", Count, "5570", "Port the hosts connect to.")
        .idle("hosts speak over their launcher's standard input and output: no port is open"),
    key(General, "pattern", Text, "", "A file whose content is written, over and over: each write takes a part of a buffer filled from it."),
    key(General, "data_errors", Errors, "50", "Aborts a run after N I/O errors; a run with fewer errors completes, and the runs after it are skipped. `(errors,seconds)`: or SECONDS after the first error. A command: it is started at the first error, with the output directory, lun, offset, size and error number, and everything ends. `remove`: the storage of the first error does no more I/O, the others complete the run, and the runs after it are skipped.")
        .also(&["dataerrors"]),
    key(General, "swat", Free, "", "Removed from Vdbench.").idle("Vdbench has removed it as well"),
    key(General, "validate", Free, "no", "Checks what was written when it is read again.").no(VALIDATE),
    key(General, "journal", Free, "no", "Keeps a journal of what was written.").whole().no(VALIDATE),
    key(General, "startcmd", Command, "", "Command that runs before each run.")
        .also(&["start_cmd"])
        .whole(),
    key(General, "endcmd", Command, "", "Command that runs after each run.")
        .also(&["end_cmd"])
        .whole(),
    key(General, "heartbeat_error", Free, "", "Command for a host that is silent.")
        .whole()
        .idle("a host that is silent is named, and the others go on"),
    key(General, "debug", Free, "", "Switches of Vdbench's insides.").whole().idle("it switches Vdbench's insides"),
    key(General, "unix2windows", Free, "", "Changes paths for hosts with Windows.").idle("no host has Windows"),
    key(General, "formatxfersize", Blocks, "128k", "Size of the writes that fill files to their size."),
    key(General, "create_anchors", Free, "no", "Creates directories above an anchor.").idle(FILES),
    key(General, "formatsds", YesNo, "", "Files are filled to their size before the first run, or never; by default where they are too small."),
    key(General, "report", Pages, "", "`host_detail`, `slave_detail`: pages for each storage of each host, of each slave; `no_sd_detail`: no pages for storage."),
    key(General, "report_run_totals", Free, "no", "Shows the sums of all runs at the end.")
        .idle("the sums are in the report"),
    key(General, "histogram", Bounds, "(20,40,60,80,100,200,400,600,800,1m,2m,4m,6m,8m,10m,20m,40m,60m,80m,100m,200m,400m,600m,800m,1s,2s)", "Bounds of the histograms shown; `suppress` leaves out empty rows."),
    key(General, "psrset", Free, "", "Processor set.").idle(SOLARIS),
    key(General, "auxreport", Free, "", "Command whose output joins the report.").no("a report of another program is not supported"),
    key(General, "monitor", Text, "", "File that ends the run early: `end_rd` or `end_vdbench` in it."),
    key(General, "concatenatesds", YesNo, "no", "All storage of a workload is one range; threads then belong to the workload."),
    key(General, "messagescan", Free, "", "Follows the system's messages.").idle("the system's messages are not read"),
    key(General, "abort_failed_skew", Ratio, "", "Aborts after a run in which a workload's share misses its skew= by more than N percentage points."),
    key(General, "misc", Free, "", "Sizes of Vdbench's queues.").idle("there are no such queues here"),
    key(General, "pattern_buffer", Bytes, "", "Size of the buffer data is taken from.").whole().idle("data is made for each write"),
    key(General, "showlba", YesNo, "no", "Writes a trace of all I/O.").whole().no("a trace of each I/O is not supported yet"),
    key(General, "loop", Repeat, "", "Repeats all runs so often, or for so long.").whole(),
    key(General, "timeout", Free, "", "What happens when no I/O ends for so long.").idle("an I/O that hangs is found after 60 s and named"),
    key(General, "ios_per_jvm", Count, "100000", "Rate at which Vdbench warns.").idle(JAVA),
    key(General, "fwd_thread_adjust", Free, "yes", "Rounds threads of file workloads up.").idle(FILES),
    // Hosts.
    key(Hd, "hd", Name, "", "Begins a host.").also(&["host"]).whole(),
    key(Hd, "system", Text, "", "Name or address; the label when left out."),
    key(Hd, "master", Text, "", "Address the host connects back to.").idle("a host connects to nobody: it speaks over its launcher"),
    key(Hd, "vdbench", Text, "", "Where Vdbench is on the host.").idle("leadline brings itself to the host"),
    key(Hd, "shell", Choice(&["rsh", "ssh", "vdbench"]), "rsh", "What starts the far end: always OpenSSH here."),
    key(Hd, "user", Text, "", "User on the host; as OpenSSH is configured when left out."),
    key(Hd, "jvms", Count, "1", "Java machines for each host.").idle(JAVA),
    key(Hd, "clients", Count, "", "Makes N pseudo hosts, `label_cl0` and on."),
    key(Hd, "mount", Text, "", "Command that mounts before the first run, on that host; where its last word is a directory it is made, and where something is mounted there already nothing is done."),
    key(Hd, "count", Series, "", "Makes N numbered hosts."),
    // Storage.
    key(Sd, "sd", Name, "", "Begins a storage definition.").whole(),
    key(Sd, "host", Names, "*", "Hosts that reach it; with several `lun=`, those of the one before.").also(&["hd"]),
    key(Sd, "lun", Text, "", "File or device."),
    key(Sd, "count", Series, "", "Makes N of them, numbered: `%02d` in name and lun, or appended."),
    key(Sd, "size", Bytes, "", "Size; a file that is smaller or missing is made so large."),
    key(Sd, "threads", Limit, "8", "I/Os in flight, all hosts together."),
    key(Sd, "hitarea", Bytes, "1m", "Area for the I/Os of rhpct and whpct."),
    key(Sd, "offset", Blocks, "0", "Added to each place."),
    key(Sd, "align", Blocks, "", "Random places are multiples of this rather than of the size."),
    key(Sd, "kstat", Text, "", "Name of the kernel's statistics.").idle(SOLARIS),
    key(Sd, "instance", Text, "", "Name of the kernel's statistics.").idle(SOLARIS),
    key(Sd, "replay", Free, "", "Devices of a trace.").no(REPLAY),
    key(Sd, "journal", Text, "", "Where its journal is.").idle("journals are kept with -j only"),
    key(Sd, "resetlun", Count, "", "Resets the device now and then.").idle(SOLARIS),
    key(Sd, "resetbus", Count, "", "Resets the bus now and then.").idle(SOLARIS),
    key(Sd, "openflags", Flags, "", "How it is opened; those of a run go before those of a workload before these."),
    key(Sd, "range", Extent, "(0,100)", "The part that is used; beyond 100 percent it wraps around to the start."),
    key(Sd, "dedupratio", Ratio, "", "As the general one, for this storage."),
    key(Sd, "dedupsets", Text, "", "As the general one, for this storage.").idle(DEDUP),
    key(Sd, "streams", Free, "", "Moved to the workload.").no("streams= belongs to the workload (WD)"),
    // File systems.
    key(Fsd, "fsd", Name, "", "Begins a file system definition.").whole().no(FILES),
    key(Fsd, "anchor", Text, "", "Directory above all.").no(FILES),
    key(Fsd, "journal", Text, "", "Where its journal is.").no(FILES),
    key(Fsd, "host", Names, "", "Hosts that reach it.").also(&["hd"]).no(FILES),
    key(Fsd, "width", Free, "", "Directories in each directory.").no(FILES),
    key(Fsd, "depth", Free, "", "Levels of directories.").no(FILES),
    key(Fsd, "sizes", Free, "", "Sizes of the files.").no(FILES),
    key(Fsd, "shared", YesNo, "no", "Used by several hosts.").no(FILES),
    key(Fsd, "wss", Free, "", "Size of the files in use.").also(&["workingsetsize"]).no(FILES),
    key(Fsd, "totalsize", Free, "", "Size of all files.").also(&["total_size"]).no(FILES),
    key(Fsd, "files", Free, "", "Files in each directory.").no(FILES),
    key(Fsd, "distribution", Free, "", "Which directories hold files.").no(FILES),
    key(Fsd, "cleanup", Free, "", "When files are deleted.").no(FILES),
    key(Fsd, "openflags", Flags, "", "How files are opened.").no(FILES),
    key(Fsd, "log", Free, "", "Logs operations.").no(FILES),
    key(Fsd, "mask", Free, "", "Names of files.").no(FILES),
    key(Fsd, "count", Series, "", "Makes N of them, numbered.").no(FILES),
    key(Fsd, "dedupratio", Ratio, "", "As the general one.").no(FILES),
    key(Fsd, "dedupunit", Blocks, "", "As the general one.").no(FILES),
    key(Fsd, "dedupsets", Text, "", "As the general one.").no(FILES),
    key(Fsd, "cloud", Free, "", "Files in a cloud's store.").no(FILES),
    // Workloads.
    key(Wd, "wd", Name, "", "Begins a workload.").whole(),
    key(Wd, "sd", Names, "", "Its storage.").whole(),
    key(Wd, "skew", Limit, "", "Its share of the rate of all workloads; those without share what is left."),
    key(Wd, "xfersize", Transfer, "4k", "Sizes of the I/Os."),
    key(Wd, "rdpct", Percent, "100", "Share of reads.").also(&["readpct"]),
    key(Wd, "writepct", Percent, "", "Share of writes.").also(&["wrpct"]),
    key(Wd, "range", Extent, "", "The part of the storage that is used; goes before the storage's own."),
    key(Wd, "hotband", Extent, "", "A part that gets most of the I/Os, dense at its low end."),
    key(Wd, "seekpct", Seek, "100", "Order of the I/Os."),
    key(Wd, "stride", Pair, "", "Distance of each I/O from the one before, chosen at random between the two."),
    key(Wd, "priority", Count, "", "From 1 on, the lower goes first: on each storage its I/Os take the threads, and the next number has what they leave. With every workload of a run, or with none."),
    key(Wd, "iorate", Limit, "", "Its own rate, kept whatever the run is asked for; what it leaves of the run's is for the others. Needs priority=."),
    key(Wd, "rhpct", Percent, "0", "Share of the reads that go to the hit area."),
    key(Wd, "whpct", Percent, "0", "Share of the writes that go to the hit area."),
    key(Wd, "host", Names, "", "Hosts that run it.").also(&["hd"]),
    key(Wd, "openflags", Flags, "", "How its storage is opened."),
    key(Wd, "user", Text, "", "A workload written in Java.").whole().no("workloads written in Java are not supported"),
    key(Wd, "threads", Count, "8", "I/Os in flight; with concatenatesds=yes only."),
    key(Wd, "streams", Streams, "", "Divides each storage into N sequential streams, of equal size or of the size given."),
    // File system workloads.
    key(Fwd, "fwd", Name, "", "Begins a file system workload.").whole().no(FILES),
    key(Fwd, "fsd", Names, "", "Its file systems.").no(FILES),
    key(Fwd, "fileio", Free, "", "Order of the I/Os.").whole().no(FILES),
    key(Fwd, "rdpct", Percent, "", "Share of reads.").also(&["readpct"]).no(FILES),
    key(Fwd, "stopafter", Free, "", "I/Os before the next file.").no(FILES),
    key(Fwd, "operation", Free, "", "What is done.").also(&["operations"]).no(FILES),
    key(Fwd, "fileselect", Free, "", "Which file is next.").no(FILES),
    key(Fwd, "xfersizes", Free, "", "Sizes of the I/Os.").no(FILES),
    key(Fwd, "skew", Percent, "", "Its share of the rate of all workloads.").no(FILES),
    key(Fwd, "threads", Count, "", "Operations at once.").no(FILES),
    key(Fwd, "target", Names, "", "Where copies go.").no(FILES),
    key(Fwd, "host", Names, "", "Hosts that run it.").also(&["hd"]).no(FILES),
    key(Fwd, "openflags", Flags, "", "How files are opened.").no(FILES),
    // Runs.
    key(Rd, "rd", Name, "", "Begins a run.").whole(),
    key(Rd, "wd", Names, "", "Its workloads.").whole(),
    key(Rd, "sd", Names, "", "Storage in place of the workloads' own; `single`, `range` and `setsofN` make several runs.").whole(),
    key(Rd, "fsd", Names, "", "File systems.").whole().no(FILES),
    key(Rd, "iorate", Rate, "", "I/Os a second, all workloads and hosts together. Required."),
    key(Rd, "maxdata", Bytes, "", "Ends after N bytes; below 100, after N times the size of all storage."),
    key(Rd, "maxdataread", Bytes, "", "Ends after N bytes read."),
    key(Rd, "maxdatawritten", Bytes, "", "Ends after N bytes written."),
    key(Rd, "curve", Numbers, "(10,50,70,80,90,100)", "Points in percent of the highest rate, for iorate=curve."),
    key(Rd, "stopcurve", Limit, "", "Skips all runs after a point of the curve whose mean response time is above N milliseconds; the curve's first run does not count."),
    key(Rd, "elapsed", Time, "30", "Length, after the warm-up."),
    key(Rd, "interval", Time, "1", "Length of an interval."),
    key(Rd, "warmup", Time, "0", "I/O before it that is not counted; without it the first interval is not counted."),
    key(Rd, "replay", Free, "", "A trace to replay.").whole().no(REPLAY),
    key(Rd, "pause", Time, "0", "Wait before the run, but for the first."),
    key(Rd, "distribution", Distribution, "exponential", "How I/Os spread in time at a rate: exponential, uniform, deterministic, and variable."),
    key(Rd, "startcmd", Command, "", "As the general one, for this run.").also(&["start_cmd"]),
    key(Rd, "endcmd", Command, "", "As the general one, for this run.").also(&["end_cmd"]),
    key(Rd, "fwd", Names, "", "File system workloads.").whole().no(FILES),
    key(Rd, "fwdrate", Free, "", "Operations a second.").no(FILES),
    key(Rd, "operations", Free, "", "What is done.").idle("it is for file system workloads"),
    key(Rd, "format", Free, "no", "Makes the files first.").no(FILES),
    key(Rd, "openflags", Flags, "", "How storage is opened."),
    key(Rd, "mount", Text, "", "As that of a host, before this run and on each host."),
    key(Rd, "forxfersize", Sizes, "", "A run for each size."),
    key(Rd, "forthreads", Numbers, "", "A run for each number of I/Os in flight for each storage."),
    key(Rd, "forrdpct", Numbers, "", "A run for each share of reads."),
    key(Rd, "forrhpct", Numbers, "", "A run for each share of reads in the hit area."),
    key(Rd, "forwhpct", Numbers, "", "A run for each share of writes in the hit area."),
    key(Rd, "forseekpct", Numbers, "", "A run for each share of random I/Os; -1 is eof."),
    key(Rd, "forhitarea", Areas, "", "A run for each size of the hit area."),
    key(Rd, "forcompratio", Numbers, "", "A run for each ratio of compression."),
    key(Rd, "forcompression", Numbers, "", "A run for each percentage of compression."),
    key(Rd, "fordepth", Free, "", "A run for each depth.").no(FILES),
    key(Rd, "forwidth", Free, "", "A run for each width.").no(FILES),
    key(Rd, "forfiles", Free, "", "A run for each number of files.").no(FILES),
    key(Rd, "forsizes", Free, "", "A run for each size of files.").no(FILES),
    key(Rd, "fortotalsize", Free, "", "A run for each total size.").no(FILES),
    key(Rd, "forwss", Free, "", "A run for each working set.").also(&["forworkingsetsize"]).no(FILES),
    key(Rd, "foroperations", Free, "", "A run for each operation.").no(FILES),
    key(Rd, "xfersize", Sizes, "", "As forxfersize."),
    key(Rd, "threads", Numbers, "", "As forthreads."),
    key(Rd, "rdpct", Numbers, "", "As forrdpct."),
    key(Rd, "rhpct", Numbers, "", "As forrhpct."),
    key(Rd, "whpct", Numbers, "", "As forwhpct."),
    key(Rd, "seekpct", Numbers, "", "As forseekpct."),
    key(Rd, "hitarea", Areas, "", "As forhitarea."),
    key(Rd, "compratio", Numbers, "", "As forcompratio."),
    key(Rd, "compression", Numbers, "", "As forcompression."),
    key(Rd, "depth", Free, "", "As fordepth.").no(FILES),
    key(Rd, "width", Free, "", "As forwidth.").no(FILES),
    key(Rd, "files", Free, "", "As forfiles.").no(FILES),
    key(Rd, "sizes", Free, "", "As forsizes.").no(FILES),
    key(Rd, "totalsize", Free, "", "As fortotalsize.").no(FILES),
    key(Rd, "wss", Free, "", "Same as forwss.").also(&["workingsetsize"]).no(FILES),
];
