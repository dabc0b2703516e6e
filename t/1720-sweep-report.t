#!/bin/sh
# sweep show, pareto and plot: tables and figures of a store.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "$top_srcdir/t/lib/sweep.sh"
{ serving 300; cat; } >c.ini <<'X'
[cost_model:fast]
plugin = const_step
base_us = 1000
[cost_model:slow]
plugin = const_step
base_us = 5000
X
"$host" sweep c.ini --quiet --output /dev/null --store s.db --seeds 2 \
	--axis workload.request_rate=5:25:5 --axis engine.tensor_parallel_size=1,2
csv() { "$host" sweep "$@" --format csv; }
t 'every row' is "$(csv show s.db | wc -l)" 41
t 'in the order of the axes, and of arms' is "$(csv show s.db | sed -n '2,5p' | cut -d, -f2-5 | tr '\n' ' ')" \
	'5,1,fast,42 5,1,fast,43 5,1,slow,42 5,1,slow,43 '
t 'a where over columns, axes by their key' is "$(csv show s.db --where 'request_rate > 15 and arm == "slow" and seed == 42' | wc -l)" 5
t 'a sort' is "$(csv show s.db --sort -mean_tpot_ms | sed -n 2p | cut -d, -f4)" slow
t 'a column that there is not' says 2 "mean_tpot_ms" "$host" sweep show s.db --sort mean_tpot_m
t 'a where that is no truth' says 2 'must be a comparison' "$host" sweep show s.db --where arm
t 'no row is so' is "$("$host" sweep show s.db --where 'seed == 1')" 'no rows'
t 'what a terminal would obey is shown as its code' sh -c "'$host' sweep c.ini --quiet --store esc.db --axis 'workload.trace=$(printf 'a\033[31mb'),c' | grep -F 'a\\x1b[31mb  '"
older() { # a store from before there were the figure preemptions and digests
	cp s.db old.db && python3 - <<'X'
import sqlite3
db = sqlite3.connect("old.db")
view = db.execute("SELECT sql FROM sqlite_master WHERE name = 'results'").fetchone()[0]
db.executescript("DROP VIEW results; ALTER TABLE result DROP COLUMN preemptions;"
	"ALTER TABLE result DROP COLUMN digest; ALTER TABLE study DROP COLUMN digest;" + view.replace(', result."preemptions"', ""))
X
	csv show old.db --where 'mean_tpot_ms > 0' >old && csv show s.db >new && [ "$(wc -l <old)" = 41 ] &&
		! grep -q preemptions old && python3 - <<'X'
import csv, sys
old, new = (list(csv.DictReader(open(f))) for f in ("old", "new"))
sys.exit([{k: v for k, v in row.items() if k != "preemptions"} for row in new] != old)
X
}
t 'a store from before there was a figure' older
t 'can be read, and not added to' says 2 'old.db: was written before rows had digests; take another --store' \
	"$host" sweep c.ini --quiet --output /dev/null --store old.db --seeds 3 \
	--axis workload.request_rate=5:25:5 --axis engine.tensor_parallel_size=1,2
