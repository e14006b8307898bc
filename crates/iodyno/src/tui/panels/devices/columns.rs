//! The columns of the device table, and which of them fit.

use super::rows::DeviceRow;
use crate::tui::theme::Theme;
use model::units;
use ratatui::style::Style;

/// One column.
pub struct DeviceColumn {
    /// Its title.
    pub title: &'static str,
    /// Columns of the screen with the space before it.
    width: usize,
    /// When it is left out: the highest first.
    rank: u8,
    /// What stands in it.
    pub content: Content,
}

/// What stands in a column.
pub enum Content {
    /// The kernel's name with the cursor's mark.
    Name,
    /// The model.
    Model,
    /// Utilisation, where it means something.
    Busy,
    /// A field in words.
    Value(&'static str, fn(f64) -> String),
    /// The sum of fields over the last minute.
    Curve(&'static [&'static str]),
}

use Content::{Busy, Curve, Model, Name, Value};

const IOPS: &[&str] = &[
    "disk.reads_per_s",
    "disk.writes_per_s",
    "disk.discards_per_s",
];

/// Every column, from left to right.
static COLUMNS: &[DeviceColumn] = &[
    DeviceColumn {
        title: "DEVICE",
        width: 9,
        rank: 0,
        content: Name,
    },
    DeviceColumn {
        title: "MODEL",
        width: 17,
        rank: 14,
        content: Model,
    },
    DeviceColumn {
        title: "r/s",
        width: 6,
        rank: 1,
        content: Value("disk.reads_per_s", rate),
    },
    DeviceColumn {
        title: "w/s",
        width: 6,
        rank: 1,
        content: Value("disk.writes_per_s", rate),
    },
    DeviceColumn {
        title: "rMiB/s",
        width: 7,
        rank: 2,
        content: Value("disk.read_bytes_per_s", mebibytes),
    },
    DeviceColumn {
        title: "wMiB/s",
        width: 7,
        rank: 2,
        content: Value("disk.write_bytes_per_s", mebibytes),
    },
    DeviceColumn {
        title: "rSize",
        width: 6,
        rank: 10,
        content: Value("disk.size_read_bytes", size),
    },
    DeviceColumn {
        title: "wSize",
        width: 6,
        rank: 10,
        content: Value("disk.size_write_bytes", size),
    },
    DeviceColumn {
        title: "rAwait",
        width: 8,
        rank: 3,
        content: Value("disk.await_read_ms", time),
    },
    DeviceColumn {
        title: "wAwait",
        width: 8,
        rank: 3,
        content: Value("disk.await_write_ms", time),
    },
    DeviceColumn {
        title: "rMrg/s",
        width: 7,
        rank: 12,
        content: Value("disk.read_merges_per_s", rate),
    },
    DeviceColumn {
        title: "wMrg/s",
        width: 7,
        rank: 12,
        content: Value("disk.write_merges_per_s", rate),
    },
    DeviceColumn {
        title: "inflt",
        width: 6,
        rank: 4,
        content: Value("disk.queue_mean_ios", rate),
    },
    DeviceColumn {
        title: "busy",
        width: 6,
        rank: 5,
        content: Busy,
    },
    DeviceColumn {
        title: "flush/s",
        width: 8,
        rank: 11,
        content: Value("disk.flushes_per_s", rate),
    },
    DeviceColumn {
        title: "disc/s",
        width: 7,
        rank: 15,
        content: Value("disk.discards_per_s", rate),
    },
    DeviceColumn {
        title: "IOPS 60 s",
        width: 17,
        rank: 6,
        content: Curve(IOPS),
    },
    DeviceColumn {
        title: "write await 60 s",
        width: 18,
        rank: 16,
        content: Curve(&["disk.await_write_ms"]),
    },
];

/// Longest name that is shown whole.
const NAME_MAX: usize = 20;
/// Least characters of a curve.
const CURVE_MIN: usize = 13;
/// Columns that the mark for hidden columns takes where no curve leaves room above it.
const MARK: usize = 5;

impl DeviceColumn {
    /// Names and curves begin at their left end.
    pub fn is_left(&self) -> bool {
        !matches!(self.content, Busy | Value(..))
    }

    fn is_curve(&self) -> bool {
        matches!(self.content, Curve(_))
    }

    /// The width below which it is left out.
    fn least(&self) -> usize {
        match self.content {
            Curve(_) if self.width == 17 => CURVE_MIN + 2,
            _ => self.width,
        }
    }

    /// The space before it.
    pub fn gap(&self) -> &'static str {
        match self.content {
            Model => " ",
            Curve(_) => "  ",
            _ => "",
        }
    }

    /// The fields it shows.
    pub fn fields(&self) -> Vec<&'static str> {
        match self.content {
            Name | Model => vec![],
            Busy => vec!["disk.busy_percent"],
            Value(field, _) => vec![field],
            Curve(fields) => fields.to_vec(),
        }
    }

    /// Reads and writes have their colours; the letter in the title says it too.
    pub fn style(&self, theme: &Theme, row: &DeviceRow<'_>) -> Style {
        match self.content {
            Value(field, _) if row.get(field).is_none_or(|value| value == 0.0) => theme.faint(),
            Value(..) if self.title.starts_with('r') => theme.read(),
            Value(..) if self.title.starts_with('w') => theme.write(),
            Model => theme.faint(),
            _ => Style::new(),
        }
    }
}

