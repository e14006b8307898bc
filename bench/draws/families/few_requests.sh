# A queue that may hold few requests.
# rules: requests_run_out
# strengths: 4 5 6 8
make() { was=$(cat "$QUEUE/nr_requests"); echo "$1" >"$QUEUE/nr_requests"; }
unmake() { echo "$was" >"$QUEUE/nr_requests"; }
