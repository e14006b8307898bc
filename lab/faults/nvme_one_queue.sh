# Fault: an NVMe with one queue for four CPUs
# cause: single_hardware_queue
# machine: hardware
# options: --no-load
make() { filesystem "$NVME" ext4; }
unmake() { :; }
