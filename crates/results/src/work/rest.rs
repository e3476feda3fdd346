//! Every setting of a workload's plan that no other property says, each by its name: two runs that differ in any of them are
//! not said to be alike.
//!
//! Belongs here: names of fields, which property says each, and words for the rest. Must never: leave a field of a plan out
//! without a reason beside it.

use super::Property;
use leadline_model::op::PerOp;
use leadline_model::plan::{
    Access, BlockSizes, Blocks, Engine, FilePart, FileSet, Mount, Narrow, OnError, OpenMode, Pace,
    Payload, Placement, Plan, Prepare, Region, SimTarget, Stage, Start, Stop, SyncCadence, Target,
    Think, Until, Work, Workload,
};
use leadline_model::units::{Bytes, Nanos};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Settings by name, as `engine force async`, in words.
type Settings = BTreeMap<String, String>;

/// Adds each of these fields by its name, after that of what it is a part of.
macro_rules! add {
    ($all:ident, $part:expr, $($field:ident),+ $(,)?) => {
        $($all.insert(named($part, stringify!($field)), words($field));)+
    };
}

/// What of a workload, its stage and the plan of both no other property says.
pub(crate) fn rest(whole: &Plan, stage: &Stage, plan: &Workload) -> Settings {
    let mut all = Settings::new();
    of_plan(whole, &mut all);
    of_stage(stage, &mut all);
    let Work::Blocks(blocks) = of_envelope(plan, &mut all);
    of_blocks(blocks, &mut all);
    of_times(plan, &mut all);
    of_think(plan.think.as_ref(), &mut all);
    of_engine(&plan.engine, &mut all);
    of_placement(&plan.placement, &mut all);
    all
}

fn of_plan(whole: &Plan, all: &mut Settings) {
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
    let interval = &seconds(*interval);
    add!(all, "", interval);
}

fn of_stage(stage: &Stage, all: &mut Settings) {
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
    let pause_before = &seconds(*pause);
    add!(all, "", pause_before, shares, server_cache);
    let mounts = mounts.iter().map(|mount| {
        let Mount { hosts, line, once } = mount;
        let once = if *once { ", once" } else { "" };
        format!("{line} (hosts {}{once})", words(hosts))
    });
    text(all, "mounts", &mounts.collect::<Vec<_>>().join(", "));
    let Until {
        moved,
        read,
        written,
        errors,
        narrow,
    } = until;
    let narrow = &narrow.map(|Narrow { half_ppm, least }| {
        let percent = f64::from(half_ppm) / 1e4;
        format!("+-{percent} %, at least {}", seconds(least))
    });
    add!(all, "until", moved, read, written, errors, narrow);
}

/// Removes what follows from another property: where that differs it is not said twice.
pub(crate) fn without_what_follows(all: &mut Settings, differs: impl Fn(Property) -> bool) {
    const FOLLOWS: [(Property, &[&str]); 4] = [
        (
            Property::Order,
            &[
                "access order",
                "access random percent",
                "access position",
                "access begin",
                "access grid",
                "access hits",
                "access stride",
                "sizes align",
            ],
        ),
        (Property::BlockSize, &["sizes by op"]),
        (
            Property::Size,
            &["region size", "region file size", "region end"],
        ),
        (Property::Fill, &["payload fill"]),
    ];
    let follows = |name: &String| {
        let mut each = FOLLOWS.iter();
        each.any(|(property, names)| names.contains(&name.as_str()) && differs(*property))
    };
    all.retain(|name, _| !follows(name));
}

fn of_envelope<'p>(plan: &'p Workload, all: &mut Settings) -> &'p Work {
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
    add!(all, "", share, admission);
    if let Pace::Open {
        // `rate` and `arrivals`.
        rates: _,
        together: _,
        arrival: _,
        schedule,
    } = pace
    {
        let changes = schedule.iter();
        let changes = changes.map(|(from, factor)| format!("{factor} x from {}", seconds(*from)));
        let changes = &changes.collect::<Vec<_>>();
        add!(all, "rate", changes);
    }
    work
}

