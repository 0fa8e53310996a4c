#!/bin/sh
# Imports 20,000 rows into a sandbox of its own that loses one response in a hundred, kills the import with kill -9
# at 13 %, resumes it, and counts with SQL: every code is there once. Needs proc and, for SQL, sqlite3 or Node.js 22
# or newer. Changes nothing else.
#   sh examples/kill-and-resume.sh
set -eu
rows=20000
folder=$(mktemp -d)
export PROC_STATE_DIR="$folder/state" PROC_CONFIG_DIR="$folder/config"
unset PROC_BASE_URL PROC_API_KEY PROC_TOKEN PROC_PROFILE PROC_ENV
trap 'proc sandbox stop --quiet > /dev/null || true; rm -rf "$folder"' EXIT

sql() {
  if command -v sqlite3 > /dev/null; then sqlite3 -readonly sandbox.db "$1"; else
    node -e 'const { DatabaseSync } = require("node:sqlite");
      const open = new DatabaseSync("sandbox.db", { readOnly: true });
      console.log(Object.values(open.prepare(process.argv[1]).get()).join("|"));' "$1" 2> /dev/null
  fi
}

cd "$folder"
echo '$ proc sandbox start --detach --empty --faults reset-after=1%'
proc sandbox start --detach --port 0 --empty --db sandbox.db --faults reset-after=1% > start.json
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
echo; echo "\$ sqlite3 sandbox.db '$count'"
counted=$(sql "$count")
echo "$counted"
[ "$counted" = "$rows|$rows" ]
