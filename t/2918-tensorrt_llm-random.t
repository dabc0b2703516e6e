#!/bin/sh
# Random small engines of TensorRT-LLM, step by step against a reference.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
: "${top_srcdir:=.}" "${top_builddir:=.}"
exec python3 "$top_srcdir/t/ref/trtllm.py" "$top_builddir/stepcost" 300 700200
