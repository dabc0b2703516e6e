#!/bin/sh
# A step of 64 decodes under a published cost model takes at most 5 times the CPU
# time that it takes under roofline_v1; 3 times where tables are looked up, which is
# about twice what `operators` takes; 20 times under a forest.  Both are timed in
# turn, because the machine may be busy; the best of some tries counts.
. "${top_srcdir:-.}/t/lib/tap.sh"
grep -q '^SAN_FLAGS = .*-fsanitize' "$top_builddir/Makefile" && { echo '1..0 # SKIP built with a sanitizer'; exit 0; }
: "${STEPCOST_DATA_PATH:=$top_srcdir}"; export STEPCOST_DATA_PATH
ns() { "$top_builddir/stepcost" plugins check "$1" | sed -n 's/^# \([0-9]*\) ns a step of 64 decodes$/\1/p'; }
within() { # PLUGIN TIMES
	for try in 1 2 3 4; do
		own=$(ns "$1") base=$(ns roofline_v1)
		echo "$1: $own ns, roofline_v1: $base ns (try $try)"
		[ -n "$own" ] && [ -n "$base" ] && [ "$own" -le $(($2 * base)) ] && return
	done
	return 1
}
for folder in "$top_srcdir"/plugins/field/*/; do
	name=$(basename "$folder")
	case $name in
	aic_tables | infersim | llmservingsim2) times=3 ;;
	vidur) times=20 ;;
	*) times=5 ;;
	esac
	t "$name: at most $times times roofline_v1" within "$name" $times
done
tap_done
