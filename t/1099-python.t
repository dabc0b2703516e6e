#!/bin/sh
# The Python package: its functions, classes as cost models, and errors.
. "${top_srcdir:-.}/t/lib/tap.sh"
command -v python3 >/dev/null 2>&1 || { echo '1..0 # SKIP python3 is not installed'; exit 0; }
STEPCOST=$top_builddir/stepcost PYTHONPATH=$top_srcdir/python PYTHONDONTWRITEBYTECODE=1
export STEPCOST PYTHONPATH PYTHONDONTWRITEBYTECODE
python3 "$top_srcdir/t/python/binding.py" "$STEPCOST" "$tap_tmp"
