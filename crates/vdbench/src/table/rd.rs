//! Table: parameters of runs.

use super::kind::*;
use super::{Varied, WHY_FILES, WHY_REPLAY, key};

keywords! { super::Object::Rd,
    RD: Name = key("rd", "Starts a run definition.").whole().case("rd=r7", "r7: rate Uncontrolled MAX");
    WD: Names = key("wd", "Its workloads.").whole().case("wd2.rdpct=70 wd=w2", " w2 sd1 localhost");
    SD: Names = key("sd",
        "Storage instead of the workloads' own; `single`, `range` and `setsofN` create several \
         runs.")
        .whole().case("sd.sd=sd sd.count=(1,2) sd=sd2", " w1 sd2 localhost");
    FSD: Names = key("fsd", "File systems.").whole().no(WHY_FILES);
    IORATE: Rate = key("iorate", "I/Os a second, all workloads and hosts together. Required.")
        .case("iorate=100", "r1: rate 100");
    MAXDATA: Bytes = key("maxdata", "Ends after N bytes; below 100, after N times the size of all storage.")
        .case("maxdata=1m", "until.moved: 1048576");
    MAXDATAREAD: Bytes = key("maxdataread", "Ends after N bytes read.")
        .case("maxdataread=1m", "until.read: 1048576");
    MAXDATAWRITTEN: Bytes = key("maxdatawritten", "Ends after N bytes written.")
        .case("maxdatawritten=1m", "until.written: 1048576");
    CURVE: Numbers = key("curve", "Points in percent of the maximum rate, for iorate=curve.")
        .or("(10,50,70,80,90,100)").case("iorate=curve curve=(33,100)", "PercentOfMax:{percent:33");
    STOPCURVE: Limit = key("stopcurve",
        "Skips all runs after a point of the curve with a mean response time above N \
         milliseconds; the curve's first run does not count.").case("iorate=curve stopcurve=5", "stop_at:5000000");
    ELAPSED: Time = key("elapsed", "Length, after the warm-up.").or("30")
        .case("elapsed=60", "stop.runtime: 59000000000");
    INTERVAL: Time = key("interval", "Length of an interval.").or("1").case("interval=5", "interval: 5");
    WARMUP: Time = key("warmup",
        "I/O before the measurement, not counted; without it the first interval is not counted.").or("0")
        .case("warmup=10", "stop.warmup: 10000000000");
    REPLAY: Free = key("replay", "A trace to replay.").whole().no(WHY_REPLAY);
    PAUSE: Time = key("pause", "Wait before each run except the first.").or("0")
        .case("forthreads=(1,2) pause=5", "pause: 5000000000");
    DISTRIBUTION: Distribution = key("distribution",
        "Arrival process at a rate: exponential, uniform, deterministic or variable.")
        .or("exponential")
        .but(&[("spike", "starting all I/Os of a second at its beginning is a burst, not a rate")])
        .case("iorate=100 distribution=deterministic", "arrival:Constant");
    STARTCMD: Command = key("startcmd", "As the general parameter, for this run.").also(&["start_cmd"])
        .case("startcmd=ls", "start: Some(Command { lines: [ls]");
    ENDCMD: Command = key("endcmd", "As the general parameter, for this run.").also(&["end_cmd"])
        .case("endcmd=ls", "end: Some(Command { lines: [ls]");
    FWD: Names = key("fwd", "File system workloads.").whole().no(WHY_FILES);
    FWDRATE: Free = key("fwdrate", "Operations a second.").no(WHY_FILES);
    OPERATIONS: Free = key("operations", "The operation to do.").idle("it is for file system workloads");
    FORMAT: Free = key("format", "Creates the files first.").or("no").no(WHY_FILES);
    OPENFLAGS: Flags = key("openflags", "How storage is opened.")
        .case("openflags=o_direct", "open.direct: true");
    MOUNT: Text = key("mount", "As for a host, before this run and on each host.")
        .case("hd.system=localhost hd.mount=/bin/a mount=/bin/b", "mount: Some(/bin/b)");
    FORXFERSIZE: Sizes = key("forxfersize", "A run for each size.").varies(Varied::Xfersize)
        .case("forxfersize=(4k,8k)", "sizes.by_op: {Fixed:8192}");
    FORTHREADS: Numbers = key("forthreads", "A run for each number of I/Os in flight for each storage.")
        .varies(Varied::Threads).case("forthreads=(2,3)", "depth: 3");
    FORRDPCT: Numbers = key("forrdpct", "A run for each share of reads.").varies(Varied::Rdpct)
        .case("forrdpct=(0,70)", "mix: {ReadWrite:{read_percent:70.0}}");
    FORRHPCT: Numbers = key("forrhpct", "A run for each share of reads in the hit area.")
        .varies(Varied::Rhpct).case("forrhpct=(0,50)", "read_percent:50");
    FORWHPCT: Numbers = key("forwhpct", "A run for each share of writes in the hit area.")
        .varies(Varied::Whpct).case("forwhpct=(0,50)", "write_percent:50");
    FORSEEKPCT: Numbers = key("forseekpct", "A run for each share of random I/Os; -1 is eof.")
        .varies(Varied::Seekpct).case("forseekpct=(0,100)", "access.order: {Sequential:{skip:0}}");
    FORHITAREA: Areas = key("forhitarea", "A run for each size of the hit area.").varies(Varied::Hitarea)
        .case("wd.rhpct=50 forhitarea=(2m,4m)", "area:2097152");
    FORCOMPRATIO: Numbers = key("forcompratio", "A run for each ratio of compression.")
        .varies(Varied::Compratio).case("forcompratio=(2,4)", "compress_percent: 75");
    FORCOMPRESSION: Numbers = key("forcompression", "A run for each percentage of compression.")
        .varies(Varied::Compression).case("forcompression=(50,40)", "compress_percent: 60");
    FORDEPTH: Free = key("fordepth", "A run for each depth.").no(WHY_FILES);
    FORWIDTH: Free = key("forwidth", "A run for each width.").no(WHY_FILES);
    FORFILES: Free = key("forfiles", "A run for each number of files.").no(WHY_FILES);
    FORSIZES: Free = key("forsizes", "A run for each size of files.").no(WHY_FILES);
    FORTOTALSIZE: Free = key("fortotalsize", "A run for each total size.").no(WHY_FILES);
    FORWSS: Free = key("forwss", "A run for each working set.").also(&["forworkingsetsize"]).no(WHY_FILES);
    FOROPERATIONS: Free = key("foroperations", "A run for each operation.").no(WHY_FILES);
    XFERSIZE: Sizes = key("xfersize", "As forxfersize.").varies(Varied::Xfersize)
        .case("xfersize=(4k,8k)", "sizes.by_op: {Fixed:8192}");
    THREADS: Numbers = key("threads", "As forthreads.").varies(Varied::Threads)
        .case("threads=(2,3)", "depth: 3");
    RDPCT: Numbers = key("rdpct", "As forrdpct.").varies(Varied::Rdpct)
        .case("rdpct=(0,70)", "mix: {ReadWrite:{read_percent:70.0}}");
    RHPCT: Numbers = key("rhpct", "As forrhpct.").varies(Varied::Rhpct)
        .case("rhpct=(0,50)", "read_percent:50");
    WHPCT: Numbers = key("whpct", "As forwhpct.").varies(Varied::Whpct)
        .case("whpct=(0,50)", "write_percent:50");
    SEEKPCT: Numbers = key("seekpct", "As forseekpct.").varies(Varied::Seekpct)
        .case("seekpct=(0,100)", "access.order: {Sequential:{skip:0}}");
    HITAREA: Areas = key("hitarea", "As forhitarea.").varies(Varied::Hitarea)
        .case("wd.rhpct=50 hitarea=(2m,4m)", "area:2097152");
    COMPRATIO: Numbers = key("compratio", "As forcompratio.").varies(Varied::Compratio)
        .case("compratio=(2,4)", "compress_percent: 75");
    COMPRESSION: Numbers = key("compression", "As forcompression.").varies(Varied::Compression)
        .case("compression=(50,40)", "compress_percent: 60");
    DEPTH: Free = key("depth", "As fordepth.").no(WHY_FILES);
    WIDTH: Free = key("width", "As forwidth.").no(WHY_FILES);
    FILES: Free = key("files", "As forfiles.").no(WHY_FILES);
    SIZES: Free = key("sizes", "As forsizes.").no(WHY_FILES);
    TOTALSIZE: Free = key("totalsize", "As fortotalsize.").no(WHY_FILES);
    WSS: Free = key("wss", "Same as forwss.").also(&["workingsetsize"]).no(WHY_FILES);
}
