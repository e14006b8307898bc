//! The table: how a device can be in use, or hold something, as shell steps that work on this machine and in a guest.

/// One way. The steps see `$DEV` (the device, 16 MiB), `$DEV2` (another one, in guests), `$DIR` (an empty directory)
/// and `$IODYNO` (the binary).
pub struct Way {
    pub name: &'static str,
    /// Makes the use, or what the device holds.
    pub setup: &'static str,
    /// What is written to.
    pub target: &'static str,
    /// What the refusal names while the use lasts, `--force-signature` or not. Empty where nothing uses the device.
    pub says: &'static str,
    /// Ends the use.
    pub release: &'static str,
    /// What the device still holds then, as the refusal without `--force-signature` names it. Empty where nothing.
    pub left: &'static str,
}

impl Way {
    pub const fn new(name: &'static str, setup: &'static str) -> Way {
        Way {
            name,
            setup,
            target: "$DEV",
            says: "",
            release: "",
            left: "",
        }
    }

    /// A use that leaves `left` behind when it ends.
    pub const fn used(
        name: &'static str,
        setup: &'static str,
        says: &'static str,
        release: &'static str,
        left: &'static str,
    ) -> Way {
        Way {
            says,
            release,
            left,
            ..Way::new(name, setup)
        }
    }

    /// Nothing uses the device, but it holds something.
    pub const fn holding(name: &'static str, setup: &'static str, left: &'static str) -> Way {
        Way {
            left,
            ..Way::new(name, setup)
        }
    }
}

pub const EXT: &str = "ext2, ext3 or ext4";

/// Ways that need nothing but loop devices.
pub const ON_LOOPS: &[Way] = &[
    Way::used("mounted", "ext4 $DEV; mount $DEV $DIR/mnt", "it is mounted on ", "umount $DIR/mnt", EXT),
    Way::used(
        "mounted in another mount namespace",
        "ext4 $DEV
         unshare --mount --propagation private sh -c 'mount $DEV $DIR/mnt && touch $DIR/ready && exec sleep 900' \
             >/dev/null 2>&1 & echo $! >$DIR/pid",
        "it is mounted on ",
        "finish",
        EXT,
    ),
    Way::used(
        "unmounted lazily, while a file is open",
        "ext4 $DEV
         (mount $DEV $DIR/mnt; cd $DIR/mnt; umount --lazy .; touch $DIR/ready; exec sleep 900) \
             >/dev/null 2>&1 & echo $! >$DIR/pid",
        "the kernel has it claimed exclusively",
        "finish",
        EXT,
    ),
    Way::used("swap", "mkswap -q $DEV; swapon $DEV", "it is swap space in use", "swapoff $DEV", "swap space"),
    Way::used(
        "below a loop device",
        "losetup --find --show $DEV >$DIR/loop",
        " is a loop device over it",
        "losetup --detach $(cat $DIR/loop)",
        "",
    ),
    Way::used(
        "claimed by another process",
        "perl -MFcntl -e 'sysopen(my $d, $ENV{DEV}, O_RDWR | O_EXCL) or die; open(my $r, q(>), \"$ENV{DIR}/ready\");
             sleep 900' >/dev/null 2>&1 & echo $! >$DIR/pid",
        "claimed exclusively, as a file system, an array or another program does; process ",
        "finish",
        "",
    ),
    Way::used(
        "open for writing by another process",
        "(exec 3<>$DEV; touch $DIR/ready; exec sleep 900) >/dev/null 2>&1 & echo $! >$DIR/pid",
        "(sleep) has it open",
        "finish",
        "",
    ),
    Way::used(
        "open through a node of another name",
        "node=/dev/shm/iodyno-node-$$; mknod $node b $(stat -c '0x%t 0x%T' $DEV); echo $node >$DIR/node
         (exec 3<>$node; touch $DIR/ready; exec sleep 900) >/dev/null 2>&1 & echo $! >$DIR/pid",
        "(sleep) has it open",
        "finish; rm $(cat $DIR/node)",
        "",
    ),
    Way::holding("ext4", "ext4 $DEV", EXT),
    Way::holding("swap, not in use", "mkswap -q $DEV", "swap space"),
    Way::holding(
        "a ZFS label",
        "printf '\\014\\261\\272\\000\\000\\000\\000\\000' | dd of=$DEV bs=1024 seek=135 conv=notrunc status=none",
        "ZFS",
    ),
];

