#!/bin/sh
# A running vLLM as a configuration, and its page beside the simulation: the
# page of a simulated server is met by the simulation that it came from.
. "${top_srcdir:-.}/t/lib/tap.sh"
top=$(cd "$top_srcdir" && pwd)
host=$(cd "$top_builddir" && pwd)/stepcost
: "${STEPCOST_DATA_PATH:=$top}"; export STEPCOST_DATA_PATH
case $STEPCOST_PLUGIN_PATH in /*) ;; *) STEPCOST_PLUGIN_PATH=$PWD/$STEPCOST_PLUGIN_PATH ;; esac
cd "$tap_tmp" || exit 1
log=$top/t/fixtures/server/start.log
model=meta-llama/Llama-3.1-8B-Instruct
says() { # CODE WANT COMMAND...: exits with CODE, and has WANT in its output
	code=$1 want=$2; shift 2; "$@" >out 2>&1; got=$?
	cat out; echo "exit $got"
	[ $got -eq "$code" ] && grep -qF -- "$want" out
}

cat >server.ini <<'END'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
preset = vllm-0.15
front_end = none
max_num_seqs = 128
max_num_batched_tokens = 8192
max_model_len = 16384
num_gpu_blocks = 27000
graph_max_tokens = 256
[cost_model]
plugin = smooth_roofline
[workload]
num_requests = 1000
request_rate = 6
input_tokens = lognormal:mean=900,p50=600,max=8000
output_tokens = lognormal:mean=120,p50=90,max=1000
END
served() { # NAME [OPTION...]: the page after a simulated run
	name=$1; shift
	"$host" run server.ini --quiet --write-requests "$name.csv" --write-steps "$name.steps" "$@" >/dev/null &&
		python3 "$top/t/lib/vllm-page.py" "$name.csv" "$name.steps" $model 16384 >"$name.metrics"
}
t 'a server is simulated, and its page written' served chat
t 'with half of the requests' served half --set workload.num_requests=500

t 'the page and the log are a configuration' "$host" import vllm chat.metrics "$log" --output own.ini
has() { grep -E "^$1 = $2( +;|\$)" own.ini; }
t 'its model' has config llama-3.1-8b
t 'its GPU' has config h100-sxm
t 'its engine' has preset vllm-0.15
t 'its limits' has max_num_seqs 128
t 'its steps' has max_num_batched_tokens 8192
t 'its cache' has num_gpu_blocks 27000
t 'its prefix cache' has enable_prefix_caching true
t 'its lengths' has output_tokens 'histogram:mean=[0-9.]*,.*'
t 'a rate is not told by one page' grep -q '^;? request_rate' own.ini
t 'and run says so' says 2 'needs request_rate' "$host" run own.ini
t 'two pages count requests' says 0 'requests/s: 500 requests ended between the pages' \
	"$host" import vllm chat.metrics "$log" --since half.metrics
t 'and tell what came between' grep -q 'the page has 500' out
t 'in the wrong order' says 3 'later page' "$host" import vllm half.metrics --since chat.metrics
t 'what is not told is named' says 0 'not told, see the lines with ";?": hardware.config, engine.preset' \
	"$host" import vllm chat.metrics
t 'a GPU by option' says 0 'config = l40s ' "$host" import vllm chat.metrics --gpu l40s
lengths() { # the mean lengths of the page come out again, to 3 %
	"$host" run own.ini --quiet --set workload.request_rate=6 --set workload.num_requests=10000 \
		--arms smooth_roofline --format json | python3 -c '
import csv, json, sys
arm = json.load(sys.stdin)["arms"][0]
rows = list(csv.DictReader(open("chat.csv")))
for kind in ("input", "output"):
	mean = sum(int(r[kind + "_tokens"]) for r in rows) / len(rows)
	is_ = arm["total_%s_tokens" % kind] / arm["completed"]
	print(kind, mean, is_)
	assert abs(is_ / mean - 1) < 0.03'
}
t 'lengths of the configuration are those of the page' lengths

# --- the page beside the simulation ----------------------------------------------
t 'a page is a measurement' says 0 'in range' "$host" validate server.ini --measured chat.metrics --quiet --all
t 'of its requests' grep -q '^1000 requests measured' out
exact() { # the page of this very run: means equal, percentiles in their ranges
	"$host" validate server.ini --measured chat.metrics --quiet --format json >page.json && python3 -c '
import json
arm = json.load(open("page.json"))["arms"][0]
assert len(arm["figures"]) == 25, len(arm["figures"])
for name, f in arm["figures"].items():
	print(name, f)
	if name.startswith("mean"):
		assert f["measured_low"] == f["measured_high"]
		assert abs(f["error"] or 0) < 1e-6
	else:
		assert f["error"] == 0 and f["measured_low"] <= f["predicted"]
		assert f["within"] == 1'
}
t 'a simulation meets its own page' exact
t 'another does not' says 1 'smooth_roofline: mean error of tpot is' "$host" validate server.ini \
	--measured chat.metrics --quiet --set hardware.memory_bandwidth_tbs=1.7 --fail-above tpot=5
t 'as CSV' says 0 'smooth_roofline,p99_ttft_ms,' "$host" validate server.ini --measured chat.metrics --quiet --format csv
t 'other lengths are a warning' says 0 'the prompts of server.ini are' "$host" validate server.ini \
	--measured chat.metrics --quiet --set workload.input_tokens=2000
t 'since an earlier page' says 0 '500 requests measured' "$host" validate server.ini --measured chat.metrics --since half.metrics --quiet
t 'with pictures' says 0 'in range' "$host" validate server.ini --measured chat.metrics --quiet --all --html page.html --plot page.svg
drawn() { # a dot for each arm and figure, ranges of percentiles as whiskers
	grep -q 'smooth_roofline comes nearest: ' page.html && grep -q 'TTFT p99, ms' page.html &&
		[ "$(grep -o '<circle' page.html | wc -l)" -ge 8 ] && grep -q 'measured, ms' page.svg
}
t 'a page, and a scatter of all figures' drawn
t 'options without meaning' says 2 'with a page of metrics only' "$host" validate server.ini --measured chat.metrics --rows x.csv
t 'two pages' says 2 'give one page' "$host" validate server.ini --measured chat.metrics --measured half.metrics
sed 's/_seconds_bucket{\(.*\)} .*/_seconds_bucket{\1} 0.0/' chat.metrics >idle.metrics
t 'a page without requests' says 3 'no request has ended' "$host" validate server.ini --measured idle.metrics

# --- an address ----------------------------------------------------------------------
t 'the page of an address is saved first' says 2 'curl -s http://127.0.0.1:1/metrics >page.txt' "$host" import vllm http://127.0.0.1:1/metrics
t 'before it is measured, too' says 2 'curl -s https://h/metrics' "$host" validate server.ini --measured https://h/metrics --quiet
tap_done
