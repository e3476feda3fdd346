//! What the kernel counts while a stage runs: the block devices below the targets, this process's own I/O, pages not
//! written back, network file systems and their connections.
//!
//! Belongs here: reading counters at the start and at the end of a stage, and their differences. Must never: be read
//! in between by a worker, or guess a counter that the kernel does not have.

mod flows;
mod heat;
mod memory;
mod network;
mod nfs;
mod process;

use super::disk::DiskMeter;
use super::{device, mount};
use leadline_model::event::DiskUse;
use leadline_model::facts::Fact;
use leadline_model::units::Nanos;
use std::fs;
use std::path::{Path, PathBuf};

/// Targets looked at one by one; more are of the same kind, as a rule.
const MOST_TARGETS: usize = 64;

/// All counters as they were at one moment.
#[derive(Clone, Debug, Default)]
pub struct StageMeter {
    disks: DiskMeter,
    others: Counters,
}

impl StageMeter {
    /// Reads the counters of this host that concern these targets.
    #[must_use]
    pub fn start(paths: &[PathBuf]) -> Self {
        Self {
            disks: DiskMeter::start(paths),
            others: Counters::below(Path::new("/"), paths),
        }
    }

    /// What was counted since the start; `span` is the time that has passed.
    #[must_use]
    pub fn finish(&self, span: Nanos) -> (Vec<DiskUse>, Vec<Fact>) {
        (self.disks.finish(span), self.others.until_now())
    }
}

/// The counters beside those of block devices, as they were at one moment.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    root: PathBuf,
    /// `None` where targets are not on block devices alone.
    process: Option<process::ProcessIo>,
    unflushed: Option<u64>,
    network: network::Network,
    heat: heat::Heat,
}

impl Counters {
    /// Reads the counters that concern these targets, in a kernel's files below `root`: `/`, or a folder with copies of
    /// them.
    #[must_use]
    pub fn below(root: &Path, paths: &[PathBuf]) -> Self {
        let mounts = text(root, "proc/self/mountinfo");
        Self {
            root: root.to_owned(),
            process: on_devices(paths, &mounts)
                .then(|| process::ProcessIo::parse(&text(root, "proc/self/io")))
                .flatten(),
            unflushed: memory::unflushed(&text(root, "proc/meminfo")),
            network: network::Network::below(root, paths, &mounts),
            heat: heat::Heat::below(root),
        }
    }

    /// What was added until now, and what there is now.
    #[must_use]
    pub fn until_now(&self) -> Vec<Fact> {
        let root = &self.root;
        let mut counted = Vec::new();
        let process = || process::ProcessIo::parse(&text(root, "proc/self/io"));
        if let Some((before, after)) = self.process.as_ref().zip(process()) {
            counted.extend(before.until(&after));
        }
        let unflushed = memory::unflushed(&text(root, "proc/meminfo"));
        if let Some((before, after)) = self.unflushed.zip(unflushed) {
            counted.extend(memory::facts(before, after));
        }
        counted.extend(self.network.until_now(root));
        counted.extend(self.heat.until(&heat::Heat::below(root)));
        counted
    }
}

/// A kernel's file; empty where there is none.
fn text(root: &Path, name: &str) -> String {
    let bytes = fs::read(root.join(name)).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether each of these targets is a block device or in a file system that this kernel reads from one, so that what
/// devices do for a target is counted for the process that asks.
fn on_devices(paths: &[PathBuf], mounts: &str) -> bool {
    let by_program = |path: &Path| {
        let near = super::host::nearest(path).and_then(|near| fs::canonicalize(near).ok());
        let mount = near.and_then(|near| mount::holding(mounts, &near));
        mount.is_none_or(|mount| mount.kind.starts_with("fuse"))
    };
    let on_device = |path: &PathBuf| {
        device::number_under(path, mounts).is_some() && (is_device(path) || !by_program(path))
    };
    !paths.is_empty() && paths.iter().take(MOST_TARGETS).all(on_device)
}

fn is_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    fs::metadata(path).is_ok_and(|meta| meta.file_type().is_block_device())
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::facts::FactKey;
    use std::io::Read as _;

    #[test]
    fn only_what_this_kernel_reads_from_a_device_is_on_one() {
        let table = mount::table();
        assert!(!on_devices(&[], &table));
        assert!(!on_devices(&[PathBuf::from("/proc/self/stat")], &table));
        let dir = tempfile::tempdir().unwrap();
        let here = [dir.path().join("f")];
        let both = [here[0].clone(), PathBuf::from("/proc/self/stat")];
        assert!(!on_devices(&both, &table));
        if device::number_under(&here[0], &table).is_some() {
            assert!(on_devices(&here, &table));
            let fuse = table.replace(" - ext4 ", " - fuseblk ");
            assert!(fuse == table || !on_devices(&here, &fuse));
        }
    }

    #[test]
    fn reading_from_a_device_is_counted_and_from_the_cache_is_not() {
        const NAME: &str = "engine::os::counted_reads";
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, vec![7; 4 << 20]).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        let paths = [path.clone()];
        let read = |file: &std::fs::File| {
            let meter = StageMeter::start(&paths);
            let mut all = Vec::new();
            (&*file).read_to_end(&mut all).unwrap();
            assert_eq!(all.len(), 4 << 20);
            let (_, counted) = meter.finish(Nanos::SECOND);
            let mut found = counted.into_iter();
            let of = found.find(|f| f.key() == FactKey::READ_FROM_DEVICES);
            of.and_then(|f| f.value.bytes())
        };
        super::super::cache::drop_all(&file, false);
        if super::super::cache::share(&file, 4 << 20) != Some(0.0) {
            return leadline_testkit::skip(NAME, "the page cache cannot be emptied here");
        }
        let Some(cold) = read(&file) else {
            let why = "the temporary directory is on no block device";
            return leadline_testkit::skip(NAME, why);
        };
        assert!(cold.0 >= 4 << 20, "{cold}");
        // Other tests of this process read too, but not as much.
        let warm = read(&std::fs::File::open(&path).unwrap()).unwrap();
        assert!(warm.0 < 3 << 20, "{warm}");
    }
}