t 'JSON' sh -c "'$host' sweep show s.db --format json | python3 -c 'import json, sys; d = json.load(sys.stdin); sys.exit(len(d[\"results\"]) != 40)'"
t 'text fits a line' sh -c "'$host' sweep show s.db | awk 'length > 120 { bad = 1 } END { exit bad || NR < 20 }'"
pareto() {
	csv pareto s.db --x mean_tpot_ms --y output_throughput >front && csv show s.db >all &&
		python3 - <<'X'
import csv, sys
rows = list(csv.DictReader(open("all")))
def beats(a, b):
    x, y = (float(b["mean_tpot_ms"]) - float(a["mean_tpot_ms"]), float(a["output_throughput"]) - float(b["output_throughput"]))
    return a["arm"] == b["arm"] and x >= 0 and y >= 0 and (x > 0 or y > 0)
want = {(r["point"], r["arm"], r["seed"]) for r in rows if not any(beats(o, r) for o in rows)}
got = {(r["point"], r["arm"], r["seed"]) for r in csv.DictReader(open("front"))}
print(len(want), len(got), len(rows))
sys.exit(want != got or not want or len(want) == len(rows))
X
}
t 'the front is what nothing beats, in each direction of its own' pareto
t 'one for all arms' is "$(csv pareto s.db --x mean_tpot_ms --y output_throughput --by '' | grep -c ,slow,)" 0
t 'an axis has no direction' says 2 'neither more nor less' "$host" sweep pareto s.db --x request_rate --y mean_tpot_ms
t 'a page' "$host" sweep plot s.db --html s.html
head_of() { sed -n 's/^<p class="head">\(.*\)<\/p>$/\1/p' "$1"; }
t 'it begins with the question' grep -q '<p>Which request_rate and tensor_parallel_size serve llama-3.1-8b at the least USD per million output tokens?</p>' s.html
t 'the command' grep -qF '<pre class="cmd">$ stepcost sweep plot s.db</pre>' s.html
t 'and the answer' is "$(head_of s.html)" 'Both arms choose request_rate 25, tensor_parallel_size 1.'
t 'then each arm and its cost' is "$(grep -c 'request_rate 25, tensor_parallel_size 1, at [0-9.]* USD per million output tokens[.]</p>' s.html)" 2
t 'with every figure' is "$(grep -c 'class="fig"' s.html)" 4
t 'and what arms would choose' grep -q 'arms choose' s.html
t 'without network' sh -c "! grep -E 'src=|href=\"http' s.html"
t 'figures as files' "$host" sweep plot s.db --plot latency=l.svg --plot pareto=p.svg --plot heatmap-slow=h.svg
t 'a figure that there is not' says 2 'there are: latency' "$host" sweep plot s.db --plot nothing=x.svg
each() { for name in l p h; do grep -q '</svg>' $name.svg || return 1; done; }
t 'each of them' each
# 100 requests/s overload one sequence at a time and fill it best, so the
# throughput and the cost of that point are the best of all.
{ serving 300; cat; } >o.ini <<'X'
[engine]
max_num_seqs = 1
[cost_model:fast]
plugin = const_step
base_us = 1000
X
"$host" sweep o.ini --quiet --output /dev/null --store o.db --axis workload.request_rate=5,100
cheapest() { csv show o.db --sort usd_per_million_output_tokens | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "saturation") c = i } NR == 2 { print $2, $c }'; }
t 'the point that costs least is overloaded' is "$(cheapest)" '100 overloaded'
"$host" sweep plot o.db --html o.html
t 'and is not chosen' is "$(grep -o 'request_rate [0-9]* (' o.html | sort -u)" 'request_rate 5 ('
t 'nor in the answer' is "$(head_of o.html)" 'fast chooses request_rate 5.'
t 'the page counts it' grep -q 'not chosen (1 of 2 rows)' o.html
printf 'gpu,usd_per_hour,kind,as_of,list\nh100-sxm,4,spot,2026-01,a\n' >own.csv
"$host" sweep c.ini --quiet --output /dev/null --store n.db --set hardware.prices=own.csv --axis hardware.config=h100-sxm,h20
"$host" sweep plot n.db --html n.html
t 'GPUs without a price are said' grep -q '2 of 4 rows have GPUs without a price' n.html
t 'and judged by their number' grep -q 'The point with the least GPUs' n.html
t 'a front says what it lacks' says 0 '2 rows are on no front' "$host" sweep pareto n.db --x usd_per_million_output_tokens --y mean_tpot_ms
t 'a capacity' says 0 'request_rate' "$host" sweep c.ini --store c.db --axis cost_model:slow.base_us=2000,4000 --capacity tpot_p99_ms=10 --format csv
t 'is that of the command' is \
	"$(csv show c.db --where 'base_us == 4000 and arm == "slow"' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "request_rate") c = i } NR == 2 { print $c }')" \
	"$("$host" capacity c.ini --arms slow --set cost_model:slow.base_us=4000 --slo tpot_p99_ms=10 --format csv |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "request_rate") c = i } NR == 2 { print $c }')"
t 'its page' "$host" sweep plot c.db --html c.html
t 'asks with the bounds' grep -q 'with TPOT p99 &lt;= 10 ms?</p>' c.html
t 'an arm that finds points as cheap joins the other' is "$(head_of c.html)" 'Both arms choose base_us 2000.'
opposed() { # AXIS...: the point that is best for one arm is worst for the other
	rm -f d.db
	"$host" sweep c.ini --quiet --output /dev/null --store d.db "$@" --axis cost_model:fast.base_us=1000,4000 \
		--axis cost_model:slow.base_us=5000,2000 --zip cost_model:fast.base_us,cost_model:slow.base_us &&
		"$host" sweep plot d.db --html d.html && head_of d.html
}
t 'arms that differ say in what' is "$(opposed)" 'The arms differ in cost_model:fast.base_us, cost_model:slow.base_us.'
t 'and where they agree, in 100 characters at most' is "$(opposed --axis engine.tensor_parallel_size=1,2)" 'The 2 arms agree on 1 of 3 axes.'
printf 'arrived_at,num_prefill_tokens,num_decode_tokens\n0,100,10\n1,200,5\n2,300,9\n' >own.csv
printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n[cost_model:a]\nplugin = const_step\n[workload]\ntrace = own.csv\n' >own.ini
t 'seeds that change nothing are refused' says 2 'each seed gave the same run' "$host" sweep own.ini --quiet --store same.db \
	--seeds 2 --axis engine.max_num_seqs=1,2 --axis engine.tensor_parallel_size=1,2
t 'and have no effects' says 2 'intervals of width 0' "$host" sweep effects same.db
tap_done
