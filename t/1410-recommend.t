#!/bin/sh
# recommend: configurations with a capacity that can be worked out by hand; refusals;
# the same bytes however many workers there are.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
c=$tap_tmp/c.ini
cat >"$c" <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model:slow]
plugin = const_step
base_us = 1000
per_token_us = 0
[cost_model:fast]
plugin = const_step
base_us = 500
per_token_us = 0
[workload]
num_requests = 200
arrival = poisson
request_rate = 10
input_tokens = uniform:50,150
output_tokens = uniform:5,15
X
says() {
	code=$1 want=$2; shift 2; "$@" >"$tap_tmp/log2" 2>&1; got=$?
	cat "$tap_tmp/log2"; [ $got -eq "$code" ] && grep -qF -- "$want" "$tap_tmp/log2"
}
small() { # OPTION...: a few configurations of two GPUs, one draw
	"$host" recommend "$c" --gpus 2 --slo "${slo:-ttft_p99_ms=20}" --one-draw --quiet --all --serve aggregated \
		--search engine.max_num_seqs=1,8 --fix engine.max_num_batched_tokens "$@"
}
t 'replicas and sequences, whatever a step computes' says 0 'tp 1 x 2, max_num_seqs 8' small
t 'both arms agree' grep -q '^The choice is robust' "$tap_tmp/log2"
t 'the longest request bounds the context' grep -q '^max_model_len = 165, the longest request' "$tap_tmp/log2"
alike() { small --format json --output "$tap_tmp/$1" --jobs "$2" && cmp "$tap_tmp/1" "$tap_tmp/$1"; }
t 'one worker' alike 1 1
t 'eight workers: the same bytes' alike 8 8
t 'no worker: the same bytes' sh -c "'$host' recommend '$c' --gpus 2 --slo ttft_p99_ms=20 --one-draw --quiet --serve aggregated --format json --in-process \
	--search engine.max_num_seqs=1,8 --fix engine.max_num_batched_tokens | cmp - '$tap_tmp/1'"
t 'the fewest GPUs for a rate' says 0 'tp 1 x 1, max_num_seqs 8' small --rate 50
t 'a rate that nothing serves: exit 1, and how near it is' says 1 'slow: nearest: tp ' small --rate 100000
slo=e2el_mean_ms=0.1
t 'a bound that nothing meets' says 1 'when nearly unloaded' small
t 'so far as the race tried them' says 1 'slow: nearest: tp ' small --budget 1
sed '/^arrival/d; s/^request_rate.*/concurrency = 4/' "$c" >"$tap_tmp/closed.ini"
closed() { "$host" recommend "$tap_tmp/closed.ini" --gpus 2 --slo "$slo" --quiet --all --serve aggregated --fix engine.max_num_seqs,engine.max_num_batched_tokens "$@"; }
t 'a closed loop is asked at its own load' says 1 'slow: nearest: tp 1 x 2: mean_e2el_ms is ' closed
slo=e2el_mean_ms=1000
t 'where a run is too short, that is said' says 1 'slow: nearest: tp 1 x 2: too short' closed --set workload.num_requests=20
slo=
t 'prefill and decode apart' says 0 'prefill tp 1 x 1, decode tp 1 x 1' "$host" recommend "$c" --gpus 2 --slo ttft_p99_ms=20 \
	--one-draw --quiet --serve disaggregated --fix engine.max_num_batched_tokens --search engine.max_num_seqs=8
# From replicas that do both to pools: the pool that generates has tables, too.
tables() {
	sed -e '/^\[cost_model:/,/^per_token/d' -e 's/= 200/= 20/' "$c" >"$tap_tmp/o.ini"
	printf '[cost_model]\nplugin = operators\n' >>"$tap_tmp/o.ini"
	"$host" recommend "$tap_tmp/o.ini" --gpus 2 --slo ttft_p99_ms=500 --one-draw --in-process --all >"$tap_tmp/log2" 2>&1 \
		--search engine.tensor_parallel_size=1 --fix engine.max_num_batched_tokens,engine.max_num_seqs &&
		grep -q '^2 configurations' "$tap_tmp/log2" && ! grep 'no tables' "$tap_tmp/log2"
}
t 'pools that come behind a replica that does both have tables' tables
printf 'engine.tensor_parallel_size,engine.replicas\n1,1\n1,2\n1,3\n' >"$tap_tmp/points.csv"
t 'a list of configurations' says 0 '3 configurations; ' "$host" recommend "$c" --gpus 2 --slo ttft_p99_ms=20 --one-draw --quiet --all --points "$tap_tmp/points.csv"
t 'one needs too many GPUs' grep -q 'slow: 1 configurations are impossible: needs 3 GPUs; there are 2' "$tap_tmp/log2"
t 'prices decide' says 0 'tp 1 x ' small --objective usd
t 'a budget' says 0 'configurations untried' small --budget 1
# The answer for a workload without end has an interval.
t 'an interval' sh -c "'$host' recommend '$c' --gpus 1 --slo ttft_p99_ms=20 --quiet --arms slow --serve aggregated \
	--search engine.max_num_seqs=8 --fix engine.max_num_batched_tokens | grep -qE '^slow +[0-9.]+  [0-9.]+ - [0-9.]+ '"

