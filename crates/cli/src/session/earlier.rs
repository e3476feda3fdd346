//! What earlier runs on this host mean for the one that ends.
//!
//! Belongs here: which run files are looked at. Must never: change one, or take long: a few small files are read.

use crate::kept;
use leadline_model::finding::Finding;
use leadline_results::run::Run;
use leadline_results::store;
use leadline_results::trust::reread;
use std::path::Path;

/// Findings about blocks that an earlier run has read in the same order: of the latest such run for each workload. `own` is
/// the file of this run, beside which and in leadline's own place earlier ones are looked for.
pub(super) fn findings(run: &Run, own: Option<&Path>) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    if !reread::may_repeat(run) {
        return found;
    }
    for path in kept::latest_small(own) {
        let Ok(earlier) = store::open(&path) else {
            continue;
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut again = reread::offsets_of(run, &earlier, &name);
        again.retain(|new| {
            let same = |old: &Finding| (old.stage, old.workload) == (new.stage, new.workload);
            !found.iter().any(same)
        });
        found.append(&mut again);
    }
    found
}
