#!/bin/sh
# The reference of the serving engine against cases worked out by hand.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
exec python3 "${top_srcdir:-.}/t/ref/engine_by_hand.py"
