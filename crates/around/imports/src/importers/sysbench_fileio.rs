//! # sysbench fileio
//!
//! What `sysbench fileio run` prints: operations, rates, latency, and the settings above them.
//!
//! ## What it reads
//! The result of 0.4 and 0.5 (`Operations performed: …`, `Requests/sec executed`), of 1.0 (`File operations:`,
//! `Throughput:`) and of 1.1 (`read:  IOPS=…`), with the settings that sysbench prints before it starts, and the lines of
//! `--report-interval` as series.
//!
//! ## What is lost
//! Latencies are those of all operations together, fsync among them, so they stand under `mixed`; one percentile is printed,
//! rounded to 10 µs. `Mb` of 0.4 is 1,048,576 bytes. The rates of 1.0 are rounded to two digits.
//!
//! ## Example
//! `sysbench fileio --file-test-mode=rndrw run >sysbench.txt; iodyno import sysbench.txt`

mod parts;

use crate::pieces::Pieces;
use crate::printed::sysbench;
use crate::{How, Importer, Text};
use parts::FileioRun;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "sysbench_fileio",
    since: "0.1",
    reads: "sysbench fileio 0.4 to 1.1",
    how: How::Text(find),
};

fn find(text: &Text, pieces: &mut Pieces) {
    sysbench::find::<FileioRun>(text, pieces);
}

#[cfg(test)]
mod tests {
    use crate::printed::fixtures::{only, series};

    #[test]
    fn totals_of_0_4_and_rates_of_1_0() {
        let old = only("sysbench_fileio/0.4.12.txt");
        let load = old.load.as_ref().unwrap();
        let (read, write) = (load.read.as_ref().unwrap(), load.write.as_ref().unwrap());
        assert_eq!((read.ios, read.iops), (Some(6_000), Some(240.0)));
        assert_eq!(
            (write.bytes, load.sync.as_ref().unwrap().ios),
            (Some(62.5 * 1_048_576.0), Some(12_800))
        );
        let all = load.mixed.as_ref().unwrap();
        assert_eq!(
            (all.iops, &all.latencies[0].percentiles[..]),
            (Some(400.0), &[(95.0, 71_960_000.0)][..])
        );
        assert_eq!(
            (old.tool.as_str(), old.facts["numjobs"].as_str()),
            ("sysbench 0.4.12", "16")
        );
        let new = only("sysbench_fileio/1.0.20-rndrw.txt");
        let load = new.load.as_ref().unwrap();
        let read = load.read.as_ref().unwrap();
        assert_eq!(
            (read.iops, read.bytes_per_s),
            (Some(3_361.17), Some(52.52 * 1_048_576.0))
        );
        assert_eq!(
            (
                load.elapsed_ms.map(f64::round),
                load.mixed.as_ref().unwrap().ios
            ),
            (Some(3_016.0), Some(17_573))
        );
        assert_eq!(
            load.mixed.as_ref().unwrap().latencies[0].max_ns,
            Some(115_720_000.0)
        );
        assert_eq!(
            series(&new, "sysbench.read_bytes_per_s", "").values.len(),
            3
        );
        assert_eq!(
            (new.facts["rw"].as_str(), new.facts["flags"].as_str()),
            ("random r/w", "directio")
        );
    }
}
