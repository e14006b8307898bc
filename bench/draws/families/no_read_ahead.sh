# Read-ahead switched off, or too small for a page.
# rules: readahead_too_small readahead_rounds_to_zero
# strengths: 0 4 8
make() { was=$(cat "$QUEUE/read_ahead_kb"); echo "$1" >"$QUEUE/read_ahead_kb"; }
unmake() { echo "$was" >"$QUEUE/read_ahead_kb"; }
