//! Table: general parameters.

use super::kind::*;
use super::{WHY_DEDUP, WHY_FILES, WHY_JAVA, WHY_SOLARIS, WHY_VALIDATE, key};

keywords! { super::Object::General,
    COMPRATIO: Ratio = key("compratio", "Written data compresses n:1, at most 25:1.").or("1")
        .case("compratio=4", "compress_percent: 75");
    COMPRESSION: Percent = key("compression", "Written data compresses to N percent.")
        .case("compression=40", "compress_percent: 60");
    INCLUDE: Text = key("include", "Inserts another file here.").whole()
        .case("include=more.vdb", "compress_percent: 75");
    DEDUPRATIO: Ratio = key("dedupratio", "Written data can be reduced n:1 by finding duplicates.").or("1")
        .case("dedupunit=4k dedupratio=2", "dedupe_percent: 50");
    DEDUPUNIT: Blocks = key("dedupunit", "Block size at which duplicates are detected.")
        .case("dedupratio=2 dedupunit=4k", "dedupe_percent: 50");
    DEDUPSETS: Text = key("dedupsets", "How many different duplicates there are.").or("5%").idle(WHY_DEDUP);
    DEDUPHOTSETS: Free = key("deduphotsets", "Duplicates that come more often.").idle(WHY_DEDUP);
    DEDUPFLIPFLOP: YesNo = key("dedupflipflop", "Alternates duplicates.").or("no").idle(WHY_DEDUP);
    COMPRESSIONSEED: Text = key("compressionseed", "Seed of the data written.")
        .idle("the data written differs in each run");
    PORT: Count = key("port", "Port to which the hosts connect.").or("5570")
        .idle("hosts communicate over their launcher's standard input and output: no port is \
               opened");
    PATTERN: Text = key("pattern",
        "A file that is the source of written data: each write takes a part of a buffer filled \
         from it, repeated as needed.")
        .case("pattern=/tmp/p", "payload.fill: {Source:{file:/tmp/p");
    DATA_ERRORS: Errors = key("data_errors",
        "Aborts a run after N I/O errors; a run with fewer errors completes, and the runs after it are \
         skipped. `(errors,seconds)`: or SECONDS after the first error. A command: it is started at the first \
         error, with the output directory, lun, offset, size and error number, and everything ends. `remove`: \
         the storage of the first error does no more I/O, the others complete the run, and the runs after it \
         are skipped.").or("50").also(&["dataerrors"]).case("data_errors=5", "until.errors: 5");
    SWAT: Free = key("swat", "Removed from Vdbench.").idle("Vdbench has removed it too");
    VALIDATE: Free = key("validate", "Verifies written data when it is read.").or("no")
        .no(WHY_VALIDATE);
    JOURNAL: Free = key("journal", "Keeps a journal of what was written.").or("no").whole().no(WHY_VALIDATE);
    STARTCMD: Command = key("startcmd", "Command that runs before each run.").also(&["start_cmd"]).whole()
        .case("startcmd=ls", "start: Some(Command { lines: [ls]");
    ENDCMD: Command = key("endcmd", "Command that runs after each run.").also(&["end_cmd"]).whole()
        .case("endcmd=ls", "end: Some(Command { lines: [ls]");
    HEARTBEAT_ERROR: Free = key("heartbeat_error", "Command to run for a host that is silent.").whole()
        .idle("a silent host is reported, and the others continue");
    DEBUG: Free = key("debug", "Internal switches of Vdbench.").whole()
        .idle("it controls internals of Vdbench");
    UNIX2WINDOWS: Free = key("unix2windows", "Converts paths for Windows hosts.")
        .idle("Windows hosts are not supported");
    FORMATXFERSIZE: Blocks = key("formatxfersize", "Size of the writes that fill files to their size.")
        .or("128k").case("formatsds=yes formatxfersize=1m", "sizes.by_op: {Fixed:1048576}");
    CREATE_ANCHORS: Free = key("create_anchors", "Creates directories above an anchor.").or("no")
        .idle(WHY_FILES);
    FORMATSDS: YesNo = key("formatsds",
        "Whether files are filled to their size before the first run; by default if they are too \
         small.")
        .case("formatsds=yes", "SD_format: rate Uncontrolled MAX");
    REPORT: Pages = key("report",
        "`host_detail`, `slave_detail`: pages for each storage of each host, of each slave; `no_sd_detail`: \
         no pages for storage.").case("report=host_detail", "pages:[host_detail]");
    REPORT_RUN_TOTALS: Free = key("report_run_totals", "Shows the totals of all runs at the end.").or("no")
        .idle("the totals are in the report");
    HISTOGRAM: Bounds = key("histogram", "Bounds of the histograms shown; `suppress` leaves out empty rows.")
        .or("(20,40,60,80,100,200,400,600,800,1m,2m,4m,6m,8m,10m,20m,40m,60m,80m,100m,200m,400m,600m,800m,1s,2s)")
        .case("histogram=(100,200)", "histogram_us:[100,200]");
    PSRSET: Free = key("psrset", "Processor set.").idle(WHY_SOLARIS);
    AUXREPORT: Free = key("auxreport", "Command whose output joins the report.")
        .no("reports of other programs are not supported");
    MONITOR: Text = key("monitor", "File that ends the run early: `end_rd` or `end_vdbench` in it.")
        .case("monitor=/tmp/m", "monitor: Some(/tmp/m)");
    CONCATENATESDS: YesNo = key("concatenatesds",
        "All storage of a workload is one range; threads then belong to the workload.").or("no")
        .case("concatenatesds=yes sd.sd=sd sd.count=(1,2) wd.sd=sd*", " w1 sd1,sd2 localhost");
    MESSAGESCAN: Free = key("messagescan", "Monitors the system's messages.")
        .idle("the system's messages are not read");
    ABORT_FAILED_SKEW: Ratio = key("abort_failed_skew",
        "Aborts after a run in which a workload's share misses its skew= by more than N percentage points.")
        .case("abort_failed_skew=5", "skew_limit: Some(5.0)");
    MISC: Free = key("misc", "Sizes of Vdbench's queues.").idle("leadline has no such queues");
    PATTERN_BUFFER: Bytes = key("pattern_buffer", "Size of the buffer that is the source of data.").whole()
        .idle("data is generated for each write");
    SHOWLBA: YesNo = key("showlba", "Writes a trace of all I/O.").or("no").whole()
        .no("a trace of each I/O is not supported yet");
    LOOP: Repeat = key("loop", "Repeats all runs this many times, or for this long.").whole()
        .case("loop=3", "repeat: Some(Times(3))");
    TIMEOUT: Free = key("timeout", "What to do when no I/O completes for this long.")
        .idle("an I/O that hangs is detected and reported after 60 s");
    IOS_PER_JVM: Count = key("ios_per_jvm", "Rate at which Vdbench warns.").or("100000").idle(WHY_JAVA);
    FWD_THREAD_ADJUST: Free = key("fwd_thread_adjust", "Rounds up the threads of file workloads.").or("yes")
        .idle(WHY_FILES);
}
