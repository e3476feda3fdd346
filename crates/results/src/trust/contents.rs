//! Whether what a workload read or wrote was such that compression and deduplication did not help.

use super::{Case, percent};
use crate::summary::labels;
use leadline_model::cure::Knob;
use leadline_model::facts::{Fact, FactKey, placed};
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{Fill, Target};
use leadline_model::units::{Percent, whole};

/// Fewer blocks than these say nothing.
const LEAST: u64 = 8;
/// Zeros from this share on are said; of half and more, the figures are of them.
const ZEROS: Percent = Percent::whole(10);
const HALF: Percent = Percent::whole(50);
/// Repeated blocks from this share on are said: what occurs once in a period of any length is in every second pair at least.
const REPEATED: Percent = Percent::whole(25);
/// What compression saves of written data from this share on is said; of what is read, from [`HALF`] on: data of databases
/// and of machines compress as well.
const COMPRESSIBLE: Percent = Percent::whole(10);

/// A block of a sample is compared with the others of it alone.
const AT_LEAST: &str = "a lower bound: a block whose duplicates were not sampled counts as unique";

/// A share of blocks, as `All` or in percent.
fn share_of(share: Percent) -> String {
    match share >= Percent::whole(100) {
        true => "All".to_owned(),
        false => percent(share.of_one()),
    }
}

/// Shares of a workload's written blocks, by samples.
struct Written {
    sampled: u64,
    repeated: Percent,
    compressible: Percent,
}

/// What samples show of what this workload wrote: of several hosts the most; `None` where too few blocks were looked at.
fn written(case: &Case<'_>) -> Option<Written> {
    let name = &case.plan.name;
    let own = placed(name, case.stage, case.summary.workload);
    let of = |subject: &str| {
        let all = |key: FactKey<'static>| {
            let facts = case.run.facts.iter();
            facts.filter(move |f| f.key() == key && f.subject == subject)
        };
        let sampled = all(FactKey::WRITES_SAMPLED).filter_map(|f| f.value.count());
        let most = |key| all(key).filter_map(|f| f.value.percent()).max();
        Some(Written {
            sampled: sampled.max().filter(|count| *count >= LEAST)?,
            repeated: most(FactKey::WRITES_REPEATED)?,
            compressible: most(FactKey::WRITES_COMPRESSIBLE)?,
        })
    };
    of(&own).or_else(|| of(name))
}

