#!/bin/bash
# Measures how long sqlite takes to answer a query on a table that rltrace exported: it reads the CSV into memory and
# groups its rows once. Prints one JSON object.
#
#   sqlite.sh CSV GROUP_COLUMN VALUE_COLUMN
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/common.sh"

readonly step_seconds=300

table=${1-} group=${2-} value=${3-}
[[ -n $table && -n $group && -n $value && $# -eq 3 ]] || die 64 "usage: sqlite.sh CSV GROUP_COLUMN VALUE_COLUMN"
command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
[[ -s $table ]] || die 66 "$table: no such table"
question="select \"$group\", count(*), avg(\"$value\"), max(\"$value\") from rows group by 1"
seconds=$(cpu_seconds "$step_seconds" ${on_last_cpu[@]+"${on_last_cpu[@]}"} \
    sqlite3 -cmd ".import --csv $table rows" :memory: "$question") || die 70 "sqlite3 failed on $table"
printf '{"rows": %d, "cpu_seconds": %s, "version": "%s"}\n' \
    $(($(wc -l <"$table") - 1)) "$seconds" "$(sqlite3 --version | awk '{ print $1 }')"
