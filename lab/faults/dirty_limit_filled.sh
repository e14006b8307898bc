# Fault: somebody copies to a slow disk, and writers of every disk wait
# cause: dirty_limit_reached
# options: --no-load --observe 4s
make() {
    mkdir -p /mnt/base
    mkfs.ext4 -q -F "$USB" && mount "$USB" /mnt/base
    filesystem "$SSD" ext4
    (while dd if=/dev/zero of=/mnt/base/copy bs=1M count=400 conv=notrunc status=none; do :; done) &
    COPY=$!
    sleep 5
}
unmake() { end_writer "$COPY"; }
