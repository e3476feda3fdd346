//! The bytes that a workload writes, where that does not depend on how fast the target is.
//!
//! Belongs here: bounds, and what is only expected of drawn I/Os. Must never: count what is done to files before a stage
//! (`super::totals` does).

use super::count_of;
use leadline_model::op::Op;
use leadline_model::plan::{Amount, Arrival, HostSpec, OpMix, Pace, Rate, Target, Workload};
use leadline_model::units::{Bytes, Nanos};
use leadline_results::words::whole;

/// How many bytes are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WrittenBytes {
    pub(super) bytes: f64,
    /// Operations, sizes or times are drawn, so that it may be more.
    pub(super) is_about: bool,
}

impl WrittenBytes {
    pub(super) const NONE: Self = Self {
        bytes: 0.0,
        is_about: false,
    };

    /// With those of another.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            is_about: self.is_about || other.is_about,
        }
    }

    /// `32 MiB at most`, `about 32 MiB`, `nothing`.
    pub(super) fn words(self) -> String {
        match (self.bytes < 1.0, self.is_about) {
            (true, _) => "nothing".to_owned(),
            (false, true) => format!("about {}", shown(self.bytes)),
            (false, false) => format!("{} at most", shown(self.bytes)),
        }
    }
}

/// What a workload writes, in words.
pub(super) fn written(w: &Workload, hosts: &[HostSpec]) -> String {
    match bytes_written(w, hosts) {
        Some(written) => written.words(),
        None => "as fast as the target takes them".to_owned(),
    }
}

pub(super) fn shown(bytes: f64) -> String {
    Bytes(whole(bytes)).to_string()
}

/// Bytes that all workers of a workload write on all its hosts, when that does not depend on how fast the target is;
/// `None` = it does.
pub(super) fn bytes_written(w: &Workload, hosts: &[HostSpec]) -> Option<WrittenBytes> {
    let writes = w.by_file().any(|own| writes_share(own.blocks().mix) > 0.0);
    let is_none = matches!(
        w.blocks().target,
        Target::Null { size: _ } | Target::Simulated(_)
    );
    if !writes || is_none || w.blocks().prepare.create_only {
        return Some(WrittenBytes::NONE);
    }
    let workers = f64::from(w.clones) * count_of(w, hosts) as f64;
    let of_each = match (w.stop.runtime, whole_of(w)) {
        (Some(time), _) if w.stop.time_based => at_rate(w, time),
        (Some(time), whole) => match (at_rate(w, time), whole) {
            (Some(a), Some(b)) => Some(if a.bytes <= b.bytes { a } else { b }),
            (a, b) => a.or(b),
        },
        (None, whole) => whole,
    }?;
    Some(WrittenBytes {
        bytes: of_each.bytes * workers,
        ..of_each
    })
}

/// What a worker writes of the bytes that it is to do.
fn whole_of(w: &Workload) -> Option<WrittenBytes> {
    let bytes = bytes_of_all_loops(w).filter(|bytes| *bytes > 0)? as f64;
    if has_own_rates(w) {
        // Reads and writes go on as their rates are, not as the mix is.
        return Some(WrittenBytes {
            bytes: whole_ios(bytes, w),
            is_about: false,
        });
    }
    // Of targets that differ all I/Os may be to the one that writes most.
    let share = w.by_file().map(|own| byte_share(&own));
    let all = bytes * share.fold(0.0, f64::max);
    // Several sizes may go beyond by their last I/O.
    let is_about = is_drawn(w) || has_several_sizes(w);
    let all = if is_about { all } else { whole_ios(all, w) };
    let at_ios = w.stop.ios.map(|ios| {
        let of = |own: &Workload| {
            let blocks = own.blocks();
            writes_share(blocks.mix) * blocks.mean_size_of(Op::Write)
        };
        let all_loops = ios as f64 * f64::from(w.stop.loops.max(1));
        all_loops * w.by_file().map(|own| of(&own)).fold(0.0, f64::max)
    });
    Some(WrittenBytes {
        bytes: at_ios.map_or(all, |at_ios| all.min(at_ios)),
        is_about,
    })
}

