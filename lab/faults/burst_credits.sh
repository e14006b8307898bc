# Fault: a disk that is fast until its credits are gone
# cause: burst_used_up token_bucket rate_capped_outside
# options: --layers off
make() { filesystem "$BURST" ext4; }
unmake() { :; }
