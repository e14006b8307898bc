# Fault: a file system that went read-only after an error
# cause: file_system_read_only
make() { filesystem "$SSD" ext4 "" errors=remount-ro; echo 1 >"/sys/fs/ext4/$(name "$SSD")/trigger_fs_error"; sleep 1; }
unmake() { :; }
