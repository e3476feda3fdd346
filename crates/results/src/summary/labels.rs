//! The four cache axes that every result is labelled with (law 7): client cache, server cache,
//! offsets, payload. From the plan and the facts; what is not known is labelled unknown.

use leadline_model::facts::{Fact, FactKey};
use leadline_model::plan::{Amount, Fill, Payload, Refresh, ServerCache, Target, Workload};
use leadline_model::units::Percent;
use std::borrow::Cow;

/// The page cache of the host that asks.
/// Later ones say less of the target; of files that are not alike the latest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClientCache {
    /// O_DIRECT: bypassed.
    Direct,
    /// O_DIRECT on a FUSE file system: bypassed here, while the FUSE program may answer from memory.
    DirectToFuse,
    /// O_DIRECT to a loop device that reads and writes its file through the page cache, which may answer.
    DirectToLoop,
    /// Buffered, and nothing of it was in the cache at the start, as the kernel said.
    BufferedCold,
    /// The same, but others read or write the same file in the same stage: what they leave in the cache may answer.
    BufferedColdAtStart,
    /// Buffered and emptied before the start; whether that worked could not be checked.
    BufferedDropped,
    /// Buffered and emptied before the start; some stayed, or more was read than there is, so that some came from the
    /// cache.
    BufferedReread,
    /// Buffered, filled or left as it was before the start.
    BufferedWarm,
    /// The bytes are kept in memory (tmpfs, an overlay on it, zram): there is no device, O_DIRECT or not.
    InMemory,
    /// There is none (null, simulated device).
    Absent,
}

impl ClientCache {
    /// Whether I/O goes through this host's page cache.
    #[must_use]
    pub const fn is_buffered(self) -> bool {
        matches!(
            self,
            Self::BufferedCold
                | Self::BufferedColdAtStart
                | Self::BufferedDropped
                | Self::BufferedReread
                | Self::BufferedWarm
        )
    }
}

/// Whether an earlier run may have touched the same blocks in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offsets {
    /// Random with a seed of its own.
    FreshSeed,
    /// Random with a seed fixed by the plan: each run repeats it.
    RepeatedSeed,
    /// Sequential: each run uses the same order.
    Sequential,
}

/// How written data compress and dedupe on the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayloadLabel {
    /// Share of the data that does not compress away.
    pub entropy_percent: Percent,
    /// Share of blocks equal to an earlier one.
    pub dedupe_percent: Percent,
    /// The data come from a file of the user's: both shares are the file's, and not known.
    pub of_a_file: bool,
}

/// The four axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels {
    /// Client cache.
    pub client: ClientCache,
    /// Server cache.
    pub server: ServerCache,
    /// Offsets.
    pub offsets: Offsets,
    /// Payload; of the laid-out files where the workload only reads.
    pub payload: PayloadLabel,
}

impl Labels {
    /// The labels of a workload.
    #[must_use]
    pub fn of(workload: &Workload, server: ServerCache, facts: &[Fact]) -> Self {
        Self {
            client: client(workload, facts),
            server,
            offsets: offsets(workload),
            payload: payload_of(workload),
        }
    }

    /// The four labels in words, in the order of the axes.
    #[must_use]
    pub fn texts(&self) -> [String; 4] {
        let client = match self.client {
            ClientCache::Direct => "direct",
            ClientCache::DirectToFuse => "direct to a FUSE program",
            ClientCache::DirectToLoop => "direct to a buffered loop device",
            ClientCache::BufferedCold => "buffered, cold",
            ClientCache::BufferedColdAtStart => "buffered, cold at the start",
            ClientCache::BufferedDropped => "buffered, cache dropped",
            ClientCache::BufferedReread => "buffered, partly cached",
            ClientCache::InMemory => "in memory",
            ClientCache::BufferedWarm => "buffered, warm",
            ClientCache::Absent => "none",
        };
        let offsets = match self.offsets {
            Offsets::FreshSeed => "fresh seed",
            Offsets::RepeatedSeed => "repeated seed",
            Offsets::Sequential => "sequential",
        };
        let payload = match self.payload {
            PayloadLabel {
                of_a_file: true, ..
            } => "content of a file".to_owned(),
            own => format!(
                "entropy {} %, dedupe {} %",
                own.entropy_percent, own.dedupe_percent
            ),
        };
        [
            client.to_owned(),
            self.server.to_string(),
            offsets.to_owned(),
            payload,
        ]
    }
}

/// Names of the axes, in the order of [`Labels::texts`].
pub const AXES: [&str; 4] = ["client cache", "server cache", "offsets", "payload"];

