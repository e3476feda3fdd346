//! Checks of a workload against what is on this host: directories, files, sources of data, devices, the user's
//! rights, each with its cure. Must never repair silently, or change anything.

use super::facts::{Cached, HostFacts, PathKind};
use super::problems::Problems;
use super::region::active_sizes;
use super::{FilePlan, offsets, powers};
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::access::Sizes;
use leadline_model::plan::{FileSet, Fill, Order, Workload};
use leadline_model::units::Bytes;
use std::path::Path;

/// What to do about a device that is missing.
pub(super) const CHECK_ITS_NAME: &str =
    "check its name (lsblk): a file made here would be in memory, not on a disk";

/// The directories of a file set exist; those for files of leadline's own can be made.
pub(super) fn directories(
    name: &str,
    (set, own): (&FileSet, bool),
    cached: &mut Cached<'_>,
    problems: &mut Problems,
) {
    for directory in &set.directories {
        let shown = if directory.is_empty() {
            "."
        } else {
            directory.as_str()
        };
        match cached.kind(Path::new(shown)) {
            PathKind::Missing if cached.host.among_devices(Path::new(shown)) => problems.add(
                name,
                ErrorCode::TargetMissing,
                format!("there is no device {shown}"),
                CHECK_ITS_NAME,
            ),
            PathKind::Missing if own => {}
            PathKind::Missing => problems.add(
                name,
                ErrorCode::TargetMissing,
                format!("the directory {shown} does not exist"),
                format!("mkdir -p {shown}"),
            ),
            PathKind::File { .. } | PathKind::Block { .. } => problems.add(
                name,
                ErrorCode::TargetKind,
                format!("{shown} is not a directory"),
                "give a directory that exists",
            ),
            PathKind::Other(what) if !what.contains("directory") => problems.add(
                name,
                ErrorCode::TargetKind,
                format!("{shown} is {what}, not a directory"),
                "give a directory that exists",
            ),
            PathKind::Unreachable(_) | PathKind::Other(_) => {}
        }
    }
    if set.count == 0 {
        problems.add(
            name,
            ErrorCode::PlanValue,
            "it has 0 files",
            ("give it one at least", [Knob::FileCount]),
        );
    }
}

/// Block sizes and offsets against each file.
pub(super) fn files(
    w: &Workload,
    files: &[FilePlan],
    pretended: bool,
    host: &dyn HostFacts,
    problems: &mut Problems,
) {
    for (index, file) in files.iter().enumerate() {
        let w = &*w.of_file(index);
        let shown = if pretended {
            "the target".to_owned()
        } else {
            file.path.display().to_string()
        };
        for (what, sizes, _) in active_sizes(w) {
            // Behind the end of a file there may be nothing left to do.
            let nothing = file.extent.len == 0 && w.blocks().region.beyond_end.is_some();
            let used = file.walked().len.min(file.extent.len);
            if sizes.min() > used && !nothing {
                problems.add(
                    &w.name,
                    ErrorCode::TargetSize,
                    format!(
                        "{shown}: the {what} block size {} is larger than the part used, {}",
                        Bytes(sizes.min()),
                        Bytes(used)
                    ),
                    (
                        "use a larger part, or smaller blocks",
                        [Knob::Size, Knob::Range, Knob::BlockSize],
                    ),
                );
            }
        }
    }
    if !pretended {
        fixed(w, files, host, problems);
    }
}

/// Whether the workers may have their priorities, whatever they do I/O to.
pub(super) fn priority(w: &Workload, host: &dyn HostFacts, problems: &mut Problems) {
    if let Some(refused) = host.priority_refused(&w.placement) {
        problems.note(
            &w.name,
            ErrorCode::Permission,
            refused,
            (
                "run as a user who may (CAP_SYS_NICE), or ask for less",
                [Knob::Nice, Knob::IoPriority],
            ),
            true,
        );
    }
}

/// Whether the files are there from which writes take their data.
pub(super) fn sources(w: &Workload, cached: &mut Cached<'_>, problems: &mut Problems) {
    if !cached.host.is_known() || !w.writes() {
        return;
    }
    let own = w.blocks().parts.iter().filter_map(|p| p.payload.as_ref());
    for payload in own.chain([&w.blocks().payload]) {
        let Fill::Source {
            file: Some(path), ..
        } = &payload.fill
        else {
            continue;
        };
        let text = match cached.kind(Path::new(path)) {
            PathKind::Missing => format!("there is no file {path} to write from"),
            PathKind::File { size: 0 } => {
                format!("{path} is empty: there is nothing to write from it")
            }
            _ => continue,
        };
        problems.note(
            &w.name,
            ErrorCode::TargetMissing,
            text,
            ("name a file with data in it", [Knob::DataSource]),
            true,
        );
    }
}

/// What the place of each file asks for, whatever lies there.
pub(super) fn fixed(
    w: &Workload,
    files: &[FilePlan],
    host: &dyn HostFacts,
    problems: &mut Problems,
) {
    for (index, file) in files.iter().enumerate() {
        let w = &*w.of_file(index);
        let shown = file.path.display().to_string();
        alignment(w, file, &shown, host, problems);
        polling(w, file, &shown, host, problems);
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
    if powers::polls_queue(w) && w.blocks().open.direct && host.polls(&file.path) == Some(false) {
        problems.note(
            &w.name,
            ErrorCode::HostLacks,
            format!("{shown}: its device has no queues to poll for completions (hipri)"),
            (
                "do not poll; it needs a driver with poll queues (nvme.poll_queues=N or \
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
    host: &dyn HostFacts,
    problems: &mut Problems,
) {
    let block = match file.kind {
        PathKind::Block { logical_block, .. } => logical_block,
        _ if w.blocks().open.direct => host.direct_align(&file.path).unwrap_or(512),
        _ => 1,
    };
    let unit = u64::from(block.max(1));
    let is_block = matches!(file.kind, PathKind::Block { .. });
    let mut found: Vec<String> = Vec::new();
    for (what, sizes, align) in active_sizes(w) {
        if !(w.blocks().open.direct || is_block && what == "trim") {
            continue;
        }
        for size in unaligned(sizes, unit) {
            found.push(format!("{what} block size {size}"));
        }
        if let Some(a) = align
            && a % unit != 0
        {
            found.push(format!("{what} blockalign {a}"));
        }
    }
    let starts = [
        Some(file.walked().start),
        file.turn.map(|turn| turn.fold.to),
    ];
    for start in starts.into_iter().flatten() {
        if w.blocks().open.direct && !start.is_multiple_of(unit) {
            found.push(format!("offset {start}"));
        }
    }
    if w.blocks().open.direct {
        found.extend(offsets::unaligned(w, unit));
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
                "{shown}: {} is not a multiple of its logical block of {unit} bytes",
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
        } if *unaligned => vec![min + 1, *max],
        Sizes::Range { min, max, .. } => vec![*min, *max],
        Sizes::Split(parts) => parts.iter().filter(|p| p.1 > 0).map(|p| p.0).collect(),
    };
    all.into_iter().filter(|n| n % unit != 0).collect()
}
