#!/bin/sh
# run: the idealised schedule digit by digit, against a second, plain
# computation; files whole or not at all; bad input.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
STEPCOST_PLUGIN_PATH=$top_builddir/t/so/.libs:$STEPCOST_PLUGIN_PATH
cd "$tap_tmp" || exit 1

config() { # WORKLOAD LINES
	cat >c.ini <<X
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
num_gpu_blocks = unlimited
[cost_model]
plugin = known_cost
base_us = 8000
token_us = 1.5
[workload]
X
	cat >>c.ini
}
# The schedule as it is defined, on a list of arrivals: ns, input, output.
ideal() {
	awk -v budget=2048 -v seqs=256 '
	{ at[NR-1] = $1; in_[NR-1] = $2; out[NR-1] = $3 }
	END {
		n = NR; now = 0; next_ = 0; running = 0; left = n
		while (left) {
			if (!running && at[next_] > now) now = at[next_]
			tokens = 0; members = 0
			for (i = 0; i < running && tokens < budget; i++) {
				r = run[i]; todo = in_[r] - done[r]
				take[members] = todo > 0 ? (todo < budget - tokens ? todo : budget - tokens) : 1
				tokens += take[members]; who[members++] = r
			}
			while (running < seqs && tokens < budget && next_ < n && at[next_] <= now) {
				r = next_++; run[running++] = r; todo = in_[r]
				take[members] = todo < budget - tokens ? todo : budget - tokens
				tokens += take[members]; who[members++] = r
			}
			now += 1000 * (8000 + 1.5 * tokens); steps++
			for (i = 0; i < members; i++) {
				r = who[i]
				if (done[r] < in_[r]) {
					done[r] += take[i]
					if (done[r] < in_[r]) continue
				}
				if (++made[r] == 1) ttft += now - at[r]
				if (made[r] == out[r]) { e2el += now - at[r]; last = now; left--; over[r] = 1 }
			}
			for (i = k = 0; i < running; i++) if (!over[run[i]]) run[k++] = run[i]
			running = k
		}
		printf "%.17g %.17g %.17g %d\n", (last - at[0]) / 1e9, ttft / n / 1e6, e2el / n / 1e6, steps
	}'
}
# What the program says, as awk reads it.
said() {
	awk -F'[:,]' '/^      "(duration|mean_ttft_ms|mean_e2el_ms|num_steps)"/ { v[++k] = $2 + 0 }
	END { printf "%.17g %.17g %.17g %d\n", v[1], v[2], v[3], v[4] }' "$1"
}
agrees() {
	want=$(ideal <arrivals) got=$("$host" run c.ini --format json >out.json && said out.json)
	echo "want $want"; echo "got  $got"; [ -n "$got" ] && [ "$want" = "$got" ]
}

config <<X
num_requests = 10000
arrival = constant
interarrival_us = 49999
input_tokens = constant:512
output_tokens = constant:128
X
awk 'BEGIN { for (i = 0; i < 10000; i++) printf "%.0f 512 128\n", i * 49999000 }' >arrivals
t 'constant arrivals, 10,000 requests: duration, TTFT, E2E digit by digit' agrees

awk 'BEGIN { srand(7); print "arrival_us,input_tokens,output_tokens" >"t.csv"
	for (i = 0; i < 2000; i++) {
		at += int(rand() * 60000) * (rand() < 0.8); inp = 1 + int(rand() * 6000); o = 1 + int(rand() * 60)
		printf "%.0f %d %d\n", at * 1000, inp, o; print at "," inp "," o >"t.csv" } }' >arrivals
config <<X
trace = t.csv
X
t 'a made-up trace with bursts, long prompts, an overload: digit by digit' agrees

