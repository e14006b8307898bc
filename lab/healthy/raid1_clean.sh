# Healthy: a mirror in sync
# test: yes
make() { CLEAN=1 array 1 "$SSD" "$SSD2"; filesystem /dev/md0 ext4; }
unmake() { :; }
