#!/bin/sh
# Random small configurations with pictures in prompts, step by step against the
# reference.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
: "${top_srcdir:=.}" "${top_builddir:=.}"
exec python3 "$top_srcdir/t/ref/encoders.py" "$top_builddir/stepcost" 200
