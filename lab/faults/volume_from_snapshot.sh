# Fault: a cloud's volume whose blocks come late when they are first read
# cause: volume_still_loading
# options: --layers off
make() {
    echo 'Amazon EC2' >/run/vendor
    mount --bind /run/vendor /sys/class/dmi/id/sys_vendor
    dmsetup create fetched --table "0 $(blockdev --getsz "$VIRTIO") delay $VIRTIO 0 200 $VIRTIO 0 0"
    filesystem /dev/mapper/fetched ext4
}
unmake() { umount /sys/class/dmi/id/sys_vendor; }
