#!/bin/sh
# validate: what it reads, what it says, when it fails.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
says() { # CODE WANT COMMAND...: exits with CODE, and has WANT in its output
	code=$1 want=$2; shift 2; "$@" >"$tap_tmp/out" 2>&1; got=$?
	cat "$tap_tmp/out"; echo "exit $got"
	[ $got -eq "$code" ] && grep -qF -- "$want" "$tap_tmp/out"
}
validate() { "$host" validate "$tap_tmp/c.ini" --measured "$@"; }
cat >"$tap_tmp/c.ini" <<X
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model]
plugin = smooth_roofline
X
serving=$top_srcdir/bench_data/serving

# Fifteen draws of arrivals are on the pages, figure by figure (t/pages/validate.t); one
# is enough for a bound.
printf '[protocol:%s]\nseeds = 1\n' prompts prompts_nominal >"$tap_tmp/one-draw.ini"
within() { validate "$serving/$1" --aliases "$tap_tmp/one-draw.ini" --quiet --fail-above "e2e=$2" --fail-above "tpot=$3" --fail-above "ttft=$4"; }
t 'open loop: the mean errors that doc/accuracy.md states' within vllm-0.15-open-loop.csv 2.5 2.5 6
t 'replayed arrivals' within vllm-0.11-replay.csv 1.4 1.2 4.5
t 'single stream' within vllm-single-stream.csv 4 4 8
# Four runs that were timed request by request inside the engine, on cards without
# NVLink: on average 4 % of E2E latency, no run 8.
workstations() { "$host" validate published --arms operators --measured "$serving/llmservingsim.csv" --quiet --rows "$tap_tmp/rows.csv" \
	--fail-above e2e=4 --fail-above tpot=4 --fail-above ttft=10 && python3 - "$tap_tmp/rows.csv" <<'X'
import csv, sys
errors = [abs(float(r['mean_e2el_error_pct'])) for r in csv.DictReader(open(sys.argv[1]))]
print(errors)
raise SystemExit(len(errors) != 4 or max(errors) > 8)
X
}
t 'runs of workstation cards, request by request' workstations
shares() { validate "$serving/vllm-single-stream.csv" --quiet --format csv | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; c = at["computed_share"]; p = at["prefill_share"]; next }
	{ print $1, $c, $p; bad += !(c && p && $c == 1 && $p > 0 && $p < .2) } END { exit NR != 10 || bad }'; }
t 'what was computed of the prompts, and how much of the steps they took' shares
t 'a threshold that is exceeded' \
	says 1 'smooth_roofline: mean error of tpot is' validate "$serving/vllm-single-stream.csv" --fail-above tpot=1
t 'a threshold that is none' says 2 'not METRIC=PERCENT, as in ttft=10, with e2e, ttft or tpot' validate "$serving/vllm-single-stream.csv" --fail-above speed=1

# Another project's names for the same columns.
sed -e '1s/tensor_parallel_size/tp/;1s/input_tokens/input_mean/;1s/output_tokens/output_mean/' \
	-e '1s/mean_\(ttft\|tpot\)_ms/\1_mean/g;1s/mean_e2el_ms/e2e_mean/;1s/protocol/ignored/' \
	"$serving/vllm-single-stream.csv" >"$tap_tmp/other.csv"
rows() { validate "$1" --quiet --format csv | cut -d, -f1-10; }
same() { rows "$serving/vllm-single-stream.csv" >"$tap_tmp/a"; rows "$tap_tmp/other.csv" >"$tap_tmp/b"; cmp "$tap_tmp/a" "$tap_tmp/b"; }
t 'aliases of columns, models, GPUs and classes' same

