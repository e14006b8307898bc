# Makes one draw, checks, and takes it back:  draw.sh BINARY DIRECTORY DEVICE MOUNT FAMILY=STRENGTH...
# Prints the document of the check.
set -eu
here=$(dirname "$0")
binary=$1 DIR=$2 DEVICE=$3 MNT=$4
shift 4
QUEUE=/sys/block/${DEVICE#/dev/}/queue
NUMBER=$(cat "/sys/block/${DEVICE#/dev/}/dev")
ENTER=$DIR/enter NICE=$DIR/nice
: >"$ENTER"
echo 0 >"$NICE"
# Each family has its own functions, so that it runs in a shell of its own that holds until it is told to end.
draw() {
    if [ $# -eq 0 ]; then
        begun=$(date +%s.%N)
        sh -c 'while read -r file; do echo $$ >"$file"; done <"$0"; exec nice -n "$(cat "$1")" "$2" check "$3" --quick --json' \
            "$ENTER" "$NICE" "$binary" "$MNT" 2>"$DIR/said" || true
        echo "$(date +%s.%N) $begun" | awk '{ print $1 - $2 }' >"$DIR/seconds"
        return
    fi
    family=${1%%=*} strength=${1#*=}
    shift
    (
        . "$here/families/$family.sh"
        trap 'unmake >&2' EXIT
        make "$strength" >&2
        draw "$@"
    )
}
draw "$@"
