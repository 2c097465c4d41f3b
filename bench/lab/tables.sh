#!/usr/bin/env bash
# Prints the tables of a lab as Markdown: every number of bench/lab/*.md comes from here.
# Usage: bench/lab/tables.sh GW LAB [--least] > FILE.md; --least counts the least time of the repeats, for shared machines.
set -euo pipefail
gw=$1 lab=$2 least=${3:-}
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

# A heading, the command, and what it prints.
show() {
    local title=$1
    shift
    printf '\n## %s\n\n```\n$ gw %s\n' "$title" "${*//$here\//}"
    "$gw" "$@" | cut -c 1-150
    printf '```\n'
}
ask() { show "$1" lab query "$lab" "$2"; }

show "What is in it" lab list "$lab" run-configs
ask "Where it was measured" "SELECT cpu, cores, threads, os, device, driver, version FROM Environment"
ask "Results (C1)" "SELECT a.name AS algorithm, COUNT(*) AS runs, SUM(r.validated) AS validated, COUNT(DISTINCT v.graphId) AS graphs
    FROM Run r JOIN Variant v ON v.id = r.variantId JOIN Algorithm a ON a.id = r.algorithmId GROUP BY 1"
show "Searches compared (C2, C6, C8)" model compare "$lab" $least --algorithm bfs
show "PageRank compared (C3, C4, C5)" model compare "$lab" $least --algorithm pagerank
ask "Winners of whole searches (C2)" "WITH t AS (SELECT r.variantId AS v, m.name AS i, t.avgTime AS s FROM TotalTimer t JOIN Run r ON r.id = t.runId
    JOIN Implementation m ON m.id = r.implId JOIN Algorithm a ON a.id = r.algorithmId
    WHERE t.name = 'computation' AND m.type = 'core' AND a.name = 'bfs'), w AS (SELECT v, i, MIN(s) FROM t GROUP BY v)
    SELECT i AS fastest, COUNT(*) AS variants FROM w GROUP BY 1 ORDER BY 2 DESC"
ask "Slowest against fastest (C2)" "WITH t AS (SELECT r.variantId AS v, t.avgTime AS s FROM TotalTimer t JOIN Run r ON r.id = t.runId
    JOIN Implementation m ON m.id = r.implId JOIN Algorithm a ON a.id = r.algorithmId
    WHERE t.name = 'computation' AND m.type = 'core' AND a.name = 'bfs'), w AS (SELECT v, MAX(s) / MIN(s) AS ratio FROM t GROUP BY v)
    SELECT MIN(ratio) AS least, AVG(ratio) AS mean, MAX(ratio) AS greatest FROM w"
ask "Searches whose fastest implementation changes from step to step (C7)" "WITH t AS (SELECT s.variantId AS v, s.stepId AS s, r.implId AS i, s.avgTime AS a
    FROM StepTimer s JOIN Run r ON r.id = s.runId JOIN Implementation m ON m.id = r.implId JOIN Algorithm a ON a.id = r.algorithmId
    WHERE m.type = 'core' AND a.name = 'bfs'), w AS (SELECT v, s, i, MIN(a) FROM t GROUP BY v, s),
    n AS (SELECT v, COUNT(DISTINCT i) AS n FROM w GROUP BY v)
    SELECT COUNT(*) AS searches, AVG(n > 1) * 100 AS percent_with_two_or_more, AVG(n) AS mean_winners FROM n"
ask "Standard deviation by mean, in percent (C22); the standard error is smaller by the root of the repeats" "SELECT 'runs' AS what, AVG(e) AS mean, AVG(e > 5) * 100 AS percent_above_5 FROM
    (SELECT 100 * stdDev / avgTime AS e FROM TotalTimer WHERE name = 'computation' AND avgTime > 0)
    UNION ALL SELECT 'steps', AVG(e), AVG(e > 5) * 100 FROM (SELECT 100 * stdDev / avgTime AS e FROM StepTimer WHERE avgTime > 0)"
show "What switching costs: a step takes so much longer when another implementation ran before it (C14)" model switching "$lab" $least --algorithm bfs
show "Models on held-out graphs, ten folds (C13, C16)" model cross-validate "$lab" $least --algorithm bfs
show "The published way to train, ten folds" model cross-validate "$lab" $least --algorithm bfs --plain
show "How much data is needed (C19)" model curve "$lab" $least --algorithm bfs --percent 10,30,50,70
"$gw" model train "$lab" $least --algorithm bfs --name steps70 --plain --train-steps 0.7 -o "$here/steps70.json" >/dev/null
show "Labels on held-out steps, published way (C13, C18)" model validate "$lab" $least "$here/steps70.json"
show "Times on held-out steps, published way (C13)" model evaluate "$lab" $least "$here/steps70.json"
for dataset in real made; do
    other=$([ $dataset = real ] && echo made || echo real)
    "$gw" model train "$lab" $least --algorithm bfs --name "from-$dataset" --dataset $dataset -o "$here/from-$dataset.json" >/dev/null
    show "Trained on $dataset, judged on $other (C20)" model evaluate "$lab" $least "$here/from-$dataset.json" --dataset $other --all
done
