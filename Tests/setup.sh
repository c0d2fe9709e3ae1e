# Sourced by Tests/run and Examples/run: installs the Debian packages they name and that are missing.

say() { printf '\n== %s\n' "$*"; }

die() { printf '%s\n' "$*" >&2; exit 1; }

install_missing() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    say "Installing ${missing[*]}"
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "These Debian packages are missing and there is no sudo to install them: ${missing[*]}"
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -qq
    # RUNLEVEL: what is installed for the tests is not started as a service of the machine.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -o DPkg::Lock::Timeout=600 install -y -qq \
        --no-install-recommends "${missing[@]}" >/dev/null
}

# How Examples/ and Tests/run build what they run, the same everywhere so that nothing is built twice: without what only a debugger and an
# editor want, which saves a quarter of the time, and each module as a whole, which saves almost a third of the processor's (a compiler that
# is given a part of a module's files reads all the others as well). Where the compiler is not told of two threads it writes the module's
# object into this folder, and SwiftPM looks for one of each file.
build_options=(-debug-info-format none)
for option in -disable-batch-mode -whole-module-optimization -num-threads 2; do build_options+=(-Xswiftc "$option"); done
# With every trait. SwiftPM names the traits to the compiler in the order of a set, which is another in each process, and builds everything
# anew where it plans anew; with that variable the order is one and the same.
build_every_trait=(
    env SWIFT_DETERMINISTIC_HASHING=1 swift build --enable-all-traits --disable-index-store "${build_options[@]}"
)

command -v swift >/dev/null || die "There is no swift on the PATH; install the Swift 6.3 toolchain from https://swift.org/install"
install_missing libcurl4-openssl-dev libsqlite3-dev zlib1g-dev libpq-dev sqlite3 dbus-daemon
