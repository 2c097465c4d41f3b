#!/usr/bin/env bash
# A test that nobody could tune for: graphs are drawn by a seed, measured, and split by seeds that are named here; one model per
# split is trained by the defaults of `gw model train`. Then everything is measured once more, fixed schedules and models in
# one pass, and judged by those times on the graphs that the model has not seen. Everything that is run is reported.
# Usage: bench/lab/blind.sh GW FOLDER TARGET PLATFORM INDEX.tsv DRAWN.txt [--least]
# REPEATS timed runs of each, 3 by default. Running it again goes on where it stopped; nothing new is begun after DEADLINE, in seconds since 1970.
set -euo pipefail
gw=$1 folder=$2 target=$3 platform=$4 index=$5 drawn=$6 least=${7:-}
deadline=${DEADLINE:-9999999999}
here=$(dirname "$0")
first=$folder/first.lab second=$folder/second.lab
mkdir -p "$folder"

# Of all named searches those that win most: without the others the optimum is at most 0.6 % larger (bench/lab/claims.md).
case $target in
    cpu) searches="queue-push-serial queue-push-static queue-push-dynamic queue-push-edge-parallel vertex-pull-dynamic
        vertex-pull-edge-aware bitmap-pull-dynamic bitmap-pull-edge-aware direction-optimising"
        usual=queue-push-dynamic ;;
    cuda) searches="queue-push-cm queue-push-etwc queue-push-wm queue-push-strict queue-push-vw8 bitmap-pull-vertex-based
        vertex-pull-blockreduce edge-list-blockreduce direction-optimising"
        usual=queue-push-cm ;;
esac

# Measures what is missing in a lab.
measure() {
    # A batch belongs to a version of Graphwright; one that is there already is not added twice.
    for dataset in real drawn; do
        "$gw" lab add run-config "$1" --algorithm bfs --target "$target" --dataset "$dataset" --repeats "${REPEATS:-3}" --platform "$platform"
    done
    "$gw" lab run "$1" --target "$target" --time-limit 60 --stop-after "$((deadline - $(date +%s)))" | tee "$1.said"
    if grep -q "still missing" "$1.said"; then
        echo "not everything is measured yet: run this again"
        exit 0
    fi
}
# Does something once, however often the script runs.
once() {
    if [ ! -f "$folder/$1.done" ]; then
        "$1"
        touch "$folder/$1.done"
    fi
}
prepare() {
    "$gw" lab init "$first"
    mapfile -t graphs <"$drawn"
    "$gw" lab add graphs "$first" --dataset drawn --source "generators of Graphwright" "${graphs[@]}"
    "$gw" lab add graphs "$first" --index "$index" --max-vertices 110000 --dataset real
    "$gw" lab add variants "$first" --algorithm bfs --roots 10 --seed 1
    # shellcheck disable=SC2086
    "$gw" lab add schedules "$first" --algorithm bfs --target "$target" $searches
}
# What switching costs. Models learn it from the graphs that they learn from.
alternate() {
    "$gw" model alternate "$first" --algorithm bfs --candidates 4 $least
}
train() {
    for seed in 1 2 3; do
        "$gw" model train "$first" --algorithm bfs --name "blind-$seed" --train-graphs 0.7 --seed "$seed" --store $least
    done
    # A tree that always answers the same: what asking costs.
    python3 "$here/again.py" "$first" "$second" blind-1 constant "$usual"
    for model in blind-1 blind-2 blind-3 constant; do
        "$gw" lab add schedules "$second" --algorithm bfs --target "$target" --program bfs-levels --model "$model"
    done
}

once prepare
measure "$first"
once alternate
measure "$first"
once train
measure "$second"
for seed in 1 2 3; do
    "$gw" model evaluate "$second" "blind-$seed" $least
done
