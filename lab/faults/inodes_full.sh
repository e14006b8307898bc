# Fault: no inodes left
# cause: file_system_full
make() { filesystem "$SSD" ext4 "-N 64"; i=0; for i in $(seq 500); do : >"/srv/$i"; done 2>/dev/null; true; }
unmake() { :; }
