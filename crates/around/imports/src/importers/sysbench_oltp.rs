//! # sysbench OLTP
//!
//! What sysbench prints of its database tests: transactions and queries a second, how long a transaction took, and both
//! over time.
//!
//! ## What it reads
//! The result of `sysbench oltp_write_only run` and of every other test that ends in `SQL statistics:`, of 0.4 to 1.1:
//! counts and rates of transactions and queries, latency, threads, and the lines of `--report-interval` as series. Which
//! test it was stands in the command line above, where it was pasted too; without it, only whether queries read or wrote
//! is known.
//!
//! ## What is lost
//! Transactions and queries are no I/Os of a disk: a transaction may need many or none. They are kept as operations and
//! never as IOPS. One percentile is printed. 0.4 and 0.5 print no rate of queries: it is their count by the time. Which
//! database it was, and how large its tables, is not printed. Passwords of the command line are left out.
//!
//! ## Example
//! `sysbench oltp_write_only --report-interval=1 run >oltp.txt; iodyno import oltp.txt`

use crate::pieces::Pieces;
use crate::printed::number::number;
use crate::printed::series::PrintedSeries;
use crate::printed::sysbench::{self, SysbenchSums, SysbenchTest, after, count, interval};
use crate::{How, Importer, Text};
use model::imported::{Imported, LatencyFigures, LoadFigures, OperationFigures};

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "sysbench_oltp",
    since: "0.1",
    reads: "sysbench's database tests, 0.4 to 1.1",
    how: How::Text(find),
};

fn find(text: &Text, pieces: &mut Pieces) {
    sysbench::find::<OltpRun>(text, pieces);
}

/// How many, and how many a second.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    count: Option<u64>,
    per_s: Option<f64>,
}

/// A result that is being read.
#[derive(Default)]
struct OltpRun {
    sums: SysbenchSums,
    transactions: Counted,
    queries: Counted,
    reads: Option<u64>,
    writes: Option<u64>,
    /// Transactions that failed and were tried again, by sysbench's word for them.
    failed: Option<(&'static str, u64)>,
    series: PrintedSeries,
    /// The heading of the figures of SQL was seen.
    is_sql: bool,
}

impl SysbenchTest for OltpRun {
    fn line(&mut self, line: &str) -> bool {
        self.labelled(line) || self.interval(line) || self.sums.line(line)
    }

    fn is_over_at(&self, line: &str) -> bool {
        let begins = [
            "SQL statistics:",
            "OLTP test statistics:",
            "Running the test with",
        ];
        let is_new =
            || begins.iter().any(|begin| line.starts_with(begin)) || interval(line).is_some();
        self.transactions.count.is_some() && is_new()
    }

    fn finish(self, command: Option<&[&str]>) -> Option<Imported> {
        let load = self.load();
        if load.is_none() && self.series.is_empty() {
            return None;
        }
        let mut facts = self.sums.facts();
        let test = command.and_then(test_of);
        let told = [
            ("mode", test.map(str::to_string)),
            ("direction", self.direction().map(str::to_string)),
        ];
        for (name, value) in told {
            facts.extend(value.map(|value| (name.to_string(), value)));
        }
        if let Some((name, count)) = self.failed.filter(|(_, count)| *count > 0) {
            facts.insert(name.into(), count.to_string());
        }
        let lossy = match &load {
            Some(_) => "latencies are of whole transactions, rounded to 10 \u{b5}s",
            None => "the sums at the end are not there: only what was printed over time",
        };
        Some(Imported {
            tool: self.sums.tool(),
            name: test.unwrap_or("oltp").into(),
            lossy: vec![lossy.into()],
            load,
            series: self.series.finish(),
            facts,
            ..Imported::default()
        })
    }
}

impl OltpRun {
    /// `transactions:   33768  (1688.01 per sec.)`, and the counts of queries above it.
    fn labelled(&mut self, line: &str) -> bool {
        let Some((name, rest)) = line.split_once(':') else {
            return false;
        };
        let rest = rest.trim();
        let name = name.trim();
        match name {
            "SQL statistics" | "OLTP test statistics" if rest.is_empty() => self.is_sql = true,
            "queries performed" => return rest.is_empty(),
            "read" | "write" | "other" | "total" if self.is_sql => return self.query(name, rest),
            "transactions" => return set(&mut self.transactions, rest),
            "queries" => return set(&mut self.queries, rest),
            "ignored errors" | "deadlocks" | "reconnects" => return self.failure(name, rest),
            "read/write requests" | "other operations" => return counted(rest).is_some(),
            _ => return false,
        }
        true
    }

