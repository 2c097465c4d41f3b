#!/bin/bash
# Measures tables of schedules for replays: seven programs on six graphs, up to 1,300 schedules in random order each.
#
#   bench/lab/survey.sh GW OUT SECONDS TARGET
#
# GW: the binary; nothing else is needed. OUT: a folder for one lab per program (TARGET-PROGRAM.lab), written twice a
# second, so that the script can be ended at any moment; run again it goes on. TARGET: cpu (all cores) or cuda.
# GW_SURVEY_TRY=1 takes two small graphs and two programs; GW_SURVEY_COUNT=N draws N schedules.
#
# The time is shared out in rounds: each round gives every program an equal part of what is left, and a program whose
# tables are whole takes none, so that the rest goes to the slow ones. Afterwards:
#   cargo run --release -p gw-tune --example regret -- --target TARGET OUT/TARGET-*.lab
set -u
here=$(dirname "$(realpath "$0")")
gw=$(realpath "$1") out=$(realpath -m "$2") seconds=${3:-600} target=${4:-cpu}
count=${GW_SURVEY_COUNT:-1300} rounds=4
mkdir -p "$out/log"
made=${GW_SURVEY_MADE:-$(mktemp -d)}
mkdir -p "$made"
cd "$made" || exit 1
export GW_CACHE=${GW_CACHE:-$made/cache}
programs="bfs sssp-delta pagerank cc bc tc kcore"
end=$((SECONDS + seconds))

# Six classes: skewed, random, road, mesh, skewed and directed, few great hubs. All have weights.
case ${GW_SURVEY_TRY:-}$target in
  1*) graphs="kron10=kron:10 road40=road:40x40" programs="bfs cc" ;;
  cuda) graphs="kron18=kron:18:seed=21 urand18=urand:18:8:seed=22 road512=road:512x512:seed=23 grid64=grid:64x64x64
    kron17d=kron:17:12:directed:seed=25 powerlaw=powerlaw:200000:2.0:seed=26" ;;
  *) graphs="kron14=kron:14:seed=21 urand14=urand:14:8:seed=22 road256=road:256x256:seed=23 grid36=grid:36x36x36
    kron14d=kron:14:8:directed:seed=25 powerlaw=powerlaw:30000:2.0:seed=26" ;;
esac

for graph in $graphs; do
  file=${graph%%=*}.gwg
  [ -s "$file" ] || "$gw" graph generate "${graph#*=}:weights=1..100" -o "$file" > /dev/null 2>> "$out/log/graphs" ||
    rm -f "$file"
  [ -s "$file" ] && echo "$file"
done > list
# On a GPU roads have kernels of their own, which take the compiler as long as those of all other graphs: three turns.
if [ "$target" = cuda ] && grep -q road512 list; then
  { echo road512.gwg; grep -v road512 list | head -n 3; echo road512.gwg; grep -v road512 list | tail -n +4
    echo road512.gwg; } > list.turns && mv list.turns list
fi

# PROGRAM SECONDS: all graphs of the list, each for its part of the time; fails where nothing was left. A schedule
# that does not end costs the process its device: the next process goes on with the graph at which that happened.
survey() {
  local lab=$out/$target-$1.lab log=$out/log/$target-$1 until=$((SECONDS + $2)) list=list-$1 left at
  local delta=() threads=()
  [ "$1" = sssp-delta ] && delta=(--delta 32)
  [ "$target" = cuda ] && threads=(--threads 2)
  [ -s "$lab" ] || "$gw" lab init "$lab" > /dev/null
  : > "also-$1"
  [ "$target" = cuda ] && grep "^$1	" "$here/experts.tsv" 2> /dev/null | cut -f 2 > "also-$1"
  cp list "$list"
  while left=$((until - SECONDS)); [ $left -ge 2 ] && [ -s "$list" ]; do
    # Starting and reading graphs take a moment.
    local ms=$(((left * 1000 - 1000) / $(wc -l < "$list")))
    [ $ms -ge 200 ] || return 0
    timeout $((left + 5)) "$gw" tune "$1" "${delta[@]}" --target "$target" --survey "$count" --also "also-$1" \
      --graphs "$list" --lab "$lab" --budget ${ms}ms "${threads[@]}" > "$log.new" 2> "$log.err" < /dev/null
    local code=$?
    cat "$log.err" "$log.new" >> "$log"
    if ! tail -n 1 "$log.err" | grep -q 'still at work'; then
      [ $code -eq 0 ] || echo "$1: exit code $code" >> "$log"
      [ $code -eq 0 ] && ! grep -q '^[1-9][0-9,]* schedules measured' "$log.new" && return 1
      return 0
    fi
    # As many graphs are done as were begun, less one.
    at=$(grep -c '^gw: .*\.gwg$' "$log.err")
    tail -n "+$((at > 0 ? at : 1))" "$list" > "$list.next" && mv "$list.next" "$list"
  done
}

# Every program has a turn per round; a program whose last turn found nothing left to measure has no further one.
open=$programs
for round in $(seq $rounds); do
  waiting=$open
  for program in $waiting; do
    left=$((end - SECONDS))
    [ $left -ge 3 ] || break 2
    turns=$(($(wc -w <<< "$waiting") + (rounds - round) * $(wc -w <<< "$open")))
    survey "$program" $((left / turns)) || open=${open/$program/}
    waiting=${waiting#* }
  done
done

for lab in "$out/$target"-*.lab; do
  "$gw" lab query "$lab" "SELECT c.program, c.graphName, COUNT(DISTINCT t.schedule) AS schedules, COUNT(*) AS runs
    FROM TuneTrial t JOIN TuneCell c ON c.id = t.cellId WHERE t.outcome <> 'failed' GROUP BY c.id" 2> /dev/null
done | tee "$out/log.txt"
