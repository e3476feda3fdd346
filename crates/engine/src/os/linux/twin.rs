//! Whether two paths lead to one file although their file systems number it differently: through an overlay, or
//! through a file system in user space that passes all on, a file has another device and often another inode than
//! in the folder where it really is.
//!
//! Belongs here: recognizing them by what such file systems do pass on. Must never: trust a name, or what mount
//! options say of folders, which another mount namespace may not have.

use rustix::fs::{AtFlags, CWD, Statx, StatxFlags, StatxTimestamp, statx};
use std::path::Path;

/// File systems that have files of others: overlay and FUSE (linux/magic.h).
const PASS_ON: [i64; 2] = [0x794c_7630, 0x6573_5546];
/// Tries while a file changes.
const TRIES: u32 = 50;

/// Whether both are one file. `a` is asked for again while it changes. Where it never rests, and the other has its
/// size, that is taken for a yes.
pub(super) fn is_one_file(a: &Path, b: &Path) -> bool {
    if !(passes_on(a) || passes_on(b)) {
        return false;
    }
    for _ in 0..TRIES {
        let (Some(first), Some(other), Some(again)) = (looks(a), looks(b), looks(a)) else {
            return false;
        };
        if first == other {
            return true;
        }
        if first == again || first.size != other.size {
            return false;
        }
    }
    true
}

fn passes_on(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|found| PASS_ON.contains(&found.f_type))
}

/// What is passed on: all that is known of a file but its numbers. The moment of its last change is among it, to
/// the nanosecond.
#[derive(Debug, PartialEq, Eq)]
struct Looks {
    size: u64,
    blocks: u64,
    owner: (u32, u32, u16),
    changed: (i64, u32),
    written: (i64, u32),
    made: Option<(i64, u32)>,
}

fn looks(path: &Path) -> Option<Looks> {
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
    let found: Statx = statx(CWD, path, AtFlags::empty(), wanted).ok()?;
    let time = |t: StatxTimestamp| (t.tv_sec, t.tv_nsec);
    let known = found.stx_mask & StatxFlags::BTIME.bits() != 0;
    Some(Looks {
        size: found.stx_size,
        blocks: found.stx_blocks,
        owner: (found.stx_uid, found.stx_gid, found.stx_mode),
        changed: time(found.stx_ctime),
        written: time(found.stx_mtime),
        made: known.then(|| time(found.stx_btime)),
    })
}
