//! Counting the lines of /proc/interrupts by CPU, target and disk.

use super::{METRICS, join};
use crate::scan::Scan;
use crate::{Scope, SensorColumn, devices};
use host::Host;
use std::ops::Range;

/// Pairs of a disk and a CPU that get a series.
const PAIRS_MAX: usize = 1024;
/// Readings between two looks for new disks: lines come and go with network interfaces too.
const READINGS_BETWEEN_JOINS: u64 = 50;

/// What the lines add up to.
pub(super) struct InterruptsTable {
    host: Host,
    scope: Scope,
    /// The first line of the file, and by its columns the place of the CPU.
    header: Vec<u8>,
    order: Vec<usize>,
    /// Every CPU that was there so far.
    cpus: Vec<Cpu>,
    /// By place of the target's line: its sum, where the file has it.
    targets: Vec<Option<u64>>,
    lines: Vec<InterruptLine>,
    disks: Vec<Disk>,
    controllers: Vec<Controller>,
    layout: Vec<InterruptCell>,
    pairs: usize,
    counts: Vec<u64>,
    readings: u64,
    joined_at: u64,
    has_new_lines: bool,
    /// Other CPUs are in the sums than at the reading before.
    is_recut: bool,
}

/// How far the numbered lines of a file go.
#[derive(Clone, Copy, Debug)]
pub(super) struct InterruptHead {
    /// To the end of the last one.
    pub bytes: usize,
    last_irq: u64,
}

impl InterruptHead {
    /// Of a whole file; none where no numbered line has another behind it.
    pub fn of(text: &[u8]) -> Option<InterruptHead> {
        let mut scan = Scan::new(text);
        scan.line();
        let mut head = None;
        while !scan.is_done() {
            let last_irq = irq(&mut scan);
            scan.line();
            let bytes = text.len() - scan.length();
            head = last_irq
                .map(|last_irq| InterruptHead { bytes, last_irq })
                .or(head);
        }
        head.filter(|head| text.get(head.bytes - 1) == Some(&b'\n'))
    }

    /// Whether a text ends as this one did: with the same line, and with the whole of it.
    pub fn ends(&self, text: &[u8]) -> bool {
        let Some(lines) = text
            .strip_suffix(b"\n")
            .filter(|_| text.len() == self.bytes)
        else {
            return false;
        };
        let start = lines
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |place| place + 1);
        irq(&mut Scan::new(&lines[start..])) == Some(self.last_irq)
    }
}

/// What a cell of a row holds; the numbers are places.
#[derive(Clone, Copy, PartialEq)]
enum InterruptCell {
    All(usize),
    Target(usize),
    Line(usize),
    Device(usize),
    Pair { disk: usize, cpu: usize },
}

struct Cpu {
    number: u64,
    is_there: bool,
    all: u64,
    target: u64,
}

/// A line of the file, at its place.
struct InterruptLine {
    irq: u64,
    target: Option<usize>,
    controller: Option<usize>,
}

struct Disk {
    name: String,
    controller: Option<usize>,
}

/// What has the same lines.
struct Controller {
    irqs: Vec<u32>,
    /// Its lines that the file has.
    lines: usize,
    /// By place of the CPU, now and at the reading before.
    counts: Vec<u64>,
    before: Vec<u64>,
    /// CPUs that took one since the first reading.
    has_taken: Vec<bool>,
    is_first: bool,
}

impl InterruptsTable {
    pub fn new(host: &Host, scope: &Scope, text: &[u8]) -> InterruptsTable {
        let mut table = InterruptsTable {
            host: host.clone(),
            scope: scope.clone(),
            header: Vec::new(),
            order: Vec::new(),
            cpus: Vec::new(),
            targets: vec![None; scope.irqs.len()],
            lines: Vec::new(),
            disks: Vec::new(),
            controllers: Vec::new(),
            layout: (0..scope.irqs.len()).map(InterruptCell::Line).collect(),
            pairs: 0,
            counts: Vec::new(),
            readings: 0,
            joined_at: 0,
            has_new_lines: false,
            is_recut: false,
        };
        table.head(Scan::new(text).line());
        table.join(text);
        table
    }

    /// Whether there is no CPU.
    pub fn is_empty(&self) -> bool {
        self.cpus.is_empty()
    }

    /// Cells of a row.
    pub fn width(&self) -> usize {
        self.layout.len()
    }

    /// The series of some cells.
    pub fn columns(&self, cells: Range<usize>) -> Vec<SensorColumn> {
        self.layout[cells]
            .iter()
            .map(|cell| self.column(*cell))
            .collect()
    }

