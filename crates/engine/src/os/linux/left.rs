//! What is left of what the kernel gives to all processes: memory, huge pages, native AIO, threads.
//!
//! Belongs here: counting it. Must never: take any of it, or keep a count.

use super::mount;
use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of a huge page that is asked for by its size.
pub(crate) const HUGE_PAGE: u64 = 2 << 20;

/// Bytes of memory that programs can have without others being swapped out, and that the control groups of this
/// process still allow it; `None` = not known.
pub(crate) fn memory() -> Option<u64> {
    let of_host = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| field(&text, "MemAvailable:"))
        .map(|kilobytes| kilobytes.saturating_mul(1024));
    let groups = ControlGroups::own();
    let of_groups = groups.least(|group| group.memory());
    [of_host, of_groups].into_iter().flatten().min()
}

/// Bytes of memory that this process may still lock; `None` = there is no limit, or it is not known.
pub(crate) fn lockable() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let most = super::limits::lockable_bytes()?;
    if may_lock_any(&status) {
        return None;
    }
    let locked = field(&status, "VmLck:").unwrap_or(0).saturating_mul(1024);
    Some(most.saturating_sub(locked))
}

/// Whether the limit of locked memory does not hold for a process with this status (`CAP_IPC_LOCK`, capabilities(7)).
fn may_lock_any(status: &str) -> bool {
    const CAP_IPC_LOCK: u32 = 14;
    let mask = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> CAP_IPC_LOCK & 1 == 1)
}

/// Bytes of huge pages of 2 MiB that can be had; `None` = not known.
pub(crate) fn huge_pages() -> Option<u64> {
    huge_pages_in(Path::new("/sys/kernel/mm"))
}

/// The same by the kernel's folder about memory. Pages that are promised to others are not free; some more may be made
/// when they are asked for.
fn huge_pages_in(kernel: &Path) -> Option<u64> {
    if !kernel.is_dir() {
        return None;
    }
    let folder = kernel.join("hugepages/hugepages-2048kB");
    let of = |name: &str| number(&folder.join(name)).unwrap_or(0);
    let free = of("free_hugepages").saturating_sub(of("resv_hugepages"));
    let more = of("nr_overcommit_hugepages").saturating_sub(of("surplus_hugepages"));
    Some(free.saturating_add(more).saturating_mul(HUGE_PAGE))
}

/// I/Os of native AIO that processes can have in flight on top of those they may have by now; `None` = not known.
pub(crate) fn aio() -> Option<u64> {
    let of = |name: &str| number(&Path::new("/proc/sys/fs").join(name));
    Some(of("aio-max-nr")?.saturating_sub(of("aio-nr")?))
}

/// Threads that the control groups of this process still allow it; `None` = no limit is known.
pub(crate) fn threads() -> Option<u64> {
    ControlGroups::own().least(|group| {
        let most = number(&group.folder.join("pids.max"))?;
        Some(most.saturating_sub(number(&group.folder.join("pids.current"))?))
    })
}

/// The number after a name at the beginning of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// The number in a small file.
fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The control groups of this process and those above them.
struct ControlGroups(Vec<ControlGroup>);

struct ControlGroup {
    folder: PathBuf,
}

impl ControlGroups {
    fn own() -> Self {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self::of(&own, &mount::table())
    }

    /// By the text of a process's cgroup file and the table of mounts. In a name space of control groups the root is
    /// one with limits too.
    fn of(own: &str, mounts: &str) -> Self {
        let mut all = Vec::new();
        for own in mount::memberships(own, mounts) {
            let above = Path::new(own.group).ancestors();
            all.extend(above.map(|group| ControlGroup {
                folder: own.root.join(group.strip_prefix("/").unwrap_or(group)),
            }));
        }
        Self(all)
    }

    /// The least that any of them leaves.
    fn least(&self, of: impl Fn(&ControlGroup) -> Option<u64>) -> Option<u64> {
        self.0.iter().filter_map(of).min()
    }
}

impl ControlGroup {
    /// Bytes of memory that it leaves: what the page cache has can be taken back.
    fn memory(&self) -> Option<u64> {
        let [v2, v1] = [
            (
                "memory.max",
                "memory.current",
                ["inactive_file ", "active_file "],
            ),
            (
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                ["total_inactive_file ", "total_active_file "],
            ),
        ];
        [v2, v1].into_iter().find_map(|(most, used, cached)| {
            let most = number(&self.folder.join(most))?;
            let used = number(&self.folder.join(used))?;
            let stat = fs::read_to_string(self.folder.join("memory.stat")).unwrap_or_default();
            let cached = cached.iter().filter_map(|name| field(&stat, name)).sum();
            Some(most.saturating_sub(used.saturating_sub(cached)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_host_says_what_it_has() {
        assert!(memory().unwrap() > 1 << 20);
        assert_eq!(huge_pages().unwrap() % HUGE_PAGE, 0);
        assert!(aio().unwrap() > 0);
        assert!(threads().is_none_or(|threads| threads > 0));
    }

    #[test]
    fn only_a_process_without_the_capability_has_a_limit_of_locked_memory() {
        let status = |mask: &str| format!("Name:\tx\nCapEff:\t{mask}\nSeccomp:\t0\n");
        assert!(may_lock_any(&status("0000000000004000")));
        assert!(may_lock_any(&status("000001ffffffffff")));
        assert!(!may_lock_any(&status("0000000000003000")));
        assert!(!may_lock_any("Name:\tx\n"));
    }

    #[test]
    fn promised_pages_are_not_free_and_some_are_made_when_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(huge_pages_in(&dir.path().join("none")), None);
        // A kernel without them.
        assert_eq!(huge_pages_in(dir.path()), Some(0));
        let folder = dir.path().join("hugepages/hugepages-2048kB");
        fs::create_dir_all(&folder).unwrap();
        for (name, pages) in [
            ("free_hugepages", "10\n"),
            ("resv_hugepages", "3\n"),
            ("nr_overcommit_hugepages", "5\n"),
            ("surplus_hugepages", "1\n"),
        ] {
            fs::write(folder.join(name), pages).unwrap();
        }
        assert_eq!(huge_pages_in(dir.path()), Some(11 * HUGE_PAGE));
    }

    #[test]
    fn the_tightest_group_counts_and_its_page_cache_can_be_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let (v2, v1) = (dir.path().join("v2"), dir.path().join("v1"));
        let write = |path: PathBuf, text: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(v2.join("a/memory.max"), "1000\n");
        write(v2.join("a/memory.current"), "900\n");
        write(
            v2.join("a/memory.stat"),
            "anon 500\ninactive_file 300\nactive_file 100\n",
        );
        write(v2.join("a/b/memory.max"), "max\n");
        write(v2.join("a/b/memory.current"), "7\n");
        write(v1.join("memory.limit_in_bytes"), "2000\n");
        write(v1.join("memory.usage_in_bytes"), "1700\n");
        let mounts = format!(
            "1 0 0:1 / {} rw - cgroup2 none rw\n2 0 0:2 / {} rw - cgroup none rw,memory\n",
            v2.display(),
            v1.display()
        );
        let left = |own: &str| ControlGroups::of(own, &mounts).least(ControlGroup::memory);
        assert_eq!(left("0::/a/b\n"), Some(500));
        assert_eq!(left("3:memory:/\n0::/a/b\n"), Some(300));
        assert_eq!(left("0::/\n"), None);
    }
}
