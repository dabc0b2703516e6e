#!/bin/sh
# Besides test.sh: the tests under ASan and UBSan, the release, the packages,
# every two public headers together, random configurations, how much of the
# readers the corpora reach, fuzzing from them.   sh tools/thorough.sh [SECONDS]
# Exit code 1: a part found a fault; the others run all the same.  A part
# that cannot run here (a tool is missing), or would end after SECONDS (1400), is
# left out, with a message.
most=${1:-1400}
. "$(dirname "$0")/setup.sh"
tools=$tools_top/tools
place=$tools_top/build-thorough
log=$place/log
began=$(date +%s)
bad=
since() { echo $(($(date +%s) - began)); }
left() { echo $((most - $(since))); }
say() { echo "thorough.sh, $(since) s: $*"; }
limited() { sh "$tools/limited.sh" "$@" >"$log" 2>&1 </dev/null; }

# What the system can do without is not a reason to fail; nor to wait for long.
try_to_install() {
	more_packages='clang llvm debhelper dh-python lintian dpkg-dev xz-utils'
	[ -z "$(missing_packages)" ] || [ "$most" -le 200 ] ||
		limited 200 sh -c '. "$0"; more_packages=$1; install_missing' "$tools/setup.sh" "$more_packages" ||
		say 'not everything could be installed; parts are left out below'
}

# Its output is shown if it fails.  Leaves its exit code in $code.
part() { # WHAT COMMAND...
	what=$1 time=$(left) code=124; shift
	[ "$time" -gt 0 ] || { say "$what: left out, no time"; return 0; }
	say "$what ..."
	limited "$time" "$@" && code=0 || code=$?
	case $code in
	0) say "$what: $(tail -n 1 "$log")" ;;
	77) say "$what: left out, $(tail -n 1 "$log")" ;;
	124) say "$what: broken off, the time is over" ;;
	*) tail -n 100 "$log"; say "$what: FAILED"; bad=1 ;;
	esac
}

# As long as there is time, a minute a target at most.
fuzzing() {
	part 'targets of fuzzing' sh "$tools/fuzz.sh" 0
	[ $code -eq 0 ] || return 0
	targets=$(ls "$tools_top/fuzz/corpus" | wc -l)
	rounds=$(((targets + $(nproc) - 1) / $(nproc)))
	seconds=$(($(left) / rounds - 3)) # to start and to end takes some
	[ $seconds -le 60 ] || seconds=60
	[ $seconds -ge 5 ] || { say 'fuzzing: left out, no time'; return 0; }
	part "fuzzing, $seconds s a target" sh "$tools/fuzz.sh" $seconds --same
	# Broken off, it may have found something all the same.
	! ls "$tools_top"/build-fuzz/*.found >/dev/null 2>&1 || bad=1
}

mkdir -p "$place"
cd "$place"
try_to_install
part 'tests under ASan and UBSan' sh "$tools/sanitized.sh" "$place/sanitized"
part 'release' sh "$tools/release.sh" "$place/release"
part 'packages' sh "$tools/package.sh" --no-install "$place/package"
part 'every two headers' env top_srcdir="$tools_top" top_builddir="$place" STEPCOST_HEADERS=all \
	sh "$tools_top/t/1085-headers.t"
part 'random configurations' env STEPCOST_DATA_PATH="$tools_top" STEPCOST_PLUGIN_PATH="$place/sanitized/.libs" \
	sh -c '[ -x "$1" ] || { echo no program with sanitizers; exit 77; }
		exec python3 "$0" "$1" --seed 7 --cases 60 --seconds 60' \
	"$tools_top/t/ref/property.py" "$place/sanitized/stepcost"
part 'corpora' sh "$tools/coverage.sh" 85
fuzzing
[ -z "$bad" ]
