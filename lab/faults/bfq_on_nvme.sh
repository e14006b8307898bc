# Fault: bfq on an NVMe disk
# cause: bfq_on_flash
# test: yes
make() { filesystem "$NVME" ext4; queue "$NVME" scheduler bfq; }
unmake() { queue "$NVME" scheduler none; }
