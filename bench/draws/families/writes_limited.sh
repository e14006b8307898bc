# A control group that allows so many writes a second.
# rules: cgroup_limit_reached cgroup_limits_device
# strengths: 50 200 800
GROUP=/sys/fs/cgroup/blkio/iodyno-draw-writes
make() { mkdir "$GROUP"; echo "$NUMBER $1" >"$GROUP/blkio.throttle.write_iops_device"; echo "$GROUP/cgroup.procs" >>"$ENTER"; }
unmake() { rmdir "$GROUP"; }
