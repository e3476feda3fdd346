//! Whether the way to a server was what was asked for, and wide enough.
//!
//! Belongs here: checks of what NFS clients and TCP connections counted. Must never: report on a mount of which the
//! kernel said nothing.

use super::whole::Whole;
use super::{Finding, Severity, percent};
use crate::summary::figures::per_second;
use crate::summary::kernel::{self, HostIo};
use crate::summary::labels::is_remote;
use crate::words::{both_per_s, mib_per_s, thousands};
use leadline_model::cure::Knob;
use leadline_model::facts::{Fact, FactKey, FactValue};
use leadline_model::plan::Order;
use leadline_model::units::{Bytes, Nanos};

/// What was counted of one mount on one host.
struct Mount<'a> {
    whole: &'a Whole<'a>,
    host: u32,
    point: &'a str,
}

impl<'a> Mount<'a> {
    /// All mounts of a host of which something was counted.
    fn all(whole: &'a Whole<'a>, host: u32) -> Vec<Self> {
        let facts = kernel::of_key(whole.stage, host, FactKey::NFS_CALLS);
        let of = |fact: &'a Fact| Mount {
            whole,
            host,
            point: &fact.subject,
        };
        facts.map(of).collect()
    }

    fn value(&self, key: FactKey<'a>) -> Option<&'a FactValue> {
        let mut facts = kernel::of_key(self.whole.stage, self.host, key);
        facts.find(|f| f.subject == self.point).map(|f| &f.value)
    }

    fn count(&self, key: FactKey<'a>) -> Option<u64> {
        self.value(key)?.count()
    }

    fn bytes(&self, key: FactKey<'a>) -> Option<u64> {
        self.value(key)?.bytes().map(|b| b.0)
    }

    fn nanos(&self, key: FactKey<'a>) -> Option<f64> {
        self.value(key)?.nanos()
    }

    /// The number of an option of its file system (`rsize=`).
    fn option(&self, name: &str) -> Option<u64> {
        let of_mount = |f: &&Fact| f.host == self.host && f.subject == self.point;
        let mut facts = self.whole.run.facts.iter().filter(of_mount);
        let fact = facts.find(|f| f.key() == FactKey::FILE_SYSTEM_OPTIONS)?;
        let mut options = fact.value.text()?.split(',');
        options.find_map(|o| o.strip_prefix(name))?.parse().ok()
    }

    /// Most calls that wait for an answer of its server at once: the slots of its session (NFS 4.1 and later), or those of
    /// all its connections.
    fn slots(&self) -> Option<u64> {
        let of_kernel = |key| self.whole.host_fact(self.host, key)?.value.count();
        let facts = self.whole.run.facts.iter();
        let mut facts = facts.filter(|f| f.host == self.host && f.subject == self.point);
        let fact = facts.find(|f| f.key() == FactKey::FILE_SYSTEM_OPTIONS)?;
        let mut options = fact.value.text()?.split(',');
        match options.find_map(|o| o.strip_prefix("vers="))? {
            "4.1" | "4.2" => of_kernel(FactKey::SESSION_SLOTS),
            _ => {
                let connections = self.count(FactKey::NFS_CONNECTIONS)?.max(1);
                Some(of_kernel(FactKey::TCP_SLOTS)?.saturating_mul(connections))
            }
        }
    }

    /// Whether it is the only mount of its host of which something was counted.
    fn is_alone(&self) -> bool {
        Mount::all(self.whole, self.host).len() == 1
    }

    /// `/mnt on HOST`.
    fn place(&self) -> String {
        format!("{}{}", self.point, self.whole.on(self.host))
    }
}

/// The first mount of any host of which `of` knows something.
fn first<'a, T>(
    whole: &'a Whole<'a>,
    of: impl Fn(&Mount<'a>, &HostIo) -> Option<T>,
) -> Option<(String, T)> {
    let found = whole.first(|host| {
        let mounts = Mount::all(whole, host.host);
        let mut each = mounts.iter();
        each.find_map(|mount| Some((mount.place(), of(mount, host)?)))
    });
    found.map(|(_, found)| found)
}

