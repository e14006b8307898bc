//! Long series for narrow pictures: M4 keeps the first, least, greatest and last value of every column of pixels, so that
//! no spike is lost and the drawn line covers the same pixels as the whole would.

/// One value that holds from its beginning to its end, such as a rate of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReduceStep {
    /// Beginning, s.
    pub from: f64,
    /// End, s.
    pub to: f64,
    /// The value; none is a gap.
    pub value: Option<f64>,
}

/// Stretches without a value or between steps that are more than half a typical step apart.
pub fn gaps(steps: &[ReduceStep]) -> Vec<(f64, f64)> {
    let typical = typical_length(steps);
    let mut gaps: Vec<(f64, f64)> = Vec::new();
    let mut add = |from: f64, to: f64| match gaps.last_mut() {
        Some(last) if from <= last.1 + 1e-9 => last.1 = last.1.max(to),
        _ => gaps.push((from, to)),
    };
    for (index, step) in steps.iter().enumerate() {
        if let Some(before) = index.checked_sub(1).map(|before| steps[before])
            && step.from - before.to > typical * 0.5
        {
            add(before.to, step.from);
        }
        if step.value.is_none() {
            add(step.from, step.to);
        }
    }
    gaps
}

/// The median length of the steps.
pub fn typical_length(steps: &[ReduceStep]) -> f64 {
    let lengths: Vec<f64> = steps.iter().map(|step| step.to - step.from).collect();
    stats::median(&lengths)
}

/// Points of a line through the steps, as (place, value), with `None` where the line breaks. `place` gives the pixel of a
/// moment. Few steps are drawn as steps; of many, each pixel column keeps four values.
pub fn points(
    steps: &[ReduceStep],
    place: impl Fn(f64) -> f64,
    width: f64,
) -> Vec<Option<(f64, f64)>> {
    let typical = typical_length(steps);
    let mut out: Vec<Option<(f64, f64)>> = Vec::new();
    let mut column: Option<ReducedColumn> = None;
    let is_dense = steps.len() as f64 > width / 2.0;
    let mut last_end = f64::NEG_INFINITY;
    for step in steps {
        let is_apart = step.from - last_end > typical * 0.5;
        last_end = step.to;
        let value = step.value.filter(|value| value.is_finite());
        if is_apart || value.is_none() {
            out.extend(
                column
                    .take()
                    .map(ReducedColumn::points)
                    .into_iter()
                    .flatten()
                    .map(Some),
            );
            out.push(None);
        }
        let Some(value) = value else { continue };
        if !is_dense {
            out.extend([
                Some((place(step.from), value)),
                Some((place(step.to), value)),
            ]);
            continue;
        }
        let at = place(step.to).floor();
        match &mut column {
            Some(open) if open.at == at => open.add(value),
            _ => {
                out.extend(
                    column
                        .take()
                        .map(ReducedColumn::points)
                        .into_iter()
                        .flatten()
                        .map(Some),
                );
                column = Some(ReducedColumn::new(at, value));
            }
        }
    }
    out.extend(
        column
            .map(ReducedColumn::points)
            .into_iter()
            .flatten()
            .map(Some),
    );
    out
}

/// What one column of pixels keeps, with the order of its extremes.
#[derive(Clone, Copy)]
struct ReducedColumn {
    at: f64,
    first: f64,
    last: f64,
    least: (usize, f64),
    most: (usize, f64),
    count: usize,
}

impl ReducedColumn {
    fn new(at: f64, value: f64) -> ReducedColumn {
        ReducedColumn {
            at,
            first: value,
            last: value,
            least: (0, value),
            most: (0, value),
            count: 1,
        }
    }

    fn add(&mut self, value: f64) {
        if value < self.least.1 {
            self.least = (self.count, value);
        }
        if value > self.most.1 {
            self.most = (self.count, value);
        }
        self.last = value;
        self.count += 1;
    }

    fn points(self) -> Vec<(f64, f64)> {
        let (early, late) = if self.least.0 < self.most.0 {
            (self.least, self.most)
        } else {
            (self.most, self.least)
        };
        let mut values = vec![self.first, early.1, late.1, self.last];
        values.dedup();
        values.into_iter().map(|value| (self.at, value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(values: impl IntoIterator<Item = Option<f64>>) -> Vec<ReduceStep> {
        let step = |(index, value)| ReduceStep {
            from: index as f64,
            to: index as f64 + 1.0,
            value,
        };
        values.into_iter().enumerate().map(step).collect()
    }

    #[test]
    fn no_spike_is_lost_and_no_more_than_four_points_a_column_are_drawn() {
        let mut values: Vec<Option<f64>> = (0..36_000)
            .map(|index| Some(f64::from(index % 7)))
            .collect();
        values[17_003] = Some(999.0);
        let drawn = points(&steps(values), |t| t / 50.0, 720.0);
        assert!(drawn.len() <= 4 * 722, "{}", drawn.len());
        assert!(drawn.iter().flatten().any(|(_, value)| *value == 999.0));
    }

    #[test]
    fn gaps_stay_gaps() {
        let values = [Some(1.0), Some(2.0), None, None, Some(3.0)];
        let steps = steps(values);
        assert_eq!(gaps(&steps), [(2.0, 4.0)]);
        let drawn = points(&steps, |t| t, 100.0);
        assert_eq!(
            drawn.iter().filter(|point| point.is_none()).count(),
            3,
            "before the first, and twice inside"
        );
        assert!(
            !drawn.contains(&Some((2.0, 3.0))),
            "the line does not bridge it"
        );
        let late = [
            ReduceStep {
                from: 0.0,
                to: 1.0,
                value: Some(1.0),
            },
            ReduceStep {
                from: 1.0,
                to: 2.0,
                value: Some(1.0),
            },
            ReduceStep {
                from: 9.0,
                to: 10.0,
                value: Some(1.0),
            },
        ];
        assert_eq!(gaps(&late), [(2.0, 9.0)], "a late sample leaves a gap, too");
    }
}
