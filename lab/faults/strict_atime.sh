# Fault: every read writes a time of access
# cause: atime_on_every_read
make() { filesystem "$SSD" ext4 "" strictatime; }
unmake() { :; }
