# Fault: random small writes on RAID 5 with little stripe cache
# cause: raid5_small_writes
# options: --layers off
make() {
    CLEAN=1 array 5 "$SSD" "$SSD2" "$HDD"
    echo 16 >/sys/block/md0/md/stripe_cache_size
    filesystem /dev/md0 ext4
}
unmake() { :; }
