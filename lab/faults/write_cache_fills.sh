# Fault: a flash disk that writes fast until its cache is full
# cause: write_cliff
# limit: NVME bps-write=10485760 bps-write-max=62914560 bps-write-max-length=6
# options: --deep
make() { filesystem "$NVME" ext4; }
unmake() { :; }