# --- runs that are too short -----------------------------------------------------------
short() { # a few requests fit into any bounds at any rate
	"$host" recommend "$c" --gpus 1 --slo ttft_p99_ms=50 --quiet --arms slow --one-draw --serve aggregated --format json \
		--search engine.max_num_seqs=64 --fix engine.max_num_batched_tokens "$@" >"$tap_tmp/j"
}
longer() { short && grep -q '"requests_per_run": [0-9]\{3,\},' "$tap_tmp/j" && grep -q '"request_rate_high": [0-9]' "$tap_tmp/j"; }
t 'twice the requests until they are enough' longer
fixed() { short --set workload.num_requests=1; [ $? -eq 1 ] && grep -q '"limited_by": "too short"' "$tap_tmp/j"; }
t 'a number of requests that stands is not met' fixed
some() { short --set workload.num_requests=60 && grep -q '"limited_by": "too short"' "$tap_tmp/j"; }
t 'or met only at rates that the run can tell' some

# --- bad input -------------------------------------------------------------------------
t 'no bound' says 2 'slo' "$host" recommend "$c" --gpus 2
slo=ttft_p99_ms=0
t 'a bound that is no time' says 2 'not a time above 0 ms' small
slo=
for n in 0 -1 x 65537; do
	t "GPUs: $n" says 2 '--gpus' "$host" recommend "$c" --slo ttft_p99_ms=20 "--gpus=$n"
done
t 'a key searched twice' says 2 'searched twice' small --search engine.max_num_seqs=2
t 'a key searched and fixed' says 2 'it is searched' small --fix engine.max_num_seqs
t 'a key of the requests' says 2 'the same requests' small --search workload.seed=1,2
t 'an unknown key' says 2 "unknown key 'nonsense'" small --search engine.nonsense=1,2
t 'no value' says 2 '--search engine.block_size' small --search engine.block_size=
t 'a value that the key refuses' says 2 'block_size = 0: not an integer' small --search engine.block_size=0
t 'too many' says 2 '240000 configurations, more than 100000: ' small --search engine.block_size=1:60000:1
t 'a budget allows a million' says 2 '1200000 configurations, more than 1000000: ' small --search engine.block_size=1:60000:1 --search engine.api_overhead_us=1:5:1 --budget 5
t 'too many ways to use GPUs' says 2 'more than 100000 ways to use the GPUs' "$host" recommend "$c" --gpus 65536 --slo ttft_p99_ms=20 \
	--search engine.tensor_parallel_size=1:99:1 --search engine.pipeline_parallel_size=1:99:1 --search engine.replicas=1:999:1
t 'too many values for one' says 2 '5000 values, more than 4096' "$host" recommend "$c" --gpus 65536 --slo ttft_p99_ms=20 --search engine.replicas=1:5000:1
{ echo engine.max_num_seqs; seq 100002; } >"$tap_tmp/many.csv"
t 'too many rows' says 2 'many.csv:100002: more than 100000 points' "$host" recommend "$c" --gpus 2 --slo ttft_p99_ms=20 --points "$tap_tmp/many.csv"
t 'another model' says 2 'do not answer the same requests' small --models llama-3.1-8b,qwen3-8b
t 'pools that are kept together' says 2 'pools = together keeps' "$host" recommend "$c" --gpus 2 --slo ttft_p99_ms=20 \
	--serve disaggregated --set engine.pools=together
t 'nothing fits' says 1 'no configuration is possible' small --set model.config=llama-3.1-405b
counted() { tr '\n' ' ' <"$tap_tmp/log2" | grep -qE ' slow: [0-9]+ configurations are impossible: .*GB'; }
t 'the reason is counted' counted
# An arm that fails: the others go on.
sed 's/^base_us = 500/base_us = 0/' "$c" >"$tap_tmp/bad.ini"
c=$tap_tmp/bad.ini
t 'a plugin that fails' says 4 'tp 1 x 2, max_num_seqs 8' small
tap_done
