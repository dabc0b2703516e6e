#!/bin/sh
# Every request ends once or is counted while replicas come, go and die, and
# other processes give the same bits; more of them: STEPCOST_CASES=5000.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
: "${top_srcdir:=.}" "${top_builddir:=.}"
exec python3 "$top_srcdir/t/ref/failures.py" "$top_builddir/stepcost" "${STEPCOST_CASES:-60}"
