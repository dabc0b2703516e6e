#!/bin/sh
# Energy of a run: only on GPUs with measured power, and consistent with itself.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
c=$tap_tmp/c.ini
cat >"$c" <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model]
plugin = roofline_v1
[workload]
num_requests = 40
arrival = poisson
request_rate = 10
input_tokens = constant:200
output_tokens = constant:50
X
json() { "$host" run "$c" --quiet --format json "$@" >"$tap_tmp/j"; }
figure() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*$/\1/p" "$tap_tmp/j" | head -1; }
t 'a run' json
whole() { # a request is 50 tokens; a GPU takes no more than its limit
	awk -v t="$(figure energy_per_token_j)" -v r="$(figure energy_per_request_j)" -v w="$(figure gpu_power_w)" \
		'BEGIN { print t, r, w; exit !(t > 0 && r / t > 49.99 && r / t < 50.01 && w > 100 && w <= 700) }'
}
t 'energy of a token, of a request, and power' whole
bare() { "$host" run "$c" --quiet --format json --set hardware.config="$1" >"$tap_tmp/j" && ! grep -q '"gpu_power_w"\|energy_per' "$tap_tmp/j"; }
t 'no figure of a GPU that was not measured' bare a100-80-sxm
stages() { json --set cost_model.plugin=operators --set engine.pipeline_parallel_size=2 && ! grep -q '"gpu_power_w"' "$tap_tmp/j"; }
t 'none of a pipeline' stages
mkdir -p "$tap_tmp/own/etc"
printf 'gpu,limit_w,a,b,p,c,q,error,source\nh100-sxm,100,1,0,1,0,1,0,me\n' >"$tap_tmp/own/etc/power.csv"
own() { STEPCOST_DATA_PATH=$tap_tmp/own:$STEPCOST_DATA_PATH json && figure gpu_power_w | awk "{ print; exit !(\$1 > 99.99 && \$1 < 100.01) }"; }
t 'coefficients of your own' own
printf 'gpu,limit_w,a,b,p,c,q,error,source\nh100-sxm,x,1,0,1,0,1,0,me\n' >"$tap_tmp/own/etc/power.csv"
bad() { STEPCOST_DATA_PATH=$tap_tmp/own:$STEPCOST_DATA_PATH json 2>"$tap_tmp/log2"; grep -q 'power.csv:2: not a number' "$tap_tmp/log2"; }
t 'a bad number' bad
tap_done
