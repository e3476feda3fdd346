//! Whether what is below a target is memory of this host: a file system or a device that keeps its bytes there, or
//! a loop device that reads and writes its file through the page cache. Past those O_DIRECT leads nowhere.
//!
//! Belongs here: following overlays and loop devices down. Must never: call something memory that it cannot see; a
//! server, a hypervisor or a disk with a cache of its own is not this host's.

use super::{device, mount};
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// File systems that keep their files in memory.
const FILE_SYSTEMS: [&str; 4] = ["tmpfs", "ramfs", "devtmpfs", "hugetlbfs"];
/// What the names of devices begin with that keep their bytes in memory: compressed, a RAM disk, the kernel's null
/// device.
const DEVICES: [&str; 3] = ["zram", "ram", "nullb"];
/// Layers deeper than this are not followed.
const MOST_LAYERS: usize = 8;

/// What was found below a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// Everything is kept in memory; the way there, as `overlay on tmpfs`.
    Kept(String),
    /// A loop device that goes through the page cache.
    Cached(String),
}

/// What there is of it below a canonical path that exists.
pub(super) fn below(path: &Path, mounts: &str) -> Option<Memory> {
    follow(path, mounts, 0)
}

fn follow(path: &Path, mounts: &str, layer: usize) -> Option<Memory> {
    if layer > MOST_LAYERS {
        return None;
    }
    let meta = fs::metadata(path).ok()?;
    if !meta.file_type().is_block_device() {
        let mount = mount::holding(mounts, path)?;
        if FILE_SYSTEMS.contains(&mount.kind) {
            return Some(Memory::Kept(mount.kind.to_owned()));
        }
        if mount.kind == "overlay" {
            let within = path.strip_prefix(&mount.point).ok()?;
            let layers = layers(mount.super_options);
            let found = follow(&holder(&layers, within)?, mounts, layer + 1)?;
            return Some(found.under("overlay"));
        }
    }
    let stack = device::stack(path, mounts);
    stack
        .iter()
        .find_map(|device| of_device(device, mounts, layer))
}

fn of_device(device: &device::BlockDevice, mounts: &str, layer: usize) -> Option<Memory> {
    let name = device.name.as_str();
    let numbered = |start: &&str| {
        let rest = name.strip_prefix(*start);
        rest.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    if DEVICES.iter().any(numbered) {
        return Some(Memory::Kept(name.to_owned()));
    }
    let read = |file: &str| fs::read_to_string(device.directory.join(file)).ok();
    let file = read("loop/backing_file")?;
    let file = PathBuf::from(file.trim_end_matches('\n'));
    if let Some(found) = follow(&file, mounts, layer + 1) {
        return Some(found.under(name));
    }
    let buffered = read("loop/dio")?.trim() == "0";
    buffered.then(|| Memory::Cached(name.to_owned()))
}

impl Memory {
    fn under(self, above: &str) -> Self {
        match self {
            Self::Kept(way) => Self::Kept(format!("{above} on {way}")),
            Self::Cached(way) => Self::Cached(format!("{above} on {way}")),
        }
    }
}

/// The folders of an overlay, the one that is written first.
fn layers(options: &str) -> Vec<PathBuf> {
    let mut upper = Vec::new();
    let mut lower = Vec::new();
    for option in options.split(',') {
        match option.split_once('=') {
            Some(("upperdir", path)) => upper.push(PathBuf::from(mount::unescape(path))),
            Some(("lowerdir", paths)) => {
                let paths = paths.split(':').filter(|path| !path.is_empty());
                lower.extend(paths.map(|path| PathBuf::from(mount::unescape(path))));
            }
            Some(("lowerdir+" | "datadir+", path)) => {
                lower.push(PathBuf::from(mount::unescape(path)))
            }
            _ => {}
        }
    }
    upper.extend(lower);
    upper
}

/// Where a path of an overlay is: in the first of its folders that has it. `None` where none is seen from here, as
/// in a container.
fn holder(layers: &[PathBuf], within: &Path) -> Option<PathBuf> {
    let found = layers.iter().map(|layer| layer.join(within));
    found
        .into_iter()
        .find_map(|path| fs::canonicalize(path).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_that_is_written_comes_first() {
        let options = r"rw,lowerdir=/a:/b\040c,upperdir=/up,workdir=/work,index=off";
        let expected = ["/up", "/a", "/b c"].map(PathBuf::from);
        assert_eq!(layers(options), expected);
        assert_eq!(layers("rw,lowerdir+=/a,lowerdir+=/b").len(), 2);
    }

    #[test]
    fn a_file_is_in_the_first_folder_that_has_it() {
        let place = tempfile::tempdir().unwrap();
        let place = fs::canonicalize(place.path()).unwrap();
        let [upper, lower] = ["upper", "lower"].map(|name| place.join(name));
        for folder in [&upper, &lower] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(lower.join("f"), "").unwrap();
        let both = [upper.clone(), lower.clone()];
        assert_eq!(holder(&both, Path::new("f")), Some(lower.join("f")));
        fs::write(upper.join("f"), "").unwrap();
        assert_eq!(holder(&both, Path::new("f")), Some(upper.join("f")));
        assert_eq!(holder(&both, Path::new("g")), None);
        assert_eq!(holder(&[], Path::new("f")), None);
    }

    #[test]
    fn memory_is_found_where_the_table_names_it() {
        let table = "1 0 0:5 / / rw - tmpfs tmpfs rw\n";
        let kept = Some(Memory::Kept("tmpfs".to_owned()));
        assert_eq!(below(Path::new("/"), table), kept);
        let overlay =
            "1 0 0:5 / / rw - overlay overlay rw,lowerdir=/proc\n2 1 0:6 / /proc rw - ramfs r rw\n";
        let kept = Some(Memory::Kept("overlay on ramfs".to_owned()));
        assert_eq!(below(Path::new("/"), overlay), kept);
        assert_eq!(
            below(Path::new("/proc"), "1 0 0:5 / / rw - proc proc rw\n"),
            None
        );
    }
}
