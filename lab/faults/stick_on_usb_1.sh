# Fault: a disk whose stream is as fast as its USB 1.1 link carries
# cause: stream_fills_link
# machine: hardware
# options: --layers off
make() { TARGET=$STICK; }
unmake() { :; }
