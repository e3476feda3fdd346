//! An answer for scripts; `docs/reference/limits.schema.json` describes every key.
//!
//! Belongs here: names and values. Must never appear here: a figure that the answer does not have.

use crate::answer::Answer;
use crate::here::Here;
use crate::limit::Metric;
use crate::row::Source;
use crate::sizing::{Sizing, Table};
use crate::value::{Class, Path, Rate};
use crate::verdict::{Conclusion, Verdict};
use serde_json::{Value, json};

/// The schema of the form.
pub const SCHEMA: &str = include_str!("../../../docs/reference/limits.schema.json");

/// All of it, as one object with a line's end.
#[must_use]
pub fn json(answer: &Answer) -> String {
    let limits: Vec<Value> = (0..answer.limits.len())
        .map(|at| limit(answer, at))
        .collect();
    let value = json!({
        "form": 1,
        "machines": answer.setup.machines(),
        "block_bytes": answer.setup.block,
        "reads": answer.setup.reads,
        "remarks": answer.remarks,
        "here": answer.here.as_ref().map(here),
        "limits": limits,
        "verdict": answer.verdict.as_ref().map(verdict),
        "sizing": answer.sizing.as_ref().map(sizing),
        "table": answer.table.as_ref().map(table),
    });
    format!("{value:#}\n")
}

fn here(here: &Here) -> Value {
    let cloud = here.cloud.as_ref();
    json!({
        "system": here.system,
        "provider": cloud.map(|cloud| cloud.provider),
        "machine": cloud.map(|cloud| &cloud.size),
        "region": cloud.map(|cloud| &cloud.region),
        "zone": cloud.map(|cloud| &cloud.zone),
        "disks": cloud.map(|cloud| &cloud.disks),
        "other_disks": cloud.map(|cloud| &cloud.other_disks),
        "network": cloud.map(|cloud| &cloud.network),
    })
}

const fn unit(metric: Metric) -> &'static str {
    match metric {
        Metric::Bytes => "bytes_per_s",
        Metric::Iops => "ios_per_s",
        Metric::InFlight => "in_flight",
    }
}

fn limit(answer: &Answer, at: usize) -> Value {
    let (setup, limit) = (&answer.setup, &answer.limits[at]);
    let compared = answer.verdict.as_ref().and_then(|verdict| verdict.of(at));
    json!({
        "scope": limit.scope.name(),
        "what": limit.what,
        "unit": unit(limit.metric),
        "value": limit.value,
        "least_to_set": limit.from,
        "each_machine": limit.each,
        "counts": limit.counts.iter().map(counts).collect::<Vec<Value>>(),
        "ios_per_s_at_block": limit.in_iops(setup).filter(|_| setup.block.is_some()),
        "headroom": setup.demand.and_then(|demand| limit.headroom(demand, setup)),
        "burst": limit.burst.map(|burst| json!({
            "base": burst.base,
            "full_credits": burst.bucket,
            "lasts_s": limit.empty_after(answer.used(at).unwrap_or(limit.value)),
        })),
        "io_bytes": limit.io_bytes,
        "is_published_result": limit.measured,
        "disputed": limit.disputed,
        "source": limit.source.as_ref().map(source),
        "note": limit.note,
        "measured": compared.map(|one| one.measured),
        "u": compared.map(|one| one.u),
        "standing": compared.map(|one| one.standing.name()),
    })
}

fn source(source: &Source) -> Value {
    json!({
        "address": source.address,
        "date": source.date,
        "verified": source.verified,
    })
}

fn sources(all: &[Source]) -> Vec<Value> {
    all.iter().map(source).collect()
}

fn counts((path, class): &(Path, Class)) -> Value {
    let path = match path {
        Path::Any => "any",
        Path::Uncached => "uncached",
        Path::Cached => "cached",
    };
    let class = match class {
        Class::All => "all",
        Class::Reads => "reads",
        Class::Writes => "writes",
    };
    json!({"path": path, "ios": class})
}

fn verdict(verdict: &Verdict) -> Value {
    let one = |conclusion: &Conclusion| {
        let (kind, limits, decide) = match conclusion {
            Conclusion::At(limits) => ("at", limits.clone(), false),
            Conclusion::NotSeparated {
                limits,
                machines_decide,
            } => ("not-separated", limits.clone(), *machines_decide),
            Conclusion::Above(limits) => ("above", limits.clone(), false),
            Conclusion::None => ("none", Vec::new(), false),
        };
        json!({"kind": kind, "limits": limits, "two_machines_would_decide": decide})
    };
    json!({
        "conclusions": verdict.conclusions.iter().map(one).collect::<Vec<Value>>(),
        "next": verdict.second().map(|one| one.limit),
    })
}

fn sizing(sizing: &Sizing) -> Value {
    let level = |level: &crate::sizing::LevelSize| {
        json!({
            "level": level.level,
            "of": level.of,
            "quota_bytes": level.quota,
            "set_bytes_per_s": level.set,
            "unreachable": level.unreachable,
            "smallest_pool_bytes": level.pool,
            "least_known": level.least_known,
            "sources": sources(&level.sources),
        })
    };
    let disk = |set: &crate::sets::DiskSize| {
        json!({
            "name": set.name,
            "provider": set.provider,
            "count": set.count,
            "gib": set.gib,
            "set_iops_each": set.iops,
            "set_bytes_per_s_each": set.rate,
            "price_a_month": set.month,
            "least_known": set.least_known,
            "sources": sources(&set.sources),
        })
    };
    json!({
        "levels": sizing.levels.iter().map(level).collect::<Vec<Value>>(),
        "without_block_size": sizing.missing.as_ref().map(|without| json!({
            "not_considered": unit(without.unchecked),
            "levels": without.levels,
        })),
        "disks": sizing.sets.disks.iter().map(disk).collect::<Vec<Value>>(),
        "disks_of_several_kinds": sizing.sets.mixed.as_ref().map(|mixed| json!({
            "disks": mixed.disks.iter().map(|(count, name)| json!({"count": count, "name": name})).collect::<Vec<Value>>(),
            "gib": mixed.gib,
            "price_a_month": mixed.month,
            "sources": sources(&mixed.sources),
        })),
        "machine": sizing.sets.machine.as_ref().map(|machine| json!({
            "name": machine.name,
            "provider": machine.provider,
            "vcpus": machine.vcpus,
            "disks_most": machine.disks,
            "price_a_month": machine.month,
            "sources": sources(&machine.sources),
        })),
        "most_of_any_machine": sizing.sets.no_machine.map(|most| match most {
            Rate::Bytes(bytes) => json!({"unit": unit(Metric::Bytes), "value": bytes}),
            Rate::Iops(iops) => json!({"unit": unit(Metric::Iops), "value": iops}),
        }),
        "in_flight": sizing.needs.in_flight,
        "threads": sizing.needs.threads(),
        "response_s": sizing.needs.response,
        "tcp_window_bytes": sizing.needs.window,
    })
}

fn table(table: &Table) -> Value {
    let row =
        |(tib, values): &(f64, Vec<Option<f64>>)| json!({"quota_tib": tib, "bytes_per_s": values});
    json!({
        "levels": table.levels,
        "rows": table.rows.iter().map(row).collect::<Vec<Value>>(),
    })
}
