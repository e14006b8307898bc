# A file system that is frozen for so many ms of each 200, as snapshots do: no rule knows it, and its place is the file system.
# rules: time_without_cause
# strengths: 100 140
make() {
    sh -c 'while :; do fsfreeze -f "$0"; sleep 0.$1; fsfreeze -u "$0"; sleep 0.$2; done' "$MNT" "$1" "$(printf %03d $((200 - $1)))" &
    busy=$!
}
unmake() { kill "$busy"; wait "$busy" || true; sleep 0.3; fsfreeze -u "$MNT" 2>/dev/null || true; }
