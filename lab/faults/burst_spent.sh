# Fault: a disk sold with 300 I/Os a second and a burst of 3,000, whose credits are spent
# cause: burst_used_up
# options: --quick --disk-spec aws:gp2:100GiB
make() {
    filesystem "$BURST" ext4
    for reader in 1 2 3 4; do timeout 20 dd if="$BURST" of=/dev/null bs=4k count=3500 skip=$((reader * 20000)) iflag=direct status=none & done
    wait
}
unmake() { :; }
