# Fault: a disk of 16,000 I/Os a second on an instance that allows 3,600
# cause: instance_limit_reached
# limit: VIRTIO iops-total=3600
# options: --layers off --disk-spec aws:gp3:100GiB:iops=16000:instance=m5.large
make() { filesystem "$VIRTIO" ext4; }
unmake() { :; }
