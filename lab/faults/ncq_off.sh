# Fault: a SATA disk that takes one command at a time
# cause: queue_depth_one
make() { filesystem "$SSD" ext4; echo 1 >"/sys/block/$(name "$SSD")/device/queue_depth"; }
unmake() { echo 31 >"/sys/block/$(name "$SSD")/device/queue_depth"; }