/// What written data are made of, of files with different data those that compress.
fn made_of(case: &Case<'_>) -> &'static str {
    let files = case.plan.blocks().parts.len().max(1);
    let fill = (0..files)
        .map(|file| case.plan.of_file(file).into_owned())
        .find(|w| {
            w.writes() && labels::payload(&w.blocks().payload).entropy_percent < Percent::whole(90)
        })
        .map_or_else(
            || case.plan.blocks().payload.fill.clone(),
            |w| w.blocks().payload.fill.clone(),
        );
    match fill {
        Fill::Zero => "zeros",
        Fill::Pattern(_) => "a repeated pattern",
        Fill::Source { file: Some(_), .. } => "parts of a file",
        Fill::Random | Fill::Source { .. } => "random with a compressible part",
    }
}

/// Codes `compressible-payload` and `repeated-payload` (warn): written data compress by a tenth or more, or blocks equal one
/// another. By samples of what was written; by the plan where there are none, or where it asks for repeats so rare that none
/// was met.
pub(super) fn payload(case: &Case<'_>) -> Option<Finding> {
    if !case.is_real() || !case.plan.blocks().mix.writes() {
        return None;
    }
    let label = case.summary.labels.payload;
    let written = written(case);
    let by_plan = label.entropy_percent.rest();
    let saved = written.as_ref().map_or(by_plan, |w| w.compressible);
    let sampled = written.as_ref().map(|w| w.sampled);
    if saved >= COMPRESSIBLE {
        let basis = sampled.map_or_else(String::new, |count| {
            format!(" (estimated from {count} sampled blocks)")
        });
        return Some(case.finding(
            "compressible-payload",
            Severity::Warn,
            format!(
                "Written data were {}: compression removes {} of them{basis}. A target with compression stored less \
                 than it received.",
                made_of(case),
                match saved >= Percent::ALL {
                    true => "100 %".to_owned(),
                    false => percent(saved.of_one()),
                }
            ),
            (
                "Use random data, unless production data compress equally well.",
                [Knob::RandomData],
            ),
        ));
    }
    let found = written.as_ref().filter(|w| w.repeated > Percent::NONE);
    let what = match found {
        Some(w) => copies_words(w, label.dedupe_percent),
        None if label.dedupe_percent > Percent::NONE => format!(
            "{} % of the written blocks duplicate an earlier one, by the plan.",
            label.dedupe_percent
        ),
        None => return None,
    };
    Some(case.finding(
        "repeated-payload",
        Severity::Warn,
        format!("{what} A target with deduplication stored less than it received."),
        (
            "Use new data in each write, unless production data repeat as often.",
            [Knob::NewData],
        ),
    ))
}

/// How many of the sampled blocks a store that keeps equal blocks once would not keep, beside what the plan has.
fn copies_words(written: &Written, plan: Percent) -> String {
    let copies = whole((written.repeated.of_one() * written.sampled as f64).round());
    if copies + 1 >= written.sampled {
        return format!(
            "All {} sampled blocks of the written data are the same.",
            written.sampled
        );
    }
    let asked = match plan > Percent::NONE {
        true => format!("; the plan asks for {plan} %"),
        false => ", and others may repeat a block that was not sampled".to_owned(),
    };
    format!(
        "{copies} of {} sampled blocks of the written data ({}) had the contents of an earlier one{asked}.",
        written.sampled,
        percent(written.repeated.of_one())
    )
}

/// Codes of parts that were never written, which no device has to read.
pub(super) const NEVER_WRITTEN: [&str; 3] = ["holes", "unwritten-extents", "sparse-on-server"];

/// Whether parts of what is read were never written.
pub(super) fn has_holes(case: &Case<'_>) -> bool {
    let mut found = case.run.findings.iter();
    found.any(|f| NEVER_WRITTEN.contains(&f.code.as_str()))
}

/// Code `same-contents` (warn; fail where half or more are zeros): of the blocks of a target that were looked at after the
/// first stage that reads it, a tenth or more are zeros, a quarter or more are the same as another one, or compression would
/// save half of their bytes. Silent where holes or unwritten extents were found, which are read as zeros.
pub(super) fn alike(case: &Case<'_>) -> Option<Finding> {
    const FILL: &str = "Fill the target with random data first, and measure that.";
    if !case.is_real() || !case.plan.blocks().mix.has_reads() || has_holes(case) {
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
    let said = |severity: Severity, text: String, cure: &'static str| {
        let cure = (cure, [Knob::WriteOnce, Knob::RandomData]);
        case.finding("same-contents", severity, text, cure)
    };
    if let Some((share, count, path)) = worst(FactKey::ZEROS, ZEROS) {
        let severity = match share >= HALF {
            true => Severity::Fail,
            false => Severity::Warn,
        };
        let text = format!(
            "{} of {count} sampled blocks of {path} are zeros: storage with thin provisioning, compression or \
             deduplication does not need its media to read them.",
            share_of(share)
        );
        return Some(said(severity, text, FILL));
    }
    if let Some((share, count, path)) = worst(FactKey::REPEATED, REPEATED) {
        let text = format!(
            "{} of {count} sampled blocks of {path} have the same contents as another one{}: storage with \
             deduplication keeps them once, and reads them from memory.",
            share_of(share),
            match share >= Percent::ALL {
                true => String::new(),
                false => format!(" ({AT_LEAST})"),
            }
        );
        return Some(said(Severity::Warn, text, FILL));
    }
    let (share, count, path) = worst(FactKey::COMPRESSIBLE, HALF)?;
    let text = format!(
        "{count} sampled blocks of {path} compress by {} (estimated): storage with compression reads that much less \
         from its media.",
        percent(share.of_one())
    );
    let cure =
        "Fill the target with random data first, unless production data compress equally well.";
    Some(said(Severity::Warn, text, cure))
}
