//! Times by layer in the records of `run` and `tune`, and what is said where there are none.

use crate::support::{Iodyno, Loop, code, copy_binary, text};
use serde_json::Value;

/// Whether this machine lets the programs in; the reason is printed where it does not.
fn is_traceable(iodyno: &Iodyno) -> bool {
    let (page, _) = iodyno.json(&["explain", "layers"]);
    let here = &page["here"];
    if here["rung"] == "eBPF" {
        return true;
    }
    assert!(!here["why_not_higher"].as_array().unwrap().is_empty(), "{here}");
    println!("skipped: {here}");
    false
}

fn device<'a>(layers: &'a Value, name: &str) -> &'a Value {
    layers["devices"].as_array().unwrap().iter().find(|device| device["device"] == name).unwrap()
}

fn count(device: &Value, side: &str, span: &str) -> u64 {
    let spans = device["spans"].as_array().unwrap().iter();
    let times = spans.filter(|one| one["side"] == side && one["span"] == span);
    times.flat_map(|one| one["times"].as_array().unwrap()).map(|pair| pair[1].as_u64().unwrap()).sum()
}

#[test]
fn a_run_keeps_the_layers_of_every_device_below() {
    let Some(disk) = Loop::new(64) else { return };
    let iodyno = Iodyno::new();
    if !is_traceable(&iodyno) {
        return;
    }
    disk.set("scheduler", "mq-deadline");
    let output = iodyno.run(&["run", &disk.device, "--runtime", "1s", "--seed", "4", "--layers", "full"]);
    let said = text(&output.stdout);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let table: Vec<&str> =
        said.lines().skip_while(|line| !line.contains("layers, eBPF full")).take(5).collect();
    assert!(table.len() == 5 && table.iter().all(|line| line.chars().count() <= 80), "{said}");
    let (shown, _) = iodyno.json(&["show", "1"]);
    let record = &shown["record"];
    let ios = record["load"]["read"]["ios"].as_u64().unwrap();
    let ours = device(&record["layers"], &disk.name);
    let unseen = ours["counters"]["unseen"].as_u64().unwrap_or(0);
    let whole = count(ours, "read", "Q2C");
    // A device of our own: the programs see our I/Os and a handful that udev or the kernel's probing may add.
    assert!(whole + unseen >= ios && whole <= ios + 64, "{whole} and {unseen} of {ios}");
    assert!(unseen * 10 <= ios, "{unseen} of {ios} were not seen");
    assert_eq!((count(ours, "read", "G2D"), count(ours, "write", "Q2C")), (0, 0), "absent, not zero");
    assert!(count(ours, "read", "I2D") + unseen + 64 >= ios);
    let below = record["layers"]["devices"].as_array().unwrap().len();
    assert!(below >= 2, "the disk under the loop device has layers of its own: {below}");
    let sensor = record["sensors"].as_array().unwrap().iter().find(|log| log["sensor"] == "layers").unwrap();
    let name = format!("layers.{}.queued", disk.name);
    let series =
        sensor["series"].as_array().unwrap().iter().find(|one| one["name"] == name.as_str()).unwrap();
    let values: Vec<f64> = series["values"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    assert!(values.is_sorted() && *values.last().unwrap() > 0.9 * ios as f64, "{values:?} of {ios}");
}

#[test]
fn tracing_can_be_lighter_or_off() {
    let Some(disk) = Loop::new(16) else { return };
    let iodyno = Iodyno::new();
    if !is_traceable(&iodyno) {
        return;
    }
    let run = |strength: &str| {
        let (document, _) = iodyno.json(&["run", &disk.device, "--runtime", "300ms", "--layers", strength]);
        document["record"].clone()
    };
    let lite = run("lite");
    let ours = device(&lite["layers"], &disk.name);
    assert!(count(ours, "read", "G2C") > 0 && count(ours, "read", "Q2C") == 0, "{ours}");
    let off = run("off");
    assert!(off["layers"].is_null(), "{off}");
    let sensor = off["sensors"].as_array().unwrap().iter().find(|log| log["sensor"] == "layers").unwrap();
    assert!(sensor["no_data"].as_str().unwrap().contains("--layers off"), "{sensor}");
}

#[test]
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
    assert!(has("mq-deadline", "D2C") && has("none", "D2C"), "{}", trial["layers"]);
    assert!(has("mq-deadline", "I2D") && has("none", "G2D"), "each arm has its own layers");
    assert!(
        trial["verdict"]["verdict"] != "better"
            || trial["verdict"]["arm"] == "mq-deadline"
            || text(&iodyno.run(&["show", "1"]).stdout).contains("  where: ")
    );
}

#[test]
fn without_rights_a_run_says_why_there_are_no_layers() {
    let binary = std::env::temp_dir().join(format!("iodyno-layers-{}", std::process::id()));
    copy_binary(&binary);
    let home = std::env::temp_dir().join(format!("iodyno-layers-home-{}", std::process::id()));
    std::fs::create_dir_all(&home).unwrap();
    let _ = std::os::unix::fs::chown(&home, Some(65_534), Some(65_534));
    let mut command = std::process::Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&binary);
    command.args([
        "run",
        home.to_str().unwrap(),
        "--runtime",
        "200ms",
        "--size",
        "4m",
        "--direct",
        "0",
        "--layers",
        "full",
        "--json",
    ]);
    let output = command.env("IODYNO_STATE_DIR", home.join("state")).output();
    let _ = (std::fs::remove_file(&binary), std::fs::remove_dir_all(&home));
    let Ok(output) = output else {
        println!("skipped: setpriv is not installed");
        return;
    };
    let document: Value = match serde_json::from_slice(&output.stdout) {
        Ok(document) => document,
        Err(_) => {
            println!("skipped: no other user can be had here: {}", text(&output.stderr));
            return;
        }
    };
    let sensors = document["record"]["sensors"].as_array().unwrap();
    let reason = sensors.iter().find(|log| log["sensor"] == "layers").unwrap()["no_data"].as_str().unwrap();
    assert!(
        reason.contains("CAP_BPF")
            || reason.contains("type information")
            || reason.contains("no block device"),
        "{reason}"
    );
    assert!(document["record"]["layers"].is_null());
}
