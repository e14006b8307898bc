# A control group that gives the check so many us of a CPU in 100 ms.
# rules: cpu_quota_holds_load
# strengths: 5000 10000 20000 30000
GROUP=/sys/fs/cgroup/cpu/iodyno-draw
make() { mkdir "$GROUP"; echo "$1" >"$GROUP/cpu.cfs_quota_us"; echo "$GROUP/cgroup.procs" >>"$ENTER"; }
unmake() { rmdir "$GROUP"; }
