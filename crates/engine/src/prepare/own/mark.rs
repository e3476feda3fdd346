//! The mark by which a file is known as leadline's own: an extended attribute, or a note beside it where the file
//! system keeps none. It says until when leadline may write to the file: one that changed later, by the file
//! system's own clock, was written by another process, even if it still has the mark.
//!
//! A run that is killed leaves a mark for the moment by which its stage would have been over. Another process that
//! writes to the file before that is known by what he writes: leadline's own files hold random bytes and nothing
//! else.
//!
//! Belongs here: writing, reading and finding marks. Must never: write to a file's content, or decide what
//! a file without a mark may be used for.

use crate::os::file::{self as os_file, Advice, AsHandle, Borrowed, Meta, Open};
use crate::os::wall;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of the attribute.
const NAME: &str = "user.leadline";
/// What it says before the moment.
const VALUE: &str = "own until ";
/// What the names of notes end with.
const ENDING: &str = ".own";
/// What a note begins with.
const FIRST_LINE: &str = "This file was made by leadline, which writes over it and deletes it:";
/// More than a note, or an attribute, has.
const MOST: u64 = 16 << 10;
/// When a file is sealed, its modification time is set back by this much: more than a tick of any file system's clock.
const SEAL: Duration = Duration::from_millis(30);
/// So long after a file was sealed nothing that changes it passes for leadline's.
pub(super) const SETTLED: Duration = Duration::from_millis(60);

/// Whose a file is, by its mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// leadline's, and as leadline left it.
    Own,
    /// It has leadline's mark, and was written by another process since.
    Changed,
    /// It has none.
    Others,
}

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

/// Whose the open file at `path` is.
pub(super) fn whose(file: impl AsHandle, path: &Path) -> Whose {
    let Ok(meta) = os_file::look(&file) else {
        return Whose::Others;
    };
    let in_note = || {
        let note = read_note(&note(path))?;
        (note.inode == meta.id.1).then_some(note.until)
    };
    match attribute(file.as_fd()).or_else(in_note) {
        None => Whose::Others,
        Some(until) if meta.changed <= until && is_random(file.as_fd(), &meta) => Whose::Own,
        Some(_) => Whose::Changed,
    }
}

/// Whether what is at `path` is a note of leadline's.
pub(super) fn is_note(path: &Path) -> bool {
    read_note(path).is_some()
}

/// Marks the open file at `path`, which may change for so long from now on; the note, where one was needed.
///
/// # Errors
/// When neither can be made, or another file has the note's name.
pub(super) fn put(
    file: impl AsHandle,
    path: &Path,
    length: Duration,
) -> io::Result<Option<PathBuf>> {
    let file = file.as_fd();
    // Until its own clock is known, by this host's: a process that is killed in between leaves a mark that is valid
    // as well.
    let about = set_back(i128::from(wall::wall_ms()) * 1_000_000, length);
    // By the file system's own clock: this changes the file, and shows when.
    if set(file, about).is_ok() {
        let now = os_file::look(file)?.changed;
        set(file, set_back(now, length))?;
        return Ok(None);
    }
    let place = note(path);
    if fs::symlink_metadata(&place).is_ok() && !is_note(&place) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    // The same, by the note.
    write_note(&place, path, file, about)?;
    let now = os_file::look(File::open(&place)?)?.changed;
    write_note(&place, path, file, set_back(now, length))?;
    Ok(Some(place))
}

/// Marks a file that leadline writes no more: whoever does so is known, [`SETTLED`] from now on.
///
/// # Errors
/// As [`put`].
pub(super) fn seal(file: impl AsHandle, path: &Path) -> io::Result<()> {
    // What a server has yet to get changes the file there.
    os_file::flush(&file)?;
    put(&file, path, SEAL).map(drop)
}

fn set(file: Borrowed<'_>, until: i128) -> io::Result<()> {
    let value = format!("{VALUE}{until}");
    os_file::set_attribute(file, NAME, value.as_bytes())
}

fn attribute(file: Borrowed<'_>) -> Option<i128> {
    let mut value = [0; 64];
    let length = os_file::attribute(file, NAME, &mut value)?;
    let text = std::str::from_utf8(&value[..length]).ok()?;
    text.strip_prefix(VALUE)?.parse().ok()
}

