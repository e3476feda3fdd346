//! Sentences about what set the limit.

use super::credit_words::{looked_at, spent};
use super::limit::{Cause, Certainty, Change, Deciding, Limit, SAME_RATE, is_of_each, stretch};
use super::series::{DepthCurve, family_of};
use crate::stats::Interval;
use crate::stats::mixture::Mixture;
use crate::summary::measured::PointResult;
use crate::words::{about, bytes_within, in_flight_words, iops_within, span};
use leadline_model::units::{Bytes, Nanos};

/// What separates a cache from the target that it hides.
const LARGER: &str =
    "To measure the volume without the cache, use a data set several times larger than the cache.";

/// What set the limit, the evidence for it, and how long it was observed.
/// `moved`: the rate changed while the experiments were made, and went back.
pub(super) fn words(limit: &Limit, curve: &DepthCurve, moved: bool) -> Vec<String> {
    let mut sentences: Vec<String> = match &limit.credits {
        Some(credits) => vec![spent(credits, limit)],
        None => limit.change.iter().map(change).collect(),
    };
    sentences.push(match limit.cause() {
        Some(cause) => of_cause(cause, limit, curve),
        None if limit.mixture.is_some() => two_kinds(limit),
        None if limit.contradictory && moved => format!(
            "Bottleneck unknown: the rate changed between the experiments, so {} all remain possible. Repeat the survey \
             while nothing else uses the volume, and the volume itself does not change.",
            listed(limit, "and")
        ),
        None if limit.contradictory => format!(
            "Bottleneck unknown: the experiments contradict one another, so {} all remain possible. Repeat the \
             survey while nothing else uses the volume, with more time for each point.",
            listed(limit, "and")
        ),
        None if limit.possible == [Cause::Concurrency, Cause::Cache] => format!(
            "Bottleneck unknown: concurrency, or a cache. No limit was reached with up to {} in flight; a cache that \
             holds the whole data set would look the same. {LARGER}",
            curve.points.last().map_or(0, |p| p.in_flight)
        ),
        None if limit.may_be_of_the_connections() => of_the_mount(limit, curve.setting.mean_block),
        None if !curve.plateau() => rising(curve),
        None => several(limit),
    });
    sentences.extend(one_host(limit));
    sentences.extend(decides(limit));
    if limit.lacks_room {
        sentences.push(
            "A data set at least twice as large would decide, but this volume has no room for it: survey a larger \
             volume, or this one with a quarter of the data set, which leaves room to read data that was not written."
                .to_owned(),
        );
    }
    let is_open = limit.cause().is_none() && limit.decides.is_none() && !limit.lacks_room;
    if is_open && limit.was_looked_at_again() {
        sentences.push(
            "`leadline confirm` has already run its experiments; leadline has none left that would decide."
                .to_owned(),
        );
    }
    // A rate to which it fell is looked at as any other; that of spent credits is said with these.
    let is_paid = limit.credits.is_some() || with_credits(limit);
    let is_of_the_target = !matches!(limit.cause(), Some(Cause::Generator | Cause::Host));
    let is_held = limit.held > Nanos::ZERO && !is_paid;
    if curve.plateau() && is_held && is_of_the_target {
        sentences.push(held(limit, moved));
    }
    sentences
}

/// The experiment of `leadline confirm` that would decide, and what it decides where that is not all that is open.
fn decides(limit: &Limit) -> Option<String> {
    let is_by_confirm = |of: &Deciding| limit.held > Nanos::ZERO && *of != Deciding::MoreOfMount;
    let decides = limit.decides.filter(is_by_confirm)?;
    let what = match limit.possible.as_slice() {
        [Cause::Parallelism, Cause::Slots] if decides == Deciding::LargerSet => {
            " whether a cache sets this limit"
        }
        _ => "",
    };
    Some(format!(
        "`leadline confirm` runs the experiment that would decide{what}: {}.",
        decides.words()
    ))
}

