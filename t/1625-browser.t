#!/bin/sh
# Pages in Chromium, at the width of a screen and of a phone, light and dark: they
# can be drawn, no text lies on another, and none is wider than the window.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
browser=$(command -v chromium || command -v chromium-browser)
if [ -z "$browser" ] || [ -n "${STEPCOST_NO_BROWSER:-}" ]; then
	skip 'pages in a browser' 'no chromium here'
	tap_done
fi
cd "$tap_tmp" || exit 1
cat >c.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
usd_per_hour = 3.6
[workload]
num_requests = 100
request_rate = 10
input_tokens = uniform:100,2000
output_tokens = uniform:1,90
[cost_model:roofline_v1]
plugin = roofline_v1
[cost_model:a_constant_with_a_long_name]
plugin = const_step
base_us = 6000
per_token_us = 2
X
# The page with a script that writes its findings into an attribute.
cat >check.js <<'X'
<script>
var bad = [], texts = [], root = document.documentElement;
if (root.scrollWidth > root.clientWidth) bad.push('wider than the window: ' + root.scrollWidth);
for (var e of document.body.querySelectorAll('*'))
	if (e.clientWidth && e.scrollWidth > e.clientWidth + 2 && !/^(svg|text|script)$/i.test(e.nodeName) && !e.closest('svg') && !e.closest('details:not([open])'))
		bad.push('wider than its place: ' + e.nodeName + ' ' + e.textContent.trim().slice(0, 40));
for (var table of document.querySelectorAll('table')) {
	if (table.closest('details')) continue;
	var rows = Array.from(table.rows).filter(function (r) { return r.querySelector('td'); });
	var heads = table.rows[0] ? table.rows[0].cells : [];
	for (var c = 0; rows.length && c < heads.length; c++)
		if (rows.every(function (r) { return r.cells.length === heads.length && !r.cells[c].textContent.trim() && !r.cells[c].querySelector('svg'); }))
			bad.push('an empty column: ' + heads[c].textContent);
}
var walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (var n; (n = walker.nextNode());) {
	var at = n.parentNode;
	if (!n.data.trim() || /^(script|style|title)$/i.test(at.nodeName) || (at.closest('details:not([open])') && !at.closest('summary'))) continue;
	var range = document.createRange();
	range.selectNodeContents(n);
	for (var r of range.getClientRects()) if (r.width > 0.5) texts.push({text: n.data.trim(), r: r});
}
texts.sort(function (a, b) { return a.r.top - b.r.top; });
for (var i = 0; i < texts.length; i++)
	for (var k = i + 1; k < texts.length && texts[k].r.top < texts[i].r.bottom; k++) {
		var a = texts[i].r, b = texts[k].r;
		var width = Math.min(a.right, b.right) - Math.max(a.left, b.left), height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
		if (width > 1.5 && height > 0.35 * Math.min(a.height, b.height)) bad.push('on each other: ' + texts[i].text + ' | ' + texts[k].text);
	}
root.setAttribute('data-found', texts.length + ' texts. ' + bad.join('; ') + '.');
</script>
X
browse() { # OPTION... PAGE
	HOME=$tap_tmp timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$tap_tmp/profile" "$@" 2>log.txt
}
found() { tr '\n' ' ' <dom | sed -n 's/.*data-found="\([^"]*\)".*/\1/p'; }
sound() { # PAGE WIDTH
	cat "$1.html" check.js >with.html
	browse --window-size="$2",900 --dump-dom "file://$tap_tmp/with.html" >dom
	found | grep -q '^[1-9][0-9]* texts\. \.$' || { found; echo; return 1; }
}
drawn() { # PAGE WIDTH SCHEME
	scheme=; [ "$3" = light ] || scheme='--force-dark-mode --blink-settings=preferredColorScheme=0'
	# shellcheck disable=SC2086 # none, or two options
	browse $scheme --window-size="$2",1200 --screenshot="$tap_tmp/$1.png" "file://$tap_tmp/$1.html" && [ "$(wc -c <"$1.png")" -gt 10000 ]
}
looked_at() { # PAGE
	t "$1: no text lies on another, 1280 px" sound "$1" 1280
	t "$1: nor at 400 px" sound "$1" 400
	t "$1: drawn in the light, 1280 px" drawn "$1" 1280 light
	t "$1: drawn in the dark, 400 px" drawn "$1" 400 dark
}
made() { "$host" "$@" --quiet --output /dev/null; }
t 'a check finds texts on each other' eval 'echo "<p style=\"margin:0\">one text</p><p style=\"margin-top:-18px\">another</p>" >bad.html; ! sound bad 400 && found | grep -q "on each other: one text"'
t 'and a table with an empty column' eval 'echo "<table><tr><th>a<th>b<tr><td>1<td></table>" >bad.html; ! sound bad 400 && found | grep -q "an empty column: b"'
t 'and what must be scrolled sideways' eval 'echo "<pre style=\"overflow:auto\">$(seq -s " " 200)</pre>" >bad.html; ! sound bad 400 && found | grep -q "wider than its place: PRE"'
t 'compare makes a page' made compare c.ini --html compare.html
looked_at compare
t 'capacity makes a page' made capacity c.ini --slo ttft_p99_ms=800,tpot_mean_ms=40 --precision 0.2 --request-limit 20000 --html capacity.html
looked_at capacity
t 'validate makes a page' made validate c.ini --measured "$top_srcdir/bench_data/serving/bench-serve.json" --html validate.html
looked_at validate
metrics() { # the page of metrics that a server would have had
	"$host" run c.ini --arms roofline_v1 --quiet --write-requests r.csv --write-steps s.csv --output /dev/null &&
		python3 "$top_srcdir/t/lib/vllm-page.py" r.csv s.csv meta-llama/Llama-3.1-8B-Instruct 16384 >server.metrics
}
if command -v python3 >/dev/null 2>&1; then
	t 'a page of metrics is written' metrics
	t 'and compared on a page' made validate c.ini --measured server.metrics --html server.html
	looked_at server
fi
t 'sweep makes a store' made sweep c.ini --store s.db --axis workload.request_rate=5,10 --axis engine.max_num_seqs=8,64
t 'and a page' "$host" sweep plot s.db --html sweep.html
looked_at sweep
printf 'engine.max_num_seqs\n16\n64\n' >points.csv
t 'recommend makes a page' made recommend c.ini --gpus 1 --slo ttft_p99_ms=800,tpot_mean_ms=40 --points points.csv --precision 0.2 --html recommend.html
looked_at recommend
t 'score makes a page' made score c.ini --steps "$top_srcdir/bench_data/serving/steps-h200-own.csv" --html score.html
looked_at score
tap_done
