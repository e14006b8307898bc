# Fault: small synced writes on the ext4 that somebody copies to
# cause: fsync_waits_for_others
# options: --layers off
make() {
    filesystem "$USB" ext4 "" dioread_lock
    # The copy is written while it is made, not only once half of what may be dirty is, and a few requests at a time, so
    # that a commit waits for many of them and none of them waits long.
    echo 1 >/proc/sys/vm/dirty_background_ratio
    REQUESTS=$(cat "/sys/block/$(name "$USB")/queue/nr_requests")
    SECTORS=$(cat "/sys/block/$(name "$USB")/queue/max_sectors_kb")
    queue "$USB" nr_requests 4
    queue "$USB" max_sectors_kb 64
    (while dd if=/dev/zero of=/srv/copy bs=1M count=100 status=none; do rm /srv/copy; done) &
    COPY=$!
    sleep 3
}
unmake() {
    end_writer "$COPY"
    echo 10 >/proc/sys/vm/dirty_background_ratio
    queue "$USB" nr_requests "$REQUESTS"
    queue "$USB" max_sectors_kb "$SECTORS"
}
