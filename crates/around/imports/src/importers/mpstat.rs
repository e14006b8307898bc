//! # mpstat
//!
//! Shares of each CPU's time and its interrupts, as series.
//!
//! ## What it reads
//! `mpstat -P ALL`, `-I SUM`, `-I CPU`, `-I SCPU`, `-N`, `-A` as text, of sysstat 9 to 12, in any language. `%usr` and
//! `%guest` together are `cpu.user_percent`, as the kernel counts them; `BLOCK/s` is `softirq.cpu.block_per_s`. A line of
//! interrupts on a CPU is `mpstat.24/s`. The subject is the CPU, `all` for all of them, `node0` for those of a node.
//!
//! ## What is lost
//! The text does not say which zone its times are of: series begin at 0. mpstat without an interval prints what was since
//! boot; such a table stands under `mpstat.since_boot.` and not among the others.
//!
//! ## Example
//! `LC_ALL=C mpstat -P ALL -I SCPU 1 60 >mpstat.txt; iodyno import mpstat.txt`

use crate::pieces::Pieces;
use crate::printed::columns::{self, PrintedColumn, plain};
use crate::printed::tables::{self, PrintedCell, Tool};
use crate::{How, Importer, Text};

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "mpstat",
    since: "0.1",
    reads: "mpstat -P ALL and -I, sysstat 9 to 12",
    how: How::Text(find),
};

static TOOL: Tool = Tool {
    name: "mpstat",
    head,
    alone_is_since_boot: true,
};

const SUMS: &str =
    "user_percent is %usr and %guest, nice_percent %nice and %gnice: as the kernel counts them";

fn find(text: &Text, pieces: &mut Pieces) {
    tables::find(text, &TOOL, pieces);
}

fn head(words: &[&str]) -> Option<Vec<PrintedCell>> {
    let (first, rest) = words.split_first()?;
    if !["CPU", "NODE"].contains(first) || rest.is_empty() {
        return None;
    }
    let place = |name: &str| rest.iter().position(|word| *word == name);
    let is_shares = match (place("%irq"), place("%steal")) {
        (Some(irq), Some(steal)) => irq < steal,
        (Some(_), None) => true,
        _ => false,
    };
    let is_interrupts = rest
        .iter()
        .all(|word| word.len() > 2 && word.ends_with("/s"));
    let cell: fn(&str) -> PrintedCell = match (is_shares, is_interrupts) {
        (true, _) => share,
        (_, true) => interrupts,
        _ => return None,
    };
    let subject = std::iter::once(PrintedCell::Subject);
    // The physical node in front of the CPUs of `-N` with topology columns says nothing about time.
    Some(subject.chain(rest.iter().map(|word| cell(word))).collect())
}

fn share(name: &str) -> PrintedCell {
    let sum = |field: &str| {
        PrintedCell::Sum(PrintedColumn {
            field: field.into(),
            unit: "percent",
            factor: 1.0,
            note: Some(SUMS),
        })
    };
    match name {
        // sysstat 9 calls it %user and means the same.
        "%usr" | "%user" | "%guest" => sum("cpu.user_percent"),
        "%nice" | "%gnice" => sum("cpu.nice_percent"),
        _ => columns::cpu("mpstat", name)
            .or_else(|| rate(name))
            .map_or(PrintedCell::Skip, PrintedCell::Value),
    }
}

fn interrupts(name: &str) -> PrintedCell {
    rate(name).map_or(PrintedCell::Skip, PrintedCell::Value)
}

fn rate(name: &str) -> Option<PrintedColumn> {
    let of = name.strip_suffix("/s")?;
    let field = match of {
        "BLOCK" | "IRQ_POLL" | "TIMER" | "TASKLET" => {
            format!("softirq.cpu.{}_per_s", of.to_ascii_lowercase())
        }
        "BLOCK_IOPOLL" => "softirq.cpu.irq_poll_per_s".into(),
        _ => format!("mpstat.{name}"),
    };
    plain(field, "/s")
}

#[cfg(test)]
mod tests {
    use crate::printed::fixtures::{only, series, values};

    #[test]
    fn shares_and_interrupts_of_12() {
        let found = only("mpstat/12.6.1-P.txt");
        assert_eq!(
            values(&found, "cpu.softirq_percent", "1"),
            [Some(6.0), Some(10.1)]
        );
        assert_eq!(
            values(&found, "cpu.user_percent", "0"),
            [Some(41.58), Some(44.0)]
        );
        assert_eq!(
            series(&found, "cpu.irq_percent", "all").time_ms,
            [1_000.0, 2_000.0]
        );
        let found = only("mpstat/12.6.1-I.txt");
        assert!(series(&found, "softirq.cpu.block_per_s", "0").values.len() == 1);
        assert_eq!(series(&found, "mpstat.LOC/s", "1").unit, "/s");
        assert!(values(&found, "mpstat.intr/s", "all")[0].is_some_and(|rate| rate > 100.0));
    }

    #[test]
    fn a_table_alone_is_since_boot() {
        let found = only("mpstat/12.6.1-boot.txt");
        assert!(
            found
                .series
                .iter()
                .all(|one| one.field.starts_with("mpstat.since_boot.")),
            "{:?}",
            found.series
        );
        assert!(found.lossy[0].contains("since boot"));
    }

    #[test]
    fn one_cpu_takes_all_interrupts_in_chinese() {
        let found = only("mpstat/9.0.4-zh.txt");
        assert_eq!(values(&found, "mpstat.intr/s", "1"), [Some(80_000.0)]);
        assert_eq!(values(&found, "cpu.iowait_percent", "0"), [Some(24.0)]);
        assert_eq!(found.facts["host"], "store7");
    }
}
