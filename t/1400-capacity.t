#!/bin/sh
# capacity: a model with a capacity that can be worked out by hand; refusals.
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
t 'the bound that limits the rate is named' test "$(field limited_by slow)" = p99_ttft_ms
t 'nothing is random here, so there is no interval' [ "$(field request_rate_low slow)" = "$(field request_rate_high slow)" ]
t 'twice gives the same bytes' sh -c "'$host' capacity '$c' --slo ttft_p99_ms=5 --format csv --in-process | cmp - '$tap_tmp/out'"
"$host" capacity "$c" --slo ttft_p99_ms=5 --rate 1000 --independent --format csv --output "$tap_tmp/out"
t '1000 requests/s take eleven of the slow' test "$(field gpus slow)" = 11
t 'and six of the fast' test "$(field gpus fast)" = 6
"$host" capacity "$c" --slo ttft_p99_ms=5 --rate 1000 --format csv --output "$tap_tmp/out"
t 'behind round_robin, with even arrivals, ten of the slow are enough' test "$(field replicas slow)" = 10
t 'and five of the fast' test "$(field replicas fast)" = 5
t 'deployments are multiplied in no other case' test -z "$(field deployments slow)"
t 'without a rate, nothing is independent' says 2 'needs --rate' "$host" capacity "$c" --slo ttft_p99_ms=5 --independent
t 'replicas that --try sets are asked about, not searched' says 0 'does not carry 1000: p99_ttft_ms' "$host" capacity "$c" --slo ttft_p99_ms=5 --rate 1000 --arms slow --try nine:engine.replicas=9
t 'a bound that one step breaks' says 0 'none: unloaded mean_ttft_ms is 1, the bound 0.1' "$host" capacity "$c" --slo ttft_mean_ms=0.1
# The page: the answer, a dot for each arm, the curve with its bound, prices.
page() {
	"$host" capacity "$c" --slo ttft_p99_ms=5 --quiet --html "$tap_tmp/p.html" --plot "$tap_tmp/p.svg" --output "$tap_tmp/out" || return 1
	grep -q '<p class="head">slow carries [0-9.]* requests/s on 1 GPU, limited by TTFT p99.</p>' "$tap_tmp/p.html" && [ "$(grep -c '<circle' "$tap_tmp/p.html")" -eq 2 ] &&
		grep -q '<figcaption>TTFT p99, ms against requests/s' "$tap_tmp/p.html" && grep -q 'bound: 5 ms' "$tap_tmp/p.html" &&
		grep -q 'Prices: h100-sxm 3.6 USD/h' "$tap_tmp/p.html"
}
t 'a page' page
figure() { [ "$(grep -c '<svg' "$tap_tmp/p.svg")" -eq 1 ] && grep -q '>slow</text>' "$tap_tmp/p.svg" && grep -q '>bound: 5 ms</text>' "$tap_tmp/p.svg"; }
t 'its curve alone' figure
t 'ways to serve are chosen between' says 0 'Both arms choose two.' \
	"$host" capacity "$c" --slo ttft_p99_ms=5 \
	--try one:engine.max_num_seqs=1 --try two:engine.max_num_seqs=2
# Prices: configured, of the shipped file, of another file, and none.
price() { "$host" capacity "$c" --slo ttft_p99_ms=5 --arms slow --one-draw --quiet "$@"; }
printf 'gpu,usd_per_hour,kind,as_of,list\nh100-sxm,1,spot,2026-01,a\nh100-sxm,2,spot,2026-03,b\n' >"$tap_tmp/own.csv"
t 'a configured price' says 0 'Prices: h100-sxm 3.6 USD/h (usd_per_hour).' price
t 'a file of prices' says 0 'h100-sxm 1.5 USD/h (spot, median of 2 lists, 2026-01 to 2026-03)' \
	price --set hardware.usd_per_hour=0 --set hardware.prices="$tap_tmp/own.csv"
t 'the shipped one says what it rests on' says 0 'USD/h (on demand, median of 9 lists, 20' price --set hardware.usd_per_hour=0
t 'a GPU that the file lacks' says 0 'h20 has no price: judged by GPUs.' price --set hardware.usd_per_hour=0 \
	--set hardware.prices="$tap_tmp/own.csv" --try a:hardware.config=h100-sxm --try b:hardware.config=h20
t 'it is in the list, too' says 0 'h20 has none.' price --set hardware.usd_per_hour=0 \
	--set hardware.prices="$tap_tmp/own.csv" --try a:hardware.config=h100-sxm --try b:hardware.config=h20
