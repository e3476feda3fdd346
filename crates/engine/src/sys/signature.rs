//! What a block device carries, by the marks that file systems, partition tables, RAID and volume
//! managers leave. Reads through a function it is given, so it can be tried on plain bytes; must
//! never write, and rather names too much than too little.

use std::io;

/// Bytes looked at from the start: the last mark there is ZFS's ring of uberblocks.
const HEAD: usize = 260 << 10;
/// Bytes looked at before the end.
const TAIL: usize = 132 << 10;

/// A mark: where it is, what it looks like, whose it is.
struct Mark {
    at: usize,
    bytes: &'static [u8],
    name: &'static str,
}

const fn mark(at: usize, bytes: &'static [u8], name: &'static str) -> Mark {
    Mark { at, bytes, name }
}

const BCACHE: &[u8] = &[
    0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d, 0x81,
];
const BCACHEFS: &[u8] = &[
    0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9, 0xd9, 0x6a, 0x60, 0xcf, 0x80, 0x3d, 0xf7, 0xef,
];

/// Marks at fixed places.
const MARKS: &[Mark] = &[
    mark(0, b"XFSB", "an xfs file system"),
    mark(0x1_0040, b"_BHRfS_M", "a btrfs file system"),
    mark(54, b"FAT12   ", "a FAT file system"),
    mark(54, b"FAT16   ", "a FAT file system"),
    mark(82, b"FAT32   ", "a FAT file system"),
    mark(3, b"NTFS    ", "an NTFS file system"),
    mark(3, b"EXFAT   ", "an exFAT file system"),
    mark(3, b"-FVE-FS-", "a BitLocker volume"),
    mark(0, b"LUKS\xba\xbe", "LUKS encryption"),
    mark(0x4000, b"SKUL\xba\xbe", "LUKS encryption"),
    mark(0, b"hsqs", "a squashfs file system"),
    mark(0, b"sqsh", "a squashfs file system"),
    mark(1024, &[0xe2, 0xe1, 0xf5, 0xe0], "an erofs file system"),
    mark(1024, &[0x10, 0x20, 0xf5, 0xf2], "an f2fs file system"),
    mark(0x8001, b"CD001", "an ISO 9660 file system"),
    mark(0x8001, b"BEA01", "a UDF file system"),
    mark(1024, b"H+\x00", "an HFS+ file system"),
    mark(1024, b"HX\x00", "an HFS+ file system"),
    mark(32, b"NXSB", "an APFS container"),
    mark(0x1_0034, b"ReIsEr", "a reiserfs file system"),
    mark(0x8000, b"JFS1", "a jfs file system"),
    mark(0x1_0000, &[0x01, 0x16, 0x19, 0x70], "a gfs2 file system"),
    mark(0x1018, BCACHE, "a bcache device"),
    mark(0x1018, BCACHEFS, "a bcachefs file system"),
    mark(0, b"bluestore block device", "a Ceph OSD (bluestore)"),
    mark(32, b"ORCLDISK", "an Oracle ASM disk"),
    mark(0, &[0xfc, 0x4e, 0x2b, 0xa9], "a member of a Linux RAID"),
    mark(
        0x1000,
        &[0xfc, 0x4e, 0x2b, 0xa9],
        "a member of a Linux RAID",
    ),
    mark(512, b"EFI PART", "a GPT partition table"),
    mark(4096, b"EFI PART", "a GPT partition table"),
];

/// Sizes of a page that swap may have been made with.
const SWAP_PAGES: [usize; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];
/// What stands in the last ten bytes of a swap area's first page.
const SWAP_WORDS: [&[u8]; 5] = [
    b"SWAPSPACE2",
    b"SWAP-SPACE",
    b"S1SUSPEND",
    b"S2SUSPEND",
    b"LINHIB0001",
];
const MD_MAGIC: &[u8] = &[0xfc, 0x4e, 0x2b, 0xa9];
const ZFS_LITTLE: &[u8] = &[0x0c, 0xb1, 0xba, 0, 0, 0, 0, 0];
const ZFS_BIG: &[u8] = &[0, 0, 0, 0, 0, 0xba, 0xb1, 0x0c];

/// Names of everything found on a device of `size` bytes, each once. `read` fills a buffer from an
/// offset; it is only asked for bytes below `size`.
///
/// # Errors
/// What `read` returns.
pub fn find(
    size: u64,
    mut read: impl FnMut(u64, &mut [u8]) -> io::Result<()>,
) -> io::Result<Vec<&'static str>> {
    let part = |limit: usize| usize::try_from(size).map_or(limit, |s| s.min(limit));
    let mut head = vec![0u8; part(HEAD)];
    read(0, &mut head)?;
    let mut tail = vec![0u8; part(TAIL)];
    let tail_at = size - u64::try_from(tail.len()).unwrap_or(0);
    read(tail_at, &mut tail)?;
    let mut found: Vec<&'static str> = MARKS
        .iter()
        .filter(|m| has(&head, m.at, m.bytes))
        .map(|m| m.name)
        .collect();
    if ext(&head) {
        found.push("an ext2, ext3 or ext4 file system");
    }
    if lvm(&head) {
        found.push("an LVM physical volume");
    }
    if swap(&head) {
        found.push("swap space");
    }
    if zfs(&head) {
        found.push("a member of a ZFS pool");
    }
    let boot_sector = found
        .iter()
        .any(|n| n.contains("FAT") || n.contains("NTFS") || n.contains("BitLocker"));
    if mbr(&head) && !boot_sector {
        found.push("an MBR partition table");
    }
    at_the_end(size, &tail, tail_at, &mut found);
    let mut once = Vec::new();
    for name in found {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    Ok(once)
}

