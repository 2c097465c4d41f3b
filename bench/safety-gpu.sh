#!/usr/bin/env bash
# What programs that reach outside of their vectors, sets and graphs do on a GPU, and how long a run takes to stop.
#
#   bench/safety-gpu.sh GW REPRODUCERS
#
# GW is the `gw` binary, REPRODUCERS a folder with the programs named below. Every program runs on `--target cuda` under
# `compute-sanitizer --tool memcheck` (without it where there is none), and one line tells its exit code, the invalid accesses
# and its message. The exit code of this script is the number of lines that are not as they should be.
set -u
if [ $# -ne 2 ] || [ ! -x "$1" ] || [ ! -d "$2" ]; then
    sed -n '2,8p' "$0" >&2
    exit 2
fi
gw=$1
folder=$2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
wrong=0

sanitizer=()
if command -v compute-sanitizer > /dev/null; then
    sanitizer=(compute-sanitizer --tool memcheck --error-exitcode 99 --print-limit 1)
else
    echo "compute-sanitizer is not there: programs run without it" >&2
fi

# line NAME EXIT INVALID MESSAGE EXPECTED
line() {
    local verdict=ok
    [ "$5" = yes ] || { verdict=WRONG; wrong=$((wrong + 1)); }
    printf '%-6s %-22s exit %-4s invalid %-8s %s\n' "$verdict" "$1" "$2" "$3" "$4"
}

# memory NAME EXPECTED ARGUMENTS...: the program ends with this exit code and without an invalid access.
memory() {
    local name=$1 expected=$2 code invalid message right=yes
    shift 2
    timeout 300 "${sanitizer[@]}" "$gw" run "$folder/$name.gt" "$@" --target cuda > "$log" 2>&1
    code=$?
    invalid=$(sed -n 's/.*ERROR SUMMARY: \([0-9]*\) error.*/\1/p' "$log" | tail -1)
    [ -n "$invalid" ] || { [ ${#sanitizer[@]} -eq 0 ] && invalid=- || invalid='?'; }
    message=$(grep -v '^=========' "$log" | grep -m1 -iE 'out of range|error' || grep -v '^=========' "$log" | tail -1)
    [ "$code" = "$expected" ] || right=no
    case "$invalid" in 0 | -) ;; *) right=no ;; esac
    line "$name" "$code" "$invalid" "$message" "$right"
}

memory fixed_vec 1 path:12
memory fixed_vec 1 path:9
memory fixed_vec 0 path:8
memory two_graphs 1 path:10 kron:16
memory two_elem 1 path:10 path:1000000
memory fixed_row 1 path:5000
memory captured_other 1 path:1000000
memory degree_other 1 path:10 kron:18
memory ngh_other 1 path:10 kron:18
memory inter_other 1 path:10 kron:16
memory queue_other 1 path:10:weights=1..5 kron:17:weights=1..5
memory oob_reload 1 path:10 path:100000
memory oob_vertexset5 1 path:100000
memory oob_read_two_graphs 1 path:10 kron:16
memory hist 1 kron:10
memory set_from_other 1 path:10 path:40
memory w_from 0 path:10 path:1000

# ended NAME LIMIT EXPECTED START CODE: whether what began at START ended in time, and with one of the expected exit codes.
ended() {
    local name=$1 limit=$2 expected=$3 start=$4 code=$5 seconds right=yes
    seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f", b - a }')
    awk -v s="$seconds" -v l="$limit" 'BEGIN { exit !(s <= l) }' || right=no
    case " $expected " in *" $code "*) ;; *) right=no ;; esac
    line "$name" "$code" - "ended after $seconds s, allowed $limit s: $(tail -1 "$log")" "$right"
}

# The first run compiles the kernel, which takes its time and is kept.
timeout -s KILL 60 "$gw" run "$folder/timeout_ignored.gt" path:100 --target cuda --timeout 5 > "$log" 2>&1

start=$(date +%s.%N)
timeout -s KILL 60 "$gw" run "$folder/timeout_ignored.gt" path:100 --target cuda --timeout 2 > "$log" 2>&1
ended 'timeout of 2 s' 4.5 1 "$start" $?

for signal in INT TERM; do
    "$gw" run "$folder/timeout_ignored.gt" path:100 --target cuda > "$log" 2>&1 &
    process=$!
    sleep 3
    start=$(date +%s.%N)
    kill -"$signal" "$process"
    (sleep 20 && kill -KILL "$process" 2> /dev/null) &
    guard=$!
    wait "$process"
    code=$?
    kill "$guard" 2> /dev/null
    ended "SIG$signal" 1.0 "1 130 143" "$start" "$code"
done

# The GPU is free again afterwards.
start=$(date +%s.%N)
timeout -s KILL 120 "$gw" run bfs kron:12 0 --target cuda --verify > "$log" 2>&1
ended 'a run afterwards' 100 0 "$start" $?
exit "$wrong"
