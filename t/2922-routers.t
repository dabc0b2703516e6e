#!/bin/sh
# Routers with keys in [router]: random small fleets, decision by decision against
# a reference that has their rules and no index.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
: "${top_srcdir:=.}" "${top_builddir:=.}"
exec python3 "$top_srcdir/t/ref/routers.py" "$top_builddir/stepcost" 25 1
