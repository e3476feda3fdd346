//! From run definitions to runs: one for each step of the loops, each rate, each point of a curve,
//! each set of storage.
//!
//! Belongs here: names, order and loops of runs. Must never appear here: workers and regions (see
//! `lower`).

use crate::definition::{Definition, Entry};
use crate::number::{Number, shown_rate, shown_size, small, whole};
use crate::objects::{self, WorkloadDef, pick};
use crate::run::{Rate, Rates, Run, RunContext, SUPPOSED, Times};
use crate::sets::sets;
use crate::switches::Overrides;
use crate::table::{Keyword, Kind, Varied, row};
use crate::together;
use crate::value::{self, RateSpec, Seek, Transfer};
use leadline_dialect::diagnostic::Diagnostic;
use leadline_model::plan::Until;
use std::fmt::Write;

/// Most runs of one plan.
pub(crate) const MOST_RUNS: usize = 20_000;

/// A loop: what it varies, its values, and whether they are sizes.
struct Loop {
    what: Varied,
    values: Vec<Number>,
    sizes: bool,
}

/// All runs in order.
pub(crate) fn runs(scope: &RunContext<'_>, says: &mut Vec<Diagnostic>) -> Vec<Run> {
    let mut out = Vec::new();
    let definitions = &scope.file.runs;
    for (i, definition) in definitions.iter().enumerate() {
        if definitions[..i].iter().any(|d| d.name == definition.name) {
            let message = format!("there is already a run `{}`", definition.name);
            says.push(Diagnostic::error("duplicate-name", message).at(definition.at, ""));
        }
        run(scope, definition, &mut out, says);
        if out.len() > MOST_RUNS {
            let message = format!("more than {MOST_RUNS} runs");
            says.push(
                Diagnostic::error("too-many-runs", message)
                    .at(definition.at, "")
                    .hint(
                        "shorten the lists: each value is combined with every value of the other \
                         lists",
                    ),
            );
            out.truncate(MOST_RUNS);
            break;
        }
    }
    // Vdbench supposes a last rate where there is none yet.
    if let Some(first) = out.first_mut()
        && let Rate::Percent(percent) = first.rate
    {
        first.rate = Rate::Fixed(SUPPOSED * f64::from(percent) / 100.0);
    }
    out
}

/// The runs of one definition.
fn run(scope: &RunContext<'_>, rd: &Definition, out: &mut Vec<Run>, says: &mut Vec<Diagnostic>) {
    let times = times(rd, scope.overrides, says);
    let sets = sets(scope.storage, rd, says);
    let rate = rates(rd, says);
    let workloads = workloads(scope, rd, says);
    let (Some(times), Some(sets), Some(rate), Some(workloads)) = (times, sets, rate, workloads)
    else {
        return;
    };
    together::check(scope, rd, &rate, &workloads, says);
    let general = &scope.file.general;
    let command = |own: &Keyword<_>, of_all: &Keyword<_>| {
        let own = rd.given(own);
        own.or_else(|| general.given(of_all))
    };
    let (distribution, variable) = rd.effective(&row::rd::DISTRIBUTION);
    let Some(rate) = varied(rate, variable, rd, says) else {
        return;
    };
    let base = Run {
        name: rd.name.clone(),
        at: rd.at,
        rate: Rate::Max,
        listed: None,
        first_share: None,
        loops: String::new(),
        threads: None,
        hitarea: None,
        compress: None,
        workloads,
        times,
        until: Until {
            moved: rd.given(&row::rd::MAXDATA).flatten(),
            read: rd.given(&row::rd::MAXDATAREAD).flatten(),
            written: rd.given(&row::rd::MAXDATAWRITTEN).flatten(),
            ..Until::default()
        },
        distribution,
        flags: rd.given(&row::rd::OPENFLAGS),
        stop_curve: stop_curve(rd),
        start: command(&row::rd::STARTCMD, &row::general::STARTCMD),
        end: command(&row::rd::ENDCMD, &row::general::ENDCMD),
        mount: rd.given(&row::rd::MOUNT),
    };
    let loops = loops(rd);
    let points = points(rd, says);
    for (suffix, set) in sets {
        let mut base = base.clone();
        base.name.push_str(&suffix);
        if let Some(set) = set {
            for workload in &mut base.workloads {
                workload.storage = Some(set.clone());
            }
        }
        steps(&base, &loops, &mut |run| {
            if out.len() <= MOST_RUNS {
                at_rates(run, &rate, &points, out);
            }
        });
    }
}

