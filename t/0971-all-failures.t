#!/bin/sh
# What the machine refuses once, of six commands and nine kinds of calls: SC_SAMPLE
# calls of each pair, spread evenly (24).  SC_SAMPLE=0 tries all, for hours;
# SC_STRIDE and SC_FROM share them among nights, SC_SECONDS ends each command.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "$top_srcdir/t/lib/inject.sh"
for command in run compare capacity recommend sweep validate; do
	t "$command" try --command $command --jobs "$(nproc)" --sample "${SC_SAMPLE:-24}" \
		--seconds "${SC_SECONDS:-0}" --stride "${SC_STRIDE:-1}" --from "${SC_FROM:-0}"
done
tap_done