fn set_back(now: i128, length: Duration) -> i128 {
    now.saturating_add(i128::try_from(length.as_nanos()).unwrap_or(i128::MAX))
}

/// What a block holds, by its look.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockContent {
    /// As random bytes do; or less than a block, at the end of a layout that was cut short.
    Random,
    /// Zeros, as where nothing was written yet.
    Zero,
    /// Anything else.
    Other,
}

const BLOCK: usize = 4096;

/// Whether some blocks of a file, the first and the last among them, look like random bytes or were not written yet,
/// as a run leaves them that was killed while it laid the file out.
fn is_random(file: Borrowed<'_>, meta: &Meta) -> bool {
    const PLACES: u64 = 16;
    let size = meta.size;
    let last = size.saturating_sub(BLOCK as u64);
    let blocks = (0..=PLACES).map(|n| last / PLACES * n).chain([last]);
    let looks: Vec<BlockContent> = blocks
        .map(|at| look(file, at - at % BLOCK as u64))
        .collect();
    let random = match looks {
        looks if looks.contains(&BlockContent::Other) => false,
        looks if looks.contains(&BlockContent::Zero) => all_random_or_zero(file, size),
        _ => true,
    };
    // What was checked is not to be found in the cache by what is measured.
    os_file::advise(file, Advice::DontNeed);
    random
}

fn look(file: Borrowed<'_>, at: u64) -> BlockContent {
    let mut block = [0u8; BLOCK];
    match os_file::read_at(file, &mut block, at) {
        Ok(n) => look_at(&block[..n]),
        Err(_) => BlockContent::Other,
    }
}

fn look_at(block: &[u8]) -> BlockContent {
    /// The squares of how often each value comes sum up to 69,632 on average where bytes are random, and to some more
    /// with the quick numbers that files are filled with (up to 73,200 seen). A text or a program has several
    /// times that, and what has all values equally often has less.
    const SQUARES: std::ops::RangeInclusive<u32> = 67_456..=80_000;
    if block.iter().all(|b| *b == 0) {
        return BlockContent::Zero;
    }
    let mut times = [0u32; 256];
    block.iter().for_each(|b| times[usize::from(*b)] += 1);
    match times.iter().map(|n| n * n).sum() {
        squares if SQUARES.contains(&squares) || block.len() < BLOCK => BlockContent::Random,
        _ => BlockContent::Other,
    }
}

/// Whether each block of a file looks random or was not written yet. Reads all of it that is no hole.
fn all_random_or_zero(file: Borrowed<'_>, size: u64) -> bool {
    let mut buffer = vec![0u8; 1 << 20];
    let mut at = 0;
    while at < size {
        at = match os_file::next_data(file, at) {
            // Blocks begin at multiples of their size.
            Ok(Some(data)) => data - data % BLOCK as u64,
            // A hole to the end.
            Ok(None) => return true,
            Err(_) => at,
        };
        match os_file::read_at(file, &mut buffer, at) {
            Ok(0) => return true,
            Ok(n)
                if !buffer[..n]
                    .chunks(BLOCK)
                    .any(|b| look_at(b) == BlockContent::Other) =>
            {
                at += n as u64
            }
            _ => return false,
        }
    }
    true
}

/// What a note says.
struct Note {
    inode: u64,
    until: i128,
}

fn read_note(place: &Path) -> Option<Note> {
    let open = Open::READ | Open::NO_LINK | Open::NO_WAIT;
    let file = File::from(open.at(place).ok()?);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    file.take(MOST).read_to_string(&mut text).ok()?;
    let said = |word: &str| {
        let mut lines = text.lines().filter(|_| text.starts_with(FIRST_LINE));
        lines.find_map(|line| line.strip_prefix(word))
    };
    Some(Note {
        inode: said("inode ")?.parse().ok()?,
        until: said("until ")?.parse().ok()?,
    })
}

