#!/bin/sh
# What the models say at create, what they refuse, how lookups are counted.
. "${top_srcdir:-.}/t/lib/tap.sh"
: "${STEPCOST_DATA_PATH:=$top_srcdir}"; export STEPCOST_DATA_PATH
host=$top_builddir/stepcost
printf 'step,decode,prefill\n0,4096;64x15,0:513\n' >"$tap_tmp/s.csv"
ini() { # MODEL TP PLUGIN LINES...
	{
		printf '[model]\n%s\n[hardware]\nconfig = h100-sxm\n' "$1"
		printf '[engine]\ntensor_parallel_size = %s\n' "$2"
		printf '[tables]\npath = %s\nset = h100-sxm.infersim\n' "${tables:-$top_srcdir/bench_data}"
		printf '[cost_model]\nplugin = %s\n' "$3"
		shift 3; printf '%s\n' "$@"
	} >"$tap_tmp/c.ini"
}
says() { # CODE WANT INI-ARGUMENTS...
	code=$1 want=$2; shift 2; ini "$@"
	"$host" eval "$tap_tmp/c.ini" --steps "$tap_tmp/s.csv" --format csv >"$tap_tmp/out" 2>&1; got=$?
	cat "$tap_tmp/out"; echo "exit $got"
	[ $got -eq "$code" ] && [ "$(grep -cF -- "$want" "$tap_tmp/out")" -eq 1 ]
}
llama='config = llama-3.1-8b'

t 'another number format is said once, with numbers' says 0 \
	'gemm.csv: measured in fp8 with MFU relative to 1979 TFLOP/s; the model computes in bf16 at 989 TFLOP/s' "$llama" 1 roofline_v2
t 'other GEMM shapes are said once' says 0 '4096x1024 -> 4096x6144, 4096x14336 -> 8192x11008' "$llama" 1 roofline_v2
t 'another attention shape is said once' says 0 \
	'no attention of shape 16-16-128 was measured: 28-4-128 is used' \
	"$llama
num_attention_heads = 16
num_key_value_heads = 0
head_dim = 128" 1 roofline_v2
t 'another tp is said once' says 0 'no decode attention 32-8-128 of tp 8 was measured: tp 4 is used' "$llama" 8 roofline_v2
t 'tp 1 on demand' says 0 'tp 8 was measured: tp 1 is used' "$llama" 8 roofline_v2 'missing_tp = one'
t 'lookup = nearest takes tp 1 by itself' says 0 'tp 8 was measured: tp 1 is used' "$llama" 8 roofline_v2 'lookup = nearest'
t 'and no other' says 4 'missing_tp = nearest needs lookup = linear' "$llama" 8 roofline_v2 'lookup = nearest' 'missing_tp = nearest'
t 'mfu_interp says what it splits' says 0 'attention_prefill of 4-1-128 tp 1 was not measured' "$llama" 8 mfu_interp

by_id() { # a publisher's name gives the prices of the shipped model
	ini 'config = meta-llama/llama-3.1-8b-INSTRUCT' 1 roofline_v1
	"$host" eval "$tap_tmp/c.ini" --steps "$tap_tmp/s.csv" --format csv >"$tap_tmp/by-id" 2>/dev/null || return 1
	ini "$llama" 1 roofline_v1
	"$host" eval "$tap_tmp/c.ini" --steps "$tap_tmp/s.csv" --format csv 2>/dev/null | cmp - "$tap_tmp/by-id"
}
t 'a model by its name on Hugging Face' by_id
t 'and an unknown one' says 2 'config = ' 'config = nobody/llama' 1 roofline_v1

for plugin in roofline_v1 roofline_v2 mfu_interp mfu_per_request; do
	t "$plugin refuses a mixture of experts by name" says 2 'layers with a mixture of experts (MoE); use plugin = operators' 'config = mixtral-8x7b' 1 $plugin
	t "$plugin refuses MLA by name" says 2 'layers with latent attention (MLA); use plugin = operators' 'config = deepseek-v2-lite' 1 $plugin
	t "$plugin refuses a context beyond a window" says 4 'a context of 4096 tokens with an attention window of 1024' \
		"$llama
layer_types = sliding_attention
sliding_window = 1024" 1 $plugin
done
for plugin in roofline_v1 roofline_v2 mfu_interp mfu_per_request latency_interp smooth_roofline; do
	t "$plugin refuses a gate on attention" says 2 'layers with a gate on the output of attention; use plugin = operators' \
		"$llama
attention_gate = full" 1 $plugin
	t "$plugin refuses sparse attention, and says of how many layers" says 2 'cannot price its 32 layers with attention to a chosen or compressed part of the context' \
		"$llama
index_topk = 2048" 1 $plugin
done
printf 'step,decode,prefill\n0,64x15,0:513\n' >"$tap_tmp/s.csv"
t 'within the window it is full attention' says 0 '0,roofline_v2,' "$llama
layer_types = sliding_attention
sliding_window = 1024" 1 roofline_v2
printf 'step,decode,prefill\n0,4096;64x15,0:513\n' >"$tap_tmp/s.csv"

