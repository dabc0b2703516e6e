#!/bin/sh
# Random small engines under TensorRT-LLM's second KV cache manager, step by step
# against a reference.
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
: "${top_srcdir:=.}" "${top_builddir:=.}"
exec python3 "$top_srcdir/t/ref/trtllm_v2.py" "$top_builddir/stepcost" 90 700300
