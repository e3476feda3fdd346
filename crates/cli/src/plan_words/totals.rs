//! The totals of a plan in words.
//!
//! Belongs here: stages, time and bytes of all. Must never: say as certain what depends on how fast a target is.

use super::count_of;
use super::written::{WrittenBytes, bytes_written, shown};
use leadline_model::op::Op;
use leadline_model::plan::study::Study;
use leadline_model::plan::{
    Amount, EndsOthers, HostSpec, OpMix, Order, Plan, Position, Region, Stage, Target, Until,
    Workload,
};
use leadline_model::units::{Bytes, Nanos};
use leadline_results::study::studies::may_add;
use std::collections::BTreeMap;

/// The totals: stages, time, and data written.
pub(super) fn total(plan: &Plan) -> String {
    let all = || plan.stages.iter().flat_map(|stage| &stage.workloads);
    let bytes = |w: &Workload| bytes_written(w, &plan.hosts);
    let again = |stage: &Stage| WrittenBytes {
        bytes: recreated(stage, &plan.hosts),
        is_about: false,
    };
    let each = all().filter_map(bytes).chain(plan.stages.iter().map(again));
    let known = each.fold(WrittenBytes::NONE, WrittenBytes::and);
    let open = all().any(|w| bytes(w).is_none());
    let written = match (known.bytes < 1.0, open) {
        (_, false) => format!("{}{}", known.words(), at_a_gib_per_s(known.bytes)),
        (true, true) => "as much as the targets' speed allows".to_owned(),
        (false, true) => format!(
            "{}{}, plus as much as the targets' speed allows",
            shown(known.bytes),
            at_a_gib_per_s(known.bytes)
        ),
    };
    let times: Vec<Option<Nanos>> = plan.stages.iter().map(Stage::length).collect();
    let sum = |all: u64, time: &Nanos| all.saturating_add(time.0);
    let known = times.iter().flatten().fold(0, sum);
    let known = bound(known, plan.study.as_deref());
    let length = match times.iter().filter(|time| time.is_none()).count() {
        0 => known,
        open if open == times.len() => "as long as the targets take".to_owned(),
        1 => format!("{known}, and 1 stage until it is done"),
        open => format!("{known}, and {open} stages until they are done"),
    };
    let stages = match plan.stages.len() {
        1 => "1 stage".to_owned(),
        n => format!("{n} stages"),
    };
    let (more_time, more_bytes) = match laid_out(plan) {
        Layout::Nothing => ("", ""),
        Layout::Recreates => (CREATES, ""),
        Layout::Completes => (CREATES, ", plus files that are missing or too short"),
    };
    format!("total: {stages}; time: {length}{more_time}; data written: {written}{more_bytes}\n")
}

/// The time that no stage has in it.
const CREATES: &str = ", plus the time to create files";

/// What happens to files before a stage runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Layout {
    /// Nothing.
    Nothing,
    /// They are re-created with bytes that are known.
    Recreates,
    /// What they lack is written, which depends on what there is.
    Completes,
}

/// What happens to files beside what the stages do: nothing where a stage before writes all of a file that is read, as the
/// fill of a survey does, whose time and bytes are counted already.
fn laid_out(plan: &Plan) -> Layout {
    let mut filled: Vec<&Workload> = Vec::new();
    let mut most = Layout::Nothing;
    for stage in &plan.stages {
        for w in &stage.workloads {
            let layout = layout(w);
            // One that overwrites its files writes them twice where they are missing.
            let is_counted = only_writes_on(w) && !w.blocks().prepare.overwrite
                || filled.iter().any(|full| has_filled(full, w));
            if layout == Layout::Recreates || !is_counted {
                most = most.max(layout);
            }
        }
        // Files get their size before any workload of the stage runs.
        filled.extend(stage.workloads.iter().filter(|w| fills(w, stage)));
    }
    most
}

/// Whether a workload writes its files from the start on, so that nothing is written to them beforehand.
fn only_writes_on(w: &Workload) -> bool {
    let blocks = w.blocks();
    !blocks.access.order.is_random()
        && blocks.mix == OpMix::Only(Op::Write)
        && w.stop.runtime.is_none()
        && !blocks.prepare.create_only
}

