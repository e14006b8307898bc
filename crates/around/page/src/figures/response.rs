//! Latency over what a load really got: the response curve, with its knee.

use super::lines::capital;
use super::{FigureLook, loop_words};
use crate::figure::{Figure, FigureTable};
use crate::frame::{Axis, Frame, Size, both, text_width};
use crate::svg::{Anchor, PathData, Picture, Shape};
use model::check::Role;
use model::curve::{Curve, Point, Spread, Sweep};
use model::record::Record;
use model::search::Search;
use model::units;
use view::scale::Quantity;

/// From this block size on, bytes per second say more than I/Os.
const LARGE_BLOCK: u64 = 65_536;
/// The most curves that get a figure each.
const MOST: usize = 4;

/// One point of a curve.
#[derive(Clone, Debug)]
struct Load {
    /// Depth, jobs or rate.
    name: String,
    /// What it got: I/Os or bytes per second, with its interval.
    got: Spread,
    p50_ns: Option<Spread>,
    p99_ns: Spread,
    /// Achieved less than was asked for, or in flight is not what the settings say.
    is_doubtful: bool,
}

struct Chart {
    id: String,
    title: String,
    caption: String,
    quantity: Quantity,
    option: String,
    loads: Vec<Load>,
    /// Index of the knee and the indices between which it lies.
    knee: Option<(usize, usize, usize)>,
    /// A latency that must be kept.
    limit_ns: Option<f64>,
    /// What the latency is: `p99`, or what a search looked at.
    statistic: String,
}

/// The curves of a sweep, the loads of a search, the depths of a check.
pub fn figures(record: &Record) -> Vec<Figure> {
    let mut charts = Vec::new();
    if let Some(sweep) = &record.studies().sweep {
        let several = sweep.curves.len() > 1;
        let curves = sweep.curves.iter().take(MOST).enumerate();
        charts.extend(
            curves.filter_map(|(index, curve)| {
                of_sweep(record, sweep, curve, several.then_some(index))
            }),
        );
    }
    charts.extend(record.studies().search.as_ref().and_then(of_search));
    charts.extend(of_check(record));
    charts.into_iter().map(Chart::figure).collect()
}

fn of_sweep(record: &Record, sweep: &Sweep, curve: &Curve, index: Option<usize>) -> Option<Chart> {
    let is_bytes = record.job.bs >= LARGE_BLOCK;
    let name_of = |point: &Point| {
        let setting = point
            .settings
            .iter()
            .find(|setting| setting.option == curve.option);
        setting.map_or_else(String::new, |setting| setting.value.clone())
    };
    // Points without a completed I/O have no place; the rest keep the order of the load.
    let kept: Vec<usize> = curve
        .points
        .iter()
        .copied()
        .filter(|at| sweep.points[*at].iops.mean > 0.0)
        .collect();
    let loads: Vec<Load> = kept
        .iter()
        .map(|at| {
            let point = &sweep.points[*at];
            Load {
                name: name_of(point),
                got: if is_bytes {
                    point.bytes_per_s
                } else {
                    point.iops
                },
                p50_ns: Some(point.p50_ns),
                p99_ns: point.p99_ns,
                is_doubtful: !point.little.holds,
            }
        })
        .collect();
    let place = |at: usize| kept.iter().position(|kept| *kept == at);
    let knee = curve
        .knee
        .as_ref()
        .and_then(|knee| Some((place(knee.point)?, place(knee.low)?, place(knee.high)?)));
    let title = sweep_title(sweep, curve, name_of);
    let visits = match sweep.repeats {
        1 => "One visit each, so no intervals.".to_string(),
        n => format!("{n} visits each in random order; bars are 95 % intervals over them."),
    };
    (!loads.is_empty()).then(|| Chart {
        id: index.map_or("response".into(), |index| format!("response-{}", index + 1)),
        title,
        caption: format!(
            "p50 and p99 over what was achieved, joined in the order of {}; each point is named by it. {visits} Windows of {}, \
             seed {}; {}.",
            curve.option,
            units::span_ms(sweep.window_ms),
            sweep.seed,
            loop_words(record)
        ),
        quantity: if is_bytes { Quantity::BytesPerS } else { Quantity::Iops },
        option: curve.option.clone(),
        loads,
        knee,
        limit_ns: None,
        statistic: "p99".into(),
    })
}

