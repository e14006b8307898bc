//! Where threads slept, as places: by the kernel's functions in their stacks.

use model::time_account::{SleepSight, TaskTimes, TimePlace, TimedSleep};

/// Functions whose sleep has one meaning, whatever the device does meanwhile (names of Linux 5.10 to 6.18; a name stands for all
/// that begin with it).
const CERTAIN: &[(TimePlace, &[&str])] = &[
    (TimePlace::Writeback, &["balance_dirty_pages"]),
    (
        TimePlace::Memory,
        &[
            "try_to_free_",
            "shrink_",
            "reclaim_throttle",
            "mem_cgroup_handle_over_high",
            "mem_cgroup_out_of_memory",
            "do_swap_page",
            "congestion_wait",
        ],
    ),
    (
        TimePlace::Request,
        &[
            "blk_mq_get_tag",
            "__blk_mq_get_tag",
            "rq_qos_wait",
            "wbt_wait",
            "ioc_rqos_throttle",
            "blkcg_iolatency_throttle",
        ],
    ),
];

/// Functions whose sleep is that for the device while it has I/O, and else for this. The first that fits counts.
const OPEN: &[(TimePlace, &[&str])] = &[
    (
        TimePlace::Journal,
        &[
            "jbd2_",
            "wait_transaction_",
            "start_this_handle",
            "do_get_write_access",
            "add_transaction_credits",
            "xlog_",
            "xfs_log_",
            "xfs_trans_reserve",
            "btrfs_sync_log",
            "btrfs_commit_transaction",
            "wait_current_trans",
            "wait_log_commit",
        ],
    ),
    (
        TimePlace::FileSystem,
        &[
            "rwsem_down_",
            "__mutex_lock",
            "down_read",
            "down_write",
            "percpu_rwsem_wait",
            "__percpu_down_read",
            "sb_start_write",
            "rpc_wait_bit_killable",
            "request_wait_answer",
        ],
    ),
    (
        TimePlace::Completion,
        &[
            "io_cqring_wait",
            "read_events",
            "blkdev_issue_flush",
            "submit_bio_wait",
            "__blkdev_direct_IO",
            "blkdev_direct_IO",
            "__iomap_dio_rw",
            "iomap_dio_",
            "blk_io_schedule",
        ],
    ),
    (
        TimePlace::PageCache,
        &[
            "folio_wait",
            "__folio_lock",
            "wait_on_page",
            "__lock_page",
            "filemap_",
            "__wait_on_buffer",
            "__sync_dirty_buffer",
        ],
    ),
    (
        TimePlace::FileSystem,
        &["ext4_", "xfs_", "btrfs_", "nfs_", "fuse_", "f2fs_"],
    ),
    // The last one, as submission may sleep in it too. Linux 6.1 of Debian has io_cqring_wait as a part of it; which of the call's own
    // functions is left depends on the architecture and the compiler.
    (
        TimePlace::Completion,
        &[
            "__do_sys_io_uring_enter",
            "__arm64_sys_io_uring_enter",
            "__x64_sys_io_uring_enter",
        ],
    ),
];

/// Sleep in these may be that for a flush, which a device's `inflight` does not count: the request that carries it has no
/// accounting of its own (block/blk-flush.c, blk_kick_flush).
const FLUSHES: &[&str] = &[
    "blkdev_issue_flush",
    "jbd2_",
    "xlog_",
    "xfs_log_",
    "btrfs_sync_log",
];

/// The sleep of a load's threads.
pub(super) struct Sleeps {
    seen: f64,
    sights: Vec<PlacedSight>,
}

struct PlacedSight {
    place: TimePlace,
    is_certain: bool,
    is_flush: bool,
    busy: f64,
    idle: f64,
    function: Option<String>,
}

impl Sleeps {
    /// By the time that programs in the kernel measured, and by looks where there are none.
    pub fn of(tasks: &TaskTimes) -> Sleeps {
        let seen = Sleeps::looked_at(&tasks.sleeps);
        let timed = tasks.off_cpu.iter().flat_map(|one| &one.places);
        let timed: Vec<&TimedSleep> = timed.filter(|one| !one.functions.is_empty()).collect();
        match timed.is_empty() {
            true => seen,
            false => Sleeps {
                seen: timed.iter().map(|one| one.ms).sum(),
                sights: timed.into_iter().map(|one| seen.timed(one)).collect(),
            },
        }
    }

    /// Sights without functions are of threads that were awake again when their stack was read: they say nothing where others do.
    fn looked_at(sights: &[SleepSight]) -> Sleeps {
        let says = |sight: &&SleepSight| !sight.functions.is_empty();
        let telling: Vec<&SleepSight> = sights.iter().filter(says).collect();
        let sights = match telling.is_empty() {
            true => sights.iter().collect(),
            false => telling,
        };
        Sleeps {
            seen: sights.iter().map(|sight| sight.seen() as f64).sum(),
            sights: sights
                .into_iter()
                .map(|sight| {
                    PlacedSight::of(&sight.functions, (sight.busy as f64, sight.idle as f64))
                })
                .collect(),
        }
    }

