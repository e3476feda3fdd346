//! Table: marks that file systems, partition tables, RAID, volume managers and encryption leave on a device:
//! where they lie, what they look like, whose they are.
//!
//! Facts only, read from the formats themselves; what a mark of two bytes needs beside it to be distinguished from
//! chance is in `checks`. Must never: look at a device.

use super::DeviceEnds;
use super::checks;

/// Where a mark is; offsets in bytes.
#[derive(Clone, Copy)]
pub(super) enum MarkOffset {
    /// From the start.
    At(u64),
    /// This many whole sectors of 512 bytes before the end, and this many bytes into that sector.
    End(u64, u64),
    /// The same with sectors of 4096 bytes.
    End4k(u64, u64),
    /// Where Linux RAID of version 0.90 has its superblock: the last whole 64 KiB but one.
    Md090,
    /// Where Linux RAID of version 1.0 has it: 8 KiB before the end, rounded down to 4 KiB.
    Md10,
}

/// Marks that mean the same: any of the words at any of the places, when the check agrees.
pub(super) struct Mark {
    /// Where to look.
    pub(super) places: &'static [MarkOffset],
    /// What to look for.
    pub(super) words: &'static [&'static [u8]],
    /// Whose it is, with its article.
    pub(super) name: &'static str,
    /// What else has to be right, given the mark's offset; long marks stand for themselves.
    pub(super) check: Option<fn(&DeviceEnds, u64) -> bool>,
}

use MarkOffset::{At, End, End4k, Md10, Md090};

const fn mark(
    places: &'static [MarkOffset],
    words: &'static [&'static [u8]],
    name: &'static str,
) -> Mark {
    Mark {
        places,
        words,
        name,
        check: None,
    }
}

const fn checked(
    places: &'static [MarkOffset],
    words: &'static [&'static [u8]],
    name: &'static str,
    check: fn(&DeviceEnds, u64) -> bool,
) -> Mark {
    Mark {
        places,
        words,
        name,
        check: Some(check),
    }
}

const START: &[MarkOffset] = &[At(0)];
const KIB: &[MarkOffset] = &[At(1024)];
/// The last ten bytes of a first page that may have 4, 8, 16, 32 or 64 KiB.
const PAGE_END: &[MarkOffset] = &[At(0xff6), At(0x1ff6), At(0x3ff6), At(0x7ff6), At(0xfff6)];
const BCACHE: &[u8] = &[
    0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d, 0x81,
];
const BCACHEFS: &[u8] = &[
    0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9, 0xd9, 0x6a, 0x60, 0xcf, 0x80, 0x3d, 0xf7, 0xef,
];
/// Linux RAID, in the order of bytes of the machine that made it.
const MD: &[&[u8]] = &[&[0xfc, 0x4e, 0x2b, 0xa9], &[0xa9, 0x2b, 0x4e, 0xfc]];

