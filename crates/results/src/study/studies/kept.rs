//! Whether something beyond this host keeps what was read or written: the same offsets again against new ones, and
//! against the same after other data was read.
//!
//! Belongs here: which of these rates differ beyond their intervals, and how that is said. Must never: choose a point.

use super::done::Measured;
use super::warming::touched;
use crate::stats::Interval;
use crate::stats::mixture::mixture;
use crate::words::{about, give_or_take, iops_within, rounded, span, trim_to};
use leadline_model::units::Bytes;

/// Rates that differ by more than this share are different.
const APART: f64 = 0.1;
/// A rate without an interval is different from this many times another on.
const BARE: f64 = 1.5;
/// A rate whose interval reaches further than this share is compared with none, unless the interval of the ratio says it.
const VAGUE: f64 = 0.5;
/// More hits than this share, after other data was read, are of what was left.
const LEFT: f64 = 0.05;

/// What two rates say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contrast {
    /// The one is higher than the other.
    Higher,
    /// It is not.
    Alike,
    /// The intervals are too wide for either.
    Open,
}

impl Contrast {
    /// Whether a rate is higher than another, beyond the intervals of both.
    fn of(one: &Interval, other: &Interval) -> Self {
        let ratio = one.over(other);
        let is_bare = !(one.is_known() && other.is_known());
        let widest = one.reach().max(other.reach());
        let is_apart = ratio.value > 1.0 + APART;
        let is_sure = ratio.low > 1.0 && (!is_bare || ratio.value > BARE);
        let may_be_apart = ratio.high > 1.0 + APART;
        match (is_apart, is_sure) {
            (true, true) => Self::Higher,
            (true, false) => Self::Open,
            (false, _) if widest > VAGUE || (widest > APART && may_be_apart) => Self::Open,
            (false, _) => Self::Alike,
        }
    }
}

/// The points of a load that show a cache.
pub(super) struct Kept<'m> {
    /// The same offsets again.
    pub(super) again: &'m Measured,
    /// New offsets.
    pub(super) other: &'m Measured,
    /// The same offsets after other data was read.
    pub(super) displaced: Option<&'m Measured>,
    /// Share of reads of the load, in percent.
    pub(super) reads: u8,
    /// Blocks of the set.
    pub(super) blocks: f64,
    /// The rates at the start and at the end of the warm-up, where that at the end is higher.
    pub(super) rose: Option<[Interval; 2]>,
    /// A sentence on what would make the rates better known.
    pub(super) remedy: &'static str,
}

