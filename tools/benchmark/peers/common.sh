# Sourced by the scripts of the peers.
# shellcheck shell=bash disable=SC2034 # those scripts use the variables that are set here

# The measured process runs on the last CPU and its daemons on the first, so that they do not share a CPU if there are
# two.
if command -v taskset >/dev/null; then
    allowed=$(taskset -cp $$ | sed 's/.*: //')
    on_last_cpu=(taskset -c "${allowed##*[-,]}")
    on_first_cpu=(taskset -c "${allowed%%[-,]*}")
else
    on_last_cpu=() on_first_cpu=()
fi

skip() { # REASON: the peer cannot be measured on this machine, which is not an error
    printf '{"skipped": "%s"}\n' "$1"
    exit 0
}

die() { # STATUS MESSAGE
    echo "${0##*/}: $2" >&2
    exit "$1"
}

cpu_seconds() { # LIMIT_SECONDS COMMAND…; `time` includes the children that bash waited for
    local TIMEFORMAT='%U %S' times
    times=$({ time timeout "$@" >/dev/null 2>&1; } 2>&1) || return 1
    awk '{ printf "%.3f", $1 + $2 }' <<<"$times"
}
