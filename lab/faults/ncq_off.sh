# Fault: a SATA disk that takes one command at a time
# cause: one_command_at_a_time
make() { filesystem "$SSD" ext4; echo 1 >"/sys/block/$(name "$SSD")/device/queue_depth"; }
unmake() { echo 31 >"/sys/block/$(name "$SSD")/device/queue_depth"; }
