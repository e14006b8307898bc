//! The pairs of an experiment and the interval that closes over them: the proof, with the hold-out apart.

use super::{FigureLook, id_part};
use crate::figure::{Figure, FigureTable};
use crate::frame::{Axis, Frame, Size, both};
use crate::svg::{Anchor, PathData, Picture, Shape};
use model::metric::{Better, ExperimentMetric};
use model::record::{Record, Trial};
use model::units;
use model::verdict::{PairRow, Verdict, VerdictStage};
use view::effect::Effect;
use view::{metric, stage};

/// The most arms that get a chart each.
const MOST_ARMS: usize = 4;
/// From so many pairs on, dots become bands.
const MOST_DOTS: usize = 400;
/// Ticks of effects, per cent; a ratio and its inverse are the same distance apart.
const TICKS: [(f64, &str); 17] = [
    (-0.9, "÷10"),
    (-0.75, "−75 %"),
    (-0.5, "−50 %"),
    (-0.3, "−30 %"),
    (-0.2, "−20 %"),
    (-0.1, "−10 %"),
    (-0.05, "−5 %"),
    (0.0, "0"),
    (0.05, "+5 %"),
    (0.1, "+10 %"),
    (0.2, "+20 %"),
    (0.5, "+50 %"),
    (1.0, "×2"),
    (2.0, "×3"),
    (4.0, "×5"),
    (9.0, "×10"),
    (99.0, "×100"),
];

/// One for each compared arm of each experiment.
pub fn figures(record: &Record) -> Vec<Figure> {
    record
        .trials()
        .iter()
        .flat_map(|trial| of_trial(trial, record.trials().len() > 1))
        .collect()
}

fn of_trial(trial: &Trial, are_many: bool) -> Vec<Figure> {
    let Some(verdict) = &trial.verdict else {
        return Vec::new();
    };
    let base = if are_many {
        format!("pairs-{}", id_part(&trial.knob))
    } else {
        "pairs".into()
    };
    if verdict.pairs.is_empty() {
        let why = format!("{}: no pair was measured. {}", trial.knob, verdict.sentence);
        return vec![Figure::absent(&base, &trial.summary, why)];
    }
    // The compared arm comes first: it carries the number that is claimed.
    let mut arms: Vec<&str> = verdict.compared.iter().map(String::as_str).collect();
    for pair in &verdict.pairs {
        if !arms.contains(&pair.arm.as_str()) {
            arms.push(&pair.arm);
        }
    }
    let mut charts: Vec<Chart<'_>> = arms
        .iter()
        .take(MOST_ARMS)
        .map(|arm| Chart::new(trial, verdict, arm))
        .collect();
    // One axis for all: what looks wider is wider.
    let reach = charts.iter().map(|chart| chart.reach).fold(0.0, f64::max);
    charts.iter_mut().for_each(|chart| chart.reach = reach);
    let several = charts.len() > 1;
    let figure = |(index, chart): (usize, &Chart<'_>)| {
        let id = if several {
            format!("{base}-{}", id_part(chart.arm))
        } else {
            base.clone()
        };
        chart.figure(&id, index == 0)
    };
    charts.iter().enumerate().map(figure).collect()
}

/// The pairs of one arm against the one that is set.
struct Chart<'a> {
    trial: &'a Trial,
    verdict: &'a Verdict,
    arm: &'a str,
    /// Pairs before the hold-out, and those of it.
    open: Vec<&'a PairRow>,
    fresh: Vec<&'a PairRow>,
    /// Half the height of the axis, ln.
    reach: f64,
}

