//! `cargo xtask dist`: the command as one static, stripped program that runs on any Linux of this
//! architecture, wherever it is copied: what a run over many hosts sends there.

use crate::shell;
use anyhow::{Result, bail};
use std::process::Command;

/// Builds it and says where it is.
pub(crate) fn run(rest: &[String]) -> Result<bool> {
    if let Some(word) = rest.first() {
        bail!("dist takes no arguments, got `{word}`");
    }
    let target = host()?;
    // The target is named although it is this machine's: else the flags would hold for build scripts and
    // procedural macros too, which cannot be static.
    let mut build = shell::cargo(&["build", "--release", "--package", "leadline", "--target"]);
    build
        .arg(&target)
        .env("RUSTFLAGS", "-C target-feature=+crt-static")
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    if !shell::passes(&mut build)? {
        return Ok(false);
    }
    let program = shell::target_dir().join(target).join("release/leadline");
    println!("{}", program.display());
    Ok(true)
}

/// The triple that this machine's compiler builds for.
fn host() -> Result<String> {
    let about = shell::capture(Command::new("rustc").arg("-vV"))?;
    let line = about.stdout.lines().find_map(|l| l.strip_prefix("host: "));
    match line {
        Some(host) => Ok(host.to_owned()),
        None => bail!("rustc does not report its target"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_compiler_names_its_machine() {
        assert!(super::host().unwrap().contains("linux"));
    }
}
