//! Records of series of loads: a sweep, a search, a matrix, a data set.

use super::{bare, path, provenance, sensors};
use model::curve::{Axis, Curve, Knee, Little, Point, Spread, Sweep, Visit};
use model::dataset::{
    ColdBy, Dataset, DatasetPass, DatasetShape, DatasetTarget, FILE, READ_OPERATIONS, ReadLap,
};
use model::interference::{InterferenceCell, Matrix};
use model::record::{Operation, Record, RecordBody, RunBody};
use model::search::{Goal, Level as SearchLevel, Lever, Search, SearchStep, Statistic};
use model::studies::Studies;

fn of(studies: Studies) -> RecordBody {
    RecordBody::Run(RunBody {
        studies,
        ..RunBody::default()
    })
}

fn spread(mean: f64) -> Spread {
    Spread {
        mean,
        low: Some(mean * 0.95),
        high: Some(mean * 1.06),
    }
}

/// A sweep with a knee.
pub fn sweep() -> Record {
    let point = |(index, depth): (usize, u32)| {
        let rate = 60_000.0 * f64::from(depth) / (f64::from(depth) + 8.0);
        let mean = f64::from(depth) / rate * 1e9;
        Point {
            settings: vec![model::curve::CurveSetting {
                option: "iodepth".into(),
                value: depth.to_string(),
            }],
            visits: vec![Visit {
                place: index as u32,
                ios: 1000,
                iops: rate,
                ..Visit::default()
            }],
            iops: spread(rate),
            bytes_per_s: spread(rate * 4096.0),
            mean_ns: spread(mean),
            p50_ns: spread(mean * 0.9),
            p99_ns: spread(mean * 3.0),
            p999_ns: spread(mean * 5.0),
            little: Little {
                reached: f64::from(depth),
                asked: f64::from(depth),
                holds: depth != 64,
            },
        }
    };
    let depths = [1, 2, 4, 8, 16, 32, 64];
    let points: Vec<Point> = depths.into_iter().enumerate().map(point).collect();
    let curve = Curve {
        option: "iodepth".into(),
        settings: Vec::new(),
        points: (0..points.len()).collect(),
        knee: Some(Knee {
            point: 3,
            low: 2,
            high: 4,
            kneedle: Some(3),
        }),
        no_knee: None,
    };
    let axes = vec![Axis {
        option: "iodepth".into(),
        values: depths.iter().map(u32::to_string).collect(),
    }];
    let sweep = Sweep {
        axes,
        seed: 9,
        repeats: 3,
        warmup_ms: 300,
        window_ms: 1_000,
        points,
        curves: vec![curve],
        notes: Vec::new(),
    };
    Record {
        summary: "4K random read, direct, iodepth swept (7 points): the knee is at iodepth 8"
            .into(),
        provenance: provenance(&["iodyno", "run", "/srv", "--sweep", "iodepth=1..64"]),
        path: path(),
        body: of(Studies {
            sweep: Some(sweep),
            ..Studies::default()
        }),
        sensors: sensors(60, 500, 2),
        ..bare()
    }
}

/// A search for the highest load that keeps a latency.
pub fn search() -> Record {
    let trial = |(index, level): (usize, f64)| model::search::Trial {
        step: if index < 3 {
            SearchStep::Bracket
        } else {
            SearchStep::Confirm
        },
        level,
        window_ms: 1_000.0,
        iops: 9_000.0 * level / (level + 4.0),
        latency_ns: 200_000.0 * (1.0 + level / 4.0),
        kept: level < 16.0,
    };
    let best = SearchLevel {
        level: 12.0,
        iops: spread(6_750.0),
        bytes_per_s: 2.7e7,
        latency_ns: spread(800_000.0),
    };
    let search = Search {
        goal: Goal {
            statistic: Statistic::Percentile(99.0),
            limit_ns: 1_000_000,
        },
        lever: Lever::Iodepth,
        open_loop: false,
        ceiling: 256.0,
        best: Some(best),
        above: None,
        enough: None,
        trials: [1.0, 8.0, 32.0, 12.0, 16.0]
            .into_iter()
            .enumerate()
            .map(trial)
            .collect(),
        notes: Vec::new(),
    };
    Record {
        summary: "6.75 k IOPS keep p99 within 1 ms".into(),
        body: of(Studies {
            search: Some(search),
            ..Studies::default()
        }),
        ..bare()
    }
}

