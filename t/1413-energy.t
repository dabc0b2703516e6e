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
# The store of a sweep knows the file of power.
swept() { STEPCOST_DATA_PATH=$1$STEPCOST_DATA_PATH "$host" sweep "$c" --quiet --axis workload.seed=1 --store "$tap_tmp/s.db" --output "$tap_tmp/swept.csv" --format csv &&
	python3 -c "import csv, sys; print('%.3f' % float(next(csv.DictReader(open(sys.argv[1])))['gpu_power_w']))" "$tap_tmp/swept.csv"; }
changed() { shipped=$(swept '') && [ "$(swept "$tap_tmp/own:")" = 100.000 ] && [ "$(swept '')" = "$shipped" ]; }
t 'a row of a sweep is computed again when the law has changed' changed
# A law by keys: 100 W in each step, and as much between them.
flat='--set hardware.power_limit_w=100 --set hardware.power_a=1'
# shellcheck disable=SC2086 # words
idle() {
	json $flat && figure gpu_power_w | grep '^99.999\|^100' && steps=$(figure energy_per_request_j) &&
		json $flat --set hardware.idle_w=100 && figure gpu_power_w | grep '^99.999\|^100' &&
		awk -v s="$steps" -v r="$(figure energy_per_request_j)" -v d="$(figure duration)" \
			'BEGIN { print s, r, d; exit !(s < r && r * 40 > 99.9 * d && r * 40 < 100.1 * d) }'
}
t 'an idle GPU takes power, if it is told how much' idle
# shellcheck disable=SC2086
priced() {
	json $flat --set hardware.usd_per_kwh=1.8 --set hardware.pue=2 &&
		awk -v u="$(figure energy_usd_per_million_output_tokens)" -v t="$(figure energy_per_token_j)" \
			'BEGIN { print u, t; exit !(u > 0.999 * t && u < 1.001 * t) }'
}
t 'energy has a price' priced
# The same price in every command, from GPU hours and energy.
priced_c="$tap_tmp/priced.ini"
sed 's/^config = h100-sxm/&\nusd_per_kwh = 0.1\npue = 1.2\nusd_per_hour = 2/' "$c" >"$priced_c"
cat >"$tap_tmp/prices.py" <<'X'
import csv, json, sys
run, compared, swept, capacity = (open(f"{sys.argv[1]}/{x}") for x in ("run.json", "compare.csv", "swept.csv", "capacity.json"))
NAMES = [f"{x}usd_per_million_output_tokens" for x in ("gpu_", "energy_", "")]
arm = json.load(run)["arms"][0]
of_run, at_capacity = [arm[x] for x in NAMES], json.load(capacity)["searches"][0]
others = [[float(row[x]) for x in NAMES] for row in (next(csv.DictReader(f)) for f in (compared, swept))]
print(of_run, *others, [at_capacity[x] for x in NAMES])
near = lambda a, b: abs(a / b - 1) < 1e-4
for gpu, energy, total in [of_run, *others, [at_capacity[x] for x in NAMES]]:
    assert gpu > 0 and energy > 0 and near(gpu + energy, total)
assert all(near(a, b) for other in others for a, b in zip(of_run, other))
assert near(of_run[0], 2 / (arm["output_throughput"] * 3600) * 1e6)
assert near(of_run[1], arm["energy_per_token_j"] * 0.1 * 1.2 / 3.6e6 * 1e6)
for x in (arm, at_capacity):
    assert x["energy"]["support"]["verdict"] == "extrapolated" and x["energy"]["power_of"] == "h100-sxm"
    price = x["energy"]["usd_per_million_output_tokens"]
    assert price["energy_low"] < price["energy"] < price["energy_high"]
    assert "roofline_v1 (scored: operators)" in x["energy"]["support"]["detail"]
