#!/bin/sh
# One question has one answer, whichever command is asked, in whatever order.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
c=$tap_tmp/c.ini
cat >"$c" <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
max_num_seqs = 32
[workload]
num_requests = 1000
request_rate = 10
input_tokens = uniform:50,150
output_tokens = uniform:10,30
[cost_model:const_step]
plugin = const_step
base_us = 5000
per_token_us = 20
X
figure() { # NAME FILE: the first such member of a JSON
	sed -n "s/^ *\"$1\": \([-0-9.e+a-z]*\),*\$/\1/p" "$2" | head -1
}
# The least number of replicas by `capacity`, by `recommend`, and by a sweep
# over replicas at that rate: the first that carries it.
least() { # ROUTER RATE SLO
	"$host" capacity "$c" --quiet --slo "$3" --rate "$2" --set engine.routing="$1" --format json >"$tap_tmp/j" || return 1
	capacity=$(figure replicas "$tap_tmp/j")
	"$host" recommend "$c" --quiet --slo "$3" --rate "$2" --set engine.routing="$1" --gpus 8 --serve aggregated \
		--search engine.tensor_parallel_size=1 --search engine.replicas=1,2,3,4,5,6,7,8 \
		--fix engine.max_num_batched_tokens --fix engine.max_num_seqs --format json >"$tap_tmp/j" || return 1
	recommend=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["arms"][0]["winner"]["engine.replicas"])' "$tap_tmp/j") || return 1
	swept=$("$host" sweep "$c" --quiet --axis engine.replicas=1,2,3,4,5,6,7,8 --store "$tap_tmp/$1$2.db" --capacity "$3" --rate "$2" \
		--set engine.routing="$1" --format csv | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
print(min((int(r["engine.replicas"]) for r in rows if r["verdict"] == "found"), default=0))') || return 1
	echo "$1 $2 $3: capacity $capacity, recommend $recommend, sweep $swept"
	[ "$capacity" -gt 1 ] && [ "$capacity" = "$recommend" ] && [ "$capacity" = "$swept" ]
}
t 'round_robin' least round_robin 700 ttft_p99_ms=60,tpot_mean_ms=12
t 'least_outstanding' least least_outstanding 900 ttft_p99_ms=40
t 'random' least random 500 tpot_p99_ms=14
random() { python3 "$top_srcdir/tools/one_answer.py" --questions 2 --seed 7 "$host"; }
t 'random questions' random
t 'recommend refuses an autoscaler' sh -c "'$host' recommend '$c' --quiet --slo ttft_p99_ms=60 --gpus 2 --set autoscaler.metric=num_requests_running \
	--set autoscaler.target=8 --set autoscaler.max_replicas=2 2>&1 | grep 'leave .autoscaler. out'"
