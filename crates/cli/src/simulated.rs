//! Simulated devices in place of a plan's files and devices, on a virtual clock: what a front end's words come
//! to is then known exactly, and takes no time.
//!
//! Belongs here: the exchange of targets. Must never: happen in a build for users, who would read figures of a
//! device that is not there; or decide what a simulated device does.

use leadline_dialect::sim;
use leadline_model::plan::{Amount, EngineKind, Stage, Target, Workload};

/// For tests, in builds for development: a line `TARGET LAW` for each target, `*` for all others.
const ORDER: &str = "LEADLINE_TEST_SIM";

/// Gives the stages' workloads the simulated devices that tests have ordered.
pub(crate) fn exchange(stages: &mut [Stage]) {
    if !cfg!(debug_assertions) {
        return;
    }
    let Ok(order) = std::env::var(ORDER) else {
        return;
    };
    let laws: Vec<(&str, &str)> = order.lines().filter_map(|l| l.split_once(' ')).collect();
    for workload in stages.iter_mut().flat_map(|stage| &mut stage.workloads) {
        let name = match &workload.blocks().target {
            Target::Paths(paths) if paths.len() == 1 => paths[0].as_str(),
            Target::Files(_) => "",
            _ => continue,
        };
        let law = laws.iter().find(|(target, _)| [name, "*"].contains(target));
        if let Some((_, law)) = law {
            put(workload, law);
        }
    }
}

/// Puts a device of this law in a workload's place of I/O; as large as the workload says, unless the law does.
fn put(workload: &mut Workload, law: &str) {
    let mut device = sim::parse(law).unwrap_or_else(|wrong| panic!("{ORDER}: {wrong:?}"));
    if !law.contains("size=") {
        device.size = size(workload).unwrap_or(device.size);
    }
    workload.engine.kind = EngineKind::SIMULATED;
    // It begins empty.
    workload.blocks_mut().region.beyond_end = None;
    workload.blocks_mut().target = Target::Simulated(device);
}

/// How large a workload's files are, where it says so in bytes.
fn size(workload: &Workload) -> Option<u64> {
    let region = &workload.blocks().region;
    match (region.file_size, region.size, region.offset) {
        (Some((_, high)), _, _) => Some(high),
        (None, Some(Amount::Bytes(size)), Amount::Bytes(offset)) => Some(offset + size),
        _ => None,
    }
}