/// Each combination of the loops' values, the last loop innermost.
fn steps(base: &Run, loops: &[Loop], each: &mut dyn FnMut(&Run)) {
    let Some((outer, inner)) = loops.split_first() else {
        return each(base);
    };
    for value in &outer.values {
        let mut run = base.clone();
        let step = match outer.what {
            Varied::Compratio => ("comp", *value),
            Varied::Compression => ("comp", ratio_of(*value)),
            what => (what.name(), *value),
        };
        say_step(&mut run.loops, step, outer.sizes);
        apply(&mut run, outer.what, *value);
        steps(&run, inner, each);
    }
}

/// The ratio n:1 of data that compresses to a percentage.
fn ratio_of(percentage: Number) -> Number {
    Number {
        value: 100.0 / percentage.value.max(1.0),
        ..percentage
    }
}

/// A step as Vdbench shows it: the whole number below, whatever it runs with.
fn say_step(loops: &mut String, (name, given): (&str, Number), sizes: bool) {
    let n = given.value;
    let text = match given {
        _ if given.percent => format!("{}%", whole(n)),
        _ if sizes => shown_size(n),
        _ if n.is_infinite() => "max".to_owned(),
        _ => whole(n).to_string(),
    };
    let blank = if loops.is_empty() { "" } else { " " };
    let _ = write!(loops, "{blank}{name}={text}");
}

/// Puts a loop's value where it belongs.
fn apply(run: &mut Run, what: Varied, n: Number) {
    let each = &mut run.workloads;
    match what {
        Varied::Threads => run.threads = Some(whole(n.value).max(1)),
        Varied::Hitarea => run.hitarea = Some(whole(n.value)).filter(|n| *n > 0),
        Varied::Compratio => run.compress = Some(compressed(n.value)),
        Varied::Compression => run.compress = Some(100.0 - n.value.min(100.0)),
        Varied::Xfersize => each
            .iter_mut()
            .for_each(|w| w.transfer = Transfer::One(whole(n.value))),
        Varied::Rdpct => each.iter_mut().for_each(|w| w.rdpct = n.value.min(100.0)),
        Varied::Rhpct => each.iter_mut().for_each(|w| w.rhpct = n.value.min(100.0)),
        Varied::Whpct => each.iter_mut().for_each(|w| w.whpct = n.value.min(100.0)),
        Varied::Seekpct => each.iter_mut().for_each(|w| w.seek = Seek::of(n)),
    }
}

/// What compresses away at a ratio of n:1, in percent; Vdbench stops at 25:1.
pub(crate) fn compressed(ratio: f64) -> f64 {
    100.0 - 100.0 / ratio.clamp(1.0, 25.0)
}

/// A step at each of its rates.
fn at_rates(run: &Run, rate: &Rates, points: &[u32], out: &mut Vec<Run>) {
    let mut push = |rate: Rate, name: String| {
        let mut run = run.clone();
        run.rate = rate;
        run.name = name;
        if run.loops.is_empty() {
            run.loops.push_str("None");
        }
        out.push(run);
    };
    let name = || run.name.clone();
    match rate {
        Rates::Max => push(Rate::Max, name()),
        Rates::Variable(pairs) => push(Rate::Variable(pairs.clone()), name()),
        Rates::Curve => {
            push(Rate::Curve, name());
            for point in points {
                push(Rate::Point(*point), format!("{}_({point}%)", run.name));
            }
        }
        Rates::List(list) => at_list(run, list.first(), list, out),
        Rates::Shown(first, list) => at_list(run, Some(first), list, out),
    }
}

