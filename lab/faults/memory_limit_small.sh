# Fault: a container of 48 MiB that writes through the page cache
# cause: cgroup_dirty_limit page_cache_too_small
make() {
    filesystem "$SSD" ext4
    echo +io +memory >/sys/fs/cgroup/cgroup.subtree_control
    mkdir -p /sys/fs/cgroup/box
    echo 160M >/sys/fs/cgroup/box/memory.max
    IN_GROUP=/sys/fs/cgroup/box
}
unmake() { IN_GROUP=; rmdir /sys/fs/cgroup/box; }
