# Fault: none of the disk: it gives what it is sold with, and more was hoped for
# cause: promise_reached
# options: --layers off --disk-spec iops=500
make() { filesystem "$SLOW" ext4; }
unmake() { :; }
