# Fault: a rule that asks for 2 KiB of read-ahead, which is less than a page and becomes none
# cause: readahead_rounds_to_zero
make() {
    echo 'ACTION=="add|change", KERNEL=="sd[a-z]", ATTR{queue/read_ahead_kb}="2"' >/etc/udev/rules.d/60-ra.rules
    filesystem "$SSD" ext4
    queue "$SSD" read_ahead_kb 2
}
unmake() { rm /etc/udev/rules.d/60-ra.rules; queue "$SSD" read_ahead_kb 128; }
