# Fault: a copy whose writeback drowns reads, with writeback throttling off
# cause: writeback_unthrottled
# limit: SSD bps-total=31457280
# options: --layers off --observe 4s
make() {
    filesystem "$SSD" ext4
    queue "$SSD" wbt_lat_usec 0
    queue "$SSD" max_sectors_kb 128
    sysctl -qw vm.dirty_background_bytes=4194304 vm.dirty_bytes=16777216
    dd if=/dev/zero of=/srv/base bs=1M count=64 conv=fsync status=none
    timeout 7 sh -c 'while dd if=/dev/zero of=/srv/copy bs=1M count=80 conv=notrunc status=none; do :; done' &
    for reader in 1 2 3 4; do
        timeout 7 dd if=/srv/base of=/dev/null bs=4k skip=$((reader * 4000)) count=3000 iflag=direct status=none &
    done
    sleep 1
}
unmake() {
    wait
    sysctl -qw vm.dirty_ratio=20 vm.dirty_background_ratio=10
    queue "$SSD" wbt_lat_usec -1
    queue "$SSD" max_sectors_kb 1280
}
