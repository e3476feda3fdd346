//! DISKSPD's text: the totals of its three tables, and the percentiles of a time span.

use super::{SideFigures, rows, wrong};
use leadline_dialect::diagnostic::{Diagnostic, SourceId};
use leadline_model::units::{Bytes, Percent};
use leadline_results::compare::{Properties, Property, PropertyValue, Subject};
use leadline_results::work::unsaid;

/// Bytes of a MiB.
const MIB: f64 = 1_048_576.0;

/// The table that is being read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Reads {
    #[default]
    Other,
    /// Reads, writes or both, by their place among the sides.
    Table(usize),
    Percentiles,
}

/// Reads the result that begins at this byte of the text.
pub(super) fn read(text: &str, start: usize, source: SourceId) -> Result<Subject, Vec<Diagnostic>> {
    let mut reader = TextReader::default();
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let from = at;
        at += line.len();
        if let Err(why) = reader.line(line.trim_end()) {
            let place = (source, from, from + line.len());
            let cure = "use -Rxml, which has all figures with their names";
            return Err(wrong("bad-totals", why, place, cure));
        }
    }
    let subject = reader.subject();
    if subject.rows.is_empty() {
        let cure = "a result has `Results for timespan` (on Linux `Results for job`) with `Total IO`, `Read IO` and `Write IO` below";
        return Err(wrong("no-io", "no I/O in it", (source, 0, 1), cure));
    }
    Ok(subject)
}

/// What was read of a result so far.
#[derive(Default)]
struct TextReader {
    subject: Subject,
    work: Work,
    /// The time span that the lines are of.
    span: Option<TextSpan>,
    part: Reads,
    /// The heads of the table that is being read.
    columns: Vec<String>,
}

/// A time span.
#[derive(Default)]
struct TextSpan {
    name: String,
    sides: [SideFigures; 3],
    /// Which of its tables it has: each has all three, with zeros where there was no I/O.
    has: [bool; 3],
    /// Its table of percentiles has begun and not reached its last line.
    is_open: bool,
}

impl TextReader {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        // DISKSPD for Linux has jobs for time spans.
        let number = line.strip_prefix("Results for timespan ");
        if let Some(number) = number.or_else(|| line.strip_prefix("Results for job ")) {
            self.end_span();
            self.span = Some(TextSpan {
                name: format!("timespan {}", number.trim_end_matches(':')),
                ..TextSpan::default()
            });
            self.part = Reads::Other;
            return Ok(());
        }
        let Some(span) = &mut self.span else {
            self.work.line(line.trim());
            return Ok(());
        };
        match (line.trim(), self.part) {
            ("Read IO", _) => self.part = Reads::Table(0),
            ("Write IO", _) => self.part = Reads::Table(1),
            ("Total IO", _) => self.part = Reads::Table(2),
            ("Total latency distribution:", _) => {
                self.part = Reads::Percentiles;
                span.is_open = true;
            }
            ("", Reads::Table(_)) => self.part = Reads::Other,
            (row, Reads::Table(_)) if row.starts_with("thread |") => {
                self.columns = row.split('|').map(|c| c.trim().to_owned()).collect();
            }
            (row, Reads::Table(side)) if row.starts_with("total:") => {
                let found = totals(row, &self.columns);
                let found =
                    found.ok_or("a line of totals that has no bytes, I/Os, MiB/s and I/O per s")?;
                span.sides[side] = found;
                span.has[side] = true;
            }
            (row, Reads::Percentiles) => {
                percentile(row, &mut span.sides);
                span.is_open &= !row.starts_with("max");
            }
            _ => {}
        }
        Ok(())
    }

    fn end_span(&mut self) {
        let Some(span) = self.span.take() else { return };
        self.subject.rows.extend(rows(&span.name, &span.sides));
        if span.has != [true; 3] || span.is_open {
            let cut = format!("{} has no end: the text was cut", span.name);
            self.subject.doubts.push(cut);
            self.subject.is_unfinished = true;
        }
    }

    fn subject(mut self) -> Subject {
        self.end_span();
        self.subject.properties.extend(self.work.properties());
        self.subject
    }
}

/// What its targets have in common, by the lines of `Input parameters`.
#[derive(Default)]
struct Work(Vec<(Property, PropertyValue)>);