fn of_cause(cause: Cause, limit: &Limit, curve: &DepthCurve) -> String {
    let block = curve.setting.block;
    let bytes = bytes_within(&limit.known().scaled(curve.setting.mean_block));
    match cause {
        Cause::Generator => {
            "Bottleneck: this host. A worker's processor was busy nearly all the time, so the target may be faster \
             than measured; use more workers or hosts."
                .to_owned()
        }
        Cause::Host => {
            "Bottleneck unknown: the processors of this host were saturated, by this run or by \
             other programs. Repeat it while nothing else runs here."
                .to_owned()
        }
        Cause::Concurrency => format!(
            "Bottleneck: concurrency. No other limit was reached with up to {} in flight; more \
             depth, workers or hosts would give more.",
            curve.points.last().map_or(0, |p| p.in_flight)
        ),
        Cause::Client => of_each_host(limit, &bytes),
        Cause::IopsCap => {
            format!(
                "Bottleneck: {}a cap of {}{}. {}{}. A quota (of the volume, machine or network) looks like \
                 this{}: compare the rate with the quotas that apply.",
                probably(limit),
                limit.iops_words(),
                while_looked_at(limit),
                other_blocks(limit, block),
                if with_credits(limit) || is_by_a_rest(limit) {
                    "Credits came back during a pause"
                } else {
                    "Bursts after an idle moment show that it is not a limit on concurrency"
                },
                if limit.may_be_one_stage() {
                    ", and so does a stage that serves I/Os serially in constant time"
                } else {
                    ""
                },
            ) + unresolved(limit)
        }
        Cause::ByteCap => format!(
            "Bottleneck: {}a bandwidth cap, {bytes}{}. {}{}",
            probably(limit),
            while_looked_at(limit),
            same_throughput(limit),
            match limit.one_host {
                Some(_) =>
                    "Compare it with the quotas of the volume and of what the hosts share on the path to it.",
                None => {
                    "More workers do not raise it. Compare it with the quotas of the volume, machine and network. On \
                     NFS and SMB, all workers share the connections of the mount, which may be the limit: `nconnect` \
                     or multichannel would show it."
                }
            }
        ) + &beside(limit),
        Cause::Flow => format!(
            "Bottleneck: {}a bandwidth cap per connection, {bytes}. {}Twice the workers, each with a connection of \
             its own, give more. Use more connections.",
            probably(limit),
            same_throughput(limit)
        ) + &beside(limit),
        Cause::Parallelism | Cause::Slots => of_concurrency(limit, curve),
        Cause::Cache => match (&limit.mixture, limit.cold) {
            (Some(mixture), cold) => cached(limit, mixture, cold),
            (None, cold) => format!(
                "Bottleneck unknown: a cache served the data that the survey had written. The same reads of data \
                 that it had not written reach {}. {LARGER}",
                iops_within(&cold.unwrap_or_default())
            ),
        },
    }
}

/// A limit per host.
fn of_each_host(limit: &Limit, bytes: &str) -> String {
    let Some(one) = &limit.one_host else {
        return String::new();
    };
    let only = |kinds: &[Cause]| !kinds.is_empty() && one.of_each.iter().all(|c| kinds.contains(c));
    let of_block = |same: &str| {
        let other = limit.other_block.map(Bytes);
        other.map_or_else(String::new, |block| format!(": blocks of {block} {same}"))
    };
    let kind = if only(&[Cause::ByteCap, Cause::Flow]) {
        format!(
            " It limits bytes a second{}.",
            of_block("give the same throughput")
        )
    } else if only(&[Cause::IopsCap, Cause::Parallelism]) {
        format!(
            " It limits I/Os a second{}.",
            of_block("reach the same rate")
        )
    } else if only(&[Cause::Parallelism, Cause::Slots]) {
        " It limits the I/Os that a host may have outstanding.".to_owned()
    } else {
        String::new()
    };
    format!(
        "Bottleneck: {}a per-host limit, {} for one host. One host alone, with as many I/Os in flight as all {} had \
         together, reaches no more than it does when all run.{kind} Check its network, its connections, the quotas of \
         a client, and whether each host has its own storage. The limits of up to {} hosts add up: the volume allows \
         at least {}, {bytes}. More hosts may reach more; this was not measured.",
        probably(limit),
        iops_within(&one.iops),
        one.hosts,
        one.hosts,
        limit.iops_words(),
    )
}

/// What one host alone showed of a limit that all share.
fn one_host(limit: &Limit) -> Option<String> {
    let one = limit.one_host.as_ref()?;
    let is_shared = limit.cause().is_some_and(|cause| !is_of_each(cause));
    is_shared.then(|| match one.is_less {
        false => format!(
            "One of the {} hosts alone reaches as much, {}: the limit is shared, not per host.",
            one.hosts,
            iops_within(&one.iops)
        ),
        true => format!(
            "One of the {} hosts alone reaches {}, more than it does when all run: together they are at a shared \
             limit, and one alone is at its own.",
            one.hosts,
            iops_within(&one.iops)
        ),
    })
}

