#!/bin/sh
# How the GPUs of a replica share a model: which splits are served, what auto
# blocks come to, what a cost model is told.
. "${top_srcdir:-.}/t/lib/tap.sh"
: "${STEPCOST_DATA_PATH:=$top_srcdir}"; export STEPCOST_DATA_PATH
host=$top_builddir/stepcost
STEPCOST_PLUGIN_PATH=$top_builddir/t/so/.libs:$STEPCOST_PLUGIN_PATH
cd "$tap_tmp" || exit 1
cat >c.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h200-sxm
[cost_model]
plugin = known_cost
base_us = 5000
[workload]
num_requests = 4
request_rate = 10
input_tokens = constant:100
output_tokens = constant:5
X
printf 'step,decode,prefill\n0,64x15,0:513\n' >s.csv
refused() { # WANT --set...
	want=$1; shift
	"$host" "$command" c.ini "$@" >out 2>err; got=$?
	cat err; echo "exit $got"; [ $got -eq 2 ] && grep -qF -- "$want" err && [ ! -s out ]
}
for command in run compare capacity; do
	[ $command = capacity ] && slo=--slo=ttft_p99_ms=500 || slo=
	t "$command: tp that does not divide the heads" refused \
		'tensor_parallel_size = 3: must divide the 32 query heads, and the 8 KV heads or be a multiple of them; allowed: 1, 2, 4, 8, 16, 32' \
		--set engine.tensor_parallel_size=3 $slo
done
command=run
t 'experts: ways that do not divide them' refused 'allowed: 1, 2, 4, 8' \
	--set model.config=mixtral-8x7b --set engine.tensor_parallel_size=8 --set engine.data_parallel_size=2 --set engine.enable_expert_parallel=true
t 'a dense model has none' refused 'model llama-3.1-8b has no experts' --set engine.enable_expert_parallel=true
t 'more stages than layers' refused 'pipeline_parallel_size = 33: allowed: 1 to 32' --set engine.pipeline_parallel_size=33
t 'of an arm' refused 'tensor_parallel_size = 5' --set cost_model.engine.tensor_parallel_size=5
priced() { "$host" eval c.ini --steps s.csv --set engine.tensor_parallel_size=3 >out 2>err && grep -q 'warning: no engine is known to serve this: .*tensor_parallel_size = 3' err && grep -q '^0' out; }
t 'eval prices what it is given, and warns' priced

blocks() { # WANT --set...
	want=$1; shift
	"$host" run c.ini --format json "$@" >out.json || return 1
	grep '"num_gpu_blocks_from"' out.json; grep -qF -- "$want" out.json
}
t '16 ranks of 8 KV heads keep one each' blocks '/ 16384 bytes a token / 16' \
	--set engine.tensor_parallel_size=16
t 'latent attention is kept whole' blocks 'weights - 0.9 GB) / 70272 bytes a token / 16' \
	--set model.config=deepseek-v3 --set engine.tensor_parallel_size=8
t 'in FP8' blocks '/ 35136 bytes a token / 16 * 8 of data_parallel_size' \
	--set model.config=deepseek-v3 --set engine.data_parallel_size=8 --set engine.enable_expert_parallel=true --set engine.kv_cache_dtype=fp8
t 'half of the layers' blocks '/ 65536 bytes a token / 16' --set engine.pipeline_parallel_size=2
cat >mamba.ini <<'X'
[model]
num_hidden_layers = 4
hidden_size = 64
num_attention_heads = 1
vocab_size = 100
layer_types = linear_attention
mlp_layer_types = none
linear_attention = mamba2
linear_num_key_heads = 1
linear_num_value_heads = 4
linear_key_head_dim = 16
linear_value_head_dim = 32
linear_conv_kernel_dim = 4
X
t 'nothing is kept of a token' blocks 'auto: unlimited, no layer keeps KV of each token' --set model.config=./mamba.ini

gpus() { # COUNT --set...
	want=$1; shift
	"$host" run c.ini --format json "$@" >out.json && grep -q "\"gpus\": $want," out.json
}
t 'GPUs of all stages and ranks' gpus 16 --set engine.pipeline_parallel_size=2 --set engine.data_parallel_size=4 --set engine.replicas=2
alike() { # without experts, ranks are replicas
	"$host" run c.ini --set engine.data_parallel_size=3 --write-requests a.csv >out || return 1
	"$host" run c.ini --set engine.replicas=3 --write-requests b.csv >out && cmp a.csv b.csv
}
t 'data parallelism of a dense model is replicas' alike
tap_done
