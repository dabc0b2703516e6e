#!/bin/sh
# A result that is wrong or doubtful says so: requests that are rejected, left
# out or beyond the clock, runs in which nothing completed, steps that failed.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
STEPCOST_PLUGIN_PATH=$top_builddir/t/so/.libs:$STEPCOST_PLUGIN_PATH
cd "$tap_tmp" || exit 1
config() { # WORKLOAD LINES
	cat >c.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
num_gpu_blocks = 100
[cost_model]
plugin = known_cost
base_us = 5000
token_us = 20
[cost_model:b]
plugin = known_cost
base_us = 6000
token_us = 20
[workload]
X
	cat >>c.ini
}
# CODE TEXT COMMAND...: the exit code, and the text in its output.
says() {
	code=$1 want=$2; shift 2; "$@" >out 2>err; got=$?
	cat out err; echo "exit $got"; [ $got -eq "$code" ] && cat out err | grep -qF -- "$want"
}
field() { # NAME: of the first arm in 1.csv
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }' 1.csv
}

# ---- rejected ----------------------------------------------------------------
printf 'num_requests = 5\nconcurrency = 10\ninput_tokens = 2000\noutput_tokens = 5\n' | config
t 'nothing completed is exit 1' says 1 'No request completed' "$host" run c.ini
line() { [ "$(cat err)" = 'stepcost: warning: 5 requests rejected: longer than the whole KV cache (the first: request 0); a replica of more GPUs has more' ]; }
t 'five are rejected in one line, no more' line
# The first lines of `run`, `compare` and the page count the requests that got no answer.
first() { "$host" run c.ini --quiet 2>&1 | head -3 | grep -qxF '5 of 5 requests are not served: 5 rejected, longer than the whole KV cache.'; }
t 'the first lines count them, with the reason' first
first_of_two() {
	"$host" compare c.ini --quiet --html p.html | head -3 | tr -s '\n ' ' ' | grep -qF '5 of 5 requests are not served by ' &&
	grep -qF 'requests are not served by ' p.html
}
t 'of several arms, too, and on the page' first_of_two
dash() { "$host" run c.ini --all --quiet >all; cat all; grep -qE '^mean_ttft_ms +-$' all; }
t 'a mean over nothing is a dash' dash
json() {
	says 1 '"mean_ttft_ms": null' "$host" run c.ini --format json && grep -q '"rejected": 5' out && grep -q '"duration": null' out &&
	grep -q '{"reason": "longer than the whole KV cache", "requests": 5, "first_request": 0, "first_line": null}' out &&
	! grep -qiE '[ :](nan|inf|-inf)' out
}
t 'null in JSON' json
"$host" run c.ini --format csv >1.csv 2>err
t 'empty in CSV' [ "$(field mean_ttft_ms),$(field duration),$(field rejected),$(field saturation)" = ',,5,nothing completed' ]
both() { says 1 'No request completed' "$host" compare c.ini --why --html p.html && [ "$(wc -l <err)" -eq 1 ] && ! grep -qi '>-*nan<' p.html; }
t 'compare says it once, and has a page' both
seeds() { says 1 'arm b, other seeds: warning: 10 requests rejected' "$host" compare c.ini --seeds 3; }
t 'also under other seeds' seeds
printf 'num_requests = 9\nconcurrency = 3\ninput_tokens = uniform:1000,2000\noutput_tokens = 5\n' | config
some() {
	says 0 ' rejected: longer' "$host" run c.ini --write-requests r.csv && [ "$(grep -c completed r.csv)" -gt 0 ] &&
	[ "$(grep -c rejected r.csv)" -gt 0 ] && [ "$(wc -l <r.csv)" -eq 10 ]
}
t 'where some complete, it is done' some
printf 'arrival_us,input_tokens,output_tokens\n0,10,5\n1,10,5\n2,9999,5\n' >t.csv
printf 'trace = t.csv\nconcurrency = 3\n' | config
three() { says 0 '1 request rejected: longer than the whole KV cache (the first: request 2, line 4)' "$host" run c.ini --write-requests r.csv &&
	[ "$(wc -l <r.csv)" -eq 4 ]; }