impl Kept<'_> {
    /// The rate of the same offsets over that of new ones.
    pub(super) fn ratio(&self) -> Interval {
        self.again.iops_within().over(&self.other.iops_within())
    }

    /// The share of hits among the offsets that come again.
    pub(super) fn hit_share(&self) -> Option<f64> {
        hits_of_again(self.again, self.other)
    }

    /// The same offsets against new ones.
    fn against_new(&self) -> Contrast {
        Contrast::of(&self.again.iops_within(), &self.other.iops_within())
    }

    /// The same offsets against these after other data was read: something beyond this host had kept them where they are
    /// slower then.
    fn against_displaced(&self) -> Option<Contrast> {
        let displaced = self.displaced?;
        Some(Contrast::of(
            &self.again.iops_within(),
            &displaced.iops_within(),
        ))
    }

    /// Whether a cache beyond this host was seen, in a word.
    pub(super) fn seen(&self) -> &'static str {
        seen(
            self.against_new(),
            self.against_displaced(),
            self.rose.is_some(),
        )
    }

    /// What is done with the offsets: `Reading`, `read`, `reads`.
    const fn doing(&self) -> [&'static str; 3] {
        match self.reads {
            100 => ["Reading", "read", "reads"],
            0 => ["Writing", "written", "writes"],
            _ => ["Accessing", "accessed", "I/Os"],
        }
    }

    /// The same offsets against new ones: what a server, or a host below, has kept.
    pub(super) fn server(&self) -> String {
        let [again, other] = [self.again, self.other].map(|m| iops_within(&m.iops_within()));
        let rates = match self.ratio().value < 1.0 - APART {
            true => {
                format!("Repeated offsets perform no better than new ones ({again} and {other})")
            }
            false => format!("Repeated and new offsets perform alike ({again} and {other})"),
        };
        let is_slower = self.against_displaced();
        match (self.against_new(), is_slower) {
            (Contrast::Higher, _) => self.quicker(&again, &other),
            (Contrast::Alike, Some(Contrast::Higher)) => format!(
                "{rates}{}: a cache beyond this host holds both, since reading other data made them slower. Both \
                 figures are those of the cache.",
                self.share_words()
            ),
            (Contrast::Open, Some(Contrast::Higher)) => format!(
                "The same offsets again reach {again}, and new ones {other}{}: a cache beyond this host holds the \
                 repeated ones, since reading other data made them slower. Their figure is that of the cache.",
                self.share_words()
            ),
            (Contrast::Open, _) => format!(
                "Repeated and new offsets reach {again} and {other}, known too little to see a cache beyond this \
                 host. {}",
                self.remedy
            ),
            (Contrast::Alike, Some(Contrast::Open)) => format!(
                "{rates}, but after other data was read the rate is known too little to see whether a cache beyond \
                 this host holds both. {}",
                self.remedy
            ),
            (Contrast::Alike, of_displaced) => match self.rose {
                Some(rose) => format!(
                    "{rates}, but the rate rose during the warm-up, from {} to {}: a cache beyond this host filled, \
                     or the volume changed.",
                    iops_within(&rose[0]),
                    iops_within(&rose[1])
                ),
                // What was read elsewhere would have displaced it: `displaced_words` says how far that goes.
                None if of_displaced.is_some() => {
                    format!("{rates}: no cache beyond this host is visible.")
                }
                None => self.nothing_displaced(&rates),
            },
        }
    }

    fn quicker(&self, again: &str, other: &str) -> String {
        let [doing, done, _] = self.doing();
        format!(
            "{doing} the same offsets again reaches {} the IOPS of new offsets ({again} against {other}){}: a cache \
             beyond this host holds what was {done} before. Figures of repeated offsets are those of the cache.",
            times(&self.ratio()),
            self.share_words()
        )
    }

    fn nothing_displaced(&self, rates: &str) -> String {
        let [_, done, _] = self.doing();
        format!(
            "{rates}: there is no cache beyond this host, or it holds the whole set, which was written just before, \
             or it holds less than the {} that were {done} again. To distinguish these, give the size of the \
             server's cache (the study then reads that much other data first), use a data set larger than any \
             cache, or start the server cold.",
            Bytes(self.again.summary.figures.data.bytes)
        )
    }

    fn share_words(&self) -> String {
        let percent = self.hit_share().map(|share| trim_to(share * 100.0, 0));
        percent.map_or(String::new(), |percent| {
            format!(", and {percent} % of its I/Os were hits")
        })
    }

    /// What reading other data did.
    pub(super) fn displaced_words(&self) -> Option<String> {
        let displaced = self.displaced?;
        let after = "After other data was read, these offsets";
        let iops = iops_within(&displaced.iops_within());
        let is_seen = self.against_new() == Contrast::Higher;
        let still = match self.against_displaced()? {
            Contrast::Higher => None,
            Contrast::Open => Some(format!(
                "{after} reach {iops}, known too little to see whether they were evicted from a cache."
            )),
            // It was seen: a write may be quick in it whatever it holds.
            Contrast::Alike if is_seen && self.reads < 100 => Some(format!(
                "{after} still reach {iops}: the cache is larger than the other data, or it takes writes of any \
                 offsets until it is full."
            )),
            Contrast::Alike if is_seen => Some(format!(
                "{after} still reach {iops}: the cache is larger than the other data, or has kept none of that."
            )),
            Contrast::Alike => Some(format!(
                "{after} still reach {iops}: there is no such cache, it is larger than the other data, or it is too \
                 small relative to the data set to show."
            )),
        };
        Some(still.unwrap_or_else(|| {
            let hits = hits(displaced).unwrap_or_default();
            let left = hits - by_itself(displaced, self.blocks);
            match left > LEFT {
                true => format!(
                    "{after} reach {iops}: some of them were evicted from the cache, and {} % of the I/Os were still \
                     hits. More other data would show the rate without hits.",
                    trim_to(hits * 100.0, 0)
                ),
                false => format!("{after} reach {iops}: they were evicted from the cache."),
            }
        }))
    }

    /// How long a cache takes to hold the set: it fills at the rate of misses, where one is seen.
    pub(super) fn warm_up(&self) -> String {
        let [_, done, several] = self.doing();
        let of_displaced = self.displaced.filter(|m| {
            let is_slower = self.against_displaced() == Some(Contrast::Higher);
            is_slower && m.iops() < self.other.iops()
        });
        let lowest = of_displaced.unwrap_or(self.other);
        let against = Contrast::of(&self.again.iops_within(), &lowest.iops_within());
        let rate = match against == Contrast::Higher {
            true => format!(
                "at the lowest of these rates, {} IOPS,",
                about(lowest.iops())
            ),
            false => "at this rate".to_owned(),
        };
        let once = self.blocks / lowest.iops().max(1e-9);
        // 95 % are touched after three times as many draws as there are blocks.
        format!(
            "Warm-up: {rate} each block of the set is {done} once in {}; random {several} have touched {} % of them \
             by then, and 95 % after {}.",
            span(once * 1e9),
            trim_to(touched(self.blocks, self.blocks) * 100.0, 0),
            span(once * 3e9)
        )
    }
}

