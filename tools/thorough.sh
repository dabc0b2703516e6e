#!/bin/sh
# Besides test.sh: the tests under ASan and UBSan, fuzzing from the corpora, the
# release, the packages.   sh tools/thorough.sh [SECONDS]
# A part fails if it finds a fault.  What cannot be done here (a tool is missing)
# or would end after SECONDS (1500) is left out, and that is said.
most=${1:-1500}
. "$(dirname "$0")/setup.sh"
place=$tools_top/build-thorough
log=$place/log
began=$(date +%s)
since() { echo $(($(date +%s) - began)); }
say() { echo "thorough.sh, $(since) s: $*"; }

try_to_install() { # what the system can do without is not a reason to fail
	more_packages='clang clang-format debhelper lintian dpkg-dev xz-utils'
	[ -z "$(missing_packages)" ] ||
		(install_missing) >"$log.install" 2>&1 </dev/null ||
		say 'not everything could be installed; parts are left out below'
}

# What it prints is shown if it fails; 124: the time is over.
part() { # WHAT COMMAND...
	what=$1; shift
	left=$((most - $(since)))
	[ $left -gt 0 ] || { say "$what: left out, no time"; return 0; }
	timeout -k 10 $left "$@" >"$log" 2>&1 </dev/null && code=0 || code=$?
	case $code in
	0) say "$what: $(tail -n 1 "$log")" ;;
	77) say "$what: left out, $(tail -n 1 "$log")" ;;
	124|137) say "$what: left out, the time is over" ;;
	*) tail -n 100 "$log"; say "$what: FAILED"; exit 1 ;;
	esac
}

mkdir -p "$place"
cd "$place"
try_to_install
tools=$tools_top/tools
part 'tests under ASan and UBSan' sh "$tools/sanitized.sh" "$place/sanitized"
part 'release' sh "$tools/release.sh" "$place/release"
part 'packages' sh "$tools/package.sh" --no-install "$place/package"
part 'fuzzing' sh "$tools/fuzz.sh" 20 --same
