//! The verdict in the JSON form: what set the limit, how sure that is, and what the figures may be used for.

use crate::stats::Interval;
use crate::stats::mix_law::Bound;
use crate::study::limit::{Credits, Deciding, Limit};
use crate::study::mix::MixAnswer;
use crate::study::series::depth_curves;
use crate::study::verdict::{DepthCost, DepthRange};
use crate::study::{Cause, PointResult, Verdict};
use crate::trust::grade::Grade;
use leadline_model::finding::Finding;
use serde::Serialize;

/// The lower end of an interval, where one is known.
fn low(of: Interval) -> Option<f64> {
    of.is_known().then_some(of.ends(of.value).0)
}

/// The upper end.
fn high(of: Interval) -> Option<f64> {
    of.is_known().then_some(of.ends(of.value).1)
}

/// What a run means.
#[derive(Serialize)]
pub(super) struct VerdictView {
    grade: char,
    grade_words: &'static str,
    grade_reason: String,
    limit: Option<LimitView>,
    mix: Option<MixView>,
    knee_depth: Option<u64>,
    useful_concurrency: Option<f64>,
    useful_concurrency_low: Option<f64>,
    useful_concurrency_high: Option<f64>,
    depth: Option<DepthView>,
    sentences: Vec<String>,
}

/// What set the highest rate of the depth curve.
#[derive(Serialize)]
struct LimitView {
    kind: &'static str,
    certainty: &'static str,
    possible: Vec<&'static str>,
    second: Option<&'static str>,
    decides: Option<&'static str>,
    iops: f64,
    low: Option<f64>,
    high: Option<f64>,
    bytes_per_s: f64,
    held_s: f64,
    sustained: bool,
    credits_possible: bool,
    /// Names of the stages that show it.
    evidence: Vec<String>,
    change: Option<ChangeView>,
    credits: Option<CreditsView>,
    mixture: Option<MixtureView>,
    one_host: Option<OneHostView>,
    cold_iops: Option<f64>,
    cold_iops_low: Option<f64>,
    cold_iops_high: Option<f64>,
    beyond: Option<BeyondView>,
}

/// One host alone, of several.
#[derive(Serialize)]
struct OneHostView {
    hosts: u64,
    iops: f64,
    iops_low: Option<f64>,
    iops_high: Option<f64>,
    of_each: Vec<&'static str>,
}

/// The cap of bytes that holds at larger blocks.
#[derive(Serialize)]
struct BeyondView {
    block: u64,
    bytes_per_s: f64,
    low: Option<f64>,
    high: Option<f64>,
}

/// What depths bring and cost, from the least that the highest rate needs to the knee.
#[derive(Serialize)]
struct DepthView {
    least: f64,
    least_low: Option<f64>,
    least_high: Option<f64>,
    least_latency_ns: f64,
    least_latency_low_ns: Option<f64>,
    least_latency_high_ns: Option<f64>,
    to_use: CostView,
    knee: CostView,
}

/// What one depth brings and costs.
#[derive(Serialize)]
struct CostView {
    in_flight: u64,
    iops: f64,
    iops_low: Option<f64>,
    iops_high: Option<f64>,
    iops_between_stalls: Option<f64>,
    iops_between_stalls_low: Option<f64>,
    iops_between_stalls_high: Option<f64>,
    share: f64,
    latency_ns: f64,
    latency_low_ns: Option<f64>,
    latency_high_ns: Option<f64>,
}

impl DepthView {
    fn of(range: &DepthRange) -> Self {
        let cost = |cost: &DepthCost| CostView {
            in_flight: cost.in_flight,
            iops: cost.iops.value,
            iops_low: low(cost.iops),
            iops_high: high(cost.iops),
            iops_between_stalls: cost.between_stalls.map(|between| between.value),
            iops_between_stalls_low: cost.between_stalls.and_then(low),
            iops_between_stalls_high: cost.between_stalls.and_then(high),
            share: cost.share,
            latency_ns: cost.latency_s.value * 1e9,
            latency_low_ns: low(cost.latency_s.scaled(1e9)),
            latency_high_ns: high(cost.latency_s.scaled(1e9)),
        };
        let alone = range.alone_s.scaled(1e9);
        Self {
            least: range.least.value,
            least_low: low(range.least),
            least_high: high(range.least),
            least_latency_ns: alone.value,
            least_latency_low_ns: low(alone),
            least_latency_high_ns: high(alone),
            to_use: cost(&range.to_use),
            knee: cost(&range.knee),
        }
    }
}

