# Fault: a mapped device that adds 40 ms to each I/O
# cause: mapped_device_waits device_takes_the_time
make() {
    dmsetup create late --table "0 $(blockdev --getsz "$SSD") delay $SSD 0 40"
    filesystem /dev/mapper/late ext4
}
unmake() { :; }
