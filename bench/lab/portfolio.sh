#!/bin/bash
# Measures the rule and the portfolio of schedules of 13 programs on many graphs: what the learned choice is trained on.
#
#   bench/lab/portfolio.sh GW OUT [REAL] [SECONDS]
#
# GW: the binary. OUT: a folder for the labs, written as measurements come in, so that little is lost when it is ended.
# REAL: a folder with the real graphs named below (others are left out). SECONDS: time for the measurements (250).
# GW_PORTFOLIO=cpu or cuda measures on one machine only; GW_PORTFOLIO_TRY=1 takes three small graphs and two programs.
#
# Processor: three surveys side by side on four cores each, and one on two cores. GPU: one process at a time, after the
# kernels of all programs were compiled side by side. Afterwards OUT has cpu-0.lab .. cpu-3.lab and cuda.lab:
#   gw model choice OUT/cpu-*.lab --judge; gw model choice OUT/cuda.lab --target cuda --judge
set -u
gw=$(realpath "$1") out=$(realpath -m "$2") real=${3:-} seconds=${4:-250}
machines=${GW_PORTFOLIO:-cpu cuda}
mkdir -p "$out"
made=${GW_PORTFOLIO_MADE:-$(mktemp -d)}
mkdir -p "$made/log"
export GW_CACHE=${GW_CACHE:-$made/cache} gw out made
programs="bfs sssp sssp-delta cc cc-fast pagerank pagerank-delta bc kcore mis coloring tc triangles"

# name, spec, machines (c: processor, g: GPU), all with weights so that every program takes them.
generated() {
  cat <<'LIST'
kron12 kron:12 c
kron13-4 kron:13:4:seed=3 c
kron14 kron:14:seed=2 c
kron15-8 kron:15:8:seed=5 cg
kron16-4 kron:16:4:seed=6 cg
kron17-2 kron:17:2:seed=7 c
kron18 kron:18:seed=8 g
kron19-8 kron:19:8:seed=9 g
kron20-3 kron:20:3:seed=10 g
urand12 urand:12 c
urand13-32 urand:13:32:seed=2 c
urand15-4 urand:15:4:seed=3 cg
urand16-8 urand:16:8:seed=4 c
urand18 urand:18:seed=5 g
urand20-4 urand:20:4:seed=6 g
road100 road:100x100 c
road250 road:250x250:seed=3 c
road400 road:400x400:drop=0.2:seed=4 cg
road600 road:600x300:diagonals=0.3:seed=5 c
road1000 road:1000x1000:seed=6 g
road2000 road:2000x500:drop=0.15:seed=7 g
grid200 grid:200x200 c
grid40-3d grid:40x40x40 c
grid130-3d grid:130x130x130 g
smallworld20k smallworld:20000:6:0.05 c
smallworld50k smallworld:50000:10:0.3:seed=2 c
smallworld400k smallworld:400000:10:0.1:seed=3 g
ring30k smallworld:30000:20:0.001:seed=4 cg
regular30k regular:30000:8 c
regular200k regular:200000:16:seed=2 g
powerlaw30k powerlaw:30000:2.2:min=2 c
powerlaw100k powerlaw:100000:2.0:seed=2 cg
powerlaw60k powerlaw:60000:2.8:min=4:seed=3 c
powerlaw1m powerlaw:1000000:2.1:min=2:seed=4 g
star20k star:20000 c
stars degrees:20000:powerlaw:1.6:1..3000 c
shape60k shape:60000:6:60:9000 c
shape300k shape:300000:8:120:40000 g
bipartite10k bipartite:10000:2000:120000 c
bipartite60k bipartite:60000:60000:300000:seed=2 c
bipartite300k bipartite:300000:3000:4000000:seed=3 g
tree30k tree:30000:random c
tree200k tree:200000:3 cg
path20k path:20000 c
complete600 complete:600 cg
kron14-d kron:14:directed:seed=12 c
urand14-d urand:14:6:directed:seed=13 c
LIST
}

# Real graphs: autonomous systems, proteins, shops, papers, circuits, meshes, matrices, knowledge, power, roads, social.
reals="as-caida20071105 amazon-computers astro-ph cit-HepPh epfl-div epfl-hyp fe_pwt mesh-dragon-res2 t60k 4elt bcsstk33
kg-FB15K237 nell-planetoid power-SyntheticUSA road-seattle-main road-rome-main road-modesto tn-Sydney BlogCatalog3
socfb-Cornell5 deezer-RO flickr-sdm debian12-dependencies wiki-Vote PGPgiantcompo ego-Facebook uk-2007-05-100000"
real_on_gpu=" cit-HepPh epfl-hyp mesh-dragon-res2 kg-FB15K237 road-rome-main socfb-Cornell5 uk-2007-05-100000 BlogCatalog3
power-SyntheticUSA "

if [ -n "${GW_PORTFOLIO_TRY:-}" ]; then
  generated() { printf '%s\n' "kron10 kron:10 cg" "road40 road:40x40 cg" "urand10 urand:10:4 cg"; }
  reals="" programs="bfs cc"
fi