fn write_note(place: &Path, path: &Path, file: Borrowed<'_>, until: i128) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let inode = os_file::look(file)?.id.1;
    let text = format!("{FIRST_LINE}\nname {name}\ninode {inode}\nuntil {until}\n");
    let open = Open::WRITE | Open::CREATE | Open::NO_LINK;
    let mut note = File::from(open.at(place)?);
    // Written over in one call, and cut to its size after that: whoever is killed in between leaves a note.
    note.write_all(text.as_bytes())?;
    note.set_len(text.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::file::FileExt;
    use crate::payload::Payload;
    use leadline_model::plan::{Payload as Plan, Refresh};

    fn random(size: usize) -> Vec<u8> {
        let plan = Plan {
            refresh: Refresh::Each,
            ..Plan::default()
        };
        let mut data = vec![0; size];
        Payload::new(&plan, 7).before_write(&mut data, 0);
        data
    }

    /// A run may be killed while it rewrites a note.
    #[test]
    fn a_note_that_is_written_again_is_whole_at_any_moment() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("f");
        fs::write(&path, random(4096)).unwrap();
        let file = open(&path);
        let note = note(&path);
        write_note(&note, &path, file.as_fd(), 1).unwrap();
        std::thread::scope(|threads| {
            let writer = threads.spawn(|| {
                for until in 0..3000 {
                    write_note(&note, &path, file.as_fd(), until * 7919 % 10_000_000).unwrap();
                }
            });
            while !writer.is_finished() {
                assert!(read_note(&note).is_some());
            }
        });
        assert_eq!(read_note(&note).unwrap().until, 2999 * 7919 % 10_000_000);
    }

    /// A layout that was killed early leaves zeros where nothing was written, or nothing else.
    #[test]
    fn what_was_not_written_yet_is_own_and_zeros_with_a_word_among_them_are_not() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("f");
        for (written, word, expected) in [
            (0, None, Whose::Own),
            (256 << 10, None, Whose::Own),
            (0, Some(333_333), Whose::Changed),
            (256 << 10, Some(1 << 19), Whose::Changed),
        ] {
            let _ = fs::remove_file(&path);
            fs::write(&path, random(written)).unwrap();
            let file = open(&path);
            file.set_len(1 << 20).unwrap();
            put(&file, &path, Duration::from_secs(60)).unwrap();
            if let Some(at) = word {
                file.write_all_at(b"somebody's", at).unwrap();
            }
            assert_eq!(whose(&file, &path), expected, "{written} {word:?}");
        }
    }

    fn open(path: &Path) -> File {
        File::options().read(true).write(true).open(path).unwrap()
    }

    #[test]
    fn a_file_is_own_until_another_process_writes_to_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("f");
        fs::write(&path, random(1 << 20)).unwrap();
        let file = open(&path);
        assert_eq!(whose(&file, &path), Whose::Others);
        put(&file, &path, Duration::from_secs(60)).unwrap();
        // Killed in the middle: its own writes are no others'.
        file.write_all_at(&random(4096), 8192).unwrap();
        assert_eq!(whose(&file, &path), Whose::Own);
        seal(&file, &path).unwrap();
        std::thread::sleep(SETTLED);
        assert_eq!(whose(&file, &path), Whose::Own);
        // Sealed, even what looks like it is recognised.
        file.write_all_at(&random(4096), 0).unwrap();
        assert_eq!(whose(&file, &path), Whose::Changed);
    }

    #[test]
    fn what_was_copied_over_one_that_a_killed_run_left_is_seen_at_once() {
        let place = tempfile::tempdir().unwrap();
        let (path, mine) = (place.path().join("f"), place.path().join("mine"));
        let text = "somebody's words, again and again\n".repeat(40_000);
        for (copied, from) in [(true, 0), (false, 0), (false, (1 << 20) - 4096)] {
            let _ = fs::remove_file(&path);
            fs::write(&path, random(1 << 20)).unwrap();
            put(open(&path), &path, Duration::from_secs(60)).unwrap();
            assert_eq!(whose(open(&path), &path), Whose::Own);
            if copied {
                fs::write(&mine, &text).unwrap();
                fs::copy(&mine, &path).unwrap();
            } else {
                open(&path)
                    .write_all_at(&text.as_bytes()[..4096], from)
                    .unwrap();
            }
            assert_eq!(whose(open(&path), &path), Whose::Changed, "{copied} {from}");
        }
    }
}
