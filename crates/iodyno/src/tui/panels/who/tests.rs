//! What the reader of a terminal sees of processes and control groups.

use super::*;
use crate::tui::samples::{Scene, frame};

fn scene() -> Scene {
    let mut values: Vec<(&'static str, &str, f64)> = Vec::new();
    let mut add =
        |subject: &'static str, reads: f64, writes: f64, read_mib: f64, write_mib: f64| {
            values.push(("process.{}.reads_per_s", subject, reads));
            values.push(("process.{}.writes_per_s", subject, writes));
            values.push(("process.{}.read_bytes_per_s", subject, read_mib * MIB));
            values.push(("process.{}.write_bytes_per_s", subject, write_mib * MIB));
        };
    add("mysqld.2211", 38_900.0, 6_200.0, 161.0, 24.2);
    add("tar.8841", 0.0, 1_900.0, 0.0, 7.4);
    add("sleep.1", 0.0, 0.0, 0.0, 0.0);
    add("cat.77", 120.0, 0.0, 0.0, 0.0);
    add("a.b c.9", 1.0, 0.0, 0.001, 0.0);
    values.push((
        "cgroup.{}.read_bytes_per_s",
        "system.slice/mysql.service",
        161.0 * MIB,
    ));
    values.push(("cgroup.{}.write_bytes_per_s", "root", 31.6 * MIB));
    Scene {
        frame: frame(&values),
        ..Scene::new()
    }
}

#[test]
fn one_line_names_the_most() {
    let line = scene().draw(&PANEL, 80, 1)[0].clone();
    assert!(
        line.starts_with("WHO    mysqld r 161 MiB/s w 24.2 MiB/s · tar w 7.40 MiB/s …+2"),
        "{line}"
    );
    let wide = scene().draw(&PANEL, 160, 1)[0].clone();
    assert!(
        wide.contains("· a.b c r 1.02 KiB/s · cat 120 calls/s"),
        "{wide}"
    );
    assert!(wide.ends_with("(at the process)"), "{wide}");
}

#[test]
fn a_table_of_both_says_where_it_was_counted() {
    let lines = scene().draw(&PANEL, 80, 12);
    assert!(
        lines[0].starts_with("WHO ") && lines[0].ends_with("calls r/s      w/s   rMiB/s   wMiB/s"),
        "{lines:#?}"
    );
    assert!(
        lines[1].starts_with("mysqld 2211  ")
            && lines[1].ends_with("38.9 k   6.20 k      161     24.2"),
        "{lines:#?}"
    );
    assert!(
        lines[3].starts_with("a.b c 9 ") && lines[3].ends_with("<0.01        0"),
        "{lines:#?}"
    );
    assert!(lines[5].starts_with("CGROUP"), "{lines:#?}");
    assert!(
        lines[6].starts_with("system.slice/mysql.service") && lines[6].ends_with("161        –"),
        "{lines:#?}"
    );
    assert_eq!(lines[8], "1 idle, counted at the process, not the device");
    let short = scene().draw(&PANEL, 80, 5);
    assert!(
        short[4].starts_with("…+3 more, 1 idle, counted"),
        "{short:#?}"
    );
}

#[test]
fn names_are_looked_for_and_cleaned() {
    let mut scene = scene();
    scene.choice.filter = "tar".into();
    assert_eq!(
        scene.draw(&PANEL, 80, 1)[0].trim_end(),
        format!("WHO    tar w 7.40 MiB/s{:>57}", "(at the process)")
    );
    scene.choice.filter = "sda".into();
    let line = scene.draw(&PANEL, 80, 1)[0].clone();
    assert!(
        line.starts_with("WHO    mysqld r"),
        "a filter for devices leaves the processes: {line}"
    );
    let frame = frame(&[("process.{}.write_bytes_per_s", "evil\u{1b}[2J.1", MIB)]);
    let line = Scene {
        frame,
        ..Scene::new()
    }
    .draw(&PANEL, 80, 1)[0]
        .clone();
    assert!(line.contains("evil?[2J w 1.00 MiB/s"), "{line}");
}

#[test]
fn nobody_none_and_absent_differ() {
    let idle = Scene {
        frame: frame(&[("process.{}.reads_per_s", "sh.1", 0.0)]),
        ..Scene::new()
    };
    assert_eq!(idle.draw(&PANEL, 80, 1)[0], "WHO    no process does I/O");
    assert_eq!(Scene::new().draw(&PANEL, 80, 1)[0], "WHO    –");
}

#[test]
fn who_may_not_be_looked_at_is_not_said_to_do_nothing() {
    let notes = vec![(
        "process",
        "212 processes of other users may not be looked at; root may.".to_string(),
    )];
    let frame = frame(&[("process.{}.reads_per_s", "sh.1", 0.0)]);
    let mut idle = Scene {
        frame,
        notes: notes.clone(),
        ..Scene::new()
    };
    let says = "WHO    212 processes may not be looked at (root may)";
    assert_eq!(
        idle.draw(&PANEL, 80, 1)[0],
        format!("{says}; the others do no I/O")
    );
    assert_eq!(idle.draw(&PANEL, 60, 1)[0], says);
    let mut some = Scene { notes, ..scene() };
    assert!(some.draw(&PANEL, 80, 1)[0].ends_with("(212 not seen)"));
    assert_eq!(
        some.draw(&PANEL, 80, 12)[8],
        "1 idle, 212 not seen (root may), counted at the process, not the device"
    );
    assert!(some.draw(&PANEL, 56, 12)[8].starts_with("212 not seen (root may), counted"));
    idle.draw_at_every_size(&PANEL);
    some.draw_at_every_size(&PANEL);
    idle.notes[0].1 = "1 process may not be looked at, not even by root.".to_string();
    assert_eq!(
        idle.draw(&PANEL, 80, 1)[0],
        "WHO    1 process may not be looked at (nor may root); the others do no I/O"
    );
}

#[test]
fn hundreds_at_every_size() {
    let names: Vec<String> = (0..512)
        .map(|pid| format!("worker-with-a-long-name-{}.{pid}", pid % 7))
        .collect();
    let values: Vec<(&'static str, &str, f64)> = names
        .iter()
        .map(|name| ("process.{}.write_bytes_per_s", name.as_str(), 4096.0))
        .collect();
    let mut many = Scene {
        frame: frame(&values),
        ..Scene::new()
    };
    let line = many.draw(&PANEL, 80, 1)[0].clone();
    assert!(line.contains("…+5"), "{line}");
    for scene in [&mut many, &mut Scene::new(), &mut scene()] {
        scene.draw_at_every_size(&PANEL);
    }
}
