//! What has to be right beside a short mark, so that it is not found in random data and in patterns.
//!
//! Each check is given what was seen of the device and the offset of the mark. Must never: read more than
//! was seen; what is outside of it is not right.

use super::DeviceEnds;

/// The block size: 1 KiB shifted by 6 at most.
pub(super) fn ext(seen: &DeviceEnds, mark: u64) -> bool {
    seen.le32(mark - 56 + 24).is_some_and(|log| log <= 6)
}

/// The length of the superblock, up to one block, and the block size.
pub(super) fn nilfs2(seen: &DeviceEnds, mark: u64) -> bool {
    let length = seen.le16(mark + 2);
    let log = seen.le32(mark + 14);
    length.is_some_and(|length| (20..=1024).contains(&length)) && log.is_some_and(|log| log <= 6)
}

/// Numbers of inodes and zones that fit the maps for them.
pub(super) fn minix(seen: &DeviceEnds, mark: u64) -> bool {
    const AT: u64 = 1024;
    const MAP_BITS: u64 = 8 << 10;
    let Some(magic) = seen.le16(mark) else {
        return false;
    };
    let swapped = !matches!(magic, 0x137f | 0x138f | 0x2468 | 0x2478 | 0x4d5a);
    let magic = if swapped { magic.swap_bytes() } else { magic };
    let half = |at: u64| {
        let value = if swapped {
            seen.be16(AT + at)
        } else {
            seen.le16(AT + at)
        };
        value.map_or(0, u64::from)
    };
    let whole = |at: u64| {
        let value = if swapped {
            seen.be32(AT + at)
        } else {
            seen.le32(AT + at)
        };
        value.map_or(0, u64::from)
    };
    // Version 3 has its magic elsewhere, and the fields before it moved by two bytes.
    let third = magic == 0x4d5a;
    if third != (mark == AT + 24) {
        return false;
    }
    let by = if third { 2 } else { 0 };
    let inodes = if third { whole(0) } else { half(0) };
    let zones = match magic {
        0x137f | 0x138f => half(2),
        _ => whole(20),
    };
    let (inode_maps, zone_maps) = (half(4 + by), half(6 + by));
    let (first_zone, zone_shift) = (half(8 + by), half(10 + by));
    let state_is_known = third || half(18) & !3 == 0;
    state_is_known
        && zone_shift == 0
        && inodes != 0
        && inodes != u64::from(u32::MAX)
        && inode_maps * MAP_BITS > inodes
        && first_zone <= zones
        && zone_maps * MAP_BITS > zones - first_zone
}

/// The version that goes with the mark.
pub(super) fn hfs_plus(seen: &DeviceEnds, mark: u64) -> bool {
    matches!(seen.be16(mark + 2), Some(4 | 5))
}

/// Blocks of whole sectors.
pub(super) fn hfs(seen: &DeviceEnds, mark: u64) -> bool {
    let size = seen.be32(mark + 20);
    size.is_some_and(|size| size != 0 && size % 512 == 0)
}

/// A jump at the start, and sizes a FAT can have: very old ones have no name in them.
pub(super) fn fat(seen: &DeviceEnds, _: u64) -> bool {
    let jump = matches!(seen.byte(0), Some(0xeb | 0xe9));
    let sector = seen.le16(11).unwrap_or(0);
    let cluster = seen.byte(13).unwrap_or(0);
    let reserved = seen.le16(14).unwrap_or(0);
    let tables = seen.byte(16).unwrap_or(0);
    let media = seen.byte(21).unwrap_or(0);
    jump && matches!(sector, 512 | 1024 | 2048 | 4096)
        && cluster.is_power_of_two()
        && reserved != 0
        && (1..=4).contains(&tables)
        && (media == 0xf0 || media >= 0xf8)
}

/// What kind of label it is.
pub(super) fn lvm2(seen: &DeviceEnds, mark: u64) -> bool {
    seen.has(mark + 24, b"LVM2 001")
}

/// The version.
pub(super) fn lvm1(seen: &DeviceEnds, mark: u64) -> bool {
    matches!(seen.le16(mark + 2), Some(1 | 2))
}

/// The version, and how its sums are made.
pub(super) fn core_storage(seen: &DeviceEnds, mark: u64) -> bool {
    seen.le16(8) == Some(1) && seen.le32(mark + 2) == Some(1)
}

/// Its words sum up to nothing, and the level is one there is.
pub(super) fn jmicron(seen: &DeviceEnds, mark: u64) -> bool {
    let level_is_known = seen.byte(mark + 0x30).is_some_and(|level| level <= 5);
    level_is_known && matches!(seen.sum16(mark, 64), Some(0 | 1))
}

/// The version, and the checksum over all before it.
pub(super) fn via(seen: &DeviceEnds, mark: u64) -> bool {
    let sum = seen.bytes(mark, 50).map(|bytes| {
        let add = |sum: u8, byte: &u8| sum.wrapping_add(*byte);
        bytes.iter().fold(0, add)
    });
    seen.byte(mark + 2).is_some_and(|version| version <= 2) && sum == seen.byte(mark + 50)
}

/// The disk's number, and the checksum.
pub(super) fn silicon(seen: &DeviceEnds, mark: u64) -> bool {
    let sector = mark - 0x60;
    let number_fits = seen.byte(sector + 0x116).is_some_and(|number| number < 8);
    let sum = seen.sum16(sector, 0x13e / 2).map(u16::wrapping_neg);
    number_fits && sum.is_some() && sum == seen.le16(sector + 0x13e)
}

/// All words of the label together are even in each bit.
pub(super) fn sun(seen: &DeviceEnds, _: u64) -> bool {
    let label = seen.bytes(0, 512);
    label.is_some_and(|label| {
        let pairs = label.chunks_exact(2);
        let mixed = pairs.fold((0, 0), |mixed, pair| (mixed.0 ^ pair[0], mixed.1 ^ pair[1]));
        // A pattern of two bytes over and over is no label.
        mixed == (0, 0) && label.iter().any(|byte| *byte != 0xda && *byte != 0xbe)
    })
}

/// The map that follows after one block.
pub(super) fn mac(seen: &DeviceEnds, mark: u64) -> bool {
    let block = seen.be16(mark + 2).unwrap_or(0);
    let map = u64::from(block);
    block >= 136 && (seen.has(map, b"PM") || seen.has(map, b"TS"))
}

/// An entry in use that is on the disk.
pub(super) fn atari(seen: &DeviceEnds, mark: u64) -> bool {
    let in_use = seen.byte(mark - 1).is_some_and(|flags| flags & 1 == 1);
    let sectors = seen.be32(0x1c2).map_or(0, u64::from);
    let start = seen.be32(mark + 3).map_or(0, u64::from);
    let length = seen.be32(mark + 7).map_or(0, u64::from);
    in_use
        && (2..=seen.size / 512).contains(&sectors)
        && start != 0
        && length != 0
        && start + length <= sectors
}