/// Most I/Os in flight on one host.
fn depth_of_a_host(whole: &Whole<'_>) -> u64 {
    let hosts = whole.summary.cover.covered.len().max(1);
    whole.summary.depth_asked / u64::try_from(hosts).unwrap_or(1)
}

/// Code `direct-not-in-force` (fail) of an NFS mount: less than 0.99 of what programs read and wrote was with O_DIRECT,
/// though all workloads asked for it.
pub(super) fn direct_not_in_force(whole: &Whole<'_>) -> Option<Finding> {
    if !whole.all_direct() {
        return None;
    }
    let (place, (direct, all)) = first(whole, |mount, _| {
        let bytes = |key| mount.bytes(key).unwrap_or(0);
        let direct = bytes(FactKey::NFS_READ_DIRECT) + bytes(FactKey::NFS_WRITTEN_DIRECT);
        let cached = bytes(FactKey::NFS_READ_CACHED) + bytes(FactKey::NFS_WRITTEN_CACHED);
        let all = direct + cached;
        let share = direct as f64 / (all as f64).max(1.0);
        (all >= 1 << 20 && share < 0.99).then_some((direct, all))
    })?;
    Some(whole.finding(
        "direct-not-in-force",
        Severity::Fail,
        format!(
            "O_DIRECT was requested, but only {} of the {} that programs read and wrote on {place} \
             bypassed the page cache, by the NFS client's counters.",
            Bytes(direct),
            Bytes(all)
        ),
        "Do not take these figures for those of the server, unless other programs used the mount: then \
         repeat without them.",
    ))
}

/// Code `neighbours` (warn) of an NFS mount: more than 5 % of what programs of a host read and wrote on its only mount was
/// not for leadline (mountstats less what the workers counted).
pub(super) fn neighbours(whole: &Whole<'_>) -> Option<Finding> {
    let (place, (others, all)) = first(whole, |mount, host| {
        let keys = [
            FactKey::NFS_READ_DIRECT,
            FactKey::NFS_WRITTEN_DIRECT,
            FactKey::NFS_READ_CACHED,
            FactKey::NFS_WRITTEN_CACHED,
        ];
        let bytes = keys.into_iter().filter_map(|key| mount.bytes(key));
        let all = bytes.fold(0, u64::saturating_add);
        let others = all.saturating_sub(host.own.all_bytes());
        let is_much = others >= 1 << 20 && others as f64 > 0.05 * all as f64;
        (mount.is_alone() && is_much).then_some((others, all))
    })?;
    Some(whole.finding(
        "neighbours",
        Severity::Warn,
        format!(
            "Of the {} that programs read and wrote on {place} in this stage, {} ({}) were not for leadline: the \
             figures are those of a shared mount.",
            Bytes(all),
            Bytes(others),
            percent(others as f64 / all as f64)
        ),
        "Stop whatever else uses the mount, or repeat when it is idle.",
    ))
}

/// Code `single-flow` (warn): one connection to an NFS or SMB server, and more than 32 I/Os to be in flight.
pub(super) fn single_flow(whole: &Whole<'_>) -> Option<Finding> {
    let depth = depth_of_a_host(whole);
    if depth <= 32 {
        return None;
    }
    let of_nfs = first(whole, |mount, _| {
        let one = mount.count(FactKey::NFS_CONNECTIONS) == Some(1);
        let used = mount.count(FactKey::NFS_CALLS).unwrap_or(0) > 0;
        (one && used).then_some(())
    });
    let cure = match of_nfs {
        Some(_) => "Mount with nconnect=4 or more (the first mount of a server decides for all)",
        None => "Mount with multichannel,max_channels=4 or more, where the server has it",
    };
    let place = of_nfs.map(|(place, ())| place).or_else(|| smb(whole))?;
    Some(whole.finding(
        "single-flow",
        Severity::Warn,
        format!(
            "Up to {depth} I/Os in flight went to the server through one TCP connection of {place}: one \
             connection has the bandwidth of one flow, and of one processor at each end.",
        ),
        format!("{cure}, or use more hosts."),
    ))
}

