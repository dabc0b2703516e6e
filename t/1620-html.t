#!/bin/sh
# --html: one small page with every number of the JSON; opens in a browser.
# --seeds: paired intervals; an arm against itself is exactly equal.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
STEPCOST_PLUGIN_PATH=$top_builddir/t/so/.libs:$STEPCOST_PLUGIN_PATH
cd "$tap_tmp" || exit 1
cat >c.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
num_requests = 400
request_rate = 10
input_tokens = lognormal:mean=900,p50=700
output_tokens = uniform:1,90
[slo]
ttft_ms = 200
[cost_model:one]
plugin = known_cost
base_us = 5000
token_us = 20
[cost_model:twin]
plugin = known_cost
base_us = 5000
token_us = 20
[cost_model:slower]
plugin = known_cost
base_us = 6000
token_us = 25
X
made() { "$host" compare c.ini --seeds 4 --format json --html p.html >1.json && "$host" compare c.ini --seeds 4 --format json --html q.html --jobs 1 >2.json; }
t 'a page is written' made
t 'the same again' cmp p.html q.html
t 'also with seeds the document is the same' same_results 1.json 2.json
t 'small' [ "$(wc -c <p.html)" -lt 3000000 ]
alone() { ! grep -qE '(src|href)="?(https?:|//)|<script|@import' p.html; }
t 'nothing from outside, no script' alone
# Tokens that look like numbers, on either side.
numbers() { tr -c '0-9.eE+-' '\n' | grep '[0-9]' | sort -u; }
shows() { sed '/^  "identity": {/,$d' 1.json | numbers >want; numbers <p.html >got; comm -23 want got >missing; head missing; [ -s want ] && [ ! -s missing ]; }
t 'every number of the results is on the page' shows
svg() { [ "$(grep -c '<svg' p.html)" -ge 9 ]; }
t 'figures: three distributions, step times, causes, timelines' svg
# The order on the page: question, command, answer, a picture, and only then a table.
place() { grep -n -m1 -- "$1" p.html | cut -d: -f1; }
ordered() {
	[ "$(place '<p>How long do 400 requests to llama-3.1-8b on 1 h100-sxm take under one, twin and slower?</p>')" -lt "$(place '<p class="head">')" ] &&
		grep -qF '$ stepcost compare c.ini --seeds=4</pre>' p.html && [ "$(place '<p class="head">')" -lt "$(place '<circle')" ] &&
		[ "$(place '<circle')" -lt "$(place '<table')" ] && [ "$(place '<table')" -lt "$(place '<dt>model</dt>')" ]
}
t 'question, command, answer, a picture, then tables' ordered
said() { grep -q '<p>slower predicts [0-9.]* ms more TTFT than one (' p.html &&
	grep -q '<p>twin and one have the same bits on ' p.html && grep -q '<th scope="col">slower against one</th><th scope="col">difference</th>' p.html && grep -q 'within the SLO (TTFT 200 ms): one [0-9.]* %' p.html; }
t 'the sentence, seeds and SLO' said
table() { grep -q '<th scope="row">TTFT mean, ms</th><td data-l="one">[0-9.]*</td><td data-l="twin">[0-9.]*</td><td data-l="change">=  </td><td data-l="slower">' p.html; }
t 'metrics have units and changes, and know their columns' table
headline() { grep -q '<p class="head">Mean E2E latency is [0-9.]* to [0-9.]* ms: slower is [0-9.]* % above \(one\|twin\).</p>' p.html && grep -q '<p>Mean TTFT is [0-9.]* to [0-9.]* ms, mean TPOT is' p.html; }
t 'the answer in a sentence, with its range' headline
dots() { [ "$(grep -c '<span class="dn">' p.html)" -eq 9 ] && [ "$(grep -c '<circle' p.html)" -eq 9 ] && [ "$(place '<circle')" -lt "$(place '<dt>model</dt>')" ]; }
t 'then a picture: a dot for every arm and metric' dots
contents() { sed -n 's|^<a href="#\([^"]*\)".*|\1|p; s|.*<nav><a href="#\([^"]*\)".*|\1|p' p.html >links; [ "$(wc -l <links)" -ge 7 ] && while read -r id; do grep -q "<h2 id=\"$id\"" p.html || return 1; done <links; }
t 'the contents lead to headings' contents
colour() { grep -q 'background:var(--s1)"></i>twin</th>' p.html && grep -q '<span class="dn">twin</span>.*class="f1"' p.html && grep -q 'class="s s1 t1"' p.html; }
t 'an arm has one colour everywhere' colour
told() { ! grep -q '<th scope="row">spec decode num drafts<' p.html; }
t 'figures that no arm has take no rows' told
panels() { [ "$(grep -c '<figcaption>twin</figcaption>' p.html)" -eq 4 ]; }
t 'scatters and timelines: an arm a panel' panels
intervals() { # those of the JSON, in the column of their arm
	"$host" compare quickstart --set workload.num_requests=200 --format json --html i.html >i.json 2>err || { cat err; return 1; }
	grep -q '<th scope="row">TPOT mean, ms</th><td class="w" data-l="arm">v2_fixed</td><td data-l="predicted">[0-9.]*</td><td data-l="90 % interval">[0-9.]* to [0-9.]*</td><td data-l="runs">[0-9]*</td>' i.html && grep -q 'class="dw s0"' i.html
}
t 'a table of intervals, with the runs behind them' intervals
bars() { awk '/<h2 id="why-slower-is-not-one"/ { on = 1 } /<h2 id="distributions/ { on = 0 } on && /class="sum"/ { n++ } END { exit n != 3 }' p.html; }
t 'bars lead to the real difference' bars
browser=$(command -v chromium || command -v chromium-browser)
if [ -n "$browser" ] && [ -z "${STEPCOST_NO_BROWSER:-}" ]; then
	opens() {
		HOME=$tap_tmp timeout 120 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
			--disable-component-update --disable-sync --enable-logging=stderr --window-size=1200,4000 --screenshot=page.png \
			"file://$tap_tmp/p.html" 2>log; grep CONSOLE log; [ -s page.png ] && ! grep -q CONSOLE log
	}
	t 'opens in Chromium without a word on its console' opens
