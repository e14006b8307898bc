//! Two machines, and what differs between them.

use super::*;
use model::change::Attribute;
use model::iopath::{KernelDefault, Layer, LayerKind, Owner, Setting};

fn setting(name: &str, value: &str) -> Setting {
    Setting::new(
        name,
        format!("/sys/{name}"),
        Attribute::Value(value.into()),
        true,
    )
}

fn disk(name: &str, settings: &[(&str, &str)]) -> Layer {
    let mut disk = Layer::new(LayerKind::Disk, name);
    disk.settings = settings
        .iter()
        .map(|(name, value)| setting(name, value))
        .collect();
    disk
}

fn path(kernel: &str, below: Vec<Layer>) -> IoPath {
    let mut root = Layer::new(LayerKind::Target, "/srv");
    root.below = below;
    let mut machine = Layer::new(LayerKind::Machine, "machine");
    machine.facts.insert("kernel".into(), kernel.into());
    IoPath {
        machine: Some(machine),
        ..IoPath::new("/srv", root)
    }
}

fn names(found: &Differences) -> Vec<&str> {
    found
        .differences
        .iter()
        .map(|one| one.name.as_str())
        .collect()
}

#[test]
fn a_default_that_moved_comes_first_and_says_so() {
    let with = |value: &str, because: &str| {
        let mut disk = disk(
            "sda",
            &[
                ("scheduler", "[none] bfq"),
                ("read_ahead_kb", value),
                ("nr_requests", "64"),
            ],
        );
        disk.settings[1].default = Some(KernelDefault {
            value: value.into(),
            because: because.into(),
        });
        disk
    };
    let good = path("5.15.0", vec![with("128", "")]);
    let bad = path("6.17.2", vec![with("4096", "rotational, since 6.17")]);
    let found = differences(&good, &bad, ["good", "bad"], None);
    assert_eq!(names(&found), ["read_ahead_kb", "kernel"]);
    let first = &found.differences[0];
    assert!(
        first
            .origin
            .contains("which moved: 128 on 5.15.0, 4096 on 6.17.2 (rotational, since 6.17)"),
        "{first:?}"
    );
    assert_eq!(
        first.experiment,
        "sudo iodyno tune /srv --knob read_ahead_kb=4096,128"
    );
    assert_eq!(found.same, 2);
}

#[test]
fn who_set_it_is_told() {
    let mut set = disk("sda", &[("scheduler", "none [bfq]")]);
    let owner = |kind: &str, place: &str, wants: &str| Owner {
        kind: kind.into(),
        place: place.into(),
        wants: Some(wants.into()),
        acts: String::new(),
    };
    set.settings[0].owners = vec![
        owner("udev_rule", "/etc/udev/rules.d/60-bfq.rules:2", "bfq"),
        owner("tuned", "profile db", "none"),
    ];
    let found = differences(
        &path("6.1", vec![disk("vda", &[("scheduler", "[none] bfq")])]),
        &path("6.1", vec![set]),
        ["a", "b"],
        None,
    );
    assert_eq!(names(&found), ["scheduler"]);
    let origin = &found.differences[0].origin;
    assert_eq!(
        origin,
        "set by nobody known there, by /etc/udev/rules.d/60-bfq.rules:2 here"
    );
}

#[test]
fn the_job_decides_what_comes_first() {
    let one = path(
        "6.1",
        vec![disk(
            "sda",
            &[("read_ahead_kb", "128"), ("nr_requests", "64")],
        )],
    );
    let other = path(
        "6.1",
        vec![disk(
            "sda",
            &[("read_ahead_kb", "4096"), ("nr_requests", "256")],
        )],
    );
    let mut job = Job {
        iodepth: 32,
        direct: true,
        ..Job::default()
    };
    assert_eq!(
        names(&differences(&one, &other, ["a", "b"], Some(&job))),
        ["nr_requests", "read_ahead_kb"]
    );
    (job.direct, job.iodepth) = (false, 1);
    assert_eq!(
        names(&differences(&one, &other, ["a", "b"], Some(&job))),
        ["read_ahead_kb", "nr_requests"]
    );
}

#[test]
fn a_layer_more_does_not_hide_what_is_below_it() {
    let mut volume = Layer::new(LayerKind::Stacked, "dm-0");
    volume.title = "LVM on 1 device".into();
    volume.below.push(disk("sda", &[("scheduler", "[none]")]));
    let found = differences(
        &path("6.1", vec![volume]),
        &path("6.1", vec![disk("sda", &[("scheduler", "[bfq]")])]),
        ["a", "b"],
        None,
    );
    assert_eq!(names(&found), ["scheduler", "layer stacked device"]);
    let layer = &found.differences[1];
    assert_eq!(
        (layer.a.as_deref(), &layer.b),
        (Some("stacked device (LVM on 1 device)"), &None)
    );
}

