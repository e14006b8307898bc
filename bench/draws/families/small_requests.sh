# Requests of a few KiB.
# rules: requests_split
# strengths: 4 8 16 32
make() { was=$(cat "$QUEUE/max_sectors_kb"); echo "$1" >"$QUEUE/max_sectors_kb"; }
unmake() { echo "$was" >"$QUEUE/max_sectors_kb"; }
