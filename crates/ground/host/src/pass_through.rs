//! Questions to a disk's own firmware: the logs that it keeps about itself. Nothing here writes to a disk.
#![allow(unsafe_code, reason = "ioctl has no typed form for these requests")]

use crate::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

// Numbers from include/uapi/linux/nvme_ioctl.h and include/scsi/sg.h.
const NVME_IOCTL_ADMIN_CMD: libc::Ioctl = 0xC048_4E41_u32 as libc::Ioctl;
const SG_IO: libc::Ioctl = 0x2285;
const SG_DXFER_NONE: i32 = -1;
const SG_DXFER_FROM_DEV: i32 = -3;
/// A disk that takes longer is left alone.
const TIMEOUT_MS: u32 = 5000;
/// All of a controller's namespaces.
const NVME_NSID_ALL: u32 = 0xFFFF_FFFF;
const NVME_GET_LOG_PAGE: u8 = 0x02;
const SCSI_LOG_SENSE: u8 = 0x4D;
const ATA_PASS_THROUGH_16: u8 = 0x85;
const ATA_CHECK_POWER_MODE: u8 = 0xE5;
const ATA_SMART: u8 = 0xB0;
const CHECK_CONDITION: u8 = 0x02;

/// A disk that is asked. Opened without a look at the medium, so that opening wakes nothing by itself; the kernel wakes a
/// disk that it has suspended, which the caller asks sysfs before.
#[derive(Debug)]
pub struct Disk {
    file: File,
    path: PathBuf,
}

/// Power of an ATA disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// Its spindle stands; a further question might start it.
    Standby,
    /// Idle or active.
    Awake,
}

/// `struct nvme_passthru_cmd`.
#[repr(C)]
struct NvmeCommand {
    opcode: u8,
    flags: u8,
    reserved: u16,
    nsid: u32,
    cdw2: u32,
    cdw3: u32,
    metadata: u64,
    addr: u64,
    metadata_len: u32,
    data_len: u32,
    cdw10: u32,
    cdw11_to_15: [u32; 5],
    timeout_ms: u32,
    result: u32,
}

/// `struct sg_io_hdr`.
#[repr(C)]
struct SgHeader {
    interface_id: i32,
    direction: i32,
    command_len: u8,
    sense_len_max: u8,
    iovec_count: u16,
    data_len: u32,
    data: *mut u8,
    command: *const u8,
    sense: *mut u8,
    timeout_ms: u32,
    flags: u32,
    pack_id: i32,
    user: *mut u8,
    status: u8,
    masked_status: u8,
    message_status: u8,
    sense_len: u8,
    host_status: u16,
    driver_status: u16,
    residual: i32,
    duration_ms: u32,
    info: u32,
}

/// What a SCSI command came to.
struct Answer {
    /// Bytes of the buffer that were filled.
    filled: usize,
    status: u8,
    sense: Vec<u8>,
}

impl Disk {
    /// Opens a disk by its device file.
    pub fn open(path: &Path) -> Result<Disk> {
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(path);
        let file = file.map_err(|error| Error::io("open", path, error))?;
        Ok(Disk {
            file,
            path: path.to_path_buf(),
        })
    }

    fn error(&self, action: &'static str, error: impl Into<std::io::Error>) -> Error {
        Error::io(action, &self.path, error)
    }

    /// A log page of an NVMe controller (NVM Express base specification, Get Log Page), 512 bytes. Needs root.
    pub fn nvme_log(&self, page: u8) -> Result<[u8; 512]> {
        let mut log = [0u8; 512];
        let dwords = log.len() as u32 / 4;
        let mut command = NvmeCommand {
            opcode: NVME_GET_LOG_PAGE,
            flags: 0,
            reserved: 0,
            nsid: NVME_NSID_ALL,
            cdw2: 0,
            cdw3: 0,
            metadata: 0,
            addr: log.as_mut_ptr() as u64,
            metadata_len: 0,
            data_len: log.len() as u32,
            cdw10: u32::from(page) | (dwords - 1) << 16,
            cdw11_to_15: [0; 5],
            timeout_ms: TIMEOUT_MS,
            result: 0,
        };
        // SAFETY: the request takes one struct nvme_passthru_cmd, 72 bytes, which is the layout of `command`; the kernel
        // writes at most `data_len` bytes to `addr`, which is `log`, before it returns.
        let status =
            unsafe { libc::ioctl(self.file.as_raw_fd(), NVME_IOCTL_ADMIN_CMD, &mut command) };
        match status {
            0 => Ok(log),
            ..0 => Err(self.error("read the log of", std::io::Error::last_os_error())),
            _ => Err(self.error(
                "read the log of",
                std::io::Error::other(format!("NVMe status {status:#x}")),
            )),
        }
    }

