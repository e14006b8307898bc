//! The one form that all published formulas have: a base, so much for each GiB, and bounds.

use serde::Deserialize;

/// `base + per_gib × size + per_iops × IOPS`, within bounds.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CloudFormulaLine {
    /// The part that does not depend on anything.
    pub base: f64,
    /// For each GiB of the size.
    pub per_gib: f64,
    /// For each I/O a second that it has.
    pub per_iops: f64,
    /// For each I/O a second beyond those that it has when nothing is provisioned; on top of the upper bound.
    pub per_extra_iops: f64,
    /// For each MB/s or MiB/s that it has.
    pub per_mbps: f64,
    /// Never less.
    pub at_least: Option<f64>,
    /// Never more.
    pub at_most: Option<f64>,
    /// Fixed values for small sizes.
    pub steps: Vec<CloudFormulaStep>,
    /// Another line: the larger of the two counts.
    pub or_more: Option<Box<CloudFormulaLine>>,
}

/// A fixed value below a size.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CloudFormulaStep {
    /// Below this size, GiB.
    pub below_gib: f64,
    /// The value there.
    pub value: f64,
}

/// What a line may depend on.
#[derive(Clone, Copy, Debug, Default)]
pub struct CloudFormulaGiven {
    /// Size, GiB.
    pub size_gib: f64,
    /// IOPS that it has.
    pub iops: f64,
    /// Of these, those that were provisioned beyond the base.
    pub extra_iops: f64,
    /// Bandwidth that it has.
    pub mbps: f64,
}

impl CloudFormulaLine {
    /// Its value.
    pub fn at(&self, given: CloudFormulaGiven) -> f64 {
        if let Some(step) = self
            .steps
            .iter()
            .find(|step| given.size_gib < step.below_gib)
        {
            return step.value;
        }
        let line = self.base
            + self.per_gib * given.size_gib
            + self.per_iops * given.iops
            + self.per_mbps * given.mbps;
        let bounded = line
            .max(self.at_least.unwrap_or(f64::MIN))
            .min(self.at_most.unwrap_or(f64::MAX));
        let whole = bounded + self.per_extra_iops * given.extra_iops;
        self.or_more
            .as_ref()
            .map_or(whole, |more| whole.max(more.at(given)))
    }

    /// Whether it is one figure whatever it is given.
    pub fn is_constant(&self) -> bool {
        let slopes = [
            self.per_gib,
            self.per_iops,
            self.per_extra_iops,
            self.per_mbps,
        ];
        slopes.iter().all(|slope| *slope == 0.0) && self.steps.is_empty() && self.or_more.is_none()
    }

    /// As providers print it: `min(1800 + 50 × GiB, 50000)`.
    pub fn words(&self) -> String {
        let bounded = match (self.at_least, self.at_most) {
            (None, None) => self.sum_words(),
            (None, Some(most)) => format!("min({}, {most})", self.sum_words()),
            (Some(least), None) => format!("max({}, {least})", self.sum_words()),
            (Some(least), Some(most)) => format!("min(max({}, {least}), {most})", self.sum_words()),
        };
        let more = self.or_more.as_ref().map(|more| more.words());
        let extra =
            (self.per_extra_iops > 0.0).then(|| format!(" + {} × extra IOPS", self.per_extra_iops));
        let whole = match (more, extra.unwrap_or_default()) {
            (None, extra) => format!("{bounded}{extra}"),
            (Some(more), extra) => format!("max({bounded}{extra}, {more})"),
        };
        let steps = self.steps.iter();
        let steps = steps.map(|step| format!("{} below {} GiB, else ", step.value, step.below_gib));
        format!("{}{whole}", steps.collect::<String>())
    }

    /// The part without bounds: `1800 + 50 × GiB`.
    fn sum_words(&self) -> String {
        let parts = [
            (self.per_gib, "GiB"),
            (self.per_iops, "IOPS"),
            (self.per_mbps, "bandwidth"),
        ];
        let parts = parts.iter().filter(|(slope, _)| *slope != 0.0);
        let mut words: Vec<String> = parts.map(|(slope, of)| format!("{slope} × {of}")).collect();
        if self.base != 0.0 || words.is_empty() {
            words.insert(0, self.base.to_string());
        }
        words.join(" + ")
    }

    /// The size at which it has a value, where its slope alone decides: not at a bound and not in a step.
    pub fn size_for(&self, value: f64) -> Option<f64> {
        let size_gib = (value - self.base) / self.per_gib;
        let is_there = self.per_gib > 0.0 && size_gib > 0.0;
        let back = self.at(CloudFormulaGiven {
            size_gib,
            ..CloudFormulaGiven::default()
        });
        (is_there && (back / value - 1.0).abs() < 1e-6).then_some(size_gib)
    }

    /// The size from which on it is at its upper bound.
    pub fn size_of_bound(&self) -> Option<f64> {
        let bound = self.at_most?;
        (self.per_gib > 0.0).then(|| ((bound - self.base) / self.per_gib).max(0.0))
    }
}
