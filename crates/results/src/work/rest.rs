//! Every setting of a workload's plan that no other property says, each by its name: two runs that differ in any of them are
//! not said to be alike.
//!
//! Belongs here: names of settings, which property says each. Must never: leave a field of a plan out without a reason beside
//! it, or print a plan's own word for a value: `values` has those of the field.

use super::Property;
use super::blocks::of_blocks;
use super::settings::{NamedSettings, Settings};
use super::values::{self, bytes, list, number_or, or, seconds};
use leadline_model::plan::{
    Engine, HostSet, Mount, OnError, Pace, Placement, Plan, Stage, Start, Stop, Think, Until, Work,
    Workload,
};
use leadline_model::units::Nanos;

/// Names of settings that others show in a line of their own.
pub(crate) const RUN_TIME: &str = "run time";
pub(crate) const WARM_UP: &str = "warm-up";
/// Names of settings that what is measured does not depend on.
pub(crate) const INTERVAL: &str = "reporting interval";
pub(crate) const PAUSE: &str = "pause before the stage";

/// What of a workload, its stage and the plan of both no other property says.
pub(crate) fn rest(whole: &Plan, stage: &Stage, plan: &Workload) -> Settings {
    let mut all = Settings::new();
    let mut said = NamedSettings {
        file: String::new(),
        all: &mut all,
    };
    of_plan(whole, &mut said);
    of_stage(whole, stage, &mut said);
    let Work::Blocks(blocks) = of_envelope(plan, &mut said);
    of_times(plan, &mut said);
    of_errors(&plan.on_error, &mut said);
    of_think(plan.think.as_ref(), &mut said);
    of_engine(&plan.engine, &mut said);
    of_placement(&plan.placement, &mut said);
    of_blocks(blocks, &mut said);
    all
}

fn of_plan(whole: &Plan, said: &mut NamedSettings<'_>) {
    let Plan {
        // Names, texts, and what it was made from: the page of several runs has the command lines.
        title: _,
        source: _,
        given: _,
        original: _,
        study: _,
        // Here.
        stages: _,
        // Whether it may write, and to what: nothing that is measured depends on it.
        read_only: _,
        destroy: _,
        // `host-count`.
        hosts: _,
        interval,
        // Of statistics.
        slices: _,
        partial_totals_every: _,
    } = whole;
    said.add(INTERVAL, seconds(*interval));
}

fn of_stage(whole: &Plan, stage: &Stage, said: &mut NamedSettings<'_>) {
    let Stage {
        // Names and texts of the plan: rows are matched by them.
        name: _,
        original: _,
        series: _,
        point: _,
        // Here.
        workloads: _,
        until,
        // `rate`.
        asked: _,
        rate: _,
        pause,
        shares,
        mounts,
        server_cache,
    } = stage;
    said.add(PAUSE, seconds(*pause));
    said.add("shares of the stage's rate", values::shares(*shares));
    said.add("server cache", values::server_cache(*server_cache));
    let mounts = list(mounts, "none", |mount| {
        let Mount { hosts, line, once } = mount;
        let once = if *once { ", once" } else { "" };
        format!("{line} (on {}{once})", hosts_in_words(hosts, whole))
    });
    said.add("mount commands", mounts);
    let Until {
        moved,
        read,
        written,
        errors,
        narrow,
    } = until;
    said.add("limit of bytes transferred", or(*moved, "none", bytes));
    said.add("limit of bytes read", or(*read, "none", bytes));
    said.add("limit of bytes written", or(*written, "none", bytes));
    said.add("limit of failed I/Os", number_or(*errors, "none"));
    said.add("wanted precision", or(*narrow, "none", values::narrow));
}

/// `all hosts`, `node1, node3`.
fn hosts_in_words(hosts: &HostSet, whole: &Plan) -> String {
    if hosts.is_all() {
        return "all hosts".to_owned();
    }
    let label = |number: u32| match whole.hosts.get(number as usize) {
        Some(host) => host.label.clone(),
        None => format!("host {number}"),
    };
    // It names each of them, however many the plan has.
    hosts.among(0).map(label).collect::<Vec<_>>().join(", ")
}

/// Removes what follows from another property: where that differs it is not said twice.
pub(crate) fn without_what_follows(all: &mut Settings, differs: impl Fn(Property) -> bool) {
    let follows = |name: &String| {
        let mut each = FOLLOWS.iter();
        each.any(|(property, names)| names.contains(&name.as_str()) && differs(*property))
    };
    all.retain(|name, _| !follows(name));
}

