#!/bin/sh
# Published cost models answer as their origins did (t/golden/field, and a later
# draw in t/golden/field-2), and refuse what their origins do not price.
. "${top_srcdir:-.}/t/lib/tap.sh"
command -v python3 >/dev/null 2>&1 || { echo '1..0 # SKIP python3 is not installed'; exit 0; }
: "${STEPCOST_DATA_PATH:=$top_srcdir}"; export STEPCOST_DATA_PATH
STEPCOST=$(cd "$top_builddir" && pwd)/stepcost; export STEPCOST
PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE
golden=$top_srcdir/t/golden/field
reprices() { # FILE AT-LEAST
	python3 "$top_srcdir/tools/field_golden.py" "$golden" "$1" && [ "$(wc -l <"$golden/$1")" -gt "$2" ] || return 1
	[ ! -f "$golden-2/$1" ] || python3 "$top_srcdir/tools/field_golden.py" "$golden-2" "$1"
}
drawn() { # rows of the later draw
	n=$(cat "$golden-2"/*.csv | wc -l) files=$(ls "$golden-2" | wc -l)
	echo "$n lines in $files files"; [ "$files" -eq 10 ] && [ $((n - files)) -eq 2800 ]
}
t 'the later draw has all of its rows' drawn
# Coefficients were carried over; the line is added up here by itself.
blackbox() {
	printf '[model]\nconfig = llama-2-7b\n[hardware]\nconfig = h100-sxm\n[engine]\ntensor_parallel_size = 4\n' >"$tap_tmp/b.ini"
	printf '[cost_model]\nplugin = blis_blackbox\nmodel = %s\nvllm = %s\n' "$1" "$2" >>"$tap_tmp/b.ini"
	printf 'decode,prefill\n100x7,0:300;64:11\n' >"$tap_tmp/b.csv"
	"$STEPCOST" eval "$tap_tmp/b.ini" --steps "$tap_tmp/b.csv" --format json --quiet >"$tap_tmp/b.json" && python3 -c '
import csv, json, sys
step = json.load(open(sys.argv[1]))["steps"][0]
rows = [r for r in csv.DictReader(l for l in open(sys.argv[2]) if l[0] != "#")
        if r["model"] == sys.argv[3] and r["gpu"] == "H100" and r["tp"] == "4" and sys.argv[4] in ("", r["vllm"])]
want = float(rows[0]["step_us"]) + 311 * float(rows[0]["prompt_token_us"]) + 7 * float(rows[0]["decode_us"])
print(step, want, len(rows))
assert abs(step["exact_us"] - want) < 1e-6 and step["total_us"] == int(want)
assert len(rows) > int(sys.argv[5])' "$tap_tmp/b.json" "$top_srcdir/plugins/field/blis_blackbox/coefficients.csv" "$1" "$2" "$3"
}
t 'BLIS, four models: whole microseconds' reprices blis.csv 600
t GenZ reprices genz.csv 150
t LLM-Viewer reprices llm_viewer.csv 150
t llm-analysis reprices llm_analysis.csv 100
t llm-optimizer reprices llm_optimizer.csv 7
t DistServe reprices distserve.csv 50
t SplitwiseSim reprices splitwise.csv 70
t "AIConfigurator's speed of light" reprices aic_sol.csv 150
t "AIConfigurator's tables, single queries" reprices aic_engine.csv 190
t 'the same, passes of the origin on all its data' reprices aic_silicon.csv 90
t InferSim reprices infersim.csv 150
t 'LLMServingSim 2: whole nanoseconds' reprices llmservingsim2.csv 150
t 'Vidur, polynomials and forest' reprices vidur/llama-2-7b.a800.steps.csv 110
t 'BLIS, blackbox' blackbox meta-llama/llama-3.3-70b-instruct v0.8.4 0
t 'BLIS, blackbox: of equal keys the first counts' blackbox redhatai/llama-3.3-70b-instruct-quantized.w4a16 '' 1
changed() { # one answer by one microsecond
	mkdir "$tap_tmp/changed" && cp "$golden/models.csv" "$tap_tmp/changed" &&
		awk -F, -v OFS=, 'NR == 2 { $NF += 1 } 1' "$golden/blis.csv" >"$tap_tmp/changed/blis.csv" &&
		! python3 "$top_srcdir/tools/field_golden.py" "$tap_tmp/changed" >"$tap_tmp/said" &&
		grep -q '^639 of 640 vectors hold' "$tap_tmp/said"
}
t 'a wrong answer is found' changed

printf 'decode,prefill\n64;1000,\n' >"$tap_tmp/s.csv"
refuses() { # PLUGIN WORDS MODEL HARDWARE LINES...
	plugin=$1 words=$2; shift 2
	{
		printf '[model]\nconfig = %s\n[hardware]\nconfig = %s\n' "$1" "$2"
		shift 2; printf '[engine]\nmemory_check = off\n%s\n' "$1"; shift
		printf '[cost_model]\nplugin = %s\n' "$plugin"; printf '%s\n' "$@"
	} >"$tap_tmp/r.ini"
	"$STEPCOST" eval "$tap_tmp/r.ini" --steps "$tap_tmp/s.csv" >"$tap_tmp/out" 2>&1; code=$?
	cat "$tap_tmp/out"
	[ $code -ge 2 ] && grep -qF -- "$words" "$tap_tmp/out"
}
t 'latent attention' refuses blis_roofline 'BLIS does not price latent attention (MLA), as model deepseek-v2-lite has' deepseek-v2-lite h100-sxm ''
t 'a GPU without constants' refuses genz 'GenZ has no constants of l40s' llama-3.1-8b l40s ''
t 'a split' refuses llm_viewer 'LLM-Viewer does not price tensor parallelism' llama-3.1-8b h100-sxm 'tensor_parallel_size = 2'
t 'a model without a profile' refuses distserve 'DistServe has no profile of llama-3.1-8b' llama-3.1-8b a100-80-sxm ''
t 'a cache of unknown size' refuses dynamo_mocker 'set kv_tokens' llama-3.1-8b h100-sxm ''
t 'an unknown back end' refuses blis_trained_physics 'BLIS knows no all-to-all back end carrier' mixtral-8x7b h100-sxm 'expert_dispatch = carrier'

# The stand-in was read, not run: one chunk, one decode, by hand.
mocker() {
	printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n[cost_model]\nplugin = dynamo_mocker\nkv_tokens = 1600\n' >"$tap_tmp/m.ini"
	printf 'decode,prefill,sampled\n,0:100/200,0\n799,,1\n799,0:100/200,1\n' >"$tap_tmp/m.csv"
	"$STEPCOST" eval "$tap_tmp/m.ini" --steps "$tap_tmp/m.csv" --format json --quiet >"$tap_tmp/m.json" && python3 -c '
import json, sys
got = [s["exact_us"] for s in json.load(open(sys.argv[1]))["steps"]]
chunk = 1000 * (4.209989e-07 * 1e4 + 1.518344 + 16.50142)
def decode(p): return 1000 * (-25.74 * p * p + 54.01 * p + 5.74)
want = [chunk, decode(.5), chunk + decode((800 + 112) / 1600)]
print(got, want)
assert all(abs(g - w) < 1e-9 * w for g, w in zip(got, want))' "$tap_tmp/m.json"
}
t "Dynamo's mocker" mocker
tap_done