fn has(bytes: &[u8], at: usize, what: &[u8]) -> bool {
    bytes.get(at..at + what.len()) == Some(what)
}

/// A magic of two bytes alone would be found in random data now and then: the block size must make
/// sense too.
fn ext(head: &[u8]) -> bool {
    has(head, 1080, &[0x53, 0xef])
        && head.get(1048).is_some_and(|b| *b <= 6)
        && has(head, 1049, &[0; 3])
}

fn lvm(head: &[u8]) -> bool {
    (0..4).any(|sector| {
        has(head, sector * 512, b"LABELONE") && has(head, sector * 512 + 24, b"LVM2 001")
    })
}

fn swap(head: &[u8]) -> bool {
    SWAP_PAGES
        .iter()
        .any(|page| SWAP_WORDS.iter().any(|word| has(head, page - 10, word)))
}

fn zfs(head: &[u8]) -> bool {
    (128 << 10..256 << 10)
        .step_by(1024)
        .any(|at| has(head, at, ZFS_LITTLE) || has(head, at, ZFS_BIG))
}

fn mbr(head: &[u8]) -> bool {
    if !has(head, 510, &[0x55, 0xaa]) {
        return false;
    }
    let entries: Vec<&[u8]> = head[446..510].chunks_exact(16).collect();
    let sane = entries.iter().all(|e| e[0] & 0x7f == 0);
    let used = entries.iter().any(|e| e[4] != 0 && e[12..16] != [0; 4]);
    sane && used
}

/// Marks that are counted from the end of the device.
fn at_the_end(size: u64, tail: &[u8], tail_at: u64, found: &mut Vec<&'static str>) {
    let at = |offset: u64| {
        offset
            .checked_sub(tail_at)
            .and_then(|o| usize::try_from(o).ok())
    };
    let mut look = |offset: Option<u64>, bytes: &[u8], name: &'static str| {
        if offset.and_then(at).is_some_and(|o| has(tail, o, bytes)) {
            found.push(name);
        }
    };
    look(size.checked_sub(512), b"EFI PART", "a GPT partition table");
    look(size.checked_sub(4096), b"EFI PART", "a GPT partition table");
    let version_1_0 = (size / 512).checked_sub(16).map(|s| (s & !7) * 512);
    look(version_1_0, MD_MAGIC, "a member of a Linux RAID");
    let version_0 = (size & !0xffff).checked_sub(0x1_0000);
    look(version_0, MD_MAGIC, "a member of a Linux RAID");
    look(
        size.checked_sub(1024),
        b"Intel Raid ISM Cfg Sig. ",
        "a member of an Intel RAID",
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(bytes: &[u8]) -> Vec<&'static str> {
        find(u64::try_from(bytes.len()).unwrap(), |at, buffer| {
            let at = usize::try_from(at).unwrap();
            buffer.copy_from_slice(&bytes[at..at + buffer.len()]);
            Ok(())
        })
        .unwrap()
    }

    fn with(marks: &[(usize, &[u8])]) -> Vec<&'static str> {
        let mut device = vec![0u8; 1 << 20];
        for (at, bytes) in marks {
            device[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        on(&device)
    }

    #[test]
    fn nothing_is_found_on_zeros_random_data_or_tiny_devices() {
        assert!(with(&[]).is_empty());
        assert!(on(&[]).is_empty());
        assert!(on(&[0u8; 100]).is_empty());
        let mut state = 1u64;
        for _ in 0..20 {
            let random: Vec<u8> = (0..1 << 20)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    state.to_be_bytes()[0]
                })
                .collect();
            assert!(on(&random).is_empty());
        }
    }

    #[test]
    fn every_mark_of_the_table_is_found() {
        for m in MARKS {
            assert_eq!(with(&[(m.at, m.bytes)]), [m.name]);
        }
    }

    #[test]
    fn marks_with_conditions_are_found() {
        const END: usize = 1 << 20;
        type Marks = &'static [(usize, &'static [u8])];
        let cases: &[(Marks, &str)] = &[
            (
                &[(1080, &[0x53, 0xef]), (1048, &[2])],
                "an ext2, ext3 or ext4 file system",
            ),
            (
                &[(512, b"LABELONE"), (536, b"LVM2 001")],
                "an LVM physical volume",
            ),
            (&[(4086, b"SWAPSPACE2")], "swap space"),
            (&[(65526, b"SWAPSPACE2")], "swap space"),
            (&[(135_168, ZFS_LITTLE)], "a member of a ZFS pool"),
            (
                &[(510, &[0x55, 0xaa]), (450, &[0x83]), (459, &[1])],
                "an MBR partition table",
            ),
            (&[(END - 512, b"EFI PART")], "a GPT partition table"),
            (&[(END - 8192, MD_MAGIC)], "a member of a Linux RAID"),
            (&[(END - 65536, MD_MAGIC)], "a member of a Linux RAID"),
        ];
        for (marks, name) in cases {
            assert_eq!(with(marks), [*name]);
        }
    }

    #[test]
    fn a_fat_boot_sector_is_not_taken_for_partitions() {
        let found = with(&[
            (510, &[0x55, 0xaa]),
            (450, &[0x83]),
            (459, &[1]),
            (82, b"FAT32   "),
        ]);
        assert_eq!(found, ["a FAT file system"]);
    }
}
