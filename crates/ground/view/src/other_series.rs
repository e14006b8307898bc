//! What another tool printed over time, as tables with what they say: iostat, mpstat, sar, vmstat, pidstat.

use model::imported::ImportedSeries;
use model::units;

/// Values of things of one kind over the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesTable {
    /// Over what the values are: `means of 12 samples`, `since boot`.
    pub title: String,
    /// The things: disks, CPUs, processes; empty for the machine.
    pub subjects: Vec<String>,
    /// A row a quantity: its name, and a value of each thing.
    pub rows: Vec<(String, Vec<String>)>,
}

/// All series of one thing.
struct SubjectSeries<'a> {
    subject: &'a str,
    is_since_boot: bool,
    series: Vec<&'a ImportedSeries>,
}

impl SubjectSeries<'_> {
    fn labels(&self) -> Vec<String> {
        self.series.iter().map(|one| label(&one.field)).collect()
    }

    fn samples(&self) -> usize {
        let counts = self
            .series
            .iter()
            .map(|one| one.values.iter().flatten().count());
        counts.max().unwrap_or(0)
    }

    /// The mean of a field: `disk.await_read_ms`, or the word of the tool behind its name.
    fn mean(&self, names: &[&str]) -> Option<f64> {
        let is_it = |one: &&&ImportedSeries| names.contains(&own_name(&one.field));
        mean(self.series.iter().find(is_it)?)
    }
}

/// The tables, those of everything since boot last.
pub fn tables(series: &[ImportedSeries]) -> Vec<SeriesTable> {
    let mut tables: Vec<(Vec<String>, bool, SeriesTable)> = Vec::new();
    for group in groups(series) {
        let (labels, boot) = (group.labels(), group.is_since_boot);
        let cells = group.series.iter().map(|one| cell(one));
        let known = tables
            .iter_mut()
            .find(|(of, since, _)| *of == labels && *since == boot);
        match known {
            Some((_, _, table)) => {
                table.subjects.push(group.subject.into());
                table
                    .rows
                    .iter_mut()
                    .zip(cells)
                    .for_each(|(row, cell)| row.1.push(cell));
            }
            None => {
                let rows = labels.iter().cloned().zip(cells.map(|cell| vec![cell]));
                let table = SeriesTable {
                    title: title(&group),
                    subjects: vec![group.subject.into()],
                    rows: rows.collect(),
                };
                tables.push((labels, boot, table));
            }
        }
    }
    tables.sort_by_key(|(_, boot, _)| *boot);
    tables
        .into_iter()
        .map(|(_, _, table)| without_zeros(table))
        .collect()
}

/// A table of so many quantities, as of every interrupt, is told without those that are nothing anywhere.
const QUANTITIES_MAX: usize = 24;

fn without_zeros(mut table: SeriesTable) -> SeriesTable {
    if table.rows.len() > QUANTITIES_MAX {
        let is_zero = |cell: &String| matches!(cell.as_str(), "0" | "0/s" | "0 %" | "0 B/s" | "-");
        table.rows.retain(|(_, cells)| !cells.iter().all(is_zero));
    }
    table
}

/// What the values say together, and what they do not.
pub fn readings(series: &[ImportedSeries]) -> Vec<String> {
    let mut groups = groups(series);
    // What was counted since boot says little about a moment, and is all there is where iostat ran once.
    if groups.iter().any(|group| !group.is_since_boot) {
        groups.retain(|group| !group.is_since_boot);
    }
    let disks = groups.iter().flat_map(disk_readings);
    let cpus = full_cpu(&groups)
        .into_iter()
        .chain(interrupted_cpu(&groups));
    disks.chain(cpus).collect()
}

fn groups(series: &[ImportedSeries]) -> Vec<SubjectSeries<'_>> {
    let mut groups: Vec<SubjectSeries<'_>> = Vec::new();
    for one in series {
        let boot = one.field.contains(SINCE_BOOT);
        let is_it = |group: &&mut SubjectSeries<'_>| {
            group.subject == one.subject && group.is_since_boot == boot
        };
        match groups.iter_mut().find(is_it) {
            Some(group) => group.series.push(one),
            None => groups.push(SubjectSeries {
                subject: &one.subject,
                is_since_boot: boot,
                series: vec![one],
            }),
        }
    }
    groups
}

/// What the first report of iostat and vmstat is of.
const SINCE_BOOT: &str = ".since_boot.";

