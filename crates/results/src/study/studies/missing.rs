//! Hosts that were lost while a study ran: which points are without them, and how that is said.
//!
//! Belongs here: the column of tables of points, and the sentence. Must never: judge a result without them (`trust`).

use super::answer::{AnswerCell, AnswerTable, AnswerUnit, Column};
use super::done::Measured;
use crate::run::Run;
use crate::summary::planned;

/// Most hosts that are named.
const MOST: usize = 4;

/// A table with a row for each of these, with a column that says which hosts each is without; the same where all were
/// there.
pub(super) fn marked(mut table: AnswerTable, rows: &[Vec<&Measured>]) -> AnswerTable {
    if rows.iter().flatten().all(|m| m.lost.is_empty()) {
        return table;
    }
    table
        .columns
        .push(Column::new("without host", AnswerUnit::Text));
    let nothing = Vec::new();
    for (at, row) in table.rows.iter_mut().enumerate() {
        row.push(cell(rows.get(at).unwrap_or(&nothing)));
    }
    table
}

/// The hosts that a row is without: in how many of its measurements, where that is not all.
fn cell(row: &[&Measured]) -> AnswerCell {
    let mut lost: Vec<&str> = Vec::new();
    for host in row.iter().flat_map(|m| &m.lost) {
        if !lost.contains(&host.as_str()) {
            lost.push(host);
        }
    }
    if lost.is_empty() {
        return AnswerCell::None;
    }
    let own = row.iter().filter(|m| !m.lost.is_empty()).count();
    let of = match own == row.len() {
        true => String::new(),
        false => format!(" in {own} of {} runs", row.len()),
    };
    AnswerCell::text(format!("{}{of}", named(&lost)))
}

fn named(hosts: &[&str]) -> String {
    let more = match hosts.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", hosts[..hosts.len().min(MOST)].join(", "))
}

/// Where a host was lost, in words; `None` = it was not.
pub(crate) fn where_lost(run: &Run, host: u32) -> Option<String> {
    let name = |stage: u32| planned(run, stage).map(|stage| stage.name.as_str());
    let (_, stage, _) = run.loss(host)?;
    let from = run.lost_from(host)?;
    Some(match (stage, from.checked_sub(1)) {
        (Some(stage), _) => format!("in {}", name(stage).unwrap_or("a stage")),
        (None, None) => "before the first stage".to_owned(),
        (None, Some(last)) => format!("after {}", name(last).unwrap_or("a stage")),
    })
}

/// Where hosts were lost, and how many points have all of theirs; `None` if none was.
pub(super) fn words(run: &Run, done: &[&Measured]) -> Option<String> {
    let mut at: Vec<(String, Vec<&str>)> = Vec::new();
    let count = run.plan.as_ref().map_or(0, |plan| plan.hosts.len());
    for host in (0_u32..).take(count) {
        let Some(stage) = where_lost(run, host) else {
            continue;
        };
        let label = run.host_label(host);
        match at.iter_mut().find(|known| known.0 == stage) {
            Some(known) => known.1.push(label),
            None => at.push((stage, vec![label])),
        }
    }
    let each = at.iter();
    let where_each = each.map(|(stage, hosts)| format!("{} {stage}", named(hosts)));
    let where_each: Vec<String> = where_each.collect();
    let whole = done.iter().filter(|m| m.lost.is_empty()).count();
    (!where_each.is_empty()).then(|| {
        format!(
            "Lost: {}. {whole} of {} points have all of their hosts; the others are marked in the tables, and \
             resuming the run measures them again.",
            where_each.join("; "),
            done.len()
        )
    })
}
