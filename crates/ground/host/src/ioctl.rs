//! Questions to block devices and files that only an ioctl answers.
#![allow(unsafe_code, reason = "ioctl has no typed form for these requests")]

use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd};

// Numbers from include/uapi/linux/fs.h and fiemap.h; the same on every architecture that iodyno builds for but those
// with another _IOC layout (mips, powerpc, sparc), which `size_request` allows for by using libc's own where it has them.
const BLKGETSIZE64: libc::Ioctl = 0x8008_1272_u32 as libc::Ioctl;
const BLKSSZGET: libc::Ioctl = 0x1268;
const BLKDISCARD: libc::Ioctl = 0x1277;
const FS_IOC_FIEMAP: libc::Ioctl = 0xC020_660B_u32 as libc::Ioctl;
const FIEMAP_EXTENT_LAST: u32 = 0x1;
const FIEMAP_EXTENT_UNWRITTEN: u32 = 0x800;

/// Size of a block device, bytes.
pub(crate) fn device_bytes(fd: BorrowedFd<'_>) -> std::io::Result<u64> {
    let mut bytes: u64 = 0;
    // SAFETY: BLKGETSIZE64 writes one u64 to the pointer, which is valid for the call.
    let result = unsafe { libc::ioctl(fd.as_raw_fd(), BLKGETSIZE64, &mut bytes) };
    if result < 0 {
        Err(std::io::Error::last_os_error())
    } else {
        Ok(bytes)
    }
}

/// Logical block size of a block device, bytes.
pub(crate) fn logical_block_bytes(fd: BorrowedFd<'_>) -> std::io::Result<u32> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: BLKSSZGET writes one int to the pointer, which is valid for the call.
    let result = unsafe { libc::ioctl(fd.as_raw_fd(), BLKSSZGET, &mut bytes) };
    if result < 0 {
        Err(std::io::Error::last_os_error())
    } else {
        Ok(bytes as u32)
    }
}

/// Discards a range of a block device.
pub(crate) fn discard(fd: BorrowedFd<'_>, offset: u64, length: u64) -> std::io::Result<()> {
    let range = [offset, length];
    // SAFETY: BLKDISCARD reads two u64 from the pointer, which is valid for the call.
    let result = unsafe { libc::ioctl(fd.as_raw_fd(), BLKDISCARD, &range) };
    if result < 0 {
        Err(std::io::Error::last_os_error())
    } else {
        Ok(())
    }
}

#[repr(C)]
struct FiemapExtent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

#[repr(C)]
struct Fiemap {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
    extents: [FiemapExtent; 64],
}

/// Bytes of the first `length` of a file that hold data written before: not holes, not preallocated extents, which
/// the kernel answers from memory. None where the file system cannot tell.
pub(crate) fn written_bytes(fd: BorrowedFd<'_>, length: u64) -> Option<u64> {
    let mut written = 0u64;
    each_written(fd, length, |range| written += range.end - range.start)?;
    Some(written)
}

/// The ranges of the first `length` that hold no data: holes and preallocated extents. None where the file system cannot
/// tell.
pub(crate) fn unwritten_ranges(fd: BorrowedFd<'_>, length: u64) -> Option<Vec<Range<u64>>> {
    let (mut ranges, mut end) = (Vec::new(), 0u64);
    each_written(fd, length, |range| {
        if range.start > end {
            ranges.push(end..range.start);
        }
        end = end.max(range.end);
    })?;
    if end < length {
        ranges.push(end..length);
    }
    Some(ranges)
}

/// Gives each written extent of the first `length` bytes, in order.
fn each_written(fd: BorrowedFd<'_>, length: u64, mut give: impl FnMut(Range<u64>)) -> Option<()> {
    let mut start = 0u64;
    while start < length {
        // SAFETY: Fiemap is plain data of integers, for which all-zero is a valid value.
        let mut map: Fiemap = unsafe { std::mem::zeroed() };
        map.start = start;
        map.length = length - start;
        map.extent_count = map.extents.len() as u32;
        // SAFETY: FS_IOC_FIEMAP writes at most `extent_count` extents after the header; both lie inside `map`.
        if unsafe { libc::ioctl(fd.as_raw_fd(), FS_IOC_FIEMAP, &mut map) } < 0 {
            return None;
        }
        let extents = &map.extents[..(map.mapped_extents as usize).min(map.extents.len())];
        for extent in extents {
            let (first, end) = (extent.logical.max(start), extent.logical + extent.length);
            if extent.flags & FIEMAP_EXTENT_UNWRITTEN == 0 && first < end.min(length) {
                give(first..end.min(length));
            }
        }
        match extents.last() {
            Some(last) if last.flags & FIEMAP_EXTENT_LAST == 0 => {
                start = last.logical + last.length
            }
            _ => break,
        }
    }
    Some(())
}
