# Fault: an NVMe disk that warns of its end
# cause: disk_reports_trouble
# needs: smart
make() { filesystem "$NVME2" ext4; }
unmake() { :; }
