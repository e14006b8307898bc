//! Somebody without rights who exchanges names while iodyno works.

use rustix::fs::{CWD, RenameFlags};
use rustix::process::{Gid, Uid};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

pub const NOBODY: u32 = 65_534;

/// The longest pause between two exchanges: they come before, between and after every step of a run.
const PAUSE_US: u64 = 4_000;

/// A thread with the rights of `nobody`, which exchanges two names again and again until it is dropped.
pub struct Exchanger {
    stop: Arc<AtomicBool>,
    count: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Exchanger {
    pub fn start(one: &Path, other: &Path, seed: u64) -> Exchanger {
        let (stop, count) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU64::new(0)),
        );
        let pair = (one.to_path_buf(), other.to_path_buf());
        let (stopped, counted) = (Arc::clone(&stop), Arc::clone(&count));
        let thread = std::thread::spawn(move || exchange(&pair, seed, &stopped, &counted));
        Exchanger {
            stop,
            count,
            thread: Some(thread),
        }
    }

    /// Exchanges so far.
    pub fn count(&self) -> u64 {
        self.count.load(Relaxed)
    }
}

impl Drop for Exchanger {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

fn exchange((one, other): &(PathBuf, PathBuf), seed: u64, stop: &AtomicBool, count: &AtomicU64) {
    become_nobody();
    let mut state = seed | 1;
    while !stop.load(Relaxed) {
        rustix::fs::renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
        count.fetch_add(1, Relaxed);
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        std::thread::sleep(Duration::from_micros(state % PAUSE_US));
    }
}

/// Gives up the rights of this thread alone: on Linux they belong to threads.
fn become_nobody() {
    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    rustix::thread::set_thread_groups(&[]).unwrap();
    rustix::thread::set_thread_res_gid(group, group, group).unwrap();
    rustix::thread::set_thread_res_uid(user, user, user).unwrap();
}
