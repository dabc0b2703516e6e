#!/bin/sh
# A simulated run in the form of another tool, and read again as a measured one:
# every error is 0.
. "${top_srcdir:-.}/t/lib/tap.sh"
STEPCOST_DATA_PATH=$top_srcdir
export STEPCOST_DATA_PATH
stepcost=$top_builddir/stepcost
cat >"$tap_tmp/c.ini" <<'END'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
preset = vllm-0.24
[cost_model]
plugin = const_step
[workload]
num_requests = 40
request_rate = 20
input_tokens = uniform:100,900
output_tokens = uniform:20,200
END
# The errors in percent that validate prints, all of them 0; at least $1.
are_0() {
	awk -v least="$1" '/ const_step / && /%/ {
		for (i = 1; i <= NF; i++)
			if ($i == "%" || $i ~ /%$/) {
				e = $i == "%" ? $(i - 1) : $i
				gsub(/[%+-]/, "", e); n++; bad += e + 0 != 0
				print
			}
	} END { if (bad || n < least) { print n " errors, " bad " not 0"; exit 1 } }'
}
round_trip() { # FORMAT LEAST OPTION...
	format=$1 least=$2; shift 2
	"$stepcost" run "$tap_tmp/c.ini" --quiet "$@" --format "$format" --output "$tap_tmp/out" &&
		"$stepcost" validate "$tap_tmp/c.ini" --quiet --all --measured "$tap_tmp/out" >"$tap_tmp/said" &&
		are_0 "$least" <"$tap_tmp/said"
}
for load in request_rate=20 concurrency=7 'arrival=burst --set workload.burst_size=5'; do
	# shellcheck disable=SC2086 # two options
	t "Benchmark Report: $load" round_trip benchmark-report 16 --set workload.$load
	# shellcheck disable=SC2086
	t "vLLM: $load" round_trip vllm 16 --set workload.$load
done
t 'two replicas, a request that is rejected' round_trip benchmark-report 16 --set engine.replicas=2 \
	--set engine.max_model_len=1000
t 'a page of metrics: means' round_trip prometheus 3

again() {
	for i in 1 2; do
		"$stepcost" run "$tap_tmp/c.ini" --quiet --format "$1" --output "$tap_tmp/$i" || return
	done
	cmp "$tap_tmp/1" "$tap_tmp/2"
}
for format in benchmark-report vllm prometheus; do
	t "$format: the same bytes again" again $format
done
# Members that the schema of llm-d allows, with what it requires (version 0.2).
cat >"$tap_tmp/check.py" <<'END'
import json, sys
try:
    import yaml
    d = yaml.safe_load(open(sys.argv[1]))
except ImportError:
    d = json.load(open(sys.argv[1]))
def only(o, required, allowed=()):
    bad = set(required.split()) - set(o) or set(o) - set(required.split()) - set(allowed)
    if bad: sys.exit(str(bad))
only(d, "version run results", ["scenario"])
only(d["run"], "uid", "eid cid pid time user description keywords".split())
assert d["version"] == "0.2" and "simulated" in d["run"]["keywords"]
for part in d["scenario"]["stack"]:
    only(part, "metadata standardized native")
    only(part["metadata"], "label cfg_id", ["schema_version", "description"])
    only(part["standardized"], "kind tool tool_version role replicas model accelerator")
    only(part["standardized"]["accelerator"], "model count parallelism")
    only(part["standardized"]["accelerator"]["parallelism"], "", "tp dp dp_local workers ep pp".split())
    only(part["native"], "", "args envars config".split())
    assert part["standardized"]["role"] in ("replica", "prefill", "decode")
load = d["scenario"]["load"]
only(load, "metadata standardized native")
only(load["standardized"], "tool tool_version source input_seq_len",
     "parallelism stage output_seq_len prefix multi_turn rate_qps concurrency".split())
for n in "input_seq_len", "output_seq_len":
    only(load["standardized"][n], "distribution value", "std_dev min max".split())
    assert load["standardized"][n]["distribution"] in ("fixed", "gaussian", "uniform", "other")
a = d["results"]["request_performance"]["aggregate"]
only(a, "requests latency throughput")
only(a["requests"], "total", "failures incomplete input_length output_length".split())
unit = {"time_to_first_token": "ms", "request_latency": "ms", "time_per_output_token": "ms/token",
        "inter_token_latency": "ms/token", "input_token_rate": "tokens/s", "output_token_rate": "tokens/s",
        "total_token_rate": "tokens/s", "request_rate": "queries/s"}
for name, s in list(a["latency"].items()) + list(a["throughput"].items()):
    only(s, "units mean", "mode stddev min p0p1 p1 p5 p10 p25 p50 p75 p90 p95 p99 p99p9 max".split())
    assert s["units"] == unit[name] and isinstance(s["mean"], (int, float)), s
roles = [p["standardized"]["role"] for p in d["scenario"]["stack"]]
assert roles == sys.argv[2].split(), roles
END
in_schema() { # ROLES OPTION...
	roles=$1; shift
	"$stepcost" run "$tap_tmp/c.ini" --quiet "$@" --format benchmark-report --output "$tap_tmp/r.yaml" &&
		python3 "$tap_tmp/check.py" "$tap_tmp/r.yaml" "$roles"
}
if command -v python3 >/dev/null; then
	t 'a report has the members of its schema' in_schema replica
	t 'prefill and decode apart' in_schema 'prefill decode' --set engine.replicas=3 --set engine.prefill_replicas=2
else
	skip 'a report has the members of its schema' 'no python3'
fi
refused() {
	"$stepcost" compare "$tap_tmp/c.ini" --format vllm 2>&1 >/dev/null | grep -q 'cannot write vllm\|text, json, csv'
}
t 'compare does not write them' refused
tap_done
