//! When the I/Os start: rates and pauses.
//!
//! Must never: say when a job begins or ends.

use super::Section;
use leadline_model::op::Op;
use leadline_model::plan::{Arrival, OpMix, Pace, Rate, Think, Workload};

/// Adds rates and think times.
pub(super) fn pace(w: &Workload, s: &mut Section) {
    if let Pace::Open {
        rates,
        arrival,
        together,
        schedule,
    } = &w.pace
    {
        let is_random = *arrival == Arrival::Poisson;
        if let Some(rate) = together {
            one_rate(w, *rate, is_random, s);
        }
        let given = [*together, rates.read, rates.write, rates.trim];
        let each = [Op::Read, Op::Write, Op::Trim].into_iter();
        let each = each.zip(&given[1..]);
        let each = each.map(|(op, rate)| Some(FioRate::of(w, op, (*rate)?, is_random)));
        let each: Vec<Option<FioRate>> = each.collect();
        for key in ["rate_iops", "rate"] {
            let own = each.iter().map(|rate| rate.filter(|rate| rate.key == key));
            let own: Vec<Option<FioRate>> = own.collect();
            if own.iter().any(Option::is_some) {
                let texts = own
                    .iter()
                    .map(|rate| rate.map_or_else(String::new, FioRate::text));
                s.set(key, texts.collect::<Vec<_>>().join(","));
            }
        }
        if each.iter().flatten().any(FioRate::is_rounded) {
            s.remarks.push(ROUNDED);
        }
        if has_several(w) {
            s.remarks.extend(remark_on_sizes(&given, is_random));
        }
        match arrival {
            Arrival::Constant => {}
            Arrival::Poisson => s.set("rate_process", "poisson"),
            Arrival::Even => s
                .remarks
                .push("I/Os start at uniformly random intervals; here at equal intervals"),
        }
        if !schedule.is_empty() {
            s.remarks
                .push("the rate changes over time; here it is the full rate throughout");
        }
        s.remarks.push("response latency from the intended start");
    }
    if let Some(think) = &w.think {
        pauses(think, s);
    }
}

fn pauses(think: &Think, s: &mut Section) {
    let Think {
        pause,
        spin,
        every,
        on_submit,
        after_busy,
    } = think;
    let us = |n: leadline_model::units::Nanos| format!("{}us", n.0 / 1000);
    s.set("thinktime", us(*pause));
    s.set_if(spin.0 > 0, "thinktime_spin", us(*spin));
    s.set_if(*every > 1, "thinktime_blocks", every);
    s.set_if(*on_submit, "thinktime_blocks_type", "issue");
    s.set_if(after_busy.0 > 0, "thinktime_iotime", us(*after_busy));
}

/// Whether the blocks of one kind of I/O have several sizes.
fn has_several(w: &Workload) -> bool {
    let blocks = w.blocks();
    let mut each = blocks.mix.ops();
    blocks.sizes.by_order || each.any(|op| blocks.only_size_of(op).is_none())
}

/// A rate as fio has it.
#[derive(Clone, Copy)]
struct FioRate {
    /// The option.
    key: &'static str,
    /// I/Os or bytes a second.
    value: f64,
}

impl FioRate {
    /// That of one kind of I/O. With blocks of several sizes fio counts bytes at equal intervals, and at random ones I/Os.
    fn of(w: &Workload, op: Op, rate: Rate, is_random: bool) -> Self {
        match rate {
            Rate::Iops(iops) => Self::of_parts(w, op, (false, iops), is_random),
            Rate::Bytes(bytes) => Self::of_parts(w, op, (true, bytes as f64), is_random),
        }
    }

    fn of_parts(w: &Workload, op: Op, (in_bytes, value): (bool, f64), is_random: bool) -> Self {
        let mean = w.blocks().mean_size_of(op).max(1.0);
        let is_other = has_several(w) && in_bytes == is_random;
        let (key, value) = match (in_bytes, is_other) {
            (false, false) => ("rate_iops", value),
            (false, true) => ("rate", value * mean),
            (true, false) => ("rate", value),
            (true, true) => ("rate_iops", value / mean),
        };
        Self { key, value }
    }

    fn text(self) -> String {
        whole(self.value)
    }

    fn is_rounded(&self) -> bool {
        self.key == "rate_iops" && is_fraction(self.value)
    }
}

/// What is said of rates in what fio does not count.
fn remark_on_sizes(given: &[Option<Rate>], is_random: bool) -> Option<&'static str> {
    let differs = |rate: &Rate| matches!(rate, Rate::Bytes(_)) == is_random;
    let mut known = given.iter().flatten().filter(|rate| !rate.is_undecided());
    let any = known.any(differs);
    any.then_some(match is_random {
        true => "a rate in bytes at random intervals; here in I/Os of the mean block size",
        false => "a rate in I/Os of several block sizes; here in bytes of the mean one",
    })
}

/// A rate of reads and writes together: fio has one for each.
fn one_rate(w: &Workload, rate: Rate, is_random: bool, s: &mut Section) {
    if rate.is_undecided() {
        s.remarks
            .push("its rate follows from other points of the study; here it has no limit");
        return;
    }
    let part = |op: Op, share: f64| {
        let (in_bytes, all) = match rate {
            Rate::Iops(n) => (false, n),
            Rate::Bytes(n) => (true, n as f64),
        };
        FioRate::of_parts(w, op, (in_bytes, all * share), is_random)
    };
    let parts = match w.blocks().mix {
        OpMix::ReadWrite { read_percent } => {
            s.remarks
                .push("one rate for reads and writes together; here each has its share");
            let reads = read_percent.of_one();
            vec![part(Op::Read, reads), part(Op::Write, 1.0 - reads)]
        }
        OpMix::Only(op) => vec![part(op, 1.0)],
        OpMix::TrimWrite => vec![part(Op::Trim, 1.0)],
    };
    let texts: Vec<String> = parts.iter().map(|part| part.text()).collect();
    s.set(parts[0].key, texts.join(","));
    if parts.iter().any(FioRate::is_rounded) {
        s.remarks.push(ROUNDED);
    }
}

/// Said of [`is_fraction`].
const ROUNDED: &str = "a rate in fractions of an I/O per second; here rounded";

/// Whether fio, which takes whole rates only, cannot have it.
fn is_fraction(rate: f64) -> bool {
    /// What products of shares differ from whole numbers.
    const NOISE: f64 = 1e-6;
    (rate - rate.round()).abs() > NOISE
}

/// A rate as fio takes it: at least 1, as 0 is no limit; nothing where there is no such I/O.
fn whole(rate: f64) -> String {
    match rate > 0.0 {
        true => format!("{:.0}", rate.round().max(1.0)),
        false => String::new(),
    }
}
