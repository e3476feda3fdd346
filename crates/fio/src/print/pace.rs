//! When the I/Os start: rates and pauses.
//!
//! Must never: say when a job begins or ends.

use super::Section;
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
        if let Some(rate) = together {
            one_rate(w, *rate, s);
        }
        let iops = |r: &Option<Rate>| match r {
            Some(Rate::Iops(n)) => whole(*n),
            Some(Rate::Bytes(_)) | None => String::new(),
        };
        let bytes = |r: &Option<Rate>| match r {
            Some(Rate::Bytes(n)) => n.to_string(),
            Some(Rate::Iops(_)) | None => String::new(),
        };
        let all = [&rates.read, &rates.write, &rates.trim];
        let any = |f: fn(&Rate) -> bool| all.iter().any(|r| r.as_ref().is_some_and(f));
        if any(|r| matches!(r, Rate::Iops(_))) {
            s.set("rate_iops", all.map(iops).join(","));
        }
        if any(|r| matches!(r, Rate::Iops(n) if is_fraction(*n))) {
            s.remarks.push(ROUNDED);
        }
        if any(|r| matches!(r, Rate::Bytes(_))) {
            s.set("rate", all.map(bytes).join(","));
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

/// A rate of reads and writes together: fio has one for each.
fn one_rate(w: &Workload, rate: Rate, s: &mut Section) {
    if rate.is_undecided() {
        s.remarks
            .push("its rate follows from other points of the study; here it has no limit");
        return;
    }
    let (key, all) = match rate {
        Rate::Iops(n) => ("rate_iops", n),
        Rate::Bytes(n) => ("rate", n as f64),
    };
    let parts = match w.blocks().mix {
        OpMix::ReadWrite { read_percent } => {
            s.remarks
                .push("one rate for reads and writes together; here each has its share");
            let reads = all * read_percent.of_one();
            vec![reads, all - reads]
        }
        OpMix::Only(_) | OpMix::TrimWrite => vec![all],
    };
    let texts: Vec<String> = parts.iter().map(|part| whole(*part)).collect();
    s.set(key, texts.join(","));
    if matches!(rate, Rate::Iops(_)) && parts.into_iter().any(is_fraction) {
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