/// Whether the files of a workload have all their bytes after the stage.
fn fills(w: &Workload, stage: &Stage) -> bool {
    let Region {
        size,
        until_full,
        end,
        wrap,
        // Where it is, and how large: `reach` says.
        offset: _,
        offset_step: _,
        file_size: _,
        offset_align: _,
        beyond_end: _,
    } = &w.blocks().region;
    let enough = |bytes: Amount| match (bytes, size) {
        (Amount::Bytes(bytes), Some(Amount::Bytes(size))) => bytes >= *size,
        (Amount::Percent(percent), _) => percent >= 100,
        (Amount::Bytes(_), _) => false,
    };
    let is_alone = stage.workloads.len() == 1 && w.clones == 1;
    let ends_early = stage.until != Until::default()
        || stage
            .workloads
            .iter()
            .any(|w| w.stop.ends_others != EndsOthers::None && !is_alone);
    let prepare = &w.blocks().prepare;
    only_writes_on(w)
        && w.blocks().access.order == (Order::Sequential { skip: 0 })
        && w.stop.io_bytes.is_none_or(enough)
        && w.stop.ios.is_none()
        && !(*until_full || ends_early || prepare.unlink || prepare.unlink_each_loop)
        && end.is_none()
        && wrap.is_none()
}

/// Whether one that has filled its files has left none that is too short for another.
fn has_filled(full: &Workload, w: &Workload) -> bool {
    let own_files = matches!(w.blocks().target, Target::Files(_));
    full.blocks().target == w.blocks().target
        && full.blocks().region.file_size == w.blocks().region.file_size
        && (!own_files || full.clones >= w.clones)
        && reach(w).is_some_and(|end| reach(full).is_some_and(|full| full >= end))
}

/// The byte after the last that any worker uses, over all files; `None` = it follows from what is there.
fn reach(w: &Workload) -> Option<u64> {
    let known = |amount: Amount| match amount {
        Amount::Bytes(bytes) => Some(bytes),
        Amount::Percent(0) => Some(0),
        Amount::Percent(_) => None,
    };
    let blocks = w.blocks();
    let region = &blocks.region;
    // Of files with parts of their own each has another end.
    if region.wrap.is_some() || !blocks.parts.is_empty() {
        return None;
    }
    let last = known(region.offset_step)?.saturating_mul(u64::from(w.clones.saturating_sub(1)));
    let start = known(region.offset)?.saturating_add(last);
    // Each file has the offset.
    let starts = start.saturating_mul(blocks.target.files() as u64);
    Some(starts.saturating_add(known(region.size?).filter(|size| *size > 0)?))
}

/// What happens to the files of a workload before it runs.
fn layout(w: &Workload) -> Layout {
    match &w.blocks().target {
        Target::Null { size: _ } | Target::Simulated(_) => return Layout::Nothing,
        Target::Paths(_) | Target::Files(_) => {}
    }
    // Without parts, of all files.
    let files = 0..w.blocks().parts.len().max(1);
    let of = |file: usize| {
        let own = w.of_file(file);
        let blocks = own.blocks();
        if blocks.prepare.recreate.is_some() {
            return Layout::Recreates;
        }
        // Only a job of fio's leaves files alone then; others make one that is there as large as they need it.
        let grows = blocks.access.position != Position::EachKind
            && matches!(blocks.region.size, Some(Amount::Bytes(1..)));
        match blocks.prepare.create || grows {
            true => Layout::Completes,
            false => Layout::Nothing,
        }
    };
    files.map(of).max().unwrap_or(Layout::Nothing)
}

/// Bytes of the files that are re-created before a stage, each once, however many workloads of a host name it.
fn recreated(stage: &Stage, hosts: &[HostSpec]) -> f64 {
    let mut named: BTreeMap<&str, f64> = BTreeMap::new();
    let mut own = 0.0;
    for w in &stage.workloads {
        let of = |file: usize| {
            let size = w.of_file(file).blocks().prepare.recreate.unwrap_or(0);
            size as f64 * count_of(w, hosts) as f64
        };
        match &w.blocks().target {
            Target::Paths(paths) => {
                for (file, path) in paths.iter().enumerate() {
                    let bytes = named.entry(path).or_default();
                    *bytes = bytes.max(of(file));
                }
            }
            Target::Files(set) => own += of(0) * f64::from(set.count) * f64::from(w.clones),
            Target::Null { size: _ } | Target::Simulated(_) => {}
        }
    }
    own + named.into_values().sum::<f64>()
}

/// How long that many bytes take at a known rate, where that is worth a thought: the targets' own is not known before.
pub(super) fn at_a_gib_per_s(bytes: f64) -> String {
    const LEAST: f64 = 64.0;
    let seconds = bytes / Bytes::GIB as f64;
    match seconds < LEAST {
        true => String::new(),
        false => {
            let nanos = leadline_results::words::whole(seconds * 1e9);
            format!(" ({} at 1 GiB/s)", length(nanos))
        }
    }
}

