//! Verification, replay and zones: known by name; most of it is not supported yet.

use super::{Kind, OptionSpec, opt};

const VERIFY: &str = "it only refines verify, which is not supported yet";
const ONLY: &str = "verification of data is not supported yet";
const REPLAY: &str = "replay of recorded I/O is not supported yet";
/// What fio takes without a word in a job that replays nothing.
const REPLAYED: &str = "it only refines read_iolog";
const ZONED: &str = "it only refines zonemode";
const PLACEMENT: &str = "data placement directives are not supported yet";

pub(super) const OPTIONS: &[OptionSpec] = &[
    opt(
        "verify",
        Kind::Choice(&[
            "0",
            "md5",
            "crc64",
            "crc32",
            "crc32c-intel",
            "crc32c",
            "crc16",
            "crc7",
            "sha1",
            "sha256",
            "sha512",
            "sha3-224",
            "sha3-256",
            "sha3-384",
            "sha3-512",
            "xxhash",
            "meta",
            "pattern",
            "pattern_hdr",
            "null",
        ]),
        "Checks what is read against what was written.",
    )
    .or("0")
    .only(&["0"], ONLY),
    opt("do_verify", Kind::Bool, "Whether a writing job reads back.")
        .or("1")
        .under("verify")
        .idle(VERIFY),
    opt("verify_policy", Kind::List, "When data counts as written.")
        .or("completed")
        .under("verify")
        .idle(VERIFY),
    opt("verifysort", Kind::Bool, "No longer used by fio.").idle("fio itself ignores it"),
    opt("verifysort_nr", Kind::Number, "No longer used by fio.").idle("fio itself ignores it"),
    opt(
        "verify_interval",
        Kind::Number,
        "Distance of check headers.",
    )
    .within(96, i64::MAX)
    .under("verify")
    .idle(VERIFY),
    opt("verify_offset", Kind::Number, "Place of the check header.")
        .within(48, i64::MAX)
        .under("verify")
        .idle(VERIFY),
    opt("verify_pattern", Kind::List, "Content to write and check.")
        .under("verify")
        .idle(VERIFY),
    opt(
        "verify_pattern_interval",
        Kind::Number,
        "Distance of repeats of verify_pattern.",
    )
    .or("0")
    .under("verify")
    .idle(VERIFY),
    opt(
        "verify_fatal",
        Kind::Bool,
        "The first mismatch ends the job.",
    )
    .or("0")
    .under("verify")
    .idle(VERIFY),
    opt("verify_dump", Kind::Bool, "Saves what mismatches.")
        .or("0")
        .under("verify")
        .idle(VERIFY),
    opt("verify_async", Kind::Number, "Threads that verify.")
        .or("0")
        .under("verify")
        .idle(VERIFY),
    opt("verify_async_cpus", Kind::List, "CPUs of those threads.")
        .under("verify_async")
        .idle(VERIFY),
    opt(
        "verify_backlog",
        Kind::Number,
        "Verifies after every N writes.",
    )
    .under("verify")
    .idle(VERIFY),
    opt(
        "verify_backlog_batch",
        Kind::Number,
        "How many are verified then.",
    )
    .under("verify")
    .idle(VERIFY),
    opt(
        "experimental_verify",
        Kind::Bool,
        "Replays the random choices instead of remembering.",
    )
    .under("verify")
    .idle(VERIFY),
    opt(
        "verify_state_load",
        Kind::Bool,
        "Loads the state of an interrupted verification.",
    )
    .under("verify")
    .only(&["0"], ONLY),
    opt(
        "verify_state_save",
        Kind::Bool,
        "Saves the state of a verification.",
    )
    .or("1")
    .under("verify")
    .idle(VERIFY),
    opt(
        "verify_write_sequence",
        Kind::Bool,
        "Checks the sequence of writes.",
    )
    .or("1")
    .under("verify")
    .idle(VERIFY),
    opt(
        "verify_header_seed",
        Kind::Bool,
        "Checks the seed in the header.",
    )
    .or("1")
    .under("verify")
    .idle(VERIFY),
    opt(
        "verify_only",
        Kind::Flag,
        "Only verifies what an earlier run wrote.",
    )
    .no(ONLY),
    opt(
        "trim_percentage",
        Kind::Number,
        "Share of verified blocks to trim.",
    )
    .or("0")
    .within(0, 100)
    .under("verify")
    .only(&["0"], ONLY),
    opt(
        "trim_verify_zero",
        Kind::Bool,
        "Checks that trimmed blocks read as zeros.",
    )
    .or("1")
    .under("trim_percentage")
    .idle(VERIFY),
    opt("trim_backlog", Kind::Number, "Trims after every N writes.")
        .under("trim_percentage")
        .idle(VERIFY),
    opt(
        "trim_backlog_batch",
        Kind::Number,
        "How many are trimmed then.",
    )
    .under("trim_percentage")
    .idle(VERIFY),
    opt("write_iolog", Kind::Text, "Records the I/O for replay.")
        .no("recording I/O for replay is not supported yet"),
    opt("read_iolog", Kind::Text, "Replays recorded I/O.").no(REPLAY),
    opt(
        "read_iolog_chunked",
        Kind::Bool,
        "Reads the record piece by piece.",
    )
    .or("0")
    .under("read_iolog")
    .idle(REPLAYED),
    opt(
        "replay_no_stall",
        Kind::Bool,
        "Replays as fast as possible.",
    )
    .or("0")
    .under("read_iolog")
    .idle(REPLAYED),
    opt("replay_redirect", Kind::Text, "Replays to this device.")
        .under("read_iolog")
        .idle(REPLAYED),
    opt("replay_scale", Kind::Number, "Divides offsets at replay.")
        .or("1")
        .under("read_iolog")
        .idle(REPLAYED),
    opt("replay_align", Kind::Number, "Aligns offsets at replay.")
        .under("read_iolog")
        .idle(REPLAYED),
    opt(
        "replay_time_scale",
        Kind::Number,
        "Speed of the replay in percent.",
    )
    .or("100")
    .within(1, i64::MAX)
    .under("read_iolog")
    .idle(REPLAYED),
    opt("replay_skip", Kind::List, "Kinds left out at replay.")
        .under("read_iolog")
        .idle(REPLAYED),
    opt("merge_blktrace_file", Kind::Text, "Merges traces into one.").no(REPLAY),
    opt(
        "merge_blktrace_scalars",
        Kind::Floats,
        "Time scales of merged traces.",
    )
    .no(REPLAY),
    opt(
        "merge_blktrace_iters",
        Kind::Floats,
        "Repeats of merged traces.",
    )
    .no(REPLAY),
    opt(
        "zonemode",
        Kind::Choice(&["none", "strided", "zbd"]),
        "How zones are treated.",
    )
    .or("none")
    .only(&["none"], "zones are not supported yet"),
    opt("zonesize", Kind::Number, "Size of a zone.")
        .or("0")
        .only(
            &["0"],
            "fio refuses it without zonemode, and zones are not supported yet",
        ),
    opt("zonecapacity", Kind::Number, "Usable bytes of a zone.")
        .or("0")
        .idle(ZONED),
    opt("zonerange", Kind::Number, "Distance of zones.")
        .or("0")
        .idle(ZONED),
    opt("zoneskip", Kind::Amount, "Bytes between zones.")
        .or("0")
        .idle(ZONED),
    opt(
        "read_beyond_wp",
        Kind::Bool,
        "Reads beyond the write pointer.",
    )
    .or("0")
    .idle(ZONED),
    opt(
        "max_open_zones",
        Kind::Number,
        "Most zones open on the device.",
    )
    .or("0")
    .within(0, 4096)
    .idle(ZONED),
    opt(
        "job_max_open_zones",
        Kind::Number,
        "Most zones open for a worker.",
    )
    .or("0")
    .within(0, 4096)
    .idle(ZONED),
    opt(
        "ignore_zone_limits",
        Kind::Bool,
        "Ignores the device's limit of open zones.",
    )
    .or("0")
    .idle(ZONED),
    opt(
        "zone_reset_threshold",
        Kind::Floats,
        "Share of valid data at which zones are reset.",
    )
    .idle(ZONED),
    opt(
        "zone_reset_frequency",
        Kind::Floats,
        "How often zones are reset.",
    )
    .idle(ZONED),
    opt(
        "recover_zbd_write_error",
        Kind::Bool,
        "Goes on after a write error in a zone.",
    )
    .idle(ZONED),
    opt(
        "write_zone_remainder",
        Kind::Bool,
        "Fills the rest of a zone with a smaller write.",
    )
    .alias(&["write_zones_remainder"])
    .idle(ZONED),
    opt("fdp", Kind::Bool, "Sends data placement directives.")
        .or("0")
        .only(&["0"], PLACEMENT),
    opt(
        "dataplacement",
        Kind::Choice(&["none", "fdp", "streams"]),
        "Which directives to send.",
    )
    .alias(&["data_placement"])
    .or("none")
    .only(&["none"], PLACEMENT),
    opt(
        "plid_select",
        Kind::Choice(&["random", "roundrobin", "scheme"]),
        "Which placement identifier is next.",
    )
    .alias(&["fdp_pli_select"])
    .or("roundrobin")
    .no(PLACEMENT),
    opt("plids", Kind::List, "Placement identifiers.")
        .alias(&["fdp_pli"])
        .no(PLACEMENT),
    opt("dp_scheme", Kind::Text, "File with a placement scheme.").no(PLACEMENT),
    opt("num_range", Kind::Number, "Ranges of one trim.")
        .or("1")
        .within(1, 256)
        .only(&["1"], "trims of several ranges are not supported"),
];
