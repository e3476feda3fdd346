//! The words of ticks: no two of an axis are the same, and each says its tick.
//!
//! Belongs here: how many digits the words of an axis have. Must never: choose the ticks, or draw.

use super::scale::{Scale, Unit};
use crate::words::{thousands, trim_to, whole};

/// Most digits after the point.
const MOST_DIGITS: usize = 9;

/// How far a word may be from its tick, as a share of the distance to the next tick: 65,536 is `65.5k` among powers of two.
const OFF: f64 = 0.05;

/// The ticks of a scale with their words.
pub(super) fn ticks(scale: &Scale, unit: Unit) -> Vec<(f64, String)> {
    worded(scale.ticks(), unit)
}

/// Ticks with their words: the usual ones where each says its tick, else with as many digits as that takes. Of whole things
/// there is nothing between.
pub(super) fn worded(ticks: Vec<f64>, unit: Unit) -> Vec<(f64, String)> {
    let is_there = |tick: &f64| unit != Unit::Whole || (tick - tick.round()).abs() < 1e-6;
    let ticks: Vec<f64> = ticks.into_iter().filter(is_there).collect();
    let usual: Vec<String> = ticks.iter().map(|tick| unit.text(*tick)).collect();
    let with = |digits: usize| -> Vec<String> {
        let each = ticks.iter();
        each.map(|tick| precise(unit, *tick, digits)).collect()
    };
    let words = match say(&usual, &ticks, unit) {
        true => usual,
        false => {
            let longer = (0..=MOST_DIGITS).map(with);
            let mut longer = longer.filter(|words| say(words, &ticks, unit));
            longer.next().unwrap_or(usual)
        }
    };
    ticks.into_iter().zip(words).collect()
}

/// The text of a tick with at most this many digits after the point.
fn precise(unit: Unit, value: f64, digits: usize) -> String {
    match unit {
        Unit::Count | Unit::Number | Unit::MibPerS | Unit::MbPerS => grouped(value, digits),
        Unit::Seconds => format!("{} s", trim_to(value, digits)),
        Unit::Percent => format!("{} %", trim_to(value, digits)),
        Unit::Nanos => super::scale::short(value, digits),
        Unit::Bytes | Unit::Whole | Unit::Nines => unit.text(value),
    }
}

/// A number with its thousands separated: `1,002.5`.
fn grouped(value: f64, digits: usize) -> String {
    let text = trim_to(value.abs(), digits);
    let (before, after) = text.split_at(text.find('.').unwrap_or(text.len()));
    let before = before.parse().unwrap_or_else(|_| whole(value.abs()));
    let sign = if value < 0.0 && text != "0" { "-" } else { "" };
    format!("{sign}{}{after}", thousands(before))
}

/// Whether each of these words says its tick.
fn say(words: &[String], ticks: &[f64], unit: Unit) -> bool {
    if matches!(unit, Unit::Bytes | Unit::Whole | Unit::Nines) {
        return true;
    }
    let near = |at: usize| {
        let others = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        let others = others.filter_map(|other| ticks.get(other));
        others.map(move |other| (other - ticks[at]).abs())
    };
    words.iter().enumerate().all(|(at, words)| {
        let apart = near(at).reduce(f64::min).unwrap_or(ticks[at].abs());
        let off = value_of(words, unit).map(|value| (value - ticks[at]).abs());
        off.is_some_and(|off| off <= apart * OFF)
    })
}

/// The value that a word says.
fn value_of(words: &str, unit: Unit) -> Option<f64> {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-');
    let end = words.find(|c| !is_number(c)).unwrap_or(words.len());
    let (number, unit_words) = words.split_at(end);
    let by = match (unit, unit_words.trim()) {
        (Unit::Nanos, "us") | (_, "k") => 1e3,
        (Unit::Nanos, "ms") | (_, "M") => 1e6,
        (Unit::Nanos, "s") | (_, "G") => 1e9,
        _ => 1.0,
    };
    Some(number.replace(',', "").parse::<f64>().ok()? * by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::svg::ScaleKind;

    const UNITS: [Unit; 7] = [
        Unit::Count,
        Unit::Number,
        Unit::Nanos,
        Unit::Seconds,
        Unit::MibPerS,
        Unit::MbPerS,
        Unit::Percent,
    ];

    fn words_to(high: f64, unit: Unit) -> Vec<String> {
        let scale = Scale::fit(ScaleKind::Linear, [0.0, high].into_iter(), 0.0, 400.0).rounded();
        ticks(&scale, unit).into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn an_axis_of_milliseconds_or_of_few_bytes_has_a_word_of_its_own_for_each_tick() {
        assert_eq!(
            words_to(0.004, Unit::Seconds),
            ["0 s", "0.001 s", "0.002 s", "0.003 s", "0.004 s"]
        );
        assert_eq!(
            words_to(0.0098, Unit::Seconds),
            ["0 s", "0.0025 s", "0.005 s", "0.0075 s", "0.01 s"]
        );
        assert_eq!(
            words_to(0.5, Unit::Seconds),
            ["0 s", "0.2 s", "0.4 s", "0.6 s"]
        );
        for unit in [Unit::MibPerS, Unit::MbPerS] {
            assert_eq!(words_to(0.0015, unit), ["0", "0.0005", "0.001", "0.0015"]);
        }
    }

    #[test]
    fn each_word_says_its_tick_and_no_two_are_the_same() {
        let kinds = [ScaleKind::Linear, ScaleKind::Near, ScaleKind::Log10];
        for unit in UNITS {
            for kind in kinds {
                for high in [2e-5, 0.004, 0.0098, 0.3, 7.3, 99.0, 1e4, 2.3e5, 3.7e7] {
                    for low in [0.0, high * 0.2, high * 0.97] {
                        let scale = Scale::fit(kind, [low, high].into_iter(), 0.0, 400.0);
                        let all = ticks(&scale, unit);
                        let least = all.windows(2).map(|two| two[1].0 - two[0].0);
                        let least = least.fold(f64::INFINITY, f64::min);
                        for (tick, words) in &all {
                            let off = (value_of(words, unit).unwrap() - tick).abs();
                            assert!(off < least * 0.1 + 1e-9, "{unit:?} {kind:?} {all:?}");
                        }
                        let same = |two: &[(f64, String)]| two[0].1 == two[1].1;
                        assert!(!all.windows(2).any(same), "{unit:?} {kind:?} {all:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn words_that_say_their_ticks_stay_short() {
        let words = |ticks: &[f64], unit| -> Vec<String> {
            let all = worded(ticks.to_vec(), unit);
            all.into_iter().map(|tick| tick.1).collect()
        };
        let powers = [1024.0, 2048.0, 65_536.0, 131_072.0];
        assert_eq!(words(&powers, Unit::Count), ["1k", "2k", "65.5k", "131.1k"]);
        assert_eq!(
            words(&[10_650.0, 10_652.5], Unit::Count),
            ["10,650", "10,652.5"]
        );
        assert_eq!(
            words(&[10.0, 12.5, 15.0], Unit::MibPerS),
            ["10", "12.5", "15"]
        );
        assert_eq!(words(&[0.0, 0.5, 1.0], Unit::Whole), ["0", "1"]);
    }
}
