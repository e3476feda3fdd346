//! Whether the requested load was reached.

use super::{Case, HeldUp, cure_of_late, percent};
use crate::summary::reached::{self, arrival_of_all};
use crate::summary::{Basis, RateFigures, StageSummary, is_missed, mean_text};
use crate::words::{about, span, thousands};
use leadline_model::cure::{Cure, Knob};
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::Op;
use leadline_model::plan::{Admission, OpMix, Pace, Rate, ShareSource, Stage};
use leadline_model::units::Bytes;
use leadline_model::units::whole;
use std::collections::BTreeMap;

/// Code `depth-not-reached` (warn): in a closed loop without pauses, fewer than 0.9 of the requested I/Os
/// were in flight on average.
pub(super) fn depth_not_reached(case: &Case<'_>) -> Option<Finding> {
    let figures = &case.summary.figures;
    let asked = case.summary.depth_asked as f64;
    // Slots that another workload has borrowed are not missing.
    let lends = case.plan.admission.borrowable().is_some();
    let closed = case.plan.pace == Pace::Closed && case.plan.think.is_none() && !lends;
    if !closed || !case.is_real() || figures.data.ios == 0 || figures.depth_reached >= 0.9 * asked {
        return None;
    }
    let cure: Cure = if case.plan.blocks().open.direct && asked > 1.0 {
        (
            "The generator or the kernel could not keep the queue full: use more workers, or a \
             smaller depth.",
            [Knob::Workers, Knob::QueueDepth],
        )
            .into()
    } else if asked > 1.0 {
        (
            "Buffered I/O often completes inside the submitting call: use O_DIRECT, or more \
             workers.",
            [Knob::Direct, Knob::Workers],
        )
            .into()
    } else {
        "The target completes I/Os as fast as leadline can submit them: the rate is limited by \
         the generator as much as by the target. Latency is not affected."
            .into()
    };
    Some(case.finding(
        "depth-not-reached",
        Severity::Warn,
        format!(
            "The average queue depth was {:.2}, not the requested {asked:.0}; the figures are \
             those of the lower depth.",
            figures.depth_reached
        ),
        cure,
    ))
}

/// Code `little-mismatch` (fail): latencies, clipped to the window, add up to more I/Os in flight than could
/// have been, by more than 5 %. Then count, latency or window is wrong. Not checked for a run that broke
/// off: of its intervals it is not known what was in flight at their edges.
pub(super) fn little_mismatch(case: &Case<'_>) -> Option<Finding> {
    let figures = &case.summary.figures;
    // A sync may be outstanding beside the depth's I/Os.
    let sync = figures.op(Op::Sync).is_some_and(|op| op.ios > 0);
    let most = case.plan.admission.borrowable();
    let most = most.map_or(0, |_| u64::from(case.plan.depth));
    let room =
        case.summary.depth_asked.max(most) + if sync { u64::from(case.plan.clones) } else { 0 };
    let known = figures.basis != Basis::Intervals && figures.data.ios >= 100;
    if !known || figures.depth_reached <= 1.05 * room as f64 {
        return None;
    }
    Some(case.finding(
        "little-mismatch",
        Severity::Fail,
        format!(
            "The latencies add up to an average of {:.2} I/Os in flight in the window, but there \
             were never more than {room} (Little's law).",
            figures.depth_reached
        ),
        "Do not use these figures, and report this as a bug: clock, window and counters disagree.",
    ))
}

fn with_unit(rate: Rate, value: f64) -> String {
    match rate {
        Rate::Iops(_) => format!("{} IOPS", about(value)),
        Rate::Bytes(_) => format!("{}/s", Bytes(whole(value))),
    }
}

/// What is to be done about a rate of a workload that another holds back: nothing of it is attributed to the target.
fn cure_of_rate(case: &Case<'_>, cure: impl Into<Cure>) -> Cure {
    match (case.held, case.held_to_share) {
        (HeldUp::No, Some(other)) => (
            format!(
                "It keeps the proportion of its share to that of {other}, which did no more: that says nothing \
                 about the target or the depth. Request rates in the proportion of the shares, or other shares."
            ),
            [Knob::Rate],
        )
            .into(),
        (held, _) => cure_of_late(held, cure),
    }
}

/// What follows from a rate that was not reached.
const fn saturated(held: HeldUp) -> &'static str {
    match held {
        HeldUp::Paused | HeldUp::Busy => "",
        HeldUp::No => ": the point is saturated",
    }
}