fn client(workload: &Workload, facts: &[Fact]) -> ClientCache {
    if matches!(
        workload.blocks().target,
        Target::Null { .. } | Target::Simulated(_)
    ) {
        return ClientCache::Absent;
    }
    if on_targets(workload, facts, FactKey::KEPT_IN_MEMORY) {
        return ClientCache::InMemory;
    }
    let looped = on_targets(workload, facts, FactKey::LOOP_CACHED);
    let kinds = file_systems(workload, facts);
    let fuse = kinds
        .iter()
        .any(|kind| *kind == "fuse" || kind.starts_with("fuse."));
    of_files(workload)
        .map(|on_file| match on_file {
            w if w.blocks().open.direct && fuse => ClientCache::DirectToFuse,
            w if w.blocks().open.direct && looped => ClientCache::DirectToLoop,
            w if w.blocks().open.direct => ClientCache::Direct,
            w if w.blocks().prepare.drop_cache && !w.blocks().prepare.pre_read => {
                dropped(workload, facts)
            }
            _ => ClientCache::BufferedWarm,
        })
        .max()
        .unwrap_or(ClientCache::Direct)
}

/// What a dropped cache held at the start all the same: the most of any of the workload's targets in any stage.
fn dropped(workload: &Workload, facts: &[Fact]) -> ClientCache {
    let mine = |f: &&Fact| match &workload.blocks().target {
        Target::Paths(paths) => paths.contains(&f.subject),
        _ => true,
    };
    let known = facts.iter().filter(|f| f.key() == FactKey::CACHED_AT_START);
    let most = known.filter(mine).filter_map(|f| f.value.percent()).max();
    match most {
        None => ClientCache::BufferedDropped,
        Some(share) if share <= Percent::whole(1) => ClientCache::BufferedCold,
        Some(share) if share < Percent::whole(99) => ClientCache::BufferedReread,
        Some(_) => ClientCache::BufferedWarm,
    }
}

/// Whether this is said of a target of the workload; of any target of the run where it is not said which are this
/// workload's.
fn on_targets(workload: &Workload, facts: &[Fact], key: FactKey<'_>) -> bool {
    let of_targets = || facts.iter().filter(|f| f.section == "target");
    let mine = |f: &&Fact| match &workload.blocks().target {
        Target::Paths(paths) => paths.contains(&f.subject),
        _ => false,
    };
    let known = of_targets().any(|f| mine(&f));
    of_targets().any(|f| f.key() == key && (!known || mine(&f)))
}

/// The kinds of the file systems that hold the targets; those of all targets of the run where it is not said which
/// are this workload's.
pub(crate) fn file_systems<'a>(workload: &Workload, facts: &'a [Fact]) -> Vec<&'a str> {
    let mounted = || facts.iter().filter(|f| f.key() == FactKey::MOUNTED_ON);
    let mine = |f: &&Fact| match &workload.blocks().target {
        Target::Paths(paths) => paths.contains(&f.subject),
        _ => false,
    };
    let mut points: Vec<&str> = mounted()
        .filter(mine)
        .filter_map(|f| f.value.text())
        .collect();
    if points.is_empty() {
        points = mounted().filter_map(|f| f.value.text()).collect();
    }
    let of_mounts = facts.iter().filter(|f| f.key() == FactKey::FILE_SYSTEM);
    let kinds = of_mounts.filter(|f| points.contains(&f.subject.as_str()));
    kinds.filter_map(|f| f.value.text()).collect()
}

/// Whether a file system's bytes are on another host.
pub(crate) fn is_network(kind: &str) -> bool {
    /// Kinds, with what follows the name of a protocol (`nfs4`, `smb3`).
    const KINDS: [&str; 9] = [
        "nfs",
        "cifs",
        "smb",
        "ceph",
        "lustre",
        "glusterfs",
        "fuse.glusterfs",
        "fuse.sshfs",
        "beegfs",
    ];
    KINDS.iter().any(|own| kind.starts_with(own))
}

/// Whether all of its bytes are on other hosts, as far as the kinds of its file systems say so.
pub(crate) fn is_remote(workload: &Workload, facts: &[Fact]) -> bool {
    let kinds = file_systems(workload, facts);
    !kinds.is_empty() && kinds.iter().all(|kind| is_network(kind))
}

/// The label of a client cache that was empty at the start, after this many bytes were read and written in a stage of
/// these workloads, of which it is that of number `index`: what is more than the files hold came from the cache in
/// part, and what others left there may have answered.
#[must_use]
pub(crate) fn after(
    client: ClientCache,
    index: usize,
    stage: &[Workload],
    bytes: u64,
) -> ClientCache {
    let Some(workload) = stage.get(index) else {
        return client;
    };
    if client != ClientCache::BufferedCold || !workload.blocks().mix.has_reads() {
        return client;
    }
    let own_files = match workload.blocks().target {
        Target::Files(_) => u64::from(workload.clones.max(1)),
        _ => 1,
    };
    let size = match workload.blocks().region.size {
        Some(Amount::Bytes(size)) => size.saturating_mul(own_files),
        _ => u64::MAX,
    };
    let mut others = stage
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != index);
    if bytes > size {
        ClientCache::BufferedReread
    } else if (own_files == 1 && workload.clones > 1) || others.any(|(_, w)| share(workload, w)) {
        ClientCache::BufferedColdAtStart
    } else {
        client
    }
}