/// The bytes that a worker is to do, of all kinds of I/O.
fn bytes_of_all_loops(w: &Workload) -> Option<u64> {
    let size = match w.blocks().region.size {
        Some(Amount::Bytes(size @ 1..)) => Some(size),
        _ => None,
    };
    let loops = u64::from(w.stop.loops.max(1));
    match (w.stop.io_bytes, size) {
        (Some(amount), Some(size)) => {
            Some(w.bytes_of_loops(amount.of(size), bytes_of_a_pass(w, size)))
        }
        // Whole passes over a region that is not known are less.
        (Some(Amount::Bytes(amount)), None) => Some(amount.saturating_mul(loops)),
        (Some(Amount::Percent(_)), None) => None,
        (None, size) => Some(size?.saturating_mul(loops)),
    }
}

/// What a pass meets of `size` bytes over all files: the rest of each is left out.
fn bytes_of_a_pass(w: &Workload, size: u64) -> u64 {
    let files = (w.blocks().target.files() as u64).max(1);
    let of_file = size / files;
    match w.blocks().pass_grain() {
        Some(grain) if grain <= of_file => (of_file - of_file % grain) * files,
        _ => size,
    }
}

/// Bytes as whole I/Os: the last one may go beyond.
fn whole_ios(bytes: f64, w: &Workload) -> f64 {
    match largest_write(w) {
        0 => bytes,
        size => (bytes / size as f64).ceil() * size as f64,
    }
}

/// Whether writes to a target have several sizes.
fn has_several_sizes(w: &Workload) -> bool {
    w.by_file().any(|own| {
        let blocks = own.blocks();
        blocks.mix.writes() && blocks.only_size_of(Op::Write).is_none()
    })
}

/// The largest write to any target, in bytes.
fn largest_write(w: &Workload) -> u64 {
    let largest = w.by_file().map(|own| own.blocks().largest_of(Op::Write));
    largest.max().unwrap_or(0)
}

/// Whether reads and writes each have a rate of their own.
fn has_own_rates(w: &Workload) -> bool {
    match &w.pace {
        Pace::Open {
            rates,
            together,
            arrival: _,
            schedule: _,
        } => together.is_none() && rates.read.is_some() && rates.write.is_some() && is_drawn(w),
        Pace::Closed => false,
    }
}

/// What a worker writes in a time at the rate that it is held to; `None` where it is held to none.
fn at_rate(w: &Workload, time: Nanos) -> Option<WrittenBytes> {
    let Pace::Open {
        rates,
        together,
        arrival,
        schedule,
    } = &w.pace
    else {
        return None;
    };
    let parts = [w.stop.warmup, time, w.stop.cooldown];
    let seconds = full_seconds(parts.map(|part| part.0).iter().sum(), schedule);
    let rate = match (together, rates.write) {
        (Some(rate), _) if rate.is_undecided() => return None,
        (Some(rate), _) => *rate,
        (None, rate) => rate?,
    };
    let is_about = *arrival != Arrival::Constant
        || together.is_some() && is_drawn(w)
        || matches!(rate, Rate::Iops(_)) && has_several_sizes(w);
    // Of an I/O or a byte at this rate.
    let of = |own: &Workload| {
        let blocks = own.blocks();
        let size = match is_about {
            true => blocks.mean_size_of(Op::Write),
            false => blocks.largest_of(Op::Write) as f64,
        };
        match (rate, together) {
            (Rate::Iops(_), Some(_)) => size * writes_share(blocks.mix),
            (Rate::Iops(_), None) => size,
            (Rate::Bytes(_), Some(_)) => byte_share(own),
            (Rate::Bytes(_), None) => 1.0,
        }
    };
    let units = match rate {
        Rate::Iops(iops) => iops,
        Rate::Bytes(bytes) => bytes as f64,
    };
    let of_each = w.by_file().map(|own| of(&own)).fold(0.0, f64::max);
    let bytes = units * of_each * seconds;
    Some(WrittenBytes {
        bytes: if is_about { bytes } else { whole_ios(bytes, w) },
        is_about,
    })
}

/// Seconds at the full rate that do as much as a stage of this length, in nanoseconds, with the rates of a schedule.
fn full_seconds(length: u64, schedule: &[(Nanos, f64)]) -> f64 {
    let ends = schedule.iter().map(|(at, _)| at.0.min(length));
    let ends = ends.chain([length]);
    let shares = [1.0]
        .into_iter()
        .chain(schedule.iter().map(|(_, share)| *share));
    let mut begin = 0;
    let each = ends.zip(shares).map(|(end, share)| {
        let part = Nanos(end.saturating_sub(begin)).as_secs_f64() * share;
        begin = end;
        part
    });
    each.sum()
}