    fn column(&self, cell: InterruptCell) -> SensorColumn {
        let (metric, subject) = match cell {
            InterruptCell::All(cpu) => (0, self.cpus[cpu].number.to_string()),
            InterruptCell::Target(cpu) => (1, self.cpus[cpu].number.to_string()),
            InterruptCell::Line(line) => (2, self.scope.irqs[line].to_string()),
            InterruptCell::Device(disk) => (3, self.disks[disk].name.clone()),
            InterruptCell::Pair { disk, cpu } => (
                4,
                format!("{}@{}", self.disks[disk].name, self.cpus[cpu].number),
            ),
        };
        SensorColumn::of(&METRICS[metric], &subject)
    }

    /// Whether there are lines that no disk was looked for yet.
    pub fn is_join_due(&self) -> bool {
        self.has_new_lines && self.readings > self.joined_at + READINGS_BETWEEN_JOINS
    }

    /// Finds the disks' lines. Disks that were known keep their cells.
    pub fn join(&mut self, text: &[u8]) {
        let disks = whole(&self.host, devices::chosen(&self.host, &self.scope));
        self.controllers.clear();
        self.lines.clear();
        self.disks
            .iter_mut()
            .for_each(|disk| disk.controller = None);
        for joined in join::join(&self.host, &disks, text) {
            let known = self
                .controllers
                .iter()
                .position(|controller| controller.irqs == joined.irqs);
            let controller = known.unwrap_or_else(|| {
                self.controllers
                    .push(Controller::new(joined.irqs, self.cpus.len()));
                self.controllers.len() - 1
            });
            match self.disks.iter_mut().find(|disk| disk.name == joined.disk) {
                Some(disk) => disk.controller = Some(controller),
                None => {
                    self.layout.push(InterruptCell::Device(self.disks.len()));
                    self.disks.push(Disk {
                        name: joined.disk,
                        controller: Some(controller),
                    });
                }
            }
        }
        self.joined_at = self.readings;
        self.has_new_lines = false;
    }

    /// Takes the CPUs from the first line: offline ones are left out, so they are not always 0, 1, 2.
    fn head(&mut self, header: &[u8]) {
        self.header = header.to_vec();
        self.order.clear();
        let mut words = Scan::new(header);
        while let Some(number) = words
            .word()
            .strip_prefix(b"CPU")
            .and_then(|word| Scan::new(word).number())
        {
            let known = self.cpus.iter().position(|cpu| cpu.number == number);
            self.order.push(known.unwrap_or(self.cpus.len()));
            if known.is_none() {
                self.layout.push(InterruptCell::All(self.cpus.len()));
                if !self.targets.is_empty() {
                    self.layout.push(InterruptCell::Target(self.cpus.len()));
                }
                self.cpus.push(Cpu {
                    number,
                    is_there: true,
                    all: 0,
                    target: 0,
                });
            }
        }
        for (place, cpu) in self.cpus.iter_mut().enumerate() {
            cpu.is_there = self.order.contains(&place);
        }
        let count = self.cpus.len();
        self.controllers
            .iter_mut()
            .for_each(|controller| controller.widen(count));
    }

    /// Counts a whole file into a row. What has no series yet is left out.
    pub fn take(&mut self, text: &[u8], row: &mut [f64]) {
        self.readings += 1;
        let mut scan = Scan::new(text);
        let header = scan.line();
        self.is_recut = header != self.header;
        if self.is_recut {
            self.head(header);
        }
        self.zero();
        let mut expected = 0;
        while !scan.is_done() {
            // Lines with letters (`LOC`, `NMI`) are not devices'.
            if let Some(irq) = irq(&mut scan) {
                let place = self.place(expected, irq);
                expected = place + 1;
                self.count(place, &mut scan);
            }
            scan.line();
        }
        self.pair();
        for (cell, value) in self.layout.iter().zip(row) {
            *value = self.value(*cell).map_or(f64::NAN, |count| count as f64);
        }
    }

    fn zero(&mut self) {
        self.cpus
            .iter_mut()
            .for_each(|cpu| (cpu.all, cpu.target) = (0, 0));
        self.targets.fill(None);
        for controller in &mut self.controllers {
            std::mem::swap(&mut controller.before, &mut controller.counts);
            controller.counts.fill(0);
            controller.lines = 0;
        }
    }

    /// The line's place in the list: the same as last time, unless a line came or went.
    fn place(&mut self, expected: usize, irq: u64) -> usize {
        if self.lines.get(expected).is_some_and(|line| line.irq == irq) {
            return expected;
        }
        self.lines
            .iter()
            .position(|line| line.irq == irq)
            .unwrap_or_else(|| {
                let of = |irqs: &[u32]| irqs.iter().position(|known| u64::from(*known) == irq);
                let controller = self
                    .controllers
                    .iter()
                    .position(|controller| of(&controller.irqs).is_some());
                self.lines.push(InterruptLine {
                    irq,
                    target: of(&self.scope.irqs),
                    controller,
                });
                // With the first reading after a join all of them are new.
                self.has_new_lines |= self.readings > self.joined_at + 1;
                self.lines.len() - 1
            })
    }

