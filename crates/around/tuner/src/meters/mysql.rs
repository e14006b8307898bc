//! # Questions per second of MySQL or MariaDB
//!
//! ## What it measures
//! The growth of `Questions` in `SHOW GLOBAL STATUS`: the statements that clients send to the server, whoever they are. It
//! is asked ten times a second through one client that stays open; its own questions are taken off.
//!
//! ## When to use it
//! For a server in production (`--ioengine none`): the server says itself how much it gets done, and nothing has to be
//! started. Beside `--command` it judges a load that prints no rate, and beside a load of iodyno's own it shows what that load
//! costs the server.
//!
//! ## Limits
//! A statement counts when it begins, however long it takes; statements inside of stored programs do not count. Ten
//! statements a second of about a millisecond each are what asking costs. `FLUSH STATUS` sets the counter back, and the window
//! in which that happens is dropped.
//!
//! `--sql-client` says how the client is started; without it `mysql` is, or `mariadb` where there is no `mysql`. It must
//! connect without asking for a password (`~/.my.cnf`, socket authentication), and a password in its words is refused, because
//! the list of processes shows it. Settings that act on what is still to be written (`vm.dirty_*`) are not judged by it.
//!
//! ## Example
//! ```text
//! iodyno tune /var/lib/mysql --ioengine none --metric mysql --sql-client 'mariadb -u monitor' --budget 10m
//! ```

use crate::meter::outside::{Outside, Pace};
use crate::meter::sql::{Client, Sql};
use crate::meter::{AskedCounter, Counts, Meter, MeterOptions, asked};
use model::metric::{ExperimentMetric, PER_S};

/// Two answers a value: the server adds up what its threads counted at each question, so nothing is late.
const GRAIN_MS: u64 = 200;
const PACE: Pace = Pace {
    every_ms: 100,
    lag_ms: 0,
};

/// On MariaDB 10.11 three of these in a row say 1, 2 and 3: each counts itself, before it is answered.
const CLIENT: Client = Client {
    usual: "mysql",
    // MariaDB 11 brings it under its own name alone.
    start: "$(command -v mysql || command -v mariadb || echo mysql)",
    // Plain lines without a head, each as soon as it is there, and no second server behind a lost connection.
    words: "--batch --skip-column-names --unbuffered --skip-reconnect",
    greeting: "",
    question: "SHOW GLOBAL STATUS LIKE 'Questions';\n",
    count,
    own: 1.0,
    is_secret,
    advice: "Say with --sql-client how the client reaches the server, as in --sql-client 'mariadb -u monitor'",
};

/// The meter.
pub static METER: Meter = Meter {
    id: "mysql",
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
        grain_ms: GRAIN_MS,
        ..ExperimentMetric::rate("questions", PER_S)
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
    let (name, value) = line.trim().split_once('\t')?;
    let value = value.trim().parse::<u64>().ok();
    value
        .filter(|_| name == "Questions")
        .map(|count| count as f64)
}

/// `-pPASSWORD`, all of it one word: `-p` alone asks for one, and `-P` is a port.
fn is_secret(word: &str) -> bool {
    word.strip_prefix("-p").is_some_and(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_line_of_the_counter_is_the_answer() {
        assert_eq!(count("Questions\t910"), Some(910.0));
        for other in [
            "",
            "910",
            "Questions",
            "Questions\t",
            "Queries\t5",
            "Questions\t-1",
            "Questions 5",
            "Variable_name\tValue",
        ] {
            assert_eq!(count(other), None, "{other}");
        }
    }

    #[test]
    fn a_password_behind_p_is_one_and_a_port_is_none() {
        assert!(is_secret("-phunter2") && is_secret("-p1234"));
        assert!(
            !is_secret("-p")
                && !is_secret("-P3307")
                && !is_secret("--port=3307")
                && !is_secret("monitor")
        );
    }

    proptest! {
        #[test]
        fn garbage_is_no_count(line in "\\PC*") {
            prop_assert!(count(&line).is_none());
        }
    }
}
