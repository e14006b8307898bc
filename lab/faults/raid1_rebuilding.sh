# Fault: a mirror that is being rebuilt
# cause: array_syncing rebuild_takes_its_share
make() {
    echo 2000 >/proc/sys/dev/raid/speed_limit_max
    echo 1000 >/proc/sys/dev/raid/speed_limit_min
    array 1 "$SSD" "$SSD2"
    filesystem /dev/md0 ext4
}
unmake() { echo 200000 >/proc/sys/dev/raid/speed_limit_max; }
