//! # sar
//!
//! sar's tables of CPUs and disks, and of paging, the run queue and I/O as a whole, as series.
//!
//! ## What it reads
//! `sar -u` (with `ALL` too), `-d` (with `-p` and with the name in the last column), `-b`, `-B`, `-q`, `-w`, as text, of
//! sysstat 8 to 12, in any language: rows begin with a time of day, with AM and PM too. Columns that are a field of
//! iodyno's have its name (`disk.busy_percent`), the others their own after `sar.`. The row `Average` is left out, since it
//! follows from the others.
//!
//! ## What is lost
//! The text does not say which zone its times are of: series begin at 0. `%user` and `%system` of the short form hold guests
//! and interrupts, so they are not the fields that mpstat's columns are. A mean over no I/O is printed as 0.00 and is no
//! value here. Other tables of sar are named and left out.
//!
//! ## Example
//! `LC_ALL=C sar -u -d -p 1 60 >sar.txt; iodyno import sar.txt`

use crate::pieces::Pieces;
use crate::printed::columns::{self, PrintedColumn, plain};
use crate::printed::tables::{self, PrintedCell, Tool};
use crate::{How, Importer, Text};

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "sar",
    since: "0.1",
    reads: "sar -u, -d, -b, -B, -q and -w",
    how: How::Text(find),
};

static TOOL: Tool = Tool {
    name: "sar",
    head,
    alone_is_since_boot: false,
};

/// pgpgin/s and its kin are told in KiB.
const PAGED: &str = "pgpgin/s and pgpgout/s are KiB a second";
const BLOCKS: &str = "bread/s and its kin are blocks of 512 bytes a second";

fn find(text: &Text, pieces: &mut Pieces) {
    tables::find(text, &TOOL, pieces);
}

/// The head of a table that is read here, of the words after the time.
fn head(words: &[&str]) -> Option<Vec<PrintedCell>> {
    let first = *words.first()?;
    let is_named_last = words.last() == Some(&"DEV");
    if first == "DEV" || is_named_last {
        return cells(words, &["DEV"], |name| columns::disk("sar", name));
    }
    if first == "CPU" {
        // mpstat has interrupts before stolen time, and no %user.
        let place = |name: &str| words.iter().position(|word| *word == name);
        let is_mpstat = match (place("%irq"), place("%steal")) {
            (Some(irq), Some(steal)) => irq < steal,
            (Some(_), None) => true,
            _ => false,
        };
        let is_cpu = !is_mpstat && (words.contains(&"%user") || words.contains(&"%usr"));
        return is_cpu.then(|| cpu_cells(words)).flatten();
    }
    let known = ["tps", "pgpgin/s", "runq-sz", "proc/s", "cswch/s"];
    known
        .contains(&first)
        .then(|| cells(words, &[], machine))
        .flatten()
}

fn cells(
    words: &[&str],
    subjects: &[&str],
    column: fn(&str) -> Option<PrintedColumn>,
) -> Option<Vec<PrintedCell>> {
    let cell = |word: &&str| match column(word) {
        Some(column) => PrintedCell::Value(column),
        None if subjects.contains(word) => PrintedCell::Subject,
        None => PrintedCell::Skip,
    };
    let cells: Vec<PrintedCell> = words.iter().map(cell).collect();
    let known = cells
        .iter()
        .filter(|cell| matches!(cell, PrintedCell::Value(_)))
        .count();
    (known * 2 >= words.len()).then_some(cells)
}

/// The long form tells guests apart from other user time; ours has them in it.
fn cpu_cells(words: &[&str]) -> Option<Vec<PrintedCell>> {
    let is_long = words.contains(&"%usr");
    let sum = |field: &str| {
        plain(field, "percent").map(|column| PrintedColumn {
            note: Some(
                "user_percent is %usr and %guest, nice_percent %nice and %gnice: as the kernel counts them",
            ),
            ..column
        })
    };
    let cell = |word: &&str| {
        let summed = match *word {
            "%usr" | "%guest" if is_long => sum("cpu.user_percent"),
            "%nice" | "%gnice" if is_long => sum("cpu.nice_percent"),
            _ => None,
        };
        match (summed, columns::cpu("sar", word)) {
            (Some(column), _) => PrintedCell::Sum(column),
            (None, Some(column)) => PrintedCell::Value(column),
            (None, None) => PrintedCell::Subject,
        }
    };
    let cells: Vec<PrintedCell> = words.iter().map(cell).collect();
    (cells
        .iter()
        .filter(|cell| matches!(cell, PrintedCell::Subject))
        .count()
        == 1)
        .then_some(cells)
}

