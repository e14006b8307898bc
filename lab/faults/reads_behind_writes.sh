# Fault: a disk of 100 MiB a second without a scheduler: where the writes have used up its rate, a read waits
# cause: reads_starved_by_writes
# options: --deep
make() {
    mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
    modprobe null_blk nr_devices=0
    # A name of its own: what is called nullb is taken for what it is.
    NULL=/sys/kernel/config/nullb/held
    mkdir "$NULL"
    for setting in size=640 memory_backed=1 blocksize=4096 mbps=100 irqmode=0; do echo "${setting#*=}" >"$NULL/${setting%=*}"; done
    echo 1 >"$NULL/power"
    settle
    queue /dev/held scheduler none
    filesystem /dev/held ext4
}
unmake() {
    umount /srv
    echo 0 >"$NULL/power"
    rmdir "$NULL"
    modprobe -r null_blk
}
