# Fault: two disks joined one behind the other
# cause: linear_volume
# test: yes
make() {
    MEMBERS="$SSD $SSD2"
    pvcreate -qqff -y "$SSD" "$SSD2"
    vgcreate -qq data "$SSD" "$SSD2"
    lvcreate -qq -y -Wy -l 100%FREE -n files data
    filesystem /dev/data/files ext4
}
unmake() { umount /srv; vgremove -qqff -y data; pvremove -qqff -y "$SSD" "$SSD2"; }
