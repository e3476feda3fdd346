//! The mark by which a file is known as leadline's own: an extended attribute, or a note beside the file
//! where the file system keeps none.
//!
//! Belongs here: writing, reading and finding marks. Must never: write to a file's content, or decide what
//! a file without a mark may be used for.

use rustix::fs::{Mode, OFlags, XattrFlags, fgetxattr, fsetxattr, fstat};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// Name of the attribute.
const NAME: &str = "user.leadline";
/// What it says.
const VALUE: &[u8] = b"own";
/// What the names of notes end with.
const ENDING: &str = ".own";
/// What a note begins with.
const FIRST_LINE: &str = "This file was made by leadline, which writes over it and deletes it:";
/// More than a note has.
const MOST: u64 = 16 << 10;

/// The note that belongs to a file.
pub(super) fn note(path: &Path) -> PathBuf {
    let mut name = OsString::from(path.file_name().unwrap_or_default());
    name.push(ENDING);
    path.with_file_name(name)
}

/// The file that a note belongs to, by its name.
pub(super) fn noted(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?.strip_suffix(ENDING)?;
    Some(path.with_file_name(name))
}

/// Whether the open file at `path` is leadline's own.
pub(super) fn is_on(file: impl AsFd, path: &Path) -> bool {
    let mut value = [0; VALUE.len() + 1];
    if matches!(fgetxattr(&file, NAME, &mut value), Ok(n) if &value[..n] == VALUE) {
        return true;
    }
    let inode = fstat(&file).map(|stat| stat.st_ino);
    inode.is_ok_and(|inode| inode_in(&note(path)) == Some(inode))
}

/// Whether what lies at `path` is a note of leadline's.
pub(super) fn is_note(path: &Path) -> bool {
    inode_in(path).is_some()
}

/// Marks the open file at `path`; the note, where one was needed.
///
/// # Errors
/// When neither can be made, or something else bears the note's name.
pub(super) fn put(file: impl AsFd, path: &Path) -> io::Result<Option<PathBuf>> {
    if fsetxattr(&file, NAME, VALUE, XattrFlags::empty()).is_ok() {
        return Ok(None);
    }
    let place = note(path);
    if is_note(&place) {
        // Of a file that is gone.
        fs::remove_file(&place)?;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let text = format!(
        "{FIRST_LINE}\nname {name}\ninode {}\n",
        fstat(&file)?.st_ino
    );
    let mut made = File::create_new(&place)?;
    made.write_all(text.as_bytes())?;
    Ok(Some(place))
}

/// Number of the file that a note tells of; `None` when it is no note.
fn inode_in(place: &Path) -> Option<u64> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(place, flags, Mode::empty()).ok()?);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    file.take(MOST).read_to_string(&mut text).ok()?;
    let mut lines = text.lines().filter(|_| text.starts_with(FIRST_LINE));
    lines
        .find_map(|line| line.strip_prefix("inode "))?
        .parse()
        .ok()
}
