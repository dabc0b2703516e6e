#!/bin/sh
# Many arms: effects of switches, of `compare` and of a sweep; differences of all
# pairs; seeds until a goal; requests of a warm-up.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$(cd "$top_builddir" && pwd)/stepcost
STEPCOST_PLUGIN_PATH=$(cd "$top_builddir" && pwd)/.libs; export STEPCOST_PLUGIN_PATH
cd "$tap_tmp" || exit 1
cat >c.ini <<'X'
[model]
num_hidden_layers = 4
hidden_size = 512
num_attention_heads = 8
num_key_value_heads = 8
intermediate_size = 1024
vocab_size = 1000
[hardware]
peak_tflops = 100
memory_bandwidth_tbs = 2
memory_gib = 16
[workload]
num_requests = 30
concurrency = 1
input_tokens = uniform:50,150
output_tokens = uniform:5,40
[cost_model:c]
plugin = const_step
[cost_model:d]
plugin = const_step
base_us = 4500
[cost_model:e]
plugin = const_step
base_us = 4510
X
json() { # EXPRESSION COMMAND...: of the document d
	expression=$1; shift
	"$host" "$@" --format json --quiet >d.json && python3 -c "
import json, itertools
d = json.load(open('d.json'))
$expression"
}
two='--factorial c.base_us=4000,8000 --factorial c.per_token_us=5,10'
# shellcheck disable=SC2086,SC2016 # two options; Python
t 'effects are the sums over the arms' json '
runs = {tuple(int(b) for b in a["name"].split("-")[1]): a for a in d["arms"]}
assert len(runs) == 4 and len(d["effects"]) == 12
for e in d["effects"]:
    bits = [["base_us", "per_token_us"].index(f) for f in e["factors"]]
    sign = lambda run: (-1) ** sum(1 - run[b] for b in bits)
    want = sum(sign(run) * a[e["metric"]] for run, a in runs.items()) / 2
    assert abs(e["effect"] - want) <= 1e-9 * max(a[e["metric"]] for a in runs.values()), e
    assert e["low"] is None and e["p"] is None
    if len(bits) == 2: assert e["effect"] == 0, e
by_size = [abs(e["effect"]) for e in d["effects"] if e["metric"] == "mean_e2el_ms"]
assert by_size == sorted(by_size, reverse=True)' compare c.ini $two
# shellcheck disable=SC2086
t 'with seeds intervals, and no interaction with --order 1' json '
assert len(d["effects"]) == 8 and all(len(e["factors"]) == 1 for e in d["effects"])
e = [e for e in d["effects"] if e["metric"] == "mean_e2el_ms" and e["factors"] == ["base_us"]][0]
values = {a["name"]: a["mean_e2el_ms"]["values"] for a in d["seeds"]["arms"]}
per_seed = [(values["c-10"][i] + values["c-11"][i] - values["c-00"][i] - values["c-01"][i]) / 2 for i in range(4)]
assert abs(e["effect"] - sum(per_seed) / 4) < 1e-9 and e["low"] < e["effect"] < e["high"]
assert e["p_adjusted"] >= e["p"]' compare c.ini $two --seeds 4 --order 1
says() { # CODE TEXT ARGUMENTS...
	code=$1 text=$2; shift 2
	"$host" "$@" >out 2>err
	test $? = "$code" && cat out err && grep -qF -- "$text" out err
}
t 'one switch is none' says 2 'wants 2 to 8 switches' compare c.ini --factorial c.base_us=1,2
t 'three values are too many' says 2 'with two values' compare c.ini --factorial c.base_us=1,2,3 --factorial c.per_token_us=1,2
t 'another arm is refused' says 2 'another arm than c' compare c.ini --factorial c.base_us=1,2 --factorial d.per_token_us=1,2
t 'a switch given twice' says 2 'given twice' compare c.ini --factorial c.base_us=1,2 --factorial c.base_us=3,4
t 'a switch without an effect in any arm' says 2 'kv_bucket_round has no effect' compare c.ini --set cost_model:r.plugin=roofline_v2 --set cost_model:r.tables.set=h100-sxm.infersim --factorial r.memory=single,hybrid --factorial r.kv_bucket_round=up,nearest
# shellcheck disable=SC2086
t 'with --ablate' says 2 'one of them' compare c.ini $two --ablate c.base_us=1,2
# shellcheck disable=SC2086
short() { "$host" compare c.ini $two --quiet >out && ! grep -q '^arm  ' out && grep -q '^base_us x per_token_us' out && "$host" compare c.ini $two --quiet --all | grep -q '^arm  '; }
t 'the text has effects, and arms with --all' short

