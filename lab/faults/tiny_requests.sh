# Fault: requests of 16 KiB at most
# cause: requests_split
make() { filesystem "$SSD" ext4; queue "$SSD" max_sectors_kb 16; }
unmake() { queue "$SSD" max_sectors_kb "$(cat "/sys/block/$(name "$SSD")/queue/max_hw_sectors_kb" | awk '{print ($1<1280)?$1:1280}')"; }