fn of_times(plan: &Workload, all: &mut Settings) {
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
    let runtime = &runtime.map(seconds);
    let (warmup, cooldown) = (&seconds(*warmup), &seconds(*cooldown));
    add!(all, "", runtime, time_based, io_bytes, ios, loops);
    add!(all, "", warmup, cooldown, ends_others);
    let Start {
        delay: (least, most),
        after,
        from_run,
    } = &plan.start;
    let delay = match least == most {
        true => seconds(*least),
        false => format!("{} to {}", seconds(*least), seconds(*most)),
    };
    text(all, "start delay", &delay);
    text(all, "start after", after.as_deref().unwrap_or("none"));
    add!(all, "start", from_run);
    let OnError {
        go_on,
        ignore,
        end_all,
        removes,
        max_latency,
    } = &plan.on_error;
    add!(all, "on error", go_on, ignore, end_all, removes);
    let most = |of: Option<Nanos>| of.map(seconds);
    let max_latency = &PerOp {
        read: most(max_latency.read),
        write: most(max_latency.write),
        trim: most(max_latency.trim),
    };
    add!(all, "on error", max_latency);
}

fn of_think(think: Option<&Think>, all: &mut Settings) {
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
    let (spin, after_busy) = (&seconds(*spin), &seconds(*after_busy));
    add!(all, "think", spin, on_submit, after_busy);
}

fn of_engine(engine: &Engine, all: &mut Settings) {
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
    add!(all, "engine", poll_completions, poll_submissions, poll_cpu);
    add!(all, "engine", batch_submit, batch_wait, low_depth);
    add!(all, "engine", serialize_overlap, nowait, uncached);
    add!(all, "engine", force_async, map_flush, file_priorities);
}

fn of_placement(placement: &Placement, all: &mut Settings) {
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
    add!(all, "placement", cpus, no_cpu, split_cpus, nice);
    let io_priority = &io_priority.map(|(class, level)| format!("class {class}, level {level}"));
    add!(all, "placement", io_priority, memory, buffer_align);
    add!(all, "placement", lock_memory);
}

fn of_blocks(blocks: &Blocks, all: &mut Settings) {
    let Blocks {
        // `mix`.
        mix: _,
        target,
        open,
        region,
        prepare,
        sizes,
        access,
        sync,
        payload,
        parts,
    } = blocks;
    of_target(target, all);
    of_files("", (region, prepare, *open), all);
    of_access("", access, all);
    of_sizes("", sizes, all);
    of_payload("", payload, all);
    let SyncCadence {
        // `sync`.
        fsync_every: _,
        fdatasync_every: _,
        at_end,
        on_close,
    } = sync;
    add!(all, "sync", at_end, on_close);
    let with_own_settings = &parts.len();
    add!(all, "files", with_own_settings);
    for (number, part) in parts.iter().enumerate() {
        of_part(&format!("file {number} "), part, all);
    }
}

/// How many files there are, and what they are called; where they are is `target`.
fn of_target(target: &Target, all: &mut Settings) {
    let files = match target {
        Target::Paths(paths) => paths.len(),
        Target::Files(FileSet {
            // `target`.
            directories: _,
            pattern,
            count,
            // Whether the name is that of a device was found out when it was opened.
            name_may_be_device: _,
        }) => {
            text(all, "files names", pattern);
            *count as usize
        }
        Target::Simulated(target) => {
            let SimTarget {
                // It is what is compared, as a path is.
                volume: _,
                law: _,
                // `size`.
                size: _,
                files,
                own_files,
            } = &**target;
            add!(all, "files", own_files);
            files.len().max(1)
        }
        Target::Null { size } => {
            add!(all, "nothing", size);
            1
        }
    };
    let number = &files;
    add!(all, "files", number);
}

