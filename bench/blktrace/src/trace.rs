//! A long trace made of a short one: each repetition later by the length of the short one, its records numbered on.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

const RECORD: usize = 48;
/// The category of notes (BLK_TC_NOTIFY) in the upper half of an action.
const NOTE: u32 = 1 << 26;

/// Writes the files of two CPUs with as many events as wanted, or a few more; their names, and how many events.
pub fn write(folder: &Path, wanted: u64) -> Result<(Vec<PathBuf>, u64), String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/imports/blktrace");
    let read = |cpu: u32| {
        let path = source.join(format!("nvme.blktrace.{cpu}"));
        std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let streams = [read(0)?, read(1)?];
    let all: Vec<Vec<&[u8]>> = streams.iter().map(|bytes| records(bytes)).collect();
    let times: Vec<u64> = all
        .iter()
        .flatten()
        .filter(|record| !is_note(record))
        .map(|record| time(record))
        .collect();
    let (first, last) = (
        times.iter().min().copied().unwrap_or(0),
        times.iter().max().copied().unwrap_or(0),
    );
    let length = last - first + 1_000_000;
    let rounds = wanted.div_ceil(times.len() as u64);
    let mut files = Vec::new();
    for (cpu, records) in all.iter().enumerate() {
        let path = folder.join(format!("big.blktrace.{cpu}"));
        let file = File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut file = BufWriter::with_capacity(1 << 20, file);
        let mut number = 0u32;
        for round in 0..rounds {
            for record in records
                .iter()
                .filter(|record| round == 0 || !is_note(record))
            {
                let mut bytes = record.to_vec();
                if !is_note(record) {
                    number += 1;
                    bytes[4..8].copy_from_slice(&number.to_le_bytes());
                    bytes[8..16].copy_from_slice(&(time(record) + round * length).to_le_bytes());
                }
                file.write_all(&bytes).map_err(|error| error.to_string())?;
            }
        }
        file.flush().map_err(|error| error.to_string())?;
        files.push(path);
    }
    Ok((files, rounds * times.len() as u64))
}

fn records(bytes: &[u8]) -> Vec<&[u8]> {
    let mut records = Vec::new();
    let mut at = 0;
    while let Some(head) = bytes.get(at..at + RECORD) {
        let end = at + RECORD + usize::from(u16::from_le_bytes([head[46], head[47]]));
        records.extend(bytes.get(at..end));
        at = end;
    }
    records
}

fn is_note(record: &[u8]) -> bool {
    u32::from_le_bytes([record[28], record[29], record[30], record[31]]) & NOTE != 0
}

fn time(record: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&record[8..16]);
    u64::from_le_bytes(bytes)
}
