#!/bin/sh
# Every fuzz target passes over its corpus and over its earlier findings.  Each
# target has a corpus, and each corpus a target.
. "${top_srcdir:-.}/t/lib/tap.sh"
fuzz=$top_srcdir/fuzz
targets=$(cd "$fuzz" && ls ./*.c | sed 's|^\./||; s|\.c$||' | grep -vx 'fuzz\|replay')
several() { [ "$(echo "$targets" | wc -l)" -ge 15 ]; }
t 'the targets are found' several
corpora() { (cd "$fuzz" && ls -d corpus/* found/* | sed 's|.*/||' | sort -u); }
homeless() { # a corpus, or a folder of findings, that no target reads
	for name in $(corpora); do
		echo "$targets" | grep -qx "$name" || { echo "fuzz/$name.c is not there"; return 1; }
	done
}
t 'each corpus has a target' homeless
corpus_of() { ls "$fuzz/corpus/$1" | grep -q .; }
passes() { # TARGET
	found=; [ ! -d "$fuzz/found/$1" ] || found=$fuzz/found/$1
	"$top_builddir/fuzz/$1" -runs=0 "$fuzz/corpus/$1" $found
}
for target in $targets; do
	t "$target: has a corpus" corpus_of "$target"
	t "$target: its corpus, and what was found" passes "$target"
done
tap_done
