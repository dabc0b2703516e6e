#!/bin/sh
# capacity: a model whose capacity can be worked out by hand, and refusals.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
c=$tap_tmp/c.ini
cat >"$c" <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
usd_per_hour = 3.6
[engine]
max_num_seqs = 1
[cost_model:slow]
plugin = const_step
base_us = 1000
per_token_us = 0
[cost_model:fast]
plugin = const_step
base_us = 500
per_token_us = 0
[workload]
num_requests = 1000
arrival = constant
request_rate = 10
input_tokens = constant:100
output_tokens = constant:10
X
# One sequence at a time, ten steps of 1 ms: 100 requests/s and no queue up to
# there; beyond, the queue grows and the first token comes late.
field() { # NAME ARM: of the CSV
	awk -F, -v name="$1" -v arm="$2" 'NR == 1 { for (i = 1; i <= NF; i++)
		if ($i == name) at = i } $2 == arm { print $at }' "$tap_tmp/out"
}
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b && a > 0.985 * b) }' || { echo "$1, not just below $2"; false; }; }
says() {
	code=$1 want=$2; shift 2; "$@" >"$tap_tmp/log2" 2>&1; got=$?
	cat "$tap_tmp/log2"; [ $got -eq "$code" ] && grep -qF -- "$want" "$tap_tmp/log2"
}
t 'runs' "$host" capacity "$c" --slo ttft_p99_ms=5 --format csv --output "$tap_tmp/out"
t 'the slow arm serves just under 100 requests/s' near "$(field request_rate slow)" 100.2
t 'the fast one just under 200' near "$(field request_rate fast)" 200.4
t 'at 3.60 an hour and 1,000 tokens/s a million costs 1.00' \
	near 0.99 "$(field usd_per_million_output_tokens slow)"
t 'the first bound broken is named' test "$(field broken_by slow)" = p99_ttft_ms
t 'twice gives the same bytes' sh -c "'$host' capacity '$c' --slo ttft_p99_ms=5 --format csv --in-process | cmp - '$tap_tmp/out'"
"$host" capacity "$c" --slo ttft_p99_ms=5 --rate 1000 --format csv --output "$tap_tmp/out"
t '1000 requests/s take eleven of the slow' test "$(field gpus slow)" = 11
t 'and six of the fast' test "$(field gpus fast)" = 6
t 'a bound that one step breaks' says 0 'none: mean_ttft_ms' "$host" capacity "$c" --slo ttft_mean_ms=0.1
t 'ways to serve are chosen between' says 0 'slow would choose: two' \
	"$host" capacity "$c" --slo ttft_p99_ms=5 \
	--try one:engine.max_num_seqs=1 --try two:engine.max_num_seqs=2
t 'an unknown bound' says 2 'no such latency' "$host" capacity "$c" --slo ttft_p99=5
t 'a bound that is no time' says 2 'not a time above 0 ms' "$host" capacity "$c" --slo ttft_p99_ms=x
t 'no bound' says 2 'slo' "$host" capacity "$c"
t 'a closed loop has no rate' says 2 'closed loop' "$host" capacity "$c" \
	--set workload.request_rate=0 --set workload.concurrency=4 --slo ttft_p99_ms=5
tap_done
