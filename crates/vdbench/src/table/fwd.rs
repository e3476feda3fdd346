//! Table: parameters of file system workloads, refused.

use super::kind::*;
use super::{WHY_FILES, key};

keywords! { super::Object::Fwd,
    FWD: Name = key("fwd", "Starts a file system workload definition.").whole().no(WHY_FILES);
    FSD: Names = key("fsd", "Its file systems.").no(WHY_FILES);
    FILEIO: Free = key("fileio", "Order of the I/Os.").whole().no(WHY_FILES);
    RDPCT: Percent = key("rdpct", "Share of reads.").also(&["readpct"]).no(WHY_FILES);
    STOPAFTER: Free = key("stopafter", "I/Os before switching to the next file.").no(WHY_FILES);
    OPERATION: Free = key("operation", "The operation to do.").also(&["operations"]).no(WHY_FILES);
    FILESELECT: Free = key("fileselect", "Which file is next.").no(WHY_FILES);
    XFERSIZES: Free = key("xfersizes", "Sizes of the I/Os.").no(WHY_FILES);
    SKEW: Percent = key("skew", "Its share of the rate of all workloads.").no(WHY_FILES);
    THREADS: Count = key("threads", "Concurrent operations.").no(WHY_FILES);
    TARGET: Names = key("target", "Target of copies.").no(WHY_FILES);
    HOST: Names = key("host", "Hosts that run it.").also(&["hd"]).no(WHY_FILES);
    OPENFLAGS: Flags = key("openflags", "How files are opened.").no(WHY_FILES);
}
