#!/bin/sh
# Where schedules differ, `compare --why` splits the time of each request into
# parts that add up: random configurations of every scheduler and of pools;
# more of them: STEPCOST_CASES=1000.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
: "${top_srcdir:=.}" "${top_builddir:=.}"
STEPCOST_PLUGIN_PATH=$STEPCOST_PLUGIN_PATH:$top_builddir/t/so/.libs
export STEPCOST_PLUGIN_PATH
exec python3 "$top_srcdir/t/ref/parts.py" "$top_builddir/stepcost" "${STEPCOST_CASES:-120}"