t 'a file of prices with a fault' says 3 'bad.csv:1: no column' sh -c "echo gpu >'$tap_tmp/bad.csv'; '$host' capacity '$c' --slo ttft_p99_ms=5 --set hardware.usd_per_hour=0 --set hardware.prices='$tap_tmp/bad.csv'"
t 'an unknown bound' says 2 'no such latency' "$host" capacity "$c" --slo ttft_p99=5
t 'a bound that is no time' says 2 'not a time above 0 ms' "$host" capacity "$c" --slo ttft_p99_ms=x
t 'no bound' says 2 'slo' "$host" capacity "$c"
sed 's/^request_rate = .*/concurrency = 4/; /^arrival/d' "$c" >"$tap_tmp/loop.ini"
closed() { "$host" capacity "$tap_tmp/loop.ini" --slo ttft_p99_ms=21.5 --arms slow --quiet "$@"; }
t 'one draw bisects a rate, which a closed loop lacks' says 2 'closed loop' closed --one-draw
# One sequence at a time, ten steps of 1 ms: each client waits for the others.
t 'a closed loop: clients' says 0 'p99_ttft_ms, 3 clients' closed
closed --format json --output "$tap_tmp/loop.json"
t 'in JSON' grep -q '"clients": 3,' "$tap_tmp/loop.json"
t 'in a sweep' says 0 ',3,3,3,' "$host" sweep "$tap_tmp/loop.ini" --arms slow --axis workload.concurrency=2,4 \
	--store "$tap_tmp/loop.db" --capacity ttft_p99_ms=21.5 --format csv

# Rejected requests, and a model's warnings, are marked on the row they concern.
t 'requests that no rate serves' says 0 'none: 100000 of 100000' sh -c "
	'$host' capacity '$c' --all --slo ttft_p99_ms=5 --try short:workload.input_tokens=100 --try long:workload.input_tokens=999999 || [ \$? -eq 1 ]"
t 'with the reason below the table' grep -q '^warning: 100000 requests rejected: longer than max_model_len' "$tap_tmp/log2"
t 'once on standard error' [ "$(grep -c '^stepcost: long, arm slow: warning: 100000 requests' "$tap_tmp/log2")" -eq 1 ]
t 'nothing completed is exit 1' says 1 'rejection' "$host" capacity "$c" --slo ttft_p99_ms=5 --set workload.input_tokens=999999 --format csv
none() {
	"$host" capacity "$c" --slo ttft_p99_ms=5 --set workload.input_tokens=uniform:100,200000 --arms slow --format json >"$tap_tmp/j" 2>"$tap_tmp/e"
	[ $? -eq 0 ] && grep -qE '"warnings": \["warning: [0-9]+ requests rejected' "$tap_tmp/j" || return 1
	awk -F'[:,]' '/"requests"/ { n = $2 } /"completed"/ { c = $2 } /"rejected"/ { r = $2 } END { print n, c, r; exit n != 100000 || c + r != n || !c || !r }' "$tap_tmp/j"
}
t 'some: completed and rejected are all' none
t 'a bound on what single tokens do not have' says 0 'carries' "$host" capacity "$c" --slo tpot_p99_ms=5 --set workload.output_tokens=1
cat >"$tap_tmp/w.ini" <<X
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[tables]
path = $top_srcdir/bench_data
set = h100-sxm.infersim
[cost_model]
plugin = roofline_v2
[workload]
num_requests = 60
request_rate = 4
input_tokens = constant:500
output_tokens = constant:20
X
warned() {
	says 0 'A100       roofline_v2' "$host" capacity "$tap_tmp/w.ini" --all --slo ttft_p99_ms=500 --try H100:engine.block_size=16 --try A100:hardware.config=a100-80-sxm &&
	grep -q '^warning: tables .* not of a100-80-sxm' "$tap_tmp/log2"
}
t 'tables of another GPU' warned
t 'in CSV, too' sh -c "'$host' capacity '$tap_tmp/w.ini' --slo ttft_p99_ms=500 --set hardware.config=a100-80-sxm --format csv --quiet | grep -c 'not of a100-80-sxm' | grep -qx 1"
t 'each candidate has its set-up' sh -c "'$host' capacity '$tap_tmp/w.ini' --slo ttft_p99_ms=500 --quiet --all --try a:engine.max_num_seqs=8 --try b:engine.max_num_seqs=9 |
	grep -c '^engine    [ab]: defaults, but max_num_seqs = ' | grep -qx 2"
