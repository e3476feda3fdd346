//! The points of a run with all that distinguishes them.
//!
//! Belongs here: what was set for a point, by axis. Must never: choose which points are drawn.

use super::axis::PlotAxis;
use crate::run::{Run, StageRun};
use crate::study::general::writes_first;
use crate::study::{Replaced, is_confirmation};
use crate::summary::measured::Setting;
use crate::summary::names::name_in_stage;
use crate::summary::{Figures, OpFigures, StageSummary, Summary, WorkloadSummary, planned};
use leadline_model::facts::FactKey;
use leadline_model::finding::Effect;
use leadline_model::op::Op;
use leadline_model::plan::study::{Axis as StudyAxis, Coordinate, Role};
use leadline_model::plan::{Amount, Dialect, Rate, Stage, Target, Workload};
use leadline_model::units::Bytes;
use std::collections::BTreeMap;

/// The two ways in which I/Os start.
pub(super) const OPEN: &str = "open loop";
pub(super) const CLOSED: &str = "closed loop";

/// Where a point is on each axis that it has a place on.
pub(super) type Places = BTreeMap<PlotAxis, Coordinate>;

/// A point, or one operation of it.
#[derive(Clone, Debug)]
pub(super) struct Observed<'a> {
    /// Which run, from 0.
    pub(super) run: usize,
    /// Where it is.
    pub(super) at: Places,
    /// Its figures.
    pub(super) figures: &'a OpFigures,
    /// I/Os in flight on average; `None` for one operation of several.
    pub(super) queue: Option<f64>,
    /// A check failed on it: its figures are not to be used.
    pub(super) failed: bool,
    /// It is the best of its study once more, and its figure that of the point: the highest of several is high by chance.
    pub(super) confirms: bool,
    /// Another measurement of its point is the figure instead.
    pub(super) replaced: bool,
    /// The name of its workload in the plan, with what distinguishes it from others of that name in its stage.
    pub(super) own_name: String,
    /// Its stage in [`Run::stages`].
    pub(super) stage: usize,
    /// Its workload; `None` = all of the stage.
    pub(super) workload: Option<u32>,
    /// Its operation; `None` = all.
    pub(super) op: Option<Op>,
}

/// The points of a run: stages whose workloads all do the same, and each workload of the others. What writes data for
/// later stages or brings a target into a state is none. With `split`, those with several operations are a point for
/// each of them besides.
pub(super) fn observed<'a>(
    (number, name): (usize, &str),
    run: &'a Run,
    summary: &'a Summary,
    split: bool,
) -> Vec<Observed<'a>> {
    let mut all = Vec::new();
    let dialect = run.plan.as_ref().map(|plan| plan.source.dialect);
    let replaced = Replaced::of(run, summary);
    let is_of_leadline = dialect == Some(Dialect::Native);
    for (place, (ran, figures)) in run.stages.iter().zip(&summary.stages).enumerate() {
        let Some(plan) = planned(run, ran.stage).filter(|plan| is_measured(plan)) else {
            continue;
        };
        for part in parts(plan, figures) {
            let mut at = places(run, ran, plan, (figures, &part));
            at.insert(PlotAxis::Run, Coordinate::Text(name.to_owned()));
            let findings = run.findings.iter();
            let failed = findings
                .filter(|f| f.effect() == Effect::Unusable)
                .any(|f| f.covers(ran.stage, part.workload.unwrap_or(0)));
            let whole = Observed {
                run: number,
                at,
                figures: &part.figures.data,
                queue: Some(part.figures.depth_reached),
                failed,
                confirms: match &plan.point {
                    Some(point) => {
                        point.role == Role::Confirmation && point.at.contains_key(&StudyAxis::Try)
                    }
                    None => is_of_leadline && is_confirmation(&plan.name),
                },
                replaced: replaced.is_replaced(ran.stage),
                own_name: match part.workload {
                    Some(_) => name_in_stage(run, plan, part.plan),
                    None => part.plan.name.clone(),
                },
                stage: place,
                workload: part.workload,
                op: None,
            };
            all.extend(operations(whole, part.figures, split));
        }
    }
    all
}

