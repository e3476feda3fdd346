//! What mixing reads and writes costs, and by which law.

use super::series::MixSeries;
use crate::stats::mix_law::{Bound, Fit, Law, MixPoint, mix_laws, predicted, with_intervals};
use crate::stats::{Interval, OF_MANY};
use crate::summary::measured::PointResult;
use crate::words::{about, ios_within, rate_within, trim_to};
use leadline_model::op::Op;
use leadline_model::units::Percent;

/// A law that predicts the points within this share, root mean square, is named.
const WITHIN: f64 = 0.02;

/// The laws from which the points of a mix can be predicted.
#[derive(Clone, Debug, PartialEq)]
pub struct MixAnswer {
    /// The law; `None` where none predicts the points within 2 %, or several do, or pass within what is known of them, and none
    /// has fewer rates.
    pub named: Option<Fit>,
    /// All that were fitted, the one that predicts best first.
    pub fits: Vec<Fit>,
}

impl Law {
    /// Its name in the JSON form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneResource => "one-resource",
            Self::SeparateCaps => "separate-caps",
            Self::TotalAndWrites => "total-and-writes",
            Self::TotalAndEach => "total-and-each",
        }
    }

    /// The same in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::OneResource => "one shared resource",
            Self::SeparateCaps => "separate caps of reads and writes",
            Self::TotalAndWrites => "a cap of the total and one of writes",
            Self::TotalAndEach => "caps of the total, of reads and of writes",
        }
    }

    /// How many rates it has.
    const fn rates(self) -> u8 {
        match self {
            Self::OneResource | Self::SeparateCaps | Self::TotalAndWrites => 2,
            Self::TotalAndEach => 3,
        }
    }
}

impl MixAnswer {
    /// The laws, in words, that all predict the points, so that none is named; empty where it is otherwise.
    pub(super) fn rivals(&self) -> Vec<&'static str> {
        let fits = self.fits.iter().filter(|fit| fit.error <= WITHIN);
        match self.named {
            Some(_) => Vec::new(),
            None => fits.map(|fit| fit.law.words()).collect(),
        }
    }
}

/// The law of a mix; `None` with fewer than five points.
pub(super) fn answer(series: &MixSeries) -> Option<MixAnswer> {
    let points = series.points.iter().filter_map(|point| {
        point.setting.read_percent?;
        // The share that was drawn and not the one asked for: of 50 % it may be 51, and a cap of writes then allows 2 % more.
        let (reads, writes) = (point.iops_of(Op::Read), point.iops_of(Op::Write));
        let share = reads / (reads + writes);
        (point.iops() > 0.0).then(|| (share, point.figures.data.iops_known()))
    });
    of_points(&points.collect::<Vec<_>>())
}

/// The law of the total rate over the share of reads; `None` with fewer than five points.
pub(super) fn of_points(points: &[(f64, Interval)]) -> Option<MixAnswer> {
    let plain: Vec<MixPoint> = points
        .iter()
        .map(|(share, rate)| (*share, rate.value))
        .collect();
    let known = points.iter().zip(&plain);
    let known: Vec<(MixPoint, f64)> = known.map(|(p, plain)| (*plain, p.1.relative())).collect();
    let fits = mix_laws(&plain);
    let fits: Vec<Fit> = fits.iter().map(|fit| with_intervals(fit, &known)).collect();
    let best = *fits.first()?;
    // A law that each point allows is not excluded, however well another one predicts them.
    let predicts = |fit: &Fit| fit.error <= WITHIN || is_allowed(fit, points);
    let rival = |fit: &Fit| predicts(fit) && fit.law.rates() <= best.law.rates();
    let alone = fits.iter().filter(|fit| rival(fit)).count() == 1;
    let named = Some(best).filter(|best| best.error <= WITHIN && alone);
    Some(MixAnswer { named, fits })
}

/// Whether a law passes within what is known of each point, a share of reads and a total rate; one of several is further off than
/// its interval by chance.
pub(super) fn is_allowed(fit: &Fit, points: &[(f64, Interval)]) -> bool {
    let allows = |at: &(f64, Interval)| {
        let (known, off) = (at.1, predicted(fit, at.0) - at.1.value);
        let half = match off > 0.0 {
            true => known.high - known.value,
            false => known.value - known.low,
        };
        known.is_known() && off.abs() <= OF_MANY * half
    };
    !points.is_empty() && points.iter().all(allows)
}

/// The lowest total of a mix, and its law.
pub(super) fn sentences(series: &MixSeries, answer: Option<&MixAnswer>) -> Vec<String> {
    let named = answer.and_then(|answer| answer.named.as_ref());
    lowest(series)
        .into_iter()
        .chain(named.map(|fit| law_words(fit, series.setting.block)))
        .collect()
}

