#!/bin/sh
# The verdicts on a measured H200: recomputed independently, and the same from
# both runs.
. "${top_srcdir:-.}/t/lib/tap.sh"
: "${STEPCOST_DATA_PATH:=$top_srcdir}"; export STEPCOST_DATA_PATH
host=$top_builddir/stepcost
says() { # EXPERIMENT LINE
	"$host" experiment "$1" --quiet >"$tap_tmp/out" 2>&1 || { cat "$tap_tmp/out"; return 1; }
	grep -q -- "$2" "$tap_tmp/out" || { cat "$tap_tmp/out"; return 1; }
}
for name in h27 h29 h33 moe; do
	t "$name-hardware: refuted on this GPU" says $name-hardware '^verdict: refuted$'
done
if command -v python3 >/dev/null; then
	t 'the same figures by Python alone' env PYTHONDONTWRITEBYTECODE=1 python3 "$top_srcdir/t/ref/hardware.py" \
		"$host" "$STEPCOST_DATA_PATH/bench_data"
else
	skip 'the same figures by Python alone' 'no python3'
fi
tap_done
