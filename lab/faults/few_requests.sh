# Fault: four requests for the whole queue
# cause: requests_run_out
make() { filesystem "$VIRTIO" ext4; queue "$VIRTIO" scheduler mq-deadline; queue "$VIRTIO" nr_requests 4; }
unmake() { queue "$VIRTIO" nr_requests 256; }
