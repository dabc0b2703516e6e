#!/bin/sh
# Sessions as trees: requests come after others, in run and in both arms of
# compare; more of them: STEPCOST_CASES=5000.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
: "${top_srcdir:=.}" "${top_builddir:=.}"
exec python3 "$top_srcdir/t/ref/trees.py" "$top_builddir/stepcost" "${STEPCOST_CASES:-40}"
