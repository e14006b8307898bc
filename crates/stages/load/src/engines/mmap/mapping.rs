//! A file in memory, shared with the kernel and with whoever else has it mapped.

use super::bus;
use host::files::DataFile;
use std::io::{Error, Result};
use std::os::fd::{AsFd, AsRawFd};

/// A whole file, unmapped when dropped.
pub struct Mapping {
    base: *mut u8,
    bytes: usize,
}

// SAFETY: the mapping belongs to no thread; whoever has the value may use and drop it.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps all of a file that is not empty.
    pub fn new(file: &DataFile, can_write: bool) -> Result<Mapping> {
        let bytes =
            usize::try_from(file.bytes()).map_err(|_| Error::from_raw_os_error(libc::EOVERFLOW))?;
        let protection = libc::PROT_READ | if can_write { libc::PROT_WRITE } else { 0 };
        let fd = file.as_fd().as_raw_fd();
        // SAFETY: a new mapping at a place that the kernel chooses touches no memory in use.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                protection,
                libc::MAP_SHARED,
                fd,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(Error::last_os_error());
        }
        Ok(Mapping {
            base: base.cast(),
            bytes,
        })
    }

    /// Where a range begins; none where it is not inside.
    fn at(&self, offset: u64, length: usize) -> Option<*mut u8> {
        let end = offset.checked_add(length as u64)?;
        (end <= self.bytes as u64).then(|| self.base.wrapping_add(offset as usize))
    }

    /// Copies a range out; whether all of it could be had.
    pub fn read(&self, offset: u64, block: &mut [u8]) -> bool {
        let Some(from) = self.at(offset, block.len()) else {
            return false;
        };
        bus::guarded(self.base as usize, self.bytes, || {
            // SAFETY: `at` has seen that the range lies inside the mapping, which is readable as long as `self` lives;
            // `block` is other memory. Bytes that somebody changes meanwhile are as undefined as a torn read of the
            // file is: they are data, nothing depends on them. A page that cannot be had is what `guarded` is for.
            unsafe { std::ptr::copy_nonoverlapping(from, block.as_mut_ptr(), block.len()) }
        })
    }

    /// Copies a range in; whether all of it could be had.
    pub fn write(&mut self, offset: u64, block: &[u8]) -> bool {
        let Some(to) = self.at(offset, block.len()) else {
            return false;
        };
        bus::guarded(self.base as usize, self.bytes, || {
            // SAFETY: as in `read`; the mapping is writable, since only jobs that write come here.
            unsafe { std::ptr::copy_nonoverlapping(block.as_ptr(), to, block.len()) }
        })
    }

    /// Waits until the pages of a range are on the device; the error is an errno.
    pub fn sync(&self, offset: u64, length: usize) -> std::result::Result<(), i32> {
        // The address that msync takes must be that of a page, and pages have 16 or 64 KiB on some machines.
        let page = host::rights::page_bytes();
        let start = offset / page * page;
        let length = length + (offset - start) as usize;
        let from = self.at(start, length).ok_or(libc::EINVAL)?;
        // SAFETY: the range lies inside the mapping; msync changes no memory.
        match unsafe { libc::msync(from.cast(), length, libc::MS_SYNC) } {
            0 => Ok(()),
            _ => Err(Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)),
        }
    }

    /// Waits until all pages are on the device.
    pub fn sync_all(&self) -> std::result::Result<(), i32> {
        self.sync(0, self.bytes)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: base and length are those of `mmap`, and nothing refers to the memory any more.
        unsafe { libc::munmap(self.base.cast(), self.bytes) };
    }
}
