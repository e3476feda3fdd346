//! A workload's plan with all that two measurements of one thing may differ in taken out.
//!
//! Belongs here: for each field of a plan, whether it decides what is measured. Must never: leave a field out silently.

use leadline_model::op::Op;
use leadline_model::plan::{
    Access, Admission, Blocks, FilePart, FileSet, HostSet, OnError, OpMix, Original, Prepare,
    Region, Report, SimTarget, Start, Stop, Target, Work, Workload,
};

/// The plan of a workload that has no other beside it, without names, times, seeds and what other fields of a setting
/// have: equal for two that do the same work on the same volume.
pub(super) fn of(workload: &Workload) -> Workload {
    let Workload {
        // Names and texts.
        name,
        description: _,
        given: _,
        original: _,
        definition: _,
        target_name: _,
        group: _,
        merge_group: _,
        // Of the setting itself.
        clones: _,
        depth: _,
        hosts: _,
        think: _,
        work,
        pace,
        // How long it was measured, from when on.
        stop: _,
        start: _,
        on_error: _,
        engine,
        placement,
        // What is shown of it.
        percentiles: _,
        report: _,
        // Between workloads of one stage: here there is one.
        share: _,
        admission: _,
    } = workload;
    let Work::Blocks(blocks) = work;
    Workload {
        name: String::new(),
        description: None,
        given: Vec::new(),
        original: Original::default(),
        definition: None,
        target_name: None,
        group: 0,
        merge_group: false,
        clones: 1,
        work: Work::Blocks(of_blocks(blocks, name)),
        pace: pace.clone(),
        think: None,
        depth: 1,
        stop: Stop::default(),
        start: Start::default(),
        on_error: OnError::default(),
        engine: engine.clone(),
        placement: placement.clone(),
        percentiles: Vec::new(),
        report: Report::default(),
        hosts: HostSet::ALL,
        share: None,
        admission: Admission::default(),
    }
}

fn of_blocks(blocks: &Blocks, name: &str) -> Blocks {
    let Blocks {
        target,
        region,
        prepare,
        open,
        mix,
        sizes,
        access,
        sync,
        payload,
        parts,
    } = blocks;
    Blocks {
        target: of_target(target, name),
        region: of_region(region),
        prepare: of_prepare(prepare),
        open: *open,
        mix: of_mix(*mix),
        sizes: sizes.clone(),
        access: of_access(access),
        sync: *sync,
        payload: payload.clone(),
        parts: parts.iter().map(of_part).collect(),
    }
}

fn of_part(part: &FilePart) -> FilePart {
    let FilePart {
        region,
        prepare,
        open,
        mix,
        sizes,
        access,
        // Their sum is the depth.
        slots: _,
        payload,
    } = part;
    FilePart {
        region: of_region(region),
        prepare: of_prepare(prepare),
        open: *open,
        mix: of_mix(*mix),
        sizes: sizes.clone(),
        access: of_access(access),
        slots: 0,
        payload: payload.clone(),
    }
}

/// What the I/O goes to: the volume, as far as it is known, and the number of files, whatever these are called.
fn of_target(target: &Target, name: &str) -> Target {
    match target {
        Target::Paths(paths) => Target::Paths(paths.iter().map(|path| volume_of(path)).collect()),
        Target::Files(FileSet {
            directories,
            pattern,
            count,
            name_may_be_device,
        }) => match *name_may_be_device && is_device(name) {
            true => Target::Paths(vec![name.to_owned()]),
            false => Target::Files(FileSet {
                directories: directories.clone(),
                pattern: volume_of(pattern),
                count: *count,
                name_may_be_device: false,
            }),
        },
        Target::Null { size } => Target::Null { size: *size },
        Target::Simulated(target) => {
            let SimTarget {
                volume,
                files,
                own_files,
                // Of the setting itself.
                size: _,
                // The words for the volume.
                law: _,
            } = &**target;
            Target::Simulated(Box::new(SimTarget {
                volume: volume.clone(),
                files: vec![String::new(); files.len()],
                own_files: *own_files,
                size: None,
                law: String::new(),
            }))
        }
    }
}

/// A device; of a file its directory, since what is measured is of the volume that the files of a directory are on.
fn volume_of(path: &str) -> String {
    match is_device(path) {
        true => path.to_owned(),
        false => path
            .rsplit_once('/')
            .map_or("", |(directory, _)| directory)
            .to_owned(),
    }
}

fn is_device(path: &str) -> bool {
    path.starts_with("/dev/") && !path.starts_with("/dev/shm/")
}

fn of_region(region: &Region) -> Region {
    let Region {
        // Of the setting itself.
        offset: _,
        size: _,
        offset_step,
        file_size,
        offset_align,
        until_full,
        beyond_end,
        end,
        wrap,
    } = region;
    Region {
        offset: Region::default().offset,
        size: None,
        offset_step: *offset_step,
        file_size: *file_size,
        offset_align: *offset_align,
        until_full: *until_full,
        beyond_end: *beyond_end,
        end: *end,
        wrap: *wrap,
    }
}