# One request after another on an idle engine: predicted by hand from eval.
cat >"$tap_tmp/requests.csv" <<X
arrival_s,input_tokens,output_tokens,ttft_ms,e2el_ms
0,512,3,20,40
10,512,3,20,40
X
t 'requests one by one' says 0 ',0.0,' sh -c "'$host' validate '$tap_tmp/c.ini' --measured '$tap_tmp/requests.csv' --format csv | sed 's/$/,0.0,/'"
cat >"$tap_tmp/vllm.json" <<X
{"model_id": "meta-llama/Llama-3.1-8B", "request_rate": "inf", "max_concurrency": 1,
 "completed": 4, "duration": 2, "total_input_tokens": 400, "total_output_tokens": 80,
 "mean_ttft_ms": 12.5, "p99_ttft_ms": 13, "mean_tpot_ms": 7.1, "mean_e2el_ms": 147}
{"model_id": "meta-llama/Llama-3.1-8B", "request_rate": 2.0, "max_concurrency": null,
 "completed": 2, "duration": 2, "total_input_tokens": 200, "total_output_tokens": 40,
 "input_lens": [100, 100, 50], "output_lens": [20, 20, 0], "errors": ["", "", "timeout"],
 "start_times": [7.5, 8.0, 8.1], "ttfts": [0.0125, 0.0125, 0], "latencies": [0.147, 0.147, 0],
 "mean_ttft_ms": 12.5, "mean_tpot_ms": 7.1, "mean_e2el_ms": null}
X
t 'vllm bench serve, appended' says 0 'vllm.json:4,' validate "$tap_tmp/vllm.json" --format csv
t 'and its detail gives what the summary lacks' says 0 ',147,' validate "$tap_tmp/vllm.json" --format csv
cat >"$tap_tmp/perf.json" <<X
{"load_summary": {"count": 20, "requested_rate": 5.0}, "failures": {"count": 0},
 "successes": {"count": 20, "prompt_len": {"mean": 500}, "output_len": {"mean": 50},
  "latency": {"request_latency": {"mean": 0.4, "p90": 0.5, "p99": 0.5},
   "time_to_first_token": {"mean": 0.03, "p90": 0.03, "p99": 0.03},
   "time_per_output_token": {"mean": 0.0075, "p90": 0.008, "p99": 0.008}}}}
X
t 'inference-perf' says 0 ',0.0075' sh -c "'$host' validate '$tap_tmp/c.ini' --measured '$tap_tmp/perf.json' --format json | sed 's/tpot/,0.0075/'"
page() { validate "$serving/vllm-single-stream.csv" --quiet --html "$tap_tmp/p.html" >/dev/null && grep -q '<svg' "$tap_tmp/p.html" && grep -q '<p class="head">[^<]* E2E latency is [0-9.]* %' "$tap_tmp/p.html"; }
t 'a scatter plot' page
alone() { # a dot for the measurement and one for each arm, in three figures
	validate "$serving/bench-serve.json" --quiet --html "$tap_tmp/o.html" >/dev/null
	arms=$(grep -c '^\[cost_model' "$tap_tmp/c.ini")
	[ "$(grep -c '<span class="dn">measured</span>' "$tap_tmp/o.html")" -eq 3 ] && [ "$(grep -c '<span class="dn">' "$tap_tmp/o.html")" -eq $((3 * arms + 3)) ] &&
		grep -q '<p class="head">[a-z_0-9]* comes nearest: [0-9.]* ms of mean E2E latency for 2903 ms measured' "$tap_tmp/o.html"
}
t 'one run: dots, and both figures in the headline' alone
plot() { validate "$serving/vllm-single-stream.csv" --quiet --plot "$tap_tmp/p.svg" >/dev/null && grep -q 'predicted over measured' "$tap_tmp/p.svg" && [ "$(grep -c '<circle\|<path' "$tap_tmp/p.svg")" -ge 2 ]; }
t '--plot draws it alone' plot
t '--plot of another kind of file' says 2 'svg' validate "$serving/vllm-single-stream.csv" --plot "$tap_tmp/p.jpg"

