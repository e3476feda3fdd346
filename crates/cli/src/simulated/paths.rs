//! Paths as `--map` compares them: by their text alone, so that a path that is spelled otherwise is the same one.
//!
//! Must never: ask the file system what a path leads to.

/// A path as it is compared: absolute, with `/` between its names, without `.`, `..` and empty names. Relative paths
/// begin at the directory `here`. In the forms of Windows (`D:\x`, `\\server\share`) the case of letters does not count.
pub(super) fn normal(path: &str, here: &str) -> String {
    if is_windows(path) {
        let plain = path.replace('\\', "/").to_ascii_lowercase();
        return match plain.strip_prefix("//") {
            Some(rest) => format!("/{}", joined(rest)),
            None => joined(&plain),
        };
    }
    if path.starts_with('/') || here.is_empty() {
        return format!("/{}", joined(path));
    }
    match is_windows(here) {
        true => normal(&format!("{here}\\{path}"), ""),
        false => format!("/{}", joined(&format!("{here}/{path}"))),
    }
}

/// What is left of `path` after `beginning`, from a `/` on; both as [`normal`] gives them. `None` = it lies elsewhere.
pub(super) fn below<'a>(path: &'a str, beginning: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(beginning.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Whether a path has a drive or a server before it.
fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    let drive = bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    path.starts_with("\\\\") || drive && matches!(bytes.get(2), None | Some(b'/' | b'\\'))
}

/// The names of a path with `/` between them, and without those that change nothing.
fn joined(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            _ => names.push(name),
        }
    }
    names.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_path_are_one() {
        for path in [
            "v",
            "./v",
            ".//v/",
            "/w/v",
            "//w/./v",
            "x/../v",
            "/w/x/../v/.",
        ] {
            assert_eq!(normal(path, "/w"), "/w/v", "{path}");
        }
        for path in ["D:\\a\\x", "d:/a/x", "D:\\a\\.\\x\\", "d:\\A//X"] {
            assert_eq!(normal(path, "/w"), "d:/a/x", "{path}");
        }
        assert_eq!(normal("x", "D:\\A"), "d:/a/x");
        assert_eq!(normal("\\\\.\\PhysicalDrive1", "/w"), "/physicaldrive1");
        assert_eq!(normal("", "/w"), "/w");
        assert_eq!((&*normal("/", "/w"), &*normal("D:", "/w")), ("/", "d:"));
    }

    #[test]
    fn a_path_is_below_whole_names_only() {
        assert_eq!(below("/mnt/v1/x", "/mnt/v1"), Some("/x"));
        assert_eq!(below("/mnt/v1", "/mnt/v1"), Some(""));
        assert_eq!(below("/mnt/v1", "/mnt/v"), None);
        assert_eq!(below("/mnt", "/"), Some("/mnt"));
        assert_eq!(below("d:/x", "d:"), Some("/x"));
    }
}
