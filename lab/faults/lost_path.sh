# Fault: a multipath device that has lost one of its two paths
# cause: paths_lost
make() {
    modprobe -a dm-multipath dm-round-robin
    sectors=$(blockdev --getsz "$SSD")
    for path in left right; do dmsetup create "$path" --table "0 $sectors linear $SSD 0"; done
    dmsetup create paths --table "0 $sectors multipath 2 queue_mode bio 0 1 1 round-robin 0 2 1 /dev/mapper/left 1 /dev/mapper/right 1" || return 1
    dmsetup message paths 0 "fail_path $(cat "/sys/block/$(basename "$(readlink -f /dev/mapper/right)")/dev")"
    filesystem /dev/mapper/paths ext4
}
unmake() { umount /srv; dmsetup remove --retry paths; }
