# Fault: a container of 160 MiB, whose writers wait at a few dirty pages
# cause: cgroup_dirty_limit
# options: --layers off
make() {
    filesystem "$SSD" ext4
    echo +io +memory >/sys/fs/cgroup/cgroup.subtree_control
    mkdir -p /sys/fs/cgroup/box
    echo 160M >/sys/fs/cgroup/box/memory.max
    IN_GROUP=/sys/fs/cgroup/box
}
unmake() { IN_GROUP=; rmdir /sys/fs/cgroup/box; }