/// How reads and writes share what there is.
#[derive(Serialize)]
struct MixView {
    law: &'static str,
    fits: Vec<FitView>,
}

/// A law with its rates, and how well it predicts.
#[derive(Serialize)]
struct FitView {
    law: &'static str,
    read_iops: Option<f64>,
    read_iops_low: Option<f64>,
    read_iops_high: Option<f64>,
    write_iops: Option<f64>,
    write_iops_low: Option<f64>,
    write_iops_high: Option<f64>,
    total_iops: Option<f64>,
    total_iops_low: Option<f64>,
    total_iops_high: Option<f64>,
    error: f64,
}

/// A rate that did not stay.
#[derive(Serialize)]
struct ChangeView {
    before_iops: f64,
    before_iops_low: Option<f64>,
    before_iops_high: Option<f64>,
    after_iops: f64,
    after_iops_low: Option<f64>,
    after_iops_high: Option<f64>,
    before_in_flight: Option<u64>,
    after_in_flight: Option<u64>,
    returned: Option<bool>,
}

/// Burst credits that were spent.
#[derive(Serialize)]
struct CreditsView {
    high_iops: f64,
    high_iops_low: Option<f64>,
    high_iops_high: Option<f64>,
    high_iops_at_least: bool,
    low_iops: f64,
    low_iops_low: Option<f64>,
    low_iops_high: Option<f64>,
    fell_at_s: f64,
    fell_at_s_low: f64,
    fell_at_s_high: f64,
    store_ios: Option<f64>,
    store_ios_low: f64,
    store_ios_high: f64,
    store_bytes: Option<f64>,
    store_bytes_low: f64,
    store_bytes_high: f64,
    write_cost: Option<f64>,
    lasts_s: Option<f64>,
    lasts_s_low: Option<f64>,
    lasts_s_high: Option<f64>,
    refill_s: Option<f64>,
    refill_s_low: Option<f64>,
    refill_s_high: Option<f64>,
}

impl CreditsView {
    /// `of_bytes` = whether the bucket holds bytes, where that is known.
    fn of(credits: &Credits, of_bytes: Option<bool>) -> Self {
        let fell = credits.fell_within().scaled(1e-9);
        let lasts = of_bytes.and_then(|of| credits.last(of));
        let refill = of_bytes.and_then(|of| credits.refill(of));
        let known = |store| Credits::known(store).map(|store| store.value);
        Self {
            high_iops: credits.high.value,
            high_iops_low: low(credits.high),
            high_iops_high: high(credits.high).filter(|_| !credits.is_at_least),
            high_iops_at_least: credits.is_at_least,
            low_iops: credits.low.value,
            low_iops_low: low(credits.low),
            low_iops_high: high(credits.low),
            fell_at_s: fell.value,
            fell_at_s_low: fell.low,
            fell_at_s_high: fell.high,
            store_ios: known(credits.store),
            store_ios_low: credits.store.0.low,
            store_ios_high: credits.store.1.high,
            store_bytes: known(credits.store_bytes),
            store_bytes_low: credits.store_bytes.0.low,
            store_bytes_high: credits.store_bytes.1.high,
            write_cost: credits.cost.of_a_write(),
            lasts_s: lasts.map(|lasts| lasts.value),
            lasts_s_low: lasts.and_then(low),
            lasts_s_high: lasts.and_then(high),
            refill_s: refill.map(|refill| refill.value),
            refill_s_low: refill.and_then(low),
            refill_s_high: refill.and_then(high),
        }
    }
}

/// Hits and misses.
#[derive(Serialize)]
struct MixtureView {
    hit_share: f64,
    hit_ns: f64,
    miss_ns: f64,
}

