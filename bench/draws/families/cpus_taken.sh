# So many busy programs for each CPU beside a check of low priority.
# rules: cpus_taken_by_others
# strengths: 1 2
make() {
    busy=
    for _ in $(seq $(($1 * $(nproc)))); do sh -c 'while :; do :; done' & busy="$busy $!"; done
    echo 15 >"$NICE"
}
unmake() { kill $busy; }
