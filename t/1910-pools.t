#!/bin/sh
# Prefill and decode apart, each priced by its own arm; one request by hand.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
cat >"$tap_tmp/c.ini" <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
replicas = 2
prefill_replicas = 1
kv_transfer_bandwidth_gbs = 50
kv_transfer_latency_us = 20
[cost_model:prompts]
plugin = const_step
base_us = 100
per_token_us = 1
[cost_model:output]
plugin = const_step
base_us = 30
per_token_us = 5
[workload]
num_requests = 1
request_rate = 1
arrival = constant
input_tokens = constant:1000
output_tokens = constant:3
X
steps() { "$host" run "$tap_tmp/c.ini" --quiet --write-steps "$tap_tmp/steps.csv" "$@" >/dev/null; }
# 1,000 tokens of 131,072 bytes at 50 GB/s: 2,621.44 us, and 20.
total() { awk -F, -v want="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "total_us") at = i; next }
	{ got = got $at " " } END { print got; exit got != want }' "$tap_tmp/steps.csv"; }
steps
t 'one arm prices both pools' total '1100 101 101 '
steps --set engine.decode_cost_model=output
t 'another one those that generate' total '1100 35 35 '
e2e_is() { "$host" run "$tap_tmp/c.ini" --quiet --format json --set engine.decode_cost_model=output |
	grep '"mean_e2el_ms": 3.81144,'; }
t 'bytes over bandwidth and latency between them' e2e_is
"$host" run "$tap_tmp/c.ini" --set engine.decode_cost_model=nobody >/dev/null 2>"$tap_tmp/err"
t 'an arm that is not there: exit 2' [ $? -eq 2 ]
t 'and one line' grep -q 'decode_cost_model = nobody: no arm' "$tap_tmp/err"
# Why arms differ: each pool's steps are priced by the arm of that pool, so that
# arms with the same decode pool differ by the prompt's step, 100 us.
printf '[cost_model:slow]\nplugin = const_step\nbase_us = 200\nper_token_us = 1\n' >>"$tap_tmp/c.ini"
why() { "$host" compare "$tap_tmp/c.ini" --quiet --why --format json --arms prompts,slow,output --set engine.decode_cost_model=output |
	grep -m 1 '"step_time_ms": .*"frozen_difference"' | grep -F '"recorded": 1.17, "frozen": 1.27, "frozen_difference": 0.1}'; }
t 'why arms differ: each pool by its own arm' why
tap_done