/// Whether a stage measures something.
fn is_measured(plan: &Stage) -> bool {
    let role = plan.point.as_ref().map(|point| point.role);
    let prepares = role.is_some_and(Role::prepares) || writes_first(plan);
    !prepares && plan.workloads.iter().all(|w| w.think.is_none())
}

/// What is one point of a stage.
struct Piece<'a> {
    workload: Option<u32>,
    plan: &'a Workload,
    figures: &'a Figures,
    depth_asked: u64,
    label: &'a str,
    rates: Vec<&'a WorkloadSummary>,
}

fn parts<'a>(plan: &'a Stage, summary: &'a StageSummary) -> Vec<Piece<'a>> {
    let Some(first) = plan.workloads.first() else {
        return Vec::new();
    };
    let same = |w: &Workload| {
        // Each may have a target and a part of the rate of its own.
        Setting::of(first).is_of_work(&Setting::of(w)) && w.definition() == first.definition()
    };
    if plan.workloads.iter().all(same) {
        return vec![Piece {
            workload: None,
            plan: first,
            figures: &summary.figures,
            depth_asked: summary.depth_asked,
            label: &summary.label,
            rates: summary.workloads.iter().collect(),
        }];
    }
    let each = plan.workloads.iter().zip(&summary.workloads);
    each.map(|(plan, own)| Piece {
        workload: Some(own.workload),
        plan,
        figures: &own.figures,
        depth_asked: own.depth_asked,
        label: &own.label,
        rates: vec![own],
    })
    .filter(|piece| piece.figures.data.ios > 0)
    .collect()
}

