//! Table: parameters of file systems, refused.

use super::kind::*;
use super::{WHY_FILES, key};

keywords! { super::Object::Fsd,
    FSD: Name = key("fsd", "Starts a file system definition.").whole().no(WHY_FILES);
    ANCHOR: Text = key("anchor", "Root directory.").no(WHY_FILES);
    JOURNAL: Text = key("journal", "Location of its journal.").no(WHY_FILES);
    HOST: Names = key("host", "Hosts with access to it.").also(&["hd"]).no(WHY_FILES);
    WIDTH: Free = key("width", "Subdirectories in each directory.").no(WHY_FILES);
    DEPTH: Free = key("depth", "Levels of directories.").no(WHY_FILES);
    SIZES: Free = key("sizes", "Sizes of the files.").no(WHY_FILES);
    SHARED: YesNo = key("shared", "Used by several hosts.").or("no").no(WHY_FILES);
    WSS: Free = key("wss", "Size of the files in use.").also(&["workingsetsize"]).no(WHY_FILES);
    TOTALSIZE: Free = key("totalsize", "Size of all files.").also(&["total_size"]).no(WHY_FILES);
    FILES: Free = key("files", "Files in each directory.").no(WHY_FILES);
    DISTRIBUTION: Free = key("distribution", "Which directories hold files.").no(WHY_FILES);
    CLEANUP: Free = key("cleanup", "When files are deleted.").no(WHY_FILES);
    OPENFLAGS: Flags = key("openflags", "How files are opened.").no(WHY_FILES);
    LOG: Free = key("log", "Logs operations.").no(WHY_FILES);
    MASK: Free = key("mask", "Names of files.").no(WHY_FILES);
    COUNT: Series = key("count", "Creates N of them, numbered.").no(WHY_FILES);
    DEDUPRATIO: Ratio = key("dedupratio", "As the general parameter.").no(WHY_FILES);
    DEDUPUNIT: Blocks = key("dedupunit", "As the general parameter.").no(WHY_FILES);
    DEDUPSETS: Text = key("dedupsets", "As the general parameter.").no(WHY_FILES);
    CLOUD: Free = key("cloud", "Files in a cloud's store.").no(WHY_FILES);
}
