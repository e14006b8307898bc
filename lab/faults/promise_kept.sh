# Fault: a disk that is asked for more than the 500 I/Os a second it was sold with, and gives those
# cause: promise_reached
# options: --quick --disk-spec iops=500
make() { filesystem "$SLOW" ext4; }
unmake() { :; }
