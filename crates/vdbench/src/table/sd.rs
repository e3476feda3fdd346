//! Table: parameters of storage.

use super::kind::*;
use super::{WHY_DEDUP, WHY_REPLAY, WHY_SOLARIS, key};

keywords! { super::Object::Sd,
    SD: Name = key("sd", "Begins a storage definition.").whole().case("sd=s7 wd.sd=s*", " w1 s7 localhost");
    HOST: Names = key("host", "Hosts that reach it; with several `lun=`, those of the one before.").or("*")
        .also(&["hd"]).case("hd.hd=h hd.count=(1,2) host=h2", "- w1 sd1 h1");
    LUN: Text = key("lun", "File or device.").case("lun=/tmp/y", "Paths: [/tmp/y]");
    COUNT: Series = key("count", "Makes N of them, numbered: `%02d` in name and lun, or appended.")
        .case("sd=sd wd.sd=sd* count=(1,2)", " w1 sd2 localhost");
    SIZE: Bytes = key("size", "Size; a file that is smaller or missing is made so large.")
        .case("size=2g", "region.size.Bytes: 2147483648");
    THREADS: Limit = key("threads", "I/Os in flight, all hosts together.").or("8")
        .case("threads=3", "depth: 3");
    HITAREA: Bytes = key("hitarea", "Area for the I/Os of rhpct and whpct.").or("1m")
        .case("wd.rhpct=50 hitarea=2m", "area:2097152");
    OFFSET: Blocks = key("offset", "Added to each place.").or("0").case("offset=8k", "region.offset.Bytes: 8192");
    ALIGN: Blocks = key("align", "Random places are multiples of this rather than of the size.")
        .case("align=8k", "access.grid: {Bytes:8192}");
    KSTAT: Text = key("kstat", "Name of the kernel's statistics.").idle(WHY_SOLARIS);
    INSTANCE: Text = key("instance", "Name of the kernel's statistics.").idle(WHY_SOLARIS);
    REPLAY: Free = key("replay", "Devices of a trace.").no(WHY_REPLAY);
    JOURNAL: Text = key("journal", "Where its journal is.").idle("journals are kept with -j only");
    RESETLUN: Count = key("resetlun", "Resets the device now and then.").idle(WHY_SOLARIS);
    RESETBUS: Count = key("resetbus", "Resets the bus now and then.").idle(WHY_SOLARIS);
    OPENFLAGS: Flags = key("openflags",
        "How it is opened; those of a run go before those of a workload before these.")
        .case("openflags=o_direct", "open.direct: true");
    RANGE: Extent = key("range", "The part that is used; beyond 100 percent it wraps around to the start.")
        .or("(0,100)").case("range=(10,20)", "region.offset.Bytes: 107372544");
    DEDUPRATIO: Ratio = key("dedupratio", "As the general one, for this storage.")
        .case("general.dedupunit=4k general.dedupratio=2 dedupratio=4", "dedupe_percent: 75");
    DEDUPSETS: Text = key("dedupsets", "As the general one, for this storage.").idle(WHY_DEDUP);
    STREAMS: Free = key("streams", "Moved to the workload.").no("streams= belongs to the workload (WD)");
}
