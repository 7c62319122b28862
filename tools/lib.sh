# shellcheck shell=bash
# Common functions of the scripts in this folder. Each script sources this file and begins with a comment: its --help.

# The project's folder, and the script's name in messages.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tool=${0##*/}

say() { echo "$tool: $1" >&2; }

die() { # STATUS MESSAGE
    echo "tools/$tool: $2" >&2
    exit "$1"
}

# Prints the comment at the beginning of the script.
usage() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }

die_of_argument() { die 64 "unknown argument '$1' (try --help)"; }

# Sets a variable for each option: `read_options "a-b" "c" "$@"` makes --a-b VALUE and --a-b=VALUE `a_b=VALUE`, and
# --c `c=yes`. Other arguments end the script with status 64; --help prints the usage.
read_options() { # WITH-VALUE FLAGS ARGUMENTS…
    local with_value=" $1 " flags=" $2 " name
    shift 2
    while (($# > 0)); do
        name=${1#--} name=${name%%=*}
        if [[ $1 == --help || $1 == -h ]]; then
            usage
            exit 0
        elif [[ $1 == --$name=* && $with_value == *" $name "* ]]; then
            printf -v "${name//-/_}" %s "${1#*=}"
        elif [[ $1 == --$name && $with_value == *" $name "* ]]; then
            (($# > 1)) || die 64 "$1 needs a value"
            printf -v "${name//-/_}" %s "$2"
            shift
        elif [[ $1 == --$name && $flags == *" $name "* ]]; then
            printf -v "${name//-/_}" yes
        else
            die_of_argument "$1"
        fi
        shift
    done
}

# Requires the value of an option to be a whole number above 0.
need_number() { # OPTION VALUE
    [[ $2 =~ ^[1-9][0-9]*$ ]] || die 64 "$1 needs a number"
}

has() { command -v "$1" >/dev/null 2>&1; }

c_compiler() {
    if has cc; then echo cc; else echo clang; fi
}

has_header() { echo "#include <$1>" | "$(c_compiler)" -E - >/dev/null 2>&1; }

# Builds rltrace as tools/install installs it in .build/install, separate from all other builds, puts it into .build/bin,
# on Linux beside the library that it records with, and prints that folder.
#
# On Linux the Swift runtime and Foundation are linked in. Measured with Swift 6.3 on Debian 12: a binary of 36 MB
# instead of 8 starts in 7 ms instead of 18. It records CFRunLoop with exact due points like the shared one, and needs
# nothing from the toolchain, only the system's libc, libstdc++ and libzstd. The shared one searches for Foundation in
# the folder of the toolchain that built it, and stops working when that folder moves. The binary takes 118 MB with
# symbols, 71 MB without them, 37 MB without ICU's data (Sources/CRLTraceICUData), and 36 MB without the names that
# other libraries could find. Most of the rest is code of Swift and Foundation. On macOS the system has both; this case
# has not been run.
build_to_install() {
    local folder=$root/.build/bin program preload
    program=$(build_installed rltrace)/rltrace || return
    mkdir -p "$folder"
    # Symbols are for measurements: they are most of the file.
    strip -s -o "$folder/.stripped.$$" "$program" 2>/dev/null || cp "$program" "$folder/.stripped.$$"
    put 755 "$folder/.stripped.$$" "$folder/rltrace"
    rm -f "$folder/.stripped.$$"
    if [[ $(uname -s) == Linux ]]; then
        # The library for recorded programs is C and links only libc, so it is not part of the static linking.
        preload=$(build_in install-preload -- rltrace-preload)/librltrace-preload.so || return
        put 755 "$preload" "$folder/librltrace-preload.so"
    fi
    echo "$folder"
}

# Builds products as tools/install builds rltrace, and prints their folder.
build_installed() { # PRODUCTS…
    local linking=()
    if [[ $(uname -s) == Linux ]]; then
        linking=(--static-swift-stdlib -Xcc -DRLTRACE_WITHOUT_ICU_DATA -Xlinker --no-export-dynamic)
    fi
    build_in install ${linking[@]+"${linking[@]}"} -- "$@"
}

# Replaces a file atomically, also while the program runs.
put() { # MODE FROM TO
    local temporary=${3%/*}/.${3##*/}.$$
    { install -m "$1" "$2" "$temporary" && mv -f "$temporary" "$3"; } || {
        rm -f "$temporary"
        die 73 "cannot write $3"
    }
}

build_in() { # SCRATCH-NAME OPTIONS… -- PRODUCTS…: prints the folder of the products
    local command=(swift build --package-path "$root" --scratch-path "$root/.build/$1" -c release) product
    has swift || die 69 "swift is not on the PATH"
    shift
    while [[ $1 != -- ]]; do
        command+=("$1")
        shift
    done
    for product in "${@:2}"; do
        "${command[@]}" --product "$product" >&2 || die 70 "$product does not build; the reason is above"
    done
    "${command[@]}" --show-bin-path
}

# Builds products of the package in release, in the folder of `swift build`.
build() { build_in '' -- "$@" >/dev/null; } # PRODUCTS…
