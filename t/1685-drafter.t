#!/bin/sh
# Who drafts: what it costs, what it keeps, who it may be.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
cd "$tap_tmp" || exit 1
cat >c.ini <<X
[model]
config = llama-3.1-70b
[hardware]
config = h100-sxm
[engine]
preset = vllm-0.24
tensor_parallel_size = 4
num_speculative_tokens = 3
speculative_method = draft_model
synthetic_acceptance_rates = 0.8,0.6,0.45
[cost_model:main]
plugin = const_step
base_us = 10000
per_token_us = 0
[cost_model:small]
plugin = const_step
base_us = 500
per_token_us = 0
[workload]
concurrency = 1
num_requests = 4
input_tokens = 100
output_tokens = 50
X
run() { "$host" run c.ini --arms main --format json "$@" >out.json 2>err; }
figure() { sed -n "s/^ *\"$1\": \([0-9].*[^,]\),*\$/\1/p" out.json | head -1; }
has() { name=$1 value=$2; shift 2; run "$@"; got=$(figure "$name"); echo "$name: $got"; [ "$got" = "$value" ]; }
warned() { n=$(grep -c 'drafting costs nothing' err); echo "$n warnings"; [ "$n" = "$1" ]; }
refused() { text=$1; shift; run "$@"; [ $? = 2 ] && cat err && grep -qF -- "$text" err; }

run; t 'nobody pays: one warning' warned 1
run --set engine.draft_us=1; t 'none where a pass takes time' warned 0
run --set engine.draft_cost_model=small; t 'or is priced' warned 0
run --set engine.speculative_method=ngram; t 'or there is none' warned 0
# Prompts and decodes make a token each: three passes of 500 us beside 10 ms.
t 'a constant pass' has spec_decode_draft_share 0.13043478260869565 --set engine.draft_us=500
t 'a pass that is priced' has spec_decode_draft_share 0.13043478260869565 --set engine.draft_cost_model=small
t 'not both' refused 'give only one of the two' --set engine.draft_us=500 --set engine.draft_cost_model=small
t 'no such arm' refused 'draft_cost_model = nobody: there is no arm of this name' --set engine.draft_cost_model=nobody
t 'no such model' refused 'llama-none' --set engine.draft_model_config=llama-none
sed '/^base_us\|^per_token_us/d' c.ini >plain.ini
t1() { "$host" run plain.ini --arms main --set "cost_model:small.plugin=$1" --set engine.draft_cost_model=small >err 2>&1; rc=$?; cat err; grep -qF -- "$2" err && [ $rc = "$3" ]; }
t 'one that does not price several tokens' t1 roofline_v1 'roofline_v1 cannot price decodes of several tokens' 2
t 'one that is told of no model' t1 const_step "draft_cost_model = small: the drafter's model is unknown" 0

# 80 layers of 4 KiB a token: 41.93 GB; of 32 more layers, behind weights of 4.02 GB.
t 'alone, the model fills the memory' has num_gpu_blocks 31988
t 'beside a model of its own' has num_gpu_blocks 20660 --set engine.draft_model_config=llama-3.1-8b
t 'eagle: without the embedding, which is shared' has num_gpu_blocks 20803 \
	--set engine.draft_model_config=llama-3.1-8b --set engine.speculative_method=eagle
