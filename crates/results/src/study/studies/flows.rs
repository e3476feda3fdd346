//! States of the system that differ in their number of connections: which limit the first of them is at, and which is next.
//!
//! Belongs here: the highest rate of each state beside its connections, and what follows from both. Must never: judge
//! whether states differ (that is `compare`), or say what a connection itself is limited by.

use super::answer::{Answer, AnswerCell, AnswerUnit};
use super::done::Measured;
use super::group::PointGroup;
use crate::run::Run;
use crate::stats::Interval;
use crate::words::{bytes_within, counted, trim_to};
use leadline_model::facts::FactKey;
use leadline_model::plan::study::{Axis, Question, Role, Study};
use leadline_model::plan::{Pace, Target};

/// Rates within this share of each other are the same.
const SAME: f64 = 0.05;
/// N times the connections carry at least this share of N times the rate where each is at its limit.
const EACH: f64 = 0.9;
/// The word where the intervals of the rates leave more than one limit possible.
const UNDECIDED: &str = "not decided";

/// The best unthrottled point of a state, and its connections.
struct StateFlows<'a> {
    state: &'a str,
    /// To the server, of each host.
    connections: u64,
    /// Bytes a second.
    rate: Interval,
}

/// Adds what more connections show to the answer about several states; nothing where their numbers are not known, or alike.
pub(super) fn add(run: &Run, study: &Study, done: &[Measured], answer: &mut Answer) {
    if !is_of_rates(&study.question) {
        return;
    }
    let states = study.arms.iter();
    let states = states.filter_map(|arm| StateFlows::of(run, &arm.name, done));
    let mut states: Vec<StateFlows<'_>> = states.collect();
    states.sort_by_key(|state| state.connections);
    let (Some(few), Some(many)) = (states.first(), states.last()) else {
        return;
    };
    if few.connections == many.connections || few.rate.value <= 0.0 {
        return;
    }
    let (limit, sentence) = compared(few, many);
    let first = answer.sentences.len().min(1);
    answer.sentences.insert(first, sentence);
    answer.value(
        "connections_show",
        AnswerCell::text(limit),
        AnswerUnit::Text,
    );
}

/// Whether a question is about the unthrottled volume.
const fn is_of_rates(question: &Question) -> bool {
    matches!(
        question,
        Question::Iops | Question::Throughput | Question::Depth | Question::Size | Question::Mix
    )
}

impl<'a> StateFlows<'a> {
    fn of(run: &Run, state: &'a str, done: &[Measured]) -> Option<Self> {
        let (best, rate) = highest(state, done)?;
        Some(Self {
            state,
            connections: connections(run, best)?,
            rate,
        })
    }
}

/// The best unthrottled point of a state and its bytes a second, as the tables have them: those of the run that confirms it, or of
/// all its repeats.
fn highest<'m>(state: &str, done: &'m [Measured]) -> Option<(&'m Measured, Interval)> {
    let is_its = |m: &&Measured| {
        let is_result = matches!(m.role(), Role::Point | Role::Maximum) || m.is_once_more();
        is_result && m.text(Axis::Arm) == Some(state) && m.workload.pace == Pace::Closed
    };
    let own: Vec<&Measured> = done.iter().filter(is_its).collect();
    let groups = PointGroup::all(&own);
    let best = PointGroup::best(groups.iter(), Measured::bytes_within)?;
    Some((best.first(), best.bytes()))
}

/// The connections of a point: those that the kernel counted, or those of the law of a simulated volume that its
/// workers are spread over.
fn connections(run: &Run, point: &Measured) -> Option<u64> {
    let is_its = |stage: &&crate::run::StageRun| stage.stage == point.summary.stage;
    let stage = run.stages.iter().find(is_its)?;
    let counted = [FactKey::NFS_CONNECTIONS, FactKey::CONNECTIONS].map(|key| {
        let facts = stage.counted.iter().filter(|fact| fact.key() == key);
        facts.filter_map(|fact| fact.value.count()).max()
    });
    let simulated = || match &point.workload.blocks().target {
        Target::Simulated(target) => {
            let all = target.volume.connections?;
            Some(u64::from(all.min(point.workload.clones)))
        }
        _ => None,
    };
    counted.into_iter().flatten().next().or_else(simulated)
}

