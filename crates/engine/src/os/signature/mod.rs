//! What a block device carries, by the marks that file systems, partition tables, RAID and volume
//! managers leave. Reads through a function it is given, so it can be tried on plain bytes; must
//! never write, and rather names too much than too little.
//!
//! Only marks count: whatever else is on a device may be what an earlier run wrote there, and the next
//! run over the same device has to be possible without a word more.

mod checks;
mod table;

use std::io;
use table::{MARKS, Mark, MarkOffset};

/// Bytes looked at from the start: the last mark there is a second header of LUKS at 4 MiB.
const HEAD: usize = (4 << 20) + 4096;
/// Bytes looked at before the end: the first mark there is a Promise RAID's, 1.5 MiB before it.
const TAIL: usize = 2 << 20;

/// Both ends of a device.
struct DeviceEnds {
    /// Bytes of the device.
    size: u64,
    /// Its first bytes.
    head: Vec<u8>,
    /// Its last bytes.
    tail: Vec<u8>,
}

impl DeviceEnds {
    /// Reads both ends.
    fn read(size: u64, mut read: impl FnMut(u64, &mut [u8]) -> io::Result<()>) -> io::Result<Self> {
        let part = |limit: usize| usize::try_from(size).map_or(limit, |s| s.min(limit));
        let mut head = vec![0u8; part(HEAD)];
        read(0, &mut head)?;
        let mut tail = vec![0u8; part(TAIL)];
        read(size - length(&tail), &mut tail)?;
        Ok(Self { size, head, tail })
    }

    /// Bytes at an offset, when they were read.
    fn bytes(&self, at: u64, len: usize) -> Option<&[u8]> {
        let slice = |part: &'_ [u8], from: u64| -> Option<std::ops::Range<usize>> {
            let from = usize::try_from(from).ok()?;
            let to = from.checked_add(len)?;
            (to <= part.len()).then_some(from..to)
        };
        if let Some(range) = slice(&self.head, at) {
            return Some(&self.head[range]);
        }
        let from = at.checked_sub(self.size - length(&self.tail))?;
        Some(&self.tail[slice(&self.tail, from)?])
    }

    fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        self.bytes(at, N)?.try_into().ok()
    }

    fn has(&self, at: u64, what: &[u8]) -> bool {
        self.bytes(at, what.len()) == Some(what)
    }

    fn byte(&self, at: u64) -> Option<u8> {
        self.array::<1>(at).map(|[byte]| byte)
    }

    fn le16(&self, at: u64) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    fn be16(&self, at: u64) -> Option<u16> {
        self.array(at).map(u16::from_be_bytes)
    }

    fn le32(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    fn be32(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_be_bytes)
    }

    /// The sum of this many words of two bytes.
    fn sum16(&self, at: u64, words: usize) -> Option<u16> {
        let pairs = self.bytes(at, words * 2)?.chunks_exact(2);
        Some(pairs.fold(0u16, |sum, pair| {
            sum.wrapping_add(u16::from_le_bytes([pair[0], pair[1]]))
        }))
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

impl MarkOffset {
    /// Where that is on a device of this many bytes; `None` when it is too small.
    fn on(self, size: u64) -> Option<u64> {
        let back = |sector: u64, sectors: u64, plus: u64| {
            Some((size / sector).checked_sub(sectors)? * sector + plus)
        };
        match self {
            Self::At(at) => Some(at),
            Self::End(sectors, plus) => back(512, sectors, plus),
            Self::End4k(sectors, plus) => back(4096, sectors, plus),
            Self::Md090 => (size & !0xffff).checked_sub(0x1_0000),
            Self::Md10 => (size / 512)
                .checked_sub(16)
                .map(|sector| (sector & !7) * 512),
        }
    }
}

impl Mark {
    /// Whether it is there.
    fn is_on(&self, seen: &DeviceEnds) -> bool {
        let places = self.places.iter().filter_map(|place| place.on(seen.size));
        places.into_iter().any(|at| {
            let there = self.words.iter().any(|word| seen.has(at, word));
            there && self.check.is_none_or(|check| check(seen, at))
        })
    }
}

/// Names of everything found on a device of `size` bytes, each once. `read` fills a buffer from an
/// offset; it is only asked for bytes below `size`.
///
/// # Errors
/// What `read` returns.
pub fn find(
    size: u64,
    read: impl FnMut(u64, &mut [u8]) -> io::Result<()>,
) -> io::Result<Vec<&'static str>> {
    let seen = DeviceEnds::read(size, read)?;
    let mut found: Vec<&'static str> = Vec::new();
    let marks = MARKS.iter().filter(|mark| mark.is_on(&seen));
    for mark in marks {
        if !found.contains(&mark.name) {
            found.push(mark.name);
        }
    }
    if zfs(&seen) {
        found.push("a member of a ZFS pool");
    }
    if xfs_log(&seen) && !found.contains(&"an xfs file system") {
        found.push("the log of an xfs file system");
    }
    match mbr(&seen) {
        Table::Used if !found.iter().any(|name| is_boot_sector(name)) => {
            found.push("an MBR partition table");
        }
        // The two bytes alone also end the first sector of much else.
        Table::Empty if found.is_empty() => found.push("an empty MBR partition table"),
        _ => {}
    }
    Ok(found)
}

