#!/usr/bin/env bash
# A test that nobody could tune for: graphs are drawn, measured, and split by seeds that are named here; one model per split is
# trained by the defaults of `gw model train` and then run. Everything that is run is reported.
# Usage: bench/lab/blind.sh GW LAB TARGET PLATFORM INDEX.tsv DRAWN.txt MAX_VERTICES [--least]
# Running it again goes on where it stopped; STOP_AFTER bounds the seconds of one measuring.
set -euo pipefail
gw=$1 lab=$2 target=$3 platform=$4 index=$5 drawn=$6 max_vertices=$7 least=${8:-}
stop=${STOP_AFTER:-100000}

# Of all named searches those that win anywhere: without the others the optimum is at most 0.2 % larger (bench/lab/claims.md).
case $target in
    cpu) searches="queue-push-serial queue-push-static queue-push-dynamic queue-push-edge-parallel vertex-pull-dynamic
        vertex-pull-edge-aware bitmap-pull-dynamic bitmap-pull-edge-aware direction-optimising" ;;
    cuda) searches="queue-push-cm queue-push-etwc queue-push-wm queue-push-strict queue-push-vw8 queue-push-vertex-based
        queue-push-merge-path bitmap-pull-vertex-based bitmap-pull-cm vertex-pull-blockreduce vertex-pull-warpreduce edge-list
        edge-list-blockreduce edge-list-bulk direction-optimising" ;;
esac

measure() {
    # What was added since belongs to a new batch for this version of Graphwright; one that is there already is not added twice.
    for dataset in real drawn; do
        "$gw" lab add run-config "$lab" --algorithm bfs --target "$target" --dataset "$dataset" --repeats 3 --platform "$platform"
    done
    "$gw" lab run "$lab" --target "$target" --time-limit 60 --stop-after "$stop"
}

if [ ! -f "$lab" ]; then
    "$gw" lab init "$lab"
    mapfile -t graphs <"$drawn"
    "$gw" lab add graphs "$lab" --dataset drawn --source "generators of Graphwright" "${graphs[@]}"
    "$gw" lab add graphs "$lab" --index "$index" --max-vertices "$max_vertices" --dataset real
    "$gw" lab add variants "$lab" --algorithm bfs --roots 10 --seed 1
    # shellcheck disable=SC2086
    "$gw" lab add schedules "$lab" --algorithm bfs --target "$target" $searches
fi
measure
# What switching costs. Models learn it from the graphs that they learn from.
"$gw" model alternate "$lab" --algorithm bfs --candidates 5 $least
measure
for seed in 1 2 3; do
    "$gw" model train "$lab" --algorithm bfs --name "blind-$seed" --train-graphs 0.7 --seed "$seed" --store $least
    "$gw" lab add schedules "$lab" --algorithm bfs --target "$target" --program bfs-levels --model "blind-$seed"
done
measure
for seed in 1 2 3; do
    "$gw" model evaluate "$lab" "blind-$seed" $least
done
