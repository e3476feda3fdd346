//! The hosts a plan runs on.

use serde::{Deserialize, Serialize};

/// A host that takes part in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostSpec {
    /// Its name in results; no two hosts of a plan have the same.
    pub label: String,
    /// Its address: a name or an address; the label when empty.
    pub address: String,
    /// User name; `None` = the launcher's default.
    pub user: Option<String>,
    /// What starts a shell there.
    pub launcher: Launcher,
    /// Replacements for paths of targets on this host, as (path of the plan, path there): the longest
    /// that matches the beginning of a path counts.
    pub paths: Vec<(String, String)>,
}

impl HostSpec {
    /// A process of its own on this machine.
    #[must_use]
    pub fn local(label: &str) -> Self {
        Self {
            label: label.to_owned(),
            address: String::new(),
            user: None,
            launcher: Launcher::Local,
            paths: Vec::new(),
        }
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> &str {
        if self.address.is_empty() {
            &self.label
        } else {
            &self.address
        }
    }
}

/// What starts a process on a host, with its standard input and output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Launcher {
    /// A process on this machine.
    Local,
    /// OpenSSH's client, with the user's configuration.
    #[default]
    Ssh,
    /// Slurm's srun.
    Slurm,
    /// A command that begins with these words, `{host}` in them replaced by the address.
    Template(
        /// The words, split as a shell would.
        String,
    ),
}
