# Fault: read-ahead of 16 MiB under random reads
# cause: readahead_too_large
# test: yes
make() { filesystem "$NVME" ext4; queue "$NVME" read_ahead_kb 16384; }
unmake() { queue "$NVME" read_ahead_kb 128; }