/// A limit on how many I/Os are processed at once.
fn of_concurrency(limit: &Limit, curve: &DepthCurve) -> String {
    let whose = match limit.possible.as_slice() {
        [Cause::Parallelism] => "The limit is in the target.",
        _ => {
            "The limit is in the target, or on the path to it, which allows no more I/Os outstanding (NFS slots, \
             device queue depth): a second host would show which; no experiment from this host can."
        }
    };
    let about = curve.useful_concurrency().map_or_else(String::new, |n| {
        let n = in_flight_words(n);
        format!(", about {n} for this load, including those on the way to the target and back")
    });
    let said = format!(
        "Bottleneck: {}the number of I/Os processed at once{about}; further I/Os wait. {whose}",
        probably(limit),
    );
    said + &bytes_beyond(limit) + uncached(limit)
}

/// What other block sizes show of an IOPS cap: those that were measured, and no others.
fn other_blocks(limit: &Limit, block: u64) -> String {
    match (&limit.beyond, limit.other_block) {
        (None, None) => String::new(),
        (None, Some(other)) => format!("Blocks of {} reach the same rate. ", Bytes(other)),
        (Some(beyond), _) => format!(
            "That holds at {}; from {} on, the limit is a bandwidth cap, {}. ",
            Bytes(block),
            Bytes(beyond.block),
            bytes_within(&beyond.bytes_per_s)
        ),
    }
}

/// The same of a limit of bytes.
fn same_throughput(limit: &Limit) -> String {
    let other = limit.other_block.map(Bytes);
    other.map_or_else(String::new, |block| {
        format!("Blocks of {block} give the same throughput. ")
    })
}

/// What else would give nearly the same as a cap of bytes.
fn beside(limit: &Limit) -> String {
    let others = limit
        .possible
        .iter()
        .copied()
        .filter(|cause| Some(*cause) != limit.leading);
    let names: Vec<&str> = others.map(cause_words).collect();
    match limit.leading {
        Some(_) => format!(
            " Larger blocks have slightly more throughput, beyond the intervals, so another limit that is slightly \
             lower may apply first: {}.",
            names.join(" or ")
        ),
        None => String::new(),
    }
}

/// For how long a rate was observed that may be paid with credits, where that is too short to call it sustained.
fn while_looked_at(limit: &Limit) -> String {
    match limit.may_be_of_credits() && !limit.is_sustained() && limit.held > Nanos::ZERO {
        true => format!(" (observed for {})", span(limit.held.0 as f64)),
        false => String::new(),
    }
}

/// The bandwidth cap at larger blocks, where the limit is concurrency.
fn bytes_beyond(limit: &Limit) -> String {
    limit.beyond.as_ref().map_or_else(String::new, |beyond| {
        format!(
            " From {} on, the limit is a bandwidth cap, {}.",
            Bytes(beyond.block),
            bytes_within(&beyond.bytes_per_s)
        )
    })
}

/// How certain a cause is, as a word before its name.
const fn probably(limit: &Limit) -> &'static str {
    match limit.certainty {
        Certainty::Shown => "",
        _ => "probably ",
    }
}

/// What to add where the cap is likely but not shown.
fn unresolved(limit: &Limit) -> &'static str {
    match (limit.certainty, limit.held_up) {
        (Certainty::Shown, _) => "",
        (_, true) => held_up(limit),
        (_, false) if limit.leading.is_some() && limit.possible.contains(&Cause::ByteCap) => {
            " Smaller blocks have a slightly higher rate, beyond the intervals, so a bandwidth cap that is slightly \
             lower may apply first."
        }
        (_, false) if limit.may_be_one_stage() => {
            " No experiment from this side can distinguish a quota from such a stage; a quota of this value in the \
             settings of the volume, machine or network would decide."
        }
        (_, false) => {
            " The bursts were too uneven to exclude a limit on concurrency that gives nearly the same rate, \
             or other users of the volume."
        }
    }
}

