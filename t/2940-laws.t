#!/bin/sh
# Laws of random configurations over all sections and keys (t/ref/laws.py): cases
# that were found once, and some new ones.  2941-laws.t has more.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
. "${top_srcdir:=.}/t/lib/tap.sh"
laws() { python3 "$top_srcdir/t/ref/laws.py" "$top_builddir/stepcost" "$@"; }

t 'what was found once holds' laws --replay "$top_srcdir/t/laws"
t 'every key of the INI is told to programs' python3 "$top_srcdir/t/ref/law_keys.py" "$top_builddir/stepcost"
t 'laws hold for forty configurations' laws --seed 7 --cases 40
tap_done
