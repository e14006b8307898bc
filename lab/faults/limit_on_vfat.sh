# Fault: a control group's write limit on a file system whose writeback is charged to nobody
# cause: writeback_not_charged
make() {
    wipefs -qa "$USB"
    mkfs.vfat "$USB" >/dev/null
    mkdir -p /srv && mount -t vfat "$USB" /srv || return 1
    TARGET=/srv
    echo +io +memory >/sys/fs/cgroup/cgroup.subtree_control
    mkdir -p /sys/fs/cgroup/box
    echo "$(cat "/sys/block/$(name "$USB")/dev") wbps=20971520" >/sys/fs/cgroup/box/io.max
    IN_GROUP=/sys/fs/cgroup/box
}
unmake() { IN_GROUP=; rmdir /sys/fs/cgroup/box; }
