//! What each value gives and costs, as a small table under a verdict.

use view::tradeoffs::{TradeOff, TradeOffs};

const HEAD: &str = "trade-offs";

/// The rows, as wide as their longest cells.
pub(super) fn lines(table: &TradeOffs) -> Vec<String> {
    let head: Vec<&str> = [HEAD]
        .into_iter()
        .chain(table.goals.iter().copied())
        .collect();
    let rows: Vec<Vec<&str>> = table.rows.iter().map(cells).collect();
    let width = |column: usize| {
        let all = rows.iter().chain([&head]);
        let longest = all.filter_map(|row| row.get(column).map(|cell| cell.chars().count()));
        longest.max().unwrap_or(0)
    };
    let line = |row: &[&str]| {
        let padded = row.iter().enumerate().map(|(column, cell)| match column {
            0 => format!("{cell:<0$}", width(0)),
            _ => format!("  {cell:>0$}", width(column)),
        });
        format!("  {}", padded.collect::<String>())
    };
    let told = rows
        .iter()
        .zip(&table.rows)
        .map(|(row, value)| match value.remark() {
            Some(remark) => format!("{}  {remark}", line(row)),
            None => line(row),
        });
    [line(&head)].into_iter().chain(told).collect()
}

fn cells(row: &TradeOff) -> Vec<&str> {
    [row.arm.as_str()]
        .into_iter()
        .chain(row.cells.iter().map(String::as_str))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_each_other() {
        let row = |arm: &str, cells: [&str; 2], beaten_by: Option<&str>| TradeOff {
            arm: arm.into(),
            cells: cells.map(String::from).into(),
            beaten_by: beaten_by.map(String::from),
        };
        let table = TradeOffs {
            goals: vec!["IOPS", "p99"],
            rows: vec![
                row("mq-deadline", ["41.2 k", "2.10 ms"], None),
                row("none", ["+5.1 %", "+18 %"], None),
                row("bfq", ["−16 %", "same"], Some("mq-deadline")),
            ],
        };
        assert_eq!(
            lines(&table).join("\n"),
            "  trade-offs     IOPS      p99\n  \
             mq-deadline  41.2 k  2.10 ms\n  \
             none         +5.1 %    +18 %\n  \
             bfq           −16 %     same  mq-deadline is better, and worse in nothing"
        );
    }
}