t 'mtp: its last layer' has num_gpu_blocks 31271 --set engine.speculative_method=mtp --set engine.draft_cost_model=small
t 'ngram: nothing' has num_gpu_blocks 31988 --set engine.draft_model_config=llama-3.1-8b --set engine.speculative_method=ngram
csv() { "$host" run c.ini --arms main --set engine.draft_us=500 --format csv | python3 -c '
import csv, sys
row = next(csv.DictReader(sys.stdin))
print(row["spec_decode_draft_share"], row["eager_steps"], row["gpu_idle_share"])
sys.exit(row["spec_decode_draft_share"][:6] != "0.1304" or row["eager_steps"] != "0" or row["gpu_idle_share"] != "")'; }
command -v python3 >/dev/null && t 'in CSV, too' csv

# ---- it takes no part itself --------------------------------------------------
arms() { # WANT COMMAND OPTION...
	want=$1 command=$2; shift 2
	"$host" "$command" c.ini --format csv "$@" >out.csv 2>err; cat err
	got=$(sed 1d out.csv | cut -d, -f1 | sort -u | tr '\n' ' '); echo "$got"; [ "$got" = "$want " ]
}
t 'arms without a drafter all take part' arms 'main small' compare
t 'who drafts for others does not' arms main compare --set engine.draft_cost_model=small
t 'so there is one arm to run' arms main run --set engine.draft_cost_model=small
t 'named by an arm, too' arms main compare --set cost_model:main.engine.draft_cost_model=small
t 'unless it is asked for' arms 'main small' compare --set engine.draft_cost_model=small --arms main,small
t 'who drafts for itself takes part' arms 'main small' compare --set cost_model:small.engine.draft_cost_model=small
t 'and so does an arm that is alone' arms main compare --arms main --set engine.draft_cost_model=main
printf 'step,decode,prefill\n0,500x17,\n' >steps.csv
eval_arms() { "$host" eval c.ini --steps steps.csv --set engine.draft_cost_model=small --quiet | sed 1d | cut -d, -f2 | tr '\n' ' ' >got; cat got; [ "$(cat got)" = 'main small ' ]; }
t 'steps are priced by each' eval_arms

# ---- in a pipeline -----------------------------------------------------------
# Two requests, each in a batch of its own.  Their steps pass two stages of 5 ms.  The
# drafter is in the last stage and takes 4 ms, so this stage takes 9 ms, and each of the
# two batches waits that long for the other.  No draft is accepted.
last_stage() { # MEAN_TPOT_MS KEY=VALUE...
	want=$1; shift
	for k; do set -- "$@" --set "engine.$k"; shift; done
	has mean_tpot_ms "$want" --set engine.speculative_method=eagle --set engine.pipeline_parallel_size=2 --set engine.tensor_parallel_size=2 \
		--set engine.num_speculative_tokens=1 --set engine.synthetic_acceptance_rates=0 \
		--set engine.async_scheduling=false --set engine.max_num_batched_tokens=100 \
		--set engine.enable_prefix_caching=false --set engine.empty_sleep_us=0 --set engine.num_gpu_blocks=unlimited --set engine.front_end=none \
		--set workload.concurrency=2 --set workload.num_requests=2 --set engine.pipeline_stages=equal "$@"
}
t 'stages without drafts share a step' last_stage 10 draft_us=0
t 'the last stage drafts' last_stage 18 draft_us=4000

# A request alone has one batch, which an asynchronous engine sends again when the
# first stage is free: nine of 10 steps of two stages of 5 ms begin 5 ms early.
lonely() { # EARLY_SHARE SAID ASYNC
	run --set engine.pipeline_parallel_size=2 --set engine.tensor_parallel_size=2 --set engine.num_speculative_tokens=0 \
		--set engine.synthetic_acceptance_rates= --set engine.empty_sleep_us=0 --set engine.num_gpu_blocks=unlimited --set engine.front_end=none \
		--set workload.num_requests=1 --set workload.output_tokens=10 --set engine.pipeline_stages=equal --set engine.async_scheduling=$3
	cat err; got=$(sed -n 's/^ *"early_share": \([0-9.]*\).*/\1/p' out.json); echo "$got"; [ "$got" = "$1" ] && [ "$(grep -c 'steps run before the tokens' err)" = "$2" ]
}
t 'steps before their tokens are told' lonely 0.45 1 true
t 'a synchronous engine waits' lonely 0 0 false

# ---- each position's rate ----------------------------------------------------
rates() { run && tr -d ' \n' <out.json | sed 's/.*"spec_decode_per_position_acceptance_rates":\[\([^]]*\)\].*/\1/'; }
in_text() { # as JSON has them, to four digits
	rates | tr , '\n' | awk '{ printf "spec_decode_acceptance_at_%d %.4f\n", NR, $1 }' >want
	"$host" run c.ini --arms main --all 2>/dev/null | awk '/^spec_decode_acceptance_at/ { print $1, $2 }' >got
	cat want got; [ "$(wc -l <want)" = 3 ] && cmp want got
}
t 'each position has a row' in_text
in_csv() {
	"$host" run c.ini --arms main --format csv 2>/dev/null >out.csv
	got=$(awk -F, '{ for (i = 1; i <= NF; i++) if (NR == 1 && $i == "spec_decode_per_position_acceptance_rates") at = i; if (NR == 2) print $at }' out.csv)
	want=$(rates | tr , ';'); echo "$got, want $want"; [ -n "$want" ] && [ "$got" = "$want" ]
}
t 'and CSV a column for them' in_csv
fewer() { # an arm with one draft has no rate at the others
	"$host" compare c.ini --arms main,small --all --set cost_model:small.engine.num_speculative_tokens=1 2>/dev/null >out
	grep spec_decode_acceptance_at out; [ "$(awk '/^spec_decode_acceptance_at_/ { print NF }' out | tr '\n' ' ')" = '6 3 3 ' ] && grep -q 'spec_decode_acceptance_at_3 .* - *$' out
}
t 'of arms with fewer drafts there is none' fewer
none() { ! "$host" run c.ini --arms main --all --set engine.num_speculative_tokens=0 2>/dev/null | grep spec_decode_acceptance; }
t 'nor without drafts' none
tap_done
