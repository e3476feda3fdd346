//! Values of a plan in the words of the field: `random, 4 sequential I/Os from each offset`, `pattern 0xdeadbeef`.
//!
//! Belongs here: each choice of a plan taken apart, so that one that is added does not compile before it has words; numbers
//! with all their digits, as what is rounded would hide a difference. Must never: leave out a part of a value.

use leadline_model::op::PerOp;
use leadline_model::plan::access::Sizes;
use leadline_model::plan::engine::Memory;
use leadline_model::plan::target::Advise;
use leadline_model::plan::{
    Admission, Amount, AtEnd, Begin, Blocks, BorrowableDepth, Coverage, Distribution, Draws,
    EndsOthers, Fallocate, FileChoice, Fill, Grid, Hits, MapFlush, Narrow, OpMix, Order, Position,
    Refresh, ServerCache, ShareSource, SyncMode, UsedSizes, Wrap, Zone,
};
use leadline_model::seed::number_of;
use leadline_model::units::{Bytes, Nanos, Percent};
use std::fmt::Write as _;

/// More bytes of a pattern are not printed.
const PATTERN: usize = 32;

pub(super) fn yes(flag: bool) -> String {
    if flag { "yes" } else { "no" }.to_owned()
}

/// A value in words, or these where there is none.
pub(super) fn or<T>(value: Option<T>, none: &str, words: impl Fn(T) -> String) -> String {
    value.map_or_else(|| none.to_owned(), words)
}

/// A number, or these words where there is none.
pub(super) fn number_or<T: ToString>(value: Option<T>, none: &str) -> String {
    or(value, none, |n| n.to_string())
}

/// Each of several, or these words where there are none.
pub(super) fn list<T>(all: &[T], none: &str, words: impl Fn(&T) -> String) -> String {
    match all {
        [] => none.to_owned(),
        all => all.iter().map(words).collect::<Vec<_>>().join(", "),
    }
}

/// Of each operation its own, or once what all have.
pub(super) fn by_op<T>(of: &PerOp<T>, words: impl Fn(&T) -> String) -> String {
    let PerOp { read, write, trim } = of;
    let [reads, writes, trims] = [read, write, trim].map(words);
    match reads == writes && writes == trims {
        true => reads,
        false => format!("reads {reads}, writes {writes}, trims {trims}"),
    }
}

