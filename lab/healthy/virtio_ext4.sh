# Healthy: a virtual disk with ext4
make() { filesystem "$VIRTIO" ext4; }
unmake() { :; }
