//! Numbers of errors that the engine distinguishes or makes itself. Must never: word them.

pub(crate) use libc::{
    EACCES, EBUSY, EDQUOT, EFBIG, EILSEQ, EINTR, EINVAL, EIO, EISDIR, ELOOP, EMFILE, ENAMETOOLONG,
    ENFILE, ENODEV, ENOENT, ENOMEM, ENOSPC, ENOTBLK, ENOTCONN, ENOTDIR, ENXIO, EPERM, EROFS,
    ESTALE, ETIMEDOUT, ETXTBSY,
};

/// The error of this number.
pub(crate) fn error(errno: i32) -> std::io::Error {
    std::io::Error::from_raw_os_error(errno)
}