fn of_part(file: &str, part: &FilePart, all: &mut Settings) {
    let FilePart {
        region,
        prepare,
        open,
        mix,
        sizes,
        access,
        slots,
        payload,
    } = part;
    add!(all, file, mix, slots);
    of_files(file, (region, prepare, *open), all);
    of_access(file, access, all);
    of_sizes(file, sizes, all);
    match payload {
        Some(payload) => of_payload(file, payload, all),
        None => {
            all.insert(named(file, "payload"), "that of all files".to_owned());
        }
    }
}

fn of_access(file: &str, access: &Access, all: &mut Settings) {
    let Access {
        // Repeats of one measurement have seeds of their own.
        seed: _,
        order,
        random_percent,
        coverage,
        distribution,
        file_choice,
        position,
        begin,
        at_end,
        grid,
        hits,
        stride,
        draws,
        file_weights,
        first_worker,
        counters,
    } = access;
    let part = &format!("{file}access");
    add!(all, part, order, random_percent, coverage, distribution);
    add!(all, part, file_choice, position, begin, at_end, grid);
    add!(all, part, hits, stride, draws, file_weights);
    add!(all, part, first_worker, counters);
}

fn of_sizes(file: &str, sizes: &BlockSizes, all: &mut Settings) {
    let BlockSizes {
        by_op,
        align,
        by_order,
    } = sizes;
    let part = &format!("{file}sizes");
    add!(all, part, by_op, align, by_order);
}

fn of_payload(file: &str, payload: &Payload, all: &mut Settings) {
    let Payload {
        fill,
        refresh,
        compress_percent,
        compress_chunk,
        dedupe_percent,
    } = payload;
    let part = &format!("{file}payload");
    add!(all, part, fill, refresh, compress_percent);
    add!(all, part, compress_chunk, dedupe_percent);
}

fn of_files(file: &str, of: (&Region, &Prepare, OpenMode), all: &mut Settings) {
    let (region, prepare, open) = of;
    let Region {
        offset,
        offset_step,
        size,
        file_size,
        offset_align,
        until_full,
        beyond_end,
        end,
        wrap,
    } = region;
    let part = &format!("{file}region");
    add!(all, part, offset, offset_step, size, file_size);
    add!(all, part, offset_align, until_full, beyond_end, end, wrap);
    let Prepare {
        // Whose files they are, by the run that made them.
        own: _,
        create,
        create_only,
        create_on_open,
        one_by_one,
        fsync,
        fallocate,
        overwrite,
        drop_cache,
        pre_read,
        advise,
        unlink,
        unlink_each_loop,
        open_files,
        recreate,
    } = prepare;
    let part = &format!("{file}files");
    add!(all, part, create, create_only, create_on_open, one_by_one);
    add!(all, part, fsync, fallocate, overwrite, drop_cache);
    add!(all, part, pre_read, advise, unlink, unlink_each_loop);
    add!(all, part, open_files, recreate);
    let OpenMode {
        // `direct`, but for a file of its own.
        direct,
        sync,
        atomic,
    } = &open;
    let part = &format!("{file}open");
    add!(all, part, sync, atomic);
    if !file.is_empty() {
        add!(all, part, direct);
    }
}

/// A time with all its digits: those that are shown elsewhere would hide a difference.
fn seconds(time: Nanos) -> String {
    let of = |unit: f64| time.0 as f64 / unit;
    match time.0 {
        0 | 1_000_000_000.. => format!("{} s", of(1e9)),
        1_000_000.. => format!("{} ms", of(1e6)),
        _ => format!("{} us", of(1e3)),
    }
}

/// `engine force async`.
fn named(part: &str, field: &str) -> String {
    format!("{part} {field}").trim_start().replace('_', " ")
}

/// Adds a text of the user's own, as it is.
fn text(all: &mut Settings, name: &str, text: &str) {
    all.insert(name.to_owned(), text.to_owned());
}

/// The value of a setting in words: `on`, `none`, `once per pass`, `zipf (theta 1.2, center none)`.
fn words(value: &impl Serialize) -> String {
    // Plans are written into run files by the same means: what cannot be written has no result.
    serde_json::to_value(value).map_or_else(|why| why.to_string(), |value| of_value(&value))
}