/// What is known of the time of all: of a study that chooses more points by what it measures no bound but its budget.
fn bound(known: u64, study: Option<&Study>) -> String {
    match study.filter(|study| may_add(study)) {
        None => format!("{} at most", length(known)),
        Some(study) => match study.timing.budget {
            Some(budget) => format!("{} at most, the budget", length(budget.0)),
            None => format!("{} without adaptive points", length(known)),
        },
    }
}

/// `12 min 30 s`.
fn length(ns: u64) -> String {
    let seconds = ns / 1_000_000_000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, _) => Nanos(ns).to_string(),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// What a case changes of the two.
    type Change<'a> = dyn Fn(&mut Workload, &mut Workload) + 'a;

    /// `--rw=write --size=8m`, and reads of the same.
    fn pair() -> (Workload, Workload) {
        let mut read = Workload::new("b", Target::Paths(vec!["/mnt/q".into()]));
        read.blocks_mut().region.size = Some(Amount::Bytes(8 * MIB));
        let mut write = read.clone();
        write.name = "a".into();
        write.blocks_mut().mix = OpMix::Only(Op::Write);
        (write, read)
    }

    fn in_stages(stages: Vec<Vec<Workload>>) -> Plan {
        let of = |workloads| Stage {
            workloads,
            ..Stage::default()
        };
        leadline_testkit::plan(stages.into_iter().map(of).collect())
    }

    #[test]
    fn what_a_stage_before_has_not_filled_is_laid_out() {
        let after = |change: &Change<'_>| {
            let (mut write, mut read) = pair();
            change(&mut write, &mut read);
            laid_out(&in_stages(vec![vec![write], vec![read]]))
        };
        let offset = |bytes| Amount::Bytes(bytes * MIB);
        let filled: [&Change<'_>; 6] = [
            &|_, _| {},
            &|a, _| a.stop.io_bytes = Some(Amount::Bytes(8 * MIB)),
            &|a, _| a.stop.io_bytes = Some(Amount::Percent(100)),
            &|a, _| a.blocks_mut().region.offset = offset(8),
            &|a, b| {
                a.blocks_mut().region.size = Some(offset(16));
                b.blocks_mut().region.offset = offset(8);
            },
            // Workers without regions of their own are on the same bytes.
            &|_, b| b.clones = 2,
        ];
        for (number, change) in filled.into_iter().enumerate() {
            assert_eq!(after(change), Layout::Nothing, "{number}");
        }
        let missing: [&Change<'_>; 10] = [
            &|_, b| b.blocks_mut().region.offset = offset(8),
            &|_, b| b.blocks_mut().region.offset = Amount::Percent(50),
            &|_, b| (b.clones, b.blocks_mut().region.offset_step) = (2, offset(8)),
            &|a, _| a.stop.io_bytes = Some(Amount::Bytes(MIB)),
            &|a, _| a.stop.io_bytes = Some(Amount::Percent(50)),
            &|a, _| a.stop.ios = Some(10),
            &|a, _| a.blocks_mut().prepare.unlink = true,
            &|a, _| a.blocks_mut().access.order = Order::Sequential { skip: 4096 },
            &|a, b| {
                // The last ends at 8 MiB.
                (a.clones, b.clones) = (2, 2);
                a.blocks_mut().region.size = Some(offset(4));
                a.blocks_mut().region.offset_step = offset(4);
                b.blocks_mut().region.offset_step = offset(4);
            },
            &|a, _| {
                a.clones = 2;
                a.stop.ends_others = EndsOthers::Stage;
            },
        ];
        for (number, change) in missing.into_iter().enumerate() {
            assert_eq!(after(change), Layout::Completes, "{number}");
        }
    }

    /// The files of a stage are laid out before any of its workloads writes.
    #[test]
    fn a_workload_of_the_same_stage_fills_no_file() {
        let (write, read) = pair();
        for both in [[write.clone(), read.clone()], [read.clone(), write.clone()]] {
            assert_eq!(laid_out(&in_stages(vec![both.to_vec()])), Layout::Completes);
        }
        let mut until = in_stages(vec![vec![write], vec![read]]);
        assert_eq!(laid_out(&until), Layout::Nothing);
        until.stages[0].until.moved = Some(MIB);
        assert_eq!(laid_out(&until), Layout::Completes);
    }
}
