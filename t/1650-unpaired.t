#!/bin/sh
# --unpaired: a model under two independent sets of seeds is told from itself
# in 5 % of all comparisons, by chance; paired, never.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
cd "$tap_tmp" || exit 1
cat >c.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model:one]
plugin = const_step
[cost_model:same]
plugin = const_step
[workload]
num_requests = 100
request_rate = 20
input_tokens = lognormal:mean=500,p50=400
output_tokens = uniform:10,30
X
told() { # how often, of 60
	for k in $(seq 1 60); do
		"$host" compare c.ini --seeds 8 "$@" --quiet --format json --set workload.seed=${k}000 |
			awk '/"seeds"/ { s = 1 } s && /"name": "same"/ { on = 1 } on && /"mean_e2el_ms"/ { print; exit }'
	done >out
	[ "$(wc -l <out)" -eq 60 ] && grep -c '"verdict": "distinguishable"' out
}
# Binomial, 60 at 0.05: 0 in 4.6 %, more than 8 in 0.4 % of all cases.
n=$(told --unpaired)
t "independent seeds: told apart in $n of 60" sh -c "[ $n -ge 1 ] && [ $n -le 8 ]"
equal() { "$host" compare c.ini --seeds 8 --quiet --all | grep -c 'exactly equal' >n; [ "$(cat n)" -gt 10 ]; }
t 'the same seeds: exactly equal' equal
wider() { "$host" compare c.ini --seeds 8 --unpaired --quiet >out; grep -q 'Other seeds for every arm (unpaired)' out && grep -q '^mean_e2el_ms' out && ! grep -q 'mean_e2el_ms *exactly' out; }
t 'unpaired is said, and is not' wider
json() { "$host" compare c.ini --seeds 3 --unpaired --format json --quiet | grep -q '"paired": false'; }
t 'also in JSON' json

# A trace at its own times has one run, whatever the seed.
printf 'arrived_at,num_prefill_tokens,num_decode_tokens\n0,100,10\n1,200,5\n2,300,9\n' >"$tap_tmp/own.csv"
printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n[cost_model:a]\nplugin = roofline_v1\n[cost_model:b]\nplugin = roofline_v1\nmfu_decode = 0.3\n[workload]\ntrace = own.csv\n' >"$tap_tmp/own.ini"
equal() { "$top_builddir/stepcost" compare "$tap_tmp/own.ini" --seeds 3 >"$tap_tmp/out" 2>"$tap_tmp/err"; [ $? = 2 ] && grep -q 'each seed gave the same run' "$tap_tmp/err"; }
t 'equal runs are no sample' equal
other() { "$top_builddir/stepcost" compare "$tap_tmp/own.ini" --seeds 3 --set workload.retime=true --set workload.arrival=poisson --set workload.request_rate=2; }
t 'other times are' other
# Where nothing is random, seeds are refused, and what the message advises works.
head=$(sed '/^\[workload\]/,$d' "$tap_tmp/own.ini")
fixed() { # KEYS OF WORKLOAD
	ini=$tap_tmp/fixed.ini
	{ echo "$head"; echo '[workload]'; printf '%s\n' "$@"; } >"$ini"
	"$top_builddir/stepcost" compare "$ini" --seeds 3 --quiet >"$tap_tmp/out" 2>"$tap_tmp/err"; [ $? = 2 ] || return 1
	redraw=$(sed -n 's/.*as with //p' "$tap_tmp/err")
	rm -f "$tap_tmp/s.db"
	"$top_builddir/stepcost" sweep "$ini" --seeds 2 --axis engine.max_num_seqs=4,8 --axis hardware.peak_tflops=500,900 --store "$tap_tmp/s.db" --quiet >"$tap_tmp/out" 2>"$tap_tmp/err2"; [ $? = 2 ] || return 1
	[ "$(sed -n 's/.*as with //p' "$tap_tmp/err2")" = "$redraw" ] || return 1
	"$top_builddir/stepcost" sweep effects "$tap_tmp/s.db" >"$tap_tmp/out" 2>"$tap_tmp/err2"; [ $? = 2 ] || return 1
	"$top_builddir/stepcost" sweep effects "$tap_tmp/s.db" --where "$(sed -n "s/.*--where '\\(.*\\)'/\\1/p" "$tap_tmp/err2")" --output "$tap_tmp/out" &&
		"$top_builddir/stepcost" compare "$ini" --seeds 3 --quiet $redraw >"$tap_tmp/out" 2>"$tap_tmp/err" || { echo "$redraw"; cat "$tap_tmp/err"; return 1; }
}
even='num_requests=9 input_tokens=constant:100 output_tokens=5'
t 'a trace at its own times' fixed trace=own.csv
t 'a trace at even times' fixed trace=own.csv retime=true request_rate=5 arrival=constant
t 'a trace for clients' fixed trace=own.csv retime=true concurrency=2
t 'even arrivals' fixed request_rate=5 arrival=constant $even
t 'even gaps' fixed interarrival_us=9000 $even
t 'all at once' fixed request_rate=inf $even
t 'stages' fixed stages=5:1,9:2 arrival=constant input_tokens=100 output_tokens=5
t 'clients' fixed concurrency=2 $even
t 'even conversations' fixed request_rate=5 arrival=constant turns=2 think_time_s=1 $even
tap_done
