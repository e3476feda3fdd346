//! Names of Linux error numbers: what users write instead of numbers. Data only.

/// (name, number) of the errors I/O can meet.
const NAMES: [(&str, i32); 34] = [
    ("EPERM", 1),
    ("ENOENT", 2),
    ("EINTR", 4),
    ("EIO", 5),
    ("ENXIO", 6),
    ("EBADF", 9),
    ("EAGAIN", 11),
    ("EWOULDBLOCK", 11),
    ("ENOMEM", 12),
    ("EACCES", 13),
    ("EFAULT", 14),
    ("EBUSY", 16),
    ("EEXIST", 17),
    ("ENODEV", 19),
    ("EINVAL", 22),
    ("EMFILE", 24),
    ("EFBIG", 27),
    ("ENOSPC", 28),
    ("ESPIPE", 29),
    ("EROFS", 30),
    ("EPIPE", 32),
    ("ENODATA", 61),
    ("ENOLINK", 67),
    ("EPROTO", 71),
    ("EOVERFLOW", 75),
    ("EILSEQ", 84),
    ("EOPNOTSUPP", 95),
    ("ECONNRESET", 104),
    ("ETIMEDOUT", 110),
    ("EHOSTUNREACH", 113),
    ("ESTALE", 116),
    ("EREMOTEIO", 121),
    ("EDQUOT", 122),
    ("ECANCELED", 125),
];

/// All names, for hints.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
}

/// The number of a name, or a plain number from 1 to 4095.
pub(crate) fn parse(text: &str) -> Option<i32> {
    NAMES
        .iter()
        .find(|(name, _)| *name == text)
        .map(|(_, number)| *number)
        .or_else(|| text.parse().ok().filter(|n| (1..=4095).contains(n)))
}
