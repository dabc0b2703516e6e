#!/bin/sh
# A few random configurations through run, compare, sweep, eval and replay, and a
# planted fault that must be found; thorough.sh tries others for a minute.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
: "${top_srcdir:=.}" "${top_builddir:=.}"
: "${STEPCOST_DATA_PATH:=$(cd "$top_srcdir" && pwd)}"
export STEPCOST_DATA_PATH
exec python3 "$top_srcdir/t/ref/property.py" "$top_builddir/stepcost" --seed 7 --cases 12