swept() { "$host" sweep c.ini --arms c --axis cost_model:c.per_token_us=5,10 --axis workload.input_tokens=constant:50,constant:100 --seeds 2 --store e.db --quiet --output /dev/null && "$host" sweep show e.db --format json >rows.json; }
t 'a sweep over a grid' swept
t 'has the effects of its rows' json '
rows = json.load(open("rows.json"))["results"]
e = [e for e in d["effects"] if e["metric"] == "mean_ttft_ms" and e["group"] == "c" and len(e["factors"]) == 1 and "per_token" in e["factors"][0]][0]
of = lambda v: [r["mean_ttft_ms"] for r in rows if r["arm"] == "c" and str(r["cost_model:c.per_token_us"]) == v]
mean = lambda x: sum(x) / len(x)
assert abs(e["effect"] - (mean(of("10")) - mean(of("5")))) < 1e-9, e
assert e["high"] is not None' sweep effects e.db
part() { "$host" sweep effects e.db --where 'mean_ttft_ms > 4.6' >out 2>err; test $? -ne 0 && grep -qE 'full grid|have two values' err; }
t 'a part of a grid is refused' part

t 'all pairs, corrected for all' json '
pairs = [p for p in d["seeds"]["pairs"] if p["metric"] == "mean_e2el_ms"]
assert [(p["a"], p["b"]) for p in pairs] == [("c", "d"), ("c", "e"), ("d", "e")]
order = sorted(range(3), key=lambda i: (pairs[i]["p"], i))
most = 0
for j, i in enumerate(order):
    most = max(most, min(1, (3 - j) * pairs[i]["p"]))
    assert abs(pairs[i]["p_adjusted"] - most) < 1e-12
first = d["seeds"]["arms"][1]["mean_e2el_ms"]
assert first["p_adjusted"] == pairs[0]["p_adjusted"] and first["difference"] == pairs[0]["difference"]' compare c.ini --seeds 5 --all-pairs
t 'differences to the first alone are corrected, too' json '
x = [a["mean_e2el_ms"] for a in d["seeds"]["arms"][1:]]
assert len(x) == 2 and "pairs" not in d["seeds"]
assert min(a["p_adjusted"] for a in x) == 2 * min(a["p"] for a in x)' compare c.ini --seeds 5
matrix() { "$host" compare c.ini --seeds 5 --all-pairs --quiet >out && grep -q '^mean_e2el_ms, row minus column' out && grep -q 'Holm' out; }
t 'the text is a matrix' matrix

t 'run adds seeds until its mean is known' json '
u = d["until"]; x = d["seeds"]["arms"][0]["mean_e2el_ms"]
def half(v):
    n = len(v); m = sum(v) / n; s = (sum((a - m) ** 2 for a in v) / (n - 1) / n) ** .5
    return T[n - 1] * s / m
T = {2: 4.30265273, 3: 3.182446305, 4: 2.776445105, 5: 2.570581836, 6: 2.446911851, 7: 2.364624252, 8: 2.306004135, 9: 2.262157163,
     10: 2.228138852, 11: 2.20098516, 12: 2.17881283, 13: 2.160368656, 14: 2.144786688, 15: 2.131449546, 16: 2.119905299, 17: 2.109815578,
     18: 2.10092204, 19: 2.093024054, 20: 2.085963447, 21: 2.079613845, 22: 2.073873068, 23: 2.06865761, 24: 2.063898562, 25: 2.059538553}
n = u["used"]; v = x["values"]
assert u["reached"] and len(v) == n == d["seeds"]["n"] and n <= 26, n
assert abs(half(v) - u["half_width"]) < 1e-7 and half(v) <= .05 and half(v[:-1]) <= .05
assert not any(half(v[:k]) <= .05 and half(v[:k - 1]) <= .05 for k in range(4, n))' run c.ini --arms c --seeds 3..40 --until mean_e2el_ms=5%
t 'compare until its differences are' json '
assert d["until"]["reached"] and d["until"]["metric"] == "mean_ttft_ms" and d["until"]["used"] == 4' compare c.ini --seeds 3..9 --until mean_ttft_ms=1%
t 'a goal needs a range' says 2 'give --seeds LOW..HIGH' run c.ini --seeds 4 --until mean_e2el_ms=5%
t 'and a range a goal' says 2 'needs --until' run c.ini --seeds 4..9

