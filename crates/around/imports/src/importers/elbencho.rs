//! # elbencho
//!
//! The result of each phase of elbencho, from its table or its CSV file.
//!
//! ## What it reads
//! The table `OPERATION RESULT TYPE FIRST DONE LAST DONE` with latencies (`--lat`) and percentiles (`--latpercent`), and the
//! rows of `--csvfile`, of elbencho 1.x to 3. Figures are those of `LAST DONE`, when the slowest thread had finished; those
//! of `FIRST DONE` are facts. Phases without I/O (MKDIRS, RMFILES …) are left out.
//!
//! ## What is lost
//! Rates are rounded to whole numbers of MiB/s. Percentiles are ends of wide buckets, each a quarter of a power of two, so
//! they are too high by up to a fifth.
//!
//! ## Example
//! `elbencho -w -r -b 4k -t 8 --direct --rand --lat -s 1g /dev/nvme0n1 >elbencho.txt; iodyno import elbencho.txt`

mod csv;
mod table;

use crate::pieces::Pieces;
use crate::{How, Importer, Text};
use model::imported::{Imported, LoadFigures, SideFigures};
use std::collections::BTreeMap;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "elbencho",
    since: "0.1",
    reads: "elbencho's table and CSV file",
    how: How::Text(find),
};

fn find(text: &Text, pieces: &mut Pieces) {
    table::find(text, pieces);
    csv::find(text, pieces);
}

/// A phase: its name, what its main figures and those of the reads beside it are, and facts.
#[derive(Default)]
struct Phase {
    operation: String,
    elapsed_ms: Option<f64>,
    side: SideFigures,
    read_beside: SideFigures,
    facts: BTreeMap<String, String>,
    tool: String,
    measured_unix_ms: Option<u64>,
    lossy: Vec<String>,
    units: Vec<String>,
}

impl Phase {
    /// The result; none of a phase without I/O.
    fn finish(self) -> Option<Imported> {
        let has_io = self.side.iops.is_some() || self.side.bytes_per_s.is_some();
        if !has_io {
            return None;
        }
        let mut load = LoadFigures {
            elapsed_ms: self.elapsed_ms,
            ..LoadFigures::default()
        };
        let is_mixed = self.read_beside != SideFigures::default();
        match self.operation.as_str() {
            _ if is_mixed => {
                load.write = Some(self.side);
                load.read = Some(self.read_beside);
            }
            name if name.starts_with("READ") => load.read = Some(self.side),
            name if name.starts_with("WRITE") => load.write = Some(self.side),
            _ => load.mixed = Some(self.side),
        }
        let tool = if self.tool.is_empty() {
            "elbencho".into()
        } else {
            self.tool
        };
        Some(Imported {
            tool,
            name: self.operation,
            measured_unix_ms: self.measured_unix_ms,
            lossy: self.lossy,
            units: self.units,
            load: Some(load),
            facts: self.facts,
            ..Imported::default()
        })
    }
}

#[cfg(test)]
mod tests;