/// What a stall does to an answer.
const fn held_up(limit: &Limit) -> &'static str {
    match limit.with_stalls {
        true => {
            " The volume stalled at times, which makes every experiment less certain: the rate includes the stalls."
        }
        false => {
            " The volume stalled at times, which makes every experiment less certain; the point with this rate had no \
             stall."
        }
    }
}

/// Whether a pause brought a higher rate back, where no burst was needed to distinguish it from a limit on concurrency.
fn with_credits(limit: &Limit) -> bool {
    limit
        .change
        .is_some_and(|change| change.returned == Some(true))
}

/// Whether a rest shows it and no bursts were made, as these would bring the credits back.
fn is_by_a_rest(limit: &Limit) -> bool {
    let has = |family: &str| {
        let mut names = limit.evidence.iter();
        names.any(|name| family_of(name).0 == family)
    };
    limit.one_host.is_none() && has("rest") && !has("burst")
}

/// What to add where a cache may have held all the data that was read.
fn uncached(limit: &Limit) -> &'static str {
    let is_faster = |cold: &Interval| cold.value > limit.iops * (1.0 + SAME_RATE);
    match (limit.cold, limit.certainty) {
        _ if limit.held_up => held_up(limit),
        (None, Certainty::Likely) if limit.reads_outrun_writes => {
            " It may be the limit of a cache that holds everything written so far: writes are slower than these reads."
        }
        (None, Certainty::Likely) => {
            " Only data that the survey had written was read, so a cache that holds all of it is not excluded."
        }
        (Some(cold), Certainty::Likely) if is_faster(&cold) => {
            " It may be the limit of a cache: blocks that were not written before are read even faster, as unallocated \
             blocks are."
        }
        (Some(_), Certainty::Likely) => {
            " Data that was not read before is read as fast: a cache would have to hold that as well."
        }
        _ => "",
    }
}

/// Cache hits and misses, where a smaller data set had more hits or a larger one fewer.
fn cached(limit: &Limit, mixture: &Mixture, cold: Option<Interval>) -> String {
    let shown = match cold {
        Some(cold) => format!("Misses on a larger data set reach {}.", iops_within(&cold)),
        None => format!(
            "On a smaller data set, a larger share of the reads are hits. The rates hold for this hit ratio only. \
             {LARGER}"
        ),
    };
    format!(
        "Bottleneck: probably a cache: {}, like hits and misses. {shown}",
        kinds(limit, mixture)
    )
}

/// The two kinds of reads and their shares, each with the depth that it was measured at.
fn kinds(limit: &Limit, mixture: &Mixture) -> String {
    let share = match mixture.low_share {
        share if share < 0.005 => "less than 1 %".to_owned(),
        share if share > 0.995 => "more than 99 %".to_owned(),
        share => format!("{:.0} %", share * 100.0),
    };
    let (low, high) = (span(mixture.low), span(mixture.high));
    let (of_latencies, of_share) = &limit.mixture_at;
    if of_latencies != of_share {
        return format!(
            "there are two kinds of reads, of about {low} and {high} on average at {of_latencies}, and {share} were of \
             the faster kind at {of_share}"
        );
    }
    let both = format!(
        "at {of_share}, {share} of the reads took about {low} on average and the others about {high}"
    );
    match limit.hits_wait {
        false => both,
        true => format!(
            "{both} (with more in flight both kinds wait, so the hit ratio there is not known)"
        ),
    }
}

/// Two kinds of latency whose reason is not known.
fn two_kinds(limit: &Limit) -> String {
    let Some(mixture) = &limit.mixture else {
        return String::new();
    };
    format!(
        "Bottleneck unknown: {}, like hits and misses of a cache. The rates hold for this hit ratio only. {LARGER}",
        kinds(limit, mixture)
    )
}

/// Several causes that no experiment separated.
fn several(limit: &Limit) -> String {
    let experimented = limit.held > Nanos::ZERO;
    if limit.close {
        return format!(
            "Bottleneck unknown: either of two limits would give this rate, and so would both together, within a few \
             percent of each other. Bursts after an idle moment are nearly those of a cap of this rate, but a whole \
             number of I/Os at once gives it as well. Possible causes: {}. If both apply, raising only one of them \
             gains little.",
            listed(limit, "and")
        );
    }
    let decides = if let Some(one) = &limit.one_host {
        &format!(
            "No experiment of this survey separated them: one of the {} hosts alone reaches {}.",
            one.hosts,
            iops_within(&one.iops)
        )
    } else if experimented {
        "No experiment of this survey separated them. Compare the rate with the quotas that \
         apply; a second host or more connections show whether the limit is on the path from this \
         host."
    } else {
        "`leadline measure` runs the experiments that separate them."
    };
    format!(
        "Bottleneck unknown: the rate stays flat while latency grows with the depth. Possible causes: {}. {decides}",
        listed(limit, "or")
    )
}

