//! Where the time of a file went while a data set was read: one strip for each state of the cache and number of readers.

use super::layers::segment;
use crate::figure::{Figure, FigureTable};
use crate::frame::{Size, both};
use crate::svg::{Anchor, Picture, Svg};
use model::dataset::{Dataset, DatasetPass, FILE, READ_OPERATIONS};
use model::record::Record;
use model::units;

/// Height of a strip with its head.
const STRIP: f64 = 34.0;

/// The figure of a record of reads.
pub fn figure(record: &Record) -> Option<Figure> {
    let dataset = record.studies().dataset.as_ref()?;
    let passes = &dataset.target.passes;
    if passes.is_empty() {
        return None;
    }
    let draw = |size, id: &str| drawn(passes, size, id);
    let (svg, narrow) = both(passes.len() as f64 * STRIP, draw, "dataset");
    Some(Figure {
        id: "dataset".into(),
        title: title(passes),
        caption: caption(dataset),
        description: description(passes),
        svg,
        narrow,
        table: table(passes),
        absent: None,
        readings: None,
    })
}

fn title(passes: &[DatasetPass]) -> String {
    let first = passes
        .first()
        .map(|pass| (pass.words(), pass.metadata_share()));
    first.map_or("Where the time of a file goes".into(), |(name, share)| {
        format!(
            "Where the time of a file goes: {name}, {} is metadata",
            units::share(share)
        )
    })
}

fn caption(dataset: &Dataset) -> String {
    let turns = dataset
        .target
        .passes
        .iter()
        .map(|pass| pass.turns)
        .max()
        .unwrap_or(0);
    let drawn = units::count(dataset.shape.sampled_files as f64);
    format!(
        "Mean times of one reader: open, stat, read to the end and close, each timed by itself, over up to {turns} turns of \
         {drawn} files drawn at random. The table has the files that all readers together read in a second."
    )
}

fn description(passes: &[DatasetPass]) -> String {
    let one = |pass: &DatasetPass| {
        format!(
            "{}: {} a file, {} metadata",
            pass.words(),
            units::duration_ns(pass.file_ns()),
            units::share(pass.metadata_share())
        )
    };
    passes.iter().map(one).collect::<Vec<_>>().join("; ") + "."
}

fn table(passes: &[DatasetPass]) -> FigureTable {
    let mut table = FigureTable::new(&[
        "read", "files/s", "bytes/s", "a file", "open", "stat", "read", "close", "p99",
    ]);
    for pass in passes {
        let mean = |at: usize| units::duration_ns(pass.mean_ns(at));
        let whole = pass.operations.get(FILE);
        let p99 = whole
            .and_then(|file| file.done.latency.quantile_ns(0.99))
            .unwrap_or(0);
        table.row([
            pass.words(),
            units::rate(pass.files_per_s.mean),
            units::bytes_per_s(pass.bytes_per_s()),
            mean(FILE),
            mean(0),
            mean(1),
            mean(2),
            mean(3),
            units::duration_ns(p99 as f64),
        ]);
    }
    table
}

fn drawn(passes: &[DatasetPass], size: Size, id: &str) -> Picture {
    let mut svg = Svg::new();
    for (index, pass) in passes.iter().enumerate() {
        let y = 14.0 + index as f64 * STRIP;
        let head = format!(
            "{}: {} a file",
            pass.words(),
            units::duration_ns(pass.file_ns())
        );
        svg.text("t2", (1.0, y), Anchor::Start, &head);
        let parts: f64 = (0..FILE).map(|at| pass.mean_ns(at)).sum();
        let mut x = 1.0;
        for (at, label) in READ_OPERATIONS.iter().enumerate().take(FILE) {
            let share = if parts > 0.0 {
                pass.mean_ns(at) / parts
            } else {
                0.0
            };
            let width = share * (size.width - 2.0);
            segment(&mut svg, (x, y + 4.0), width, at, label, share, size);
            x += width;
        }
    }
    let height = passes.len() as f64 * STRIP + 6.0;
    svg.finish(id, (size.width, height), &description(passes))
}
