#!/bin/sh
# The rooflines against t/ref/reference.py, on random steps and knobs, lookups
# counted by provenance.  SEED=N STEPS=N for other or more of them.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "$top_srcdir/t/lib/golden.sh"
if ! python3 -c 'import csv' 2>/dev/null; then
	skip 'random cases' 'no python3'; tap_done
fi
cases=$tap_tmp/random.csv
PYTHONDONTWRITEBYTECODE=1 python3 "$top_srcdir/t/ref/cases.py" \
	"$top_srcdir/bench_data/h100-sxm.infersim" "${SEED:-1}" "${STEPS:-60}" 12 >"$cases"
t "$(($(wc -l <"$cases") - 1)) random cases" golden_steps "$cases"
tap_done
