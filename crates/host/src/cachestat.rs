//! What of a file the page cache holds (cachestat, Linux 6.5).
#![allow(unsafe_code, reason = "neither libc nor rustix has a typed form of the call")]

use std::os::fd::{AsRawFd, BorrowedFd};

/// The number is the same on every architecture: calls since Linux 5.1 share one table.
const SYS_CACHESTAT: libc::c_long = 451;

#[repr(C)]
struct Range {
    offset: u64,
    length: u64,
}

#[repr(C)]
#[derive(Default)]
struct Stat {
    cache: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// Bytes of a range of a file that are in the page cache and not yet on the device; none where the kernel cannot tell.
pub(crate) fn unwritten_bytes(fd: BorrowedFd<'_>, offset: u64, length: u64) -> Option<u64> {
    let range = Range { offset, length };
    let mut stat = Stat::default();
    // SAFETY: both pointers are valid for the call, which reads one Range and writes one Stat (include/uapi/linux/mman.h:
    // two and five u64). A kernel without the call answers ENOSYS and touches neither.
    let result = unsafe { libc::syscall(SYS_CACHESTAT, fd.as_raw_fd(), &range, &mut stat, 0u32) };
    (result == 0).then(|| (stat.dirty + stat.writeback) * rustix::param::page_size() as u64)
}

#[cfg(test)]
mod tests {
    use crate::files::{Access, DataFile, temporary_dir, write_atomically};

    #[test]
    fn what_was_synced_is_written() {
        let dir = temporary_dir("cachestat").unwrap();
        let path = dir.path().join("file");
        write_atomically(&path, "").unwrap();
        let file = DataFile::open(&path, Access { write: true, ..Access::default() }).unwrap();
        file.write_at(&[1; 1 << 20], 0).unwrap();
        let Some(before) = file.unwritten_bytes(0, 1 << 20) else {
            println!("skipped: this kernel has no cachestat");
            return;
        };
        if file.is_in_memory() {
            println!("skipped: a file in memory is never written out");
            return;
        }
        file.sync().unwrap();
        assert_eq!(file.unwritten_bytes(0, 1 << 20), Some(0), "{before} before");
    }
}
