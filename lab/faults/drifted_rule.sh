# Fault: a rule sets read-ahead, and somebody set another by hand
# cause: setting_drifted
make() {
    echo 'ACTION=="add|change", KERNEL=="sd[a-z]", ATTR{queue/read_ahead_kb}="256"' >/etc/udev/rules.d/60-ra.rules
    filesystem "$SSD" ext4
    queue "$SSD" read_ahead_kb 4096
}
unmake() { rm /etc/udev/rules.d/60-ra.rules; queue "$SSD" read_ahead_kb 128; }
