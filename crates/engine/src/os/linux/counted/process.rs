//! What the kernel counted of this process's I/O below the page cache: /proc/self/io.

use leadline_model::facts::{Fact, FactKey};
use leadline_model::units::Bytes;

/// The counters of all threads, those that have ended included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProcessIo {
    /// Bytes that were fetched from block devices for this process.
    read: u64,
    /// Bytes that it sent to them, or made dirty in the page cache.
    written: u64,
}

impl ProcessIo {
    /// From the text of /proc/PID/io (Documentation/filesystems/proc.rst, 3.3); `None` where the kernel does not count.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let of = |name: &str| -> Option<u64> {
            let mut lines = text.lines().filter_map(|line| line.split_once(": "));
            lines.find(|(n, _)| *n == name)?.1.trim().parse().ok()
        };
        // Pages that were dirty and went with their file were never written.
        let cancelled = of("cancelled_write_bytes").unwrap_or(0);
        Some(Self {
            read: of("read_bytes")?,
            written: of("write_bytes")?.saturating_sub(cancelled),
        })
    }

    /// What was added from here to `after`.
    pub(super) fn until(&self, after: &Self) -> [Fact; 2] {
        let bytes = |before: u64, after: u64| Bytes(after.saturating_sub(before));
        [
            Fact::new(FactKey::READ_FROM_DEVICES, "", bytes(self.read, after.read)),
            Fact::new(
                FactKey::WRITTEN_TO_DEVICES,
                "",
                bytes(self.written, after.written),
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "rchar: 323934931\nwchar: 323929600\nsyscr: 632687\nsyscw: 632675\n\
                        read_bytes: 4096\nwrite_bytes: 323932160\ncancelled_write_bytes: 160\n";

    #[test]
    fn the_kernels_text_is_read() {
        let io = ProcessIo::parse(TEXT).unwrap();
        assert_eq!((io.read, io.written), (4096, 323_932_000));
        let later = ProcessIo {
            read: 8192,
            written: 0,
        };
        let [read, written] = io.until(&later);
        assert_eq!(read.value.bytes(), Some(Bytes(4096)));
        assert_eq!(written.value.bytes(), Some(Bytes(0)));
        for odd in [
            "",
            "read_bytes: 1\n",
            "read_bytes: x\nwrite_bytes: 1\n",
            "\0",
        ] {
            assert_eq!(ProcessIo::parse(odd), None, "{odd:?}");
        }
    }
}
