# Neighbouring requests that are not merged.
# rules: merging_off
# strengths: 2
make() { was=$(cat "$QUEUE/nomerges"); echo "$1" >"$QUEUE/nomerges"; }
unmake() { echo "$was" >"$QUEUE/nomerges"; }
