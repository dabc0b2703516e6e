#!/bin/sh
# A stack of 96 KiB is enough for every command that simulates: no function has a
# frame of more than 16 KiB (configure.ac), and none recurses without a bound.
. "${top_srcdir:-.}/t/lib/tap.sh"
s=$(cd "$top_builddir" && pwd)/stepcost
(ulimit -s 96) 2>/dev/null || { echo '1..0 # SKIP the stack cannot be limited'; exit 0; }
! nm "$s" 2>/dev/null | grep -q __asan_init || { echo '1..0 # SKIP sanitized frames are larger'; exit 0; }
cd "$tap_tmp" || exit 1
cat >c.ini <<'END'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model:a]
plugin = const_step
base_us = 9000
[cost_model:b]
plugin = roofline_v1
[workload]
num_requests = 20
request_rate = 10
input_tokens = constant:100
output_tokens = constant:8
END
small() { (ulimit -s 96 && exec "$s" "$@" >out); }
t run small run c.ini --arms a
t 'compare --why' small compare c.ini --why
t capacity small capacity c.ini --arms a --slo ttft_p99_ms=100 --one-draw
t recommend small recommend c.ini --arms a --gpus 2 --slo ttft_p99_ms=200 --rate 3
t sweep small sweep c.ini --axis workload.seed=1,2 --store s.db
t 'sweep --capacity' small sweep c.ini --arms a --axis engine.max_num_seqs=8 --capacity ttft_p99_ms=100 --store k.db
t model small model show llama-3.1-8b
t validate small validate sizing --measured "$STEPCOST_DATA_PATH/bench_data/serving/bench-serve.json" --arms operators
tap_done
