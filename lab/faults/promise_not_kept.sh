# Fault: a disk sold with 3,000 I/Os a second that gives 500
# cause: capped_from_outside below_promise token_bucket
# options: --disk-spec aws:gp3:100GiB
make() { filesystem "$SLOW" ext4; }
unmake() { :; }
