//! What the kernel's NFS client counted of each mount: /proc/self/mountstats.
//!
//! Belongs here: reading that text (its fields: fs/nfs/super.c, net/sunrpc/stats.c of Linux; mountstats(8)), and the
//! differences of two of them. Must never: fail on lines it does not know.

use super::super::mount::unescape;
use leadline_model::facts::{Fact, FactKey, FactValue};
use leadline_model::units::{Bytes, Nanos};

/// The counters of one mount since it was mounted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NfsMount {
    /// Where.
    pub(super) point: String,
    /// Bytes: read and written by programs through the page cache, read and written by them with O_DIRECT, read from
    /// and written to the server.
    bytes: [u64; 6],
    /// READ, WRITE, and all operations together.
    calls: [Calls; 3],
    /// Connections to the server.
    connections: u64,
}

/// Remote calls of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Calls {
    /// Calls.
    number: u64,
    /// Times that one was sent, and times that no answer came in time.
    sent: u64,
    timeouts: u64,
    /// Milliseconds from the answer's request being sent to the answer, and from its making to its end.
    round_trip_ms: u64,
    whole_ms: u64,
}

/// The mounts of kind `nfs` and `nfs4` in the text.
pub(super) fn parse(text: &str) -> Vec<NfsMount> {
    let mut found: Vec<NfsMount> = Vec::new();
    let mut of_nfs = false;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("device ") {
            let mount = point(rest);
            of_nfs = mount.is_some();
            found.extend(mount);
            continue;
        }
        if let Some(mount) = found.last_mut().filter(|_| of_nfs) {
            mount.take(line.trim());
        }
    }
    found
}

/// Of `SERVER:/PATH mounted on POINT with fstype nfs4 statvers=1.1`.
fn point(line: &str) -> Option<NfsMount> {
    let (_, rest) = line.split_once(" mounted on ")?;
    let (point, kind) = rest.split_once(" with fstype ")?;
    let kind = kind.split(' ').next()?;
    matches!(kind, "nfs" | "nfs4").then(|| NfsMount {
        point: unescape(point),
        ..NfsMount::default()
    })
}

impl NfsMount {
    fn take(&mut self, line: &str) {
        let Some((name, rest)) = line.split_once(':') else {
            return;
        };
        if name == "xprt" {
            self.connections += u64::from(!rest.trim().starts_with("local"));
            return;
        }
        let numbers: Vec<u64> = rest
            .split_whitespace()
            .map_while(|word| word.parse().ok())
            .collect();
        if name == "bytes" {
            for (mine, theirs) in self.bytes.iter_mut().zip(&numbers) {
                *mine = *theirs;
            }
            return;
        }
        // `READ: calls sent timeouts bytes_sent bytes_received queued_ms round_trip_ms whole_ms`, newer ones and errors.
        let &[number, sent, timeouts, _, _, _, round_trip_ms, whole_ms, ..] = numbers.as_slice()
        else {
            return;
        };
        let is_operation = !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit());
        if !is_operation {
            return;
        }
        let calls = Calls {
            number,
            sent,
            timeouts,
            round_trip_ms,
            whole_ms,
        };
        match name {
            "READ" => self.calls[0] = calls,
            "WRITE" => self.calls[1] = calls,
            _ => {}
        }
        self.calls[2] = self.calls[2].plus(calls, u64::saturating_add);
    }

    /// What was added from here to `after`, the same mount later.
    pub(super) fn until(&self, after: &Self) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut put = |key: FactKey<'_>, value: FactValue| {
            facts.push(Fact::new(key, &self.point, value));
        };
        let keys = [
            FactKey::NFS_READ_CACHED,
            FactKey::NFS_WRITTEN_CACHED,
            FactKey::NFS_READ_DIRECT,
            FactKey::NFS_WRITTEN_DIRECT,
            FactKey::NFS_READ_SERVER,
            FactKey::NFS_WRITTEN_SERVER,
        ];
        for (key, (before, after)) in keys.into_iter().zip(self.bytes.iter().zip(&after.bytes)) {
            put(key, Bytes(after.saturating_sub(*before)).into());
        }
        let [read, write, all] = [0, 1, 2].map(|kind| {
            let (before, after) = (self.calls[kind], after.calls[kind]);
            after.plus(before, u64::saturating_sub)
        });
        put(FactKey::NFS_READS, FactValue::Count(read.number));
        put(FactKey::NFS_WRITES, FactValue::Count(write.number));
        let data = read.plus(write, u64::saturating_add);
        put(FactKey::NFS_TIME, Nanos::from_millis(data.whole_ms).into());
        put(
            FactKey::NFS_ROUND_TRIPS,
            Nanos::from_millis(data.round_trip_ms).into(),
        );
        put(FactKey::NFS_CALLS, FactValue::Count(all.number));
        let again = all.sent.saturating_sub(all.number);
        put(FactKey::NFS_SENT_AGAIN, FactValue::Count(again));
        put(FactKey::NFS_TIMEOUTS, FactValue::Count(all.timeouts));
        put(
            FactKey::NFS_CONNECTIONS,
            FactValue::Count(after.connections),
        );
        facts
    }
}

