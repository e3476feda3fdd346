//! DISKSPD's XML.

use super::{SideFigures, rows, wrong};
use leadline_dialect::diagnostic::{Diagnostic, SourceId};
use leadline_model::units::{Bytes, Percent, whole};
use leadline_results::compare::{Properties, Property, PropertyValue, SeriesPart, Subject};
use leadline_results::work::unsaid;
use roxmltree::{Document, Node, ParsingOptions};

/// Whether it is XML with results.
pub(super) fn is_xml(text: &str) -> bool {
    let text = match text.split_once("?>") {
        Some((head, rest)) if head.starts_with("<?xml") => rest.trim_start(),
        _ => text,
    };
    text.starts_with("<Results>")
}

/// Most nodes of a document: far more than any result has.
const MOST_NODES: u32 = 10_000_000;

/// DISKSPD 2.2 escapes nothing: `Name="<unknown>"` for a machine without a power scheme, `&` in a path. What an XML
/// parser takes instead; places are those of the text only before the first of these.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let (mut in_tag, mut quote) = (false, None);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            ('<', Some(_)) => out.push_str("&lt;"),
            ('&', _) if !is_entity(&text[at..]) => out.push_str("&amp;"),
            _ => out.push(c),
        }
        match (c, quote) {
            ('"' | '\'', None) if in_tag => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('<', None) => in_tag = true,
            ('>', None) => in_tag = false,
            _ => {}
        }
    }
    out
}

/// Whether a text begins with `&name;` or `&#number;`.
fn is_entity(text: &str) -> bool {
    let name = text[1..].split(';').next().unwrap_or_default();
    let known = ["amp", "lt", "gt", "quot", "apos"];
    text[1..].len() > name.len() && (known.contains(&name) || name.starts_with('#'))
}

/// The document of a text, or of the same with what DISKSPD did not escape.
///
/// # Errors
/// Why the text is none.
fn document<'t>(text: &'t str, mended: &'t str) -> Result<Document<'t>, roxmltree::Error> {
    let options = || ParsingOptions {
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    match Document::parse_with_options(text, options()) {
        Err(error) => Document::parse_with_options(mended, options()).map_err(|_| error),
        right => right,
    }
}

pub(super) fn read(text: &str, source: SourceId) -> Result<Subject, Vec<Diagnostic>> {
    let mended = escaped(text);
    let document = document(text, &mended).map_err(|error| {
        let at = error.pos();
        let lines = text
            .split_inclusive('\n')
            .take(at.row.saturating_sub(1) as usize);
        let from = lines.map(str::len).sum::<usize>().min(text.len());
        let cure = "was DISKSPD ended before it had written its result? run it again";
        wrong("not-xml", error.to_string(), (source, from, from + 1), cure)
    })?;
    let root = document.root_element();
    let mut subject = Subject {
        properties: about(root),
        ..Subject::default()
    };
    let asked = child(root, "Profile").and_then(|p| child(p, "TimeSpans"));
    let asked: Vec<Node<'_, '_>> = asked
        .into_iter()
        .flat_map(|a| children(a, "TimeSpan"))
        .collect();
    for (at, span) in children(root, "TimeSpan").enumerate() {
        let Some(sides) = sides(span) else {
            let range = span.range();
            let what = "a time span without `TestTimeSeconds` above 0";
            let cure = "a run that was ended early has no figures: run it again";
            return Err(wrong(
                "no-time",
                what,
                (source, range.start, range.start + 9),
                cure,
            ));
        };
        // A result that is written from a run of another front end has an empty profile.
        let set = asked
            .get(at)
            .map_or_else(unsaid, |asked| properties(*asked));
        let block = match set.get(&Property::BlockSize) {
            Some(PropertyValue::Bytes(Bytes(block))) => Some(*block),
            _ => None,
        };
        for mut row in rows(&format!("timespan {}", at + 1), &sides) {
            row.properties.clone_from(&set);
            let key = row.op.map_or("Total", |op| match op {
                leadline_model::op::Op::Read => "Read",
                _ => "Write",
            });
            row.series = block
                .map(|block| series(span, key, block))
                .unwrap_or_default();
            subject.rows.push(row);
        }
    }
    if subject.rows.is_empty() {
        let range = root.range();
        let cure =
            "a result has `TimeSpan` with threads and targets below `Results`: write it with -Rxml";
        return Err(wrong(
            "no-io",
            "no I/O in it",
            (source, range.start, range.start + 9),
            cure,
        ));
    }
    Ok(subject)
}

/// Who made the result, and where.
fn about(root: Node<'_, '_>) -> Properties {
    let mut all = Properties::default();
    if let Some(version) = child(root, "System")
        .and_then(|s| child(s, "Tool"))
        .and_then(|t| word(t, "Version"))
    {
        let tool = format!("DISKSPD {version}");
        all.insert(Property::Tool, tool.as_str().into());
    }
    if let Some(host) = child(root, "System").and_then(|s| word(s, "ComputerName")) {
        all.insert(Property::Hosts, host.into());
    }
    all
}

fn children<'a, 'i>(of: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    of.children().filter(move |node| node.has_tag_name(name))
}

fn child<'a, 'i>(of: Node<'a, 'i>, name: &'static str) -> Option<Node<'a, 'i>> {
    children(of, name).next()
}

fn word<'a>(of: Node<'a, '_>, name: &'static str) -> Option<&'a str> {
    child(of, name)?.text().map(str::trim)
}