t 'three rows of a trace are three requests' three
# Drafts for the last chunk need a block too many, each time it is computed anew.
printf 'num_requests = 2\nconcurrency = 2\ninput_tokens = 5\noutput_tokens = 26\n' | config
sed 's/known_cost/const_step/; s/^token_us/per_token_us/' c.ini >d.ini
for_ever() {
	says 1 '2 requests rejected: preempted again and again although each had the whole KV cache' timeout 20 "$host" run d.ini \
		--set engine.preset=vllm-0.15 --set engine.async_scheduling=false --set engine.enable_prefix_caching=false \
		--set engine.block_size=16 --set engine.num_gpu_blocks=2 --set engine.max_model_len=512 --set engine.max_num_batched_tokens=8 \
		--set engine.num_speculative_tokens=2 --set engine.speculative_method=draft_model --set engine.draft_us=0 \
		--set engine.synthetic_acceptance_rates=0,0 --set engine.max_num_seqs=1 --arms b
}
t 'one that would be preempted for ever is given up' for_ever
printf 'num_requests = 3\nrequest_rate = 1\ninput_tokens = 5\noutput_tokens = 1\n' | config
"$host" run c.ini --format csv >1.csv
t 'one token has no time per token' [ "$(field mean_tpot_ms),$(field mean_itl_ms),$(field completed)" = ',,3' ]

# ---- beyond the clock, left out ----------------------------------------------
printf 'request_rate = 1e-10\ninput_tokens = 5\noutput_tokens = 5\n' | config
t 'a rate that the clock is too short for' says 2 'request 0 of 1000 arrives after 146 years' "$host" run c.ini
t 'also where some arrive before' says 2 'of 1000 arrives after 146 years' "$host" compare c.ini --set workload.request_rate=1e-8
t 'said once' [ "$(wc -l <err)" -eq 1 ]
printf 'stages = 1e9:5\ninput_tokens = 5\noutput_tokens = 5\n' | config
t 'a stage of too many random arrivals' says 2 'c.ini:16: stages = 1e9:5: 5e+09 requests in a stage' timeout 20 "$host" run c.ini
printf 'arrival_us,input_tokens,output_tokens\n' >t.csv
awk 'BEGIN { for (i = 0; i < 20; i++) print 1000 * i ",5,5" }' >>t.csv
printf 'trace = t.csv\nnum_requests = 7\n' | config
t 'a trace that is cut' says 0 'only its first 7 requests are used (num_requests); left out: 13' "$host" run c.ini
t 'stages that are fewer than its rows' says 0 'only its first 4 requests are used (stages); left out: 16' \
	"$host" run c.ini --set workload.num_requests=20 --set workload.retime=true --set workload.stages=2:2
printf 'trace = t.csv\nrate_scale = 1e-9\n' | config
sed 's/^19000,/19000000000,/' t.csv >u.csv
t 'a trace too thin for the clock' says 3 'u.csv:21: arrives after 146 years' "$host" run c.ini --set workload.trace=u.csv

