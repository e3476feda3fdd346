//! What reads and writes take from each other: the law of a mix.

use super::alone;
use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::combinations::loads;
use super::done::Measured;
use super::group::{PointGroup, lines, table};
use super::own_depth::{DEEPER, Few, OwnDepth};
use super::spec::{Spec, StudyLoad};
use crate::stats::Interval;
use crate::stats::mix_law::{Fit, predicted};
use crate::study::mix::{MixAnswer, is_allowed, law_alone, law_words, of_points};
use leadline_model::op::Op;
use leadline_model::plan::study::{Axis, Study};

/// The points of one alone in flight that a mix is compared with, least and most reads of each: without the latency at
/// depth 1 it is not known whether anything but the depth was reached.
pub(super) fn alone(study: &Study) -> Vec<Spec> {
    let reads = &study.axes.reads;
    let ends = [reads.iter().min().copied(), reads.iter().max().copied()];
    let is_end = |load: &StudyLoad| ends.contains(&Some(load.reads));
    alone::beside(study, loads(study).into_iter().filter(is_end))
}

/// The points of mixes, without those of one alone that were not asked for.
fn asked<'a>(study: &Study, done: &[&'a Measured]) -> Vec<&'a Measured> {
    let is_of = |m: &&&Measured| !alone::is_beside(study, m);
    done.iter().filter(is_of).copied().collect()
}

/// The latency at depth 1 of a point's mix: between those of the mixes of which it was measured, by the
/// share of reads.
fn alone_of(point: &Measured, done: &[&Measured]) -> Option<Few> {
    let same = |m: &&&Measured| {
        alone::is_one(m)
            && m.number(Axis::Block) == point.number(Axis::Block)
            && m.text(Axis::Order) == point.text(Axis::Order)
    };
    let at = |m: &Measured| {
        Some((
            m.number(Axis::Reads)?,
            m.summary.figures.data.service.mean(),
        ))
    };
    let known: Vec<(f64, f64)> = done.iter().filter(same).filter_map(|m| at(m)).collect();
    let least = known.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let most = known.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let across = most.0 - least.0;
    let share = match across > 0.0 {
        true => (point.number(Axis::Reads)? - least.0) / across,
        false => 0.0,
    };
    Some(Few::one(least.1 + share * (most.1 - least.1)))
}

/// The points whose rate is that of the study's depth.
pub(super) fn own_depths(study: &Study, done: &[&Measured]) -> Vec<OwnDepth> {
    let points = asked(study, done).into_iter();
    let of = |m: &Measured| OwnDepth::of(m, alone_of(m, done)?);
    points.filter_map(of).collect()
}

/// The law of each mix.
pub(super) fn answer(study: &Study, done: &[&Measured]) -> Answer {
    let mixed = asked(study, done);
    let groups = PointGroup::all(&mixed);
    let mut answer = Answer::default();
    for (label, line) in lines(&groups, Axis::Reads) {
        let own: Vec<OwnDepth> = line
            .iter()
            .filter_map(|g| OwnDepth::of(g.first(), alone_of(g.first(), done)?))
            .collect();
        let points: Vec<(f64, Interval)> = line.iter().filter_map(|g| point_of(g)).collect();
        // A rate that is that of the depth is none that a law of the volume has to meet.
        let law = of_points(&points).filter(|_| own.is_empty());
        answer.say(with_label(
            &label,
            &match own.first() {
                Some(first) => of_own_depth(first, own.len(), line.len()),
                None => words(&line, law.as_ref()),
            },
        ));
        answer.tables.push(parts(&label, &line));
        answer.charts.push(picture(&label, &line, law.as_ref()));
        answer.charts.push(latencies(&label, &line));
        if label.is_empty() {
            values(law.as_ref(), &mut answer);
        }
    }
    answer.tables.push(table("All points", &groups));
    let lone = |m: &&&Measured| !mixed.iter().any(|own| own.name == m.name);
    let lone: Vec<&Measured> = done.iter().filter(lone).copied().collect();
    if !lone.is_empty() {
        answer
            .tables
            .push(table("Depth 1", &PointGroup::all(&lone)));
    }
    answer
}