impl<'a> Chart<'a> {
    fn new(trial: &'a Trial, verdict: &'a Verdict, arm: &'a str) -> Chart<'a> {
        let of_arm = verdict.pairs.iter().filter(|pair| pair.arm == arm);
        let (fresh, open): (Vec<_>, Vec<_>) =
            of_arm.partition(|pair| pair.stage == VerdictStage::Holdout);
        let distances: Vec<f64> = open
            .iter()
            .chain(&fresh)
            .map(|pair| pair.effect_ln.abs())
            .filter(|ln| ln.is_finite())
            .collect();
        // 95 % of the pairs are inside; the others are marked at the edge with their value.
        let wide = stats::quantile(&distances, 0.95);
        let claimed = [verdict.low, verdict.high]
            .into_iter()
            .flatten()
            .map(|effect| ln(effect).abs());
        let reach = wide
            .unwrap_or(0.0)
            .max(claimed.fold(0.0, f64::max))
            .max(1.1f64.ln())
            * 1.08;
        Chart {
            trial,
            verdict,
            arm,
            open,
            fresh,
            reach,
        }
    }

    fn is_claimed(&self) -> bool {
        self.verdict.claims(self.arm)
    }

    fn figure(&self, id: &str, is_first: bool) -> Figure {
        let (svg, narrow) = both(210.0, |size, id| self.draw(size, id), id);
        Figure {
            id: id.into(),
            title: self.title(is_first),
            caption: self.caption(is_first),
            description: self.description(),
            svg,
            narrow,
            table: self.table(),
            absent: None,
            readings: None,
        }
    }

    fn found(&self) -> &str {
        self.trial.arms.first().map_or("?", String::as_str)
    }

    fn title(&self, is_first: bool) -> String {
        match (!self.verdict.is_decided(), self.is_claimed()) {
            (true, _) if is_first => {
                format!("{}: no verdict. {}", self.trial.knob, self.verdict.sentence)
            }
            (false, true) => self.trial.summary.clone(),
            _ => {
                format!(
                    "{}: {} against {}, not claimed",
                    self.trial.knob,
                    self.arm,
                    self.found()
                )
            }
        }
    }

    fn caption(&self, is_first: bool) -> String {
        let v = self.verdict;
        if !is_first {
            let edge = self.outside();
            let edge = if edge > 0 {
                format!(" {edge} outside the axis are marked at its edge.")
            } else {
                String::new()
            };
            return format!(
                "Drawn as the figure above, on the same axis: {}.{edge}",
                pairs_word(self.open.len())
            );
        }
        let outside = self.outside();
        let edge = match outside {
            0 => String::new(),
            n => format!(" {n} outside the axis are marked at its edge."),
        };
        let claim = match self.is_claimed() {
            true if !self.fresh.is_empty() => {
                " Far right: the estimate from fresh pairs after the choice was made, the only number that is claimed."
            }
            true => " Far right: the estimate and its interval.",
            false => " Nothing is claimed from these pairs.",
        };
        format!(
            "Each mark is one pair of neighbouring windows, {} against {}: ▸ where {} ran first, ◂ where {} did, ● where the \
             order was a block of several arms. Grey ribbon: the running mean with an interval that may be looked at after \
             every pair, drawn anew from these pairs (the deciding one also clips outliers at a scale from the calibration). Tinted: within ±{} both count as equal.{claim}{edge} \
             Seed {}, α {}, {} before the hold-out and {} in it; {} windows in {}.",
            self.arm,
            self.found(),
            self.found(),
            self.arm,
            units::percent(v.rope * 100.0),
            v.seed,
            v.alpha,
            pairs_word(self.open.len()),
            self.fresh.len(),
            v.windows,
            units::span_ms(v.device_ms),
        )
    }

    fn outside(&self) -> usize {
        self.open
            .iter()
            .chain(&self.fresh)
            .filter(|pair| pair.effect_ln.abs() > self.reach)
            .count()
    }

    fn description(&self) -> String {
        let all: Vec<f64> = self
            .open
            .iter()
            .chain(&self.fresh)
            .map(|pair| pair.effect_ln)
            .collect();
        let above = all.iter().filter(|ln| **ln > 0.0).count();
        let claim = match Effect::of(self.verdict).filter(|_| self.is_claimed()) {
            Some(effect) => format!("Claimed: {}.", effect.words()),
            None => "Nothing is claimed.".into(),
        };
        format!(
            "{} is the better one in {above} of {}. {claim}",
            self.arm,
            pairs_word(all.len())
        )
    }

    fn table(&self) -> FigureTable {
        let name = &self.verdict.metric.name;
        let mut table = FigureTable::new(&[
            "pair",
            "stage",
            "first",
            &format!("{name} of the one set"),
            &format!("{name} of the other"),
            "difference",
        ]);
        for (index, pair) in self.open.iter().chain(&self.fresh).enumerate() {
            let first = match (pair.stage, pair.default_first) {
                (VerdictStage::Race, _) => "block",
                (_, true) => self.found(),
                (_, false) => self.arm,
            };
            table.row([
                (index + 1).to_string(),
                stage::word(pair.stage).into(),
                first.into(),
                metric::value(&self.verdict.metric, pair.rate_default),
                metric::value(&self.verdict.metric, pair.rate_arm),
                units::percent_signed(self.verdict.metric.change(pair.effect_ln.exp_m1())),
            ]);
        }
        table.cut("pairs")
    }

    fn draw(&self, size: Size, id: &str) -> Picture {
        let count = self.open.len() + self.fresh.len();
        let pixels = size.plot_height / (2.0 * self.reach);
        let middle = TICKS
            .iter()
            .position(|(effect, _)| *effect == 0.0)
            .unwrap_or(0);
        let (below, above) = TICKS.split_at(middle);
        let metric = &self.verdict.metric;
        let mut ticks = spaced(above.iter(), metric, pixels, self.reach);
        ticks.extend(spaced(below.iter().rev(), metric, pixels, self.reach));
        let y = Axis::Own {
            reads: "None",
            domain: (-self.reach, self.reach),
            is_log: false,
            ticks,
            title: self.y_title(),
        };
        let (_, x_ticks, _) =
            view::scale::linear_ticks(view::scale::Quantity::Count, count as f64, 6);
        let x = Axis::Own {
            reads: "None",
            domain: (0.0, count as f64 + 1.0),
            is_log: false,
            ticks: x_ticks
                .into_iter()
                .filter(|(value, _)| *value <= count as f64)
                .collect(),
            title: "pair".into(),
        };
        let right = match (self.is_claimed(), size.is_narrow()) {
            (false, _) => 20.0,
            (true, true) => 92.0,
            (true, false) => 150.0,
        };
        let mut frame = Frame::new(id, size, &x, &y, right, 0.0);
        self.zone(&mut frame);
        self.ribbon(&mut frame);
        self.dots(&mut frame);
        self.boundary(&mut frame);
        self.claim(&mut frame);
        frame.finish(&self.description())
    }

    /// Up is better, whichever way the metric is.
    fn y_title(&self) -> String {
        let (name, arm, found) = (&self.verdict.metric.name, self.arm, self.found());
        match self.verdict.metric.better {
            Better::Higher => format!("{name} of {arm} over {found}"),
            Better::Lower => format!("{name} of {arm} over {found}, less is up"),
        }
    }

    fn zone(&self, frame: &mut Frame) {
        let (left, _, right, _) = frame.plot;
        let (top, bottom) = (
            frame.y.at(ln(self.verdict.rope)),
            frame.y.at(-ln(self.verdict.rope)),
        );
        frame
            .svg
            .rect("zone", (left, top), (right - left, bottom - top));
        frame
            .svg
            .line("axis", (left, frame.y.at(0.0)), (right, frame.y.at(0.0)));
    }

    /// The running mean with an interval that may be looked at after every pair: the boundary of a mixture of normals, as
    /// the experiment uses it, with the scatter of these pairs in place of the calibration's.
    fn ribbon(&self, frame: &mut Frame) {
        let values: Vec<f64> = self.open.iter().map(|pair| pair.effect_ln).collect();
        let weight = 30.0 / 8.0 * stats::mad_sd(&values).powi(2);
        if weight <= 0.0 || values.len() < 3 {
            return;
        }
        let (_, top, _, bottom) = frame.plot;
        let (mut sum, mut squares) = (0.0, 0.0);
        let (mut upper, mut lower, mut mean_path) = (Vec::new(), Vec::new(), PathData::new());
        for (index, value) in values.iter().enumerate() {
            let n = index as f64 + 1.0;
            sum += value;
            squares += value * value;
            let mean = sum / n;
            let square = (squares - n * mean * mean).max(0.0) + weight;
            let half = (square
                * (square / (weight * self.verdict.alpha.powi(2)))
                    .ln()
                    .max(0.0))
            .sqrt()
                / n;
            let x = frame.x.at(n);
            upper.push((x, frame.y.at(mean + half).clamp(top, bottom)));
            lower.push((x, frame.y.at(mean - half).clamp(top, bottom)));
            mean_path.to(x, frame.y.at(mean).clamp(top, bottom));
        }
        let mut outline = PathData::new();
        upper
            .iter()
            .chain(lower.iter().rev())
            .for_each(|(x, y)| outline.to(*x, *y));
        outline.close();
        frame.svg.path("ribbon", outline.data());
        frame.svg.path("ribbon-mean", mean_path.data());
    }

    fn dots(&self, frame: &mut Frame) {
        let all: Vec<&&PairRow> = self.open.iter().chain(&self.fresh).collect();
        if all.len() > MOST_DOTS {
            return self.bands(frame, &all);
        }
        let (_, top, _, bottom) = frame.plot;
        let size = if all.len() > 150 { 2.2 } else { 3.2 };
        for (index, pair) in all.iter().enumerate() {
            let x = frame.x.at(index as f64 + 1.0);
            let y = frame.y.at(pair.effect_ln);
            if pair.effect_ln.abs() > self.reach {
                let (shape, y) = if pair.effect_ln > 0.0 {
                    (Shape::Up, top + 5.0)
                } else {
                    (Shape::Down, bottom - 5.0)
                };
                let change = self.verdict.metric.change(pair.effect_ln.exp_m1());
                let value = units::percent_signed(change);
                frame
                    .svg
                    .group("out", &value, |svg| svg.mark("dot", shape, (x, y), 4.0));
                continue;
            }
            let shape = match (pair.stage, pair.default_first) {
                (VerdictStage::Race, _) => Shape::Circle,
                (_, true) => Shape::Right,
                (_, false) => Shape::Left,
            };
            frame.svg.mark("dot", shape, (x, y), size);
        }
    }

    /// Of many pairs: for each span of them the middle half and the middle nine tenths.
    fn bands(&self, frame: &mut Frame, all: &[&&PairRow]) {
        let (_, top, _, bottom) = frame.plot;
        let span = all.len().div_ceil(80);
        for (index, part) in all.chunks(span).enumerate() {
            let values: Vec<f64> = part.iter().map(|pair| pair.effect_ln).collect();
            let at = |share| stats::quantile(&values, share).unwrap_or(0.0);
            let (from, to) = (
                frame.x.at((index * span) as f64 + 0.6),
                frame.x.at(((index + 1) * span).min(all.len()) as f64 + 0.4),
            );
            for (class, low, high) in [("quant1", 0.05, 0.95), ("quant2", 0.25, 0.75)] {
                let (y1, y2) = (
                    frame.y.at(at(high)).clamp(top, bottom),
                    frame.y.at(at(low)).clamp(top, bottom),
                );
                frame
                    .svg
                    .rect(class, (from, y1), (to - from, (y2 - y1).max(1.0)));
            }
        }
    }

    /// Where the choice was made: what lies right of it is fresh.
    fn boundary(&self, frame: &mut Frame) {
        if self.fresh.is_empty() || self.open.is_empty() {
            return;
        }
        let (_, top, right, bottom) = frame.plot;
        let x = frame.x.at(self.open.len() as f64 + 0.5);
        frame.svg.line("decided", (x, top), (x, bottom));
        let text = format!("chosen after {}", self.open.len());
        let (anchor, shift) = if x > right - 120.0 {
            (Anchor::End, -4.0)
        } else {
            (Anchor::Start, 4.0)
        };
        frame
            .svg
            .text("t2 halo", (x + shift, top + 11.0), anchor, &text);
    }

    /// The only coloured thing: the estimate with its interval.
    fn claim(&self, frame: &mut Frame) {
        let v = self.verdict;
        let (true, Some(shown), Some(effect), Some(low), Some(high)) =
            (self.is_claimed(), Effect::of(v), v.effect, v.low, v.high)
        else {
            return;
        };
        let (_, top, right, bottom) = frame.plot;
        let look = FigureLook::of_arm(
            self.trial
                .arms
                .iter()
                .position(|arm| arm == self.arm)
                .unwrap_or(1)
                .max(1),
        );
        let x = right + 16.0;
        let place = |effect: f64| frame.y.at(ln(effect)).clamp(top, bottom);
        let (y, y_low, y_high) = (place(effect), place(low), place(high));
        let line = format!("claim {}", look.class());
        frame.svg.line(&line, (x, y_low), (x, y_high));
        frame.svg.line(&line, (x - 5.0, y_low), (x + 5.0, y_low));
        frame.svg.line(&line, (x - 5.0, y_high), (x + 5.0, y_high));
        frame.svg.mark(&look.filled(), look.shape(), (x, y), 5.0);
        frame.svg.text(
            "t strong",
            (x + 11.0, y - 2.0),
            Anchor::Start,
            &shown.change(),
        );
        let bare = |value: f64| units::percent_signed(value).replace(" %", "");
        let interval = format!("{} to {}", bare(shown.low), bare(shown.high));
        frame
            .svg
            .text("t2", (x + 11.0, y + 12.0), Anchor::Start, &interval);
    }
}

/// Ticks from the middle outwards that are far enough apart to be read.
fn spaced<'t>(
    ticks: impl Iterator<Item = &'t (f64, &'static str)>,
    metric: &ExperimentMetric,
    pixels: f64,
    reach: f64,
) -> Vec<(f64, String)> {
    // A tick says what the metric does; where it stands is the gain, so that up is better.
    let gain_ln = |change: f64| match metric.better {
        Better::Higher => ln(change),
        Better::Lower => -ln(change),
    };
    let mut last = 0.0f64;
    let mut kept = Vec::new();
    for (change, label) in ticks.filter(|(change, _)| ln(*change).abs() <= reach) {
        let at = gain_ln(*change) * pixels;
        if *change == 0.0 || (at - last).abs() >= 15.0 {
            last = at;
            kept.push((gain_ln(*change), (*label).to_string()));
        }
    }
    kept
}

fn pairs_word(count: usize) -> String {
    if count == 1 {
        "1 pair".into()
    } else {
        format!("{count} pairs")
    }
}

/// Of a ratio minus one.
fn ln(effect: f64) -> f64 {
    effect.max(-0.9999).ln_1p()
}
