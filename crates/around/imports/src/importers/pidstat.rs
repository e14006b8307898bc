//! # pidstat
//!
//! What each process read and wrote, as series.
//!
//! ## What it reads
//! `pidstat -d` as text, of sysstat 9 to 12, in any language, with UID or user name, with threads (`-t`) not. The subject is
//! the command and the process number: `fio.1234`.
//!
//! ## What is lost
//! The text does not say which zone its times are of: series begin at 0. A process that moved nothing in an interval has no
//! row in it, so series have gaps that mean 0. Without an interval pidstat prints what was since boot; such a table stands
//! under `pidstat.since_boot.`. -1 stands for what the kernel does not let the user see and is no value here.
//!
//! ## Example
//! `LC_ALL=C pidstat -d 1 60 >pidstat.txt; iodyno import pidstat.txt`

use crate::pieces::Pieces;
use crate::printed::columns::{KB, PrintedColumn};
use crate::printed::tables::{self, PrintedCell, Tool};
use crate::{How, Importer, Text};

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "pidstat",
    since: "0.1",
    reads: "pidstat -d",
    how: How::Text(find),
};

static TOOL: Tool = Tool {
    name: "pidstat",
    head,
    alone_is_since_boot: true,
};

fn find(text: &Text, pieces: &mut Pieces) {
    tables::find(text, &TOOL, pieces);
    for series in pieces
        .own_mut()
        .flat_map(|piece| &mut piece.imported.series)
    {
        series
            .values
            .iter_mut()
            .for_each(|value| *value = value.filter(|value| *value >= 0.0));
    }
}

fn head(words: &[&str]) -> Option<Vec<PrintedCell>> {
    let is_disk =
        words.contains(&"PID") && words.contains(&"kB_rd/s") && words.last() == Some(&"Command");
    is_disk.then(|| words.iter().map(|word| cell(word)).collect())
}

fn cell(name: &str) -> PrintedCell {
    let bytes = |field: &str| {
        PrintedCell::Value(PrintedColumn {
            field: field.into(),
            unit: "bytes/s",
            factor: 1024.0,
            note: Some(KB),
        })
    };
    match name {
        "PID" => PrintedCell::Subject,
        "Command" => PrintedCell::Rest,
        "kB_rd/s" => bytes("process.read_bytes_per_s"),
        "kB_wr/s" => bytes("process.write_bytes_per_s"),
        "kB_ccwr/s" => bytes("process.cancelled_bytes_per_s"),
        "iodelay" => PrintedCell::Value(PrintedColumn {
            field: "pidstat.iodelay".into(),
            unit: "ticks",
            factor: 1.0,
            note: Some("iodelay is in clock ticks, of 10 ms on most kernels"),
        }),
        _ => PrintedCell::Skip,
    }
}

#[cfg(test)]
mod tests {
    use crate::printed::fixtures::{only, values};

    #[test]
    fn processes_with_their_numbers() {
        let found = only("pidstat/12.6.1-d.txt");
        let name = "qemu-system-x86.27128";
        assert_eq!(
            values(&found, "process.read_bytes_per_s", name),
            [590.1, 1304.0].map(|kb| Some(kb * 1024.0))
        );
        assert_eq!(
            values(&found, "process.write_bytes_per_s", name)[1],
            Some(44.0 * 1024.0)
        );
        assert!(found.units.iter().any(|unit| unit.contains("1,024")));
    }
}
