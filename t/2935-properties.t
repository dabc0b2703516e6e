#!/bin/sh
# A few random configurations through run, compare, sweep, eval and replay, and
# planted faults that must be found; thorough.sh tries others for a minute.  Then
# single ones that checks once judged wrongly.
. "${top_srcdir:=.}/t/lib/tap.sh"
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
: "${STEPCOST_DATA_PATH:=$(cd "$top_srcdir" && pwd)}"
export STEPCOST_DATA_PATH
holds() { python3 "$top_srcdir/t/ref/property.py" "$top_builddir/stepcost" "$@"; }

t 'what must hold for every configuration holds for twelve' holds --seed 7 --cases 12
t 'prompts that TensorRT-LLM reuses without being asked are not replayed' holds --seed 3001 --first 1794 --cases 1
t 'a token after its time is found where clients get it later' holds --seed 3002 --first 1151 --cases 1
tap_done