/// Whether two workloads have a file in common and the second uses the cache.
fn share(one: &Workload, other: &Workload) -> bool {
    let same = match (&one.blocks().target, &other.blocks().target) {
        (Target::Paths(a), Target::Paths(b)) => a.iter().any(|path| b.contains(path)),
        (Target::Files(a), Target::Files(b)) => {
            a.pattern == b.pattern && a.directories == b.directories
        }
        _ => false,
    };
    same && of_files(other).any(|w| !w.blocks().open.direct)
}

/// The workload on each of its files that is not like the others.
fn of_files(workload: &Workload) -> impl Iterator<Item = Cow<'_, Workload>> {
    (0..workload.blocks().parts.len().max(1)).map(|file| workload.of_file(file))
}

fn offsets(workload: &Workload) -> Offsets {
    match (
        workload.blocks().access.order.is_random(),
        workload.blocks().access.seed,
    ) {
        (false, _) => Offsets::Sequential,
        (true, Some(_)) => Offsets::RepeatedSeed,
        (true, None) => Offsets::FreshSeed,
    }
}

/// Of files with different data: what compresses and repeats most.
fn payload_of(workload: &Workload) -> PayloadLabel {
    let writes = |w: &Cow<'_, Workload>| w.writes();
    let apart = of_files(workload)
        .filter(writes)
        .map(|w| payload(&w.blocks().payload));
    let worse = |a: PayloadLabel, b: PayloadLabel| PayloadLabel {
        entropy_percent: a.entropy_percent.min(b.entropy_percent),
        dedupe_percent: a.dedupe_percent.max(b.dedupe_percent),
        of_a_file: a.of_a_file || b.of_a_file,
    };
    apart
        .reduce(worse)
        .unwrap_or_else(|| payload(&workload.blocks().payload))
}

