//! Table: verification, replay and zones: known by name; most of it is not supported yet.

use super::row::*;

const WHY_VERIFY: &str = "it only refines verify, which is not supported yet";
const WHY_ONLY: &str = "verification of data is not supported yet";
const WHY_REPLAY: &str = "replay of recorded I/O is not supported yet";
/// What fio takes without a word in a job that replays nothing.
const WHY_REPLAYED: &str = "it only refines read_iolog";
const WHY_ZONED: &str = "it only refines zonemode";
const WHY_PLACEMENT: &str = "data placement directives are not supported yet";

options! { "Verification, replay and zones",
    VERIFY: Choice = choice("verify", &[
        "0", "md5", "crc64", "crc32", "crc32c-intel", "crc32c", "crc16", "crc7", "sha1", "sha256", "sha512",
        "sha3-224", "sha3-256", "sha3-384", "sha3-512", "xxhash", "meta", "pattern", "pattern_hdr", "null"
    ], "Checks what is read against what was written.")
        .or("0").only(&["0"], WHY_ONLY);
    DO_VERIFY: Bool = opt("do_verify", "Whether a writing job reads back.").or("1").under("verify").idle(WHY_VERIFY);
    VERIFY_POLICY: List = opt("verify_policy", "When data counts as written.").or("completed").under("verify")
        .idle(WHY_VERIFY);
    VERIFYSORT: Bool = opt("verifysort", "No longer used by fio.").idle("fio also ignores it");
    VERIFYSORT_NR: Number = opt("verifysort_nr", "No longer used by fio.").idle("fio also \
                                                                                 ignores it");
    VERIFY_INTERVAL: Number = opt("verify_interval", "Distance of check headers.").within(96, i64::MAX)
        .under("verify").idle(WHY_VERIFY);
    VERIFY_OFFSET: Number = opt("verify_offset", "Place of the check header.").within(48, i64::MAX)
        .under("verify").idle(WHY_VERIFY);
    VERIFY_PATTERN: List = opt("verify_pattern", "Content to write and check.").under("verify").idle(WHY_VERIFY);
    VERIFY_PATTERN_INTERVAL: Number = opt("verify_pattern_interval", "Distance of repeats of verify_pattern.")
        .or("0").under("verify").idle(WHY_VERIFY);
    VERIFY_FATAL: Bool = opt("verify_fatal", "The first mismatch ends the job.").or("0").under("verify")
        .idle(WHY_VERIFY);
    VERIFY_DUMP: Bool = opt("verify_dump", "Saves mismatching data.").or("0").under("verify").idle(WHY_VERIFY);
    VERIFY_ASYNC: Number = opt("verify_async", "Threads that verify.").or("0").under("verify").idle(WHY_VERIFY);
    VERIFY_ASYNC_CPUS: List = opt("verify_async_cpus", "CPUs of those threads.").under("verify_async")
        .idle(WHY_VERIFY);
    VERIFY_BACKLOG: Number = opt("verify_backlog", "Verifies after every N writes.").under("verify")
        .idle(WHY_VERIFY);
    VERIFY_BACKLOG_BATCH: Number = opt("verify_backlog_batch", "How many are verified then.").under("verify")
        .idle(WHY_VERIFY);
    EXPERIMENTAL_VERIFY: Bool = opt("experimental_verify", "Replays the random choices instead of remembering.")
        .under("verify").idle(WHY_VERIFY);
    VERIFY_STATE_LOAD: Bool = opt("verify_state_load", "Loads the state of an interrupted verification.")
        .under("verify").only(&["0"], WHY_ONLY);
    VERIFY_STATE_SAVE: Bool = opt("verify_state_save", "Saves the state of a verification.").or("1")
        .under("verify").idle(WHY_VERIFY);
    VERIFY_WRITE_SEQUENCE: Bool = opt("verify_write_sequence", "Checks the sequence of writes.").or("1")
        .under("verify").idle(WHY_VERIFY);
    VERIFY_HEADER_SEED: Bool = opt("verify_header_seed", "Checks the seed in the header.").or("1")
        .under("verify").idle(WHY_VERIFY);
    VERIFY_ONLY: Flag = opt("verify_only", "Only verifies what an earlier run wrote.").no(WHY_ONLY);
    TRIM_PERCENTAGE: Number = opt("trim_percentage", "Share of verified blocks to trim.").or("0").within(0, 100)
        .under("verify").only(&["0"], WHY_ONLY);
    TRIM_VERIFY_ZERO: Bool = opt("trim_verify_zero", "Checks that trimmed blocks read as zeros.").or("1")
        .under("trim_percentage").idle(WHY_VERIFY);
    TRIM_BACKLOG: Number = opt("trim_backlog", "Trims after every N writes.").under("trim_percentage")
        .idle(WHY_VERIFY);
    TRIM_BACKLOG_BATCH: Number = opt("trim_backlog_batch", "How many are trimmed then.")
        .under("trim_percentage").idle(WHY_VERIFY);
    WRITE_IOLOG: Text = opt("write_iolog", "Records the I/O for replay.")
        .no("recording I/O for replay is not supported yet");
    READ_IOLOG: Text = opt("read_iolog", "Replays recorded I/O.").no(WHY_REPLAY);
    READ_IOLOG_CHUNKED: Bool = opt("read_iolog_chunked", "Reads the record piece by piece.").or("0")
        .under("read_iolog").idle(WHY_REPLAYED);
    REPLAY_NO_STALL: Bool = opt("replay_no_stall", "Replays as fast as possible.").or("0").under("read_iolog")
        .idle(WHY_REPLAYED);
    REPLAY_REDIRECT: Text = opt("replay_redirect", "Replays to this device.").under("read_iolog").idle(WHY_REPLAYED);
    REPLAY_SCALE: Number = opt("replay_scale", "Divides offsets at replay.").or("1").under("read_iolog")
        .idle(WHY_REPLAYED);
    REPLAY_ALIGN: Number = opt("replay_align", "Aligns offsets at replay.").under("read_iolog").idle(WHY_REPLAYED);
    REPLAY_TIME_SCALE: Number = opt("replay_time_scale", "Speed of the replay in percent.").or("100")
        .within(1, i64::MAX).under("read_iolog").idle(WHY_REPLAYED);
    REPLAY_SKIP: List = opt("replay_skip", "Operations skipped at replay.").under("read_iolog").idle(WHY_REPLAYED);
    MERGE_BLKTRACE_FILE: Text = opt("merge_blktrace_file", "Merges traces into one.").no(WHY_REPLAY);
    MERGE_BLKTRACE_SCALARS: Floats = opt("merge_blktrace_scalars", "Time scales of merged traces.").no(WHY_REPLAY);
    MERGE_BLKTRACE_ITERS: Floats = opt("merge_blktrace_iters", "Repeats of merged traces.").no(WHY_REPLAY);
    ZONEMODE: Choice = choice("zonemode", &["none", "strided", "zbd"], "How zones are treated.").or("none")
        .only(&["none"], "zones are not supported yet");
    ZONESIZE: Number = opt("zonesize", "Size of a zone.").or("0")
        .only(&["0"], "fio refuses it without zonemode, and zones are not supported yet");
    ZONECAPACITY: Number = opt("zonecapacity", "Usable bytes of a zone.").or("0").idle(WHY_ZONED);
    ZONERANGE: Number = opt("zonerange", "Distance between zones.").or("0").idle(WHY_ZONED);
    ZONESKIP: Amount = opt("zoneskip", "Bytes between zones.").or("0").idle(WHY_ZONED);
    READ_BEYOND_WP: Bool = opt("read_beyond_wp", "Reads beyond the write pointer.").or("0").idle(WHY_ZONED);
    MAX_OPEN_ZONES: Number = opt("max_open_zones", "Most zones open on the device.").or("0").within(0, 4096)
        .idle(WHY_ZONED);
    JOB_MAX_OPEN_ZONES: Number = opt("job_max_open_zones", "Most zones open for a worker.").or("0")
        .within(0, 4096).idle(WHY_ZONED);
    IGNORE_ZONE_LIMITS: Bool = opt("ignore_zone_limits", "Ignores the device's limit of open zones.").or("0")
        .idle(WHY_ZONED);
    ZONE_RESET_THRESHOLD: Floats = opt("zone_reset_threshold", "Share of valid data at which zones are reset.")
        .idle(WHY_ZONED);
    ZONE_RESET_FREQUENCY: Floats = opt("zone_reset_frequency", "How often zones are reset.").idle(WHY_ZONED);
    RECOVER_ZBD_WRITE_ERROR: Bool = opt("recover_zbd_write_error", "Continues after a write error in a zone.")
        .idle(WHY_ZONED);
    WRITE_ZONE_REMAINDER: Bool = opt("write_zone_remainder", "Fills the rest of a zone with a smaller write.")
        .alias(&["write_zones_remainder"]).idle(WHY_ZONED);
    FDP: Bool = opt("fdp", "Sends data placement directives.").or("0").only(&["0"], WHY_PLACEMENT);
    DATAPLACEMENT: Choice = choice("dataplacement", &["none", "fdp", "streams"], "Which directives to send.")
        .alias(&["data_placement"]).or("none").only(&["none"], WHY_PLACEMENT);
    PLID_SELECT: Choice = choice("plid_select", &["random", "roundrobin", "scheme"],
        "Which placement identifier is next.")
        .alias(&["fdp_pli_select"]).or("roundrobin").no(WHY_PLACEMENT);
    PLIDS: List = opt("plids", "Placement identifiers.").alias(&["fdp_pli"]).no(WHY_PLACEMENT);
    DP_SCHEME: Text = opt("dp_scheme", "File with a placement scheme.").no(WHY_PLACEMENT);
    NUM_RANGE: Number = opt("num_range", "Ranges of one trim.").or("1").within(1, 256)
        .only(&["1"], "trims of several ranges are not supported");
}
