#!/bin/sh
# Arms that differ in engine keys: comparing settings is comparing arms.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
cat >"$tap_tmp/c.ini" <<'X'
[model]
config = gpt-oss-20b
[hardware]
config = h100-sxm
[engine]
max_model_len = 8192
num_gpu_blocks = 1000
[cost_model:plain]
plugin = const_step
[cost_model:hybrid]
plugin = const_step
engine.preset = vllm-0.24
engine.enable_prefix_caching = false
[workload]
num_requests = 60
request_rate = 200
input_tokens = constant:500
output_tokens = constant:20
X
compare() { "$host" compare "$tap_tmp/c.ini" --all "$@" >"$tap_tmp/out" 2>"$tap_tmp/err"; }
compare
t 'the same requests for both' grep -q 'the same for every arm' "$tap_tmp/out"
t 'the result says what an arm has of its own' grep -q 'in hybrid preset = vllm-0.24,' "$tap_tmp/out"
t 'windows keep every token without a preset: said once' [ "$(grep -c 'arm plain: layers with a sliding window keep every token' "$tap_tmp/err")" -eq 1 ]
t 'and not under one' [ "$(grep -c 'arm hybrid: layers' "$tap_tmp/err")" -eq 0 ]
compare --format json
t 'in JSON, all its engine keys' grep -q '"preset": "vllm-0.24"' "$tap_tmp/out"
compare --set cost_model:plain.engine.max_num_seqs=1
t 'also from --set' grep -q 'in plain max_num_seqs = 1' "$tap_tmp/out"
compare --set cost_model:plain.engine.max_num_seq=1
t 'an unknown one: exit 2' [ $? -eq 2 ]
t 'and the nearest name' grep -q "did you mean 'engine.max_num_seqs'" "$tap_tmp/err"
compare --set cost_model:plain.engine.block_size=0
t 'a bad value: exit 2, and its place' grep -q -- '--set: engine.block_size = 0: not an integer' "$tap_tmp/err"
tap_done
