# What the cases share. A case has `make`, which builds it and sets TARGET, and `unmake`, which takes it away.
# Disks by kind: $NVME $NVME2 $VIRTIO $HDD (SCSI, says that it rotates) $SSD $SSD2 (SATA) $USB $UAS $SLOW (500 IOPS) $BURST

name() { basename "$1"; }
queue() { echo "$3" >"/sys/block/$(name "$1")/queue/$2"; } # DISK SETTING VALUE
settle() { udevadm settle --timeout=20 2>/dev/null || true; }

# An empty file system on a device, mounted on /srv.  filesystem DEVICE TYPE [MKFS OPTIONS [MOUNT OPTIONS]]
filesystem() {
    wipefs -qa "$1"
    case $2 in
    ext4) mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 $3 "$1" ;;
    xfs) mkfs.xfs -q -f $3 "$1" ;;
    btrfs) mkfs.btrfs -q -f $3 "$1" ;;
    esac
    mkdir -p /srv
    mount -t "$2" -o "${4:-defaults}" "$1" /srv || return 1
    TARGET=/srv
}

# Everything that a case may have left. Starting a program costs an emulated CPU 50 ms and more, so only what is there is
# taken away, and only disks that were members of something are wiped.
clear_all() {
    cd /
    for point in /srv /mnt/base; do ! mountpoint -q $point || umount $point || umount -l $point; done
    for loop in /sys/block/loop*/loop; do [ ! -e "$loop" ] || losetup -d "/dev/$(basename "$(dirname "$loop")")"; done
    for mapped in /sys/block/dm-*/dm; do
        [ ! -e "$mapped" ] || { read -r name <"$mapped/name"; dmsetup resume "$name"; dmsetup remove --retry "$name"; }
    done
    [ ! -e /sys/block/md0 ] || mdadm --stop /dev/md0
    [ -z "$MEMBERS" ] || { settle; for disk in $MEMBERS; do dd if=/dev/zero of="$disk" bs=1M count=1 conv=fsync status=none; done; }
    MEMBERS=
}

array() { # LEVEL DISK… : /dev/md0, without waiting for the first resync unless CLEAN is set
    level=$1
    shift
    MEMBERS=$*
    mdadm --create /dev/md0 --run --force --level="$level" --raid-devices=$# ${CLEAN:+--assume-clean} --metadata=1.2 "$@" 2>/dev/null
    settle
}

end_writer() { # a loop around dd, and what it has not written yet
    kill -9 "$1"
    while pkill -9 -x dd; do sleep 0.2; done
    wait "$1" 2>/dev/null
    rm -f /srv/copy /mnt/base/copy
}

end_group() { # a control group with all that runs in it
    for try in 1 2 3 4 5 6 7 8 9 10; do
        echo 1 >"$1/cgroup.kill"
        rmdir "$1" 2>/dev/null && break
        sleep 0.3
    done
    rm -f /srv/copy
}
