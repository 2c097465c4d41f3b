#!/usr/bin/env bash
# The ablations behind bench/claims-kernels.md: mechanisms of BFS-4K, Helix, H-BF and multi-step SCC on a GPU.
#
#   bench/kernels.sh GW FOLDER
#
# GW is the `gw` binary; measurements go to FOLDER, a JSON file per program and graph, and the tables to standard output.
# LIMIT is the seconds that one graph may take (default 120); what was measured until then is kept.
set -u
if [ $# -ne 2 ] || [ ! -x "$1" ]; then
    sed -n '2,8p' "$0" >&2
    exit 2
fi
gw=$1
folder=$2
here=$(dirname "$0")
mkdir -p "$folder"

# measure PROGRAM GRAPH...
measure() {
    local program=$1
    shift
    for graph in "$@"; do
        timeout -s INT "${LIMIT:-120}" "$gw" bench "$here/suites/kernels.toml" --target cuda --no-verify \
            --programs "$program" --graphs "$graph" --out "$folder/$program-$graph.json" > "$folder/$program-$graph.log" 2>&1 ||
            echo "$program on $graph ended with exit code $?; see $folder/$program-$graph.log" >&2
    done
}

measure bfs kron skitter random circuit kron-directed mesh fem road
measure scc kron-directed random-directed ring-directed road
for graph in skitter random kron-directed mesh fem road; do
    measure sssp "$graph"
    measure sssp-delta "$graph"
done
python3 "$here/kernels-table.py" "$folder"
