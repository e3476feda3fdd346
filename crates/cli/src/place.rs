//! Where leadline keeps runs nobody gave a place: `$XDG_STATE_HOME/leadline`, else
//! `~/.local/state/leadline` (XDG base directory specification), else `/var/tmp/leadline-UID`.

use std::path::PathBuf;

/// The directory; it need not exist.
pub(crate) fn runs() -> PathBuf {
    let set = |name| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    if let Some(state) = set("XDG_STATE_HOME") {
        return state.join("leadline");
    }
    match set("HOME") {
        Some(home) => home.join(".local/state/leadline"),
        None => PathBuf::from(format!("/var/tmp/leadline-{}", user())),
    }
}

/// Number of the user this process belongs to.
fn user() -> u32 {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").map_or(0, |own| own.uid())
}
