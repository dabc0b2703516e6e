#!/bin/sh
# `score`: its figures against an independent computation from its rows, pairs,
# baselines, limits, flags, files that cannot be scored.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$(cd "$top_builddir" && pwd)/stepcost top=$(cd "$top_srcdir" && pwd)
STEPCOST_PLUGIN_PATH=$(cd "$top_builddir" && pwd)/.libs; export STEPCOST_PLUGIN_PATH
STEPCOST_DATA_PATH=${STEPCOST_DATA_PATH:-$top}; export STEPCOST_DATA_PATH
cd "$tap_tmp" || exit 1

cat >c.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model:first]
plugin = linear
weights = 1.3
[cost_model:second]
plugin = linear
pairs = 2
[cost_model:same]
plugin = linear
weights = 1.3000000000000002
[cost_model:smooth]
plugin = smooth_roofline
X
# Steps of four deployments, with times that scatter around those of an arm.
awk 'BEGIN {
	srand(5)
	print "step,decode,prefill,time_us,again_us,gpu,tensor_parallel_size,flags"
	split("h100-sxm,1 h100-sxm,2 h200-sxm,1 a100-80-sxm,1", at, " ")
	for (i = 0; i < 160; i++) {
		split(at[1 + i % 4], d, ",")
		n = i % 5 == 1 ? 0 : 1 + int(60 * rand()); kv = 50 + int(3000 * rand())
		new = i % 3 ? 0 : 20 + int(2000 * rand()); old = i % 2 ? 0 : int(4000 * rand())
		if (!n && !new) n = 7
		t = (5000 + 30 * n + .05 * n * kv + 9 * new) / d[2] * (d[1] == "a100-80-sxm" ? 2.2 : 1) * (1 + .3 * (rand() - .5))
		printf "s%d,%s,%s,%.3f,%.3f,%s,%s,%s\n", i, n ? kv "x" n : "", new ? old ":" new : "", t, 1.02 * t, d[1], d[2], i % 40 == 39 ? "HOST_BOUND|X" : ""
	}
}' >s.csv
scored() { "$host" score c.ini --steps s.csv --format json --rows r.csv --quiet "$@" >s.json; }
checked() { scored "$@" && python3 "$top/t/lib/score.py" r.csv s.json; }
t 'all figures, pairs and p-values' checked
t 'without a baseline' checked --baseline none
t 'an arm as the baseline' checked --baseline smooth
t 'rounded times' checked --time total
t 'a deployment too small for a fit' sh -c "sed '30,\$d' s.csv >few.csv && cp few.csv s2.csv"
few() { "$host" score c.ini --steps few.csv --format json --rows r.csv --quiet >s.json && python3 "$top/t/lib/score.py" r.csv s.json; }
t 'its figures' few
says() { # CODE TEXT ARGUMENTS...
	code=$1 text=$2; shift 2
	"$host" score c.ini "$@" >out 2>err
	test $? = "$code" && cat out err && grep -qF -- "$text" out err
}
t 'then the baseline is the shipped one, and it is said' says 0 'deployments with fewer than 25' --steps few.csv --quiet
t 'equal arms are one line' says 0 'first = same' --steps s.csv --quiet
t 'equality is said' says 0 'first and same: equal on 156 steps' --steps s.csv --quiet
t 'flags leave rows out' says 0 '156 of 160 steps, 4 deployments' --steps s.csv
t 'and are counted' says 0 '4 steps are left out: flag HOST_BOUND (--flags all takes them)' --steps s.csv
t 'all flags' says 0 '160 of 160 steps' --steps s.csv --flags all
t 'two runs of a step' says 0 'differ by 2.0 %' --steps s.csv
narrow() { "$host" score c.ini --steps s.csv --quiet >out && awk '/ s[0-9]+,/ { next } length($0) > 100 { bad = 1; print } END { exit bad }' out; }
t 'at most 100 columns' narrow
verdict() { head -n 1 out | grep -qE '^(No arm beats the baseline|[a-z]+ is nearest)'; }
t 'the verdict is the first sentence' verdict
t 'a limit that is exceeded' says 1 'mean of decode steps is' --steps s.csv --fail-above mean=0.1:decode
t 'one that is not' says 0 nearest --steps s.csv --fail-above max=100000 --baseline none
t 'one that is none' says 2 'not FIGURE=PERCENT' --steps s.csv --fail-above average=3
t 'groups' sh -c "'$host' score c.ini --steps s.csv --by batch,gpu --format json --quiet | grep -q '\"bin\": \"a100-80-sxm\"'"
t 'no such group' says 2 '--by mine' --steps s.csv --by mine
t 'no such baseline' says 2 '--baseline none-such' --steps s.csv --baseline none-such
margin() { scored --margin 100 && grep -q '"within_margin": true' s.json; }
t 'a margin' margin
printf 'step,decode\n0,64\n' >bare.csv
t 'steps that were not measured' says 3 'no column time_us' --steps bare.csv
printf 'decode,time_us,model\n64,5000,none-such\n' >other.csv
t 'no row is left' says 3 'no model is known as none-such' --steps other.csv
errors() { scored --write-errors e.csv && [ "$(grep -c ',step,' e.csv)" = 624 ]; }
t 'a file of errors' errors
page() { scored --html p.html --plot p.svg && grep -q 'Cost models on measured steps' p.html && grep -q '<svg' p.svg; }
t 'a page, and a plot' page
energy() { says 0 'No arm prices these steps' --steps s.csv --time energy --quiet; }
t 'no arm tells energy' energy
refused() { "$host" score c.ini --steps s.csv --set 'cost_model:bad.plugin=roofline_v1' --set engine.pipeline_parallel_size=2 --quiet >out 2>err; cat err; grep -q 'bad does not price' out; }
t 'an arm that refuses costs itself, and says why' refused
csv() { "$host" score c.ini --steps s.csv --format csv --quiet | awk -F, 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR != 26 }'; }
t 'CSV' csv
own() { # linear says how sure it is; at a tenth of that it is ten times too sure
	"$host" score own.ini --steps s.csv --format json --quiet "$@" 2>/dev/null | sed -n 's/.*"own_coverage": {.*"spread": \([0-9.]*\)}.*/\1/p' | head -1
}
sed '/^\[cost_model/,$d' c.ini >own.ini
printf '[cost_model:a]\nplugin = linear\n' >>own.ini
spread() { own >wide; own --set cost_model:a.sigma=0.011 --set cost_model:a.noise=0.024 >narrow; paste wide narrow | awk '{ r = $2 / $1 - 10; exit !(NF == 2 && r * r < 1e-12) }' || { cat wide narrow; return 1; }; }
t 'how sure a model is of itself' spread
served() { # without host time TPOT is all steps, so sigma is that of each mean
	printf '[model]\nconfig = llama-2-7b\n[hardware]\nconfig = a100-sxm\n[cost_model:a]\nplugin = linear\nsigma = 0.1\nnoise = 0\n[cost_model:b]\nplugin = roofline_v1\n' >served.ini
	"$host" validate served.ini --measured "$top_srcdir/bench_data/serving/vllm-single-stream.csv" --set engine.schedule_us=0 --format json --quiet >served.json 2>err || { cat err; return 1; }
	python3 -c '
import json, math
a, b = json.load(open("served.json"))["arms"]
d = sorted(abs(math.log(1 + r["tpot_error"])) for r in a["predictions"])
at = 0.9 * (len(d) - 1); i = int(at)
own = a["own_coverage"]["TPOT"]
want = (d[i] + (at - i) * (d[i + 1] - d[i])) / 0.1 / 1.6448536
assert own["n"] == len(d) == 9 and abs(own["spread"] / want - 1) < 1e-5, (own, want)
assert own["share_80"] == sum(x <= 1.2815516 * 0.1 for x in d) / 9
assert b["own_coverage"] == {"E2EL": None, "TTFT": None, "TPOT": None}'
}
t 'and of the latencies of measured runs' served
t 'none says so' sh -c "'$host' score c.ini --steps s.csv --arms smooth --format json --quiet 2>/dev/null | grep -q own_coverage.:.null"
tap_done
