//! The data set of a study beside the room that its targets have.
//!
//! Belongs here: what is too large is refused, and what was not asked for is made smaller. Must never: look at hosts other
//! than this one.

use crate::fleet::HostsRequest;
use crate::verbs::measure;
use crate::verbs::targets::{at_most, room_on};
use leadline_model::plan::study::{Question, Study, StudyPlace};
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
        let left = least.bytes.saturating_sub(beside(study));
        // What does not fit at any size is said later.
        if left > 0 {
            study.scope.dataset = study.scope.dataset.min(left);
        }
    }
    study.scope.dataset = study.scope.dataset.max(most_used);
}

/// What is wrong with a set that one of the targets of its stages cannot hold.
pub(super) fn too_large(study: &Study, stages: &[Stage], hosts: &HostsRequest) -> Option<String> {
    let (dataset, beside) = (study.scope.dataset, beside(study));
    let least = least(stages, hosts).filter(|room| room.bytes < dataset.saturating_add(beside))?;
    let (target, has) = (least.target, Bytes(least.bytes));
    let dataset = Bytes(dataset);
    Some(match (beside, least.bytes.saturating_sub(beside)) {
        (0, left) => format!(
            "error[large-dataset]: the data set of {dataset} does not fit on {target}, which has {has}\n  hint: \
             --dataset {} or less",
            at_most(left)
        ),
        (more, 0) => format!(
            "error[large-dataset]: {} beside the data set, to displace the content of a cache (--server-cache), do not \
             fit on {target}, which has {has}\n  hint: use a larger volume, or a directory",
            Bytes(more)
        ),
        (more, left) => format!(
            "error[large-dataset]: the data set of {dataset}, and {} beside it to displace the content of a cache \
             (--server-cache), do not fit on {target}, which has {has}\n  hint: --dataset {} or less",
            Bytes(more),
            at_most(left)
        ),
    })
}

/// Bytes that a study reads beyond the set on the same volume; in a directory they are in files of their own.
fn beside(study: &Study) -> u64 {
    let mut places = study.arms.iter().filter_map(|arm| arm.place.as_ref());
    let is_volume = |place: &StudyPlace| matches!(place, StudyPlace::Paths(_));
    match study.question {
        Question::Cache { displace } if is_volume(&study.scope.place) || places.any(is_volume) => {
            displace.unwrap_or(0)
        }
        _ => 0,
    }
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
