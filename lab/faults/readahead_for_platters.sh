# Fault: a spinning disk that travels between four readers once in every 128 KiB (16 ms for each way)
# cause: readahead_small_for_platters
# machine: hardware
# limit: HDD iops-read=60
# options: --no-load --observe 4s
make() {
    filesystem "$HDD" ext4
    queue "$HDD" read_ahead_kb 128
    for part in 0 1 2 3; do
        while :; do dd if="$HDD" of=/dev/null bs=128k skip=$((part * 1000)) count=1000 2>/dev/null; done &
        READERS="$READERS $!"
    done
    sleep 2
}
unmake() {
    kill -9 $READERS
    pkill -9 -x dd
    wait $READERS 2>/dev/null
    READERS=
}
