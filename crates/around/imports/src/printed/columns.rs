//! What the columns of sysstat's tables mean: our field where it is the same, the unit, and what makes it so.

/// What a column is.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintedColumn {
    /// Field, or the tool's own word after the tool's name.
    pub field: String,
    /// Unit of the values once they are multiplied.
    pub unit: &'static str,
    /// What to multiply by.
    pub factor: f64,
    /// What had to be decided about its unit.
    pub note: Option<&'static str>,
}

/// kB of sysstat's tools.
pub const KB: &str = "kB is 1,024 bytes: sysstat divides sectors by two";
const MB: &str = "MB is 1,048,576 bytes: sysstat divides sectors by 2,048";
const SECTORS: &str = "a sector is 512 bytes, whatever the device's block is";
const BLOCKS: &str = "a block (Blk) is a sector of 512 bytes, as since Linux 2.4";
const REQUEST_SECTORS: &str = "avgrq-sz is in sectors of 512 bytes";
const REQUEST_KB: &str = "request sizes (areq-sz and its kin) are in kB of 1,024 bytes";

/// A column that stays as it is.
pub fn plain(field: impl Into<String>, unit: &'static str) -> Option<PrintedColumn> {
    Some(PrintedColumn {
        field: field.into(),
        unit,
        factor: 1.0,
        note: None,
    })
}

fn scaled(
    field: impl Into<String>,
    unit: &'static str,
    factor: f64,
    note: &'static str,
) -> Option<PrintedColumn> {
    Some(PrintedColumn {
        field: field.into(),
        unit,
        factor,
        note: Some(note),
    })
}

/// A column of the devices' tables of iostat and sar -d.
pub fn disk(tool: &str, name: &str) -> Option<PrintedColumn> {
    let own = |word: &str| format!("{tool}.{word}");
    match name {
        "r/s" => plain("disk.reads_per_s", "/s"),
        "w/s" => plain("disk.writes_per_s", "/s"),
        "d/s" => plain("disk.discards_per_s", "/s"),
        "f/s" => plain("disk.flushes_per_s", "/s"),
        "rrqm/s" => plain("disk.read_merges_per_s", "/s"),
        "wrqm/s" => plain("disk.write_merges_per_s", "/s"),
        "drqm/s" => plain("disk.discard_merges_per_s", "/s"),
        "rqm/s" | "tps" => plain(own(name), "/s"),
        "%rrqm" => plain("disk.read_merged_percent", "percent"),
        "%wrqm" => plain("disk.write_merged_percent", "percent"),
        "%drqm" => plain("disk.discard_merged_percent", "percent"),
        "r_await" => plain("disk.await_read_ms", "ms"),
        "w_await" => plain("disk.await_write_ms", "ms"),
        "d_await" => plain("disk.await_discard_ms", "ms"),
        "f_await" => plain("disk.await_flush_ms", "ms"),
        "await" | "svctm" => plain(own(name), "ms"),
        "avgqu-sz" | "aqu-sz" => plain("disk.queue_mean_ios", "ios"),
        "%util" => plain("disk.busy_percent", "percent"),
        "avgrq-sz" => scaled(own("request_size_bytes"), "bytes", 512.0, REQUEST_SECTORS),
        "areq-sz" => scaled(own("request_size_bytes"), "bytes", 1024.0, REQUEST_KB),
        "rareq-sz" => scaled("disk.size_read_bytes", "bytes", 1024.0, REQUEST_KB),
        "wareq-sz" => scaled("disk.size_write_bytes", "bytes", 1024.0, REQUEST_KB),
        "dareq-sz" => scaled("disk.size_discard_bytes", "bytes", 1024.0, REQUEST_KB),
        "rd_sec/s" => scaled("disk.read_bytes_per_s", "bytes/s", 512.0, SECTORS),
        "wr_sec/s" => scaled("disk.write_bytes_per_s", "bytes/s", 512.0, SECTORS),
        _ => bytes(tool, name),
    }
}