/// The first mount from an SMB server that this host has one connection to.
fn smb(whole: &Whole<'_>) -> Option<String> {
    let (host, point) = whole.first(|host| {
        let mut one = kernel::of_key(whole.stage, host.host, FactKey::CONNECTIONS)
            .filter(|fact| fact.value.count() == Some(1));
        let is_smb = |point: &str| {
            let mut mounts = kernel::of_key(whole.stage, host.host, FactKey::MOUNT_IN_FORCE);
            let kinds = mounts
                .find(|f| f.subject == point)
                .and_then(|f| f.value.text());
            kinds.is_some_and(|text| ["cifs ", "smb3 "].iter().any(|kind| text.starts_with(kind)))
        };
        one.find(|fact| is_smb(&fact.subject))
            .map(|fact| fact.subject.clone())
    })?;
    Some(format!("{point}{}", whole.on(host)))
}

/// Code `nconnect-ignored` (fail): a mount has not as many connections as its options or /etc/fstab ask for.
pub(super) fn nconnect_ignored(whole: &Whole<'_>) -> Option<Finding> {
    let (place, (asked, there)) = first(whole, |mount, _| {
        let asked = mount.count(FactKey::NFS_CONNECTIONS_ASKED)?;
        let there = mount.count(FactKey::NFS_CONNECTIONS)?;
        (there > 0 && asked != there).then_some((asked, there))
    })?;
    Some(whole.finding(
        "nconnect-ignored",
        Severity::Fail,
        format!(
            "{place} was to have {asked} connections (nconnect) but has {there}: all mounts of one \
             server share the connections of the first.",
        ),
        "Unmount everything from this server, then mount with nconnect first.",
    ))
}

/// Code `slots-short` (warn): of the time of reads and writes, more than 0.3 passed before they were sent; or more I/Os were
/// to be in flight than the only mount of a host has slots.
pub(super) fn slots_short(whole: &Whole<'_>) -> Option<Finding> {
    let waited = first(whole, |mount, _| {
        let calls = mount.count(FactKey::NFS_READS)? + mount.count(FactKey::NFS_WRITES)?;
        let time = mount.nanos(FactKey::NFS_TIME)?;
        let waiting = time - mount.nanos(FactKey::NFS_ROUND_TRIPS)?;
        let share = waiting / time.max(1.0);
        (calls >= 100 && share > 0.3).then_some(share)
    });
    let text = match waited {
        Some((place, share)) => format!(
            "NFS calls of {place} spent {} of their time waiting in this host before they were sent: \
             there were fewer slots than I/Os in flight, or the connection took no more.",
            percent(share)
        ),
        None => {
            let depth = depth_of_a_host(whole);
            let (place, slots) = first(whole, |mount, _| {
                let slots = mount.slots()?;
                (mount.is_alone() && depth > slots).then_some(slots)
            })?;
            format!(
                "{} I/Os were to be in flight on {place}, which has {} slots at most: the others wait in this host \
                 before they are sent.",
                thousands(depth),
                thousands(slots)
            )
        }
    };
    Some(whole.finding(
        "slots-short",
        Severity::Warn,
        text,
        (
            "Use more connections (nconnect), more slots (sunrpc.tcp_max_slot_table_entries, \
             nfs.max_session_slots), or a smaller depth.",
            [Knob::QueueDepth],
        ),
    ))
}

