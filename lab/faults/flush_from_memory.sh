# Fault: a disk that says that it turns and answers a flush from memory
# cause: flush_too_fast
# options: --layers off
make() {
    # The exponent makes 1 MiB its optimal transfer, so that nothing is split.
    modprobe scsi_debug dev_size_mb=360 delay=0 opt_xferlen_exp=11
    settle
    disk=/dev/$(basename "$(ls -d /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/* | head -n 1)")
    filesystem "$disk" ext4 "-O ^has_journal" && queue "$disk" rotational 1
}
unmake() { umount /srv; modprobe -r scsi_debug; }
