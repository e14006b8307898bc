# Fault: a SCSI disk that says it will fail
# cause: disk_counts_errors
make() {
    modprobe -r scsi_debug 2>/dev/null
    modprobe scsi_debug dev_size_mb=128
    settle
    disk=/dev/$(basename "$(ls -d /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/* | head -n 1)")
    sdparm --quiet --page=ie --set=TEST=1 "$disk" || return 1
    filesystem "$disk" ext4
}
unmake() { umount /srv; modprobe -r scsi_debug; }
