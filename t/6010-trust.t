#!/bin/sh
# Errors as data: written by validate, read by run, compare and capacity as
# support and intervals.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
serving=$top_srcdir/bench_data/serving
cd "$tap_tmp" || exit 1
mkdir -p data/bench_data/accuracy
file=data/bench_data/accuracy/smooth_roofline.csv
STEPCOST_DATA_PATH=$tap_tmp/data:$STEPCOST_DATA_PATH
cat >c.ini <<X
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
num_requests = 60
request_rate = 8
input_tokens = 560
output_tokens = 60
[cost_model:smooth_roofline]
plugin = smooth_roofline
[cost_model:other]
plugin = smooth_roofline
ew = 0.8
X
says() { # WANT COMMAND...
	want=$1; shift; "$@" >out 2>&1; cat out; tr -s ' \n' ' ' <out | grep -qF -- "$want"
}
run() { "$host" run c.ini --arms smooth_roofline --quiet --all "$@"; }

# ---- written -----------------------------------------------------------------
write() { "$host" validate c.ini --arms smooth_roofline --quiet --measured "$serving/vllm-single-stream.csv" --write-errors written.csv "$@" >out && head -3 written.csv; }
t 'validate writes a line for each measured figure' write --leave-out run
lines() { cat written.csv; [ "$(grep -c ',mean_tpot_ms,' written.csv)" -eq 9 ] && [ "$(grep -c ',mean_ttft_ms,' written.csv)" -eq 9 ]; }
t 'nine runs with two figures and more' lines
t 'its place and its fold' grep -q ',H-dec17-tp1-qwen7-summarization,H100,dense,bf16,bf16,1,1,1,vllm,1,.*,mean_tpot_ms,.*,H-dec17-tp1-qwen7-summarization,run,[0-9]*,,light,,vllm-single-stream$' written.csv
coverage() { "$host" validate c.ini --arms smooth_roofline --quiet --measured "$serving/vllm-0.11-replay.csv" --measured "$serving/vllm-single-stream.csv" --leave-out run --all >out; cat out; grep -qE '^mean_tpot_ms +smooth_roofline +[0-9]+ ' out; }
t 'and says what intervals of such errors are worth' coverage

# ---- read --------------------------------------------------------------------
version=$(run --format json | sed -n 's/.*"version": "\([^"]*\)".*/\1/p' | head -1)
errors() { # VERSION N CLASS: measured 1 to N % longer than predicted
	echo plugin,version,preset,tables,source_row,gpu_family,model_class,weight_format,kv_format,tp,ep,pp,engine,computed_share,input_tokens,output_tokens,load,saturated,metric,measured_ms,predicted_ms,fold
	for i in $(seq "$2"); do
		for m in e2el ttft tpot; do
			echo "smooth_roofline,$1,,,r$i,H100,$3,bf16,bf16,1,1,1,vllm,1,$((i * 100)),60,$i,0,mean_${m}_ms,1$((i / 10))$((i % 10)),100,f"
		done
	done
}
errors 0 30 dense >$file
t 'a file of another version' says 'not scored (the scored version of smooth_roofline.csv is 0)' run
errors "$version" 30 dense >$file
t 'rows that are like the run' says 'smooth_roofline: measured: 30 rows, mean error 12.9 %' run
t 'an interval, and where it comes from' says ' 30 dense bf16 on H100 ' run
interval() { # around the median residual, as far as the 28th smallest distance
	run --format csv >a.csv
	run --format json >out; cat out
	python3 - <<X
import json, csv
i = json.load(open('out'))['arms'][0]['interval']['mean_ttft_ms']
v = float(next(csv.DictReader(open('a.csv')))['mean_ttft_ms'])
good = i['n'] == 30 and i['coverage'] == 0.9 and i['group'] == 'dense bf16 on H100'
raise SystemExit(not (good and 1.005 < i['low'] / v < 1.03 and 1.28 < i['high'] / v < 1.33))
X
}
t 'in JSON' interval
params=$("$host" model show llama-3.1-8b --format json | sed -n 's/.*"parameters": \([0-9]*\).*/\1/p')
two_folds() { # N_PARAMS APART: off with a model left out, right with a run left out
	errors "$version" 30 dense | awk -F, -v OFS=, -v is="$1" -v apart="$2" 'NR == 1 { print $0, "left_out", "n_params"; next }
		{ k = int((NR - 2) / 3) % 3; n = sprintf("%.0f", is + apart * (k ? k : -1)); print $0, "model", n; $21 = $20; print $0, "run", n }'
}
two_folds "$params" 0 >$file
t 'a model of which other runs were seen: errors with a run left out' says 'measured: 30 rows, mean error 0.0 %' run
two_folds "$params" 1 >$file
t 'a new model: errors with a model left out' says 'measured: 30 rows, mean error 12.9 %' run
two_folds 1e9 0 >$file
t 'a model of another size' says 'extrapolated: billions of parameters 8.03 (scored: 1); 30 rows, mean error' run
two_folds "$params" 1 >$file
t 'and intervals from them' says ' 30 all, 3 deployments,' run
errors "$version" 30 dense >$file
t 'a key of the engine that no scored run had' says 'extrapolated: max_num_seqs 1 (scored: 256 to 1024); 30 rows' run --set engine.max_num_seqs=1
awk -F, -v OFS=, 'NR == 1 { print $0, "engine_keys"; next } { print $0, "max_num_batched_tokens=64;max_num_seqs=1" }' $file >with.csv && cp with.csv $file
t 'or that one had' says 'smooth_roofline: measured: 30 rows' run --set engine.max_num_seqs=1
t 'a GPU whose file is changed' says 'extrapolated: memory_bandwidth_tbs 3 (h100-sxm: 3.35; such GPUs: 2 to 4.8)' run --set hardware.memory_bandwidth_tbs=3
t 'of an arm, too' says 'extrapolated: bf16_tflops 700 (h100-sxm: 989; such GPUs: 756.5 to 989)' run --set cost_model:smooth_roofline.hardware.bf16_tflops=700
t 'a model whose file is changed' says 'num_hidden_layers 30 (llama-3.1-8b: 32)' run --set model.num_hidden_layers=30
t 'numbers that no GPU has' says 'memory_bandwidth_tbs = 3350: more than three times that of every known GPU (8 of gb200); 3350 GB/s are 3.35 TB/s' run --set hardware.memory_bandwidth_tbs=3350
errors "$version" 30 moe >$file
t 'another class' says 'extrapolated: dense (nearest: moe)' run
t 'an interval of a wider group' says ' 30 all' run
errors "$version" 30 dense >$file
t 'another split' says 'tp 2 (nearest: tp 1)' run --set engine.tensor_parallel_size=2
t "an arm's own split" says 'tp 2 (nearest: tp 1)' run --set cost_model:smooth_roofline.engine.tensor_parallel_size=2
t "an arm's own engine" says 'sglang (nearest: vllm)' run --set cost_model:smooth_roofline.engine.preset=sglang
t 'drafts' says '2 drafts (nearest: no drafts)' run --set engine.preset=vllm-0.24 --set engine.num_speculative_tokens=2 \
	--set engine.synthetic_acceptance_length=2