/// The operations that something is for.
pub(super) fn ops(of: PerOp<bool>) -> String {
    let PerOp { read, write, trim } = of;
    let all = [(read, "reads"), (write, "writes"), (trim, "trims")];
    let named: Vec<&str> = all.iter().filter(|one| one.0).map(|one| one.1).collect();
    match named.split_last() {
        None => "none".to_owned(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// A time in the largest unit that it has one of.
pub(super) fn seconds(time: Nanos) -> String {
    let of = |unit: f64| time.0 as f64 / unit;
    match time.0 {
        0 | 1_000_000_000.. => format!("{} s", of(1e9)),
        1_000_000.. => format!("{} ms", of(1e6)),
        _ => format!("{} us", of(1e3)),
    }
}

/// A size in the largest unit of which it is a whole number.
pub(super) fn bytes(bytes: u64) -> String {
    let units = [
        (Bytes::GIB, "GiB"),
        (Bytes::MIB, "MiB"),
        (Bytes::KIB, "KiB"),
    ];
    let mut whole = units.into_iter();
    let whole = whole.find(|(size, _)| bytes > 0 && bytes.is_multiple_of(*size));
    match whole {
        Some((size, name)) => format!("{} {name}", bytes / size),
        None if bytes == 1 => "1 byte".to_owned(),
        None => format!("{bytes} bytes"),
    }
}

pub(super) fn amount(of: Amount) -> String {
    match of {
        Amount::Bytes(n) => bytes(n),
        Amount::Percent(percent) => format!("{percent} % of the target"),
    }
}

fn percent(of: Percent) -> String {
    format!("{of} %")
}

/// `1 I/O`, `4 I/Os`.
fn ios(n: u32) -> String {
    crate::words::counted(&n.to_string(), "I/O")
}

pub(super) fn mix(of: OpMix) -> String {
    match of {
        OpMix::Only(op) => format!("{op}s"),
        OpMix::ReadWrite { read_percent } => {
            format!("{read_percent} % reads, {} % writes", read_percent.rest())
        }
        OpMix::TrimWrite => TRIM_WRITE.to_owned(),
    }
}

pub(super) fn shares(of: ShareSource) -> String {
    match of {
        ShareSource::None => "the stage as a whole has no rate",
        ShareSource::Given => "as given",
        ShareSource::Equal => "equal",
        ShareSource::Observed => "as measured in an earlier stage",
    }
    .to_owned()
}

pub(super) fn server_cache(of: ServerCache) -> String {
    match of {
        ServerCache::Size(Bytes(size)) => format!("{} in size", bytes(size)),
        ServerCache::Unknown
        | ServerCache::Absent
        | ServerCache::ReadOnly
        | ServerCache::Warmed
        | ServerCache::Displaced => of.to_string(),
    }
}

pub(super) fn narrow(of: Narrow) -> String {
    let Narrow { half_ppm, least } = of;
    let percent = f64::from(half_ppm) / 1e4;
    format!("+-{percent} %, after at least {}", seconds(least))
}

/// What is done where each block is trimmed and then written.
pub const TRIM_WRITE: &str = "trims followed by writes of the same blocks";

pub(super) fn admission(of: Admission) -> String {
    let lends = |borrowable: Option<BorrowableDepth>| {
        or(borrowable, "", |BorrowableDepth { pool, own }| {
            let own = crate::words::counted(&own.to_string(), "queue slot");
            format!(", {own} of its own, more borrowed from pool {pool}")
        })
    };
    match of {
        Admission::OwnDepth => "none".to_owned(),
        Admission::Shares { group, borrowable } => {
            format!(
                "I/Os in proportion to the weights (group {group}){}",
                lends(borrowable)
            )
        }
        Admission::CommonQueue {
            group,
            max_lead,
            borrowable,
        } => format!(
            "one queue for all (group {group}), none more than {} ahead{}",
            ios(max_lead),
            lends(borrowable)
        ),
        Admission::Priority { group, rank } => format!("by priority, rank {rank} (group {group})"),
    }
}

pub(super) fn ends_others(of: EndsOthers) -> String {
    match of {
        EndsOthers::None => "nothing else",
        EndsOthers::Group => "its report group",
        EndsOthers::Stage => "its stage",
        EndsOthers::StageTogether => "its stage, once all workloads with this setting have ended",
        EndsOthers::All => "the whole run",
    }
    .to_owned()
}

pub(super) fn map_flush(of: MapFlush) -> String {
    match of {
        MapFlush::Nothing => "none",
        MapFlush::Sync => "msync after each",
        MapFlush::Lines => "cache lines after each, drained",
        MapFlush::LinesNoDrain => "cache lines after each, not drained",
    }
    .to_owned()
}

/// A class of I/O priority with its level, as Linux calls them.
pub(super) fn io_priority((class, level): (u8, u8)) -> String {
    let class = match class {
        0 => "none".to_owned(),
        1 => "real time".to_owned(),
        2 => "best effort".to_owned(),
        3 => "idle".to_owned(),
        other => format!("class {other}"),
    };
    format!("{class}, level {level}")
}

pub(super) fn memory(of: Memory) -> String {
    match of {
        Memory::Anonymous => "ordinary pages",
        Memory::Huge => "huge pages",
        Memory::Shared => "a shared mapping",
    }
    .to_owned()
}

pub(super) fn write_through(of: SyncMode) -> String {
    match of {
        SyncMode::None => "none",
        SyncMode::Sync => "O_SYNC",
        SyncMode::Dsync => "O_DSYNC",
    }
    .to_owned()
}

pub(super) fn wrap(of: Wrap) -> String {
    let Wrap { start, end } = of;
    format!("from {} back to {}", amount(end), bytes(start))
}

pub(super) fn fallocate(of: Fallocate) -> String {
    match of {
        Fallocate::None => "none",
        Fallocate::Native => "fallocate",
        Fallocate::Posix => "posix_fallocate",
        Fallocate::Keep => "fallocate without changing the size",
        Fallocate::Truncate => "ftruncate",
    }
    .to_owned()
}

pub(super) fn advise(of: Advise) -> String {
    match of {
        Advise::Nothing => "none",
        Advise::ByOrder => "by the order of offsets",
        Advise::Random => "random",
        Advise::Sequential => "sequential",
    }
    .to_owned()
}

pub(super) fn order(of: Order) -> String {
    match of {
        Order::Sequential { skip: 0 } => "sequential".to_owned(),
        Order::Sequential { skip } => {
            let way = if skip < 0 { " backwards" } else { "" };
            format!(
                "sequential, skipping {}{way} after each",
                bytes(skip.unsigned_abs())
            )
        }
        // There is nothing between.
        Order::Random {
            every: 0 | 1,
            identical: _,
        } => "random".to_owned(),
        // Two or more.
        Order::Random { every, identical } => match identical {
            true => format!("random, {every} I/Os at each offset"),
            false => format!("random, {every} sequential I/Os from each offset"),
        },
    }
}

pub(super) fn coverage(of: Coverage) -> String {
    match of {
        Coverage::OncePerPass => "each block once per pass",
        Coverage::WithRepeats => "a block can repeat within a pass",
    }
    .to_owned()
}

pub(super) fn distribution(of: &Distribution) -> String {
    let centered = |text: String, center: &Option<f64>| match center {
        Some(center) => format!("{text} centered at {center}"),
        None => text,
    };
    match of {
        Distribution::Uniform => "uniform".to_owned(),
        Distribution::Zipf { theta, center } => centered(format!("zipf {theta}"), center),
        Distribution::Pareto { h, center } => centered(format!("pareto {h}"), center),
        Distribution::Normal { deviation, center } => {
            centered(format!("normal {deviation} %"), center)
        }
        Distribution::Zoned(zones) => list(zones, "no zones", |zone| {
            let Zone {
                access_percent,
                extent,
            } = zone;
            format!("{access_percent} % in {}", amount(*extent))
        }),
        Distribution::LowEnd(number) => format!("denser at the low end ({number})"),
        Distribution::HotBand { low, high } => {
            format!("hot band from {} to {}", amount(*low), amount(*high))
        }
    }
}

pub(super) fn file_choice(of: FileChoice) -> String {
    match of {
        FileChoice::RoundRobin { ios: each } => format!("in turn, {} each", ios(each)),
        FileChoice::Sequential => "one after the other, each to its end".to_owned(),
        FileChoice::Random { ios: each } => format!("at random, {} each", ios(each)),
        FileChoice::Zipf { theta } => format!("zipf {theta}"),
        FileChoice::Pareto { h } => format!("pareto {h}"),
        FileChoice::Normal { deviation } => format!("normal {deviation} %"),
        FileChoice::EachSlot => "each slot of the queue has its own".to_owned(),
    }
}

pub(super) fn position(of: Position) -> String {
    match of {
        Position::EachKind => "one for each operation and file",
        Position::EachFile => "one for each file",
        Position::EachSlot => "one for each slot of the queue and file",
        Position::Workload => "one for all workers, for each file",
    }
    .to_owned()
}

pub(super) fn begin(of: Begin) -> String {
    match of {
        Begin::Start => "at the start of the region".to_owned(),
        Begin::Random => "at a random block".to_owned(),
        Begin::Apart(n) => format!("workers {} apart", bytes(n)),
    }
}

pub(super) fn at_end(of: AtEnd) -> String {
    match of {
        AtEnd::AsStopSays => "the worker starts over while run time, loops or bytes are left",
        AtEnd::Stop => "the worker ends",
    }
    .to_owned()
}

pub(super) fn grid(of: Grid) -> String {
    match of {
        Grid::Sizes => "that of all offsets".to_owned(),
        Grid::Own => "each at a multiple of its own size".to_owned(),
        Grid::Bytes(n) => bytes(n),
    }
}

pub(super) fn hits(of: Hits) -> String {
    let Hits {
        area,
        read_percent,
        write_percent,
    } = of;
    format!(
        "{} with {} of reads and {} of writes",
        bytes(area),
        percent(read_percent),
        percent(write_percent)
    )
}

/// Whose random numbers choose the I/Os.
pub(super) fn draws(of: Draws) -> String {
    match of {
        Draws::Own => "leadline's own",
        Draws::Diskspd => "those of the tool that the job was written for",
    }
    .to_owned()
}

/// The block sizes that occur, where operations or orders differ in them each with its own: `4 KiB`, `4 KiB (reads) and
/// 64 KiB (writes)`.
#[must_use]
pub fn block_sizes(of: &Blocks) -> String {
    let used = of.used_sizes();
    if let [first, rest @ ..] = used.as_slice()
        && rest.iter().all(|other| other.sizes == first.sizes)
    {
        return sizes(first.sizes);
    }
    let words = |used: &UsedSizes<'_>| match of.sizes.by_order {
        true => format!("{} ({})", sizes(used.sizes), used.what),
        false => format!("{} ({}s)", sizes(used.sizes), used.what),
    };
    let each: Vec<String> = used.iter().map(words).collect();
    each.join(" and ")
}

/// Block sizes in words: `4 KiB`, `4 KiB to 64 KiB`, `4 KiB (75 %), 64 KiB (25 %)`.
pub(super) fn sizes(of: &Sizes) -> String {
    match of {
        Sizes::Fixed(size) => bytes(*size),
        Sizes::Range {
            min,
            max,
            unaligned,
        } => {
            let any = match unaligned {
                true => " in steps of a byte",
                false => "",
            };
            format!("{} to {}{any}", bytes(*min), bytes(*max))
        }
        Sizes::Split(parts) => {
            let sum: f64 = parts.iter().map(|part| f64::from(part.1)).sum();
            list(parts, "none", |(size, weight)| {
                let share = 100.0 * f64::from(*weight) / sum.max(1.0);
                format!("{} ({} %)", bytes(*size), Percent::nearest(share))
            })
        }
    }
}

pub(super) fn fill(of: &Fill) -> String {
    match of {
        Fill::Random => "random".to_owned(),
        Fill::Zero => "zeros".to_owned(),
        Fill::Pattern(pattern) => format!("pattern {}", hex(pattern)),
        Fill::Source { size, file } => {
            let place = or(file.as_deref(), "random data", str::to_owned);
            format!("random parts of {} of {place}", bytes(*size))
        }
    }
}

/// `0xdeadbeef`; of a long one the beginning, with what distinguishes it from others that begin so.
fn hex(pattern: &[u8]) -> String {
    let mut text = "0x".to_owned();
    for byte in pattern.iter().take(PATTERN) {
        let _ = write!(text, "{byte:02x}");
    }
    if pattern.len() > PATTERN {
        let number = number_of(pattern);
        let _ = write!(text, "... ({} bytes, hash {number:016x})", pattern.len());
    }
    text
}

pub(super) fn refresh(of: Refresh) -> String {
    match of {
        Refresh::Never => "never",
        Refresh::Stamp => "a few of every 512 bytes with each write",
        Refresh::Each => "all with each write",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::op::Op;
    use leadline_model::plan::Target;

    /// Which size counts is a matter of the operation, or of the order.
    #[test]
    fn block_sizes_are_those_of_the_ios_that_there_are() {
        let mut blocks = Blocks::new(Target::Null { size: 1 << 30 });
        blocks.sizes.by_op.write = Sizes::Fixed(8192);
        blocks.sizes.by_op.trim = Sizes::Fixed(16_384);
        let said = |mix, by_order| {
            let mut own = blocks.clone();
            (own.mix, own.sizes.by_order) = (mix, by_order);
            block_sizes(&own)
        };
        assert_eq!(said(OpMix::reads(), false), "4 KiB");
        assert_eq!(said(OpMix::Only(Op::Trim), false), "16 KiB");
        let trims = "8 KiB (writes) and 16 KiB (trims)";
        assert_eq!(said(OpMix::TrimWrite, false), trims);
        let both = "4 KiB (reads) and 8 KiB (writes)";
        assert_eq!(said(OpMix::mixed(70), false), both);
        // All I/Os are sequential, whatever they do.
        assert_eq!(said(OpMix::Only(Op::Write), true), "4 KiB");
        blocks.access.order = Order::Random {
            every: 1,
            identical: false,
        };
        blocks.access.random_percent = PerOp::splat(Percent::whole(50));
        let orders = "4 KiB (sequential) and 8 KiB (random)";
        let mut own = blocks.clone();
        own.sizes.by_order = true;
        assert_eq!(block_sizes(&own), orders);
    }

    #[test]
    fn values_are_words_of_the_field() {
        assert_eq!(bytes(3 << 20), "3 MiB");
        assert_eq!(bytes((1 << 30) + 4096), "1048580 KiB");
        assert_eq!((bytes(0), bytes(1)), ("0 bytes".into(), "1 byte".into()));
        assert_eq!(bytes(4097), "4097 bytes");
        assert_eq!(seconds(Nanos(50_000)), "50 us");
        assert_eq!(seconds(Nanos(5_000_000_003)), "5.000000003 s");
        let pattern = Fill::Pattern(vec![0xde, 0xad, 0xbe, 0xef]);
        assert_eq!(fill(&pattern), "pattern 0xdeadbeef");
        assert_eq!(
            at_end(AtEnd::AsStopSays),
            "the worker starts over while run time, loops or bytes are left"
        );
        let every = Order::Random {
            every: 4,
            identical: true,
        };
        assert_eq!(order(every), "random, 4 I/Os at each offset");
        let runs = Order::Random {
            every: 8,
            identical: false,
        };
        assert_eq!(order(runs), "random, 8 sequential I/Os from each offset");
        let lends = Admission::Shares {
            group: 1,
            borrowable: Some(BorrowableDepth { pool: 0, own: 2 }),
        };
        assert_eq!(
            admission(lends),
            "I/Os in proportion to the weights (group 1), 2 queue slots of its own, more borrowed from pool 0"
        );
        let back = Order::Sequential { skip: -8192 };
        assert_eq!(
            order(back),
            "sequential, skipping 8 KiB backwards after each"
        );
        let zipf = Distribution::Zipf {
            theta: 1.2,
            center: Some(0.5),
        };
        assert_eq!(distribution(&zipf), "zipf 1.2 centered at 0.5");
        assert_eq!(io_priority((2, 4)), "best effort, level 4");
        let mut each = PerOp::splat(4096);
        assert_eq!(by_op(&each, |n| bytes(*n)), "4 KiB");
        each.write = 8192;
        assert_eq!(
            by_op(&each, |n| bytes(*n)),
            "reads 4 KiB, writes 8 KiB, trims 4 KiB"
        );
    }

    /// A pattern that is too long to be printed is still not taken for another that begins as it does.
    #[test]
    fn long_patterns_are_distinguished() {
        let one = vec![7_u8; 512];
        let mut other = one.clone();
        other[511] = 8;
        let [one, other] = [one, other].map(|bytes| fill(&Fill::Pattern(bytes)));
        assert_ne!(one, other);
        assert!(
            one.len() < 120 && one.contains("(512 bytes, hash "),
            "{one}"
        );
    }
}
