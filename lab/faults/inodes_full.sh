# Fault: no inodes left
# cause: file_system_full
make() { filesystem "$SSD" ext4 "-N 64"; i=0; while touch "/srv/$i" 2>/dev/null; do i=$((i + 1)); done; }
unmake() { :; }
