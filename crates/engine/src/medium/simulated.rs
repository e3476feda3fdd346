//! A device that is computed, on a clock of its own (`run::simulate`).

use super::{Medium, Opened, Places, TimeBase, nothing};
use crate::host_facts::Cached;
use crate::prepare::{PrepareContext, PrepareError};
use crate::problem::Problems;
use crate::program::Program;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::{Target, Workload};

/// Simulated devices.
#[derive(Debug)]
pub(super) struct SimulatedMedium;

impl Medium for SimulatedMedium {
    fn time(&self) -> TimeBase {
        TimeBase::Virtual
    }

    fn places(
        &self,
        workload: &Workload,
        _worker: u32,
        _host: &mut Cached<'_>,
        problems: &mut Problems,
    ) -> Option<Places> {
        let Target::Simulated(target) = &workload.blocks().target else {
            problems.add(
                &workload.name,
                ErrorCode::PlanConflict,
                "the sim engine needs a simulated device as its target",
                "name a simulated device, or choose another engine",
            );
            return None;
        };
        Some(Places::made_up(target.files.len().max(1), target.bytes()))
    }

    fn open(
        &self,
        programs: &[&Program],
        _context: &mut PrepareContext<'_>,
    ) -> Result<Vec<Opened>, PrepareError> {
        Ok(nothing(programs))
    }
}
