//! Times by layer in the records of `run` and `tune`, and what is said where there are none.

use crate::layers::{count, device, sensor};
use crate::support::{Iodyno, Loop, code, text, tracing};
use serde_json::Value;
use skip::Outcome;

/// Whether this machine lets the programs in; the reason is printed where it does not.
fn is_traceable(iodyno: &Iodyno) -> bool {
    let (page, _) = iodyno.json(&["explain", "layers"]);
    let here = &page["here"];
    if here["rung"] == "eBPF" {
        return true;
    }
    assert!(
        !here["why_not_higher"].as_array().unwrap().is_empty(),
        "{here}"
    );
    skip::missing(tracing(), here);
    false
}

#[test]
#[ignore = "live"]
fn a_run_keeps_the_layers_of_every_device_below() {
    let Some(disk) = Loop::new(64) else { return };
    let iodyno = Iodyno::new();
    if !is_traceable(&iodyno) {
        return;
    }
    disk.set("scheduler", "mq-deadline");
    let output = iodyno.run(&[
        "run",
        &disk.device,
        "--runtime",
        "1s",
        "--seed",
        "4",
        "--layers",
        "full",
    ]);
    let said = text(&output.stdout);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let table: Vec<&str> = said
        .lines()
        .skip_while(|line| !line.contains("layers, eBPF full"))
        .take(5)
        .collect();
    assert!(
        table.len() == 5 && table.iter().all(|line| line.chars().count() <= 80),
        "{said}"
    );
    let (shown, _) = iodyno.json(&["show", "1"]);
    let record = &shown["record"];
    let ios = record["load"]["read"]["ios"].as_u64().unwrap();
    assert_counts(&record["layers"], &disk.name, ios, &said);
    let below = record["layers"]["devices"].as_array().unwrap().len();
    assert!(
        below >= 2,
        "the disk under the loop device has layers of its own: {below}"
    );
    let series = &sensor(record)["series"];
    let name = format!("layers.{}.queued", disk.name);
    let series = series
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == name.as_str())
        .unwrap();
    let values: Vec<f64> = series["values"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_f64)
        .collect();
    assert!(
        values.is_sorted() && *values.last().unwrap() > 0.9 * ios as f64,
        "{values:?} of {ios}"
    );
}

/// That a device of our own saw the I/Os of the load, and what is said of the time outside it.
fn assert_counts(layers: &Value, name: &str, ios: u64, said: &str) {
    let ours = device(layers, name);
    let unseen = ours["counters"]["unseen"].as_u64().unwrap_or(0);
    let whole = count(ours, "read", "Q2C");
    // A device of our own: the programs see our I/Os and a handful that udev or the kernel's probing may add.
    let is_true = whole + unseen >= ios && whole <= ios + 64 && unseen * 10 <= ios;
    skip::measured(
        Outcome::right_if(is_true),
        format!("{whole} seen and {unseen} not of {ios} I/Os"),
    );
    assert_eq!(
        (count(ours, "read", "G2D"), count(ours, "write", "Q2C")),
        (0, 0),
        "absent, not zero"
    );
    // What is outside is told where the device saw the load's I/Os and no others, within a hundredth.
    let outside = &layers["outside"];
    match whole.abs_diff(ios) * 100 <= ios {
        true => {
            let (mean, all) = (
                outside[0]["mean_ns"].as_f64(),
                outside[0]["latency_mean_ns"].as_f64(),
            );
            assert!(
                outside[0]["side"] == "read" && mean >= Some(0.0) && mean < all,
                "{outside}"
            );
            assert!(said.contains("  outside, read: mean "), "{said}");
        }
        false => assert!(outside.is_null(), "{whole} of {ios}: {outside}"),
    }
}

/// Keeps every CPU from being idle, with the least claim on it: on some kernels perf leaves out events of interrupts of an
/// idle CPU, and the ladder passes it by there. Who asks for it gets it all the same.
struct NeverIdle(Vec<std::process::Child>);

