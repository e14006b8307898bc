# Fault: a write limit of control groups of version 1, which buffered writes pass by
# cause: limit_misses_buffered
# options: --no-load
# last: the controller for I/O stays with version 1
make() {
    filesystem "$SSD" ext4
    echo -io >/sys/fs/cgroup/cgroup.subtree_control
    mkdir -p /sys/fs/cgroup/blkio
    for try in 1 2 3 4 5 6 7 8; do mount -t cgroup -o blkio none /sys/fs/cgroup/blkio && break; sleep 1; done
    mkdir -p /sys/fs/cgroup/blkio/box
    echo "$(cat "/sys/block/$(name "$SSD")/dev") 20971520" >/sys/fs/cgroup/blkio/box/blkio.throttle.write_bps_device || return 1
    IN_GROUP=/sys/fs/cgroup/blkio/box
}
unmake() {
    IN_GROUP=
    echo $$ >/sys/fs/cgroup/blkio/cgroup.procs
    rmdir /sys/fs/cgroup/blkio/box
    umount /sys/fs/cgroup/blkio
    rmdir /sys/fs/cgroup/blkio
}
