//! Pages of the host that are dirty or being written back: /proc/meminfo.

use leadline_model::facts::{Fact, FactKey};
use leadline_model::units::Bytes;

/// Bytes that are dirty or under writeback, of all programs of the host, from the text of /proc/meminfo; `None` where the
/// kernel does not say. Pages that an NFS server has not committed count as under writeback.
pub(super) fn unflushed(text: &str) -> Option<u64> {
    let of = |name: &str| -> Option<u64> {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        let value = lines.find(|(n, _)| *n == name)?.1.trim();
        let kib: u64 = value.strip_suffix(" kB")?.trim().parse().ok()?;
        Some(kib.saturating_mul(1024))
    };
    let unstable = of("NFS_Unstable").unwrap_or(0);
    let all = of("Dirty")?.saturating_add(of("Writeback")?);
    Some(all.saturating_add(unstable))
}

pub(super) fn facts(before: u64, after: u64) -> [Fact; 2] {
    [
        Fact::new(FactKey::UNFLUSHED_BEFORE, "", Bytes(before)),
        Fact::new(FactKey::UNFLUSHED_AFTER, "", Bytes(after)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_text_is_read() {
        let text = "MemTotal:       24683972 kB\nDirty:               120 kB\nWriteback:             8 kB\n\
                    AnonPages:       1 kB\nWritebackTmp:          0 kB\n";
        assert_eq!(unflushed(text), Some(128 * 1024));
        let old = format!("{text}NFS_Unstable:         16 kB\n");
        assert_eq!(unflushed(&old), Some(144 * 1024));
        for odd in [
            "",
            "Dirty: 1 kB\n",
            "Dirty: 1\nWriteback: 2 kB\n",
            "Dirty: -1 kB\nWriteback: 1 kB\n",
        ] {
            assert_eq!(unflushed(odd), None, "{odd:?}");
        }
    }
}
