# Fault: a USB disk whose commands take longer than uas waits for them
# cause: uas_resets
# limit: UAS iops-total=1
# options: --no-load
# last: its resets stay in the kernel log
make() {
    echo 2 >"/sys/block/$(name "$UAS")/device/timeout"
    for reader in 1 2 3 4 5 6 7 8; do timeout 30 dd if="$UAS" of=/dev/null bs=4k count=1 skip="$reader" iflag=direct status=none 2>/dev/null & done
    sleep 12
    TARGET=$UAS
}
unmake() { wait; echo 30 >"/sys/block/$(name "$UAS")/device/timeout"; }
