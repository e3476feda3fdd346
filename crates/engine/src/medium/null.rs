//! Nothing: each I/O completes at once, and only the engine is measured.

use super::{Medium, Opened, Places, nothing};
use crate::host_facts::Cached;
use crate::prepare::{PrepareContext, PrepareError};
use crate::problem::Problems;
use crate::program::Program;
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::{Amount, Target, Workload};

/// The null device.
#[derive(Debug)]
pub(super) struct NullMedium;

impl Medium for NullMedium {
    fn places(
        &self,
        workload: &Workload,
        _worker: u32,
        _host: &mut Cached<'_>,
        problems: &mut Problems,
    ) -> Option<Places> {
        match &workload.blocks().target {
            Target::Null { size } => Some(Places::made_up(1, *size)),
            // Files that a job names are not opened: they are this many bytes.
            Target::Paths(paths) => {
                let files = u64::try_from(paths.len()).unwrap_or(1);
                of_files(workload, files, problems).map(|size| Places::made_up(1, size))
            }
            Target::Files(set) => {
                of_files(workload, set.count.into(), problems).map(|size| Places::made_up(1, size))
            }
            Target::Simulated(_) => {
                problems.add(
                    &workload.name,
                    ErrorCode::PlanConflict,
                    "its target is a simulated device, and its engine does no I/O",
                    "use the simulation engine, or a null target",
                );
                None
            }
        }
    }

    fn open(
        &self,
        programs: &[&Program],
        _context: &mut PrepareContext<'_>,
    ) -> Result<Vec<Opened>, PrepareError> {
        Ok(nothing(programs))
    }
}

/// Bytes of files that are not opened.
fn of_files(workload: &Workload, files: u64, problems: &mut Problems) -> Option<u64> {
    let region = &workload.blocks().region;
    let size = match (region.size, region.file_size) {
        (Some(Amount::Bytes(n @ 1..)), _) => n,
        (_, Some((_, high))) => high.saturating_mul(files),
        _ => {
            problems.add(
                &workload.name,
                ErrorCode::TargetSize,
                "the null engine opens no file, so its size must be given in bytes",
                ("give one", [Knob::Size]),
            );
            return None;
        }
    };
    let steps = region.offset_step.of(size);
    let last = steps.saturating_mul(u64::from(workload.clones));
    Some(
        size.saturating_add(region.offset.of(size))
            .saturating_add(last),
    )
}