/// Where the knee is, or why there is none.
fn sweep_title(sweep: &Sweep, curve: &Curve, name_of: impl Fn(&Point) -> String) -> String {
    let shared: Vec<String> = curve
        .settings
        .iter()
        .map(|one| format!("{}={}", one.option, one.value))
        .collect();
    let shared = if shared.is_empty() {
        String::new()
    } else {
        format!(" with {}", shared.join(" "))
    };
    match (&curve.knee, &curve.no_knee) {
        (Some(knee), _) => {
            let point = &sweep.points[knee.point];
            let range = match knee.low == knee.high {
                true => String::new(),
                false => format!(
                    " ({} to {})",
                    name_of(&sweep.points[knee.low]),
                    name_of(&sweep.points[knee.high])
                ),
            };
            format!(
                "Knee at {} {}{range}: {} IOPS, p99 {}{shared}",
                curve.option,
                name_of(point),
                units::count(point.iops.mean.round()),
                units::duration_ns(point.p99_ns.mean)
            )
        }
        (None, why) => format!(
            "No knee{shared}: {}",
            why.as_deref().unwrap_or("the curve is not whole")
        ),
    }
}

fn of_search(search: &Search) -> Option<Chart> {
    let mut trials: Vec<_> = search
        .trials
        .iter()
        .filter(|trial| trial.latency_ns > 0.0)
        .collect();
    trials.sort_by(|one, other| one.level.total_cmp(&other.level));
    let load = |trial: &&model::search::Trial| Load {
        name: units::count(trial.level.round()),
        got: Spread {
            mean: trial.iops,
            low: None,
            high: None,
        },
        p50_ns: None,
        p99_ns: Spread {
            mean: trial.latency_ns,
            low: None,
            high: None,
        },
        is_doubtful: !trial.kept,
    };
    let loads: Vec<Load> = trials.iter().map(load).collect();
    let goal = search.goal.statistic.name();
    let limit = units::duration_ns(search.goal.limit_ns as f64);
    let title = match &search.best {
        Some(best) => format!(
            "{} keep {goal} within {limit}",
            Quantity::Iops.words(best.iops.mean)
        ),
        None => format!("Even the lightest load does not keep {goal} within {limit}"),
    };
    (!loads.is_empty()).then(|| Chart {
        id: "response".into(),
        title,
        caption: format!(
            "Every window of the search: {goal} over what was achieved; hollow where the goal was missed. {}",
            if search.open_loop {
                "Open loop: latency counts from the intended start."
            } else {
                "Closed loop."
            }
        ),
        quantity: Quantity::Iops,
        option: match search.lever {
            model::search::Lever::Iodepth => "iodepth".into(),
            model::search::Lever::Rate => "offered rate".into(),
        },
        loads,
        knee: None,
        limit_ns: Some(search.goal.limit_ns as f64),
        statistic: goal,
    })
}

