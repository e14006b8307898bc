# Fault: a copy to a stick of 4 MiB/s, which holds most of the dirty pages
# cause: slow_device_holds_dirty_memory
# limit: USB bps-write=4194304
# options: --no-load --observe 4s
make() {
    filesystem "$USB" ext4 "-O ^has_journal"
    (while dd if=/dev/zero of=/srv/copy bs=1M count=400 conv=notrunc status=none; do :; done) &
    COPY=$!
    sleep 20
}
unmake() { end_writer "$COPY"; }
