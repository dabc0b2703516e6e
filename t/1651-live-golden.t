#!/bin/sh
# The law under many engines: requests of golden cases, live at speed 100, have the times of
# the replay.  For other cases: t/ref/golden_live.py STEPCOST 60 1,7,100 FOLDER.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "${top_srcdir:-.}/t/lib/server.sh"
python3 -c 'import asyncio' 2>/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
sglang=$top_srcdir/t/golden/sglang.txt trtllm=$top_srcdir/t/golden/tensorrt_llm.txt
timeout 600 python3 "$top_srcdir/t/ref/golden_live.py" "$top_builddir/stepcost" 10 100 "$sglang" "$trtllm" \
	"vllm-0.15=$trtllm" "vllm-0.24=$sglang" "vllm-2026-07=$sglang" >"$tap_tmp/tap" 2>"$tap_tmp/err"
t 'all cases were served' [ $? = 0 ]
sed 's/^/# /' "$tap_tmp/err"
retell "$tap_tmp/tap"
t 'under five engines' sh -c "[ \$(grep -c '^ok' '$tap_tmp/tap') = 5 ]"
tap_done
