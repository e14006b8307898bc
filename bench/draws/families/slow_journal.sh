# Not a fault of this stack alone: it is mounted anew with its journal on a device over two file systems that write at once.
# rules: journal_commit_slow
# strengths: 1
make() {
    umount "$MNT"
    mkdir -p "$DIR/one" "$DIR/two"
    truncate -s 300M "$DIR/one.img"
    one=$(losetup --find --show --direct-io=on "$DIR/one.img")
    mkfs.ext4 -q -F -b 4096 "$one"; mount -o sync,data=journal "$one" "$DIR/one"
    dd if=/dev/zero of="$DIR/one/two.img" bs=1M count=128 status=none
    two=$(losetup --find --show "$DIR/one/two.img")
    mkfs.ext4 -q -F -b 4096 "$two"; mount -o sync,data=journal "$two" "$DIR/two"
    dd if=/dev/zero of="$DIR/two/journal" bs=1M count=32 status=none
    journal=$(losetup --find --show "$DIR/two/journal")
    mke2fs -q -F -O journal_dev -b 4096 "$journal"
    mkfs.ext4 -q -F -E nodiscard -b 4096 -J device="$journal" "$DEVICE"; mount "$DEVICE" "$MNT"
}
unmake() {
    umount "$MNT"; losetup --detach "$journal"; sleep 0.2
    umount "$DIR/two"; losetup --detach "$two"; sleep 0.2
    umount "$DIR/one"; losetup --detach "$one"
    rm -f "$DIR/one.img"
    mkfs.ext4 -q -F -E nodiscard "$DEVICE"; mount "$DEVICE" "$MNT"
}
