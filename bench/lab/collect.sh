#!/usr/bin/env bash
# Collects the lab of this machine: real graphs, generated graphs, ten roots each, all named searches, and PageRank.
# Usage: bench/lab/collect.sh GW LAB TARGET PLATFORM INDEX.tsv [REPEATS] [MAX_VERTICES]
# Deep graphs under schedules that look at all vertices in every step take most of the time: MAX_VERTICES bounds it.
# Running it again goes on where it stopped.
set -euo pipefail
gw=$1 lab=$2 target=$3 platform=$4 index=$5 repeats=${6:-5} max_vertices=${7:-110000}

if [ ! -f "$lab" ]; then
    "$gw" lab init "$lab"
    "$gw" lab add graphs "$lab" --index "$index" --max-vertices "$max_vertices" --dataset real
    "$gw" lab add graphs "$lab" --dataset made --source "generators of Graphwright" \
        kron12=kron:12:seed=1 kron14=kron:14:seed=2 kron16=kron:16:seed=3 kron18=kron:18:seed=4 \
        urand12=urand:12:seed=1 urand14=urand:14:seed=2 urand16=urand:16:seed=3 urand18=urand:18:seed=4 \
        road100=road:100x100:seed=1 road200=road:200x200:seed=2 road300=road:300x300:seed=3 \
        star=star:20000 path=path:2000 tree=tree:100000:seed=1 bipartite=bipartite:4000:40000:200000:seed=1
    "$gw" lab add variants "$lab" --algorithm bfs --roots 10 --seed 1
    "$gw" lab add variants "$lab" --algorithm pagerank --rounds 10
    for algorithm in bfs pagerank; do
        "$gw" lab add schedules "$lab" --algorithm "$algorithm" --target "$target" --named
    done
fi
# A run configuration belongs to a commit; one that is there already is not added twice.
for dataset in real made; do
    "$gw" lab add run-config "$lab" --algorithm bfs --target "$target" --dataset "$dataset" --repeats "$repeats" --platform "$platform"
    "$gw" lab add run-config "$lab" --algorithm pagerank --target "$target" --dataset "$dataset" --repeats "$repeats" --platform "$platform"
done
"$gw" lab run "$lab" --target "$target" --time-limit 60