/// What of the preparation is seen by the I/Os: not how files came to be and what becomes of them.
fn of_prepare(prepare: &Prepare) -> Prepare {
    let Prepare {
        create: _,
        create_only,
        create_on_open,
        one_by_one: _,
        fsync: _,
        fallocate: _,
        overwrite: _,
        drop_cache,
        pre_read,
        advise,
        unlink: _,
        unlink_each_loop: _,
        open_files,
        recreate: _,
        own: _,
    } = prepare;
    Prepare {
        create_only: *create_only,
        create_on_open: *create_on_open,
        drop_cache: *drop_cache,
        pre_read: *pre_read,
        advise: *advise,
        open_files: *open_files,
        ..Prepare::default()
    }
}

/// Reads and writes in whatever shares are one, since a setting has the share of reads; other mixes stay.
fn of_mix(mix: OpMix) -> OpMix {
    match mix {
        OpMix::Only(Op::Read | Op::Write) | OpMix::ReadWrite { .. } => OpMix::reads(),
        other => other,
    }
}

fn of_access(access: &Access) -> Access {
    let Access {
        order,
        random_percent,
        coverage,
        distribution,
        // Repeats have seeds of their own.
        seed: _,
        file_choice,
        position,
        begin,
        at_end,
        grid,
        hits,
        stride,
        draws,
        file_weights,
        // Places among the workloads of a stage.
        first_worker: _,
        counters: _,
    } = access;
    Access {
        order: *order,
        random_percent: *random_percent,
        coverage: *coverage,
        distribution: distribution.clone(),
        seed: None,
        file_choice: *file_choice,
        position: *position,
        begin: *begin,
        at_end: *at_end,
        grid: *grid,
        hits: *hits,
        stride: *stride,
        draws: *draws,
        file_weights: file_weights.clone(),
        first_worker: 0,
        counters: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Setting;
    use super::*;
    use leadline_model::op::PerOp;
    use leadline_model::plan::{Distribution, SimDevice};
    use leadline_model::units::Nanos;

    fn on(target: Target) -> Workload {
        Workload::new("a", target)
    }

    fn paths(path: &str) -> Target {
        Target::Paths(vec![path.to_owned()])
    }

    /// Whether a change of the plan is another setting.
    fn differs(change: impl Fn(&mut Workload)) -> bool {
        let plan = on(paths("/mnt/a"));
        let mut changed = plan.clone();
        change(&mut changed);
        assert_ne!(plan, changed);
        Setting::of(&plan) != Setting::of(&changed)
    }

    #[test]
    fn names_seeds_and_times_make_no_other_setting() {
        assert!(!differs(|w| w.name = "b".to_owned()));
        assert!(!differs(|w| w.blocks_mut().access.seed = Some(2)));
        assert!(!differs(|w| w.stop.runtime = Some(Nanos::from_secs(1))));
        assert!(!differs(|w| w.start.after = Some("c".to_owned())));
        assert!(!differs(|w| w.blocks_mut().prepare.overwrite = true));
        assert!(!differs(|w| w.blocks_mut().prepare.unlink_each_loop = true));
    }

    #[test]
    fn other_work_is_another_setting() {
        assert!(differs(|w| w.blocks_mut().sync.fsync_every = 1));
        assert!(differs(|w| w.blocks_mut().access.distribution =
            PerOp::splat(Distribution::Zipf {
                theta: 1.3,
                center: None
            })));
        assert!(differs(|w| w.engine.batch_wait = Some(8)));
        assert!(differs(
            |w| w.blocks_mut().payload.dedupe_percent = leadline_model::units::Percent::ALL
        ));
        assert!(differs(|w| w.blocks_mut().mix = OpMix::Only(Op::Trim)));
    }

    #[test]
    fn files_of_one_directory_are_on_one_volume_and_devices_are_volumes() {
        let is_one = |a: Target, b: Target| Setting::of(&on(a)) == Setting::of(&on(b));
        assert!(is_one(paths("/mnt/x/a"), paths("/mnt/x/b")));
        assert!(is_one(paths("/dev/shm/a"), paths("/dev/shm/b")));
        assert!(is_one(paths("a"), paths("b")));
        assert!(!is_one(paths("/mnt/x/a"), paths("/mnt/y/a")));
        assert!(!is_one(paths("/dev/sda"), paths("/dev/sdb")));
        let volume = |name: &str| SimDevice {
            name: name.to_owned(),
            ..SimDevice::default()
        };
        assert!(is_one(volume("a").into(), volume("a").into()));
        assert!(!is_one(volume("a").into(), volume("b").into()));
    }
}
