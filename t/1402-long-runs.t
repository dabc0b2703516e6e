#!/bin/sh
# capacity against rates that long runs of `stepcost run` alone have: 364,000 to
# two million requests of each setting, by two groups of seeds, or for tips of
# the caches four runs of 900 s a rate (of November 2026, front_end = none).
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
cd "$tap_tmp" || exit 1
cat >talk.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
preset = vllm-0.24
front_end = none
[workload]
request_rate = 2
turns = 4
input_tokens = 300
output_tokens = 50
[cost_model:const_step]
plugin = const_step
base_us = 5000
per_token_us = 20
X
cat >apart.ini <<'X'
[model]
config = qwen3-30b-a3b
[hardware]
config = h100-sxm
[engine]
preset = vllm-0.24
front_end = none
tensor_parallel_size = 1
replicas = 2
prefill_replicas = 1
max_model_len = 8192
kv_transfer_bandwidth_gbs = 30
[workload]
request_rate = 2
input_tokens = uniform:200,1800
output_tokens = uniform:100,500
[cost_model:smooth_roofline]
plugin = smooth_roofline
X
field() { # NAME FILE
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		NR == 2 { print $at }' "$2"
}
# OF INI SLO LOW HIGH: the interval meets that of the long runs, and the rate is
# within 4 % of it.
covers() {
	"$host" capacity "$2" --quiet --slo "$3" --format csv --output "$1.csv" || return
	awk -v rate="$(field request_rate "$1.csv")" -v l="$(field request_rate_low "$1.csv")" \
		-v h="$(field request_rate_high "$1.csv")" -v low="$4" -v high="$5" 'BEGIN {
		printf "%s requests/s (%s to %s), long runs %s to %s\n", rate, l, h, low, high
		exit !(l > 0 && l <= high && h >= low && rate > 0.96 * low && rate < 1.04 * high) }'
}
between() { # VALUE LOW HIGH
	awk -v v="$1" -v a="$2" -v b="$3" 'BEGIN { print v, a, b; exit !(v > a && v < b) }'
}
t 'conversations, p99 TTFT of 150 ms' covers strict talk.ini ttft_p99_ms=150 116.08 118.02
t 'conversations, p99 TTFT of 1,000 ms: caches tip over' covers loose talk.ini ttft_p99_ms=1000 123 128.5
t 'prefill and decode apart, p99 TPOT of 30 ms' covers apart apart.ini tpot_p99_ms=30 9.3699 9.7868
t 'a looser bound has the higher rate' between "$(field request_rate strict.csv)" 100 "$(field request_rate loose.csv)"
# Runs of an hour behind an overload: 52 and 54 requests/s recover, 56 and 64 do not.
for of in strict loose; do
	t "after an overload, $of" between "$(field recovery_rate $of.csv)" 50 56
done
tap_done