pub(crate) fn payload(payload: &Payload) -> PayloadLabel {
    let (entropy, repeats) = match (&payload.fill, payload.refresh) {
        (Fill::Random, Refresh::Never) => (Percent::ALL, Percent::ALL),
        // Parts of one buffer: they do not compress, and a part may come again.
        (Fill::Source { .. }, _) => (Percent::ALL, Percent::NONE),
        (Fill::Random, Refresh::Stamp | Refresh::Each) => (Percent::ALL, Percent::NONE),
        (Fill::Zero | Fill::Pattern(_), Refresh::Never) => (Percent::NONE, Percent::ALL),
        (Fill::Zero | Fill::Pattern(_), Refresh::Stamp | Refresh::Each) => {
            (Percent::NONE, Percent::NONE)
        }
    };
    PayloadLabel {
        entropy_percent: payload.compress_percent.rest().min(entropy),
        dedupe_percent: payload.dedupe_percent.max(repeats),
        of_a_file: matches!(payload.fill, Fill::Source { file: Some(_), .. }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::workload;
    use leadline_model::plan::OpMix;

    #[test]
    fn each_axis_follows_the_plan() {
        let mut w = workload("w", OpMix::reads(), 4096, 1, 1);
        let server = std::cell::Cell::new(ServerCache::Unknown);
        let texts =
            |w: &Workload, facts: &[Fact]| Labels::of(w, server.get(), facts).texts().join("; ");
        assert_eq!(
            texts(&w, &[]),
            "direct; unknown; fresh seed; entropy 100 %, dedupe 0 %"
        );
        w.blocks_mut().open.direct = false;
        w.blocks_mut().access.seed = Some(7);
        w.blocks_mut().payload.compress_percent = Percent::whole(40);
        server.set(ServerCache::Displaced);
        assert_eq!(
            texts(&w, &[]),
            "buffered, cache dropped; displaced; repeated seed; entropy 60 %, dedupe 0 %"
        );
        server.set(ServerCache::Unknown);
        w.blocks_mut().prepare.drop_cache = false;
        w.blocks_mut().payload.fill = Fill::Zero;
        w.blocks_mut().payload.refresh = Refresh::Never;
        w.blocks_mut().target = Target::Null { size: 1 };
        w.blocks_mut().access.order = leadline_model::plan::Order::Sequential { skip: 0 };
        assert_eq!(
            texts(&w, &[]),
            "none; unknown; sequential; entropy 0 %, dedupe 100 %"
        );
        w.blocks_mut().payload.fill = Fill::Source {
            size: 1 << 20,
            file: Some("/data/words".to_owned()),
        };
        assert_eq!(
            texts(&w, &[]),
            "none; unknown; sequential; content of a file"
        );
    }

    /// O_DIRECT passes by a page cache; on a file system in memory there is nothing else, and what a FUSE program
    /// does is not known.
    #[test]
    fn memory_is_not_called_direct_and_what_was_read_again_is_not_called_cold() {
        let mut w = workload("w", OpMix::reads(), 4096, 1, 1);
        w.blocks_mut().target = Target::Paths(vec!["/a/file".to_owned()]);
        let on = |kind: &str| {
            [
                Fact::new(FactKey::MOUNTED_ON, "/a/file", "/a"),
                Fact::new(FactKey::MOUNTED_ON, "/b/file", "/b"),
                Fact::new(FactKey::FILE_SYSTEM, "/a", kind),
                Fact::new(FactKey::FILE_SYSTEM, "/b", "tmpfs"),
                Fact::new(FactKey::KEPT_IN_MEMORY, "/b/file", "tmpfs"),
            ]
        };
        let client =
            |w: &Workload, kind: &str| Labels::of(w, ServerCache::Unknown, &on(kind)).client;
        assert_eq!(client(&w, "ext4"), ClientCache::Direct);
        let below = |key| {
            let mut facts = on("ext4").to_vec();
            facts.push(Fact::new(key, "/a/file", "loop0"));
            facts
        };
        let memory = below(FactKey::KEPT_IN_MEMORY);
        let cached = below(FactKey::LOOP_CACHED);
        assert_eq!(
            Labels::of(&w, ServerCache::Unknown, &memory).client,
            ClientCache::InMemory
        );
        assert_eq!(
            Labels::of(&w, ServerCache::Unknown, &cached).client,
            ClientCache::DirectToLoop
        );
        assert_eq!(client(&w, "fuse.sshfs"), ClientCache::DirectToFuse);
        assert_eq!(client(&w, "fuseblk"), ClientCache::Direct);
        w.blocks_mut().open.direct = false;
        assert_eq!(
            Labels::of(&w, ServerCache::Unknown, &memory).client,
            ClientCache::InMemory
        );
        let dropped = ClientCache::BufferedDropped;
        assert_eq!(
            Labels::of(&w, ServerCache::Unknown, &cached).client,
            dropped
        );
        assert_eq!(client(&w, "ext4"), ClientCache::BufferedDropped);
    }

    #[test]
    fn cold_is_what_the_kernel_said_was_empty_and_no_other_fills() {
        let mut w = workload("w", OpMix::reads(), 4096, 1, 1);
        w.blocks_mut().target = Target::Paths(vec!["/a/file".to_owned()]);
        w.blocks_mut().open.direct = false;
        let held = |percents: &[u8]| {
            let fact = |percent: &u8| {
                Fact::new(
                    FactKey::CACHED_AT_START,
                    "/a/file",
                    Percent::whole(*percent),
                )
            };
            let mut facts: Vec<Fact> = percents.iter().map(fact).collect();
            facts.push(Fact::new(
                FactKey::CACHED_AT_START,
                "/b/file",
                Percent::whole(50),
            ));
            Labels::of(&w, ServerCache::Unknown, &facts).client
        };
        assert_eq!(held(&[]), ClientCache::BufferedDropped);
        assert_eq!(held(&[0]), ClientCache::BufferedCold);
        assert_eq!(held(&[30, 0]), ClientCache::BufferedReread);
        assert_eq!(held(&[100]), ClientCache::BufferedWarm);

        let cold = ClientCache::BufferedCold;
        w.blocks_mut().region.size = Some(Amount::Bytes(64 << 20));
        let alone = |w: &Workload, bytes| after(cold, 0, std::slice::from_ref(w), bytes);
        assert_eq!(alone(&w, 64 << 20), cold);
        assert_eq!(alone(&w, (64 << 20) + 4096), ClientCache::BufferedReread);
        // Another reader or writer of the same file, unless it bypasses the cache.
        let mut other = w.clone();
        let beside = |other: &Workload| after(cold, 0, &[w.clone(), other.clone()], 4096);
        assert_eq!(beside(&other), ClientCache::BufferedColdAtStart);
        other.blocks_mut().open.direct = true;
        assert_eq!(beside(&other), cold);
        other.blocks_mut().open.direct = false;
        other.blocks_mut().target = Target::Paths(vec!["/b/file".to_owned()]);
        assert_eq!(beside(&other), cold);
        // Clones share a path; of a pattern each has files of its own.
        w.clones = 2;
        assert_eq!(alone(&w, 4096), ClientCache::BufferedColdAtStart);
    }
}
