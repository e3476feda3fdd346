//! What this process may do at a path, asked without opening it. Must never: change anything.

use rustix::fs::{Access, AtFlags, CWD};
use std::io;
use std::path::Path;

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// To read it.
    Read,
    /// To read and write it.
    ReadWrite,
    /// To make something in it.
    Make,
}

impl Wanted {
    fn bits(self) -> Access {
        match self {
            Self::Read => Access::READ_OK,
            Self::ReadWrite => Access::READ_OK | Access::WRITE_OK,
            Self::Make => Access::WRITE_OK | Access::EXEC_OK,
        }
    }
}

/// Whether the process may, by its effective user.
///
/// # Errors
/// Why not.
pub(crate) fn check(path: &Path, wanted: Wanted) -> io::Result<()> {
    Ok(rustix::fs::accessat(
        CWD,
        path,
        wanted.bits(),
        AtFlags::EACCESS,
    )?)
}

/// Whether its real user may.
pub(crate) fn real_user_may(path: &Path, wanted: Wanted) -> bool {
    rustix::fs::access(path, wanted.bits()).is_ok()
}
