# Fault: a disk with a volatile cache whose flushes are left out
# cause: flushes_left_out
make() { filesystem "$SSD" ext4; queue "$SSD" write_cache "write through"; }
unmake() { queue "$SSD" write_cache "write back"; }
