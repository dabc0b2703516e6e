#!/bin/sh
# Prefill and decode apart under TensorRT-LLM's scheduler, random small deployments,
# request by request against two kinds of workers in a loop of its own.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
: "${top_srcdir:=.}" "${top_builddir:=.}"
exec python3 "$top_srcdir/t/ref/apart.py" "$top_builddir/stepcost" 60
