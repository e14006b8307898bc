//! Times by layer in the records of `run` and `tune`, and what is said where there are none.

use crate::support::{copy_binary, text};
use serde_json::Value;

pub fn device<'a>(layers: &'a Value, name: &str) -> &'a Value {
    layers["devices"]
        .as_array()
        .unwrap()
        .iter()
        .find(|device| device["device"] == name)
        .unwrap()
}

pub fn count(device: &Value, side: &str, span: &str) -> u64 {
    let spans = device["spans"].as_array().unwrap().iter();
    let times = spans.filter(|one| one["side"] == side && one["span"] == span);
    times
        .flat_map(|one| one["times"].as_array().unwrap())
        .map(|pair| pair[1].as_u64().unwrap())
        .sum()
}

/// What the sensor of layers left in a record.
pub fn sensor(record: &Value) -> &Value {
    record["sensors"]
        .as_array()
        .unwrap()
        .iter()
        .find(|log| log["sensor"] == "layers")
        .unwrap()
}

#[test]
fn without_rights_a_run_says_why_there_are_no_layers() {
    let binary = std::env::temp_dir().join(format!("iodyno-layers-{}", std::process::id()));
    copy_binary(&binary);
    let home = std::env::temp_dir().join(format!("iodyno-layers-home-{}", std::process::id()));
    std::fs::create_dir_all(&home).unwrap();
    let _ = std::os::unix::fs::chown(&home, Some(65_534), Some(65_534));
    let mut command = std::process::Command::new("setpriv");
    command
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&binary);
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
    let _ = (
        std::fs::remove_file(&binary),
        std::fs::remove_dir_all(&home),
    );
    let Ok(output) = output else {
        skip::missing("setpriv", "setpriv is not installed");
        return;
    };
    let document: Value = match serde_json::from_slice(&output.stdout) {
        Ok(document) => document,
        Err(_) => {
            let why = format!("no other user can be had here: {}", text(&output.stderr));
            skip::missing("user", why);
            return;
        }
    };
    let sensors = document["record"]["sensors"].as_array().unwrap();
    let reason = sensors
        .iter()
        .find(|log| log["sensor"] == "layers")
        .unwrap()["no_data"]
        .as_str()
        .unwrap();
    assert!(
        reason.contains("CAP_BPF")
            || reason.contains("type information")
            || reason.contains("no block device"),
        "{reason}"
    );
    assert!(document["record"]["layers"].is_null());
}
