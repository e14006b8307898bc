# Fault: another program keeps the disk busy
# cause: busy_before_load others_on_device
make() {
    filesystem "$SSD" ext4
    (while :; do dd if="$SSD" of=/dev/null bs=256k count=400 iflag=direct status=none; done) &
    NEIGHBOUR=$!
}
unmake() { kill "$NEIGHBOUR"; wait "$NEIGHBOUR" 2>/dev/null; }
