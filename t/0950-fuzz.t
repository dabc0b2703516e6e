#!/bin/sh
# Every fuzz target passes over its corpus and over what was once found; each
# has both a corpus and a line in fuzz/targets.am.
. "${top_srcdir:-.}/t/lib/tap.sh"
fuzz=$top_srcdir/fuzz
targets=$(cd "$fuzz" && ls ./*.c | sed 's|^\./||; s|\.c$||' | grep -vx 'fuzz\|replay')
several() { [ "$(echo "$targets" | wc -l)" -ge 15 ]; }
t 'the targets are found' several
listed() { grep -q "^	fuzz/$1\( \\\\\)\?$" "$fuzz/targets.am"; }
passes() { # TARGET
	found=; [ ! -d "$fuzz/found/$1" ] || found=$fuzz/found/$1
	"$top_builddir/fuzz/$1" -runs=0 "$fuzz/corpus/$1" $found
}
for target in $targets; do
	t "$target: is built" listed "$target"
	t "$target: its corpus, and what was found" passes "$target"
done
tap_done
