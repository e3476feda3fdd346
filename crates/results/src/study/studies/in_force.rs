//! Which mounts and connections were in force in each state of the system.
//!
//! Belongs here: what the kernel said of the mounts while each state was measured, side by side, and where that is not what
//! the user's own command asks for. Must never: say what a state did to a figure.

use super::answer::{Answer, AnswerCell, AnswerTable, AnswerUnit, Column};
use crate::run::{Run, StageRun};
use crate::summary::planned;
use leadline_model::facts::{Fact, FactKey};
use leadline_model::plan::study::{Arm, Axis, Study};

/// Options by which mounts ask for a number of connections: of NFS, and of SMB with several channels.
const NUMBERS: [&str; 2] = ["nconnect=", "max_channels="];

/// A mount in one state.
#[derive(Clone, Debug, PartialEq)]
struct ArmMount {
    arm: usize,
    point: String,
    kind: String,
    options: Vec<String>,
    connections: Option<u64>,
}

/// Adds what was in force to the answer about several states; nothing where no target is on a server's file system.
pub(super) fn add(run: &Run, study: &Study, answer: &mut Answer) {
    let mounts = mounts(run, study);
    if mounts.is_empty() {
        return;
    }
    let not_kept = study.arms.iter().enumerate().flat_map(|(number, arm)| {
        let own = mounts.iter().filter(move |m| m.arm == number);
        own.filter_map(|mount| not_kept(arm, mount))
    });
    let mut first: Vec<String> = not_kept.collect();
    first.extend(all_alike(study, &mounts));
    first.dedup();
    answer.sentences.splice(0..0, first);
    answer.tables.push(table(study, &mounts));
}

/// The mounts of each state, each different one once.
fn mounts(run: &Run, study: &Study) -> Vec<ArmMount> {
    let mut found: Vec<ArmMount> = Vec::new();
    for stage in &run.stages {
        let point = planned(run, stage.stage).and_then(|plan| plan.point.as_ref());
        let name = point.and_then(|p| p.at.get(&Axis::Arm)?.text());
        let Some(arm) = study
            .arms
            .iter()
            .position(|arm| Some(arm.name.as_str()) == name)
        else {
            continue;
        };
        let facts = stage
            .counted
            .iter()
            .filter(|f| f.key() == FactKey::MOUNT_IN_FORCE);
        for mount in facts.filter_map(|fact| of_fact(arm, stage, fact)) {
            if !found.contains(&mount) {
                found.push(mount);
            }
        }
    }
    found.sort_by_key(|mount| mount.arm);
    found
}

fn of_fact(arm: usize, stage: &StageRun, fact: &Fact) -> Option<ArmMount> {
    let (kind, options) = fact.value.text()?.split_once(' ')?;
    let count = |key| {
        let same = |f: &&Fact| f.host == fact.host && f.subject == fact.subject && f.key() == key;
        stage.counted.iter().find(same)?.value.count()
    };
    Some(ArmMount {
        arm,
        point: fact.subject.clone(),
        kind: kind.to_owned(),
        options: options.split(',').map(str::to_owned).collect(),
        connections: count(FactKey::NFS_CONNECTIONS).or_else(|| count(FactKey::CONNECTIONS)),
    })
}

/// The number of connections that the command of a state asks for.
fn asked(arm: &Arm) -> Option<u64> {
    let number = |name: &str| {
        let (_, after) = arm.prepare.split_once(name)?;
        let end = after
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(after.len());
        after[..end].parse().ok()
    };
    NUMBERS.iter().find_map(|name| number(name))
}

/// A sentence on a state whose command requests another number of connections than there are.
fn not_kept(arm: &Arm, mount: &ArmMount) -> Option<String> {
    let (asked, there) = (asked(arm)?, mount.connections?);
    (asked != there).then(|| {
        format!(
            "{}: its command requests {asked} connections but {} has {there}: this is not the intended state. The \
             first mount from a server sets the number for all; unmount all of them before the next state.",
            arm.name, mount.point
        )
    })
}

/// A sentence that nothing on the client distinguishes the states.
fn all_alike(study: &Study, mounts: &[ArmMount]) -> Option<String> {
    let of = |arm: usize| {
        let own = mounts.iter().filter(move |m| m.arm == arm);
        own.map(|m| (&m.kind, &m.options, m.connections))
            .collect::<Vec<_>>()
    };
    let measured: Vec<_> = (0..study.arms.len())
        .map(of)
        .filter(|m| !m.is_empty())
        .collect();
    let alike = measured.len() > 1 && measured.iter().all(|m| *m == measured[0]);
    alike.then(|| {
        "The mounts of all states have the same options and number of connections: a difference between the states, \
         if any, does not come from how they are mounted."
            .to_owned()
    })
}

fn table(study: &Study, mounts: &[ArmMount]) -> AnswerTable {
    let everywhere = |option: &String| mounts.iter().all(|m| m.options.contains(option));
    let rows = mounts.iter().map(|mount| {
        let differ = mount.options.iter().filter(|option| !everywhere(option));
        let differ: Vec<&str> = differ.map(String::as_str).collect();
        vec![
            AnswerCell::text(
                study
                    .arms
                    .get(mount.arm)
                    .map_or("", |arm| arm.name.as_str()),
            ),
            AnswerCell::text(&mount.point),
            AnswerCell::text(&mount.kind),
            match mount.connections {
                Some(count) => AnswerCell::Number(count as f64),
                None => AnswerCell::None,
            },
            AnswerCell::text(&match differ.is_empty() {
                true => "none".to_owned(),
                false => differ.join(","),
            }),
        ]
    });
    AnswerTable {
        title: "Mounts in force".to_owned(),
        rows: rows.collect(),
        columns: vec![
            Column::new("arm", AnswerUnit::Text),
            Column::new("mount", AnswerUnit::Text),
            Column::new("file system", AnswerUnit::Text),
            Column::new("connections", AnswerUnit::Count),
            Column::new("options that differ", AnswerUnit::Text),
        ],
    }
}