else
	skip 'opens in Chromium' 'no chromium here'
fi
plot() { "$host" compare c.ini --quiet --plot e2el=e.svg >/dev/null && [ "$(grep -c '<svg' e.svg)" -eq 1 ] && grep -q '>twin</text>' e.svg; }
t 'a figure alone, with its key' plot
why() { "$host" compare c.ini --arms one,slower --quiet --plot why-ttft=w.svg >/dev/null && grep -q '<title>Mean time to first token: slower against one</title>' w.svg && grep -q '>difference</text>' w.svg; }
t 'the bars of why alone' why
one() { "$host" run c.ini --quiet --plot why-ttft=w1.svg >out 2>&1; [ $? -eq 2 ] && grep -q 'no pair of arms' out && [ ! -e w1.svg ]; }
t 'one arm has none' one
fleet() {
	"$host" run c.ini --quiet --set engine.replicas=3 --html f.html >/dev/null && grep -q 'one: requests that wait</figcaption>' f.html &&
		"$host" run c.ini --quiet --set engine.replicas=3 --plot replica-kv=k.svg >/dev/null && grep -q 'one: KV tokens' k.svg &&
		"$host" run c.ini --quiet --set engine.replicas=3 --plot replicas=r.svg >/dev/null && grep -q 'Replicas that compute' r.svg
}
t 'replicas over time' fleet
none() { "$host" run c.ini --plot nope=e.svg >out 2>&1; [ $? -eq 2 ] && grep -q 'there are: ttft' out; }
t 'no such figure' none
curve() {
	{ echo op,dtype,heads,kv_heads,head_dim,tp,batch,context
	awk 'BEGIN { for (i = 1; i < 200; i++) print "attention_decode,bf16,32,8,128,1,4," i * 128 }'; } >k.csv
	cat >k.ini <<X
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[tables]
path = $top_srcdir/bench_data
set = h100-sxm.infersim
[cost_model:nearest]
plugin = roofline_v2
preset = h29
[cost_model:linear]
plugin = mfu_interp
X
	STEPCOST_PLUGIN_PATH=$top_builddir/.libs "$host" kernel k.ini --points k.csv --quiet --plot k.svg >/dev/null && grep -q '<svg' k.svg
}
t 'curves through kernels' curve
if command -v rsvg-convert >/dev/null; then
	png() { "$host" run c.ini --quiet --plot t.png >/dev/null && [ -s t.png ]; }
	t 'as .png, through rsvg-convert' png
else
	skip 'as .png, through rsvg-convert' 'no rsvg-convert here'
fi
equal() { awk '/"name": "twin"/ { on = 1 } /"name": "slower"/ { on = 0 } on && /"difference"/' 1.json >out
	[ -s out ] && ! grep -v '"difference": 0, "low": 0, "high": 0, "effect": 0, "p": 1, "p_adjusted": 1, "verdict": "not distinguishable"' out; }
t 'the same arm twice: exactly zero' equal
apart() { awk '/"seeds"/ { s = 1 } s && /"name": "slower"/ { on = 1 } on && /"mean_tpot_ms"/' 1.json | grep -q '"verdict": "distinguishable"'; }
t 'another arm: distinguishable' apart
tap_done
