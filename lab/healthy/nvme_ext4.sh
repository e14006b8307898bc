# Healthy: NVMe with ext4 as it comes
# test: yes
make() { filesystem "$NVME" ext4; }
unmake() { :; }
