# Fault: a disk that the hypervisor holds at 500 I/Os a second
# cause: rate_capped_outside token_bucket
# test: yes
# options: --layers off
make() { filesystem "$SLOW" ext4; }
unmake() { :; }
