//! A row of the tables: sums of an interval as the fifteen columns that scripts know.

use leadline_model::op::Op;
use leadline_model::units::Nanos;
use leadline_results::run::{HostPoint, OpPoint};
use leadline_results::summary::figures::per_second;

/// Sums of reads and writes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    /// Reads.
    pub(super) read: OpPoint,
    /// Writes.
    pub(super) write: OpPoint,
}

impl Cell {
    pub(super) fn add(&mut self, point: &HostPoint) {
        for (op, into) in [(Op::Read, &mut self.read), (Op::Write, &mut self.write)] {
            if let Some(done) = point.op(op) {
                into.merge(done);
            }
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.read.merge(&other.read);
        self.write.merge(&other.write);
    }
}

/// Shares of all processors, in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cpu {
    /// In user mode.
    pub(super) user: f64,
    /// In the kernel.
    pub(super) system: f64,
    /// Waiting for I/O, and idle, where that is known.
    pub(super) rest: Option<(f64, f64)>,
}

/// What the columns show. Times in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    pub(super) rate: f64,
    pub(super) mib: f64,
    pub(super) bytes: f64,
    pub(super) read_percent: f64,
    pub(super) resp: [f64; 3],
    pub(super) max: [f64; 3],
    pub(super) stddev: [f64; 3],
    pub(super) depth: f64,
}

impl Figures {
    /// Of these sums over this span. Triples are of both, reads, writes.
    pub(super) fn of(cell: &Cell, span: Nanos) -> Self {
        let mut both = cell.read;
        both.merge(&cell.write);
        let all = [&both.service, &cell.read.service, &cell.write.service];
        let ios = (both.ios as f64).max(1.0);
        Self {
            rate: per_second(both.ios as f64, span),
            mib: per_second(both.bytes as f64, span) / 1_048_576.0,
            bytes: both.bytes as f64 / ios,
            read_percent: cell.read.ios as f64 * 100.0 / ios,
            resp: all.map(|m| m.mean() / 1e6),
            max: all.map(|m| m.max as f64 / 1e6),
            stddev: all.map(|m| m.stddev() / 1e6),
            // A span of no length held nothing.
            depth: if span.0 == 0 {
                0.0
            } else {
                both.service.sum as f64 / span.0 as f64
            },
        }
    }
}

/// The two lines above the rows.
pub(super) fn header(date: &str) -> String {
    format!(
        "{date:<12}    interval        i/o   MB/sec   bytes   read     resp     read    write     read    \
         write     resp  queue  cpu%  cpu%\n{:31}rate  1024**2     i/o    pct     time     resp     resp      \
         max      max   stddev  depth sys+u   sys\n",
        ""
    )
}

/// A row. A processor share that is not known is `NaN`, as Vdbench writes it and scripts can read it.
pub(super) fn line(time: &str, label: &str, f: &Figures, cpu: Option<Cpu>) -> String {
    let cpu = cpu.map_or((f64::NAN, f64::NAN), |c| (c.user + c.system, c.system));
    format!(
        "{time} {label:>11} {:>10.1} {:>8.2} {:>7.0} {:>6.2} {:>8.3} {:>8.3} {:>8.3} {:>8.2} {:>8.2} \
         {:>8.3} {:>6.1} {:>5.1} {:>5.1}\n",
        f.rate,
        f.mib,
        f.bytes,
        f.read_percent,
        f.resp[0],
        f.resp[1],
        f.resp[2],
        f.max[1],
        f.max[2],
        f.stddev[0],
        f.depth,
        cpu.0,
        cpu.1
    )
}
