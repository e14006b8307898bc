//! # vdbench
//!
//! The runs of vdbench's flatfile, each with its mean and its intervals as series.
//!
//! ## What it reads
//! `flatfile.html` of vdbench 5.0 and later: the line of column names (`tod … Run Interval reqrate rate MB/sec bytes/io
//! read% resp …`) and the rows below it. The row `avg_…` of a run is its result.
//!
//! ## What is lost
//! Of reads and writes together there is one rate and a share (`read%`), from which theirs follow; percentiles are not in
//! the file. The response time is vdbench's own, in ms with three digits.
//!
//! ## Example
//! `./vdbench -f job -o out; iodyno import out/flatfile.html`

use crate::pieces::Pieces;
use crate::printed::clean;
use crate::printed::moment::{Days, time_of_day};
use crate::printed::number::number;
use crate::printed::series::PrintedSeries;
use crate::{How, Importer, Piece, Text, Unread};
use model::imported::{Imported, LatencyFigures, LoadFigures, SideFigures};
use std::collections::BTreeMap;
use std::ops::Range;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "vdbench",
    since: "0.1",
    reads: "vdbench's flatfile",
    how: How::Text(find),
};

const MIB: f64 = 1_048_576.0;

/// One run that is being read.
#[derive(Default)]
struct VdbenchRun {
    name: String,
    lines: Vec<Range<usize>>,
    series: PrintedSeries,
    days: Days,
    load: Option<LoadFigures>,
    facts: BTreeMap<String, String>,
    unread: Vec<Unread>,
}

fn find(text: &Text, pieces: &mut Pieces) {
    let mut names: Option<(Vec<&str>, usize)> = None;
    let mut run = VdbenchRun::default();
    for (index, line) in text.lines.iter().enumerate() {
        let line = clean(line);
        let words: Vec<&str> = line.split_whitespace().collect();
        if is_head(&words) {
            names = Some((words, index));
            continue;
        }
        let Some((head, at)) = &names else { continue };
        if words.is_empty() || line.starts_with(['*', '<']) {
            continue;
        }
        if words.len() != head.len() {
            match words.len() * 2 > head.len() {
                true => run.unread(index, "this row does not have its table's columns"),
                false => names = None,
            }
            continue;
        }
        let get = |name: &str| {
            head.iter()
                .position(|one| *one == name)
                .map(|place| words[place])
        };
        let Some(name) = get("Run") else { continue };
        if name != run.name && !run.name.is_empty() {
            pieces.extend(std::mem::take(&mut run).finish());
        }
        if run.name.is_empty() && pieces.own().len() == 0 {
            run.lines.push(*at..*at + 1);
        }
        run.name = name.to_string();
        run.row(index, &get);
    }
    pieces.extend(run.finish());
}

fn is_head(words: &[&str]) -> bool {
    ["tod", "Run", "Interval", "rate", "MB/sec", "resp"]
        .iter()
        .all(|name| words.contains(name))
}

impl VdbenchRun {
    fn unread(&mut self, line: usize, why: &str) {
        let number = line as u64 + 1;
        self.unread.push(Unread {
            lines: Some((number, number)),
            why: why.into(),
        });
    }

