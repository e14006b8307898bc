//! How many I/Os are slower than what: the whole distribution, with its tail on a logarithmic scale.

use super::lines::capital;
use super::{FigureLook, loop_words};
use crate::figure::{Figure, FigureTable};
use crate::frame::{Axis, Frame, Size, both, text_width};
use crate::svg::{PathData, Picture, Shape};
use model::check::{CheckResult, Probe};
use model::histogram::{Histogram, edge_of};
use model::imported::{LatencyFigures, LoadFigures};
use model::record::{LoadResult, Record};
use model::units;
use view::scale::Quantity;

/// Where fewer I/Os are slower, the curve is dotted.
const FEW: f64 = 10.0;
/// Percentiles of the table.
const SHARES: [(f64, &str); 5] = [
    (0.5, "p50"),
    (0.9, "p90"),
    (0.99, "p99"),
    (0.999, "p99.9"),
    (0.9999, "p99.99"),
];
/// The most curves on one chart.
const MOST: usize = 6;

/// One distribution.
struct Curve {
    name: String,
    look: FigureLook,
    data: Data,
    is_dotted: bool,
    /// What the source calls it, where that is not in the name; for the caption.
    kind: String,
}

#[derive(Clone)]
enum Data {
    Whole(Histogram),
    /// Percentiles alone: (per cent, ns), and how many I/Os, where the source says.
    Points(Vec<(f64, f64)>, Option<u64>),
}

/// The figure; none where no latency was measured.
pub fn figure(record: &Record) -> Option<Figure> {
    let curves = curves(record);
    if curves.is_empty() {
        return None;
    }
    let loops = if record.imported().is_some() {
        ""
    } else {
        loop_words(record)
    };
    Some(
        Chart {
            curves,
            loops: loops.into(),
        }
        .figure("percentiles", None),
    )
}

/// The same direction or section of several records on one chart, for each that two or more of them have.
pub fn over(records: &[(&str, &Record)]) -> Vec<Figure> {
    let all: Vec<(String, Vec<Curve>)> = records
        .iter()
        .map(|(name, record)| ((*name).to_string(), curves(record)))
        .collect();
    // What a tool calls it stands in brackets: `read clat` is compared with `read`.
    let key = |curve: &Curve| curve.name.split(' ').next().unwrap_or_default().to_string();
    let mut keys: Vec<String> = all.iter().flat_map(|(_, curves)| curves).map(key).collect();
    keys.dedup();
    keys.sort();
    keys.dedup();
    let chart = |wanted: &String| {
        let of_record = |(index, (name, curves)): (usize, &(String, Vec<Curve>))| {
            let found = curves.iter().find(|curve| key(curve) == *wanted)?;
            let beside = found
                .name
                .strip_prefix(wanted.as_str())
                .unwrap_or_default()
                .trim();
            let beside = if beside.is_empty() {
                String::new()
            } else {
                format!(" ({beside})")
            };
            let data = found.data.clone();
            Some(Curve {
                name: name.clone(),
                look: FigureLook::of_arm(index),
                data,
                is_dotted: false,
                kind: beside,
            })
        };
        let curves: Vec<Curve> = all
            .iter()
            .take(MOST)
            .enumerate()
            .filter_map(of_record)
            .collect();
        let loops: Vec<&str> = records
            .iter()
            .filter(|(_, record)| record.imported().is_none())
            .map(|(_, one)| loop_words(one))
            .collect();
        let is_one =
            loops.len() == records.len() && loops.windows(2).all(|pair| pair[0] == pair[1]);
        let loops = if is_one {
            loops[0].to_string()
        } else {
            String::new()
        };
        (curves.len() > 1).then(|| {
            let id = format!("percentiles-{}", super::id_part(wanted));
            Chart { curves, loops }.figure(&id, Some(wanted))
        })
    };
    keys.iter().filter_map(chart).collect()
}

impl Chart {
    fn figure(&self, id: &str, of: Option<&str>) -> Figure {
        let chart = self;
        let (svg, narrow) = both(230.0, |size, id| chart.draw(size, id), id);
        Figure {
            id: id.into(),
            title: match of {
                None => chart.title(),
                Some(of) => format!("{}: {}", capital(of), chart.title()),
            },
            caption: chart.caption(),
            description: chart.description(),
            svg,
            narrow,
            table: chart.table(),
            absent: None,
            readings: None,
        }
    }
}

