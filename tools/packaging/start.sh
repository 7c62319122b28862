#!/bin/sh
# Starts the rltrace of the archive that this file is in. If the system cannot run it, prints what the system lacks and
# ends with status 69. tools/package replaces @GLIBC@ by the version that the program needs.
set -u

case $0 in
*/*) file=$0 ;;
*) file=./$0 ;; # sh rltrace
esac
[ ! -L "$file" ] || file=$(readlink -f "$file")
program=${file%/*}/../lib/rltrace/rltrace

# With this variable, the loader lists the libraries and their versions, and does not run the program.
libraries=$(LD_TRACE_LOADED_OBJECTS=1 "$program" 2>&1)
case $?:$libraries in
0:*'not found'*) reason=$(printf '%s\n' "$libraries" | grep 'not found') ;;
0:*) exec "$program" "$@" ;;
*) reason=$libraries ;;
esac
echo "rltrace: cannot run on this system: it needs Linux on @MACHINE@ with glibc @GLIBC@ or later, libgcc and libzstd" >&2
echo "rltrace: on Debian and Ubuntu, libgcc-s1 and libzstd1 are packages (apt-get install); the loader reports:" >&2
printf '%s\n' "$reason" >&2
exit 69