fn of_value(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "on".to_owned(),
        Value::Bool(false) => "off".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => spaced(text),
        Value::Array(all) if all.is_empty() => "none".to_owned(),
        Value::Array(all) => {
            let each: Vec<String> = all.iter().map(of_value).collect();
            let nested = |one: &Value| one.is_array() || one.is_object();
            each.join(if all.iter().any(nested) { "; " } else { ", " })
        }
        Value::Object(all) => {
            let each: Vec<(&String, String)> =
                all.iter().map(|(key, of)| (key, of_value(of))).collect();
            match each.as_slice() {
                [(kind, _)] if *kind == "Bytes" && all[*kind].is_u64() => {
                    exact_bytes(all[*kind].as_u64().unwrap_or_default())
                }
                [(kind, of)] if *kind == "Percent" => format!("{of} %"),
                // One of several kinds: its name, and what it says.
                [(kind, of)] if is_kind(kind) => format!("{} ({of})", spaced(kind)),
                // Of each operation the same.
                [(_, first), rest @ ..]
                    if rest.len() == 2 && rest.iter().all(|(_, of)| of == first) =>
                {
                    first.clone()
                }
                _ => {
                    let words: Vec<String> = each
                        .iter()
                        .map(|(key, of)| format!("{} {of}", key.replace('_', " ")))
                        .collect();
                    words.join(", ")
                }
            }
        }
    }
}

/// A size in the largest unit of which it is a whole number.
fn exact_bytes(bytes: u64) -> String {
    let units = [
        (Bytes::GIB, "GiB"),
        (Bytes::MIB, "MiB"),
        (Bytes::KIB, "KiB"),
    ];
    let mut whole = units.into_iter();
    let whole = whole.find(|(size, _)| bytes > 0 && bytes.is_multiple_of(*size));
    let (size, name) = whole.unwrap_or((1, "bytes"));
    format!("{} {name}", bytes / size)
}

/// Whether it is the name of one of several kinds: those of fields begin with a small letter.
fn is_kind(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name.chars().all(char::is_alphanumeric)
}