/// The share of reads that was drawn, which may be 51 where 50 % were asked for, and the total rate.
fn point_of(group: &PointGroup<'_>) -> Option<(f64, Interval)> {
    group.number(Axis::Reads)?;
    let rate = |op: Op| rate_of(group, op).value;
    let (reads, writes) = (rate(Op::Read), rate(Op::Write));
    (reads + writes > 0.0).then(|| (reads / (reads + writes), group.iops()))
}

fn values(law: Option<&MixAnswer>, answer: &mut Answer) {
    let Some(fit) = law.and_then(|law| law.named.as_ref()) else {
        return;
    };
    answer.value("law", AnswerCell::text(fit.law.name()), AnswerUnit::Text);
    for (name, bound) in [
        ("reads_alone", fit.reads),
        ("writes_alone", fit.writes),
        ("total", fit.total),
    ] {
        if let Some(bound) = bound {
            answer.value(name, AnswerCell::Within(bound.known()), AnswerUnit::Iops);
        }
    }
    answer.value(
        "law_error",
        AnswerCell::Number(fit.error),
        AnswerUnit::Share,
    );
}

/// A sentence that there is no law, because the study's depth was the limit at `own` of the mixes.
fn of_own_depth(first: &OwnDepth, own: usize, all: usize) -> String {
    let at = match own == all {
        true => "at every mix".to_owned(),
        false => format!("at {own} of {all} mixes"),
    };
    format!("No law: {}, {}. {DEEPER}.", at, first.words())
}

fn with_label(label: &str, text: &str) -> String {
    match label {
        "" => text.to_owned(),
        label => format!("{label}: {text}"),
    }
}

/// The only law that fits all points, though no law predicts each of them from the others.
fn met<'l>(law: &'l MixAnswer, points: &[(f64, Interval)]) -> Option<&'l Fit> {
    /// Points within this share of a law meet it.
    const MEETS: f64 = 0.01;
    let off = |fit: &Fit, at: &(f64, Interval)| (predicted(fit, at.0) / at.1.value - 1.0).abs();
    let meets = |fit: &&Fit| points.iter().all(|at| off(fit, at) <= MEETS);
    let mut all = law.fits.iter().filter(meets);
    let only = all.next()?;
    (points.len() >= 5 && all.next().is_none()).then_some(only)
}

/// The laws that fit all points, within what each is known to, though none predicts them well; none where all are excluded.
fn within_what_is_known<'l>(law: &'l MixAnswer, points: &[(f64, Interval)]) -> Vec<&'l Fit> {
    let all = law.fits.iter();
    all.filter(|fit| is_allowed(fit, points)).collect()
}

/// A sentence that no law follows from points of which too little is known to exclude these; `None` where they exclude all.
fn of_too_little(law: &MixAnswer, points: &[(f64, Interval)]) -> Option<String> {
    let laws = within_what_is_known(law, points);
    let (these, longer) = match laws.len() {
        0 => return None,
        1 => ("this one fits", "show whether it does"),
        _ => ("these fit", "show which does"),
    };
    let widest = points.iter().map(|point| point.1.relative());
    let laws: Vec<&str> = laws.iter().map(|fit| fit.law.words()).collect();
    Some(format!(
        "No law follows from mixes whose rates are known to +-{} % only: within that, {these} ({}). Longer points would \
         {longer}.",
        crate::words::trim_to(widest.fold(0.0, f64::max) * 100.0, 1),
        laws.join("; ")
    ))
}