sed 's/,vllm,/,trtllm,/' $file >trtllm.csv && cp trtllm.csv $file
t 'TensorRT-LLM, by both its names' says 'measured: 30 rows' run --set engine.preset=tensorrt_llm
errors "$version" 30 dense >$file
t 'other coefficients' says 'not scored (ew is set)' run --set cost_model:smooth_roofline.ew=0.5
t 'another preset' says 'not scored (smooth_roofline.csv was scored with preset = none)' run --set cost_model:smooth_roofline.preset=h100
echo broken >$file
t 'a broken file' says 'not scored (' run

# ---- what follows ------------------------------------------------------------
errors "$version" 30 dense >$file
compare() { "$host" compare c.ini --quiet "$@" >out; cat out; grep -q 'mean_tpot_ms.*~' out; }
t 'differences within an interval are marked' compare --set cost_model:other.ew=0.7
apart() { ! compare --set cost_model:other.ew=0.2; }
t 'those beyond are not' apart
capacity() { "$host" capacity c.ini --arms smooth_roofline --quiet --all --slo mean_tpot_ms=12 "$@" >out; cat out; tr -s " \n" " " <out | grep -q "$want"; }
want='at the worse end of 90 % intervals: .* requests/s instead of'
t 'capacity at the worse end of the intervals' capacity
want=pessimistic
t 'in JSON, too' capacity --format json
page() { run --html page.html >out && grep -q '90 %' page.html && [ "$(grep -o 'class="dw ' page.html | wc -l)" -ge 3 ]; }
t 'a page shows it, with whiskers' page
scatter() { "$host" validate c.ini --arms smooth_roofline --quiet --measured "$serving/vllm-0.11-replay.csv" --measured "$serving/vllm-single-stream.csv" --leave-out run --html v.html >out && grep -q 'class="w s0" d="M' v.html; }
t 'so does that of a validation' scatter

# ---- the tables that were scored ----------------------------------------------
# roofline_v1 reads none, latency_interp the first of each kind.  `auto` puts
# the set that was scored first for latency_interp, and not for mfu_interp.
STEPCOST_DATA_PATH=$top_srcdir
cat >sets.ini <<X
[model]
config = llama-2-7b
[hardware]
config = h100-sxm
[tables]
set = auto
[workload]
num_requests = 40
request_rate = 4
input_tokens = 560
output_tokens = 60
[cost_model:roofline_v1]
plugin = roofline_v1
[cost_model:latency_interp]
plugin = latency_interp
preset = served
[cost_model:mfu_interp]
plugin = mfu_interp
[cost_model:operators]
plugin = operators
X
"$host" compare sets.ini --quiet --all >sets.out 2>&1
scored() { grep -A1 "^$1:" sets.out; grep -qE "^$1: (measured|extrapolated|known wrong)" sets.out; }
for arm in roofline_v1 latency_interp operators; do
	t "$arm under auto: its scores" scored $arm
done
t 'mfu_interp under auto: which set was scored' sh -c "tr -s ' \\n' ' ' <sets.out | grep 'mfu_interp: not scored (mfu_interp.csv was scored with tables.set = h100-sxm.infersim)'"
# A100 has kernels of vLLM 0.14, and its scored runs are of 0.15.
far() { "$host" run sets.ini --arms operators --quiet --format json --set hardware.config=a100-80-sxm --set engine.preset=vllm-0."$1"; }
t 'kernels that are farther from the engine than in any scored run' says 'kernels of vllm 0.14 for 0.24: 10 versions apart (scored: at most 1)' far 24
near() { far 15 >out; cat out; ! grep -q 'apart (' out; }
t 'and as far' near
tap_done
