//! Kinds of files, and what names one wherever it is seen from.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// `O_NONBLOCK` of Linux on x86 and ARM (open(2)).
const NONBLOCK: i32 = 0o4000;

/// What a file is known by under all its names.
pub type FileId = (u64, u64);

/// The identity of a file.
pub fn identity(of: &Metadata) -> FileId {
    (of.dev(), of.ino())
}

/// Number of the file system that a file is on; `None` = there is no such file.
pub fn file_system(path: &Path) -> Option<u64> {
    std::fs::metadata(path).map(|about| about.dev()).ok()
}

/// Whether it is a block device.
pub fn is_block_device(of: &Metadata) -> bool {
    of.file_type().is_block_device()
}

/// Whether a block device is there.
pub fn is_block_device_at(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| is_block_device(&about))
}

/// Whether a named pipe is there.
pub fn is_pipe(path: &str) -> bool {
    std::fs::metadata(path).is_ok_and(|about| about.file_type().is_fifo())
}

/// Opens a named pipe without waiting for the other end.
pub fn open_pipe(options: &mut OpenOptions, path: &str) -> io::Result<File> {
    options.custom_flags(NONBLOCK).open(path)
}

/// Makes a symbolic link at `link` that leads to `to`.
pub fn link(to: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, link)
}
