# Healthy: NVMe with a scheduler that a udev rule has set, and the rule holds
make() {
    echo 'ACTION=="add|change", KERNEL=="nvme[0-9]*n[0-9]*", ATTR{queue/scheduler}="mq-deadline"' >/etc/udev/rules.d/60-nvme.rules
    udevadm control --reload
    filesystem "$NVME" ext4
    udevadm trigger --action=change "$NVME"; settle
}
unmake() { rm /etc/udev/rules.d/60-nvme.rules; udevadm control --reload; queue "$NVME" scheduler none; }
