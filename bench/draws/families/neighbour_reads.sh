# Another program that reads from the same device at this depth.
# rules: busy_before_load device_saturated
# strengths: 8 32 64
make() {
    fio --name=neighbour --filename="$DEVICE" --readonly --rw=randread --bs=16k --direct=1 --ioengine=libaio --iodepth="$1" \
        --time_based --runtime=60 >/dev/null 2>&1 &
    busy=$!
    sleep 1
}
unmake() { kill "$busy"; wait "$busy" || true; }