/// Whether it has a first sector of its own that looks like a partition table.
fn is_boot_sector(name: &str) -> bool {
    ["FAT", "NTFS", "BitLocker"]
        .iter()
        .any(|word| name.contains(word))
}

/// A ring of uberblocks in one of four labels, two at each end.
fn zfs(seen: &DeviceEnds) -> bool {
    const LITTLE: &[u8] = &[0x0c, 0xb1, 0xba, 0, 0, 0, 0, 0];
    const BIG: &[u8] = &[0, 0, 0, 0, 0, 0xba, 0xb1, 0x0c];
    const LABEL: u64 = 256 << 10;
    let end = seen.size & !(LABEL - 1);
    let labels = [
        Some(0),
        Some(LABEL),
        end.checked_sub(2 * LABEL),
        end.checked_sub(LABEL),
    ];
    labels.into_iter().flatten().any(|label| {
        (LABEL / 2..LABEL)
            .step_by(1024)
            .any(|ring| seen.has(label + ring, LITTLE) || seen.has(label + ring, BIG))
    })
}

/// A record's header in one of the first sectors.
fn xfs_log(seen: &DeviceEnds) -> bool {
    let header = |at: u64| {
        let version = seen.be32(at + 8).unwrap_or(0);
        let length = seen.be32(at + 12).unwrap_or(0);
        let format = seen.be32(at + 300).unwrap_or(0);
        seen.has(at, &[0xfe, 0xed, 0xba, 0xbe])
            && matches!(version, 1..=3)
            && (1..=1 << 30).contains(&length)
            && matches!(format, 1..=3)
    };
    (0..256 << 10).step_by(512).any(header)
}

/// What is in the first sector.
enum Table {
    None,
    Empty,
    Used,
}

