//! Which CPUs take the interrupts of the path's devices, and how busy they are with it.

use crate::figure::{Figure, FigureTable};
use crate::frame::{Size, both};
use crate::series::{log_of, seconds, subjects, total};
use crate::svg::{Anchor, Picture, Svg};
use model::record::Record;
use model::sample::SensorLog;
use model::units;
use std::collections::BTreeMap;
use view::scale::Quantity;

/// Wider machines have their idle CPUs folded away.
const MOST_CPUS: usize = 64;
const MOST_ROWS: usize = 16;
const STEPS: usize = 8;

/// The map; none for records without the sensor.
pub fn figure(record: &Record) -> Option<Figure> {
    let log = log_of(record, "interrupts")?;
    let map = InterruptsMap::of(record, log)?;
    let (svg, narrow) = both(0.0, |size, id| map.draw(size, id), "interrupts");
    Some(Figure {
        id: "interrupts".into(),
        title: map.title(),
        caption: map.caption(),
        description: map.description(),
        svg,
        narrow,
        table: map.table(),
        absent: None,
        readings: None,
    })
}

struct InterruptsMap {
    /// CPUs of the columns, ascending.
    cpus: Vec<u32>,
    /// CPUs that were left out because they took none.
    folded: usize,
    /// Name and interrupts per second by CPU.
    rows: Vec<(String, BTreeMap<u32, f64>)>,
    others: usize,
    /// Per cent of each CPU in interrupts, hard and soft, and in all.
    irq_pct: BTreeMap<u32, f64>,
    busy_pct: BTreeMap<u32, f64>,
    /// CPUs that lines of the path may go to, where that is not all of them.
    allowed: Vec<String>,
    seconds: f64,
    pinned: Vec<u32>,
}

impl InterruptsMap {
    fn of(record: &Record, log: &SensorLog) -> Option<InterruptsMap> {
        let seconds = seconds(log);
        let all = by_cpu(log, "irq.cpu{}.all", seconds);
        if all.is_empty() || seconds <= 0.0 {
            return None;
        }
        let mut rows = of_devices(log, seconds);
        let target = by_cpu(log, "irq.cpu{}.target", seconds);
        if rows.is_empty() && !target.is_empty() {
            rows.push(("target".into(), target));
        }
        let sum = |rates: &BTreeMap<u32, f64>| rates.values().sum::<f64>();
        rows.sort_by(|one, other| sum(&other.1).total_cmp(&sum(&one.1)));
        let others = rows.len().saturating_sub(MOST_ROWS);
        rows.truncate(MOST_ROWS);
        let known: Vec<u32> = all.keys().copied().collect();
        let cpus = busiest(&rows, &all);
        rows.push(("all lines".into(), all));
        let (irq_pct, busy_pct) = shares(record, &known);
        Some(InterruptsMap {
            folded: known.len() - cpus.len(),
            cpus,
            rows,
            others,
            irq_pct,
            busy_pct,
            allowed: allowed(record),
            seconds,
            pinned: record.job.cpus_allowed.clone(),
        })
    }

    /// The CPU that takes most of the first device's, with its share.
    fn hottest(&self) -> Option<(&str, u32, f64)> {
        let (name, rates) = self.rows.first().filter(|_| self.rows.len() > 1)?;
        let sum: f64 = rates.values().sum();
        let (cpu, most) = rates.iter().max_by(|one, other| one.1.total_cmp(other.1))?;
        (sum > 0.0).then(|| (name.as_str(), *cpu, most / sum))
    }

    fn title(&self) -> String {
        match self.hottest() {
            Some((name, cpu, share)) => {
                let busy = self.irq_pct.get(&cpu);
                let busy = busy.map_or(String::new(), |pct| {
                    format!(", and spends {} in interrupts", units::percent(*pct))
                });
                format!(
                    "CPU {cpu} takes {} of {name}'s interrupts{busy}",
                    units::percent(share * 100.0)
                )
            }
            None => "Interrupts by CPU".into(),
        }
    }

    fn caption(&self) -> String {
        let folded = if self.folded > 0 {
            format!(" {} CPUs that took fewest are left out.", self.folded)
        } else {
            String::new()
        };
        let others = if self.others > 0 {
            format!(" {} more devices are in the data only.", self.others)
        } else {
            String::new()
        };
        let allowed = if self.allowed.is_empty() {
            String::new()
        } else {
            format!(" {}.", self.allowed.join("; "))
        };
        let own = if self.rows.len() == 1 {
            " No line of the path's devices is known: a virtual disk, or one without interrupts of its own."
        } else {
            ""
        };
        format!(
            "Interrupts per second of each disk's controller by CPU, over {}, on a square-root scale; below, the share of each \
             CPU's time in hard and soft interrupts.{own}{allowed}{folded}{others}",
            Quantity::Seconds.words(self.seconds)
        )
    }

