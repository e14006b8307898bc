# Fault: a virtual disk that is taken for a spinning one, with the read-ahead of one
# cause: rotational_is_wrong
make() { filesystem "$VIRTIO" ext4; queue "$VIRTIO" rotational 1; queue "$VIRTIO" read_ahead_kb 4096; }
unmake() { queue "$VIRTIO" read_ahead_kb 128; }
