# Fault: a RAID controller that caches no writes, so that each waits for its platters (120 turns a second)
# cause: controller_cache_off
# machine: hardware
# limit: RAID iops-write=120
# options: --layers off
make() { filesystem "$RAID" ext4; }
unmake() { :; }
