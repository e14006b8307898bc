//! The windows of an experiment over time: what each arm gave when, so that drift and neighbours can be seen to hit all
//! arms alike.

use super::{FigureLook, id_part};
use crate::figure::{Figure, FigureTable};
use crate::frame::{Axis, Frame, Size, both, text_width};
use crate::readings::Readings;
use crate::reduce::{ReduceStep, points};
use crate::svg::{Anchor, PathData, Picture};
use model::metric::ExperimentMetric;
use model::record::{Record, Trial, WindowRun};
use view::metric;
use view::scale::Quantity;
use view::stage;
use view::trial::letter;

/// Height of the lane that shows which arm ran.
const LANE: f64 = 12.0;
/// A window is shaded from this width on; below it the lane says enough.
const TINT_FROM: f64 = 6.0;

/// One for each experiment that has its windows.
pub fn figures(record: &Record) -> Vec<Figure> {
    let with_windows = record
        .trials()
        .iter()
        .filter(|trial| !trial.windows.is_empty());
    with_windows
        .map(|trial| figure(trial, record.trials().len() > 1))
        .collect()
}

fn figure(trial: &Trial, are_many: bool) -> Figure {
    let id = if are_many {
        format!("arms-{}", id_part(&trial.knob))
    } else {
        "arms".into()
    };
    let (svg, narrow) = both(170.0, |size, id| draw(trial, size, id), &id);
    Figure {
        id,
        title: format!(
            "{}: {} of every window, by arm",
            trial.knob,
            of_metric(trial).name
        ),
        caption: caption(trial),
        description: description(trial),
        svg,
        narrow,
        table: table(trial),
        absent: None,
        readings: Some(readings(trial)),
    }
}

/// What the windows were measured in.
fn of_metric(trial: &Trial) -> ExperimentMetric {
    let verdict = trial.verdict.as_ref();
    verdict.map_or_else(ExperimentMetric::iops, |verdict| verdict.metric.clone())
}

fn caption(trial: &Trial) -> String {
    let arms: Vec<String> = trial
        .arms
        .iter()
        .enumerate()
        .map(|(index, arm)| format!("{} {arm}", letter(index)))
        .collect();
    let halves = trial
        .windows
        .iter()
        .filter(|window| window.half_depth)
        .count();
    let half = if halves > 0 {
        format!(" {halves} windows at half the depth are not drawn.")
    } else {
        String::new()
    };
    let first = if trial.aa {
        " An A/A run: every switch wrote the value that was set already."
    } else {
        ""
    };
    format!(
        "Each window at the mean of the part that counts; its first part, in which the switch settles, is left out. \
         Arms: {}. The lane under the plot says which arm ran.{half}{first}",
        arms.join(", ")
    )
}

/// Mean of the windows that compare arms, with their number.
fn of_arm(trial: &Trial, arm: usize) -> Option<(f64, f64, f64, usize)> {
    let rates: Vec<f64> = drawn(trial)
        .filter(|window| window.arm == arm)
        .map(|window| window.rate)
        .collect();
    let (least, most) = rates
        .iter()
        .fold((f64::INFINITY, 0.0f64), |(least, most), rate| {
            (least.min(*rate), most.max(*rate))
        });
    let mean = stats::mean(&rates);
    (!rates.is_empty()).then_some((least, mean, most, rates.len()))
}

fn drawn(trial: &Trial) -> impl Iterator<Item = &WindowRun> {
    let windows = trial.windows.iter();
    windows.filter(|window| !window.half_depth && window.has_value())
}

fn description(trial: &Trial) -> String {
    let arm = |(index, name): (usize, &String)| {
        let (least, mean, most, count) = of_arm(trial, index)?;
        let words = |value| metric::value(&of_metric(trial), value);
        Some(format!(
            "{} {name}: {} in the mean of {count} windows, {} to {}",
            letter(index),
            words(mean),
            words(least),
            words(most)
        ))
    };
    let arms: Vec<String> = trial.arms.iter().enumerate().filter_map(arm).collect();
    format!(
        "{}. The proof compares neighbouring windows, not these means.",
        arms.join("; ")
    )
}

fn table(trial: &Trial) -> FigureTable {
    let mut table = FigureTable::new(&["start", "stage", "arm", "length", &of_metric(trial).name]);
    for window in &trial.windows {
        let arm = trial.arms.get(window.arm).map_or("?", String::as_str);
        table.row([
            Quantity::Seconds.words(window.start_ms as f64 / 1e3),
            stage::word(window.stage).to_string(),
            format!("{} {arm}", letter(window.arm)),
            Quantity::Seconds.words(window.length_ms as f64 / 1e3),
            match window.has_value() {
                true => metric::value(&of_metric(trial), window.rate),
                false => "–".into(),
            },
        ]);
    }
    table.cut("windows")
}

/// The windows of an arm at their mean rates, from the chart's start on; what settles is left out.
fn steps(trial: &Trial, arm: usize) -> Vec<ReduceStep> {
    let start = start_ms(trial) as f64 / 1e3;
    let step = |window: &WindowRun| {
        let from = (window.start_ms + window.discard_ms) as f64 / 1e3 - start;
        let to = (window.start_ms + window.length_ms) as f64 / 1e3 - start;
        ReduceStep {
            from,
            to,
            value: Some(window.rate),
        }
    };
    drawn(trial)
        .filter(|window| window.arm == arm)
        .map(step)
        .collect()
}

