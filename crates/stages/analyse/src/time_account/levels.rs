//! The times by layer as parts of the time between the uppermost device's Q and its C.

use model::layers::{DeviceLayers, LayerSide, LayerTimes, Span};
use model::time_account::TimePlace;

/// The parts of the block layer's time.
pub(super) struct Levels {
    /// Time of all I/Os on the uppermost device, added up, ms.
    pub whole_ms: f64,
    /// Mean time of one, ns.
    pub mean_ns: f64,
    /// Shares of it; they add up to 1.
    pub parts: Vec<(TimePlace, f64)>,
}

/// What one device did, over some directions.
#[derive(Default)]
struct DeviceSums {
    ios: f64,
    whole_ns: f64,
    request_ns: f64,
    plug_ns: f64,
    scheduler_ns: f64,
    device_ns: f64,
}

impl Levels {
    /// Of the directions that count; none where nothing was traced in them. `disks` are the devices at the bottom.
    pub fn of(layers: Option<&LayerTimes>, disks: &[&str], sides: &[LayerSide]) -> Option<Levels> {
        let layers = layers?;
        let top = layers.devices.first()?;
        let sums = DeviceSums::of(top, sides);
        if sums.whole_ns <= 0.0 {
            return None;
        }
        let below = layers.devices.iter().skip(1);
        let bottom = below
            .filter(|device| disks.contains(&device.device.as_str()))
            .map(|device| DeviceSums::of(device, sides))
            .fold(DeviceSums::default(), DeviceSums::plus);
        let is_bottom = disks.contains(&top.device.as_str()) || bottom.whole_ns <= 0.0;
        let parts = match is_bottom {
            true => sums.parts(),
            false => sums.parts_over(&bottom),
        };
        Some(Levels {
            whole_ms: sums.whole_ns / 1e6,
            mean_ns: sums.whole_ns / sums.ios,
            parts,
        })
    }
}

impl DeviceSums {
    fn of(device: &DeviceLayers, sides: &[LayerSide]) -> DeviceSums {
        let mut sums = DeviceSums::default();
        for side in sides {
            let mean = |span| device.times(*side, span).and_then(|times| times.mean_ns());
            let whole = device
                .times(*side, Span::Q2C)
                .or_else(|| device.times(*side, Span::G2C));
            let Some((ios, whole_ns)) = whole.and_then(|one| Some((one.total(), one.mean_ns()?)))
            else {
                continue;
            };
            // Requests are fewer than bios where some were merged, so that means are compared and not sums.
            let parts = [
                mean(Span::Q2G),
                mean(Span::G2I),
                mean(Span::I2D).or(mean(Span::G2D)),
                mean(Span::D2C),
            ]
            .map(|ns| ns.unwrap_or(0.0));
            let sum: f64 = parts.iter().sum();
            let total_ns = whole_ns * ios as f64;
            let scale = if sum > 0.0 { total_ns / sum } else { 0.0 };
            sums.ios += ios as f64;
            sums.whole_ns += total_ns;
            sums.request_ns += parts[0] * scale;
            sums.plug_ns += parts[1] * scale;
            sums.scheduler_ns += parts[2] * scale;
            sums.device_ns += parts[3] * scale;
        }
        sums
    }

    fn plus(self, other: DeviceSums) -> DeviceSums {
        DeviceSums {
            ios: self.ios + other.ios,
            whole_ns: self.whole_ns + other.whole_ns,
            request_ns: self.request_ns + other.request_ns,
            plug_ns: self.plug_ns + other.plug_ns,
            scheduler_ns: self.scheduler_ns + other.scheduler_ns,
            device_ns: self.device_ns + other.device_ns,
        }
    }

    /// Of a device at the bottom. What has no spans of its own is all device.
    fn parts(&self) -> Vec<(TimePlace, f64)> {
        let share = |ns: f64| ns / self.whole_ns;
        let waits = self.request_ns + self.plug_ns + self.scheduler_ns;
        vec![
            (TimePlace::Request, share(self.request_ns)),
            (TimePlace::Plug, share(self.plug_ns)),
            (TimePlace::Scheduler, share(self.scheduler_ns)),
            (TimePlace::Device, share(self.whole_ns - waits)),
        ]
    }

    /// Of a device over others: its own waits, then theirs, and what neither explains lies between.
    fn parts_over(&self, bottom: &DeviceSums) -> Vec<(TimePlace, f64)> {
        let waits = self.request_ns + self.plug_ns + self.scheduler_ns;
        let below_ns = bottom.whole_ns.min(self.whole_ns - waits);
        let of_bottom = bottom.parts();
        let mut parts: Vec<(TimePlace, f64)> = of_bottom
            .into_iter()
            .map(|(place, share)| (place, share * below_ns / self.whole_ns))
            .collect();
        parts.extend([
            (TimePlace::Request, self.request_ns / self.whole_ns),
            (TimePlace::Plug, self.plug_ns / self.whole_ns),
            (TimePlace::Scheduler, self.scheduler_ns / self.whole_ns),
            (
                TimePlace::Mapping,
                (self.whole_ns - waits - below_ns) / self.whole_ns,
            ),
        ]);
        parts
    }
}
