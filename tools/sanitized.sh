#!/bin/sh
# Builds with ASan and UBSan and runs the tests that such a build can tell
# something of (`prove-sanitized` in Makefile.am).   sh tools/sanitized.sh [FOLDER]
# Exit code 77: a sanitized program does not run here.
. "$(dirname "$0")/setup.sh"
folder=${1:-$tools_top/build-sanitized}
flags=-fsanitize=address,undefined

# Where address space is laid out at random over many bits, or processes may not
# be traced, the runtime of the sanitizers itself fails, at times.
runs_here() {
	work=$(mktemp -d)
	echo 'int main(void) { return 0; }' >"$work/a.c"
	gcc $flags "$work/a.c" -o "$work/a" && for i in 1 2 3 4 5 6 7 8 9 10 \
		11 12 13 14 15 16 17 18 19 20; do "$work/a" || return 1; done && rm -r "$work"
}
runs_here 2>/dev/null || { echo 'a program with sanitizers does not run here'; exit 77; }
# -O1: half of the time; without -Werror: the sanitizers make gcc see ghosts.
configured "$folder" CFLAGS='-O1 -g1' --enable-sanitizer=address,undefined
make -s -j "$(nproc)" >&2
exec make -s prove-sanitized PROVE_FLAGS="-j $(nproc)"