/// A limit of bytes of a target or of the connections of a mount to it.
fn of_the_mount(limit: &Limit, mean_block: f64) -> String {
    format!(
        "Bottleneck unknown: a bandwidth limit, {}, which is a cap of the target or the bandwidth of the connections to it. {}All \
         workers of a host share these connections, so no experiment on this mount separates the two. Mount with more \
         connections (`nconnect` on NFS, multichannel on SMB) and repeat the survey: a higher rate shows that the connections \
         were the limit.",
        bytes_within(&limit.known().scaled(mean_block)),
        same_throughput(limit),
    )
}

/// The causes that are possible, the last after this word.
fn listed(limit: &Limit, word: &str) -> String {
    let names: Vec<&str> = limit.possible.iter().copied().map(cause_words).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => {
            format!("{} {word} {last}", others.join(", "))
        }
        _ => names.concat(),
    }
}

const fn cause_words(cause: Cause) -> &'static str {
    match cause {
        Cause::Generator => "this host's workers",
        Cause::Host => "this host's processors",
        Cause::Concurrency => "concurrency",
        Cause::IopsCap => "an IOPS cap",
        Cause::ByteCap => "a bandwidth cap",
        Cause::Flow => "the rate of one connection",
        Cause::Parallelism => "the number of I/Os that the target processes at once",
        Cause::Slots => "the number of I/Os that may be outstanding on the path to it",
        Cause::Cache => "a cache",
        Cause::Client => "a per-host limit",
    }
}

fn rising(curve: &DepthCurve) -> String {
    format!(
        "Bottleneck: the target or the path to it. Most of the latency is queueing: at {} mean latency is {} times \
         that at the lowest depth.",
        curve
            .points
            .last()
            .map_or_else(String::new, PointResult::depth_words),
        about(stretch(curve)),
    )
}

fn change(change: &Change) -> String {
    let returned = match change.returned {
        Some(true) => {
            "; after an idle pause the higher rate was back: these are burst credits, and the lower rate is the rate \
             without them"
        }
        Some(false) => "; an idle pause did not bring it back",
        None => "",
    };
    let verb = match change.after.value < change.before.value {
        true => "fell",
        false => "rose",
    };
    let (before, after) = (iops_within(&change.before), iops_within(&change.after));
    let rates = match change.in_flight {
        Some((at, later)) if at == later => format!("{before} to {after} at the same setting"),
        Some((at, later)) => format!("{before} with {at} in flight to {after} with {later}"),
        None => format!("{before} to {after}"),
    };
    format!("The rate {verb} during the survey, from {rates}{returned}.")
}

/// Whether the rate fell during the survey.
fn has_fallen(limit: &Limit) -> bool {
    limit
        .change
        .is_some_and(|change| change.after.value < change.before.value)
}

/// For how long the rate was observed; where it changed and went back (`moved`), the run is not one without a fall.
fn held(limit: &Limit, moved: bool) -> String {
    let held = span(limit.held.0 as f64);
    let rate = match limit.interval {
        Some(_) => format!("This rate, {} (95 %),", limit.iops_words()),
        None => "This rate".to_owned(),
    };
    if let Some(code) = &limit.unsteady {
        return format!(
            "{rate} is the mean over {held} in which the rate did not stay the same (see {code}): a longer run may give \
             another."
        );
    }
    let fall = match (limit.held_up, limit.with_stalls) {
        (_, true) => " including its stalls, without a fall to another level",
        (true, false) => {
            " between two stalls, without a fall to another level: the mean including the stalls is lower"
        }
        (false, false) if moved => "",
        (false, false) if has_fallen(limit) => " without another fall",
        (false, false) => " without a fall",
    };
    format!(
        "{rate} was {} {held}{fall}. Burst credits that last longer cannot be excluded; longer points would show them.",
        looked_at(limit)
    )
}
