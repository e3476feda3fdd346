//! Whether written data were flushed, and whether first writes cost what later ones do.

use super::data::{memory, working_set};
use super::{Case, percent};
use crate::summary::kernel;
use crate::words::whole;
use leadline_model::cure::Knob;
use leadline_model::facts::FactKey;
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::Op;
use leadline_model::plan::{SyncCadence, SyncMode, Workload};
use leadline_model::units::{Bytes, Nanos};

/// What became of buffered writes, by the kernel's counters.
struct WrittenBack {
    /// What block devices wrote while the stage ran over what the workloads did, 0 to 1; that of other programs is in it.
    share: f64,
    /// Bytes of the page cache that were not written back at the end, of all programs; `None` = the kernel does not say.
    left: Option<u64>,
}

impl WrittenBack {
    /// Whether all of `written` bytes had reached devices at the end.
    fn is_all(&self, written: u64) -> bool {
        let is_little = |left: u64| (left as f64) < 0.01 * written as f64;
        self.share >= 0.99 && self.left.is_some_and(is_little)
    }
}

/// What the hosts' counters say of what was written through the page cache; `None` where a host has no block device below
/// its targets, or nothing was counted.
fn written_back(case: &Case<'_>) -> Option<WrittenBack> {
    let mut stages = case.run.stages.iter();
    let stage = stages.find(|stage| stage.stage == case.stage)?;
    let (mut written, mut taken, mut left) = (0_u64, 0_u64, Some(0_u64));
    for host in kernel::hosts(case.run, stage) {
        let own = |which: &dyn Fn(&Workload) -> bool| {
            kernel::own(case.run, stage, host.host, which).bytes[1]
        };
        let direct = own(&kernel::is_direct);
        let buffered = own(&|w| super::is_real(w) && !kernel::is_direct(w));
        if buffered == 0 {
            continue;
        }
        let mut tops = host.devices.iter().filter(|d| d.is_top).peekable();
        tops.peek()?;
        let on_devices: u64 = tops.map(|device| device.io.bytes[1]).sum();
        written += buffered;
        taken += on_devices.saturating_sub(direct).min(buffered);
        let own_left = kernel::bytes(stage, host.host, FactKey::UNFLUSHED_AFTER);
        left = left.zip(own_left).map(|(sum, own)| sum.saturating_add(own));
    }
    (written > 0).then(|| WrittenBack {
        share: taken as f64 / written as f64,
        left,
    })
}

/// Code `never-flushed` (warn): buffered writes that nothing flushed. How much block devices wrote meanwhile, and how much
/// may still have been in memory at the end, the kernel's counters say where there are any; silent where devices wrote 99 %
/// as much or more, and less than 1 % was left to write.
pub(super) fn never_flushed(case: &Case<'_>) -> Option<Finding> {
    let blocks = case.plan.blocks();
    let written = case.summary.figures.op(Op::Write).map_or(0, |f| f.bytes);
    let synced = blocks.sync != SyncCadence::default()
        || blocks.open.sync != SyncMode::None
        || case.summary.figures.op(Op::Sync).is_some_and(|f| f.ios > 0);
    let buffered = case.summary.labels.client.is_buffered() && !blocks.open.direct;
    let mapped = case.plan.engine.kind.powers().mapped;
    if written == 0 || synced || !buffered || mapped || case.plan.engine.uncached {
        return None;
    }
    let back = written_back(case);
    if back.as_ref().is_some_and(|back| back.is_all(written)) {
        return None;
    }
    // What is written again takes the place of what was there.
    let set = working_set(case).map_or(written, |set| set.min(written));
    let how = match (back, memory(case)) {
        (Some(back), memory) => {
            let most = [memory.map(|m| m.0), back.left];
            let rest = most.into_iter().flatten().fold(set, u64::min);
            format!(
                "block devices wrote {} as much while the stage ran, and up to {} of it may still be there",
                percent(back.share),
                Bytes(rest)
            )
        }
        (None, Some(Bytes(memory))) if set > memory => {
            format!(
                "up to {}, the memory of this host, may still be there",
                Bytes(memory)
            )
        }
        _ if set < written => format!("up to {}, the data set, may still be there", Bytes(set)),
        _ => "all of it may still be there".to_owned(),
    };
    Some(case.finding(
        "never-flushed",
        Severity::Warn,
        format!(
            "{} were written to this host's page cache, and nothing flushed them: {how}. The rate is that of \
             memory as much as of the target.",
            Bytes(written)
        ),
        (
            "Use O_DIRECT, or flush at the end and count that time.",
            [Knob::Direct],
        ),
    ))
}

/// Code `first-pass` (info): the first pass over the blocks was at least 10 % slower or faster than those after it, as
/// the first write to a block is where storage is given on demand. Of sequential writes as fast as they go.
pub(super) fn first_pass(case: &Case<'_>) -> Option<Finding> {
    /// Passes that differ by less are alike.
    const APART: f64 = 0.1;
    let only_writes = case.plan.blocks().mix.writes() && !case.plan.blocks().mix.has_reads();
    let sequential = !case.plan.blocks().access.order.is_random();
    let set = working_set(case).filter(|_| only_writes && sequential)?;
    let rates = super::level::rates(case).filter(|_| case.plan.think.is_none())?;
    let (mut first, mut later) = ((0, Nanos::ZERO), (0, Nanos::ZERO));
    let warmup_ios = case.workers.iter().map(|w| w.warmup_ios).sum::<u64>();
    let mut done = whole(warmup_ios as f64 * case.plan.blocks().mean_size());
    for sample in &rates.samples {
        let bytes = sample.counts.data_bytes();
        let pass = if done + bytes <= set {
            &mut first
        } else {
            &mut later
        };
        done = done.saturating_add(bytes);
        pass.0 += bytes;
        pass.1 = Nanos(pass.1.0 + sample.length.0);
    }
    // A whole pass after the first, or as much as there was of it.
    if first.0 * 2 < set || later.0 < first.0 {
        return None;
    }
    let per_s = |pass: (u64, Nanos)| pass.0 as f64 / pass.1.as_secs_f64().max(1e-9);
    let (one, two) = (per_s(first), per_s(later));
    ((one - two).abs() > APART * one.max(two)).then(|| {
        case.finding(
            "first-pass",
            Severity::Info,
            format!(
                "The first pass over the {} wrote {}, those after it {}: first writes and overwrites take different \
                 times.",
                Bytes(set),
                crate::words::both_per_s(one),
                crate::words::both_per_s(two)
            ),
            (
                "Write the whole set once before you measure overwrites.",
                [Knob::WriteOnce],
            ),
        )
    })
}