fn curves(record: &Record) -> Vec<Curve> {
    if let Some(load) = record
        .imported()
        .and_then(|imported| imported.load.as_ref())
    {
        return imported(load);
    }
    if let Some(check) = record.check() {
        return of_check(check);
    }
    if record.sections().len() > 1 {
        let curve = |(index, section): (usize, &model::record::SectionResult)| {
            whole(
                &section.name,
                FigureLook::SERIES[index],
                &section.load.latency(),
            )
        };
        return record
            .sections()
            .iter()
            .take(MOST)
            .enumerate()
            .filter_map(curve)
            .collect();
    }
    record.load().map(of_load).unwrap_or_default()
}

/// Of the loads of a check the first six kinds; the response curve has the rest.
fn of_check(check: &CheckResult) -> Vec<Curve> {
    let loads = check
        .probes
        .iter()
        .filter(|probe| probe.load.latency().total() > 0);
    let mut kinds = Vec::new();
    let firsts = loads.filter(|probe| {
        let is_new = !kinds.contains(&probe.role);
        kinds.push(probe.role);
        is_new
    });
    let curve = |(index, probe): (usize, &Probe)| {
        whole(
            &probe.phrase(),
            FigureLook::SERIES[index],
            &probe.load.latency(),
        )
    };
    firsts.take(MOST).enumerate().filter_map(curve).collect()
}

