# Fault: read-ahead of 16 MiB, which every fault through a mapping pays
# cause: readahead_too_large
make() { filesystem "$SSD" ext4; queue "$SSD" read_ahead_kb 16384; }
unmake() { queue "$SSD" read_ahead_kb 128; }