/// A step at each rate of a list, shown by `first`.
fn at_list(run: &Run, first: Option<&Number>, list: &[Number], out: &mut Vec<Run>) {
    for n in list {
        let rate = match n {
            n if n.percent => Rate::Percent(small(n.value).max(1)),
            n if n.value.is_infinite() => Rate::Max,
            n => Rate::Fixed(n.value),
        };
        let mut step = run.clone();
        if list.len() > 1 {
            say_step(&mut step.loops, ("iorate", *n), false);
        }
        if step.loops.is_empty() {
            step.loops.push_str("None");
        }
        step.rate = rate;
        step.listed = first.map(|first| listed(run, *first, *n));
        step.first_share = first.filter(|n| n.percent).map(|n| small(n.value));
        out.push(step);
    }
}

/// The rate that a list of runs shows for each step of a list of rates: the first of them.
fn listed(run: &Run, first: Number, own: Number) -> String {
    let skewed = run
        .workloads
        .iter()
        .any(|w| w.skew.is_some() || w.priority.is_some());
    match first {
        n if n.percent => whole(SUPPOSED * n.value.trunc() / 100.0).to_string(),
        n if !n.value.is_infinite() => shown_rate(n.value),
        _ if skewed || !own.value.is_infinite() => "Controlled MAX".to_owned(),
        _ => "Uncontrolled MAX".to_owned(),
    }
}

fn rates(rd: &Definition, says: &mut Vec<Diagnostic>) -> Option<Rates> {
    let Some(entry) = rd.get(&row::rd::IORATE) else {
        let message = format!("run `{}` has no rate", rd.name);
        says.push(
            Diagnostic::error("rate-missing", message)
                .at(rd.at, "")
                .expected("`iorate=max`, `iorate=curve` or a number"),
        );
        return None;
    };
    let own = value::rate(&entry.value).ok()?;
    let before = rd.list_before.as_ref().and_then(|v| value::rate(v).ok());
    let shown = match &own {
        RateSpec::List(own) => own.first().copied(),
        RateSpec::Max => Some(Number {
            value: f64::INFINITY,
            percent: false,
        }),
        RateSpec::Curve => None,
    };
    if let (Some(RateSpec::List(list)), Some(shown)) = (before, shown) {
        let message = format!(
            "run `{}` uses the rates of the earlier list, not this one",
            rd.name
        );
        says.push(
            Diagnostic::warning("list-of-rates-before", message)
                .at(entry.value.span, "")
                .hint("as in Vdbench, only another list can replace a list of rates"),
        );
        return Some(Rates::Shown(shown, list));
    }
    Some(match own {
        RateSpec::Max => Rates::Max,
        RateSpec::Curve => Rates::Curve,
        RateSpec::List(list) => Rates::List(list),
    })
}

/// With a varying distribution the list is of rates and their seconds, and makes one run.
fn varied(
    rate: Rates,
    variable: bool,
    rd: &Definition,
    says: &mut Vec<Diagnostic>,
) -> Option<Rates> {
    if !variable {
        return Some(rate);
    }
    match rate {
        Rates::List(list) if list.len() % 2 == 0 && list.iter().all(|n| !n.percent) => {
            let pairs = list.chunks(2).map(|p| (p[0].value, p[1].value));
            Some(Rates::Variable(pairs.collect()))
        }
        _ => {
            says.push(
                Diagnostic::error(
                    "variable-rate",
                    "a variable rate is a list of rates and times",
                )
                .at(rd.span(&row::rd::IORATE), "")
                .expected("`iorate=(rate,seconds,rate,seconds,...)`"),
            );
            None
        }
    }
}

/// Points of a curve in whole percent.
fn points(rd: &Definition, says: &mut Vec<Diagnostic>) -> Vec<u32> {
    let points = rd.effective(&row::rd::CURVE);
    if points.iter().any(|n| n.value < 1.0) {
        says.push(
            Diagnostic::error(
                "point-below-one",
                "a point of a curve must be at least 1 percent",
            )
            .at(rd.span(&row::rd::CURVE), ""),
        );
    }
    points.iter().map(|n| small(n.value).max(1)).collect()
}

