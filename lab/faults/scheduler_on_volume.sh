# Fault: a rule gives the mapped device a scheduler, which only its disks have
# cause: scheduler_on_wrong_layer
make() {
    echo 'ACTION=="add|change", KERNEL=="dm-*", ATTR{queue/scheduler}="bfq"' >/etc/udev/rules.d/60-io.rules
    udevadm control --reload
    dmsetup create files --table "0 $(blockdev --getsz "$SSD") linear $SSD 0"
    settle
    filesystem /dev/mapper/files ext4
}
unmake() { rm /etc/udev/rules.d/60-io.rules; udevadm control --reload; }
