# Fault: a device that failed some reads since the boot
# cause: log_has_io_errors
# last: its errors stay in the kernel log
make() {
    sectors=$(blockdev --getsz "$SSD")
    dmsetup create bad --table "0 $sectors error"
    for try in 1 2 3; do dd if=/dev/mapper/bad of=/dev/null bs=4k count=8 skip=$((try * 64)) status=none 2>/dev/null; done
    dmsetup suspend bad
    dmsetup reload bad --table "0 $sectors linear $SSD 0"
    dmsetup resume bad
    filesystem /dev/mapper/bad ext4
}
unmake() { :; }
