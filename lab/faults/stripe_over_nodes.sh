# Fault: a stripe over NVMe disks of two NUMA nodes, of which the far one answers later
# cause: members_on_two_numa_nodes
# machine: hardware
# limit: NVME2 iops-read=200
# options: --layers off
make() { CLEAN=1 array 0 "$NVME" "$NVME2"; filesystem /dev/md0 ext4; }
unmake() { :; }