#[test]
fn members_that_differ_alike_take_one_line() {
    let array = |value: &str| {
        let mut array = Layer::new(LayerKind::Stacked, "md0");
        array.below = ["sda", "sdb", "sdc"]
            .map(|name| disk(name, &[("scheduler", value)]))
            .to_vec();
        path("6.1", vec![array])
    };
    let found = differences(&array("[none]"), &array("[bfq]"), ["a", "b"], None);
    assert_eq!(names(&found), ["scheduler"]);
    assert_eq!(found.differences[0].also_in, 2);
}

#[test]
fn mount_options_are_compared_one_by_one() {
    let mount = |options: &str| {
        let mut layer = Layer::new(LayerKind::FileSystem, "/srv");
        layer.facts.insert("options".into(), options.into());
        path("6.1", vec![layer])
    };
    let found = differences(
        &mount("rw,noatime,commit=5"),
        &mount("rw,relatime,commit=60,sync"),
        ["a", "b"],
        None,
    );
    assert_eq!(names(&found)[0], "mount option sync");
    let commit = found
        .differences
        .iter()
        .find(|one| one.name == "mount option commit")
        .unwrap();
    assert_eq!(
        (commit.a.as_deref(), commit.b.as_deref()),
        (Some("commit=5"), Some("commit=60"))
    );
    assert_eq!(
        differences(&mount("rw,a"), &mount("a,rw"), ["a", "b"], None).differences,
        []
    );
}

#[test]
fn knobs_that_are_named_exist() {
    let known: Vec<&str> = apply::knobs::ALL.iter().map(|knob| knob.id).collect();
    let named = weigh::knobs_named();
    assert!(
        named.len() > 5 && named.iter().all(|name| known.contains(name)),
        "{named:?} of {known:?}"
    );
}

#[test]
fn a_scheduler_of_old_kernels_is_proved_by_its_successor() {
    let old = path(
        "3.10.0",
        vec![disk(
            "sda",
            &[
                ("scheduler", "noop deadline [cfq]"),
                ("iosched/quantum", "8"),
            ],
        )],
    );
    let new = path(
        "6.1.0",
        vec![disk(
            "sda",
            &[
                ("scheduler", "[mq-deadline] bfq none"),
                ("iosched/fifo_batch", "16"),
            ],
        )],
    );
    let found = differences(&old, &new, ["old", "new"], None);
    assert_eq!(names(&found), ["scheduler", "kernel"]);
    assert_eq!(
        found.differences[0].experiment,
        "sudo iodyno tune /srv --knob scheduler=mq-deadline,bfq"
    );
}

fn with_schedulers(there: &str, here: &str) -> Differences {
    let of = |kernel: &str, list: &str| path(kernel, vec![disk("sda", &[("scheduler", list)])]);
    differences(&of("3.10.0", there), &of("6.1.0", here), ["a", "b"], None)
}

#[test]
fn the_successor_of_a_scheduler_is_no_difference_of_a_setting() {
    let pairs = [
        ("noop [deadline] cfq", "none [mq-deadline] bfq"),
        ("noop deadline [cfq]", "none mq-deadline [bfq]"),
        ("[noop] deadline cfq", "[none] mq-deadline"),
        ("none [mq-deadline] bfq", "noop [deadline] cfq"),
    ];
    for (there, here) in pairs {
        let found = with_schedulers(there, here);
        let one = found.differences.iter().find(|one| one.name == "scheduler");
        let one = one.unwrap();
        assert!(one.why.contains("is the successor of"), "{one:?}");
        assert_eq!(
            (one.what, &one.knob, one.origin.as_str()),
            (DifferenceWhat::Fact, &None, "")
        );
        assert!(!one.experiment.contains("set it"), "{one:?}");
        assert!(one.weight >= WEIGHT_MIN && one.weight < 0.35, "{one:?}");
    }
}

#[test]
fn a_scheduler_that_the_other_kernel_lacks_cannot_be_set_there() {
    let found = with_schedulers("noop deadline [cfq]", "none [mq-deadline]");
    let first = &found.differences[0];
    assert_eq!((first.name.as_str(), &first.knob), ("scheduler", &None));
    assert!(
        first
            .why
            .ends_with("this kernel offers none, mq-deadline for it."),
        "{first:?}"
    );
    let back = with_schedulers("none mq-deadline [bfq]", "noop [deadline] cfq");
    assert_eq!(
        back.differences[0].experiment,
        "sudo iodyno tune /srv --knob scheduler=deadline,cfq"
    );
}

