//! # Commits per second of PostgreSQL
//!
//! ## What it measures
//! The growth of `sum(xact_commit)` in `pg_stat_database`: the transactions that all databases of the server commit,
//! whoever asks for them. It is asked four times a second through one `psql` that stays open; each question is rolled
//! back, so none of them counts.
//!
//! ## When to use it
//! For a database in production (`--ioengine none`): the server says itself how much it gets done, and nothing has to be
//! started. Beside `--command` it judges a load that prints no rate, and beside a load of iodyno's own it shows what that load
//! costs the database.
//!
//! ## Limits
//! A server publishes late: from PostgreSQL 15 on each connection adds its commits to the counters at most once a second,
//! when a transaction ends (`PGSTAT_MIN_INTERVAL`); until 14 a collector writes them twice a second. So each window is
//! told a second and a half after its end, with its setting still in place, and a window of a second takes two and a half.
//! A transaction that takes longer than a window belongs to the window in which it commits. A decision needs about five
//! minutes. Read-only transactions count like others.
//!
//! `--sql-client` says how psql is started; without it `psql` is. It must connect without asking for a password (`~/.pgpass`,
//! peer authentication), and a password in its words is refused, because the list of processes shows it. Replicas count
//! their own commits only. Settings that act on what is still to be written (`vm.dirty_*`) are not judged by it.
//!
//! ## Example
//! ```text
//! iodyno tune /var/lib/postgresql --ioengine none --metric postgresql --sql-client 'sudo -u postgres psql' --budget 10m
//! ```

use crate::meter::outside::{Outside, Pace};
use crate::meter::sql::{Client, Sql};
use crate::meter::{AskedCounter, Counts, Meter, MeterOptions, asked};
use model::metric::{ExperimentMetric, PER_S};

/// A window of four values is a second: from there on a mean over a second is steady, whenever the connections publish.
/// On PostgreSQL 15 under pgbench with 1 and with 8 connections, windows of 0.75 s scattered by 60 and 41 % as published,
/// and by 20 and 19 % as means over the second behind them, which is what the rate itself did.
const PACE: Pace = Pace {
    every_ms: 250,
    lag_ms: 1_000,
};

/// `ROLLBACK` keeps the question out of `xact_commit`: on an idle PostgreSQL 15 seventy of them added nothing.
const CLIENT: Client = Client {
    usual: "psql",
    start: "psql",
    // -w: nobody is there to type a password.
    words: "-X -q -A -t -w",
    greeting: "SET application_name = 'iodyno'; SET statement_timeout = '10s';\n",
    question: "BEGIN;\nSELECT sum(xact_commit)::bigint FROM pg_stat_database;\nROLLBACK;\n",
    count,
    own: 0.0,
    is_secret: |_| false,
    advice: "Say with --sql-client how psql reaches the server, as in --sql-client 'sudo -u postgres psql -p 5433'",
};

/// The meter.
pub static METER: Meter = Meter {
    id: "postgresql",
    metric: |_| metric(),
    counts: Counts::Program,
    least_amount: |_| 0,
    unfit: |_| None,
    options: &["--sql-client"],
    ask: Some(ask),
    of_load: None,
    open: asked,
};

fn metric() -> ExperimentMetric {
    ExperimentMetric {
        grain_ms: PACE.every_ms,
        ..ExperimentMetric::rate("commits", PER_S)
    }
}

fn ask(options: &MeterOptions) -> Result<AskedCounter, String> {
    let command = options.sql_client.clone();
    let outside = Outside::ask(move || Ok((Sql::start(CLIENT, command.as_deref())?, PACE)))?;
    Ok(AskedCounter {
        metric: metric(),
        outside,
    })
}

fn count(line: &str) -> Option<f64> {
    line.trim().parse::<u64>().ok().map(|count| count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_with_nothing_but_a_number_is_the_answer() {
        assert_eq!(count("910"), Some(910.0));
        assert_eq!(count(" 12345678901234 "), Some(12_345_678_901_234.0));
        for other in [
            "",
            "NULL",
            "910 rows",
            "-1",
            "1.5",
            "WARNING:  there is no transaction in progress",
            "BEGIN",
        ] {
            assert_eq!(count(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn garbage_is_no_count(line in "\\PC*") {
            let digits = !line.trim().is_empty() && line.trim().bytes().all(|byte| byte.is_ascii_digit() || byte == b'+');
            prop_assert!(count(&line).is_none() || digits);
        }
    }
}
