#!/bin/sh
# Decodes that verify drafts: their tokens share a step's matrices, and each
# sequence's KV is read once.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
cd "$tap_tmp" || exit 1
cat >c.ini <<X
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model:smooth_roofline]
plugin = smooth_roofline
[cost_model:latency_interp]
plugin = latency_interp
tables.set = h100-sxm.vllm-0.24
X
printf 'step,decode,prefill\n0,4096+4x16,\n1,4096x64,\n2,4099x16,\n' >steps.csv
"$host" eval c.ini --steps steps.csv --format csv --quiet >out.csv || echo 'Bail out! eval fails'
# price ARM STEP COLUMN
price() { awk -F, -v arm="$1" -v step="$2" -v want="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) c = i }
	NR > 1 && $1 == step && $2 == arm { print $c }' out.csv; }
alike() { a=$(price "$1" 0 "$3"); b=$(price "$1" "$2" "$3"); echo "$a, $b"; [ -n "$a" ] && [ "$a" = "$b" ]; }
for arm in smooth_roofline latency_interp; do
	t "$arm: matrices and logits of 64 tokens" alike $arm 1 decode_gemm_us
	t "$arm: KV of 16 sequences" alike $arm 2 decode_attention_us
	t "$arm: what follows the tokens" alike $arm 1 overhead_us
done
cat >drafts.ini <<X
[engine]
preset = vllm-0.24
num_gpu_blocks = 1000
max_model_len = 1000
num_speculative_tokens = 2
synthetic_acceptance_length = 2
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model]
plugin = roofline_v1
[workload]
X
refused() { "$host" run drafts.ini 2>err; rc=$?; cat err; [ $rc = 2 ] && grep -q 'use one of .*const_step.*latency_interp.*operators.*smooth_roofline' err; }
t 'one that does not is refused, and these are named' refused
tap_done
