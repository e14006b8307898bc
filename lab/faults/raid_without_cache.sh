# Fault: a RAID controller that caches no writes
# cause: controller_cache_off
# machine: hardware
make() { filesystem "$RAID" ext4; }
unmake() { :; }
