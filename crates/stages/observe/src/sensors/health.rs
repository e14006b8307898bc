//! # Health of disks
//!
//! What disks say about themselves: wear, spare blocks, errors of the medium, heat, and how often they slowed themselves.
//!
//! ## What it reads
//! By ioctl on `/dev/<disk>`, opened for reading: the SMART log of NVMe controllers (admin command Get Log Page), the SMART
//! attributes of SATA disks (ATA pass-through), log pages of SAS and other SCSI disks (LOG SENSE). Of the disks that were
//! named, else of all that have seen I/O. Nothing is written and no self-test is started.
//!
//! A disk that sleeps stays asleep: one that the kernel has suspended is not opened, and a SATA disk is asked for its power
//! mode first, which does not wake it.
//!
//! ## Metrics
//! `health.<disk>.percentage_used`, `media_errors`, `available_spare_percent`, `reallocated_sectors`, `pending_sectors`,
//! `crc_errors`, `temperature_celsius`, `power_on_hours`, `light_throttlings` and so on: each disk has those that it tells.
//! An NVMe log is its controller's, so namespaces of one controller tell the same. Counts are since the disk was made.
//!
//! ## Cost
//! One to ten commands a disk every ten seconds, on a thread of its own: a disk that takes long holds up no other sensor.
//! A command is a few µs of CPU. SATA disks are asked at the start and then every five minutes only: their commands for
//! this cannot be queued, so the disk first finishes all that are queued and takes no others meanwhile, for tens of ms.
//!
//! ## When absent
//! Without root, on a captured machine, and where no disk has a firmware to ask: virtio, loop, device mapper and md. USB
//! bridges are not asked, since cheap ones hang. A disk that refuses, sleeps or is behind a RAID controller has no data,
//! with a note.
//!
//! ## Example
//! `health.nvme0n1.light_throttlings` grows during a run: its last minutes measured the cooling.

mod ata;
mod facts;
mod nvme;
mod scsi;

use crate::aside::Aside;
use crate::{Opened, Scope, Sensor, SensorColumn, SensorSource, devices};
use facts::{FIELDS, HealthFacts, METRICS, place};
use host::pass_through::{Disk, Power};
use host::{Host, clock, rights};
use std::path::PathBuf;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "health",
    since: "0.1.0",
    every_ms: EVERY_MS,
    reads: &["/dev/<disk>"],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

const EVERY_MS: u64 = 10_000;
/// The commands of SATA disks for this are not queued, and drain the queue of the load.
const ATA_EVERY_NS: u64 = 300_000_000_000;

/// How a disk is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Language {
    Nvme,
    Ata { is_solid: bool },
    Scsi,
}

/// What each disk told, or why it did not.
type HealthAnswer = Vec<(String, Result<HealthFacts, String>)>;

/// What SATA disks told last, and when.
#[derive(Default)]
struct Rounds {
    ata: Vec<(String, u64, Result<HealthFacts, String>)>,
}

impl Rounds {
    /// Asks the disks whose turn it is; the others tell what they told last.
    fn next(
        &mut self,
        disks: Vec<(String, Language)>,
        now_ns: u64,
        ask: impl Fn(&str, Language) -> Result<HealthFacts, String>,
    ) -> HealthAnswer {
        let known = disks.iter().map(|(disk, _)| disk).collect::<Vec<_>>();
        self.ata.retain(|(disk, asked_ns, _)| {
            now_ns.saturating_sub(*asked_ns) < ATA_EVERY_NS && known.contains(&disk)
        });
        let told = disks.into_iter().map(|(disk, language)| {
            if let Some((_, _, told)) = self.ata.iter().find(|(known, ..)| *known == disk) {
                return (disk, told.clone());
            }
            let told = ask(&disk, language);
            if matches!(language, Language::Ata { .. }) {
                self.ata.push((disk.clone(), now_ns, told.clone()));
            }
            (disk, told)
        });
        told.collect()
    }
}

struct Health {
    aside: Aside<HealthAnswer>,
    /// Disk and fact of each series.
    series: Vec<(String, usize)>,
}

fn open(host: &Host, scope: &Scope) -> Opened {
    if !host.is_live() {
        return Err("health is read by ioctl, a captured machine has none".into());
    }
    if !rights::is_root() {
        return Err("reading what a disk says about its health needs root".into());
    }
    if candidates(host, scope).is_empty() {
        return Err(
            "none of the disks has a firmware to ask (virtio, loop, dm and md have none)".into(),
        );
    }
    let (host, scope) = (host.clone(), scope.clone());
    let mut rounds = Rounds::default();
    let round = move || {
        let disks = candidates(&host, &scope);
        rounds.next(disks, clock::monotonic_ns(), |disk, language| {
            ask(&host, disk, language)
        })
    };
    let aside = Aside::start("iodyno-health", EVERY_MS, round);
    let aside = aside.map_err(|error| format!("no thread to read it: {error}"))?;
    let mut health = Health {
        aside,
        series: Vec::new(),
    };
    health.grow();
    match health
        .aside
        .latest(|told, _| told.iter().all(|(_, facts)| facts.is_err()))
    {
        // All of the first round: a disk that sleeps may wake later, others will not change their minds.
        Some(true) if !health.notes().iter().any(|note| note.contains(ASLEEP)) => {
            Err(health.notes().join(" "))
        }
        _ => Ok(Box::new(health)),
    }
}

