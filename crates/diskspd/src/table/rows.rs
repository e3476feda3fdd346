//! The forms themselves.
//!
//! Belongs here: rows. Must never appear here: anything that is true of several rows.

use super::Reading::{Beside, First, Flag, Help, Profile, Target, Value};
use super::{OptionSpec, opt};
use crate::options::place;
use crate::{affinity, beside, caching, distribution, options};
use leadline_dialect::spec::RunFile;

pub(super) const CHAPTERS: &[(&str, &[OptionSpec])] = &[
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
        Target(place::create),
        "Recreates each target with this size, filled with the bytes 0 to 255 repeated. With -Z \
         it gets random data and not zeros as in DISKSPD: a thin target does not store zeros, and \
         reads of them do not reach its media. The old content is lost. 0 creates nothing.",
    )
    .case("-c1G", "prepare.recreate: 1073741824"),
    opt(
        "-B<base>[:<length>]",
        Target(place::base),
        "First byte to use, and number of bytes.",
    )
    .or("0")
    .case("-B1M", "region.offset"),
    opt(
        "-f<size>",
        Target(place::limit_or_hints),
        "End of the used range of each target; 0 = end of the target.",
    )
    .case("-f1M", "region.end: 1048576"),
    opt(
        "-f<r|s|t>",
        Target(place::limit_or_hints),
        "Hints: r (random access) and s (sequential access) become POSIX_FADV_RANDOM and \
         _SEQUENTIAL; t (temporary file) has no effect. They can be combined.",
    )
    .case("-fr", "prepare.advise: Random"),
    opt(
        "-ft",
        Target(place::limit_or_hints),
        "Hint that a file is temporary.",
    )
    .idle("Linux has no such hint; use a file on tmpfs")
    .case("-ft", "TempHint=true"),
];

const PATTERN: &[OptionSpec] = &[
    opt("-b<size>", First(options::block_size), "Bytes of an I/O.")
        .or("64K")
        .case("-b8K", "sizes.by_op: {Fixed:8192}"),
    opt(
        "-r[<align>]",
        Target(place::random),
        "Random I/O at independent offsets (blocks can repeat), at multiples of the alignment \
         (the block size) from the base.",
    )
    .case("-r16K", "access.grid: {Bytes:16384}"),
    opt(
        "-rs<percent>",
        Target(place::random_share),
        "Percentage of I/Os that are random, 1 to 100; the others are sequential: each starts \
         where the I/O before it ended.",
    )
    .case("-r -rs30", "access.random_percent: 30.0"),
    opt(
        "-rd<pct|abs><io>/<part>[:...]",
        Target(distribution::read),
        "Random I/O by ranges of the target: share of the I/Os in percent / range in percent or \
         size; a share of 0 is a hole.",
    )
    .case("-r -rdpct90/10", "access_percent:90.0"),
    opt(
        "-s[i][<stride>]",
        Target(place::sequential),
        "Sequential I/O with this stride (the block size). With i all threads share one file \
         position.",
    )
    .case("-s128K", "Sequential.skip: 65536"),
    opt(
        "-T<size>",
        Target(place::thread_stride),
        "Thread n of a target starts n times this size after the base.",
    )
    .case("-t2 -T1M", "access.begin: {Apart:1048576}"),
    opt(
        "-p",
        Target(options::parallel),
        "Each of the -o outstanding I/Os reads or writes the target from the same start on its \
         own.",
    )
    .case("-p", "access.position: EachSlot"),
    opt(
        "-w<percent>",
        Target(options::writes),
        "Share of writes, 0 to 100.",
    )
    .or("0")
    .case("-w30", "read_percent:70.0"),
];