/// A number of 0 or more.
fn number(of: Node<'_, '_>, name: &'static str) -> Option<f64> {
    let value: f64 = word(of, name)?.parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value)
}

/// Reads, writes and both, from the counts of all threads and targets over the time of the test.
fn sides(span: Node<'_, '_>) -> Option<[SideFigures; 3]> {
    let seconds = number(span, "TestTimeSeconds").filter(|s| *s > 0.0)?;
    let latency = child(span, "Latency");
    let sum = |name| {
        let threads = children(span, "Thread");
        let targets = threads.flat_map(|thread| children(thread, "Target"));
        targets
            .filter_map(|target| number(target, name))
            .sum::<f64>()
    };
    let side = |ios: f64, bytes: f64, mean: &'static str, column: &'static str| {
        let milli = |name| latency.and_then(|l| number(l, name)).map(|ms| ms * 1e6);
        let buckets = latency.into_iter().flat_map(|l| children(l, "Bucket"));
        let all: Vec<(f64, f64)> = buckets
            .filter_map(|b| Some((number(b, "Percentile")?, number(b, column)? * 1e6)))
            .collect();
        let max = all.iter().find(|(p, _)| *p >= 100.0).map(|(_, ns)| *ns);
        SideFigures {
            ios,
            iops: ios / seconds,
            bytes_per_s: bytes / seconds,
            mean: milli(mean),
            percentiles: all
                .into_iter()
                .filter(|(p, _)| (0.1..99.9999).contains(p))
                .collect(),
            max,
        }
    };
    Some([
        side(
            sum("ReadCount"),
            sum("ReadBytes"),
            "AverageReadMilliseconds",
            "ReadMilliseconds",
        ),
        side(
            sum("WriteCount"),
            sum("WriteBytes"),
            "AverageWriteMilliseconds",
            "WriteMilliseconds",
        ),
        side(
            sum("IOCount"),
            sum("BytesCount"),
            "AverageTotalMilliseconds",
            "TotalMilliseconds",
        ),
    ])
}