fn title(group: &SubjectSeries<'_>) -> String {
    match (group.is_since_boot, group.samples()) {
        (true, _) => "since boot".into(),
        (false, 1) => "one sample".into(),
        (false, samples) => format!("means of {samples} samples"),
    }
}

/// The name of a field without the tool's in front: `disk.await_read_ms`, `svctm`.
fn own_name(field: &str) -> &str {
    if let Some((_, name)) = field.split_once(SINCE_BOOT) {
        return name;
    }
    match field.split_once('.') {
        Some((tool, name)) if !OWN_FAMILIES.contains(&tool) => name,
        _ => field,
    }
}

/// Families of our own fields; what stands before other names is a tool.
const OWN_FAMILIES: [&str; 8] = [
    "disk", "cpu", "memory", "vm", "stat", "process", "irq", "net",
];

/// `await read` of `disk.await_read_ms`.
fn label(field: &str) -> String {
    let name = own_name(field);
    let last = name.rsplit('.').next().unwrap_or(name);
    let units = ["_percent", "_per_s", "_ms", "_ios"];
    let bare = units.iter().find_map(|unit| last.strip_suffix(unit));
    bare.unwrap_or(last).replace('_', " ")
}

fn mean(series: &ImportedSeries) -> Option<f64> {
    let values: Vec<f64> = series.values.iter().flatten().copied().collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn cell(series: &ImportedSeries) -> String {
    let Some(value) = mean(series) else {
        return "-".into();
    };
    match series.unit.as_str() {
        "percent" => units::percent(value),
        "bytes" => units::bytes(value),
        "bytes/s" => units::bytes_per_s(value),
        "ms" => units::duration_ns(value * 1e6),
        "/s" => format!("{}/s", units::rate(value)),
        _ => units::rate(value),
    }
}

/// Below this share of what requests take, svctm misleads.
const SVCTM_SHARE_MAX: f64 = 1.0 / 3.0;
/// Busy for so much of the time, a disk looks full.
const BUSY_PERCENT_MIN: f64 = 90.0;
/// More in flight than this is a queue.
const QUEUE_MIN: f64 = 2.0;

fn disk_readings(group: &SubjectSeries<'_>) -> Vec<String> {
    let disk = group.subject;
    let of = |names: &[&str]| group.mean(names);
    let rates = ["disk.reads_per_s", "disk.writes_per_s"].map(|name| of(&[name]));
    let rate = match rates {
        [None, None] => of(&["tps"]),
        known => Some(known.into_iter().flatten().sum()),
    };
    let rate = rate.filter(|rate: &f64| *rate > 0.0);
    let wait = of(&["await"]).or_else(|| mean_wait(group, rate?));
    let mut readings = Vec::new();
    let (queue, busy) = (of(&["disk.queue_mean_ios"]), of(&["disk.busy_percent"]));
    let is_busy = busy.is_some_and(|busy| busy >= BUSY_PERCENT_MIN);
    if let (Some(queue), Some(rate), true) =
        (queue.filter(|queue| *queue >= QUEUE_MIN), rate, is_busy)
    {
        readings.push(format!(
            "{disk} always had something to do ({busy} busy), and {in_flight} requests at once: at {rate} a second each takes {each}. \
             Busy does not mean full: `iodyno run {disk} --sweep iodepth=1,4,16,64` shows whether it can do more.",
            busy = units::percent_whole(busy.unwrap_or_default()),
            in_flight = units::rate(queue),
            rate = units::rate(rate),
            each = units::duration_ns(queue / rate * 1e9),
        ));
    }
    let svctm = of(&["svctm"]).filter(|svctm| *svctm > 0.0);
    if let Some((svctm, wait)) = svctm
        .zip(wait)
        .filter(|(svctm, wait)| *svctm < wait * SVCTM_SHARE_MAX)
    {
        readings.push(format!(
            "svctm of {disk} ({}) is its busy time divided by its rate, which no request takes: await ({}) is what they take.",
            units::duration_ns(svctm * 1e6),
            units::duration_ns(wait * 1e6),
        ));
    }
    readings
}

/// The mean wait of reads and writes, ms.
fn mean_wait(group: &SubjectSeries<'_>, rate: f64) -> Option<f64> {
    let part = |rate: &str, wait: &str| Some(group.mean(&[rate])? * group.mean(&[wait])?);
    let reads = part("disk.reads_per_s", "disk.await_read_ms");
    let writes = part("disk.writes_per_s", "disk.await_write_ms");
    Some((reads? + writes?) / rate)
}

/// A CPU that is this idle at the most is full, while the others have as much left as this on average, percent.
const FULL_IDLE_MAX: f64 = 10.0;
const ROOM_IDLE_MIN: f64 = 30.0;
/// As much of a CPU in interrupts is worth a word, percent.
const INTERRUPTS_MIN: f64 = 20.0;

/// Interrupts a second below which nobody need care, and the share of all that makes one CPU the only one.
const INTERRUPTS_PER_S_MIN: f64 = 2000.0;
const INTERRUPTS_SHARE_MIN: f64 = 0.8;

/// One CPU that takes nearly all interrupts of devices.
fn interrupted_cpu(groups: &[SubjectSeries<'_>]) -> Option<String> {
    let is_cpu = |group: &&SubjectSeries<'_>| {
        !group.subject.is_empty() && group.subject.bytes().all(|byte| byte.is_ascii_digit())
    };
    // mpstat -I CPU has a column for each interrupt's number; those with names are timers and calls between CPUs.
    let of_devices = |group: &SubjectSeries<'_>| -> Vec<(String, f64)> {
        let each = group.series.iter().filter_map(|one| {
            let number = own_name(&one.field).strip_suffix("/s")?;
            let is_device = number.bytes().all(|byte| byte.is_ascii_digit());
            Some((number.to_string(), mean(one)?)).filter(|_| is_device)
        });
        each.collect()
    };
    let rate = |group: &SubjectSeries<'_>| {
        let counted: f64 = of_devices(group).iter().map(|(_, rate)| rate).sum();
        group.mean(&["intr/s"]).unwrap_or(0.0).max(counted)
    };
    let cpus: Vec<(&SubjectSeries<'_>, f64)> = groups
        .iter()
        .filter(is_cpu)
        .map(|group| (group, rate(group)))
        .collect();
    let all: f64 = cpus.iter().map(|(_, rate)| rate).sum();
    let (cpu, most) = cpus.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    if cpus.len() < 2 || *most < INTERRUPTS_PER_S_MIN || *most < INTERRUPTS_SHARE_MIN * all {
        return None;
    }
    let busiest = of_devices(cpu)
        .into_iter()
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let busiest = busiest.map_or(String::new(), |(number, rate)| {
        format!(", {} of them interrupt {number}", units::rate(rate))
    });
    Some(format!(
        "CPU {} takes {} of {} interrupts a second{busiest}: where it is busy, the device waits for it. \
         /proc/irq/*/smp_affinity_list says who may take them.",
        cpu.subject,
        units::rate(*most),
        units::rate(all),
    ))
}

