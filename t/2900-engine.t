#!/bin/sh
# Thousands of random small configurations, step by step against the reference.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
: "${top_srcdir:=.}" "${top_builddir:=.}"
STEPCOST_PLUGIN_PATH=$STEPCOST_PLUGIN_PATH:$top_builddir/t/so/.libs
export STEPCOST_PLUGIN_PATH
exec python3 "$top_srcdir/t/ref/compare.py" "$top_builddir/stepcost" "${STEPCOST_CASES:-2000}"
