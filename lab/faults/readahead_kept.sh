# Fault: a reader that has been at work since before the read-ahead was made smaller
# cause: readahead_kept_by_open_files
# limit: USB bps-read=15728640
# options: --no-load --observe 3s
make() {
    filesystem "$USB" ext4
    dd if=/dev/zero of=/srv/base bs=1M count=300 conv=fsync status=none
    echo 3 >/proc/sys/vm/drop_caches
    exec 9</srv/base
    queue "$USB" read_ahead_kb 16
    dd of=/dev/null bs=16k status=none <&9 &
    READER=$!
    exec 9<&-
}
unmake() { kill "$READER"; wait "$READER" 2>/dev/null; queue "$USB" read_ahead_kb 128; }