t 'no such file' says 2 'No such file' validate "$tap_tmp/none.csv"
echo '{"mean_ttft_ms": 1,' >"$tap_tmp/bad.json"
t 'broken JSON, with its line' says 3 'bad.json:' validate "$tap_tmp/bad.json"
echo '{"foo": 1}' >"$tap_tmp/bad.json"
t 'JSON of another kind' says 3 'bad.json:1: is no result of a program that is known' validate "$tap_tmp/bad.json"
printf 'a,b\n1,2\n' >"$tap_tmp/bad.csv"
t 'CSV of another kind' says 3 'bad.csv:1: is neither' validate "$tap_tmp/bad.csv"
printf 'id,model,gpu,mean_e2el_ms\nx,llama-3.1-8b,h100-sxm,abc\n' >"$tap_tmp/bad.csv"
t 'a number that is none' says 3 'bad.csv:2: not a number: mean_e2el_ms' validate "$tap_tmp/bad.csv"
printf 'id,protocol,model,gpu,input_tokens,output_tokens,mean_e2el_ms\nx,single,no/such,h100-sxm,10,5,50\ny,single,llama-2-7b,h100-sxm,10,5,50\nz,single,llama-2-7b,h100-sxm,10,,50\n' >"$tap_tmp/some.csv"
t 'a model without a name is listed' says 0 'no model is known as no/such' validate "$tap_tmp/some.csv"
t 'a latency that was not measured has no column' sh -c "grep -qE '^smooth_roofline +1 ' '$tap_tmp/out' && grep -q 'E2EL mean' '$tap_tmp/out' && ! grep -q 'TTFT mean' '$tap_tmp/out'"
printf 'id,protocol,model,gpu,input_tokens,output_tokens,mean_e2el_ms\nx,single,no/such,h100-sxm,10,5,50\n' >"$tap_tmp/one.csv"
t '[model] stands for the one model that nobody knows' says 0 'No model is known as no/such: [model] of' validate "$tap_tmp/one.csv"
t 'and the row is scored' grep -qE '^mean_e2el_ms +smooth_roofline +50 +[0-9.]+ +[-+][0-9.]+ %' "$tap_tmp/out"
two_arms() {
	"$host" validate quickstart --arms v2_fixed,roofline_v1 --measured "$serving/bench-serve.json" --quiet >"$tap_tmp/out" && cat "$tap_tmp/out" &&
	[ "$(grep '^mean_' "$tap_tmp/out" | awk '{ printf "%s ", $2 }')" = "roofline_v1 v2_fixed roofline_v1 v2_fixed roofline_v1 v2_fixed " ] &&
	grep -qE '^mean_e2el_ms +roofline_v1 +2903\.2 +[0-9.]+ +[-+][0-9.]+ % +[0-9.]+ to [0-9.]+ +yes$' "$tap_tmp/out" && ! grep -q leaderboard "$tap_tmp/out"
}
t 'one run: measured, predicted, error and interval of each arm, the best first' two_arms
t 'an interval from no runs is not told' sh -c "! grep -q 'nominal' '$tap_tmp/out'"
alike() { "$host" validate "$tap_tmp/c.ini" --measured "$serving/vllm-single-stream.csv" --quiet --all >"$tap_tmp/out" && cat "$tap_tmp/out" && grep -q '^model ' "$tap_tmp/out" && ! grep -q '^gpu ' "$tap_tmp/out"; }
t 'several runs of one GPU make no group of it' alike
mkdir "$tap_tmp/mine"; cp "$top_srcdir/etc/models/llama-2-7b.ini" "$tap_tmp/mine/m.ini"
rows_of() { validate "$1" --quiet --format csv | cut -d, -f7-; }
local_path() {
	sed 's|no/such|mine/m.ini|' "$tap_tmp/one.csv" >"$tap_tmp/path.csv"; sed 's|no/such|llama-2-7b|' "$tap_tmp/one.csv" >"$tap_tmp/name.csv"
	rows_of "$tap_tmp/path.csv" >"$tap_tmp/a"; rows_of "$tap_tmp/name.csv" >"$tap_tmp/b"; rows_of "$tap_tmp/one.csv" >"$tap_tmp/c"
	cat "$tap_tmp/a" "$tap_tmp/b"; cmp "$tap_tmp/a" "$tap_tmp/b" && ! cmp -s "$tap_tmp/a" "$tap_tmp/c"
}
t 'a model by its path, beside the file' local_path
printf '[model]\nno/such = mine/m.ini\n' >"$tap_tmp/own.ini"
own() { validate "$tap_tmp/one.csv" --aliases "$tap_tmp/own.ini" --quiet --format csv | cut -d, -f7- | cmp - "$tap_tmp/b"; }
t 'aliases of the user stand beside the shipped ones' own
requests() {
	validate "$tap_tmp/name.csv" --quiet --write-requests "$tap_tmp/r.csv" >"$tap_tmp/out" && cat "$tap_tmp/r.csv" &&
	[ "$(head -1 "$tap_tmp/r.csv" | cut -d, -f1-3)" = id,arm,request ] && [ "$(grep -c '^x,smooth_roofline,[0-9]*,.*,completed,10,' "$tap_tmp/r.csv")" -eq 23 ]
}
t 'the requests of every run' requests
printf 'id,protocol,model,gpu,request_rate,num_requests,input_tokens,output_tokens,mean_e2el_ms\nx,benchmark,llama-3.1-8b,h100-sxm,500,2000,1000,100,50\n' >"$tap_tmp/fast.csv"
t 'a row that the simulation saturates is marked' says 0 'smooth_roofline: 1 rows backlogged in the simulation: x' validate "$tap_tmp/fast.csv"
t 'in CSV, too' sh -c "'$host' validate '$tap_tmp/c.ini' --measured '$tap_tmp/fast.csv' --quiet --format csv | grep -q ',backlogged,'"
t 'and a row without lengths' says 0 'lacks output_tokens' validate "$tap_tmp/some.csv"
t 'nothing to validate against' says 2 'needs --measured FILE' "$host" validate "$tap_tmp/c.ini"
both() { validate "$serving/vllm-single-stream.csv" --measured "$serving/vllm-0.11-replay.csv" --quiet | grep -q 'and others: 32 rows'; }
t 'several files' both
printf '[cost_model:mfu]\nplugin = const_step\n' >>"$tap_tmp/c.ini"
t 'every arm is scored' says 0 'mfu ' validate "$serving/vllm-single-stream.csv"
STEPCOST_PLUGIN_PATH=$STEPCOST_PLUGIN_PATH:$top_builddir/t/so/.libs
printf '[cost_model:broken]\nplugin = nan_result\n' >>"$tap_tmp/c.ini"
t 'an arm that fails costs itself, and is named' \
	says 4 'broken: 9 runs not priced: ' validate "$serving/vllm-single-stream.csv" --quiet
