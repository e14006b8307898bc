# The stack that is drawn upon: a file system on a loop device with direct I/O over a written file.
#   stack.sh make DIRECTORY   prints the device and the mount point
#   stack.sh format DEVICE MOUNT ext4|xfs OPTIONS
#   stack.sh unmake DIRECTORY
set -eu
# What is discarded becomes holes in the file.
format() {
    case $3 in
    ext4) mkfs.ext4 -q -F -E nodiscard "$1" ;;
    xfs) mkfs.xfs -q -f -K "$1" ;;
    esac
    mount -o "$4" "$1" "$2"
}
# The kernel keeps a loop device's settings for whoever has it next. A scheduler sets nr_requests anew, so it comes first.
settings="scheduler nr_requests max_sectors_kb nomerges read_ahead_kb rq_affinity wbt_lat_usec"
directory=$2
case $1 in
make)
    mkdir -p "$directory/mnt"
    dd if=/dev/urandom of="$directory/image" bs=4M count=250 status=none
    device=$(losetup --find --show --direct-io=on "$directory/image")
    for setting in $settings; do
        sed 's/.*\[\(.*\)\].*/\1/' "/sys/block/${device#/dev/}/queue/$setting" >"$directory/was.$setting" 2>/dev/null || true
    done
    format "$device" "$directory/mnt" ext4 defaults
    echo "$device $directory/mnt"
    ;;
format)
    # What the draw before has ended may take a moment to be gone.
    tries=0
    until umount "$3" 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 50 ] || { umount "$3"; exit 1; }
        sleep 0.2
    done
    format "$2" "$3" "$4" "$5"
    ;;
unmake)
    device=$(findmnt -n -o SOURCE "$directory/mnt" || true)
    umount "$directory/mnt" || true
    if [ -n "$device" ]; then
        for setting in $settings; do
            cat "$directory/was.$setting" >"/sys/block/${device#/dev/}/queue/$setting" 2>/dev/null || true
        done
        losetup --detach "$device"
    fi
    rm -rf "$directory"
    ;;
esac
