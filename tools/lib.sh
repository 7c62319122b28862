# shellcheck shell=bash
# Common functions of the scripts in this folder. Each script sources this file and begins with a comment: its --help.

# The project's folder, and the script's name in messages.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tool=${0##*/}

# Options of an optimized build that keeps the checks of `assert`.
# shellcheck disable=SC2034 # used by the scripts
with_assertions=(-Xswiftc -assert-config -Xswiftc Debug)

# Options with which the bytes of a build do not depend on its folder. Without them, three things do: debug information,
# which changes the program's build id; a hash in each object file, for compilations that skip unchanged code; and the
# messages of C's assert.
# shellcheck disable=SC2034 # used by the scripts
reproducible=(-debug-info-format none -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
    -Xcc "-ffile-prefix-map=$root=.")

say() { echo "$tool: $1" >&2; }

die() { # STATUS MESSAGE
    echo "tools/$tool: $2" >&2
    exit "$1"
}

# Prints the comment at the beginning of the script.
usage() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }

die_of_argument() { die 64 "unknown argument '$1' (try --help)"; }

# Sets a variable for each option. `read_options "a-b" "c" "$@"` turns --a-b VALUE and --a-b=VALUE into `a_b=VALUE`, and
# --c into `c=yes`. Other arguments end the script with status 64; --help prints the usage.
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
    [[ $2 =~ ^[1-9][0-9]*$ ]] || die 64 "$1 needs a whole number above 0"
}

has() { command -v "$1" >/dev/null 2>&1; }

c_compiler() {
    if has cc; then echo cc; else echo clang; fi
}

has_header() { echo "#include <$1>" | "$(c_compiler)" -E - >/dev/null 2>&1; }

# Builds products as tools/install builds rltrace, and prints their folder.
build_installed() { # PRODUCTS…
    # Calls the metadata accessor of a generic type, instead of looking the type up by its name. A lookup checks the
    # type's requirements, and the first search for each conformance reads all conformances of the program. The
    # package cannot set this flag, because other packages cannot depend on targets with unsafe flags.
    local options=("${reproducible[@]}" -Xswiftc -Xfrontend
        -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors)
    if [[ $(uname -s) == Linux ]]; then
        # An installed program does not search for libraries in its own folder.
        options+=(--static-swift-stdlib --disable-local-rpath -Xcc -DRLTRACE_LINKS_STATICALLY
            -Xlinker --no-export-dynamic)
        # Half of the loader's work at a start is for the symbols of libstdc++. The linker takes the archive if that is
        # alone in the first folder. Some systems have only the shared library.
        local archive libraries=$root/.build/static-libraries
        archive=$("$(c_compiler)" -print-file-name=libstdc++.a)
        if [[ $archive == /* ]]; then
            { mkdir -p "$libraries" && ln -sf "$archive" "$libraries/libstdc++.a"; } || die 73 "cannot write $libraries"
            options+=(-Xswiftc -L -Xswiftc "$libraries")
        fi
    fi
    build_in install "${options[@]}" -- "$@"
}

# Replaces a file atomically, even while the program is running.
put() { # MODE FROM TO
    local temporary=${3%/*}/.${3##*/}.$$
    { install -m "$1" "$2" "$temporary" && mv -f "$temporary" "$3"; } || {
        rm -f "$temporary"
        die 73 "cannot write $3"
    }
}

build_in() { # SCRATCH-NAME OPTIONS… -- PRODUCTS…: builds for release unless an option says otherwise, prints the folder
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
