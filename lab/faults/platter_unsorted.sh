# Fault: a spinning disk whose requests nothing sorts
# cause: no_scheduler_on_spinning_disk
# machine: hardware
# options: --no-load
make() { filesystem "$HDD" ext4; queue "$HDD" scheduler none; }
unmake() { queue "$HDD" scheduler mq-deadline; }
