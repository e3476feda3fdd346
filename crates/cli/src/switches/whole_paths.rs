//! The switches as they are repeated in another directory.
//!
//! Belongs here: which of their values name files. Must never: read what is in a file.

use std::path::Path;

/// Switches whose files, of hosts and of laws, are named by their whole paths: so the words mean the same in any directory, and
/// a file that is not there is an error and no name of a host.
pub(super) fn with_whole_paths(words: &[String]) -> Vec<String> {
    let whole = |path: &str| {
        let whole = std::path::absolute(path);
        whole.map_or_else(|_| path.to_owned(), |whole| whole.display().to_string())
    };
    let mut is_of_hosts = false;
    let each = words.iter().map(|word| {
        let (name, value) = match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((name, value)) => (Some(name), value),
            None => (None, word.as_str()),
        };
        let hosts = is_of_hosts || name == Some("--hosts");
        is_of_hosts = word == "--hosts";
        let value = match value.split_once("sim:@") {
            Some((before, law)) => {
                let (path, more) = law.split_at(law.find(',').unwrap_or(law.len()));
                format!("{before}sim:@{}{more}", whole(path))
            }
            None if hosts && Path::new(value).is_file() => whole(value),
            None => value.to_owned(),
        };
        name.map_or_else(|| value.clone(), |name| format!("{name}={value}"))
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_hosts_and_laws_are_named_by_their_whole_paths() {
        let given = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            with_whole_paths(&words)
        };
        let here = std::env::current_dir().unwrap();
        // The tests of a crate run in its folder.
        let file = here.join("Cargo.toml").display().to_string();
        let law = here.join("law").display().to_string();
        assert_eq!(
            given(&["--hosts", "Cargo.toml", "--hosts=Cargo.toml"]),
            [
                "--hosts".to_owned(),
                file.clone(),
                format!("--hosts={file}")
            ]
        );
        assert_eq!(
            given(&["--map", "/mnt/a=sim:@law,iops=5", "--map=*=sim:@law"]),
            [
                "--map".to_owned(),
                format!("/mnt/a=sim:@{law},iops=5"),
                format!("--map=*=sim:@{law}")
            ]
        );
        // Neither is a file: names of hosts, and a law.
        let plain = [
            "--hosts",
            "a,b",
            "--map",
            "/mnt/a=sim:iops=5",
            "--fresh-device",
        ];
        assert_eq!(given(&plain), plain);
    }
}
