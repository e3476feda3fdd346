//! What the tests need from Debian's packages, and installing it when that is allowed.
//!
//! A package that cannot be had is no failure: the tests that need it skip by name.

use crate::shell;
use anyhow::Result;
use std::process::Command;

/// One Debian package, how to see that it is there, and what needs it.
pub(super) struct Package {
    /// Its name for `apt-get`.
    pub(super) name: &'static str,
    /// A program or an absolute path that exists when it is installed.
    pub(super) probe: &'static str,
    /// What it is for, in a few words.
    pub(super) needed_for: &'static str,
}

/// Everything the tests and benches use beyond a Rust toolchain and a C compiler.
pub(super) const PACKAGES: &[Package] = &[
    Package {
        name: "fio",
        probe: "fio",
        needed_for: "the reference for our fio front end",
    },
    Package {
        name: "fuse3",
        probe: "fusermount3",
        needed_for: "faultfs without root",
    },
    Package {
        name: "e2fsprogs",
        probe: "mkfs.ext4",
        needed_for: "file systems on loop devices",
    },
    Package {
        name: "util-linux",
        probe: "losetup",
        needed_for: "block devices as targets",
    },
    Package {
        name: "sqlite3",
        probe: "sqlite3",
        needed_for: "reading run files from outside",
    },
    Package {
        name: "chromium",
        probe: "chromium",
        needed_for: "the HTML report in a browser",
    },
    Package {
        name: "fonts-dejavu-core",
        probe: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
        needed_for: "text in the browser's screenshots",
    },
    Package {
        name: "zsh",
        probe: "zsh",
        needed_for: "its completions",
    },
    Package {
        name: "fish",
        probe: "fish",
        needed_for: "its completions",
    },
    Package {
        name: "iproute2",
        probe: "ip",
        needed_for: "hosts in network namespaces",
    },
    Package {
        name: "openssh-server",
        probe: "sshd",
        needed_for: "hosts that are reached by ssh",
    },
    Package {
        name: "openssh-client",
        probe: "ssh",
        needed_for: "reaching them",
    },
    Package {
        name: "busybox-static",
        probe: "busybox",
        needed_for: "a host with nothing but a shell",
    },
    Package {
        name: "slurmctld",
        probe: "slurmctld",
        needed_for: "the controller of a Slurm of three nodes",
    },
    Package {
        name: "slurmd",
        probe: "slurmd",
        needed_for: "its nodes",
    },
    Package {
        name: "slurm-client",
        probe: "srun",
        needed_for: "starting agents by Slurm",
    },
    Package {
        name: "munge",
        probe: "munged",
        needed_for: "Slurm's authentication",
    },
    Package {
        name: "fdisk",
        probe: "sfdisk",
        needed_for: "partition tables on images",
    },
    Package {
        name: "parted",
        probe: "parted",
        needed_for: "the same, of other machines",
    },
    Package {
        name: "dosfstools",
        probe: "mkfs.vfat",
        needed_for: "FAT on images",
    },
    Package {
        name: "bc",
        probe: "bc",
        needed_for: "fio's calculator (iodepth=$ncpus*2)",
    },
    Package {
        name: "genromfs",
        probe: "genromfs",
        needed_for: "romfs on images",
    },
    Package {
        name: "makefs",
        probe: "makefs",
        needed_for: "UFS on images",
    },
    Package {
        name: "nilfs-tools",
        probe: "mkfs.nilfs2",
        needed_for: "nilfs2 on images",
    },
    Package {
        name: "ocfs2-tools",
        probe: "mkfs.ocfs2",
        needed_for: "OCFS2 on images",
    },
    Package {
        name: "cryptsetup-bin",
        probe: "cryptsetup",
        needed_for: "encryption on images",
    },
    Package {
        name: "drbd-utils",
        probe: "drbdmeta",
        needed_for: "DRBD on images",
    },
];

/// What became of the packages.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Installed {
    /// All were there already, or are there now.
    Ready,
    /// Some are missing; why they were not installed.
    Missing(String),
}

/// Installs what is missing when `allowed` and possible; otherwise says what it would install.
pub(super) fn install(allowed: bool) -> Result<Installed> {
    let missing: Vec<&Package> = PACKAGES.iter().filter(|p| !present(p.probe)).collect();
    if missing.is_empty() {
        println!("all {} packages are installed", PACKAGES.len());
        return Ok(Installed::Ready);
    }
    for package in &missing {
        println!("missing: {:<20} {}", package.name, package.needed_for);
    }
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    if let Some(reason) = forbidden(allowed) {
        println!(
            "would run: apt-get install -y --no-install-recommends {}",
            names.join(" ")
        );
        return Ok(Installed::Missing(format!(
            "{reason}; missing: {}",
            names.join(" ")
        )));
    }
    // A stale index is still worth a try, so a failed update is not the end.
    shell::passes(&mut apt(&["update", "-qq"]))?;
    let mut command = apt(&["install", "-y", "-qq", "--no-install-recommends"]);
    shell::passes(command.args(&names))?;
    let left: Vec<&str> = missing
        .iter()
        .filter(|p| !present(p.probe))
        .map(|p| p.name)
        .collect();
    Ok(if left.is_empty() {
        Installed::Ready
    } else {
        Installed::Missing(format!("apt-get could not install: {}", left.join(" ")))
    })
}

fn apt(words: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    // Daemons that come with a package are not started by its installation.
    command.env("RUNLEVEL", "1");
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
    command
}

/// Why nothing may be installed here, or `None` when it may.
fn forbidden(allowed: bool) -> Option<&'static str> {
    if !allowed {
        return Some("--no-install was given");
    }
    if shell::find_program("apt-get").is_none() {
        return Some("there is no apt-get on this system");
    }
    (!is_root()).then_some("installing packages needs root")
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    // The owner of this process's own directory in /proc is its effective user.
    std::fs::metadata("/proc/self").is_ok_and(|data| data.uid() == 0)
}

fn present(probe: &str) -> bool {
    if probe.starts_with('/') {
        std::path::Path::new(probe).exists()
    } else {
        shell::find_program(probe).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_installed_against_the_users_word() {
        assert_eq!(forbidden(false), Some("--no-install was given"));
    }

    #[test]
    fn a_probe_distinguishes_present_from_missing() {
        assert!(present("sh"));
        assert!(present("/proc/self"));
        assert!(!present("no-such-program-anywhere"));
        assert!(!present("/no/such/file"));
    }
}
