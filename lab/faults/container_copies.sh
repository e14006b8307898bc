# Fault: a container of 200 MiB that copies, and stands still at its share of the dirty pages
# cause: cgroup_dirty_limit
# options: --no-load --observe 4s
make() {
    filesystem "$USB" ext4
    echo +io +memory >/sys/fs/cgroup/cgroup.subtree_control
    mkdir -p /sys/fs/cgroup/box
    echo 200M >/sys/fs/cgroup/box/memory.max
    (echo "$BASHPID" >/sys/fs/cgroup/box/cgroup.procs; while dd if=/dev/zero of=/srv/copy bs=1M count=300 conv=notrunc status=none; do :; done) &
    sleep 4
    IN_GROUP=/sys/fs/cgroup/box
}
unmake() { IN_GROUP=; end_group /sys/fs/cgroup/box; }
