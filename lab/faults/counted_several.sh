# Fault: reads of 1 MiB on a disk that counts each 256 KiB, and takes no more at once
# cause: ios_counted_several
# limit: NVME iops-total=100 iops-size=262144
# options: --layers off --disk-spec aws:io1:100GiB:iops=100
make() { filesystem "$NVME" ext4; queue "$NVME" max_sectors_kb 256; }
unmake() { queue "$NVME" max_sectors_kb 512; }