    fn description(&self) -> String {
        let mut cells: Vec<(f64, String)> = self
            .rows
            .iter()
            .flat_map(|(name, rates)| {
                rates.iter().map(move |(cpu, rate)| {
                    (
                        *rate,
                        format!("{name} on CPU {cpu} {}/s", units::count(rate.round())),
                    )
                })
            })
            .collect();
        cells.sort_by(|one, other| other.0.total_cmp(&one.0));
        let first: Vec<String> = cells.into_iter().take(3).map(|(_, text)| text).collect();
        format!("Most: {}.", first.join(", "))
    }

    fn table(&self) -> FigureTable {
        let mut head = vec!["CPU".to_string()];
        head.extend(self.rows.iter().map(|(name, _)| format!("{name}, /s")));
        head.extend(["in interrupts".to_string(), "busy".into()]);
        let mut table = FigureTable {
            head,
            ..FigureTable::default()
        };
        for cpu in &self.cpus {
            let mut cells = vec![cpu.to_string()];
            let rate = |rates: &BTreeMap<u32, f64>| {
                rates
                    .get(cpu)
                    .map_or("–".into(), |rate| units::count(rate.round()))
            };
            cells.extend(self.rows.iter().map(|(_, rates)| rate(rates)));
            let share = |shares: &BTreeMap<u32, f64>| {
                shares
                    .get(cpu)
                    .map_or("–".into(), |pct| units::percent(*pct))
            };
            cells.extend([share(&self.irq_pct), share(&self.busy_pct)]);
            table.rows.push(cells);
        }
        table.first("CPUs")
    }

    fn draw(&self, size: Size, id: &str) -> Picture {
        let label = if size.is_narrow() { 10 } else { 18 };
        let left = if size.is_narrow() { 78.0 } else { 130.0 };
        let right = if size.is_narrow() { 6.0 } else { 80.0 };
        let cell = ((size.width - left - right) / self.cpus.len() as f64).min(64.0);
        let (top, row_height) = (36.0, 24.0);
        let mut svg = Svg::new();
        svg.text(
            "t2",
            (4.0, 13.0),
            Anchor::Start,
            "interrupts per second by CPU",
        );
        let every = (20.0 / cell).ceil().max(1.0) as usize;
        for (index, cpu) in self.cpus.iter().enumerate() {
            let x = left + (index as f64 + 0.5) * cell;
            if index % every == 0 {
                svg.text("t2", (x, top - 6.0), Anchor::Middle, &cpu.to_string());
            }
            if self.pinned.contains(cpu) {
                svg.text("t3", (x, top - 17.0), Anchor::Middle, "load");
            }
        }
        for (row, (name, rates)) in self.rows.iter().enumerate() {
            let y = top + row as f64 * row_height;
            let name = super::ranking::shortened(name, label);
            svg.text("t", (left - 8.0, y + 15.0), Anchor::End, &name);
            let most = rates.values().copied().fold(0.0, f64::max);
            for (index, cpu) in self.cpus.iter().enumerate() {
                let rate = rates.get(cpu).copied().unwrap_or(0.0);
                let place = (left + index as f64 * cell + 0.5, y + 1.0);
                let extent = ((cell - 1.0).max(0.5), row_height - 3.0);
                svg.rect("cell-ground", place, extent);
                // A CPU that took one interrupt in a minute took none to speak of, and is still not zero.
                if rate > 0.0 && most > 0.0 {
                    let step = ((rate / most).sqrt() * STEPS as f64)
                        .ceil()
                        .clamp(1.0, STEPS as f64) as usize;
                    svg.rect(&format!("q q{step}"), place, extent);
                    let text = units::count(rate.round());
                    if crate::frame::text_width(&text) + 4.0 < cell {
                        svg.text(
                            "cell-text",
                            (place.0 + extent.0 / 2.0, y + 16.0),
                            Anchor::Middle,
                            &text,
                        );
                    }
                }
            }
            if !size.is_narrow() {
                let sum = format!("{}/s", units::count(rates.values().sum::<f64>().round()));
                svg.text(
                    "t2",
                    (size.width - right + 8.0, y + 15.0),
                    Anchor::Start,
                    &sum,
                );
            }
        }
        let base = top + self.rows.len() as f64 * row_height + 8.0;
        let height = self.bars(&mut svg, (left, base), cell, every);
        svg.finish(id, (size.width, base + height), &self.description())
    }

    /// Time in interrupts as a bar for each CPU, from 0 to 100 %.
    fn bars(&self, svg: &mut Svg, (left, top): (f64, f64), cell: f64, every: usize) -> f64 {
        if self.irq_pct.is_empty() {
            return 4.0;
        }
        let height = 34.0;
        svg.text("t2", (left - 8.0, top + 12.0), Anchor::End, "100 %");
        svg.text("t2", (left - 8.0, top + height), Anchor::End, "irq 0");
        svg.line(
            "grid",
            (left, top + 4.0),
            (left + cell * self.cpus.len() as f64, top + 4.0),
        );
        svg.line(
            "axis",
            (left, top + height),
            (left + cell * self.cpus.len() as f64, top + height),
        );
        for (index, cpu) in self.cpus.iter().enumerate() {
            let Some(pct) = self.irq_pct.get(cpu) else {
                continue;
            };
            let bar = pct.clamp(0.0, 100.0) / 100.0 * (height - 4.0);
            svg.rect(
                "f k3",
                (left + index as f64 * cell + 1.0, top + height - bar),
                ((cell - 2.0).max(0.5), bar),
            );
            let text = units::percent(*pct);
            if every == 1 && crate::frame::text_width(&text) < cell {
                svg.text(
                    "t2",
                    (left + (index as f64 + 0.5) * cell, top + height + 14.0),
                    Anchor::Middle,
                    &text,
                );
            }
        }
        height + 22.0
    }
}

