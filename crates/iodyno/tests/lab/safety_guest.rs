//! The ways that need a kernel with device mapper, md, LVM, bcache or NVMe: in a guest, one boot for all.

use crate::safety::ways;
use crate::support::guest_with_iodyno;
use lab::{Bus, Disk, Machine};

/// For one way; it takes two to four seconds, and five times that on a host with much other work.
const LIMIT_S: u64 = 600;

#[test]
#[ignore = "lab"]
fn every_way_that_a_device_of_a_guest_can_be_in_use_is_refused() {
    let machine = Machine::new().disk(Disk::new(Bus::Nvme, 32));
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    let place = ways::Place {
        device: "/dev/ram0".into(),
        device2: "/dev/ram1".into(),
        nvme: "/dev/nvme0n1".into(),
        dir: "/run/safety".into(),
        iodyno: "/run/iodyno".into(),
        state: "/run/state".into(),
    };
    let made = guest
        .run("modprobe brd rd_nr=2 rd_size=16384", LIMIT_S)
        .unwrap();
    assert_eq!(made.status, 0, "{made:?}");
    let mut wrong = Vec::new();
    for way in ways::IN_GUESTS {
        let start = std::time::Instant::now();
        let done = guest
            .run(&(wipe(way) + &ways::script(way, &place)), LIMIT_S)
            .unwrap();
        println!(
            "{} ({:.1} s): {}",
            way.name,
            start.elapsed().as_secs_f64(),
            done.out
        );
        let found = ways::wrong(way, &done.out);
        if !found.is_empty() {
            wrong.push(format!("{}\n{}", found.join("\n"), done.err));
        }
    }
    wrong.extend(sibling(&mut guest));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A partition beside a mounted one is free: it may be written, and the mounted one keeps every byte.
fn sibling(guest: &mut lab::Guest) -> Option<String> {
    let steps = "dd if=/dev/zero of=/dev/nvme0n1 bs=1M status=none oflag=direct 2>/dev/null
        printf 'size=8M\\nsize=8M\\n' | sfdisk -q -X gpt /dev/nvme0n1 && udevadm settle
        mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/nvme0n1p1 && mkdir -p /run/mnt &&
            mount /dev/nvme0n1p1 /run/mnt && echo kept > /run/mnt/file || exit 1
        bytes() { sync; dd if=/dev/nvme0n1$1 iflag=direct bs=1M status=none; }
        bytes p1 > /run/p1; bytes p2 > /run/p2
        /run/iodyno run /dev/nvme0n1p2 --rw=write --size=1m --bs=64k --runtime=100ms --destroy-data || exit 2
        bytes p2 | cmp -s - /run/p2 && exit 3
        bytes p1 | cmp - /run/p1 || exit 4
        umount /run/mnt";
    let done = guest.run(steps, LIMIT_S).unwrap();
    println!(
        "a partition beside a mounted one: {} {}",
        done.status, done.out
    );
    (done.status != 0).then(|| format!("a partition beside a mounted one: {done:?}"))
}

/// Steps that empty the devices that a way uses. They end in an error where the device ends.
fn wipe(way: &ways::Way) -> String {
    let uses = |word: &str| way.setup.contains(word) || way.target.contains(word);
    let devices = [("$DEV", "ram0"), ("$DEV2", "ram1"), ("NVME", "nvme0n1")];
    let used = devices.iter().filter(|(word, _)| uses(word));
    let step = |(_, name): &(&str, &str)| {
        format!("dd if=/dev/zero of=/dev/{name} bs=1M status=none oflag=direct 2>/dev/null\n")
    };
    used.map(step).collect()
}
