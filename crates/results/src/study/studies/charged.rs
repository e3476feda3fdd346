//! What credits are charged for: I/Os, bytes, or both, each from its own bucket.
//!
//! Belongs here: the rule min(I, B / b) on the lower rates of block sizes, in whichever order these were measured. Must
//! never: find a fall (that is `burst`).

use super::answer::{Answer, AnswerCell, AnswerUnit};
use super::fall::Fall;
use super::spec::short_bytes;
use crate::words::{bytes_within, iops_within, thousands, whole};
use leadline_model::units::Bytes;

/// Block sizes that are far enough apart to distinguish I/Os from bytes.
const NEAR: u64 = 4 * Bytes::KIB;
const FAR: u64 = 64 * Bytes::KIB;
/// Rates within this share of each other are the same.
const SAME: f64 = 0.1;

/// The lower rates of several block sizes as a bucket of I/Os and one of bytes explain them.
struct Buckets<'f> {
    /// By rising block size.
    ios: Vec<&'f (u64, Fall)>,
    bytes: Vec<&'f (u64, Fall)>,
}

impl<'f> Buckets<'f> {
    /// `None` where a block size fits neither: its rate is min(I, B / b) nowhere.
    fn of(falls: &'f [(u64, Fall)]) -> Option<Self> {
        let mut falls: Vec<&(u64, Fall)> = falls.iter().collect();
        falls.sort_by_key(|fall| fall.0);
        let most_ios = falls.iter().map(|f| f.1.low).fold(0.0, f64::max);
        // A bucket of bytes may still hold credits where that of I/Os is empty: what is at the most I/Os says nothing
        // of it.
        let (mut ios, mut bytes): (Vec<_>, Vec<_>) =
            falls.into_iter().partition(|f| near(f.1.low, most_ios));
        let most_bytes = bytes.iter().map(|f| per_s(f)).fold(0.0, f64::max);
        if !bytes.iter().all(|fall| near(per_s(fall), most_bytes)) {
            return None;
        }
        // One size of many that has the highest rate may be at the same bytes as all others.
        if !bytes.is_empty() && ios.iter().all(|fall| near(per_s(fall), most_bytes)) {
            bytes.splice(0..0, ios.drain(..));
        }
        Some(Self { ios, bytes })
    }
}

/// Whether the lower rate of a block size is one of bytes, or else of I/Os; `None` where that is not known.
pub(super) fn is_per_byte(falls: &[(u64, Fall)], block: u64) -> Option<bool> {
    let is_one = falls.iter().all(|fall| fall.0 == block);
    let buckets = Buckets::of(falls).filter(|_| !is_one)?;
    Some(buckets.bytes.iter().any(|fall| fall.0 == block))
}

fn near(a: f64, b: f64) -> bool {
    (a / b.max(1e-9) - 1.0).abs() < SAME
}

/// Bytes a second at the lower rate.
fn per_s(fall: &(u64, Fall)) -> f64 {
    fall.1.low * fall.0 as f64
}

/// `at 4 KiB and 16 KiB`.
fn at(falls: &[&(u64, Fall)]) -> String {
    let each: Vec<String> = falls.iter().map(|f| Bytes(f.0).to_string()).collect();
    match each.as_slice() {
        [] => String::new(),
        [one] => format!("at {one}"),
        [all @ .., last] => format!("at {} and {last}", all.join(", ")),
    }
}

/// Whether I/Os or bytes are counted, as a word and in a sentence: block sizes that were drained decide. Nothing where none
/// fell.
pub(super) fn say(falls: &[(u64, Fall)], blocks: &[u64], answer: &mut Answer) {
    let Some(first) = falls.first() else {
        return;
    };
    let (charged, sentence) = match Buckets::of(falls) {
        _ if falls.iter().all(|fall| fall.0 == first.0) => ("unknown", undecided(first, blocks)),
        None => (
            "unknown",
            "The lower rates fit neither a limit on I/Os, nor one on bytes, nor a bucket of each: something else \
             limits them too."
                .to_owned(),
        ),
        Some(buckets) => {
            buckets.values(answer);
            buckets.words()
        }
    };
    answer.say(sentence);
    answer.value("charged", AnswerCell::text(charged), AnswerUnit::Text);
}

impl Buckets<'_> {
    fn words(&self) -> (&'static str, String) {
        let of_ios = self.ios.first().map(|f| iops_within(&f.1.levels[1]));
        let of_bytes = self.bytes.first();
        let of_bytes = of_bytes.map(|f| bytes_within(&f.1.levels[1].scaled(f.0 as f64)));
        match (of_ios, of_bytes) {
            (Some(ios), Some(bytes)) => ("both", self.both(&ios, &bytes)),
            (Some(ios), None) => (
                "ios",
                format!(
                    "The lower rate is {ios} {}: credits are charged per I/O.",
                    at(&self.ios)
                ),
            ),
            (_, bytes) => (
                "bytes",
                format!(
                    "The lower rate is {} {}: credits are charged per byte, and the bucket held {}.",
                    bytes.unwrap_or_default(),
                    at(&self.bytes),
                    self.bytes_held()
                ),
            ),
        }
    }

    /// The size of the bucket of bytes, as the smallest block size found it.
    fn bytes_held(&self) -> String {
        let held = self.bytes.first().map(|f| f.1.store() * f.0 as f64);
        let held = Bytes(whole(held.unwrap_or_default()));
        match self.bytes.first().is_some_and(|f| f.1.is_part) {
            true => format!("at least {held}"),
            false => held.to_string(),
        }
    }

    fn both(&self, ios: &str, bytes: &str) -> String {
        let sure = match self.ios.len() + self.bytes.len() > 2 {
            true => "there is a bucket of I/Os and one of bytes",
            false => {
                "a bucket of I/Os and one of bytes would explain that; a third block size would show it"
            }
        };
        let held = self.ios.first().map_or(0.0, |f| f.1.store());
        let about = match self.ios.first().is_some_and(|f| f.1.is_part) {
            true => "at least",
            false => "about",
        };
        format!(
            "The lower rate is {ios} {}, and {bytes} {}: {sure}, with {about} {} I/Os and {}.",
            at(&self.ios),
            at(&self.bytes),
            thousands(whole(held)),
            self.bytes_held()
        )
    }

    fn values(&self, answer: &mut Answer) {
        if let Some(fall) = self.ios.first() {
            let low = AnswerCell::Within(fall.1.levels[1]);
            answer.value("ios_low", low, AnswerUnit::Iops);
            answer.value("ios_store", fall.1.store_cell(1.0), AnswerUnit::Count);
        }
        if let Some(fall) = self.bytes.first() {
            let low = AnswerCell::Within(fall.1.levels[1].scaled(fall.0 as f64));
            answer.value("bytes_low", low, AnswerUnit::BytesPerS);
            let store = fall.1.store_cell(fall.0 as f64);
            answer.value("bytes_store", store, AnswerUnit::Bytes);
        }
    }
}

/// What would decide where only one block size was drained.
fn undecided(fall: &(u64, Fall), blocks: &[u64]) -> String {
    let (block, fall) = fall;
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
