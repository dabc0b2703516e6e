#!/bin/sh
# `fit --steps`: knobs that made the times are found again; knobs that are not
# told apart, without effect, at a bound; folds; weights; what it refuses.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$(cd "$top_builddir" && pwd)/stepcost top=$(cd "$top_srcdir" && pwd)
STEPCOST_PLUGIN_PATH=$(cd "$top_builddir" && pwd)/.libs; export STEPCOST_PLUGIN_PATH
STEPCOST_DATA_PATH=${STEPCOST_DATA_PATH:-$top}; export STEPCOST_DATA_PATH
cd "$tap_tmp" || exit 1

printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n[cost_model:v1]\nplugin = roofline_v1\n[cost_model:five]\nplugin = linear\n' >c.ini
awk 'BEGIN {
	srand(9)
	print "decode,prefill,gpu,tensor_parallel_size"
	split("h100-sxm,1 h100-sxm,2 h200-sxm,1 a100-80-sxm,4", at, " ")
	for (i = 0; i < 120; i++) {
		n = i % 4 == 1 ? 0 : 1 + int(200 * rand()); kv = 50 + int(6000 * rand())
		new = i % 3 ? 0 : 20 + int(4000 * rand()); old = i % 2 ? 0 : int(8000 * rand())
		if (!n && !new) n = 7
		printf "%s,%s,%s\n", n ? kv "x" n : "", new ? old ":" new : "", at[1 + i % 4]
	}
}' >steps.csv
# Times of an arm with these knobs, as if they had been measured.
made() { # ARM OUT KNOB=VALUE...
	arm=$1 to=$2; shift 2
	for knob; do set -- "$@" --set "cost_model:$arm.$knob"; shift; done
	"$host" eval c.ini --arms "$arm" --steps steps.csv --quiet "$@" | cut -d, -f4 | sed '1s/.*/time_us/' >times.csv
	paste -d, steps.csv times.csv >"$to"
}
fit() { "$host" fit c.ini --quiet "$@" >out 2>err; }
is() { # KNOB VALUE WITHIN
	awk -v k="$1" -v v="$2" -v w="$3" '$1 == k || $2 == k { x = $1 == k ? $3 : $4; found = 1 } END { d = x - v; exit !(found && d * d <= w * w * v * v) }' out || { cat out; return 1; }
}
made v1 v1.csv t_overhead_us=700 mfu_prefill=0.5 decode_bw_factor=0.8
found() { fit --arms v1 --steps v1.csv --knobs t_overhead_us,mfu_prefill,decode_bw_factor && is t_overhead_us 700 1e-3 && is mfu_prefill 0.5 1e-3 && is decode_bw_factor 0.8 1e-3; }
t 'three knobs are found again' found
t 'and the result is an arm' sh -c "sed '/cost_model/,\$d' c.ini >d.ini && cat out >>d.ini && '$host' score d.ini --steps v1.csv --quiet --baseline none --fail-above max=0.1"
logs() { fit --arms v1 --steps v1.csv --knobs t_overhead_us=900,mfu_prefill=0.3:0.1..0.9 --residual log --weight step --loss soft_l1=0.05 --set cost_model:v1.decode_bw_factor=0.8 && is t_overhead_us 700 1e-3 && is mfu_prefill 0.5 1e-3; }
t 'by logarithms, another loss and weight, from a start within bounds' logs
alike() { fit --arms v1 --steps v1.csv --knobs mfu_decode,mfu_decode_multiplier; grep -q 'not told apart: mfu_decode, mfu_decode_multiplier' out && grep -q 'mfu_decode_multiplier is held at its start' out; }
t 'two knobs that act alike are named, and one is held' alike
idle() { fit --arms v1 --steps v1.csv --knobs t_overhead_us,allreduce_latency_us --set engine.tensor_parallel_size=1 --format json; grep -q '"idle": true' out || { sed 's/,[0-9]*,\([0-9.]*\)$/,1,\1/' v1.csv >one.csv; fit --arms v1 --steps one.csv --knobs t_overhead_us,allreduce_latency_us --format json; grep -q '"name": "allreduce_latency_us".*"idle": true' out; }; }
t 'a knob without an effect is named' idle
made five five.csv weights=1.1 prompt=1.4 decode=0.9 kv=1.3 pairs=2
five() { fit --arms five --steps five.csv --knobs weights,prompt,decode,kv,pairs && is weights 1.1 1e-6 && is prompt 1.4 1e-6 && is decode 0.9 1e-6 && is kv 1.3 1e-6 && is pairs 2 1e-6; }
t 'a linear model is met exactly' five
bound() { fit --arms five --steps five.csv --knobs 'weights,kv:0..1.2'; is kv 1.2 1e-9 && grep -q 'at its bound' out; }
t 'a knob at its bound is named' bound
from_one() { fit --arms five --steps five.csv --knobs weights,prompt,decode,kv,pairs --set cost_model:five.scale=time --format json; grep -q '"start": 1,' out && grep -q '"before": ' out; }
t 'scale = time begins at 1' from_one
jobs() { fit --arms v1 --steps v1.csv --knobs mfu_prefill --jobs 1 && cp out one && fit --arms v1 --steps v1.csv --knobs mfu_prefill --jobs 4 && cmp out one; }
t 'the same bits with any number of jobs' jobs
inner() { fit --arms v1 --steps v1.csv --knobs mfu_prefill --in-process && cmp out one; }
t 'and in this process' inner
awk 'BEGIN { srand(2) } NR > 1 { n = split($0, c, ","); t = c[n] * exp(rand() - .5); sub(/[^,]*$/, t) } { print }' v1.csv >noisy.csv
worse() { fit --arms v1 --steps noisy.csv --knobs 'allreduce_latency_us=100:99..101'; test $? = 1 && grep -q '^; The fit is not nearer' out && grep -q '^; allreduce_latency_us = ' out; }
t 'a fit that does not help is printed as remarks, exit 1' worse
sigma() { fit --arms five --steps noisy.csv --knobs weights,prompt --sigma; awk '/sigma = / { s = $NF } /noise = / { n = $NF } END { exit !(s > 0 && n > .2 && n < .5) }' out; }
t 'sigma and noise of what is left' sigma
folds() { fit --arms five --steps five.csv --knobs weights --folds 2 --format json && [ "$(grep -c '"left_out"' out)" = 2 ] && grep -q 'a100-80-sxm/4, h100-sxm/2' out; }
t 'two folds of deployments' folds
head -n 1 five.csv >one.csv; grep 'h100-sxm,1' five.csv >>one.csv
alone() { fit --arms five --steps one.csv --knobs weights --format json && [ "$(grep -c '"left_out": "fold' out)" = 5 ]; }
t 'one deployment: five folds' alone
few() { fit --arms five --steps one.csv --knobs weights --sigma; test $? = 2 && grep -q 'at least three deployments' err; }
t 'sigma needs three deployments' few
rows() { fit --arms five --steps five.csv --knobs weights --rows r.csv && [ "$(wc -l <r.csv)" = 121 ]; }
t 'a row for each step' rows
says() { # CODE TEXT ARGUMENTS...
	code=$1 text=$2; shift 2
	"$host" fit c.ini --quiet "$@" >out 2>err
	test $? = "$code" && cat err && grep -qF -- "$text" err
}
t 'two arms' says 2 'one arm at a time' --steps v1.csv --knobs mfu_prefill
t 'neither steps nor runs' says 2 'fit needs --steps FILE, or --measured FILE' --knobs a
t 'both' says 2 'fit needs --steps FILE, or --measured FILE' --knobs a --steps v1.csv --measured v1.csv
t 'an option of the other kind' says 2 'are of --steps' --knobs a --measured v1.csv --residual log
t 'no such knob' says 2 'no knob of linear that can be fitted (did you mean' --arms five --steps v1.csv --knobs weight
t 'a choice' says 2 'scale is no knob of linear that can be fitted' --arms five --steps v1.csv --knobs scale
gone() { "$host" calibrate c.ini 2>err; test $? = 2 && grep -q "there is no command 'calibrate'; fit CONFIG --measured" err; }
t 'calibrate names fit' gone
tap_done