scored() { validate "$serving/vllm-single-stream.csv" --quiet >"$tap_tmp/out"; cat "$tap_tmp/out"; grep -qE '^smooth_roofline +9 ' "$tap_tmp/out"; }
t 'the others are scored' scored

# The pool that generates is priced by the arm that is named for it: 1 ms for
# the prompt and 50 ms for each of two tokens.
cat >"$tap_tmp/pools.ini" <<X
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
replicas = 2
prefill_replicas = 1
decode_cost_model = output
[cost_model:prompts]
plugin = const_step
base_us = 1000
per_token_us = 0
[cost_model:output]
plugin = const_step
base_us = 50000
per_token_us = 0
X
printf 'arrival_s,input_tokens,output_tokens,ttft_ms,e2el_ms\n0,512,3,20,40\n' >"$tap_tmp/one.csv"
pools() { "$host" validate "$tap_tmp/pools.ini" --measured "$tap_tmp/one.csv" --quiet --format csv >"$tap_tmp/out" 2>&1; cat "$tap_tmp/out"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["arm"] == "prompts" { e = $at["mean_tpot_ms"] } END { exit !(e > 50 && e < 51) }' "$tap_tmp/out"; }
t 'prefill and decode apart, each by its own arm' pools

# What an arm must not do without crashing is seen in every kind of validation.
guarded() { # FAULT WHAT ARGUMENTS
	fault=$1 what=$2; shift 2
	printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n[cost_model]\nplugin = culprit\nfault = %s\nat_kv = 0\n' "$fault" >"$tap_tmp/bad.ini"
	says 4 "culprit: $what" "$host" validate "$tap_tmp/bad.ini" --quiet "$@"
}
t 'a plugin that prints, on measured runs' guarded print 'eval: printed to standard output' --measured "$tap_tmp/one.csv"
heard() { # how often, over two runs
	cat "$tap_tmp/one.csv" >"$tap_tmp/two.csv"
	printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n[cost_model]\nplugin = culprit\nfault = print_error\nat_kv = 0\n' >"$tap_tmp/talks.ini"
	"$host" validate "$tap_tmp/talks.ini" --quiet "$@" 2>&1 >/dev/null | grep -c 'arm culprit: its standard error: hello'
}
once() { n=$(heard --measured "$tap_tmp/one.csv"); [ "$n" -ge 1 ] && [ "$(heard --measured "$tap_tmp/one.csv" --measured "$tap_tmp/two.csv")" = "$n" ]; }
t 'what an arm says on standard error is passed on once' once
t 'a plugin that fails in this process' guarded nan 'total_us = nan' --in-process --measured "$tap_tmp/one.csv"
tap_done