const LOAD: &[OptionSpec] = &[
    opt(
        "-t<count>",
        Target(options::threads),
        "Threads of each target.",
    )
    .or("1")
    .case("-t3", "clones: 3"),
    opt(
        "-o<count>",
        Target(options::requests),
        "I/Os in flight of each thread on each target.",
    )
    .or("2")
    .case("-o7", "depth: 7"),
    opt(
        "-F<count>",
        Target(options::threads_in_all),
        "Total threads; each drives all targets, with -o I/Os in flight on each. If targets have \
         a rate or pauses, or differ in written data, -Sm, -l or -I, there is a worker for each \
         thread and target.",
    )
    .case("-F3", "clones: 3"),
    opt(
        "-O<count>",
        Target(options::requests_in_all),
        "With -F: I/Os in flight of each thread over all targets; the target of each I/O is \
         chosen at random.",
    )
    .case("-F3 -O5", "depth: 5"),
    opt(
        "-g<count>[i]",
        Target(options::throughput),
        "Bytes per millisecond, or with i I/Os per second, for each thread and target. I/Os \
         start at even intervals. The latencies of DISKSPD's tables count from the submission, as \
         there; leadline's response latency counts from when each I/O was due.",
    )
    .case(
        "-g500i",
        "rates:{read:null,trim:null,write:null},schedule:[],together:{Iops:500.0}",
    ),
    opt(
        "-i<count>",
        Target(options::burst),
        "With -j: I/Os in a burst, over all threads of a target.",
    )
    .case("-i4 -j10", "think: {after_busy:0,every:4"),
    opt(
        "-j<ms>",
        Target(options::think),
        "With -i: milliseconds between bursts.",
    )
    .case("-i4 -j10", "pause:10000000"),
    opt(
        "-x",
        Target(options::completion_routines),
        "Completion routines instead of completion ports.",
    )
    .idle("completions are always handled by the submitting thread (io_uring)")
    .case("-x", "CompletionRoutines=true"),
    opt(
        "-u[n][<batch>[p]]",
        Target(options::ring),
        "I/O through a ring, as always here (io_uring): waits for N completions at a time, or \
         for N percent of the queue.",
    )
    .or("25p")
    .in_23()
    .case("-u9", "engine.batch_wait: 2"),
    opt(
        "-un",
        Target(options::ring),
        "A ring without registered buffers.",
    )
    .idle("buffers are always registered if the kernel allows it")
    .in_23()
    .case("-u -un", "UseRegBuffer=false"),
    opt(
        "-oc<count>",
        Target(options::completion_depth),
        "Completions dequeued from the port at once, 1 to 16.",
    )
    .idle("a ring returns all completed I/Os at once")
    .in_23()
    .case("-oc4", "CompletionDepth=4"),
    opt("-:<mask>", Beside(beside::experiments), "Experiments.")
        .idle("they change how DISKSPD waits; leadline waits differently")
        .case("-:1", "ExperimentFlags=1"),
    opt(
        "-I<1|2|3>",
        Target(options::priority),
        "I/O priority: 1 becomes the idle class, 2 the lowest best-effort level, 3 the default. \
         Some Linux I/O schedulers ignore it.",
    )
    .or("3")
    .case("-I1", "placement.io_priority: [3,0]"),
];

const TIME: &[OptionSpec] = &[
    opt("-d<seconds>", Beside(beside::duration), "Measured time.")
        .or("10")
        .case("-d3", "stop.runtime: 3000000000"),
    opt(
        "-W<seconds>",
        Beside(beside::warmup),
        "Warm-up: I/O runs and is not counted.",
    )
    .or("5")
    .case("-W3", "stop.warmup: 3000000000"),
    opt(
        "-C<seconds>",
        Beside(beside::cooldown),
        "Cool-down: I/O continues after the measured time and is not counted.",
    )
    .or("0")
    .case("-C3", "stop.cooldown: 3000000000"),
];

