//! The gates on captured machines and on real loop devices.

use super::*;
use crate::loop_device::{LoopDevice, opened};
use host::Archive;
use model::failure::Exit;

const ALL: Consent = Consent {
    destroy_data: true,
    overwrite: true,
    force_signature: true,
    run_command: true,
};
const NO_FORCE: Consent = Consent {
    force_signature: false,
    ..ALL
};

fn machine(text: &str) -> Host {
    Host::from_archive(Archive::parse(&format!("iodyno-host 1\n{text}")).unwrap())
}

fn attribute(path: &str, text: &str) -> String {
    format!("path: {path}\nlines: {}\n{text}\n", text.lines().count())
}

/// sdb with one partition; md0 above the partition; vg-data above md0.
fn stacked(mountinfo: &str, swaps: &str) -> Host {
    let text = [
        attribute("/sys/devices/pci/sdb/dev", "8:16"),
        attribute("/sys/devices/pci/sdb/sdb1/dev", "8:17"),
        attribute("/sys/devices/pci/sdb/sdb1/partition", "1"),
        attribute("/sys/devices/virtual/md0/dev", "9:0"),
        attribute("/sys/devices/virtual/dm-3/dev", "252:3"),
        "path: /sys/devices/pci/sdb/sdb1/holders/md0\nlink: ../../../../virtual/md0\n".into(),
        "path: /sys/devices/virtual/md0/holders/dm-3\nlink: ../../dm-3\n".into(),
        "path: /sys/class/block/sdb\nlink: ../../devices/pci/sdb\n".into(),
        "path: /sys/class/block/sdb1\nlink: ../../devices/pci/sdb/sdb1\n".into(),
        "path: /sys/class/block/md0\nlink: ../../devices/virtual/md0\n".into(),
        "path: /sys/class/block/dm-3\nlink: ../../devices/virtual/dm-3\n".into(),
        attribute("/proc/self/mountinfo", mountinfo),
        attribute("/proc/swaps", swaps),
    ];
    machine(&text.concat())
}

const SWAPS: &str = "Filename\tType\tSize\tUsed\tPriority";

#[test]
fn members_of_stacks_are_in_use() {
    let host = stacked(
        "40 1 252:3 / /srv\\040data rw - xfs /dev/mapper/vg-data rw",
        SWAPS,
    );
    let disk = GatedDevice::new(&host, "sdb");
    let uses_found = uses::of(&host, &disk, DEPTH);
    assert_eq!(
        uses_found,
        [
            "md0 has its partition sdb1 as a member, and dm-3 has md0 as a member, and dm-3 is mounted on /srv data"
        ]
    );
    let error = refuse("/dev/sdb", uses_found, &disk, &host).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("Use a directory on /srv data as the target, or a disk that nothing uses")
    );
    assert_eq!(error.exit(), Exit::Refused);
    let unmounted = stacked("", SWAPS);
    let partition = GatedDevice::new(&unmounted, "sdb1");
    assert_eq!(
        uses::of(&unmounted, &partition, DEPTH),
        ["md0 has it as a member, and dm-3 has md0 as a member"]
    );
}

#[test]
fn partitions_disks_swap_and_foreign_numbers_count() {
    let cases = [
        (
            "40 1 8:17 / /srv rw - ext4 /dev/root rw",
            SWAPS,
            "sdb",
            "its partition sdb1 is mounted on /srv",
        ),
        (
            "40 1 8:16 / /srv rw - ext4 /dev/sdb rw",
            SWAPS,
            "sdb1",
            "the disk sdb that it is part of is mounted on /srv",
        ),
        (
            "40 1 0:50 / /srv rw - bcachefs /dev/sdc:/dev/sdb rw",
            SWAPS,
            "sdb",
            "it is mounted on /srv",
        ),
        (
            "40 1 8:16 /a /a rw - ext4 x rw\n41 1 8:16 /b /b rw - ext4 x rw",
            SWAPS,
            "sdb",
            "it is mounted on /a and 1 more",
        ),
        // Newer kernels escape `#`, and a source may be all there is to know the device by.
        (
            "40 1 0:50 / /a\\043b rw - btrfs /dev/\\163db rw",
            SWAPS,
            "sdb",
            "it is mounted on /a#b",
        ),
        (
            "",
            "Filename\n/dev/sdb1 partition 1 0 -2",
            "sdb",
            "its partition sdb1 is swap space in use",
        ),
    ];
    for (mountinfo, swaps, name, wanted) in cases {
        let host = stacked(mountinfo, swaps);
        let found = uses::of(&host, &GatedDevice::new(&host, name), DEPTH);
        assert!(found.iter().any(|clause| clause == wanted), "{found:?}");
    }
}