/// Settings that a property says in short, with the property.
const FOLLOWS: [(Property, &[&str]); 5] = [
    (
        Property::Order,
        &[
            "order of offsets",
            "share of random offsets",
            "distribution of offsets",
            "sequential position",
            "first offset",
            "alignment of random offsets",
            "hit area",
            "distance between random offsets",
            "alignment of offsets",
        ],
    ),
    (Property::BlockSize, &["block sizes"]),
    (
        Property::Size,
        &["bytes used", "file size", "end of the bytes used"],
    ),
    (Property::Fill, &["content of writes"]),
    (Property::Sync, &["write-through"]),
];

fn of_envelope<'p>(plan: &'p Workload, said: &mut NamedSettings<'_>) -> &'p Work {
    let Workload {
        // Names and texts of the plan: rows are matched by them.
        name: _,
        description: _,
        given: _,
        original: _,
        definition: _,
        target_name: _,
        group: _,
        merge_group: _,
        // `jobs`, `depth` and `host-count`.
        clones: _,
        depth: _,
        hosts: _,
        // What is shown of it.
        percentiles: _,
        report: _,
        // Here.
        work,
        pace,
        think: _,
        stop: _,
        start: _,
        on_error: _,
        engine: _,
        placement: _,
        share,
        admission,
    } = plan;
    said.add(
        "weight among workloads",
        or(*share, "none", |share| share.get().to_string()),
    );
    said.add("coupling of workloads", values::admission(*admission));
    if let Pace::Open {
        // `rate` and `arrivals`.
        rates: _,
        together: _,
        arrival: _,
        schedule,
    } = pace
    {
        let changes = list(schedule, "none", |(from, factor)| {
            format!("{factor} times the rate from {} on", seconds(*from))
        });
        said.add("changes of the rate", changes);
    }
    work
}

fn of_times(plan: &Workload, said: &mut NamedSettings<'_>) {
    let Stop {
        runtime,
        time_based,
        io_bytes,
        ios,
        loops,
        warmup,
        ends_others,
        cooldown,
    } = &plan.stop;
    said.add(RUN_TIME, or(*runtime, "no limit", seconds));
    said.flag("time-based", *time_based);
    let amount = or(*io_bytes, "the bytes used", values::amount);
    said.add("bytes to transfer", amount);
    said.add("number of I/Os", number_or(*ios, "no limit"));
    said.count("loops", loops);
    said.add(WARM_UP, seconds(*warmup));
    said.add("cool-down", seconds(*cooldown));
    said.add("ends with this workload", values::ends_others(*ends_others));
    let Start {
        delay: (least, most),
        after,
        from_run,
    } = &plan.start;
    let delay = match least == most {
        true => seconds(*least),
        false => format!("{} to {}", seconds(*least), seconds(*most)),
    };
    said.add("start delay", delay);
    let after = or(after.as_deref(), "no other workload", str::to_owned);
    said.add("starts after", after);
    let from = match from_run {
        true => "the start of the run",
        false => "the start of its stage",
    };
    said.add("start delay counts from", from.to_owned());
}

fn of_errors(on_error: &OnError, said: &mut NamedSettings<'_>) {
    let OnError {
        go_on,
        ignore,
        end_all,
        removes,
        max_latency,
    } = on_error;
    said.add("continues after errors of", values::ops(*go_on));
    let ignored = |numbers: &Vec<i32>| list(numbers, "none", ToString::to_string);
    said.add("errors not counted (errno)", values::by_op(ignore, ignored));
    said.flag("an error ends the whole run", *end_all);
    let removed = or(*removes, "no", |number| format!("yes (target {number})"));
    said.add("an error excludes the target", removed);
    let limit = |most: &Option<Nanos>| or(*most, "none", seconds);
    said.add("limit of latency", values::by_op(max_latency, limit));
}

fn of_think(think: Option<&Think>, said: &mut NamedSettings<'_>) {
    let Some(Think {
        // `think`.
        pause: _,
        every: _,
        spin,
        on_submit,
        after_busy,
    }) = think
    else {
        return;
    };
    said.add("busy part of a pause", seconds(*spin));
    let counted = match on_submit {
        true => "submitted I/Os",
        false => "completed I/Os",
    };
    said.add("pauses count", counted.to_owned());
    said.add("time of I/O before a pause", seconds(*after_busy));
}