/// One full CPU among others with room.
fn full_cpu(groups: &[SubjectSeries<'_>]) -> Option<String> {
    let idle = |group: &SubjectSeries<'_>| group.mean(&["cpu.idle_percent"]);
    let cpus: Vec<(&SubjectSeries<'_>, f64)> = groups
        .iter()
        .filter(|group| group.subject.bytes().all(|byte| byte.is_ascii_digit()))
        .filter_map(|group| Some((group, idle(group)?)))
        .collect();
    let (fullest, left) = cpus.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let others: Vec<f64> = cpus.iter().map(|(_, idle)| *idle).collect();
    let others_left = (others.iter().sum::<f64>() - left) / (others.len() as f64 - 1.0);
    if others.len() < 2 || *left > FULL_IDLE_MAX || others_left < ROOM_IDLE_MIN {
        return None;
    }
    let of = |name: &str| fullest.mean(&[name]).unwrap_or(0.0);
    let interrupts = of("cpu.irq_percent") + of("cpu.softirq_percent");
    let what = match interrupts >= INTERRUPTS_MIN {
        true => format!(
            "{} of it in interrupts: those of a device come to this one CPU, which limits the device",
            units::percent_whole(interrupts)
        ),
        false => "so what runs there is limited by that CPU, and not by a disk".into(),
    };
    Some(format!(
        "CPU {} is {} busy while the others are {}, {what}.",
        fullest.subject,
        units::percent_whole(100.0 - left),
        units::percent_whole(100.0 - others_left),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(field: &str, subject: &str, unit: &str, values: &[f64]) -> ImportedSeries {
        ImportedSeries {
            field: field.into(),
            subject: subject.into(),
            unit: unit.into(),
            time_ms: (0..values.len()).map(|at| at as f64 * 1e3).collect(),
            values: values.iter().copied().map(Some).collect(),
        }
    }

    fn iostat() -> Vec<ImportedSeries> {
        vec![
            series("iostat.since_boot.%user", "all", "percent", &[1.0]),
            series("disk.reads_per_s", "sdb", "/s", &[0.0, 0.0]),
            series("disk.writes_per_s", "sdb", "/s", &[29_000.0, 31_000.0]),
            series("disk.queue_mean_ios", "sdb", "ios", &[255.0, 257.0]),
            series("iostat.await", "sdb", "ms", &[8.4, 8.6]),
            series("iostat.svctm", "sdb", "ms", &[0.03, 0.03]),
            series("disk.busy_percent", "sdb", "percent", &[100.0, 100.0]),
        ]
    }

    #[test]
    fn values_stand_in_tables_of_things_alike() {
        let found = tables(&iostat());
        let titles: Vec<&str> = found.iter().map(|table| table.title.as_str()).collect();
        assert_eq!(titles, ["means of 2 samples", "since boot"]);
        let row = |label: &str| {
            let row = found[0].rows.iter().find(|row| row.0 == label);
            row.map(|row| row.1[0].as_str())
        };
        assert_eq!(row("writes"), Some("30.0 k/s"));
        assert_eq!(row("await"), Some("8.50 ms"));
        assert_eq!(row("busy"), Some("100 %"));
        assert_eq!(
            found[1].rows,
            [("%user".to_string(), vec!["1.0 %".to_string()])]
        );
        let cpus = ["0", "1"].map(|cpu| series("cpu.idle_percent", cpu, "percent", &[50.0]));
        let cpus = tables(&cpus);
        assert_eq!(cpus.len(), 1);
        assert_eq!(cpus[0].subjects, ["0", "1"]);
        assert!(tables(&[]).is_empty());
    }

    #[test]
    fn a_busy_disk_and_its_svctm_are_read() {
        let told = readings(&iostat());
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(
            told[0].contains("256 requests at once") && told[0].contains("8.53 ms"),
            "{told:?}"
        );
        assert!(
            told[1].starts_with("svctm of sdb (30.0 µs)") && told[1].contains("await (8.50 ms)")
        );
    }

    #[test]
    fn a_cpu_that_takes_all_interrupts_is_named_with_the_busiest() {
        let cpu = |cpu: &str, rate: f64| {
            [
                series("mpstat.36/s", cpu, "/s", &[rate]),
                series("mpstat.LOC/s", cpu, "/s", &[9000.0]),
            ]
        };
        let told = readings(&[cpu("0", 100.0), cpu("1", 80_000.0)].concat());
        assert_eq!(told.len(), 1);
        let wanted =
            "CPU 1 takes 80.0 k of 80.1 k interrupts a second, 80.0 k of them interrupt 36";
        assert!(told[0].starts_with(wanted), "{told:?}");
        assert!(readings(&[cpu("0", 40_000.0), cpu("1", 40_000.0)].concat()).is_empty());
    }

    #[test]
    fn a_full_cpu_is_named_with_what_fills_it() {
        let cpu = |cpu: &str, idle: f64, softirq: f64| {
            [
                series("cpu.idle_percent", cpu, "percent", &[idle]),
                series("cpu.softirq_percent", cpu, "percent", &[softirq]),
            ]
        };
        let all =
            |full: [ImportedSeries; 2]| [cpu("0", 90.0, 1.0), full, cpu("2", 80.0, 0.0)].concat();
        let told = readings(&all(cpu("1", 2.0, 63.0)));
        assert_eq!(told.len(), 1);
        assert!(
            told[0].starts_with(
                "CPU 1 is 98 % busy while the others are 15 %, 63 % of it in interrupts"
            ),
            "{told:?}"
        );
        let told = readings(&all(cpu("1", 2.0, 3.0)));
        assert!(told[0].contains("not by a disk"), "{told:?}");
        assert!(readings(&all(cpu("1", 40.0, 3.0))).is_empty());
        assert!(readings(&[cpu("0", 1.0, 0.0), cpu("1", 2.0, 0.0)].concat()).is_empty());
        assert!(readings(&cpu("0", 1.0, 0.0)).is_empty());
    }
}
