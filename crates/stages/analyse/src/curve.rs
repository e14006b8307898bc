//! From the visits of a sweep to its points, its curves and their knees.

use super::{knee, little, spread};
use model::curve::{Axis, Curve, CurveSetting, Knee, Point, Visit};

/// Options that are a load, in the order in which one is taken for the axis of a curve.
const LOADS: [&str; 3] = ["rate_iops", "iodepth", "numjobs"];

/// A point from its visits. `asked` is `iodepth` × `numjobs`.
pub fn point(settings: Vec<CurveSetting>, visits: Vec<Visit>, asked: f64, is_paced: bool) -> Point {
    let over =
        |value: fn(&Visit) -> f64| spread::of(&visits.iter().map(value).collect::<Vec<f64>>());
    let pairs: Vec<(f64, f64)> = visits
        .iter()
        .map(|visit| (visit.iops, visit.mean_ns))
        .collect();
    Point {
        settings,
        iops: over(|visit| visit.iops),
        bytes_per_s: over(|visit| visit.bytes_per_s),
        mean_ns: over(|visit| visit.mean_ns),
        p50_ns: over(|visit| visit.p50_ns),
        p99_ns: over(|visit| visit.p99_ns),
        p999_ns: over(|visit| visit.p999_ns),
        little: little::check(&pairs, asked, is_paced),
        visits,
    }
}

/// The curves of a grid: points that differ in the load alone. None where no swept option is a load.
pub fn curves(axes: &[Axis], points: &[Point], seed: u64) -> Vec<Curve> {
    let is_swept = |option: &&str| {
        axes.iter()
            .any(|axis| axis.option == *option && axis.values.len() > 1)
    };
    let Some(load) = LOADS.into_iter().find(is_swept) else {
        return Vec::new();
    };
    let mut curves: Vec<Curve> = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let shared: Vec<CurveSetting> = point
            .settings
            .iter()
            .filter(|setting| setting.option != load)
            .cloned()
            .collect();
        match curves.iter_mut().find(|curve| curve.settings == shared) {
            Some(curve) => curve.points.push(index),
            None => curves.push(Curve {
                option: load.into(),
                settings: shared,
                points: vec![index],
                knee: None,
                no_knee: None,
            }),
        }
    }
    for curve in &mut curves {
        curve
            .points
            .sort_by_key(|point| value(&points[*point], load));
        match knee_of(curve, points, seed) {
            Ok(knee) => curve.knee = Some(knee),
            Err(why) => curve.no_knee = Some(why),
        }
    }
    curves
}

/// The value of an option that is a number.
fn value(point: &Point, option: &str) -> u64 {
    let setting = point
        .settings
        .iter()
        .find(|setting| setting.option == option);
    setting
        .and_then(|setting| setting.value.parse().ok())
        .unwrap_or(0)
}

/// The knee in indices of the sweep's points.
fn knee_of(curve: &Curve, points: &[Point], seed: u64) -> Result<Knee, String> {
    let visits: Vec<knee::Visits> = curve
        .points
        .iter()
        .map(|index| &points[*index].visits)
        .map(|visits| knee::Visits {
            iops: visits.iter().map(|visit| visit.iops).collect(),
            latency: visits.iter().map(|visit| visit.mean_ns).collect(),
        })
        .collect();
    let found = knee::find(&visits, seed)?;
    let at = |index: usize| curve.points[index];
    Ok(Knee {
        point: at(found.point),
        low: at(found.low),
        high: at(found.high),
        kneedle: found.kneedle.map(at),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(option: &str, values: &[&str]) -> Axis {
        Axis {
            option: option.into(),
            values: values.iter().map(|value| value.to_string()).collect(),
        }
    }

    /// Ten thousand a second for each in flight, up to `servers`.
    fn visit(depth: f64, servers: f64) -> Visit {
        let iops = depth.min(servers) * 10_000.0;
        Visit {
            iops,
            mean_ns: depth / iops * 1e9,
            p99_ns: 1e6,
            p50_ns: 1e5,
            p999_ns: 1e6,
            ..Visit::default()
        }
    }

    #[test]
    fn a_grid_has_a_curve_for_each_setting_of_the_rest() {
        let axes = [
            axis("iodepth", &["8", "1", "2", "4", "16"]),
            axis("bs", &["4k", "64k"]),
        ];
        let mut points = Vec::new();
        for depth in &axes[0].values {
            for (bs, servers) in [("4k", 4.0), ("64k", 2.0)] {
                let settings =
                    [("iodepth", depth.as_str()), ("bs", bs)].map(|(option, value)| CurveSetting {
                        option: option.into(),
                        value: value.into(),
                    });
                let depth: f64 = depth.parse().unwrap();
                points.push(point(
                    settings.to_vec(),
                    vec![visit(depth, servers); 3],
                    depth,
                    false,
                ));
            }
        }
        let curves = curves(&axes, &points, 1);
        assert_eq!(curves.len(), 2);
        assert_eq!(
            curves[0].points,
            [2, 4, 6, 0, 8],
            "by depth, not in the order given"
        );
        let knees: Vec<usize> = curves
            .iter()
            .map(|curve| curve.knee.as_ref().unwrap().point)
            .collect();
        assert_eq!(
            knees,
            [6, 5],
            "depth 4 of the small blocks, depth 2 of the large ones"
        );
        assert!(points.iter().all(|point| point.little.holds));
    }

    #[test]
    fn without_a_load_there_is_no_curve_and_a_short_one_has_no_knee() {
        let settings = vec![CurveSetting {
            option: "bs".into(),
            value: "4k".into(),
        }];
        let points = [point(settings, vec![visit(1.0, 1.0)], 8.0, false)];
        assert!(curves(&[axis("bs", &["4k", "8k"])], &points, 1).is_empty());
        assert!(
            !points[0].little.holds,
            "1 in flight where 8 were asked for"
        );
        let settings = vec![CurveSetting {
            option: "numjobs".into(),
            value: "1".into(),
        }];
        let points = [point(settings, vec![visit(1.0, 1.0)], 1.0, false)];
        let curves = curves(&[axis("numjobs", &["1", "2"])], &points, 1);
        assert!(curves[0].no_knee.as_ref().unwrap().contains("4 points"));
    }
}
