//! Why files could not be prepared: what happened, to which path, and what to do about it.

use crate::os::errno;
use crate::problem::{MORE_THREADS, SHORTER};
use leadline_model::cure::{Cure, Knob};
use leadline_model::error_code::ErrorCode;
use std::io;
use std::path::Path;

/// Why a stage could not be prepared. Nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// For safety: the target carries or may carry someone's data.
    #[error("{text}")]
    Refused {
        /// What kind of refusal.
        code: ErrorCode,
        /// What was found, with the path.
        text: String,
        /// What to do.
        cure: Cure,
    },
    /// The host does not allow or cannot do it.
    #[error("{text}")]
    Environment {
        /// What kind of obstacle.
        code: ErrorCode,
        /// What happened, with the path.
        text: String,
        /// What to do.
        cure: Cure,
        /// The kernel's error number, when there is one.
        errno: Option<i32>,
    },
    /// The user ended it.
    #[error("interrupted while files were being prepared")]
    Interrupted,
}

impl PrepareError {
    /// What to do about it; empty when there is nothing to do.
    #[must_use]
    pub fn cure(&self) -> Cure {
        match self {
            Self::Refused { cure, .. } | Self::Environment { cure, .. } => cure.clone(),
            Self::Interrupted => Cure::none(),
        }
    }

    /// What kind of obstacle it is.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Refused { code, .. } | Self::Environment { code, .. } => *code,
            Self::Interrupted => ErrorCode::Interrupted,
        }
    }

    /// The kernel gave no thread to make files ready with.
    #[must_use]
    pub(crate) fn no_thread(error: &io::Error) -> Self {
        Self::Environment {
            code: ErrorCode::Limit,
            text: format!("cannot start a thread to prepare files: {error}"),
            cure: MORE_THREADS.into(),
            errno: error.raw_os_error(),
        }
    }

    /// An error of the kernel while doing `what` (`creating`) to `path`.
    #[must_use]
    pub fn of(what: &str, path: &Path, error: &io::Error) -> Self {
        let shown = path.display();
        let (code, words, cure) = explain(error);
        Self::Environment {
            code,
            text: format!("{what} {shown}: {words}"),
            cure,
            errno: error.raw_os_error(),
        }
    }
}

/// What an error of the system means for a file.
struct Explained {
    numbers: &'static [i32],
    code: ErrorCode,
    words: &'static str,
    cure: (&'static str, &'static [Knob]),
}

const EXPLAINED: [Explained; 18] = [
    Explained {
        numbers: &[errno::ENOSPC],
        code: ErrorCode::NoSpace,
        words: "no space left on the file system",
        cure: (
            "free some space, or use another file system or a smaller size",
            &[Knob::Size],
        ),
    },
    Explained {
        numbers: &[errno::EDQUOT],
        code: ErrorCode::NoSpace,
        words: "the disk quota is used up",
        cure: ("raise the quota, or use a smaller size", &[Knob::Size]),
    },
    Explained {
        numbers: &[errno::EROFS],
        code: ErrorCode::Permission,
        words: "the file system is mounted read-only",
        cure: (
            "mount it read-write, or only read files that are large enough already",
            &[],
        ),
    },
    Explained {
        numbers: &[errno::EACCES, errno::EPERM],
        code: ErrorCode::Permission,
        words: "permission denied",
        cure: (
            "run as a user who may read and write it, or change its permissions",
            &[],
        ),
    },
    Explained {
        numbers: &[errno::EMFILE],
        code: ErrorCode::Limit,
        words: "this process has too many files open",
        cure: (
            "raise the limit (ulimit -n), or use fewer files or workers",
            &[Knob::FewerFiles, Knob::Workers],
        ),
    },
    Explained {
        numbers: &[errno::ENFILE],
        code: ErrorCode::Limit,
        words: "the system has too many files open",
        cure: (
            "raise fs.file-max, or use fewer files or workers",
            &[Knob::FewerFiles, Knob::Workers],
        ),
    },
    Explained {
        numbers: &[errno::EIO],
        code: ErrorCode::Io,
        words: "input/output error from the device",
        cure: (
            "check the kernel log (dmesg): the device or its connection is failing",
            &[],
        ),
    },
    Explained {
        numbers: &[errno::EFBIG],
        code: ErrorCode::Limit,
        words: "a file of this size exceeds the limit of the file system or of this process",
        cure: (SHORTER.0, &SHORTER.1),
    },
    Explained {
        numbers: &[errno::ENOTDIR],
        code: ErrorCode::TargetMissing,
        words: "part of the path is not a directory",
        cure: ("correct the path", &[]),
    },
    Explained {
        numbers: &[errno::ENOENT],
        code: ErrorCode::TargetMissing,
        words: "part of the path does not exist",
        cure: ("correct the path", &[]),
    },
    Explained {
        numbers: &[errno::ENAMETOOLONG],
        code: ErrorCode::PlanValue,
        words: "the name is too long",
        cure: ("shorten the name of job or file", &[]),
    },
    Explained {
        numbers: &[errno::ELOOP],
        code: ErrorCode::TargetMissing,
        words: "too many symbolic links",
        cure: ("correct the path", &[]),
    },
    Explained {
        numbers: &[errno::ETXTBSY],
        code: ErrorCode::InUse,
        words: "it is a running program, or swap in use",
        cure: ("choose another file", &[]),
    },
    Explained {
        numbers: &[errno::EBUSY],
        code: ErrorCode::InUse,
        words: "it is in use",
        cure: ("unmount it, or stop what is using it", &[]),
    },
    Explained {
        numbers: &[errno::ENXIO, errno::ENODEV],
        code: ErrorCode::TargetMissing,
        words: "no device is attached to it",
        cure: ("attach the device, or correct the path", &[]),
    },
    Explained {
        numbers: &[errno::ESTALE],
        code: ErrorCode::System,
        words: "stale file handle: the server no longer knows it",
        cure: ("mount the file system again", &[]),
    },
    Explained {
        numbers: &[errno::ENOTCONN],
        code: ErrorCode::System,
        words: "the file system's server has gone (FUSE or network)",
        cure: ("mount the file system again", &[]),
    },
    Explained {
        numbers: &[errno::ETIMEDOUT],
        code: ErrorCode::System,
        words: "the server does not answer",
        cure: ("check the network and the server", &[]),
    },
];

/// The kind of an error, its words, and its cure.
fn explain(error: &io::Error) -> (ErrorCode, String, Cure) {
    let number = error.raw_os_error();
    let known = |row: &&Explained| number.is_some_and(|n| row.numbers.contains(&n));
    match EXPLAINED.iter().find(known) {
        Some(row) => (row.code, row.words.to_owned(), row.cure.into()),
        None => (ErrorCode::System, error.to_string(), Cure::none()),
    }
}