/// Code `rate-not-reached` (warn): less than 0.98 of the requested rate, by more I/Os than chance explains.
pub(super) fn rate_not_reached(case: &Case<'_>) -> Option<Finding> {
    let is_late = |rate: &&RateFigures| is_missed(case.plan, &case.summary.figures, rate);
    let rate = case.summary.rates.iter().find(is_late)?;
    let why = match (case.held, case.held_to_share) {
        (HeldUp::No, Some(other)) => {
            format!(": its share of the I/Os held it to the pace of {other}")
        }
        (held, _) => saturated(held).to_owned(),
    };
    Some(case.finding(
        "rate-not-reached",
        Severity::Warn,
        format!(
            "{}: {} requested, {} reached ({}){}.",
            rate.what(),
            with_unit(rate.asked, rate.asked_value()),
            with_unit(rate.asked, rate.reached),
            percent(rate.share()),
            why
        ),
        cure_of_rate(
            case,
            (
                "Its latency is that of an overloaded target and grows with the length of the \
                 run; lower the rate, or allow more depth or workers.",
                [Knob::QueueDepth, Knob::Workers],
            ),
        ),
    ))
}

/// Code `rate-not-reached` (warn) of a stage of several workloads that have one rate for all their kinds
/// (Vdbench's iorate): less than 0.98 of the sum was reached, by more I/Os than chance takes.
pub(super) fn stage_rate_not_reached(
    plan: &Stage,
    summary: &StageSummary,
    held: HeldUp,
) -> Option<Finding> {
    let arrival = arrival_of_all(&plan.workloads);
    let (mut asked, mut reached, mut count) = (0.0, 0.0, 0);
    for rate in summary.workloads.iter().flat_map(|w| &w.rates) {
        if let (None, Rate::Iops(n)) = (rate.op, rate.asked) {
            asked += n;
            reached += rate.reached;
            count += 1;
        }
    }
    let share = reached / asked;
    let span_s = summary.figures.span.as_secs_f64();
    if count < 2 || !reached::is_missed(arrival, asked, reached, span_s) {
        return None;
    }
    let latency = &summary.figures.data;
    Some(Finding {
        code: "rate-not-reached".to_owned(),
        severity: Severity::Warn,
        stage: Some(summary.stage),
        workload: None,
        text: format!(
            "{} IOPS requested of {count} workloads together, {} reached ({}){}. \
             An I/O took {} on average, {} from its intended start.",
            about(asked),
            about(reached),
            percent(share),
            saturated(held),
            span(latency.service.mean()),
            mean_text(latency.response())
        ),
        cure: cure_of_late(
            held,
            (
                "Its latency is that of an overloaded target and grows with the length of the \
                 run; lower the rate, or allow more depth.",
                [Knob::QueueDepth],
            ),
        ),
    })
}

/// Code `shares-not-kept` (warn): workloads that were to keep a proportion did not: a share is off by more
/// than 1 percentage point and a tenth of itself. Shares are those of Vdbench's skew, by WD.
pub(super) fn shares_not_kept(plan: &Stage, summary: &StageSummary) -> Option<Finding> {
    let skewed = plan.shares == ShareSource::Given;
    let mut parts: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for (workload, figures) in plan.workloads.iter().zip(&summary.workloads) {
        let share = workload
            .share
            .filter(|_| skewed || matches!(workload.admission, Admission::Shares { .. }));
        if let Some(share) = share {
            let part = parts.entry(workload.definition().to_owned()).or_default();
            part.0 += share.get();
            part.1 += figures.figures.data.iops;
        }
    }
    let (asked, done) = parts
        .values()
        .fold((0.0, 0.0), |s, p| (s.0 + p.0, s.1 + p.1));
    if parts.len() < 2 || asked <= 0.0 || summary.figures.data.ios < 1000 {
        return None;
    }
    let off = |p: &(f64, f64)| (p.0 / asked, p.1 / f64::max(done, 1e-9));
    let worst = parts
        .iter()
        .map(|(name, part)| (name, off(part)))
        .max_by(|a, b| (a.1.0 - a.1.1).abs().total_cmp(&(b.1.0 - b.1.1).abs()))?;
    let (wanted, had) = worst.1;
    let drift = (wanted - had).abs();
    (drift > 0.01 && drift > 0.1 * wanted).then(|| Finding {
        code: "shares-not-kept".to_owned(),
        severity: Severity::Warn,
        stage: Some(summary.stage),
        workload: None,
        text: format!(
            "{} should have had {} of the I/Os but had {}.",
            worst.0,
            percent(wanted),
            percent(had)
        ),
        cure: if plan
            .workloads
            .iter()
            .any(|w| matches!(w.pace, Pace::Open { .. }))
        {
            (
                "A workload cannot keep its share of a rate that it does not reach: lower the \
                 rate, or allow more depth.",
                [Knob::QueueDepth],
            )
        } else {
            (
                "Shares are kept while all workloads run; none waits for one that has ended or \
                 not started: give each workload work for the whole time.",
                [Knob::WholeTime],
            )
        }
        .into(),
    })
}