/// Code `retransmits` (warn): more than 0.1 % of NFS calls or TCP segments were sent again, or a call timed out.
pub(super) fn retransmits(whole: &Whole<'_>) -> Option<Finding> {
    let (place, what) = first(whole, |mount, _| {
        let count = |key| mount.count(key).unwrap_or(0);
        let timeouts = count(FactKey::NFS_TIMEOUTS);
        let many = |again: u64, all: u64| all >= 100 && again as f64 > 0.001 * all as f64;
        let calls = (count(FactKey::NFS_SENT_AGAIN), count(FactKey::NFS_CALLS));
        let segments = (
            count(FactKey::SEGMENTS_AGAIN),
            count(FactKey::SEGMENTS_SENT),
        );
        let of = |what, (again, all): (u64, u64)| {
            format!(
                "{} of {} {what} were sent again",
                thousands(again),
                thousands(all)
            )
        };
        match () {
            () if timeouts > 0 => Some(format!("{} NFS calls timed out", thousands(timeouts))),
            () if many(calls.0, calls.1) => Some(of("NFS calls", calls)),
            () if many(segments.0, segments.1) => Some(of("TCP segments", segments)),
            () => None,
        }
    })?;
    Some(whole.finding(
        "retransmits",
        Severity::Warn,
        format!(
            "{what} on {place}: the network lost or delayed packets, which is in the latencies."
        ),
        "Look for errors and drops on the interfaces and switches on the way, and for a server that \
         does not keep up.",
    ))
}

/// Code `read-ahead-small` (info): sequential reads through the page cache of an NFS mount whose read-ahead is less than
/// four of its largest reads.
pub(super) fn read_ahead_small(whole: &Whole<'_>) -> Option<Finding> {
    let sequential = whole.plan.workloads.iter().any(|w| {
        let blocks = w.blocks();
        let order = matches!(blocks.access.order, Order::Sequential { .. });
        super::is_real(w) && !blocks.open.direct && blocks.mix.has_reads() && order
    });
    if !sequential {
        return None;
    }
    let (place, (ahead, rsize)) = first(whole, |mount, host| {
        let mut facts = whole.run.facts.iter().filter(|f| f.host == host.host);
        let ahead = facts.find(|f| f.subject == mount.point && f.key() == FactKey::READ_AHEAD);
        let ahead = ahead?.value.bytes()?.0;
        let rsize = mount.option("rsize=")?;
        (ahead < rsize.saturating_mul(4)).then_some((ahead, rsize))
    })?;
    Some(whole.finding(
        "read-ahead-small",
        Severity::Info,
        format!(
            "{place} reads {} ahead, and the server gives up to {} at once: sequential buffered reads \
             have few calls in flight.",
            Bytes(ahead),
            Bytes(rsize)
        ),
        "Raise /sys/class/bdi/MAJOR:MINOR/read_ahead_kb of the mount to 15 times rsize or so, as older \
         kernels had it.",
    ))
}

/// Code `requests-split` (warn) of an NFS mount: READ or WRITE calls that carry the bytes of direct I/Os are less than
/// 0.95 or more than 1.05 for each of them. A note where I/Os are larger than rsize or wsize, which say how they are cut.
pub(super) fn calls_split(whole: &Whole<'_>) -> Option<Finding> {
    if !whole.all_direct() || whole.has("requests-split") {
        return None;
    }
    let (place, (side, ratio, ours, expected)) = first(whole, |mount, host| {
        let sides = [
            (
                "READ",
                FactKey::NFS_READS,
                FactKey::NFS_READ_SERVER,
                "rsize=",
            ),
            (
                "WRITE",
                FactKey::NFS_WRITES,
                FactKey::NFS_WRITTEN_SERVER,
                "wsize=",
            ),
        ];
        let mut sides = sides
            .into_iter()
            .zip(host.own.ios.into_iter().zip(host.own.bytes));
        sides.find_map(|((side, calls, bytes, largest), (ios, own))| {
            let (calls, bytes) = (mount.count(calls)?, mount.bytes(bytes)?);
            // The same bytes: otherwise others use the mount, or a cache answered.
            let same = (0.95..=1.05).contains(&(bytes as f64 / own as f64));
            let ratio = calls as f64 / ios as f64;
            let other = !(0.95..=1.05).contains(&ratio);
            let size = own as f64 / ios as f64;
            let expected = mount.option(largest).is_some_and(|most| size > most as f64);
            (ios >= 100 && same && other).then_some((side, ratio, size, expected))
        })
    })?;
    let severity = match expected {
        true => Severity::Info,
        false => Severity::Warn,
    };
    Some(whole.finding(
        "requests-split",
        severity,
        format!(
            "The NFS client sent {ratio:.2} {side} calls to the server of {place} for each I/O of {}: a limit of \
             the server in operations applies to its calls.",
            Bytes(crate::words::whole(ours))
        ),
        (
            "For one call each, use a block size up to rsize and wsize, aligned to it.",
            [Knob::BlockSize],
        ),
    ))
}