/// The columns that fit with their widths, and how many do not.
pub fn fitting(width: usize, longest_name: usize) -> (Vec<(&'static DeviceColumn, usize)>, usize) {
    let mut by_rank: Vec<&DeviceColumn> = COLUMNS.iter().collect();
    by_rank.sort_by_key(|column| column.rank);
    let total = |count: usize| -> usize { by_rank[..count].iter().map(|one| one.least()).sum() };
    let has_curve = |count: usize| by_rank[..count].iter().any(|one| one.is_curve());
    let room = |count: usize| {
        let is_whole = count == by_rank.len() || has_curve(count);
        if is_whole {
            width
        } else {
            width.saturating_sub(MARK)
        }
    };
    let count = (1..=by_rank.len())
        .rev()
        .find(|count| total(*count) <= room(*count))
        .unwrap_or(1);
    let is_shown = |column: &&DeviceColumn| {
        by_rank[..count]
            .iter()
            .any(|one| std::ptr::eq(*one, *column))
    };
    let mut columns: Vec<(&DeviceColumn, usize)> = COLUMNS
        .iter()
        .filter(is_shown)
        .map(|column| (column, column.least()))
        .collect();
    widen(&mut columns, room(count) - total(count), longest_name);
    (columns, COLUMNS.len() - count)
}

/// Shares out what is left: to names and curves what they want, then to the model, then to the first curve.
fn widen(columns: &mut [(&DeviceColumn, usize)], mut spare: usize, longest_name: usize) {
    for (column, width) in columns.iter_mut() {
        let wanted = match column.content {
            Name => (longest_name + 2).clamp(*width, NAME_MAX + 2),
            Curve(_) => column.width,
            _ => *width,
        };
        let more = (wanted - *width).min(spare);
        *width += more;
        spare -= more;
    }
    if let Some((_, width)) = columns
        .iter_mut()
        .find(|(column, _)| matches!(column.content, Model))
    {
        let more = spare.min(14);
        *width += more;
        spare -= more;
    }
    if let Some((_, width)) = columns.iter_mut().find(|(column, _)| column.is_curve()) {
        *width += spare.min(45);
    }
}

/// Characters of the longest curve.
pub fn spark_cells(columns: &[(&DeviceColumn, usize)]) -> Vec<(&'static [&'static str], usize)> {
    let curves = columns
        .iter()
        .filter_map(|(column, width)| match column.content {
            Curve(fields) => Some((fields, width - column.gap().len())),
            _ => None,
        });
    curves.collect()
}

/// What the menu of columns offers: title and field; the name has no field.
pub fn sortable() -> Vec<(&'static str, &'static str)> {
    let column = |column: &DeviceColumn| match column.content {
        Name => Some((column.title, "")),
        Busy => Some((column.title, "disk.busy_percent")),
        Value(field, _) => Some((column.title, field)),
        Model | Curve(_) => None,
    };
    COLUMNS.iter().filter_map(column).collect()
}

/// Fields in the order of the table, each once.
pub fn explained() -> Vec<&'static str> {
    let mut fields: Vec<&'static str> = Vec::new();
    for field in COLUMNS.iter().flat_map(DeviceColumn::fields) {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    fields
}

/// `41.2k`, `640`, `0`.
fn rate(value: f64) -> String {
    units::rate(value).replace(' ', "")
}

/// The number of MiB.
fn mebibytes(value: f64) -> String {
    rate(value / f64::from(1 << 20))
}

/// `4.00K`: KiB, MiB.
fn size(value: f64) -> String {
    units::bytes(value)
        .replace(" B", "")
        .replace("iB", "")
        .replace(' ', "")
}

/// `88.0 µs`, `1.20 ms`.
fn time(value_ms: f64) -> String {
    units::duration_ns(value_ms * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(width: usize) -> (Vec<&'static str>, usize) {
        let (columns, hidden) = fitting(width, 7);
        let used: usize = columns.iter().map(|(_, width)| width).sum();
        assert!(used <= width, "{used} of {width}");
        assert_eq!(columns.len() + hidden, COLUMNS.len());
        (
            columns.iter().map(|(column, _)| column.title).collect(),
            hidden,
        )
    }

    #[test]
    fn eighty_columns_have_the_rates_the_times_and_the_minute() {
        let (shown, hidden) = titles(80);
        let expected = [
            "DEVICE",
            "r/s",
            "w/s",
            "rMiB/s",
            "wMiB/s",
            "rAwait",
            "wAwait",
            "inflt",
            "busy",
            "IOPS 60 s",
        ];
        assert_eq!(shown, expected);
        assert_eq!(hidden, COLUMNS.len() - 10);
    }

    #[test]
    fn every_width_keeps_the_name_and_wide_ones_have_all() {
        for width in 20..220 {
            assert_eq!(titles(width).0[0], "DEVICE");
        }
        assert_eq!(titles(170).1, 0);
        assert!(titles(160).0.contains(&"MODEL"));
    }

    #[test]
    fn figures_keep_their_width_and_unit() {
        assert_eq!(
            [
                rate(0.0),
                rate(0.4),
                rate(640.2),
                rate(41_234.0),
                rate(1.2e6)
            ],
            ["0", "0.40", "640", "41.2k", "1.20M"]
        );
        assert_eq!(
            [mebibytes(168_820_736.0), mebibytes(209_715.2)],
            ["161", "0.20"]
        );
        assert_eq!(
            [size(4096.0), size(512.0), size(1_048_576.0)],
            ["4.00K", "512", "1.00M"]
        );
        assert_eq!(
            [time(0.088), time(1.2), time(19.1), time(12_000.0)],
            ["88.0 µs", "1.20 ms", "19.1 ms", "12.0 s"]
        );
        for value in [
            0.0, 0.001, 0.5, 9.994, 9.996, 99.96, 999.6, 9_999.0, 99_960.0, 999_600.0, 9.9e6,
        ] {
            assert!(rate(value).chars().count() <= 5, "{}", rate(value));
            assert!(time(value).chars().count() <= 7, "{}", time(value));
        }
    }
}
