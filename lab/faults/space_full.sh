# Fault: a file system that is 97 % full
# cause: file_system_full
make() {
    filesystem "$SSD" ext4 "-m 0"
    free=$(df --output=avail -B1M /srv | tail -n 1)
    fallocate -l "$((free * 97 / 100))M" /srv/ballast
}
unmake() { :; }
