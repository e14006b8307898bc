//! What the reader of a terminal sees of the CPUs.

use super::*;
use crate::tui::samples::{Scene, frame};

/// CPU 4 of some takes most interrupts of vda.
fn scene(cpus: u32) -> Scene {
    let names: Vec<String> = (0..cpus).map(|cpu| cpu.to_string()).collect();
    let mut values: Vec<(&'static str, &str, f64)> = vec![
        ("irq.device.{}.per_s", "vda", 41_200.0),
        ("irq.line{}.per_s", "107", 40_000.0),
        ("irq.line{}.per_s", "108", 1_200.0),
        ("stat.blocked_tasks", "", 3.0),
        ("stat.running_tasks", "", 2.0),
    ];
    for name in &names {
        let is_four = name == "4";
        let mut add = |id: &'static str, four: f64, others: f64| {
            values.push((id, name, if is_four { four } else { others }));
        };
        add("cpu.{}.busy_percent", 91.0, 3.0);
        add("cpu.{}.softirq_percent", 31.0, 0.0);
        add("cpu.{}.steal_percent", 0.0, 0.0);
        add("irq.cpu{}.target_per_s", 40_000.0, 700.0);
        add("irq.cpu{}.all_per_s", 41_000.0, 100.0);
    }
    values.push(("irq.device_cpu.{}.per_s", "vda@4", 40_000.0));
    values.push(("irq.device_cpu.{}.per_s", "vda@0", 1_200.0));
    values.push(("irq.device_cpu.{}.per_s", "vdab@1", 9e9));
    Scene {
        frame: frame(&values),
        ..Scene::new()
    }
}

#[test]
fn one_line_fits_eighty_columns() {
    let line = scene(8).draw(&PANEL, 80, 1)[0].clone();
    assert_eq!(
        line,
        "CPU 0–7 ▁▁▁▁█▁▁▁ max 91 %  irq vda → CPU 4 97 %  softirq max 31 %  blocked 3 …+1"
    );
    let wide = scene(8).draw(&PANEL, 160, 1)[0].clone();
    assert!(
        wide.ends_with("softirq max 31 % (CPU 4)  blocked 3  steal 0"),
        "{wide}"
    );
    let many = scene(128).draw(&PANEL, 80, 1)[0].clone();
    assert!(many.starts_with("CPU 0–127 by 8 █▁▁▁"), "{many}");
    assert!(
        many.chars().count() <= 80 && many.contains("irq vda → CPU 4 97 %"),
        "{many}"
    );
}

#[test]
fn a_column_for_each_cpu_and_a_row_for_each_kind() {
    let lines = scene(8).draw(&PANEL, 120, 11);
    assert_eq!(lines[0], "CPU × INTERRUPT    0   1   2   3   4   5   6   7");
    assert_eq!(
        lines[1],
        "busy %             3   3   3   3  91   3   3   3  91 % on CPU 4"
    );
    assert_eq!(
        lines[2],
        "vda irq /s         ▂   ·   ·   ·   █   ·   ·   ·  41.2 k, 97 % on CPU 4"
    );
    assert_eq!(lines[4], "BLOCK softirq /s –", "no such sensor: {lines:#?}");
    assert_eq!(
        lines[10],
        "irq 107 40.0 k/s, irq 108 1.20 k/s   tasks blocked 3   running 2"
    );
    assert!(
        lines[9].starts_with("steal %            0   0"),
        "{lines:#?}"
    );
}

#[test]
fn many_cpus_are_folded_and_it_says_so() {
    let lines = scene(128).draw(&PANEL, 160, 11);
    assert!(
        lines[0].ends_with("groups of 8, the most of each"),
        "{lines:#?}"
    );
    assert!(
        lines[1].starts_with("busy %            91   3   3"),
        "{lines:#?}"
    );
    let narrow = scene(24).draw(&PANEL, 80, 11);
    assert_eq!(
        narrow[0],
        "CPU × INTERRUPT  0   2   4   6   8  10  12  14  16  18  20  22"
    );
    assert_eq!(narrow[1].matches('▁').count(), 23, "{narrow:#?}");
}

#[test]
fn gaps_and_absence_are_no_zeroes() {
    assert_eq!(Scene::new().draw(&PANEL, 80, 1)[0], "CPU –");
    let gap = Scene {
        frame: frame(&[
            ("cpu.{}.busy_percent", "0", 5.0),
            ("cpu.{}.busy_percent", "2", 5.0),
            ("irq.cpu{}.all_per_s", "1", 5.0),
        ]),
        ..Scene::new()
    };
    let line = gap.draw(&PANEL, 80, 1)[0].clone();
    assert!(
        line.starts_with("CPU 0–2 ▁╌▁ max 5 % (CPU 0)  irq of disks –"),
        "{line}"
    );
    for mut scene in [
        gap,
        Scene::new(),
        scene(1),
        scene(8),
        scene(128),
        scene(512),
    ] {
        scene.draw_at_every_size(&PANEL);
    }
}

#[test]
fn interrupts_of_several_disks_are_nobodys_own() {
    let frame = frame(&[
        ("cpu.{}.busy_percent", "0", 5.0),
        ("irq.cpu{}.target_per_s", "0", 100.0),
        ("irq.device.{}.per_s", "vdb", 50.0),
        ("irq.device_cpu.{}.per_s", "vdb@0", 50.0),
    ]);
    let line = Scene {
        frame,
        ..Scene::new()
    }
    .draw(&PANEL, 80, 1)[0]
        .clone();
    assert!(line.contains("irq of disks → CPU 0 100 %"), "{line}");
}