    /// `write:   135072`
    fn query(&mut self, name: &str, rest: &str) -> bool {
        let found = count(rest);
        match name {
            "read" => self.reads = found.or(self.reads),
            "write" => self.writes = found.or(self.writes),
            "total" => self.queries.count = found.or(self.queries.count),
            _ => {}
        }
        found.is_some()
    }

    /// `ignored errors:   12   (0.60 per sec.)`
    fn failure(&mut self, name: &str, rest: &str) -> bool {
        let found = counted(rest);
        if let Some(count) = found.and_then(|found| found.count) {
            match name {
                "ignored errors" => self.failed = Some(("ignored_errors", count)),
                "deadlocks" => self.failed = Some(("deadlocks", count)),
                _ => {}
            }
        }
        found.is_some()
    }

    /// `[ 10s ] thds: 16 tps: 1650.17 qps: 9907.20 (r/w/o: 0.00/6605.28/3301.92) lat (ms,95%): 15.83 err/s: 0.00 …`, and of
    /// 0.5 `[  10s] threads: 16, tps: 1650.20, reads: 0.00, writes: 6605.28, response time: 15.83ms (95%), errors: 0.00, …`
    fn interval(&mut self, line: &str) -> bool {
        let Some((at_ms, words)) = interval(line) else {
            return false;
        };
        let figure = |name: &str| number(after(&words, name)?.trim_end_matches([',', ')']));
        let Some(transactions) = figure("tps:") else {
            return false;
        };
        let sides = after(&words, "(r/w/o:").map(|word| word.trim_end_matches(')').split('/'));
        let mut sides = sides.into_iter().flatten().map(number);
        let (reads, writes) = (sides.next().flatten(), sides.next().flatten());
        for (field, value) in [
            ("sysbench.transactions_per_s", Some(transactions)),
            ("sysbench.queries_per_s", figure("qps:")),
            (
                "sysbench.read_queries_per_s",
                reads.or_else(|| figure("reads:")),
            ),
            (
                "sysbench.write_queries_per_s",
                writes.or_else(|| figure("writes:")),
            ),
            (
                "sysbench.errors_per_s",
                figure("err/s:").or_else(|| figure("errors:")),
            ),
        ] {
            if value.is_some() {
                self.series.push(field, "", "/s", at_ms, value);
            }
        }
        if let Some((per_cent, ms)) = interval_latency(&words) {
            // Where no transaction ended, none has a latency, though 0.00 is printed.
            let value = Some(ms).filter(|_| transactions > 0.0);
            let field = format!("sysbench.latency_p{per_cent}_ms");
            self.series.push(&field, "", "ms", at_ms, value);
        }
        true
    }

    fn load(&self) -> Option<LoadFigures> {
        let seconds = self
            .sums
            .elapsed_ms
            .filter(|ms| *ms > 0.0)
            .map(|ms| ms / 1e3);
        let operation = |name: &str, counted: Counted, latency: Option<LatencyFigures>| {
            let by_time = || Some(counted.count? as f64 / seconds?);
            let is_told = counted.count.is_some() || counted.per_s.is_some();
            is_told.then(|| OperationFigures {
                name: name.into(),
                count: counted.count,
                per_s: counted.per_s.or_else(by_time),
                latency,
            })
        };
        let transactions = operation("transactions", self.transactions, self.sums.event_latency())?;
        let queries = operation("queries", self.queries, None);
        Some(LoadFigures {
            elapsed_ms: self.sums.elapsed_ms,
            operations: std::iter::once(transactions).chain(queries).collect(),
            ..LoadFigures::default()
        })
    }

