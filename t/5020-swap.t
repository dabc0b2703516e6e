#!/bin/sh
# --swap: a run with one part of another arm is the run of an arm in which that
# part alone is different.
. "${top_srcdir:-.}/t/lib/tap.sh"
python3 -c 'import csv, json' 2>/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
source=$(cd "$top_srcdir" && pwd)
host=$(cd "$top_builddir" && pwd)/stepcost
STEPCOST_PLUGIN_PATH=$(cd "$top_builddir" && pwd)/t/so/.libs:$(cd "$top_builddir" && pwd)/.libs
STEPCOST_DATA_PATH=${STEPCOST_DATA_PATH:-$source}; export STEPCOST_DATA_PATH
python3 -B "$source/t/ref/swap.py" "$host" "$tap_tmp"