fn mbr(seen: &DeviceEnds) -> Table {
    let Some(entries) = seen.bytes(446, 64).filter(|_| seen.has(510, &[0x55, 0xaa])) else {
        return Table::None;
    };
    let mut entries = entries.chunks_exact(16);
    if !entries.clone().all(|e| e[0] & 0x7f == 0) {
        return Table::None;
    }
    if entries.any(|e| e[4] != 0 && e[12..16] != [0; 4]) {
        Table::Used
    } else {
        Table::Empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: usize = 8 << 20;

    fn on(bytes: &[u8]) -> Vec<&'static str> {
        find(length(bytes), |at, buffer| {
            let at = usize::try_from(at).unwrap();
            buffer.copy_from_slice(&bytes[at..at + buffer.len()]);
            Ok(())
        })
        .unwrap()
    }

    fn put(device: &mut [u8], marks: &[(usize, &[u8])]) {
        for (at, bytes) in marks {
            device[*at..at + bytes.len()].copy_from_slice(bytes);
        }
    }

    fn with(marks: &[(usize, &[u8])]) -> Vec<&'static str> {
        let mut device = vec![0u8; SIZE];
        put(&mut device, marks);
        on(&device)
    }

    fn random(len: usize, mut state: u64) -> Vec<u8> {
        let mut bytes = vec![0; len];
        for byte in &mut bytes {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            *byte = state.to_be_bytes()[0];
        }
        bytes
    }

    #[test]
    fn nothing_is_found_on_zeros_random_data_or_tiny_devices() {
        assert!(with(&[]).is_empty());
        for size in [0, 1, 100, 512, 4096] {
            assert!(on(&vec![0u8; size]).is_empty());
        }
        for seed in 1..5 {
            assert_eq!(on(&random(SIZE, seed)), [""; 0]);
        }
        for seed in 5..200 {
            assert_eq!(on(&random(128 << 10, seed)), [""; 0]);
        }
    }

    #[test]
    fn nothing_is_found_in_patterns_that_benchmarks_write() {
        let patterns: [&[u8]; 12] = [
            &[0xff],
            &[0xaa],
            &[0x55, 0xaa],
            &[0xaa, 0x55],
            &[0xda, 0xbe],
            &[0xde, 0xad, 0xbe, 0xef],
            &[0xef, 0xbe, 0xad, 0xde],
            &[0xca, 0xfe, 0xba, 0xbe],
            b"0123456789abcdef",
            &[0x01, 0x02, 0x03, 0x04],
            // Block numbers and offsets, as in headers for verification.
            &[0x00, 0x10, 0, 0, 0, 0, 0, 0],
            &[0xac, 0xca, 0, 0, 0, 0x10, 0, 0],
        ];
        for pattern in patterns {
            let device: Vec<u8> = pattern.iter().copied().cycle().take(SIZE).collect();
            assert_eq!(on(&device), [""; 0], "{pattern:x?}");
        }
    }

    /// Devices with a mark that needs more than itself.
    type Case = (&'static [(usize, &'static [u8])], &'static str);
    const CHECKED: &[Case] = &[
        (
            &[(1080, &[0x53, 0xef]), (1048, &[2])],
            "an ext2, ext3 or ext4 file system",
        ),
        (
            &[(1030, &[0x34, 0x34, 0x18, 0x01]), (1044, &[2])],
            "a nilfs2 file system",
        ),
        (
            &[
                (SIZE - 4090, &[0x34, 0x34, 0x18, 0x01]),
                (SIZE - 4076, &[2]),
            ],
            "a nilfs2 file system",
        ),
        (
            &[
                (0, &[0xeb, 0x3c, 0x90]),
                (11, &[0, 2, 4, 1, 0, 2]),
                (21, &[0xf8]),
                (510, &[0x55, 0xaa]),
            ],
            "a FAT file system",
        ),
        (&[(1024, b"H+\x00\x04")], "an HFS+ file system"),
        (&[(1024, b"HX\x00\x05")], "an HFS+ file system"),
        (
            &[(1024, b"BD"), (1044, &[0, 0, 16, 0])],
            "an HFS file system",
        ),
        (&[(1024, &MINIX_1)], "a minix file system"),
        (&[(1024, &MINIX_1_BIG)], "a minix file system"),
        (&[(1024, &MINIX_2)], "a minix file system"),
        (&[(1024, &MINIX_3)], "a minix file system"),
        (
            &[(512, b"LABELONE"), (536, b"LVM2 001")],
            "an LVM physical volume",
        ),
        (&[(0, b"HM\x01\x00")], "an LVM1 physical volume"),
        (
            &[(8, &[1, 0]), (88, b"CS\x01\x00\x00\x00")],
            "an Apple Core Storage volume",
        ),
        (
            // 0x4d4a + 0xb2b6 = 0x1_0000.
            &[(SIZE - 512, b"JM"), (SIZE - 508, &[0xb6, 0xb2])],
            "a member of a JMicron RAID",
        ),
        (
            &[(SIZE - 512, &[0x55, 0xaa, 0x01]), (SIZE - 462, &[0x00])],
            "a member of a VIA RAID",
        ),
        (
            // The only word that is not zero has its complement as the checksum.
            &[(SIZE - 416, &[0, 0, 0, 0x2f]), (SIZE - 194, &[0, 0xd1])],
            "a member of a Silicon Image RAID",
        ),
        (
            &[(508, &[0xda, 0xbe, 0xdb, 0xbf]), (0, &[1, 1])],
            "a Sun disk label",
        ),
        (&[(0, b"ER\x02\x00"), (512, b"PM")], "a Mac partition table"),
        (
            &[
                (0x1c2, &[0, 0, 0x20, 0]),
                (0x1c6, b"\x01GEM\x00\x00\x00\x02\x00\x00\x10\x00"),
            ],
            "an Atari partition table",
        ),
    ];
    /// 32 inodes, 60 zones, a map block each, data from zone 5; little-endian.
    const MINIX_1: [u8; 20] = [
        32, 0, 60, 0, 1, 0, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0x13, 1, 0,
    ];
    const MINIX_1_BIG: [u8; 20] = [
        0, 32, 0, 60, 0, 1, 0, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0x13, 0x8f, 0, 1,
    ];
    const MINIX_2: [u8; 24] = [
        32, 0, 0, 0, 1, 0, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0x78, 0x24, 1, 0, 60, 0, 0, 0,
    ];
    const MINIX_3: [u8; 30] = [
        32, 0, 0, 0, 0, 0, 1, 0, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 0x5a, 0x4d, 0, 0,
        0, 4,
    ];

    #[test]
    fn every_mark_of_the_table_is_found_at_each_of_its_places() {
        for mark in MARKS {
            if mark.check.is_some() {
                let tried = CHECKED.iter().any(|(_, name)| *name == mark.name);
                assert!(tried, "no case for {}", mark.name);
                continue;
            }
            for place in mark.places {
                for word in mark.words {
                    let at =
                        usize::try_from(place.on(u64::try_from(SIZE).unwrap()).unwrap()).unwrap();
                    let found = with(&[(at, word)]);
                    assert!(found.contains(&mark.name), "{word:x?} at {at}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn marks_that_need_more_than_themselves_are_found_with_it() {
        for (marks, name) in CHECKED {
            assert_eq!(with(marks), [*name], "{marks:x?}");
        }
    }

    #[test]
    fn a_short_mark_alone_is_chance() {
        for mark in MARKS.iter().filter(|mark| mark.check.is_some()) {
            for seed in 0..20 {
                let mut device = random(SIZE / 4, seed + 100);
                let at = mark.places[0].on(length(&device)).unwrap();
                put(
                    &mut device,
                    &[(usize::try_from(at).unwrap(), mark.words[0])],
                );
                assert_eq!(on(&device), [""; 0], "{}", mark.name);
            }
        }
    }

    #[test]
    fn marks_are_found_where_linux_raid_and_zfs_put_them() {
        let md: &[u8] = &[0xfc, 0x4e, 0x2b, 0xa9];
        for at in [0, 4096, SIZE - 8192, SIZE - 65536] {
            assert_eq!(with(&[(at, md)]), ["a member of a Linux RAID"]);
        }
        let uberblock: &[u8] = &[0x0c, 0xb1, 0xba, 0, 0, 0, 0, 0];
        for at in [
            135_168,
            (256 << 10) + 131_072,
            SIZE - 393_216,
            SIZE - 131_072,
        ] {
            assert_eq!(with(&[(at, uberblock)]), ["a member of a ZFS pool"]);
        }
    }

    #[test]
    fn the_log_of_a_file_system_elsewhere_is_found() {
        let header: &[u8] = &[0xfe, 0xed, 0xba, 0xbe, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 2, 0];
        let log: &[(usize, &[u8])] = &[(1024, header), (1324, &[0, 0, 0, 1])];
        assert_eq!(with(log), ["the log of an xfs file system"]);
        assert_eq!(with(&log[..1]), [""; 0]);
    }

    #[test]
    fn partition_tables_are_found_used_and_empty() {
        let used: &[(usize, &[u8])] = &[(510, &[0x55, 0xaa]), (450, &[0x83]), (459, &[1])];
        assert_eq!(with(used), ["an MBR partition table"]);
        assert_eq!(with(&used[..1]), ["an empty MBR partition table"]);
        assert_eq!(with(&[used[0], (446, &[1])]), [""; 0]);
        let mut fat = used.to_vec();
        fat.push((82, b"FAT32   "));
        assert_eq!(with(&fat), ["a FAT file system"]);
        fat.truncate(1);
        fat.push((3, b"EXFAT   "));
        assert_eq!(with(&fat), ["an exFAT file system"]);
    }
}
