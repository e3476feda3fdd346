//! Whether a run over several hosts was whole, together and even.

use super::percent;
use crate::run::Run;
use crate::study::studies::where_lost;
use crate::summary::{Balance, StageSummary, Trust, balance, percentile};
use crate::words::{self, span};
use leadline_model::cure::{Cure, Knob};
use leadline_model::event::HostState;
use leadline_model::finding::{Finding, Severity};
use leadline_model::latency::Latency;
use leadline_model::plan::study::Axis;
use leadline_model::plan::{Stage, Workload};
use leadline_model::units::{Nanos, number_of};

/// Most hosts that are named in a sentence.
const MOST: usize = 8;

/// Code `host-lost` (fail): a host did not finish. One finding for the run.
pub(super) fn lost(run: &Run) -> Option<Finding> {
    let mut seen = Vec::new();
    let mut words = Vec::new();
    for news in &run.hosts {
        let HostState::Lost { why, .. } = &news.what else {
            continue;
        };
        if seen.contains(&news.host) {
            continue;
        }
        seen.push(news.host);
        let place = where_lost(run, news.host).unwrap_or_default();
        let when = match place.starts_with("before") {
            true => place,
            false => format!("{place} at {}", news.at),
        };
        words.push(format!(
            "{} {when} ({})",
            run.host_label(news.host),
            why.line()
        ));
    }
    if seen.is_empty() {
        return None;
    }
    let all = run.plan.as_ref().map_or(0, |p| p.hosts.len());
    let more = words.len().saturating_sub(MOST);
    words.truncate(MOST);
    let more = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    Some(Finding {
        code: "host-lost".to_owned(),
        severity: Severity::Fail,
        stage: None,
        workload: None,
        text: format!(
            "{} {} lost: {}{more}. {}",
            match all {
                1 => "The one host".to_owned(),
                _ if seen.len() == all => format!("All {all} hosts"),
                _ => format!("{} of {all} hosts", seen.len()),
            },
            if seen.len() == 1 { "was" } else { "were" },
            words.join("; "),
            match seen.len() == all {
                true => "From then on, there are no totals.",
                false => "The totals of a stage cover only the hosts that finished it.",
            }
        ),
        cure: match seen.len() {
            1 => "Check that host and the connection to it; compare only with runs on the same hosts.",
            _ => "Check those hosts and the connections to them; compare only with runs on the same hosts.",
        }
        .into(),
    })
}

/// Code `clock-bound` (warn): a host's clock is known to no better than a tenth of an interval.
pub(super) fn clocks(run: &Run) -> Option<Finding> {
    let interval = run.plan.as_ref()?.interval;
    let bounds = run.hosts.iter().filter_map(|n| match &n.what {
        HostState::Connected { offset_bound, .. } => Some((*offset_bound, n.host)),
        _ => None,
    });
    let loose: Vec<_> = bounds
        .filter(|b| b.0.saturating_mul(10) > interval.0)
        .collect();
    let (worst, host) = loose.iter().max()?;
    Some(Finding {
        code: "clock-bound".to_owned(),
        severity: Severity::Warn,
        stage: None,
        workload: None,
        text: format!(
            "The clock offsets of {} are uncertain by more than a tenth of an interval of \
             {interval}; that of {} may be off by {}.",
            number_of(loose.len() as u64, "host"),
            run.host_label(*host),
            Nanos(*worst)
        ),
        cure: "Latency is measured on one clock and is not affected; where intervals of several \
               hosts are added up, their edges are blurred by as much. Longer intervals or a \
               faster connection to the host reduce it."
            .into(),
    })
}