    /// What the queries did, from their counts.
    fn direction(&self) -> Option<&'static str> {
        match (self.reads? > 0, self.writes? > 0) {
            (true, true) => Some("reads and writes"),
            (true, false) => Some("reads"),
            (false, true) => Some("writes"),
            (false, false) => None,
        }
    }
}

/// `33768  (1688.01 per sec.)`; none of anything else.
fn counted(text: &str) -> Option<Counted> {
    let (first, rest) = text.split_once('(')?;
    let per_s = number(rest.strip_suffix("per sec.)")?.trim())?;
    Some(Counted {
        count: Some(count(first.trim())?),
        per_s: Some(per_s),
    })
}

fn set(place: &mut Counted, text: &str) -> bool {
    let found = counted(text);
    *place = found.unwrap_or(*place);
    found.is_some()
}

/// Per cent and ms of `lat (ms,95%): 15.83`, and of 0.5 `response time: 15.83ms (95%),`.
fn interval_latency(words: &[&str]) -> Option<(String, f64)> {
    let at = words
        .iter()
        .position(|word| ["lat", "time:"].contains(word))?;
    let (head, value) = match words.get(at..at + 3)? {
        ["lat", head, value] => (head.strip_prefix("(ms,")?, *value),
        [_, value, head] => (head.strip_prefix('(')?, value.strip_suffix("ms")?),
        _ => return None,
    };
    let (per_cent, _) = head.split_once('%')?;
    number(per_cent)?;
    Some((per_cent.to_string(), number(value)?))
}

