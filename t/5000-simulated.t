#!/bin/sh
# Every result has the simulated setup: model and format, GPU and their
# number, engine settings that were changed, workload.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
STEPCOST_PLUGIN_PATH=$top_builddir/t/so/.libs:$STEPCOST_PLUGIN_PATH
cd "$tap_tmp" || exit 1
cat >c.ini <<'X'
[model]
config = llama-3.1-8b
num_hidden_layers = 16
[hardware]
config = h100-sxm
memory_gib = 60
[engine]
max_num_seqs = 64
block_size = 16
[cost_model:one]
plugin = known_cost
base_us = 5000
token_us = 20
[cost_model:two]
plugin = known_cost
base_us = 5000
token_us = 20
[workload]
num_requests = 20
request_rate = 10
input_tokens = constant:100
output_tokens = constant:5
X
# The text of --all has that line; one that is too long goes on below.
has() { # LINE MORE...
	line=$1; shift
	"$host" compare c.ini --all "$@" >text
	awk 'length > 100 { print "too long: " $0 } /^ / { sub(/^ +/, ""); printf " %s", $0; next } { printf "%s%s", n++ ? "\n" : "", $0 } END { print "" }' text >out; cat out; grep -qxF -- "$line" out
}
t 'the model, its format, what was changed in it' \
	has 'model     llama-3.1-8b: bf16, KV cache bf16; 4.54 billion parameters, sampling top_p; num_hidden_layers = 16'
t 'a quantized one' has 'model     llama-3.1-8b: fp8, KV cache bf16; 8.03 billion parameters, sampling top_p; num_hidden_layers = 32, quantization = fp8' \
	--set model.num_hidden_layers=32 --set model.quantization=fp8
t 'the GPU, and what was changed in it' has 'GPU       1 h100-sxm (memory_gib = 60)'
t 'how many of them' has 'GPU       8 h100-sxm (memory_gib = 60) = tensor_parallel_size 2 x replicas 4, 1 of them for prompts' \
	--set engine.tensor_parallel_size=2 --set engine.replicas=4 --set engine.prefill_replicas=1
t 'a pipeline of them' has 'GPU       12 h100-sxm (memory_gib = 60) = tensor_parallel_size 2 x pipeline_parallel_size 3 x data_parallel_size 2 x replicas 1' \
	--set engine.tensor_parallel_size=2 --set engine.pipeline_parallel_size=3 --set engine.data_parallel_size=2
t 'how tokens are chosen' has 'model     llama-3.1-8b: bf16, KV cache fp8; 4.54 billion parameters, sampling greedy; num_hidden_layers = 16' \
	--set engine.sampling=greedy --set engine.kv_cache_dtype=fp8
t 'an arm on a GPU of its own' has 'GPU       1 h100-sxm (memory_gib = 60) in one; 1 h100-sxm (memory_gib = 60, memory_gib = 50) in two' \
	--set cost_model:two.hardware.memory_gib=50
t 'engine settings that are not the defaults' has 'engine    defaults, but max_num_seqs = 64'
t 'none' has 'engine    defaults' --set engine.max_num_seqs=256
t 'the workload' has 'workload  num_requests = 20, request_rate = 10, input_tokens = constant:100, output_tokens = constant:5'
json() {
	"$host" compare c.ini --format json >out.json && sed -n '/"simulated"/,/^  }/p' out.json
	grep -q '"weight_format": "bf16"' out.json && grep -q '"gpu": {"one": "h100-sxm (memory_gib = 60)", "two"' out.json &&
	grep -q '"engine": {"max_num_seqs": 64}' out.json && grep -q '"sampling": "top_p"' out.json &&
	grep -q '"workload": {"num_requests": 20, "request_rate": 10, "input_tokens": "constant:100", "output_tokens": "constant:5"}' out.json
}
t 'as fields of the JSON' json
page() { "$host" compare c.ini --html p.html >out && grep -q 'defaults, but max_num_seqs = 64' p.html; }
t 'on the page' page

# ---- support -----------------------------------------------------------------
lines() { "$host" compare c.ini --all >out && [ "$(sed -n '/^Support$/,/^$/p' out | grep -v 'energy:\|^  ')" = 'Support
one: not scored
two: not scored' ]; }
t 'a line of support for every arm' lines
t 'as fields of the JSON' [ "$(grep -c '"support": {"verdict": "not scored", "detail": null, "rows": 0, "mean_error": null}' out.json)" -eq 2 ]
t 'on the page' [ "$(grep -o '<p>[a-z0-9_]*: not scored' p.html | wc -l)" -ge 2 ]
csv() { "$host" compare c.ini --format csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "support") at = i } NR > 1 && at { n += $at == "not scored" } END { exit n != 2 }'; }
t 'in CSV' csv
capacity() { "$host" capacity c.ini --slo ttft_p99_ms=900 --all --format "$1" >out && cat out && [ "$(grep -c 'not scored' out)" -eq 2 ]; }
for format in text csv json; do t "of capacity, $format" capacity $format; done

nothing() {
	printf '[cost_model]\nplugin = known_cost\n[engine]\nnum_gpu_blocks = unlimited\n[workload]\nnum_requests = 3\nrequest_rate = 10\ninput_tokens = constant:9\noutput_tokens = constant:5\n' >none.ini
	"$host" run none.ini --all >out; cat out; grep -qx 'model     none' out && grep -qx 'GPU       1 of unknown kind: no \[hardware\]' out
}
t 'neither model nor GPU' nothing
tap_done
