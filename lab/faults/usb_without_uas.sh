# Fault: a UAS disk that runs on usb-storage
# cause: usb_one_command
make() {
    device=$(readlink -f "/sys/block/$(name "$UAS")/device")
    interface=$(echo "$device" | sed 's,/host[0-9]*/.*,,')
    port=$(dirname "$interface")
    quirk="$(cat "$port/idVendor"):$(cat "$port/idProduct"):u"
    modprobe usb-storage
    echo "$quirk" >/sys/module/usb_storage/parameters/quirks
    echo "$(basename "$port")" >/sys/bus/usb/drivers/usb/unbind
    echo "$(basename "$port")" >/sys/bus/usb/drivers/usb/bind
    for try in $(seq 50); do
        sleep 0.2
        disk=$(ls "$port"/*/host*/target*/*/block 2>/dev/null | head -n 1)
        [ -z "$disk" ] || break
    done
    UAS=/dev/$disk
    settle
    filesystem "$UAS" ext4
}
unmake() { :; }
