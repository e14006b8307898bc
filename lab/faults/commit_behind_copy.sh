# Fault: small synced writes on the ext4 that somebody copies to
# cause: fsync_waits_for_others
# options: --layers off
make() {
    filesystem "$USB" ext4 "" dioread_lock
    # The copy is written while it is made, not only once half of what may be dirty is.
    echo 1 >/proc/sys/vm/dirty_background_ratio
    (while dd if=/dev/zero of=/srv/copy bs=1M count=100 status=none; do rm /srv/copy; done) &
    COPY=$!
    sleep 3
}
unmake() {
    end_writer "$COPY"
    echo 10 >/proc/sys/vm/dirty_background_ratio
}
