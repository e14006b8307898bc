# Fault: merging switched off
# cause: merging_off
make() { filesystem "$HDD" ext4; queue "$HDD" nomerges 2; }
unmake() { queue "$HDD" nomerges 0; }
