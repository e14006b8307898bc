# Fault: a stripe over NVMe disks of two NUMA nodes, of which the far one answers later
# cause: members_on_two_numa_nodes members_unequal
# machine: hardware
make() { CLEAN=1 array 0 "$NVME" "$NVME2"; filesystem /dev/md0 ext4; }
unmake() { :; }
