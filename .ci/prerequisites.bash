# Finds the packages that a build of Poolgauge needs. Installs missing packages if permitted, or
# prints their names. The scripts source this file. It writes only to standard error.

# The oldest Swift that builds the package (swift-tools-version in Package.swift).
readonly swift_major=6 swift_minor=2
# sysexits.h: a required program or package is missing.
readonly EX_UNAVAILABLE=69

say() { printf '%s\n' "$*" >&2; }

require_swift() {
    if ! command -v swift >/dev/null 2>&1; then
        say "Poolgauge needs Swift $swift_major.$swift_minor or newer, and there is no 'swift' on the PATH."
        say "Install it from https://www.swift.org/install and try again."
        exit "$EX_UNAVAILABLE"
    fi
    local version
    version=$(swift --version 2>&1) || true
    if [[ ! $version =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]]; then
        say "'swift --version' reports no version. Its output: ${version:-nothing}"
        exit "$EX_UNAVAILABLE"
    fi
    local major=${BASH_REMATCH[1]} minor=${BASH_REMATCH[2]}
    if ((major < swift_major || (major == swift_major && minor < swift_minor))); then
        say "Poolgauge needs Swift $swift_major.$swift_minor or newer; this is Swift $major.$minor ($(command -v swift))."
        say "Install a newer version from https://www.swift.org/install and try again."
        exit "$EX_UNAVAILABLE"
    fi
}

# Succeeds if the C compiler of Swift or of the system finds all of these headers.
has_headers() {
    local compiler header
    compiler=$(command -v clang || command -v cc || command -v gcc) || return 1
    for header in "$@"; do printf '#include <%s>\n' "$header"; done |
        "$compiler" -E -x c - >/dev/null 2>&1
}

# Prints the missing Debian packages for `build`, `package`, `test` or `ci`, one per line.
missing_packages() {
    local purpose=$1
    command -v git >/dev/null 2>&1 || echo git
    if ! command -v cc >/dev/null 2>&1 || ! has_headers stdio.h; then
        echo build-essential
    fi
    has_headers sqlite3.h || echo libsqlite3-dev
    # SwiftPM locates SQLite with pkg-config.
    command -v pkg-config >/dev/null 2>&1 || echo pkg-config
    has_headers curses.h || echo libncurses-dev
    if [[ $purpose == test || $purpose == ci ]]; then
        command -v tmux >/dev/null 2>&1 || echo tmux
    fi
    if [[ $purpose == package || $purpose == ci ]]; then
        command -v dpkg-shlibdeps >/dev/null 2>&1 || echo dpkg-dev
    fi
    if [[ $purpose == ci ]]; then
        command -v debootstrap >/dev/null 2>&1 || echo debootstrap
        command -v lintian >/dev/null 2>&1 || echo lintian
        command -v python3 >/dev/null 2>&1 || echo python3
        # The tests forward an agent's socket with ssh.
        command -v ssh >/dev/null 2>&1 || echo openssh-client
        [[ -x /usr/sbin/sshd ]] || command -v sshd >/dev/null 2>&1 || echo openssh-server
        # Tests/Terminals runs the displays in these terminals.
        command -v screen >/dev/null 2>&1 || echo screen
        command -v xterm >/dev/null 2>&1 || echo xterm
        command -v xvfb-run >/dev/null 2>&1 || printf '%s\n' xvfb xauth
        # Contains promtool.
        command -v promtool >/dev/null 2>&1 || echo prometheus
        compgen -G '/usr/lib/*/faketime/libfaketime.so.1' >/dev/null || echo faketime
    fi
}

# require_packages build|package|test|ci
#
# Installs missing packages with apt-get, as root or with sudo if it needs no password. Otherwise,
# prints the command to run.
require_packages() {
    [[ $(uname -s) == Linux ]] || return 0
    local missing
    mapfile -t missing < <(missing_packages "$1")
    ((${#missing[@]} > 0)) || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        say "These packages are missing (Debian names): ${missing[*]}."
        say "Install them with your system's package manager and try again."
        exit "$EX_UNAVAILABLE"
    fi
    local as_root=()
    if ((EUID != 0)); then
        if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
            as_root=(sudo -n)
        else
            say "Some packages are missing. Run this command, then try again:"
            say ""
            say "    sudo apt-get update && sudo apt-get install -y ${missing[*]}"
            say ""
            exit "$EX_UNAVAILABLE"
        fi
    fi
    say "Installing ${missing[*]} …"
    local log
    log=$(mktemp)
    if ! { "${as_root[@]}" apt-get -q update &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get -q install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        say "apt-get could not install ${missing[*]}. See the output above."
        exit "$EX_UNAVAILABLE"
    fi
    rm -f "$log"
}
