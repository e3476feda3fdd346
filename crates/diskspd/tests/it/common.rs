//! What the tests of this crate share: plans of DISKSPD as short text.
#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use leadline_model::plan::Plan;
pub(crate) use leadline_testkit::reading::{
    FakeHost, beside, is_changed, new_lines, short_diagnostics, split_words,
};

/// A plan of DISKSPD as the differences of each workload from `diskspd w`.
pub(crate) fn short_diskspd_plan(plan: &Plan) -> String {
    let base = leadline_diskspd::parse(&["w".to_owned()], &FakeHost::default());
    beside(&base.plan.unwrap(), plan)
}
