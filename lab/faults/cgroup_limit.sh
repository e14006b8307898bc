# Fault: a control group that allows 200 reads a second
# cause: cgroup_limits_device cgroup_limit_reached
# test: yes
make() {
    filesystem "$SSD" ext4
    echo +io +memory >/sys/fs/cgroup/cgroup.subtree_control
    mkdir -p /sys/fs/cgroup/box
    echo "$(cat "/sys/block/$(name "$SSD")/dev") riops=200 wiops=200" >/sys/fs/cgroup/box/io.max
    IN_GROUP=/sys/fs/cgroup/box
}
unmake() { IN_GROUP=; rmdir /sys/fs/cgroup/box; }