/// Interrupts per second of each disk's controller, by CPU.
fn of_devices(log: &SensorLog, seconds: f64) -> Vec<(String, BTreeMap<u32, f64>)> {
    let mut rows: Vec<(String, BTreeMap<u32, f64>)> = Vec::new();
    for subject in subjects(log, "irq.device_cpu.{}.count") {
        let Some((device, cpu)) = subject.rsplit_once('@') else {
            continue;
        };
        let grown = total(log, &format!("irq.device_cpu.{subject}.count"));
        let (Ok(cpu), Some(grown)) = (cpu.parse::<u32>(), grown) else {
            continue;
        };
        match rows.iter_mut().find(|(name, _)| name == device) {
            Some((_, rates)) => {
                rates.insert(cpu, grown / seconds);
            }
            None => rows.push((device.into(), BTreeMap::from([(cpu, grown / seconds)]))),
        }
    }
    rows
}

/// A series of each CPU, per second.
fn by_cpu(log: &SensorLog, pattern: &str, seconds: f64) -> BTreeMap<u32, f64> {
    let cpus = subjects(log, pattern)
        .into_iter()
        .filter_map(|cpu| cpu.parse::<u32>().ok());
    let rate = |cpu: u32| {
        Some((
            cpu,
            total(log, &pattern.replace("{}", &cpu.to_string()))? / seconds,
        ))
    };
    cpus.filter_map(rate).collect()
}

/// The CPUs that get a column: those of the devices first, then the busiest of all; in their order.
fn busiest(rows: &[(String, BTreeMap<u32, f64>)], all: &BTreeMap<u32, f64>) -> Vec<u32> {
    let mut cpus: Vec<u32> = all.keys().copied().collect();
    if cpus.len() > MOST_CPUS {
        let own = |cpu: &u32| {
            rows.iter()
                .filter_map(|(_, rates)| rates.get(cpu))
                .sum::<f64>()
        };
        let any = |cpu: &u32| all.get(cpu).copied().unwrap_or(0.0);
        cpus.sort_by(|one, other| {
            own(other)
                .total_cmp(&own(one))
                .then(any(other).total_cmp(&any(one)))
        });
        cpus.truncate(MOST_CPUS);
        cpus.sort_unstable();
    }
    cpus
}

/// Share of each CPU's time in interrupts, and of its time that is not idle, per cent.
fn shares(record: &Record, cpus: &[u32]) -> (BTreeMap<u32, f64>, BTreeMap<u32, f64>) {
    let Some(log) = log_of(record, "cpu") else {
        return (BTreeMap::new(), BTreeMap::new());
    };
    let ticks = |cpu: u32, words: &[&str]| -> Option<f64> {
        words
            .iter()
            .map(|word| total(log, &format!("cpu.{cpu}.{word}")))
            .sum()
    };
    let of = |cpu: &u32| {
        let irq = ticks(*cpu, &["irq", "softirq"])?;
        let busy = irq + ticks(*cpu, &["user", "nice", "system", "steal"])?;
        let whole = busy + ticks(*cpu, &["idle", "iowait"])?;
        (whole > 0.0).then(|| (irq / whole * 100.0, busy / whole * 100.0))
    };
    let known: Vec<(u32, (f64, f64))> = cpus
        .iter()
        .filter_map(|cpu| Some((*cpu, of(cpu)?)))
        .collect();
    let irq = known.iter().map(|(cpu, (irq, _))| (*cpu, *irq)).collect();
    (
        irq,
        known.iter().map(|(cpu, (_, busy))| (*cpu, *busy)).collect(),
    )
}

/// Where the lines of the path's disks may go.
fn allowed(record: &Record) -> Vec<String> {
    let disks = record.path.disks();
    let line = |disk: &&model::iopath::Layer| {
        let mut lists: Vec<&str> = disk
            .interrupts
            .iter()
            .filter_map(|line| line.allowed_cpus.as_deref())
            .collect();
        lists.sort_unstable();
        lists.dedup();
        match lists.as_slice() {
            [] => None,
            [only] => Some(format!("{} may use CPUs {only}", disk.name)),
            _ => Some(format!(
                "{} has {} lines with CPUs of their own",
                disk.name,
                disk.interrupts.len()
            )),
        }
    };
    disks.iter().filter_map(line).take(4).collect()
}