/// All marks at places that are known beforehand.
pub(super) const MARKS: &[Mark] = &[
    // File systems of Linux.
    checked(
        &[At(1080)],
        &[&[0x53, 0xef]],
        "an ext2, ext3 or ext4 file system",
        checks::ext,
    ),
    mark(START, &[b"XFSB"], "an xfs file system"),
    mark(START, &[b"EXFS"], "an exfs file system"),
    mark(&[At(0x1_0040)], &[b"_BHRfS_M"], "a btrfs file system"),
    mark(KIB, &[&[0x10, 0x20, 0xf5, 0xf2]], "an f2fs file system"),
    mark(KIB, &[&[0xe2, 0xe1, 0xf5, 0xe0]], "an erofs file system"),
    mark(START, &[b"hsqs", b"sqsh"], "a squashfs file system"),
    mark(
        START,
        &[&[0x45, 0x3d, 0xcd, 0x28], &[0x28, 0xcd, 0x3d, 0x45]],
        "a cramfs file system",
    ),
    mark(START, &[b"-rom1fs-"], "a romfs file system"),
    mark(START, &[b"SFOZ"], "a zonefs file system"),
    mark(START, &[&[0x31, 0x18, 0x10, 0x06]], "a ubifs file system"),
    mark(START, &[b"UBI#"], "a UBI volume"),
    checked(
        &[At(1030), End(8, 6)],
        &[&[0x34, 0x34]],
        "a nilfs2 file system",
        checks::nilfs2,
    ),
    mark(
        &[At(0x2034), At(0x2014), At(0x1_0034)],
        &[b"ReIsErFs", b"ReIsEr2Fs", b"ReIsEr3Fs"],
        "a reiserfs file system",
    ),
    mark(&[At(0x1_0000)], &[b"ReIsEr4"], "a reiser4 file system"),
    mark(&[At(0x8000)], &[b"JFS1"], "a jfs file system"),
    mark(&[At(0x1018)], &[BCACHEFS], "a bcachefs file system"),
    mark(START, &[b"mpoolDev"], "an mpool device"),
    // File systems that several hosts may have mounted.
    mark(
        &[At(1024), At(2048), At(4096), At(8192)],
        &[b"OCFSV2"],
        "an OCFS2 file system",
    ),
    mark(&[At(8192)], &[b"OracleCFS"], "an OCFS file system"),
    mark(
        &[At(0x1_0000)],
        &[&[0x01, 0x16, 0x19, 0x70]],
        "a gfs or gfs2 file system",
    ),
    mark(
        &[At(2 << 20)],
        &[&[0x5e, 0xf1, 0xab, 0x2f]],
        "a VMFS file system",
    ),
    mark(
        &[At(1 << 20)],
        &[&[0x0d, 0xd0, 0x01, 0xc0]],
        "a member of a VMFS volume",
    ),
    mark(KIB, &[&[0xf5, 0xfc, 0x01, 0xa5]], "a VxFS file system"),
    mark(
        &[At(8192)],
        &[&[0xa5, 0x01, 0xfc, 0xf5]],
        "a VxFS file system",
    ),
    mark(&[At(32)], &[b"ORCLDISK"], "an Oracle ASM disk"),
    mark(
        START,
        &[b"bluestore block device"],
        "a Ceph OSD (bluestore)",
    ),
    mark(
        &[At(0x1_0004)],
        &[&[0x8b, 0x42, 0x3c, 0x10]],
        "a ScoutFS device",
    ),
    // File systems of others.
    mark(
        &[At(54)],
        &[b"FAT12   ", b"FAT16   ", b"FAT     ", b"MSDOS"],
        "a FAT file system",
    ),
    mark(&[At(82)], &[b"FAT32   ", b"MSWIN"], "a FAT file system"),
    checked(
        &[At(510)],
        &[&[0x55, 0xaa]],
        "a FAT file system",
        checks::fat,
    ),
    mark(&[At(3)], &[b"NTFS    "], "an NTFS file system"),
    mark(&[At(3)], &[b"\0\0ReFS\0"], "a ReFS file system"),
    mark(&[At(3)], &[b"EXFAT   "], "an exFAT file system"),
    mark(&[At(3)], &[b"-FVE-FS-"], "a BitLocker volume"),
    mark(
        START,
        &[b"\xeb\x58\x90MSWIN4.1"],
        "a FAT file system or BitLocker volume",
    ),
    mark(
        &[At(0x8001), At(0x8009)],
        &[b"CD001", b"CDROM"],
        "an ISO 9660 file system",
    ),
    mark(
        &[At(0x8001)],
        &[b"BEA01", b"BOOT2", b"CDW02", b"NSR02", b"NSR03", b"TEA01"],
        "a UDF file system",
    ),
    checked(
        KIB,
        &[b"H+", b"HX"],
        "an HFS+ file system",
        checks::hfs_plus,
    ),
    checked(KIB, &[b"BD"], "an HFS file system", checks::hfs),
    mark(&[At(32)], &[b"NXSB"], "an APFS container"),
    mark(
        &[
            At(1372),
            At((8 << 10) + 1372),
            At((64 << 10) + 1372),
            At((256 << 10) + 1372),
        ],
        &[
            &[0x19, 0x01, 0x54, 0x19],
            &[0x19, 0x54, 0x01, 0x19],
            &[0x54, 0x19, 0x01, 0x00],
            &[0x00, 0x01, 0x19, 0x54],
            &[0x12, 0x56, 0x19, 0x00],
            &[0x00, 0x19, 0x56, 0x12],
            &[0x14, 0x50, 0x09, 0x00],
            &[0x00, 0x09, 0x50, 0x14],
            &[0x95, 0x21, 0x61, 0x00],
            &[0x00, 0x61, 0x21, 0x95],
            &[0x94, 0x19, 0x23, 0x05],
            &[0x05, 0x23, 0x19, 0x94],
        ],
        "a UFS file system",
    ),
    checked(
        &[At(1040), At(1048)],
        &[
            &[0x7f, 0x13],
            &[0x8f, 0x13],
            &[0x68, 0x24],
            &[0x78, 0x24],
            &[0x13, 0x7f],
            &[0x13, 0x8f],
            &[0x24, 0x68],
            &[0x24, 0x78],
            &[0x5a, 0x4d],
            &[0x4d, 0x5a],
        ],
        "a minix file system",
        checks::minix,
    ),
    mark(START, &[&[0xce, 0xfa, 0xad, 0x1b]], "a bfs file system"),
    mark(
        &[At(0x20), At(0x220)],
        &[b"BFS1", b"1SFB"],
        "a BeFS file system",
    ),
    mark(
        &[At(0x2000)],
        &[&[0x49, 0xe8, 0x95, 0xf9]],
        "an HPFS file system",
    ),
    mark(
        &[
            At(1016),
            At((9 << 10) + 1016),
            At((15 << 10) + 1016),
            At((18 << 10) + 1016),
        ],
        &[&[0x20, 0x7e, 0x18, 0xfd], &[0xfd, 0x18, 0x7e, 0x20]],
        "a System V file system",
    ),
    mark(
        &[At(2040)],
        &[&[0x44, 0x55, 0x2b, 0x00], &[0x00, 0x2b, 0x55, 0x44]],
        "a Xenix file system",
    ),
    mark(
        &[At(2048)],
        &[&[0x44, 0x55, 0x2b, 0x00], &[0x2b, 0x55, 0x44, 0x00]],
        "a Xenix file system",
    ),
    mark(&[At(4096)], &[b"SPB5"], "a NetWare file system"),
    // Swap.
    mark(
        PAGE_END,
        &[
            b"SWAPSPACE2",
            b"SWAP-SPACE",
            b"S1SUSPEND",
            b"S2SUSPEND",
            b"ULSUSPEND",
            b"LINHIB0001",
        ],
        "swap space",
    ),
    mark(
        START,
        &[&[0xed, 0xc3, 0x02, 0xe9, 0x98, 0x56, 0xe5, 0x0c]],
        "swap space (TuxOnIce)",
    ),
    // Encryption, integrity, volume managers.
    mark(START, &[b"LUKS\xba\xbe"], "LUKS encryption"),
    mark(
        &[
            At(0x4000),
            At(0x8000),
            At(0x1_0000),
            At(0x2_0000),
            At(0x4_0000),
            At(0x8_0000),
            At(0x10_0000),
            At(0x20_0000),
            At(0x40_0000),
        ],
        &[b"SKUL\xba\xbe"],
        "LUKS encryption",
    ),
    mark(START, &[b"verity\0\0"], "a dm-verity hash tree"),
    mark(START, &[b"integrt\0"], "a dm-integrity device"),
    mark(START, &[b"SnAp"], "a dm-snapshot store"),
    mark(START, &[b"dmvdo001"], "a VDO volume"),
    mark(
        &[At(516), At(4612)],
        &[b"!Stra0tis\x86\xff\x02^\x41rh"],
        "a Stratis pool's member",
    ),
    checked(
        &[At(0), At(512), At(1024), At(1536)],
        &[b"LABELONE"],
        "an LVM physical volume",
        checks::lvm2,
    ),
    checked(START, &[b"HM"], "an LVM1 physical volume", checks::lvm1),
    mark(&[At(0x1018)], &[BCACHE], "a bcache device"),
    mark(
        &[End(8, 60), End4k(1, 60), At(60)],
        &[
            &[0x83, 0x74, 0x02, 0x6b],
            &[0x83, 0x74, 0x02, 0x6c],
            &[0x83, 0x74, 0x02, 0x6d],
        ],
        "a DRBD device",
    ),
    mark(START, &[b"$DRBDmgr=q"], "a DRBD control volume"),
    mark(START, &[b"DRBDdlh*"], "a DRBD proxy's log"),
    checked(
        &[At(88)],
        &[b"CS"],
        "an Apple Core Storage volume",
        checks::core_storage,
    ),
    // RAID.
    mark(
        &[At(0), At(0x1000), Md090, Md10],
        MD,
        "a member of a Linux RAID",
    ),
    mark(
        &[End(1, 0), End(257, 0)],
        &[&[0xde, 0x11, 0xde, 0x11], &[0x11, 0xde, 0x11, 0xde]],
        "a member of a DDF RAID",
    ),
    mark(
        &[End(2, 0), End4k(2, 0)],
        &[b"Intel Raid ISM Cfg Sig. "],
        "a member of an Intel RAID",
    ),
    mark(
        &[End(1, 0)],
        &[&[0x37, 0xfc, 0x4d, 0x1e]],
        "a member of an Adaptec RAID",
    ),
    mark(&[End(1, 0)], &[b"$XIDE$"], "a member of an LSI RAID"),
    mark(&[End(2, 0)], &[b"NVIDIA"], "a member of an NVIDIA RAID"),
    checked(
        &[End(1, 0)],
        &[b"JM"],
        "a member of a JMicron RAID",
        checks::jmicron,
    ),
    checked(
        &[End(1, 0)],
        &[&[0x55, 0xaa]],
        "a member of a VIA RAID",
        checks::via,
    ),
    checked(
        &[End(1, 0x60)],
        &[&[0, 0, 0, 0x2f]],
        "a member of a Silicon Image RAID",
        checks::silicon,
    ),
    mark(
        &[At(4640)],
        &[&[0xf0, 0x16, 0x78, 0x5a], &[0xfd, 0x16, 0x78, 0x5a]],
        "a member of a HighPoint RAID",
    ),
    mark(
        &[End(11, 0)],
        &[&[0xf3, 0x16, 0x78, 0x5a], &[0xfd, 0x16, 0x78, 0x5a]],
        "a member of a HighPoint RAID",
    ),
    mark(
        &[
            End(63, 0),
            End(255, 0),
            End(256, 0),
            End(16, 0),
            End(399, 0),
            End(591, 0),
            End(675, 0),
            End(735, 0),
            End(911, 0),
            End(974, 0),
            End(991, 0),
            End(951, 0),
            End(3087, 0),
        ],
        &[b"Promise Technology, Inc."],
        "a member of a Promise RAID",
    ),
    // Partition tables.
    mark(
        &[At(512), At(4096), End(1, 0), End4k(1, 0)],
        &[b"EFI PART"],
        "a GPT partition table",
    ),
    mark(
        &[At(64), At(128), At(512)],
        &[&[0x57, 0x45, 0x56, 0x82]],
        "a BSD disk label",
    ),
    checked(
        &[At(508)],
        &[&[0xda, 0xbe]],
        "a Sun disk label",
        checks::sun,
    ),
    mark(START, &[&[0x0b, 0xe5, 0xa9, 0x41]], "an SGI disk label"),
    checked(START, &[b"ER"], "a Mac partition table", checks::mac),
    mark(START, &[&[0xc9, 0xc2, 0xd4, 0xc1]], "an AIX disk label"),
    mark(
        &[At(524)],
        &[&[0xee, 0xde, 0x0d, 0x60]],
        "a Solaris partition table",
    ),
    mark(
        &[At(14_852)],
        &[&[0x0d, 0x60, 0xe5, 0xca]],
        "a UnixWare disk label",
    ),
    mark(
        &[At(16_312)],
        &[&[0x57, 0x29, 0x03, 0x00, 0x01, 0, 0, 0]],
        "an Ultrix disk label",
    ),
    mark(
        &[
            At(0),
            At(512),
            At(1024),
            At(1536),
            At(2048),
            At(2560),
            At(3072),
            At(3584),
        ],
        &[b"RDSK\0\0\0"],
        "an Amiga partition table",
    ),
    checked(
        &[At(0x1c7), At(0x1d3), At(0x1df), At(0x1eb)],
        &[b"GEM", b"BGM", b"XGM", b"LNX", b"SWP", b"RAW"],
        "an Atari partition table",
        checks::atari,
    ),
];
