//! How counters become columns and blobs, and come back.

use super::values::json;
use leadline_model::codec::{DecodeError, decode_latency, encode_latency, put_varint, take_varint};
use leadline_model::error_code::ErrorCode;
use leadline_model::event::HostState;
use leadline_model::failure::Failure;
use leadline_model::latency::Latency;
use leadline_model::op::Op;
use leadline_model::sample::{Depths, OpCounts, Parts};
use rusqlite::Statement;

/// Adds one operation's counters of `owner` (an interval or a worker), whose figures for SQL are `figures`.
pub(super) fn insert_op(
    statement: &mut Statement<'_>,
    owner: i64,
    op: Op,
    counts: &OpCounts,
    figures: &OpColumns,
) -> rusqlite::Result<()> {
    let (service, response) = (&figures.service, &figures.response);
    statement.execute(rusqlite::params![
        owner,
        op.name(),
        figures.counts[0],
        figures.counts[1],
        figures.counts[2],
        figures.counts[3],
        service.min,
        service.mean,
        service.p50,
        service.p99,
        service.max,
        response.min,
        response.mean,
        response.p50,
        response.p99,
        response.max,
        encode_latency(&counts.service),
        counts.response.as_ref().map(encode_latency),
        counts.parts.as_ref().map(|p| encode_latency(&p.submission)),
        counts.parts.as_ref().map(|p| encode_latency(&p.completion)),
    ])?;
    Ok(())
}

/// What SQL users see of one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OpColumns {
    /// I/Os, bytes, errors, short I/Os.
    pub(super) counts: [i64; 4],
    /// The service latency.
    pub(super) service: Columns,
    /// The response latency, where it is kept apart.
    pub(super) response: Columns,
}

impl OpColumns {
    /// Those of these counters.
    pub(super) fn of(counts: &OpCounts) -> Self {
        let numbers = [counts.ios, counts.bytes, counts.errors, counts.short];
        Self {
            counts: numbers.map(u64::cast_signed),
            service: Columns::of(Some(&counts.service)),
            response: Columns::of(counts.response.as_ref()),
        }
    }
}

/// The figures of a latency that SQL users see; all `None` when it is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Columns {
    pub(super) min: Option<i64>,
    pub(super) mean: Option<f64>,
    pub(super) p50: Option<i64>,
    pub(super) p99: Option<i64>,
    pub(super) max: Option<i64>,
}

impl Columns {
    fn of(latency: Option<&Latency>) -> Self {
        let Some(latency) = latency.filter(|l| !l.is_empty()) else {
            return Self::default();
        };
        let percentile = |p| latency.percentile(p).map(u64::cast_signed);
        Self {
            min: Some(latency.min.cast_signed()),
            mean: Some(latency.mean()),
            p50: percentile(50.0),
            p99: percentile(99.0),
            max: Some(latency.max.cast_signed()),
        }
    }
}

/// Counters of one row of `samples` or `worker_ops`, with columns from `op` on.
pub(super) struct OpRow {
    /// Interval or worker.
    pub(super) owner: i64,
    op: String,
    ios: i64,
    bytes: i64,
    errors: i64,
    short: i64,
    service: Vec<u8>,
    response: Option<Vec<u8>>,
    submission: Option<Vec<u8>>,
    completion: Option<Vec<u8>>,
}

impl OpRow {
    /// The columns that are read back, in the order [`OpRow::read`] takes them.
    pub(super) const COLUMNS: &str =
        "op, ios, bytes, errors, short, service, response, submission, completion";

    /// Takes a row whose first column is the owner.
    pub(super) fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            owner: row.get(0)?,
            op: row.get(1)?,
            ios: row.get(2)?,
            bytes: row.get(3)?,
            errors: row.get(4)?,
            short: row.get(5)?,
            service: row.get(6)?,
            response: row.get(7)?,
            submission: row.get(8)?,
            completion: row.get(9)?,
        })
    }

    /// The counters; `None` for an operation that this version does not know.
    pub(super) fn counts(&self) -> Result<Option<(Op, OpCounts)>, DecodeError> {
        let Some(op) = Op::named(&self.op) else {
            return Ok(None);
        };
        let response = self.response.as_deref().map(decode_latency).transpose()?;
        let latency = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(decode_latency).transpose();
        let both = latency(&self.submission)?.zip(latency(&self.completion)?);
        let parts = both.map(|(submission, completion)| Parts {
            submission,
            completion,
        });
        let counts = OpCounts {
            ios: self.ios.cast_unsigned(),
            bytes: self.bytes.cast_unsigned(),
            short: self.short.cast_unsigned(),
            errors: self.errors.cast_unsigned(),
            service: decode_latency(&self.service)?,
            response,
            parts,
        };
        Ok(Some((op, counts)))
    }
}

