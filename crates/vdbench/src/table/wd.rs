//! Table: parameters of workloads.

use super::key;
use super::kind::*;

keywords! { super::Object::Wd,
    WD: Name = key("wd", "Starts a workload definition.").whole().case("wd=w7 rd.wd=w*", " w7 sd1 localhost");
    SD: Names = key("sd", "Its storage.").whole()
        .case("sd.sd=sd sd.count=(1,2) sd=sd2", " w1 sd2 localhost");
    SKEW: Limit = key("skew", "Its share of the total rate; workloads without a skew divide the \
                               rest.")
        .case("skew=30 wd2.rdpct=100 rd.wd=w* rd.iorate=100", "share: 30");
    XFERSIZE: Transfer = key("xfersize", "Sizes of the I/Os.").or("4k")
        .case("xfersize=8k", "sizes.by_op: {Fixed:8192}");
    RDPCT: Percent = key("rdpct", "Share of reads.").or("100").also(&["readpct"])
        .case("rdpct=70", "mix: {ReadWrite:{read_percent:70.0}}");
    WRITEPCT: Percent = key("writepct", "Share of writes.").also(&["wrpct"]).in_place_of("rdpct")
        .case("writepct=30", "mix: {ReadWrite:{read_percent:70.0}}");
    RANGE: Extent = key("range", "The part of the storage to use; takes precedence over the \
                                  storage's own.")
        .case("range=(10,20)", "region.offset.Bytes: 107372544");
    HOTBAND: Extent = key("hotband", "A part that gets most of the I/Os, with a skew to its low \
                                      end.")
        .case("hotband=(10,20)", "HotBand:{high:{Percent:20},low:{Percent:10}}");
    SEEKPCT: Seek = key("seekpct", "Order of the I/Os.").or("100")
        .case("seekpct=0", "access.order: {Sequential:{skip:0}}");
    STRIDE: Pair = key("stride", "Distance of each I/O from the previous one, chosen at random \
                                  between the two values.")
        .case("stride=(8k,16k)", "access.stride: [8192,16384]");
    PRIORITY: Count = key("priority",
        "From 1; lower goes first: on each storage its I/Os take the threads, and the next \
         priority gets what is left. For every workload of a run, or for none.")
        .case("priority=2 wd2.priority=1 rd.wd=w*", "rank:2");
    IORATE: Limit = key("iorate",
        "Its own rate, independent of the run's; the others divide the rest of the run's rate. \
         Needs priority=.").case("priority=1 iorate=50 wd2.priority=2 rd.wd=w*", "together:{Iops:50.0}");
    RHPCT: Percent = key("rhpct", "Share of the reads that go to the hit area.").or("0")
        .case("rhpct=50", "read_percent:50");
    WHPCT: Percent = key("whpct", "Share of the writes that go to the hit area.").or("0")
        .case("whpct=50", "write_percent:50");
    HOST: Names = key("host", "Hosts that run it.").also(&["hd"])
        .case("hd.hd=h hd.count=(1,2) host=h2", "- w1 sd1 h1");
    OPENFLAGS: Flags = key("openflags", "How its storage is opened.")
        .case("openflags=o_direct", "open.direct: true");
    USER: Text = key("user", "A workload implemented in Java.").whole()
        .no("workloads implemented in Java are not supported");
    THREADS: Count = key("threads", "I/Os in flight; with concatenatesds=yes only.").or("8")
        .case("general.concatenatesds=yes threads=3", "depth: 3");
    STREAMS: Streams = key("streams",
        "Divides each storage into N sequential streams, of equal size or of the size given.")
        .case("streams=2", "clones: 2");
}
