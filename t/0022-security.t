#!/bin/sh
# SECURITY.md: what its tables say that code and files of strangers cannot do is tried.
: "${top_srcdir:=.}" "${top_builddir:=.}"
python3 -c 'import sqlite3' 2>/dev/null || { echo '1..0 # SKIP no python3 with sqlite3'; exit 0; }
[ -e "$top_builddir/.libs/const_step.so" ] || { echo '1..0 # SKIP no shared objects are built'; exit 0; }
: "${STEPCOST_DATA_PATH:=$(cd "$top_srcdir" && pwd)}"; export STEPCOST_DATA_PATH
exec python3 "$top_srcdir/t/ref/security.py" "$top_builddir/stepcost" "$top_builddir/.libs" "$top_srcdir/SECURITY.md"