/// What mixing costs: the lowest total. Where the intervals of several overlap, or they differ by less than 1 %, none of them is
/// shown to be the lowest: an interval of 0.1 % is of that run, and the next one differs by more.
fn lowest(series: &MixSeries) -> Option<String> {
    const ALIKE: f64 = 0.01;
    let inner = series
        .points
        .iter()
        .filter(|p| !matches!(p.setting.read_percent, Some(Percent::NONE | Percent::ALL)));
    let mut inner: Vec<&PointResult> = inner.collect();
    inner.sort_by(|a, b| a.iops().total_cmp(&b.iops()));
    let (worst, others) = inner.split_first()?;
    let within = |p: &PointResult| p.figures.data.iops_known();
    let high = within(worst).high.max(worst.iops() * (1.0 + ALIKE));
    let alike = others.iter().filter(|p| within(p).low <= high);
    let alike: Vec<&PointResult> = std::iter::once(worst).chain(alike).copied().collect();
    if let [_, .., highest] = alike.as_slice() {
        let mut shares: Vec<Percent> = alike
            .iter()
            .filter_map(|p| p.setting.read_percent)
            .collect();
        shares.sort_unstable();
        let shares: Vec<String> = shares.iter().map(ToString::to_string).collect();
        let shares = listed(&shares);
        let all = alike.len() == inner.len();
        if about(worst.iops()) == about(highest.iops()) {
            let total = worst.iops_words();
            return Some(match all {
                true => format!("The mixed total is the same at {shares} % reads: {total}."),
                false => format!("The mixed total is lowest at {shares} % reads: {total} at each."),
            });
        }
        let totals = format!("{} to {}", worst.iops_words(), highest.iops_words());
        return Some(match all {
            true => format!(
                "The mixed total at {shares} % reads is {totals}; they differ by less than their 95 % intervals or by less \
                 than 1 %, so which is lowest is not shown."
            ),
            false => format!(
                "The mixed total is lowest at {shares} % reads, {totals}; they differ by less than their 95 % intervals or \
                 by less than 1 %, so which of them is lowest is not shown."
            ),
        });
    }
    let share = worst.setting.read_percent?;
    let part = |op: Op| {
        let known = worst.op(op).map(|figures| figures.iops_known());
        let known = known.unwrap_or(Interval::only(0.0));
        rate_within(&known)
    };
    // Of one mix there is no lowest.
    let said = match inner.len() {
        1 => "The mixed total is",
        _ => "The lowest mixed total is",
    };
    Some(format!(
        "{said} {} at {share} % reads ({} read, {} write).",
        worst.iops_words(),
        part(Op::Read),
        part(Op::Write),
    ))
}

/// `25, 50 and 75`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A law of I/Os of this block size in words, and how well it predicts them.
pub(super) fn law_words(fit: &Fit, block: u64) -> String {
    format!(
        "{} (rates fitted to all mixes). Each mix is predicted from the others within {} %.",
        law_alone(fit, block),
        trim_to((fit.error * 100.0).max(0.1), 1)
    )
}

/// A law with its rates, without a full stop.
pub(super) fn law_alone(fit: &Fit, block: u64) -> String {
    let rate = |bound: Option<Bound>| {
        let once = match bound.map(|bound| bound.points) {
            Some(1) => " (at one mix only)",
            _ => "",
        };
        let known = bound.map_or(Interval::only(0.0), |bound| bound.known());
        format!("{}{once}", ios_within(&known, block))
    };
    let (reads, writes, total) = (rate(fit.reads), rate(fit.writes), rate(fit.total));
    match fit.law {
        Law::OneResource => {
            let known = |bound: Option<Bound>| bound.map(|bound| bound.known());
            let cost = match (known(fit.reads), known(fit.writes)) {
                (Some(reads), Some(writes)) => cost_words(&reads, &writes),
                _ => String::new(),
            };
            format!(
                "Reads and writes share one resource{cost}: {reads} of reads or {writes} of writes"
            )
        }
        Law::SeparateCaps => format!(
            "Reads and writes have separate caps, {reads} and {writes}, which add up when mixed"
        ),
        Law::TotalAndWrites => {
            format!("Reads and writes together are capped at {total}, and writes at {writes}")
        }
        Law::TotalAndEach => format!(
            "Reads and writes together are capped at {total}, reads at {reads} and writes at {writes}"
        ),
    }
}