/// Ways that need the guest's kernel and tools.
pub const IN_GUESTS: &[Way] = &[
    Way {
        target: "$NVME",
        ..Way::used(
            "a partition of it mounted",
            "partitions; ext4 ${NVME}p1; mount ${NVME}p1 $DIR/mnt",
            "its partition nvme0n1p1 is mounted on ",
            "umount $DIR/mnt",
            "a GPT partition table",
        )
    },
    Way {
        target: "${NVME}p1",
        ..Way::used(
            "a mounted partition",
            "partitions; ext4 ${NVME}p1; mount ${NVME}p1 $DIR/mnt",
            "it is mounted on ",
            "umount $DIR/mnt",
            EXT,
        )
    },
    Way {
        target: "${NVME}p1",
        ..Way::used(
            "a partition of a disk that is open",
            "partitions; (exec 3<>$NVME; touch $DIR/ready; exec sleep 900) >/dev/null 2>&1 & echo $! >$DIR/pid",
            "(sleep) has the disk nvme0n1 that it is part of open",
            "finish",
            "",
        )
    },
    Way {
        target: "$NVME",
        ..Way::used(
            "swap on a partition of it",
            "partitions; mkswap -q ${NVME}p2; swapon ${NVME}p2",
            "its partition nvme0n1p2 is swap space in use",
            "swapoff ${NVME}p2",
            "a GPT partition table",
        )
    },
    Way::used(
        "below device mapper",
        "echo 0 32768 linear $DEV 0 | dmsetup create linear",
        "dm-0 has it as a member",
        "dmsetup remove --retry linear",
        "",
    ),
    Way::used(
        "below a mounted device mapper",
        "echo 0 32768 linear $DEV 0 | dmsetup create linear
         ext4 /dev/mapper/linear; mount /dev/mapper/linear $DIR/mnt",
        "dm-0 has it as a member, and dm-0 is mounted on ",
        "umount $DIR/mnt; dmsetup remove --retry linear",
        EXT,
    ),
    Way::used(
        "an LVM volume active on it",
        "pvcreate -qq -y $DEV >&2; vgcreate -qq vg $DEV; lvcreate -qq -y -L 4M -n data vg",
        "dm-0 has it as a member",
        "vgchange -qq -an vg",
        "an LVM2 physical volume",
    ),
    Way::holding("LVM, not active", "pvcreate -qq -y $DEV", "an LVM2 physical volume"),
    Way::used(
        "a member of a running md",
        "md --metadata=1.2 $DEV missing; udevadm settle; sleep 0.5",
        "md7 has it as a member",
        "mdadm -q -S /dev/md7",
        "a Linux RAID member",
    ),
    Way::holding("md 0.90, stopped", "md --metadata=0.90 $DEV missing; mdadm -q -S /dev/md7", "a Linux RAID member"),
    Way::holding("md 1.0, stopped", "md --metadata=1.0 $DEV missing; mdadm -q -S /dev/md7", "a Linux RAID member"),
    Way::holding("md 1.1, stopped", "md --metadata=1.1 $DEV missing; mdadm -q -S /dev/md7", "a Linux RAID member"),
    Way::used(
        "the backing device of bcache",
        "modprobe bcache; make-bcache -B $DEV >/dev/null; register $DEV",
        "bcache0 has it as a member",
        "echo 1 >/sys/block/${DEV#/dev/}/bcache/stop; gone /sys/block/${DEV#/dev/}/bcache",
        "bcache",
    ),
    Way::used(
        "the cache device of bcache",
        "modprobe bcache; make-bcache -C --bucket 8k $DEV >/dev/null; register $DEV",
        "it is registered with bcache",
        "echo 1 >/sys/block/${DEV#/dev/}/bcache/set/stop; gone /sys/block/${DEV#/dev/}/bcache",
        "bcache",
    ),
    Way::used(
        "LUKS, open",
        "echo secret | luks --type luks1 $DEV; echo secret | cryptsetup open $DEV plain",
        "dm-0 has it as a member",
        "cryptsetup close plain",
        "LUKS",
    ),
    Way::holding(
        "LUKS2, closed",
        "echo secret | luks --type luks2 --luks2-metadata-size 16k --luks2-keyslots-size 256k $DEV",
        "LUKS",
    ),
    Way {
        target: "$DEV2",
        ..Way::used(
            "a further device of a mounted btrfs",
            "mkfs.btrfs -q -f -M $DEV $DEV2; modprobe btrfs; btrfs device scan >/dev/null; mount $DEV $DIR/mnt",
            "it belongs to a mounted btrfs",
            "umount $DIR/mnt; btrfs device scan --forget",
            "btrfs",
        )
    },
    Way {
        target: "$DEV2",
        ..Way::used(
            "the journal of a mounted ext4",
            "mke2fs -q -F -b 4096 -O journal_dev $DEV2; ext4 -b 4096 -J device=$DEV2 $DEV; mount $DEV $DIR/mnt",
            "the kernel has it claimed exclusively",
            "umount $DIR/mnt",
            EXT,
        )
    },
    Way::used(
        "exported by NVMe over Fabrics",
        "modprobe nvmet; cd /sys/kernel/config/nvmet/subsystems; mkdir test test/namespaces/1
         echo -n $DEV >test/namespaces/1/device_path; echo 1 >test/namespaces/1/enable",
        "exported by NVMe over Fabrics (test)",
        "cd /sys/kernel/config/nvmet/subsystems; echo 0 >test/namespaces/1/enable; rmdir test/namespaces/1 test",
        "",
    ),
    Way::used(
        "exported by the SCSI target",
        "modprobe -a target_core_mod target_core_file; cd /sys/kernel/config/target/core; mkdir -p fileio_0/store
         echo fd_dev_name=$DEV,fd_dev_size=16777216 >fileio_0/store/control; echo 1 >fileio_0/store/enable",
        "exported by the SCSI target (store)",
        "cd /sys/kernel/config/target/core; rmdir fileio_0/store fileio_0",
        "",
    ),
    Way::holding("btrfs", "mkfs.btrfs -q -f -M $DEV", "btrfs"),
    Way {
        target: "$NVME",
        ..Way::holding(
            "XFS",
            // The words that xfsprogs' own tests use: otherwise it wants 300 MiB.
            "TEST_DIR=/ TEST_DEV=/ QA_CHECK_FS=1 mkfs.xfs -q -f $NVME",
            "XFS",
        )
    },
    Way::holding("FAT", "mkfs.vfat $DEV >/dev/null", "FAT"),
    Way::holding("NTFS", "mkfs.ntfs -Q -F $DEV >/dev/null 2>&1", "NTFS"),
    Way::holding("a GPT", "echo 'size=4M' | sfdisk -q -X gpt $DEV", "a GPT partition table"),
    Way::holding(
        "the copy of a GPT whose first half is lost",
        "echo 'size=4M' | sfdisk -q -X gpt $DEV; dd if=/dev/zero of=$DEV bs=1M count=1 conv=notrunc status=none",
        "its copy at the end",
    ),
    Way::holding("an MBR", "echo 'size=4M' | sfdisk -q -X dos $DEV", "an MBR partition table"),
];