#[test]
fn loops_btrfs_members_and_programs_count() {
    let extra = [
        attribute("/sys/class/block/loop4/loop/backing_file", "/dev/sdc"),
        "path: /sys/fs/btrfs/0b9e/devices/sdc\ndirectory\n".to_string(),
        attribute("/proc/812/comm", "qemu-system-x86"),
        "path: /proc/812/fd/9\nlink: /dev/sdc\n".to_string(),
    ];
    let host = machine(&(extra.concat() + &attribute("/sys/class/block/sdc/dev", "8:32")));
    let device = GatedDevice::new(&host, "sdc");
    assert_eq!(
        uses::of(&host, &device, 1),
        [
            "it belongs to a mounted btrfs",
            "loop4 is a loop device over it"
        ]
    );
    let openers = openers::of(&host, &device);
    assert_eq!(openers.uses, ["process 812 (qemu-system-x86) has it open"]);
    assert_eq!(openers.unseen, None);
}

#[test]
fn processes_that_may_not_be_looked_at_are_not_taken_for_idle_ones() {
    let refused = |process: u32| format!("path: /proc/{process}/fd\nerrno: 13\n");
    let stat = |process: u32, flags: u32| {
        let stat = format!("{process} (odd) name) S 1 1 1 0 -1 {flags} 0 0");
        attribute(&format!("/proc/{process}/stat"), &stat)
    };
    let unseen = |entries: &[String]| {
        let text = entries.concat() + &attribute("/sys/class/block/sdc/dev", "8:32");
        let host = machine(&text);
        let openers = openers::of(&host, &GatedDevice::new(&host, "sdc"));
        assert!(openers.uses.is_empty(), "{openers:?}");
        openers.unseen
    };
    let kernel_thread = [refused(9), stat(9, 0x0020_8040)].concat();
    let gone = "path: /proc/10/fd\nerrno: 3\n".to_string();
    let idle = "path: /proc/11/fd\ndirectory\n".to_string();
    let nothing = [kernel_thread, gone, idle].concat();
    assert_eq!(unseen(std::slice::from_ref(&nothing)), None);
    let one = [refused(12), stat(12, 0x0040_0000)].concat();
    let said = unseen(&[nothing.clone(), one.clone()]);
    assert_eq!(
        said.as_deref(),
        Some("1 process could not be looked at for lack of rights")
    );
    let said = unseen(&[nothing, one, refused(13)]).unwrap();
    assert_eq!(
        said,
        "2 processes could not be looked at for lack of rights"
    );
    assert_eq!(doubts("/dev/sdc", None, false).unwrap(), [""; 0]);
    let told = doubts("/dev/sdc", Some(said.clone()), true).unwrap();
    assert_eq!(
        told,
        [
            "2 processes could not be looked at for lack of rights: one of them may have /dev/sdc open"
        ]
    );
    let error = doubts("/dev/sdc", Some(said), false).unwrap_err();
    assert_eq!(error.exit(), Exit::Rights);
    assert!(error.to_string().contains("Run as root"), "{error}");
}

#[test]
fn exports_bcache_and_partitions_that_reach_into_one_count() {
    let nvmet = "/sys/kernel/config/nvmet/subsystems/nqn.test/namespaces";
    let extra = [
        attribute("/sys/class/block/sdc/dev", "8:32"),
        attribute(&format!("{nvmet}/1/device_path"), "/dev/sdc"),
        attribute(&format!("{nvmet}/1/enable"), "1"),
        attribute(&format!("{nvmet}/2/device_path"), "/dev/sdd"),
        attribute(&format!("{nvmet}/2/enable"), "0"),
        attribute(
            "/sys/kernel/config/target/core/fileio_0/store/info",
            "Status: ACTIVATED  Max Queue Depth: 128\n        TCM FILEIO ID: 0        File: /dev/sde  Size: 4096  Mode: O_DSYNC",
        ),
        attribute(
            "/sys/kernel/config/target/core/iblock_0/block/info",
            "Status: ACTIVATED\n        iBlock device: sdf  UDEV PATH: /dev/sdf  readonly: 0",
        ),
        "path: /sys/class/block/sdg/bcache\ndirectory\n".to_string(),
    ];
    let host = machine(&extra.concat());
    let of = |name: &str| uses::of(&host, &GatedDevice::new(&host, name), 1);
    assert_eq!(
        of("sdc"),
        ["it is exported by NVMe over Fabrics (nqn.test)"]
    );
    assert_eq!(
        of("sdd"),
        [""; 0],
        "a namespace that is not enabled has nothing open"
    );
    assert_eq!(of("sde"), ["it is exported by the SCSI target (store)"]);
    assert_eq!(of("sdf"), ["it is exported by the SCSI target (block)"]);
    assert_eq!(of("sdg"), ["it is registered with bcache"]);
}