/// Code `late-io` (warn): at a rate, more than 1 % of the I/Os were submitted over 1 ms late.
pub(super) fn late(case: &Case<'_>) -> Option<Finding> {
    let figures = &case.summary.figures;
    let lag = figures.lag.as_ref()?;
    let share = figures.late as f64 / (figures.data.ios as f64).max(1.0);
    (share > 0.01).then(|| {
        case.finding(
            "late-io",
            Severity::Warn,
            format!(
                "{} of the I/Os ({}) were submitted more than 1 ms after their intended start, \
                 at most {} late.",
                percent(share),
                thousands(figures.late),
                leadline_model::units::Nanos(lag.max)
            ),
            cure_of_rate(
                case,
                (
                    "Response latency includes the delay, service latency does not: use response latency. Where the rate is \
                     reached all the same, a free core, more depth or more workers keep the schedule; where it is not, \
                     lower the rate.",
                    [Knob::QueueDepth, Knob::Workers, Knob::Rate],
                ),
            ),
        )
    })
}

/// Code `unissued-io` (warn): more than 0.1 % of the I/Os that were due were never submitted, and more than
/// one of each worker: one may fall due at the very end.
pub(super) fn unissued(case: &Case<'_>) -> Option<Finding> {
    let figures = &case.summary.figures;
    let due = figures.data.ios.saturating_add(figures.unissued);
    let at_the_end = u64::try_from(case.workers.len()).unwrap_or(u64::MAX);
    (figures.unissued > due / 1000 && figures.unissued > at_the_end).then(|| {
        case.finding(
            "unissued-io",
            Severity::Warn,
            format!(
                "{} of {} I/Os that were due by the end were never submitted: in the response \
                 latency they count with the time they had waited by then, as a lower bound.",
                thousands(figures.unissued),
                thousands(due)
            ),
            cure_of_rate(
                case,
                (
                    "Use a rate that the target can sustain, or allow more depth.",
                    [Knob::QueueDepth],
                ),
            ),
        )
    })
}

/// Standard deviations from which on a share of reads is no chance: of the hundred points of a study, one in 160 has
/// one that is off by as much.
const NO_CHANCE: f64 = 4.0;

/// Code `mix-drift` (warn): the share of reads is off by more than 1 percentage point, and by more
/// than explained by chance (4 standard deviations) and by what was in flight at the edges of the window: those I/Os
/// may all have been of the slower kind.
pub(super) fn mix_drift(case: &Case<'_>) -> Option<Finding> {
    let OpMix::ReadWrite { read_percent } = case.plan.blocks().mix else {
        return None;
    };
    // Files that differ have their own mix.
    if !case.plan.blocks().parts.is_empty() {
        return None;
    }
    // With a rate for each kind, or one for one kind, the rates set the mix.
    if case.summary.rates.iter().any(|r| r.op.is_some()) {
        return None;
    }
    let asked = read_percent.of_one();
    let share = case.summary.figures.read_share()?;
    let ios = case.summary.figures.data.ios as f64;
    let chance = (asked * (1.0 - asked) / ios).sqrt();
    let at_edges = case.summary.depth_asked as f64 / ios;
    let drift = (share - asked).abs();
    (drift > 0.01 && drift > NO_CHANCE * chance + at_edges).then(|| {
        case.finding(
            "mix-drift",
            Severity::Warn,
            format!(
                "{:.1} % of the I/Os were reads, {read_percent} % were requested.",
                share * 100.0
            ),
            "Compare only with runs that had the same actual mix.",
        )
    })
}
