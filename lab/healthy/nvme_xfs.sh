# Healthy: NVMe with xfs
make() { filesystem "$NVME" xfs; }
unmake() { :; }