/// The depths that a check tried, one short load each.
fn of_check(record: &Record) -> Option<Chart> {
    let check = record.check()?;
    let depths = check
        .probes
        .iter()
        .filter(|probe| matches!(probe.role, Role::Latency | Role::Depth));
    let once = |value: f64| Spread {
        mean: value,
        low: None,
        high: None,
    };
    let load = |probe: &model::check::Probe| {
        let latency = probe.load.latency();
        Some(Load {
            name: probe.load.depth.max(1).to_string(),
            got: once(probe.iops()),
            p50_ns: Some(once(latency.quantile_ns(0.5)? as f64)),
            p99_ns: once(latency.quantile_ns(0.99)? as f64),
            is_doubtful: false,
        })
    };
    let mut loads: Vec<Load> = depths.filter_map(load).collect();
    loads.sort_by_key(|load| load.name.parse::<u32>().unwrap_or(0));
    let best = loads
        .iter()
        .max_by(|one, other| one.got.mean.total_cmp(&other.got.mean))?;
    let title = format!(
        "Random 4k reads: most at depth {}, {}",
        best.name,
        Quantity::Iops.words(best.got.mean)
    );
    (loads.len() > 1).then(|| Chart {
        id: "response".into(),
        title,
        caption: "p50 and p99 over what was achieved, one short load a depth, so no intervals and no knee is claimed. \
                  Closed loop: an I/O that waits for an earlier one to come back is not counted as waiting."
            .into(),
        quantity: Quantity::Iops,
        option: "depth".into(),
        loads,
        knee: None,
        limit_ns: None,
        statistic: "p99".into(),
    })
}

impl Chart {
    fn figure(self) -> Figure {
        let (svg, narrow) = both(230.0, |size, id| self.draw(size, id), &self.id);
        Figure {
            title: capital(&self.title),
            caption: self.caption.clone(),
            description: self.description(),
            svg,
            narrow,
            table: self.table(),
            absent: None,
            readings: None,
            id: self.id,
        }
    }

    fn description(&self) -> String {
        let one = |load: &Load| {
            format!(
                "{} {}: {}, {} {}",
                self.option,
                load.name,
                self.quantity.words(load.got.mean),
                self.statistic,
                units::duration_ns(load.p99_ns.mean)
            )
        };
        match (self.loads.first(), self.loads.last()) {
            (Some(first), Some(last)) if self.loads.len() > 1 => {
                format!(
                    "{} points. {}; {}.",
                    self.loads.len(),
                    one(first),
                    one(last)
                )
            }
            (Some(only), _) => format!("One point. {}.", one(only)),
            _ => String::new(),
        }
    }

    fn table(&self) -> FigureTable {
        let mut table = FigureTable::new(&[
            &self.option,
            "achieved",
            "interval",
            "p50",
            &self.statistic,
            "interval",
            "remark",
        ]);
        let interval =
            |spread: &Spread, words: &dyn Fn(f64) -> String| match (spread.low, spread.high) {
                (Some(low), Some(high)) => format!("{} to {}", words(low), words(high)),
                _ => "–".into(),
            };
        for (index, load) in self.loads.iter().enumerate() {
            let knee = self.knee.is_some_and(|(knee, _, _)| knee == index);
            let remark = match (knee, load.is_doubtful) {
                (true, _) => "knee",
                (_, true) if self.limit_ns.is_some() => "missed",
                (_, true) => "in flight is not what was asked",
                _ => "",
            };
            table.row([
                load.name.clone(),
                self.quantity.words(load.got.mean),
                interval(&load.got, &|value| self.quantity.words(value)),
                load.p50_ns
                    .map_or("–".into(), |p50| units::duration_ns(p50.mean)),
                units::duration_ns(load.p99_ns.mean),
                interval(&load.p99_ns, &units::duration_ns),
                remark.into(),
            ]);
        }
        table.cut("points")
    }

