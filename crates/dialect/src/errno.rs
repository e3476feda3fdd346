//! Names of Linux error numbers: what users write instead of numbers. Data only.

/// (name, number) of the errors I/O can meet, and of all up to 34, which fio knows by name.
const NAMES: [(&str, i32); 48] = [
    ("EPERM", 1),
    ("ENOENT", 2),
    ("ESRCH", 3),
    ("EINTR", 4),
    ("EIO", 5),
    ("ENXIO", 6),
    ("E2BIG", 7),
    ("ENOEXEC", 8),
    ("EBADF", 9),
    ("ECHILD", 10),
    ("EAGAIN", 11),
    ("EWOULDBLOCK", 11),
    ("ENOMEM", 12),
    ("EACCES", 13),
    ("EFAULT", 14),
    ("ENOTBLK", 15),
    ("EBUSY", 16),
    ("EEXIST", 17),
    ("EXDEV", 18),
    ("ENODEV", 19),
    ("ENOTDIR", 20),
    ("EISDIR", 21),
    ("EINVAL", 22),
    ("ENFILE", 23),
    ("EMFILE", 24),
    ("ENOTTY", 25),
    ("ETXTBSY", 26),
    ("EFBIG", 27),
    ("ENOSPC", 28),
    ("ESPIPE", 29),
    ("EROFS", 30),
    ("EMLINK", 31),
    ("EPIPE", 32),
    ("EDOM", 33),
    ("ERANGE", 34),
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
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
}

/// The number of a name, or a plain number from 1 to 4095.
#[must_use]
pub fn parse(text: &str) -> Option<i32> {
    NAMES
        .iter()
        .find(|(name, _)| *name == text)
        .map(|(_, number)| *number)
        .or_else(|| text.parse().ok().filter(|n| (1..=4095).contains(n)))
}
