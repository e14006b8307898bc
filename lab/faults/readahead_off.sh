# Fault: read-ahead switched off
# cause: readahead_too_small
make() { filesystem "$SSD" ext4; queue "$SSD" read_ahead_kb 0; }
unmake() { queue "$SSD" read_ahead_kb 128; }
