#!/bin/sh
# Laws of 3,000 random configurations; others: STEPCOST_SEED=N, more:
# STEPCOST_CASES=N, as many as time allows: tools/nightly.sh.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
: "${top_srcdir:=.}" "${top_builddir:=.}"
exec python3 "$top_srcdir/t/ref/laws.py" "$top_builddir/stepcost" --seed "${STEPCOST_SEED:-1}" \
	--cases "${STEPCOST_CASES:-3000}" --found "${STEPCOST_FOUND:-$top_builddir/laws-found}"
