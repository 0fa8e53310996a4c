#!/bin/sh
# Imports 20,000 rows, or another number of rows, into a sandbox of its own that loses one response in a hundred, kills
# the import with kill -9 at 13 %, resumes it, and counts with SQL: every code is there once. Needs proc and, for SQL,
# sqlite3 or Node.js 22 or newer. Changes nothing else.
#   sh examples/kill-and-resume.sh [ROWS]
set -eu
rows=${1:-20000}
if [ "${2:-}" != inside ]; then
  echo '$ proc sandbox exec --empty --faults reset-after=1%'
  exec proc sandbox exec --empty --faults reset-after=1% -- sh "$0" "$rows" inside
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

sql() {
  if command -v sqlite3 > /dev/null; then sqlite3 -readonly "$PROC_SANDBOX_DB" "$1"; else
    node -e 'const { DatabaseSync } = require("node:sqlite");
      const open = new DatabaseSync(process.env.PROC_SANDBOX_DB, { readOnly: true });
      console.log(Object.values(open.prepare(process.argv[1]).get()).join("|"));' "$1" 2> /dev/null
  fi
}

cd "$folder"
awk -v rows="$rows" 'BEGIN { print "code,name"; for (n = 1; n <= rows; n++) printf "K-%05d,Bolt %05d\n", n, n }' > items.csv

echo; echo '$ proc items import items.csv --yes'
proc items import items.csv --yes > summary.json &
import=$!
while
  stored=$(sql 'SELECT count(*) FROM items')
  [ "$stored" -lt $((rows * 13 / 100)) ]
do
  kill -0 "$import"
  sleep 0.02
done
echo; echo "\$ kill -9 $import    # the service has $stored items, $((stored * 100 / rows)) %"
kill -9 "$import"
wait "$import" 2> /dev/null || true

echo; echo '$ proc imports resume --yes'
proc imports resume --yes > summary.json

count='SELECT count(*), count(DISTINCT code) FROM items'
echo; echo "\$ sqlite3 \$PROC_SANDBOX_DB '$count'"
counted=$(sql "$count")
echo "$counted"
[ "$counted" = "$rows|$rows" ]
