# Fault: a limit on the second disk of a volume whose data lies on the first
# cause: limit_without_effect
make() {
    MEMBERS="$SSD $SSD2"
    pvcreate -qqff -y "$SSD" "$SSD2"
    vgcreate -qq data "$SSD" "$SSD2"
    lvcreate -qq -y -Wy -l 100%FREE -n files data
    filesystem /dev/data/files ext4
    echo +io +memory >/sys/fs/cgroup/cgroup.subtree_control
    mkdir -p /sys/fs/cgroup/box
    echo "$(cat "/sys/block/$(name "$SSD2")/dev") riops=50" >/sys/fs/cgroup/box/io.max
    IN_GROUP=/sys/fs/cgroup/box
}
unmake() {
    IN_GROUP=
    rmdir /sys/fs/cgroup/box
    umount /srv
    vgremove -qqff -y data
    pvremove -qqff -y "$SSD" "$SSD2"
}
