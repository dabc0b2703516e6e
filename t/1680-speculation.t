#!/bin/sh
# Speculative decoding against published measurements: TPOT with and without,
# acceptance length by number of drafts.
. "${top_srcdir:-.}/t/lib/tap.sh"
python3 -c 'import json' 2>/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
source=$(cd "$top_srcdir" && pwd)
host=$(cd "$top_builddir" && pwd)/stepcost
STEPCOST_PLUGIN_PATH=$(cd "$top_builddir" && pwd)/.libs; export STEPCOST_PLUGIN_PATH
STEPCOST_DATA_PATH=${STEPCOST_DATA_PATH:-$source}; export STEPCOST_DATA_PATH
python3 -B "$source/t/ref/speculation.py" "$host" "$source" "$tap_tmp"
