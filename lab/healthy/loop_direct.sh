# Healthy: a loop device with direct I/O over a written file
make() {
    mkdir -p /mnt/base
    mkfs.ext4 -q -F "$SSD" && mount "$SSD" /mnt/base
    dd if=/dev/urandom of=/mnt/base/disk bs=1M count=128 conv=fsync status=none
    loop=$(losetup -f --show --direct-io=on /mnt/base/disk)
    filesystem "$loop" ext4
}
unmake() { :; }
