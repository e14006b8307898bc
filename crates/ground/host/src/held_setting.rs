//! Settings that last as long as a process holds a descriptor open, and go with it, however it ends.
//!
//! There is one: how fast CPUs must wake up, asked for at `/dev/cpu_dma_latency` (Linux `kernel/power/qos.c`, 2.6.32 to
//! 6.18). The kernel takes the least that anybody asks for. So the setting's value here is not the kernel's but what this
//! process asks for: `none`, or a number of µs. Another process reads `none`, and so does `undo` after `kill -9`, when
//! the kernel has closed the descriptor and there is nothing left to put back.

use crate::Host;
use crate::kernel_log::LATENCY;
use model::change::Attribute;
use model::subject::Subject;
use std::fs::File;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The one setting of this kind.
pub(crate) const CPU_LATENCY: &str = "cpu_latency_us";
/// Its value while nothing is asked for.
const NONE: &str = "none";

/// What a host's process holds. Clones are the same one; the last of them lets go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held(Arc<Mutex<Option<Request>>>);

#[derive(Debug)]
struct Request {
    us: u32,
    /// Kept open while the request stands, never read; none on a machine of the tests.
    _file: Option<File>,
}

/// Whether a place is a setting of this kind.
pub(crate) fn is_held(place: &str) -> bool {
    matches!(
        Subject::of_path(place),
        Some((Subject::CpuLatency, CPU_LATENCY))
    )
}

impl Held {
    /// What this process asks for; absent where the kernel takes no such request.
    pub(crate) fn read(&self, host: &Host) -> Attribute {
        if !host.is_simulated() && !host.exists(LATENCY) {
            return Attribute::Absent;
        }
        let asked = self
            .request()
            .as_ref()
            .map(|request| request.us.to_string());
        Attribute::Value(asked.unwrap_or_else(|| NONE.into()))
    }

    /// Asks for a latency, or lets go.
    ///
    /// # Errors
    /// EINVAL for a value that is neither `none` nor a number of µs that the kernel takes; what open or write gives.
    pub(crate) fn write(&self, host: &Host, value: &str) -> std::io::Result<()> {
        let mut held = self.request();
        if value == NONE {
            *held = None;
            return Ok(());
        }
        let invalid = || std::io::Error::from_raw_os_error(libc::EINVAL);
        // Not above what a signed number holds: the kernel reads one.
        let us: i32 = value.parse().map_err(|_| invalid())?;
        let us = u32::try_from(us).map_err(|_| invalid())?;
        let file = match host.is_simulated() {
            true => None,
            false => Some(ask(us)?),
        };
        // The new request stands before the old one goes: no moment is without.
        *held = Some(Request { us, _file: file });
        Ok(())
    }

    fn request(&self) -> MutexGuard<'_, Option<Request>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens a request of so many µs: it is one number of four bytes, in the machine's order.
fn ask(us: u32) -> std::io::Result<File> {
    let mut file = std::fs::OpenOptions::new().write(true).open(LATENCY)?;
    file.write_all(&us.to_ne_bytes())?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Archive;
    use crate::simulated::Simulated;

    const PLACE: &str = "held:cpu_latency_us";

    fn value(host: &Host) -> Attribute {
        host.attribute(PLACE)
    }

    #[test]
    fn a_request_ends_with_the_last_that_holds_it() {
        let machine = Simulated::new();
        let host = machine.host();
        let clone = host.clone();
        assert_eq!(value(&host), Attribute::Value(NONE.into()));
        host.held.write(&host, "20").unwrap();
        assert_eq!(value(&clone), Attribute::Value("20".into()));
        assert_eq!(
            value(&machine.host()),
            Attribute::Value(NONE.into()),
            "another process has asked for nothing"
        );
        clone.held.write(&clone, NONE).unwrap();
        assert_eq!(value(&host), Attribute::Value(NONE.into()));
    }

    #[test]
    fn takes_whole_numbers_that_the_kernel_takes() {
        let host = Simulated::new().host();
        for value in ["-1", "2147483648", "1us", "", "0x10"] {
            let error = host.held.write(&host, value).unwrap_err();
            assert_eq!(error.raw_os_error(), Some(libc::EINVAL), "{value}");
        }
        host.held.write(&host, "2147483647").unwrap();
    }

    #[test]
    fn a_machine_without_the_device_has_no_such_setting() {
        let host = Host::from_archive(Archive::default());
        assert_eq!(value(&host), Attribute::Absent);
    }
}
