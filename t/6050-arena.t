#!/bin/sh
# `arena`: its figures are those of `score` and `validate`; the order over all
# sets; stored simulations; one more plugin; what it refuses.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$(cd "$top_builddir" && pwd)/stepcost top=$(cd "$top_srcdir" && pwd)
STEPCOST_PLUGIN_PATH=$(cd "$top_builddir" && pwd)/.libs; export STEPCOST_PLUGIN_PATH
STEPCOST_DATA_PATH=${STEPCOST_DATA_PATH:-$top}; export STEPCOST_DATA_PATH
cd "$tap_tmp" || exit 1

cat >c.ini <<'X'
[arena]
sets = one.csv, bench_data/serving/steps-trtllm-0.5-first-token.csv
runs = bench_data/serving/vllm-single-stream.csv
arms = smooth,v1*
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model:smooth]
plugin = smooth_roofline
[cost_model:v1]
plugin = roofline_v1
[cost_model:v1_slow]
plugin = roofline_v1
t_overhead_us = 3000
[cost_model:tables]
plugin = operators
X
awk 'BEGIN { srand(4); print "step,decode,time_us"; for (i = 0; i < 60; i++) { n = 1 + int(60 * rand()); kv = 50 + int(3000 * rand()); printf "s%d,%dx%d,%.1f\n", i, kv, n, (5500 + 25 * n + .06 * n * kv) * (1 + .1 * (rand() - .5)) } }' >one.csv
arena() { "$host" arena c.ini --quiet "$@"; }
arena --format json >a.json
"$host" score c.ini --arms 'smooth,v1*' --steps one.csv --format json --quiet >s.json
"$host" validate c.ini --arms 'smooth,v1*' --measured bench_data/serving/vllm-single-stream.csv --format json --quiet >v.json
says_python() { python3 -c "
import json, math
a, s, v = (json.load(open(f + '.json')) for f in 'asv')
$1"; }
# shellcheck disable=SC2016
t 'figures of steps are those of score' says_python '
for x, y in zip(a["sets"][0]["arms"], s["arms"]):
    for k in "n mean median p95 bias macro_mean skill".split(): assert x[k] == y[k], k
for x in a["sets"][0]["arms"][1:3]:
    p = [p for p in s["pairs"] if p["regime"] == "all" and {p["a"], p["b"]} == {x["name"], a["sets"][0]["best"]}]
    assert x["to_best"] is None or (len(p) == 1 and p[0]["p_adjusted"] == x["to_best"]["p_adjusted"])'
t 'figures of runs are those of validate' says_python '
runs = {r["name"].split()[-1].lower(): r for r in a["runs"]}
assert set(runs) == {"ttft", "tpot", "e2el"}
for k, r in runs.items():
    for i, x in enumerate(r["arms"]):
        mean = v["arms"][i]["own"][k]["mean"]
        assert abs(x["mean"] - mean) < 1e-9, (k, x["mean"], mean)'
t 'skill is a geometric mean over the sets' says_python '
for o in a["overall"]:
    r = []
    for x in a["sets"]:
        arm = [y for y in x["arms"] if y["name"] == o["arm"]][0]
        r.append(math.log(1 - arm["skill"]))
    assert abs(o["skill"] - (1 - math.exp(sum(r) / len(r)))) < 1e-12
assert [o["place"] for o in a["overall"]] == [1, 2, 3]'
t 'arms as [arena] says, sets in its order' says_python '
assert [x["name"] for x in a["sets"][0]["arms"]] == ["smooth", "v1", "v1_slow", "baseline:linear"]
assert [x["name"] for x in a["sets"]] == ["one", "steps-trtllm-0.5-first-token"]'
t 'an arm that was fitted to a set is not ranked there' says_python '
x = a["runs"][0]["arms"][0]
assert x["fitted"] == "yes" and x["rank"] is None and a["runs"][0]["best"] != "smooth"'

t 'simulations are stored' arena --store r.csv --output a.txt
kept() { "$host" arena c.ini --store r.csv --output b.txt 2>err && cmp a.txt b.txt && grep -q '27 of 27 simulations were stored' err; }
t 'and not made again: the same answer' kept
one_more() { "$host" arena c.ini --store r.csv --arms smooth,tables --output b.txt 2>err && grep -q '9 of 18 simulations were stored' err; }
t 'another arm is simulated' one_more
again() { "$host" arena c.ini --store r.csv --arms v1 --set engine.max_num_seqs=7 --output b.txt 2>err && grep -q '0 of 9 simulations were stored' err; }
t 'and so is another engine' again
other_sets() { "$host" arena c.ini --store r.csv --arms v1 --set arena.sets=one.csv --output b.txt 2>err && grep -q '9 of 9 simulations were stored' err; }
t 'but not for another list of sets' other_sets

with() { "$host" arena c.ini --with linear --with "$STEPCOST_PLUGIN_PATH/const_step.so" --set arena.runs= --set arena.sets=one.csv --quiet --format csv >w.csv && cut -d, -f2 w.csv | tr '\n' ' ' | grep -qx 'arm smooth v1 v1_slow linear const_step baseline:linear '; }
t 'plugins come in behind the arms' with
near_it() { mkdir -p sub && cp "$STEPCOST_PLUGIN_PATH/const_step.so" sub && "$host" arena ./c.ini --with sub/const_step.so --arms v1 --set arena.runs= --set arena.sets=one.csv --quiet --format csv | grep -q ,const_step,; }
t 'the path of a plugin is relative to the current folder' near_it
page() { arena --html p.html --output b.txt && grep -q 'ranked by measurements' p.html && arena --set arena.output=q.html --output b.txt && grep -q 'ranked by measurements' q.html; }
t 'a page, by the option or the key' page
over() { # the key writes over a page, and over no other file
	echo keep >q.txt && arena --set arena.output=q.html --output b.txt && ! arena --set arena.output=q.txt --output b.txt 2>err && grep -qx keep q.txt && grep -q 'q.txt: is there, and is no page' err
}
t 'the key writes over a page, and over no other file' over
classes() { grep -q '>1 decode</text>' p.html && grep -q '>set, class of steps</text>' p.html; }
t 'its heat maps are by sets, and by classes of steps' classes
by_arm() { arena --set arena.baseline=v1 --format json | python3 -c "
import json, sys
d = json.load(sys.stdin)
assert all(s['baseline'] == 'v1' for s in d['sets'] + d['runs'])
assert [o['skill'] for o in d['overall'] if o['arm'] == 'v1'] == [0] and d['overall'][0]['sets'] == 5"; }
t 'an arm as the baseline counts for runs, too' by_arm
says() { # CODE TEXT ARGUMENTS...
	code=$1 text=$2; shift 2
	"$host" arena "$@" >out 2>err
	test $? = "$code" && cat out err && grep -qF -- "$text" out err
}
t 'without sets' says 2 '[arena] has neither sets nor runs' quickstart
t 'a set that is not there' says 2 'none.csv' c.ini --set arena.sets=none.csv
t 'an arm that is not there' says 2 'no arm' c.ini --arms nobody
t 'a plugin that is not there' says 2 'nobody' c.ini --with nobody
t 'a store that is none' says 3 'not a file of stored simulations' c.ini --store one.csv
t 'a key that is not one' says 2 "unknown key 'set'" c.ini --set arena.set=one.csv
# The project's own tables of the machine of these steps are used by name alone.
ask_both() { # SET PERCENT WORDS
	set -- "$1" "$2" "$3" "$STEPCOST_DATA_PATH/bench_data/serving/steps-h200-own.csv"
	"$host" score c.ini --arms tables --set tables.set="$1" --steps "$4" --quiet >s.txt &&
		"$host" arena c.ini --arms tables --set tables.set="$1" --set arena.runs= --set arena.sets="$4" --quiet >a.txt &&
		grep -q "^tables  *1 *206 *$2 " s.txt && grep -q "^tables  *1  *206 *$2 " a.txt &&
		for f in s.txt a.txt; do
			tr -s '\n ' ' ' <$f | grep -qF "Tables: $1. h200-sxm.own-2026 was measured with these steps, on the same machine. An arm with it ($3) shows" || return 1
		done
}
t 'score and arena agree by the tables that are chosen' ask_both auto 11.5 'none here: auto leaves it out'
t 'and by those of the same machine: both say so' ask_both h200-sxm.own-2026 4.1 tables
narrow() { arena >out && awk 'length($0) > 110 { bad = 1; print } END { exit bad }' out; }
t 'lines fit' narrow
tap_done
