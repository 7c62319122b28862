#!/bin/bash
# Measures how fast babeltrace2 reads a CTF trace without processing the events. Prints one JSON object.
#
#   babeltrace.sh TRACE [EVENTS]      counts the events itself when EVENTS is not given
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/common.sh"

readonly read_seconds=120

count_events() {
    timeout "$read_seconds" babeltrace2 --component sink.utils.counter --params=step=+0 "$trace" 2>/dev/null |
        awk '/ Event messages?$/ { print $1 }'
}

trace=${1-} events=${2-}
[[ -n $trace && $# -le 2 && ($# -eq 1 || $events =~ ^[1-9][0-9]*$) ]] ||
    die 64 "usage: babeltrace.sh TRACE [EVENTS]"
command -v babeltrace2 >/dev/null || skip "babeltrace2 is not installed"
[[ -d $trace ]] || die 66 "$trace: no such folder"
[[ -n $events ]] || events=$(count_events) || true
[[ $events =~ ^[1-9][0-9]*$ ]] || die 65 "$trace: no events could be read"
seconds=$(cpu_seconds "$read_seconds" ${on_last_cpu[@]+"${on_last_cpu[@]}"} \
    babeltrace2 --component sink.utils.dummy "$trace") || die 70 "babeltrace2 failed on $trace"
version=$(babeltrace2 --version | awk 'NR == 1 { print $2 }')
awk -v events="$events" -v seconds="$seconds" -v version="$version" 'BEGIN {
    if (seconds <= 0) exit 1
    printf "{\"events\": %d, \"cpu_seconds\": %s, \"million_events_per_second\": %.3f, \"version\": \"%s\"}\n",
        events, seconds, events / seconds / 1e6, version
}' || die 70 "the trace is too short to be measured"
