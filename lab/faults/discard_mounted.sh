# Fault: ext4 on a SATA disk that discards at every deletion
# cause: discard_on_delete
make() { filesystem "$SSD" ext4 "" discard; }
unmake() { :; }