    /// Whether an ATA disk sleeps (CHECK POWER MODE, which does not wake it). Needs root.
    pub fn ata_power(&self) -> Result<Power> {
        let mut command = [0u8; 16];
        command[0] = ATA_PASS_THROUGH_16;
        // No data; the registers come back as sense data.
        command[1] = 3 << 1;
        command[2] = 0x20;
        command[14] = ATA_CHECK_POWER_MODE;
        let answer = self.scsi(&command, &mut [])?;
        let mode = ata_count(&answer.sense).ok_or_else(|| self.refusal(&answer))?;
        Ok(if mode <= 1 {
            Power::Standby
        } else {
            Power::Awake
        })
    }

    /// The SMART attributes of an ATA disk (SMART READ DATA). Needs root.
    pub fn ata_smart(&self) -> Result<[u8; 512]> {
        let mut data = [0u8; 512];
        let mut command = [0u8; 16];
        command[0] = ATA_PASS_THROUGH_16;
        // PIO in, one sector, whose number stands in the count.
        command[1] = 4 << 1;
        command[2] = 0x0E;
        command[4] = 0xD0;
        command[6] = 1;
        // SMART's signature in the address.
        command[10] = 0x4F;
        command[12] = 0xC2;
        command[14] = ATA_SMART;
        let answer = self.scsi(&command, &mut data)?;
        if answer.status != 0 || answer.filled < data.len() {
            return Err(self.refusal(&answer));
        }
        Ok(data)
    }

    /// A log page of a SCSI disk (SPC, LOG SENSE with cumulative values), as far as it fits into 512 bytes.
    pub fn scsi_log(&self, page: u8) -> Result<Vec<u8>> {
        const CUMULATIVE: u8 = 1 << 6;
        let mut data = vec![0u8; 512];
        let mut command = [0u8; 10];
        command[0] = SCSI_LOG_SENSE;
        command[2] = CUMULATIVE | page & 0x3F;
        command[7..9].copy_from_slice(&(data.len() as u16).to_be_bytes());
        let answer = self.scsi(&command, &mut data)?;
        if answer.status != 0 {
            return Err(self.refusal(&answer));
        }
        data.truncate(answer.filled);
        Ok(data)
    }

    fn refusal(&self, answer: &Answer) -> Error {
        let (key, asc, ascq) = sense_codes(&answer.sense).unwrap_or_default();
        let text = format!("the disk refuses (sense key {key:#x}, code {asc:#04x}/{ascq:#04x})");
        self.error("ask", std::io::Error::new(ErrorKind::Unsupported, text))
    }

