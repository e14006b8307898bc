# Another program that writes to a file of the same file system at this depth.
# rules: busy_before_load device_saturated
# strengths: 4 16 64
make() {
    fio --name=neighbour --directory="$MNT" --filename=neighbour --size=64m --rw=randwrite --bs=64k --direct=1 --ioengine=libaio \
        --iodepth="$1" --time_based --runtime=60 >/dev/null 2>&1 &
    busy=$!
    sleep 2
}
unmake() { kill "$busy"; wait "$busy" || true; rm -f "$MNT/neighbour"; }
