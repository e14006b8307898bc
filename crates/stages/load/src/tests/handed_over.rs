//! Devices whose I/O the kernel hands to worker threads: a RAM disk of zram's.
#![allow(
    clippy::disallowed_methods,
    reason = "a test adds a device of its own and removes it"
)]

use super::*;

const CONTROL: &str = "/sys/class/zram-control";

/// A zram device of its own, removed when dropped.
struct RamDisk {
    number: String,
}

impl RamDisk {
    fn add(bytes: u64) -> Option<RamDisk> {
        if !host::rights::is_root() {
            skip::missing("root", "only root can add a zram device");
            return None;
        }
        let Ok(number) = std::fs::read_to_string(format!("{CONTROL}/hot_add")) else {
            skip::missing("kernel:zram", "this kernel adds no zram devices");
            return None;
        };
        let disk = RamDisk {
            number: number.trim().into(),
        };
        disk.set("disksize", bytes);
        Some(disk)
    }

    fn set(&self, attribute: &str, value: u64) {
        let path = format!("/sys/block/zram{}/{attribute}", self.number);
        std::fs::write(path, value.to_string()).unwrap();
    }

    fn path(&self) -> std::path::PathBuf {
        format!("/dev/zram{}", self.number).into()
    }
}

impl Drop for RamDisk {
    fn drop(&mut self) {
        // A ring's files are given up by a worker, a moment after the ring is closed.
        for _ in 0..250 {
            if std::fs::write(format!("{CONTROL}/hot_remove"), &self.number).is_ok() {
                return;
            }
            host::clock::sleep_ms(20);
        }
    }
}

#[test]
fn direct_io_that_cannot_begin_at_once_goes_to_workers_at_once() {
    let Some(disk) = RamDisk::add(16 << 20) else {
        return;
    };
    let target = opened(&disk.path());
    let consent = Consent {
        destroy_data: true,
        ..Consent::default()
    };
    for (direct, is_handed_over) in [(true, true), (false, false)] {
        let job = Job {
            rw: Rw::Randrw,
            direct,
            ..small("io_uring")
        };
        let stop = Stop::new();
        let prepared = prepare(
            &Host::live(),
            &target,
            &job,
            &consent,
            &stop,
            &mut |_, _| {},
        )
        .unwrap();
        let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
        until_counted(&running, "zram", |seen| {
            seen.side(lane::READ).ios() > 100 && seen.side(lane::WRITE).ios() > 100
        });
        let result = running.finish();
        assert!(result.errors.is_empty(), "{:?}", result.errors);
        assert_eq!(
            result.engine.contains("by kernel worker threads"),
            is_handed_over,
            "{}",
            result.engine
        );
    }
}
