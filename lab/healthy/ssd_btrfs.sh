# Healthy: a SATA flash disk with btrfs
make() { filesystem "$SSD" btrfs; }
unmake() { :; }
