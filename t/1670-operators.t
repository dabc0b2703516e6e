#!/bin/sh
# The comparisons of doc/operators.md: who prices which model, who refuses it,
# and that the page says what the commands print.
. "${top_srcdir:-.}/t/lib/tap.sh"
: "${STEPCOST_DATA_PATH:=$top_srcdir}"; export STEPCOST_DATA_PATH
host=$top_builddir/stepcost
etc=$top_srcdir/etc/operators page=$top_srcdir/doc/operators.md
# NAME ARMS-THAT-ANSWER
answers() {
	"$host" compare "$etc/$1.ini" --format json --set workload.num_requests=8 \
		--set workload.concurrency=8 --set workload.output_tokens=constant:8 \
		>"$tap_tmp/out" 2>"$tap_tmp/err"
	cat "$tap_tmp/err"
	[ "$(grep -c '^      "mean_tpot_ms": [0-9]' "$tap_tmp/out")" -eq "$2" ]
}
refusals() { grep ': create:' "$tap_tmp/err" >"$tap_tmp/said"; [ "$(wc -l <"$tap_tmp/said")" -eq "$1" ] && ! grep -qv 'operators' "$tap_tmp/said"; }
on_the_page() { while read -r line; do grep -qxF -- "$line" "$page" || { echo "not there: $line"; return 1; }; done <"$tap_tmp/said"; }
while read -r name answer refuse; do
	t "$name: $answer arms answer" answers "$name" "$answer"
	t "$name: $refuse refuse, and name operators" refusals "$refuse"
	case $name in
	*b200) ;; # the page: in the same words
	*) t "$name: the page has their sentences" on_the_page ;;
	esac