const ASLEEP: &str = "it sleeps and was not woken";

/// Disks that have a firmware, and how it is asked.
fn candidates(host: &Host, scope: &Scope) -> Vec<(String, Language)> {
    let language = |disk: &String| {
        let device = format!("/sys/block/{}/device", devices::directory(disk));
        if disk.starts_with("nvme") {
            return host.exists(&device).then_some(Language::Nvme);
        }
        let vendor = host.text(&format!("{device}/vendor"))?;
        // virtio has a vendor too, which is a number; what speaks SCSI has a type.
        host.text(&format!("{device}/type"))?;
        let is_solid = host.number(&format!(
            "/sys/block/{}/queue/rotational",
            devices::directory(disk)
        )) == Some(0);
        Some(if vendor.trim() == "ATA" {
            Language::Ata { is_solid }
        } else {
            Language::Scsi
        })
    };
    let disks = devices::chosen(host, scope).into_iter();
    disks
        .filter_map(|disk| language(&disk).map(|language| (disk, language)))
        .collect()
}

/// Asks one disk.
fn ask(host: &Host, disk: &str, language: Language) -> Result<HealthFacts, String> {
    let directory = format!("/sys/block/{}", devices::directory(disk));
    if host
        .resolve(&directory)
        .is_some_and(|path| path.contains("/usb"))
    {
        return Err("it is behind a USB bridge, which may hang when asked".into());
    }
    // Opening would wake it.
    if host
        .text(&format!("{directory}/device/power/runtime_status"))
        .as_deref()
        == Some("suspended")
    {
        return Err(ASLEEP.into());
    }
    let words = |error: host::Error| error.to_string();
    let device =
        Disk::open(&PathBuf::from(format!("/dev/{}", disk.replace('!', "/")))).map_err(words)?;
    match language {
        Language::Nvme => {
            let page = device.nvme_log(nvme::PAGE).map_err(words)?;
            nvme::facts(&page).ok_or_else(|| "its log is empty".into())
        }
        Language::Ata { is_solid } => {
            if device.ata_power().map_err(words)? == Power::Standby {
                return Err(ASLEEP.into());
            }
            let page = device.ata_smart().map_err(words)?;
            ata::facts(&page, is_solid).ok_or_else(|| "its attributes are damaged".into())
        }
        Language::Scsi => scsi_facts(&device),
    }
}

fn scsi_facts(device: &Disk) -> Result<HealthFacts, String> {
    let supported = device
        .scsi_log(scsi::SUPPORTED)
        .map_err(|error| error.to_string())?;
    let known = scsi::supported(&supported).ok_or("its list of log pages is damaged")?;
    let pages = scsi::PAGES.into_iter().filter(|page| known.contains(page));
    // A page that fails leaves the others.
    let facts: HealthFacts = pages
        .filter_map(|page| device.scsi_log(page).ok())
        .flat_map(|page| scsi::facts(&page))
        .collect();
    if facts.is_empty() {
        Err("it has no log page that is understood here".into())
    } else {
        Ok(facts)
    }
}

impl Health {
    /// Series of what was told for the first time.
    fn grow(&mut self) -> Vec<SensorColumn> {
        let series = &mut self.series;
        let grown = self.aside.latest(|told, _| {
            let mut columns = Vec::new();
            for (disk, facts) in told {
                for place in facts.iter().flatten().filter_map(|(name, _)| place(name)) {
                    if !series
                        .iter()
                        .any(|known| known.0 == *disk && known.1 == place)
                    {
                        series.push((disk.clone(), place));
                        columns.push(SensorColumn::of(&METRICS[place], disk));
                    }
                }
            }
            columns
        });
        grown.unwrap_or_default()
    }
}

impl SensorSource for Health {
    fn columns(&self) -> Vec<SensorColumn> {
        self.series
            .iter()
            .map(|(disk, place)| SensorColumn::of(&METRICS[*place], disk))
            .collect()
    }

    fn new_columns(&mut self) -> Vec<SensorColumn> {
        self.grow()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        self.aside.latest(|told, _| {
            for ((disk, wanted), cell) in self.series.iter().zip(row) {
                let facts = told
                    .iter()
                    .find(|(one, _)| one == disk)
                    .and_then(|(_, facts)| facts.as_ref().ok());
                let found = facts
                    .and_then(|facts| facts.iter().find(|(name, _)| place(name) == Some(*wanted)));
                *cell = found.map_or(f64::NAN, |(_, value)| *value);
            }
        });
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        let told = self.aside.latest(|told, _| {
            let failed = told
                .iter()
                .filter_map(|(disk, facts)| Some((disk, facts.as_ref().err()?)));
            failed
                .map(|(disk, reason)| format!("{disk}: no data, {reason}."))
                .collect()
        });
        told.unwrap_or_default()
    }