/// A matrix, not whole.
pub fn interference() -> Record {
    let cell = |index: usize| {
        let (write, read) = (index / 4, index % 4);
        let p99 = 200_000 * (1 + write as u64 * 2) * (1 + read as u64);
        InterferenceCell {
            write,
            read,
            visits: u32::from(index != 15),
            read_iops: 1_000.0 * (read + 1) as f64,
            write_bytes_per_s: 5e7 * write as f64,
            p50_ns: p99 / 3,
            p95_ns: p99 / 2,
            p99_ns: p99,
            visits_p99_ns: vec![p99],
            reached: index != 11,
        }
    };
    let matrix = Matrix {
        max_read_iops: 5_000.0,
        max_write_bytes_per_s: 2e8,
        write_bs: 131_072,
        open_loop: true,
        read_steps: vec![1_000.0, 2_000.0, 3_000.0, 4_000.0],
        write_steps: vec![0.0, 5e7, 1e8, 1.5e8],
        seed: 4,
        warmup_ms: 300,
        window_ms: 900,
        cells: (0..16).map(cell).collect(),
        doubles_from: vec![Some(2), Some(1), None, None],
        notes: Vec::new(),
    };
    Record {
        summary: "Reads beside writes".into(),
        body: of(Studies {
            interference: Some(matrix),
            ..Studies::default()
        }),
        ..bare()
    }
}

/// Reads of a data set that was held against another.
pub fn dataset() -> Record {
    let pass = |(cold, readers): (Option<ColdBy>, u32)| {
        let mut lap = ReadLap::default();
        for index in 0..1000 {
            for (at, ns) in [30_000, 1_000, 70_000, 2_000].into_iter().enumerate() {
                lap.book(at, ns + index);
            }
            lap.book(FILE, 103_000 + 4 * index);
        }
        let operations = READ_OPERATIONS.iter().zip(lap.operations).zip(lap.busy_ns);
        DatasetPass {
            cold,
            readers,
            turns: 40,
            files: 1000,
            bytes: 1000 << 17,
            elapsed_ms: 105.0 / f64::from(readers),
            operations: operations
                .map(|((name, done), ns)| Operation {
                    name: (*name).into(),
                    busy_ms: ns as f64 / 1e6,
                    done,
                })
                .collect(),
            files_per_s: spread(9_500.0),
            faster: Some(spread(3.1)),
            ..DatasetPass::default()
        }
    };
    let passes = [
        (Some(ColdBy::Files), 1),
        (Some(ColdBy::Files), 4),
        (None, 1),
        (None, 4),
    ];
    let dataset = Dataset {
        tree: "/mnt/cephfs/images".into(),
        shape: DatasetShape {
            files: 1_000_000,
            bytes: 1_000_000 << 17,
            sampled_files: 1000,
            is_whole: true,
            ..DatasetShape::default()
        },
        target: DatasetTarget {
            target: "/data".into(),
            passes: passes.into_iter().map(pass).collect(),
            failed: vec![("gone since the tree was listed".into(), 3)],
            notes: vec!["cold: each file's pages were dropped".into()],
            ..DatasetTarget::default()
        },
        against: Some("/mnt/cephfs/images".into()),
        notes: vec!["the tree does not fit".into()],
        ..Dataset::default()
    };
    Record {
        summary: "data set of small files, cold, 4 readers: 9.50 k files/s".into(),
        body: of(Studies {
            dataset: Some(dataset),
            ..Studies::default()
        }),
        ..bare()
    }
}
