//! Which I/O, of which size, where, with which data.
//!
//! Belongs here: `-b`, `-r`, `-s`, `-T`, `-p`, `-w`, `-z`, `-Z`. Must never appear here: how fast.

use crate::profile::{Distribution as Parts, Target, TimeSpan};
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::{
    Access, Amount, Begin, BlockSizes, Coverage, Distribution, Draws, FileChoice, Fill, Grid,
    OpMix, Order, Payload, Position, Refresh, Zone,
};
use leadline_model::units::Percent;

pub(super) fn mix(target: &Target) -> OpMix {
    match u8::try_from(target.write_percent) {
        Ok(0) => OpMix::reads(),
        Ok(writes @ 1..=99) => OpMix::mixed(100 - writes),
        _ => OpMix::Only(Op::Write),
    }
}

pub(super) fn sizes(target: &Target) -> BlockSizes {
    BlockSizes::fixed(target.block_size.into())
}

pub(super) fn access(span: &TimeSpan, target: &Target, first_thread: u32) -> Access {
    let random = target.random_percent > 0;
    let step = target.step();
    let block = u64::from(target.block_size);
    let several = span.thread_count > 1 || target.threads_per_file > 1;
    let order = if random {
        Order::Random {
            every: 1,
            identical: false,
        }
    } else {
        let skip = i128::from(step) - i128::from(block);
        Order::Sequential {
            skip: i64::try_from(skip).unwrap_or(i64::MAX),
        }
    };
    let share = match u8::try_from(target.random_percent) {
        Ok(percent @ 1..) if random => Percent::whole(percent),
        _ => Percent::ALL,
    };
    let distribution = match &target.distribution {
        Some(parts) if random => Distribution::Zoned(zones(parts)),
        _ => Distribution::Uniform,
    };
    Access {
        order,
        random_percent: PerOp::splat(share),
        coverage: Coverage::WithRepeats,
        distribution: PerOp::splat(distribution),
        seed: Some(u64::from(span.rand_seed.wrapping_add(first_thread))),
        file_choice: FileChoice::RoundRobin { ios: 1 },
        position: match (target.interlocked && several, target.parallel) {
            _ if random => Position::EachFile,
            (true, _) => Position::Workload,
            (false, true) => Position::EachSlot,
            (false, false) => Position::EachFile,
        },
        begin: match target.thread_stride {
            0 => Begin::Start,
            apart => Begin::Apart(apart),
        },
        grid: if random && step != block {
            Grid::Bytes(step)
        } else {
            Grid::Sizes
        },
        draws: Draws::Diskspd,
        ..Access::default()
    }
}

/// Parts with their shares; a last one without a length goes to the end of the region.
fn zones(parts: &Parts) -> Vec<Zone> {
    let zone = |range: &crate::profile::Range| Zone {
        access_percent: f64::from(range.io),
        extent: match (parts.percent, range.span) {
            (true, percent) => Amount::Percent(u32::try_from(percent).unwrap_or(100)),
            (false, 0) => Amount::Bytes(u64::MAX),
            (false, bytes) => Amount::Bytes(bytes),
        },
    };
    parts.ranges.iter().map(zone).collect()
}

pub(super) fn payload(span: &TimeSpan, target: &Target) -> Payload {
    let (fill, refresh) = match &target.write_buffer {
        Some(buffer) => (
            Fill::Source {
                size: buffer.size,
                file: buffer.path.clone(),
            },
            Refresh::Each,
        ),
        None if target.zero => (Fill::Zero, Refresh::Never),
        None if span.random_write_data => (Fill::Random, Refresh::Each),
        None => (Fill::Pattern((0..=255).collect()), Refresh::Never),
    };
    Payload {
        fill,
        refresh,
        ..Payload::default()
    }
}
