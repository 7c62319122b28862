#!/bin/bash
# Measures the cost of an event for the traced thread with LTTng-UST. Prints one JSON object.
#
#   lttng.sh record SCRATCH PASSES                 the cost of *tight*
#   lttng.sh trace  SCRATCH PASSES paced|tight     leaves the CTF trace in SCRATCH/lttng-trace
#
# Uses the running session daemon, or else starts one of its own and ends it. All files are in SCRATCH and are removed
# afterwards, except for the trace and the compiled producer.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/common.sh"

# 8 × 4 MiB per CPU: a measured round of up to 250,000 passes (12 bytes per event) fits into empty buffers, so that no
# event is discarded. The warm-up of 400,000 passes fills them once, so that no page is new.
readonly subbuffer_size=4M subbuffer_count=8 warm_up_passes=400000 measured_passes_max=250000
readonly step_seconds=30    # for each lttng command
readonly record_seconds=120 # for the producer: *paced* takes 65 µs per pass

parse_arguments() {
    action=${1-} scratch=${2-} passes=${3-} workload=${4-tight}
    [[ $action =~ ^(record|trace)$ && -n $scratch && $passes =~ ^[1-9][0-9]*$ && $workload =~ ^(paced|tight)$ ]] ||
        die 64 "usage: lttng.sh record SCRATCH PASSES | trace SCRATCH PASSES paced|tight"
    [[ $action == trace ]] || ((passes <= measured_passes_max)) || passes=$measured_passes_max
    mkdir -p "$scratch" || die 73 "cannot create $scratch"
    scratch=$(cd "$scratch" && pwd)
}

require_peer() {
    { command -v lttng && command -v lttng-sessiond; } >/dev/null || skip "lttng-tools is not installed"
    command -v cc >/dev/null || skip "no C compiler"
    echo '#include <lttng/tracepoint.h>' | cc -E - >/dev/null 2>&1 || skip "liblttng-ust-dev is not installed"
}

build_producer() {
    producer=$scratch/lttng-producer
    local source
    for source in "$here"/lttng-* "$here"/../reference/workload.[ch]; do
        if [[ ! -x $producer || $source -nt $producer ]]; then
            cc -O2 -std=c11 -Wall -Wextra -I"$here" -I"$here/../reference" -o "$producer" \
                "$here/lttng-producer.c" "$here/lttng-provider.c" "$here/../reference/workload.c" \
                -llttng-ust -lm -ldl >&2 || die 70 "cannot compile lttng-producer.c"
            return
        fi
    done
}

control() { timeout "$step_seconds" lttng --no-sessiond "$@" >"$work/lttng.log" 2>&1; }

control_or_die() { control "$@" || die 70 "lttng $1 failed: $(tail -1 "$work/lttng.log")"; }

daemon_answers() { control list; }

daemon_pid='' producer_pid='' session='' leftovers=()
start_daemon() {
    daemon_answers && return
    note_leftovers
    export LTTNG_HOME=$work # an ordinary user's daemon has its sockets here; root's are in /var/run
    ${on_first_cpu[@]+"${on_first_cpu[@]}"} lttng-sessiond --no-kernel >"$work/daemon.log" 2>&1 &
    daemon_pid=$!
    for _ in {1..100}; do
        daemon_answers && return
        kill -0 "$daemon_pid" 2>/dev/null || break
        sleep 0.1
    done
    die 70 "the session daemon did not start: $(tail -1 "$work/daemon.log")"
}

# Notes which of the files that LTTng leaves do not exist yet, so that only those are removed.
note_leftovers() {
    local path
    for path in /var/run/lttng "/dev/shm/lttng-ust-wait-8" "/dev/shm/lttng-ust-wait-8-$(id -u)"; do
        [[ -e $path ]] || leftovers+=("$path")
    done
}

remove_leftovers() {
    local path
    for path in ${leftovers[@]+"${leftovers[@]}"}; do
        if [[ -d $path ]]; then rmdir "$path" 2>/dev/null || true; else rm -f "$path"; fi
    done
}

clean_up() {
    trap '' TERM INT # a second signal must not leave the daemon behind
    [[ -z $producer_pid ]] || kill "$producer_pid" 2>/dev/null || true
    [[ -z $session ]] || control destroy "$session" || true
    if [[ -n $daemon_pid ]]; then
        kill "$daemon_pid" 2>/dev/null || true
        wait "$daemon_pid" 2>/dev/null || true
        remove_leftovers
    fi
    rm -rf "$work"
}

record() { # WORKLOAD ARGUMENTS…; the producer's JSON is left in $work/producer.json
    session=rltrace-benchmark-$$
    control_or_die create "$session" --output="$work/trace"
    control_or_die enable-channel --userspace --session="$session" --subbuf-size=$subbuffer_size \
        --num-subbuf=$subbuffer_count --discard events
    control_or_die enable-event --userspace --session="$session" --channel=events runloop:event
    control_or_die start "$session"
    # In the background, because bash handles a signal only between commands, but at once during a wait.
    timeout "$record_seconds" ${on_last_cpu[@]+"${on_last_cpu[@]}"} "$producer" "$@" >"$work/producer.json" &
    producer_pid=$!
    wait "$producer_pid" || die 70 "the producer failed"
    producer_pid=''
    control_or_die stop "$session"
    control_or_die list "$session"
    discarded=$(awk '/Discarded events:/ { sum += $3 } END { print sum + 0 }' "$work/lttng.log")
    control_or_die destroy "$session"
    session=''
    trace_bytes=$(find "$work/trace" -type f -name 'events_*' -exec cat {} + | wc -c | tr -d ' ')
}

print_result() {
    local version
    version=$(lttng --version | grep -oE '[0-9]+\.[0-9.]+' | head -1)
    printf '%s, "workload": "%s", "discarded_events": %d, "trace_bytes": %d, "version": "%s"}\n' \
        "$(sed 's/}$//' "$work/producer.json")" "$1" "$discarded" "$trace_bytes" "$version"
}

parse_arguments "$@"
require_peer
build_producer
work=$(mktemp -d "$scratch/lttng.XXXXXX")
trap clean_up EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
start_daemon

if [[ $action == record ]]; then
    record tight "$warm_up_passes" "$passes"
    print_result tight
else
    if [[ $workload == paced ]]; then record paced "$passes"; else record tight 1 "$passes"; fi
    rm -rf "$scratch/lttng-trace"
    mv "$work/trace" "$scratch/lttng-trace"
    print_result "$workload"
fi