/// Code `imbalance` (warn): hosts with the same work did not achieve the same: Jain's index below
/// 0.95, or the most at least 1.25 times the least.
pub(super) fn imbalance(run: &Run, summary: &StageSummary) -> Option<Finding> {
    let balance = match groups(run, summary) {
        None => summary.balance?,
        // What differs between groups is what the study asks.
        Some(stage) => within_groups(stage, summary)?,
    };
    if balance.jain >= 0.95 && balance.max_over_min < 1.25 {
        return None;
    }
    let rate = |host: u32| {
        let found = summary.hosts.iter().find(|h| h.host == host);
        found.map_or(0.0, |h| h.figures.data.iops)
    };
    let times = if balance.max_over_min.is_finite() {
        format!("{:.2} times", balance.max_over_min)
    } else {
        "infinitely many times".to_owned()
    };
    Some(Finding {
        code: "imbalance".to_owned(),
        severity: Severity::Warn,
        stage: Some(summary.stage),
        workload: None,
        text: format!(
            "The hosts had the same work but did not achieve the same: {} had {} IOPS, {} had \
             {}, {times} as many (Jain's index {:.3}).",
            run.host_label(balance.least),
            words::rate(rate(balance.least)),
            run.host_label(balance.most),
            words::rate(rate(balance.most)),
            balance.jain
        ),
        cure: "Look for differences in processor, kernel, mount options, network, or the part of \
               the target that each host uses."
            .into(),
    })
}

/// The stage, where it is one of a study that compares groups of hosts.
fn groups<'r>(run: &'r Run, summary: &StageSummary) -> Option<&'r Stage> {
    let stage = run.plan.as_ref()?.stages.get(summary.stage as usize)?;
    let is_one = stage.point.as_ref()?.at.contains_key(&Axis::Group);
    is_one.then_some(stage)
}

/// The balance of the hosts of each group, where it is worst; `None` where no group has two.
fn within_groups(stage: &Stage, summary: &StageSummary) -> Option<Balance> {
    let of = |workload: &Workload| {
        let own = summary
            .hosts
            .iter()
            .filter(|h| workload.hosts.contains(h.host));
        balance(stage, &own.cloned().collect::<Vec<_>>())
    };
    let each = stage.workloads.iter().filter_map(of);
    each.min_by(|a, b| a.jain.total_cmp(&b.jain))
}

/// Code `percentiles-apart` (info): the mean of the hosts' own 95th or 99th percentiles is off by a tenth or more from
/// that of all I/Os together.
pub(super) fn percentiles_apart(summary: &StageSummary) -> Option<Finding> {
    let of = |latency: &Latency, percent| {
        let found = percentile(latency, percent).filter(|p| p.trust == Trust::Sure)?;
        Some(found.value.0 as f64)
    };
    let hosts = summary.hosts.iter().filter(|h| h.covered);
    let apart = |percent: f64| {
        let own = hosts
            .clone()
            .map(|h| of(h.figures.data.response(), percent));
        let own: Vec<f64> = own.collect::<Option<_>>()?;
        let all = of(summary.figures.data.response(), percent)?;
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        let is_apart = own.len() > 1 && (mean / all - 1.0).abs() >= 0.1;
        is_apart.then_some((percent, all, mean))
    };
    let (percent, all, mean) = apart(95.0).or_else(|| apart(99.0))?;
    Some(Finding {
        code: "percentiles-apart".to_owned(),
        severity: Severity::Info,
        stage: Some(summary.stage),
        workload: None,
        text: format!(
            "The p{percent} of all I/Os together is {}; the mean of the hosts' own is {}, {:+.0} %.",
            span(all),
            span(mean),
            (mean / all - 1.0) * 100.0
        ),
        cure: "Quote the percentile of all I/Os, from merged histograms as here: percentiles of parts cannot be \
               averaged."
            .into(),
    })
}

/// Code `start-late` (warn): a host's first I/O came more than a tenth of an interval after the agreed
/// start of the stage.
pub(super) fn late(run: &Run, summary: &StageSummary) -> Option<Finding> {
    let interval = run.plan.as_ref()?.interval;
    let limit = i64::try_from(interval.0 / 10).unwrap_or(i64::MAX);
    let known: Vec<_> = summary
        .hosts
        .iter()
        .filter_map(|h| Some((h.late?, h)))
        .collect();
    let late = known.iter().filter(|l| l.0 > limit);
    let (most, host) = late.clone().max_by_key(|l| l.0)?;
    Some(Finding {
        code: "start-late".to_owned(),
        severity: Severity::Warn,
        stage: Some(summary.stage),
        workload: None,
        text: format!(
            "{} of the {} hosts began late: {} by {} after the agreed start.",
            percent(late.count() as f64 / known.len() as f64),
            known.len(),
            host.label,
            Nanos(most.unsigned_abs())
        ),
        cure: Cure::from((
            "Rates cover the time during which all hosts ran; a longer run makes the \
             difference negligible.",
            [Knob::RunTime],
        )),
    })
}