assert arm["interval"]["energy_per_token_j"]["n"] >= 20
X
everywhere() {
	"$host" run "$priced_c" --quiet --format json >"$tap_tmp/run.json" &&
		"$host" compare "$priced_c" --quiet --format csv >"$tap_tmp/compare.csv" &&
		"$host" sweep "$priced_c" --quiet --axis workload.seed=42 --store "$tap_tmp/p.db" --output "$tap_tmp/swept.csv" --format csv &&
		"$host" capacity "$priced_c" --quiet --one-draw --slo ttft_p99_ms=1000 --format json >"$tap_tmp/capacity.json" &&
		python3 "$tap_tmp/prices.py" "$tap_tmp"
}
t 'the same prices in run, compare, sweep and capacity' everywhere
says() { tr '\n' ' ' <"$tap_tmp/log3" | tr -s ' ' | grep "$1"; }
sentence() { "$host" "$@" --quiet --all >"$tap_tmp/log3" 2>&1; }
worded() {
	sentence run "$priced_c" && says 'energy: of busy GPUs only; set idle_w to count idle time; extrapolated:' >/dev/null &&
		says 'energy_per_token_j [a-z_0-9]* [0-9.]* [0-9.]* to ' >/dev/null && says 'for energy (90 %: .*) and .* for GPU hours, .* in all' >/dev/null
}
t 'what a price rests on' worded
no_law() {
	sentence run "$priced_c" --set hardware.config=a100-80-sxm && says 'energy: no figure and no price: etc/power.csv has no row of A100' &&
		sentence capacity "$priced_c" --one-draw --slo ttft_p99_ms=1000 --set hardware.config=a100-80-sxm && says 'no row of A100'
}
t 'no price of a GPU without a law, and why' no_law
bubbles() { sentence run "$priced_c" --set cost_model.plugin=operators --set engine.pipeline_parallel_size=2 && says 'no price: no stages of a pipeline'; }
t 'nor of a pipeline' bubbles
refused() {
	sentence run "$priced_c" --set "hardware.$1"
	[ $? -eq 2 ] && says "$2"
}
wrong() {
	refused usd_per_kwh=-1 'usd_per_kwh = -1' && refused pue=0.5 'pue = 0.5' && refused idle_w=800 'idle_w = 800 is above the power' &&
		refused power_limit_w=300 'needs power_a, power_b or power_c above 0'
}
t 'prices and laws that cannot be' wrong
# A token costs what the replicas cost between the first request and the last token;
# `cost` is that of all their time.
cat >"$tap_tmp/grows.py" <<'X'
import csv, json, sys
requests, replicas = (list(csv.DictReader(open(f"{sys.argv[1]}/{x}.csv"))) for x in ("requests", "replicas"))
arm = json.load(open(f"{sys.argv[1]}/j"))["arms"][0]
first, last = min(int(r["arrival_ns"]) for r in requests) / 1e9, max(int(r["last_token_ns"]) for r in requests) / 1e9
lives = [(float(r["requested_s"]), float(r["gone_s"] or last)) for r in replicas]
usd = 2 / 3600 * sum(max(0, min(end, last) - max(begin, first)) for begin, end in lives)
want, got = usd / arm["total_output_tokens"] * 1e6, arm["gpu_usd_per_million_output_tokens"]
print(lives, first, last, got, want, arm["cost"], arm["gpu_hours"])
near = lambda a, b: abs(a / b - 1) < 1e-3
assert len(lives) == 2 and near(got, want) and near(arm["cost"], 2 * arm["gpu_hours"]) and arm["cost"] > usd
X
grows() {
	"$host" run "$priced_c" --quiet --format json --set autoscaler.metric=num_requests_running --set autoscaler.target=1 --set autoscaler.max_replicas=2 \
		--set autoscaler.sync_period_s=1 --set autoscaler.weights_load_s=1 --write-requests "$tap_tmp/requests.csv" --write-replicas "$tap_tmp/replicas.csv" >"$tap_tmp/j" &&
		python3 "$tap_tmp/grows.py" "$tap_tmp"
}
t 'GPU hours of a fleet that grows' grows
rate='--rate 10'
# shellcheck disable=SC2086
least() { "$host" recommend "$c" --quiet --all --gpus 2 --slo ttft_p99_ms=1000 --one-draw --serve aggregated --objective energy \
	--search engine.tensor_parallel_size=1 $rate --fix engine.max_num_batched_tokens,engine.max_num_seqs "$@" >"$tap_tmp/log2" 2>&1; }
fewest() { least --set hardware.usd_per_kwh=0.1 && cat "$tap_tmp/log2" && grep -q '^roofline_v1.* tp 1 x 1$' "$tap_tmp/log2" && tr -s '\n ' ' ' <"$tap_tmp/log2" | grep -q 'J for an output token at 10.* requests/s (.* to .*); energy: .* for energy (.*) and .* for GPU hours, .* in all'; }
t 'the least energy for a rate: no second copy of the weights is read' fewest
unknown() { least --set hardware.config=a100-80-sxm; [ $? -eq 1 ] && tr -s '\n ' ' ' <"$tap_tmp/log2" | grep 'the power of a100-80-sxm is not known'; }
t 'never of a GPU without a law' unknown
rate=
rateless() { least; [ $? -eq 2 ] && grep 'needs --rate' "$tap_tmp/log2"; }
t 'all are compared at one load' rateless
printf 'gpu,limit_w,a,b,p,c,q,error,source\nh100-sxm,x,1,0,1,0,1,0,me\n' >"$tap_tmp/own/etc/power.csv"
bad() { STEPCOST_DATA_PATH=$tap_tmp/own:$STEPCOST_DATA_PATH json 2>"$tap_tmp/log2"; grep -q 'power.csv:2: not a number' "$tap_tmp/log2"; }
t 'a bad number' bad
tap_done
