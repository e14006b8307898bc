//! Files as fio writes them, large ones, always the same.

use model::histogram::{BUCKETS, value_of};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A latency of some disk, ns: around 120 µs, one in a hundred ten times that.
    fn latency_ns(&mut self) -> u64 {
        let bits = self.next();
        let usual = 60_000 + bits % 120_000;
        if (bits >> 32).is_multiple_of(100) {
            usual * 10
        } else {
            usual
        }
    }
}

/// A log of single I/Os, 70 % reads, 50,000 a second, as fio 3.33 writes it; its size in bytes.
pub fn log(path: &Path, lines: u64) -> std::io::Result<u64> {
    let (mut file, mut dice) = (
        BufWriter::with_capacity(1 << 20, File::create(path)?),
        Dice(1),
    );
    for line in 0..lines {
        let direction = u64::from(dice.next() % 10 >= 7);
        writeln!(
            file,
            "{}, {}, {direction}, 4096, 0",
            line / 50,
            dice.latency_ns()
        )?;
    }
    file.flush()?;
    Ok(file.get_ref().metadata()?.len())
}

/// A JSON+ document of so many jobs, reads and writes with all three latencies by bucket; its size in bytes.
pub fn json(path: &Path, jobs: usize) -> std::io::Result<u64> {
    let (mut file, mut dice) = (
        BufWriter::with_capacity(1 << 20, File::create(path)?),
        Dice(2),
    );
    writeln!(
        file,
        "{{\n  \"fio version\" : \"fio-3.33\",\n  \"timestamp\" : 1700000000,\n  \"jobs\" : ["
    )?;
    for job in 0..jobs {
        write!(
            file,
            "    {{\n      \"jobname\" : \"job{job}\",\n      \"groupid\" : 0,\n      \"error\" : 0,\n"
        )?;
        write!(
            file,
            "      \"job options\" : {{\n        \"rw\" : \"randrw\",\n        \"bs\" : \"4k\"\n      }}"
        )?;
        for side in ["read", "write"] {
            direction(&mut file, side, &mut dice)?;
        }
        writeln!(
            file,
            ",\n      \"usr_cpu\" : 1.5,\n      \"sys_cpu\" : 9.5\n    }}{}",
            comma(job + 1 < jobs)
        )?;
    }
    writeln!(file, "  ]\n}}")?;
    file.flush()?;
    Ok(file.get_ref().metadata()?.len())
}

fn comma(is_wanted: bool) -> &'static str {
    if is_wanted { "," } else { "" }
}

fn direction(file: &mut impl Write, side: &str, dice: &mut Dice) -> std::io::Result<()> {
    write!(
        file,
        ",\n      \"{side}\" : {{\n        \"io_bytes\" : 40960000,\n        \"io_kbytes\" : 40000,\n"
    )?;
    write!(
        file,
        "        \"bw_bytes\" : 4096000,\n        \"bw\" : 4000,\n        \"iops\" : 1000.0,\n"
    )?;
    write!(
        file,
        "        \"runtime\" : 10000,\n        \"total_ios\" : 10000"
    )?;
    for kind in ["slat_ns", "clat_ns", "lat_ns"] {
        write!(
            file,
            ",\n        \"{kind}\" : {{\n          \"min\" : 60000,\n          \"max\" : 1800000,\n"
        )?;
        write!(
            file,
            "          \"mean\" : 130000.5,\n          \"stddev\" : 9000.25,\n          \"N\" : 10000"
        )?;
        if kind != "slat_ns" {
            write!(
                file,
                ",\n          \"percentile\" : {{\n            \"50.000000\" : 119296,\n"
            )?;
            write!(
                file,
                "            \"99.000000\" : 1204224\n          }},\n          \"bins\" : {{"
            )?;
            // About 300 buckets, as a run of a minute has them.
            let first = 640 + (dice.next() % 100) as usize;
            for bucket in first..(first + 300).min(BUCKETS) {
                let (value, count) = (value_of(bucket), dice.next() % 100);
                write!(
                    file,
                    "{}\n            \"{value}\" : {count}",
                    comma(bucket > first)
                )?;
            }
            write!(file, "\n          }}")?;
        }
        write!(file, "\n        }}")?;
    }
    write!(file, "\n      }}")
}
