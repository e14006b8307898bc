//! The figures, one file each, and the order in which a report has them.

mod arms;
pub(crate) mod compared;
mod dataset;
mod dirty;
pub mod history;
mod imported;
mod interference;
mod interrupts;
mod latency_map;
mod layer_arms;
mod layers;
pub(crate) mod lines;
mod pairs;
pub(crate) mod path;
mod percentiles;
pub mod ranking;
mod rates;
mod response;
mod time_account;

use crate::figure::Figure;
use model::record::Record;

/// Every figure that says something about a record, in the order of a report: path, proof, rates, latencies, curves,
/// layers, CPUs, memory. One that would be expected but lacks its data says why; one that makes no sense is not there.
pub fn figures(record: &Record) -> Vec<Figure> {
    let parts: [fn(&Record) -> Vec<Figure>; 14] = [
        |record| {
            path::figure(&record.target, &record.path)
                .into_iter()
                .collect()
        },
        pairs::figures,
        arms::figures,
        rates::figures,
        latency_map::figures,
        |record| percentiles::figure(record).into_iter().collect(),
        response::figures,
        |record| interference::figure(record).into_iter().collect(),
        |record| dataset::figure(record).into_iter().collect(),
        |record| time_account::figure(record).into_iter().collect(),
        layers::figures,
        |record| interrupts::figure(record).into_iter().collect(),
        dirty::figures,
        imported::figures,
    ];
    parts.into_iter().flat_map(|part| part(record)).collect()
}

/// How a series is told from others: colour, dash and mark together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureLook {
    /// What is set now (arm A), and what has no role: ink.
    Ink,
    /// Reads, and arm B: blue, solid, ●.
    Read,
    /// Writes, and arm C: orange, dashed, ■.
    Write,
    /// Syncs, and arm D: ▲.
    Sync,
    /// Discards, and arm E: ◆.
    Discard,
    /// The fifth: ▼.
    Fifth,
    /// The sixth: ✕.
    Sixth,
}

impl FigureLook {
    /// In the order of use.
    pub const SERIES: [FigureLook; 6] = [
        FigureLook::Read,
        FigureLook::Write,
        FigureLook::Sync,
        FigureLook::Discard,
        FigureLook::Fifth,
        FigureLook::Sixth,
    ];

    /// Of an arm by its place: the first, which is set now, is ink.
    pub fn of_arm(arm: usize) -> FigureLook {
        match arm {
            0 => FigureLook::Ink,
            arm => FigureLook::SERIES[(arm - 1) % 6],
        }
    }

    /// The class that carries its colour.
    pub fn class(self) -> &'static str {
        match self {
            FigureLook::Ink => "k0",
            FigureLook::Read => "k1",
            FigureLook::Write => "k2",
            FigureLook::Sync => "k3",
            FigureLook::Discard => "k4",
            FigureLook::Fifth => "k5",
            FigureLook::Sixth => "k6",
        }
    }

    /// Its mark.
    pub fn shape(self) -> crate::svg::Shape {
        use crate::svg::Shape;
        match self {
            FigureLook::Ink | FigureLook::Read => Shape::Circle,
            FigureLook::Write => Shape::Square,
            FigureLook::Sync => Shape::Up,
            FigureLook::Discard => Shape::Diamond,
            FigureLook::Fifth => Shape::Down,
            FigureLook::Sixth => Shape::Cross,
        }
    }

    /// Classes of a line.
    pub fn line(self) -> String {
        format!("l {}", self.class())
    }

    /// Classes of a filled mark.
    pub fn filled(self) -> String {
        format!("f {}", self.class())
    }

    /// Classes of a hollow mark.
    pub fn hollow(self) -> String {
        format!("o {}", self.class())
    }
}

/// How I/Os were asked for, which every figure of latency has to name.
pub fn loop_words(record: &Record) -> &'static str {
    if record.job.open_loop {
        "open loop: latency counts from the intended start"
    } else {
        "closed loop: an I/O that waits for an earlier one to come back is not counted as waiting"
    }
}

/// A part of an id: letters, digits and dashes alone.
pub fn id_part(text: &str) -> String {
    let plain = text.chars().map(|c| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    });
    plain.collect()
}
