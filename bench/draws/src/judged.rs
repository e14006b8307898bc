//! What a check said of a draw, and the file of all draws.

use crate::draw::Draw;
use crate::family;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

/// One draw with what was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// Its seed.
    pub seed: u64,
    /// Day, in UTC.
    pub date: String,
    /// The faults, as `few_requests=4 cpu_quota=10000`; `healthy` where there are none.
    pub draw: String,
    /// Place of the first right finding for each fault, from 1 on; 0 where there is none. With blanks between them.
    pub places: String,
    /// The findings of level warning and above in their order, with blanks between them.
    pub warnings: String,
    /// How far the account of a load's time is off where it is furthest off, per cent of that time; none where the time of the check
    /// was over before a load.
    pub off_percent: Option<f64>,
    /// Median of that over the loads.
    pub off_median_percent: Option<f64>,
    /// How long the check took, s.
    pub seconds: f64,
}

impl Judged {
    /// Finds each fault of a draw in the document of its check.
    ///
    /// # Errors
    /// The document has no findings.
    pub fn of(seed: u64, draw: &Draw, (check, seconds): &(Value, f64)) -> Result<Judged, String> {
        let findings = check["findings"].as_array().ok_or("no findings")?;
        let standing = findings.iter().filter(|one| one["withdrawn"].is_null());
        let rules = |is_kept: fn(&Value) -> bool| -> Vec<&str> {
            let kept = standing.clone().filter(|one| is_kept(one));
            kept.filter_map(|one| one["rule"].as_str()).collect()
        };
        let (all, warnings) = (rules(|_| true), rules(|one| one["level"] != "note"));
        let families = family::all()?;
        let place = |(name, _): &(String, String)| {
            let family = families.iter().find(|family| family.name == *name);
            let is_right =
                |rule: &&str| family.is_some_and(|one| one.rules.iter().any(|id| id == rule));
            let found = all.iter().position(is_right);
            found.map_or(0, |place| place + 1).to_string()
        };
        let places: Vec<String> = draw.faults.iter().map(place).collect();
        let accounts = check["accounts"].as_array();
        let off = accounts
            .into_iter()
            .flatten()
            .filter_map(|account| account["off"].as_f64());
        let mut off: Vec<f64> = off.map(|share| (share * 1e4).round() / 1e2).collect();
        off.sort_by(f64::total_cmp);
        Ok(Judged {
            seed,
            date: kit::results::date(),
            draw: draw.name(),
            places: places.join(" "),
            warnings: warnings.join(" "),
            off_percent: off.last().copied(),
            off_median_percent: off.get(off.len() / 2).copied(),
            seconds: (seconds * 10.0).round() / 10.0,
        })
    }

    /// Family and place of each fault.
    pub fn faults(&self) -> Vec<(&str, usize)> {
        let names = self.draw.split(' ').filter_map(|word| word.split_once('='));
        let places = self
            .places
            .split(' ')
            .map(|place| place.parse().unwrap_or(0));
        names.map(|(name, _)| name).zip(places).collect()
    }

    /// For whoever waits.
    pub fn words(&self) -> String {
        format!("place {}; {}", self.places, self.warnings)
    }
}

fn path() -> PathBuf {
    crate::home().join("kept.csv")
}

fn failed(error: impl std::fmt::Display) -> String {
    format!("{}: {error}", path().display())
}

/// Every draw so far.
///
/// # Errors
/// The file cannot be read.
pub fn kept() -> Result<Vec<Judged>, String> {
    if !path().exists() {
        return Ok(Vec::new());
    }
    let mut reader = csv::Reader::from_path(path()).map_err(failed)?;
    let all: Result<Vec<Judged>, csv::Error> = reader.deserialize().collect();
    all.map_err(failed)
}

/// Adds one.
///
/// # Errors
/// The file cannot be written.
pub fn keep(judged: &Judged) -> Result<(), String> {
    let is_new = !path().exists();
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path())
        .map_err(failed)?;
    let mut writer = csv::WriterBuilder::new()
        .has_headers(is_new)
        .from_writer(file);
    writer.serialize(judged).map_err(failed)?;
    writer.flush().map_err(failed)
}
