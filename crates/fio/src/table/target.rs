//! Table: what the I/O goes to and how it is prepared.

use super::row::*;

options! { "Files and devices",
    FILENAME: Text = opt("filename", "Files or devices, separated by `:`; `\\:` is a colon in a \
                                      name.")
        .but("standard input and output (`-`) cannot be targets")
        .case("filename=/mnt/a:/mnt/b", "target: {Paths:[/mnt/a,/mnt/b]}");
    DIRECTORY: Text = opt("directory", "Directory of the files; several with `:`, used in turn by workers.")
        .case("directory=/mnt", "target.Files.directories: [/mnt]");
    FILENAME_FORMAT: Text = opt("filename_format",
        "Pattern of generated names, with $jobname, $jobnum and $filenum in it.")
        .or("$jobname.$jobnum.$filenum").case("filename_format=f.$filenum", "target.Files.pattern: f.$filenum");
    UNIQUE_FILENAME: Bool = opt("unique_filename", "Makes names unique for each client of a server.").or("1")
        .idle("it only matters to fio's server mode");
    FILETYPE: Choice = choice("filetype", &["none", "file", "block", "char"], "What kind of file to expect.")
        .or("none").idle("the kind is taken from the file itself");
    LOCKFILE: Choice = choice("lockfile", &["none", "exclusive", "readwrite"], "Locks a file for each I/O.")
        .or("none").under("filename").only(&["none"], "locks around each I/O are not supported yet");
    OPENDIR: Text = opt("opendir", "Uses the files found below a directory.")
        .no("searching a directory for files is not supported yet; name them with filename");
    NRFILES: Number = opt("nrfiles", "Number of generated files for each worker.").alias(&["nr_files"]).or("1")
        .within(1, 1 << 24).case("nrfiles=4", "target.Files.count: 4");
    OPENFILES: Number = opt("openfiles", "Most files open at once.").within(0, 1 << 24)
        .idle("all files are open from start to end; opening and closing between I/Os is not measured");
    FILE_SERVICE_TYPE: Choice = choice("file_service_type", &[
        "random", "zipf", "pareto", "normal", "gauss", "roundrobin", "sequential"
    ], "Which file is next; `roundrobin:8` stays for 8 I/Os.")
        .suffixed().or("roundrobin").under("nrfiles")
        .case("nrfiles=2 file_service_type=random:8", "access.file_choice: {Random:{ios:8}}");
    SIZE: Amount = opt("size", "Bytes of each worker over all its files, or percent of the target.")
        .case("size=1m", "region.size: {Bytes:1048576}");
    IO_SIZE: Amount = opt("io_size", "Bytes to transfer, if different from size.").alias(&["io_limit"])
        .case("io_size=2m", "stop.io_bytes: {Bytes:2097152}");
    NUMBER_IOS: Number = opt("number_ios", "Ends after N I/Os, unless time_based.").or("0")
        .case("number_ios=9", "stop.ios: 9");
    FILESIZE: Pair = opt("filesize", "Size of each file, or a range it is drawn from.").within(1, i64::MAX)
        .case("filesize=4k-8k", "region.file_size: [4096,8192]");
    FILE_APPEND: Bool = opt("file_append", "Appends at the end of the file.").or("0")
        .only(&["0"], "appending is not supported yet");
    FILL_DEVICE: Bool = opt("fill_device", "Writes until there is no space left.").alias(&["fill_fs"]).or("0")
        .case("fill_device=1", "region.until_full: true");
    OFFSET: Amount = opt("offset", "First byte of the region.").alias(&["fileoffset"]).or("0")
        .case("offset=8k", "region.offset.Bytes: 8192");
    OFFSET_ALIGN: Number = opt("offset_align", "Alignment of an offset in percent, rounded down.").or("0")
        .case("offset=10% offset_align=4k", "region.offset_align: 4096");
    OFFSET_INCREMENT: Amount = opt("offset_increment", "Added to offset for each further worker.").or("0")
        .under("offset").case("offset_increment=1m", "region.offset_step.Bytes: 1048576");
    FALLOCATE: Choice = choice("fallocate", &["none", "native", "posix", "keep", "truncate", "0", "1"],
        "How space is allocated when a file is created.")
        .or("native").case("fallocate=keep", "prepare.fallocate: Keep");
    FADVISE_HINT: Choice = choice("fadvise_hint", &["0", "1", "random", "sequential", "noreuse"],
        "Advises the kernel of the access pattern.")
        .or("1").only(&["0", "1", "random", "sequential"], "this advice is not supported yet")
        .case("fadvise_hint=random", "prepare.advise: Random");
    CREATE_SERIALIZE: Bool = opt("create_serialize", "Workers create their files one after the other.").or("1")
        .case("create_serialize=0", "prepare.one_by_one: false");
    CREATE_FSYNC: Bool = opt("create_fsync", "fsync after a file was created.").or("1")
        .case("create_fsync=0", "prepare.fsync: false");
    CREATE_ON_OPEN: Bool = opt("create_on_open", "Creates a file when it is first opened.").or("0")
        .case("create_on_open=1", "prepare.create_on_open: true");
    CREATE_ONLY: Bool = opt("create_only", "Creates the files without doing I/O.").or("0")
        .case("create_only=1", "prepare.create_only: true");
    ALLOW_FILE_CREATE: Bool = opt("allow_file_create", "Creates files that are missing.").or("1")
        .case("allow_file_create=0", "prepare.create: false");
    ALLOW_MOUNTED_WRITE: Bool = opt("allow_mounted_write", "Writes to a block device although it is mounted.")
        .or("0").only(&["0"], "name the device with --destroy instead");
    OVERWRITE: Bool = opt("overwrite", "Writes real data into the file before the run.").or("0")
        .case("overwrite=1", "prepare.overwrite: true");
    PRE_READ: Bool = opt("pre_read", "Reads the files into the cache before the run; turns invalidate off.")
        .or("0").case("pre_read=1", "prepare.pre_read: true");
    INVALIDATE: Bool = opt("invalidate", "Drops the client's cache of the files before the run.").or("1")
        .case("invalidate=0", "prepare.drop_cache: false");
    UNLINK: Bool = opt("unlink", "Deletes the files at the end.").or("0")
        .case("unlink=1", "prepare.unlink: true");
    UNLINK_EACH_LOOP: Bool = opt("unlink_each_loop",
        "Deletes the files between loops; here they stay, and a reader with several loops is refused, as its \
        second would find no files in fio.")
        .or("0").case("unlink_each_loop=1", "prepare.unlink_each_loop: true");
    DIRECT: Bool = opt("direct", "O_DIRECT: bypasses the page cache.").or("0")
        .case("direct=1", "open.direct: true");
    BUFFERED: Bool = opt("buffered", "Uses the page cache: the opposite of direct.").or("1")
        .case("buffered=0", "open.direct: true");
    ATOMIC: Bool = opt("atomic", "Writes are atomic (RWF_ATOMIC); implies direct.").or("0")
        .case("atomic=1", "open.atomic: true");
    SYNC: Choice = choice("sync", &["none", "0", "sync", "1", "dsync"], "O_SYNC or O_DSYNC.").or("none")
        .case("sync=dsync", "open.sync: Dsync");
    FSYNC: Number = opt("fsync", "fsync after every N writes; 0 = never.").or("0").within(0, u32::MAX as i64)
        .case("rw=write fsync=8", "sync.fsync_every: 8");
    FDATASYNC: Number = opt("fdatasync", "fdatasync after every N writes; 0 = never.").or("0")
        .within(0, u32::MAX as i64).case("rw=write fdatasync=8", "sync.fdatasync_every: 8");
    WRITE_BARRIER: Number = opt("write_barrier", "Issues a barrier after every n-th write.").or("0")
        .only(&["0"], "barriers are not supported; use fdatasync");
    SYNC_FILE_RANGE: List = opt("sync_file_range", "sync_file_range after every N writes.")
        .no("sync_file_range is not supported yet; use fdatasync");
    END_FSYNC: Bool = opt("end_fsync", "fsync when a job that writes ends.").or("0")
        .case("rw=write end_fsync=1", "sync.at_end: true");
    FSYNC_ON_CLOSE: Bool = opt("fsync_on_close", "fsync when a job that writes closes its files, at its end.").or("0")
        .case("rw=write fsync_on_close=1", "sync.on_close: true");
    END_SYNCFS: Bool = opt("end_syncfs", "syncfs when the job ends.").or("0")
        .only(&["0"], "syncfs is not supported yet; use end_fsync");
    WRITE_HINT: Choice = choice("write_hint", &["none", "short", "medium", "long", "extreme"],
        "Expected lifetime of written data.")
        .or("none").only(&["none"], "lifetime hints are not supported yet");
}
