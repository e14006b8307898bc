# Fault: a loop device over a file with holes
# cause: writes_into_holes
make() {
    mkdir -p /mnt/base
    mkfs.ext4 -q -F "$SSD" && mount "$SSD" /mnt/base
    truncate -s 128M /mnt/base/disk
    loop=$(losetup -f --show --direct-io=on /mnt/base/disk)
    filesystem "$loop" ext4
}
unmake() { :; }