    fn draw(&self, size: Size, id: &str) -> Picture {
        let most = self
            .loads
            .iter()
            .map(|load| load.got.mean)
            .fold(0.0, f64::max);
        let latencies = || {
            let p50 = self
                .loads
                .iter()
                .filter_map(|load| load.p50_ns)
                .map(|p50| p50.mean);
            let p99 = self
                .loads
                .iter()
                .flat_map(|load| [Some(load.p99_ns.mean), load.p99_ns.low, load.p99_ns.high]);
            p50.chain(p99.flatten())
                .chain(self.limit_ns)
                .filter(|ns| *ns > 0.0)
        };
        let x = Axis::Linear {
            quantity: self.quantity,
            most,
            name: "achieved".into(),
        };
        let y = Axis::Log {
            quantity: Quantity::Ns,
            least: latencies().fold(f64::INFINITY, f64::min),
            most: latencies().fold(0.0, f64::max),
            name: "latency".into(),
        };
        let mut frame = Frame::new(
            id,
            size,
            &x,
            &y,
            text_width(&self.statistic).max(text_width("p99")) + 22.0,
            0.0,
        );
        self.draw_knee(&mut frame);
        if let Some(limit) = self.limit_ns {
            let (left, _, right, _) = frame.plot;
            let y = frame.y.at(limit);
            super::lines::limit(
                &mut frame.svg,
                (left, right),
                y,
                &format!("must stay within {}", units::duration_ns(limit)),
            );
        }
        if self.loads.iter().any(|load| load.p50_ns.is_some()) {
            self.curve(
                &mut frame,
                FigureLook::Ink,
                "p50",
                |load| load.p50_ns,
                false,
            );
        }
        self.curve(
            &mut frame,
            FigureLook::Sync,
            &self.statistic,
            |load| Some(load.p99_ns),
            true,
        );
        frame.finish(&self.description())
    }

    fn draw_knee(&self, frame: &mut Frame) {
        let Some((knee, low, high)) = self.knee else {
            return;
        };
        let (_, top, right, bottom) = frame.plot;
        let place = |index: usize| frame.x.at(self.loads[index].got.mean);
        let (a, b) = (place(low), place(high));
        let (from, to) = (a.min(b), a.max(b));
        frame
            .svg
            .rect("zone", (from - 2.0, top), (to - from + 4.0, bottom - top));
        let x = place(knee);
        frame.svg.line("decided", (x, top), (x, bottom));
        let text = format!("knee {} {}", self.option, self.loads[knee].name);
        let is_left = x + text_width(&text) + 8.0 > right;
        let (anchor, shift) = if is_left {
            (Anchor::End, -5.0)
        } else {
            (Anchor::Start, 5.0)
        };
        frame
            .svg
            .text("t halo", (x + shift, bottom - 6.0), anchor, &text);
    }

    fn curve(
        &self,
        frame: &mut Frame,
        look: FigureLook,
        name: &str,
        of: impl Fn(&Load) -> Option<Spread>,
        named: bool,
    ) {
        let mut path = PathData::new();
        let place = |frame: &Frame, load: &Load| {
            let latency = of(load)?;
            Some((
                latency,
                (frame.x.at(load.got.mean), frame.y.at(latency.mean)),
            ))
        };
        if self.limit_ns.is_none() {
            self.loads
                .iter()
                .filter_map(|load| place(frame, load))
                .for_each(|(_, (x, y))| path.to(x, y));
        }
        frame.svg.named_path(&look.line(), name, path.data());
        let mut taken: Vec<(f64, f64)> = Vec::new();
        for load in &self.loads {
            let Some((latency, at)) = place(frame, load) else {
                continue;
            };
            if let (Some(low), Some(high)) = (latency.low, latency.high) {
                let (top, bottom) = (frame.plot.1, frame.plot.3);
                let (y1, y2) = (
                    frame.y.at(high).clamp(top, bottom),
                    frame.y.at(low).clamp(top, bottom),
                );
                frame
                    .svg
                    .line(&format!("l {} thin", look.class()), (at.0, y1), (at.0, y2));
            }
            let class = if load.is_doubtful {
                look.hollow()
            } else {
                look.filled()
            };
            let shape = if look == FigureLook::Sync {
                Shape::Up
            } else {
                Shape::Circle
            };
            frame.svg.mark(&class, shape, at, 4.0);
            let label = (at.0 - 6.0, at.1 - 8.0);
            // Of points on top of each other the first keeps its name.
            let is_free = taken
                .iter()
                .all(|(x, y)| (x - label.0).abs() > 22.0 || (y - label.1).abs() > 11.0);
            if named && is_free {
                frame.svg.text("t3 halo", label, Anchor::End, &load.name);
                taken.push(label);
            }
        }
        if let Some(latency) = self.loads.last().and_then(&of) {
            frame.label(latency.mean, look.class(), name);
        }
    }
}