    /// Adds up the numbers of a line where they belong.
    fn count(&mut self, place: usize, scan: &mut Scan<'_>) {
        self.counts.clear();
        let order = self
            .order
            .iter()
            .map_while(|cpu| Some((*cpu, scan.number()?)));
        for (cpu, count) in order {
            add(&mut self.cpus[cpu].all, count);
            self.counts.push(count);
        }
        let line = &self.lines[place];
        if let Some(target) = line.target {
            self.targets[target] = Some(sum(&self.counts));
            self.order
                .iter()
                .zip(&self.counts)
                .for_each(|(cpu, count)| add(&mut self.cpus[*cpu].target, *count));
        }
        if let Some(controller) = line.controller {
            let controller = &mut self.controllers[controller];
            controller.lines += 1;
            self.order
                .iter()
                .zip(&self.counts)
                .for_each(|(cpu, count)| add(&mut controller.counts[*cpu], *count));
        }
    }

    /// Gives a cell to each pair of a disk and a CPU that took its first interrupt.
    fn pair(&mut self) {
        for (place, controller) in self.controllers.iter_mut().enumerate() {
            let is_first = std::mem::replace(&mut controller.is_first, false);
            for cpu in 0..controller.counts.len() {
                let has_grown = controller.counts[cpu] > controller.before[cpu] && !is_first;
                if !has_grown || controller.has_taken[cpu] {
                    continue;
                }
                controller.has_taken[cpu] = true;
                for disk in 0..self.disks.len() {
                    let pair = InterruptCell::Pair { disk, cpu };
                    // After a new join the pairs are still there.
                    let is_new =
                        self.disks[disk].controller == Some(place) && !self.layout.contains(&pair);
                    if is_new && self.pairs < PAIRS_MAX {
                        self.pairs += 1;
                        self.layout.push(pair);
                    }
                }
            }
        }
    }

    fn value(&self, cell: InterruptCell) -> Option<u64> {
        let counts = |disk: usize| {
            let controller = &self.controllers[self.disks[disk].controller?];
            (controller.lines > 0).then_some(&controller.counts)
        };
        let there = |cpu: usize| Some(&self.cpus[cpu]).filter(|cpu| cpu.is_there);
        match cell {
            InterruptCell::All(cpu) => there(cpu).map(|cpu| cpu.all),
            InterruptCell::Target(cpu) => there(cpu).map(|cpu| cpu.target),
            InterruptCell::Line(_) | InterruptCell::Device(_) if self.is_recut => None,
            InterruptCell::Line(line) => self.targets[line],
            InterruptCell::Device(disk) => counts(disk).map(|counts| sum(counts)),
            InterruptCell::Pair { disk, cpu } => there(cpu)
                .and_then(|_| counts(disk))
                .map(|counts| counts[cpu]),
        }
    }
}

/// A damaged line can hold any number.
fn add(sum: &mut u64, count: u64) {
    *sum = sum.saturating_add(count);
}

fn sum(counts: &[u64]) -> u64 {
    counts
        .iter()
        .fold(0, |sum, count| sum.saturating_add(*count))
}

/// The number that a line begins with.
fn irq(scan: &mut Scan<'_>) -> Option<u64> {
    Scan::new(scan.word().strip_suffix(b":")?).number()
}

/// Disks in place of their partitions.
fn whole(host: &Host, names: Vec<String>) -> Vec<String> {
    let disk = |name: String| {
        let name = devices::directory(&name);
        if devices::is_whole(host, &name) {
            return name;
        }
        let path = host.resolve(&format!("/sys/class/block/{name}"));
        path.and_then(|path| path.rsplit('/').nth(1).map(str::to_string))
            .unwrap_or(name)
    };
    let mut disks: Vec<String> = Vec::new();
    for disk in names.into_iter().map(disk) {
        if !disks.contains(&disk) {
            disks.push(disk);
        }
    }
    disks
}

impl Controller {
    fn new(irqs: Vec<u32>, cpus: usize) -> Controller {
        let mut controller = Controller {
            irqs,
            lines: 0,
            counts: Vec::new(),
            before: Vec::new(),
            has_taken: Vec::new(),
            is_first: true,
        };
        controller.widen(cpus);
        controller
    }

    fn widen(&mut self, cpus: usize) {
        self.counts.resize(cpus, 0);
        self.before.resize(cpus, 0);
        self.has_taken.resize(cpus, false);
    }
}
