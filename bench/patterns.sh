#!/usr/bin/env bash
# `gw mine` and `gw match` on an NVIDIA GPU beside the cores, for bench/mine.md and bench/match.md: under three minutes.
#
#   bench/patterns.sh GW DATA OUT
#
# GW is the `gw` binary; DATA has NETWORK.gfu and queries/NETWORK-SIZE/*.gfu (Dataset-APPAGATO, 32 labels); OUT is a
# folder for tables and logs. A part that fails or takes too long says so, and the others go on. The exit code is 0 when
# all went well and both machines found the same.
set -u
if [ $# -ne 3 ] || [ ! -x "$1" ] || [ ! -d "$2/queries" ]; then
    sed -n '2,8p' "$0" >&2
    exit 2
fi
gw=$(realpath "$1")
data=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
export GW_CACHE=$out/cache
failed=0

# part NAME SECONDS COMMAND...: standard output goes to OUT/NAME; a failure is told and counted.
part() {
    local name=$1 limit=$2 begin=$SECONDS code
    shift 2
    timeout "$limit" "$@" > "$out/$name" 2> "$out/$name.err"
    code=$?
    if [ $code -ne 0 ]; then
        echo "$name: exit code $code after $((SECONDS - begin)) s: $(tail -n 2 "$out/$name.err" | tr '\n' ' ')"
        failed=1
    fi
    return $code
}

# same WHAT FILE FILE
same() {
    if [ -s "$out/$2" ] && cmp -s "$out/$2" "$out/$3"; then
        echo "$1: both machines found the same"
    else
        echo "$1: DIFFERENT, see $out/$2 and $out/$3"
        failed=1
    fi
}

part devices 30 "$gw" devices && grep -i -m 1 'gpu' "$out/devices"

echo "== mine: what is found =="
for trace in T2 T4; do
    for place in cpu cuda; do
        part "found-$trace-$place" 60 "$gw" mine --generate $trace --instants 300001 --target $place
    done
    same "$trace, 300,001 instants" "found-$trace-cpu" "found-$trace-cuda"
done

echo "== match: what is found =="
for size in 8 128; do
    query=$(find "$data/queries/Danio_rerio-$size" -name '*.gfu' | sort | head -n 1)
    for place in cpu cuda; do
        part "matches-$size-$place.json" 60 "$gw" match "$query" "$data/Danio_rerio.gfu" --rounds 1 --json --target $place
        # Times differ, all else must not.
        sed -E 's/"(seeds|growing)": ?[0-9.e-]+/"\1": 0/g' "$out/matches-$size-$place.json" > "$out/matches-$size-$place"
    done
    same "$size nodes in Danio_rerio" "matches-$size-cpu" "matches-$size-cuda"
done

echo "== mine: times (the first run on the GPU sends the trace and makes kernels ready) =="
for trace in T1 T2 T3 T4; do
    for set in 1 2; do
        for place in cuda cpu; do
            repeat=2
            [ $place = cuda ] && repeat=6
            part "mine-$trace-$set-$place" 60 "$gw" mine --generate $trace --templates $set --target $place --repeat $repeat &&
                echo "$trace, templates $set, $place:" && cat "$out/mine-$trace-$set-$place"
        done
    done
done

echo "== match: times of 100 queries each =="
for network in Danio_rerio Mus_musculus Homo_sapiens; do
    for size in 8 32 128; do
        for place in cuda cpu; do
            part "match-$network-$size-$place" 40 "$gw" match "$data/queries/$network-$size" "$data/$network.gfu" --target $place &&
                echo "$network, $size nodes, $place: $(tail -n 1 "$out/match-$network-$size-$place")"
        done
    done
done
echo "$SECONDS s in all"
exit $failed
