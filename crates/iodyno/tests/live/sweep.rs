//! Sweeps, searches, the matrix, preconditioning and steady state, as their users meet them.

use crate::support::{Dir, Iodyno, Loop, code, signal, text};
use crate::sweep::{studies, visits};
use serde_json::Value;
use skip::Outcome;

/// That every point was visited once in each of three repeats, each in an order of its own.
fn assert_orders(points: &[Value]) {
    let mut orders = vec![Vec::new(); 3];
    for (index, point) in points.iter().enumerate() {
        let visits = point["visits"].as_array().unwrap();
        assert_eq!(visits.len(), 3, "{point}");
        for (repeat, visit) in visits.iter().enumerate() {
            assert_eq!(visit["repeat"], repeat);
            orders[repeat].push((visit["place"].as_u64().unwrap(), index));
        }
    }
    orders.iter_mut().for_each(|order| order.sort_unstable());
    let order = |repeat: usize| {
        orders[repeat]
            .iter()
            .map(|visit| visit.1)
            .collect::<Vec<_>>()
    };
    assert!(order(0) != order(1) && order(1) != order(2), "{orders:?}");
    let places: Vec<u64> = orders.iter().flatten().map(|visit| visit.0).collect();
    assert_eq!(
        places,
        (0..24).collect::<Vec<_>>(),
        "repeats follow each other"
    );
}

#[test]
#[ignore = "live"]
fn a_sweep_visits_every_point_in_a_new_order_each_time() {
    let Some(disk) = Loop::new(32) else { return };
    let iodyno = Iodyno::new();
    let target = disk.device.as_str();
    let arguments = [
        "run",
        target,
        "--sweep",
        "iodepth=1..8",
        "--sweep",
        "bs=4k,16k",
        "--seed",
        "5",
        "--budget=14s",
    ];
    let (record, said, id) = studies(&iodyno, &arguments);
    let sweep = &record["studies"]["sweep"];
    let points = sweep["points"].as_array().unwrap();
    assert_eq!(points.len(), 8);
    assert_orders(points);
    let (mut filled, mut idle) = (Vec::new(), 0);
    for point in points {
        let iops = |name: &str| point["iops"][name].as_f64();
        assert!(
            iops("low") <= iops("mean") && iops("mean") <= iops("high"),
            "{point}"
        );
        // In a short visit a disk that stalls does nothing at all, and a busy machine may keep the generator from filling the
        // queue.
        let little = &point["little"];
        let share = little["reached"].as_f64().unwrap() / little["asked"].as_f64().unwrap();
        filled.push(share);
        let visits = point["visits"].as_array().unwrap();
        idle += visits.iter().filter(|visit| visit["ios"] == 0).count();
        assert_eq!(little["holds"], (share - 1.0).abs() <= 0.15, "{point}");
    }
    let is_true = idle == 0 && filled.iter().all(|share| (0.05..1.5).contains(share));
    skip::measured(
        Outcome::won_if(is_true),
        format!("idle visits: {idle}, the queue's fill: {filled:.2?}"),
    );
    let curves = sweep["curves"].as_array().unwrap();
    assert_eq!(curves.len(), 2, "one for each block size");
    for curve in curves {
        assert!(
            curve["knee"].is_object() != curve["no_knee"].is_string(),
            "{curve}"
        );
    }
    assert!(
        said.contains("bs=4k:") && said.contains("in flight") && said.contains("│"),
        "{said}"
    );
    let shown = text(&iodyno.run(&["show", &id]).stdout);
    assert!(
        shown.contains("bs=16k:") && shown.contains("swept (8 points)"),
        "{shown}"
    );
    assert!(
        shown.lines().all(|line| line.chars().count() <= 80),
        "{shown}"
    );
}

