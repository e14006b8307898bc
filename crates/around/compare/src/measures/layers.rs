//! Mean times by layer. Means are compared, for the means of the parts of an I/O add up and percentiles do not.

use super::measure;
use crate::interval::of_mean;
use model::comparison::{Basis, Measure};
use model::layers::{LayerSide, LayerTimes, Span};
use model::record::LoadResult;

/// `read.d2c` of the uppermost device, `read.d2c.2` of the second; of the directions that the load has. What others did in
/// another direction is not what is compared.
pub fn measures(times: &LayerTimes, load: &LoadResult) -> Vec<Measure> {
    let is_ours = |side: LayerSide| match side {
        LayerSide::Read => load.read.ios > 0,
        LayerSide::Write => load.write.ios > 0,
        LayerSide::Discard => load.trim.ios > 0,
        LayerSide::Flush => load.sync.ios > 0,
    };
    let mut measures = Vec::new();
    for (index, device) in times.devices.iter().enumerate() {
        for span in device
            .spans
            .iter()
            .filter(|one| one.span != Span::G2C && is_ours(one.side))
        {
            // How I/Os depend on each other is not known by layer: an interval would be too narrow.
            let Some((mean, _)) = of_mean(&span.times) else {
                continue;
            };
            let place = if index == 0 {
                String::new()
            } else {
                format!(".{}", index + 1)
            };
            let name = format!(
                "{}.{}{place}",
                span.side.name(),
                span.span.name().to_lowercase()
            );
            measures.push(measure(
                name,
                (mean, None, None),
                Basis::OneFigure,
                span.times.total(),
            ));
        }
    }
    measures
}
