# So many other programs that sync after each small write to the same file system.
# rules: busy_before_load device_saturated fsync_waits_for_others journal_commit_slow
# strengths: 2 8
make() {
    fio --name=neighbour --directory="$MNT" --size=1m --rw=randwrite --bs=4k --ioengine=psync --fsync=1 --numjobs="$1" \
        --time_based --runtime=60 >/dev/null 2>&1 &
    busy=$!
    sleep 1
}
unmake() { kill "$busy"; wait "$busy" || true; rm -f "$MNT"/neighbour.*; }