#[test]
#[ignore = "live"]
fn a_sweep_that_is_stopped_keeps_what_it_has() {
    let dir = Dir::new("sweep-stop");
    let target = dir.path().to_str().unwrap();
    let arguments = [
        "run",
        target,
        "--size",
        "16m",
        "--sweep",
        "rw=randread,randwrite",
        "--sweep",
        "numjobs=1,2",
    ];
    let (iodyno, budget) = (Iodyno::new(), "--budget=20s");
    let mut child = iodyno.spawn(&[&arguments[..], &[budget]].concat());
    std::thread::sleep(std::time::Duration::from_secs(7));
    signal(child.id(), "INT");
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    let (document, _) = iodyno.json(&["show", "1"]);
    let visits = visits(&document);
    assert!(visits < 12, "{visits}");
    skip::measured(
        Outcome::won_if(visits > 0),
        format!("{visits} of 12 visits after a third of the time"),
    );
}

/// The geometric mean over the windows of a level.
fn mean_latency_ns(search: &Value, level: f64) -> f64 {
    let trials = search["trials"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|trial| trial["level"] == level);
    let all: Vec<f64> = trials
        .map(|trial| trial["latency_ns"].as_f64().unwrap().ln())
        .collect();
    (all.iter().sum::<f64>() / all.len() as f64).exp()
}

#[test]
#[ignore = "live"]
fn the_highest_rate_is_found_between_two_depths() {
    let Some(disk) = Loop::new(32) else { return };
    let iodyno = Iodyno::new();
    let target = disk.device.as_str();
    let search = |goal: &str| {
        let arguments = [
            "run",
            target,
            "--find-max",
            "--latency-target",
            goal,
            "--max-depth",
            "16",
            "--budget=6s",
        ];
        studies(&iodyno, &arguments)
    };
    let (record, said, _) = search("mean=10s");
    let found = &record["studies"]["search"];
    // A window in which a stalled disk does nothing keeps no limit.
    let is_true = found["best"]["level"] == 16.0;
    skip::measured(Outcome::won_if(is_true), &found["best"]["level"]);
    if !is_true {
        return;
    }
    assert!(
        found["above"].is_null() && said.contains("the most that was tried"),
        "{said}"
    );
    let (record, said, _) = search("p50=1us");
    assert!(record["studies"]["search"]["best"].is_null(), "{said}");
    assert!(said.contains("nothing keeps p50 within 1.00 µs"), "{said}");
    // A limit that lies between what depths 1 and 16 gave a moment ago. Where the answer lies is the machine's affair,
    // that it agrees with its own windows is ours.
    let limit_ns = (mean_latency_ns(found, 1.0) * mean_latency_ns(found, 16.0))
        .sqrt()
        .round();
    let (record, said, _) = search(&format!("mean={}us", limit_ns / 1e3));
    let found = &record["studies"]["search"];
    // The limit went through µs with a decimal point.
    let kept_ns = found["goal"]["limit_ns"].as_f64().unwrap();
    assert!(
        (kept_ns - limit_ns).abs() <= 1.0,
        "{kept_ns} and {limit_ns}"
    );
    let (best, above) = (&found["best"], &found["above"]);
    assert!(best.is_object() || above.is_object(), "{said}");
    if best.is_object() {
        assert!(
            best["latency_ns"]["mean"].as_f64().unwrap() <= kept_ns,
            "{said}"
        );
    }
    if best.is_object() && above.is_object() {
        assert!(best["level"].as_f64() < above["level"].as_f64(), "{said}");
    }
    let confirmed = found["trials"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|trial| trial["step"] == "confirm")
        .count();
    assert!(confirmed >= 5, "{confirmed} windows confirm it");
}

#[test]
#[ignore = "live"]
fn arrivals_are_searched_by_rate() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("arrivals"));
    let target = dir.path().to_str().unwrap();
    let arguments = [
        "run",
        target,
        "--size",
        "16m",
        "--find-max",
        "--latency-target",
        "mean=1s",
        "--open-loop",
    ];
    let (record, said, _) = studies(
        &iodyno,
        &[&arguments[..], &["--max-depth", "32", "--budget=6s"]].concat(),
    );
    let search = &record["studies"]["search"];
    assert_eq!(search["lever"], "rate", "{said}");
    let trials = search["trials"].as_array().unwrap();
    let level = |trial: &Value| trial["level"].as_f64().unwrap();
    let lightest = trials
        .iter()
        .min_by(|a, b| level(a).total_cmp(&level(b)))
        .unwrap();
    let (offered, got) = (level(lightest), lightest["iops"].as_f64().unwrap());
    // Behind a stall the disk does more or less than arrives.
    skip::measured(
        Outcome::won_if((got / offered - 1.0).abs() < 0.3),
        format!("{got} completed of {offered} offered per second"),
    );
    assert!(said.contains("arrivals/s"), "{said}");
}

