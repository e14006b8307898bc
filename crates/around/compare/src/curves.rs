//! Response curves over each other: the same load, and what each gave there.

use crate::interval::ratio;
use model::comparison::{CurveCell, Curves};
use model::curve::{Curve, Point, Spread, Sweep};
use model::record::Record;

/// The base's curves with those of the others beside them. None where the base has no sweep or nobody else has one.
pub fn over(records: &[&Record], base: usize) -> Vec<Curves> {
    let sweeps: Vec<Option<&Sweep>> = records
        .iter()
        .map(|record| record.studies().sweep.as_ref())
        .collect();
    let Some(own) = sweeps[base].filter(|_| sweeps.iter().flatten().count() > 1) else {
        return Vec::new();
    };
    own.curves
        .iter()
        .filter_map(|curve| laid_over(curve, own, &sweeps, base))
        .collect()
}

fn laid_over(curve: &Curve, own: &Sweep, sweeps: &[Option<&Sweep>], base: usize) -> Option<Curves> {
    let like = |other: &&Curve| other.option == curve.option && other.settings == curve.settings;
    let curves: Vec<Option<(&Sweep, &Curve)>> = sweeps
        .iter()
        .enumerate()
        .map(|(index, sweep)| match index == base {
            true => Some((own, curve)),
            false => sweep.and_then(|sweep| Some((sweep, sweep.curves.iter().find(like)?))),
        })
        .collect();
    if curves.iter().flatten().count() < 2 {
        return None;
    }
    let mut loads: Vec<u64> = curves
        .iter()
        .flatten()
        .flat_map(|(sweep, curve)| {
            curve
                .points
                .iter()
                .filter_map(|index| load(&sweep.points[*index], &curve.option))
        })
        .collect();
    loads.sort_unstable();
    loads.dedup();
    let rows = loads
        .iter()
        .map(|load| (load.to_string(), row(*load, &curves, base)))
        .collect();
    let knee = |one: &Option<(&Sweep, &Curve)>| {
        let (sweep, curve) = one.as_ref()?;
        load(&sweep.points[curve.knee.as_ref()?.point], &curve.option).map(|load| load.to_string())
    };
    let knees = curves.iter().map(knee).collect();
    Some(Curves {
        option: curve.option.clone(),
        settings: curve.settings.clone(),
        rows,
        knees,
    })
}

/// The value of the option that is the load.
fn load(point: &Point, option: &str) -> Option<u64> {
    point
        .settings
        .iter()
        .find(|setting| setting.option == option)?
        .value
        .parse()
        .ok()
}

fn row(at: u64, curves: &[Option<(&Sweep, &Curve)>], base: usize) -> Vec<Option<CurveCell>> {
    let point = |one: &Option<(&Sweep, &Curve)>| {
        let (sweep, curve) = one.as_ref()?;
        let is_there = |index: &&usize| load(&sweep.points[**index], &curve.option) == Some(at);
        curve
            .points
            .iter()
            .find(is_there)
            .map(|index| sweep.points[*index].clone())
    };
    let points: Vec<Option<Point>> = curves.iter().map(point).collect();
    let against = |index: usize, value: Spread, of: fn(&Point) -> Spread| {
        let own = points[base].as_ref().filter(|_| index != base).map(of)?;
        let bounds = |spread: Spread| (spread.mean, spread.low, spread.high);
        ratio(bounds(value), bounds(own)).map(|(mean, low, high)| Spread { mean, low, high })
    };
    let cell = |(index, point): (usize, &Option<Point>)| {
        let point = point.as_ref()?;
        Some(CurveCell {
            iops: point.iops,
            p99_ns: point.p99_ns,
            iops_ratio: against(index, point.iops, |point| point.iops),
            p99_ratio: against(index, point.p99_ns, |point| point.p99_ns),
        })
    };
    points.iter().enumerate().map(cell).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::fixture::{of, run};
    use analyse::curve;
    use model::curve::{Axis, CurveSetting, Visit};
    use model::record::{RecordBody, RunBody};
    use model::studies::Studies;

    /// A sweep of depths on a device that serves `servers` I/Os at once, three visits a point.
    pub fn sweep(depths: &[u64], servers: f64) -> Record {
        let setting = |depth: &u64| CurveSetting {
            option: "iodepth".into(),
            value: depth.to_string(),
        };
        let point = |depth: &u64| {
            let visit = |factor: f64| {
                let iops = (*depth as f64).min(servers) * 10_000.0 * factor;
                let mean_ns = *depth as f64 / iops * 1e9;
                Visit {
                    iops,
                    mean_ns,
                    p50_ns: mean_ns,
                    p99_ns: mean_ns * 3.0,
                    p999_ns: mean_ns * 5.0,
                    ..Visit::default()
                }
            };
            curve::point(
                vec![setting(depth)],
                [0.99, 1.0, 1.01].map(visit).to_vec(),
                *depth as f64,
                false,
            )
        };
        let points: Vec<Point> = depths.iter().map(point).collect();
        let values = depths.iter().map(u64::to_string).collect();
        let axes = vec![Axis {
            option: "iodepth".into(),
            values,
        }];
        let sweep = Sweep {
            curves: curve::curves(&axes, &points, 1),
            axes,
            seed: 1,
            repeats: 3,
            warmup_ms: 0,
            window_ms: 0,
            points,
            notes: vec![],
        };
        of(RecordBody::Run(RunBody {
            studies: Studies {
                sweep: Some(sweep),
                ..Studies::default()
            },
            ..RunBody::default()
        }))
    }

    #[test]
    fn the_same_depth_stands_in_the_same_row_with_its_ratio() {
        let (a, b) = (
            sweep(&[1, 2, 4, 8, 16], 4.0),
            sweep(&[1, 4, 8, 16, 32], 8.0),
        );
        let found = over(&[&a, &b], 0);
        let curves = &found[0];
        let loads: Vec<&str> = curves.rows.iter().map(|row| row.0.as_str()).collect();
        assert_eq!(loads, ["1", "2", "4", "8", "16", "32"]);
        assert!(
            curves.rows[1].1[1].is_none(),
            "depth 2 was visited by one of them"
        );
        let cell = curves.rows[3].1[1].as_ref().unwrap();
        let iops = cell.iops_ratio.unwrap();
        assert!(
            (iops.mean - 2.0).abs() < 1e-9 && iops.low.unwrap() > 1.9 && iops.high.unwrap() < 2.1,
            "{iops:?}"
        );
        assert!((cell.p99_ratio.unwrap().mean - 0.5).abs() < 1e-9);
        assert_eq!(
            curves.rows[3].1[0].as_ref().unwrap().iops_ratio,
            None,
            "the base is compared with nothing"
        );
        assert_eq!(curves.knees, [Some("4".to_string()), Some("8".to_string())]);
        assert!(over(&[&a, &run(1.0, 0.0, 1)], 0).is_empty());
    }
}
