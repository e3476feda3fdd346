//! The bench's result as text: verdicts and docs/benchmarks.md.
//!
//! Pure: numbers in, text out.

use super::cases::{Bound, Case};
use super::figures::{Figure, median};
use std::cmp::Ordering;
use std::fmt::Write;

/// Titles of the sections that [`page`] writes.
pub(super) const TITLES: [&str; 3] = ["Result", "Machine", "Cases"];

/// All rounds of one contender: the values of each figure that was asked for.
pub(super) type Rounds = Vec<(Figure, Vec<f64>)>;

/// One case with what was measured, or why nothing was.
pub(super) struct Measured<'a> {
    /// The case.
    pub(super) case: &'a Case,
    /// The contenders' rounds in the order of the case; `Err` says what went wrong.
    pub(super) rounds: Result<Vec<Rounds>, String>,
    /// The command lines as they were run.
    pub(super) commands: Vec<String>,
}

/// One line of the table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Figure of leadline: median and range.
    ours: String,
    /// Figure of the rival, when there is one.
    rival: String,
    /// Ratio of the medians, leadline to rival.
    ratio: String,
    /// What was to be reached.
    target: String,
    /// Whether it was.
    met: bool,
}

/// Judges a case by one of its criteria; `None` when a figure is missing.
fn judge(case: &Case, rounds: &[Rounds], figure: Figure, bound: Bound) -> Option<Row> {
    let of = |index: usize| {
        let values = rounds
            .get(index)?
            .iter()
            .find(|(known, _)| *known == figure)?;
        median(&values.1).map(|middle| (middle, spread(figure, &values.1)))
    };
    let (ours, ours_shown) = of(0)?;
    let rival = match bound {
        Bound::Times(index, _)
        | Bound::AtMostTimes(index, _)
        | Bound::AtMostAbove(index, _)
        | Bound::NotBelow(index) => index,
        // Without a rival in the target, fio is beside it for comparison.
        Bound::AtMost(_) | Bound::Within(..) => 1,
    };
    let theirs = of(rival);
    let ratio = theirs.as_ref().map(|(theirs, _)| ours / theirs);
    let (target, met) = match bound {
        Bound::Times(_, times) => (format!("≥ {times:.2}×"), ratio? >= times),
        Bound::AtMostTimes(_, times) => (format!("≤ {times:.2}×"), ratio? <= times),
        Bound::AtMostAbove(_, more) => (
            format!("≤ {} more", figure.show(more)),
            ours <= theirs.as_ref()?.0 + more,
        ),
        Bound::NotBelow(index) => {
            let (lower, pairs) = lower_rounds(rounds, index, figure)?;
            let target = format!("not below (lower in {lower} of {pairs} rounds)");
            (target, !by_more_than_chance(lower, pairs))
        }
        Bound::AtMost(most) => (format!("≤ {}", figure.show(most)), ours <= most),
        Bound::Within(value, share) => {
            let target = format!("{} ± {:.1} %", figure.show(value), share * 100.0);
            (target, (ours - value).abs() <= value * share)
        }
    };
    let named = |shown: String| format!("{}: {shown}", case.contenders[rival].name);
    Some(Row {
        ours: ours_shown,
        rival: theirs.map_or_else(|| "–".to_owned(), |(_, shown)| named(shown)),
        ratio: ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}")),
        target,
        met,
    })
}

/// In how many of the paired rounds leadline's figure was below that of contender `index`, and of how
/// many that differ.
fn lower_rounds(rounds: &[Rounds], index: usize, figure: Figure) -> Option<(u32, u32)> {
    let of = |index: usize| {
        let values = rounds.get(index)?.iter();
        values.clone().find(|(known, _)| *known == figure)
    };
    let (ours, theirs) = (&of(0)?.1, &of(index)?.1);
    let count = |order: Ordering| {
        let pairs = ours.iter().zip(theirs);
        let so = pairs.filter(|(ours, theirs)| ours.total_cmp(theirs) == order);
        u32::try_from(so.count()).ok()
    };
    let lower = count(Ordering::Less)?;
    Some((lower, lower + count(Ordering::Greater)?))
}

