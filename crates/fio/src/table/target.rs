//! What the I/O goes to and how it is made ready.

use super::{Kind, OptionSpec, opt};

pub(super) const OPTIONS: &[OptionSpec] = &[
    opt(
        "filename",
        Kind::Text,
        "Files or devices, `:` between them, `\\:` for a colon in a name.",
    )
    .but("standard input and output (`-`) are not targets"),
    opt(
        "directory",
        Kind::Text,
        "Directory of the files; several with `:`, used in turn by workers.",
    ),
    opt(
        "filename_format",
        Kind::Text,
        "Pattern of generated names, with $jobname, $jobnum and $filenum in it.",
    )
    .or("$jobname.$jobnum.$filenum"),
    opt(
        "unique_filename",
        Kind::Bool,
        "Makes names unique for each client of a server.",
    )
    .or("1")
    .idle("it only matters to fio's server mode"),
    opt(
        "filetype",
        Kind::Choice(&["none", "file", "block", "char"]),
        "What kind of file to expect.",
    )
    .or("none")
    .idle("the kind is taken from the file itself"),
    opt(
        "lockfile",
        Kind::Choice(&["none", "exclusive", "readwrite"]),
        "Locks a file for each I/O.",
    )
    .or("none")
    .under("filename")
    .only(&["none"], "locks around each I/O are not supported yet"),
    opt(
        "opendir",
        Kind::Text,
        "Uses the files found below a directory.",
    )
    .no("searching a directory for files is not supported yet; name them with filename"),
    opt(
        "nrfiles",
        Kind::Number,
        "Number of generated files for each worker.",
    )
    .alias(&["nr_files"])
    .or("1")
    .within(1, 1 << 24),
    opt("openfiles", Kind::Number, "Most files open at once.")
        .within(0, 1 << 24)
        .idle("all files are open from start to end; opening and closing between I/Os is not measured"),
    opt(
        "file_service_type",
        Kind::Choice(&[
            "random",
            "zipf",
            "pareto",
            "normal",
            "gauss",
            "roundrobin",
            "sequential",
        ]),
        "Which file is next; `roundrobin:8` stays for 8 I/Os.",
    )
    .or("roundrobin")
    .under("nrfiles"),
    opt(
        "size",
        Kind::Amount,
        "Bytes of each worker over all its files, or percent of the target.",
    ),
    opt(
        "io_size",
        Kind::Amount,
        "Bytes to move, when other than size.",
    )
    .alias(&["io_limit"]),
    opt(
        "number_ios",
        Kind::Number,
        "Ends after N I/Os, unless time_based.",
    )
    .or("0"),
    opt(
        "filesize",
        Kind::Pair,
        "Size of each file, or a range it is drawn from.",
    )
    .within(1, i64::MAX),
    opt(
        "file_append",
        Kind::Bool,
        "Starts at the end of the file.",
    )
    .or("0")
    .only(&["0"], "appending is not supported yet"),
    opt(
        "fill_device",
        Kind::Bool,
        "Writes until there is no space left.",
    )
    .alias(&["fill_fs"])
    .or("0"),
    opt("offset", Kind::Amount, "First byte of the region.")
        .alias(&["fileoffset"])
        .or("0"),
    opt(
        "offset_align",
        Kind::Number,
        "What an offset in percent is rounded down to.",
    )
    .or("0"),
    opt(
        "offset_increment",
        Kind::Amount,
        "Added to offset for each further worker.",
    )
    .or("0")
    .under("offset"),
    opt(
        "fallocate",
        Kind::Choice(&["none", "native", "posix", "keep", "truncate", "0", "1"]),
        "How space is claimed when a file is created.",
    )
    .or("native"),
    opt(
        "fadvise_hint",
        Kind::Choice(&["0", "1", "random", "sequential", "noreuse"]),
        "Tells the kernel the access pattern.",
    )
    .or("1")
    .only(
        &["0", "1", "random", "sequential"],
        "this advice is not supported yet",
    ),
    opt(
        "create_serialize",
        Kind::Bool,
        "Workers create their files one after the other.",
    )
    .or("1"),
    opt(
        "create_fsync",
        Kind::Bool,
        "fsync after a file was created.",
    )
    .or("1"),
    opt(
        "create_on_open",
        Kind::Bool,
        "Creates a file when it is first opened.",
    )
    .or("0"),
    opt(
        "create_only",
        Kind::Bool,
        "Creates the files and does no I/O.",
    )
    .or("0"),
    opt(
        "allow_file_create",
        Kind::Bool,
        "Creates files that are missing.",
    )
    .or("1"),
    opt(
        "allow_mounted_write",
        Kind::Bool,
        "Writes to a block device although it is mounted.",
    )
    .or("0")
    .only(&["0"], "name the device with --destroy instead"),
    opt(
        "overwrite",
        Kind::Bool,
        "Writes real data into the file before the run.",
    )
    .or("0"),
    opt(
        "pre_read",
        Kind::Bool,
        "Reads the files into the cache before the run; turns invalidate off.",
    )
    .or("0"),
    opt(
        "invalidate",
        Kind::Bool,
        "Drops the client's cache of the files before the run.",
    )
    .or("1"),
    opt("unlink", Kind::Bool, "Deletes the files at the end.").or("0"),
    opt(
        "unlink_each_loop",
        Kind::Bool,
        "Deletes the files between loops; here they stay, and a reader with several loops is refused, as its second would find no files in fio.",
    )
    .or("0"),
    opt("direct", Kind::Bool, "O_DIRECT: past the page cache.").or("0"),
    opt(
        "buffered",
        Kind::Bool,
        "Through the page cache: the opposite of direct.",
    )
    .or("1"),
    opt(
        "atomic",
        Kind::Bool,
        "Writes are atomic (RWF_ATOMIC); implies direct.",
    )
    .or("0"),
    opt(
        "sync",
        Kind::Choice(&["none", "0", "sync", "1", "dsync"]),
        "O_SYNC or O_DSYNC.",
    )
    .or("none"),
    opt(
        "fsync",
        Kind::Number,
        "fsync after every N writes; 0 = never.",
    )
    .or("0")
    .within(0, u32::MAX as i64),
    opt(
        "fdatasync",
        Kind::Number,
        "fdatasync after every N writes; 0 = never.",
    )
    .or("0")
    .within(0, u32::MAX as i64),
    opt(
        "write_barrier",
        Kind::Number,
        "Makes every n-th write a barrier.",
    )
    .or("0")
    .only(&["0"], "barriers are not supported; use fdatasync"),
    opt(
        "sync_file_range",
        Kind::List,
        "sync_file_range after every N writes.",
    )
    .no("sync_file_range is not supported yet; use fdatasync"),
    opt("end_fsync", Kind::Bool, "fsync when a job that writes ends.").or("0"),
    opt(
        "fsync_on_close",
        Kind::Bool,
        "fsync whenever a file is closed.",
    )
    .or("0"),
    opt(
        "end_syncfs",
        Kind::Bool,
        "syncfs when the job ends.",
    )
    .or("0")
    .only(&["0"], "syncfs is not supported yet; use end_fsync"),
    opt(
        "write_hint",
        Kind::Choice(&["none", "short", "medium", "long", "extreme"]),
        "Expected lifetime of written data.",
    )
    .or("none")
    .only(&["none"], "lifetime hints are not supported yet"),
];