#[test]
#[ignore = "live"]
fn writes_against_reads_fill_every_cell() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("matrix"));
    let target = dir.path().to_str().unwrap();
    let arguments = [
        "run",
        target,
        "--size",
        "32m",
        "--interference",
        "--steps",
        "3",
        "--budget=16s",
    ];
    let (record, said, _) = studies(&iodyno, &arguments);
    let matrix = &record["studies"]["interference"];
    let cells = matrix["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 9);
    let mut idle = Vec::new();
    for cell in cells {
        assert_eq!(cell["visits"], 2, "{cell}");
        assert!(cell["p50_ns"].as_u64() <= cell["p99_ns"].as_u64(), "{cell}");
        let is_written = cell["write_bytes_per_s"] != 0.0;
        assert!(!is_written || cell["write"] != 0, "{cell}");
        // Behind a stall a cell may have no read or no write.
        if cell["p50_ns"] == 0 || is_written != (cell["write"] != 0) {
            idle.push(cell);
        }
    }
    skip::measured(Outcome::won_if(idle.is_empty()), format!("idle: {idle:?}"));
    assert_eq!(matrix["write_steps"][0], 0.0);
    assert_eq!(matrix["doubles_from"].as_array().unwrap().len(), 3);
    assert!(
        said.contains("p99 of the reads") && said.contains("none"),
        "{said}"
    );
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
#[ignore = "live"]
fn a_load_is_worn_in_and_watched_until_it_settles() {
    let Some(disk) = Loop::new(32) else { return };
    let iodyno = Iodyno::new();
    let target = disk.device.as_str();
    // A paced load is as steady as can be, whatever else this machine does.
    let base = [
        "run",
        target,
        "--rw",
        "randwrite",
        "--rate-iops",
        "500",
        "--steady",
        "--round",
        "500ms",
    ];
    let refused = iodyno.run(&base);
    assert_eq!(code(&refused), 4, "{}", text(&refused.stderr));
    let arguments = [
        &base[..],
        &["--steady-limit", "120s", "--precondition", "--destroy-data"],
    ]
    .concat();
    let (record, said, _) = studies(&iodyno, &arguments);
    let (worn, steady) = (
        &record["studies"]["precondition"],
        &record["studies"]["steady"],
    );
    assert_eq!(worn["whole_device"], true);
    assert_eq!(worn["complete"], true);
    assert_eq!(
        worn["passes_bytes_per_s"].as_array().unwrap().len(),
        2,
        "{worn}"
    );
    assert!(worn["bytes"].as_u64().unwrap() >= 64 << 20, "{worn}");
    let is_attained = steady["attained"] == true;
    let share = steady["sustained"].as_f64().unwrap_or(0.0) / 500.0;
    let is_true = !is_attained || (share - 1.0).abs() < 0.15;
    skip::measured(
        Outcome::won_if(is_attained).max(Outcome::right_if(is_true)),
        format!("attained: {is_attained}, {share:.2} of the rate"),
    );
    if is_attained {
        assert!(
            steady["attained_ms"].as_u64().unwrap() >= 2_400,
            "five rounds of half a second: {said}"
        );
        assert!(said.contains("steady after"), "{said}");
    }
    assert!(
        said.contains("preconditioned: 32.0 MiB written twice"),
        "{said}"
    );
    let refused = iodyno.run(&["run", target, "--runtime", "100ms", "--precondition"]);
    assert_eq!(
        code(&refused),
        4,
        "reading after preconditioning writes too: {}",
        text(&refused.stderr)
    );
}
