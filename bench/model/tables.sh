#!/usr/bin/env bash
# The modelling half of bench/model.md, on any machine, from the cells that bench/model/measure.sh left.
#
#     bench/model/tables.sh GW GRAPHS CELLS [fit]
#
# Prints all tables. Counts are kept as CELLS/NAME.traced.json, so that a second call traces nothing. With `fit` the
# constants of crates/explain/src/predict are fitted to the training cells instead, and printed.
set -u
gw=$(realpath "$1"); graphs=$(realpath "$2"); cells=$(realpath "$3"); what=${4:-tables}
h200=$(realpath "$(dirname "$0")/../sheets/h200.json")
cd "$graphs" || exit 2
edges=${EDGES:-6000000}
sheet() { case $1 in cuda*) echo "$h200";; *) echo "$cells/cpu-sheet.json";; esac; }
traced() { # NAME: traces the cells of a file, on two cores
  local name=$1
  [ -s "$cells/$name.traced.json" ] || [ ! -s "$cells/$name.json" ] && return
  for part in 1 2; do
    "$gw" explain --table "$cells/$name.json" --sheet "$(sheet "$name")" --edges "$edges" --part $part/2 \
      --traced "$cells/$name.part$part" > /dev/null 2>> "$cells/traced.log" &
  done
  wait
  python3 - "$cells/$name.part1" "$cells/$name.part2" "$cells/$name.traced.json" <<'P'
import itertools, json, sys
one, two = (json.load(open(f)) for f in sys.argv[1:3])
both = [c for pair in itertools.zip_longest(one, two) for c in pair if c]
json.dump(both, open(sys.argv[3], "w"))
P
  rm -f "$cells/$name".part[12]
}
fit() { # TITLE NAMES...: the cells of several files together
  local title=$1; shift
  for name in "$@"; do traced "$name"; done
  python3 -c 'import json, sys; json.dump([c for f in sys.argv[1:] for c in json.load(open(f))], sys.stdout)' \
    $(for name in "$@"; do ls "$cells/$name.traced.json" 2> /dev/null; done) > "$cells/fit.json"
  echo "== $title"; "$gw" explain --table "$cells/fit.json" --sheet "$(sheet "$1")" --fit
}
if [ "$what" = fit ]; then
  fit GPU cuda-train cuda-train-random
  fit CPU $(cd "$cells" && ls cpu*-train.json cpu*-train-random.json | sed 's/.json$//')
  exit
fi
for file in "$cells"/cuda.json "$cells"/cuda-random.json "$cells"/cpu[0-9].json "$cells"/cpu[0-9][0-9].json \
            "$cells"/cpu*-random.json; do
  name=$(basename "$file" .json)
  case $name in *train*) continue;; esac
  [ -s "$file" ] || continue
  traced "$name"
  printf '\n## %s\n\n' "$name"
  "$gw" explain --table "$cells/$name.traced.json" --sheet "$(sheet "$name")"
done