/// Columns about the machine as a whole.
fn machine(name: &str) -> Option<PrintedColumn> {
    let own = || format!("sar.{name}");
    let scaled = |field: String, factor: f64, note: &'static str| {
        Some(PrintedColumn {
            field,
            unit: "bytes/s",
            factor,
            note: Some(note),
        })
    };
    match name {
        "tps" | "rtps" | "wtps" | "dtps" | "fault/s" | "proc/s" => plain(own(), "/s"),
        "pgfree/s" | "pgscank/s" | "pgscand/s" | "pgsteal/s" => plain(own(), "pages/s"),
        "bread/s" => scaled("sar.read_bytes_per_s".into(), 512.0, BLOCKS),
        "bwrtn/s" => scaled("sar.write_bytes_per_s".into(), 512.0, BLOCKS),
        "bdscd/s" => scaled("sar.discard_bytes_per_s".into(), 512.0, BLOCKS),
        "pgpgin/s" => scaled("vm.paged_in_bytes_per_s".into(), 1024.0, PAGED),
        "pgpgout/s" => scaled("vm.paged_out_bytes_per_s".into(), 1024.0, PAGED),
        "majflt/s" => plain("vm.major_faults_per_s", "/s"),
        "%vmeff" => plain(own(), "percent"),
        "cswch/s" => plain("stat.context_switches_per_s", "/s"),
        "runq-sz" | "plist-sz" | "ldavg-1" | "ldavg-5" | "ldavg-15" => plain(own(), "tasks"),
        "blocked" => plain("stat.blocked_tasks", "tasks"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::printed::fixtures::{imported, only, series, values};

    #[test]
    fn cpus_disks_and_the_machine_of_12() {
        let found = only("sar/12.6.1-many.txt");
        assert_eq!(
            values(&found, "disk.read_bytes_per_s", "vda"),
            [77644.0, 54092.0].map(|kb| Some(kb * 1024.0))
        );
        assert_eq!(
            values(&found, "sar.await", "loop1"),
            [None, None],
            "a mean over nothing"
        );
        assert_eq!(
            values(&found, "disk.busy_percent", "vda"),
            [Some(75.6), Some(50.4)]
        );
        assert_eq!(
            values(&found, "cpu.system_percent", "all"),
            [Some(22.5), Some(24.88)]
        );
        assert_eq!(
            values(&found, "cpu.nice_percent", "all"),
            [Some(33.5), Some(32.84)]
        );
        assert_eq!(
            values(&found, "vm.paged_in_bytes_per_s", "")[0],
            Some(85164.0 * 1024.0)
        );
        assert_eq!(values(&found, "sar.runq-sz", ""), [Some(14.0), Some(18.0)]);
        assert_eq!(
            series(&found, "sar.await", "vda").time_ms,
            [1_000.0, 2_000.0]
        );
        assert_eq!(series(&found, "sar.read_bytes_per_s", "").unit, "bytes/s");
    }

    #[test]
    fn am_and_pm_over_midnight_of_10() {
        let result = imported("sar/10.1.5-u-d-ampm.txt");
        let found = &result.results[0];
        assert_eq!(result.results.len(), 1);
        let user = series(found, "sar.%user", "all");
        assert_eq!(user.values, [Some(3.11), Some(4.02), Some(2.98)]);
        assert_eq!(user.time_ms, [600_000.0, 1_200_000.0, 1_800_000.0]);
        assert_eq!(
            values(found, "disk.write_bytes_per_s", "dev8-0"),
            [300.0, 43000.0].map(|n| Some(n * 512.0))
        );
        assert_eq!(
            values(found, "sar.request_size_bytes", "dev8-16"),
            [None, None]
        );
        assert_eq!(result.unread.len(), 1, "{:?}", result.unread);
        assert!(result.unread[0].why.contains("IFACE") && result.unread[0].lines == Some((17, 18)));
    }
}
