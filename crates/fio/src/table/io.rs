//! The pattern of the I/O: which operation, offset and size, and what is written.

use super::{Kind, OptionSpec, opt};

const SPRANDOM: &str =
    "preconditioning by sprandom is not supported yet; write the device twice over at random";
const DEDUPE: &str = "it only refines dedupe_percentage";

pub(super) const OPTIONS: &[OptionSpec] = &[
    opt(
        "rw",
        Kind::Choice(&[
            "read",
            "write",
            "trim",
            "randread",
            "randwrite",
            "randtrim",
            "rw",
            "readwrite",
            "randrw",
            "trimwrite",
            "randtrimwrite",
        ]),
        "Operation and order; `randread:8` jumps every 8 I/Os, `read:4k` leaves 4 KiB out.",
    )
    .alias(&["readwrite"])
    .or("read"),
    opt(
        "rw_sequencer",
        Kind::Choice(&["sequential", "identical"]),
        "What comes between two jumps of `rand...:N`: the next offsets, or the same one.",
    )
    .or("sequential"),
    opt("rwmixread", Kind::Number, "Share of reads in percent.")
        .or("50")
        .within(0, 100),
    opt("rwmixwrite", Kind::Number, "Share of writes in percent.")
        .or("50")
        .within(0, 100),
    opt("rwmixcycle", Kind::Number, "No longer part of fio.").no("fio itself refuses it"),
    opt("bs", Kind::PerOp, "Block size.")
        .alias(&["blocksize"])
        .or("4096")
        .within(1, i64::MAX)
        .under("rw"),
    opt("ba", Kind::PerOp, "Offsets are multiples of this.")
        .alias(&["blockalign"])
        .within(1, i64::MAX)
        .under("rw"),
    opt(
        "bsrange",
        Kind::Ranges,
        "Block sizes from a range, multiples of its lower end.",
    )
    .alias(&["blocksize_range"])
    .within(1, i64::MAX)
    .under("rw"),
    opt(
        "bssplit",
        Kind::List,
        "Block sizes by share: `4k/10:64k/50:32k/40`.",
    )
    .under("rw"),
    opt(
        "bs_unaligned",
        Kind::Flag,
        "Sizes of a bsrange need not be multiples.",
    )
    .alias(&["blocksize_unaligned"])
    .under("rw"),
    opt(
        "bs_is_seq_rand",
        Kind::Bool,
        "The first block size is for sequential I/O, the second for random.",
    )
    .or("0")
    .under("bs"),
    opt(
        "randrepeat",
        Kind::Bool,
        "The same random choices in each run.",
    )
    .alias(&["allrandrepeat"])
    .or("1")
    .under("rw"),
    opt("randseed", Kind::Number, "Seed of the random choices.").under("rw"),
    opt(
        "norandommap",
        Kind::Flag,
        "Random offsets may come twice in one pass.",
    )
    .under("rw"),
    opt(
        "softrandommap",
        Kind::Bool,
        "Goes on without a random map when there is no memory for it.",
    )
    .or("0")
    .under("norandommap")
    .idle("covering each block once takes no memory here"),
    opt(
        "random_generator",
        Kind::Choice(&["tausworthe", "lfsr", "tausworthe64"]),
        "Which generator draws random offsets.",
    )
    .or("tausworthe"),
    opt(
        "random_distribution",
        Kind::Choice(&[
            "random",
            "zipf",
            "pareto",
            "normal",
            "zoned",
            "zoned_abs",
            "sequence",
        ]),
        "How random offsets spread: `zipf:1.2`, `pareto:0.9`, `normal:10`, `zoned:60/10:40/90`.",
    )
    .or("random")
    .only(
        &["random", "zipf", "pareto", "normal", "zoned", "zoned_abs"],
        "a given list of offsets is not supported yet",
    ),
    opt(
        "random_sequence_stride",
        Kind::Bool,
        "Offsets of a random sequence are strides.",
    )
    .or("0")
    .idle("it only refines random_distribution=sequence"),
    opt(
        "percentage_random",
        Kind::PerOp,
        "Share of random I/Os in percent; the others continue.",
    )
    .or("100")
    .within(0, 100),
    opt(
        "percentage_sequential",
        Kind::PerOp,
        "No longer part of fio.",
    )
    .no("fio itself refuses it; use percentage_random"),
    opt(
        "sprandom",
        Kind::Bool,
        "Writes a device so that it is preconditioned in one pass.",
    )
    .or("0")
    .under("rw")
    .no(SPRANDOM),
    opt(
        "spr_num_regions",
        Kind::Number,
        "Number of regions of sprandom.",
    )
    .or("100")
    .under("sprandom")
    .no(SPRANDOM),
    opt(
        "spr_op",
        Kind::Floats,
        "Spare share of the device for sprandom.",
    )
    .or("0.15")
    .under("sprandom")
    .no(SPRANDOM),
    opt(
        "spr_cs",
        Kind::Number,
        "Size of the device's cache for sprandom.",
    )
    .or("0")
    .under("sprandom")
    .no(SPRANDOM),
    opt(
        "iodepth",
        Kind::Number,
        "Most I/Os in flight for each worker.",
    )
    .or("1")
    .within(1, 1 << 20),
    opt(
        "iodepth_batch",
        Kind::Number,
        "I/Os handed over in one call; 0 = iodepth.",
    )
    .alias(&["iodepth_batch_submit"])
    .within(0, 1 << 20)
    .under("iodepth"),
    opt(
        "iodepth_batch_complete_min",
        Kind::Number,
        "Completions to wait for in one call; 0 = poll.",
    )
    .alias(&["iodepth_batch_complete"])
    .within(0, 1 << 20)
    .under("iodepth"),
    opt(
        "iodepth_batch_complete_max",
        Kind::Number,
        "Most completions taken in one call.",
    )
    .within(0, 1 << 20)
    .under("iodepth")
    .idle("all completions that are there are taken at once"),
    opt(
        "iodepth_low",
        Kind::Number,
        "Once full, the queue falls to this depth before it is filled again.",
    )
    .within(0, 1 << 20)
    .under("iodepth"),
    opt(
        "serialize_overlap",
        Kind::Bool,
        "Does not start an I/O that overlaps one in flight.",
    )
    .or("0")
    .under("iodepth"),
    opt(
        "io_submit_mode",
        Kind::Choice(&["inline", "offload"]),
        "Whether another thread submits; both measure response latency here.",
    )
    .or("inline"),
    opt("zero_buffers", Kind::Flag, "Writes zeros."),
    opt(
        "refill_buffers",
        Kind::Flag,
        "Each write has new content throughout.",
    ),
    opt(
        "scramble_buffers",
        Kind::Bool,
        "Each write stamps a few bytes into each 512.",
    )
    .or("1"),
    opt(
        "buffer_pattern",
        Kind::List,
        "Bytes to write over and over: any mix of \"text\", 'file', 0xhex and numbers.",
    ),
    opt(
        "buffer_compress_percentage",
        Kind::Number,
        "Share of each chunk that compresses away.",
    )
    .within(0, 100),
    opt(
        "buffer_compress_chunk",
        Kind::Number,
        "Size of such a chunk in bytes.",
    )
    .or("512")
    .within(0, u32::MAX as i64)
    .under("buffer_compress_percentage"),
    opt(
        "dedupe_percentage",
        Kind::Number,
        "Share of blocks equal to an earlier one; given at all, each write has new content, as with refill_buffers.",
    )
    .within(0, 100),
    opt(
        "dedupe_mode",
        Kind::Choice(&["repeat", "working_set"]),
        "Which earlier block is repeated.",
    )
    .or("repeat")
    .under("dedupe_percentage")
    .only(
        &["repeat"],
        "a working set of duplicates is not supported yet",
    ),
    opt(
        "dedupe_working_set_percentage",
        Kind::Number,
        "Size of the working set of dedupe_mode.",
    )
    .or("5")
    .within(0, 100)
    .under("dedupe_percentage")
    .idle(DEDUPE),
    opt(
        "dedupe_global",
        Kind::Bool,
        "Shares the working set among jobs.",
    )
    .or("0")
    .under("dedupe_percentage")
    .idle(DEDUPE),
];
