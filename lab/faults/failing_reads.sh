# Fault: a device that fails some of its I/O
# cause: log_has_io_errors
# last: its errors stay in the kernel log
make() {
    filesystem "$SSD" ext4
    umount /srv
    dmsetup create bad --table "0 $(blockdev --getsz "$SSD") flakey $SSD 0 6 1"
    mount /dev/mapper/bad /srv
    # The errors that somebody's reads have met by now.
    for try in 1 2 3; do sleep 3; dd if=/dev/mapper/bad of=/dev/null bs=4k count=8 status=none 2>/dev/null; echo 3 >/proc/sys/vm/drop_caches; done
    dmsetup suspend --nolockfs bad
    dmsetup reload bad --table "0 $(blockdev --getsz "$SSD") linear $SSD 0"
    dmsetup resume bad
    TARGET=/srv
}
unmake() { :; }
