# A check that may run on one CPU, which so many busy programs have too.
# rules: cpus_taken_by_others
# strengths: 1 3
make() {
    busy=
    for _ in $(seq "$1"); do taskset -c 0 sh -c 'while :; do :; done' & busy="$busy $!"; done
    GROUP=/sys/fs/cgroup/cpuset/iodyno-draw
    mkdir "$GROUP"
    cat "$GROUP/../cpuset.mems" >"$GROUP/cpuset.mems"
    echo 0 >"$GROUP/cpuset.cpus"
    echo "$GROUP/cgroup.procs" >>"$ENTER"
}
unmake() { kill $busy; rmdir "$GROUP"; }
