# Fault: a loop device without direct I/O
# cause: loop_without_direct_io loop_outruns_disk
# test: yes
make() {
    mkdir -p /mnt/base
    mkfs.ext4 -q -F "$SSD" && mount "$SSD" /mnt/base
    dd if=/dev/zero of=/mnt/base/disk bs=1M count=128 conv=fsync status=none
    loop=$(losetup -f --show /mnt/base/disk)
    filesystem "$loop" ext4
}
unmake() { :; }
