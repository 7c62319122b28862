# shellcheck shell=bash
# What the scripts of this folder share. Each begins with a comment that is its --help, and sources this.

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

# For scripts that take none but --help.
no_arguments() {
    case ${1-} in
    '') ;;
    --help | -h)
        usage
        exit 0
        ;;
    *) die_of_argument "$1" ;;
    esac
}

has() { command -v "$1" >/dev/null 2>&1; }

c_compiler() {
    if has cc; then echo cc; else echo clang; fi
}

has_header() { echo "#include <$1>" | "$(c_compiler)" -E - >/dev/null 2>&1; }

# Builds what a script needs of the package, in release.
build() { # PRODUCTS…
    local product
    has swift || die 69 "swift is not on the PATH"
    for product in "$@"; do
        swift build --package-path "$root" -c release --product "$product" >&2 ||
            die 70 "$product does not build; the reason is above"
    done
}