t 'arms with equal figures are named' json 'assert d["equal_figures"] == [["c", "f"]], d["equal_figures"]' compare c.ini --set cost_model:f.plugin=const_step --arms c,d,f
t 'in the text, too' says 0 'c and f are equal to the bit in every figure' compare c.ini --set cost_model:f.plugin=const_step --arms c,d,f
cat >w.ini <<'X'
[workload]
num_requests = 403
concurrency = 0
arrival = poisson
request_rate = 40
input_tokens = uniform:50,150
output_tokens = uniform:50,90
[engine]
max_num_seqs = 6
X
sed '/^\[workload\]/,/^output/d' c.ini >>w.ini
sed -i '/^concurrency/d' w.ini
# The requests of the file of an arm, in the order of arrival, and means over those after a cut.
requests='
import csv
def rows(file, arm):
    r = [x for x in csv.DictReader(open(file)) if x["arm"] == arm]
    return sorted(r, key=lambda x: (int(x["arrival_ns"]), int(x["request"])))
def mean(r, k): return sum(float(x[k]) for x in r) / len(r)
def close(a, b): return abs(a - b) <= 1e-9 * abs(b)
def mser(x):
    m = len(x) // 5; z = [sum(x[5 * i:5 * i + 5]) / 5 for i in range(m)]
    def f(d):
        r = z[d:]; a = sum(r) / len(r)
        return sum((v - a) ** 2 for v in r) / len(r) ** 2
    return 5 * min(range(m // 2 + 1), key=lambda d: (f(d), d))'
t 'the first requests are not counted' json "$requests"'
a, r = d["arms"][0], rows("r.csv", "c")
assert d["warm_up"]["requests"] == 100 and a["completed"] == 303 and len(r) == 403
assert all(close(a["mean_%s_ms" % k], mean(r[100:], k + "_ms")) for k in ("ttft", "tpot", "e2el"))
assert close(d["warm_up"]["seconds"], (int(r[100]["arrival_ns"]) - int(r[0]["arrival_ns"])) / 1e9)' run w.ini --arms c --warm-up 100 --write-requests r.csv
t 'nor those of the first seconds' json "$requests"'
a, r = d["arms"][0], rows("r.csv", "c")
rest = [x for x in r if int(x["arrival_ns"]) - int(r[0]["arrival_ns"]) >= 2e9]
assert d["warm_up"]["requests"] == 403 - len(rest) == 403 - a["completed"] and close(a["mean_e2el_ms"], mean(rest, "e2el_ms"))' run w.ini --arms c --warm-up 2s --write-requests r.csv
t 'by rule all arms get the latest cut of any' json "$requests"'
cut = {a: mser([float(x["ttft_ms"]) for x in rows("r.csv", a)]) for a in "cde"}
assert d["warm_up"]["requests"] == max(cut.values()) > 0 and d["warm_up"]["rule"] == "mser", (cut, d["warm_up"])
assert len({a["completed"] for a in d["arms"]}) == 1
assert d["warm_up"]["steady"] == all(c < 200 for c in cut.values())' compare w.ini --warm-up mser --write-requests r.csv
t 'none is none' json 'assert d["warm_up"]["requests"] == 0 and d["arms"][0]["completed"] == 403' run w.ini --arms c --warm-up 0
t 'all is refused' says 2 'leaves none of the 403 requests' run w.ini --arms c --warm-up 403
t 'what is none' says 2 'not a number of requests' run w.ini --arms c --warm-up soon
rows() { "$host" sweep w.ini --arms c --axis workload.request_rate=40 --warm-up "$1" --store "$1.db" --quiet --output /dev/null && "$host" sweep show "$1.db" --format json >rows.json && "$host" run w.ini --arms c --warm-up "$1" --format json --quiet >d.json && python3 -c "
import json
row = json.load(open('rows.json'))['results'][0]; a = json.load(open('d.json'))['arms'][0]
assert row['mean_ttft_ms'] == a['mean_ttft_ms'] and row['completed'] == a['completed'] <= 403"; }
t 'a sweep has the figures of run' rows 50
t 'by rule, too' rows mser
tap_done
