# Fault: an encrypted volume whose work queues add to each I/O
# cause: encryption_in_workqueues
make() {
    key=$(printf '%064d' 7)
    dmsetup create secret --table "0 $(blockdev --getsz "$NVME") crypt aes-xts-plain64 $key 0 $NVME 0"
    filesystem /dev/mapper/secret ext4
}
unmake() { :; }