    /// One SCSI command that reads into `data`.
    fn scsi(&self, command: &[u8], data: &mut [u8]) -> Result<Answer> {
        let mut sense = [0u8; 64];
        let mut header = SgHeader {
            interface_id: i32::from(b'S'),
            direction: if data.is_empty() {
                SG_DXFER_NONE
            } else {
                SG_DXFER_FROM_DEV
            },
            command_len: command.len() as u8,
            sense_len_max: sense.len() as u8,
            iovec_count: 0,
            data_len: data.len() as u32,
            data: data.as_mut_ptr(),
            command: command.as_ptr(),
            sense: sense.as_mut_ptr(),
            timeout_ms: TIMEOUT_MS,
            flags: 0,
            pack_id: 0,
            user: std::ptr::null_mut(),
            status: 0,
            masked_status: 0,
            message_status: 0,
            sense_len: 0,
            host_status: 0,
            driver_status: 0,
            residual: 0,
            duration_ms: 0,
            info: 0,
        };
        // SAFETY: SG_IO takes one struct sg_io_hdr, which is the layout of `header`. The kernel reads `command_len` bytes
        // of `command` and writes at most `data_len` bytes of `data` and `sense_len_max` of `sense`; all three outlive
        // the call, and the kernel keeps none of the pointers: it copies when the command has ended.
        let result = unsafe { libc::ioctl(self.file.as_raw_fd(), SG_IO, &mut header) };
        if result < 0 {
            return Err(self.error("ask", std::io::Error::last_os_error()));
        }
        if header.host_status != 0 || !matches!(header.status, 0 | CHECK_CONDITION) {
            let (host, status) = (header.host_status, header.status);
            let text = format!("the command failed (host status {host:#x}, status {status:#x})");
            return Err(self.error("ask", std::io::Error::other(text)));
        }
        let residual = usize::try_from(header.residual)
            .unwrap_or(0)
            .min(data.len());
        let sense = sense[..usize::from(header.sense_len).min(sense.len())].to_vec();
        Ok(Answer {
            filled: data.len() - residual,
            status: header.status,
            sense,
        })
    }
}

/// Sense key and the two codes, in either of the formats.
fn sense_codes(sense: &[u8]) -> Option<(u8, u8, u8)> {
    match sense.first()? & 0x7F {
        0x70 | 0x71 => Some((sense.get(2)? & 0x0F, *sense.get(12)?, *sense.get(13)?)),
        0x72 | 0x73 => Some((sense.get(1)? & 0x0F, *sense.get(2)?, *sense.get(3)?)),
        _ => None,
    }
}

/// The count register that an ATA command left, out of its sense data (SAT): an ATA status descriptor, or in the fixed
/// format the information field.
fn ata_count(sense: &[u8]) -> Option<u8> {
    const ATA_STATUS_DESCRIPTOR: u8 = 0x09;
    match sense.first()? & 0x7F {
        0x72 | 0x73 => {
            let descriptor = sense.get(8..)?;
            (descriptor.first()? == &ATA_STATUS_DESCRIPTOR).then(|| descriptor.get(5).copied())?
        }
        // Only with the code `ATA pass-through information available` is the field the registers.
        0x70 | 0x71 if sense.get(12..14)? == [0x00, 0x1D] => sense.get(6).copied(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_the_size_of_the_kernel_s() {
        assert_eq!(std::mem::size_of::<NvmeCommand>(), 72);
        #[cfg(target_pointer_width = "64")]
        assert_eq!(std::mem::size_of::<SgHeader>(), 88);
    }

    #[test]
    fn power_modes_of_both_sense_formats() {
        let mut descriptor = vec![
            0x72, 0x01, 0x00, 0x1D, 0, 0, 0, 14, 0x09, 0x0C, 0, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0, 0,
            0x50,
        ];
        assert_eq!(ata_count(&descriptor), Some(0xFF));
        descriptor.truncate(12);
        assert_eq!(ata_count(&descriptor), None);
        let fixed = [0x70, 0, 1, 0, 0x50, 0, 0x00, 10, 0, 0, 0, 0, 0x00, 0x1D];
        assert_eq!(ata_count(&fixed), Some(0));
        let refused = [0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x20, 0x00];
        assert_eq!(
            (ata_count(&refused), sense_codes(&refused)),
            (None, Some((5, 0x20, 0)))
        );
        for length in 0..fixed.len() {
            assert_eq!(ata_count(&fixed[..length]), None);
        }
    }

    #[test]
    fn what_is_no_disk_is_an_error_with_its_path() {
        let error = Disk::open(Path::new("/dev/null"))
            .unwrap()
            .nvme_log(2)
            .unwrap_err();
        assert!(error.to_string().contains("/dev/null"), "{error}");
        let null = Disk::open(Path::new("/dev/null")).unwrap();
        assert!(
            null.ata_power().is_err() && null.ata_smart().is_err() && null.scsi_log(0).is_err()
        );
        assert!(Disk::open(Path::new("/dev/no such disk")).is_err());
    }
}
