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
# Pools with keys and a GPU of their own.  Under a preset KV caches are pulled:
# the last token of the prompt is computed again.
cat >"$tap_tmp/p.ini" <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
preset = vllm-0.24
front_end = none
kv_transfer_bandwidth_gbs = 50
proxy_us = 300
[engine:prefill]
replicas = 1
max_num_batched_tokens = 600
[engine:decode]
replicas = 2
tensor_parallel_size = 2
hardware.config = h200-sxm
max_num_seqs = 7
[cost_model]
plugin = roofline_v1
[workload]
num_requests = 4
request_rate = 10
arrival = constant
input_tokens = constant:1000
output_tokens = constant:3
X
run_p() { "$host" run "$tap_tmp/p.ini" --quiet "$@"; }
run_p --format json >"$tap_tmp/p.json"
has() { grep -q "$@" "$tap_tmp/p.json"; }
t 'each pool has GPUs of its own' has '"gpus": 5,'
t 'of its own kind' has '"gpu": {"roofline_v1": "h200-sxm"}'
field() { sed -n "/\"pools\": {/,/kv_transfers/{/\"$1\": {/,/}/p}" "$tap_tmp/p.json" | sed -n "s/.*\"$2\": \([0-9.]*\).*/\1/p" | tail -1; }
is() { [ "$2" = "$3" ] || { echo "$1: $2, want $3"; return 1; }; }
t 'chunks of 600 there' is steps "$(field prefill num_steps)" 8
t 'three steps a request here' is steps "$(field decode num_steps)" 12
t 'more blocks on the larger GPU' sh -c "[ $(field decode num_gpu_blocks) -gt $(field prefill num_gpu_blocks) ]"
t 'four transfers' has '"transfers": 4,'
run_p --all >"$tap_tmp/p.txt"
t 'the text says which GPUs' grep -q 'prefill: 1 h100-sxm; decode: 4 h200-sxm' "$tap_tmp/p.txt"
t 'and has a table of the pools' grep -q '^pools  *prefill  decode' "$tap_tmp/p.txt"
run_p --html "$tap_tmp/p.html" >/dev/null
t 'so has the page' grep -q 'Prefill and decode apart' "$tap_tmp/p.html"
step_us() { run_p --write-steps "$tap_tmp/p.csv" "$@" >/dev/null
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["replica"] > 0 { print $at["total_us"]; exit }' "$tap_tmp/p.csv"; }
differ() { [ -n "$1" ] && [ "$1" != "$2" ]; }
t 'the decode GPU prices its steps' differ "$(step_us)" "$(step_us --set engine:decode.hardware.config=h100-sxm)"
alike() { [ "$1" = "$2" ]; }
t 'the prefill GPU does not' alike "$(step_us)" "$(step_us --set engine:prefill.hardware.config=h200-sxm)"
refused() { # WANT --set...
	want=$1; shift
	run_p "$@" >/dev/null 2>"$tap_tmp/err"
	[ $? -eq 2 ] && grep -q -- "$want" "$tap_tmp/err" || { cat "$tap_tmp/err"; return 1; }
}
t 'sizes in two places are refused' refused 'prefill_replicas = 1: prefill and decode replicas are counted separately' --set engine.prefill_replicas=1
t 'pools that do not agree' refused 'kv_connector: must be the same' --set engine:decode.kv_connector=push
t 'KV caches of two formats' refused 'kv_cache_dtype: prefill and decode replicas must have the same KV cache' --set engine:decode.kv_cache_dtype=fp8
t 'an unknown key' refused "unknown key 'max_seqs' in \[engine:decode\]" --set engine:decode.max_seqs=1
t 'an unknown key of the GPU' refused "hardware.confg" --set engine:decode.hardware.confg=1
t 'pulling without a preset' refused 'needs a preset' --set engine.preset=none --set engine.kv_connector=pull
together() { run_p --format json --set engine.pools=together --set engine.replicas=5 >"$tap_tmp/o.json"
	grep -q '"gpus": 5,' "$tap_tmp/o.json" && ! grep -q '"transfers":' "$tap_tmp/o.json"; }
t 'or an arm in one piece' together
sed 's/^preset.*/scheduler = tensorrt_llm\npd_fixed_us = 4000/; /^proxy/d; s/max_num_batched/max_num/; s/max_num_seqs/max_batch_size/; s/= 600/= 1000/; s/roofline_v1/smooth_roofline/' "$tap_tmp/p.ini" >"$tap_tmp/t.ini"
run_t() { "$host" run "$tap_tmp/t.ini" --quiet "$@"; }
run_t --format json --set engine:decode.num_speculative_tokens=1 --set engine:decode.synthetic_acceptance_length=2 >"$tap_tmp/p.json"
t "TensorRT-LLM's: whole prompts" is steps "$(field prefill num_steps)" 4
t 'with two tokens a step' is steps "$(field decode num_steps)" 8
drafts_there() { run_t --set engine:prefill.num_speculative_tokens=1 --set engine:prefill.synthetic_acceptance_length=2 2>"$tap_tmp/err"
	[ $? -eq 2 ] && grep -q 'drafts are simulated in \[engine:decode\] alone' "$tap_tmp/err"; }
t 'drafts for prompts are refused' drafts_there
transfer_ms() { run_t --format json "$@" | sed -n 's/.*"mean_transfer_ms": \([0-9.]*\).*/\1/p'; }
# 1,000 tokens of 131,072 bytes at 50 GB/s, and half of 4 ms; over two links.
t 'half of the fixed time' is ms "$(transfer_ms)" 4.62144
t 'a link for each GPU' is ms "$(transfer_ms --set engine.kv_transfer_links=gpu)" 3.31072
pushes() { run_p --set engine.preset=none --set engine.proxy_us=0 --format json | grep -q '"transfers": 4,'; }
t 'pools of their own without a preset push' pushes
tap_done