/// Whether a cache was seen, given the same offsets against new ones and against these after other data was read, and
/// whether the rate rose during the warm-up.
fn seen(of_new: Contrast, of_displaced: Option<Contrast>, rose: bool) -> &'static str {
    match (of_new, of_displaced) {
        (Contrast::Higher, _) | (_, Some(Contrast::Higher)) => "yes",
        (Contrast::Alike, Some(Contrast::Alike)) if !rose => "no",
        _ => "unknown",
    }
}

/// The share of hits of offsets that come again, beside those of new ones: all of them may be of one kind.
fn hits_of_again(again: &Measured, other: &Measured) -> Option<f64> {
    let own = again.summary.figures.data.response();
    hits(again).or_else(|| {
        let mut both = own.clone();
        both.merge(other.summary.figures.data.response());
        Some(mixture(&both.histogram)?.share_of_low(&own.histogram))
    })
}

/// The share of hits that the latencies of a point show, where they are of two kinds.
pub(super) fn hits(m: &Measured) -> Option<f64> {
    let latencies = m.summary.figures.data.response();
    let found = mixture(&latencies.histogram)?;
    Some(found.share_of_low(&latencies.histogram))
}

/// The share of the I/Os of a point that are hits of what it read itself: those after each block was read once.
fn by_itself(m: &Measured, blocks: f64) -> f64 {
    let ios = m.summary.figures.data.ios as f64;
    (1.0 - blocks / ios.max(1.0)).max(0.0)
}

/// `3.12 times +-1.4 %`; large ratios are rounded (`about 1,000 times`).
pub(super) fn times(ratio: &Interval) -> String {
    /// From here on a ratio shows a cache by its order of magnitude.
    const LARGE: f64 = 100.0;
    if ratio.value >= LARGE {
        let unit = 10_f64.powf(ratio.value.log10().floor() - 1.0);
        return format!("about {} times", about((ratio.value / unit).round() * unit));
    }
    let text = format!("{} times", trim_to(ratio.value, 2));
    give_or_take(&text, rounded(ratio.value, 2), ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(value: f64, share: f64) -> Interval {
        Interval {
            value,
            low: value * (1.0 - share),
            high: value * (1.0 + share),
            settled: true,
        }
    }

    /// Tails of 40 ms: the rates of one and the same volume, as they come by chance.
    #[test]
    fn rates_within_their_intervals_show_no_cache() {
        let open = Contrast::Open;
        assert_eq!(
            Contrast::of(&within(26_900.0, 0.37), &within(24_200.0, 0.13)),
            open
        );
        assert_eq!(
            Contrast::of(&within(28_800.0, 0.28), &within(21_800.0, 0.26)),
            open
        );
        // Nothing is known of the second.
        let vague = within(12_800.0, 1.0);
        assert_eq!(Contrast::of(&within(5_000.0, 0.001), &vague), open);
        assert_eq!(seen(open, Some(Contrast::Alike), false), "unknown");
        assert_eq!(seen(Contrast::Alike, Some(open), false), "unknown");
        // Rates known to a few percent are alike.
        let known = Contrast::of(&within(5_100.0, 0.06), &within(5_000.0, 0.06));
        assert_eq!(known, Contrast::Alike);
        assert_eq!(seen(known, Some(known), false), "no");
        assert_eq!(seen(known, None, false), "unknown");
    }

    #[test]
    fn a_cache_shows_beyond_the_intervals_or_by_much() {
        let new = within(5_000.0, 0.02);
        let higher = Contrast::Higher;
        assert_eq!(Contrast::of(&within(6_000.0, 0.05), &new), higher);
        assert_eq!(Contrast::of(&within(50_000.0, 0.6), &new), higher);
        assert_eq!(seen(Contrast::Open, Some(higher), false), "yes");
        // Without an interval a large difference shows it.
        assert_eq!(Contrast::of(&Interval::only(50_000.0), &new), higher);
        assert_eq!(Contrast::of(&Interval::only(6_000.0), &new), Contrast::Open);
        assert_eq!(
            Contrast::of(&Interval::only(5_100.0), &new),
            Contrast::Alike
        );
    }

    #[test]
    fn a_rate_that_rose_while_warming_up_leaves_a_cache_open() {
        assert_eq!(
            seen(Contrast::Alike, Some(Contrast::Alike), true),
            "unknown"
        );
    }
}