# Another router is named only where a fleet with one replica less carries the rate.
would_do() {
	"$host" capacity "$c" --quiet --slo ttft_p99_ms=60 --rate 800 --set engine.max_num_seqs=16 --set engine.routing=random >"$tap_tmp/a" &&
		"$host" capacity "$c" --quiet --slo ttft_p99_ms=60 --rate 800 --set engine.max_num_seqs=16 --set engine.routing=least_outstanding --format json >"$tap_tmp/j" || return 1
	cat "$tap_tmp/a"
	with=$(sed -n 's/.*least_outstanding would do with \([0-9]*\)\..*/\1/p' "$tap_tmp/a")
	[ -n "$with" ] && [ "$(figure replicas "$tap_tmp/j")" -le "$with" ]
}
t 'another router would do with less' would_do
would_not() {
	"$host" capacity "$c" --quiet --slo ttft_p99_ms=60 --rate 800 --set engine.max_num_seqs=16 --set engine.routing=least_outstanding >"$tap_tmp/a"
	cat "$tap_tmp/a"; grep -q 'behind least_outstanding' "$tap_tmp/a" && ! grep -q 'would do' "$tap_tmp/a"
}
t 'and one that would not is not named' would_not
# Keys that never act change nothing.
same() { # OPTION...: the same figures as without
	"$host" capacity "$c" --quiet --slo ttft_p99_ms=60 --set engine.replicas=2 --format csv >"$tap_tmp/a" &&
		"$host" capacity "$c" --quiet --slo ttft_p99_ms=60 --set engine.replicas=2 --format csv "$@" >"$tap_tmp/b" && cmp "$tap_tmp/a" "$tap_tmp/b"
}
t 'a failure that never comes' same --set failures.at=0:1e8
t 'one job at once' same --jobs 1
t 'eight' same --jobs 8
dense() {
	"$host" capacity "$c" --quiet --slo ttft_p99_ms=60 --set engine.data_parallel_size=4 --format json "$@" >"$tap_tmp/j" && figure request_rate "$tap_tmp/j" && figure gpus "$tap_tmp/j"
}
dense >"$tap_tmp/a"
t 'data parallelism without experts is of four GPUs' [ "$(tail -1 "$tap_tmp/a")" = 4 ]
dense --set failures.at=0:1e8 >"$tap_tmp/b"
t 'and of four with failures' cmp "$tap_tmp/a" "$tap_tmp/b"
dense --set autoscaler.metric=num_requests_running --set autoscaler.target=1000 --set autoscaler.max_replicas=1 >"$tap_tmp/b"
t 'and with an autoscaler that never acts' [ "$(tail -1 "$tap_tmp/b")" = 4 ]
t 'whose rate is the same within 3 %' sh -c "cat '$tap_tmp/a' '$tap_tmp/b' | awk 'NR == 1 { a = \$1 } NR == 3 { b = \$1 } END { exit !(NR == 4 && b > 0.97 * a && b < 1.03 * a) }'"
# One that acts carries what its replicas carry: the queue of its start does not count.
cat >"$tap_tmp/fleet.ini" <<'END'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
max_num_seqs = 8
replicas = 5
[workload]
num_requests = 1000
request_rate = 10
input_tokens = uniform:50,150
output_tokens = uniform:10,30
[cost_model]
plugin = const_step
base_us = 6000
per_token_us = 10
END
carried() {
	"$host" capacity "$tap_tmp/fleet.ini" --quiet --slo ttft_p99_ms=100 --format json "$@" >"$tap_tmp/j" && figure request_rate "$tap_tmp/j"
}
scaled() {
	carried >"$tap_tmp/a"
	carried --set autoscaler.metric=num_requests_running --set autoscaler.target=4 --set autoscaler.max_replicas=5 \
		--set autoscaler.sync_period_s=3 --set autoscaler.weights_load_s=6 >>"$tap_tmp/a"
	cat "$tap_tmp/a"
	awk 'NR == 1 { a = $1 } NR == 2 { b = $1 } END { exit !(NR == 2 && b > 0.97 * a && b < 1.03 * a) }' "$tap_tmp/a"
}
t 'an autoscaler at its most replicas carries what these carry' scaled
# The smaller fleet is tested last, with a queue that grows.
shown() {
	"$host" capacity "$tap_tmp/fleet.ini" --quiet --slo ttft_p99_ms=100 --rate 150 --format json >"$tap_tmp/j"
	sed -n 's/^ *"p99_ttft_ms": \([0-9.e+]*\).*/\1/p' "$tap_tmp/j" >"$tap_tmp/a"
	cat "$tap_tmp/a"
	awk '{ n++; if ($1 > 100) bad = 1 } END { exit !(n == 1 && !bad) }' "$tap_tmp/a"
}
t 'the figures of a fleet are those of the one that carries the rate' shown
ways() { "$host" capacity "$c" --quiet --slo ttft_p99_ms=60 --format csv "$@" | LC_ALL=C sort; }
ways --try a:engine.max_num_seqs=16 --try b:engine.max_num_seqs=32 >"$tap_tmp/a"
ways --try b:engine.max_num_seqs=32 --try a:engine.max_num_seqs=16 >"$tap_tmp/b"
t 'the order of --try' cmp "$tap_tmp/a" "$tap_tmp/b"
# Rates do not fall with a looser bound, fleets do not shrink with the rate.
ladder() {
	for ms in 14 20 30 50 90; do
		"$host" capacity "$c" --quiet --slo ttft_p99_ms=$ms --format json >"$tap_tmp/j" && figure request_rate "$tap_tmp/j" || return 1
	done >"$tap_tmp/rates"
	cat "$tap_tmp/rates"
	awk '{ if ($1 < 0.97 * last) exit 1; last = $1 } END { exit !(NR == 5) }' "$tap_tmp/rates"
}
t 'five bounds' ladder
grows() {
	for r in 300 600 1200; do
		"$host" capacity "$c" --quiet --slo ttft_p99_ms=60 --rate $r --format json >"$tap_tmp/j" && figure replicas "$tap_tmp/j" || return 1
	done >"$tap_tmp/n"
	cat "$tap_tmp/n"
	awk '{ if ($1 < last) exit 1; last = $1 } END { exit !(NR == 3 && last > 2) }' "$tap_tmp/n"
}
t 'three rates' grows
tap_done
