# Fault: an NVMe disk of 30 MiB a second in which writes hold reads up
# cause: reads_suffer_from_writes
# limit: NVME bps-total=31457280
# options: --deep
make() { filesystem "$NVME" ext4; }
unmake() { :; }