/// The share of writes among the I/Os.
fn writes_share(mix: OpMix) -> f64 {
    match mix {
        // Each trim is followed by a write.
        OpMix::TrimWrite => 1.0,
        OpMix::Only(_) | OpMix::ReadWrite { read_percent: _ } => mix.share_of(Op::Write),
    }
}

/// The share of writes among the bytes.
fn byte_share(w: &Workload) -> f64 {
    let blocks = w.blocks();
    let share = writes_share(blocks.mix);
    let written = share * blocks.mean_size_of(Op::Write);
    let read = (1.0 - share) * blocks.mean_size_of(Op::Read);
    match written + read {
        all if all > 0.0 => written / all,
        _ => share,
    }
}

/// Whether each I/O is drawn to be a read or a write.
fn is_drawn(w: &Workload) -> bool {
    w.by_file().any(|own| {
        let share = writes_share(own.blocks().mix);
        share > 0.0 && share < 1.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::op::PerOp;
    use leadline_model::plan::access::Sizes;

    /// On 64 MiB of a file.
    fn job(mix: OpMix, read: u64, write: u64) -> Workload {
        let mut w = Workload::new("w", Target::Paths(vec!["/mnt/x".into()]));
        let blocks = w.blocks_mut();
        blocks.mix = mix;
        blocks.sizes.by_op.read = Sizes::Fixed(read);
        blocks.sizes.by_op.write = Sizes::Fixed(write);
        blocks.region.size = Some(Amount::Bytes(64 << 20));
        w
    }

    #[test]
    fn what_a_mix_writes_goes_by_bytes_and_is_about() {
        let half = OpMix::mixed(50);
        assert_eq!(written(&job(half, 4096, 4096), &[]), "about 32 MiB");
        // 16 times as much in as many writes: 64 x 64 / 68.
        assert_eq!(written(&job(half, 4096, 64 << 10), &[]), "about 60.24 MiB");
        let writes = OpMix::Only(Op::Write);
        assert_eq!(written(&job(writes, 4096, 4096), &[]), "64 MiB at most");
        assert_eq!(written(&job(OpMix::reads(), 4096, 4096), &[]), "nothing");
        // The last of several sizes may go beyond.
        let mut several = job(writes, 4096, 4096);
        let range = Sizes::Range {
            min: 4096,
            max: 65_536,
            unaligned: false,
        };
        several.blocks_mut().sizes.by_op.write = range;
        assert_eq!(written(&several, &[]), "about 64 MiB");
        // Files that are only made have no I/O.
        let mut made = job(writes, 4096, 4096);
        made.blocks_mut().prepare.create_only = true;
        assert_eq!(written(&made, &[]), "nothing");
    }

    #[test]
    fn the_last_io_goes_beyond_and_a_number_of_ios_ends_earlier() {
        let mut w = job(OpMix::Only(Op::Write), 4096, 48 << 10);
        w.stop.io_bytes = Some(Amount::Bytes(100 << 10));
        assert_eq!(written(&w, &[]), "144 KiB at most");
        w.stop.ios = Some(2);
        assert_eq!(written(&w, &[]), "96 KiB at most");
        let mut mixed = job(OpMix::mixed(50), 4096, 4096);
        mixed.stop.ios = Some(20);
        assert_eq!(written(&mixed, &[]), "about 40 KiB");
        // At a rate too: 300 KiB are two I/Os.
        let mut paced = job(OpMix::Only(Op::Write), 4096, 256 << 10);
        (paced.stop.runtime, paced.stop.time_based) = (Some(Nanos::from_secs(1)), true);
        paced.pace = open(PerOp::splat(Some(Rate::Bytes(300 << 10))));
        assert_eq!(written(&paced, &[]), "512 KiB at most");
    }

    /// `--size=8m --bs=4k --io_size=12m --loops=3`, as measured with fio 3.33.
    #[test]
    fn loops_of_more_than_the_region_are_counted_as_they_run() {
        let mut w = job(OpMix::Only(Op::Write), 4096, 4096);
        w.blocks_mut().region.size = Some(Amount::Bytes(8 << 20));
        (w.stop.io_bytes, w.stop.loops) = (Some(Amount::Bytes(12 << 20)), 3);
        assert_eq!(written(&w, &[]), "24 MiB at most");
        // Amounts in percent are known too.
        w.stop.io_bytes = Some(Amount::Percent(150));
        assert_eq!(written(&w, &[]), "24 MiB at most");
        w.blocks_mut().access.order = leadline_model::plan::Order::Random {
            every: 1,
            identical: false,
        };
        assert_eq!(written(&w, &[]), "24 MiB at most");
        w.blocks_mut().access.coverage = leadline_model::plan::Coverage::WithRepeats;
        assert_eq!(written(&w, &[]), "36 MiB at most");
        w.stop.ios = Some(100);
        assert_eq!(written(&w, &[]), "1.17 MiB at most");
        // The last I/O of all loops goes beyond.
        (w.stop.ios, w.stop.io_bytes) = (None, Some(Amount::Bytes(5000)));
        assert_eq!(written(&w, &[]), "16 KiB at most");
    }

    #[test]
    fn what_is_about_goes_by_the_mean_size() {
        let mut w = job(OpMix::Only(Op::Write), 4096, 4096);
        let split = Sizes::Split(vec![(4096, 90), (65_536, 10)]);
        w.blocks_mut().sizes.by_op.write = split;
        (w.stop.runtime, w.stop.time_based) = (Some(Nanos::from_secs(4)), true);
        w.stop.warmup = Nanos::from_secs(1);
        let at = |w: &mut Workload, together: bool, arrival| {
            w.pace = Pace::Open {
                rates: PerOp::splat(Some(Rate::Iops(500.0)).filter(|_| !together)),
                arrival,
                together: Some(Rate::Iops(500.0)).filter(|_| together),
                schedule: Vec::new(),
            };
            written(w, &[])
        };
        // 5 s, 500 a second, 10 KiB on average.
        for (together, arrival) in [
            (true, Arrival::Poisson),
            (true, Arrival::Constant),
            (false, Arrival::Constant),
        ] {
            assert_eq!(at(&mut w, together, arrival), "about 24.41 MiB");
        }
    }

    /// The smaller of two bounds is said, as it is.
    #[test]
    fn a_bound_is_about_where_the_one_that_counts_is() {
        let mut w = job(OpMix::mixed(50), 4096, 4096);
        w.stop.runtime = Some(Nanos::from_secs(1));
        let mut rates = PerOp::splat(None);
        rates.write = Some(Rate::Iops(1000.0));
        w.pace = open(rates);
        assert_eq!(written(&w, &[]), "3.91 MiB at most");
        w.stop.runtime = Some(Nanos::from_secs(100));
        assert_eq!(written(&w, &[]), "about 32 MiB");
    }

    /// Writes may be all of it where reads are slow.
    #[test]
    fn reads_and_writes_with_rates_of_their_own_do_not_go_by_the_mix() {
        let mut w = job(OpMix::mixed(50), 4096, 4096);
        let mut rates = PerOp::splat(Some(Rate::Iops(3000.0)));
        rates.read = Some(Rate::Iops(300.0));
        w.pace = open(rates);
        assert_eq!(written(&w, &[]), "64 MiB at most");
        rates.read = None;
        w.pace = open(rates);
        assert_eq!(written(&w, &[]), "about 32 MiB");
    }

    fn open(rates: PerOp<Option<Rate>>) -> Pace {
        Pace::Open {
            rates,
            arrival: Arrival::Constant,
            together: None,
            schedule: Vec::new(),
        }
    }

    #[test]
    fn what_is_written_at_a_rate_follows_its_schedule() {
        let mut w = job(OpMix::Only(Op::Write), 4096, 4096);
        (w.stop.runtime, w.stop.time_based) = (Some(Nanos::from_secs(10)), true);
        let at = |w: &mut Workload, arrival, schedule| {
            w.pace = Pace::Open {
                rates: PerOp::splat(Some(Rate::Bytes(1 << 20))),
                arrival,
                together: None,
                schedule,
            };
            written(w, &[])
        };
        let even = Arrival::Constant;
        assert_eq!(at(&mut w, even, Vec::new()), "10 MiB at most");
        assert_eq!(at(&mut w, Arrival::Poisson, Vec::new()), "about 10 MiB");
        // Four seconds at one, two at three, four at a half.
        let steps = vec![(Nanos::from_secs(4), 3.0), (Nanos::from_secs(6), 0.5)];
        assert_eq!(at(&mut w, even, steps), "12 MiB at most");
    }
}
