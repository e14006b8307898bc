# Fault: two containers that read from one disk, which nothing divides between them
# cause: groups_share_disk
# options: --no-load --observe 4s
make() {
    filesystem "$SSD" ext4
    echo +io +memory >/sys/fs/cgroup/cgroup.subtree_control
    for group in db backup; do
        mkdir -p "/sys/fs/cgroup/$group"
        (echo "$BASHPID" >"/sys/fs/cgroup/$group/cgroup.procs"; while dd if="$SSD" of=/dev/null bs=4k count=5000 iflag=direct status=none; do :; done) &
    done
}
unmake() { end_group /sys/fs/cgroup/db; end_group /sys/fs/cgroup/backup; }
