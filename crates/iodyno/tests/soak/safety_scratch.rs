//! Scratch: it leaves room for others, and every way of ending takes it away.

use crate::safety::scratch::FileSystem;
use crate::support::{Iodyno, signal};
use std::time::{Duration, Instant};

#[test]
#[ignore = "soak"]
fn every_way_of_ending_takes_the_scratch_away() {
    let Some(fs) = FileSystem::new(3000) else {
        return;
    };
    let (before, target) = (fs.used(), fs.target());
    // A large file is caught while it is laid out, a small one while it is loaded.
    for (size, kib, pause_ms) in [("2g", 8 << 10, 0), ("32m", 32 << 10, 700)] {
        for (name, wanted) in [("INT", Some(130)), ("TERM", Some(130)), ("KILL", None)] {
            let iodyno = Iodyno::new();
            let mut child = iodyno.spawn(&[
                "run",
                &target,
                "--runtime=900s",
                "--rw=randrw",
                "--size",
                size,
            ]);
            let start = Instant::now();
            while fs.used() < before + kib {
                assert!(
                    start.elapsed() < Duration::from_secs(180),
                    "no scratch file appears"
                );
            }
            std::thread::sleep(Duration::from_millis(pause_ms));
            signal(child.id(), name);
            let status = child.wait().unwrap();
            assert_eq!(status.code(), wanted, "{size} {name}");
            fs.is_as_before(before, &format!("{size} {name}"));
        }
    }
}