fn places(
    run: &Run,
    ran: &StageRun,
    plan: &Stage,
    (summary, piece): (&StageSummary, &Piece<'_>),
) -> Places {
    let setting = Setting::of(piece.plan);
    let number = |n: f64| Some(Coordinate::Number(n));
    let text = |words: &str| Some(Coordinate::Text(words.to_owned()));
    let hosts = summary.cover.covered.len().max(1);
    let is_open = setting.paced || plan.rate.is_some();
    let [reads, block, order] = work(&setting);
    let pairs = [
        (PlotAxis::Reads, reads),
        (PlotAxis::Block, block),
        (PlotAxis::Order, order),
        (
            PlotAxis::Direct,
            number(f64::from(u8::from(setting.direct))),
        ),
        (PlotAxis::Depth, number(f64::from(setting.depth))),
        (PlotAxis::Jobs, number(f64::from(setting.jobs))),
        (PlotAxis::Hosts, number(hosts as f64)),
        (PlotAxis::InFlight, number(piece.depth_asked as f64)),
        (PlotAxis::Loop, text(if is_open { OPEN } else { CLOSED })),
        (PlotAxis::Rate, asked(plan, piece).map(Coordinate::Number)),
        (
            PlotAxis::Nconnect,
            connections(run, ran, piece.plan).map(Coordinate::Number),
        ),
        (PlotAxis::Part, text(&part_words(setting.part))),
        (PlotAxis::Stage, text(&summary.label)),
        (PlotAxis::Workload, text(piece.label)),
    ];
    let known = pairs
        .into_iter()
        .filter_map(|(axis, value)| Some((axis, value?)));
    let mut at: Places = known.collect();
    let varied = plan.point.iter().flat_map(|point| &point.at);
    at.extend(varied.map(|(axis, value)| (PlotAxis::of_study(*axis), value.clone())));
    at
}

/// The share of reads, the block size and the order. Several block sizes have words and no number, and of targets that differ
/// none has what holds for all together.
fn work(setting: &Setting) -> [Option<Coordinate>; 3] {
    let text = |words: &str| Some(Coordinate::Text(words.to_owned()));
    if let Some(unlike) = setting.unlike_words() {
        return [None, text(&unlike), None];
    }
    let order = match setting.random {
        true => "random",
        false => "sequential",
    };
    let block = match &setting.blocks {
        Some(several) => text(several),
        None => Some(Coordinate::Number(setting.block as f64)),
    };
    let reads = setting.read_percent;
    let reads = reads.map(|share| Coordinate::Number(share.of_100()));
    [reads, block, text(order)]
}

/// What is used of each worker's target: `first 64 MiB`, `64 MiB from 1 GiB on`, `whole target`.
fn part_words((offset, size): (Amount, Option<Amount>)) -> String {
    let words = |amount: Amount| match amount {
        Amount::Bytes(n) => Bytes(n).to_string(),
        Amount::Percent(n) => format!("{n} %"),
    };
    let from_start = matches!(offset, Amount::Bytes(0) | Amount::Percent(0));
    match (size, from_start) {
        (None, true) => "whole target".to_owned(),
        (None, false) => format!("from {} on", words(offset)),
        (Some(size), true) => format!("first {}", words(size)),
        (Some(size), false) => format!("{} from {} on", words(size), words(offset)),
    }
}

/// I/Os a second that were asked for; `None` where no rate was.
fn asked(plan: &Stage, piece: &Piece<'_>) -> Option<f64> {
    if let (Some(rate), None) = (plan.rate, piece.workload) {
        return Some(rate);
    }
    let blocks = piece.plan.blocks();
    let rates = piece.rates.iter().flat_map(|w| &w.rates);
    let each = rates.map(|rate| match (rate.asked, rate.op) {
        (Rate::Iops(n), _) => n,
        (Rate::Bytes(n), Some(op)) => n as f64 / blocks.mean_size_of(op).max(1.0),
        (Rate::Bytes(n), None) => n as f64 / blocks.mean_size().max(1.0),
    });
    let sum: f64 = each.sum();
    (sum > 0.0).then_some(sum)
}

/// Connections to the server of what a workload works on; `None` where that is not on a network, or not known.
fn connections(run: &Run, ran: &StageRun, plan: &Workload) -> Option<f64> {
    if let Target::Simulated(target) = &plan.blocks().target {
        return target.volume.connections.map(f64::from);
    }
    let counted = ran
        .counted
        .iter()
        .find(|f| f.key() == FactKey::NFS_CONNECTIONS);
    if let Some(count) = counted.and_then(|f| f.value.count()) {
        return Some(count as f64);
    }
    let mounts = run
        .facts
        .iter()
        .filter(|f| f.key() == FactKey::MOUNT_OPTIONS);
    let options = mounts.map(|f| f.value.to_string());
    options.into_iter().find_map(|all| {
        let asked = all
            .split(',')
            .find_map(|o| o.trim().strip_prefix("nconnect="));
        asked.and_then(|n| n.parse().ok())
    })
}

/// A point, and with `split` each of its operations beside it, each with its name.
fn operations<'a>(whole: Observed<'a>, figures: &'a Figures, split: bool) -> Vec<Observed<'a>> {
    let done = figures
        .ops
        .iter()
        .filter(|(op, f)| op.is_data() && f.ios > 0);
    let done: Vec<_> = done.collect();
    if !split {
        return vec![whole];
    }
    let named = |name: &str, of: &'a OpFigures, op: Option<Op>| {
        let mut one = whole.clone();
        let name = Coordinate::Text(name.to_owned());
        one.at.insert(PlotAxis::Op, name);
        (one.figures, one.op) = (of, op);
        one
    };
    let mut all = vec![named("total", &figures.data, None)];
    let alone = done.len() == 1;
    all.extend(done.into_iter().map(|(op, of)| {
        let mut one = named(op.name(), of, Some(op));
        one.queue = whole.queue.filter(|_| alone);
        one
    }));
    all
}