impl Work {
    /// One line of them.
    fn line(&mut self, line: &str) {
        let reads = |percent| PropertyValue::Percent(Percent::nearest(percent));
        let known = match line.split_once(": ") {
            Some(("block size", size)) => Some((Property::BlockSize, sized(size))),
            Some((text, depth)) if text.starts_with("number of outstanding I/O") => {
                // Before the targets it is that of the pool of threads; 0 = each target says its own.
                // DISKSPD for Linux closes a bracket that it never opened.
                let depth = depth
                    .trim_end_matches(')')
                    .parse()
                    .ok()
                    .filter(|depth| *depth > 0);
                depth.map(|depth| (Property::Depth, PropertyValue::Count(depth)))
            }
            Some(("threads per file", count)) => {
                let count = count.parse().ok();
                count.map(|count| (Property::Jobs, PropertyValue::Count(count)))
            }
            Some((text, ratio)) if text.starts_with("performing mix test") => {
                let share = ratio.split('/').next().and_then(|share| share.parse().ok());
                share.map(|share: f64| (Property::Mix, reads(share)))
            }
            _ if line.starts_with("performing read test") => Some((Property::Mix, reads(100.0))),
            _ if line.starts_with("performing write test") => Some((Property::Mix, reads(0.0))),
            _ if line.starts_with("using random I/O") => {
                // How they are distributed the next lines say, which are not read.
                let order = PropertyValue::AtLeast("random".to_owned());
                Some((Property::Order, order))
            }
            _ if line.starts_with("using sequential I/O") => {
                Some((Property::Order, "sequential".into()))
            }
            _ => None,
        };
        self.0.extend(known);
    }

    /// Those that all targets have alike, and the threads of all of them. Rates and pauses are not said.
    fn properties(self) -> Properties {
        let mut all = unsaid();
        for (property, value) in self.0 {
            let value = match (all.get(&property), value) {
                (Some(PropertyValue::Count(sum)), PropertyValue::Count(own))
                    if property == Property::Jobs =>
                {
                    PropertyValue::Count(sum.saturating_add(own))
                }
                (Some(known), value) if *known != value => PropertyValue::Unknown,
                (_, value) => value,
            };
            all.insert(property, value);
        }
        all
    }
}

/// `4KiB` or `65536`: a block size.
fn sized(text: &str) -> PropertyValue {
    let units = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("B", 1),
        ("", 1),
    ];
    let bytes = units.into_iter().find_map(|(unit, factor)| {
        let number: u64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        number.checked_mul(factor)
    });
    bytes.map_or_else(|| text.into(), |bytes| PropertyValue::Bytes(Bytes(bytes)))
}

/// `total:         599810048 |       146438 |     190.67 |   48811.96 |    0.041 | ...`, by the heads above.
fn totals(row: &str, columns: &[String]) -> Option<SideFigures> {
    let cells: Vec<&str> = row
        .strip_prefix("total:")?
        .split('|')
        .map(str::trim)
        .collect();
    // The first head, of threads, has no cell of its own.
    let cell = |name: &str| {
        let at = columns.iter().position(|c| c == name)?.checked_sub(1)?;
        let value: f64 = cells.get(at)?.parse().ok()?;
        (value.is_finite() && value >= 0.0).then_some(value)
    };
    Some(SideFigures {
        ios: cell("I/Os")?,
        iops: cell("I/O per s")?,
        // DISKSPD for Linux says MB and counts 2^20.
        bytes_per_s: cell("MiB/s").or_else(|| cell("MB/s"))? * MIB,
        mean: cell("AvgLat").map(|ms| ms * 1e6),
        ..SideFigures::default()
    })
}

/// `   99th |      0.101 |      0.101 |      0.101`, `3-nines`, `max`.
fn percentile(row: &str, sides: &mut [SideFigures; 3]) {
    let mut cells = row.split('|').map(str::trim);
    let name = cells.next().unwrap_or("");
    let percent = match name.split_once("-nines") {
        Some((nines, _)) => match nines.parse::<i32>() {
            Ok(n @ 3..=9) => Some(100.0 - 10_f64.powi(2 - n)),
            _ => None,
        },
        None => name.strip_suffix("th").and_then(|p| p.parse().ok()),
    };
    for (side, cell) in sides.iter_mut().zip(cells) {
        let Some(ns) = cell
            .parse::<f64>()
            .ok()
            .filter(|ms| ms.is_finite() && *ms >= 0.0)
        else {
            continue;
        };
        match percent {
            // Four decimals of a percentile are kept: more nines would be one name for several.
            Some(p) if (0.1..99.9999).contains(&p) => side.percentiles.push((p, ns * 1e6)),
            None if name == "max" => side.max = Some(ns * 1e6),
            _ => {}
        }
    }
}
