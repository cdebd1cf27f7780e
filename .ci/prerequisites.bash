# What the scripts share: the packages that they need, and the options of builds. Installs missing
# packages if permitted, or prints their names. Messages go to standard error.

# The oldest Swift that builds the package (swift-tools-version in Package.swift).
readonly swift_major=6 swift_minor=2
# sysexits.h: a required program or package is missing.
readonly EX_UNAVAILABLE=69

# The options of builds of the tests. Only debuggers need debug information: failures and traps state
# their file and line without it, and the build is a fifth faster. Other options would build
# everything again, so all scripts use these. (On Linux, the package manager needs the index.)
readonly build_options=(-debug-info-format none)

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

# Prints the Debian packages for a purpose: a script, or a part of `.ci/nightly`. All purposes need
# the packages of `build`.
packages_for() {
    local build="git build-essential libsqlite3-dev pkg-config libncurses-dev"
    local tests="$build python3 sqlite3 tmux strace curl openssh-client openssh-server"
    case $1 in
    build) echo "$build" ;;
    test) echo "$build tmux" ;;
    package) echo "$build dpkg-dev" ;;
    # At most twelve packages, and no other language than C, Python, and SQL.
    run) echo "$tests" ;;
    faults) echo "$build faketime" ;;
    planted) echo "$tests faketime procps" ;;
    terminals) echo "$build python3 tmux screen xterm xvfb xauth" ;;
    soak) echo "$build python3 tmux" ;;
    packages) echo "$build python3 tmux dpkg-dev debootstrap lintian" ;;
    # prometheus contains promtool.
    languages)
        echo "$tests python3-venv prometheus php-cli php-sqlite3 ruby-sqlite3 golang-go" \
            "golang-github-mattn-go-sqlite3-dev default-jdk-headless libxerial-sqlite-jdbc-java"
        ;;
    cases)
        echo "$tests python3-venv php-cli php-sqlite3 ruby ruby-sqlite3 golang-go" \
            "golang-github-mattn-go-sqlite3-dev firefox-esr"
        ;;
    captures)
        echo "$tests python3-venv php-cli php-sqlite3 ruby ruby-sqlite3 ruby-sinatra golang-go" \
            "golang-github-mattn-go-sqlite3-dev"
        ;;
    drivers)
        echo "$tests python3-venv php-cli php-sqlite3 ruby-sqlite3 golang-go" \
            "golang-github-mattn-go-sqlite3-dev default-jdk-headless libxerial-sqlite-jdbc-java"
        ;;
    programs | checks)
        echo "$tests procps python3-venv php-cli php-sqlite3 ruby ruby-sqlite3 golang-go" \
            "golang-github-mattn-go-sqlite3-dev"
        ;;
    *) echo "$tests" ;;
    esac
}

# Succeeds if a package, or the same program from another source, is installed.
is_installed() {
    case $1 in
    build-essential) command -v cc && has_headers stdio.h ;;
    libsqlite3-dev) has_headers sqlite3.h ;;
    libncurses-dev) has_headers curses.h ;;
    dpkg-dev) command -v dpkg-shlibdeps ;;
    openssh-client) command -v ssh ;;
    openssh-server) [[ -x /usr/sbin/sshd ]] || command -v sshd ;;
    xvfb) command -v xvfb-run ;;
    prometheus) command -v prometheus && command -v promtool ;;
    python3-venv) python3 -c 'import ensurepip' ;;
    php-cli) command -v php ;;
    php-sqlite3) php -r 'exit(class_exists("SQLite3") && extension_loaded("pdo_sqlite") ? 0 : 1);' ;;
    ruby-sqlite3) ruby -r sqlite3 -e 0 ;;
    ruby-sinatra) ruby -r sinatra/base -e 0 ;;
    procps) command -v pkill && command -v pgrep ;;
    golang-go) command -v go ;;
    default-jdk-headless) command -v javac ;;
    libxerial-sqlite-jdbc-java) [[ -e /usr/share/java/sqlite-jdbc.jar ]] ;;
    golang-github-mattn-go-sqlite3-dev) [[ -d /usr/share/gocode/src/github.com/mattn/go-sqlite3 ]] ;;
    faketime) compgen -G '/usr/lib/*/faketime/libfaketime.so.1' ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

# Prints the packages for a purpose that are missing, one per line.
missing_packages() {
    local package
    for package in $(packages_for "$1"); do is_installed "$package" || echo "$package"; done
}

# require_packages PURPOSE
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
