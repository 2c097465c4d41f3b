#!/usr/bin/env bash
# The measuring half of bench/model.md: runs on the machine in question.
#
#     bench/model/measure.sh GW GRAPHS OUT [cpu|cuda]
#
# GW is a release build, GRAPHS a folder with the three real graphs, OUT a folder for the cells; the processor is measured
# unless the GPU is asked for. Each phase has a time limit; what a phase did not reach is missing in its file.
# The modelling half, bench/model/tables.sh, runs anywhere.
set -u
gw=$(realpath "$1"); graphs=$(realpath "$2"); mkdir -p "$3"; out=$(realpath "$3"); target=${4:-cpu}
cd "$graphs" || exit 2   # cells name the graphs by their files alone, so that any machine finds them
real=(--graph physics=coauthor-physics.mtx.gz --graph uk-web=uk-2007-05-100000.mtx.zst
      --graph roads-sf=road-san-francisco.mtx.gz)
# Programs and graphs for random schedules, in the table and in training.
few=bfs/rmat,bfs/road,sssp/rmat,pagerank/rmat
began=$SECONDS
# phase LIMIT NAME COMMAND...
phase() {
  local limit=$1 name=$2; shift 2
  timeout "$limit" "$@" > "$out/$name.log" 2>&1
  echo "$name: rc $? after $((SECONDS - began)) s"
}
cells() { # LIMIT NAME THREADS OPTIONS...
  local limit=$1 name=$2 threads=$3; shift 3
  phase "$limit" "$name" "$gw" --threads "$threads" explain --measure-table "$out/$name.json" --runs 15 "$@"
}
if [ "$target" = cuda ]; then
  scale=${GPU_SCALE:-18} small=${GPU_SMALL:-17}
  table=(--target cuda --scale "$scale" "${real[@]}")
  train=(--target cuda --scale "$scale" --training)
  random=(--target cuda --scale "$small" --only "$few" --schedules "${SCHEDULES:-100}")
  train_random=(--target cuda --scale "$small" --only "$few,cc/uniform" --training --schedules 8)
  # Kernels are compiled first, by many processes, so that the measurement waits for no compiler.
  jobs=${JOBS:-$(nproc)}
  for i in $(seq "$jobs"); do
    (for set in table train random train_random; do
      declare -n options=$set
      timeout "${WARM:-100}" "$gw" explain --measure-table "$out/warm.$i" --runs 1 --cell-seconds 0 \
        --part "$i/$jobs" "${options[@]}" > /dev/null 2>&1
    done) &
  done
  wait; rm -f "$out"/warm.*; echo "kernels compiled after $((SECONDS - began)) s"
  cells 60 cuda 1 "${table[@]}" --cell-seconds 0.15
  cells 50 cuda-train 1 "${train[@]}" --cell-seconds 0.1
  cells 30 cuda-train-random 1 "${train_random[@]}" --cell-seconds 0.04
  cells "${RANDOM_LIMIT:-80}" cuda-random 1 "${random[@]}" --cell-seconds 0.04
  echo "all: $((SECONDS - began)) s"; exit
fi
scale=${CPU_SCALE:-16} small=${CPU_SMALL:-13}
[ -s "$out/cpu-sheet.json" ] || phase 60 sheet "$gw" meter --quick --target cpu -o "$out/cpu-sheet.json"
all=$(nproc)
for threads in ${THREADS:-1 $([ "$all" -gt 1 ] && echo "$all")}; do
  cells 120 "cpu$threads" "$threads" --scale "$scale" "${real[@]}" --cell-seconds "${CELL_SECONDS:-0.25}"
  cells 90 "cpu$threads-train" "$threads" --scale "$scale" --training --cell-seconds "${CELL_SECONDS:-0.25}"
done
cells 60 cpu1-train-random 1 --scale "$small" --only "$few,cc/uniform" --training --schedules 8 --cell-seconds 0.05
cells 120 cpu1-random 1 --scale "$small" --only "$few" --schedules "${SCHEDULES:-100}" --cell-seconds 0.05
echo "all: $((SECONDS - began)) s"