# ---- steps that fail ---------------------------------------------------------
sed 's/known_cost/faulty/; /^base_us\|^token_us/d' c.ini >f.ini
ASAN_OPTIONS=handle_segv=0:${ASAN_OPTIONS-}; export ASAN_OPTIONS # the sanitizer would answer first
awk 'BEGIN { print "step,decode,prefill"; for (i = 50; i < 60; i++) print i "," i ",0:9" }' >s.csv
crash() { says 4 'in eval() at step 57' "$host" "$@" --arms faulty --set cost_model.fault=segv --set cost_model.at=57; }
t 'a crash is at the step that the file calls so' crash eval f.ini --steps s.csv
run_of_it() { crash run f.ini --set workload.rate_scale=1 --set workload.output_tokens=99 --set workload.trace= --set workload.input_tokens=9 --set workload.request_rate=9; }
t 'one of a run' run_of_it
again() {
	{ echo step,decode,prefill,sampled; sed -n 's/.*sampled: //p' err; } >one.csv; cat one.csv
	[ "$(wc -l <one.csv)" -eq 2 ] && crash eval f.ini --steps one.csv
}
t 'comes back when its row is given to eval' again
lives() { "$host" eval f.ini --arms faulty --steps s.csv --set cost_model.fault=segv --set cost_model.at=7 | awk -F, 'END { exit NR != 11 }'; }
t 'not at the seventh row' lives

# ---- tables of another GPU ---------------------------------------------------
cat >gpu.ini <<X
[model]
config = llama-3.1-8b
[hardware]
config = a100-80-sxm
[tables]
path = $top_srcdir/bench_data
set = h100-sxm.infersim
[cost_model:roofline_v2]
plugin = roofline_v2
[cost_model:mfu_interp]
plugin = mfu_interp
[cost_model:mfu_per_request]
plugin = mfu_per_request
[cost_model:latency_interp]
plugin = latency_interp
tables.set = h100-sxm.vllm-0.24
other_gpu = true
[workload]
num_requests = 20
request_rate = 4
input_tokens = constant:500
output_tokens = constant:20
X
for arm in roofline_v2 mfu_interp mfu_per_request latency_interp; do
	t "$arm says that its tables are of another GPU" says 0 ', not of a100-80-sxm: memory_bandwidth_tbs of 3.35 TB/s, the hardware has 2.039' \
		"$host" run gpu.ini --arms $arm --format csv
	cp out 1.csv
	t 'once' [ "$(grep -c 'not of a100' err)" -eq 1 ]
	all() { echo "$(field coverage_exact) $(field coverage_interpolated) $(field coverage_clamped) $(field coverage_substituted)"
		[ "$(field coverage_exact),$(field coverage_interpolated),$(field coverage_clamped)" = 0,0,0 ]; }
	t 'no lookup is better than substituted' all
done
silent() { "$host" compare gpu.ini --set hardware.config=h100-sxm >out 2>err; cat err; ! grep -q 'not of' err; }
t 'not on the GPU of the tables' silent
t 'a kernel is substituted, too' sh -c "printf 'op,m,n,k\ngemm,64,6144,4096\n' >k.csv
	'$host' kernel gpu.ini --arms roofline_v2,latency_interp --points k.csv 2>err | tee out | grep -c substituted | grep -qx 2 || { cat out err; false; }"
t 'unless it is allowed, latency_interp refuses' says 2 'other_gpu = true' "$host" run gpu.ini --arms latency_interp --set cost_model:latency_interp.other_gpu=false

# ---- settings ----------------------------------------------------------------
ablated() { says 2 'no-such-set' "$host" compare c.ini --ablate b.base_us=5000,7000 --set cost_model:b.tables.set=no-such-set; }
t 'a setting of an arm is kept with --ablate' ablated
printf 'num_requests = 5\nrequest_rate = 9\ninput_tokens = 100\noutput_tokens = 50\n' | config
cat >m.csv <<'X'
arrival_s,input_tokens,output_tokens,ttft_ms,e2el_ms
0,512,30,20,400
1,512,30,20,400
X
validated() {
	for arm in '' b; do
		"$host" validate c.ini --arms known_cost,b --measured m.csv --format csv --set engine.replicas=2 --set engine.prefill_replicas=1 \
			--set engine.decode_cost_model=$arm --set cost_model:b.base_us=90000 | grep ',known_cost,' >"v$arm.csv" || return 1
	done
	cat v.csv vb.csv; ! cmp -s v.csv vb.csv
}
t 'validate prices decodes by decode_cost_model' validated
tap_done
