#!/bin/sh
# compare: broken plugins beside a good one; nothing is left behind; the same
# requests for all; why they differ.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
STEPCOST_PLUGIN_PATH=$top_builddir/t/so/.libs:$STEPCOST_PLUGIN_PATH
cd "$tap_tmp" || exit 1
head='[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
num_requests = 200
request_rate = 20
input_tokens = uniform:1,900
output_tokens = uniform:1,60
[cost_model:good]
plugin = known_cost
token_us = 3
kv_us = 0.01'
faults='segv fpe abort exit hang grow overflow past_result past_slack print write chdir close nan modes scribble'
# Under a sanitizer no memory limit can be set.
grep -q __asan_init "$host" && faults=$(echo "$faults" | sed 's/ grow//')
{ echo "$head"
for f in $faults; do printf '[cost_model:%s]\nplugin = faulty\nfault = %s\n' "$f" "$f"; done; } >c.ini
# Who ends a process in the middle gives back none of its memory.
ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_sigfpe=0:handle_abort=0:handle_sigbus=0:${ASAN_OPTIONS-}; export ASAN_OPTIONS
limits='--answer-limit 0.5 --memory-limit 1'
# What an arm is in the document, without its neighbours.
arm() { awk -v name="\"$1\"" '/^    {/ { on = 0 } $0 ~ "^      \"name\": " name { on = 1 } on; /^    }/ { on = 0 }' "$2"; }

"$host" compare c.ini $limits --format json --write-requests r.csv >all.json 2>err
t 'broken plugins: exit 4' [ $? -eq 4 ]
"$host" compare c.ini --arms good --format json >good.json 2>/dev/null
arm good all.json >a; arm good good.json >b
same() { sed -i 's/,$//' a b; [ -s a ] && cmp a b; }
t 'the good arm is bit for bit as without them' same
lines() { cut -c1-200 err; [ "$(grep -vc 'faster than the hardware' err)" -eq "$(echo $faults | wc -w)" ]; }
t 'one line for each of them' lines
for f in ${faults% scribble}; do # that one writes over its step
	t "$f is named with its step" grep -q "^stepcost: arm $f: .*faulty.* at step 17; step,decode,prefill,sampled: 17,[0-9;x]*,[0-9:;x]*,[0-9]*\$" err
done
errors() { [ "$(grep -c '^      "error": "' all.json)" -eq "$(echo $faults | wc -w)" ]; }
t 'each has its error in the document' errors
t 'requests of the good arm alone are written' [ "$(cut -d, -f1 r.csv | sort -u | tr '\n' ' ')" = 'arm good ' ]
t 'nothing is left behind' [ "$(ls -A | tr '\n' ' ')" = 'a all.json b c.ini err good.json log r.csv ' ]
# The step in the message, given to eval, breaks the plugin again.
again() {
	sed -n 's/^stepcost: arm nan: .*sampled: //p' err | { echo step,decode,prefill,sampled; cat; } >s.csv
	"$host" eval c.ini --arms nan --steps s.csv >out 2>&1; [ $? -eq 4 ] && grep -q nan out
}
t 'the step in the message is a row for eval' again

interrupted() {
	"$host" compare c.ini --arms good,hang --answer-limit 0 --output o.json --write-steps s.csv & pid=$!
	sleep 1; kill -TERM $pid; wait $pid; code=$?; echo "exit $code"; sleep 0.2
	[ $code -eq 143 ] && [ -z "$(ls | grep 'o\.json')" ] && ! ps -eo args | grep -q '^[^ ]*stepcost compare c\.ini --arms good,hang'
}
t 'SIGTERM takes the children along' interrupted

# ---- sound arms --------------------------------------------------------------
{ echo "$head"; printf '[cost_model:slower]\nplugin = known_cost\ntoken_us = 4\nkv_us = 0.01\n[cost_model:twin]\nplugin = known_cost\ntoken_us = 3\nkv_us = 0.01\n'; } >c.ini
both() {
	"$host" compare c.ini --why --format json --write-steps s1.csv --perfetto p1.json >1.json &&
	"$host" compare c.ini --why --format json --write-steps s2.csv --perfetto p2.json --jobs 1 >2.json &&
	"$host" compare c.ini --why --format json --in-process >3.json && same_results 1.json 2.json && same_results 1.json 3.json && cmp s1.csv s2.csv && cmp p1.json p2.json
}
t 'at once, one after another, in process: the same bytes' both
text() { "$host" compare c.ini --why --all >out && cat out && grep -q 'the same for every arm' out && grep -q '^mean_ttft_ms .*=' out && tr '\n' ' ' <out >line && grep -q 'slower predicts .* more TTFT than good .* because the same steps take longer (other +' line; }
t 'the table' text
one_model() { # two routers of one cost model have one error: it tells them apart
	{ echo "$head"; printf '[cost_model:rr]\nplugin = smooth_roofline\n[cost_model:random]\nplugin = smooth_roofline\nengine.routing = random\n'; } >r.ini
	"$host" compare r.ini --arms rr,random --set engine.replicas=2 >out 2>&1; cat out; grep -q '^\[ \.\. \]' out && ! grep -q '~\|cannot tell' out
}
t 'two routers of one cost model are told apart' one_model
csv() { "$host" compare c.ini --format csv >out.csv && awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || NR != 4 }' out.csv; }
t 'CSV has a row per arm' csv
"$host" compare c.ini --why --format json >1.json
zero() { ! grep -q '"priced_by": "twin"' 1.json && grep -q '{"a": "good", "b": "twin", "verdict": "identical", "largest": 0, "steps": [1-9][0-9]*, "differing": 0}' 1.json; }
t 'a model against its twin: no difference to explain' zero
narrow() { # CONFIG...: every line of --why fits 100 columns
	"$host" compare "$@" --why --all --quiet | sed 's/±/+/g' | awk '/^Why/ { on = 1 } on && length > 100 { print; bad = 1 } END { exit bad || !on }'; }
t 'why arms differ, in 100 columns' narrow c.ini
strict() { "$host" compare c.ini --strict=clamped >/dev/null; }
t 'strict lets a model without tables pass' strict
tap_done
