# Fault: an NVMe disk over TCP whose other side pauses
# cause: network_stands_still
# options: --layers off
nvmet=/sys/kernel/config/nvmet
make() {
    modprobe -a nvme-tcp nvmet-tcp
    busybox ip link set lo up
    dmsetup create far --table "0 $(blockdev --getsz "$SSD") linear $SSD 0"
    mkdir -p "$nvmet/subsystems/far/namespaces/1" "$nvmet/ports/1"
    echo 1 >"$nvmet/subsystems/far/attr_allow_any_host"
    printf /dev/mapper/far >"$nvmet/subsystems/far/namespaces/1/device_path"
    echo 1 >"$nvmet/subsystems/far/namespaces/1/enable"
    for word in trtype=tcp adrfam=ipv4 traddr=127.0.0.1 trsvcid=4420; do printf %s "${word#*=}" >"$nvmet/ports/1/addr_${word%=*}"; done
    ln -s "$nvmet/subsystems/far" "$nvmet/ports/1/subsystems/far"
    nvme connect -t tcp -a 127.0.0.1 -s 4420 -n far >/dev/null && settle
    disk=$(dirname "$(grep -l '^far$' /sys/class/nvme-subsystem/*/subsysnqn | head -n 1)")
    filesystem "/dev/$(basename "$(ls -d "$disk"/nvme*n1 | head -n 1)")" ext4 || { unmake; return 1; }
    touch /run/far
    while [ -e /run/far ]; do dmsetup suspend --noflush --nolockfs far; sleep 0.3; dmsetup resume far; sleep 0.5; done &
}
unmake() {
    rm -f /run/far
    wait # the last pause ends by itself; a killed one would leave the disk standing
    ! mountpoint -q /srv || umount /srv
    nvme disconnect -n far >/dev/null
    rm "$nvmet/ports/1/subsystems/far"
    rmdir "$nvmet/ports/1" "$nvmet/subsystems/far/namespaces/1" "$nvmet/subsystems/far"
}
