#!/usr/bin/env bash
# The one procedure behind bench/lab. Running it again goes on where it stopped; nothing new is begun after DEADLINE, in
# seconds since 1970.
#
#   lab.sh full   GW MACHINE TARGET FOLDER [INDEX.tsv]   all named searches and PageRanks on real and generated graphs, and every
#                                                        table about them: what claims.md speaks of
#   lab.sh models GW MACHINE TARGET FOLDER [INDEX.tsv]   measures, learns, and judges the models on graphs drawn anew; leaves
#                                                        the model for models/ in FOLDER/bfs-TARGET.json
#
# MACHINE names the sets of sets.tsv: graphs of the sets `learned-*` and of the index (up to 110,000 vertices) are learned
# from, those of the last set `judged-*` are judged. TARGET is cpu or cuda. REPEATS timed runs of each, 3 by default.
set -euo pipefail
what=$1 gw=$2 machine=$3 target=$4 folder=$5 index=${6:-}
here=$(cd "$(dirname "$0")" && pwd)
deadline=${DEADLINE:-9999999999}
mkdir -p "$folder"

# On a CPU, which others use as well, the least of the repeats counts; the other options were found by cross-validation on the
# graphs learned from. Of all named searches, `models` takes those that win most: without the others the optimum is at most
# 0.6 % larger (claims.md).
case $target in
    cpu) least=--least
        learning="--total-weight 3 --min-rows 20 --prune-folds 10"
        searches="queue-push-serial queue-push-static queue-push-dynamic queue-push-edge-parallel vertex-pull-dynamic
            vertex-pull-edge-aware bitmap-pull-dynamic bitmap-pull-edge-aware direction-optimising"
        usual=queue-push-dynamic ;;
    cuda) least=
        learning=
        searches="queue-push-cm queue-push-etwc queue-push-wm queue-push-strict queue-push-vw8 bitmap-pull-vertex-based
            vertex-pull-blockreduce edge-list-blockreduce direction-optimising"
        usual=queue-push-cm ;;
    *) echo "$target: cpu or cuda" >&2 && exit 2 ;;
esac

# Does something once, however often the script runs.
once() {
    if [ ! -f "$folder/$1.done" ]; then
        "$1"
        touch "$folder/$1.done"
    fi
}
# Measures what is missing in a lab for an algorithm.
measure() {
    local lab=$1
    shift
    for algorithm in "$@"; do
        for dataset in real made drawn; do
            # A data set that a lab does not have is no error here. A batch that is there already is not added twice.
            "$gw" lab add run-config "$lab" --algorithm "$algorithm" --target "$target" --dataset "$dataset" \
                --repeats "${REPEATS:-3}" --platform "$machine" 2>/dev/null || true
        done
    done
    "$gw" lab run "$lab" --target "$target" --time-limit 60 --stop-after "$((deadline - $(date +%s)))" | tee "$lab.said"
    if grep -q "still missing" "$lab.said"; then
        echo "not everything is measured yet: run this again"
        exit 0
    fi
}
# Adds the drawn graphs of sets; the set is part of a name, since names repeat from set to set.
add_drawn() {
    local lab=$1 graphs=()
    shift
    for set in "$@"; do
        while read -r line; do graphs+=("$set-$line"); done < <("$here/draw.py" "$machine" "$set")
    done
    "$gw" lab add graphs "$lab" --dataset drawn --source "bench/lab/draw.py" "${graphs[@]}"
}
sets() { awk -F'\t' -v m="$machine" -v p="$1" '$1 == m && index($2, p) == 1 { print $2 }' "$here/sets.tsv"; }
add_index() {
    [ -z "$index" ] || "$gw" lab add graphs "$1" --index "$index" --max-vertices 110000 --dataset real
}

# ---- full: everything that has a name ------------------------------------------------------------------------------------
full=$folder/full.lab
prepare_full() {
    "$gw" lab init "$full"
    add_index "$full"
    "$gw" lab add graphs "$full" --dataset made --source "generators of Graphwright" \
        kron12=kron:12:seed=1 kron14=kron:14:seed=2 kron16=kron:16:seed=3 kron18=kron:18:seed=4 \
        urand12=urand:12:seed=1 urand14=urand:14:seed=2 urand16=urand:16:seed=3 urand18=urand:18:seed=4 \
        road100=road:100x100:seed=1 road200=road:200x200:seed=2 road300=road:300x300:seed=3 \
        star=star:20000 path=path:2000 tree=tree:100000:seed=1 bipartite=bipartite:4000:40000:200000:seed=1
    "$gw" lab add variants "$full" --algorithm bfs --roots 10 --seed 1
    "$gw" lab add variants "$full" --algorithm pagerank --rounds 10
    for algorithm in bfs pagerank; do
        "$gw" lab add schedules "$full" --algorithm "$algorithm" --target "$target" --named
    done
}
alternate_full() { "$gw" model alternate "$full" $least --algorithm bfs --candidates 6; }

# ---- models: learn from all graphs measured, judge on graphs that nobody could tune for ----------------------------------
learned=$folder/learned.lab judged=$folder/judged.lab
prepare_learned() {
    "$gw" lab init "$learned"
    mapfile -t names < <(sets learned-)
    add_drawn "$learned" "${names[@]}"
    add_index "$learned"
    "$gw" lab add variants "$learned" --algorithm bfs --roots 10 --seed 1
    # shellcheck disable=SC2086
    "$gw" lab add schedules "$learned" --algorithm bfs --target "$target" $searches
}
# What switching costs. Models learn it from the graphs that they learn from.
alternate_learned() { "$gw" model alternate "$learned" --algorithm bfs --candidates 4 $least; }
# One model of all graphs, which comes along, and three of 70 % of the graphs: how much hangs on the choice of the graphs.
train() {
    # shellcheck disable=SC2086
    "$gw" model train "$learned" --algorithm bfs --name blind-all --store $least $learning -o "$folder/bfs-$target.json"
    for seed in 1 2 3; do
        # shellcheck disable=SC2086
        "$gw" model train "$learned" --algorithm bfs --name "blind-$seed" --train-graphs 0.7 --seed "$seed" --store $least $learning
    done
}
prepare_judged() {
    rm -f "$judged"
    "$here/judged.py" "$learned" "$judged" blind-1 constant "$usual"
    add_drawn "$judged" "$(sets judged- | tail -n 1)"
    "$gw" lab add variants "$judged" --algorithm bfs --roots 10 --seed 1
    for model in blind-all blind-1 blind-2 blind-3 constant; do
        "$gw" lab add schedules "$judged" --algorithm bfs --target "$target" --program bfs-levels --model "$model"
    done
}

case $what in
    full)
        once prepare_full
        measure "$full" bfs pagerank
        once alternate_full
        measure "$full" bfs
        "$gw" lab export "$full" --what runs -o "$folder/full-runs.parquet"
        "$here/tables.sh" "$gw" "$full" $least >"$folder/full.md"
        ;;
    models)
        once prepare_learned
        measure "$learned" bfs
        once alternate_learned
        measure "$learned" bfs
        once train
        once prepare_judged
        measure "$judged" bfs
        "$gw" lab export "$judged" --what runs -o "$folder/judged-runs.parquet"
        for model in blind-all blind-1 blind-2 blind-3; do
            "$gw" model evaluate "$judged" "$model" --all $least
        done | tee "$folder/judged.md"
        ;;
    *) echo "$what: full or models" >&2 && exit 2 ;;
esac
