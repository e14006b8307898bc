# Fault: one member of a stripe is slower than the other
# cause: members_unequal
make() {
    CLEAN=1 array 0 "$VIRTIO" "$SLOW"
    filesystem /dev/md0 ext4
}
unmake() { :; }