#[test]
fn partitions_that_share_sectors_count() {
    let partition = |name: &str, minor: u32, start: u64, size: u64| {
        let dir = format!("/sys/devices/pci/sdb/{name}");
        [
            attribute(&format!("{dir}/dev"), &format!("8:{minor}")),
            attribute(&format!("{dir}/partition"), "1"),
            attribute(&format!("{dir}/start"), &start.to_string()),
            attribute(&format!("{dir}/size"), &size.to_string()),
            format!("path: /sys/class/block/{name}\nlink: ../../devices/pci/sdb/{name}\n"),
        ]
        .concat()
    };
    let text = [
        attribute("/sys/devices/pci/sdb/dev", "8:16"),
        "path: /sys/class/block/sdb\nlink: ../../devices/pci/sdb\n".into(),
        partition("sdb1", 17, 2048, 8192),
        partition("sdb10", 26, 10_239, 100),
        partition("sdb2", 18, 10_240, 50),
        attribute(
            "/proc/self/mountinfo",
            "40 1 8:26 / /srv rw - ext4 /dev/root rw",
        ),
    ];
    let host = machine(&text.concat());
    let of = |name: &str| uses::of(&host, &GatedDevice::new(&host, name), 1);
    assert_eq!(
        of("sdb1"),
        ["the partition sdb10 that reaches into it is mounted on /srv"]
    );
    assert_eq!(
        of("sdb2"),
        ["the partition sdb10 that reaches into it is mounted on /srv"]
    );
    assert_eq!(of("sdb"), ["its partition sdb10 is mounted on /srv"]);
}

/// Asks the gates and checks that they refuse, and that not a byte of the device changed.
fn refused(device: &LoopDevice, consent: &Consent) -> LoadError {
    let before = device.content();
    let error = claim(&Host::live(), &opened(&device.path), consent).unwrap_err();
    assert!(before == device.content(), "the refusal changed the device");
    assert_eq!(error.exit(), Exit::Refused, "{error}");
    error
}

#[test]
fn an_unused_device_needs_consent_and_stays_claimed() {
    let Some(device) = LoopDevice::attach(16 << 20) else {
        return;
    };
    assert!(matches!(
        refused(&device, &Consent::default()),
        LoadError::NoConsent { .. }
    ));
    let claimed = claim(&Host::live(), &opened(&device.path), &NO_FORCE).unwrap();
    let error = refused(&device, &NO_FORCE);
    assert!(error.to_string().contains("claimed exclusively"), "{error}");
    drop(claimed);
    assert!(claim(&Host::live(), &opened(&device.path), &NO_FORCE).is_ok());
}

#[test]
fn a_file_system_is_refused_without_force_and_mounted_even_with() {
    let Some(device) = LoopDevice::attach(16 << 20) else {
        return;
    };
    let path = device.path.to_string_lossy().into_owned();
    if !device.run("mkfs.ext4", &["-q", &path]) {
        return;
    }
    let error = refused(&device, &NO_FORCE);
    assert!(
        matches!(&error, LoadError::Signature { offset: 1080, .. }),
        "{error}"
    );
    assert!(claim(&Host::live(), &opened(&device.path), &ALL).is_ok());
    let point = device.scratch_dir().join("mnt");
    host::files::create_dirs(&point).unwrap();
    let point = point.to_string_lossy().into_owned();
    if !device.run("mount", &[&path, &point]) {
        return;
    }
    let error = refused(&device, &ALL).to_string();
    assert!(device.run("umount", &[&point]));
    // In a chroot or a container the kernel may name the same place from another root: the end of it is the same.
    let place = std::path::Path::new(&point)
        .iter()
        .rev()
        .take(2)
        .collect::<Vec<_>>();
    let end = format!("/{}/{}", place[1].display(), place[0].display());
    let (_, said) = error.split_once("it is mounted on ").unwrap_or_default();
    assert!(said.contains(&end), "{error}");
}

#[test]
fn a_write_protected_device_is_named_as_such() {
    let Some(device) = LoopDevice::attach(1 << 20) else {
        return;
    };
    if !device.run("blockdev", &["--setro", &device.path.to_string_lossy()]) {
        return;
    }
    let result = claim(&Host::live(), &opened(&device.path), &ALL);
    // The flag stays with the loop device's number when it is detached.
    assert!(device.run("blockdev", &["--setrw", &device.path.to_string_lossy()]));
    assert!(
        matches!(result, Err(LoadError::WriteProtected { .. })),
        "{result:?}"
    );
}

#[test]
fn swap_in_use_is_refused_even_with_force() {
    let Some(device) = LoopDevice::attach(16 << 20) else {
        return;
    };
    let path = device.path.to_string_lossy().into_owned();
    if !device.run("mkswap", &[&path]) {
        return;
    }
    assert!(matches!(
        refused(&device, &NO_FORCE),
        LoadError::Signature { .. }
    ));
    if !device.run("swapon", &[&path]) {
        return;
    }
    let error = refused(&device, &ALL);
    assert!(device.run("swapoff", &[&path]));
    assert!(
        error.to_string().contains("it is swap space in use"),
        "{error}"
    );
}

#[test]
fn a_device_below_another_loop_is_refused() {
    let Some(device) = LoopDevice::attach(16 << 20) else {
        return;
    };
    let path = device.path.to_string_lossy().into_owned();
    let Ok(above) = host::spawn::run("losetup", &["--find", "--show", &path]) else {
        return;
    };
    let error = refused(&device, &ALL);
    assert!(device.run("losetup", &["--detach", above.stdout.trim()]));
    assert!(
        error.to_string().contains("is a loop device over it"),
        "{error}"
    );
}
