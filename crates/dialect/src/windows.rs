//! Names of Windows that a script brought along.
//!
//! Belongs here: distinguishing them from names of this system. Must never: look whether one is there.

/// Whether a name is of a disk: `#1`, `X:`.
#[must_use]
pub fn is_disk(name: &str) -> bool {
    let number = name.strip_prefix('#').unwrap_or("");
    let letter = name.strip_suffix(':').unwrap_or("");
    !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()) || is_letter(letter)
}

/// Whether a path is of a drive or a server: `c:\dir\file`, `c:/file`, `\\server\share\file`.
#[must_use]
pub fn is_path(path: &str) -> bool {
    let of_drive = path
        .split_once(':')
        .is_some_and(|(letter, rest)| is_letter(letter) && rest.starts_with(['\\', '/']));
    of_drive || path.starts_with(r"\\")
}

fn is_letter(text: &str) -> bool {
    text.len() == 1 && text.bytes().all(|c| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_windows_are_distinguished_from_names_of_linux() {
        for name in ["#1", "#12", "c:", "Z:"] {
            assert!(is_disk(name) && !is_path(name), "{name}");
        }
        for path in [
            r"c:\x\io.dat",
            r"Z:\",
            "d:/x",
            r"\\srv\share\f.dat",
            r"\\.\PhysicalDrive1",
        ] {
            assert!(is_path(path) && !is_disk(path), "{path}");
        }
        for name in [
            "/dev/sdb", "a", "#", "#a", "ab:", "ab:/x", "a:b", r"a\b", r"\a", "", ":",
        ] {
            assert!(!is_path(name) && !is_disk(name), "{name}");
        }
    }
}
