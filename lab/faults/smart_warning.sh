# Fault: an NVMe disk that warns of its end
# cause: disk_reports_trouble disk_counts_errors
# needs: smart
make() { filesystem "$NVME2" ext4; }
unmake() { :; }