fn of_engine(engine: &Engine, said: &mut NamedSettings<'_>) {
    let Engine {
        // `engine`.
        kind: _,
        poll_completions,
        poll_submissions,
        poll_cpu,
        batch_submit,
        batch_wait,
        low_depth,
        serialize_overlap,
        nowait,
        uncached,
        force_async,
        map_flush,
        file_priorities,
    } = engine;
    said.flag("polled completions (IOPOLL)", *poll_completions);
    said.flag("submission thread (SQPOLL)", *poll_submissions);
    let cpu = number_or(*poll_cpu, "any");
    said.add("CPU of the submission thread", cpu);
    let batch = number_or(*batch_submit, "all that are ready");
    said.add("most I/Os a submission", batch);
    said.add("completions waited for", number_or(*batch_wait, "1"));
    let low = or(*low_depth, "as soon as a slot is free", |depth| {
        format!("at depth {depth}")
    });
    said.add("a full queue is refilled", low);
    said.flag("overlapping I/Os wait", *serialize_overlap);
    said.flag("RWF_NOWAIT", *nowait);
    said.flag("RWF_DONTCACHE", *uncached);
    let forced = match force_async {
        0 => "none".to_owned(),
        1 => "all".to_owned(),
        n => format!("1 of {n}"),
    };
    said.add("I/Os forced to kernel workers (IOSQE_ASYNC)", forced);
    said.add("flush of mapped writes", values::map_flush(*map_flush));
    let priorities = list(file_priorities, "that of the worker", |own| {
        values::io_priority(*own)
    });
    said.add("I/O priority of each file", priorities);
}

fn of_placement(placement: &Placement, said: &mut NamedSettings<'_>) {
    let Placement {
        cpus,
        no_cpu,
        split_cpus,
        nice,
        io_priority,
        memory,
        buffer_align,
        lock_memory,
    } = placement;
    said.add("CPUs", list(cpus, "any", ToString::to_string));
    said.flag("no CPU allowed", *no_cpu);
    said.flag("one CPU for each worker", *split_cpus);
    said.add("nice", number_or(*nice, "unchanged"));
    let priority = or(*io_priority, "unchanged", values::io_priority);
    said.add("I/O priority", priority);
    said.add("memory of buffers", values::memory(*memory));
    let align = match buffer_align {
        0 => "the page".to_owned(),
        n => bytes((*n).into()),
    };
    said.add("alignment of buffers", align);
    said.add("locked memory", bytes(*lock_memory));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use leadline_model::plan::{FilePart, HostSpec, Narrow, OpMix, Target};

    /// The rest of a workload in a plan that says nothing else.
    fn alone(plan: &Workload) -> Settings {
        rest(&fixture::plan(Vec::new()), &Stage::default(), plan)
    }

    #[test]
    fn what_surrounds_a_workload_is_an_option_too() {
        let plan = fixture::workload("w", OpMix::reads(), 4096, 8, 5);
        let (mut whole, stage) = (fixture::plan(Vec::new()), Stage::default());
        let all = rest(&whole, &stage, &plan);
        let until = Until {
            narrow: Some(Narrow {
                half_ppm: 20_000,
                least: Nanos::from_secs(1),
            }),
            ..Until::default()
        };
        let slow = Stage {
            pause: Nanos::from_secs(30),
            until,
            mounts: vec![Mount {
                hosts: HostSet::one(1),
                line: "mount /v".into(),
                once: true,
            }],
            ..stage.clone()
        };
        whole.hosts = ["one", "two"].map(HostSpec::local).to_vec();
        let paused = rest(&whole, &slow, &plan);
        assert_eq!(all["pause before the stage"], "0 s");
        assert_eq!(paused["pause before the stage"], "30 s");
        assert_eq!(paused["wanted precision"], "+-2 %, after at least 1 s");
        assert_eq!(paused["mount commands"], "mount /v (on two, once)");
        let mut several = plan.clone();
        let paths = ["/v/a", "/v/b"].map(str::to_owned);
        several.blocks_mut().target = Target::Paths(paths.to_vec());
        assert_eq!(rest(&whole, &stage, &several)["number of files"], "2");
    }

    /// Files with settings of their own say all of them, each by its number.
    #[test]
    fn each_file_has_its_own_settings() {
        let mut plan = fixture::workload("w", OpMix::reads(), 4096, 8, 5);
        let blocks = plan.blocks_mut();
        let part = FilePart {
            region: blocks.region.clone(),
            prepare: blocks.prepare.clone(),
            open: blocks.open,
            mix: OpMix::mixed(70),
            sizes: blocks.sizes.clone(),
            access: blocks.access.clone(),
            slots: 4,
            payload: None,
        };
        blocks.parts = vec![part.clone(), part];
        let all = alone(&plan);
        assert_eq!(all["file 2, mix"], "70 % reads, 30 % writes");
        assert_eq!(all["file 2, O_DIRECT"], "yes");
        assert_eq!(all["file 1, content of writes"], "that of all files");
        assert_eq!(all["files with settings of their own"], "2");
    }

    #[test]
    fn what_follows_from_another_property_is_not_said_twice() {
        let plan = fixture::workload("w", OpMix::reads(), 4096, 8, 5);
        let mut all = alone(&plan);
        // What is left out there is a setting here.
        let names = FOLLOWS.iter().flat_map(|(_, names)| names.iter());
        names.for_each(|name| assert!(all.contains_key(*name), "{name}"));
        without_what_follows(&mut all, |property| property == Property::Order);
        assert!(!all.contains_key("order of offsets") && all.contains_key("RWF_NOWAIT"));
    }
}