# ---- the same bytes ----------------------------------------------------------
twice() {
	"$host" run c.ini --format json --write-requests r1.csv --write-steps s1.csv --perfetto p1.json >1.json &&
	"$host" run c.ini --format json --write-requests r2.csv --write-steps s2.csv --perfetto p2.json --in-process >2.json &&
	same_results 1.json 2.json && cmp r1.csv r2.csv && cmp s1.csv s2.csv && cmp p1.json p2.json
}
t 'a second run, in process, gives the same bytes' twice
t 'a line per request' [ "$(wc -l <r1.csv)" -eq 2001 ]
steps() { [ "$(wc -l <s1.csv)" -eq $((1 + $(awk -F'[:,]' '/"num_steps"/ { print $2 + 0 }' 1.json))) ]; }
t 'a line per step' steps
# A row of --write-steps is a row of a steps file: it gives the same time.
priced() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; print "step,decode,prefill,sampled" }
		NR > 1 && NR % 97 == 0 { print $1 "," $c["decode"] "," $c["prefill"] "," $c["sampled"] }' s1.csv >s.csv
	awk -F, 'NR > 1 && NR % 97 == 0 { print $1, $3 }' s1.csv >want
	"$host" eval c.ini --steps s.csv | awk -F, 'NR > 1 { print $1, $3 }' >got && [ -s want ] && cmp want got
}
t 'rows of --write-steps go through eval' priced

# ---- bad input ---------------------------------------------------------------
# CODE TEXT [MORE...]: one line on standard error with that text, and no file.
refused() {
	code=$1 text=$2; shift 2; rm -f o.json
	"$host" run c.ini --format json --output o.json "$@" >out 2>err; got=$?
	cat out err; echo "exit $got"
	[ $got -eq "$code" ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$text" err &&
	[ ! -s out ] && [ -z "$(ls | grep 'o\.json')" ]
}
t 'an unknown key' refused 2 'num_request' --set workload.num_request=3
t 'a wrong type' refused 2 'max_num_seqs' --set engine.max_num_seqs=many
t 'trailing text' refused 2 'max_num_seqs' --set engine.max_num_seqs=12x
t 'a negative number' refused 2 'base_us' --set cost_model.base_us=-1
t 'not a number' refused 2 'base_us' --set cost_model.base_us=nan
t 'a missing trace' refused 2 'nope.csv' --set workload.trace=nope.csv
t 'a missing plugin' refused 2 'nope' --set cost_model.plugin=nope
printf 'arrival_us,input_tokens,output_tokens\n0,5,5\n10,7\n' >bad.csv
t 'a truncated CSV has its line named' refused 3 'bad.csv:3' --set workload.trace=bad.csv
printf 'arrival_us,input_tokens,output_tokens\n' >bad.csv
t 'an empty trace' refused 3 'bad.csv' --set workload.trace=bad.csv
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n' >bad.csv
t 'a git-LFS pointer' refused 3 'LFS' --set workload.trace=bad.csv
printf 'arrival_us,input_tokens,output_tokens\n0,2147483648,1\n' >bad.csv
t '2^31 tokens' refused 3 'bad.csv:2' --set workload.trace=bad.csv
printf 'arrival_us,input_tokens,output_tokens\n0,nan,1\n' >bad.csv
t 'NaN in a trace' refused 3 'bad.csv:2' --set workload.trace=bad.csv
printf 'arrival_us,input_tokens,output_tokens\n-1,5,1\n' >bad.csv
t 'a negative arrival' refused 3 'bad.csv:2' --set workload.trace=bad.csv
t 'a folder that is not there' refused 2 'nowhere' --write-steps nowhere/s.csv

sed -i 's/^plugin = known_cost/plugin = faulty/; /^base_us\|^token_us/d' c.ini
ASAN_OPTIONS=handle_segv=0:${ASAN_OPTIONS-}; export ASAN_OPTIONS # the sanitizer would answer first
failed() {
	"$host" run c.ini --set cost_model.fault=segv --format json --output o.json --write-requests r.csv 2>err; code=$?
	cat err; [ $code -eq 4 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q '"error": "' o.json && grep -q 'SIGSEGV' o.json
}
t 'a crash is a result of its own' failed
tap_done
