# Fault: a disk that is fast until its credits are gone
# cause: burst_credits_spent token_bucket capped_from_outside
make() { filesystem "$BURST" ext4; }
unmake() { :; }