#[test]
fn an_experiment_has_its_load_or_says_why_there_is_none() {
    let of = |value: &str| path("6.1", vec![disk("sda", &[("read_ahead_kb", value)])]);
    let found = |load: &LoadOf<'_>| {
        let (a, b) = (of("128"), of("4096"));
        let mut found = with_experiments(&a, &b, ["a", "b"], None, load);
        found.differences.remove(0)
    };
    let words = ["--max-size=1g", "--", "-rw=read", "-name=a b"];
    let given = |_: &Candidate<'_>| Ok(words.map(String::from).to_vec());
    assert_eq!(
        found(&given).experiment,
        "sudo iodyno tune /srv --max-size=1g --knob read_ahead_kb=4096,128 -- -rw=read '-name=a b'"
    );
    let refused = found(&|one| Err(format!("{} of {} is held", one.knob, one.place)));
    assert_eq!(refused.knob, None);
    assert!(
        refused
            .why
            .ends_with("Not for an experiment here: read_ahead_kb of sda is held."),
        "{refused:?}"
    );
}

#[test]
fn defaults_of_one_kernel_have_not_moved() {
    let with = |kernel: &str, value: &str, because: &str| {
        let mut disk = disk("sda", &[("scheduler", value)]);
        disk.settings[0].default = Some(KernelDefault {
            value: disk.settings[0].chosen().unwrap().into(),
            because: because.into(),
        });
        path(kernel, vec![disk])
    };
    let (many, one) = (
        ("[none] bfq", "several hardware queues"),
        ("none [bfq]", "one hardware queue"),
    );
    let origin = |kernels: [&str; 2]| {
        let (a, b) = (
            with(kernels[0], many.0, many.1),
            with(kernels[1], one.0, one.1),
        );
        differences(&a, &b, ["a", "b"], None).differences[0]
            .origin
            .clone()
    };
    assert_eq!(
        origin(["6.1.0", "6.1.0"]),
        "both are the kernel's default: none there (several hardware queues), bfq here (one hardware queue)"
    );
    // By the devices, not by the kernels.
    assert!(origin(["6.1.0", "6.2.0"]).starts_with("both are the kernel's default: none on 6.1.0"));
}

#[test]
fn what_is_a_setting_and_a_fact_takes_one_line() {
    let of = |value: &str| {
        let mut disk = disk("sdb", &[("rotational", value)]);
        disk.facts.insert("rotational".into(), value.into());
        path("6.1", vec![disk])
    };
    let found = differences(&of("0"), &of("1"), ["a", "b"], None);
    assert_eq!(names(&found), ["rotational"]);
    assert_eq!(found.differences[0].what, DifferenceWhat::Setting);
}

#[test]
fn memory_that_reads_the_same_is_the_same() {
    let of = |bytes: &str| {
        let mut path = path("6.1", vec![disk("sda", &[])]);
        let machine = path.machine.as_mut().unwrap();
        machine.facts.insert("memory_bytes".into(), bytes.into());
        path
    };
    let found = |a: &str, b: &str| differences(&of(a), &of(b), ["a", "b"], None);
    assert_eq!(names(&found("25232932864", "25232932000")), [""; 0]);
    assert_eq!(
        names(&found("25232932864", "26000000000")),
        ["memory_bytes"]
    );
}

#[test]
fn versions_of_drivers_and_firmware_are_compared_of_one_thing() {
    let of = |facts: &[(&str, &str)]| {
        let mut disk = disk("sda", &[]);
        let facts = facts
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()));
        disk.facts.extend(facts);
        path("6.1", vec![disk])
    };
    let one = of(&[
        ("controller_driver", "megaraid_sas"),
        ("driver_version", "06.811.02.00"),
        ("model", "A"),
        ("firmware", "0110"),
    ]);
    let newer = of(&[
        ("controller_driver", "megaraid_sas"),
        ("driver_version", "07.701.17.00"),
        ("model", "A"),
        ("firmware", "0111"),
    ]);
    let found = differences(&one, &newer, ["a", "b"], None);
    assert_eq!(names(&found), ["driver_version", "firmware"]);
    assert!(found.differences.iter().all(|one| one.weight >= WEIGHT_MIN));
    let other = of(&[
        ("controller_driver", "mpt3sas"),
        ("driver_version", "17.100"),
        ("model", "B"),
        ("firmware", "SN04"),
    ]);
    assert_eq!(
        names(&differences(&one, &other, ["a", "b"], None)),
        ["controller_driver", "model"]
    );
    // An older capture does not tell.
    let silent = of(&[("controller_driver", "megaraid_sas"), ("model", "A")]);
    assert_eq!(differences(&silent, &one, ["a", "b"], None).differences, []);
}
