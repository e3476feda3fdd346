//! Why files could not be made ready: what happened, to which path, and what to do about it.

use crate::os::errno;
use crate::schedule::SHORTER;
use std::io;
use std::path::Path;

/// Why a stage could not be prepared. Nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// For safety: the target carries or may carry someone's data.
    #[error("{text}")]
    Refused {
        /// What was found, with the path.
        text: String,
        /// What to do.
        cure: String,
    },
    /// The host does not allow or cannot do it.
    #[error("{text}")]
    Environment {
        /// What happened, with the path.
        text: String,
        /// What to do.
        cure: String,
        /// The kernel's error number, when there is one.
        errno: Option<i32>,
    },
    /// The user ended it.
    #[error("ended while files were being made ready")]
    Interrupted,
}

impl PrepareError {
    /// What to do about it; empty when there is nothing to do.
    #[must_use]
    pub fn cure(&self) -> &str {
        match self {
            Self::Refused { cure, .. } | Self::Environment { cure, .. } => cure,
            Self::Interrupted => "",
        }
    }

    /// The kernel gave no thread to make files ready with.
    #[must_use]
    pub(crate) fn no_thread(error: &io::Error) -> Self {
        Self::Environment {
            text: format!("no thread to make files ready with: {error}"),
            cure: NO_THREAD_CURE.into(),
            errno: error.raw_os_error(),
        }
    }

    /// An error of the kernel while doing `what` (`creating`) to `path`.
    #[must_use]
    pub fn of(what: &str, path: &Path, error: &io::Error) -> Self {
        let shown = path.display();
        let (words, cure) = explain(error);
        Self::Environment {
            text: format!("{what} {shown}: {words}"),
            cure: cure.into(),
            errno: error.raw_os_error(),
        }
    }
}

/// What to do where the kernel gives no thread.
pub(crate) const NO_THREAD_CURE: &str = "raise the limit of processes (ulimit -u, pids.max of the control group), or \
     use fewer workers (fio: numjobs; DISKSPD: -t or -F; Vdbench: threads=)";

/// An error in words, with its cure.
fn explain(error: &io::Error) -> (String, &'static str) {
    let Some(number) = error.raw_os_error() else {
        return (error.to_string(), "");
    };
    let (words, cure) = match number {
        errno::ENOSPC => (
            "no space left in the file system",
            "free space, use a smaller size (fio: size=; DISKSPD: -c<size>; Vdbench: size=), or another file system",
        ),
        errno::EDQUOT => (
            "the disk quota is used up",
            "raise the quota, or use a smaller size (fio: size=; DISKSPD: -c<size>; Vdbench: size=)",
        ),
        errno::EROFS => (
            "the file system is mounted read only",
            "mount it read-write, or only read files that are large enough already",
        ),
        errno::EACCES | errno::EPERM => (
            "permission denied",
            "run as a user who may read and write it, or change its permissions",
        ),
        errno::EMFILE => (
            "this process has too many files open",
            "raise the limit (ulimit -n), or use fewer files or workers (fio: nrfiles, numjobs; DISKSPD: fewer targets, \
             -t or -F; Vdbench: fewer sd=)",
        ),
        errno::ENFILE => (
            "the system has too many files open",
            "raise fs.file-max, or use fewer files or workers (fio: nrfiles, numjobs; DISKSPD: fewer targets, -t or -F; \
             Vdbench: fewer sd=)",
        ),
        errno::EIO => (
            "input/output error from the device",
            "look into the kernel log (dmesg): the device or its connection fails",
        ),
        errno::EFBIG => (
            "a file of this size is beyond the file system or the limit of this process",
            SHORTER,
        ),
        errno::ENOTDIR => ("a part of the path is not a directory", "correct the path"),
        errno::ENOENT => ("a part of the path does not exist", "correct the path"),
        errno::ENAMETOOLONG => ("the name is too long", "shorten the name of job or file"),
        errno::ELOOP => ("too many symbolic links", "correct the path"),
        errno::ETXTBSY => (
            "it is a program that runs, or swap in use",
            "choose another file",
        ),
        errno::EBUSY => ("it is in use", "unmount it or stop what uses it"),
        errno::ENXIO | errno::ENODEV => (
            "there is no device behind it",
            "attach the device, or correct the path",
        ),
        errno::ESTALE => (
            "stale file handle: the server no longer knows it",
            "mount the file system again",
        ),
        errno::ENOTCONN => (
            "the file system's server has gone (FUSE or network)",
            "mount the file system again",
        ),
        errno::ETIMEDOUT => (
            "the server does not answer",
            "check the network and the server",
        ),
        _ => return (error.to_string(), ""),
    };
    (words.to_owned(), cure)
}