done <<X2
deepseek-v3 3 5
qwen3-235b 2 4
gpt-oss-120b-h100 2 4
gpt-oss-120b-b200 2 4
X2
# Steps of 32 layers: replayed, a large one, one with a prompt.
cat >"$tap_tmp/eager.ini" <<X2
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[tables]
set = auto
[cost_model:as_it_is]
plugin = operators
[cost_model:eager]
plugin = operators
eager_layer_us = 1000
[cost_model:sglang]
plugin = operators
engine = sglang
eager_layer_us = 1000
X2
printf 'step,decode,prefill\n0,64x512,\n1,64x520,\n2,64x4,0:16\n' >"$tap_tmp/eager.csv"
eager() {
	"$host" eval "$tap_tmp/eager.ini" --steps "$tap_tmp/eager.csv" --format csv --quiet |
		awk -F, 'NR > 1 { print $2, $1, ($3 + 0 == 32000) }' | sort >"$tap_tmp/out"
	cat "$tap_tmp/out"
	[ "$(cut -d' ' -f3 "$tap_tmp/out" | tr -d '\n')" = 000010011 ]
}
t 'a layer of a step without a graph takes a launch' eager
# What an engine's name, the model and a knob do to a prompt of 16 tokens, ms.
cat >"$tap_tmp/floor.ini" <<X2
[hardware]
config = h200-sxm
[engine]
tensor_parallel_size = 8
[tables]
set = auto
[cost_model]
plugin = operators
X2
printf 'step,decode,prefill\n0,,0:16\n1,4x512,\n2,512x4,\n' >"$tap_tmp/floor.csv"
step_us() { # STEP SET...
	step=$1; shift
	for s; do set -- "$@" --set "$s"; shift; done
	"$host" eval "$tap_tmp/floor.ini" --steps "$tap_tmp/floor.csv" --format csv --quiet "$@" |
		awk -F, -v s="$step" 'NR > 1 && $1 == s { print $3 }'
}
floor() { # LEAST SET...: 1 in out if a prompt takes that long
	least=$1; shift
	step_us 0 "$@" >"$tap_tmp/out"; cat "$tap_tmp/out"
	awk -v l="$least" '{ exit !($1 >= l) }' "$tap_tmp/out"
}
no_floor() { ! floor "$@"; }
mla=model.config=deepseek-v3 engine=cost_model.engine
t 'SGLang launches prompts of latent attention layer by layer' floor 121000 $mla $engine=sglang
t 'so does TensorRT-LLM' floor 121000 $mla $engine=trtllm
t 'vLLM does not' no_floor 100000 $mla $engine=vllm
t 'nor an engine that nothing names' no_floor 100000 $mla
t 'linear attention with experts' floor 120000 model.config=qwen3.5-397b-a17b-fp8 $engine=sglang
t 'Qwen3-235B' floor 188000 model.config=qwen3-235b-a22b-fp8 $engine=sglang engine.tensor_parallel_size=4
t 'but not under TensorRT-LLM' no_floor 100000 model.config=qwen3-235b-a22b-fp8 $engine=trtllm engine.tensor_parallel_size=4
t 'dense models have none' no_floor 40000 model.config=llama-3.1-70b $engine=sglang
t 'a value of your own counts' no_floor 100000 $mla $engine=sglang cost_model.eager_layer_us=0
norm() { # A norm over all heads costs 62 small all-reduces, on several ranks alone.
	mm=model.config=minimax-m2.5 one='hardware.config=b200-sxm engine.memory_check=off engine.tensor_parallel_size=1'
	set -- "$(step_us 1 $mm engine.tensor_parallel_size=4)" "$(step_us 1 $mm engine.tensor_parallel_size=4 model.qk_norm_joint=false)" \
		"$(step_us 1 $mm $one)" "$(step_us 1 $mm $one model.qk_norm_joint=false)"
	echo "$@"
	awk -v a="$1" -v b="$2" -v c="$3" -v d="$4" 'BEGIN { exit !(a - b > 62 * 3 && a - b < 62 * 30 && c == d && c > 0) }'
}
t 'a norm over the heads of all ranks is an all-reduce a layer' norm
link() { # Slower links than those of the table lengthen what they carry; faster ones nothing.
	rtx='hardware.config=rtxpro6000 engine.tensor_parallel_size=2 model.config=llama-3.1-8b hardware.link_bandwidth_gbs'
	# shellcheck disable=SC2086 # words
	set -- "$(step_us 0 $rtx=64)" "$(step_us 0 $rtx=16)" "$(step_us 0 $rtx=128)" "$(step_us 1 $rtx=64)" "$(step_us 1 $rtx=16)"
	echo "$@"
	awk -v a="$1" -v b="$2" -v c="$3" -v d="$4" -v e="$5" 'BEGIN { exit !(a == c && b > a && e - d > b - a && e < 4 * d) }'
}
t 'a link set by hand scales measured collectives' link
other_edition() { # Tables of another bandwidth are of faster links, too.
	rtx='hardware.config=rtxpro6000-server engine.tensor_parallel_size=2 model.config=llama-3.1-8b hardware.link_bandwidth_gbs'
	# shellcheck disable=SC2086 # words
	set -- "$(step_us 1 $rtx=64)" "$(step_us 1 $rtx=16)"
	echo "$@"
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(b > 1.2 * a && b < 4 * a) }'
}
t 'a link set by hand scales collectives of tables that stand in' other_edition
experts() { # The kernel of experts that a launch chose.
	q=model.config=qwen3-235b-a22b-fp8
	b="hardware.config=b200-sxm $engine=sglang engine.tensor_parallel_size=4"
	# shellcheck disable=SC2086 # words
	set -- "$(step_us 1 $q $b)" "$(step_us 1 $q $b cost_model.expert_kernel=trtllm)" "$(step_us 1 $q $b cost_model.expert_kernel=triton)"
	echo "$@"
	awk -v a="$1" -v b="$2" -v c="$3" 'BEGIN { exit !(a > 0 && a <= b && c > a) }'
}
t 'the fastest kernel of experts counts, or the one that is named' experts
no_kernel() {
	step_us 1 model.config=deepseek-r1-nvfp4 hardware.config=b200-sxm cost_model.expert_kernel=deepgemm >"$tap_tmp/out" 2>&1; cat "$tap_tmp/out"
	grep -q 'expert_kernel = deepgemm: no table has rows of it for experts in nvfp4' "$tap_tmp/out"
}
t 'one without rows is refused by name' no_kernel
padded() { # DeepGEMM of vLLM 0.11 reads all 32 experts of a rank, whatever 4 tokens choose; bf16 has no such kernel.
	b="hardware.config=b200-sxm engine.tensor_parallel_size=4 engine.expert_parallel_size=4 cost_model.expert_kernel"
	q=model.config=qwen3-235b-a22b-fp8 h="hardware.config=h100-sxm engine.expert_parallel_size=8 model.config=qwen3-235b-a22b cost_model.expert_kernel"
	# shellcheck disable=SC2086 # words
	set -- "$(step_us 2 $q $b=triton)" "$(step_us 2 $q $b=deepgemm_padded)" "$(step_us 2 $h=triton)" "$(step_us 2 $h=deepgemm_padded)"
	echo "$@"
	awk -v a="$1" -v b="$2" -v c="$3" -v d="$4" 'BEGIN {
		all = 94 * 32 * 3 * 4096 * 1536 / (.645 * 8e6)
		exit !(b > a && b > all && b - a < all && c == d && c > 0) }'
}
t 'experts in FP8 blocks that are filled up to a tile' padded
ranks() { # A rank of four with 8 decodes beside one with a prompt of 700 tokens: padded as that one before vLLM 0.17.
	printf 'step,decode,dp_tokens,dp_max_tokens\n0,512x8,724,700\n1,512x8,2800,700\n2,512x8,32,8\n' >"$tap_tmp/ranks.csv"
	for how in vllm-0.15 vllm-0.24 'vllm-0.15 --set cost_model.dp_padding=graphs' 'vllm-0.24 --set cost_model.dp_padding=all'; do
		# shellcheck disable=SC2086 # words
		"$host" eval "$tap_tmp/floor.ini" --steps "$tap_tmp/ranks.csv" --format csv --quiet --set model.config=qwen3-30b-a3b \
			--set engine.tensor_parallel_size=1 --set engine.data_parallel_size=4 --set engine.expert_parallel_size=4 --set engine.preset=$how \
			--set cost_model.host=async --set cost_model.engine=vllm | awk -F, 'NR > 1 { printf "%s ", $3 }'
	done >"$tap_tmp/out"
	cat "$tap_tmp/out"
	awk '{ exit !($1 == $2 && $1 > 1.2 * $4 && $4 < $5 && $3 == $6 && $4 == $7 && $5 == $8 && $1 == $10 && NF == 12) }' "$tap_tmp/out"
}
t 'ranks of attention data parallelism pad to the busiest' ranks
amd() { # MXFP4 on both sides has tables there; a layer's time counts as often as there are layers.
	# shellcheck disable=SC2086 # words
	set -- "$(step_us 1 model.config=deepseek-r1-mxfp4 hardware.config=mi355x)" "$(step_us 1 model.config=deepseek-r1-mxfp4 hardware.config=mi355x cost_model.layer_us=100)"
	echo "$@"
	awk -v a="$1" -v b="$2" 'BEGIN { d = b - a - 6100; exit !(a > 0 && d < .01 && d > -.01) }'
}
t 'a layer takes layer_us beside its kernels' amd
w4a4() { # Where a table has the rows, they are the answer.
	"$host" kernel "$tap_tmp/floor.ini" --set model.config=deepseek-r1-mxfp4 --set hardware.config=mi355x --against mi355x.aiter-2026-08 --format csv --quiet >"$tap_tmp/out"
	grep ',moe,' "$tap_tmp/out" | grep w4a4_mxfp4 | head -3
	[ "$(grep w4a4_mxfp4 "$tap_tmp/out" | grep -c ',exact$')" -gt 1000 ]
}
t 'experts in MXFP4 on both sides are those of their table' w4a4
parts() { # of a step of a dense model, in text
	"$host" run "$tap_tmp/eager.ini" --arms as_it_is --set workload.num_requests=4 --set workload.concurrency=2 --set workload.input_tokens=constant:64 --set workload.output_tokens=constant:8 --quiet --all | sed -n '/^Parts of a step/,/^$/s/^ *\([a-z_]*\) .*/\1/p' >"$tap_tmp/out"
	cat "$tap_tmp/out"
	grep -qx ffn "$tap_tmp/out" && ! grep -qxE 'moe|router|mla' "$tap_tmp/out"
}
t 'nothing is said of parts that take no time' parts
h20() { "$host" eval "$etc/deepseek-v3-h20.ini" --steps "$etc/deepseek-v3-h20.csv" --format csv --quiet |
	awk -F, 'NR == 2 { a = sprintf("take %.1f ms", $4 / 1000) } NR == 3 { print a ", a prompt of 4096 a GPU " sprintf("%.0f ms", $4 / 1000) }' >"$tap_tmp/h20"; cat "$tap_tmp/h20"; tr "\n" " " <"$page" | grep -qF "$(cat "$tap_tmp/h20")"; }
t 'DeepSeek-V3 on H20 as on the page' h20
# Its tables are those of the GPU, unless it is to have none: then it answers,
# and says how to get them.
printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n[cost_model]\nplugin = operators\n' >"$tap_tmp/bare.ini"
printf 'step,decode,prefill\n1,100,\n' >"$tap_tmp/one.csv"
without() { "$host" eval "$tap_tmp/bare.ini" --steps "$tap_tmp/one.csv" "$@" 2>&1 >"$tap_tmp/out" | tee "$tap_tmp/err"; }
warns() { without --set tables.set=; grep -c 'operators: no tables: .*set = auto' "$tap_tmp/err" | grep -qx 1; }
t 'without tables one line says so, and how to get them' warns
silent() { without --set tables.set=auto; [ -s "$tap_tmp/out" ] && ! grep -q 'no tables' "$tap_tmp/err"; }
t 'with tables none does' silent
default() { cp "$tap_tmp/out" "$tap_tmp/auto"; without; cmp "$tap_tmp/out" "$tap_tmp/auto"; }
t 'they are the default' default
tap_done
