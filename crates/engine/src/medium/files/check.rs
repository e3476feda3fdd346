//! What each file asks of the I/O on it, whatever is there: alignment, queues to poll; and what it does not take.
//!
//! Belongs here: checks that need the host, each with its cure. Must never repair silently, or change anything.

use crate::host_facts::{Cached, HostFacts, Number, PathKind};
use crate::problem::{self, Problems};
use crate::program::FilePlan;
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::op::Op;
use leadline_model::plan::access::Sizes;
use leadline_model::plan::{Begin, Grid, Order, Power, UsedSizes, Workload};

/// What the place of each file asks for, whatever is there.
pub(super) fn each(
    w: &Workload,
    files: &[FilePlan],
    host: &mut Cached<'_>,
    problems: &mut Problems,
) {
    for (index, file) in files.iter().enumerate() {
        let w = &*w.of_file(index);
        let shown = file.path.display().to_string();
        alignment(w, file, &shown, host, problems);
        polling(w, file, &shown, host.host, problems);
        marks(w, file, &shown, host, problems);
    }
}

/// What the kernel does not take of the I/Os, by the file system, device and kernel.
fn marks(
    w: &Workload,
    file: &FilePlan,
    shown: &str,
    host: &mut Cached<'_>,
    problems: &mut Problems,
) {
    let powers = w.engine.kind.powers();
    let open = &w.blocks().open;
    let missing = file.kind == PathKind::Missing;
    let mut lacks = Vec::new();
    for power in [Power::Nowait, Power::Uncached, Power::AtomicWrites] {
        let asked = power.is_asked(&w.engine, open) && powers.has(power);
        if asked && host.takes(&file.path, missing, power) == Some(false) {
            lacks.extend(problem::not_taken(power));
        }
    }
    let through_cache = w.engine.nowait && powers.has(Power::Nowait) && !open.direct;
    if lacks.is_empty()
        && through_cache
        && w.blocks().mix.has(Op::Write)
        && host.takes_buffered_nowait_writes(&file.path, missing) == Some(false)
    {
        let cure = (
            "turn it off, or bypass the page cache",
            [Knob::MayWait, Knob::Direct],
        );
        let text = "this file system or kernel does not support RWF_NOWAIT for writes through the page cache";
        lacks.push((text, cure.into()));
    }
    if powers.mapped && host.maps(&file.path, missing) == Some(false) {
        let cure = ("use an engine that does not map files", [Knob::NotMapped]);
        lacks.push(("this file system cannot map files", cure.into()));
    }
    for (text, cure) in lacks {
        let text = format!("{shown}: {text}");
        problems.note(&w.name, ErrorCode::HostLacks, text, cure, true);
    }
}

/// A device is polled by queues of their own.
fn polling(
    w: &Workload,
    file: &FilePlan,
    shown: &str,
    host: &dyn HostFacts,
    problems: &mut Problems,
) {
    if w.engine.polls_queue() && w.blocks().open.direct && host.polls(&file.path) == Some(false) {
        problems.note(
            &w.name,
            ErrorCode::HostLacks,
            format!("{shown}: there is no device with poll queues below it"),
            (
                "turn polling off; it needs a driver with poll queues (nvme.poll_queues=N or \
                 virtio_blk.num_poll_queues=N at boot)",
                [Knob::NoPolling],
            ),
            true,
        );
    }
}

/// O_DIRECT and trims work in whole logical blocks.
fn alignment(
    w: &Workload,
    file: &FilePlan,
    shown: &str,
    host: &mut Cached<'_>,
    problems: &mut Problems,
) {
    let missing = file.kind == PathKind::Missing;
    let mut of_direct = || host.number(&file.path, missing, Number::DirectAlign);
    let block = match file.kind {
        PathKind::Block { logical_block, .. } => logical_block.into(),
        _ if w.blocks().open.direct => of_direct().unwrap_or(512),
        _ => 1,
    };
    let unit: u64 = block.max(1);
    let is_block = matches!(file.kind, PathKind::Block { .. });
    let mut found: Vec<String> = Vec::new();
    for UsedSizes { what, sizes, align } in w.blocks().used_sizes() {
        if !(w.blocks().open.direct || is_block && what == "trim") {
            continue;
        }
        for size in unaligned(sizes, unit) {
            found.push(format!("{what} block size {size}"));
        }
        if let Some(a) = align
            && a % unit != 0
        {
            found.push(format!("{what} alignment {a}"));
        }
    }
    let starts = [
        Some(file.walked().start),
        file.wrap_around.map(|turn| turn.wrap.to),
    ];
    for start in starts.into_iter().flatten() {
        if w.blocks().open.direct && !start.is_multiple_of(unit) {
            found.push(format!("offset {start}"));
        }
    }
    if w.blocks().open.direct {
        found.extend(offsets(w, unit));
    }
    if let Order::Sequential { skip } = w.blocks().access.order
        && w.blocks().open.direct
        && skip.unsigned_abs() % unit != 0
    {
        found.push(format!("skip {skip}"));
    }
    if !found.is_empty() {
        problems.add(
            &w.name,
            ErrorCode::Alignment,
            format!(
                "{shown}: {} is not a multiple of its logical block size of {unit} bytes",
                found.join(", ")
            ),
            (
                format!("use multiples of {unit}, or buffered I/O"),
                [Knob::Buffered],
            ),
        );
    }
}

/// The sizes of a set that are no multiple of `unit`.
fn unaligned(sizes: &Sizes, unit: u64) -> Vec<u64> {
    let all: Vec<u64> = match sizes {
        Sizes::Fixed(n) => vec![*n],
        Sizes::Range {
            min,
            max,
            unaligned,
        } => match unaligned {
            true => vec![min + 1, *max],
            false => vec![*min, *max],
        },
        Sizes::Split(parts) => parts.iter().filter(|p| p.1 > 0).map(|p| p.0).collect(),
    };
    all.into_iter().filter(|n| n % unit != 0).collect()
}

/// What is no multiple of a logical block of `unit` bytes.
fn offsets(w: &Workload, unit: u64) -> Vec<String> {
    let mut found = Vec::new();
    let mut look = |what: &str, bytes: u64| {
        if !bytes.is_multiple_of(unit) {
            found.push(format!("{what} {bytes}"));
        }
    };
    let access = &w.blocks().access;
    match access.grid {
        Grid::Bytes(bytes) if access.order.is_random() => look("alignment", bytes),
        Grid::Bytes(_) | Grid::Sizes | Grid::Own => {}
    }
    match access.begin {
        Begin::Apart(bytes) if !access.order.is_random() => look("distance between workers", bytes),
        Begin::Apart(_) | Begin::Start | Begin::Random => {}
    }
    found
}
