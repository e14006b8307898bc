# Fault: writers stop at one MiB of unwritten data
# cause: dirty_limit_tiny
make() { filesystem "$SSD" ext4; sysctl -qw vm.dirty_background_bytes=524288 vm.dirty_bytes=1048576; }
unmake() { sysctl -qw vm.dirty_ratio=20 vm.dirty_background_ratio=10; }