impl NeverIdle {
    fn new() -> NeverIdle {
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let spin = |cpu: usize| {
            let (cpu, forever) = (cpu.to_string(), "while :; do :; done");
            let mut command = std::process::Command::new("taskset");
            command
                .args(["-c", &cpu, "nice", "-n", "19", "sh", "-c", forever])
                .spawn()
                .ok()
        };
        NeverIdle((0..cpus).filter_map(spin).collect())
    }
}

impl Drop for NeverIdle {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = (child.kill(), child.wait());
        }
    }
}

fn median(device: &Value, span: &str) -> f64 {
    let spans = device["spans"].as_array().unwrap().iter();
    let times = spans.filter(|one| one["side"] == "read" && one["span"] == span);
    let pairs: Vec<(u64, u64)> = times
        .flat_map(|one| one["times"].as_array().unwrap())
        .map(|pair| (pair[0].as_u64().unwrap(), pair[1].as_u64().unwrap()))
        .collect();
    let half = pairs.iter().map(|pair| pair.1).sum::<u64>() / 2;
    let mut seen = 0;
    let reaches = pairs.iter().find(|pair| {
        seen += pair.1;
        seen > half
    });
    model::histogram::value_of(reaches.unwrap().0 as usize) as f64
}

#[test]
#[ignore = "live"]
fn each_rung_of_events_says_what_the_programs_say() {
    let Some(disk) = Loop::new(64) else { return };
    let iodyno = Iodyno::new();
    if !is_traceable(&iodyno) {
        return;
    }
    disk.set("scheduler", "none");
    let (page, _) = iodyno.json(&["explain", "layers"]);
    let ladder = page["here"]["ladder"].as_array().unwrap();
    let names: Vec<&str> = ladder
        .iter()
        .map(|step| step["rung"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["eBPF", "perf", "tracefs", "blktrace", "diskstats"]);
    for rung in ["perf", "tracefs", "blktrace"] {
        let _never_idle = NeverIdle::new();
        let run = |layers: &str| {
            let load = ["--io_size=8m", "--rw=randread", "--iodepth=4"];
            let arguments = [
                &["run", &disk.device, "--seed", "4", "--layers", layers, "--"],
                &load[..],
            ]
            .concat();
            iodyno.json(&arguments).0["record"].clone()
        };
        let first = run(rung);
        if first["layers"].is_null() {
            let sensors = first["sensors"].as_array().unwrap();
            let why = &sensors
                .iter()
                .find(|log| log["sensor"] == "layers")
                .unwrap()["no_data"];
            assert!(why.as_str().unwrap().len() > 20, "{why}");
            let plain = iodyno.run(&["run", &disk.device, "--runtime", "1s", "--layers", rung]);
            assert!(
                text(&plain.stdout).contains("  layers not traced: "),
                "{plain:?}"
            );
            skip::missing(tracing(), format!("{rung}: {why}"));
            continue;
        }
        agree_on_medians(&disk.name, rung, &run);
        let ours = device(&first["layers"], &disk.name);
        let ios = first["load"]["read"]["ios"].as_u64().unwrap();
        let counter = |name: &str| ours["counters"][name].as_u64().unwrap_or(0);
        let (whole, owned) = (
            count(ours, "read", "Q2C"),
            counter("unseen") + counter("dropped"),
        );
        assert_eq!(first["layers"]["source"], rung);
        let is_whole = whole + owned >= ios && whole <= ios + 64;
        let is_true = is_whole && owned * 10 <= ios && counter("lost_events") == 0;
        skip::measured(
            Outcome::right_if(is_true),
            format!("{rung}: {whole} of {ios} I/Os, {}", ours["counters"]),
        );
        assert_eq!(
            (count(ours, "read", "I2D"), count(ours, "read", "Q2G") > 0),
            (0, true)
        );
    }
}

/// Of pairs of runs that stand next to each other the middle one agrees: what a busy disk does in between is not the same twice.
fn agree_on_medians(name: &str, rung: &str, run: &impl Fn(&str) -> Value) {
    let pair = || {
        let (ours, theirs) = (run(rung), run("full"));
        let of = |record: &Value| median(device(&record["layers"], name), "Q2C");
        of(&ours) / of(&theirs)
    };
    let mut ratios = [(); 5].map(|()| pair());
    ratios.sort_by(f64::total_cmp);
    skip::measured(
        Outcome::won_if((ratios[2] - 1.0).abs() < 0.15),
        format!("{rung}: medians of Q2C to those of the programs {ratios:.3?}"),
    );
}

#[test]
#[ignore = "live"]
fn tracing_can_be_lighter_or_off() {
    let Some(disk) = Loop::new(16) else { return };
    let iodyno = Iodyno::new();
    if !is_traceable(&iodyno) {
        return;
    }
    let run = |strength: &str| {
        let (document, _) = iodyno.json(&[
            "run",
            &disk.device,
            "--runtime",
            "300ms",
            "--layers",
            strength,
        ]);
        document["record"].clone()
    };
    let lite = run("lite");
    let ours = device(&lite["layers"], &disk.name);
    assert!(
        count(ours, "read", "G2C") > 0 && count(ours, "read", "Q2C") == 0,
        "{ours}"
    );
    let off = run("off");
    assert!(off["layers"].is_null(), "{off}");
    let sensor = off["sensors"]
        .as_array()
        .unwrap()
        .iter()
        .find(|log| log["sensor"] == "layers")
        .unwrap();
    assert!(
        sensor["no_data"].as_str().unwrap().contains("--layers off"),
        "{sensor}"
    );
}

#[test]
#[ignore = "live"]
fn a_tune_keeps_the_layers_of_each_arm() {
    let Some(disk) = Loop::new(64) else { return };
    let iodyno = Iodyno::new();
    if !is_traceable(&iodyno) {
        return;
    }
    disk.set("scheduler", "mq-deadline");
    let arguments = [
        "tune",
        &disk.device,
        "--knob",
        "scheduler=none",
        "--budget",
        "45s",
        "--layers",
        "full",
        "--seed",
        "7",
    ];
    let (document, output) = iodyno.json(&arguments);
    assert!([0, 6].contains(&code(&output)), "{}", text(&output.stderr));
    let trial = &document["record"]["trials"][0];
    let has = |arm: &str, span: &str| {
        let spans = trial["layers"].as_array().unwrap().iter();
        spans.into_iter().any(|one| {
            one["arm"] == arm
                && one["span"] == span
                && one["device"] == disk.name.as_str()
                && one["side"] == "read"
        })
    };
    assert!(
        has("mq-deadline", "D2C") && has("none", "D2C"),
        "{}",
        trial["layers"]
    );
    assert!(
        has("mq-deadline", "I2D") && has("none", "G2D"),
        "each arm has its own layers"
    );
    let shown = text(&iodyno.run(&["show", "1"]).stdout);
    assert!(
        trial["verdict"]["verdict"] != "better" || shown.contains("  where"),
        "{shown}"
    );
    let stages = trial["moved"]["traced_windows"].as_u64();
    // All that are compared are traced; how many those are is the budget's affair.
    skip::measured(
        Outcome::won_if(stages.is_none_or(|windows| windows >= 10)),
        format!("{stages:?} windows were traced"),
    );
}

/// A loop device in memory under bfq, tuned against none; its record.
fn tuned(extra: &[&str]) -> Option<(Loop, Iodyno, Value)> {
    let disk = Loop::in_memory(64)?;
    if disk.lacks_scheduler("bfq") {
        return None;
    }
    disk.set("scheduler", "bfq");
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let arguments = [
        "tune",
        &disk.device,
        "--knob",
        "scheduler=none",
        "--budget",
        "3m",
        "--seed",
        "7",
    ];
    let (document, output) = iodyno.json(&[&arguments, extra].concat());
    assert!([0, 6].contains(&code(&output)), "{}", text(&output.stderr));
    assert_eq!(disk.settings(), before, "every setting is back");
    Some((disk, iodyno, document["record"].clone()))
}

fn figure<'a>(trial: &'a Value, name: &str) -> Option<&'a Value> {
    trial["figures"]
        .as_array()?
        .iter()
        .find(|figure| figure["name"] == name)
}