impl Calls {
    fn plus(self, other: Self, add: fn(u64, u64) -> u64) -> Self {
        Self {
            number: add(self.number, other.number),
            sent: add(self.sent, other.sent),
            timeouts: add(self.timeouts, other.timeouts),
            round_trip_ms: add(self.round_trip_ms, other.round_trip_ms),
            whole_ms: add(self.whole_ms, other.whole_ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = include_str!("testdata/mountstats");

    #[test]
    fn the_kernels_text_is_read() {
        let mounts = parse(TEXT);
        let points: Vec<&str> = mounts.iter().map(|m| m.point.as_str()).collect();
        assert_eq!(points, ["/mnt/one", "/mnt/old two"]);
        let one = &mounts[0];
        assert_eq!(
            one.bytes,
            [4096, 8192, 1_048_576, 524_288, 1_052_672, 532_480]
        );
        assert_eq!(one.connections, 4);
        assert_eq!(one.calls[0].number, 257);
        assert_eq!(
            (one.calls[0].round_trip_ms, one.calls[0].whole_ms),
            (300, 400)
        );
        assert_eq!(one.calls[2].number, 257 + 130 + 12);
        assert_eq!(
            (one.calls[2].sent, one.calls[2].timeouts),
            (257 + 131 + 12, 1)
        );
        assert_eq!(mounts[1].calls[1].number, 0);
        assert_eq!(mounts[1].connections, 1);
    }

    #[test]
    fn differences_are_of_the_same_mount() {
        let before = &parse(TEXT)[0];
        let mut after = before.clone();
        after.bytes[2] += 10;
        after.calls[0].number += 5;
        after.calls[2].number += 5;
        after.calls[2].sent += 7;
        let facts = before.until(&after);
        let of = |key| facts.iter().find(|f| f.key() == key).unwrap().value.clone();
        assert_eq!(of(FactKey::NFS_READ_DIRECT).bytes(), Some(Bytes(10)));
        assert_eq!(of(FactKey::NFS_READS).count(), Some(5));
        assert_eq!(of(FactKey::NFS_SENT_AGAIN).count(), Some(2));
        assert_eq!(of(FactKey::NFS_CONNECTIONS).count(), Some(4));
        assert!(facts.iter().all(|f| f.subject == "/mnt/one"));
    }

    #[test]
    fn odd_texts_are_no_mounts() {
        for odd in [
            "",
            "device",
            "device x mounted on /y",
            "device x mounted on /y with fstype ext4\n\tbytes:\t1 2 3\n\tREAD: 1 2 3 4 5 6 7 8\n",
            "\0\u{fffd}: 1 2",
        ] {
            assert_eq!(parse(odd), [], "{odd:?}");
        }
        let short = "device x mounted on /y with fstype nfs\n\tbytes:\tx\n\tREAD: 1 2\n\tREAD: 1 2 3 4 5 6 7 x\n";
        let empty = NfsMount {
            point: "/y".to_owned(),
            ..NfsMount::default()
        };
        assert_eq!(parse(short), [empty]);
    }
}
