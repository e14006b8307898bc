# Fault: an NVMe over TCP whose other side pauses
# cause: network_stands_still
# options: --layers off
make() {
    modprobe -a nvme-tcp nvmet-tcp
    busybox ip link set lo up
    dmsetup create far --table "0 $(blockdev --getsz "$SSD") linear $SSD 0"
    nvmet=/sys/kernel/config/nvmet
    mkdir -p "$nvmet/subsystems/far/namespaces/1" "$nvmet/ports/1"
    echo 1 >"$nvmet/subsystems/far/attr_allow_any_host"
    printf /dev/mapper/far >"$nvmet/subsystems/far/namespaces/1/device_path"
    echo 1 >"$nvmet/subsystems/far/namespaces/1/enable"
    for word in trtype=tcp adrfam=ipv4 traddr=127.0.0.1 trsvcid=4420; do printf %s "${word#*=}" >"$nvmet/ports/1/addr_${word%=*}"; done
    ln -s "$nvmet/subsystems/far" "$nvmet/ports/1/subsystems/far"
    nvme connect -t tcp -a 127.0.0.1 -s 4420 -n far >/dev/null || return 1
    settle
    disk=$(grep -l '^far$' /sys/class/nvme-subsystem/*/subsysnqn | head -n 1)
    disk=/dev/$(basename "$(ls -d "$(dirname "$disk")"/nvme*n1 | head -n 1)")
    filesystem "$disk" ext4
    (while dmsetup suspend --noflush --nolockfs far; do sleep 0.3; dmsetup resume far; sleep 0.5; done) &
    PAUSES=$!
}
unmake() {
    kill "$PAUSES"; wait "$PAUSES" 2>/dev/null; dmsetup resume far
    umount /srv; nvme disconnect -n far >/dev/null
    rm "$nvmet/ports/1/subsystems/far"
    rmdir "$nvmet/ports/1" "$nvmet/subsystems/far/namespaces/1" "$nvmet/subsystems/far"
}
