# Fault: an fstab that asks xfs for nobarrier: it mounts by hand, and will not at boot
# cause: xfs_nobarrier_in_fstab
make() { filesystem "$SSD" xfs; echo "$SSD /srv xfs defaults,nobarrier 0 0" >>/etc/fstab; }
unmake() { sed -i '/nobarrier/d' /etc/fstab; }
