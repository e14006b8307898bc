# The stack that is drawn upon: ext4 on a loop device with direct I/O over a written file.
#   stack.sh make DIRECTORY   prints the device and the mount point
#   stack.sh unmake DIRECTORY
set -eu
directory=$2
case $1 in
make)
    mkdir -p "$directory/mnt"
    dd if=/dev/urandom of="$directory/image" bs=4M count=250 status=none
    device=$(losetup --find --show --direct-io=on "$directory/image")
    mkfs.ext4 -q -F "$device"
    mount "$device" "$directory/mnt"
    echo "$device $directory/mnt"
    ;;
unmake)
    device=$(findmnt -n -o SOURCE "$directory/mnt" || true)
    umount "$directory/mnt" || true
    if [ -n "$device" ]; then losetup --detach "$device"; fi
    rm -rf "$directory"
    ;;
esac
