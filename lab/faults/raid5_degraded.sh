# Fault: RAID 5 with a failed member
# cause: array_degraded array_not_whole
# test: yes
make() {
    CLEAN=1 array 5 "$SSD" "$SSD2" "$HDD"
    filesystem /dev/md0 ext4
    mdadm --fail /dev/md0 "$HDD" >/dev/null 2>&1
    settle
}
unmake() { :; }
