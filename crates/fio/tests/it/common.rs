//! What the tests of this crate share: plans of fio as short text.
#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use leadline_model::plan::Plan;
pub(crate) use leadline_testkit::reading::{
    FakeHost, beside, is_changed, new_lines, short_diagnostics, split_words,
};

/// A plan as the differences of each workload from `fio --name=w`, without what only repeats the text.
pub(crate) fn short_plan(plan: &Plan) -> String {
    let base = leadline_fio::parse(&["--name=w".to_owned()], &FakeHost::default());
    beside(&base.plan.unwrap(), plan)
}
