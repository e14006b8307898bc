# Fault: data on a container's own layer, which is copied up before the first change
# cause: overlay_copies_up
make() {
    modprobe overlay
    filesystem "$SSD" ext4
    mkdir -p /srv/lower /srv/upper /srv/work /mnt/over
    mount -t overlay overlay -o lowerdir=/srv/lower,upperdir=/srv/upper,workdir=/srv/work /mnt/over || return 1
    TARGET=/mnt/over
}
unmake() { umount /mnt/over; }