fn start_ms(trial: &Trial) -> u64 {
    trial
        .windows
        .iter()
        .map(|window| window.start_ms)
        .min()
        .unwrap_or(0)
}

fn names(trial: &Trial) -> Vec<String> {
    trial
        .arms
        .iter()
        .enumerate()
        .map(|(index, arm)| format!("{} {arm}", letter(index)))
        .collect()
}

fn readings(trial: &Trial) -> Readings {
    let (names, all): (Vec<String>, Vec<Vec<ReduceStep>>) = (
        names(trial),
        (0..trial.arms.len()).map(|arm| steps(trial, arm)).collect(),
    );
    let lines = names
        .iter()
        .map(String::as_str)
        .zip(all.iter().map(Vec::as_slice));
    let lines = Readings::of_lines(metric::quantity(&of_metric(trial)), true, lines);
    Readings {
        zero_ms: start_ms(trial),
        apart: true,
        ..lines
    }
}

fn draw(trial: &Trial, size: Size, id: &str) -> Picture {
    let start = start_ms(trial) as f64 / 1e3;
    let end = trial
        .windows
        .iter()
        .map(|window| window.start_ms + window.length_ms)
        .max()
        .unwrap_or(0) as f64
        / 1e3;
    let most = drawn(trial).map(|window| window.rate).fold(0.0, f64::max);
    let x = Axis::Time {
        seconds: end - start,
    };
    let y = Axis::Linear {
        quantity: metric::quantity(&of_metric(trial)),
        most,
        name: format!("{} of a window", of_metric(trial).name),
    };
    let names = names(trial);
    let widest = names
        .iter()
        .map(|name| text_width(name))
        .fold(0.0, f64::max);
    let right = (widest + 18.0).min(if size.is_narrow() { 80.0 } else { 170.0 });
    let mut frame = Frame::new(id, size, &x, &y, right, LANE + 4.0);
    lane(trial, &mut frame, start);
    for (arm, name) in names.iter().enumerate() {
        let look = FigureLook::of_arm(arm);
        draw_windows(&mut frame, &steps(trial, arm), look);
        if let Some((_, mean, _, _)) = of_arm(trial, arm) {
            frame.label(mean, look.class(), name);
        }
    }
    frame.finish(&description(trial))
}

/// Windows of one arm lie apart: each is a stroke of its own, at least two pixels wide, until there are so many that the
/// columns of pixels are full; then the extremes of each column.
fn draw_windows(frame: &mut Frame, steps: &[ReduceStep], look: FigureLook) {
    let (left, _, right, _) = frame.plot;
    let (x, y) = (frame.x, frame.y);
    let mut path = PathData::new();
    if steps.len() as f64 <= (right - left) / 2.0 {
        for step in steps {
            let (from, to) = (x.at(step.from), x.at(step.to));
            path.lift();
            path.to(from, y.at(step.value.unwrap_or(f64::NAN)));
            path.to(to.max(from + 2.0), y.at(step.value.unwrap_or(f64::NAN)));
        }
    } else {
        let joined: Vec<ReduceStep> = steps
            .iter()
            .enumerate()
            .map(|(index, step)| ReduceStep {
                to: steps.get(index + 1).map_or(step.to, |next| next.from),
                ..*step
            })
            .collect();
        for point in points(&joined, |t| x.at(t), right - left)
            .into_iter()
            .flatten()
        {
            path.to(point.0, y.at(point.1));
        }
    }
    frame.svg.path(&format!("w {}", look.class()), path.data());
}

/// Which arm ran when: a lane under the plot, with letters where there is room, and a tint above it.
fn lane(trial: &Trial, frame: &mut Frame, start: f64) {
    let (_, top, _, bottom) = frame.plot;
    let x = frame.x;
    // Neighbouring windows of one arm that are narrower than a pixel become one piece.
    let mut pieces: Vec<(usize, f64, f64)> = Vec::new();
    for window in &trial.windows {
        let from = x.at(window.start_ms as f64 / 1e3 - start);
        let to = x.at((window.start_ms + window.length_ms) as f64 / 1e3 - start);
        match pieces.last_mut() {
            Some((arm, _, end)) if *arm == window.arm && from - *end < 1.0 => *end = to,
            Some((_, _, end)) if to - *end < 0.7 => {}
            _ => pieces.push((window.arm, from, to)),
        }
    }
    for (arm, from, to) in pieces {
        let class = format!("lane {}", FigureLook::of_arm(arm).class());
        if arm == 1 && to - from >= TINT_FROM {
            frame
                .svg
                .rect("band", (from, top), (to - from, bottom - top));
        }
        frame
            .svg
            .rect(&class, (from, bottom + 2.0), ((to - from).max(0.5), LANE));
        if to - from >= 10.0 {
            let letter = letter(arm).to_string();
            frame.svg.text(
                "t3",
                ((from + to) / 2.0, bottom + LANE),
                Anchor::Middle,
                &letter,
            );
        }
    }
}