    /// Sleep that was timed. Whether a device had I/O meanwhile only looks can tell: those at the same place, or all where there are
    /// none of it.
    fn timed(&self, timed: &TimedSleep) -> PlacedSight {
        let mut placed = PlacedSight::of(&timed.functions, (timed.ms, 0.0));
        let same = self.sights.iter().filter(|one| one.place == placed.place);
        let of_place = busy_share(same);
        let busy = of_place.or_else(|| busy_share(self.sights.iter()));
        placed.busy = timed.ms * busy.unwrap_or(1.0);
        placed.idle = timed.ms - placed.busy;
        placed
    }

    /// Sleep that has one meaning, as shares of all sleep.
    pub fn certain(&self) -> Vec<(TimePlace, f64)> {
        let certain = self.sights.iter().filter(|sight| sight.is_certain);
        certain
            .map(|sight| (sight.place, sight.seen() / self.seen))
            .collect()
    }

    /// The share of the rest; all of it where nothing was seen.
    pub fn open_share(&self) -> f64 {
        let certain: f64 = self.certain().iter().map(|(_, share)| share).sum();
        1.0 - certain
    }

    /// Of the open sleep, the share in which a device had I/O, or may have had a flush.
    pub fn with_device(&self) -> f64 {
        let with = |sight: &PlacedSight| match sight.is_flush {
            true => sight.seen(),
            false => sight.busy,
        };
        let all: f64 = self.open().map(PlacedSight::seen).sum();
        match all > 0.0 {
            true => self.open().map(with).sum::<f64>() / all,
            false => 1.0,
        }
    }

    /// The places of the open sleep in which no device had any; where it always had, of all open sleep.
    pub fn without_device(&self) -> Vec<(TimePlace, f64)> {
        let idle = self.open().map(|sight| (sight.place, sight.idle));
        let idle: Vec<(TimePlace, f64)> = idle.filter(|(_, idle)| *idle > 0.0).collect();
        match idle.is_empty() {
            true if self.sights.is_empty() => vec![(TimePlace::Unknown, 1.0)],
            true => self
                .open()
                .map(|sight| (sight.place, sight.seen()))
                .collect(),
            false => idle,
        }
    }

    /// Every place as a share of all sleep, whatever the device did.
    pub fn places(&self) -> Vec<(TimePlace, f64)> {
        self.sights
            .iter()
            .map(|sight| (sight.place, sight.seen() / self.seen))
            .collect()
    }

    /// The function in which most of a place was seen.
    pub fn function(&self, place: TimePlace) -> Option<String> {
        let of_place = self.sights.iter().filter(|sight| sight.place == place);
        let most = of_place.max_by(|one, other| one.seen().total_cmp(&other.seen()))?;
        most.function.clone()
    }

    fn open(&self) -> impl Iterator<Item = &PlacedSight> {
        self.sights.iter().filter(|sight| !sight.is_certain)
    }
}

/// Of sleep, the share in which a device had I/O; none where none was seen.
fn busy_share<'a>(sights: impl Iterator<Item = &'a PlacedSight>) -> Option<f64> {
    let (busy, seen) = sights.fold((0.0, 0.0), |(busy, seen), one| {
        (busy + one.busy, seen + one.seen())
    });
    (seen > 0.0).then(|| busy / seen)
}

impl PlacedSight {
    fn of(functions: &[String], (busy, idle): (f64, f64)) -> PlacedSight {
        let is_in = |starts: &[&str]| model::time_account::is_in(functions, starts);
        let first = |table: &[(TimePlace, &[&str])]| {
            let found = table.iter().find(|(_, starts)| is_in(starts));
            found.map(|(place, _)| *place)
        };
        let certain = first(CERTAIN);
        let place = certain
            .or_else(|| first(OPEN))
            .unwrap_or(TimePlace::Unknown);
        let names = |starts: &[&str]| {
            let begins = |name: &&String| starts.iter().any(|start| name.starts_with(start));
            functions.iter().find(begins).cloned()
        };
        // The function that tells the place, and not the sleep below it that all of them share.
        let tables = CERTAIN.iter().chain(OPEN);
        let telling = tables
            .filter(|(one, _)| *one == place)
            .find_map(|(_, starts)| names(starts));
        PlacedSight {
            place,
            is_certain: certain.is_some(),
            is_flush: is_in(FLUSHES),
            busy,
            idle,
            function: telling.or_else(|| functions.first().cloned()),
        }
    }

    fn seen(&self) -> f64 {
        self.busy + self.idle
    }
}
