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
    mount -t "$2" -o "${4:-defaults}" "$1" /srv
    TARGET=/srv
}

# Everything that a case may have left: mounts, volumes, arrays, loop devices. Disks keep nothing.
clear_all() {
    cd /
    for point in /srv /mnt/base; do umount "$point" 2>/dev/null || umount -l "$point" 2>/dev/null; done
    for loop in $(losetup -nO NAME 2>/dev/null); do losetup -d "$loop"; done
    vgchange -qan >/dev/null 2>&1
    for mapped in $(dmsetup ls 2>/dev/null | cut -f1); do
        [ "$mapped" = No ] || { dmsetup resume "$mapped"; dmsetup remove --retry "$mapped"; } 2>/dev/null
    done
    mdadm --stop --scan >/dev/null 2>&1
    settle
    for disk in $NVME $NVME2 $VIRTIO $HDD $SSD $SSD2 $USB $UAS $SLOW $BURST; do
        wipefs -qa "$disk" 2>/dev/null
        dd if=/dev/zero of="$disk" bs=1M count=1 conv=fsync status=none
        blockdev --rereadpt "$disk" 2>/dev/null
    done
    settle
}

array() { # LEVEL DISK… : /dev/md0, without waiting for the first resync unless CLEAN is set
    level=$1
    shift
    mdadm --create /dev/md0 --run --force --level="$level" --raid-devices=$# ${CLEAN:+--assume-clean} --metadata=1.2 "$@" 2>/dev/null
    settle
}