/// Code `above-link` (warn): files on other hosts were read or written at more than 1.07 of what all network interfaces
/// of the hosts can carry in that direction.
pub(super) fn above_link(whole: &Whole<'_>) -> Option<Finding> {
    let mut real = whole.plan.workloads.iter().filter(|w| super::is_real(w));
    if !real.all(|w| is_remote(w, &whole.run.facts)) {
        return None;
    }
    let (host, (what, rate, most)) = whole.first(|host| {
        let facts = whole.run.facts.iter().filter(|f| f.host == host.host);
        let speeds = facts.filter(|f| f.key() == FactKey::LINK_SPEED);
        let megabits =
            speeds.filter_map(|f| f.value.text()?.split(' ').next()?.parse::<f64>().ok());
        let most = megabits.sum::<f64>() * 1e6 / 8.0;
        let sides = ["read", "written"].into_iter().zip(host.own.bytes);
        let mut rates =
            sides.map(|(what, bytes)| (what, per_second(bytes as f64, host.span), most));
        rates.find(|(_, rate, most)| *most > 0.0 && *rate > 1.07 * most)
    })?;
    Some(whole.finding(
        "above-link",
        Severity::Warn,
        format!(
            "{} were {what}{}, but the network interfaces carry {} at most: a cache on this host served part of it.",
            both_per_s(rate),
            whole.on(host),
            both_per_s(most)
        ),
        (
            "Use O_DIRECT, and a data set that this host cannot hold; for writes, count the time of a flush.",
            [Knob::Direct],
        ),
    ))
}

/// Code `window-small` (warn): the bytes that one connection had on the way, rate times round trip, come near to what
/// the socket buffers hold: 0.4 of the largest size, since the kernel counts its own overhead in it.
pub(super) fn window_small(whole: &Whole<'_>) -> Option<Finding> {
    let (place, (what, rate, trip, buffer, setting)) = first(whole, |mount, host| {
        let flows = mount.count(FactKey::NFS_CONNECTIONS)?.max(1);
        let trip = mount.nanos(FactKey::ROUND_TRIP)?;
        let sides = [
            ("read", FactKey::NFS_READ_SERVER, FactKey::TCP_RMEM),
            ("written", FactKey::NFS_WRITTEN_SERVER, FactKey::TCP_WMEM),
        ];
        sides.into_iter().find_map(|(what, bytes, key)| {
            let rate = per_second(mount.bytes(bytes)? as f64, host.span) / flows as f64;
            let mut facts = whole.run.facts.iter();
            let fact = facts.find(|f| f.host == host.host && f.key() == key)?;
            // Least, initial and largest size.
            let buffer: u64 = fact.value.text()?.split_whitespace().nth(2)?.parse().ok()?;
            let on_the_way = rate * trip / 1e9;
            let near = on_the_way > 0.4 * buffer as f64;
            near.then_some((what, rate, trip, buffer, key.name))
        })
    })?;
    Some(whole.finding(
        "window-small",
        Severity::Warn,
        format!(
            "Each connection of {place} had {} MiB/s {what} over a round trip of {}: {} on the way, near the TCP \
             window that a buffer of {} ({setting}) allows. That window limits the rate.",
            mib_per_s(rate),
            Nanos(crate::words::whole(trip)),
            Bytes(crate::words::whole(rate * trip / 1e9)),
            Bytes(buffer),
        ),
        "Raise the largest size in net.ipv4.tcp_rmem and tcp_wmem (and net.core.rmem_max, wmem_max), or \
         use more connections.",
    ))
}
