#!/bin/sh
# Imports 20,000 rows into a sandbox of its own, kills the import with kill -9, resumes it, and counts with SQL:
# every code is there once. Needs proc and, for SQL, sqlite3 or Node.js 22 or newer. Changes nothing else.
#   sh examples/kill-and-resume.sh
set -eu
rows=20000
folder=$(mktemp -d)
export PROC_STATE_DIR="$folder/state" PROC_CONFIG_DIR="$folder/config"
unset PROC_BASE_URL PROC_API_KEY PROC_TOKEN PROC_PROFILE PROC_ENV
trap 'proc sandbox stop --quiet > /dev/null || true; rm -rf "$folder"' EXIT

sql() {
  if command -v sqlite3 > /dev/null; then sqlite3 -readonly "$folder/sandbox.db" "$1"; else
    node -e 'const { DatabaseSync } = require("node:sqlite");
      const [, db, query] = process.argv;
      console.log(Object.values(new DatabaseSync(db, { readOnly: true }).prepare(query).get()).join("|"));' \
      "$folder/sandbox.db" "$1" 2> /dev/null
  fi
}

proc sandbox start --detach --port 0 --empty --db "$folder/sandbox.db" > /dev/null
awk -v rows="$rows" 'BEGIN { print "code,name"; for (n = 1; n <= rows; n++) printf "K-%05d,Bolt %05d\n", n, n }' > "$folder/items.csv"

echo "Importing $rows rows …"
proc items import "$folder/items.csv" --yes > /dev/null 2>&1 &
import=$!
until [ "$(sql 'SELECT count(*) FROM items')" -ge 2000 ]; do
  kill -0 "$import"
  sleep 0.1
done
kill -9 "$import"
wait "$import" 2> /dev/null || true
echo "Killed. Created so far: $(sql 'SELECT count(*) FROM items')"

proc imports resume --yes --quiet -o json > "$folder/summary.json"
counted=$(sql 'SELECT count(*), count(DISTINCT code) FROM items')
echo "Resumed. Rows and codes in the database: $counted"
[ "$counted" = "$rows|$rows" ]
