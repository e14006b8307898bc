# Fault: ext4 mounted with nodelalloc
# cause: delayed_allocation_off
make() { filesystem "$SSD" ext4 "" nodelalloc; }
unmake() { :; }
