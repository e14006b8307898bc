# Healthy: a USB disk on uas
make() { filesystem "$UAS" ext4; }
unmake() { :; }
