//! Whether what a workload read was anything that had to be read.

use super::{Case, percent};
use leadline_model::cure::Knob;
use leadline_model::facts::{Fact, FactKey};
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::Target;
use leadline_model::units::Percent;

/// Fewer blocks than these say nothing.
const LEAST: u64 = 8;
/// Zeros from this share on are said; of half and more, the figures are of them.
const ZEROS: Percent = Percent::whole(10);
const HALF: Percent = Percent::whole(50);

/// A share of blocks, as `All` or in percent.
fn share_of(share: Percent) -> String {
    match share >= Percent::whole(100) {
        true => "All".to_owned(),
        false => percent(share.of_one()),
    }
}

/// Code `same-contents` (warn; fail where half or more are zeros): of the blocks of a target that were looked at after the
/// first stage that reads it, a tenth or more are zeros, or half or more are the same as another one. Silent where holes or
/// unwritten extents were found, which are read as zeros.
pub(super) fn alike(case: &Case<'_>) -> Option<Finding> {
    let of_zeros = ["holes", "unwritten-extents", "sparse-on-server"];
    let explained = |f: &Finding| of_zeros.contains(&f.code.as_str());
    if !case.is_real()
        || !case.plan.blocks().mix.has_reads()
        || case.run.findings.iter().any(explained)
    {
        return None;
    }
    let mine = |f: &&Fact| match &case.plan.blocks().target {
        Target::Paths(paths) => paths.contains(&f.subject),
        _ => true,
    };
    let facts: Vec<&Fact> = case.run.facts.iter().filter(mine).collect();
    let sampled = |path: &str| {
        let of = facts
            .iter()
            .find(|f| f.key() == FactKey::SAMPLED && f.subject == path)?;
        of.value.count().filter(|count| *count >= LEAST)
    };
    let worst = |key: FactKey<'static>, least: Percent| {
        let shares = facts.iter().filter(|f| f.key() == key);
        let shares = shares
            .filter_map(|f| Some((f.value.percent()?, sampled(&f.subject)?, f.subject.as_str())));
        shares
            .filter(|found| found.0 >= least)
            .max_by_key(|found| found.0)
    };
    let cure = (
        "Fill the target with random data first, and measure that.",
        [Knob::WriteOnce, Knob::RandomData],
    );
    if let Some((share, count, path)) = worst(FactKey::ZEROS, ZEROS) {
        let severity = match share >= HALF {
            true => Severity::Fail,
            false => Severity::Warn,
        };
        return Some(case.finding(
            "same-contents",
            severity,
            format!(
                "{} of {count} sampled blocks of {path} are zeros: storage that is thin, compresses or removes duplicates has no \
                 need of its media to read them.",
                share_of(share)
            ),
            cure,
        ));
    }
    let (share, count, path) = worst(FactKey::REPEATED, HALF)?;
    Some(case.finding(
        "same-contents",
        Severity::Warn,
        format!(
            "{} of {count} sampled blocks of {path} have the same contents as another one: storage that removes duplicates \
             keeps them once, and reads them from memory.",
            share_of(share)
        ),
        cure,
    ))
}