/// The response time that ends a curve, in milliseconds, and as it was written.
fn stop_curve(rd: &Definition) -> Option<(f64, String)> {
    let shown = rd.get(&row::rd::STOPCURVE)?.value.shown();
    Some((rd.given(&row::rd::STOPCURVE)?, shown))
}

/// The loops of a definition in the order in which they were written.
fn loops(rd: &Definition) -> Vec<Loop> {
    let entry = |e: &Entry| {
        let read = match e.spec.kind {
            Kind::Sizes => value::sizes,
            Kind::Areas => value::areas,
            _ => value::numbers,
        };
        let sizes = e.spec.kind != Kind::Numbers;
        Some(Loop {
            what: e.spec.varies?,
            values: read(&e.value).ok()?,
            sizes,
        })
    };
    rd.entries.iter().filter_map(entry).collect()
}

/// Times, checked against each other.
fn times(rd: &Definition, overrides: Overrides, says: &mut Vec<Diagnostic>) -> Option<Times> {
    let read = |over: Option<u64>, keyword| over.unwrap_or_else(|| rd.effective(keyword));
    let elapsed = read(overrides.elapsed, &row::rd::ELAPSED);
    let interval = read(overrides.interval, &row::rd::INTERVAL);
    let times = Times {
        elapsed,
        // Zero asks for one that fits.
        interval: if interval > 0 {
            interval
        } else {
            (elapsed / 2).min(60)
        },
        warmup: read(overrides.warmup, &row::rd::WARMUP),
        pause: rd.effective(&row::rd::PAUSE),
    };
    let Times {
        elapsed,
        interval,
        warmup,
        ..
    } = times;
    let wrong = match interval {
        0 => Some((
            &row::rd::INTERVAL,
            "the interval must be at least one second".to_owned(),
        )),
        i if elapsed / 2 < i => Some((
            &row::rd::ELAPSED,
            format!("elapsed={elapsed} is shorter than two intervals of {i} s"),
        )),
        i if elapsed % i != 0 => Some((
            &row::rd::ELAPSED,
            format!("elapsed={elapsed} is not a multiple of interval={i}"),
        )),
        i if warmup % i != 0 => Some((
            &row::rd::WARMUP,
            format!("warmup={warmup} is not a multiple of interval={i}"),
        )),
        _ => None,
    };
    let Some((keyword, message)) = wrong else {
        return Some(times);
    };
    says.push(Diagnostic::error("times-do-not-fit", message).at(rd.span(keyword), ""));
    None
}

/// The workloads of a run.
fn workloads(
    scope: &RunContext<'_>,
    rd: &Definition,
    says: &mut Vec<Diagnostic>,
) -> Option<Vec<WorkloadDef>> {
    let has_sd = rd.get(&row::rd::SD).is_some();
    let Some(entry) = rd.get(&row::rd::WD) else {
        if has_sd {
            let name = format!("wd_for_{}", rd.name);
            let empty = Definition::new(crate::table::Object::Wd, &name, rd.at);
            return Some(vec![objects::workload(&empty)]);
        }
        let message = format!("run `{}` has neither workloads nor storage", rd.name);
        says.push(
            Diagnostic::error("workload-missing", message)
                .at(rd.at, "")
                .expected("`wd=` or `sd=`"),
        );
        return None;
    };
    let names: Vec<&str> = scope.workloads.iter().map(|w| w.name.as_str()).collect();
    let found = pick(&entry.value, &names, "workload", says)?;
    let all: Vec<WorkloadDef> = found.iter().map(|i| scope.workloads[*i].clone()).collect();
    for one in all.iter().filter(|w| !has_sd && w.storage.is_none()) {
        let given = scope.file.workloads.iter().find(|d| d.name == one.name);
        if given.is_none_or(|d| d.get(&row::wd::SD).is_none()) {
            let message = format!("workload `{}` has no storage", one.name);
            says.push(
                Diagnostic::error("storage-missing", message)
                    .at(one.at, "")
                    .expected("`sd=` in the workload or in the run"),
            );
        }
    }
    Some(all)
}
