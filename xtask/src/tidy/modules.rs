//! Every source file is reached: a file that no `mod` names is not compiled, and no tool reports it.

use super::code::only_code;
use super::{Fault, File};

/// Finds source files that no other declares.
pub(super) fn check(files: &[File], faults: &mut Vec<Fault>) {
    for file in files {
        let Some((name, parents)) = declaration(&file.path) else {
            continue;
        };
        let declared = files
            .iter()
            .filter(|other| parents.contains(&other.path))
            .filter_map(|other| other.text.as_deref())
            .any(|text| declares(text, name));
        if !declared {
            let message = format!("no `mod {name};` declares it: it is never compiled");
            faults.push(Fault::new(&file.path, 0, message));
        }
    }
}

/// The module a source file is, and the files of which one has to declare it; `None` for files that
/// cargo finds by itself.
fn declaration(path: &str) -> Option<(&str, Vec<String>)> {
    let (dir, file) = path.rsplit_once('/')?;
    let stem = file.strip_suffix(".rs")?;
    let inside = dir.split_once("/src").map(|(_, inside)| inside)?;
    if inside.starts_with("/bin") || (inside.is_empty() && ["lib", "main"].contains(&stem)) {
        return None;
    }
    let (above, name) = if stem == "mod" {
        dir.rsplit_once('/')?
    } else {
        (dir, stem)
    };
    let mut parents: Vec<String> = ["mod", "lib", "main"]
        .iter()
        .map(|root| format!("{above}/{root}.rs"))
        .collect();
    parents.push(format!("{above}.rs"));
    Some((name, parents))
}

fn declares(text: &str, name: &str) -> bool {
    let code = only_code(text);
    code.match_indices(&format!("mod {name};")).any(|(at, _)| {
        code[..at]
            .chars()
            .next_back()
            .is_none_or(|before| before.is_whitespace())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files
            .iter()
            .map(|(path, text)| File {
                path: (*path).to_owned(),
                len: 0,
                text: Some((*text).to_owned()),
            })
            .collect();
        let mut faults = Vec::new();
        check(&files, &mut faults);
        faults.iter().map(|fault| fault.path.clone()).collect()
    }

    #[test]
    fn declared_files_are_fine() {
        let found = faults(&[
            ("crates/a/src/lib.rs", "pub mod b;\nmod c;\n"),
            ("crates/a/src/b.rs", ""),
            ("crates/a/src/c/mod.rs", "#[cfg(test)]\nmod tests;"),
            ("crates/a/src/c/tests.rs", ""),
            ("crates/a/src/b/d.rs", ""),
            ("crates/a/tests/e.rs", ""),
        ]);
        assert_eq!(found, ["crates/a/src/b/d.rs"]);
    }

    #[test]
    fn a_comment_or_a_longer_name_declares_nothing() {
        let found = faults(&[
            ("xtask/src/main.rs", "// mod b;\nmod bb;\nmod my_b;\n"),
            ("xtask/src/b.rs", ""),
        ]);
        assert_eq!(found, ["xtask/src/b.rs"]);
    }
}
