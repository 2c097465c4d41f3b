#!/usr/bin/env bash
# Energy and criteria on an NVIDIA GPU, in one go of about six minutes: what bench/mapping.md and bench/claims-*.md
# still lack. Needs nvcc, and ncu with permission to read counters.
#
#   bench/energy.sh GW OUT [SECONDS]
#
# GW is the `gw` binary, OUT a folder for the tables, SECONDS the window per load balancer (default 0.7). A part that
# fails or takes too long says so, and the others go on. `bench/energy.py OUT/mapping.tsv` makes the tables of
# bench/mapping.md.
set -u
if [ $# -lt 2 ] || [ ! -x "$1" ]; then
    sed -n '2,9p' "$0" >&2
    exit 2
fi
gw=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
window=${3:-0.7}
here=$(realpath "$(dirname "$0")")
export GW_CACHE=$out/cache
shapes="gb-osm notredame patents circuit skitter regular8 kron20"
failed=0

# part NAME SECONDS COMMAND...: standard output goes to OUT/NAME, and one line tells how it went.
part() {
    local name=$1 limit=$2 begin=$SECONDS
    shift 2
    timeout "$limit" "$@" > "$out/$name" 2> "$out/$name.err"
    local code=$?
    echo "$name: exit code $code after $((SECONDS - begin)) s"
    [ $code -eq 0 ] || { failed=$((failed + 1)); tail -n 2 "$out/$name.err" | sed 's/^/    /'; }
}

# The processor first, while nothing else runs.
part cpu.txt 90 "$gw" meter --target cpu --out "$out/cpu.json"
# compiled NAME SOURCE OPTIONS...
compiled() {
    local name=$1 source=$here/primitives/$2
    shift 2
    nvcc -O3 -std=c++20 -arch=native -I "$here/../crates/device/headers" "$source" "$@" -o "$out/$name" \
        2> "$out/$name.nvcc" &
}
compiled mapping mapping.cu
compiled mapping-children mapping.cu -DCHILD_KERNELS -rdc=true -lcudadevrt
compiled primitives primitives.cu
compiled characterise characterise.cu
wait
part mapping.tsv 200 "$out/mapping" energy "$window" $shapes
part mapping-children.tsv 60 "$out/mapping-children" energy "$window" $shapes
part primitives.tsv 60 "$out/primitives" energy "$window"
part curves.tsv 20 "$out/characterise" time
part curves-again.tsv 20 "$out/characterise" time
part tune-time.schedule 60 "$gw" tune pagerank kron:18 --target cuda --budget 20s
part tune-energy.schedule 80 "$gw" tune pagerank kron:18 --target cuda --budget 40s --objective energy
part ncu.txt 90 ncu --csv --page raw --clock-control none --cache-control none --metrics "$("$gw" criteria --metrics)" \
    --log-file "$out/ncu.csv" "$out/mapping" once notredame skitter regular8
part criteria.txt 20 "$gw" criteria "$out/ncu.csv"
part bench.txt 120 "$gw" bench mapping --target cuda --energy --trials 1 --warm-ups 1 --graphs notredame,skitter \
    --out "$out/bench.json"
exit $failed