/// What the steps call.
const FUNCTIONS: &str = r#"
# A file system that the kernel does not go on initialising by itself.
ext4() { mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$@"; }
# Ends the process that a setup left behind, and waits until its files are closed.
finish() {
    kill "$(cat "$DIR/pid")"
    while [ -n "$(ls "/proc/$(cat "$DIR/pid")/fd" 2>/dev/null)" ]; do sleep 0.05; done
}
partitions() {
    printf 'size=8M\nsize=8M\n' | sfdisk -q -X gpt --wipe always --wipe-partitions always "$NVME"
    udevadm settle
}
md() { mdadm -q -C /dev/md7 -l1 -n2 --force --run "$@" </dev/null; }
luks() { cryptsetup -q luksFormat --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "$@"; }
# udev's rules may have been quicker.
register() { [ -d "/sys/block/${1#/dev/}/bcache" ] || echo "$1" >/sys/fs/bcache/register; }
gone() { for _ in $(seq 200); do [ -e "$1" ] || return 0; sleep 0.3; done; return 1; }

ready() {
    [ -e "$DIR/pid" ] || return 0
    for _ in $(seq 1200); do [ ! -e "$DIR/ready" ] || return 0; sleep 0.1; done
    return 1
}
bytes() { sync; dd if="$TARGET" iflag=direct bs=1M status=none; }
# Writes as a user would, and tells status, whether the bytes changed, and what was said.
attempt() {
    name=$1; shift
    bytes >"$DIR/before"
    "$IODYNO" run "$TARGET" --rw=write --bs=64k --size=1m --runtime=100ms --ioengine=psync "$@" \
        >"$DIR/out" 2>"$DIR/err"
    status=$?
    bytes | cmp -s - "$DIR/before" && now=same || now=changed
    echo "$name $status $now $(tr '\n' ' ' <"$DIR/err")"
}
"#;

/// Where the steps of a way run.
pub struct Place {
    pub device: String,
    pub device2: String,
    pub nvme: String,
    pub dir: String,
    pub iodyno: String,
    pub state: String,
}

/// The whole trial of a way: one shell script, which tells a line for each attempt to write.
pub fn script(way: &Way, place: &Place) -> String {
    let Way {
        setup,
        target,
        release,
        ..
    } = way;
    let Place {
        device,
        device2,
        nvme,
        dir,
        iodyno,
        state,
    } = place;
    format!(
        "export PATH=\"$PATH:/usr/sbin:/sbin\" DEV={device} DEV2={device2} NVME={nvme} DIR={dir}
         export IODYNO={iodyno} IODYNO_STATE_DIR={state} NO_COLOR=1
         {FUNCTIONS}
         TARGET={target}
         mkdir -p $DIR/mnt; rm -f $DIR/pid $DIR/ready
         (set -e; {setup}
         )
         if [ $? -ne 0 ] || ! ready; then echo setup failed; exit 1; fi
         [ -z '{used}' ] || attempt used --destroy-data --force-signature
         (true; {release}
         ) || {{ echo release failed; exit 1; }}
         [ -z '{left}' ] || attempt left --destroy-data
         attempt forced --destroy-data --force-signature\n",
        used = way.says,
        left = way.left,
    )
}

/// What is wrong with what the script told.
pub fn wrong(way: &Way, told: &str) -> Vec<String> {
    let line = |attempt: &str| {
        told.lines()
            .find_map(|line| line.strip_prefix(attempt))
            .unwrap_or("(nothing)")
            .trim()
    };
    let mut wrong = Vec::new();
    let mut check = |attempt: &str, start: &str, says: &str| {
        let told = line(attempt);
        if !told.starts_with(start) || !told.contains(says) {
            wrong.push(format!(
                "{}, {attempt}: wanted `{start} … {says}`, was told `{told}`",
                way.name
            ));
        }
    };
    if !way.says.is_empty() {
        check("used", "4 same", way.says);
    }
    if !way.left.is_empty() {
        check("left", "4 same", way.left);
    }
    check("forced", "0 changed", "");
    wrong
}
