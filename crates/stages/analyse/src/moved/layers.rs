//! The time of an I/O, part by part.

use super::{Arms, Candidate, MovedSample, judged};
use model::layers::{ArmSpan, LayerSide, Span};
use model::moved::{Change, MovedKind};

/// A direction with fewer of the I/Os than this share is not what the load is about.
const SIDE_LEAST: f64 = 0.2;
/// Changes below this share of the whole time explain nothing,
const OF_WHOLE: f64 = 0.02;
/// and below this share of the layer itself it is as good as unchanged.
const OF_ITSELF: f64 = 0.05;

/// A part of the time under both arms.
struct Part {
    name: &'static str,
    samples: [MovedSample; 2],
    medians: Option<(f64, f64)>,
    made_of: Option<String>,
}

/// Changes of every device's layers, the tuned device's first.
pub(super) fn changes(arms: &Arms<'_>) -> Vec<Change> {
    let mut devices: Vec<&str> = vec![arms.device];
    for span in arms.layers {
        if !devices.contains(&span.device.as_str()) {
            devices.push(&span.device);
        }
    }
    let candidates = devices.iter().flat_map(|device| {
        let sides = LayerSide::ALL
            .into_iter()
            .filter(|side| is_main(arms, device, *side));
        sides
            .flat_map(|side| of_device(arms, device, side))
            .collect::<Vec<_>>()
    });
    let mut changes = judged(candidates.collect());
    share_out(&mut changes, arms.device);
    changes
}

/// Parts and whole of one device and direction.
fn of_device(arms: &Arms<'_>, device: &str, side: LayerSide) -> Vec<Candidate> {
    let look = LayerLook { arms, device, side };
    let Some(whole) = look.part(Span::Q2C).or_else(|| look.part(Span::G2C)) else {
        return Vec::new();
    };
    let tuned = LayerLook {
        arms,
        device: arms.device,
        side,
    };
    let scale = tuned
        .part(Span::Q2C)
        .or_else(|| tuned.part(Span::G2C))
        .map_or_else(|| longest(&whole), |it| longest(&it));
    let candidate = |kind: MovedKind, part: Part| {
        let [from, to] = part.samples;
        let change = Change {
            kind,
            name: part.name.to_string(),
            subject: device.to_string(),
            side: Some(side),
            unit: "ns".to_string(),
            from: from.mean,
            to: to.mean,
            medians: part.medians,
            noise: None,
            moved: false,
            share: None,
            made_of: part.made_of,
        };
        Candidate {
            change,
            samples: part.samples,
            least: (OF_WHOLE * scale).max(OF_ITSELF * from.mean),
        }
    };
    let parts = look
        .parts()
        .into_iter()
        .map(|part| candidate(MovedKind::Layer, part))
        .collect::<Vec<_>>();
    parts
        .into_iter()
        .chain([candidate(MovedKind::Whole, whole)])
        .collect()
}

fn longest(whole: &Part) -> f64 {
    whole.samples[0].mean.max(whole.samples[1].mean)
}

/// One device and direction under both arms.
struct LayerLook<'a> {
    arms: &'a Arms<'a>,
    device: &'a str,
    side: LayerSide,
}

