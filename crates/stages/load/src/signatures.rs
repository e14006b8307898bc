//! What a device holds, told by the magic bytes of file systems, arrays, volume managers and partition tables.
//!
//! Offsets and bytes are those of the formats' own headers, as collected in util-linux, libblkid/src/superblocks and
//! libblkid/src/partitions. The table errs to the safe side: one magic is enough, checksums are not asked for.

use host::files::DataFile;

/// Where magic bytes are.
#[derive(Clone, Copy)]
enum At {
    /// From the start.
    Head(u64),
    /// From the start, at one of several places.
    Heads(&'static [u64]),
    /// From the end.
    Tail(u64),
    /// The md 1.0 superblock: 8 KiB from the end, down to a multiple of 4 KiB.
    Md1Tail,
    /// The md 0.9 superblock: the last whole 64 KiB.
    Md09Tail,
}

use At::{Head, Heads, Md1Tail, Md09Tail, Tail};

/// The label is in one of the first four sectors.
const LVM2: At = Heads(&[0, 512, 1024, 1536]);
/// The second header follows the first, whose size is a power of two.
const LUKS2_SECOND: At = Heads(&[
    0x4000, 0x8000, 0x1_0000, 0x2_0000, 0x4_0000, 0x8_0000, 0x10_0000, 0x20_0000, 0x40_0000,
]);
/// The swap header is at the end of the first page, whatever the page size of the machine that made it.
const PAGE_END: At = Heads(&[0xff6, 0x1ff6, 0x3ff6, 0x7ff6, 0xfff6]);

/// What, where, and the bytes. The first match is reported, so what says most comes first.
const MAGICS: &[(&str, At, &[u8])] = &[
    ("LUKS", Head(0), b"LUKS\xba\xbe"),
    ("LUKS", LUKS2_SECOND, b"SKUL\xba\xbe"),
    ("BitLocker", Head(3), b"-FVE-FS-"),
    ("an LVM2 physical volume", LVM2, b"LABELONE"),
    ("a Linux RAID member", Head(0), &[0xfc, 0x4e, 0x2b, 0xa9]),
    ("a Linux RAID member", Head(4096), &[0xfc, 0x4e, 0x2b, 0xa9]),
    ("a Linux RAID member", Md1Tail, &[0xfc, 0x4e, 0x2b, 0xa9]),
    ("a Linux RAID member", Md09Tail, &[0xfc, 0x4e, 0x2b, 0xa9]),
    ("a Linux RAID member", Md09Tail, &[0xa9, 0x2b, 0x4e, 0xfc]),
    (
        "an Intel RAID member",
        Tail(1024),
        b"Intel Raid ISM Cfg Sig. ",
    ),
    ("a DDF RAID member", Tail(512), &[0xde, 0x11, 0xde, 0x11]),
    ("an LSI RAID member", Tail(512), b"$XIDE$"),
    ("an NVIDIA RAID member", Tail(1024), b"NVIDIA"),
    // 8.3 and 8.4, an unclean 8.4, and 9: the magic is 60 bytes into the last 4 KiB.
    (
        "a DRBD backing device",
        Tail(4036),
        &[0x83, 0x74, 0x02, 0x6b],
    ),
    (
        "a DRBD backing device",
        Tail(4036),
        &[0x83, 0x74, 0x02, 0x6c],
    ),
    (
        "a DRBD backing device",
        Tail(4036),
        &[0x83, 0x74, 0x02, 0x6d],
    ),
    ("a Ceph OSD (BlueStore)", Head(0), b"bluestore block device"),
    (
        "a Stratis pool",
        Heads(&[0x204, 0x1204]),
        b"!Stra0tis\x86\xff\x02^\x41rh",
    ),
    ("VDO", Head(0), b"dmvdo001"),
    ("dm-integrity", Head(0), b"integrt\0"),
    ("dm-verity", Head(0), b"verity\0\0"),
    (
        "VMware VMFS",
        Heads(&[0x10_0000]),
        &[0x0d, 0xd0, 0x01, 0xc0],
    ),
    ("an Oracle ASM disk", Head(32), b"ORCLDISK"),
    (
        "bcache",
        Head(4120),
        b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
    ),
    (
        "bcachefs",
        Head(4120),
        b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef",
    ),
    ("ext2, ext3 or ext4", Head(1080), &[0x53, 0xef]),
    ("XFS", Head(0), b"XFSB"),
    ("btrfs", Head(0x10040), b"_BHRfS_M"),
    ("f2fs", Head(1024), &[0x10, 0x20, 0xf5, 0xf2]),
    ("EROFS", Head(1024), &[0xe2, 0xe1, 0xf5, 0xe0]),
    // The revision and the magic: the magic alone is two equal bytes.
    ("NILFS2", Head(1024), &[2, 0, 0, 0, 0, 0, 0x34, 0x34]),
    ("GFS2", Head(0x10000), &[0x01, 0x16, 0x19, 0x70]),
    ("OCFS2", Head(0x2000), b"OCFSV2"),
    ("JFS", Head(0x8000), b"JFS1"),
    ("ReiserFS", Head(0x10034), b"ReIsEr"),
    ("APFS", Head(32), b"NXSB"),
    ("HFS+", Head(1024), b"H+\0\x04"),
    ("HFS+", Head(1024), b"HX\0\x05"),
    ("UDF", Head(0x8001), b"BEA01"),
    ("ISO 9660", Head(0x8001), b"CD001"),
    ("squashfs", Head(0), b"hsqs"),
    ("swap space", PAGE_END, b"SWAPSPACE2"),
    ("swap space", PAGE_END, b"SWAP-SPACE"),
    // Hibernation replaces the swap magic: the memory of a machine that will want it back.
    ("a hibernated system", PAGE_END, b"S1SUSPEND"),
    ("a hibernated system", PAGE_END, b"S2SUSPEND"),
    ("a hibernated system", PAGE_END, b"ULSUSPEND"),
    ("a hibernated system", PAGE_END, b"LINHIB0001"),
    ("NTFS", Head(3), b"NTFS    "),
    ("ReFS", Head(0), b"\0\0\0ReFS\0"),
    ("exFAT", Head(3), b"EXFAT   "),
    ("FAT", Head(54), b"FAT1"),
    ("FAT", Head(82), b"FAT32   "),
    ("a GPT partition table", Heads(&[512, 4096]), b"EFI PART"),
    (
        "a GPT partition table (its copy at the end)",
        Tail(512),
        b"EFI PART",
    ),
    (
        "a GPT partition table (its copy at the end)",
        Tail(4096),
        b"EFI PART",
    ),
    (
        "an MBR partition table or a boot sector",
        Head(510),
        &[0x55, 0xaa],
    ),
];

/// A ZFS label: four of them, two at each end, each with a ring of uberblocks in its second half.
const ZFS_LABEL: u64 = 256 << 10;
const ZFS_MAGIC: u64 = 0x00ba_b10c;

/// What a device holds and at which byte that shows; none when no signature is known.
pub fn find(device: &DataFile) -> std::io::Result<Option<(String, u64)>> {
    for (what, at, magic) in MAGICS {
        let mut bytes = vec![0; magic.len()];
        for offset in places(*at, device.bytes()) {
            if read_whole(device, &mut bytes, offset)? && bytes == *magic {
                return Ok(Some(((*what).into(), offset)));
            }
        }
    }
    zfs(device)
}

fn places(at: At, size: u64) -> Vec<u64> {
    match at {
        Head(offset) => vec![offset],
        Heads(offsets) => offsets.to_vec(),
        Tail(distance) => Vec::from_iter(size.checked_sub(distance)),
        Md1Tail => Vec::from_iter(size.checked_sub(8192).map(|offset| offset & !4095)),
        Md09Tail => Vec::from_iter((size & !65_535).checked_sub(65_536)),
    }
}

fn zfs(device: &DataFile) -> std::io::Result<Option<(String, u64)>> {
    let end = device.bytes() & !(ZFS_LABEL - 1);
    let labels = [
        Some(0),
        Some(ZFS_LABEL),
        end.checked_sub(2 * ZFS_LABEL),
        end.checked_sub(ZFS_LABEL),
    ];
    let mut ring = vec![0; ZFS_LABEL as usize / 2];
    for label in labels.into_iter().flatten() {
        let offset = label + ZFS_LABEL / 2;
        if !read_whole(device, &mut ring, offset)? {
            continue;
        }
        let (words, _) = ring.as_chunks::<8>();
        let slot = words.iter().step_by(128).position(|word| {
            u64::from_le_bytes(*word) == ZFS_MAGIC || u64::from_be_bytes(*word) == ZFS_MAGIC
        });
        if let Some(slot) = slot {
            return Ok(Some(("ZFS".into(), offset + slot as u64 * 1024)));
        }
    }
    Ok(None)
}

/// Fills a buffer; false where the device ends before it is full.
fn read_whole(device: &DataFile, buffer: &mut [u8], offset: u64) -> std::io::Result<bool> {
    let mut done = 0;
    while done < buffer.len() {
        match device.read_at(&mut buffer[done..], offset + done as u64)? {
            0 => return Ok(false),
            count => done += count,
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::files::{Access, temporary_dir};

    #[test]
    fn every_magic_is_found_where_it_belongs() {
        let dir = temporary_dir("signatures").unwrap();
        let path = dir.path().join("image");
        let size = (4 << 20) + 12_288;
        let write = Access {
            write: true,
            ..Access::default()
        };
        let all = MAGICS.iter().flat_map(|(what, at, magic)| {
            places(*at, size)
                .into_iter()
                .map(move |offset| (what, offset, magic))
        });
        for (what, offset, magic) in all {
            host::files::write_atomically(&path, "").unwrap();
            let image = DataFile::open(&path, write).unwrap();
            image.write_at(&[0], size - 1).unwrap();
            let image = DataFile::open(&path, write).unwrap();
            assert_eq!(find(&image).unwrap(), None);
            image.write_at(magic, offset).unwrap();
            assert_eq!(find(&image).unwrap(), Some(((*what).to_string(), offset)));
        }
        let image = DataFile::open(&path, write).unwrap();
        image.write_at(&[0; 4096], 0).unwrap();
        image
            .write_at(&ZFS_MAGIC.to_be_bytes(), (4 << 20) - (128 << 10) + 5 * 1024)
            .unwrap();
        assert_eq!(
            find(&image).unwrap(),
            Some(("ZFS".into(), (4 << 20) - (128 << 10) + 5 * 1024))
        );
    }

    #[test]
    fn a_tiny_device_is_no_trouble() {
        let dir = temporary_dir("signatures").unwrap();
        let path = dir.path().join("image");
        host::files::write_atomically(&path, "XFSB").unwrap();
        let image = DataFile::open(&path, Access::default()).unwrap();
        assert_eq!(find(&image).unwrap(), Some(("XFS".into(), 0)));
    }
}