fn words(line: &[&PointGroup<'_>], law: Option<&MixAnswer>) -> String {
    let points = line.iter().filter_map(|g| point_of(g));
    let points: Vec<(f64, Interval)> = points.collect();
    let met = law.and_then(|law| met(law, &points));
    let too_little = law.and_then(|law| of_too_little(law, &points));
    let allowed = law.map(|law| within_what_is_known(law, &points));
    let allowed = allowed.unwrap_or_default();
    let is_rival = |fit: &&Fit| law.is_some_and(|law| law.rivals().contains(&fit.law.words()));
    let block = line
        .first()
        .map_or(0, |g| g.first().workload.blocks().largest());
    match law.map(|law| (law.named.as_ref(), law.fits.first())) {
        Some((Some(fit), _)) => law_words(fit, block),
        Some((None, Some(_)))
            if law.is_some_and(|law| law.rivals().len() > 1) && allowed.iter().all(is_rival) =>
        {
            format!(
                "Several laws predict this mix equally well ({}): none of the measured mixes distinguishes them.{}",
                law.map(MixAnswer::rivals).unwrap_or_default().join("; "),
                totals(line)
            )
        }
        Some((None, Some(best))) if met.is_some() && allowed.len() < 2 => format!(
            "{}: the only model that fits all mixes, though it predicts each mix from the others only within {} %, \
             since one of its rates shows at a single mix. A smaller step would confirm it.",
            met.map_or_else(String::new, |fit| law_alone(fit, block)),
            crate::words::trim_to(best.error * 100.0, 1)
        ),
        Some((None, Some(_))) if too_little.is_some() => {
            format!("{}{}", too_little.unwrap_or_default(), totals(line))
        }
        Some((None, Some(best))) => format!(
            "No model of two or three caps fits this mix; the nearest, {}, misses by {} %. A volume that changed during \
             the study gives such a mix too: run it again.{}",
            best.law.words(),
            crate::words::trim_to(best.error * 100.0, 1),
            totals(line)
        ),
        _ => format!(
            "{} mixes are too few to fit a model: five are needed.{}",
            line.len(),
            totals(line)
        ),
    }
}

/// The total that was chosen as the highest, with its share of reads, beside the others.
fn totals(line: &[&PointGroup<'_>]) -> String {
    let groups = || {
        line.iter()
            .copied()
            .filter(|group| point_of(group).is_some())
    };
    let Some(best) = PointGroup::best(groups(), Measured::iops_within) else {
        return String::new();
    };
    let others = groups().filter(|group| !std::ptr::eq(*group, best));
    let others: Vec<(f64, Interval)> = others.filter_map(point_of).collect();
    point_of(best).map_or_else(String::new, |best| totals_of(best, &others))
}

/// The total that was chosen as the highest, and both ends of the others: its figure is that of the run which confirms it, and may
/// be below theirs. Each with its share of reads (0 to 1).
fn totals_of(best: (f64, Interval), others: &[(f64, Interval)]) -> String {
    /// Totals as near to each other as this are the same.
    const SAME: f64 = 0.01;
    let at = |point: &(f64, Interval)| {
        let share = crate::words::trim_to(point.0 * 100.0, 1);
        format!("{} at {share} % reads", crate::words::iops_within(&point.1))
    };
    let are_same = |low: f64, high: f64| low > high * (1.0 - SAME);
    let value = |a: &&(f64, Interval), b: &&(f64, Interval)| a.1.value.total_cmp(&b.1.value);
    let ends = others.iter().min_by(value).zip(others.iter().max_by(value));
    let Some((lowest, highest)) = ends else {
        return format!(" The total is {}.", at(&best));
    };
    let (least, most) = (lowest.1.value, highest.1.value);
    let rate = best.1.value;
    if are_same(least.min(rate), most.max(rate)) {
        let others = match others.len() {
            1 => "other",
            _ => "others",
        };
        return format!(
            " The total is {}, and about the same at the {others}.",
            at(&best)
        );
    }
    if most <= rate || are_same(rate, most) {
        return format!(" The total is {} and {}.", at(lowest), at(&best));
    }
    let others = match others.len() {
        1 => format!("the other has {}", at(highest)),
        _ if are_same(least, most) => format!(
            "the others have about {}",
            crate::words::iops_within(&highest.1)
        ),
        _ => format!("the others have {} to {}", at(lowest), at(highest)),
    };
    format!(
        " The total that was the highest at first was {} when it was measured once more; {others}.",
        at(&best)
    )
}

/// Reads, writes and their sum at each share.
fn parts(label: &str, line: &[&PointGroup<'_>]) -> AnswerTable {
    let rows = line.iter().rev().map(|group| {
        let of = |op: Op| AnswerCell::Within(rate_of(group, op));
        vec![
            AnswerCell::Number(group.number(Axis::Reads).unwrap_or_default() / 100.0),
            of(Op::Read),
            of(Op::Write),
            AnswerCell::Within(group.iops()),
            AnswerCell::Within(group.bytes()),
            group.mean_cell(),
            group.response_at(99.0),
        ]
    });
    AnswerTable {
        title: with_label(label, "Reads and writes over the share of reads"),
        columns: vec![
            Column::new("reads", AnswerUnit::Share),
            Column::new("read", AnswerUnit::Iops),
            Column::new("write", AnswerUnit::Iops),
            Column::new("total", AnswerUnit::Iops),
            Column::new("throughput", AnswerUnit::BytesPerS),
            Column::new("mean", AnswerUnit::Nanos),
            Column::new("p99", AnswerUnit::Nanos),
        ],
        rows: rows.collect(),
    }
}

/// I/Os a second of one operation: of the same measurements as the total.
fn rate_of(group: &PointGroup<'_>, op: Op) -> Interval {
    group.over(|m| m.iops_of(op))
}

fn picture(label: &str, line: &[&PointGroup<'_>], law: Option<&MixAnswer>) -> AnswerChart {
    let series = |name: &str, figure: &dyn Fn(&PointGroup<'_>) -> Interval| AnswerSeries {
        label: name.to_owned(),
        model: false,
        points: line
            .iter()
            .filter_map(|g| {
                Some(AnswerPoint::within(
                    g.number(Axis::Reads)? / 100.0,
                    figure(g),
                ))
            })
            .collect(),
    };
    let mut all = vec![
        series("total", &|g| g.iops()),
        series("read", &|g| rate_of(g, Op::Read)),
        series("write", &|g| rate_of(g, Op::Write)),
    ];
    if let Some(fit) = law.and_then(|law| law.named.as_ref()) {
        let steps = (0..=50).map(|n| f64::from(n) / 50.0);
        all.push(AnswerSeries {
            label: "law".to_owned(),
            model: true,
            points: steps
                .map(|share| AnswerPoint::plain(share, predicted(fit, share)))
                .collect(),
        });
    }
    AnswerChart {
        title: with_label(label, "IOPS over the share of reads"),
        x: AnswerAxis::linear("share of reads", AnswerUnit::Share),
        y: AnswerAxis::linear("IOPS", AnswerUnit::Iops),
        series: all,
        marks: Vec::new(),
    }
}

/// Percentiles of all I/Os over the share of reads; where few samples show one it has no interval.
fn latencies(label: &str, line: &[&PointGroup<'_>]) -> AnswerChart {
    let series = |(name, percent): (&str, f64)| {
        let points = line.iter().filter_map(|group| {
            let x = group.number(Axis::Reads)? / 100.0;
            Some(AnswerPoint::or_gap(x, &group.response_at(percent)))
        });
        AnswerSeries {
            label: name.to_owned(),
            model: false,
            points: points.collect(),
        }
    };
    AnswerChart {
        title: with_label(label, "Latency over the share of reads"),
        x: AnswerAxis::linear("share of reads", AnswerUnit::Share),
        y: AnswerAxis::logarithmic("latency", AnswerUnit::Nanos),
        series: [("p50", 50.0), ("p99", 99.0)].map(series).to_vec(),
        marks: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::studies::done::known;

    #[test]
    fn laws_that_predict_a_mix_alike_are_named_together() {
        let flat = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (share, known(60_000.0)));
        let law = of_points(&flat).unwrap();
        assert!(law.named.is_none() && law.rivals().len() > 1, "{law:?}");
        // In words, and not by the names of the JSON form.
        assert!(law.rivals().iter().all(|name| name.contains(' ')));
        let said = words(&[], Some(&law));
        assert!(
            said.starts_with("Several laws predict this mix equally well ("),
            "{said}"
        );
        // Caps of both and of each, of which two show at one mix only: 500, 400 of reads, 200 of writes.
        let points = [
            (0.0, 200.0),
            (0.25, 266.7),
            (0.5, 400.0),
            (0.75, 500.0),
            (1.0, 400.0),
        ];
        let points = points.map(|(share, rate)| (share, known(rate)));
        let law = of_points(&points).unwrap();
        assert!(law.named.is_none(), "{law:?}");
        let found = met(&law, &points).unwrap();
        assert_eq!(found.law.name(), "total-and-each");
        assert!(met(&law, &points[..3]).is_none());
        // Where none predicts it, the nearest is said with how far it is off.
        let none = [(0.0, 1e3), (0.25, 9e4), (0.5, 2e3), (0.75, 8e4), (1.0, 1e3)];
        let none = none.map(|(share, rate)| (share, known(rate)));
        let law = of_points(&none).unwrap();
        assert!(law.rivals().is_empty());
        assert!(words(&[], Some(&law)).starts_with("No model of two or three caps fits"));
        assert_eq!(of_too_little(&law, &none), None);
        // A verdict without a law has the totals.
        let said = totals_of(none[1], &none[..1]);
        assert!(
            said.contains("1,000 IOPS at 0 % reads and 90,000 IOPS at 25 % reads"),
            "{said}"
        );
        let even = totals_of((1.0, known(20_010.0)), &[(0.0, known(20_000.0))]);
        assert!(
            even.contains("20,000 IOPS at 100 % reads, and about the same at the other."),
            "{even}"
        );
    }

    /// Points, each with a rate that is known to this share of it.
    fn known_to(share: f64, points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, Interval)> {
        let known = |value: f64| Interval {
            value,
            low: value * (1.0 - share),
            high: value * (1.0 + share),
            settled: true,
        };
        points.map(|(at, rate)| (at, known(rate))).collect()
    }

    /// As a study of a volume whose total is constant found them: each law misses by more than 2 %, and none is excluded.
    #[test]
    fn points_that_are_known_too_little_exclude_no_law() {
        let within = |share: f64| {
            let rates = [24_200.0, 27_400.0, 24_900.0, 27_000.0, 25_300.0];
            let shares = [0.0, 0.25, 0.5, 0.75, 1.0];
            known_to(share, shares.into_iter().zip(rates))
        };
        let said = |points: &[(f64, Interval)]| of_too_little(&of_points(points).unwrap(), points);
        let wide = within(0.11);
        let law = of_points(&wide).unwrap();
        assert!(law.named.is_none() && law.rivals().is_empty(), "{law:?}");
        let words = said(&wide).unwrap();
        let begin = "No law follows from mixes whose rates are known to +-11 % only: within that, these fit (";
        assert!(words.starts_with(begin), "{words}");
        assert!(words.contains("one shared resource"), "{words}");
        assert_eq!(said(&within(0.001)), None);
    }

    /// Caps of 400 of both and of 330 writes: exact, they are named; known to a tenth, they may be one resource.
    #[test]
    fn a_law_is_named_where_the_points_exclude_the_others() {
        let of = |share: f64| {
            let rates = [330.0, 375.0, 400.0, 400.0, 400.0, 400.0, 400.0];
            let shares = [0.0, 0.12, 0.3, 0.5, 0.7, 0.85, 1.0];
            let points = known_to(share, shares.into_iter().zip(rates));
            let law = of_points(&points).unwrap();
            (law.named, of_too_little(&law, &points))
        };
        let (exact, _) = of(0.001);
        assert!(exact.is_some(), "{exact:?}");
        let (named, said) = of(0.12);
        assert!(named.is_none(), "{named:?}");
        assert!(said.is_some_and(|said| said.contains("+-12 %")));
    }

    #[test]
    fn the_ends_of_totals_are_those_of_the_table() {
        let of = |best: f64, others: [f64; 3]| {
            let others = [0.25, 0.5, 0.75].into_iter().zip(others.map(known));
            totals_of((0.0, known(best)), &others.collect::<Vec<_>>())
        };
        assert_eq!(
            of(20_000.0, [10_000.0, 15_000.0, 18_000.0]),
            " The total is 10,000 IOPS at 25 % reads and 20,000 IOPS at 0 % reads."
        );
        assert_eq!(
            of(20_000.0, [19_950.0, 20_050.0, 20_000.0]),
            " The total is 20,000 IOPS at 0 % reads, and about the same at the others."
        );
        // It did not repeat: another is above it then.
        let first = " The total that was the highest at first was 17,000 IOPS at 0 % reads when it was measured once more; ";
        assert_eq!(
            of(17_000.0, [20_000.0, 19_990.0, 19_980.0]),
            format!("{first}the others have about 20,000 IOPS.")
        );
        assert_eq!(
            of(17_000.0, [16_000.0, 19_000.0, 20_000.0]),
            format!(
                "{first}the others have 16,000 IOPS at 25 % reads to 20,000 IOPS at 75 % reads."
            )
        );
        assert_eq!(
            totals_of((0.0, known(17_000.0)), &[(1.0, known(20_000.0))]),
            format!("{first}the other has 20,000 IOPS at 100 % reads.")
        );
        assert_eq!(
            totals_of((0.0, known(17_000.0)), &[]),
            " The total is 17,000 IOPS at 0 % reads."
        );
    }
}
