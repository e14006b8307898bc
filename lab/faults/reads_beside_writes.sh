# Fault: a flash disk in which writes hold reads up
# cause: reads_suffer_from_writes
# limit: NVME bps-total=31457280
# options: --deep
make() { filesystem "$NVME" ext4; }
unmake() { :; }
