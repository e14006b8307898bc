# A control group that allows so many reads a second.
# rules: cgroup_limit_reached cgroup_limits_device
# strengths: 100 300 1000 3000
GROUP=/sys/fs/cgroup/blkio/iodyno-draw-reads
make() { mkdir "$GROUP"; echo "$NUMBER $1" >"$GROUP/blkio.throttle.read_iops_device"; echo "$GROUP/cgroup.procs" >>"$ENTER"; }
unmake() { rmdir "$GROUP"; }