impl LayerLook<'_> {
    fn span(&self, arm: &str, span: Span) -> Option<&ArmSpan> {
        let is_it = |one: &&ArmSpan| {
            one.arm == arm && one.device == self.device && one.side == self.side && one.span == span
        };
        self.arms.layers.iter().find(is_it)
    }

    /// A span that both arms have.
    fn part(&self, span: Span) -> Option<Part> {
        let (from, to) = (
            self.span(self.arms.from, span)?,
            self.span(self.arms.to, span)?,
        );
        let medians = Some((from.p50_ns as f64, to.p50_ns as f64));
        Some(Part {
            name: span.name(),
            samples: [sample(from), sample(to)],
            medians,
            made_of: None,
        })
    }

    /// The parts of the whole that both arms have, in the order of an I/O's life. Between request and driver one arm may
    /// have a scheduler and the other none: then it is one part.
    fn parts(&self) -> Vec<Part> {
        let scheduler = self
            .part(Span::G2I)
            .zip(self.part(Span::I2D))
            .map(|(plug, held)| vec![plug, held]);
        let before = scheduler
            .or_else(|| self.part(Span::G2D).map(|part| vec![part]))
            .unwrap_or_else(|| {
                let both = self
                    .before_driver(self.arms.from)
                    .zip(self.before_driver(self.arms.to));
                both.map(|(from, to)| self.joined(from, to))
                    .into_iter()
                    .collect()
            });
        self.part(Span::Q2G)
            .into_iter()
            .chain(before)
            .chain(self.part(Span::D2C))
            .collect()
    }

    /// The time from the request to the driver under an arm, and what it is made of.
    fn before_driver(&self, arm: &str) -> Option<(MovedSample, &'static str)> {
        let of = |span: Span| self.span(arm, span).map(sample);
        if let Some(direct) = of(Span::G2D) {
            return Some((direct, "G2D"));
        }
        if let Some((plug, held)) = of(Span::G2I).zip(of(Span::I2D)) {
            return Some((combined(plug, held, 1.0), "G2I + I2D"));
        }
        let (whole, driver) = of(Span::G2C).zip(of(Span::D2C))?;
        Some((combined(whole, driver, -1.0), "G2C less D2C"))
    }

    fn joined(
        &self,
        (from, from_is): (MovedSample, &str),
        (to, to_is): (MovedSample, &str),
    ) -> Part {
        let made_of = [(from_is, self.arms.from), (to_is, self.arms.to)];
        let other = made_of.into_iter().filter(|(what, _)| *what != "G2D");
        let words: Vec<String> = other
            .map(|(what, arm)| format!("{what} under {arm}"))
            .collect();
        Part {
            name: "G2D",
            samples: [from, to],
            medians: None,
            made_of: (from_is != to_is).then(|| words.join(", ")),
        }
    }
}

fn sample(span: &ArmSpan) -> MovedSample {
    MovedSample {
        mean: span.mean_ns,
        spread: span.spread_ns,
        windows: span.windows,
    }
}

/// Sum or difference of two parts. How their windows go together is not known, so their spreads add up.
fn combined(a: MovedSample, b: MovedSample, sign: f64) -> MovedSample {
    let mean = (a.mean + sign * b.mean).max(0.0);
    MovedSample {
        mean,
        spread: a.spread + b.spread,
        windows: a.windows.min(b.windows),
    }
}

/// Whether a good part of the device's I/O goes in this direction, under either arm.
fn is_main(arms: &Arms<'_>, device: &str, side: LayerSide) -> bool {
    let ios = |wanted: Option<LayerSide>| {
        let of_arms = arms
            .layers
            .iter()
            .filter(|one| one.arm == arms.from || one.arm == arms.to);
        let whole =
            of_arms.filter(|one| matches!(one.span, Span::Q2C | Span::G2C) && one.device == device);
        whole
            .filter(|one| wanted.is_none_or(|side| one.side == side))
            .map(|one| one.ios)
            .sum::<u64>()
    };
    let all = ios(None);
    all > 0 && ios(Some(side)) as f64 >= SIDE_LEAST * all as f64
}

/// Gives each layer of the tuned device that moved its share of what the whole moved by.
fn share_out(changes: &mut [Change], device: &str) {
    let wholes: Vec<(Option<LayerSide>, f64)> = changes
        .iter()
        .filter(|change| {
            change.kind == MovedKind::Whole && change.subject == device && change.moved
        })
        .map(|whole| (whole.side, whole.to - whole.from))
        .collect();
    for change in changes
        .iter_mut()
        .filter(|one| one.kind == MovedKind::Layer && one.subject == device && one.moved)
    {
        let whole = wholes.iter().find(|(side, _)| *side == change.side);
        change.share = whole.map(|(_, by)| (change.to - change.from) / by);
    }
}