# The same workload with chance in it: an interval, and the same bytes however
# many searches run side by side.
cat >"$tap_tmp/random.ini" <<'X'
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
num_requests = 1000
request_rate = 10
input_tokens = uniform:50,150
output_tokens = uniform:5,15
[engine]
max_num_seqs = 4
X
search() { "$host" capacity "$tap_tmp/random.ini" --slo ttft_p99_ms=20 --quiet "$@"; }
ordered() {
	search --format csv --output "$tap_tmp/out" &&
	awk -v a="$(field request_rate_low slow)" -v x="$(field request_rate slow)" -v z="$(field request_rate_high slow)" -v h="$(field half_width slow)" \
		'BEGIN { print a, x, z, h; exit !(a < x && x < z && h <= 0.1) }'
}
t 'an interval about the rate' ordered
t 'a stop that is named' sh -c 'case $1 in precision | decision) ;; *) echo "$1"; exit 1 ;; esac' - "$(field stopped_by slow)"
jobs_alike() {
	for n in 1 2 8; do search --format json --jobs $n >"$tap_tmp/jobs$n" || return 1; done
	cmp "$tap_tmp/jobs1" "$tap_tmp/jobs2" && cmp "$tap_tmp/jobs1" "$tap_tmp/jobs8"
}
t '--jobs 1, 2 and 8 give the same bytes' jobs_alike
t 'the fast arm serves about twice as much, and the interval is in the sentence' \
	sh -c "'$host' capacity '$tap_tmp/random.ini' --slo ttft_p99_ms=20 --quiet | grep -E '^fast serves (1\.9|2\.[0-4])[0-9]* \(.* to .*\) times the rate of slow\.'"
t 'an arm and itself are alike' sh -c "sed 's/base_us = 500/base_us = 1000/' '$tap_tmp/random.ini' >'$tap_tmp/twins.ini' &&
	'$host' capacity '$tap_tmp/twins.ini' --slo ttft_p99_ms=20 --quiet | grep 'The arms agree within 3 %'"
sed "s/^request_rate.*/stages = 20:2,40:2,20:2/; /^arrival/d; /^num_requests/d" "$tap_tmp/random.ini" >"$tap_tmp/stages.ini"
short_stages() { "$host" capacity "$tap_tmp/stages.ini" --slo ttft_p99_ms=20 --quiet --arms slow --precision 0.2 --format csv >"$tap_tmp/out"; }
t 'stages with few requests have a capacity' short_stages
exceeds() { "$host" capacity "$tap_tmp/random.ini" --slo ttft_p99_ms=20 --precision 0.2 --request-limit 1000 >"$tap_tmp/out" 2>"$tap_tmp/err" &&
	grep -E 'request-limit 1000: [12] of 2 searches simulated more, at most [0-9]{4,}' "$tap_tmp/err" && [ "$(grep -c request-limit "$tap_tmp/err")" -eq 1 ]; }
t 'a limit below what finds a rate is said once' exceeds
t 'a limit of requests ends a search, and is named' sh -c "'$host' capacity '$tap_tmp/random.ini' --slo ttft_p99_ms=20 --quiet --arms slow --precision 0.002 --request-limit 30000 --format json | grep '\"stopped_by\": \"limit\"'"
t 'one draw has no interval' sh -c "'$host' capacity '$tap_tmp/random.ini' --slo ttft_p99_ms=20 --quiet --one-draw --all | grep 'that of this draw only'"
t 'a share of good requests as a bound' says 0 'goodput' "$host" capacity "$tap_tmp/random.ini" --quiet --arms slow --slo goodput=0.95 --set slo.ttft_ms=20
t 'gaps between tokens as a bound' says 0 'p99_itl_ms' "$host" capacity "$tap_tmp/random.ini" --quiet --arms slow --slo itl_p99_ms=0.5
t 'a precision out of range' says 2 'precision' search --precision 0
t 'a confidence of 1' says 2 'confidence' search --confidence 1
t 'a share of 2' says 2 'not a share' "$host" capacity "$c" --slo goodput=2
# A trace is one draw.
awk 'BEGIN { srand(1); print "TIMESTAMP,ContextTokens,GeneratedTokens"
	for (i = 0; i < 800; i++) { s += -log(1 - rand()) / 20
		printf "2023-11-16 18:%02d:%06.3f,%d,%d\n", int(s / 60), s % 60, 50 + int(100 * rand()), 5 + int(10 * rand()) } }' >"$tap_tmp/trace.csv"