make_graph() { # NAME SPEC
  [ -s "$made/$1.gwg" ] || "$gw" graph generate "$2:weights=1..100" -o "$made/$1.gwg" --threads 2 > /dev/null \
    2> "$made/log/graph-$1" || rm -f "$made/$1.gwg"
}
make_real() { # NAME FILE
  [ -s "$made/$1.gwg" ] || "$gw" graph convert "$2:weights=1..100" "$made/$1.gwg" --threads 2 > /dev/null \
    2> "$made/log/graph-$1" || rm -f "$made/$1.gwg"
}
export -f make_graph make_real
generated | awk '{print $1, $2}' | xargs -P 8 -L 1 bash -c 'make_graph "$0" "$1"'
for name in $reals; do
  file=$(ls "$real/$name".mtx.* 2> /dev/null | head -n 1)
  [ -n "$file" ] && echo "$name $file"
done | xargs -r -P 8 -L 1 bash -c 'make_real "$0" "$1"'

lists() { # c or g: the graphs of a machine that were made
  { generated | awk -v m="$1" 'index($3, m) {print $1}'
    for name in $reals; do
      if [ "$1" = c ]; then echo "$name"
      else case "$real_on_gpu" in *[[:space:]]"$name"[[:space:]]*) echo "$name";; esac; fi
    done; } | while read -r name; do [ -s "$made/$name.gwg" ] && echo "$made/$name.gwg"; done
}
# The same shuffle every time.
shuffled() { shuf --random-source=<(yes "$1"); }

cell() { # PROGRAM GRAPH; LANE tells the cores
  case $LANE in 0) cores=0-3;; 1) cores=4-7;; 2) cores=8-11;; *) cores=14-15;; esac
  threads=4; [ "$LANE" = 3 ] && threads=2
  pin=(taskset -c "$cores"); "${pin[@]}" true 2> /dev/null || pin=()
  delta=(); [ "$1" = sssp-delta ] && delta=(--delta 32)
  "${pin[@]}" timeout 20 "$gw" tune "$1" "$2" "${delta[@]}" --survey portfolio --lab "$out/cpu-$LANE.lab" \
    --budget 1500ms --threads $threads > /dev/null 2>> "$made/log/cpu-$LANE"
}
export -f cell

on_gpu() { # LAB BUDGET PROGRAM LIST
  delta=(); [ "$3" = sssp-delta ] && delta=(--delta 32)
  "$gw" tune "$3" "${delta[@]}" --target cuda --survey portfolio --graphs "$4" --lab "$1" --budget "$2" \
    --threads 2 > /dev/null 2>> "$made/log/cuda-$3"
}
export -f on_gpu

cpu() {
  for lane in 0 1 2 3; do [ -s "$out/cpu-$lane.lab" ] || "$gw" lab init "$out/cpu-$lane.lab" > /dev/null; done
  for program in $programs; do lists c | sed "s|^|$program |"; done > "$made/cells"
  end=$((SECONDS + seconds))
  (shuffled 1 < "$made/cells" | timeout "$seconds" xargs -P 3 -L 1 --process-slot-var=LANE bash -c 'cell "$0" "$1"') &
  # The two cores of the fourth lane help to compile kernels at first.
  (case $machines in *cuda*) sleep $((seconds / 4));; esac
   LANE=3 shuffled 2 < "$made/cells" | LANE=3 timeout $((end - SECONDS)) xargs -L 1 bash -c 'cell "$0" "$1"') &
  wait
}

cuda() {
  end=$((SECONDS + seconds))
  for lab in "$out/cuda.lab" "$made/warm.lab"; do [ -s "$lab" ] || "$gw" lab init "$lab" > /dev/null; done
  lists g | shuffled 3 > "$made/gpu"
  # Rules differ by size and degree: one graph of each kind has all kernels compiled.
  grep -E '/(kron18|road400|urand15-4|kron10|road40)\.gwg' "$made/gpu" > "$made/warm"
  pin=(taskset -c 12-15); "${pin[@]}" true 2> /dev/null || pin=()
  echo $programs | tr ' ' '\n' | timeout $((seconds * 2 / 5)) "${pin[@]}" \
    xargs -P 4 -I% bash -c 'on_gpu "$made/warm.lab" 30s % "$made/warm"'
  pin=(taskset -c 12-13); "${pin[@]}" true 2> /dev/null || pin=()
  split -n r/3 "$made/gpu" "$made/gpu."
  for part in "$made"/gpu.a?; do
    for program in $programs; do
      left=$((end - SECONDS)); [ $left -gt 2 ] || return 0
      timeout $left "${pin[@]}" bash -c "on_gpu '$out/cuda.lab' 1500ms $program '$part'"
    done
  done
}

for machine in $machines; do $machine & done
wait
# Surveys that were at work have a second and a half left.
sleep 2
for lab in "$out"/*.lab; do
  "$gw" lab list "$lab" trials 2> /dev/null | wc -l | sed "s|^|$lab: trials |"
done | tee "$out/log.txt"
tail -n 20 "$made"/log/* >> "$out/log.txt" 2>&1
