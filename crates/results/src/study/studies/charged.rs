//! What credits are charged for: I/Os, bytes, or both, each from its own bucket.
//!
//! Belongs here: the rule min(I, B / b) on the lower rates of block sizes, in whichever order these were measured, and what a write
//! costs. Must never: find a fall (that is `burst`).

use super::answer::{Answer, AnswerCell, AnswerUnit};
use super::fall::Fall;
use super::spec::short_bytes;
use crate::stats::Interval;
use crate::words::{bytes_within, give_or_take, iops_within, thousands, trim_to, whole};
use leadline_model::units::Bytes;

/// Block sizes that are far enough apart to distinguish I/Os from bytes.
const NEAR: u64 = 4 * Bytes::KIB;
const FAR: u64 = 64 * Bytes::KIB;
/// Rates within this share of each other are the same.
const SAME: f64 = 0.1;

/// The fall of a load.
pub(super) struct LoadFall {
    /// Bytes of its I/Os.
    pub(super) block: u64,
    /// Its share of reads, percent.
    pub(super) reads: u8,
    /// The fall.
    pub(super) fall: Fall,
}

impl LoadFall {
    /// What its rates are those of, in a sentence.
    fn whose(&self) -> String {
        match self.reads {
            100 => "reads".to_owned(),
            0 => "writes".to_owned(),
            reads => format!("mixes of {reads} % reads"),
        }
    }

    /// Bytes a second at the lower rate.
    fn per_s(&self) -> f64 {
        self.fall.low * self.block as f64
    }
}

/// The lower rates of several block sizes as a bucket of I/Os and one of bytes explain them.
struct Buckets<'f> {
    /// By rising block size.
    ios: Vec<&'f LoadFall>,
    bytes: Vec<&'f LoadFall>,
}