/// The test that a command line calls: `oltp_write_only`, of `--test=/usr/share/doc/sysbench/tests/db/oltp.lua` too.
fn test_of<'a>(words: &[&'a str]) -> Option<&'a str> {
    let option = words.iter().find_map(|word| word.strip_prefix("--test="));
    let first = || {
        words
            .iter()
            .skip(1)
            .find(|word| !word.starts_with('-'))
            .copied()
    };
    let path = option.or_else(first)?;
    let name = path.rsplit('/').next()?.trim_end_matches(".lua");
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = !name.is_empty() && name.len() <= 40 && name.chars().all(is_word);
    Some(name).filter(|name| is_name && *name != "run")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::found;
    use crate::printed::fixtures::{only, values};

    fn operation<'a>(imported: &'a Imported, name: &str) -> &'a OperationFigures {
        let all = &imported.load.as_ref().unwrap().operations;
        all.iter().find(|one| one.name == name).unwrap()
    }

    #[test]
    fn transactions_and_queries_of_1_0_are_operations_and_no_ios() {
        let found = only("sysbench_oltp/1.0.20-write-only.txt");
        let transactions = operation(&found, "transactions");
        assert_eq!(
            (transactions.count, transactions.per_s),
            (Some(33_768), Some(1_688.01))
        );
        let latency = transactions.latency.as_ref().unwrap();
        assert_eq!(
            (latency.mean_ns, latency.max_ns, &latency.percentiles[..]),
            (
                Some(9_470_000.0),
                Some(71_200_000.0),
                &[(95.0, 15_270_000.0)][..]
            )
        );
        let queries = operation(&found, "queries");
        assert_eq!(
            (queries.count, queries.per_s),
            (Some(202_608), Some(10_128.04))
        );
        assert_eq!(found.load.as_ref().unwrap().sides().count(), 0);
        assert_eq!(
            (
                found.tool.as_str(),
                found.name.as_str(),
                found.facts["numjobs"].as_str()
            ),
            ("sysbench 1.0.20", "oltp_write_only", "16")
        );
        assert_eq!(
            (
                found.facts["direction"].as_str(),
                found.facts["ignored_errors"].as_str()
            ),
            ("writes", "3")
        );
        assert!(
            !found.facts["command"].contains("s3cret"),
            "{:?}",
            found.facts
        );
        assert_eq!(found.lines, Some((1, 41)));
    }

    #[test]
    fn seconds_without_a_transaction_have_no_latency() {
        let found = only("sysbench_oltp/1.0.20-write-only.txt");
        assert_eq!(
            values(&found, "sysbench.transactions_per_s", ""),
            [Some(1_650.17), Some(0.0), Some(1_725.4)]
        );
        assert_eq!(
            values(&found, "sysbench.queries_per_s", ""),
            [Some(9_907.2), Some(0.0), Some(10_352.41)]
        );
        assert_eq!(
            values(&found, "sysbench.write_queries_per_s", "")[0],
            Some(6_605.28)
        );
        assert_eq!(
            values(&found, "sysbench.latency_p95_ms", ""),
            [Some(15.83), None, Some(14.73)]
        );
    }

    #[test]
    fn the_rate_of_queries_of_0_4_and_0_5_is_their_count_by_the_time() {
        let old = only("sysbench_oltp/0.4.12.txt");
        assert_eq!(operation(&old, "transactions").per_s, Some(231.61));
        assert_eq!(operation(&old, "queries").per_s, Some(210_021.0 / 43.1805));
        let latency = operation(&old, "transactions").latency.clone().unwrap();
        assert_eq!(latency.percentiles, [(95.0, 74_940_000.0)]);
        assert_eq!(
            (
                old.facts["direction"].as_str(),
                old.facts["deadlocks"].as_str()
            ),
            ("reads and writes", "2")
        );
        let newer = only("sysbench_oltp/0.5.txt");
        assert_eq!(newer.name, "oltp");
        assert_eq!(
            values(&newer, "sysbench.latency_p95_ms", ""),
            [Some(15.83), Some(14.73)]
        );
        assert_eq!(
            values(&newer, "sysbench.write_queries_per_s", "")[1],
            Some(6_901.6)
        );
        let newest = only("sysbench_oltp/1.1.0.txt");
        let load = newest.load.as_ref().unwrap();
        assert_eq!(load.elapsed_ms, Some(10_003.0));
        assert_eq!(newest.name, "oltp_read_only");
    }

    #[test]
    fn runs_without_a_first_line_are_told_apart_and_a_cut_one_keeps_its_series() {
        let sums = |rate: &str| {
            format!(
                "[ 1s ] thds: 4 tps: {rate} qps: 9.00 (r/w/o: 1.00/2.00/6.00) lat (ms,99%): 2.50 err/s: 0.00 reconn/s: 0.00\n\
                 SQL statistics:\n  transactions: 10 ({rate} per sec.)\n  queries: 90 (9.00 per sec.)\n"
            )
        };
        let text = format!("{}\n{}", sums("10.00"), sums("20.00"));
        let pieces = found(find, &Text::new(&text));
        let rates: Vec<_> = pieces
            .iter()
            .map(|piece| operation(&piece.imported, "transactions").per_s)
            .collect();
        assert_eq!(rates, [Some(10.0), Some(20.0)]);
        assert_eq!(pieces[1].lines[0], 5..9);
        let cut = &found(find, &Text::new(&sums("10.00")[..90]))[0].imported;
        assert!(cut.load.is_none() && cut.lossy[0].contains("not there"));
        assert_eq!(values(cut, "sysbench.transactions_per_s", ""), [Some(10.0)]);
    }

    #[test]
    fn tests_are_named_by_their_command_line() {
        let of = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            test_of(&words).map(str::to_string)
        };
        for (line, wanted) in [
            (
                "sysbench oltp_write_only --threads=4 run",
                Some("oltp_write_only"),
            ),
            (
                "sysbench --threads=4 /usr/share/sysbench/oltp_insert.lua run",
                Some("oltp_insert"),
            ),
            (
                "sysbench --test=/usr/share/tests/db/oltp.lua run",
                Some("oltp"),
            ),
            ("sysbench --threads=4 run", None),
        ] {
            assert_eq!(of(line).as_deref(), wanted, "{line}");
        }
    }
}
