#!/bin/sh
# A model that the GPU has no room for: refused, whatever num_gpu_blocks says.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
cd "$tap_tmp" || exit 1
cat >c.ini <<X
[model]
config = llama-3.1-405b
[hardware]
config = h200-sxm
[workload]
num_requests = 20
request_rate = 1
input_tokens = 100
output_tokens = 10
[cost_model:a]
plugin = const_step
base_us = 10000
per_token_us = 0
[cost_model:b]
plugin = const_step
base_us = 10000
per_token_us = 0
engine.tensor_parallel_size = 8
X
on_one='a GPU would hold 811.7 GB of weights, 0.9 GB of activations and'
fits='; it fits from tensor_parallel_size = 8 on (8 GPUs), or from pipeline_parallel_size = 6 on (6 GPUs)'
# Exit code and standard error of a command.
says() { # RC TEXT COMMAND...
	want=$1 text=$2; shift 2
	"$host" "$@" >out 2>err; rc=$?; cat err
	case $(cat err) in *"$text"*) [ $rc = "$want" ];; *) false;; esac
}
for blocks in 100 unlimited; do
	t "run: $blocks blocks" says 2 "num_gpu_blocks = $blocks: $on_one" run c.ini --arms a --set engine.num_gpu_blocks=$blocks
done
t 'run: auto' says 2 'num_gpu_blocks = auto: no room for KV' run c.ini --arms a
t 'from which sizes on it fits' says 2 "$fits" run c.ini --arms a --set engine.num_gpu_blocks=100
t 'of auto, too' says 2 '; it fits from tensor_parallel_size = 8 on (8 GPUs), or from pipeline_parallel_size = 7 on (7 GPUs)' run c.ini --arms a
t 'and on which GPU' says 2 ', or on a GPU as large as mi325x' run c.ini --arms a --set engine.tensor_parallel_size=4
t 'compare: the other arm has its figures' says 2 "arm a: --set: num_gpu_blocks = 100: $on_one" compare c.ini --set engine.num_gpu_blocks=100
t 'capacity' says 2 "$on_one" capacity c.ini --arms a --slo ttft_p99_ms=500 --set engine.num_gpu_blocks=100
no_choice() {
	"$host" capacity c.ini --arms a --slo ttft_p99_ms=500 --quiet --try one:engine.tensor_parallel_size=1 \
		--try eight:engine.tensor_parallel_size=8 --set engine.num_gpu_blocks=100 --request-limit 1000 >out 2>err
	[ $? = 0 ] && cat out && grep -q '^one, a failed: .*num_gpu_blocks = 100: a GPU would hold' out &&
		grep -q '^a chooses eight: ' out
}
t 'capacity: a way that does not fit is no choice' no_choice
t 'such sizes do fit' says 0 '' run c.ini --arms a --set engine.tensor_parallel_size=8 --set engine.num_gpu_blocks=100
t 'or these' says 0 '' run c.ini --arms a --set engine.pipeline_parallel_size=6 --set engine.num_gpu_blocks=100

sweep() {
	"$host" sweep c.ini --arms a --axis engine.tensor_parallel_size=4,8 --set engine.num_gpu_blocks=100 --store s.db --format csv >rows.csv || return 1
	cat rows.csv; grep -q ',refused,.*memory_check = off simulates' rows.csv && grep -q 'stable' rows.csv
}
t 'sweep: a status' sweep

# On purpose: results repeat it, and what does not fit.
off() { "$host" run c.ini --arms a --set engine.num_gpu_blocks=100 --set engine.memory_check=off "$@" >out 2>err; }
text() { off --all && cat out && grep -q 'memory_check = off$' out && tr -s ' \n' ' ' <out | grep -qF "100 blocks, as configured; memory_check = off: $on_one"; }
t 'off: the text says so' text
json() { off --format json && grep -q '"memory_check": "off"' out && grep -qF "memory_check = off: $on_one" out; }
t 'and JSON' json

# Requests hold 100,000 tokens at once: 7.5 GB each, beside 101 GB of weights.
peak() { "$host" run c.ini --arms b --set engine.num_gpu_blocks=unlimited --set workload.input_tokens=100000 \
	--set workload.request_rate=100 --set engine.max_num_batched_tokens=200000 "$@" >out 2>err; rc=$?; cat err; }
full() { peak; [ $rc = 2 ] && grep -q 'num_gpu_blocks = unlimited: requests held .* blocks of KV at once' err; }
t 'unlimited: what requests hold' full
let() { peak --set engine.memory_check=off; [ $rc = 0 ]; }
t 'unless it is off' let

# Steps that are priced alone are not served.
printf 'step,decode,prefill\n0,500x17,\n' >steps.csv
t 'eval holds nothing' says 0 '' eval c.ini --steps steps.csv --quiet
t 'and says that no engine could' says 0 'no engine can serve this: the weights alone take 811.7 GB of each GPU' eval c.ini --arms a --steps steps.csv
tap_done
