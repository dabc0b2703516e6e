#!/bin/sh
# Speed, as instructions per sequence-step: they repeat, times do not.  A
# budget is about a third above what it took when it was set.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost here=$top_srcdir/bench tmp=$tap_tmp
why=
command -v valgrind >/dev/null || why='no valgrind'
grep -q '^SAN_FLAGS = .*-fsanitize' "$top_builddir/Makefile" && why='built with a sanitizer'
grep -q '^CFLAGS = .*-O[23]' "$top_builddir/Makefile" || why='not built with -O2 or -O3'
[ -z "$why" ] || { echo "1..0 # SKIP $why"; exit 0; }
. "$here/instructions.sh"
within() { # LOAD MODEL BUDGET
	got=$(instructions "$1" "$2")
	echo "$got instructions per sequence-step"
	[ -n "$got" ] && awk "BEGIN { exit !($got <= $3) }"
}
t 'light load, const_step' within light const_step 130
t 'light load, roofline_v1' within light roofline_v1 170
t 'heavy load, const_step' within heavy const_step 28
t 'heavy load, roofline_v1' within heavy roofline_v1 40
tap_done