/// Each direction and operation of one load, and the latency from submission beside them.
fn of_load(load: &LoadResult) -> Vec<Curve> {
    let mut curves: Vec<Curve> = [
        whole("read", FigureLook::Read, &load.read.latency),
        whole("write", FigureLook::Write, &load.write.latency),
        whole("trim", FigureLook::Discard, &load.trim.latency),
        whole("sync", FigureLook::Sync, &load.sync.latency),
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Some(mut service) = load
        .service
        .as_ref()
        .and_then(|service| whole("from submission", FigureLook::Ink, service))
    {
        service.is_dotted = true;
        curves.push(service);
    }
    let operations = load.operations.iter().zip([
        FigureLook::Read,
        FigureLook::Write,
        FigureLook::Sync,
        FigureLook::Discard,
        FigureLook::Fifth,
        FigureLook::Sixth,
    ]);
    curves.extend(
        operations
            .filter_map(|(operation, look)| whole(&operation.name, look, &operation.done.latency)),
    );
    curves.truncate(MOST);
    curves
}

fn whole(name: &str, look: FigureLook, latency: &Histogram) -> Option<Curve> {
    let data = Data::Whole(latency.clone());
    (latency.total() > 0).then(|| Curve {
        name: name.into(),
        look,
        data,
        is_dotted: false,
        kind: String::new(),
    })
}

fn imported(load: &LoadFigures) -> Vec<Curve> {
    let look = |side: &str| match side {
        "read" => FigureLook::Read,
        "write" => FigureLook::Write,
        "trim" => FigureLook::Discard,
        "sync" => FigureLook::Sync,
        _ => FigureLook::Ink,
    };
    // clat is what most tools print percentiles of; where there is none, the next that has any.
    let latency = |latencies: &[LatencyFigures]| {
        let has = |one: &&LatencyFigures| one.histogram.is_some() || !one.percentiles.is_empty();
        let order = |one: &&LatencyFigures| usize::from(one.kind != "clat");
        latencies.iter().filter(has).min_by_key(order).cloned()
    };
    let curve = |(side, figures): (&str, &model::imported::SideFigures)| {
        let found = latency(&figures.latencies)?;
        let name = if found.kind.is_empty() {
            side.to_string()
        } else {
            format!("{side} {}", found.kind)
        };
        let data = match found.histogram {
            Some(histogram) if histogram.total() > 0 => Data::Whole(histogram),
            _ => Data::Points(found.percentiles, found.count.or(figures.ios)),
        };
        Some(Curve {
            name,
            look: look(side),
            data,
            is_dotted: false,
            kind: String::new(),
        })
    };
    load.sides().filter_map(curve).collect()
}

/// Share of I/Os that are not slower → place: each decade of rarity is one step.
fn rarity(slower: f64) -> f64 {
    -slower.log10()
}

impl Curve {
    fn count(&self) -> Option<u64> {
        match &self.data {
            Data::Whole(histogram) => Some(histogram.total()),
            Data::Points(_, count) => *count,
        }
    }

    /// A percentile, unless fewer than ten I/Os are slower.
    fn at(&self, share: f64) -> Option<f64> {
        match &self.data {
            Data::Whole(histogram) => {
                let enough = histogram.total() as f64 * (1.0 - share) >= FEW * 0.999;
                histogram
                    .quantile_ns(share)
                    .filter(|_| enough)
                    .map(|ns| ns as f64)
            }
            Data::Points(points, _) => points
                .iter()
                .find(|(percent, _)| (percent - share * 100.0).abs() < 1e-6)
                .map(|(_, ns)| *ns),
        }
    }

    /// Least and greatest latency, ns, above zero.
    fn range(&self) -> (f64, f64) {
        let (least, most) = match &self.data {
            Data::Whole(histogram) => {
                let used = || {
                    histogram
                        .counts()
                        .iter()
                        .enumerate()
                        .filter(|(_, n)| **n > 0)
                        .map(|(b, _)| b)
                };
                (
                    edge_of(used().next().unwrap_or(0)) as f64,
                    edge_of(used().next_back().unwrap_or(0) + 1) as f64,
                )
            }
            Data::Points(points, _) => {
                let ns = || points.iter().map(|(_, ns)| *ns);
                (ns().fold(f64::INFINITY, f64::min), ns().fold(0.0, f64::max))
            }
        };
        (least.max(1.0), most.max(2.0))
    }

    /// How rare the rarest thing is that it shows.
    fn end(&self) -> f64 {
        match &self.data {
            Data::Whole(histogram) => rarity(1.0 / histogram.total().max(1) as f64),
            Data::Points(points, _) => {
                let most = points
                    .iter()
                    .map(|(percent, _)| *percent)
                    .filter(|percent| *percent < 100.0)
                    .fold(50.0, f64::max);
                rarity(1.0 - most / 100.0)
            }
        }
    }
}

struct Chart {
    curves: Vec<Curve>,
    /// How I/Os were asked for; empty where the records differ in it, or a source does not say.
    loops: String,
}

impl Chart {
    fn title(&self) -> String {
        let one = |curve: &Curve| {
            let p99 = curve.at(0.99)?;
            Some(format!("{} p99 {}", curve.name, units::duration_ns(p99)))
        };
        let found: Vec<String> = self.curves.iter().filter_map(one).collect();
        if found.is_empty() {
            "Latency by share of I/Os".into()
        } else {
            capital(&found.join(", "))
        }
    }

    fn caption(&self) -> String {
        let counts = self.curves.iter().map(|curve| match curve.count() {
            Some(count) => format!(
                "{}{} {} I/Os",
                curve.name,
                curve.kind,
                units::count(count as f64)
            ),
            None => format!("{}{} of an unknown number of I/Os", curve.name, curve.kind),
        });
        let points = self
            .curves
            .iter()
            .any(|curve| matches!(curve.data, Data::Points(..)));
        let points = if points {
            " The source gives the marked percentiles only; between them nothing is known."
        } else {
            ""
        };
        let loop_type = if self.loops.is_empty() {
            String::new()
        } else {
            format!(" {}.", capital(&self.loops))
        };
        format!(
            "Read it as: of a hundred I/Os one takes longer than the curve at p99. Dotted where fewer than ten I/Os are \
             slower; the hollow mark is the slowest one. {}.{points}{loop_type}",
            counts.collect::<Vec<_>>().join(", ")
        )
    }

    fn description(&self) -> String {
        let one = |curve: &Curve| {
            let shares = SHARES.iter().filter_map(|(share, name)| {
                Some(format!("{name} {}", units::duration_ns(curve.at(*share)?)))
            });
            format!("{}: {}", curve.name, shares.collect::<Vec<_>>().join(", "))
        };
        self.curves.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    fn table(&self) -> FigureTable {
        let mut head = vec!["percentile".to_string(), "one in".to_string()];
        head.extend(self.curves.iter().map(|curve| curve.name.clone()));
        let mut table = FigureTable {
            head,
            ..FigureTable::default()
        };
        for (share, name) in SHARES {
            let mut cells = vec![
                name.to_string(),
                units::count((1.0 / (1.0 - share)).round()),
            ];
            cells.extend(
                self.curves
                    .iter()
                    .map(|curve| match (&curve.data, curve.at(share)) {
                        (_, Some(ns)) => units::duration_ns(ns),
                        (Data::Whole(_), None) => "too few I/Os".into(),
                        (Data::Points(..), None) => "not given".into(),
                    }),
            );
            table.rows.push(cells);
        }
        let mut cells = vec!["I/Os".to_string(), String::new()];
        cells.extend(
            self.curves
                .iter()
                .map(|curve| curve.count().map_or("unknown".into(), |n| n.to_string())),
        );
        table.rows.push(cells);
        table
    }

    fn draw(&self, size: Size, id: &str) -> Picture {
        let (least, most) = self
            .curves
            .iter()
            .map(Curve::range)
            .fold((f64::INFINITY, 0.0f64), |(least, most), (l, m)| {
                (least.min(l), most.max(m))
            });
        let end = self.curves.iter().map(Curve::end).fold(1.0, f64::max);
        let nines =
            (1..=end.floor() as i32).map(|nines| (f64::from(nines), percentile_name(nines)));
        let ticks = std::iter::once((rarity(0.5), "p50".to_string()))
            .chain(nines)
            .collect();
        let x = Axis::Own {
            reads: "Rarity",
            domain: (0.0, end * 1.02),
            is_log: false,
            ticks,
            title: if size.is_narrow() {
                "rarer to the right".into()
            } else {
                "share of I/Os that are not slower; rarer to the right".into()
            },
        };
        let y = Axis::Log {
            quantity: Quantity::Ns,
            least,
            most,
            name: "latency".into(),
        };
        let widest = self
            .curves
            .iter()
            .map(|curve| text_width(&curve.name))
            .fold(0.0, f64::max);
        let right = (widest + 18.0).min(if size.is_narrow() { 84.0 } else { 190.0 });
        let mut frame = Frame::new(id, size, &x, &y, right, 0.0);
        for curve in &self.curves {
            match &curve.data {
                Data::Whole(histogram) => draw_whole(&mut frame, curve, histogram),
                Data::Points(points, _) => draw_points(&mut frame, curve, points),
            }
        }
        frame.finish(&self.description())
    }
}

/// `p90`, `p99`, `p99.9`.
fn percentile_name(nines: i32) -> String {
    match nines {
        1 => "p90".into(),
        2 => "p99".into(),
        n => format!("p99.{}", "9".repeat((n - 2) as usize)),
    }
}

/// Steps at the upper edges of buckets; the part that rests on fewer than ten I/Os apart.
fn draw_whole(frame: &mut Frame, curve: &Curve, histogram: &Histogram) {
    let total = histogram.total() as f64;
    let (mut sure, mut unsure) = (PathData::new(), PathData::new());
    let (mut seen, mut last) = (0.0, None);
    for (bucket, count) in histogram
        .counts()
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
    {
        let y = frame.y.at((edge_of(bucket + 1) as f64).max(1.0));
        let slower_before = total - seen;
        seen += *count as f64;
        let slower = total - seen;
        let from = frame.x.at(rarity(slower_before / total));
        // The last step ends where one I/O is left: rarer than that nothing was seen.
        let to = frame.x.at(rarity(slower.max(1.0) / total));
        let path = if slower >= FEW {
            &mut sure
        } else {
            &mut unsure
        };
        if let (true, Some((x, y))) = (path.data().is_empty(), last) {
            let (x, y): (f64, f64) = (x, y);
            path.to(x, y);
        }
        path.to(from, y);
        path.to(to, y);
        last = Some((to, y));
    }
    let line = if curve.is_dotted {
        format!("{} thin", curve.look.line())
    } else {
        curve.look.line()
    };
    frame.svg.named_path(&line, &curve.name, sure.data());
    frame
        .svg
        .path(&format!("{} dotted", curve.look.line()), unsure.data());
    if let Some((x, y)) = last {
        frame
            .svg
            .mark(&curve.look.hollow(), Shape::Circle, (x, y), 3.5);
        let slowest = curve.range().1;
        frame.label(slowest, curve.look.class(), &curve.name);
    }
}

/// Marks at the percentiles that a source gives; the line between them is only there to lead the eye.
fn draw_points(frame: &mut Frame, curve: &Curve, points: &[(f64, f64)]) {
    let mut path = PathData::new();
    let mut last = None;
    for (percent, ns) in points
        .iter()
        .filter(|(percent, ns)| *percent < 100.0 && *ns > 0.0)
    {
        let at = (frame.x.at(rarity(1.0 - percent / 100.0)), frame.y.at(*ns));
        path.to(at.0, at.1);
        last = Some((at, *ns));
    }
    frame
        .svg
        .path(&format!("{} dotted", curve.look.line()), path.data());
    for (percent, ns) in points
        .iter()
        .filter(|(percent, ns)| *percent < 100.0 && *ns > 0.0)
    {
        let at = (frame.x.at(rarity(1.0 - percent / 100.0)), frame.y.at(*ns));
        frame
            .svg
            .mark(&curve.look.filled(), curve.look.shape(), at, 3.0);
    }
    if let Some((_, ns)) = last {
        frame.label(ns, curve.look.class(), &curve.name);
    }
}
