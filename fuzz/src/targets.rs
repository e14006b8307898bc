//! The targets. Each takes any bytes; a panic, an endless loop or memory without bounds is what it looks for.

use experiment::{
    Ask, Class, Experiment, ExperimentPlan, Failure, ForeignIo, OwnAndOthers, WindowReport,
};
use host::Archive;
use model::imported::Imported;

/// By name.
pub const ALL: &[(&str, fn(&[u8]))] = &[
    ("importers", importers),
    ("captures", captures),
    ("journal", host::fuzz::journal),
    ("fio", fio),
    ("blktrace", probe::fuzz::blktrace),
    ("tracefs", probe::fuzz::tracefs),
    ("perf", probe::fuzz::perf),
    ("btf", probe::fuzz::btf),
    ("formats", probe::fuzz::formats),
    ("judge", judge),
    ("experiment", experiment),
    ("request", serve::fuzz::request),
];

/// Names that say what a file of numbers holds.
const NAMES: [&str; 6] = [
    "results.txt",
    "x_bw.1.log",
    "x_iops.log",
    "x_clat.2.log",
    "x_lat.log",
    "x_clat_hist.1.log",
];

fn importers(bytes: &[u8]) {
    let (name, file) = match bytes.split_last() {
        Some((last, file)) => (NAMES[usize::from(*last) % NAMES.len()], file),
        None => (NAMES[0], bytes),
    };
    if let Ok(import) = imports::import(name, &mut &*file) {
        for result in import.results {
            // JSON has no word for a number that is none: it would come back as null, which is no number.
            let text = serde_json::to_string(&result).unwrap_or_default();
            assert!(serde_json::from_str::<Imported>(&text).is_ok(), "{text}");
        }
    }
}

fn captures(bytes: &[u8]) {
    if let Ok(archive) = Archive::parse(&String::from_utf8_lossy(bytes)) {
        assert_eq!(Archive::parse(&archive.print()), Ok(archive));
    }
}

fn fio(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let parsed = load::language::from_file(
        &text,
        "a.fio",
        &mut |name| (name == "HOME").then(|| "/root".into()),
        &mut |_| Err("there are no files".into()),
    );
    for section in parsed.iter().flat_map(|parsed| &parsed.sections) {
        load::language::to_words(section);
    }
}

const CLASSES: [Class; 3] = [Class::Fast, Class::Slow, Class::Learned];

fn plan(byte: u8) -> ExperimentPlan {
    let arms = 2 + usize::from(byte >> 2) % 4;
    let names = (0..arms).map(|arm| format!("arm{arm}")).collect();
    ExperimentPlan {
        can_halve_depth: byte & 64 != 0,
        min_completions: u64::from(byte & 128),
        ..ExperimentPlan::new(names, CLASSES[usize::from(byte) % CLASSES.len()], 7)
    }
}

fn judge(bytes: &[u8]) {
    let Some((first, lines)) = bytes.split_first() else {
        return;
    };
    let _ = experiment::protocol::serve(plan(*first), lines, std::io::sink());
}

/// The experiment itself, with a driver whose answers fit and whose rates are anything.
fn experiment(bytes: &[u8]) {
    let Some((first, mut rest)) = bytes.split_first() else {
        return;
    };
    let Ok(mut experiment) = Experiment::new(plan(*first)) else {
        return;
    };
    while let (Ask::Window(window), Some((&kind, more))) = (experiment.ask(), rest.split_first()) {
        let (own, after) = more.split_at(more.len().min(2 + usize::from(kind & 7)));
        rest = after;
        let bins = (window.duration_ms / experiment::BIN_MS) as usize;
        let told = match kind {
            255 => WindowReport::Failed {
                id: window.id,
                why: "it broke".into(),
                kind: Failure::Other,
            },
            _ => WindowReport::Measured {
                id: window.id,
                rates: (0..bins).map(|bin| rate(own, bin, kind)).collect(),
                latency: None,
                foreign: (kind & 8 != 0).then(|| ForeignIo {
                    share: f64::from(kind) / 255.0,
                    per_second: (kind & 16 != 0).then(|| OwnAndOthers {
                        own: rate(own, 0, kind),
                        others: f64::from(kind),
                    }),
                }),
            },
        };
        if experiment.tell(told).is_err() {
            return;
        }
    }
}

/// A rate that is near the ones before it, or of another magnitude altogether.
fn rate(bytes: &[u8], bin: usize, kind: u8) -> f64 {
    let byte = bytes.get(bin % bytes.len().max(1)).copied().unwrap_or(kind);
    match kind & 0x30 {
        0x30 => f64::from(byte) * 1e300,
        0x20 => f64::from(byte % 2),
        _ => 10_000.0 + f64::from(byte) * 10.0,
    }
}
