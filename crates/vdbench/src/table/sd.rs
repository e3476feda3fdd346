//! Table: parameters of storage.

use super::kind::*;
use super::{WHY_DEDUP, WHY_REPLAY, WHY_SOLARIS, key};

keywords! { super::Object::Sd,
    SD: Name = key("sd", "Starts a storage definition.").whole().case("sd=s7 wd.sd=s*", " w1 s7 localhost");
    HOST: Names = key("host", "Hosts with access to it; with several `lun=`, those of the \
                               preceding one.").or("*")
        .also(&["hd"]).case("hd.hd=h hd.count=(1,2) host=h2", "- w1 sd1 h1");
    LUN: Text = key("lun", "File or device.").case("lun=/tmp/y", "Paths: [/tmp/y]");
    COUNT: Series = key("count", "Creates N of them, numbered: `%02d` in name and lun, or \
                                  appended.")
        .case("sd=sd wd.sd=sd* count=(1,2)", " w1 sd2 localhost");
    SIZE: Bytes = key("size", "Size; a smaller or missing file is created or extended to it.")
        .case("size=2g", "region.size.Bytes: 2147483648");
    THREADS: Limit = key("threads", "I/Os in flight, all hosts together.").or("8")
        .case("threads=3", "depth: 3");
    HITAREA: Bytes = key("hitarea", "Size of the hit area of rhpct and whpct.").or("1m")
        .case("wd.rhpct=50 hitarea=2m", "area:2097152");
    OFFSET: Blocks = key("offset", "Added to each offset.").or("0").case("offset=8k", "region.offset.Bytes: 8192");
    ALIGN: Blocks = key("align", "Alignment of random offsets, instead of the transfer size.")
        .case("align=8k", "access.grid: {Bytes:8192}");
    KSTAT: Text = key("kstat", "Name in the kernel's statistics.").idle(WHY_SOLARIS);
    INSTANCE: Text = key("instance", "Name in the kernel's statistics.").idle(WHY_SOLARIS);
    REPLAY: Free = key("replay", "Devices of a trace.").no(WHY_REPLAY);
    JOURNAL: Text = key("journal", "Location of its journal.").idle("journals need -j");
    RESETLUN: Count = key("resetlun", "Resets the device now and then.").idle(WHY_SOLARIS);
    RESETBUS: Count = key("resetbus", "Resets the bus now and then.").idle(WHY_SOLARIS);
    OPENFLAGS: Flags = key("openflags",
        "How it is opened; flags of a run take precedence over those of a workload, and these \
         over the storage's.")
        .case("openflags=o_direct", "open.direct: true");
    RANGE: Extent = key("range", "The part to use; beyond 100 percent it wraps around to the \
                                  start.")
        .or("(0,100)").case("range=(10,20)", "region.offset.Bytes: 107372544");
    DEDUPRATIO: Ratio = key("dedupratio", "As the general parameter, for this storage.")
        .case("general.dedupunit=4k general.dedupratio=2 dedupratio=4", "dedupe_percent: 75");
    DEDUPSETS: Text = key("dedupsets", "As the general parameter, for this storage.").idle(WHY_DEDUP);
    STREAMS: Free = key("streams", "Moved to the workload.").no("streams= is a parameter of the \
                                                                 workload (WD)");
}
