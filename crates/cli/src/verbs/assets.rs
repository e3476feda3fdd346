//! Completions and man pages, from the same table as the parser.

use crate::args::Cli;
use crate::exit::Exit;
use crate::out;
use clap::CommandFactory;
use clap_complete::{Shell, generate_to};
use std::path::Path;

pub(crate) fn run(directory: &Path) -> Exit {
    match write(directory) {
        Ok(()) => Exit::Fine,
        Err(error) => {
            out::say(&format!("error: {}: {error}", directory.display()));
            Exit::Environment
        }
    }
}

fn write(directory: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    let mut command = Cli::command();
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        generate_to(shell, &mut command, "leadline", directory)?;
    }
    clap_mangen::generate_to(command, directory)
}