/// Whether a coin would fall on one side `hits` times or more of `throws` in fewer than 5 of 100 trials
/// (one-sided sign test).
fn by_more_than_chance(hits: u32, throws: u32) -> bool {
    let mut ways = 1.0;
    let mut tail = 0.0;
    for count in 0..=throws {
        if count >= hits {
            tail += ways;
        }
        ways *= f64::from(throws - count) / f64::from(count + 1);
    }
    tail / 2_f64.powi(throws.cast_signed()) < 0.05
}

/// Median and, of more than one value, the range.
fn spread(figure: Figure, values: &[f64]) -> String {
    let middle = figure.show(median(values).unwrap_or(f64::NAN));
    if values.len() < 2 {
        return middle;
    }
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{middle} ({} to {})", figure.show(least), figure.show(most))
}

/// The table of all cases as Markdown, and whether every target was met.
pub(super) fn table(all: &[Measured<'_>]) -> (String, bool) {
    let mut text = String::from(
        "| case | figure | leadline | rival | ratio | target | met |\n|---|---|---|---|---|---|---|\n",
    );
    let mut good = true;
    for measured in all {
        for (figure, bound) in measured.case.criteria {
            let row = match &measured.rounds {
                Ok(rounds) => judge(measured.case, rounds, *figure, *bound)
                    .ok_or_else(|| format!("no {} in the output", figure.name())),
                Err(reason) => Err(reason.clone()),
            };
            let cells = match &row {
                Ok(row) => {
                    let met = if row.met { "yes" } else { "**no**" };
                    format!(
                        "{} | {} | {} | {} | {met}",
                        row.ours, row.rival, row.ratio, row.target
                    )
                }
                Err(reason) => {
                    let reason = reason.lines().next().unwrap_or_default().replace('|', "/");
                    format!("not measured: {reason} | – | – | – | **no**")
                }
            };
            good &= row.is_ok_and(|row| row.met);
            // Writing to a string cannot fail.
            writeln!(
                text,
                "| {} | {} | {cells} |",
                measured.case.name,
                figure.name()
            )
            .ok();
        }
    }
    (text, good)
}

/// The whole page.
pub(super) fn page(
    all: &[Measured<'_>],
    machine: &[(&str, String)],
    pairs: u32,
    seconds: u32,
) -> String {
    let mut text = format!(
        "# Benchmarks\n\n`cargo xtask bench` writes the sections Result, Machine and Cases; the others it leaves. leadline beside Debian's fio \
         on one machine, in {pairs} alternating rounds of {seconds} s (lag and O_DIRECT, which a host \
         that shares its cores or its disk disturbs most, in five times as many shorter ones). Figures are medians with the \
         range in parentheses; a ratio is of medians, leadline to rival. leadline gets no tuning \
         options: it registers files and buffers and takes I/Os in batches by itself, which `fio, tuned` is set to do. \
         It keeps full statistics and reads each block once a pass, as fio does.\n\n\
         ## Result\n\n",
    );
    text.push_str(&table(all).0);
    text.push_str("\n## Machine\n\n| | |\n|---|---|\n");
    for (name, value) in machine {
        writeln!(text, "| {name} | {value} |").ok();
    }
    text.push_str("\n## Cases\n");
    for measured in all {
        writeln!(
            text,
            "\n### {}\n\n{}\n\n```",
            measured.case.name, measured.case.title
        )
        .ok();
        for command in &measured.commands {
            writeln!(text, "{command}").ok();
        }
        text.push_str("```\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::cases::CASES;
    use super::*;

    fn case(name: &str) -> &'static Case {
        CASES.iter().find(|case| case.name == name).unwrap()
    }

    fn measured(name: &str, rounds: &[&[f64]]) -> Measured<'static> {
        let case = case(name);
        let figure = case.criteria[0].0;
        Measured {
            case,
            rounds: Ok(rounds
                .iter()
                .map(|values| vec![(figure, values.to_vec())])
                .collect()),
            commands: vec!["leadline fio --name=b".to_owned()],
        }
    }

    #[test]
    fn the_titles_are_those_of_the_page() {
        let page = page(&[], &[("fio", "fio-3.33".to_owned())], 5, 5);
        let titles: Vec<&str> = page.lines().filter_map(|l| l.strip_prefix("## ")).collect();
        assert_eq!(titles, TITLES);
    }

    #[test]
    fn a_target_is_met_or_not_by_medians() {
        let fast = measured(
            "cached-512",
            &[&[2.0e6, 1.8e6, 1.0e6], &[9.0e5], &[1.4e6], &[1.9e6]],
        );
        let (text, good) = table(&[fast]);
        assert!(text.contains("1.80 M (1.00 M to 2.00 M) | fio: 900.0 k | 2.00 | ≥ 2.00× | yes"));
        assert!(
            text.contains("| fio, tuned: 1.40 M | 1.29 | ≥ 1.20× | yes"),
            "{text}"
        );
        assert!(good);
        let slow = measured("cached-512", &[&[1.7e6], &[9.0e5], &[1.4e6], &[1.8e6]]);
        let (text, good) = table(&[slow]);
        assert!(text.contains("≥ 2.00× | **no**"), "{text}");
        assert!(!good);
    }

    #[test]
    fn equal_by_chance_is_not_below_and_lower_in_most_rounds_is() {
        // Of 10 throws, 8 or more on one side: 5.5 of 100 trials; 9 or more: 1.1.
        assert!(!by_more_than_chance(8, 10));
        assert!(by_more_than_chance(9, 10));
        assert!(!by_more_than_chance(0, 0));
        let rounds = |lower: usize| {
            let ours: Vec<f64> = (0..10)
                .map(|i| if i < lower { 79.0 } else { 81.0 })
                .collect();
            vec![
                vec![(Figure::Iops, ours)],
                vec![(Figure::Iops, vec![80.0; 10])],
            ]
        };
        let judged = |lower| {
            judge(
                case("direct"),
                &rounds(lower),
                Figure::Iops,
                Bound::NotBelow(1),
            )
            .unwrap()
        };
        assert!(judged(8).met);
        assert_eq!(judged(8).target, "not below (lower in 8 of 10 rounds)");
        assert!(!judged(9).met);
    }

    #[test]
    fn absolute_targets_need_no_rival() {
        assert!(table(&[measured("trivial", &[&[29.0]])]).1);
        assert!(!table(&[measured("trivial", &[&[31.0]])]).1);
        let rate = |iops: f64| {
            let (text, _) = table(&[measured("rate-1k", &[&[iops]])]);
            text.lines()
                .any(|line| line.contains("| IOPS |") && line.ends_with("| yes |"))
        };
        assert!(rate(1000.9) && rate(999.1));
        assert!(!rate(1001.1) && !rate(998.9));
    }

    #[test]
    fn a_case_that_failed_is_not_met() {
        let failed = Measured {
            case: case("null"),
            rounds: Err("exit status 2\nmore".to_owned()),
            commands: Vec::new(),
        };
        let (text, good) = table(&[failed]);
        assert!(text.contains("not measured: exit status 2 |"), "{text}");
        assert!(!good);
    }

    #[test]
    fn the_page_says_what_was_run_where() {
        let all = [measured("null", &[&[2.0e7], &[8.0e6]])];
        let text = page(&all, &[("kernel", "6.1".to_owned())], 5, 3);
        assert!(text.contains("| kernel | 6.1 |") && text.contains("leadline fio --name=b\n```"));
        assert!(text.contains("5 alternating rounds of 3 s"), "{text}");
    }

    #[test]
    fn names_of_cases_are_unique_and_leadline_is_first() {
        for (index, case) in CASES.iter().enumerate() {
            assert!(
                CASES[..index].iter().all(|other| other.name != case.name),
                "{}",
                case.name
            );
            assert!(
                case.contenders[0].name.starts_with("leadline"),
                "{}",
                case.name
            );
            for (_, bound) in case.criteria {
                if let Bound::Times(index, _)
                | Bound::AtMostTimes(index, _)
                | Bound::AtMostAbove(index, _) = bound
                {
                    assert!(
                        *index > 0 && *index < case.contenders.len(),
                        "{}",
                        case.name
                    );
                }
            }
        }
    }
}
