# Healthy: two like disks as RAID 0
make() { CLEAN=1 array 0 "$SSD" "$SSD2"; filesystem /dev/md0 xfs; }
unmake() { :; }
