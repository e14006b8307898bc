//! Every knob on the kernel's own files: a record that proved another value is applied and undone, and what is there then
//! is what was there before, down to the settings that no knob names.

use crate::settings::{PutBack, settings};
use crate::support::{Iodyno, Loop, code, text};
use crate::undo::store_a_win_on;
use apply::{Knob, SubjectFiles, knobs};
use host::Host;
use model::subject::{Subject, SubjectKind};

/// The value to try in place of the one that is there: the last of the knob's own.
fn another_value(knob: &Knob, subject: &Subject) -> Option<[String; 2]> {
    let files = SubjectFiles::of(&Host::live(), subject.clone())?;
    let choices = (knob.choices)(&files);
    let (first, last) = (choices.first()?, choices.last()?);
    (first != last).then(|| [first.clone(), last.clone()])
}

/// Applies another value and undoes it; gives whether there was one to try.
pub fn is_put_back(iodyno: &Iodyno, disk: &Loop, knob: &Knob, subject: &Subject) -> bool {
    let Some([found, tried]) = another_value(knob, subject) else {
        return false;
    };
    let before = PutBack::of(subject);
    let arms = [found.as_str(), tried.as_str()];
    let record = store_a_win_on(iodyno, &disk.name, knob.id, subject.clone(), arms);
    let (applied, output) = iodyno.json(&["apply", &record]);
    let told = format!("{} {arms:?}: {}", knob.id, text(&output.stderr));
    assert_eq!(code(&output), 0, "{told}");
    let now = Host::live().text(&subject.path(knob.attribute)).unwrap();
    assert_eq!(knob.reading.value(&now), tried, "{told}");
    let undone = iodyno.run(&["undo", applied["journal"].as_str().unwrap()]);
    assert_eq!(code(&undone), 0, "{told}{}", text(&undone.stderr));
    assert_eq!(settings(subject), before.first, "{told}");
    true
}

/// Takes each knob of these kinds once; gives the ids of those that had another value to try.
pub fn each(iodyno: &Iodyno, disk: &Loop, kinds: &[SubjectKind]) -> Vec<&'static str> {
    let device = disk.name.clone();
    let of = |kind| match kind {
        SubjectKind::Queue => Some(Subject::Queue {
            device: device.clone(),
        }),
        SubjectKind::Scheduler => Some(Subject::Scheduler {
            device: device.clone(),
        }),
        SubjectKind::Bdi => Some(Subject::Bdi {
            device: device.clone(),
        }),
        SubjectKind::Loop => Some(Subject::Loop {
            device: device.clone(),
        }),
        SubjectKind::Sysctl => Some(Subject::Sysctl),
        SubjectKind::HugePages => Some(Subject::HugePages),
        _ => None,
    };
    let all = knobs::ALL.iter().filter(|knob| kinds.contains(&knob.on));
    let tried = all.filter(|knob| {
        of(knob.on).is_some_and(|subject| is_put_back(iodyno, disk, knob, &subject))
    });
    tried.map(|knob| knob.id).collect()
}

#[test]
fn every_setting_of_a_scheduler_is_put_back() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let iodyno = Iodyno::new();
    for (scheduler, some) in [
        ("mq-deadline", ["fifo_batch", "read_expire"]),
        ("bfq", ["slice_idle_us", "low_latency"]),
        ("kyber", ["read_lat_nsec", "write_lat_nsec"]),
    ] {
        if disk.lacks_scheduler(scheduler) {
            continue;
        }
        disk.set("scheduler", scheduler);
        let tried = each(&iodyno, &disk, &[SubjectKind::Scheduler]);
        assert!(some.iter().all(|id| tried.contains(id)), "{tried:?}");
    }
}

#[test]
fn every_setting_of_a_queue_and_its_page_cache_is_put_back() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let _put_back = PutBack::of(&Subject::Queue {
        device: disk.name.clone(),
    });
    disk.set("add_random", "1");
    // Whatever changes a queue's limits makes the kernel work out read-ahead anew.
    disk.set("read_ahead_kb", "16");
    let tried = each(
        &Iodyno::new(),
        &disk,
        &[SubjectKind::Queue, SubjectKind::Bdi],
    );
    assert!(tried.contains(&"max_ratio"), "{tried:?}");
    let queue = ["nomerges", "rotational", "add_random", "max_sectors_kb"];
    assert!(queue.iter().all(|id| tried.contains(id)), "{tried:?}");
}

#[test]
fn direct_io_of_a_loop_device_is_put_back() {
    let Some(disk) = Loop::new(16) else {
        return;
    };
    let tried = each(&Iodyno::new(), &disk, &[SubjectKind::Loop]);
    assert_eq!(tried, ["dio"]);
}

#[test]
fn a_limit_of_requests_gives_back_the_share_of_asynchronous_ones() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    if disk.lacks_scheduler("mq-deadline") {
        return;
    }
    disk.set("scheduler", "mq-deadline");
    let depth = format!("/sys/block/{}/queue/iosched/async_depth", disk.name);
    if std::fs::write(depth, "7").is_err() {
        skip::missing("kernel:async_depth", "this mq-deadline has no async_depth");
        return;
    }
    let device = disk.name.clone();
    let own = Subject::Scheduler {
        device: device.clone(),
    };
    let before = settings(&own);
    let knob = Knob::find("nr_requests").unwrap();
    assert!(is_put_back(
        &Iodyno::new(),
        &disk,
        knob,
        &Subject::Queue { device }
    ));
    assert_eq!(settings(&own), before);
}

#[test]
fn another_scheduler_has_no_such_setting() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    disk.set("scheduler", "none");
    let iodyno = Iodyno::new();
    let subject = Subject::Scheduler {
        device: disk.name.clone(),
    };
    let record = store_a_win_on(&iodyno, &disk.name, "read_expire", subject, ["500", "100"]);
    let refused = iodyno.run(&["apply", &record]);
    let words = text(&refused.stderr);
    assert_eq!(code(&refused), 4, "{words}");
    assert!(words.contains("read_expire"), "{words}");
}
