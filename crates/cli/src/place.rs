//! Where leadline keeps runs for which the user gave no path: `$XDG_STATE_HOME/leadline`, else
//! `~/.local/state/leadline` (XDG base directory specification), else `/var/tmp/leadline-UID`.

use leadline_engine::os::this_host;
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
        None => PathBuf::from(format!("/var/tmp/leadline-{}", this_host::user())),
    }
}
