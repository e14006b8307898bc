# Healthy: a spinning disk with mq-deadline
# test: yes
make() { filesystem "$HDD" ext4; queue "$HDD" scheduler mq-deadline; }
unmake() { :; }
