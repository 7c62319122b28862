#!/bin/bash
# Measures the cost of a record for the traced thread with uftrace, and how fast uftrace reads its own trace. Prints
# one JSON object.
#
#   uftrace.sh SCRATCH CALLS
#
# A call makes two records. All files are in SCRATCH and are removed afterwards, except for the compiled program.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/common.sh"

readonly step_seconds=120 record_bytes=16 main_calls=1

scratch=${1-} calls=${2-}
[[ -n $scratch && $calls =~ ^[1-9][0-9]*$ && $# -eq 2 ]] || die 64 "usage: uftrace.sh SCRATCH CALLS"
command -v uftrace >/dev/null || skip "uftrace is not installed"
command -v cc >/dev/null || skip "no C compiler"
mkdir -p "$scratch" || die 73 "cannot create $scratch"
scratch=$(cd "$scratch" && pwd)
work=$(mktemp -d "$scratch/uftrace.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

program=$scratch/uftrace-calls
if [[ ! -x $program || $here/uftrace-calls.c -nt $program ]]; then
    cc -O2 -pg -std=c11 -Wall -Wextra -D_DEFAULT_SOURCE -I"$here/../reference" -o "$program" "$here/uftrace-calls.c" >&2 ||
        die 70 "cannot compile uftrace-calls.c"
fi

# Buffers as large as the whole trace: uftrace loses records with its default buffers.
timeout "$step_seconds" ${on_last_cpu[@]+"${on_last_cpu[@]}"} \
    uftrace record --no-libcall --no-event -b 64m -d "$work/trace" "$program" "$calls" \
    >"$work/producer.json" 2>"$work/record.log" || die 70 "uftrace record failed: $(tail -1 "$work/record.log")"
seconds=$(cpu_seconds "$step_seconds" ${on_last_cpu[@]+"${on_last_cpu[@]}"} uftrace report --no-pager -d "$work/trace") ||
    die 70 "uftrace report failed"
bytes=$(find "$work/trace" -name '*.dat' -exec cat {} + | wc -c | tr -d ' ')
awk -v producer="$(sed 's/}$//' "$work/producer.json")" -v records=$((calls * 2)) -v seconds="$seconds" \
    -v lost=$(((calls + main_calls) * 2 - bytes / record_bytes)) -v bytes="$bytes" -v version="$(uftrace --version | awk '{ print $2 }')" 'BEGIN {
    if (seconds <= 0) exit 1
    printf "%s, \"lost_records\": %d, \"trace_bytes\": %d, \"report_million_records_per_second\": %.3f, \"version\": \"%s\"}\n",
        producer, lost, bytes, records / seconds / 1e6, version
}' || die 70 "the trace is too short to be measured"