/// What the span's own intervals counted, where all I/Os are of one size.
fn series(span: Node<'_, '_>, key: &'static str, block: u64) -> Vec<SeriesPart> {
    let buckets = child(span, "Iops")
        .into_iter()
        .flat_map(|iops| children(iops, "Bucket"));
    let mut before = 0.0;
    let mut parts = Vec::new();
    for bucket in buckets {
        let value = |name| {
            bucket
                .attribute(name)?
                .parse::<f64>()
                .ok()
                .filter(|n| n.is_finite() && *n >= 0.0)
        };
        let (Some(end), Some(ios)) = (value("SampleMillisecond"), value(key)) else {
            return Vec::new();
        };
        if end <= before {
            return Vec::new();
        }
        parts.push(SeriesPart {
            seconds: (end - before) / 1e3,
            ios,
            bytes: ios * block as f64,
            latency_sum: None,
        });
        before = end;
    }
    parts
}

/// Threads of all targets.
fn jobs(targets: &[Node<'_, '_>]) -> Option<PropertyValue> {
    let each = targets.iter().map(|t| number(*t, "ThreadsPerFile"));
    let each: Option<Vec<f64>> = each.collect();
    let sum = each?.iter().sum::<f64>();
    (sum > 0.0).then(|| PropertyValue::Count(whole(sum)))
}

/// The rate that all threads of all targets are held to: of each in bytes a millisecond, or in I/Os a second; `None`
/// where one has none.
fn rate(targets: &[Node<'_, '_>]) -> Option<PropertyValue> {
    let of = |target: &Node<'_, '_>| {
        let held = number(*target, "Throughput").filter(|rate| *rate > 0.0)?;
        let unit = child(*target, "Throughput")?.attribute("unit");
        let threads = number(*target, "ThreadsPerFile")?;
        let all = held * threads;
        Some(match unit {
            Some("IOPS") => (all, 0.0),
            _ => (0.0, all * 1e3),
        })
    };
    let each: Option<Vec<(f64, f64)>> = targets.iter().map(of).collect();
    let (iops, bytes) = each?
        .iter()
        .fold((0.0, 0.0), |(i, b), (x, y)| (i + x, b + y));
    match (iops > 0.0, bytes > 0.0) {
        (true, false) => Some(PropertyValue::Iops(iops)),
        (false, true) => Some(PropertyValue::BytesPerS(bytes)),
        _ => None,
    }
}

/// What was asked of all targets of a span alike.
fn properties(span: Node<'_, '_>) -> Properties {
    let mut all = Properties::new();
    let targets: Vec<Node<'_, '_>> = child(span, "Targets")
        .into_iter()
        .flat_map(|t| children(t, "Target"))
        .collect();
    let same = |of: &dyn Fn(Node<'_, '_>) -> Option<PropertyValue>| {
        let mut each = targets.iter().map(|target| of(*target));
        let first = each.next()??;
        each.all(|other| other.as_ref() == Some(&first))
            .then_some(first)
    };
    let count = |name: &'static str| {
        move |target: Node<'_, '_>| number(target, name).map(|n| PropertyValue::Count(whole(n)))
    };
    let bytes = |target: Node<'_, '_>| {
        number(target, "BlockSize").map(|n| PropertyValue::Bytes(Bytes(whole(n))))
    };
    let mix = |target: Node<'_, '_>| {
        let writes = number(target, "WriteRatio").filter(|w| *w <= 100.0)?;
        Some(PropertyValue::Percent(Percent::nearest(100.0 - writes)))
    };
    let order = |target: Node<'_, '_>| {
        let random = child(target, "Random").is_some() || child(target, "Distribution").is_some();
        Some(if random { "random" } else { "sequential" }.into())
    };
    let paths: Vec<&str> = targets.iter().filter_map(|t| word(*t, "Path")).collect();
    let found = [
        (Property::Mix, same(&mix)),
        (Property::BlockSize, same(&bytes)),
        (Property::Order, same(&order)),
        (Property::Depth, same(&count("RequestCount"))),
        (Property::Jobs, jobs(&targets)),
        (Property::Rate, rate(&targets)),
        (
            Property::Target,
            (!paths.is_empty()).then(|| paths.join(", ").as_str().into()),
        ),
    ];
    all.extend(
        found
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?))),
    );
    all
}