of_trace() {
	sed 's/^num_requests.*/trace = trace.csv/; /^request_rate/d; /_tokens =/d' "$tap_tmp/random.ini" >"$tap_tmp/trace.ini" &&
	"$host" capacity "$tap_tmp/trace.ini" --slo ttft_p99_ms=20 --arms slow --all --html "$tap_tmp/trace.html" >"$tap_tmp/log2" 2>&1; cat "$tap_tmp/log2"
	grep -q 'requests/s of this trace \[.*\] on 1 GPU' "$tap_tmp/trace.html" &&
	tr -s '\n ' ' ' <"$tap_tmp/log2" | grep -q 'requests/s for this trace; .* if another like it came (20 stretches)' &&
	grep -q 'too short for a p99' "$tap_tmp/log2"
}
t 'of a trace the interval is from its stretches, and a short one says so' of_trace
# A trace at generated times has replications like other workloads, each from
# another place of it on; so a prompt that occurs once is in few of them.
{ echo arrival_us,input_tokens,output_tokens; for i in $(seq 1 300); do echo "$i,$((50 + i % 7 * 20)),$((5 + i % 11))"; done; } >"$tap_tmp/t.csv"
retimed() {
	"$host" capacity "$tap_tmp/random.ini" --arms slow --slo ttft_p99_ms=50 --quiet --format json --set workload.trace="$tap_tmp/t.csv" \
		--set workload.retime=true --set workload.num_requests=300 "$@" >"$tap_tmp/retimed"; cat "$tap_tmp/retimed"
	grep -q '"stopped_by": "precision"' "$tap_tmp/retimed" && grep -q '"basis": "replications"' "$tap_tmp/retimed"
}
t 'a retimed trace is replicated' retimed
t 'with more requests than it has rows' sh -c "sed -n 's/.*\"requests_per_replication\": \([0-9]*\).*/\1/p' '$tap_tmp/retimed' | { read -r n; [ \"\$n\" -ge 1000 ]; }"
# Ctrl-C leaves the interval of the rounds that are over.  A machine under load
# may not have one yet, so it is given more and more time; the first is so short
# that the search goes on for longer on any machine.
interrupted() {
	for s in 0.3 1 2 4 8 16 32; do
		"$host" capacity "$tap_tmp/random.ini" --arms slow --slo ttft_p99_ms=50 --quiet --precision 0.002 \
			--request-limit 1000000000000 >"$tap_tmp/out" 2>"$tap_tmp/err" &
		pid=$!
		sleep $s; kill -INT $pid; wait $pid; code=$?
		cat "$tap_tmp/out" "$tap_tmp/err"
		[ $code -eq 130 ] || return 1
		grep -q ', interrupted' "$tap_tmp/out" && return 0
	done
	return 1
}
t 'an interrupted search prints what it knows, and ends with 130' interrupted
cat >"$tap_tmp/split.ini" <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
request_rate = 5
num_requests = 300
input_tokens = 300
output_tokens = 40
[cost_model:whole]
plugin = const_step
[cost_model:halves]
plugin = const_step
engine.tensor_parallel_size = 2
X
split() { # an arm's own split counts in GPUs and in USD
	"$host" capacity "$tap_tmp/split.ini" --slo ttft_p99_ms=900 --one-draw --quiet --format csv >"$tap_tmp/split.csv" &&
		python3 -c '
import csv, sys
r = list(csv.DictReader(open(sys.argv[1])))
n = [float(x["gpus_per_deployment"]) for x in r]
assert n == [1, 2], n' "$tap_tmp/split.csv"
}
t 'an arm counts the GPUs of its own split' split
# A step of linear takes 1 ms, and exp(1.6449 * 0.1) of it at the worse end.
cat "$c" - >"$tap_tmp/own.ini" <<'X'
[cost_model:linear]
plugin = linear
scale = time
weights = 1000
prompt = 0
decode = 0
kv = 0
pairs = 0
X
far() { # SIGMA: the pessimistic rate, and that by the model's own
	"$host" capacity "$tap_tmp/own.ini" --arms linear --slo ttft_p99_ms=5 --quiet --set "cost_model:linear.sigma=$1" --format json |
		python3 -c '
import json, math, sys
r = json.load(sys.stdin)["searches"][0]
far = [r.get(k, {}).get("request_rate") for k in ("pessimistic", "model_pessimistic")]
sigma = float(sys.argv[1])
want = 100 / math.exp(1.6448536269514722 * sigma)
ok = far == [None, None] if sigma == 0 else far[0] == far[1] and 0.985 * want < far[0] <= 1.002 * want
sys.exit(f"{far} for {want}" if not ok else 0)' "$1"
}
t 'steps at the worse end of what the model says itself' far 0.1
t 'a model that is twice as unsure' far 0.2
t 'one that is sure has none' far 0
tap_done
