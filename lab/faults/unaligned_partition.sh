# Fault: a partition that begins in the middle of a physical block
# cause: partition_unaligned
make() {
    disk=$NVME
    # A disk of 4 KiB blocks that takes writes of 512 bytes, as most disks do.
    modprobe -r scsi_debug 2>/dev/null
    modprobe scsi_debug dev_size_mb=128 sector_size=512 physblk_exp=3 ndelay=20000
    settle
    disk=/dev/$(ls -d /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/* | xargs -n1 basename | head -n 1)
    echo '63,,83' | sfdisk -q --no-reread --wipe always "$disk"
    settle
    filesystem "${disk}1" ext4
}
unmake() { umount /srv; modprobe -r scsi_debug; }