    fn row<'a>(&mut self, line: usize, get: &impl Fn(&str) -> Option<&'a str>) {
        self.lines.push(line..line + 1);
        let value = |name: &str| get(name).and_then(number);
        let interval = get("Interval").unwrap_or_default();
        if interval.starts_with("avg") {
            self.load = Some(load(&value));
            let settings = [
                ("xfersize", "bs"),
                ("threads", "numjobs"),
                ("rdpct", "rwmixread"),
                ("seekpct", "seekpct"),
                ("lunsize", "size"),
                ("version", "version"),
                ("reqrate", "reqrate"),
            ];
            for (column, fact) in settings {
                let known = get(column).filter(|value| *value != "n/a");
                self.facts
                    .extend(known.map(|value| (fact.to_string(), value.to_string())));
            }
            self.facts.insert("intervals".into(), interval.into());
            return;
        }
        let Some((at_ms, _)) = get("tod").and_then(|word| time_of_day(&[word])) else {
            return self.unread(line, "this row has no time of day");
        };
        let at_ms = self.days.since_first(at_ms);
        let columns = [
            ("rate", "vdbench.rate", "/s", 1.0),
            ("MB/sec", "vdbench.bytes_per_s", "bytes/s", MIB),
            ("resp", "vdbench.resp_ms", "ms", 1.0),
            ("read_resp", "vdbench.read_resp_ms", "ms", 1.0),
            ("write_resp", "vdbench.write_resp_ms", "ms", 1.0),
            ("resp_max", "vdbench.resp_max_ms", "ms", 1.0),
            ("queue_depth", "vdbench.queue_depth", "ios", 1.0),
            ("cpu_used", "vdbench.cpu_used_percent", "percent", 1.0),
        ];
        for (column, field, unit, factor) in columns {
            if get(column).is_some() {
                let value = value(column).map(|value| value * factor);
                self.series.push(field, "", unit, at_ms, value);
            }
        }
    }

    fn finish(self) -> Option<Piece> {
        if self.load.is_none() && self.series.is_empty() {
            return None;
        }
        let mut lossy = vec![
            "the rates of reads and of writes follow from their share, which is rounded"
                .to_string(),
        ];
        if self.load.is_none() {
            lossy.push("the row of the mean is missing: the run was ended before its time".into());
        }
        let version = self
            .facts
            .get("version")
            .map(|version| format!("vdbench {version}"));
        let imported = Imported {
            tool: version.unwrap_or("vdbench".into()),
            name: self.name,
            lossy,
            units: vec!["MB of vdbench is 1,048,576 bytes; response times are ms".into()],
            load: self.load,
            series: self.series.finish(),
            facts: self.facts,
            ..Imported::default()
        };
        Some(Piece {
            lines: self.lines,
            imported,
            unread: self.unread,
        })
    }
}

/// The mean of a run.
fn load(value: &impl Fn(&str) -> Option<f64>) -> LoadFigures {
    let share = value("read%").map(|per_cent| per_cent / 100.0);
    let rate = value("rate");
    let bytes_per_s = value("MB/sec").map(|mib| mib * MIB);
    let side = |part: Option<f64>, resp: &str, max: &str, std: &str| {
        let part = part.filter(|part| *part > 0.0)?;
        let ns = |name: &str| value(name).map(|ms| ms * 1e6);
        let latency = LatencyFigures {
            kind: "lat".into(),
            mean_ns: ns(resp),
            max_ns: ns(max),
            stddev_ns: ns(std),
            ..LatencyFigures::default()
        };
        let has_latency = latency.mean_ns.is_some();
        Some(SideFigures {
            iops: rate.map(|rate| rate * part),
            bytes_per_s: bytes_per_s.map(|rate| rate * part),
            latencies: has_latency.then_some(latency).into_iter().collect(),
            ..SideFigures::default()
        })
    };
    let Some(share) = share else {
        return LoadFigures {
            mixed: side(Some(1.0), "resp", "resp_max", "resp_std"),
            ..LoadFigures::default()
        };
    };
    LoadFigures {
        read: side(Some(share), "read_resp", "read_max", "read_std"),
        write: side(Some(1.0 - share), "write_resp", "write_max", "write_std"),
        ..LoadFigures::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::printed::fixtures::{imported, values};

    #[test]
    fn runs_with_and_without_their_mean() {
        let result = imported("vdbench/5.04.07-flatfile.html");
        let [whole, cut] = &result.results[..] else {
            panic!("{:?}", result.results)
        };
        let load = whole.load.as_ref().unwrap();
        let (read, write) = (load.read.as_ref().unwrap(), load.write.as_ref().unwrap());
        assert_eq!(
            (read.iops, read.latencies[0].mean_ns),
            (Some(700.0), Some(500_000.0))
        );
        assert!((write.iops.unwrap() - 300.0).abs() < 1e-9);
        assert_eq!(write.latencies[0].max_ns, Some(10e6));
        assert_eq!(
            values(whole, "vdbench.rate", ""),
            [Some(1_200.0), Some(1_000.0)]
        );
        assert_eq!(values(cut, "vdbench.write_resp_ms", ""), [None]);
        assert!(cut.load.is_none() && cut.lossy[1].contains("missing"));
        assert_eq!(
            (whole.name.as_str(), whole.facts["bs"].as_str()),
            ("rd1", "4096")
        );
    }
}
