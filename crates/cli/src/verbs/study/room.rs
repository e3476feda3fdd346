//! The data set of a study beside the room that its targets have.
//!
//! Belongs here: what is too large is refused, and what was not asked for is made smaller. Must never: look at hosts other
//! than this one.

use crate::fleet::HostsRequest;
use crate::verbs::measure;
use crate::verbs::targets::{at_most, room_on};
use leadline_model::plan::study::{Study, StudyPlace};
use leadline_model::plan::{Stage, Target};
use leadline_model::units::Bytes;
use leadline_results::study::studies;
use std::path::Path;

/// A target that has less room than another.
struct Room {
    /// Its name.
    target: String,
    bytes: u64,
}

/// Makes a set that has the usual size as small as its targets need, but not smaller than `most_used`, in bytes.
pub(super) fn make_fit(study: &mut Study, most_used: u64, hosts: &HostsRequest) {
    let own = study.arms.iter().filter_map(|arm| arm.place.as_ref());
    for place in own.chain([&study.scope.place]) {
        if let (StudyPlace::Directory(directory), true) = (place, hosts.hosts.is_empty()) {
            study.scope.dataset = measure::fitting(study.scope.dataset, Path::new(directory));
        }
    }
    let mut stages = studies::outlook(study);
    // What is wrong with its targets is said later.
    let resolved = hosts.targets.resolve_part(&mut stages);
    if let (Ok(()), Some(least)) = (resolved, least(&stages, hosts)) {
        study.scope.dataset = study.scope.dataset.min(least.bytes);
    }
    study.scope.dataset = study.scope.dataset.max(most_used);
}

/// What is wrong with a set that one of the targets of its stages cannot hold.
pub(super) fn too_large(study: &Study, stages: &[Stage], hosts: &HostsRequest) -> Option<String> {
    let least = least(stages, hosts).filter(|room| room.bytes < study.scope.dataset)?;
    Some(format!(
        "error[large-dataset]: the data set of {} does not fit on {}, which has {}\n  hint: --dataset {} or less",
        Bytes(study.scope.dataset),
        least.target,
        Bytes(least.bytes),
        at_most(least.bytes)
    ))
}

/// The target with the least room, of those whose room is known.
fn least(stages: &[Stage], hosts: &HostsRequest) -> Option<Room> {
    let workloads = stages.iter().flat_map(|stage| &stage.workloads);
    let rooms = workloads.filter_map(|workload| room(&workload.blocks().target, hosts));
    rooms.min_by_key(|room| room.bytes)
}

/// The room of a target, where that is known.
fn room(target: &Target, hosts: &HostsRequest) -> Option<Room> {
    let bytes = room_on(target, hosts.hosts.is_empty())?;
    let target = match target {
        Target::Simulated(simulated) => format!("sim:{}", simulated.law),
        Target::Paths(paths) => paths.join(" "),
        _ => return None,
    };
    Some(Room { target, bytes })
}
