# Fault: a disk sold with 3,000 I/Os a second that gives 500
# cause: below_promise rate_capped_outside token_bucket promise_reached
# options: --quick --disk-spec aws:gp3:100GiB
make() { filesystem "$SLOW" ext4; }
unmake() { :; }