const DATA: &[OptionSpec] = &[
    opt(
        "-S[b|u|h|w|m|r]",
        Target(caching::read),
        "Caching: u bypass the page cache (O_DIRECT), w write-through (O_DSYNC), h both, b \
         neither, m memory mapped. Letters can be combined; -S alone is -Su.",
    )
    .or("b")
    .case("-Sh", "open.direct: true"),
    opt("-h", Target(caching::unbuffered_and_through), "-Sh.").case("-h", "open.sync: Dsync"),
    opt(
        "-Sr",
        Target(caching::read),
        "No local cache of a remote file system.",
    )
    .idle("it is a setting of the Windows SMB client; use -Su to bypass the page cache")
    .case("-Sr", "Cache=DisableLocalCache"),
    opt(
        "-Sy, -SY",
        Target(caching::read),
        "BypassIO, partial or full; needs -Su and reads only.",
    )
    .idle("with O_DIRECT there are no filter drivers to bypass")
    .in_23()
    .case("-Su -Sy", "BypassIO=Partial"),
    opt(
        "-N<v|n|i>",
        Target(options::flush),
        "With -Sm: how mapped writes are flushed: v msync, n cache line flush, i cache line \
         flush without draining.",
    )
    .case("-Sm -w100 -Nv", "engine.map_flush: Sync"),
    opt(
        "-Z",
        Target(options::content),
        "Writes zeros instead of the repeated bytes 0 to 255.",
    )
    .case("-Z -w100", "payload.fill: Zero"),
    opt(
        "-Zr",
        Target(options::content),
        "Writes new random data each time.",
    )
    .case("-Zr -w100", "payload.refresh: Each"),
    opt(
        "-Z<size>[,<file>]",
        Target(options::content),
        "Each write takes a random part of a buffer of this size, filled with random data or \
         from the file.",
    )
    .case(
        "-Z1M -w100",
        "payload.fill: {Source:{file:null,size:1048576}}",
    ),
    opt(
        "-z[<seed>]",
        Beside(beside::seed),
        "Seed of the random choices; thread n adds n. Without a number: a new one.",
    )
    .or("0")
    .case("-z7", "access.seed: 7"),
];

const CPUS: &[OptionSpec] = &[
    opt(
        "-a[g<n>,]<cpu>[,...]",
        Target(affinity::read),
        "Assigns threads to these CPUs in turn; ranges such as 0-3 are allowed. Group g starts \
         at CPU 64 times g.",
    )
    .or("one CPU per thread, in order")
    .case("-a1", "placement.cpus: [1]"),
    opt(
        "-ag<n>",
        Target(affinity::read),
        "Assigns threads to the CPUs of the group in turn.",
    )
    .in_23()
    .case("-ag0", "Affinity(group/cpu)=0/*"),
    opt("-ac", Target(affinity::read), "First one CPU of each core.")
        .idle("CPUs are assigned in the kernel's order; list them with -a")
        .in_23()
        .case("-ac", "AffinityTraversal=CoreAware"),
    opt("-as", Target(affinity::read), "Groups in turn.")
        .idle("Linux has no processor groups")
        .in_23()
        .case("-as", "AffinityGroupSpan=Span"),
    opt(
        "-ap, -aP, -ae, -aE, -aup",
        Target(affinity::read),
        "Performance or efficiency cores first.",
    )
    .idle("CPUs are assigned in the kernel's order; list them with -a")
    .in_23()
    .case("-ap", "Efficiency=PFirst"),
    opt(
        "-n",
        Target(options::no_affinity),
        "Does not pin threads to CPUs.",
    )
    .case("-n", "placement.split_cpus: false"),
    opt(
        "-l",
        Target(options::large_pages),
        "Large pages for the buffers (hugetlbfs).",
    )
    .case("-l", "placement.memory: Huge"),
    opt(
        "-bs<n|p>",
        First(options::buffer_separation),
        "Separation of the threads' buffers.",
    )
    .or("p")
    .idle("each worker has its own mapping")
    .in_23()
    .case("-bsn", "BufferSeparation=SystemDefault"),
];

