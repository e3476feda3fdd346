//! Run files that earlier builds wrote are read: those of each release, and those of the fuzz targets' seeds, which
//! stand for the release to come.

#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use leadline_results::{render, store};
use std::path::{Path, PathBuf};

/// The run files in a folder of this crate.
fn kept(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{folder:?}: {e}"));
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_none_or(|name| name == "leadline"))
        .collect()
}

#[test]
fn a_run_file_of_each_release_is_read_and_reported() {
    let coming = kept("../../fuzz/seeds/run_file");
    assert!(coming.len() >= 3, "{coming:?}");
    let released = kept("tests/kept");
    for path in released.iter().chain(&coming) {
        let run = store::open(path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        let ios: u64 = run
            .stages
            .iter()
            .flat_map(|stage| &stage.workers)
            .flat_map(|worker| worker.counts.ops.values())
            .map(|counts| counts.ios)
            .sum();
        assert!(ios > 0, "{path:?}");
        let json = render::json::json(&run).unwrap();
        assert!(json.contains("\"stages\""), "{path:?}");
    }
}