/// The name of a kind in words: `once per pass`; any other text as it is.
fn spaced(name: &str) -> String {
    if !is_kind(name) {
        return name.to_owned();
    }
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::work::planned_work;
    use leadline_model::plan::OpMix;

    /// Names of what a plan says that is no work, and of what only a run knows.
    const NO_WORK: [&str; 11] = [
        "/name",
        "/description",
        "/given",
        "/original",
        "/definition",
        "/target_name",
        "/group",
        "/merge_group",
        "/percentiles",
        "/report",
        "/hosts",
    ];

    /// Every place of a plan that holds one value.
    fn leaves(of: &Value, at: &str, found: &mut Vec<String>) {
        let mut each: Vec<(String, &Value)> = Vec::new();
        match of {
            Value::Object(all) => each.extend(all.iter().map(|(key, of)| (key.clone(), of))),
            Value::Array(all) => {
                each.extend(all.iter().enumerate().map(|(n, of)| (n.to_string(), of)));
            }
            _ => found.push(at.to_owned()),
        }
        for (key, of) in each {
            leaves(of, &format!("{at}/{key}"), found);
        }
    }

    /// The same plan with another value at this place; `None` = none of those that are tried is one.
    fn changed(plan: &Value, at: &str) -> Option<Workload> {
        let old = plan.pointer(at)?;
        let number = |n: u64| Value::from(n);
        let tried = match old {
            Value::Bool(flag) => vec![Value::from(!flag)],
            Value::Number(n) => vec![number(n.as_u64().unwrap_or_default() + 3), number(1)],
            _ => vec![
                number(7),
                serde_json::json!({"Bytes": 7}),
                serde_json::json!([3, 3]),
                "x".into(),
            ],
        };
        tried.into_iter().find_map(|value| {
            let mut other = plan.clone();
            *other.pointer_mut(at)? = value;
            serde_json::from_value(other).ok()
        })
    }

    /// The rest of a workload in a plan that says nothing else.
    fn alone(plan: &Workload) -> Settings {
        rest(&fixture::plan(Vec::new()), &Stage::default(), plan)
    }

    /// Whatever of the work a plan says: a plan that says another thing has another property or another option.
    #[test]
    fn no_two_plans_are_said_to_be_alike() {
        let workload = fixture::workload("w", OpMix::mixed(70), 4096, 8, 5);
        let plan = serde_json::to_value(&workload).unwrap();
        let said = |w: &Workload| format!("{:?}{:?}", planned_work(w), alone(w));
        let mut places = Vec::new();
        leaves(&plan, "", &mut places);
        let is_work = |at: &&String| !NO_WORK.iter().any(|no| at.starts_with(no));
        let mut tried = 0;
        for at in places.iter().filter(is_work) {
            let Some(other) = changed(&plan, at).filter(|other| *other != workload) else {
                continue;
            };
            tried += 1;
            let elsewhere = [
                "/seed",
                "/prepare/own",
                "/directories/0",
                "/name_may_be_device",
            ];
            let is_elsewhere = elsewhere.iter().any(|end| at.ends_with(end));
            assert_eq!(said(&other) == said(&workload), is_elsewhere, "{at}");
        }
        assert!(tried > 80, "{tried} of {}", places.len());
    }

    #[test]
    fn what_surrounds_a_workload_is_an_option_too() {
        let plan = fixture::workload("w", OpMix::reads(), 4096, 8, 5);
        let (whole, stage) = (fixture::plan(Vec::new()), Stage::default());
        let all = rest(&whole, &stage, &plan);
        let slow = Stage {
            pause: Nanos::from_secs(30),
            ..stage.clone()
        };
        let paused = rest(&whole, &slow, &plan);
        assert_eq!(all["pause before"], "0 s");
        assert_eq!(paused["pause before"], "30 s");
        let mut several = plan.clone();
        let paths = ["/v/a", "/v/b"].map(str::to_owned);
        several.blocks_mut().target = Target::Paths(paths.to_vec());
        assert_eq!(rest(&whole, &stage, &several)["files number"], "2");
        let narrow = Until {
            narrow: Some(Narrow {
                half_ppm: 20_000,
                least: Nanos::from_secs(1),
            }),
            ..Until::default()
        };
        let until = Stage {
            until: narrow,
            ..stage
        };
        let all = rest(&whole, &until, &plan);
        assert_eq!(all["until narrow"], "+-2 %, at least 1 s");
    }

    #[test]
    fn values_are_words() {
        let of = |value| of_value(&value);
        assert_eq!(of(serde_json::json!(null)), "none");
        let bytes = |n: u64| of(serde_json::json!({"Bytes": n}));
        assert_eq!(bytes(3 << 20), "3 MiB");
        assert_eq!(bytes((1 << 30) + 4096), "1048580 KiB");
        assert_eq!(
            (bytes(0), bytes(4097)),
            ("0 bytes".to_owned(), "4097 bytes".to_owned())
        );
        assert_eq!(seconds(Nanos(50_000)), "50 us");
        assert_eq!(of(serde_json::json!([1, true])), "1, on");
        assert_eq!(of(serde_json::json!("OncePerPass")), "once per pass");
        let turns = serde_json::json!({"RoundRobin": {"ios": 1}});
        assert_eq!(of(turns), "round robin (ios 1)");
        let same = serde_json::json!({"read": "Uniform", "write": "Uniform", "trim": "Uniform"});
        assert_eq!(of(same), "uniform");
        let zipf = serde_json::json!({"Zipf": {"theta": 1.2, "center": null}});
        assert_eq!(of(zipf), "zipf (theta 1.2, center none)");
    }

    #[test]
    fn what_follows_from_another_property_is_not_said_twice() {
        let plan = fixture::workload("w", OpMix::reads(), 4096, 8, 5);
        let mut all = alone(&plan);
        assert!(all.contains_key("access order") && all.contains_key("engine force async"));
        without_what_follows(&mut all, |property| property == Property::Order);
        assert!(!all.contains_key("access order") && all.contains_key("engine force async"));
    }
}
