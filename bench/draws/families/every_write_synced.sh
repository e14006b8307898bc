# A file system that is mounted to sync every write.
# rules: mounted_sync
# strengths: 1
make() { mount -o remount,sync "$MNT"; }
unmake() { mount -o remount,async "$MNT"; }
