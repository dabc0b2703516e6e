#!/bin/sh
# Prefill and decode apart, random small configurations under presets, step by
# step against the reference.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
: "${top_srcdir:=.}" "${top_builddir:=.}"
exec python3 "$top_srcdir/t/ref/pools.py" "$top_builddir/stepcost" 300 8900
