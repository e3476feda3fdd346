//! Table: what the I/O goes to and how it is made ready.

use super::kind::*;
use super::{choice, opt};

options! { "Files and devices",
    FILENAME: Text = opt("filename", "Files or devices, `:` between them, `\\:` for a colon in a name.")
        .but("standard input and output (`-`) are not targets");
    DIRECTORY: Text = opt("directory", "Directory of the files; several with `:`, used in turn by workers.");
    FILENAME_FORMAT: Text = opt("filename_format",
        "Pattern of generated names, with $jobname, $jobnum and $filenum in it.")
        .or("$jobname.$jobnum.$filenum");
    UNIQUE_FILENAME: Bool = opt("unique_filename", "Makes names unique for each client of a server.").or("1")
        .idle("it only matters to fio's server mode");
    FILETYPE: Choice = choice("filetype", &["none", "file", "block", "char"], "What kind of file to expect.")
        .or("none").idle("the kind is taken from the file itself");
    LOCKFILE: Choice = choice("lockfile", &["none", "exclusive", "readwrite"], "Locks a file for each I/O.")
        .or("none").under("filename").only(&["none"], "locks around each I/O are not supported yet");
    OPENDIR: Text = opt("opendir", "Uses the files found below a directory.")
        .no("searching a directory for files is not supported yet; name them with filename");
    NRFILES: Number = opt("nrfiles", "Number of generated files for each worker.").alias(&["nr_files"]).or("1")
        .within(1, 1 << 24);
    OPENFILES: Number = opt("openfiles", "Most files open at once.").within(0, 1 << 24)
        .idle("all files are open from start to end; opening and closing between I/Os is not measured");
    FILE_SERVICE_TYPE: Choice = choice("file_service_type", &[
        "random", "zipf", "pareto", "normal", "gauss", "roundrobin", "sequential"
    ], "Which file is next; `roundrobin:8` stays for 8 I/Os.")
        .suffixed().or("roundrobin").under("nrfiles");
    SIZE: Amount = opt("size", "Bytes of each worker over all its files, or percent of the target.");
    IO_SIZE: Amount = opt("io_size", "Bytes to move, when other than size.").alias(&["io_limit"]);
    NUMBER_IOS: Number = opt("number_ios", "Ends after N I/Os, unless time_based.").or("0");
    FILESIZE: Pair = opt("filesize", "Size of each file, or a range it is drawn from.").within(1, i64::MAX);
    FILE_APPEND: Bool = opt("file_append", "Starts at the end of the file.").or("0")
        .only(&["0"], "appending is not supported yet");
    FILL_DEVICE: Bool = opt("fill_device", "Writes until there is no space left.").alias(&["fill_fs"]).or("0");
    OFFSET: Amount = opt("offset", "First byte of the region.").alias(&["fileoffset"]).or("0");
    OFFSET_ALIGN: Number = opt("offset_align", "What an offset in percent is rounded down to.").or("0");
    OFFSET_INCREMENT: Amount = opt("offset_increment", "Added to offset for each further worker.").or("0")
        .under("offset");
    FALLOCATE: Choice = choice("fallocate", &["none", "native", "posix", "keep", "truncate", "0", "1"],
        "How space is claimed when a file is created.")
        .or("native");
    FADVISE_HINT: Choice = choice("fadvise_hint", &["0", "1", "random", "sequential", "noreuse"],
        "Tells the kernel the access pattern.")
        .or("1").only(&["0", "1", "random", "sequential"], "this advice is not supported yet");
    CREATE_SERIALIZE: Bool = opt("create_serialize", "Workers create their files one after the other.").or("1");
    CREATE_FSYNC: Bool = opt("create_fsync", "fsync after a file was created.").or("1");
    CREATE_ON_OPEN: Bool = opt("create_on_open", "Creates a file when it is first opened.").or("0");
    CREATE_ONLY: Bool = opt("create_only", "Creates the files and does no I/O.").or("0");
    ALLOW_FILE_CREATE: Bool = opt("allow_file_create", "Creates files that are missing.").or("1");
    ALLOW_MOUNTED_WRITE: Bool = opt("allow_mounted_write", "Writes to a block device although it is mounted.")
        .or("0").only(&["0"], "name the device with --destroy instead");
    OVERWRITE: Bool = opt("overwrite", "Writes real data into the file before the run.").or("0");
    PRE_READ: Bool = opt("pre_read", "Reads the files into the cache before the run; turns invalidate off.")
        .or("0");
    INVALIDATE: Bool = opt("invalidate", "Drops the client's cache of the files before the run.").or("1");
    UNLINK: Bool = opt("unlink", "Deletes the files at the end.").or("0");
    UNLINK_EACH_LOOP: Bool = opt("unlink_each_loop",
        "Deletes the files between loops; here they stay, and a reader with several loops is refused, as its \
        second would find no files in fio.")
        .or("0");
    DIRECT: Bool = opt("direct", "O_DIRECT: past the page cache.").or("0");
    BUFFERED: Bool = opt("buffered", "Through the page cache: the opposite of direct.").or("1");
    ATOMIC: Bool = opt("atomic", "Writes are atomic (RWF_ATOMIC); implies direct.").or("0");
    SYNC: Choice = choice("sync", &["none", "0", "sync", "1", "dsync"], "O_SYNC or O_DSYNC.").or("none");
    FSYNC: Number = opt("fsync", "fsync after every N writes; 0 = never.").or("0").within(0, u32::MAX as i64);
    FDATASYNC: Number = opt("fdatasync", "fdatasync after every N writes; 0 = never.").or("0")
        .within(0, u32::MAX as i64);
    WRITE_BARRIER: Number = opt("write_barrier", "Makes every n-th write a barrier.").or("0")
        .only(&["0"], "barriers are not supported; use fdatasync");
    SYNC_FILE_RANGE: List = opt("sync_file_range", "sync_file_range after every N writes.")
        .no("sync_file_range is not supported yet; use fdatasync");
    END_FSYNC: Bool = opt("end_fsync", "fsync when a job that writes ends.").or("0");
    FSYNC_ON_CLOSE: Bool = opt("fsync_on_close", "fsync whenever a file is closed.").or("0");
    END_SYNCFS: Bool = opt("end_syncfs", "syncfs when the job ends.").or("0")
        .only(&["0"], "syncfs is not supported yet; use end_fsync");
    WRITE_HINT: Choice = choice("write_hint", &["none", "short", "medium", "long", "extreme"],
        "Expected lifetime of written data.")
        .or("none").only(&["none"], "lifetime hints are not supported yet");
}