/// What a gain shows of the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GainShows {
    NotTheFlow,
    FlowThenVolume,
    Flow,
}

impl GainShows {
    /// Of a rate that is `gain` times that of `more` times fewer connections.
    fn of(gain: f64, more: f64) -> Self {
        match gain {
            gain if gain <= 1.0 + SAME => Self::NotTheFlow,
            gain if gain >= EACH * more => Self::Flow,
            _ => Self::FlowThenVolume,
        }
    }
}

/// Which limit the states are at, as a word and in a sentence: one that holds at both ends of what the gain may be.
fn compared(few: &StateFlows<'_>, many: &StateFlows<'_>) -> (&'static str, String) {
    let more = many.connections as f64 / few.connections.max(1) as f64;
    let gain = many.rate.over(&few.rate);
    let name = |of: &StateFlows<'_>| counted(&of.connections.to_string(), "connection");
    let first = format!(
        "{} with {} reaches {}, {} with {} {}: x{}",
        few.state,
        name(few),
        bytes_within(&few.rate),
        many.state,
        name(many),
        bytes_within(&many.rate),
        trim_to(gain.value, 2)
    );
    let either = format!(
        "{first}, by their intervals between x{} and x{}",
        trim_to(gain.low, 2),
        trim_to(gain.high, 2)
    );
    let rate = few.rate.scaled(1.0 / few.connections.max(1) as f64);
    let each = bytes_within(&rate);
    match (
        GainShows::of(gain.low, more),
        GainShows::of(gain.high, more),
    ) {
        (_, GainShows::NotTheFlow) => (
            "not the flow",
            format!("{first}. More connections do not help: the flow is not the limit."),
        ),
        (GainShows::Flow, _) => (
            "flow",
            format!(
                "{first}, in proportion to the connections. The limit is the flow: each connection carries {each}, also \
                 with {}.",
                name(many)
            ),
        ),
        (GainShows::FlowThenVolume, GainShows::FlowThenVolume) => (
            "flow, then volume",
            format!(
                "{first}. The first limit is the flow: a connection carries {each}. The second, if a greater depth does \
                 not help, is the volume or whatever else all connections share: {} would carry {}.",
                name(many),
                bytes_within(&rate.scaled(many.connections as f64))
            ),
        ),
        (GainShows::FlowThenVolume, GainShows::Flow) => (
            UNDECIDED,
            format!(
                "{either}. The first limit is the flow: a connection carries {each}. With {} it may still be the flow, \
                 or already the volume or whatever else all connections share: more repeats, longer points or a state \
                 with more connections would show which.",
                name(many)
            ),
        ),
        (GainShows::NotTheFlow, _) => (
            UNDECIDED,
            format!(
                "{either}. Whether the flow is the limit is not decided: more repeats or longer points would show it."
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::summary::summarize;
    use leadline_model::op::Op;
    use leadline_model::plan::StudyPoint;
    use leadline_model::plan::access::OpMix;
    use leadline_model::plan::study::Coordinate;

    /// The depth of a point, which measurement of it this is, and its I/Os in ten seconds.
    type OnePoint = (f64, Option<(Axis, f64)>, u64);

    /// Reads in the state "one".
    fn of_points(points: &[OnePoint]) -> Vec<Measured> {
        let workload = fixture::workload("w", OpMix::reads(), 4096, 8, 10);
        let stages = points.iter().map(|_| ("p", vec![workload.clone()]));
        let mut plan = fixture::plan(stages.collect());
        let mut loads = Vec::new();
        for (stage, (depth, again, ios)) in plan.stages.iter_mut().zip(points) {
            let number = |(axis, n): (Axis, f64)| (axis, Coordinate::Number(n));
            let arm = (Axis::Arm, Coordinate::Text("one".to_owned()));
            let own = [(Axis::Depth, *depth)].into_iter().chain(*again);
            stage.point = Some(StudyPoint {
                role: match again {
                    Some((Axis::Try, _)) => Role::Confirmation,
                    _ => Role::Point,
                },
                at: own.map(number).chain([arm]).collect(),
            });
            loads.push(vec![Load::simple(Op::Read, *ios, 4096, 100_000, 10)]);
        }
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        Measured::all(&run, &summarize(&run))
    }

    #[test]
    fn the_rate_of_a_state_is_that_of_the_run_which_confirms_it() {
        let done = of_points(&[
            (1.0, None, 4000),
            (4.0, None, 8000),
            (4.0, Some((Axis::Try, 2.0)), 6800),
        ]);
        let (best, rate) = highest("one", &done).unwrap();
        assert_eq!(best.number(Axis::Depth), Some(4.0));
        let confirmed = done[2].bytes_within().value;
        assert!((rate.value - confirmed).abs() < 1.0, "{rate:?}");
        assert!(highest("two", &done).is_none());
    }

    #[test]
    fn the_rate_of_a_state_is_the_mean_of_its_repeats() {
        let repeat = |depth: f64, n: f64, ios: u64| (depth, Some((Axis::Repeat, n)), ios);
        let done = of_points(&[
            repeat(1.0, 1.0, 7900),
            repeat(4.0, 1.0, 8000),
            repeat(1.0, 2.0, 7900),
            repeat(4.0, 2.0, 7000),
        ]);
        let (best, rate) = highest("one", &done).unwrap();
        assert_eq!(best.number(Axis::Depth), Some(1.0));
        let single = done[1].bytes_within().value;
        let share = rate.value / single;
        assert!((share - 7900.0 / 8000.0).abs() < 0.01, "{share}");
    }

    fn shown(few: (u64, f64), many: (u64, f64)) -> (&'static str, String) {
        let of = |state, (connections, mib): (u64, f64)| StateFlows {
            state,
            connections,
            rate: Interval::only(mib * 1_048_576.0),
        };
        compared(&of("one", few), &of("eight", many))
    }

    /// Exactly nine tenths of eight times as much, from repeats of 800 and 680 MiB/s: the volume does 680 now.
    #[test]
    fn a_limit_that_the_intervals_do_not_show_is_not_named() {
        let around = |mib: f64, share: f64| {
            let rate = Interval::only(mib * 1_048_576.0);
            Interval {
                low: rate.value * (1.0 - share),
                high: rate.value * (1.0 + share),
                ..rate
            }
        };
        let found = |few: Interval, many: Interval| {
            let of = |state, connections, rate| StateFlows {
                state,
                connections,
                rate,
            };
            compared(&of("one", 1, few), &of("eight", 8, many))
        };
        let one = || around(100.0, 0.0);
        let (limit, said) = found(one(), around(720.0, 0.1));
        assert_eq!(limit, "not decided");
        assert!(
            said.contains(": x7.2, by their intervals between x6.48 and x7.92."),
            "{said}"
        );
        assert!(
            said.contains("With 8 connections it may still be the flow, or already"),
            "{said}"
        );
        assert!(!said.contains("The limit is the flow"), "{said}");
        // So it is just below, and where the rate of one connection is not sure.
        assert_eq!(found(one(), around(700.0, 0.1)).0, "not decided");
        assert_eq!(
            found(around(100.0, 0.1), around(750.0, 0.0)).0,
            "not decided"
        );
        assert_eq!(found(one(), around(760.0, 0.05)).0, "flow");
        assert_eq!(found(one(), around(600.0, 0.1)).0, "flow, then volume");
        // Nor is it sure that more connections do not help.
        let (limit, said) = found(one(), around(100.0, 0.2));
        assert_eq!(limit, "not decided");
        assert!(
            said.contains("Whether the flow is the limit is not decided"),
            "{said}"
        );
        assert_eq!(found(one(), around(100.0, 0.04)).0, "not the flow");
    }

    #[test]
    fn more_connections_distinguish_the_flow_from_the_volume() {
        let (limit, said) = shown((1, 1520.0), (8, 3500.0));
        assert_eq!(limit, "flow, then volume");
        assert!(said.contains("x2.3."), "{said}");
        assert!(said.contains("is the volume or whatever"), "{said}");
        assert_eq!(shown((1, 400.0), (8, 3200.0)).0, "flow");
        assert_eq!(shown((2, 400.0), (4, 780.0)).0, "flow");
        assert_eq!(shown((1, 400.0), (8, 405.0)).0, "not the flow");
        assert_eq!(shown((1, 400.0), (8, 300.0)).0, "not the flow");
    }
}