/// What a write costs against a read, by the rates of both alone: not another cost than that of a read where the intervals of the
/// two have rates in common.
fn cost_words(reads: &Interval, writes: &Interval) -> String {
    let ratio = reads.value / writes.value.max(1e-9);
    let times = format!(
        "; a write costs {} times as much as a read",
        trim_to(ratio, 2)
    );
    let both_known = reads.is_known() && writes.is_known();
    match both_known && reads.low <= writes.high && writes.low <= reads.high {
        true => {
            format!("{times} as measured, but their intervals overlap, so it may cost the same")
        }
        false => times,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use leadline_model::plan::OpMix;

    fn bound(rate: f64, points: usize) -> Option<Bound> {
        Some(Bound {
            rate,
            points,
            within: None,
        })
    }

    /// Reads and writes at each share, of N a second in all.
    fn mix_of(totals: [u64; 5]) -> MixSeries {
        let shares = [100_u8, 75, 50, 25, 0];
        let mixes = shares.map(|reads| OpMix::ReadWrite {
            read_percent: Percent::whole(reads),
        });
        let stages = mixes.map(|mix| ("m", vec![fixture::workload("w", mix, 4096, 4, 10)]));
        let plan = fixture::plan(stages.into());
        let loads = shares.iter().zip(totals).map(|(share, total)| {
            let reads = total * u64::from(*share) / 100;
            let mut load = Load::simple(Op::Read, reads, 4096, 1_000_000, 10);
            let own = load.ops[0];
            load.ops.push(fixture::OpLoad {
                op: Op::Write,
                ios: total - reads,
                ..own
            });
            load.ops.retain(|op| op.ios > 0);
            vec![load]
        });
        let loads: Vec<_> = loads.collect();
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        let mut points = PointResult::all(&run);
        // The ends of what each rate is likely to be: a hundredth to each side.
        for point in &mut points {
            let value = point.iops();
            point.figures.data.certainty.iops = Some(Interval {
                value,
                low: value * 0.99,
                high: value * 1.01,
                settled: true,
            });
        }
        MixSeries {
            setting: points[0].setting.clone(),
            points,
        }
    }

    #[test]
    fn the_lowest_of_several_is_named_where_it_is_shown_to_be_lower() {
        let alone = lowest(&mix_of([800, 600, 400, 500, 700])).unwrap();
        assert!(
            alone.starts_with("The lowest mixed total is 400 IOPS"),
            "{alone}"
        );
        let mut single = mix_of([800, 600, 400, 500, 700]);
        let ends = [Percent::ALL, Percent::whole(50), Percent::NONE];
        let kept = |p: &PointResult| p.setting.read_percent.is_some_and(|p| ends.contains(&p));
        single.points.retain(kept);
        let single = lowest(&single).unwrap();
        assert!(
            single.starts_with("The mixed total is 400 IOPS"),
            "{single}"
        );
        let alike = lowest(&mix_of([800, 404, 400, 500, 700])).unwrap();
        assert_eq!(
            alike,
            "The mixed total is lowest at 50 and 75 % reads, 400 IOPS +-1.0 % to 404 IOPS +-1.0 %; they differ by \
             less than their 95 % intervals or by less than 1 %, so which of them is lowest is not shown."
        );
        let all = lowest(&mix_of([800, 404, 400, 402, 700])).unwrap();
        assert_eq!(
            all,
            "The mixed total at 25, 50 and 75 % reads is 400 IOPS +-1.0 % to 404 IOPS +-1.0 %; they differ \
             by less than their 95 % intervals or by less than 1 %, so which is lowest is not shown."
        );
        // As exact as it likes: another run of the same differs by as much.
        let mut exact = mix_of([10_000, 9990, 9950, 9985, 10_000]);
        for point in &mut exact.points {
            let value = point.iops();
            point.figures.data.certainty.iops = Some(Interval {
                low: value - 1.0,
                high: value + 1.0,
                value,
                settled: true,
            });
        }
        let exact = lowest(&exact).unwrap();
        assert!(exact.contains("which is lowest is not shown"), "{exact}");
        // Of a volume with one limit for both, they are equal, and so their words.
        let same = lowest(&mix_of([1000; 5])).unwrap();
        assert_eq!(
            same,
            "The mixed total is the same at 25, 50 and 75 % reads: 1,000 IOPS +-1.0 %."
        );
        let two = lowest(&mix_of([800, 400, 400, 500, 700])).unwrap();
        assert_eq!(
            two,
            "The mixed total is lowest at 50 and 75 % reads: 400 IOPS +-1.0 % at each."
        );
    }

    #[test]
    fn each_law_in_words() {
        let fit = |law, reads, writes, total| Fit {
            law,
            reads,
            writes,
            total,
            error: 0.004,
        };
        let one = fit(
            Law::OneResource,
            bound(460_000.0, 5),
            bound(130_000.0, 5),
            None,
        );
        assert_eq!(
            law_words(&one, 4096),
            "Reads and writes share one resource; a write costs 3.54 times as much as a read: 460,000 IOPS of reads or \
             130,000 IOPS of writes (rates fitted to all mixes). Each mix is predicted from the others within 0.4 %."
        );
        // 1.23 times, of rates that may be one.
        let within = |low, value, high| Interval {
            value,
            low,
            high,
            settled: true,
        };
        let overlap = cost_words(&within(300.0, 369.0, 450.0), &within(250.0, 300.0, 340.0));
        assert!(
            overlap.contains("1.23 times") && overlap.contains("may cost the same"),
            "{overlap}"
        );
        let apart = cost_words(&within(360.0, 369.0, 380.0), &within(290.0, 300.0, 310.0));
        assert!(!apart.contains("may cost"), "{apart}");
        let each = fit(
            Law::TotalAndEach,
            bound(3500.0, 1),
            bound(2500.0, 2),
            bound(4500.0, 2),
        );
        assert!(law_words(&each, 4096).contains("reads at 3,500 IOPS (at one mix only)"));
        // As the published 256 KiB has it.
        let large = law_words(&each, 256 << 10);
        let part = "are capped at 1,125 MiB/s (4,500 IOPS), reads at 875 MiB/s (3,500 IOPS) (at one mix only)";
        assert!(large.contains(part), "{large}");
    }
}
