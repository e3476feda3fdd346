//! A run in a few words, for lists.

use crate::run::Run;
use crate::summary::summarize;
use crate::trust::grade::Grades;
use crate::words::{about, mib_per_s};
use leadline_model::op::Op;

/// A run in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headline {
    /// The letter of its grade.
    pub grade: char,
    /// Rate, throughput and p99 of the stage with the highest rate; empty when nothing was measured.
    pub figures: String,
}

impl Headline {
    /// Those of a run.
    #[must_use]
    pub fn of(run: &Run) -> Self {
        let summary = summarize(run);
        let fastest = summary.stages.iter().map(|s| &s.figures);
        let fastest = fastest.max_by(|a, b| a.data.iops.total_cmp(&b.data.iops));
        let figures = fastest.filter(|f| f.data.ios > 0).map(|f| {
            let of = |op: Op| f.op(op).map_or(0, |o| o.ios);
            let kind = match (of(Op::Read), of(Op::Write)) {
                (0, 0) => "",
                (_, 0) => "read ",
                (0, _) => "write ",
                _ => "mixed ",
            };
            let p99 = f.data.response_at(99.0).and_then(|p| p.shown());
            let p99 = p99.map_or_else(String::new, |p99| format!(", p99 {p99}"));
            let rate = about(f.data.iops);
            format!(
                "{rate} {kind}IOPS, {} MiB/s{p99}",
                mib_per_s(f.data.bytes_per_s)
            )
        });
        Self {
            grade: Grades::of_run(run).run.letter,
            figures: figures.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn a_run_in_a_few_words() {
        let headline = Headline::of(&fixture::run());
        assert!(
            headline.figures.contains("IOPS, ") && headline.figures.contains(" MiB/s"),
            "{headline:?}"
        );
        assert!("ABCF".contains(headline.grade), "{headline:?}");
        let none = Headline::of(&Run::default());
        assert_eq!((none.grade, none.figures.as_str()), ('-', ""));
    }
}
