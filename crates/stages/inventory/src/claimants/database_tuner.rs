//! # Database tuner
//!
//! ## What it reads
//! `/etc/scylla.d/perftune.yaml`, the configuration of Seastar's perftune, which ScyllaDB and Redpanda run.
//!
//! ## What it claims
//! `scheduler` and `nomerges` of the disks that it names (`dev`), and their interrupts; where it names directories only
//! (`dir`), of every disk, as a maybe.
//!
//! ## When it acts
//! Before the database starts.
//!
//! ## Example
//! `/etc/scylla.d/perftune.yaml:4` wants `nomerges` to be 2.
//!
//! ## Sources
//! - scylladb/seastar, `scripts/perftune.py` (class `DiskPerfTuner`)

use crate::claims::{Claim, Claimant, On, Phase, Scene};
use model::iopath::LayerKind;

const FILE: &str = "/etc/scylla.d/perftune.yaml";

/// What it sets on each disk that it tunes.
const SETS: &[(&str, &str)] = &[("scheduler", "none"), ("nomerges", "2")];

/// The claimant.
pub static CLAIMANT: Claimant = Claimant {
    id: "database_tuner",
    since: "0.1.0",
    reads: &[FILE],
    claims,
};

fn claims(scene: &Scene<'_>) -> Vec<Claim> {
    let Some(text) = scene.host.text(FILE) else {
        return Vec::new();
    };
    let Some((line, _)) = items(&text, "tune")
        .into_iter()
        .find(|(_, what)| what == "disks")
    else {
        return Vec::new();
    };
    let named = items(&text, "dev");
    let mut claims = Vec::new();
    for disk in scene.path.of_kind(LayerKind::Disk) {
        let by_name = named
            .iter()
            .find(|(_, name)| name.trim_start_matches("/dev/") == disk.name);
        let place = format!("{FILE}:{}", by_name.map_or(line, |(line, _)| *line));
        let acts = match by_name {
            Some(_) => "before the database starts",
            None => "maybe before the database starts: depends on where its directories are",
        };
        let claim = |on: On, wants: Option<String>| Claim {
            on,
            phase: Phase::Service,
            sequence: 1 << 20,
            place: place.clone(),
            wants,
            acts: acts.to_string(),
        };
        let settings = SETS
            .iter()
            .filter_map(|(name, value)| Some((disk.setting(name)?, value)));
        claims.extend(settings.map(|(setting, value)| {
            claim(
                On::Path(scene.canonical(&setting.path)),
                Some((*value).to_string()),
            )
        }));
        claims.push(claim(
            On::Fact {
                layer: disk.name.clone(),
                name: "interrupts",
            },
            None,
        ));
    }
    claims
}

/// The items of a list in YAML as perftune writes it, `key:` and lines with a dash or all in one line, with their line
/// numbers.
fn items(text: &str, key: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if let Some(rest) = trimmed
            .strip_prefix(key)
            .and_then(|rest| rest.trim_start().strip_prefix(':'))
        {
            let words = rest
                .split([',', '[', ']', ' '])
                .filter(|word| !word.is_empty());
            found.extend(words.map(|word| (index + 1, word.trim_matches(['"', '\'']).to_string())));
            inside = true;
        } else if let Some(item) = trimmed.strip_prefix("- ").filter(|_| inside) {
            found.push((index + 1, item.trim().trim_matches(['"', '\'']).to_string()));
        } else if !trimmed.is_empty() && !trimmed.starts_with('#') {
            inside = false;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::collect_on;

    #[test]
    fn disks_that_it_names_are_claimed_for_sure() {
        let path = |tune: &str| {
            collect_on(
                &format!(
                    "path: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
                     path: /sys/devices/p/sda/dev\nlines: 1\n8:0\n\
                     path: /sys/devices/p/sda/queue/nomerges\nlines: 1\n2\n\
                     path: {FILE}\nlines: 5\ndev:\n- sda\n# x\ntune:\n- {tune}\n"
                ),
                "sda",
            )
        };
        let owners = path("disks").disks()[0]
            .setting("nomerges")
            .unwrap()
            .owners
            .clone();
        assert_eq!(
            (owners[0].place.as_str(), owners[0].is_certain()),
            ("/etc/scylla.d/perftune.yaml:2", true)
        );
        assert!(
            path("net").disks()[0]
                .setting("nomerges")
                .unwrap()
                .owners
                .is_empty()
        );
        assert_eq!(
            items("tune: [disks, net]\n", "tune")[1],
            (1, "net".to_string())
        );
    }
}
