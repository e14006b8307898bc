//! Settings of a device's page cache and of the CPUs: applied or tried, killed, and put back.

use crate::settings::PutBack;
use crate::support::{Dir, Iodyno, Loop, code, is_root, signal, text, until};
use crate::undo::store_a_win_on;
use model::subject::Subject;

#[test]
fn a_share_of_the_page_cache_is_applied_and_put_back_to_its_last_digit() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let subject = Subject::Bdi {
        device: disk.name.clone(),
    };
    // A detached loop device keeps its share for its next user.
    let _put_back = PutBack::of(&subject);
    let bdi = subject.directory();
    let read = |name: &str| {
        let text = std::fs::read_to_string(format!("{bdi}/{name}")).ok()?;
        Some(text.trim().to_string())
    };
    // Of 12.3456 % the coarse file shows 12: putting back only what it shows would lose the rest.
    let has_fine = read("max_ratio_fine").is_some();
    if has_fine {
        std::fs::write(format!("{bdi}/max_ratio_fine"), "123456").unwrap();
    }
    let found = (read("max_ratio"), read("max_ratio_fine"));
    let iodyno = Iodyno::new();
    let arms = [found.0.as_deref().unwrap(), "50"];
    let record = store_a_win_on(&iodyno, &disk.name, "max_ratio", subject, arms);
    let (applied, output) = iodyno.json(&["apply", &record]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(read("max_ratio").as_deref(), Some("50"));
    let undone = iodyno.run(&["undo", applied["journal"].as_str().unwrap()]);
    assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    assert_eq!((read("max_ratio"), read("max_ratio_fine")), found);
}

const LATENCY: &str = "/dev/cpu_dma_latency";

/// The least wake-up latency that anybody asks for, µs.
pub fn in_force_us() -> u32 {
    let bytes = std::fs::read(LATENCY).unwrap_or(vec![0; 4]);
    u32::from_ne_bytes(bytes.try_into().unwrap())
}

fn cpus_take_requests() -> bool {
    let can = is_root() && std::fs::File::open(LATENCY).is_ok();
    if !can {
        skip::missing("root", "no latency can be asked of the CPUs");
    }
    can
}

#[test]
fn what_a_killed_tune_asked_of_the_cpus_ends_with_it() {
    if !cpus_take_requests() {
        return;
    }
    // Others that change the machine have their turn too.
    let Some(_turn) = Loop::in_memory(16) else {
        return;
    };
    let found = in_force_us();
    let (iodyno, dir) = (Iodyno::new(), Dir::new("held"));
    let mut child = iodyno.spawn(&[
        "tune",
        dir.path().to_str().unwrap(),
        "--knob",
        "cpu_latency_us=3",
        "--rw",
        "randread",
        "--iodepth",
        "1",
        "--size",
        "16m",
        "--budget",
        "10m",
    ]);
    iodyno.wait_for_journal(&mut child);
    until("the request", || in_force_us() == 3);
    signal(child.id(), "KILL");
    child.wait().unwrap();
    assert_eq!(in_force_us(), found, "the kernel drops what nobody holds");
    let undone = iodyno.run(&["undo"]);
    assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    assert_eq!(code(&iodyno.run(&["status"])), 0);
}

#[test]
fn what_ends_with_its_process_is_not_applied() {
    if !cpus_take_requests() {
        return;
    }
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let iodyno = Iodyno::new();
    let arms = ["none", "3"];
    let record = store_a_win_on(
        &iodyno,
        &disk.name,
        "cpu_latency_us",
        Subject::CpuLatency,
        arms,
    );
    let refused = iodyno.run(&["apply", &record]);
    assert_eq!(code(&refused), 4);
    let words = text(&refused.stderr);
    assert!(words.contains("force_latency"), "{words}");
}

#[test]
fn a_killed_tune_of_a_schedulers_own_setting_is_put_back() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    if disk.lacks_scheduler("mq-deadline") {
        return;
    }
    disk.set("scheduler", "mq-deadline");
    let file = format!("/sys/block/{}/queue/iosched/fifo_batch", disk.name);
    let read = || std::fs::read_to_string(&file).unwrap().trim().to_string();
    let found = read();
    let iodyno = Iodyno::new();
    let mut child = iodyno.spawn(&[
        "tune",
        &disk.device,
        "--knob",
        "fifo_batch=1",
        "--rw",
        "randread",
        "--budget",
        "10m",
    ]);
    iodyno.wait_for_journal(&mut child);
    until("the other value", || read() == "1");
    signal(child.id(), "KILL");
    child.wait().unwrap();
    let undone = iodyno.run(&["undo"]);
    assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    assert_eq!(read(), found);
    assert_eq!(code(&iodyno.run(&["status"])), 0);
}
