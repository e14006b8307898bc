# Fault: a file sets a ratio, a later one the bytes, and the first is lost
# cause: dirty_ratio_and_bytes
make() {
    filesystem "$SSD" ext4
    echo 'vm.dirty_ratio = 40' >/etc/sysctl.d/50-db.conf
    echo 'vm.dirty_bytes = 268435456' >/etc/sysctl.d/60-platform.conf
    sysctl -q -p /etc/sysctl.d/50-db.conf /etc/sysctl.d/60-platform.conf
}
unmake() { rm -f /etc/sysctl.d/50-db.conf /etc/sysctl.d/60-platform.conf; sysctl -qw vm.dirty_ratio=20; }
