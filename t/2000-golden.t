#!/bin/sh
# The rooflines against cases that independent code computed: t/golden/README.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "$top_srcdir/t/lib/golden.sh"
for f in "$top_srcdir"/t/golden/roofline_*.csv; do
	t "${f##*/}: $(($(wc -l <"$f") - 1)) cases" golden_steps "$f"
done
tap_done
