# Fault: a udev rule that asks for a scheduler of the old block layer
# cause: scheduler_word_gone
make() {
    echo 'ACTION=="add|change", KERNEL=="sd[a-z]", ATTR{queue/scheduler}="noop"' >/etc/udev/rules.d/60-ssd.rules
    udevadm control --reload
    filesystem "$SSD" ext4
}
unmake() { rm /etc/udev/rules.d/60-ssd.rules; udevadm control --reload; }
