//! The keys of hosts and targets.

use super::figures::{FiguresView, figures};
use crate::run::{HostPoint, Moments, Run};
use crate::summary::kernel::HostIo;
use crate::summary::{Balance, HostSummary, TargetSummary};
use leadline_model::event::HostState;
use leadline_model::facts::{Fact, FactValue};
use leadline_model::failure::Failure;
use leadline_model::plan::DEFAULT_PERCENTILES;
use leadline_model::units::{Bytes, Nanos, Percent};
use serde::Serialize;

/// A host of the plan.
#[derive(Serialize)]
pub(super) struct HostView<'a> {
    host: u32,
    label: &'a str,
    address: &'a str,
    hostname: Option<&'a str>,
    clock_offset_ns: Option<i64>,
    offset_bound_ns: Option<u64>,
    lost: Option<LossView<'a>>,
}

#[derive(Serialize)]
struct LossView<'a> {
    at_ns: u64,
    stage: Option<u32>,
    failure: &'a Failure,
}

/// What the workers of a host counted over a whole stage.
#[derive(Serialize)]
pub(super) struct OwnIoView {
    host: u32,
    ios: [u64; 2],
    bytes: [u64; 2],
    in_flight: f64,
}

pub(super) fn own_io(host: &HostIo) -> OwnIoView {
    OwnIoView {
        host: host.host,
        ios: host.own.ios,
        bytes: host.own.bytes,
        in_flight: host.own.in_flight(host.span),
    }
}

/// A fact about the environment.
#[derive(Serialize)]
pub(super) struct FactView<'a> {
    host: u32,
    section: &'a str,
    subject: &'a str,
    name: &'a str,
    value: ValueView<'a>,
    unit: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ValueView<'a> {
    Text(&'a str),
    Whole(u64),
    Share(Percent),
}

pub(super) fn fact(fact: &Fact) -> FactView<'_> {
    FactView {
        host: fact.host,
        section: &fact.section,
        subject: &fact.subject,
        name: &fact.name,
        value: match &fact.value {
            FactValue::Text(text) => ValueView::Text(text),
            FactValue::Bytes(Bytes(number))
            | FactValue::Count(number)
            | FactValue::Picos(number)
            | FactValue::Nanos(Nanos(number)) => ValueView::Whole(*number),
            FactValue::Percent(share) => ValueView::Share(*share),
        },
        unit: fact.value.unit(),
    }
}

/// A host in a stage.
#[derive(Serialize)]
pub(super) struct StageHostView {
    host: u32,
    label: String,
    covered: bool,
    start_late_ns: Option<i64>,
    figures: FiguresView,
    series: Vec<HostPointView>,
}

/// A host in an interval.
#[derive(Serialize)]
struct HostPointView {
    interval: u64,
    start_ns: u64,
    length_ns: u64,
    warmup: bool,
    ios: u64,
    bytes: u64,
    errors: u64,
    service: MomentsView,
    response: Option<MomentsView>,
}

#[derive(Serialize)]
struct MomentsView {
    mean_ns: f64,
    max_ns: u64,
}

/// A target in a stage.
#[derive(Serialize)]
pub(super) struct TargetView {
    target: String,
    workloads: Vec<u32>,
    figures: FiguresView,
}

/// How even the hosts were.
#[derive(Serialize)]
pub(super) struct BalanceView {
    jain: f64,
    max_over_min: Option<f64>,
    least: u32,
    most: u32,
}

/// The hosts of the plan.
pub(super) fn hosts(run: &Run) -> Vec<HostView<'_>> {
    let Some(plan) = &run.plan else {
        return Vec::new();
    };
    let hosts = (0_u32..).zip(&plan.hosts);
    hosts
        .map(|(host, spec)| {
            let news = run.hosts.iter().filter(|n| n.host == host);
            let mut connected = news.filter_map(|n| match &n.what {
                HostState::Connected {
                    hostname,
                    clock_offset,
                    offset_bound,
                } => Some((hostname.as_str(), *clock_offset, *offset_bound)),
                _ => None,
            });
            let connected = connected.next_back();
            HostView {
                host,
                label: &spec.label,
                address: spec.address(),
                hostname: connected.map(|c| c.0),
                clock_offset_ns: connected.map(|c| c.1),
                offset_bound_ns: connected.map(|c| c.2),
                lost: run.loss(host).map(|(news, stage, failure)| LossView {
                    at_ns: news.at.0,
                    stage,
                    failure,
                }),
            }
        })
        .collect()
}

/// A host in a stage.
pub(super) fn stage_host(host: &HostSummary) -> StageHostView {
    StageHostView {
        host: host.host,
        label: host.label.clone(),
        covered: host.covered,
        start_late_ns: host.late,
        figures: figures(&host.figures, &DEFAULT_PERCENTILES),
        series: host.series.iter().map(point).collect(),
    }
}

fn point(point: &HostPoint) -> HostPointView {
    let data = point.data();
    let moments = |m: &Moments| MomentsView {
        mean_ns: m.mean(),
        max_ns: m.max,
    };
    HostPointView {
        interval: point.interval,
        start_ns: point.start.0,
        length_ns: point.length.0,
        warmup: point.warmup,
        ios: data.ios,
        bytes: data.bytes,
        errors: data.errors,
        service: moments(&data.service),
        response: data.response.as_ref().map(moments),
    }
}

/// A target in a stage.
pub(super) fn target(target: &TargetSummary) -> TargetView {
    TargetView {
        target: target.name.clone(),
        workloads: target.workloads.clone(),
        figures: figures(&target.figures, &DEFAULT_PERCENTILES),
    }
}

/// How even the hosts were.
pub(super) fn balance(balance: Balance) -> BalanceView {
    BalanceView {
        jain: balance.jain,
        max_over_min: Some(balance.max_over_min).filter(|x| x.is_finite()),
        least: balance.least,
        most: balance.most,
    }
}
