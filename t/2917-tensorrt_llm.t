#!/bin/sh
# Schedules of TensorRT-LLM's own schedulers, step by step.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
: "${top_srcdir:=.}" "${top_builddir:=.}"
exec python3 "$top_srcdir/t/ref/schedules.py" "$top_builddir/stepcost" "$top_srcdir/t/golden/tensorrt_llm.txt"
