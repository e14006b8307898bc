# Fault: a spinning disk without a scheduler
# cause: no_scheduler_on_spinning_disk
make() { filesystem "$HDD" ext4; queue "$HDD" scheduler none; }
unmake() { queue "$HDD" scheduler mq-deadline; }
