//! Checks of a workload against what is on this host, whatever its targets are: room for its blocks, sources of data,
//! the user's rights, each with its cure. Must never repair silently, or change anything.

use crate::host_facts::{Cached, HostFacts, PathKind};
use crate::problem::Problems;
use crate::program::FilePlan;
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::{Fill, UsedSizes, Workload};
use leadline_model::units::Bytes;
use std::path::Path;

/// Block sizes against the part of each target that is used.
pub(super) fn against(w: &Workload, files: &[FilePlan], pretended: bool, problems: &mut Problems) {
    for (index, file) in files.iter().enumerate() {
        let w = &*w.of_file(index);
        let shown = if pretended {
            "the target".to_owned()
        } else {
            file.path.display().to_string()
        };
        for UsedSizes {
            what,
            sizes,
            align: _,
        } in w.blocks().used_sizes()
        {
            // Past the end of a file there may be nothing left to do.
            let nothing = file.extent.len == 0 && w.blocks().region.beyond_end.is_some();
            let used = file.walked().len.min(file.extent.len);
            if sizes.min() > used && !nothing {
                problems.add(
                    &w.name,
                    ErrorCode::TargetSize,
                    format!(
                        "{shown}: the {what} block size {} is larger than the used range, {}",
                        Bytes(sizes.min()),
                        Bytes(used)
                    ),
                    (
                        "use a larger range, or smaller blocks",
                        [Knob::Size, Knob::Range, Knob::BlockSize],
                    ),
                );
            }
        }
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
                "run with CAP_SYS_NICE, or use a lower priority",
                [Knob::Nice, Knob::IoPriority],
            ),
            true,
        );
    }
}

/// The files from which writes take their data.
pub(super) fn source_files(w: &Workload) -> impl Iterator<Item = &str> {
    let own = w.blocks().parts.iter().filter_map(|p| p.payload.as_ref());
    let all = own.chain([&w.blocks().payload]).filter(|_| w.writes());
    all.filter_map(|payload| match &payload.fill {
        Fill::Source {
            file,
            // Memory that all workers need: `means`.
            size: _,
        } => file.as_deref(),
        Fill::Random | Fill::Zero | Fill::Pattern(_) => None,
    })
}

/// Whether the files are there from which writes take their data.
pub(super) fn sources(w: &Workload, cached: &mut Cached<'_>, problems: &mut Problems) {
    if !cached.host.is_known() || !w.writes() {
        return;
    }
    for path in source_files(w) {
        let text = match cached.kind(Path::new(path)) {
            PathKind::Missing => format!("the data source {path} does not exist"),
            PathKind::File { size: 0 } => {
                format!("{path} is empty: it has no data to write")
            }
            PathKind::Other(what) if what.contains("directory") => {
                format!("{path} is {what}: it has no data to write")
            }
            PathKind::Unreachable(what) => format!("{path} cannot be reached: {what}"),
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
