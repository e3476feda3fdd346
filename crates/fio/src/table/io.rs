//! Table: the pattern of the I/O: which operation, offset and size, and what is written.

use super::row::*;

const WHY_SPRANDOM: &str =
    "preconditioning by sprandom is not supported yet; write the device twice over at random";
const WHY_DEDUPE: &str = "it only refines dedupe_percentage";

options! { "I/O pattern",
    RW: Choice = choice("rw", &[
        "read", "write", "trim", "randread", "randwrite", "randtrim", "rw", "readwrite", "randrw", "trimwrite",
        "randtrimwrite"
    ], "Operation and order; `randread:8` jumps every 8 I/Os, `read:4k` skips 4 KiB after each \
        I/O.")
        .alias(&["readwrite"]).suffixed().or("read").case("rw=randwrite", "mix.Only: write");
    RW_SEQUENCER: Choice = choice("rw_sequencer", &["sequential", "identical"],
        "Offsets between two jumps of `rand...:N`: consecutive, or the same one.")
        .or("sequential")
        .case("rw=randread:8 rw_sequencer=identical", "access.order: {Random:{every:8,identical:true}}");
    RWMIXREAD: Number = opt("rwmixread", "Share of reads in percent.").or("50").within(0, 100)
        .case("rw=rw rwmixread=70", "mix: {ReadWrite:{read_percent:70.0}}");
    RWMIXWRITE: Number = opt("rwmixwrite", "Share of writes in percent.").or("50").within(0, 100)
        .case("rw=rw rwmixwrite=70", "mix: {ReadWrite:{read_percent:30.0}}");
    RWMIXCYCLE: Number = opt("rwmixcycle", "No longer part of fio.").no("fio also refuses it");
    BS: PerOp = opt("bs", "Block size.").alias(&["blocksize"]).or("4096").within(1, i64::MAX).under("rw")
        .case("bs=8k", "sizes.by_op: {Fixed:8192}");
    BA: PerOp = opt("ba", "Offsets are multiples of this.").alias(&["blockalign"]).within(1, i64::MAX)
        .under("rw").case("ba=8k", "sizes.align: 8192");
    BSRANGE: Ranges = opt("bsrange", "Block sizes from a range, multiples of its lower end.")
        .alias(&["blocksize_range"]).within(1, i64::MAX).under("rw")
        .case("bsrange=4k-16k", "sizes.by_op: {Range:{max:16384,min:4096,unaligned:false}}");
    BSSPLIT: List = opt("bssplit", "Block sizes by share: `4k/10:64k/50:32k/40`.").under("rw")
        .case("bssplit=4k/60:64k/40", "sizes.by_op: {Split:[[4096,60],[65536,40]]}");
    BS_UNALIGNED: Flag = opt("bs_unaligned", "Sizes of a bsrange need not be multiples.")
        .alias(&["blocksize_unaligned"]).under("rw")
        .case("bsrange=4k-16k bs_unaligned", "sizes.by_op: {Range:{max:16384,min:4096,unaligned:true}}");
    BS_IS_SEQ_RAND: Bool = opt("bs_is_seq_rand",
        "The first block size is for sequential I/O, the second for random.")
        .or("0").under("bs").case("bs=4k,8k bs_is_seq_rand=1", "sizes.by_order: true");
    RANDREPEAT: Bool = opt("randrepeat", "The same random choices in each run.").alias(&["allrandrepeat"])
        .or("1").under("rw").case("randrepeat=0", "access.seed: null");
    RANDSEED: Number = opt("randseed", "Seed of the random choices.").under("rw")
        .case("randseed=7", "access.seed: 7");
    NORANDOMMAP: Flag = opt("norandommap", "Random offsets may repeat within one pass.").under("rw")
        .case("rw=randread norandommap", "access.coverage: WithRepeats");
    SOFTRANDOMMAP: Bool = opt("softrandommap", "Continues without a random map if there is no \
                                                memory for it.")
        .or("0").under("norandommap").idle("covering each block once needs no memory here");
    RANDOM_GENERATOR: Choice = choice("random_generator", &["tausworthe", "lfsr", "tausworthe64"],
        "Random generator for offsets.")
        .or("tausworthe")
        .case("rw=randread norandommap random_generator=lfsr", "- access.coverage: WithRepeats");
    RANDOM_DISTRIBUTION: Choice = choice("random_distribution", &[
        "random", "zipf", "pareto", "normal", "zoned", "zoned_abs", "sequence"
    ], "Distribution of random offsets: `zipf:1.2`, `pareto:0.9`, `normal:10`, \
        `zoned:60/10:40/90`.")
        .suffixed().or("random")
        .only(&["random", "zipf", "pareto", "normal", "zoned", "zoned_abs"],
            "a given list of offsets is not supported yet")
        .case("rw=randread random_distribution=zipf:1.2", "access.distribution: {Zipf:{center:null,theta:1.2}}");
    RANDOM_SEQUENCE_STRIDE: Bool = opt("random_sequence_stride", "Offsets of a random sequence are strides.")
        .or("0").idle("it only refines random_distribution=sequence");
    PERCENTAGE_RANDOM: PerOp = opt("percentage_random", "Share of random I/Os in percent; the \
                                                         others are sequential.")
        .or("100").within(0, 100).case("rw=randread percentage_random=30", "access.random_percent: 30.0");
    PERCENTAGE_SEQUENTIAL: PerOp = opt("percentage_sequential", "No longer part of fio.")
        .no("fio also refuses it; use percentage_random");
    SPRANDOM: Bool = opt("sprandom", "Writes a device so that it is preconditioned in one pass.").or("0")
        .under("rw").no(WHY_SPRANDOM);
    SPR_NUM_REGIONS: Number = opt("spr_num_regions", "Number of regions of sprandom.").or("100")
        .under("sprandom").no(WHY_SPRANDOM);
    SPR_OP: Floats = opt("spr_op", "Spare share of the device for sprandom.").or("0.15").under("sprandom")
        .no(WHY_SPRANDOM);
    SPR_CS: Number = opt("spr_cs", "Size of the device's cache for sprandom.").or("0").under("sprandom")
        .no(WHY_SPRANDOM);
    IODEPTH: Number = opt("iodepth", "Most I/Os in flight for each worker.").or("1").within(1, 1 << 20)
        .case("ioengine=libaio iodepth=32", "depth: 32");
    IODEPTH_BATCH: Number = opt("iodepth_batch", "I/Os submitted in one call; 0 = iodepth.")
        .alias(&["iodepth_batch_submit"]).within(0, 1 << 20).under("iodepth")
        .case("ioengine=libaio iodepth=32 iodepth_batch=8", "engine.batch_submit: 8");
    IODEPTH_BATCH_COMPLETE_MIN: Number = opt("iodepth_batch_complete_min",
        "Completions to wait for in one call; 0 = poll.")
        .alias(&["iodepth_batch_complete"]).within(0, 1 << 20).under("iodepth")
        .case("ioengine=libaio iodepth=32 iodepth_batch_complete_min=4", "engine.batch_wait: 4");
    IODEPTH_BATCH_COMPLETE_MAX: Number = opt("iodepth_batch_complete_max",
        "Most completions reaped in one call.")
        .within(0, 1 << 20).under("iodepth").idle("all available completions are reaped at once");
    IODEPTH_LOW: Number = opt("iodepth_low",
        "Once full, the queue drains to this depth before it is refilled.")
        .within(0, 1 << 20).under("iodepth")
        .case("ioengine=libaio iodepth=32 iodepth_low=16", "engine.low_depth: 16");
    SERIALIZE_OVERLAP: Bool = opt("serialize_overlap", "Does not start an I/O that overlaps one in flight.")
        .or("0").under("iodepth").case("serialize_overlap=1", "engine.serialize_overlap: true");
    IO_SUBMIT_MODE: Choice = choice("io_submit_mode", &["inline", "offload"],
        "Whether another thread submits, which fio needs for latencies that include the wait of a \
         late I/O. Here both values measure the response latency.")
        .or("inline").case("io_submit_mode=offload", "");
    ZERO_BUFFERS: Flag = opt("zero_buffers", "Writes zeros.")
        .case("zero_buffers", "payload.fill: Zero");
    REFILL_BUFFERS: Flag = opt("refill_buffers", "Each write has entirely new data.")
        .case("refill_buffers", "payload.refresh: Each");
    SCRAMBLE_BUFFERS: Bool = opt("scramble_buffers", "Each write changes a few bytes in every \
                                                      512.").or("1")
        .case("scramble_buffers=0", "payload.refresh: Never");
    BUFFER_PATTERN: List = opt("buffer_pattern",
        "Bytes to write over and over: any mix of \"text\", 'file', 0xhex and numbers.")
        .case("buffer_pattern=0xff", "payload.fill: {Pattern:[255]}");
    BUFFER_COMPRESS_PERCENTAGE: Number = opt("buffer_compress_percentage",
        "Compressible share of each chunk.")
        .within(0, 100).case("buffer_compress_percentage=40", "payload.compress_percent: 40.0");
    BUFFER_COMPRESS_CHUNK: Number = opt("buffer_compress_chunk", "Size of such a chunk in bytes.").or("512")
        .within(0, u32::MAX as i64).under("buffer_compress_percentage")
        .case("buffer_compress_chunk=4k", "payload.compress_chunk: 4096");
    DEDUPE_PERCENTAGE: Number = opt("dedupe_percentage",
        "Share of blocks that duplicate an earlier one; if given, each write has new data, as \
         with refill_buffers.")
        .within(0, 100).case("dedupe_percentage=20", "payload.dedupe_percent: 20.0");
    DEDUPE_MODE: Choice = choice("dedupe_mode", &["repeat", "working_set"], "Which earlier block is repeated.")
        .or("repeat").under("dedupe_percentage")
        .only(&["repeat"], "a working set of duplicates is not supported yet");
    DEDUPE_WORKING_SET_PERCENTAGE: Number = opt("dedupe_working_set_percentage",
        "Size of the working set of dedupe_mode.")
        .or("5").within(0, 100).under("dedupe_percentage").idle(WHY_DEDUPE);
    DEDUPE_GLOBAL: Bool = opt("dedupe_global", "Shares the working set among jobs.").or("0")
        .under("dedupe_percentage").idle(WHY_DEDUPE);
}