    fn cost_elsewhere_ns(&self) -> u64 {
        self.aside.cost_cpu_ns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::{machine, names, read_once};

    #[test]
    fn a_captured_machine_has_none() {
        assert!(
            read_once(&SENSOR, &[], &Scope::default())
                .unwrap_err()
                .contains("captured machine")
        );
    }

    #[test]
    fn disks_are_asked_in_their_own_language() {
        let files = [
            ("/sys/block/sda/device/vendor", "ATA     "),
            ("/sys/block/sda/device/type", "0"),
            ("/sys/block/sda/queue/rotational", "0"),
            ("/sys/block/sdb/device/vendor", "SEAGATE "),
            ("/sys/block/sdb/device/type", "0"),
            ("/sys/block/vda/device/vendor", "0x1af4"),
            ("/sys/block/nvme0n1/device/model", "x"),
        ];
        let scope = Scope::devices(&["sda", "sdb", "vda", "nvme0n1", "dm-0"]);
        let found = candidates(&machine(&files, &[]), &scope);
        let found: Vec<(&str, Language)> = found
            .iter()
            .map(|(disk, how)| (disk.as_str(), *how))
            .collect();
        let expected = [
            ("sda", Language::Ata { is_solid: true }),
            ("sdb", Language::Scsi),
            ("nvme0n1", Language::Nvme),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn sata_disks_are_asked_every_five_minutes_and_others_each_time() {
        let disks = || {
            vec![
                ("sda".to_string(), Language::Ata { is_solid: true }),
                ("nvme0n1".to_string(), Language::Nvme),
            ]
        };
        let mut rounds = Rounds::default();
        let times = [0, 10, 290, 300, 310].map(|second| {
            let now_ns = second * 1_000_000_000;
            let told = rounds.next(disks(), now_ns, |_, _| {
                Ok(vec![("power_cycles", second as f64)])
            });
            told.into_iter()
                .map(|(_, facts)| facts.unwrap()[0].1 as u64)
                .collect::<Vec<_>>()
        });
        assert_eq!(times, [[0, 0], [0, 10], [0, 290], [300, 300], [300, 310]]);
        let without = rounds.next(Vec::new(), 320_000_000_000, |_, _| Err("not asked".into()));
        assert!(
            without.is_empty() && rounds.ata.is_empty(),
            "another disk may come under the name"
        );
    }

    #[test]
    fn a_disk_that_sleeps_is_not_opened() {
        let files = [(
            "/sys/block/no-such-disk/device/power/runtime_status",
            "suspended",
        )];
        let refused = ask(
            &machine(&files, &[]),
            "no-such-disk",
            Language::Ata { is_solid: false },
        );
        assert_eq!(refused, Err(ASLEEP.to_string()));
    }

    #[test]
    fn each_disk_has_the_series_that_it_tells() {
        let page = ata::page(&[(5, 100, 8), (197, 100, 2)]);
        let told: HealthAnswer = vec![
            ("sda".into(), Ok(ata::facts(&page, false).unwrap())),
            ("sdb".into(), Err("cannot open /dev/sdb".into())),
        ];
        let aside = Aside::start("test", 600_000, move || told.clone()).unwrap();
        let mut health = Health {
            aside,
            series: Vec::new(),
        };
        let limit_ns = host::clock::monotonic_ns() + 30_000_000_000;
        let mut columns = Vec::new();
        while columns.is_empty() {
            assert!(host::clock::monotonic_ns() < limit_ns);
            columns = health.new_columns();
        }
        assert_eq!(
            names(&columns),
            [
                "health.sda.reallocated_sectors",
                "health.sda.pending_sectors"
            ]
        );
        let mut row = [f64::NAN; 2];
        health.read(&mut row).unwrap();
        assert_eq!(row, [8.0, 2.0]);
        assert_eq!(health.notes(), ["sdb: no data, cannot open /dev/sdb."]);
    }

    #[test]
    fn every_fact_has_a_series() {
        let nvme = nvme::facts(&{
            let mut page = [0u8; 512];
            page[1] = 1;
            page
        });
        let all = (0..=255).map(|id| (id, 1, 1)).collect::<Vec<_>>();
        let ata = [&all[5..30], &all[177..200], &all[231..234]].concat();
        let told = [
            nvme.unwrap(),
            ata::facts(&ata::page(&ata[..30]), true).unwrap(),
        ]
        .concat();
        assert!(
            told.iter().all(|(name, _)| place(name).is_some()),
            "{told:?}"
        );
    }
}
