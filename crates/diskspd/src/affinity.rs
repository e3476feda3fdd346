//! `-a`: CPUs by number, by range, by group, and the orders DISKSPD 2.3 knows.
//!
//! Belongs here: the grammar of `-a`. Must never appear here: facts of the host.

use crate::profile::{Affinity, Efficiency};
use crate::reader::{Opt, Reader};
use leadline_dialect::diagnostic::Diagnostic;

/// Reads one `-a`. Several add up.
pub(super) fn read(reader: &mut Reader<'_>, opt: &Opt) {
    let mut affinity = reader.time_span.affinity.clone();
    let value = opt.value.as_str();
    let result = match value.chars().next() {
        None => Ok(()),
        Some('g') if value == "g" => Ok(()),
        Some('u') => unordered(&mut affinity, value),
        Some('c' | 's' | 'p' | 'P' | 'e' | 'E') => modifiers(&mut affinity, value),
        Some(_) => cpus(&mut affinity, value),
    };
    match result {
        Ok(()) => {
            if affinity.core_aware && value.contains('c') {
                reader.idle("-ac", opt);
            }
            if affinity.span && value.contains('s') {
                reader.idle("-as", opt);
            }
            if affinity.efficiency.is_some() && value.contains(['p', 'P', 'e', 'E']) {
                reader.idle("-ap", opt);
            }
            reader.time_span.affinity = affinity;
        }
        Err(AffinityError { message, at }) => {
            let skip = opt.text.len() - value.len();
            let place = at.map_or(opt.span, |at| opt.span.part(skip + at, skip + at + 1));
            reader.say(
                Diagnostic::error("bad-affinity", message)
                    .at(place, "")
                    .expected("CPUs as in `-a0,2,4-7` or `-ag1,0,1`"),
            );
        }
    }
}

/// What is wrong, and at which byte of the value when it is one.
struct AffinityError {
    message: String,
    at: Option<usize>,
}

fn wrong<T>(message: impl Into<String>) -> Result<T, AffinityError> {
    Err(AffinityError {
        message: message.into(),
        at: None,
    })
}

fn syntax<T>(at: usize) -> Result<T, AffinityError> {
    Err(AffinityError {
        message: "syntax error parsing affinity at highlighted character".to_owned(),
        at: Some(at),
    })
}

fn incomplete<T>() -> Result<T, AffinityError> {
    wrong("incomplete affinity specification")
}

const CONFLICT: &str = "explicit efficiency ordering conflicts with -aup";
const SEVERAL: &str = "multiple efficiency order specifiers are not allowed";

fn unordered(affinity: &mut Affinity, value: &str) -> Result<(), AffinityError> {
    match value {
        "up" if affinity.efficiency.is_some() => {
            wrong("-aup conflicts with explicit efficiency ordering")
        }
        "up" => {
            affinity.efficiency = Some(Efficiency::Unordered);
            Ok(())
        }
        "u" => wrong("-au requires an option (e.g., -aup)"),
        other => wrong(format!(
            "unknown -au option '{}'",
            other.get(1..).unwrap_or("")
        )),
    }
}

fn modifiers(affinity: &mut Affinity, value: &str) -> Result<(), AffinityError> {
    let mut order = None;
    for (at, letter) in value.char_indices() {
        let next = match letter {
            'c' => {
                affinity.core_aware = true;
                continue;
            }
            's' => {
                affinity.span = true;
                continue;
            }
            'p' => Efficiency::PFirst,
            'P' => Efficiency::FillPFirst,
            'e' => Efficiency::EFirst,
            'E' => Efficiency::FillEFirst,
            _ => return syntax(at),
        };
        if order.replace(next).is_some() {
            return wrong(SEVERAL);
        }
    }
    match (order, affinity.efficiency) {
        (None, _) => Ok(()),
        (Some(_), Some(Efficiency::Unordered)) => wrong(CONFLICT),
        (Some(_), Some(_)) => wrong(SEVERAL),
        (Some(_), None) => {
            affinity.efficiency = order;
            Ok(())
        }
    }
}

/// `g1,0,2-3,g2,0`: groups, and CPUs in the group named last.
fn cpus(affinity: &mut Affinity, value: &str) -> Result<(), AffinityError> {
    let mut group = 0_u16;
    let mut at = 0;
    let mut first = true;
    loop {
        if value[at..].starts_with('g') {
            at += 1;
            let (number, end) = number(value, at)?;
            at = end;
            let Ok(g) = u16::try_from(number) else {
                return wrong(format!("group {number} is out of range"));
            };
            group = g;
            if first && at == value.len() {
                affinity.assignments.push((group, None));
                return Ok(());
            }
        } else {
            at = cpu_or_range(affinity, group, value, at)?;
        }
        let ends_with_cpu = !value[..at]
            .rsplit(',')
            .next()
            .is_some_and(|item| item.starts_with('g'));
        match value.as_bytes().get(at) {
            None if ends_with_cpu => return Ok(()),
            None => return incomplete(),
            Some(b',') => at += 1,
            Some(_) => return syntax(at),
        }
        if at == value.len() {
            return incomplete();
        }
        first = false;
    }
}

fn cpu_or_range(
    affinity: &mut Affinity,
    group: u16,
    value: &str,
    at: usize,
) -> Result<usize, AffinityError> {
    let (low, mut at) = number(value, at)?;
    let mut high = low;
    if value[at..].starts_with('-') {
        (high, at) = number(value, at + 1)?;
        if high < low {
            return wrong(format!("CPU range {low}-{high} is inverted"));
        }
    }
    if high > u32::from(u8::MAX) {
        return wrong(format!("CPU {high} is out of range"));
    }
    let all = (low..=high).filter_map(|cpu| u8::try_from(cpu).ok());
    affinity
        .assignments
        .extend(all.map(|cpu| (group, Some(cpu))));
    Ok(at)
}

/// The digits at byte `at`, and where they end.
fn number(value: &str, at: usize) -> Result<(u32, usize), AffinityError> {
    let rest = &value[at..];
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    if end == 0 {
        return if rest.is_empty() {
            incomplete()
        } else {
            syntax(at)
        };
    }
    // What does not fit is out of range in any case.
    Ok((rest[..end].parse().unwrap_or(u32::MAX), at + end))
}
