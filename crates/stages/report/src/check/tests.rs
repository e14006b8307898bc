//! Checks as people read them.

use super::*;
use model::finding::Evidence;
use model::iopath::{Layer, LayerKind};

fn path() -> IoPath {
    let disk = Layer::new(LayerKind::Disk, "vda");
    IoPath::new(
        "/srv",
        Layer {
            below: vec![disk],
            ..Layer::new(LayerKind::Target, "/srv")
        },
    )
}

fn check() -> CheckResult {
    let given = |what: ExpectedWhat, value: f64| GivenSetting {
        what,
        value,
        unit: what.unit().into(),
        how: "depth 32".into(),
    };
    CheckResult {
        given: vec![
            given(ExpectedWhat::RandomReads, 8_100.0),
            given(ExpectedWhat::SequentialRead, 220_200_960.0),
        ],
        unseen: vec!["Times by layer: the kernel has no BTF.".into()],
        next: "sudo iodyno tune /srv".into(),
        ..CheckResult::default()
    }
}

fn finding(level: Level, gain: f64, claim: &str) -> Finding {
    Finding {
        rule: "linear_volume".into(),
        level,
        section: "vda".into(),
        claim: claim.into(),
        gain,
        evidence: vec![Evidence {
            name: "mapping".into(),
            value: "linear".into(),
        }],
        competing: vec!["the volume is filled to its first disk only".into()],
        experiment: "iodyno run /srv".into(),
        advice: "Stripe it.".into(),
        risk: Some(Risk::NeedsCare),
        ..Finding::default()
    }
}

#[test]
fn the_first_line_answers() {
    let told = |findings: &[Finding]| answer(&path(), &check(), findings);
    assert_eq!(
        told(&[]),
        "vda gives 8.10 k random reads/s and 210 MiB/s sequentially; nothing wrong found."
    );
    let slow = finding(Level::Warning, 1.0, "vda is not striped.");
    let note = finding(Level::Note, 9.0, "It is so.");
    assert_eq!(
        told(&[slow.clone(), slow.clone(), note.clone()]),
        "vda gives 8.10 k random reads/s and 210 MiB/s sequentially, less than it could: vda is not striped. One more \
         finding below."
    );
    assert!(told(&[note]).ends_with("nothing wrong found."));
    let off = |low: f64, high: f64| CheckResult {
        expected: vec![Expected {
            what: ExpectedWhat::RandomReads,
            low,
            high,
            unit: ExpectedWhat::RandomReads.unit().into(),
            because: "a flash disk".into(),
            source: String::new(),
        }],
        ..check()
    };
    assert!(
        answer(&path(), &off(2e4, 1e5), &[]).ends_with(
            ", less than it should in random 4k reads (a flash disk); no cause was found."
        )
    );
    assert!(answer(&path(), &off(60.0, 250.0), &[]).contains(", more than it can in random 4k"));
    assert!(answer(&path(), &off(5e3, 1e4), &[]).ends_with("; nothing wrong found."));
    let none = CheckResult::default();
    assert_eq!(
        answer(&path(), &none, &[slow]),
        "vda is slower than it could be: vda is not striped."
    );
    assert_eq!(
        answer(&path(), &none, &[]),
        "Nothing wrong found on the path of vda; nothing was loaded."
    );
}

#[test]
fn what_a_finding_costs_is_told_in_place_of_a_guess() {
    let loads = [
        "depth 32",
        "depth 8",
        "one stream",
        "random writes",
        "4 streams",
    ];
    let cost = |load: &&str| Cost {
        load: (*load).into(),
        share: 0.9,
    };
    let costly = Finding {
        costs: loads.iter().map(cost).collect(),
        ..finding(Level::Warning, 1.0, "vda is given 2 requests at a time.")
    };
    let told = lines("An answer.", &check(), std::slice::from_ref(&costly), false);
    assert_eq!(
        told[3..6],
        [
            "  warning  vda is given 2 requests at a time. (linear_volume)",
            "           costs    90 % of depth 32; 90 % of depth 8; 90 % of one stream; and",
            "                    of 2 more loads",
        ]
    );
    let answer = answer(
        &path(),
        &check(),
        &[Finding {
            gain: 0.0,
            ..costly
        }],
    );
    assert!(answer.contains("less than it could"), "{answer}");
}

#[test]
fn a_finding_is_told_whole_within_the_width() {
    let findings = [
        finding(
            Level::Warning,
            1.0,
            "vda is not striped: sda did 100 % of the work of two disks that it is made of.",
        ),
        finding(Level::Note, 0.0, "Worth knowing."),
        Finding {
            withdrawn: Some("the loads showed otherwise".into()),
            ..finding(Level::Warning, 0.0, "No.")
        },
    ];
    let told = lines("An answer.", &check(), &findings, false);
    assert_eq!(
        told[3..12],
        [
            "  warning  vda is not striped: sda did 100 % of the work of two disks that it is",
            "           made of. (linear_volume, likely gain +100 %)",
            "           seen     mapping linear",
            "           or else  the volume is filled to its first disk only",
            "           decides  iodyno run /srv",
            "           cure     Stripe it. (needs care)",
            "  1 note and 1 withdrawn suspicion not shown here; --all shows them",
            "Not seen, or seen only in part:",
            "  - Times by layer: the kernel has no BTF.",
        ]
    );
    assert_eq!(told.last().unwrap(), "Next: sudo iodyno tune /srv");
    let all = lines("An answer.", &check(), &findings, true);
    assert!(
        all.iter().any(|line| line.starts_with("  withdrawn")),
        "{all:?}"
    );
    assert!(
        all.iter()
            .any(|line| line.contains("the loads showed otherwise")),
        "{all:?}"
    );
    assert!(
        all.iter()
            .chain(&told)
            .all(|line| super::super::text::columns(line) <= width()),
        "{all:?}"
    );
}
