# Healthy: a striped volume
make() {
    MEMBERS="$SSD $SSD2"
    pvcreate -qqff -y "$SSD" "$SSD2"
    vgcreate -qq data "$SSD" "$SSD2"
    lvcreate -qq -y -Wy -l 100%FREE -i 2 -I 64k -n files data
    filesystem /dev/data/files ext4
}
unmake() { umount /srv; vgremove -qqff -y data; pvremove -qqff -y "$SSD" "$SSD2"; }