/// The columns of `host_news` after `at_ns`.
#[derive(Default)]
pub(super) struct NewsRow {
    /// `connected`, `started` or `lost`.
    pub(super) what: String,
    /// Stage it is about.
    pub(super) stage: Option<u32>,
    /// What the host calls itself.
    pub(super) hostname: Option<String>,
    /// Its clock less the controller's.
    pub(super) clock_offset: Option<i64>,
    /// How far that may be off.
    pub(super) offset_bound: Option<i64>,
    /// Its first I/O, from the agreed start.
    pub(super) late: Option<i64>,
    /// Why it was lost: a [`Failure`] as JSON.
    pub(super) why: Option<String>,
}

impl NewsRow {
    pub(super) fn of(state: &HostState) -> rusqlite::Result<Self> {
        Ok(match state {
            HostState::Connected {
                hostname,
                clock_offset,
                offset_bound,
            } => Self {
                what: "connected".to_owned(),
                hostname: Some(hostname.clone()),
                clock_offset: Some(*clock_offset),
                offset_bound: Some(offset_bound.cast_signed()),
                ..Self::default()
            },
            HostState::Started { stage, late } => Self {
                what: "started".to_owned(),
                stage: Some(*stage),
                late: Some(*late),
                ..Self::default()
            },
            HostState::Lost { stage, why } => Self {
                what: "lost".to_owned(),
                stage: *stage,
                why: Some(json(why)?),
                ..Self::default()
            },
        })
    }

    /// What the columns say; `None` for a word of a later leadline.
    pub(super) fn state(self) -> Option<HostState> {
        Some(match self.what.as_str() {
            "connected" => HostState::Connected {
                hostname: self.hostname?,
                clock_offset: self.clock_offset?,
                offset_bound: self.offset_bound?.cast_unsigned(),
            },
            "started" => HostState::Started {
                stage: self.stage?,
                late: self.late?,
            },
            "lost" => HostState::Lost {
                stage: self.stage,
                why: self.why.map(failure)?,
            },
            _ => return None,
        })
    }
}

/// A reason as it was stored; one that this version cannot read keeps its words.
fn failure(text: String) -> Failure {
    serde_json::from_str(&text).unwrap_or_else(|_| Failure::new(ErrorCode::HostLost, text, ""))
}

/// The bytes of depth and batch classes.
pub(super) fn encode_depths(depths: &Depths) -> Vec<u8> {
    let mut out = Vec::with_capacity(32);
    for class in [&depths.level, &depths.submit, &depths.complete] {
        class.iter().for_each(|&n| put_varint(&mut out, n));
    }
    out
}

/// Reads what [`encode_depths`] wrote.
pub(super) fn decode_depths(mut bytes: &[u8]) -> Result<Depths, DecodeError> {
    let mut depths = Depths::default();
    for class in [&mut depths.level, &mut depths.submit, &mut depths.complete] {
        for slot in class {
            *slot = take_varint(&mut bytes)?;
        }
    }
    Ok(depths)
}

/// The bytes of the workers' shares of an interval.
pub(super) fn encode_pairs(pairs: &[(u64, u64)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(pairs.len() * 6);
    for &(ios, bytes) in pairs {
        put_varint(&mut out, ios);
        put_varint(&mut out, bytes);
    }
    out
}

/// Reads what [`encode_pairs`] wrote.
pub(super) fn decode_pairs(mut bytes: &[u8]) -> Result<Vec<(u64, u64)>, DecodeError> {
    let mut pairs = Vec::new();
    while !bytes.is_empty() {
        pairs.push((take_varint(&mut bytes)?, take_varint(&mut bytes)?));
    }
    Ok(pairs)
}