const RESULTS: &[OptionSpec] = &[
    opt(
        "-L",
        Target(options::latency),
        "Latencies in the text and XML. They are always measured.",
    )
    .case("-L", "MeasureLatency=true"),
    opt(
        "-D[<ms>]",
        Target(options::buckets),
        "IOPS of intervals: their standard deviation in the text, all of them in the XML.",
    )
    .or("1000")
    .case("-D500", "interval: 500 ms"),
    opt(
        "-R[p|s]<text|xml>",
        Beside(beside::results),
        "Format of the results. p: shows the profile without running it; s: shows the system \
         only.",
    )
    .or("text")
    .case("-Rxml", "format: Xml"),
    opt(
        "-X<file>",
        Profile,
        "Runs an XML profile. The targets of the command line replace *1, *2 and so on in it.",
    )
    .case("-Xp.xml", "cannot read the profile `p.xml`"),
    opt(
        "-v[s]",
        Beside(beside::verbose),
        "Reports the phases of a run on standard error, with the time: warm-up, measurement, \
         cool-down, end. s: wait statistics: calls that waited for completions or for an I/O to \
         be due (-g, -j), and polls without waiting (lookasides), which only occur shortly \
         before an I/O is due.",
    )
    .case("-v", "Verbose=true"),
    opt(
        "-P[<count>]",
        Target(options::progress),
        "Prints a dot on standard error for every N I/Os of a thread, instead of the progress \
         line; dots are printed at the end of each interval.",
    )
    .or("65536")
    .case("-P100", "Progress=100"),
    opt(
        "-e<q|c|s|p>, -e<NAME>",
        Target(options::etw),
        "Counters of the NT kernel logger: PROCESS, THREAD, IMAGE_LOAD, DISK_IO, \
         MEMORY_PAGE_FAULTS, MEMORY_HARD_FAULTS, NETWORK, REGISTRY.",
    )
    .idle("Linux has no such logger; the disk counters are kept with each run")
    .case("-eq", "EtwPerfTimer=true"),
    opt("-?, --help", Help, "Shows this help.").case("-?", "asked: true"),
];

const EVENTS: &[OptionSpec] = &[
    opt(
        "-ys<event>",
        Target(options::event),
        "Sets the event when the measured time begins. An event is a path: an existing named \
         pipe gets a byte, otherwise a file is created.",
    )
    .case("-yse1", "started: ["),
    opt(
        "-yf<event>",
        Target(options::event),
        "Sets the event when the measured time is over.",
    )
    .case("-yfe1", "finished: ["),
    opt(
        "-yr<event>",
        Target(options::event),
        "Waits for the event before the start: for a byte from the named pipe, or for the file \
         to exist.",
    )
    .case("-yre1", "wait: Some("),
    opt(
        "-yp<event>",
        Target(options::event),
        "Ends the run when the event is set; what was measured is kept.",
    )
    .case("-ype1", "stop: Some("),
    opt(
        "-ye<event>",
        Target(options::event),
        "Sets the event and exits with code 1, as DISKSPD does.",
    )
    .case("-yee1", "set: ["),
];

const OWN: &[OptionSpec] = &[
    opt(
        "--reuse",
        Flag(|switches| switches.reuse = true),
        "With -c: a file that is large enough is kept; a smaller one is extended.",
    )
    .own()
    .case("-c1G --reuse", "reuse: true"),
    opt(
        "--destroy=<device>",
        Value(|switches, device| switches.destroy.push(device)),
        "Allows overwriting this block device although it contains data; repeatable.",
    )
    .own()
    .case("--destroy=/dev/sdz", "/dev/sdz"),
    opt(
        "--strict",
        Flag(|switches| switches.strict = true),
        "Treats warnings as errors.",
    )
    .own()
    .case("--strict", "strict: true"),
    opt(
        "--xml=<file>",
        Value(|switches, file| switches.xml_file = Some(file)),
        "Also writes the XML results to this file.",
    )
    .own()
    .case("--xml=r.xml", "r.xml"),
    opt(
        "--text=<file>",
        Value(|switches, file| switches.text_file = Some(file)),
        "Also writes the text results to this file.",
    )
    .own()
    .case("--text=r.txt", "r.txt"),
    opt(
        "--leadline-run=<file>|none",
        Value(|switches, file| switches.run_file = RunFile::of(&file)),
        "Path of the run file; none for no run file.",
    )
    .own()
    .case("--leadline-run=none", "run_file: None"),
    opt(
        "--leadline-force",
        Flag(|switches| switches.force = true),
        "Lets --xml and --text overwrite files that are not results of DISKSPD or leadline.",
    )
    .own()
    .case("--leadline-force", "force: true"),
];
