//! Sentences about burst credits that were spent.
//!
//! Belongs here: the two rates and what the bucket held. Must never: what set the limit (`bottleneck` says it).

use super::limit::{Credits, Limit};
use crate::stats::Interval;
use crate::words::{about, give_or_take, iops_within, span, span_within, trim_to, whole};
use leadline_model::units::Bytes;

/// Credits: both rates, the size of the bucket, and how long the lower one was observed.
pub(super) fn spent(credits: &Credits, limit: &Limit) -> String {
    let (bound, more) = match credits.is_at_least {
        true => (
            "at least",
            " More I/Os in flight may reach more while there are credits; this was not measured.",
        ),
        false => ("up to", ""),
    };
    format!(
        "Burst credits: {bound} {} until they were spent, {} into the run; then {}, {} {}. {}{more}",
        iops_within(&credits.high),
        span_within(&credits.fell_within()),
        iops_within(&credits.low),
        looked_at(limit),
        span(limit.held.0 as f64),
        match limit.has_bucket_of_bytes() {
            Some(of_bytes) => bucket(credits, of_bytes),
            None => bucket_of_either(credits),
        },
    )
}

/// What the bucket held, and how long that lasts; where it depends on what a write takes of it, between which ends it is.
fn bucket(credits: &Credits, of_bytes: bool) -> String {
    let (least, most) = match of_bytes {
        true => credits.store_bytes,
        false => credits.store,
    };
    let known = Credits::known((least, most)).zip(credits.last(of_bytes));
    let Some(((store, last), refill)) = known.zip(credits.refill(of_bytes)) else {
        return format!(
            "What the bucket held at the start is not known exactly, since what a write takes of it compared with a \
             read was not shown: between about {} and {}.",
            stored(least.value, of_bytes),
            stored(most.value, of_bytes),
        );
    };
    let rate = match credits.is_at_least {
        true => "this rate",
        false => "the higher rate",
    };
    format!(
        "The bucket held about {} at the start{}: at {rate} that lasts {}, and it refills in {} without I/O.",
        stored_within(&store, of_bytes),
        of_writes(credits),
        span_within(&last.scaled(1e9)),
        span_within(&refill.scaled(1e9)),
    )
}

/// The same where it may hold either, and I/Os of several sizes were done.
fn bucket_of_either(credits: &Credits) -> String {
    let amount = |store: (Interval, Interval), of_bytes: bool| match Credits::known(store) {
        Some(known) => stored_within(&known, of_bytes),
        None => format!(
            "between {} and {}",
            stored(store.0.value, of_bytes),
            stored(store.1.value, of_bytes)
        ),
    };
    format!(
        "Whether the bucket counts I/Os or bytes was not shown: at the start it held about {} in the first case and {} in the \
         second{}.",
        amount(credits.store, false),
        amount(credits.store_bytes, true),
        of_writes(credits),
    )
}

/// What a write takes of it, where that is more than a read does.
fn of_writes(credits: &Credits) -> String {
    match credits.cost.of_a_write().filter(|cost| *cost > 1.0) {
        Some(cost) => format!(
            " (a write takes {} times as much as a read)",
            trim_to(cost, 2)
        ),
        None => String::new(),
    }
}

fn stored(store: f64, of_bytes: bool) -> String {
    match of_bytes {
        true => Bytes(whole(store)).to_string(),
        false => format!("{} I/Os", about(store)),
    }
}

/// The same with its interval.
fn stored_within(store: &Interval, of_bytes: bool) -> String {
    give_or_take(&stored(store.value, of_bytes), store.value, store)
}

/// The words for a rate that was observed for this long.
pub(super) fn looked_at(limit: &Limit) -> &'static str {
    match (limit.is_sustained(), &limit.unsteady) {
        (true, _) => "sustained for",
        (false, None) => "confirmed over",
        (false, Some(_)) => "with changes over",
    }
}
