# A control group that allows so many MiB of reads a second.
# rules: cgroup_limit_reached cgroup_limits_device
# strengths: 5 20 60
GROUP=/sys/fs/cgroup/blkio/iodyno-draw-read-bytes
make() { mkdir "$GROUP"; echo "$NUMBER $(($1 << 20))" >"$GROUP/blkio.throttle.read_bps_device"; echo "$GROUP/cgroup.procs" >>"$ENTER"; }
unmake() { rmdir "$GROUP"; }
