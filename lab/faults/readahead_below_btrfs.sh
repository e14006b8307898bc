# Fault: read-ahead set on a disk whose file system reads ahead by its own value
# cause: readahead_on_wrong_layer
make() {
    echo 'ACTION=="add|change", KERNEL=="sd[a-z]", ATTR{queue/read_ahead_kb}="16"' >/etc/udev/rules.d/60-ra.rules
    udevadm control --reload
    filesystem "$SSD" btrfs
    queue "$SSD" read_ahead_kb 16
}
unmake() { rm /etc/udev/rules.d/60-ra.rules; udevadm control --reload; queue "$SSD" read_ahead_kb 128; }