/// The verdict on the points of a run with all of its findings, and its grade.
pub(super) fn of(points: &[PointResult], findings: &[Finding], grade: &Grade) -> VerdictView {
    let verdict = Verdict::of(points, findings);
    let curves = depth_curves(points);
    let block = curves.first().map_or(0, |curve| curve.setting.block);
    let of_bytes = verdict.limit.as_ref().and_then(Limit::has_bucket_of_bytes);
    let limit = verdict.limit.map(|limit| LimitView {
        kind: limit.cause().map_or("unknown", Cause::name),
        certainty: limit.certainty.name(),
        possible: limit.possible.iter().map(|cause| cause.name()).collect(),
        second: limit.second.map(Cause::name),
        decides: limit.decides.map(Deciding::name),
        iops: limit.iops,
        low: limit.interval.map(|interval| interval.ends(limit.iops).0),
        high: limit.interval.map(|interval| interval.ends(limit.iops).1),
        bytes_per_s: limit.iops * block as f64,
        held_s: limit.held.as_secs_f64(),
        sustained: limit.is_sustained(),
        credits_possible: limit.may_be_of_credits(),
        evidence: limit.evidence,
        change: limit.change.map(|change| ChangeView {
            before_iops: change.before.value,
            before_iops_low: low(change.before),
            before_iops_high: high(change.before),
            after_iops: change.after.value,
            after_iops_low: low(change.after),
            after_iops_high: high(change.after),
            before_in_flight: change.in_flight.map(|(before, _)| before),
            after_in_flight: change.in_flight.map(|(_, after)| after),
            returned: change.returned,
        }),
        credits: limit
            .credits
            .as_ref()
            .map(|credits| CreditsView::of(credits, of_bytes)),
        mixture: limit.mixture.map(|mixture| MixtureView {
            hit_share: mixture.low_share,
            hit_ns: mixture.low,
            miss_ns: mixture.high,
        }),
        one_host: limit.one_host.map(|one| OneHostView {
            hosts: one.hosts,
            iops: one.iops.value,
            iops_low: low(one.iops),
            iops_high: high(one.iops),
            of_each: one.of_each.iter().map(|cause| cause.name()).collect(),
        }),
        cold_iops: limit.cold.map(|cold| cold.value),
        cold_iops_low: limit.cold.and_then(low),
        cold_iops_high: limit.cold.and_then(high),
        beyond: limit.beyond.map(|beyond| BeyondView {
            block: beyond.block,
            bytes_per_s: beyond.bytes_per_s.value,
            low: low(beyond.bytes_per_s),
            high: high(beyond.bytes_per_s),
        }),
    });
    VerdictView {
        grade: grade.letter,
        grade_words: grade.words,
        grade_reason: grade.reason.clone(),
        limit,
        mix: verdict.mix.map(mix_view),
        knee_depth: verdict.knee_depth,
        useful_concurrency: verdict.useful_concurrency.map(|n| n.value),
        useful_concurrency_low: verdict.useful_concurrency.and_then(low),
        useful_concurrency_high: verdict.useful_concurrency.and_then(high),
        depth: verdict.range.as_ref().map(DepthView::of),
        sentences: verdict.sentences,
    }
}

fn mix_view(answer: MixAnswer) -> MixView {
    let rate = |bound: Option<Bound>| bound.map(|bound| bound.rate);
    let least = |bound: Option<Bound>| Some(bound?.within?.0.min(bound?.rate));
    let most = |bound: Option<Bound>| Some(bound?.within?.1.max(bound?.rate));
    MixView {
        law: answer.named.map_or("unknown", |fit| fit.law.name()),
        fits: answer
            .fits
            .iter()
            .map(|fit| FitView {
                law: fit.law.name(),
                read_iops: rate(fit.reads),
                read_iops_low: least(fit.reads),
                read_iops_high: most(fit.reads),
                write_iops: rate(fit.writes),
                write_iops_low: least(fit.writes),
                write_iops_high: most(fit.writes),
                total_iops: rate(fit.total),
                total_iops_low: least(fit.total),
                total_iops_high: most(fit.total),
                error: fit.error,
            })
            .collect(),
    }
}
