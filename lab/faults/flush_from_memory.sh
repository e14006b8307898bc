# Fault: a disk that says that it turns and answers a flush from memory
# cause: flush_too_fast
# options: --layers off
make() {
    modprobe scsi_debug dev_size_mb=360 delay=0
    settle
    disk=/dev/$(basename "$(ls -d /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/* | head -n 1)")
    filesystem "$disk" ext4 "-O ^has_journal"
    queue "$disk" rotational 1
    queue "$disk" max_sectors_kb 1024
}
unmake() { umount /srv; modprobe -r scsi_debug; }