impl<'f> Buckets<'f> {
    /// `None` where a block size fits neither: its rate is min(I, B / b) nowhere.
    fn of(falls: &[&'f LoadFall]) -> Option<Self> {
        let mut falls: Vec<&LoadFall> = falls.to_vec();
        falls.sort_by_key(|fall| fall.block);
        let most_ios = falls.iter().map(|f| f.fall.low).fold(0.0, f64::max);
        // A bucket of bytes may still hold credits where that of I/Os is empty: what is at the most I/Os says nothing
        // of it.
        let (mut ios, mut bytes): (Vec<_>, Vec<_>) =
            falls.into_iter().partition(|f| near(f.fall.low, most_ios));
        let most_bytes = bytes.iter().map(|f| f.per_s()).fold(0.0, f64::max);
        if !bytes.iter().all(|fall| near(fall.per_s(), most_bytes)) {
            return None;
        }
        // One size of many that has the highest rate may be at the same bytes as all others.
        if !bytes.is_empty() && ios.iter().all(|fall| near(fall.per_s(), most_bytes)) {
            bytes.splice(0..0, ios.drain(..));
        }
        Some(Self { ios, bytes })
    }
}

/// Falls by their share of reads, most reads first: a write may cost more credits than a read, so that only falls of one share have
/// lower rates that follow one rule.
fn by_reads(falls: &[LoadFall]) -> Vec<Vec<&LoadFall>> {
    let mut shares: Vec<u8> = falls.iter().map(|fall| fall.reads).collect();
    shares.sort_unstable_by(|a, b| b.cmp(a));
    shares.dedup();
    let of = |reads: u8| falls.iter().filter(|f| f.reads == reads).collect();
    shares.into_iter().map(of).collect()
}

/// Whether these have more than one block size: I/Os and bytes cannot be distinguished by one.
fn decides(falls: &[&LoadFall]) -> bool {
    falls.iter().any(|fall| fall.block != falls[0].block)
}

/// Whether the lower rate of a load is one of bytes, or else of I/Os; `None` where that is not known. Where the falls of its own
/// share of reads do not say it, those of another do.
pub(super) fn is_per_byte(falls: &[LoadFall], (block, reads): (u64, u8)) -> Option<bool> {
    let mut groups = by_reads(falls);
    groups.sort_by_key(|group| group[0].reads != reads);
    groups.iter().find_map(|group| {
        let buckets = Buckets::of(group).filter(|_| decides(group))?;
        let is_in = |of: &[&LoadFall]| of.iter().any(|fall| fall.block == block);
        (is_in(&buckets.ios) || is_in(&buckets.bytes)).then(|| is_in(&buckets.bytes))
    })
}

fn near(a: f64, b: f64) -> bool {
    (a / b.max(1e-9) - 1.0).abs() < SAME
}

/// `at 4 KiB and 16 KiB`.
fn at(falls: &[&LoadFall]) -> String {
    let each: Vec<String> = falls.iter().map(|f| Bytes(f.block).to_string()).collect();
    match each.as_slice() {
        [] => String::new(),
        [one] => format!("at {one}"),
        [all @ .., last] => format!("at {} and {last}", all.join(", ")),
    }
}

/// Whether I/Os or bytes are counted, as a word and in sentences: block sizes that were drained decide. Nothing where none
/// fell.
pub(super) fn say(falls: &[LoadFall], blocks: &[u64], answer: &mut Answer) {
    let Some(first) = falls.first() else {
        return;
    };
    let mut groups = by_reads(falls);
    groups.retain(|group| decides(group));
    let found: Option<Vec<Buckets<'_>>> = groups.iter().map(|group| Buckets::of(group)).collect();
    let charged = match found {
        _ if falls.iter().all(|fall| fall.block == first.block) => {
            answer.say(undecided(first, blocks));
            "unknown"
        }
        None => {
            let text = "The lower rates fit neither a limit on I/Os, nor one on bytes, nor a bucket of each: something \
                        else limits them too.";
            answer.say(text.to_owned());
            "unknown"
        }
        Some(found) => of_groups(&found, answer),
    };
    answer.value("charged", AnswerCell::text(charged), AnswerUnit::Text);
}

/// What the falls of each share of reads say, and all together as a word.
fn of_groups(found: &[Buckets<'_>], answer: &mut Answer) -> &'static str {
    let Some((first, others)) = found.split_first() else {
        answer.say(
            "Whether credits are charged per I/O or per byte is not known: neither reads nor writes fell at more than \
             one block size. A longer point would show whether they do."
                .to_owned(),
        );
        return "unknown";
    };
    first.values(answer);
    let (charged, words) = first.words("The lower rate");
    // What costs the same, whichever it is, is said once.
    if others.iter().all(|other| first.are_as_those_of(other)) {
        answer.say(words);
        return charged;
    }
    for group in found {
        let whose = group.any().map_or_else(String::new, LoadFall::whose);
        answer.say(group.words(&format!("The lower rate of {whose}")).1);
    }
    if let Some(times) = found.last().and_then(|last| first.write_cost(last)) {
        answer.say(format!(
            "The charge for a write is that for a read times {}.",
            give_or_take(&trim_to(times.value, 2), times.value, &times)
        ));
        answer.value("write_cost", AnswerCell::Within(times), AnswerUnit::Number);
    }
    let mut kinds = found.iter().map(Buckets::kind);
    match kinds.all(|kind| kind == charged) {
        true => charged,
        false => "both",
    }
}

impl Buckets<'_> {
    fn any(&self) -> Option<&LoadFall> {
        self.ios.first().or(self.bytes.first()).copied()
    }

    /// What is charged for, as a word.
    fn kind(&self) -> &'static str {
        match (self.ios.is_empty(), self.bytes.is_empty()) {
            (false, false) => "both",
            (false, true) => "ios",
            (true, _) => "bytes",
        }
    }

    fn each(&self) -> impl Iterator<Item = &LoadFall> {
        self.ios.iter().chain(&self.bytes).copied()
    }

    /// The lower rates of these over those of others of the same block sizes; empty where they have none in common.
    fn over(&self, other: &Self) -> Vec<Interval> {
        let at = |block: u64| other.each().find(|fall| fall.block == block);
        let pairs = self.each().filter_map(|own| Some((own, at(own.block)?)));
        pairs
            .map(|(own, other)| own.fall.levels[1].over(&other.fall.levels[1]))
            .collect()
    }

    /// Whether I/Os of others cost the same credits, to a tenth, at all block sizes that both have.
    fn are_as_those_of(&self, other: &Self) -> bool {
        let times = self.over(other);
        let is_one = !times.is_empty() && times.iter().all(|t| near(t.value, 1.0));
        is_one && self.kind() == other.kind()
    }

    /// What a write costs, in reads, where these are reads, the others writes, and all block sizes agree on it.
    fn write_cost(&self, writes: &Self) -> Option<Interval> {
        let are = |of: &Self, reads: u8| of.any().is_some_and(|fall| fall.reads == reads);
        let times = self.over(writes);
        let first = *times.first()?;
        let is_one = times.iter().all(|t| near(t.value, first.value));
        (are(self, 100) && are(writes, 0) && is_one).then_some(first)
    }

    /// What is charged for, as a word and in a sentence that begins with `rate`: the lower rate, or whose it is.
    fn words(&self, rate: &str) -> (&'static str, String) {
        let of_ios = self.ios.first().map(|f| iops_within(&f.fall.levels[1]));
        let of_bytes = self.bytes.first();
        let of_bytes = of_bytes.map(|f| bytes_within(&f.fall.levels[1].scaled(f.block as f64)));
        let words = match (of_ios, of_bytes) {
            (Some(ios), Some(bytes)) => self.both(rate, &ios, &bytes),
            (Some(ios), None) => format!(
                "{rate} is {ios} {}: credits are charged per I/O.",
                at(&self.ios)
            ),
            (_, bytes) => format!(
                "{rate} is {} {}: credits are charged per byte, and the bucket held {}.",
                bytes.unwrap_or_default(),
                at(&self.bytes),
                self.bytes_held()
            ),
        };
        (self.kind(), words)
    }

    /// The size of the bucket of bytes, as the smallest block size found it.
    fn bytes_held(&self) -> String {
        let held = self.bytes.first().map(|f| f.fall.store() * f.block as f64);
        let held = Bytes(whole(held.unwrap_or_default()));
        match self.bytes.first().is_some_and(|f| f.fall.is_part) {
            true => format!("at least {held}"),
            false => held.to_string(),
        }
    }

    fn both(&self, rate: &str, ios: &str, bytes: &str) -> String {
        let sure = match self.ios.len() + self.bytes.len() > 2 {
            true => "there is a bucket of I/Os and one of bytes",
            false => {
                "a bucket of I/Os and one of bytes would explain that; a third block size would show it"
            }
        };
        let held = self.ios.first().map_or(0.0, |f| f.fall.store());
        let about = match self.ios.first().is_some_and(|f| f.fall.is_part) {
            true => "at least",
            false => "about",
        };
        format!(
            "{rate} is {ios} {}, and {bytes} {}: {sure}, with {about} {} I/Os and {}.",
            at(&self.ios),
            at(&self.bytes),
            thousands(whole(held)),
            self.bytes_held()
        )
    }

    fn values(&self, answer: &mut Answer) {
        if let Some(fall) = self.ios.first() {
            let low = AnswerCell::Within(fall.fall.levels[1]);
            answer.value("ios_low", low, AnswerUnit::Iops);
            answer.value("ios_store", fall.fall.store_cell(1.0), AnswerUnit::Count);
        }
        if let Some(fall) = self.bytes.first() {
            let low = AnswerCell::Within(fall.fall.levels[1].scaled(fall.block as f64));
            answer.value("bytes_low", low, AnswerUnit::BytesPerS);
            let store = fall.fall.store_cell(fall.block as f64);
            answer.value("bytes_store", store, AnswerUnit::Bytes);
        }
    }
}

/// What would decide where only one block size was drained.
fn undecided(fall: &LoadFall, blocks: &[u64]) -> String {
    let LoadFall { block, fall, .. } = fall;
    let either = format!(
        "{} I/Os or {}",
        thousands(whole(fall.store())),
        Bytes(whole(fall.store() * *block as f64))
    );
    if blocks.iter().any(|other| other != block) {
        return format!(
            "Whether credits are charged per I/O or per byte ({either}) is not known: the rate fell only at {}. A \
             longer point would show whether it falls at other block sizes.",
            Bytes(*block)
        );
    }
    let other = if *block < FAR { FAR } else { NEAR };
    let both = [(*block).min(other), (*block).max(other)].map(short_bytes);
    format!(
        "Whether credits are charged per I/O or per byte ({either}) is not known from one block size: a second one \
         would show it: {}.",
        both.join(",")
    )
}