# Per phase: 4 GEMM shapes of a foreign format; decode (16, 4096) is measured,
# (16, 64) is below the range; the prefill bucket of 1024 is measured.
t 'lookups are counted by distinct shapes' says 0 ',2,0,1,8,0' "$llama" 1 roofline_v2
printf 'step,decode,prefill\n0,100000x200,\n' >"$tap_tmp/s.csv"
t 'a hole is a fallback' says 0 ',0,0,0,4,1' "$llama" 1 roofline_v2

# Twins: the same knobs by another plugin, the same bytes.
printf 'step,decode,prefill\n0,64;200;3000;4096;64x15,0:513\n1,100000x200,\n2,7x600;90x3,9:1;30:2\n' >"$tap_tmp/s.csv"
twins() { # V2-KNOB PER-REQUEST-KNOB
	ini "$llama" 1 roofline_v2 "$1" '[cost_model:other]' 'plugin = mfu_per_request' "$2"
	"$host" eval "$tap_tmp/c.ini" --steps "$tap_tmp/s.csv" --format csv --quiet 2>/dev/null >"$tap_tmp/out"
	grep ',roofline_v2,' "$tap_tmp/out" | sed 's/,roofline_v2,/,/' >"$tap_tmp/a"
	grep ',other,' "$tap_tmp/out" | sed 's/,other,/,/' >"$tap_tmp/b"
	[ "$(wc -l <"$tap_tmp/a")" = 3 ] && diff "$tap_tmp/a" "$tap_tmp/b"
}
t 'mfu_per_request, arithmetic, is roofline_v2' twins '' 'mean = arithmetic'
t 'mfu_per_request, single, is per_request' twins 'decode_attention_mfu = per_request' 'at = single'
differ() { ! twins "$@"; }
t 'mfu_per_request, harmonic, is neither' differ '' ''

# A data folder in InferSim's own layout, MFU as its columns have it.
tables=$tap_tmp/data
mkdir -p "$tables/gemm/h100-sxm.infersim" "$tables/mha/prefill/h100-sxm.infersim" "$tables/mha/decode/h100-sxm.infersim"
printf 'm,k,n,latency_us,mfu\n8,8192,11008,42.341,0.017\n128,8192,11008,44.039,0.265\n' >"$tables/gemm/h100-sxm.infersim/data.csv"
printf 'dtype,seq_len,latency_us,mfu\nbf16,1024,38.098,0.228\nbf16,4096,217.585,0.638\n' \
	>"$tables/mha/prefill/h100-sxm.infersim/32-8-128.csv"
printf 'dtype,batch_size,kv_len,latency_us,mfu\nbf16,1,1024,36.041,0.0\nbf16,1,4096,33.06,0.002\n' \
	>"$tables/mha/decode/h100-sxm.infersim/32-8-128-tp1.csv"
printf 'step,decode,prefill\n0,,0:1024\n' >"$tap_tmp/s.csv"
t 'a set without a peak is read by its mfu column' says 0 "gemm/h100-sxm.infersim: MFU is read from the table's own column" "$llama" 1 roofline_v2
# 4 x 32 x 1024^2 x 128 x 32 layers / 1.8 / (989 TFLOP/s x 0.228)
t 'and that is what prices' says 0 ',1354.4600101' "$llama" 1 roofline_v2

# Decodes of several tokens, for cost models that price them.
printf 'step,decode,prefill\n0,4096+4;64x15,\n' >"$tap_tmp/s.csv"
t 'a decode of several tokens has to be priced as one' says 2 'step 0: roofline_v1 cannot price decodes of several tokens' "$llama" 1 roofline_v1
t 'or is not refused' says 0 ',operators,' "$llama" 1 operators

# What vLLM logs of its KV cache.
show() { "$host" model show "$@" --format json | tr -d ' \n'; }
shows() { want=$1; shift; show "$@" | grep -qF "$want"; }
t 'KV-cache groups' shows '"engine_preset":"vllm-2026-07","kv_groups":"window:12x16;full:12x16"' gpt-oss-20b
t 'of a uniform model one' shows '"kv_groups":"full:32x16"' llama-3.1-8b
t 'without the hybrid manager, too' shows '"kv_groups":"full:24x16"' gpt-oss-20b --set engine.disable_hybrid_kv_cache_manager=true
# 0.92 x 84.9e9 bytes less 16.06e9 of weights and 0.9e9 / 65536 a page / 32 layers
t 'how much it holds' shows '"num_gpu_blocks":29156,"kv_cache_tokens":466512,' llama-3.1-8b --set hardware.config=h100-sxm
hides() { ! show "$@" | grep -q kv_cache_tokens; }
t 'not without a GPU' hides llama-3.1-8b
tap_done