/// `rkB/s`, `kB_wrtn`, `Blk_read/s`: a direction around a unit.
fn bytes(tool: &str, name: &str) -> Option<PrintedColumn> {
    let units: [(&str, f64, &'static str); 4] = [
        ("kB", 1024.0, KB),
        ("MB", 1_048_576.0, MB),
        ("sec", 512.0, SECTORS),
        ("Blk", 512.0, BLOCKS),
    ];
    let (place, (unit, factor, note)) = units
        .into_iter()
        .find_map(|one| Some((name.find(one.0)?, one)))?;
    let (before, after) = (&name[..place], &name[place + unit.len()..]);
    let (direction, is_rate) = match after.strip_suffix("/s") {
        Some(direction) => (direction, true),
        None => (after, false),
    };
    let side = match (before, direction) {
        ("r", "") | ("", "_read") => "read",
        ("w", "") | ("", "_wrtn") => "write",
        ("d", "") | ("", "_dscd") => "discard",
        ("", "_w+d") => "write_and_discard",
        ("", "") => "total",
        _ => return None,
    };
    match (is_rate, side) {
        (true, "read" | "write" | "discard") => {
            scaled(format!("disk.{side}_bytes_per_s"), "bytes/s", factor, note)
        }
        (true, _) => scaled(
            format!("{tool}.{side}_bytes_per_s"),
            "bytes/s",
            factor,
            note,
        ),
        (false, "total") => None,
        (false, _) => scaled(format!("{tool}.{side}_bytes"), "bytes", factor, note),
    }
}

/// A column of CPU shares. `%system` is with interrupts in it, as `%sys` is not.
pub fn cpu(tool: &str, name: &str) -> Option<PrintedColumn> {
    let percent = |field: String| plain(field, "percent");
    match name {
        "%user" | "%system" | "%usr" | "%nice" | "%guest" | "%gnice" => {
            percent(format!("{tool}.{name}"))
        }
        "%sys" => percent("cpu.system_percent".into()),
        "%iowait" => percent("cpu.iowait_percent".into()),
        "%irq" => percent("cpu.irq_percent".into()),
        "%soft" => percent("cpu.softirq_percent".into()),
        "%steal" => percent("cpu.steal_percent".into()),
        "%idle" => percent("cpu.idle_percent".into()),
        _ => None,
    }
}

/// Which column counts the I/Os that a mean is over: where it is 0 there is no mean, though 0.00 is printed.
pub fn counted_by(name: &str) -> &'static [&'static str] {
    match name {
        "r_await" | "rareq-sz" => &["r/s"],
        "w_await" | "wareq-sz" => &["w/s"],
        "d_await" | "dareq-sz" => &["d/s"],
        "f_await" => &["f/s"],
        "await" | "svctm" | "avgrq-sz" | "areq-sz" => &["tps", "r/s", "w/s"],
        _ => &[],
    }
}

/// The values of a row in the units of their columns; none for a mean over nothing.
pub fn values(
    names: &[&str],
    columns: &[Option<PrintedColumn>],
    numbers: &[f64],
) -> Vec<Option<f64>> {
    let rate = |name: &str| {
        names
            .iter()
            .position(|one| *one == name)
            .and_then(|at| numbers.get(at))
    };
    let is_over_nothing = |name: &str| {
        let mut rates = counted_by(name).iter().filter_map(|by| rate(by)).peekable();
        rates.peek().is_some() && rates.all(|rate| *rate == 0.0)
    };
    let each = names.iter().zip(columns).zip(numbers);
    each.map(|((name, column), number)| {
        let column = column.as_ref()?;
        (*number != 0.0 || !is_over_nothing(name)).then_some(number * column.factor)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_stand_on_either_side_of_the_unit() {
        let of = |name: &str| {
            disk("iostat", name).map(|column| (column.field, column.unit, column.factor))
        };
        assert_eq!(
            of("rMB/s"),
            Some(("disk.read_bytes_per_s".into(), "bytes/s", 1_048_576.0))
        );
        assert_eq!(
            of("wsec/s"),
            Some(("disk.write_bytes_per_s".into(), "bytes/s", 512.0))
        );
        assert_eq!(
            of("Blk_wrtn"),
            Some(("iostat.write_bytes".into(), "bytes", 512.0))
        );
        assert_eq!(
            of("kB_dscd/s"),
            Some(("disk.discard_bytes_per_s".into(), "bytes/s", 1024.0))
        );
        assert_eq!(
            of("kB_w+d/s"),
            Some((
                "iostat.write_and_discard_bytes_per_s".into(),
                "bytes/s",
                1024.0
            ))
        );
        assert_eq!(
            of("kB/s"),
            Some(("iostat.total_bytes_per_s".into(), "bytes/s", 1024.0))
        );
        assert_eq!((of("kB"), of("Device:"), of("seconds")), (None, None, None));
    }

    #[test]
    fn a_mean_over_nothing_is_none() {
        let names = ["r/s", "r_await", "w/s", "w_await"];
        let columns = names.map(|name| disk("iostat", name));
        assert_eq!(
            values(&names, &columns, &[0.0, 0.0, 5.0, 0.0]),
            [Some(0.0), None, Some(5.0), Some(0.0)]
        );
    }
}
