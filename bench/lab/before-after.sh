#!/bin/bash
# Compares `--schedule rule` with `--schedule auto`, the learned choice: 13 programs on generated graphs, then the cells
# of the suites gap and (on a GPU) h200.
#
#   bench/lab/before-after.sh GW OUT TARGET [SECONDS]
#
# GW: the binary. OUT: a folder; a JSON file per suite and program is written when that program is done, so that the
# script can be ended at any moment, and run again it goes on. TARGET: cpu or cuda. SECONDS: time in all (300).
# The two schedules take turns, from source to source and from trial to trial. Afterwards
#   python3 bench/lab/before-after.py OUT
# writes OUT/cells.tsv and a summary; the script does so itself where there is Python.
# GW_BEFORE_AFTER_TRY=1 takes two small graphs and two programs.
set -u
here=$(dirname "$(realpath "$0")")
gw=$(realpath "$1") out=$(realpath -m "$2") target=${3:-cpu} seconds=${4:-300}
mkdir -p "$out"
made=$(mktemp -d)
export GW_CACHE=${GW_CACHE:-$made/cache}
end=$((SECONDS + seconds))
trap 'command -v python3 > /dev/null && python3 "$here/before-after.py" "$out"; rm -rf "$made"' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

case ${GW_BEFORE_AFTER_TRY:-}$target in
  1*) graphs="kron10=kron:10 road40=road:40x40" programs="bfs cc" suites="" ;;
  cuda) graphs="kron18=kron:18 kron20=kron:20 urand20=urand:20:8 road1000=road:1000x1000 road2000=road:2000x2000
    grid100=grid:100x100x100 powerlaw=powerlaw:1000000:2.1:min=2 ring=smallworld:400000:10:0.1
    kron18d=kron:18:8:directed" programs="" suites="gap h200" ;;
  *) graphs="kron16=kron:16 kron18=kron:18:8 urand17=urand:17:8 road500=road:500x500 grid60=grid:60x60x60
    powerlaw=powerlaw:200000:2.1:min=2 ring=smallworld:100000:10:0.1 kron16d=kron:16:8:directed"
    programs="" suites="gap" ;;
esac
programs=${programs:-bfs sssp sssp-delta cc cc-fast pagerank pagerank-delta bc kcore mis coloring tc triangles}

{
  echo 'name = "before-after"'
  echo 'description = "the rule against the learned choice"'
  printf '%s\n' 'seed = 1' 'trials = 7' 'warm-ups = 1' 'verify = false' 'weights = "1..100"'
  for graph in $graphs; do printf '[[graph]]\nname = "%s"\nspec = "%s"\n' "${graph%%=*}" "${graph#*=}"; done
  for program in $programs; do
    printf '[[entry]]\nprogram = "%s"\n' "$program"
    case $program in
      bfs | sssp | bc) printf 'sources = 3\n' ;;
      sssp-delta) printf 'sources = 3\nargs = ["{graph}", "{source}", "32"]\n' ;;
    esac
  done
} > "$made/suite.toml"

# NAME SUITE PROGRAM [OPTION ...]: one program of a suite on all its graphs.
compare() {
  local file=$out/$1-$3.json suite=$2 program=$3 left=$((end - SECONDS))
  shift 3
  [ -s "$file" ] && return
  [ $left -ge 5 ] || exit 0
  timeout $left "$gw" bench "$suite" --programs "$program" --target "$target" --schedule rule --schedule auto \
    --no-verify --json --out "$made/part.json" "$@" > /dev/null 2>> "$out/log.txt" < /dev/null &&
    mv "$made/part.json" "$file"
}

for program in $programs; do compare made "$made/suite.toml" "$program"; done
for suite in $suites; do
  for program in bfs sssp-delta pagerank cc-fast bc tc; do
    options=(--graphs kron,urand,road)
    [ "$suite" = h200 ] && options=(--graphs rmat22,grid4k,urand22)
    case $program in bfs | sssp-delta | bc) options+=(--sources 4 --trials 3) ;; *) options+=(--trials 5) ;; esac
    compare "$suite" "$suite" "$program" "${options[@]}"
  done
done