/// The arms that a figure has, each with windows.
fn arms_of<'a>(trial: &'a Value, name: &str) -> Vec<&'a str> {
    let figure = figure(trial, name).unwrap_or_else(|| panic!("no {name}: {}", trial["figures"]));
    let arms = figure["arms"].as_array().unwrap();
    assert!(arms.iter().all(|arm| arm["windows"].as_u64() > Some(0)));
    arms.iter()
        .map(|arm| arm["arm"].as_str().unwrap())
        .collect()
}

#[test]
#[ignore = "live"]
fn a_decision_is_explained_by_windows_of_its_own() {
    let Some((disk, iodyno, record)) = tuned(&[]) else {
        return;
    };
    let trial = &record["trials"][0];
    let verdict = &trial["verdict"];
    let why = sensor(&record)["no_data"].as_str().unwrap();
    assert!(
        why.contains("only after each decision"),
        "the windows of the proof are not traced: {why}"
    );
    let is_decided = verdict["verdict"] == "better";
    skip::measured(Outcome::won_if(is_decided), &verdict["sentence"]);
    if !is_decided {
        assert!(
            trial["moved"].is_null() && trial["layers"].is_null(),
            "{}",
            trial["moved"]
        );
        return;
    }
    for name in [
        "cpu.0.busy_percent",
        "cpu.all.us_per_io",
        &format!("disk.{}.reads_per_s", disk.name),
    ] {
        assert_eq!(arms_of(trial, name), ["bfq", "none"], "{name}");
    }
    let (moved, shown) = (&trial["moved"], text(&iodyno.run(&["show", "1"]).stdout));
    println!("{shown}");
    let lines: Vec<&str> = shown
        .lines()
        .skip_while(|line| !line.starts_with("  where"))
        .collect();
    let said = lines
        .iter()
        .take_while(|line| !line.starts_with("  holds"))
        .copied()
        .collect::<String>();
    if !is_traceable(&iodyno) || moved["traced"].is_null() {
        let why = moved["not_traced"].as_str().unwrap();
        assert!(
            !why.is_empty() && said.contains("layers were not traced"),
            "{shown}"
        );
        return;
    }
    assert_moved(trial, &said, &shown);
}

