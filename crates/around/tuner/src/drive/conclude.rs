//! The end of an experiment that has a verdict: traced windows that say what differs between the arms, and the sums.

use super::{Driven, Rig, Strength, Tracing, TracingWish};
use crate::explain;
use analyse::moved;
use experiment::{Progress, WindowReport};
use host::clock;
use model::moved::Moved;
use model::units::span_ms;
use model::verdict::{Verdict, VerdictStage};

impl Rig<'_> {
    /// Explains the verdict and adds up what was gathered.
    pub(super) fn conclude(
        mut self,
        verdict: Verdict,
        progress: &Progress,
        watch: &mut dyn FnMut(&Progress),
    ) -> Driven {
        let values = self.setup.values;
        let Some(arm) = explain::compared(&verdict, values, self.setup.aa) else {
            return Driven {
                layers: self.proof.spans(values),
                figures: self.proof.figures(values),
                verdict,
                moved: None,
                windows: std::mem::take(&mut self.windows),
                has_crossed: self.guard.crossing().is_some(),
            };
        };
        let not_traced = match self.setup.explains {
            true => self.explain(&verdict, arm, progress, watch).err(),
            false => self.setup.tracing.layers().err().map(str::to_string),
        };
        // What the programs took off is cheaper for the figures; only what no compared window could tell is taken from
        // the traced ones.
        let mut figures = self.proof.figures(values);
        let others = self.explained.figures(values);
        figures.extend(
            others
                .into_iter()
                .filter(|other| !figures.iter().any(|one| one.name == other.name))
                .collect::<Vec<_>>(),
        );
        let traced = if self.explained.source().is_some() {
            &self.explained
        } else {
            &self.proof
        };
        let layers = traced.spans(values);
        let device = self.setup.device;
        let arms = moved::Arms {
            from: &values[0],
            to: &values[arm],
            device,
            layers: &layers,
            figures: &figures,
        };
        let moved = Moved {
            traced: traced.source().map(String::from),
            not_traced,
            ..moved::between(&arms)
        };
        Driven {
            verdict,
            layers,
            figures,
            moved: Some(moved),
            windows: std::mem::take(&mut self.windows),
            has_crossed: self.guard.crossing().is_some(),
        }
    }

    /// Runs the traced windows. Whatever hinders them, the verdict stands; the error says why there are no layers.
    fn explain(
        &mut self,
        verdict: &Verdict,
        arm: usize,
        progress: &Progress,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<(), String> {
        let windows = explain::windows(verdict, self.setup.class, arm);
        let takes_ms = explain::takes_ms(&windows);
        let left_ms = self.deadline.left_ms(clock::monotonic_ns());
        if left_ms < takes_ms {
            let (takes, left) = (span_ms(takes_ms), span_ms(left_ms));
            return Err(format!(
                "it takes {takes} and {left} of the budget were left"
            ));
        }
        self.tracing = Tracing::start(self.setup.path, TracingWish::Auto(Strength::Full));
        if let Err(why) = self.tracing.layers() {
            return Err(why.to_string());
        }
        for (index, window) in windows.iter().enumerate() {
            let left_ms = explain::takes_ms(&windows[index..]);
            if !self.deadline.fits(clock::monotonic_ns(), window) {
                // Both arms had their turns alike often: fewer windows tell the same.
                let is_enough = explain::is_balanced(index);
                return if is_enough {
                    Ok(())
                } else {
                    Err("the budget ended meanwhile".into())
                };
            }
            watch(&Progress {
                stage: Some(VerdictStage::Explain),
                left_ms,
                ..progress.clone()
            });
            match self.timed(window) {
                Ok(WindowReport::Measured { .. }) => {}
                Ok(WindowReport::Failed { why, .. }) => return Err(why),
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }
}
