//! Queues of captured machines for the tests of the knobs.

use super::{CheckedValue, Knob, SettingWish, SubjectFiles};
use host::{Archive, Host};
use model::change::Attribute;
use model::iopath::{IoPath, Layer, LayerKind};
use model::subject::{Subject, SubjectKind};
use model::text::is_plain_name;

/// A queue `sda` whose attributes have these values. A name may start with `../` to reach the device's directory.
pub fn queue(values: &[(&str, &str)]) -> SubjectFiles {
    let attributes: Vec<_> = values
        .iter()
        .map(|(name, text)| (*name, Attribute::Value(text.to_string())))
        .collect();
    queue_with(&attributes)
}

/// The same with refusals too.
pub fn queue_with(values: &[(&str, Attribute)]) -> SubjectFiles {
    let mut archive = Archive::default();
    archive.insert(
        "/sys/block/sda/queue/logical_block_size",
        Attribute::Value("512".into()),
    );
    for (name, value) in values {
        let path = match name.strip_prefix("../") {
            Some(name) => format!("/sys/block/sda/{name}"),
            None => format!("/sys/block/sda/queue/{name}"),
        };
        archive.insert(&path, value.clone());
    }
    SubjectFiles::of(&Host::from_archive(archive), sda())
        .expect("the queue directory is in the archive")
}

/// A subject whose settings have these values.
pub fn files(subject: Subject, values: &[(&str, &str)]) -> SubjectFiles {
    let mut archive = Archive::default();
    archive.insert_directory(&subject.directory());
    for (name, value) in values {
        archive.insert(&subject.path(name), Attribute::Value(value.to_string()));
    }
    SubjectFiles::of(&Host::from_archive(archive), subject)
        .expect("its directory is in the archive")
}

/// A file system at /srv whose superblock has these options; ext4 says all of its own in a file.
pub fn file_system(fstype: &str, options: &str, ext4_options: &str) -> SubjectFiles {
    let lines = ext4_options.lines().count();
    let text = format!(
        "iodyno-host 1\npath: /proc/self/mountinfo\nlines: 1\n66 1 7:1 / /srv rw,relatime - {fstype} /dev/loop1 {options}\n\
         path: /sys/dev/block/7:1\nlink: ../../devices/virtual/block/loop1\npath: /sys/devices/virtual/block/loop1\ndirectory\n\
         path: /proc/fs/ext4/loop1/options\nlines: {lines}\n{ext4_options}"
    );
    let host = Host::from_archive(Archive::parse(&text).expect("a captured machine"));
    SubjectFiles::of(&host, any_subject(SubjectKind::FileSystem)).expect("it is mounted")
}

/// Asserts what a knob tries where it finds this value, and which values it does not take.
pub fn tries(knob: &Knob, now: &str, choices: &[&str], refused: &[&str]) {
    let files = files(any_subject(knob.on), &[(knob.attribute, now)]);
    assert_eq!((knob.choices)(&files), choices);
    for value in refused {
        assert!((knob.rejects)(&files, value).is_some(), "{value}");
    }
}

/// A subject of this kind, of `sda` or of its machine.
pub fn any_subject(kind: SubjectKind) -> Subject {
    subject_of(kind, "sda")
}

fn subject_of(kind: SubjectKind, device: &str) -> Subject {
    let path = IoPath::new("/srv", Layer::new(LayerKind::Disk, device));
    let subject = crate::subjects(kind, &path, device).pop();
    subject.unwrap_or_else(|| match kind {
        SubjectKind::Mount => Subject::Mount {
            devno: "8:0".into(),
            point: "/srv".into(),
        },
        SubjectKind::FileSystem => Subject::FileSystem {
            devno: "7:1".into(),
            point: "/srv".into(),
        },
        SubjectKind::Group => group(device),
        _ => Subject::Interrupt { number: 24 },
    })
}

/// A control group, as one that it gives something to a device.
pub fn group(device: &str) -> Subject {
    Subject::Group {
        device: device.into(),
        directory: "/sys/fs/cgroup/blkio/db".into(),
    }
}

/// The queue of `sda`.
pub fn sda() -> Subject {
    Subject::Queue {
        device: "sda".into(),
    }
}

/// A wish as only this crate can make one: unchecked, of these knobs by id with their values, on a subject of the device
/// (of `sda` where that is no name) or of its machine.
pub fn wish(device: &str, values: &[(&str, &str)]) -> SettingWish {
    let device = device.to_string();
    let value = |(id, value): &(&str, &str)| {
        let knob = Knob::find(id).expect("a knob of the catalogue");
        let named = if is_plain_name(&device) {
            &device
        } else {
            "sda"
        };
        let subject = subject_of(knob.on, named);
        let mut archive = Archive::default();
        archive.insert_directory(&subject.directory());
        let mounts = "1 1 8:0 / /srv rw,relatime - ext4 /dev/sda rw";
        archive.insert("/proc/self/mountinfo", Attribute::Value(mounts.into()));
        CheckedValue {
            knob,
            files: SubjectFiles::of(&Host::from_archive(archive), subject).expect("it is there"),
            value: value.to_string(),
        }
    };
    SettingWish::new(device.clone(), values.iter().map(value).collect(), 7)
}