/// That the windows that were traced after the decision tell what moved.
fn assert_moved(trial: &Value, said: &str, shown: &str) {
    let moved = &trial["moved"];
    assert_eq!(
        (&moved["from"], &moved["to"]),
        (&"bfq".into(), &"none".into())
    );
    assert_eq!(moved["traced_windows"], 8);
    let has = |arm: &str, span: &str| {
        let mut spans = trial["layers"].as_array().unwrap().iter();
        spans.any(|one| {
            one["arm"] == arm && one["span"] == span && one["windows"].as_u64() >= Some(2)
        })
    };
    assert!(has("bfq", "I2D") && has("none", "G2D") && has("bfq", "D2C") && has("none", "D2C"));
    let changes = moved["changes"].as_array().unwrap();
    let is_moved = |change: &&Value| change["moved"] == true;
    match changes
        .iter()
        .find(|change| is_moved(change) && change["kind"] == "layer")
    {
        Some(layer) => assert!(
            said.contains(layer["name"].as_str().unwrap()),
            "{layer}: {shown}"
        ),
        None => assert!(
            changes.iter().any(|change| is_moved(&change))
                || said.contains("nothing changed by more than"),
            "{shown}"
        ),
    }
}

#[test]
#[ignore = "live"]
fn where_nothing_is_changed_nothing_is_said_to_have_moved() {
    let Some((_disk, iodyno, record)) = tuned(&["--aa"]) else {
        return;
    };
    let trial = &record["trials"][0];
    if trial["moved"].is_null() {
        skip::measured(Outcome::Undecided, &trial["verdict"]["sentence"]);
        return;
    }
    let changes = trial["moved"]["changes"].as_array().unwrap();
    let moved: Vec<&Value> = changes
        .iter()
        .filter(|change| change["moved"] == true)
        .collect();
    let is_true = moved.is_empty() && trial["moved"]["interrupts"].is_null();
    skip::measured(Outcome::right_if(is_true), format!("moved: {moved:?}"));
    if !is_true {
        return;
    }
    let shown = text(&iodyno.run(&["show", "1"]).stdout);
    assert!(
        shown.contains("nothing changed by more than its own noise"),
        "{shown}"
    );
}
